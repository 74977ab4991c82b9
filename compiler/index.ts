// The compiler's one door.
import type { Diagnostic, SourceFile } from "./source/index.ts";
import type { TypedProgram } from "./semantics/index.ts";

export type { Diagnostic, Position, Severity, SourceFile, Span } from "./source/index.ts";
export { nearestName, renderDiagnostic, renderDiagnosticJson } from "./source/index.ts";

/** `native`: a static ELF for Linux x86-64. `wasm`: a Node script with the module inside. */
export type Target = "native" | "wasm";
/** `dev`: fastest to green. `release`: through the optimiser first. */
export type Profile = "dev" | "release";

export interface CheckOptions {
  /** What the target is read as; `check` on one file of a larger seed leaves unbound names alone (08 1.9). */
  readonly mode: "program" | "seed" | "file";
}

export interface CheckedProgram {
  /** Canonical absolute path of the target. */
  readonly target: string;
  /** The target's own files, imports not counted. */
  readonly ownFiles: readonly SourceFile[];
  /** `*_test.hl` files of a directory target that were left out. */
  readonly excludedTests: number;
  /** Every file that was read, canonical paths, sorted: what a cache key must cover. The library's own files are not in it. */
  readonly reads: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** Missing when there are errors. */
  readonly program: TypedProgram | undefined;
}

export interface CompileOptions {
  readonly target: Target;
  readonly profile: Profile;
}
