import { type Diagnostic, SourceFile } from "../source/index.ts";
import { lex } from "./lexer.ts";
import { genericAngles, spaceBetween } from "./spacing.ts";
import { BINARY_OPERATORS, K, type TokenList } from "./tokens.ts";

export type FormatResult =
  | { readonly text: string }
  /** The file does not lex: it has no canonical text. */
  | { readonly lexErrors: readonly Diagnostic[] }
  /** Our own fault: the text came out with other tokens. It must not be written. */
  | { readonly internalError: string };

/** Deeper lines are not indented further: no program that parses reaches this level. */
const MAX_INDENT = 400;
const INDENT = "    ";

/** The canonical layout of a file (02), made from its tokens and comments: it has to lex, not to parse. */
export function formatSource(file: SourceFile): FormatResult {
  const { tokens, diagnostics } = lex(file);
  if (diagnostics.length > 0) return { lexErrors: diagnostics };
  const text = new Layout(tokens).run();
  const changed = differingToken(tokens, lex(new SourceFile(file.path, text)).tokens);
  return changed < 0 ? { text } : { internalError: `formatting would change the token \`${tokens.textOf(changed)}\`` };
}

/** Index of the first token that the two lists do not share, -1 when they are equal in kinds and texts. */
function differingToken(before: TokenList, after: TokenList): number {
  for (let index = 0; index < before.count; index++) {
    if (before.kinds[index] !== after.kinds[index] || before.textOf(index) !== after.textOf(index)) return index;
  }
  return before.count === after.count ? -1 : before.count - 1;
}

/** Where the blanks and line feeds at the end of a text start. */
function endOfText(text: string): number {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return end;
}

/** Emits the items of one file in order (02 section 3). */
class Layout {
  readonly #tokens: TokenList;
  readonly #angles: Uint8Array;
  /** For each open bracket, the indent level of the line it stands on (02 section 4). */
  readonly #open: number[] = [];
  #out = "";
  #lineLevel = 0;
  /** Line feeds since the last item. */
  #breaks = 0;
  #isFirst = true;
  #afterComment = false;

  constructor(tokens: TokenList) {
    this.#tokens = tokens;
    this.#angles = genericAngles(tokens);
  }

  run(): string {
    const { starts, ends, count } = this.#tokens;
    let at = 0;
    for (let index = 0; index < count; index++) {
      const start = starts[index] ?? 0;
      this.#gap(at, start);
      if (index === count - 1) break;
      this.#token(index);
      at = ends[index] ?? start;
    }
    return `${this.#out.slice(0, endOfText(this.#out))}\n`;
  }

  /** The text between two tokens: counts its line feeds, emits its comments. */
  #gap(start: number, end: number): void {
    const { text } = this.#tokens;
    let at = start;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code === 0x2f) at = this.#comment(at, end);
      else {
        if (code === 0x0a) this.#breaks++;
        at++;
      }
    }
  }

  #comment(start: number, limit: number): number {
    const { text } = this.#tokens;
    const isLine = text.charCodeAt(start + 1) === 0x2f;
    const close = text.indexOf(isLine ? "\n" : "*/", start + 2);
    const end = close < 0 || close >= limit ? limit : isLine ? close : close + 2;
    const comment = text.slice(start, end);
    const isLineStart = this.#startItem();
    if (isLineStart) this.#indent((this.#open.at(-1) ?? -1) + 1);
    this.#out +=
      (isLineStart ? "" : " ") + (isLine ? comment.slice(0, endOfText(comment)).replaceAll("\r", "") : comment);
    this.#afterComment = true;
    return end;
  }

  #token(index: number): void {
    const { kinds } = this.#tokens;
    const kind = kinds[index] ?? K.eof;
    const isCloser = kind === K["}"] || kind === K[")"] || kind === K["]"];
    if (this.#startItem()) this.#indent(this.#levelOf(index, isCloser));
    else if (this.#afterComment || spaceBetween(this.#tokens, this.#angles, index)) this.#out += " ";
    this.#out += this.#tokens.textOf(index);
    this.#afterComment = false;
    if (kind === K["{"] || kind === K["("] || kind === K["["]) this.#open.push(this.#lineLevel);
    else if (isCloser) this.#open.pop();
  }

  /** Ends the line when line feeds stood before the item; tells whether the item starts a line. */
  #startItem(): boolean {
    const breaks = this.#breaks;
    const isFirst = this.#isFirst;
    this.#breaks = 0;
    this.#isFirst = false;
    if (isFirst) return true;
    if (breaks === 0) return false;
    this.#out += breaks > 1 ? "\n\n" : "\n";
    return true;
  }

  #indent(level: number): void {
    this.#lineLevel = level;
    this.#out += INDENT.repeat(Math.min(level, MAX_INDENT));
  }

  #levelOf(index: number, isCloser: boolean): number {
    const remembered = this.#open.at(-1);
    if (isCloser) return remembered ?? 0;
    const level = remembered === undefined ? 0 : remembered + 1;
    return this.#isContinuation(index) ? level + 1 : level;
  }

  #isContinuation(index: number): boolean {
    const { kinds } = this.#tokens;
    const kind = kinds[index] ?? K.eof;
    if (kind === K["."] || BINARY_OPERATORS[kind] === 1) return true;
    const before = kinds[index - 1] ?? K.eof;
    return BINARY_OPERATORS[before] === 1 && before !== K["=>"];
  }
}
