import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type AnalysisOptions, type CheckedProgram, checkTarget, type Diagnostic } from "../../../compiler/index.ts";

export type Files = Readonly<Record<string, string>>;

/** Checks a program of one file as one that is run. */
export function check(source: string): CheckedProgram {
  return checkFiles({ "main.hl": source }, "main.hl");
}

/** Writes files below a fresh directory and checks one of its paths; the directory is gone afterwards. */
export function checkFiles(
  files: Files,
  target: string,
  mode: "program" | "seed" | "file" = "program",
  analyses: Partial<AnalysisOptions> = {},
): CheckedProgram {
  const root = mkdtempSync(path.join(tmpdir(), "hale-check-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(root, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return checkTarget(path.join(root, target), { mode, analyses });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** `line:column code message` of each finding. */
export function findings(source: string): string[] {
  return check(source).diagnostics.map(show);
}

export function show(finding: Diagnostic): string {
  const at = finding.span?.file.positionAt(finding.span.start);
  return `${at ? `${at.line}:${at.column}` : "-"} ${finding.code} ${finding.message}`;
}

/** The findings of a body of `fn main`, which stands on the second line. */
export function findingsInMain(body: string, declarations = ""): string[] {
  return findings(`${declarations.replaceAll("\n", " ")}\nfn main() { ${body} }`);
}
