// What a replayed run says about itself: sixteen counts and more, in a file (layout: runtime/guest/replay.ts).
import { readFileSync } from "node:fs";
import { INPUT_KINDS } from "./recording.ts";

/** Names of what may not fit, in the order in which the program keeps the counts. */
const NAMES = [
  ...INPUT_KINDS,
  "delivery-order",
  "unconsumed-journal",
  "unconsumed-deliveries",
  "unexpected-deliveries",
  "async-schedule",
  "unconsumed-async-steps",
] as const;
const LIVE_FALLBACK = NAMES.length;
const CONSUMES = LIVE_FALLBACK + 1;

export interface ReplayCounts {
  /** Only those that are not zero. */
  readonly divergences: readonly (readonly [name: string, count: number])[];
  readonly total: number;
  readonly consumes: number;
  /** Events behind the end of a truncated recording. */
  readonly beyondEnd: number;
}

/** Reads the file; one that is missing counts as one divergence (reference 06b 6b.7). */
export function readCounts(file: string, isTruncated: boolean): ReplayCounts {
  const counts = countsIn(file);
  if (!counts) return { divergences: [["unconsumed-journal", 1]], total: 1, consumes: 0, beyondEnd: 0 };
  const divergences = NAMES.flatMap((name, index) => {
    const count = counts[index] ?? 0;
    // The end of a truncated recording is not the end of the run.
    const isOpen = isTruncated && name.startsWith("unconsumed-");
    return count > 0 && !isOpen ? [[name, count] as const] : [];
  });
  return {
    divergences,
    total: divergences.reduce((sum, [, count]) => sum + count, 0),
    consumes: counts[CONSUMES] ?? 0,
    beyondEnd: counts[LIVE_FALLBACK] ?? 0,
  };
}

function countsIn(file: string): number[] | undefined {
  try {
    const bytes = readFileSync(file);
    return Array.from({ length: CONSUMES + 1 }, (_, index) => Number(bytes.readBigInt64LE(8 * index)));
  } catch {
    return undefined;
  }
}

/** The summary that every replay ends with, on stderr. */
export function summaryOf({ divergences, total, consumes }: ReplayCounts): string {
  if (total === 0) return `hale replay: journal served fully — 0 divergences, ${consumes} consumes\n`;
  const lines = divergences.map(([name, count]) => `  ${name.padEnd(22)} ${count}\n`);
  return `hale replay: ${counted(total, "divergence")} from the recorded history:\n${lines.join("")}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
