// Every finding of the analyses has a program that it fires in, at a place that is told to the column; those programs find nothing else, so that
// their other lines are silent.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { codeInfo } from "../../../compiler/index.ts";

const root = path.resolve(import.meta.dirname, "../../language");

/** Advisories, and the laws of the eleventh chapter. */
const codes = ["W", "E11"]
  .flatMap((prefix) =>
    Array.from(
      { length: 10 ** (5 - prefix.length) },
      (_, number) => prefix + String(number).padStart(5 - prefix.length, "0"),
    ),
  )
  .filter((code) => codeInfo(code) !== undefined);

const headers = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".hl"))
  .map((name) => readFileSync(path.join(root, name), "utf8"))
  .filter((text) => /^\/\/ expect: findings$/m.test(text));

test("there are advisories and laws", () => {
  expect(codes.length).toBeGreaterThan(30);
});

test.each(codes)("%s fires somewhere, and is silent somewhere", (code) => {
  const finds = new RegExp(`^// finds: \\d+:\\d+ ${code}\\b`, "m");
  expect(headers.filter((text) => finds.test(text)).length).toBeGreaterThanOrEqual(1);
  expect(headers.filter((text) => !finds.test(text)).length).toBeGreaterThanOrEqual(1);
});
