// The `main` that measures a benchmark file's functions (reference 08 12): Hale text behind the file's own, and the lines that it writes.
import type { Diagnostic, FileAst, FunctionDecl, Span } from "../../compiler/index.ts";

export interface Benchmark {
  readonly name: string;
  readonly fixture: Fixture | undefined;
  readonly isFallible: boolean;
}

/** What a benchmark takes, and the function that makes it. */
export interface Fixture {
  readonly setup: string;
  readonly isFallible: boolean;
  /** The types as they are written: the parameter's, the result's. */
  readonly wanted: Span;
  readonly made: Span;
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
  const byName = new Map(functions.map((each) => [each.name.text, each]));
  const benchmarks: Benchmark[] = [];
  // Of two of one name the compiler tells.
  for (const each of byName.values()) {
    const { name, fallible, generics } = each;
    if (!name.text.startsWith("bench_") || generics.length > 0) continue;
    const fixture = fixtureOf(each, byName);
    if (fixture && "problem" in fixture) return fixture;
    benchmarks.push({ name: name.text, fixture, isFallible: fallible !== undefined });
  }
  return benchmarks;
}

function fixtureOf(
  { name: { text: name }, params }: FunctionDecl,
  functions: ReadonlyMap<string, FunctionDecl>,
): Fixture | { readonly problem: string } | undefined {
  const [param, ...more] = params;
  if (!param) return undefined;
  if (more.length > 0)
    return { problem: `${name} takes ${params.length} parameters; a benchmark takes one fixture at most` };
  const setup = `setup_${name.slice("bench_".length)}`;
  const maker = functions.get(setup);
  if (!maker) return { problem: `${name} takes a fixture, but there is no fn ${setup}` };
  if (maker.params.length > 0 || maker.generics.length > 0)
    return { problem: `${setup} makes the fixture of ${name}: it takes no parameters` };
  if (!maker.result) return { problem: `${setup} makes the fixture of ${name}, but it returns nothing` };
  const isFallible = maker.fallible !== undefined;
  return { setup, isFallible, wanted: param.type.span, made: maker.result.span };
}

/**
 * Findings in the driver, which the user has not written, said of what he has: all that can be wrong there is that the fixture is of another type than the
 * parameter.
 */
export function inOwnText(
  diagnostics: readonly Diagnostic[],
  benchmarks: readonly Benchmark[],
  own: string,
): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { span } = diagnostic;
    if (!span || span.start < own.length) return diagnostic;
    const [, name] = [...span.file.text.slice(own.length, span.start).matchAll(/^fn __measure_(\w+)\(/gm)].at(-1) ?? [];
    const fixture = benchmarks.find((each) => each.name === name)?.fixture;
    if (!name || !fixture) return diagnostic;
    const { setup, wanted, made } = fixture;
    const { kind, severity, code } = diagnostic;
    return {
      kind,
      severity,
      code,
      message: `${name} takes \`${textAt(wanted)}\`, but ${setup} returns \`${textAt(made)}\``,
      span: wanted,
      related: [{ span: made, note: "the fixture's type" }],
    };
  });
}

function textAt({ file, start, end }: Span): string {
  return file.text.slice(start, end);
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
function driverFunction({ name, fixture: made, isFallible }: Benchmark, mark: string): string {
  const argument = made === undefined ? "" : "fixture";
  const call = isFallible ? `${name}(${argument}) or raise;` : `target(${argument});`;
  const table = isFallible ? "" : `let table = [${name}, ${name}];`;
  const target = isFallible ? "" : "let target = table[part % 2];";
  const fixture = made === undefined ? "" : `let fixture = ${made.setup}()${made.isFallible ? " or raise" : ""};`;
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
