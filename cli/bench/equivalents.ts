// `hale bench --compare`: the same work in C, Go and Rust. A comment of the benchmark file names the programs:
//     // compare bench_sum: sum.c sum.go sum.rs
// Each is given a number of calls, makes them, and prints the nanoseconds that they took.
import { spawnSync } from "node:child_process";
import path from "node:path";

export const LANGUAGES = ["c", "go", "rust"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Nanoseconds a call, or why there are none. */
export type Outcome = { readonly nanoseconds: number } | { readonly problem: string };

interface Toolchain {
  readonly extension: string;
  readonly command: string;
  readonly arguments: (source: string, out: string) => readonly string[];
}

const TOOLCHAINS: Readonly<Record<Language, Toolchain>> = {
  c: { extension: ".c", command: "cc", arguments: (source, out) => ["-O3", "-o", out, source, "-lm"] },
  go: { extension: ".go", command: "go", arguments: (source, out) => ["build", "-o", out, source] },
  rust: { extension: ".rs", command: "rustc", arguments: (source, out) => ["-O", "-o", out, source] },
};

/** A batch is reported once it takes this long, or has this many calls: as for the benchmarks themselves. */
const ENOUGH_NANOSECONDS = 100_000_000;
const MOST_CALLS = 100_000_000;
/** The batch is made this often; the fastest counts. */
const ROUNDS = 3;

/** The equivalents that a benchmark file names, by benchmark; paths are relative to the file. */
export function equivalentsIn(text: string): ReadonlyMap<string, ReadonlyMap<Language, string>> {
  const found = new Map<string, Map<Language, string>>();
  for (const [, name = "", list = ""] of text.matchAll(/^[ \t]*\/\/[ \t]*compare[ \t]+(bench_\w+)[ \t]*:(.*)$/gm)) {
    const programs = found.get(name) ?? new Map<Language, string>();
    for (const source of list.trim().split(/\s+/)) {
      const language = LANGUAGES.find((each) => source.endsWith(TOOLCHAINS[each].extension));
      if (language) programs.set(language, source);
    }
    found.set(name, programs);
  }
  return found;
}

/** Builds and measures one equivalent. `directory`: where its executable goes. */
export function measureEquivalent(language: Language, source: string, directory: string): Outcome {
  const { command, arguments: argumentsFor } = TOOLCHAINS[language];
  const out = path.join(directory, `${path.basename(source)}.${language}`);
  const built = spawnSync(command, argumentsFor(source, out), { encoding: "utf8", cwd: path.dirname(source) });
  if (built.error) return { problem: `${command} is not there` };
  if (built.status !== 0) return { problem: `${source} does not build:\n${built.stderr.trimEnd()}` };
  let calls = 1;
  let took = measure(out, calls);
  while (took !== undefined && took < ENOUGH_NANOSECONDS && calls < MOST_CALLS) {
    calls *= 10;
    took = measure(out, calls);
  }
  for (let round = 1; round < ROUNDS && took !== undefined; round++) {
    const again = measure(out, calls);
    took = again === undefined ? undefined : Math.min(took, again);
  }
  if (took === undefined) return { problem: `${source} does not print the nanoseconds that its calls took` };
  return { nanoseconds: took / calls };
}

function measure(program: string, calls: number): number | undefined {
  const { status, stdout } = spawnSync(program, [String(calls)], { encoding: "utf8" });
  const text = stdout?.trim() ?? "";
  return status === 0 && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** One line of the table. */
export interface ComparedBenchmark {
  readonly name: string;
  /** Nanoseconds a call. */
  readonly hale: number;
  readonly others: ReadonlyMap<Language, number>;
}

/** `benchmark  hale  c  (times) ...`: what Hale takes stands before the others, and how many times as long as each. */
export function comparisonTable(rows: readonly ComparedBenchmark[]): string {
  const heading = `${"benchmark".padEnd(40)} ${"hale ns/op".padStart(14)}${LANGUAGES.map((each) => `${`${each} ns/op`.padStart(14)} hale/${each}`).join("")}\n`;
  return heading + rows.map(tableRow).join("");
}

function tableRow({ name, hale, others }: ComparedBenchmark): string {
  const columns = LANGUAGES.map((language) => {
    const time = others.get(language);
    const width = "hale/".length + language.length;
    if (time === undefined) return `${"-".padStart(14)} ${"-".padStart(width)}`;
    return `${time.toFixed(2).padStart(14)} ${(hale / time).toFixed(2).padStart(width)}`;
  });
  return `${name.padEnd(40)} ${hale.toFixed(2).padStart(14)}${columns.join("")}\n`;
}
