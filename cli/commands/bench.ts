import { existsSync } from "node:fs";
import path from "node:path";
import { type Baseline, baselineKey, readBaseline, saveBaseline } from "../bench/baseline.ts";
import type { Measurement } from "../bench/driver.ts";
import {
  type ComparedBenchmark,
  comparisonTable,
  equivalentsIn,
  type LANGUAGES,
  measureEquivalent,
} from "../bench/equivalents.ts";
import { type BenchProgram, compileBenchmarks } from "../bench/measure.ts";
import { plotFile } from "../bench/plot.ts";
import { compareSamples, spreadOf } from "../bench/statistics.ts";
import type { Arguments } from "../arguments.ts";
import type { BENCH } from "../catalog.ts";
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { placeProblem, replaceFile } from "../replacement.ts";
import { complain, print } from "../output.ts";
import {
  createPrivateDirectory,
  noPrivateDirectory,
  type PrivateDirectory,
  removeAbandoned,
} from "../private-directory.ts";
import { exitOnTermination } from "../signals.ts";
import { type FoundFile, findFiles } from "../source-files.ts";

type BenchArguments = Arguments<keyof typeof BENCH.flags>;

/** One benchmark: the measurement that is reported, and the samples of all rounds. */
interface Result extends Measurement {
  readonly program: BenchProgram;
  /** The path with the spelling of the command line. */
  readonly file: string;
}

const DEFAULT_TOLERANCE_PERCENT = 10;
/** How often everything is measured when it is saved or compared: what disturbs one round is gone in another. */
const ROUNDS = 3;
/** How often a benchmark is measured anew before it counts as slower. */
const CONFIRMATIONS = 2;

/** `hale bench` (reference 08 12). */
export async function bench(given: BenchArguments): Promise<number> {
  const settings = settingsOf(given);
  if ("problem" in settings) return refuse(settings.problem, EXIT.usage);
  const { target } = settings;
  if (target !== "" && !existsSync(target)) return refuse(`${target} not found`, EXIT.fault);
  const { files, problems } = findFiles([target], {
    file: (name) => name.endsWith("_bench.hl"),
    skipped: ["vendor", "node_modules"],
  });
  for (const problem of problems) complain(`hale bench: ${problem}\n`);
  if (files.length === 0) return refuse(`no *_bench.hl files under ${target === "" ? "." : target}`, EXIT.fault);
  // Before anything exists that a signal could leave behind.
  exitOnTermination();
  const directory = openDirectory();
  if ("problem" in directory) return refuse(directory.problem, EXIT.fault);
  try {
    const { results, failed } = await measureAll(given, files, directory.path);
    const sound = await report(given, settings, results, directory.path);
    return failed || problems.length > 0 || !sound ? EXIT.fault : EXIT.success;
  } finally {
    directory.remove();
    void removeAbandoned();
  }
}

async function measureAll(
  given: BenchArguments,
  files: readonly FoundFile[],
  directory: string,
): Promise<{ readonly results: readonly Result[]; readonly failed: boolean }> {
  const door = await loadCompiler();
  const rounds = given.has("save") || given.has("baseline") ? ROUNDS : 1;
  const results: Result[] = [];
  let failed = false;
  for (const file of files) {
    const program = await compileBenchmarks(door, file, directory, given.value("run") ?? "");
    const problem = "problem" in program ? program : await measureFile(given, program, rounds, results);
    if (!problem) continue;
    complain(`hale bench: ${problem.problem}\n`);
    failed = true;
  }
  return { results, failed };
}

/** The first round is reported; the others add samples, and what their benchmarks print has been seen. */
async function measureFile(given: BenchArguments, program: BenchProgram, rounds: number, results: Result[]) {
  const own: Measurement[] = [];
  const problem = await program.run({
    passThrough: (line) => (given.has("json") ? complain(`${line}\n`) : print(`${line}\n`)),
    onResult: (measurement) => {
      own.push(measurement);
      if (!given.has("json")) print(reportLine(measurement));
    },
  });
  const more = problem ? new Map<string, number[]>() : await samplesOf(program, rounds - 1);
  const file = program.file.shown;
  for (const measurement of own) {
    const samples = [...measurement.samples, ...(more.get(measurement.name) ?? [])];
    results.push({ ...measurement, samples, file, program });
  }
  return problem;
}

/** Samples of further rounds, by name. */
async function samplesOf(program: BenchProgram, rounds: number, only?: string): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    await program.run(
      {
        passThrough: () => {},
        onResult: ({ name, samples }) => void found.set(name, [...(found.get(name) ?? []), ...samples]),
      },
      only,
    );
  }
  return found;
}

