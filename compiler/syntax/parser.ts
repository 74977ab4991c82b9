import { type Diagnostic, type SourceFile, type Span, spanFrom } from "../source/index.ts";
import type { Expr, Name } from "./ast.ts";
import { habitHint, reservedNameHint } from "./habits.ts";
import { isMemberName, isReserved, K, spellingOf, type TokenKind, type TokenList } from "./tokens.ts";

/** Blocks, parentheses, brackets, types, patterns and operators inside one another, up to this depth. */
export const MAX_NESTING = 400;

/** The height of an expression's tree, left spines (`a + b + c`, `a.b.c`, `else if` chains) included. */
export const MAX_TREE_HEIGHT = 1000;

/**
 * The cursor that the grammar's functions share: the current token, the errors, and how deep we are.
 *
 * After a hard error the cursor stands at the end of its tokens (`failed`), so that every rule ends at once; its results are
 * dropped by the declaration loop, which goes on at `resumeAt`. No rule reports anything while `failed`.
 */
export class Parser {
  readonly file: SourceFile;
  readonly diagnostics: Diagnostic[] = [];
  tokens: TokenList;
  /** Index of the current token. */
  pos = 0;
  /** Kind of the current token; while a `>>` closes two lists, `>` for its second half. */
  kind: TokenKind;
  failed = false;
  resumeAt = 0;
  /** Failed by depth: the rest of the file is not read, since any part of it may be inside the same nest. */
  tooDeep = false;
  /** Braces left open by broken declarations: what the file level meets then may belong inside a locus. */
  openBraces = 0;
  /** Inside the body of a fallible fn: `fail` starts a statement. */
  fallible = false;
  /** The domains declared so far in the file, with the number of their members (01 7.11). */
  readonly domains = new Map<string, number>();
  /** Atomic effect classes declared so far in the file. */
  classes = 0;
  /** Uses of the names `it` and `idx` so far: what decides an element chain (01 10). */
  itUses = 0;
  idxUses = 0;
  /** Height of the expression or block parsed last. */
  height = 0;
  /** Index of the token after the last struct or locus literal: tells the trap of 01 9.1. */
  afterLiteral = -1;
  /** Index of the token after the last `.each { .. }`. */
  afterEach = -1;
  /** Index of the first token of the statement being read. */
  itemStart = -1;
  /** That statement's leading expression up to a `.each { .. }` that nothing extends, and the index after it. */
  itemEach: { readonly expr: Expr; readonly end: number } | undefined;
  #depth = 0;
  /** Greatest height among the parts of the construct being parsed. */
  #peak = 0;
  /** Reserved words already reported as names: reported once (01 2.5). */
  readonly #reportedWords = new Set<string>();

  constructor(tokens: TokenList) {
    this.tokens = tokens;
    this.file = tokens.file;
    this.kind = tokens.kinds[0] ?? K.eof;
  }

  // ---------------------------------------------------------------- tokens

  advance(): void {
    this.pos++;
    this.kind = this.tokens.kinds[this.pos] ?? K.eof;
  }

  moveTo(index: number): void {
    this.pos = index;
    this.kind = this.tokens.kinds[index] ?? K.eof;
  }

  /** Kind of the token `distance` after the current one. */
  peek(distance: number): TokenKind {
    return this.tokens.kinds[this.pos + distance] ?? K.eof;
  }

  eat(kind: TokenKind): boolean {
    if (this.kind !== kind) return false;
    this.advance();
    return true;
  }

  /** Takes a token of this kind or fails with "expected .., found ..". */
  expect(kind: TokenKind, help?: string): void {
    if (this.kind === kind) this.advance();
    else this.failExpected(`\`${spellingOf(kind)}\``, help);
  }

  /** Whether the current token is the identifier `word`: the test for contextual words (01 3). */
  atWord(word: string): boolean {
    return this.kind === K.ident && this.tokens.wordOf(this.pos) === word;
  }

  peekWord(distance: number, word: string): boolean {
    return this.peek(distance) === K.ident && this.tokens.wordOf(this.pos + distance) === word;
  }

  eatWord(word: string): boolean {
    if (!this.atWord(word)) return false;
    this.advance();
    return true;
  }

  expectWord(word: string): void {
    if (!this.eatWord(word)) this.failExpected(`\`${word}\``);
  }

  /** Closes a generic list: `>`, or one half of `>>` (01 9.3). */
  expectCloseAngle(): void {
    if (this.kind === K[">>"]) this.kind = K[">"];
    else this.expect(K[">"]);
  }

  /** The text of the current token. */
  get text(): string {
    return this.tokens.textOf(this.pos);
  }

  // ---------------------------------------------------------------- places

  /** Offset of the current token in the list's text. */
  get start(): number {
    return this.tokens.starts[this.pos] ?? this.tokens.text.length;
  }

