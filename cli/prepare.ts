// From a source path to an executable file: from the compile cache, else from the compiler.
import { accessSync, chmodSync, constants, writeFileSync } from "node:fs";
import type { CompileCache } from "./compile-cache.ts";
import type { CompileOutcome, Rejection } from "./compile-outcome.ts";
import type { CompileMode } from "./compiler.ts";
import { systemMessage } from "./output.ts";

export interface ReadyProgram {
  readonly kind: "ready";
  readonly command: Executable;
  /** It came from the compile cache. */
  readonly cached: boolean;
  /** Rendered, empty when there were none. */
  readonly warnings: string;
}

export type Prepared = ReadyProgram | Rejection;

/** How a prepared file is started. */
export interface Executable {
  readonly file: string;
  readonly args: readonly string[];
}

/** Makes the executable of the program at `source` (canonical path) as the file `destination`. */
export type PrepareExecutable = (source: string, destination: string, mode: CompileMode) => Promise<Prepared>;

/** Preparation with this compiler; `cache` is left out with `--no-cache`. */
export function preparation(
  compile: (source: string, mode: CompileMode) => Promise<CompileOutcome>,
  cache: CompileCache | undefined,
): PrepareExecutable {
  return async (source, destination, mode) => {
    const unreadable = problemOf(() => accessSync(source, constants.R_OK));
    if (unreadable !== undefined) return { kind: "unreadable", message: unreadable, cause: "system" };
    const command = commandFor(destination, mode);
    const found = cache?.fetch(source, mode, destination);
    if (found) return { kind: "ready", command, cached: true, warnings: found.warnings };
    const outcome = await compile(source, mode);
    if (outcome.kind !== "compiled") return outcome;
    const unwritable = problemOf(() => writeExecutable(destination, outcome.executable));
    if (unwritable !== undefined) return { kind: "unwritable", message: unwritable, file: destination };
    cache?.store(source, mode, outcome);
    return { kind: "ready", command, cached: false, warnings: outcome.warnings };
  };
}

/** A script is given to the Node that runs now: the one in PATH may be another, or none. */
function commandFor(file: string, mode: CompileMode): Executable {
  return mode.target === "wasm" ? { file: process.execPath, args: [file] } : { file, args: [] };
}

function writeExecutable(file: string, contents: Uint8Array): void {
  writeFileSync(file, contents, { mode: 0o700 });
  // The umask may have taken the owner's permissions.
  chmodSync(file, 0o700);
}

/** The system's words when `body` fails. */
function problemOf(body: () => void): string | undefined {
  try {
    body();
    return undefined;
  } catch (error) {
    return systemMessage(error);
  }
}
