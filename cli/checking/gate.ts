import type { CheckedProgram, Diagnostic } from "../../compiler/index.ts";

/** What distinguishes `check` and `verify`. */
export interface Gate {
  readonly name: "check" | "verify";
  readonly fails: (finding: Diagnostic) => boolean;
  readonly clean: (program: CheckedProgram) => string;
  readonly failed: (findings: number) => string;
}

/** Errors fail. */
export const CHECK_GATE: Gate = {
  name: "check",
  fails: ({ severity }) => severity === "error",
  clean: ({ ownFiles, excludedTests }) => `ok: ${ownFiles.length} file(s) typechecked${excluded(excludedTests)}\n`,
  failed: () => "",
};

/** Any finding fails. */
export const VERIFY_GATE: Gate = {
  name: "verify",
  fails: () => true,
  clean: ({ ownFiles, excludedTests }) =>
    `verified: ${ownFiles.length} file(s), 0 findings${excluded(excludedTests)}\n`,
  failed: (findings) => `verify: ${findings} finding(s) — the discipline gate fails on advisories too\n`,
};

function excluded(tests: number): string {
  return tests > 0 ? ` (${tests} test file(s) excluded)` : "";
}
