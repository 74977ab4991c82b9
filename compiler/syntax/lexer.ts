import { type Diagnostic, type SourceFile, spanFrom } from "../source/index.ts";
import { type Interpolation, scanFString } from "./fstring.ts";
import { escapeLength, escapeProblem, type LiteralText } from "./literals.ts";
import { scanNumber } from "./numbers.ts";
import { PUNCTUATION_LENGTHS, punctuationAt } from "./punctuation.ts";
import { FIRST_RESERVED, type FStringPiece, K, RESERVED_WORDS, type TokenKind, TokenList } from "./tokens.ts";
import { hashOf, hashStep, WordTable } from "./words.ts";

export interface LexResult {
  readonly tokens: TokenList;
  readonly diagnostics: readonly Diagnostic[];
}

/** F-strings inside interpolations of f-strings, and so on, up to this depth. */
export const MAX_FSTRING_NESTING = 32;

/** The tokens of a file (01 sections 1 to 5). Comments and whitespace lie between them and produce nothing. */
export function lex(file: SourceFile): LexResult {
  const diagnostics: Diagnostic[] = [];
  const words = new WordTable(RESERVED);
  const { text } = file;
  const tokens = new TokenList(file, text, undefined, words, (text.length >> 2) + 16);
  const lexer = new Lexer(tokens, diagnostics);
  lexer.run(0, text.length, 0);
  tokens.push(K.eof, text.length, text.length, 0);
  lexer.runInterpolations();
  diagnostics.sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
  return { tokens, diagnostics };
}

/** The reserved words under the numbers 0, 1, .. : a word's kind is `FIRST_RESERVED` plus its number. */
const RESERVED = new WordTable();
for (const word of RESERVED_WORDS) RESERVED.idOf(word, 0, word.length, hashOf(word));

const SPACE = 1;
const WORD = 2;
const DIGIT = 3;
const CLASSES = characterClasses();

interface PendingInterpolation {
  readonly tokens: TokenList;
  readonly piece: Extract<FStringPiece, { kind: "expr" }>;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** Lexes ranges of one text into one list; interpolations wait in a queue, so nesting costs no stack. */
class Lexer {
  readonly #tokens: TokenList;
  readonly #text: string;
  readonly #diagnostics: Diagnostic[];
  readonly #pending: PendingInterpolation[] = [];
  /** Where this text's interpolations go; made when the first one comes. */
  #inner: Lexer | undefined;
  #limit = 0;
  #depth = 0;

  constructor(tokens: TokenList, diagnostics: Diagnostic[]) {
    this.#tokens = tokens;
    this.#text = tokens.text;
    this.#diagnostics = diagnostics;
  }

  /** Appends the tokens between two offsets. `depth` counts the f-strings around them. */
  run(start: number, limit: number, depth: number): void {
    const text = this.#text;
    const tokens = this.#tokens;
    this.#limit = limit;
    this.#depth = depth;
    let at = start;
    while (at < limit) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? CLASSES[code] : 0;
      if (kind === SPACE) at++;
      else if (kind === WORD) at = this.#word(at, code);
      else if (kind === DIGIT) at = this.#number(at);
      else if (code === 0x22) at = this.#string(at, at + 1, K.string, "string");
      else if (code === 0x60) at = this.#backtick(at);
      else if (code === 0x2f && (text.charCodeAt(at + 1) === 0x2f || text.charCodeAt(at + 1) === 0x2a))
        at = this.#comment(at);
      else {
        const punctuation = punctuationAt(text, at, code);
        if (punctuation === 0) at = this.#unexpected(at, code);
        else {
          const end = at + (PUNCTUATION_LENGTHS[punctuation] ?? 1);
          tokens.push(punctuation, at, end, 0);
          at = end;
        }
      }
    }
  }

