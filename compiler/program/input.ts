import { type Dirent, type Stats, readFileSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { type Diagnostic, SourceFile } from "../source/index.ts";

/** One file as read from disk: its text, or the `io error` that says why there is none. */
export type FileRead = { readonly file: SourceFile; readonly bytes: Buffer } | { readonly problem: Diagnostic };

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a source file. Text that is not UTF-8 makes it unreadable (01 1.1). `shownPath` is the name that diagnostics use. */
export function readSource(path: string, shownPath = path, isStd = false): FileRead {
  let bytes: Buffer;
  try {
    // A named pipe would be waited for, a device read without end.
    const stat = statSync(path);
    if (!stat.isFile()) {
      const words = stat.isDirectory() ? "is a directory" : "not a regular file";
      return { problem: ioError(shownPath, words, "E0202") };
    }
    bytes = readFileSync(path);
  } catch (error) {
    return { problem: ioError(shownPath, systemMessage(error), "E0202") };
  }
  try {
    return { file: new SourceFile(shownPath, strictUtf8.decode(bytes), isStd), bytes };
  } catch {
    return { problem: ioError(shownPath, `not valid UTF-8 (line ${firstBadLine(bytes)})`, "E0203") };
  }
}

/** The content hash that a compile cache keys on: SHA-256 of the file's bytes, hexadecimal. */
export function contentHash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** An `io error` about a path, without a place in a source. */
export function ioError(path: string, message: string, code: string): Diagnostic {
  return { kind: "io error", severity: "error", code, message, path };
}

export type PathKind = "file" | "directory" | undefined;

/** What stands at a path; undefined for nothing (or for something that cannot be looked at). */
export function kindOf(path: string): PathKind {
  let stat: Stats | undefined;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a loop of symbolic links, a name that is too long, a directory that may not be searched
  }
  if (stat === undefined) return undefined;
  return stat.isDirectory() ? "directory" : stat.isFile() ? "file" : undefined;
}

/** The path with symbolic links resolved; the path itself where that fails. */
export function canonicalPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

export interface DirectoryListing {
  /** Paths of the seed's files, byte order of the file names. */
  readonly sources: readonly string[];
  readonly tests: number;
  /** The system's words when the directory cannot be read; then it seems empty. */
  readonly problem?: string;
}

/** The `.hl` files directly in a directory, without its test and bench files (08 1.1, 1.4, 1.5). */
export function listSeedFiles(directory: string): DirectoryListing {
  let entries: Dirent[];
  try {
    entries = readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    return { sources: [], tests: 0, problem: systemMessage(error) };
  }
  const isFile = (entry: Dirent) =>
    entry.isFile() || (entry.isSymbolicLink() && kindOf(join(directory, entry.name)) === "file");
  const files = entries.filter((entry) => entry.name.endsWith(".hl") && isFile(entry)).map((entry) => entry.name);
  const sources = files.filter((name) => !name.endsWith("_test.hl") && !name.endsWith("_bench.hl")).sort(byteOrder);
  const tests = files.filter((name) => name.endsWith("_test.hl")).length;
  return { sources: sources.map((name) => join(directory, name)), tests };
}

export function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** "no such file or directory" out of a Node system error. */
function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const match = /^[A-Z0-9]+: ([^,]+)/.exec(error.message);
  return match?.[1] ?? error.message;
}

function firstBadLine(bytes: Buffer): number {
  let line = 1;
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    try {
      strictUtf8.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    line++;
    start = end + 1;
  }
  return line;
}
