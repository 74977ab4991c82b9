// What commands share that read one file: the operand, and findings in words.
import type { Diagnostic, SourceFile } from "../compiler/index.ts";
import type { loadCompiler } from "./compiler.ts";
import { EXIT } from "./exit-status.ts";
import { complain } from "./output.ts";
import { canonicalPath } from "./source-files.ts";

type Door = Awaited<ReturnType<typeof loadCompiler>>;

/** The command's one file, or the exit status when there is none. */
export function readOperand(door: Door, command: string, operands: readonly string[]): SourceFile | number {
  const [path] = operands;
  if (path === undefined || operands.length > 1) {
    complain(`hale ${command} takes one file, got ${operands.length}\n`);
    return EXIT.usage;
  }
  // Findings name the canonical path, as those of every command do.
  const read = door.readSource(canonicalPath(path));
  if ("file" in read) return read.file;
  complain(`hale ${command}: could not read ${path}: ${read.problem.message}\n`);
  return EXIT.fault;
}

/** Prints findings; true when none is an error. */
export function reportFindings(door: Door, diagnostics: readonly Diagnostic[]): boolean {
  complain(diagnostics.map((each) => `${findingText(door, each)}\n`).join(""));
  return diagnostics.every(({ severity }) => severity !== "error");
}

/** A finding in words. One about the target itself is its own sentence (reference 08 1). */
export function findingText(door: Door, diagnostic: Diagnostic): string {
  const isAboutTarget = diagnostic.code === "E0201" || diagnostic.code === "E0204";
  return isAboutTarget ? diagnostic.message : door.renderDiagnostic(diagnostic);
}
