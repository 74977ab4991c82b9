// Every program below tests/language gives its exact result: programs for rules that the conformance programs leave out, with the exact text of every
// error of those that are refused. HALE_TEST_ONLY=text keeps the programs whose names contain it.
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Target } from "../../compiler/index.ts";
import { isRun, programsBelow, verdictOf } from "./programs.ts";

/** Declares the tests of one target. Programs that are only checked are the same for all targets: `checks` says whether this file holds them. */
export function language(target: Target, checks: boolean): void {
  const only = process.env["HALE_TEST_ONLY"] ?? "";
  describe.concurrent(`language programs (${target})`, () => {
    for (const program of programsBelow(fileURLToPath(new URL("../language", import.meta.url)))) {
      if (!program.name.includes(only) || (!checks && !isRun(program))) continue;
      test(program.name, async () => expect(await verdictOf(program, target)).toBe(""));
    }
  });
}
