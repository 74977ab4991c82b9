// The only place that writes to stdout and stderr. Writes are synchronous, so nothing is lost when the process ends, and a reader
// that has gone away (`hale test | head`) is a state to ask for, not an exception.
import { writeSync } from "node:fs";

/** Why stdout takes no more: `EPIPE` when its reader has gone, `ENOSPC` and so on otherwise. */
let stdoutFailure: string | undefined;
let onFailure: (() => void) | undefined;

/** Writes to stdout; after a failed write everything is dropped. */
export function print(text: string): void {
  if (stdoutFailure !== undefined || text === "") return;
  stdoutFailure = writeAll(1, text);
  if (stdoutFailure !== undefined) onFailure?.();
}

/** Writes to stderr. A stderr that takes nothing is nobody's fault: there is no one left to tell. */
export function complain(text: string): void {
  if (text !== "") writeAll(2, text);
}

/** The error code of the write to stdout that failed, if one did. */
export function stdoutProblem(): string | undefined {
  return stdoutFailure;
}

/** Calls `listener` when a write to stdout fails for the first time. */
export function whenStdoutFails(listener: () => void): void {
  onFailure = listener;
}

function writeAll(fd: number, text: string): string | undefined {
  const bytes = Buffer.from(text, "utf8");
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      const code = errorCode(error);
      if (code === "EINTR") continue;
      if (code !== "EAGAIN") return code;
      // Somebody made the descriptor non-blocking and its reader is slow.
      pause(5);
    }
  }
  return undefined;
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** `ENOENT` and the like of a Node system error; `unknown` for anything else. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}

/** The operating system's words without Node's wrapping: `no such file or directory`. */
export function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const match = /^[A-Z0-9]+: ([^,]+)/.exec(error.message);
  return match?.[1] ?? error.message;
}

/** Text with its control characters made visible, so that a path stays on its line: `a\nb`. */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    if (character === "\r") return "\\r";
    const code = character.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
  });
}
