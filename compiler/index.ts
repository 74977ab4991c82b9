// The compiler's one door.
export { checkTarget, type CheckedProgram, type CheckOptions } from "./check-target.ts";
export { type FileRead, readSource } from "./program/index.ts";
export type { Diagnostic, Position, Severity, Span } from "./source/index.ts";
export { nearestName, renderDiagnostic, renderDiagnosticJson, SourceFile } from "./source/index.ts";
export { describeToken, type FileAst, formatSource, type FormatResult, lex, parseFile } from "./syntax/index.ts";

/** `native`: a static ELF for Linux x86-64. `wasm`: a Node script with the module inside. */
export type Target = "native" | "wasm";
/** `dev`: fastest to green. `release`: through the optimiser first. */
export type Profile = "dev" | "release";

export interface CompileOptions {
  readonly target: Target;
  readonly profile: Profile;
}
