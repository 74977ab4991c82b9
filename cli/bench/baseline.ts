// Saved samples: `hale bench --save` writes them, `--baseline` compares with them. A lock keeps runs beside each other apart.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { systemMessage } from "../output.ts";
import { isWrittenThrough, replacementOf } from "../replacement.ts";

interface SavedBenchmark {
  readonly file: string;
  readonly name: string;
  readonly samples: readonly number[];
}

/** One earlier run: medians in nanoseconds a call, by `file` and `name`. */
export interface HistoryEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly medians: Readonly<Record<string, number>>;
}

export interface Baseline {
  /** Samples by `file` and `name`. */
  readonly samples: ReadonlyMap<string, readonly number[]>;
  /** Runs that were saved to the file, the latest last. */
  readonly history: readonly HistoryEntry[];
}

/** Runs that a file remembers. */
const MOST_HISTORY = 200;

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
    const samples = new Map(saved.benchmarks.map((each) => [baselineKey(each.file, each.name), each.samples]));
    return { samples, history: (saved.history ?? []).filter(isHistoryEntry) };
  } catch {
    return { problem: `${file} is not JSON` };
  }
}

interface Saved {
  readonly format: string;
  readonly benchmarks: readonly SavedBenchmark[];
  readonly history?: readonly unknown[];
}

function isSaved(value: unknown): value is Saved {
  if (typeof value !== "object" || value === null || !("format" in value) || value.format !== FORMAT) return false;
  if (!("benchmarks" in value) || !Array.isArray(value.benchmarks)) return false;
  if ("history" in value && !Array.isArray(value.history)) return false;
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

function isHistoryEntry(value: unknown): value is HistoryEntry {
  return (
    typeof value === "object" &&
    value !== null &&
    "at" in value &&
    typeof value.at === "string" &&
    "medians" in value &&
    typeof value.medians === "object" &&
    value.medians !== null &&
    Object.values(value.medians).every((median) => typeof median === "number")
  );
}

/** Writes the samples, and adds this run to the history that the file has; through a temporary file and a rename. Answers the problem when that fails. */
export async function saveBaseline(
  file: string,
  benchmarks: readonly SavedBenchmark[],
  run: HistoryEntry,
): Promise<string | undefined> {
  const textWith = (history: readonly HistoryEntry[]) =>
    `${JSON.stringify({ format: FORMAT, benchmarks, history }, null, 1)}\n`;
  const replacement = replacementOf(file);
  if ("problem" in replacement) return `could not write ${file}: ${replacement.problem}`;
  try {
    if (isWrittenThrough(file)) {
      // What is no file remembers nothing and needs no lock.
      writeFileSync(file, textWith([run]));
      return undefined;
    }
    const { lock } = await import("proper-lockfile");
    const release = await lock(file, { realpath: false, retries: { retries: 60, minTimeout: 20, maxTimeout: 500 } });
    try {
      const before = existsSync(file) ? readBaseline(file) : undefined;
      const earlier = before && "history" in before ? before.history : [];
      writeFileSync(replacement.temporary, textWith([...earlier, run].slice(-MOST_HISTORY)));
      replacement.commit();
    } finally {
      replacement.abandon();
      await release();
    }
    return undefined;
  } catch (error) {
    return `could not write ${file}: ${systemMessage(error)}`;
  }
}
