import { availableParallelism } from "node:os";
import type { Arguments } from "../arguments.ts";
import type { TEST } from "../catalog.ts";

export type TestArguments = Arguments<keyof typeof TEST.flags>;

/** How many tests run at once: `-j`, else `HALE_TEST_JOBS`, else one a core. A problem is a usage error. */
export function jobsOf(given: TestArguments, environment: NodeJS.ProcessEnv): number | { readonly problem: string } {
  const flag = given.value("jobs");
  if (flag !== undefined) return positiveInteger(flag) ?? { problem: `-j takes a positive integer, got \`${flag}\`` };
  const variable = environment["HALE_TEST_JOBS"];
  if (variable === undefined) return availableParallelism();
  return positiveInteger(variable) ?? { problem: `HALE_TEST_JOBS takes a positive integer, got \`${variable}\`` };
}

function positiveInteger(text: string): number | undefined {
  return /^[0-9]+$/.test(text) && Number(text) >= 1 ? Number(text) : undefined;
}

export interface TimeLimit {
  /** Undefined for no limit. */
  readonly milliseconds: number | undefined;
  /** As the user wrote it. */
  readonly text: string;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `500ms`, `30s`, `2m`, `1h`, also `1.5s` and `1m30s`; `0` for no limit. Default: 10 minutes. */
export function timeLimitOf(given: TestArguments): TimeLimit | { readonly problem: string } {
  const text = given.value("timeout") ?? "10m";
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (text !== "0" && (parts.length === 0 || parts.map(([part]) => part).join("") !== text)) {
    return { problem: `--timeout takes a duration like \`500ms\`, \`30s\` or \`2m\`, got \`${text}\`` };
  }
  const sum = parts.reduce((total, [, number = "0", unit = ""]) => total + Number(number) * (UNITS[unit] ?? 0), 0);
  return { milliseconds: sum > 0 ? sum : undefined, text };
}
