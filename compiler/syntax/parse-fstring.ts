// The parts of an f-string as expressions and format specs (01 4.7).
import { type Span, spanFrom } from "../source/index.ts";
import type { Expr, FormatSpec, FStringPart } from "./ast.ts";
import { decodeText } from "./literals.ts";
import { parseExpr } from "./parse-expressions.ts";
import type { Parser } from "./parser.ts";
import { type FStringPiece, K, type TokenList } from "./tokens.ts";

const MAX_PRECISION = 17;

/** The f-string at the cursor. Its interpolations are read from their own token lists. */
export function parseFString(p: Parser): Expr {
  const { tokens } = p;
  const span = p.spanHere();
  const pieces = tokens.fstrings[tokens.values[p.pos] ?? 0] ?? [];
  const parts: FStringPart[] = [];
  const outer = p.enter();
  for (const piece of pieces) {
    if (p.failed) break;
    if (piece.kind === "text")
      parts.push({ kind: "text", value: decodeText(tokens.text, piece.start, piece.end, "braces") });
    else parts.push(parseInterpolation(p, tokens, piece));
  }
  p.leave(outer);
  p.advance();
  return { kind: "fstring", parts, span };
}

function parseInterpolation(p: Parser, tokens: TokenList, piece: Extract<FStringPiece, { kind: "expr" }>): FStringPart {
  const after = p.pos;
  const { itemStart } = p;
  p.itemStart = -1;
  p.tokens = piece.tokens;
  p.moveTo(piece.first);
  const expr = parseExpr(p);
  if (p.kind !== K.eof) p.failExpected("the end of the interpolation", "an interpolation holds one expression");
  const format = piece.spec && parseFormatSpec(p, piece.tokens, piece.spec.start, piece.spec.end);
  p.tokens = tokens;
  p.itemStart = itemStart;
  p.afterLiteral = p.afterEach = -1;
  if (p.failed) {
    p.resumeAt = after;
    p.moveTo(tokens.count);
  } else p.moveTo(after);
  const span = spanFrom(p.file, tokens.toSource(piece.start), tokens.toSource(piece.end));
  return { kind: "expr", expr, ...(format && { format }), span };
}

/** `[[fill]align][width][.precision][x|X]`; an empty spec changes nothing. */
function parseFormatSpec(p: Parser, tokens: TokenList, start: number, end: number): FormatSpec | undefined {
  const text = tokens.text.slice(start, end);
  const span: Span = spanFrom(p.file, tokens.toSource(start), tokens.toSource(end));
  if (text === "") return undefined;
  const match = /^(?:(?<fill>.)?(?<align>[<^>]))?(?<width>[0-9]+)?(?:\.(?<precision>[0-9]+))?(?<hex>[xX])?$/su.exec(
    text,
  );
  const { fill, align, width, precision, hex } = match?.groups ?? {};
  if (!match || (precision !== undefined && hex !== undefined)) {
    p.fail(
      "E0111",
      `unknown format spec \`${text}\``,
      "a spec is `[[fill]align][width][.precision]` or `[[fill]align][width]x`, with align `<`, `^` or `>`",
      span,
    );
    return undefined;
  }
  if (Number(precision ?? 0) > MAX_PRECISION)
    p.fail("E0111", `a precision is at most ${MAX_PRECISION}`, undefined, span);
  return {
    ...(fill !== undefined && { fill }),
    ...((align === "<" || align === "^" || align === ">") && { align }),
    ...(width !== undefined && { width: Number(width) }),
    ...(precision !== undefined && { precision: Number(precision) }),
    ...((hex === "x" || hex === "X") && { hex }),
    span,
  };
}
