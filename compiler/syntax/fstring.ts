// F-strings (01 4.7): where the literal text and the interpolations of one lie, before their expressions are lexed.
import { escapeLength, escapeProblem } from "./literals.ts";

export interface FStringProblem {
  readonly code: string;
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

/** An interpolation: its text between the braces, trimmed, with the escapes of 01 4.7.3 resolved. */
export interface Interpolation {
  readonly kind: "expr";
  /** The offsets of `{` and of what follows `}`. */
  readonly start: number;
  readonly end: number;
  /** The trimmed part between the braces. */
  readonly from: number;
  readonly to: number;
  /** The offset of the last top-level `:` between `from` and `to`, or -1. */
  readonly colon: number;
  /** Offsets of the backslashes that are not part of the expression's text. */
  readonly dropped: readonly number[];
}

export interface ScannedFString {
  /** What follows the closing quote. */
  readonly end: number;
  readonly pieces: readonly ({ readonly kind: "text"; readonly start: number; readonly end: number } | Interpolation)[];
  readonly problems: readonly FStringProblem[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Scans the f-string whose `f` is at `start`, within `text` up to `limit`. */
export function scanFString(text: string, start: number, limit: number): ScannedFString {
  const pieces: ScannedFString["pieces"][number][] = [];
  const problems: FStringProblem[] = [];
  let textStart = start + 2;
  let at = textStart;
  while (at < limit) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) {
      const length = escapeLength(text, at, "braces");
      if (length === 0)
        problems.push({ code: "E0007", start: at, end: at + 2, message: escapeProblem(text, at, "braces") });
      at += length || 2;
    } else if (code === OPEN && text.charCodeAt(at + 1) !== OPEN) {
      if (at > textStart) pieces.push({ kind: "text", start: textStart, end: at });
      const found = scanInterpolation(text, at, limit, problems);
      if (found === undefined) return { end: limit, pieces, problems };
      pieces.push(found);
      at = found.end;
      textStart = at;
    } else if (code === OPEN) {
      at += 2;
    } else if (code === CLOSE) {
      const doubled = text.charCodeAt(at + 1) === CLOSE;
      if (!doubled)
        problems.push({ code: "E0009", start: at, end: at + 1, message: "a lone `}` in an f-string; write `}}`" });
      at += doubled ? 2 : 1;
    } else {
      at++;
    }
  }
  if (at >= limit) {
    // What stands on later lines is most likely no part of it.
    const lineEnd = text.indexOf("\n", start);
    const own = problems.filter((problem) => lineEnd < 0 || problem.start < lineEnd);
    own.push({ code: "E0006", start: start + 1, end: start + 2, message: "unterminated f-string" });
    return { end: limit, pieces, problems: own };
  }
  if (at > textStart) pieces.push({ kind: "text", start: textStart, end: at });
  return { end: at + 1, pieces, problems };
}

/** Scans from the `{` at `start` to the `}` that balances it; undefined when there is none. */
function scanInterpolation(
  text: string,
  start: number,
  limit: number,
  problems: FStringProblem[],
): Interpolation | undefined {
  const dropped: number[] = [];
  const nest = new Nest();
  let at = start + 1;
  while (at < limit) {
    const escapes = text.charCodeAt(at) === BACKSLASH;
    const code = text.charCodeAt(escapes ? at + 1 : at);
    if (escapes && (code === QUOTE || (!nest.quoted && (code === OPEN || code === CLOSE)))) dropped.push(at);
    else if (escapes) {
      if (!nest.quoted && code !== BACKSLASH) problems.push(strayBackslash(at));
      at += 2;
      continue;
    }
    if (nest.enter(code, at, text)) break;
    at += escapes ? 2 : 1;
  }
  if (at >= limit) {
    problems.push({
      code: "E0008",
      start,
      end: start + 1,
      message: "this interpolation is not closed; a `}` is missing",
    });
    return undefined;
  }
  const end = at + (text.charCodeAt(at) === BACKSLASH ? 2 : 1);
  const from = skipBlanks(text, start + 1, at);
  if (from === at) {
    problems.push({ code: "E0010", start, end, message: "empty interpolation; write `{{}}` for braces in the text" });
  }
  const inside = dropped.filter((offset) => offset < at);
  return { kind: "expr", start, end, from, to: trimEnd(text, from, at), colon: nest.colon, dropped: inside };
}

function strayBackslash(at: number): FStringProblem {
  return { code: "E0007", start: at, end: at + 1, message: "a backslash inside an interpolation, outside quotes" };
}

/** What is open at a place of an interpolation, and its last top-level `:`. */
class Nest {
  quoted = false;
  colon = -1;
  #braces = 1;
  #brackets = 0;
  #inTime = false;
  #pairEnd = -1;

  /** Takes one character; true when it is the `}` that ends the interpolation. */
  enter(code: number, at: number, text: string): boolean {
    if (code === QUOTE) this.quoted = !this.quoted;
    else if (this.quoted) return false;
    else if (code === 0x60) this.#inTime = !this.#inTime;
    else if (code === OPEN) this.#braces++;
    else if (code === CLOSE) this.#braces--;
    else if (code === 0x28 || code === 0x5b) this.#brackets++;
    else if (code === 0x29 || code === 0x5d) this.#brackets--;
    else if (code === 0x3a) this.#takeColon(at, text);
    return this.#braces === 0;
  }

  #takeColon(at: number, text: string): void {
    if (at === this.#pairEnd) return;
    if (text.charCodeAt(at + 1) === 0x3a) this.#pairEnd = at + 1;
    else if (this.#braces === 1 && this.#brackets === 0 && !this.#inTime) this.colon = at;
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function skipBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}
