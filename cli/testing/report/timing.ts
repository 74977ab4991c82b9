import { print, visible } from "../../output.ts";
import type { OrderedReporter } from "../events.ts";

interface Sample {
  readonly shown: string;
  readonly compileMs: number;
  readonly runMs: number;
}

/** Ends the report with percentiles, the slowest files and the sums (reference 12 12.4.4). */
export function timingReporter(): OrderedReporter {
  const samples: Sample[] = [];
  return {
    result({ test, compileMs, runMs }) {
      samples.push({ shown: test.shown, compileMs, runMs });
    },
    end() {
      print(`\n${timingLines(samples).join("\n")}\n`);
    },
  };
}

/** The value at index floor(n * p / 100) of the ascending samples, clamped to the last; undefined without samples. */
export function percentile(ascending: readonly number[], p: number): number | undefined {
  return ascending[Math.min(Math.floor((ascending.length * p) / 100), ascending.length - 1)];
}

export function timingLines(samples: readonly Sample[]): string[] {
  const total = ({ compileMs, runMs }: Sample): number => compileMs + runMs;
  const ascending = samples.map(total).sort((a, b) => a - b);
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const row = (label: string, value: number | undefined): string =>
    `  ${label.padEnd(8)}${value === undefined ? "n/a (0 samples)" : milliseconds(value)}`;
  const slowest = [...samples].sort((a, b) => total(b) - total(a)).slice(0, 5);
  return [
    "timing:",
    ...[50, 90, 95, 99].map((p) => row(`p${p}`, percentile(ascending, p))),
    row("average", samples.length > 0 ? sum(ascending) / samples.length : undefined),
    ...(slowest.length > 0
      ? ["slowest:", ...slowest.map((each) => `  ${milliseconds(total(each))}  ${visible(each.shown)}`)]
      : []),
    "total:",
    row("compile", sum(samples.map((each) => each.compileMs))),
    row("run", sum(samples.map((each) => each.runMs))),
  ];
}

function milliseconds(value: number): string {
  return `${Math.round(value)} ms`.padStart(10);
}
