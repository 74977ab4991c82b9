import { type Diagnostic, type SourceFile, spanFrom } from "../source/index.ts";
import type { Declaration, FileAst, ImportDecl } from "./ast.ts";
import { lex } from "./lexer.ts";
import { parseDeclaration } from "./parse-declarations.ts";
import { takeString } from "./parse-leaves.ts";
import { Parser } from "./parser.ts";
import { flags, K, type TokenKind } from "./tokens.ts";

export interface ParseResult {
  readonly ast: FileAst;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The syntax tree of a file (01). A file with lex errors is not parsed: its tree is empty. After a parse error the
 * parser goes on at the next declaration (01 12.3); the broken ones are not in the tree.
 */
export function parseFile(file: SourceFile): ParseResult {
  const { tokens, diagnostics } = lex(file);
  const span = spanFrom(file, 0, file.text.length);
  if (diagnostics.length > 0) return { ast: { imports: [], declarations: [], span }, diagnostics };
  const p = new Parser(tokens);
  const { imports, declarations } = parseTopLevel(p);
  return { ast: { imports, declarations, span }, diagnostics: p.diagnostics };
}

function parseTopLevel(p: Parser): { imports: ImportDecl[]; declarations: Declaration[] } {
  const imports: ImportDecl[] = [];
  const declarations: Declaration[] = [];
  const errors = p.diagnostics;
  let sawItem = false;
  while (p.kind !== K.eof) {
    const first = p.pos;
    if (p.kind === K.import) imports.push(parseImport(p, sawItem));
    else {
      sawItem = true;
      if (p.eat(K[";"])) continue;
      const astray = p.openBraces > 0 || (errors.length > 0 && p.kind === K["}"]);
      if (astray && !startsDeclaration(p, afterDecorators(p, p.pos))) {
        skipToDeclaration(p, p.pos);
        continue;
      }
      const declaration = parseDeclaration(p);
      if (!p.failed && p.openBraces === 0) declarations.push(declaration);
    }
    if (p.tooDeep) break;
    if (p.failed) recover(p, first);
  }
  return { imports, declarations };
}

/** `import "path" as name;` */
function parseImport(p: Parser, late: boolean): ImportDecl {
  const { start } = p;
  if (late) p.report("E0107", p.spanHere(), "imports come before all declarations");
  p.advance();
  const pathSpan = p.spanHere();
  const path = takeString(p, "the import's path, a string");
  if (!p.eatWord("as")) p.failExpected("`as`", "an import needs `as name`");
  const alias = p.expectName("an import");
  p.expect(K[";"]);
  return { path, pathSpan, alias, span: p.spanFrom(start) };
}

/** After an error in the item that began at token `first`: goes on at the next declaration. */
function recover(p: Parser, first: number): void {
  const { kinds } = p.tokens;
  const next = Math.max(p.resumeAt, first + 1);
  p.resume(next);
  for (let index = first; index < next; index++) p.openBraces = countBrace(p.openBraces, kinds[index] ?? K.eof);
  skipToDeclaration(p, next);
}

/** Moves to the first token from `index` on where a declaration starts, and keeps count of the braces left open. */
function skipToDeclaration(p: Parser, index: number): void {
  const { kinds, count } = p.tokens;
  let at = index;
  while (at < count - 1) {
    const word = afterDecorators(p, at);
    if (startsDeclaration(p, word)) break;
    for (const end = Math.max(word, at + 1); at < end; at++)
      p.openBraces = countBrace(p.openBraces, kinds[at] ?? K.eof);
  }
  p.moveTo(Math.min(at, count - 1));
}

function countBrace(open: number, kind: TokenKind): number {
  return kind === K["{"] ? open + 1 : kind === K["}"] && open > 0 ? open - 1 : open;
}

const RESUME_WORDS = flags(K.locus, K.perspective, K.type, K.const, K.fn, K.module);

/** Whether `main` or a word to resume at, with the name it declares, stands at a token (01 12.3). */
function startsDeclaration(p: Parser, index: number): boolean {
  const { tokens } = p;
  const kindAt = (at: number): TokenKind => tokens.kinds[at] ?? K.eof;
  if (kindAt(index) === K.ident) return kindAt(index + 1) === K.locus && tokens.wordOf(index) === "main";
  if (RESUME_WORDS[kindAt(index)] !== 1 || kindAt(index + 1) !== K.ident) return false;
  const before = kindAt(index - 1);
  return before !== K["."] && before !== K["::"] && before !== K.of;
}

/** The index after the decorators that start at `index`. */
function afterDecorators(p: Parser, index: number): number {
  const { kinds } = p.tokens;
  let at = index;
  while (kinds[at] === K["@"]) {
    at += 2;
    if (kinds[at] === K["("]) at = afterParentheses(kinds, at);
  }
  return Math.min(at, p.tokens.count - 1);
}

function afterParentheses(kinds: Uint8Array, start: number): number {
  let open = 0;
  for (let at = start; at < kinds.length; at++) {
    if (kinds[at] === K["("]) open++;
    else if (kinds[at] === K[")"] && --open === 0) return at + 1;
  }
  return kinds.length;
}
