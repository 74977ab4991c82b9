// The library's tests in Hale (std/tests): each passes as `hale test` has it, natively and under Node: status 0, nothing printed, no cell left.
// HALE_TEST_ONLY=text keeps those whose names contain it.
import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "./support/programs.ts";

const root = path.resolve(import.meta.dirname, "../std/tests");
const only = process.env["HALE_TEST_ONLY"] ?? "";
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith("_test.hl") && name.includes(only))
  .sort();

describe.concurrent.each(["native", "wasm"] as const)("the library tests itself (%s)", (target) => {
  test.each(files)("%s", async (name) => {
    expect(await outcomeOf(path.join(root, name), target)).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});
