// Expressions (01 7.6, 8): precedence climbing over `unary`, then postfix steps, then primaries.
import type { Span } from "../source/index.ts";
import type { BinaryOperator, CallArgument, Disposition, Expr, FieldInit, Name, Path, UnaryOperator } from "./ast.ts";
import { chainOf, eachChain } from "./chains.ts";
import { decodeDecimal, decodeFloat, decodeInt, decodeText, splitQuantity } from "./literals.ts";
import { parseFString } from "./parse-fstring.ts";
import { parseIf, parseMatch } from "./parse-branches.ts";
import { parseBlock } from "./parse-statements.ts";
import { parseCount } from "./parse-leaves.ts";
import type { Parser } from "./parser.ts";
import { flags, isMemberName, K, spellingOf, type TokenKind } from "./tokens.ts";

/** Binding strength by kind, 0 for what is no binary operator (01 section 8). */
const STRENGTH = new Uint8Array(256);
// biome-ignore format: a table reads best in rows
const BY_STRENGTH: readonly (readonly BinaryOperator[])[] = [
  ["||"], ["&&"], ["==", "!="], ["<", ">", "<=", ">="], ["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"],
];
/** The operator by kind. */
const OPERATORS: (BinaryOperator | undefined)[] = [];
for (const [level, operators] of BY_STRENGTH.entries()) {
  for (const operator of operators) {
    STRENGTH[K[operator]] = level + 1;
    OPERATORS[K[operator]] = operator;
  }
}
/** Comparisons group to the right, everything else to the left. */
const GROUPS_RIGHT = flags(K["=="], K["!="], K["<"], K[">"], K["<="], K[">="]);

export function parseExpr(p: Parser): Expr {
  const { start } = p;
  let expr = parseBinary(p);
  if (p.kind === K[".."] || p.kind === K["..="]) {
    const inclusive = p.kind === K["..="];
    p.advance();
    const lowHeight = p.height;
    const high = parseBinary(p);
    p.setHeight(Math.max(lowHeight, p.height) + 1);
    expr = { kind: "range", low: expr, high, inclusive, span: p.spanFrom(start) };
  } else if (p.kind === K.ident && p.atWord("or")) {
    p.advance();
    const operandHeight = p.height;
    const outer = p.enter();
    const disposition = parseDisposition(p);
    p.leave(outer);
    p.setHeight(Math.max(operandHeight + 1, p.height));
    expr = { kind: "or", operand: expr, disposition, span: p.spanFrom(start) };
  }
  p.addPart();
  return expr;
}

function parseDisposition(p: Parser): Disposition {
  const { start } = p;
  if (p.kind === K.ident) {
    const word = p.tokens.wordOf(p.pos);
    if (word === "raise" || word === "discard" || word === "wait") {
      p.advance();
      return { kind: word, span: p.spanFrom(start) };
    }
    if (word === "fail") {
      p.advance();
      const value = parseExpr(p);
      return { kind: "fail", value, span: p.spanFrom(start) };
    }
  }
  const value = parseExpr(p);
  return { kind: "value", value, span: value.span };
}

/** Everything that binds tighter than `..` and `or`. */
function parseBinary(p: Parser): Expr {
  const { start } = p;
  const left = parseUnary(p);
  return STRENGTH[p.kind] === 0 ? left : climb(p, left, start, 1);
}

/** Extends `left`, which starts at `start`, by operators of at least strength `least`. */
function climb(p: Parser, first: Expr, start: number, least: number): Expr {
  let left = first;
  for (;;) {
    const operatorKind = p.kind;
    const strength = STRENGTH[operatorKind] ?? 0;
    if (strength === 0 || strength < least) return left;
    const leftHeight = p.height;
    const operatorSpan = p.spanHere();
    p.advance();
    const right = parseRight(p, strength, GROUPS_RIGHT[operatorKind] === 1);
    p.setHeight(Math.max(leftHeight, p.height) + 1);
    left = {
      kind: "binary",
      operator: OPERATORS[operatorKind] ?? "+",
      operatorSpan,
      left,
      right,
      span: p.spanFrom(start),
    };
  }
}

/** The right operand of an operator of this strength. */
function parseRight(p: Parser, strength: number, groupsRight: boolean): Expr {
  const { start } = p;
  const operand = parseUnary(p);
  const least = groupsRight ? strength : strength + 1;
  if ((STRENGTH[p.kind] ?? 0) < least) return operand;
  const outer = p.enter();
  const right = climb(p, operand, start, least);
  p.addPart();
  p.leave(outer);
  return right;
}