  /** From `start` (an offset in the list's text) to the end of the token before the current one. */
  spanFrom(start: number): Span {
    const { tokens } = this;
    const end = tokens.ends[this.pos - 1] ?? start;
    if (tokens.offsets === undefined) return { file: this.file, start, end };
    return spanFrom(this.file, tokens.toSource(start), tokens.toSource(end));
  }

  /** The current token's place. */
  spanHere(): Span {
    return this.spanOf(this.pos);
  }

  spanOf(index: number): Span {
    const { tokens } = this;
    const start = tokens.starts[index] ?? tokens.text.length;
    const end = tokens.ends[index] ?? tokens.text.length;
    if (tokens.offsets === undefined) return { file: this.file, start, end };
    return spanFrom(this.file, tokens.toSource(start), tokens.toSource(end));
  }

  // ---------------------------------------------------------------- names

  /** An identifier that names a `what` ("a variable"). A reserved word is reported once and taken as the name. */
  expectName(what: string): Name {
    if (this.kind === K.ident) return this.takeName();
    if (!isReserved(this.kind)) {
      this.failExpected(`the name of ${what}`);
      return { text: "", span: this.spanHere() };
    }
    const word = this.tokens.wordOf(this.pos);
    if (!this.#reportedWords.has(word)) {
      this.#reportedWords.add(word);
      const message = `\`${word}\` is reserved and cannot name ${what}; rename it`;
      this.report("E0102", this.spanHere(), message, reservedNameHint(word, what));
    }
    return this.takeName();
  }

  /** A member name (01 2.4). */
  expectMember(what: string): Name {
    return isMemberName(this.kind) ? this.takeName() : this.expectName(what);
  }

  /** The current word as a name. */
  takeName(): Name {
    const name = { text: this.tokens.wordOf(this.pos), span: this.spanOf(this.pos) };
    this.advance();
    return name;
  }

  /** Whether a token is a reserved word that was reported as a name, hence read as one from then on (01 2.5). */
  atReportedWord(distance = 0): boolean {
    return this.#reportedWords.size > 0 && this.#isReported(this.pos + distance);
  }

  #isReported(index: number): boolean {
    return isReserved(this.tokens.kinds[index] ?? K.eof) && this.#reportedWords.has(this.tokens.wordOf(index));
  }

  // ---------------------------------------------------------------- errors

  /** Reports and goes on. */
  report(code: string, span: Span, message: string, help?: string): void {
    if (this.failed) return;
    this.diagnostics.push({
      kind: "parse error",
      severity: "error",
      code,
      message,
      span,
      ...(help !== undefined && { help }),
    });
  }

  /** Reports at the current token, or at `span`, and ends the declaration. */
  fail(code: string, message: string, help?: string, span = this.spanHere()): void {
    if (this.failed) return;
    // What follows from a reserved word used as a name was reported with the word.
    const follows = this.#reportedWords.size > 0 && (this.#isReported(this.pos) || this.#isReported(this.pos - 1));
    if (!follows) this.report(code, span, message, help);
    this.failed = true;
    this.resumeAt = this.pos;
    this.moveTo(this.tokens.count);
  }

  failExpected(expected: string, help?: string): void {
    if (this.failed) return;
    this.fail("E0101", `expected ${expected}, found ${this.describe()}`, help ?? habitHint(this, expected));
  }

  /** Ends the failure; the cursor stands at `index`. */
  resume(index: number): void {
    this.failed = false;
    this.#depth = 0;
    this.#peak = 0;
    this.fallible = false;
    this.moveTo(index);
  }

  /** The current token in words: "`let`", "a string", "the end of the file". */
  describe(): string {
    switch (this.kind) {
      case K.eof:
        return this.tokens.offsets === undefined && this.start === this.file.text.length
          ? "the end of the file"
          : "the end of the interpolation";
      case K.string:
        return "a string";
      case K.fstring:
        return "an f-string";
      case K.bytes:
        return "a bytes literal";
      case K.backtick:
        return "a backtick literal";
      default:
        return `\`${this.text}\``;
    }
  }

  // ---------------------------------------------------------------- depth

  /** Enters a nested construct; give the result to `leave`. */
  enter(): number {
    this.#depth++;
    if (this.#depth > MAX_NESTING) this.#failTooDeep();
    const outer = this.#peak;
    this.#peak = 0;
    return outer;
  }

  /** Leaves it: its height is one more than that of its highest part. `extra` counts further levels. */
  leave(outer: number, extra = 0): void {
    this.#depth--;
    this.setHeight(this.#peak + 1 + extra);
    this.#peak = outer;
    this.addPart();
  }

  /** Counts the expression parsed last as a part of the construct around it. */
  addPart(): void {
    if (this.height > this.#peak) this.#peak = this.height;
  }

  setHeight(height: number): void {
    this.height = height;
    if (height > MAX_TREE_HEIGHT) this.#failTooDeep();
  }

  #failTooDeep(): void {
    this.fail("E0103", "nesting is too deep");
    this.tooDeep = true;
  }
}
