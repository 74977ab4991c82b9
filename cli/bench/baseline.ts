// Saved samples: `hale bench --save` writes them, `--baseline` compares with them. A lock keeps runs beside each other apart.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { systemMessage } from "../output.ts";

interface SavedBenchmark {
  readonly file: string;
  readonly name: string;
  readonly samples: readonly number[];
}

/** Samples by `file` and `name`. */
export type Baseline = ReadonlyMap<string, readonly number[]>;

const FORMAT = "hale-bench-1";

export function baselineKey(file: string, name: string): string {
  return `${file}\n${name}`;
}

export function readBaseline(file: string): Baseline | { readonly problem: string } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return { problem: `could not read ${file}: ${systemMessage(error)}` };
  }
  try {
    const saved: unknown = JSON.parse(text);
    if (!isSaved(saved)) return { problem: `${file} holds no saved benchmarks` };
    return new Map(saved.benchmarks.map((each) => [baselineKey(each.file, each.name), each.samples]));
  } catch {
    return { problem: `${file} is not JSON` };
  }
}

function isSaved(value: unknown): value is { readonly format: string; readonly benchmarks: readonly SavedBenchmark[] } {
  if (typeof value !== "object" || value === null || !("format" in value) || value.format !== FORMAT) return false;
  if (!("benchmarks" in value) || !Array.isArray(value.benchmarks)) return false;
  return value.benchmarks.every(
    (each: unknown) =>
      typeof each === "object" &&
      each !== null &&
      "file" in each &&
      "name" in each &&
      "samples" in each &&
      Array.isArray(each.samples) &&
      each.samples.every((sample) => typeof sample === "number"),
  );
}

/** Writes through a temporary file and a rename; answers the problem when that fails. */
export async function saveBaseline(file: string, benchmarks: readonly SavedBenchmark[]): Promise<string | undefined> {
  const { lock } = await import("proper-lockfile");
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`);
  try {
    const release = await lock(file, { realpath: false, retries: 10 });
    try {
      writeFileSync(temporary, `${JSON.stringify({ format: FORMAT, benchmarks }, null, 1)}\n`);
      renameSync(temporary, file);
    } finally {
      await release();
    }
    return undefined;
  } catch (error) {
    return `could not write ${file}: ${systemMessage(error)}`;
  }
}