function parseUnary(p: Parser): Expr {
  const operator = unaryOperator(p.kind);
  if (operator === undefined) return parsePostfix(p);
  const { start } = p;
  p.advance();
  const outer = p.enter();
  const operand = parseUnary(p);
  p.addPart();
  p.leave(outer);
  return { kind: "unary", operator, operand, span: p.spanFrom(start) };
}

function unaryOperator(kind: TokenKind): UnaryOperator | undefined {
  switch (kind) {
    case K["-"]:
      return "-";
    case K["!"]:
      return "!";
    case K["~"]:
      return "~";
    default:
      return undefined;
  }
}

function parsePostfix(p: Parser): Expr {
  const { start, pos } = p;
  let expr = parsePrimary(p);
  for (;;) {
    const { height } = p;
    switch (p.kind) {
      case K["."]:
        expr = parseMemberStep(p, expr, start);
        break;
      case K["::"]: {
        p.advance();
        const name = p.expectMember("a member");
        expr = { kind: "scope", receiver: expr, name, span: p.spanFrom(start) };
        break;
      }
      case K["("]:
        expr = parseCall(p, expr, start);
        break;
      case K["["]: {
        p.advance();
        const outer = p.enter();
        const index = parseExpr(p);
        p.expect(K["]"]);
        p.leave(outer);
        expr = { kind: "index", receiver: expr, index, span: p.spanFrom(start) };
        break;
      }
      default:
        if (p.afterEach === p.pos && pos === p.itemStart) p.itemEach = { expr, end: p.pos };
        return expr;
    }
    p.setHeight(Math.max(height, p.height) + 1);
  }
}

/** `.name`, `.0` or `.each { .. }` */
function parseMemberStep(p: Parser, receiver: Expr, start: number): Expr {
  p.advance();
  if (p.kind === K.int) {
    const indexSpan = p.spanHere();
    const index = Number(decodeInt(p.text));
    p.advance();
    return { kind: "element", receiver, index, indexSpan, span: p.spanFrom(start) };
  }
  if (!isMemberName(p.kind)) {
    if (p.kind === K.float) p.failExpected("a member name", "write `(t.0).1` to reach into a nested tuple");
    else if (p.kind >= K.accept && !p.atReportedWord()) p.failExpected("a member name", `\`${p.text}\` is reserved`);
    else if (p.kind < K.accept) p.failExpected("a member name");
  }
  if (p.peek(1) === K["{"] && p.atWord("each")) {
    const each = p.spanHere();
    p.advance();
    const body = parseBlock(p);
    p.afterEach = p.pos;
    return eachChain(receiver, body, each, p.spanFrom(start));
  }
  const name = p.takeName();
  return { kind: "member", receiver, name, span: p.spanFrom(start) };
}

function parseCall(p: Parser, callee: Expr, start: number): Expr {
  const { itUses, idxUses } = p;
  const args: Expr[] = [];
  p.advance();
  const outer = p.enter();
  let named: readonly CallArgument[] = [];
  if (p.kind !== K[")"]) {
    if (isApiServe(callee)) named = parseServeArguments(p, args);
    else parseArguments(p, args);
  }
  p.leave(outer);
  p.expect(K[")"]);
  const span = p.spanFrom(start);
  const chain = chainOf(callee, args, { it: p.itUses !== itUses, idx: p.idxUses !== idxUses }, span);
  if (chain) return chain;
  return named.length > 0 ? { kind: "call", callee, args, named, span } : { kind: "call", callee, args, span };
}

/** One expression or more, separated by commas; no comma at the end. */
function parseArguments(p: Parser, args: Expr[]): void {
  do {
    if (p.kind === K[")"]) p.failExpected("an argument", "no trailing comma here");
    args.push(parseExpr(p));
  } while (p.eat(K[","]));
}

/** The argument list of a recovery call or a statement's call, parentheses included. */
export function parseArgumentList(p: Parser): readonly Expr[] {
  const args: Expr[] = [];
  p.expect(K["("]);
  const outer = p.enter();
  if (p.kind !== K[")"]) parseArguments(p, args);
  p.leave(outer);
  p.expect(K[")"]);
  return args;
}

function isApiServe(callee: Expr): boolean {
  if (callee.kind !== "path" || callee.path.segments.length !== 2) return false;
  const [first, second] = callee.path.segments;
  return first?.text === "api" && second?.text === "serve";
}

