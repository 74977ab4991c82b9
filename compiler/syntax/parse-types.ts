// Types (01 7.2).
import type { GenericParam, Path, TypeExpr } from "./ast.ts";
import { parseExpr } from "./parse-expressions.ts";
import { parseCount } from "./parse-leaves.ts";
import type { Parser } from "./parser.ts";
import { K, flags } from "./tokens.ts";

// biome-ignore format: a table reads best in rows
const PRIMITIVES: ReadonlySet<string> = new Set([
  "Int", "Uint", "Float", "Decimal", "String", "Bool", "Time", "Duration", "Bytes", "BytesView", "StringView", "BytesMut",
]);

const TYPE_STARTS = flags(K.ident, K.perspective, K.rich, K.chunked, K.recognition, K["["], K["("], K.fn);

/** Whether the token at `distance` can start a type. */
export function startsType(p: Parser, distance: number): boolean {
  return TYPE_STARTS[p.peek(distance)] === 1;
}

export function parseType(p: Parser): TypeExpr {
  const { start } = p;
  switch (p.kind) {
    case K.ident:
      return parseNamedType(p);
    case K["["]:
      return parseArrayType(p);
    case K["("]:
      return parseTupleType(p);
    case K.fn: {
      p.advance();
      const params = parseTypeList(p, K["("], K[")"]);
      const result = parseResult(p);
      return { kind: "function", params, ...(result && { result }), span: p.spanFrom(start) };
    }
    case K.perspective: {
      p.advance();
      p.expect(K["("]);
      const path = parsePath(p, "a perspective");
      p.expect(K[")"]);
      return { kind: "perspective", path, span: p.spanFrom(start) };
    }
    case K.rich:
    case K.chunked:
    case K.recognition: {
      const projection = p.kind === K.rich ? "rich" : p.kind === K.chunked ? "chunked" : "recognition";
      p.advance();
      const outer = p.enter();
      p.expect(K["<"]);
      const inner = parseType(p);
      p.expectCloseAngle();
      p.leave(outer);
      return { kind: "projection", projection, inner, span: p.spanFrom(start) };
    }
    default: {
      if (p.atReportedWord()) return parseNamedType(p);
      p.failExpected("a type");
      return noType(p);
    }
  }
}

/** `-> type`, or undefined when none is written. */
export function parseResult(p: Parser): TypeExpr | undefined {
  if (!p.eat(K["->"])) return undefined;
  const outer = p.enter();
  const type = parseType(p);
  p.leave(outer);
  return type;
}

/** `a::b::c`; the first segment names a `what`. */
export function parsePath(p: Parser, what: string): Path {
  const { start } = p;
  const segments = [p.expectName(what)];
  while (p.eat(K["::"])) segments.push(p.expectMember("a path segment"));
  return { segments, span: p.spanFrom(start) };
}

/** `<T, U: Bound>`, or nothing. */
export function parseGenerics(p: Parser): readonly GenericParam[] {
  if (!p.eat(K["<"])) return [];
  const generics: GenericParam[] = [];
  do {
    const name = p.expectName("a type parameter");
    const bound = p.eat(K[":"]) ? parseType(p) : undefined;
    generics.push({ name, ...(bound && { bound }) });
  } while (p.eat(K[","]));
  p.expectCloseAngle();
  return generics;
}

function parseNamedType(p: Parser): TypeExpr {
  const { start } = p;
  if (p.atWord("bounded") && p.peek(1) === K["["]) return parseBoundedType(p);
  if (p.kind === K.ident && PRIMITIVES.has(p.tokens.wordOf(p.pos))) {
    const name = p.takeName();
    return { kind: "named", path: { segments: [name], span: name.span }, args: [], span: name.span };
  }
  const path = parsePath(p, "a type");
  const args = p.kind === K["<"] ? parseTypeList(p, K["<"], K[">"]) : [];
  return { kind: "named", path, args, span: p.spanFrom(start) };
}

function parseBoundedType(p: Parser): TypeExpr {
  const { start } = p;
  p.advance();
  p.advance();
  const outer = p.enter();
  const element = parseType(p);
  p.leave(outer);
  p.expect(K[";"]);
  const capacity = parseCount(p, "the capacity of a `bounded`", 1n);
  p.expect(K["]"]);
  return { kind: "bounded", element, capacity, span: p.spanFrom(start) };
}

function parseArrayType(p: Parser): TypeExpr {
  const { start } = p;
  p.advance();
  const outer = p.enter();
  const element = parseType(p);
  const length = p.eat(K[";"]) ? parseExpr(p) : undefined;
  p.leave(outer);
  p.expect(K["]"]);
  return { kind: "array", element, ...(length && { length }), span: p.spanFrom(start) };
}

/** `(T)` is `T`; `()` the unit type; `(A, B)` a tuple. */
function parseTupleType(p: Parser): TypeExpr {
  const { start } = p;
  const members = parseTypeList(p, K["("], K[")"]);
  const [only] = members;
  return members.length === 1 && only ? only : { kind: "tuple", members, span: p.spanFrom(start) };
}

/** Types between brackets, separated by commas; only a `<` list must not be empty. */
export function parseTypeList(p: Parser, open: number, close: number): TypeExpr[] {
  p.expect(open);
  const types: TypeExpr[] = [];
  const outer = p.enter();
  if (p.kind !== close || open === K["<"]) {
    do {
      if (p.kind === close && types.length > 0) p.failExpected("a type", "no trailing comma here");
      types.push(parseType(p));
    } while (p.eat(K[","]));
  }
  p.leave(outer);
  if (close === K[">"]) p.expectCloseAngle();
  else p.expect(close);
  return types;
}

export function noType(p: Parser): TypeExpr {
  return { kind: "tuple", members: [], span: p.spanHere() };
}
