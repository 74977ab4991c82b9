import { describe, expect, test } from "vitest";
import { CODES } from "../../../compiler/semantics/codes.ts";
import type { CheckedProgram } from "../../../compiler/index.ts";
import { checkFiles } from "./support.ts";

/** Their examples need several files or a command. */
const NOT_ONE_FILE = new Set(["E0201", "E0202", "E0203", "E0204", "E0206", "E0207", "E0210", "E0211"]);

/** With every analysis on; the strict walk of secrets takes the place of the default one. */
function check(code: string, example: string): CheckedProgram {
  const analyses = { advisories: true, survey: true, resourceLeaks: true, strictSecrets: code === "E1112" };
  return checkFiles({ "main.hl": example }, "main.hl", "program", analyses);
}

describe("every code's example gets that code", () => {
  for (const [code, { example }] of Object.entries(CODES)) {
    if (NOT_ONE_FILE.has(code)) continue;
    test(code, () => {
      expect(check(code, example).diagnostics.map((finding) => finding.code)).toContain(code);
    });
  }
});

test("a code says whether it is a warning", () => {
  for (const [code, { example }] of Object.entries(CODES)) {
    if (NOT_ONE_FILE.has(code)) continue;
    const found = check(code, example).diagnostics.find((finding) => finding.code === code);
    expect(found?.severity, code).toBe(code.startsWith("W") ? "warning" : "error");
  }
});