/** The only named arguments of the language (01 7.14); positional ones go to `args`. */
function parseServeArguments(p: Parser, args: Expr[]): readonly CallArgument[] {
  const named: CallArgument[] = [];
  do {
    if (p.kind !== K.ident || p.peek(1) !== K[":"]) {
      if (named.length > 0) p.failExpected("a named argument");
      args.push(parseExpr(p));
      continue;
    }
    const name = p.takeName();
    if (!["as", "receivers", "bound", "on_full"].includes(name.text))
      p.fail("E0115", `\`api::serve\` takes no argument \`${name.text}\``, undefined, name.span);
    if (named.some((other) => other.name.text === name.text))
      p.fail("E0110", `\`${name.text}\` is given twice`, undefined, name.span);
    p.advance();
    named.push({ name, ...(name.text === "receivers" ? { receivers: parseReceivers(p) } : { value: parseExpr(p) }) });
  } while (p.eat(K[","]));
  return named;
}

function parseReceivers(p: Parser): readonly { readonly path: Path; readonly value: Expr }[] {
  const receivers: { path: Path; value: Expr }[] = [];
  p.expect(K["{"]);
  while (p.kind !== K["}"] && !p.failed) {
    const path = parsePathExpr(p);
    p.expect(K[":"]);
    receivers.push({ path, value: parseExpr(p) });
    if (!p.eat(K[","])) break;
  }
  p.expect(K["}"]);
  return receivers;
}

function parsePrimary(p: Parser): Expr {
  p.height = 0;
  const { start, kind } = p;
  if (kind === K.ident) return parseNamePrimary(p, start);
  switch (kind) {
    case K.self:
      p.advance();
      return { kind: "self", span: p.spanFrom(start) };
    case K["("]:
      return parseParenthesised(p);
    case K["["]:
      return parseArray(p);
    case K["{"]: {
      const block = parseBlock(p);
      return { kind: "block", block, span: block.span };
    }
    case K.if:
      return parseIf(p);
    case K.match:
      return parseMatch(p);
    default:
      return parseLiteral(p) ?? noOperand(p, start);
  }
}

/** A literal token as an expression; undefined when none stands here. */
export function parseLiteral(p: Parser): Expr | undefined {
  const { kind } = p;
  const span = p.spanHere();
  const expr = literalValue(p, kind, span);
  if (expr && kind !== K.fstring) p.advance();
  return expr;
}

function literalValue(p: Parser, kind: TokenKind, span: Span): Expr | undefined {
  const { text } = p.tokens;
  const { start } = p;
  const end = p.tokens.ends[p.pos] ?? start;
  switch (kind) {
    case K.int:
      return { kind: "int", value: decodeInt(text.slice(start, end)), span };
    case K.float:
      return { kind: "float", value: decodeFloat(text.slice(start, end)), span };
    case K.decimal:
      return { kind: "decimal", units: decodeDecimal(text.slice(start, end)), span };
    case K.quantity:
      return { kind: "quantity", ...splitQuantity(text.slice(start, end)), span };
    case K.string:
      return { kind: "string", value: decodeText(text, start + 1, end - 1, "string"), span };
    case K.bytes:
      return { kind: "bytes", value: decodeText(text, start + 2, end - 1, "bytes"), span };
    case K.backtick:
      return { kind: "time", text: text.slice(start + 1, end - 1), span };
    case K.fstring:
      return parseFString(p);
    case K.true:
    case K.false:
      return { kind: "bool", value: kind === K.true, span };
    case K.nil:
      return { kind: "nil", span };
    default:
      return undefined;
  }
}

/** For `x++` and `a ** b`, read as two operators. */
function doubledOperator(p: Parser): string | undefined {
  if (p.peek(-1) !== p.kind) return undefined;
  if (p.kind === K["+"]) return "there is no `++`; write `x += 1;`";
  return p.kind === K["*"] ? "there is no `**`; use `std::math::pow`, or multiply" : undefined;
}

/** A reserved word already reported as a name stands for that name; anything else is no operand. */
function noOperand(p: Parser, start: number): Expr {
  if (p.atReportedWord()) return parseNamePrimary(p, start);
  if (p.kind === K["-"] || p.kind === K["+"] || p.kind === K["*"] || p.kind === K["&"])
    p.failExpected("an expression", doubledOperator(p) ?? `there is no unary \`${spellingOf(p.kind)}\``);
  else if (p.kind === K.fn)
    p.failExpected("an expression", "there are no function literals; declare a `fn` and use its name");
  else if (p.kind === K[")"] && p.pos > 0 && p.peek(-1) === K["("])
    p.failExpected(
      "an expression",
      `\`()\` is a type, not a value${p.peek(-2) === K["->"] ? "; an arm that does nothing is `-> { }`" : ""}`,
    );
  else p.failExpected("an expression");
  return noExpr(p);
}

