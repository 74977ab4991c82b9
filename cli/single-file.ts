// What `lex` and `parse` share: one operand, one file, its findings.
import { existsSync, realpathSync } from "node:fs";
import type { Diagnostic, SourceFile } from "../compiler/index.ts";
import type { loadCompiler } from "./compiler.ts";
import { EXIT } from "./exit-status.ts";
import { complain } from "./output.ts";

type Door = Awaited<ReturnType<typeof loadCompiler>>;

/** The command's one file, or the exit status when there is none. */
export function readOperand(door: Door, command: string, operands: readonly string[]): SourceFile | number {
  const [path] = operands;
  if (path === undefined || operands.length > 1) {
    complain(`hale ${command} takes one file, got ${operands.length}\n`);
    return EXIT.usage;
  }
  // Findings name the canonical path, as those of every command do.
  const read = door.readSource(existsSync(path) ? realpathSync.native(path) : path);
  if ("file" in read) return read.file;
  complain(`hale ${command}: could not read ${path}: ${read.problem.message}\n`);
  return EXIT.fault;
}

/** Prints findings; true when none is an error. */
export function reportFindings(door: Door, diagnostics: readonly Diagnostic[]): boolean {
  complain(diagnostics.map((each) => `${door.renderDiagnostic(each)}\n`).join(""));
  return diagnostics.every(({ severity }) => severity !== "error");
}
