// What comes of compiling one program, as plain data: it crosses threads and goes into reports without the compiler's objects.
import type { Diagnostic } from "../compiler/index.ts";
import { type Compilation, type Compile, type CompileMode, loadCompiler } from "./compiler.ts";

export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface CompiledProgram {
  readonly kind: "compiled";
  readonly executable: Uint8Array;
  readonly reads: Compilation["reads"];
  readonly probes: Compilation["probes"];
  /** Rendered, empty when there were none. */
  readonly warnings: string;
}

export type Rejection =
  /** The program has errors: these, rendered, and all findings with them. `location` is the first error's. */
  | { readonly kind: "rejected"; readonly text: string; readonly all: string; readonly location?: SourceLocation }
  | { readonly kind: "unreadable"; readonly message: string; readonly cause: "system" | "content" }
  /** A directory that is no seed. */
  | { readonly kind: "no-sources" }
  /** Nothing is wrong with the program: there is no room for the executable. */
  | { readonly kind: "unwritable"; readonly message: string; readonly file: string }
  /** A bug of the compiler. */
  | { readonly kind: "failed"; readonly message: string };

export type CompileOutcome = CompiledProgram | Rejection;

/** Compiles `source`; a bug of the compiler costs one program its result, not the run. */
export async function compileOutcome(compile: Compile, source: string, mode: CompileMode): Promise<CompileOutcome> {
  try {
    const { diagnostics, executable, reads, probes } = await compile(source, mode);
    if (!executable) return rejection(source, diagnostics);
    return { kind: "compiled", executable, reads, probes, warnings: await renderAll(diagnostics) };
  } catch (error) {
    const words = error instanceof Error ? (process.env["HALE_DEBUG"] ? error.stack : error.message) : String(error);
    return { kind: "failed", message: `internal error of the compiler: ${words}; please report it with this program` };
  }
}

async function rejection(source: string, diagnostics: readonly Diagnostic[]): Promise<Rejection> {
  if (diagnostics.some((each) => each.code === "E0204")) return { kind: "no-sources" };
  const own = diagnostics.find((each) => each.kind === "io error" && each.path === source);
  // Something is there, or nobody would have asked: a pipe, a device.
  if (own?.code === "E0201") return { kind: "unreadable", message: "not a regular file", cause: "content" };
  if (own) return { kind: "unreadable", message: own.message, cause: "content" };
  const errors = diagnostics.filter((each) => each.severity === "error");
  const rejected = { kind: "rejected", text: await renderAll(errors), all: await renderAll(diagnostics) } as const;
  const span = errors[0]?.span;
  if (!span || span.file.isStd) return rejected;
  const { line, column } = span.file.positionAt(span.start);
  return { ...rejected, location: { file: span.file.path, line, column } };
}

async function renderAll(diagnostics: readonly Diagnostic[]): Promise<string> {
  if (diagnostics.length === 0) return "";
  const { renderDiagnostic } = await loadCompiler();
  return diagnostics.map(renderDiagnostic).join("\n");
}
