// Programs with exact results for rules that the conformance programs leave out. Every one ends with no cell alive.
// HALE_TEST_TARGET and HALE_TEST_ONLY as in conformance.test.ts.
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { programsBelow, verdictOf } from "./support/programs.ts";

const target = process.env["HALE_TEST_TARGET"] === "native" ? "native" : "wasm";
const only = process.env["HALE_TEST_ONLY"] ?? "";

describe.concurrent(`language programs (${target})`, () => {
  for (const program of programsBelow(fileURLToPath(new URL("language", import.meta.url)))) {
    if (program.name.includes(only)) test(program.name, async () => expect(await verdictOf(program, target)).toBe(""));
  }
});
