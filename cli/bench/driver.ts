// The `main` that measures a benchmark file's functions (reference 08 12): Hale text behind the file's own, and the lines that it writes.
import type { FileAst } from "../../compiler/index.ts";

export interface Benchmark {
  readonly name: string;
  /** The function that makes the fixture, when it takes one. */
  readonly setup: string | undefined;
  readonly isFallible: boolean;
}

/** One reported batch. */
export interface Measurement {
  readonly name: string;
  /** Calls in the last batch. */
  readonly iterations: number;
  readonly nanoseconds: number;
  readonly allocations: number;
  /** Nanoseconds a call, of parts of the batch. */
  readonly samples: readonly number[];
}

/** A batch is reported once it takes this long, or has this many calls. */
const ENOUGH_NANOSECONDS = 100_000_000;
const MOST_CALLS = 100_000_000;
/** Parts of a batch that are timed one by one, for the spread. Short ones: what else the machine does falls into a few of them only. */
const PARTS = 100;

/** The benchmarks of a file in order of declaration, or why it is none. */
export function benchmarksOf(ast: FileAst): readonly Benchmark[] | { readonly problem: string } {
  const functions = ast.declarations.flatMap((each) => (each.kind === "function" ? [each] : []));
  if (functions.some(({ name }) => name.text === "main")) return { problem: "a bench file must not define main" };
  const names = new Set(functions.map(({ name }) => name.text));
  const benchmarks: Benchmark[] = [];
  for (const { name, params, fallible, generics } of functions) {
    if (!name.text.startsWith("bench_") || generics.length > 0) continue;
    const setup = `setup_${name.text.slice("bench_".length)}`;
    if (params.length > 1)
      return { problem: `${name.text} takes ${params.length} parameters; a benchmark takes one fixture at most` };
    if (params.length === 1 && !names.has(setup))
      return { problem: `${name.text} takes a fixture, but there is no fn ${setup}` };
    benchmarks.push({
      name: name.text,
      setup: params.length === 1 ? setup : undefined,
      isFallible: fallible !== undefined,
    });
  }
  return benchmarks;
}

/** The driver's declarations. `mark` begins the lines that are the driver's own; nothing that a benchmark prints can contain it. */
export function driverText(benchmarks: readonly Benchmark[], mark: string): string {
  const functions = benchmarks.map((benchmark) => driverFunction(benchmark, mark)).join("\n");
  const calls = benchmarks.map(({ name }) => `if __is_wanted("${name}") { __measure_${name}(); }`).join(" ");
  return `\n${functions}\n${WANTED}\nfn main() { ${calls} }\n`;
}

/** The word of the command line names one benchmark; without it all are measured. */
const WANTED =
  "fn __is_wanted(name: String) -> Bool { return std::env::args_count() < 2 || std::env::arg(1) == name; }";

/**
 * Calls go through a table that is read anew for each part, so that the optimiser cannot look into the function and drop what it computes. A fallible
 * function is no value: it is called by its name.
 */
function driverFunction({ name, setup, isFallible }: Benchmark, mark: string): string {
  const argument = setup === undefined ? "" : "fixture";
  const call = isFallible ? `${name}(${argument}) or raise;` : `target(${argument});`;
  const table = isFallible ? "" : `let table = [${name}, ${name}];`;
  const target = isFallible ? "" : "let target = table[part % 2];";
  const fixture = setup === undefined ? "" : `let fixture = ${setup}();`;
  return `fn __measure_${name}() {
    ${table}
    let mut calls = 1;
    while true {
        ${fixture}
        let parts = if calls < 100 { calls } else { ${PARTS} };
        let each = calls / parts;
        let mut samples = "";
        let mut elapsed = 0;
        let mut allocated = 0;
        for part in 0..parts {
            ${target}
            let mut i = 0;
            let before = std::diag::heap_alloc_count();
            let began = std::time::monotonic_ns();
            while i < each {
                ${call}
                i += 1;
            }
            let took = std::time::monotonic_ns() - began;
            allocated += std::diag::heap_alloc_count() - before;
            elapsed += took;
            samples = samples + " " + took;
        }
        if elapsed >= ${ENOUGH_NANOSECONDS} || calls >= ${MOST_CALLS} {
            println();
            println("${mark} ${name} ", calls, " ", elapsed, " ", allocated, " ", each, samples);
            return;
        }
        calls *= 10;
    }
}`;
}

/** Reads one line of the program's output: a measurement, or undefined for the benchmark's own text. */
export function parseLine(line: string, mark: string): Measurement | undefined {
  if (!line.startsWith(`${mark} `)) return undefined;
  const [name = "", ...numbers] = line.slice(mark.length + 1).split(" ");
  const [iterations = 0, nanoseconds = 0, allocations = 0, each = 1, ...parts] = numbers.map(Number);
  return { name, iterations, nanoseconds, allocations, samples: parts.map((took) => took / each) };
}