/** Everything that is asked for beside the lines; false when that fails, or something became slower. */
async function report(
  given: BenchArguments,
  { baseline, tolerance }: Settings,
  results: readonly Result[],
  directory: string,
): Promise<boolean> {
  if (given.has("json")) print(jsonOf(results));
  const regressed = baseline !== undefined && (await reportComparison(results, baseline, tolerance));
  if (given.has("compare")) compareLanguages(results, directory, given.has("json") ? complain : print);
  const problem = (await save(given, results)) ?? draw(given, results, baseline);
  if (problem !== undefined) complain(`hale bench: ${problem}\n`);
  return problem === undefined && !regressed;
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

function settingsOf(given: BenchArguments): Settings | { readonly problem: string } {
  if (given.operands.length > 1) return { problem: `takes one file or directory, got ${given.operands.length}` };
  const percent = Number(given.value("tolerance") ?? DEFAULT_TOLERANCE_PERCENT);
  if (!(percent > 0 && percent < 1000))
    return { problem: `--tolerance takes a percentage above 0, got \`${given.value("tolerance")}\`` };
  const picture = given.value("plot");
  if (picture !== undefined && !/\.(?:svg|html?)$/i.test(picture))
    return { problem: `--plot takes a file whose name ends in .svg or .html, got \`${picture}\`` };
  // Before anything is measured: that takes its time.
  for (const file of [given.value("save"), picture]) {
    const problem = file === undefined ? undefined : placeProblem(file);
    if (problem !== undefined) return { problem: `could not write ${file}: ${problem}` };
  }
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

/** Tells on stderr how each benchmark stands to the baseline; true when one became slower, each time that it was measured anew. */
async function reportComparison(results: readonly Result[], baseline: Baseline, tolerance: number): Promise<boolean> {
  let regressed = false;
  for (const { file, name, samples, program } of results) {
    const before = baseline.samples.get(baselineKey(file, name));
    if (!before || before.length === 0) {
      complain(`${name}: not in the baseline\n`);
      continue;
    }
    let now: readonly number[] = samples;
    let comparison = compareSamples(before, now, tolerance);
    for (let time = 0; time < CONFIRMATIONS && comparison.verdict === "slower"; time++) {
      now = (await samplesOf(program, ROUNDS, name)).get(name) ?? now;
      comparison = compareSamples(before, now, tolerance);
    }
    const { median, errorPercent } = spreadOf(now);
    complain(
      `${name}: ${comparison.verdict} (${comparison.ratio.toFixed(2)} times the baseline; median ${median.toPrecision(4)} ns/op ±${errorPercent.toFixed(1)}%)\n`,
    );
    if (comparison.verdict === "slower") regressed = true;
  }
  return regressed;
}

/** The table of `--compare`. What cannot be built or run is told on stderr. */
function compareLanguages(results: readonly Result[], directory: string, write: (text: string) => void): void {
  const rows: ComparedBenchmark[] = [];
  for (const { name, program, samples } of results) {
    const named = equivalentsIn(program.text).get(name);
    if (!named) continue;
    const others: [(typeof LANGUAGES)[number], number][] = [];
    for (const [language, source] of named) {
      const outcome = measureEquivalent(
        language,
        path.resolve(path.dirname(program.file.canonical), source),
        directory,
      );
      if ("problem" in outcome) complain(`hale bench: ${outcome.problem}\n`);
      else others.push([language, outcome.nanoseconds]);
    }
    rows.push({ name, hale: spreadOf(samples).median, others: new Map(others) });
  }
  if (rows.length === 0) complain("hale bench: no benchmark names equivalents (`// compare bench_x: x.c x.go x.rs`)\n");
  else write(`\n${comparisonTable(rows)}`);
}

async function save(given: BenchArguments, results: readonly Result[]): Promise<string | undefined> {
  const file = given.value("save");
  if (file === undefined) return undefined;
  const medians = results.map((each) => [baselineKey(each.file, each.name), spreadOf(each.samples).median] as const);
  return saveBaseline(
    file,
    results.map(({ file: source, name, samples }) => ({ file: source, name, samples })),
    { at: new Date().toISOString(), medians: Object.fromEntries(medians) },
  );
}

/** The picture of `--plot`: this run beside the baseline's, and the history of whichever file was saved to or compared with. */
function draw(given: BenchArguments, results: readonly Result[], baseline: Baseline | undefined): string | undefined {
  const file = given.value("plot");
  if (file === undefined) return undefined;
  const saved = given.value("save");
  const remembered = saved === undefined ? baseline : readBaseline(saved);
  const history = remembered && "history" in remembered ? remembered.history : [];
  const plotted = results.map(({ file: source, name, samples }) => {
    const key = baselineKey(source, name);
    return { name, key, samples, median: spreadOf(samples).median, before: baseline?.samples.get(key) ?? [] };
  });
  const problem = replaceFile(file, plotFile(file, plotted, history));
  return problem === undefined ? undefined : `could not write ${file}: ${problem}`;
}
