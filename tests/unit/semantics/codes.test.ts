import { describe, expect, test } from "vitest";
import { CODES } from "../../../compiler/semantics/codes.ts";
import { check } from "./support.ts";

/** Their examples need several files or a command. */
const NOT_ONE_FILE = new Set(["E0201", "E0202", "E0203", "E0204", "E0206", "E0207", "E0210", "E0211"]);

describe("every code's example gets that code", () => {
  for (const [code, { example }] of Object.entries(CODES)) {
    if (NOT_ONE_FILE.has(code)) continue;
    test(code, () => {
      expect(check(example).diagnostics.map((finding) => finding.code)).toContain(code);
    });
  }
});

test("a code says whether it is a warning", () => {
  for (const [code, { example }] of Object.entries(CODES)) {
    if (NOT_ONE_FILE.has(code)) continue;
    const found = check(example).diagnostics.find((finding) => finding.code === code);
    expect(found?.severity, code).toBe(code.startsWith("W") ? "warning" : "error");
  }
});
