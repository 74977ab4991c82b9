// Every program below tests/conformance gives its exact result. `not-yet.txt` names those that do not, and it may only shrink: a listed program that passes
// fails the suite. HALE_TEST_ONLY=text keeps the programs whose names contain it.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Target } from "../../compiler/index.ts";
import { isRun, programsBelow, verdictOf } from "./programs.ts";

const root = fileURLToPath(new URL("../conformance", import.meta.url));

/** Lines are `name`, or `name [native]`, `name [wasm]` for one target only; `#` starts a remark. */
function notYet(target: Target): ReadonlySet<string> {
  const lines = readFileSync(path.join(root, "not-yet.txt"), "utf8").split("\n");
  const names = lines.map((line) => line.replace(/#.*/, "").trim()).filter((line) => line !== "");
  return new Set(names.flatMap((line) => listed(line, target)));
}

function listed(line: string, target: Target): readonly string[] {
  const [, name = line, only] = /^(\S+)(?: \[(\w+)\])?$/.exec(line) ?? [];
  return only === undefined || only === target ? [name] : [];
}

/** Declares the tests of one target. Programs that are only checked are the same for all targets: `checks` says whether this file holds them. */
export function conformance(target: Target, checks: boolean): void {
  const programs = programsBelow(root);
  const expectedToFail = notYet(target);
  const only = process.env["HALE_TEST_ONLY"] ?? "";
  describe.concurrent(`conformance programs (${target})`, () => {
    for (const program of programs) {
      if (!program.name.includes(only) || (!checks && !isRun(program))) continue;
      test(program.name, async () => {
        const verdict = await verdictOf(program, target);
        if (expectedToFail.has(program.name)) expect(verdict, "passes now: take it out of not-yet.txt").not.toBe("");
        else expect(verdict).toBe("");
      });
    }
  });
  test("not-yet.txt names programs", () => {
    const names = new Set(programs.map((program) => program.name));
    expect([...expectedToFail].filter((name) => !names.has(name))).toEqual([]);
  });
}
