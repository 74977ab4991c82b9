// Room: text to syntax tree.
// In:  a `SourceFile`.
// Out: tokens, `FileAst`, the formatted text, doc comments; every finding as a `Diagnostic`.
// Never resolves a name, never reads the disk, never throws for bad input.
export type * from "./ast.ts";
export { lex, type LexResult } from "./lexer.ts";
export { K, type TokenKind, TokenList } from "./tokens.ts";
export { parseFile, type ParseResult } from "./parse-file.ts";
export { describeToken } from "./describe-token.ts";
export { docCommentOf } from "./doc-comments.ts";
export { formatSource, type FormatResult } from "./formatter.ts";
export { type DocEntry, type DocKind, documentationOf } from "./documentation.ts";
