// Every conformance program gives its exact result. `not-yet.txt` names those that do not; it may only shrink.
// HALE_TEST_TARGET=wasm|native chooses the target, HALE_TEST_ONLY=text the programs whose names contain it.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { programsBelow, verdictOf } from "./support/programs.ts";

const root = fileURLToPath(new URL("conformance", import.meta.url));
const target = process.env["HALE_TEST_TARGET"] === "native" ? "native" : "wasm";
const only = process.env["HALE_TEST_ONLY"] ?? "";
const notYet = new Set(
  readFileSync(path.join(root, "not-yet.txt"), "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#")),
);
const programs = programsBelow(root);

describe.concurrent(`conformance programs (${target})`, () => {
  for (const program of programs) {
    if (!program.name.includes(only)) continue;
    test(program.name, async () => {
      const verdict = await verdictOf(program, target);
      if (notYet.has(program.name)) expect(verdict, "passes now: take it out of not-yet.txt").not.toBe("");
      else expect(verdict).toBe("");
    });
  }
});

test("not-yet.txt names programs", () => {
  const names = new Set(programs.map((program) => program.name));
  expect([...notYet].filter((name) => !names.has(name))).toEqual([]);
});