function parseNamePrimary(p: Parser, start: number): Expr {
  const word = p.tokens.wordOf(p.pos);
  if (word === "it") p.itUses++;
  else if (word === "idx") p.idxUses++;
  else if ((word === "sum" || word === "prod") && p.peek(1) === K["("]) return parseAggregate(p, word);
  const path = parsePathExpr(p);
  if (p.kind !== K["{"] || !opensLiteral(p)) return { kind: "path", path, span: path.span };
  const fields = parseLiteralBody(p);
  return { kind: "literal", path, fields, span: p.spanFrom(start) };
}

/** `a::b::c` in an expression. */
export function parsePathExpr(p: Parser): Path {
  if (p.peek(1) !== K["::"] && p.kind === K.ident) {
    const name = p.takeName();
    return { segments: [name], span: name.span };
  }
  const { start } = p;
  const segments: Name[] = [p.expectName("a path")];
  while (p.eat(K["::"])) segments.push(p.expectMember("a path segment"));
  return { segments, span: p.spanFrom(start) };
}

/** Whether the `{` here opens a struct or locus literal's fields (01 9.1). */
function opensLiteral(p: Parser): boolean {
  const first = p.peek(1);
  return first === K["}"] || (p.peek(2) === K[":"] && (isMemberName(first) || p.atReportedWord(1)));
}

/** `{ name: value, .. }`; the cursor stands at the `{`. */
export function parseLiteralBody(p: Parser): readonly FieldInit[] {
  const fields: FieldInit[] = [];
  p.expect(K["{"]);
  const outer = p.enter();
  while (p.kind !== K["}"] && !p.failed) {
    const { start } = p;
    const name = p.expectMember("a field");
    p.expect(K[":"], "fields are written `name: value`");
    const value = parseExpr(p);
    fields.push({ name, value, span: p.spanFrom(start) });
    if (!p.eat(K[","])) break;
  }
  p.leave(outer);
  p.expect(K["}"], p.kind === K[";"] ? "fields are written `name: value`, separated by `,`" : undefined);
  p.afterLiteral = p.pos;
  return fields;
}

function parseAggregate(p: Parser, operation: "sum" | "prod"): Expr {
  const { start } = p;
  p.advance();
  p.advance();
  const outer = p.enter();
  const operand = parseExpr(p);
  p.leave(outer);
  p.expect(K[")"], `\`${operation}\` takes exactly one argument`);
  return { kind: "aggregate", operation, operand, span: p.spanFrom(start) };
}

/** `(e)`, `(e,)`, `(a, b)` */
function parseParenthesised(p: Parser): Expr {
  const { start } = p;
  p.advance();
  const outer = p.enter();
  const first = parseExpr(p);
  if (p.kind === K[")"]) {
    p.leave(outer);
    p.advance();
    return { kind: "paren", inner: first, span: p.spanFrom(start) };
  }
  const members = [first];
  while (p.eat(K[","]) && p.kind !== K[")"]) members.push(parseExpr(p));
  p.leave(outer);
  p.expect(K[")"]);
  return { kind: "tuple", members, span: p.spanFrom(start) };
}

/** `[a, b]` or `[value; count]` */
function parseArray(p: Parser): Expr {
  const { start } = p;
  p.advance();
  const outer = p.enter();
  const elements: Expr[] = [];
  while (p.kind !== K["]"] && !p.failed) {
    elements.push(parseExpr(p));
    const [value] = elements;
    if (elements.length === 1 && value && p.eat(K[";"])) {
      const count = parseCount(p, "the count of `[value; count]`", 0n);
      p.leave(outer);
      p.expect(K["]"]);
      return { kind: "repeat", value, count, span: p.spanFrom(start) };
    }
    if (!p.eat(K[","])) break;
  }
  p.leave(outer);
  p.expect(K["]"]);
  return { kind: "array", elements, span: p.spanFrom(start) };
}

/** Stands for the expression that a failed rule could not give. */
export function noExpr(p: Parser): Expr {
  return { kind: "nil", span: p.spanHere() };
}