  /** Lexes the interpolations found so far, and those found in them. */
  runInterpolations(): void {
    for (const { tokens, piece, from, to, depth } of this.#pending) {
      const lexer = tokens.offsets ? new Lexer(tokens, this.#diagnostics) : this.#innerLexer();
      piece.first = tokens.count;
      lexer.run(from, to, depth);
      tokens.push(K.eof, to, to, 0);
      if (lexer !== this.#inner) lexer.runInterpolations();
    }
    this.#pending.length = 0;
    if (this.#inner) this.#inner.runInterpolations();
  }

  #word(start: number, first: number): number {
    const text = this.#text;
    let hash = first;
    let at = start + 1;
    for (let code = text.charCodeAt(at); code < 128; code = text.charCodeAt(at)) {
      const kind = CLASSES[code];
      if (kind !== WORD && kind !== DIGIT) break;
      hash = hashStep(hash, code);
      at++;
    }
    if (at === start + 1 && text.charCodeAt(at) === 0x22) {
      if (first === 0x66) return this.#fstring(start);
      if (first === 0x62) return this.#string(start, at + 1, K.bytes, "bytes");
    }
    const id = this.#tokens.words.idOf(text, start, at, hash);
    this.#tokens.push(id < RESERVED_WORDS.length ? FIRST_RESERVED + id : K.ident, start, at, id);
    return at;
  }

  #number(start: number): number {
    const { kind, end, problem } = scanNumber(this.#text, start);
    if (problem === "too large")
      this.#error("E0004", start, end, "this integer is above the largest Int, 9223372036854775807");
    else if (problem === "over 64 bits") this.#error("E0004", start, end, "this literal needs more than 64 bits");
    else if (problem === "no digits")
      this.#error("E0005", start, end, `no digits after \`${this.#text.slice(start, start + 2)}\``);
    this.#tokens.push(kind, start, end, 0);
    return end;
  }

  /** A string or bytes literal whose text starts at `from`, after the quote. */
  #string(start: number, from: number, kind: TokenKind, form: LiteralText): number {
    const text = this.#text;
    const limit = this.#limit;
    let at = from;
    while (at < limit) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        this.#tokens.push(kind, start, at + 1, 0);
        return at + 1;
      }
      if (code === 0x5c) {
        const length = escapeLength(text, at, form);
        if (length === 0) this.#error("E0007", at, at + 2, escapeProblem(text, at, form));
        at += length || 2;
      } else at++;
    }
    this.#error("E0006", from - 1, from, kind === K.string ? "unterminated string" : "unterminated bytes literal");
    return limit;
  }

  #backtick(start: number): number {
    const close = this.#text.indexOf("`", start + 1);
    if (close < 0 || close >= this.#limit) {
      this.#error("E0011", start, start + 1, "unterminated backtick literal");
      return this.#limit;
    }
    this.#tokens.push(K.backtick, start, close + 1, 0);
    return close + 1;
  }

  #comment(start: number): number {
    const line = this.#text.charCodeAt(start + 1) === 0x2f;
    const close = line ? this.#text.indexOf("\n", start + 2) : this.#text.indexOf("*/", start + 2);
    if (close < 0 || close >= this.#limit) return this.#limit;
    return line ? close : close + 2;
  }

  /** The end of what stands between two `'` on one line: one error, not two and what follows from its text. */
  #quoted(start: number): number {
    const close = this.#text.indexOf("'", start + 1);
    const line = this.#text.indexOf("\n", start);
    return close < 0 || close >= this.#limit || (line >= 0 && line < close) ? start + 1 : close + 1;
  }

  #unexpected(start: number, code: number): number {
    const text = this.#text;
    if (code < 128) {
      const end = code === 0x27 ? this.#quoted(start) : start + 1;
      this.#error("E0001", start, end, unexpectedText(code));
      return end;
    }
    let end = start + 1;
    while (end < this.#limit && text.charCodeAt(end) >= 128) end++;
    if (code === 0xfeff && start === 0) this.#error("E0003", 0, 1, "a byte-order mark; save the file without it");
    else
      this.#error(
        "E0002",
        start,
        end,
        `\`${text.slice(start, end)}\`: only ASCII is allowed outside literals and comments`,
      );
    return end;
  }

  #fstring(start: number): number {
    const scanned = scanFString(this.#text, start, this.#limit);
    for (const { code, start: from, end, message } of scanned.problems) this.#error(code, from, end, message);
    if (scanned.problems.length > 0) return scanned.end;
    const tokens = this.#tokens;
    const pieces = scanned.pieces.map((piece) => (piece.kind === "text" ? piece : this.#interpolation(piece)));
    tokens.push(K.fstring, start, scanned.end, tokens.fstrings.length);
    tokens.fstrings.push(pieces);
    return scanned.end;
  }

  #interpolation(found: Interpolation): FStringPiece {
    const { start, end, from, to, colon, dropped } = found;
    const depth = this.#depth + 1;
    const source =
      dropped.length === 0
        ? { text: this.#text, from, to, colon, offsets: undefined }
        : withoutBackslashes(this.#tokens, found);
    const tokens = source.offsets
      ? new TokenList(this.#tokens.file, source.text, source.offsets, this.#tokens.words, 16)
      : this.#innerLexer().#tokens;
    const spec = source.colon < 0 ? undefined : { start: source.colon + 1, end: source.to };
    const piece: PendingInterpolation["piece"] = { kind: "expr", start, end, tokens, first: 0, ...(spec && { spec }) };
    if (depth > MAX_FSTRING_NESTING) this.#error("E0012", start, end, "nesting is too deep");
    else this.#pending.push({ tokens, piece, from: source.from, to: spec ? source.colon : source.to, depth });
    return piece;
  }

  #innerLexer(): Lexer {
    if (!this.#inner) {
      const { file, text, offsets, words } = this.#tokens;
      this.#inner = new Lexer(new TokenList(file, text, offsets, words, 64), this.#diagnostics);
    }
    return this.#inner;
  }

  #error(code: string, start: number, end: number, message: string): void {
    const { file } = this.#tokens;
    const from = this.#tokens.toSource(start);
    const span = spanFrom(file, from, Math.max(from + 1, this.#tokens.toSource(end)));
    this.#diagnostics.push({ kind: "lex error", severity: "error", code, message, span });
  }
}

/** The interpolation's text as its expression reads it, with the way back to the file (01 4.7.3). */
function withoutBackslashes(
  tokens: TokenList,
  found: Interpolation,
): { text: string; offsets: Int32Array; from: number; to: number; colon: number } {
  const { from, to, dropped } = found;
  let text = "";
  let copied = from;
  let colon = found.colon;
  for (const at of [...dropped, to]) {
    text += tokens.text.slice(copied, at);
    copied = at + 1;
    if (at < found.colon) colon--;
  }
  const offsets = new Int32Array(text.length + 1);
  const skipped = new Set(dropped);
  let next = 0;
  for (let at = from; at <= to; at++) if (!skipped.has(at)) offsets[next++] = tokens.toSource(at);
  return { text, offsets, from: 0, to: text.length, colon: colon < 0 ? -1 : colon - from };
}

function unexpectedText(code: number): string {
  if (code === 0x27) return "`'` starts nothing: strings are written with `\"`, and there are no character literals";
  if (code === 0x5c) return "a backslash has no meaning outside a literal";
  const name =
    code === 0x0c
      ? "form feed"
      : code === 0x0b
        ? "vertical tab"
        : `control character 0x${code.toString(16).padStart(2, "0")}`;
  return `unexpected ${name}`;
}

function characterClasses(): Uint8Array {
  const classes = new Uint8Array(128);
  for (const space of " \t\r\n") classes[space.charCodeAt(0)] = SPACE;
  for (let code = 0x30; code <= 0x39; code++) classes[code] = DIGIT;
  for (let code = 0x41; code <= 0x5a; code++) classes[code] = classes[code + 0x20] = WORD;
  classes[0x5f] = WORD;
  return classes;
}
