import { existsSync } from "node:fs";
import { type Baseline, baselineKey, readBaseline, saveBaseline } from "../bench/baseline.ts";
import type { Measurement } from "../bench/driver.ts";
import { measureFile } from "../bench/measure.ts";
import { compareSamples, spreadOf } from "../bench/statistics.ts";
import type { Arguments } from "../arguments.ts";
import type { BENCH } from "../catalog.ts";
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { complain, print } from "../output.ts";
import {
  createPrivateDirectory,
  noPrivateDirectory,
  type PrivateDirectory,
  removeAbandoned,
} from "../private-directory.ts";
import { findFiles } from "../source-files.ts";

interface Result extends Measurement {
  /** The path with the spelling of the command line. */
  readonly file: string;
}

const DEFAULT_TOLERANCE_PERCENT = 10;

/** `hale bench` (reference 08 12). */
export async function bench(given: Arguments<keyof typeof BENCH.flags>): Promise<number> {
  const settings = settingsOf(given);
  if ("problem" in settings) return refuse(settings.problem, EXIT.usage);
  const { target, baseline, tolerance } = settings;
  if (target !== "" && !existsSync(target)) return refuse(`${target} not found`, EXIT.fault);
  const { files, problems } = findFiles([target], {
    file: (name) => name.endsWith("_bench.hl"),
    skipped: ["vendor", "node_modules"],
  });
  for (const problem of problems) complain(`hale bench: ${problem}\n`);
  if (files.length === 0) return refuse(`no *_bench.hl files under ${target === "" ? "." : target}`, EXIT.fault);
  const directory = openDirectory();
  if ("problem" in directory) return refuse(directory.problem, EXIT.fault);
  const door = await loadCompiler();
  const results: Result[] = [];
  let failed = problems.length > 0;
  try {
    for (const file of files) {
      const measured = await measureFile(door, file, {
        filter: given.value("run") ?? "",
        directory: directory.path,
        passThrough: (line) => (given.has("json") ? complain(`${line}\n`) : print(`${line}\n`)),
        onResult: (measurement) => {
          results.push({ ...measurement, file: file.shown });
          if (!given.has("json")) print(reportLine(measurement));
        },
      });
      if ("problem" in measured) {
        complain(`hale bench: ${measured.problem}\n`);
        failed = true;
      }
    }
  } finally {
    directory.remove();
  }
  if (given.has("json")) print(jsonOf(results));
  const save = given.value("save");
  if (save !== undefined) {
    const problem = await saveBaseline(
      save,
      results.map(({ file, name, samples }) => ({ file, name, samples })),
    );
    if (problem !== undefined) return refuse(problem, EXIT.fault);
  }
  const regressed = baseline !== undefined && reportComparison(results, baseline, tolerance);
  void removeAbandoned();
  return failed || regressed ? EXIT.fault : EXIT.success;
}

function openDirectory(): PrivateDirectory | { readonly problem: string } {
  try {
    return createPrivateDirectory("bench");
  } catch (error) {
    return { problem: noPrivateDirectory(error) };
  }
}

interface Settings {
  readonly target: string;
  readonly baseline: Baseline | undefined;
  /** 0.1 for 10 percent. */
  readonly tolerance: number;
}

function settingsOf(given: Arguments<keyof typeof BENCH.flags>): Settings | { readonly problem: string } {
  if (given.operands.length > 1) return { problem: `takes one file or directory, got ${given.operands.length}` };
  const percent = Number(given.value("tolerance") ?? DEFAULT_TOLERANCE_PERCENT);
  if (!(percent > 0 && percent < 1000))
    return { problem: `--tolerance takes a percentage above 0, got \`${given.value("tolerance")}\`` };
  const name = given.value("baseline");
  const baseline = name === undefined ? undefined : readBaseline(name);
  if (baseline && "problem" in baseline) return { problem: baseline.problem };
  return { target: given.operands[0] ?? "", baseline, tolerance: percent / 100 };
}

function refuse(problem: string, status: number): number {
  complain(`hale bench: ${problem}\n`);
  return status;
}

/** `bench_add    100000000 iters    2 ns/op   0 allocs/op`, in columns. */
function reportLine({ name, iterations, nanoseconds, allocations }: Measurement): string {
  const nsPerOp = String(Math.floor(nanoseconds / iterations)).padStart(12);
  return `${name.padEnd(40)} ${String(iterations).padStart(12)} iters ${nsPerOp} ns/op   ${Math.floor(allocations / iterations)} allocs/op\n`;
}

function jsonOf(results: readonly Result[]): string {
  const records = results.map(({ name, iterations, nanoseconds, allocations, file }) => ({
    allocs_per_op: Math.floor(allocations / iterations),
    file,
    iters: iterations,
    name,
    ns_per_op: Math.floor(nanoseconds / iterations),
  }));
  return `${JSON.stringify(records, null, 2)}\n`;
}

/** Tells on stderr how each benchmark stands to the baseline; true when one became slower. */
function reportComparison(results: readonly Result[], baseline: Baseline, tolerance: number): boolean {
  let regressed = false;
  for (const { file, name, samples } of results) {
    const before = baseline.get(baselineKey(file, name));
    if (!before || before.length === 0) {
      complain(`${name}: not in the baseline\n`);
      continue;
    }
    const { ratio, verdict } = compareSamples(before, samples, tolerance);
    const { median, errorPercent } = spreadOf(samples);
    complain(
      `${name}: ${verdict} (${ratio.toFixed(2)} times the baseline's median; now ${median.toPrecision(4)} ns/op ±${errorPercent.toFixed(1)}%)\n`,
    );
    if (verdict === "slower") regressed = true;
  }
  return regressed;
}
