// From a source path to an executable file: from the compile cache, else from the compiler.
import { accessSync, chmodSync, constants, writeFileSync } from "node:fs";
import type { Diagnostic } from "../compiler/index.ts";
import type { CompileCache } from "./compile-cache.ts";
import { type Compilation, type Compile, type CompileMode, loadCompiler } from "./compiler.ts";
import { systemMessage } from "./output.ts";

export type Prepared =
  | { readonly kind: "ready"; readonly command: Executable; readonly cached: boolean; readonly warnings: string }
  /** The program has errors; `text` is all that was found, rendered. */
  | { readonly kind: "rejected"; readonly text: string; readonly location?: SourceLocation }
  | { readonly kind: "unreadable"; readonly message: string; readonly cause: "system" | "content" }
  /** A directory that is no seed. */
  | { readonly kind: "no-sources" }
  /** Nothing is wrong with the program: no room for the executable, or a bug of the compiler. */
  | { readonly kind: "failed"; readonly message: string };

/** How a prepared file is started. */
export interface Executable {
  readonly file: string;
  readonly args: readonly string[];
}

export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Makes the executable of the program at `source` (canonical path) as the file `destination`. */
export type PrepareExecutable = (source: string, destination: string, mode: CompileMode) => Promise<Prepared>;

/** Preparation with this compiler; `cache` is left out with `--no-cache`. */
export function preparation(compile: Compile, cache: CompileCache | undefined): PrepareExecutable {
  return async (source, destination, mode) => {
    const unreadable = readProblem(source);
    if (unreadable !== undefined) return { kind: "unreadable", message: unreadable, cause: "system" };
    const command = commandFor(destination, mode);
    const found = cache?.fetch(source, mode, destination);
    if (found) return { kind: "ready", command, cached: true, warnings: found.warnings };
    const compilation = await guarded(() => compile(source, mode));
    if ("message" in compilation) return { kind: "failed", message: compilation.message };
    const { diagnostics, executable, reads, probes } = compilation;
    if (!executable) return rejection(source, diagnostics);
    const problem = writeProblem(destination, executable);
    if (problem !== undefined) return { kind: "failed", message: `could not write ${destination}: ${problem}` };
    const warnings = await renderAll(diagnostics);
    cache?.store(source, mode, { reads, probes, warnings, executable });
    return { kind: "ready", command, cached: false, warnings };
  };
}

/** A bug of the compiler costs one program its result, not the run. */
async function guarded(body: () => Promise<Compilation>): Promise<Compilation | { message: string }> {
  try {
    return await body();
  } catch (error) {
    const words = error instanceof Error ? (process.env["HALE_DEBUG"] ? error.stack : error.message) : String(error);
    return { message: `internal error of the compiler: ${words}; please report it with this program` };
  }
}

/** A script is given to the Node that runs now: the one in PATH may be another, or none. */
function commandFor(file: string, mode: CompileMode): Executable {
  return mode.target === "wasm" ? { file: process.execPath, args: [file] } : { file, args: [] };
}

function readProblem(source: string): string | undefined {
  try {
    accessSync(source, constants.R_OK);
    return undefined;
  } catch (error) {
    return systemMessage(error);
  }
}

function writeProblem(file: string, contents: Uint8Array): string | undefined {
  try {
    writeFileSync(file, contents, { mode: 0o700 });
    // The umask may have taken the owner's permissions.
    chmodSync(file, 0o700);
    return undefined;
  } catch (error) {
    return systemMessage(error);
  }
}

async function rejection(source: string, diagnostics: readonly Diagnostic[]): Promise<Prepared> {
  if (diagnostics.some((each) => each.code === "E0204")) return { kind: "no-sources" };
  const own = diagnostics.find((each) => each.kind === "io error" && each.path === source);
  if (own) return { kind: "unreadable", message: own.message, cause: "content" };
  const text = await renderAll(diagnostics.filter((each) => each.severity === "error"));
  const span = diagnostics.find((each) => each.severity === "error")?.span;
  if (!span || span.file.isStd) return { kind: "rejected", text };
  const { line, column } = span.file.positionAt(span.start);
  return { kind: "rejected", text, location: { file: span.file.path, line, column } };
}

async function renderAll(diagnostics: readonly Diagnostic[]): Promise<string> {
  if (diagnostics.length === 0) return "";
  const { renderDiagnostic } = await loadCompiler();
  return diagnostics.map(renderDiagnostic).join("\n");
}
