// What samples say: the spread of one benchmark, and whether two runs differ.
import { Bench } from "tinybench";

export interface Spread {
  /** Nanoseconds a call. */
  readonly median: number;
  readonly minimum: number;
  /** Half the width of the 99% confidence interval of the mean, in percent of it. */
  readonly errorPercent: number;
}

/** The statistics of samples in nanoseconds a call, by tinybench. */
export function spreadOf(samples: readonly number[]): Spread {
  const [only] = samples;
  if (samples.length < 2) return { median: only ?? 0, minimum: only ?? 0, errorPercent: 0 };
  let next = 0;
  const bench = new Bench({ iterations: samples.length, time: 0, warmup: false });
  bench.add("samples", () => ({ overriddenDuration: samples[next++ % samples.length] ?? 0 }));
  const [task] = bench.runSync();
  const result = task?.result;
  if (!result || !("latency" in result)) return { median: samples[0] ?? 0, minimum: samples[0] ?? 0, errorPercent: 0 };
  const { p50, min, rme } = result.latency;
  return { median: p50, minimum: min, errorPercent: Number.isFinite(rme) ? rme : 0 };
}

export interface Comparison {
  /** How long a call takes when nothing disturbs it: now by before. */
  readonly ratio: number;
  readonly verdict: "slower" | "faster" | "same";
}

/** One-sided significance that a difference must have. */
const SIGNIFICANCE = 0.001;

/** The share of the samples that count as undisturbed: what else runs on the machine makes samples longer, never shorter. */
const UNDISTURBED = 0.25;
const FEWEST_UNDISTURBED = 8;

/**
 * Compares two sets of samples by those that are undisturbed. A difference counts when the middle of them has moved by more than the tolerance, and the Mann-Whitney
 * U test says that it is none of chance.
 */
export function compareSamples(before: readonly number[], now: readonly number[], tolerance: number): Comparison {
  const old = undisturbed(before);
  const fresh = undisturbed(now);
  const ratio = quantile(fresh, 0.5) / quantile(old, 0.5);
  if (ratio > 1 + tolerance && isGreater(fresh, old)) return { ratio, verdict: "slower" };
  if (ratio < 1 / (1 + tolerance) && isGreater(old, fresh)) return { ratio, verdict: "faster" };
  return { ratio, verdict: "same" };
}

/** The fastest quarter, eight at least. */
function undisturbed(samples: readonly number[]): number[] {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted.slice(0, Math.max(FEWEST_UNDISTURBED, Math.floor(sorted.length * UNDISTURBED)));
}

/** The value below which the share of the samples lies. */
function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

/** Mann & Whitney 1947, with the normal approximation: are values of `a` greater than those of `b`? */
function isGreater(a: readonly number[], b: readonly number[]): boolean {
  if (a.length < 5 || b.length < 5) return a.length > 0 && b.length > 0;
  let u = 0;
  for (const x of a) for (const y of b) u += x > y ? 1 : x === y ? 0.5 : 0;
  const mean = (a.length * b.length) / 2;
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  return upperTail((u - mean) / deviation) < SIGNIFICANCE;
}

/** P(Z > z) of the standard normal distribution (Abramowitz & Stegun 26.2.17). */
function upperTail(z: number): number {
  if (z < 0) return 1 - upperTail(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}
