// Blocks and statements (01 7.5).
import type { AssignOperator, Block, Expr, IfExpr, LetStmt, Name, Stmt } from "./ast.ts";
import { expectBody, parseIf, parseMatch } from "./parse-branches.ts";
import { parseArgumentList, parseExpr, parsePathExpr } from "./parse-expressions.ts";
import { parseType } from "./parse-types.ts";
import { habitHint } from "./habits.ts";
import type { Parser } from "./parser.ts";
import { K, type TokenKind } from "./tokens.ts";

export function parseBlock(p: Parser): Block {
  const { start } = p;
  const outer = p.enter();
  p.expect(K["{"]);
  const { statements, tail } = parseItems(p);
  p.expect(K["}"]);
  p.leave(outer);
  return { kind: "block", statements, ...(tail && { tail }), span: p.spanFrom(start) };
}

/** `stmt* tail?`, up to the `}` that ends them. */
function parseItems(p: Parser): { statements: Stmt[]; tail?: Expr } {
  const statements: Stmt[] = [];
  while (p.kind !== K["}"] && !p.failed) {
    if (p.kind === K.eof) {
      p.failExpected("`}`");
      break;
    }
    const item = parseItem(p);
    if (item.kind === "tail") return { statements, tail: item.expr };
    statements.push(item);
  }
  const last = statements.at(-1);
  if (last?.kind !== "if" || !hasValue(last.expr)) return { statements };
  statements.pop();
  return { statements, tail: last.expr };
}

/** Whether every branch, `else` included, ends in a tail expression: such a trailing `if` is the block's value. */
function hasValue(expr: IfExpr): boolean {
  let branch: IfExpr | Block | undefined = expr;
  while (branch?.kind === "if") {
    if (branch.then.tail === undefined) return false;
    branch = branch.otherwise;
  }
  return branch?.tail !== undefined;
}

type Tail = { readonly kind: "tail"; readonly expr: Expr };

/** One statement, or the block's tail expression. */
function parseItem(p: Parser): Stmt | Tail {
  const { start, kind } = p;
  if (kind === K.ident) return parseWordItem(p);
  if (kind >= K.accept && p.atReportedWord()) return parseSimple(p);
  switch (kind) {
    case K.let:
      return parseLet(p);
    case K.if: {
      const expr = parseIf(p);
      return { kind: "if", expr, span: expr.span };
    }
    case K.match: {
      const expr = parseMatch(p);
      return { kind: "match", expr, span: expr.span };
    }
    case K.while: {
      p.advance();
      const condition = parseExpr(p);
      expectBody(p, "the condition");
      const body = parseBlock(p);
      return { kind: "while", condition, body, span: p.spanFrom(start) };
    }
    case K.for:
      return parseFor(p);
    case K.return: {
      p.advance();
      const value = p.kind === K[";"] ? undefined : parseExpr(p);
      p.expect(K[";"]);
      return { kind: "return", ...(value && { value }), span: p.spanFrom(start) };
    }
    case K.break:
    case K.continue:
    case K.yield:
    case K.terminate:
      p.advance();
      p.expect(K[";"]);
      return { kind: jumpName(kind), span: p.spanFrom(start) };
    case K["{"]: {
      const block = parseBlock(p);
      return { kind: "block", block, span: block.span };
    }
    case K.restart:
    case K.restart_in_place:
    case K.quarantine:
    case K.reorganize:
    case K.bubble:
      return parseRecovery(p);
    default:
      return parseOther(p);
  }
}

function jumpName(kind: TokenKind): "break" | "continue" | "yield" | "terminate" {
  return kind === K.break ? "break" : kind === K.continue ? "continue" : kind === K.yield ? "yield" : "terminate";
}

/** An item that starts with no statement word: only words that hint at a mistake are looked at before the expression. */
function parseOther(p: Parser): Stmt | Tail {
  if (p.kind === K[";"]) p.failExpected("a statement", "a statement that ends with a block takes no `;`");
  else if (p.kind === K.drain || p.kind === K.dissolve)
    p.failExpected("a statement", `\`${p.text}\` is no statement; use \`bubble\`, \`restart\` or \`quarantine\``);
  else if (p.kind === K.fn)
    p.failExpected("a statement", "a `fn` cannot stand inside another one; is a `}` missing above?");
  else if (p.peek(-1) === K["}"] && BINARY_ONLY.has(p.kind))
    p.failExpected(
      "a statement",
      "a statement ends at its block; to go on, put the `if`, `match` or block in parentheses",
    );
  return parseSimple(p);
}

const BINARY_ONLY: ReadonlySet<TokenKind> = new Set([
  K["+"],
  K["*"],
  K["/"],
  K["%"],
  K["."],
  K["=="],
  K["!="],
  K["<"],
  K[">"],
  K["&&"],
  K["||"],
]);

/** An item that starts with an identifier: the contextual statements, or a simple one. */
function parseWordItem(p: Parser): Stmt | Tail {
  const { start } = p;
  const word = p.tokens.wordOf(p.pos);
  if (word === "fail" && p.fallible) {
    p.advance();
    const value = parseExpr(p);
    p.expect(K[";"]);
    return { kind: "fail", value, span: p.spanFrom(start) };
  }
  if (word === "violate" && p.peek(1) === K.ident && (p.peek(2) === K[";"] || p.peekWord(2, "with"))) {
    p.advance();
    const closure = p.takeName();
    const payload = p.eatWord("with") ? parseExpr(p) : undefined;
    p.expect(K[";"]);
    return { kind: "violate", closure, ...(payload && { payload }), span: p.spanFrom(start) };
  }
  if (word === "reperspective" && p.peek(1) === K.self) {
    p.advance();
    p.advance();
    p.expect(K["."]);
    const field = p.expectName("a field");
    p.expectWord("as");
    const implementation = parsePathExpr(p);
    p.expect(K[";"]);
    return { kind: "reperspective", field, implementation, span: p.spanFrom(start) };
  }
  return parseSimple(p);
}

function parseLet(p: Parser): LetStmt {
  const { start } = p;
  p.advance();
  const mutable = p.eat(K.mut);
  const isTuple = p.eat(K["("]);
  const names: Name[] = [];
  if (isTuple) {
    do names.push(p.expectName("a variable"));
    while (p.eat(K[","]) && p.kind !== K[")"]);
    p.expect(K[")"]);
  } else names.push(p.expectName("a variable"));
  const type = p.eat(K[":"]) ? parseType(p) : undefined;
  p.expect(K["="], "a `let` needs `= value`");
  const value = parseExpr(p);
  endStatement(p, value);
  return { kind: "let", mutable, names, isTuple, ...(type && { type }), value, span: p.spanFrom(start) };
}

function parseFor(p: Parser): Stmt {
  const { start } = p;
  p.advance();
  const variable = p.expectName("a loop variable");
  p.expect(K.in);
  const source = parseExpr(p);
  expectBody(p, "the iterated expression");
  const body = parseBlock(p);
  return { kind: "for", variable, source, body, span: p.spanFrom(start) };
}

function parseRecovery(p: Parser): Stmt {
  const { start, kind } = p;
  const actionSpan = p.spanHere();
  const action = recoveryName(kind);
  p.advance();
  const args = parseArgumentList(p);
  const limitKind = p.eat(K.for) ? "for" : p.eatWord("until") ? "until" : undefined;
  const limit = limitKind && ({ kind: limitKind, value: parseExpr(p) } as const);
  p.expect(K[";"]);
  return { kind: "recovery", action, actionSpan, args, ...(limit && { limit }), span: p.spanFrom(start) };
}

function recoveryName(kind: TokenKind): "restart" | "restart_in_place" | "quarantine" | "reorganize" | "bubble" {
  switch (kind) {
    case K.restart:
      return "restart";
    case K.restart_in_place:
      return "restart_in_place";
    case K.quarantine:
      return "quarantine";
    case K.reorganize:
      return "reorganize";
    default:
      return "bubble";
  }
}

/** What starts with an expression: assignment, send, ring write, expression statement, or the tail. */
function parseSimple(p: Parser): Stmt | Tail {
  const { start, itemStart, itemEach } = p;
  p.itemStart = p.pos;
  p.itemEach = undefined;
  const expr = parseExpr(p);
  const each = p.itemEach;
  p.itemStart = itemStart;
  p.itemEach = itemEach;
  if (p.eat(K[";"])) return { kind: "expr", expr, span: p.spanFrom(start) };
  if (p.kind === K["}"] && !each) return { kind: "tail", expr };
  if (p.kind === K["<-"]) return parseSend(p, expr, start);
  if (each) return endAtEach(p, each);
  const operator = assignOperator(p.kind);
  if (operator !== undefined) return parseAssign(p, expr, operator, start);
  const write = p.kind === K["{"] ? writeCall(expr) : undefined;
  if (write) return parseRingWrite(p, write, start);
  endStatement(p, expr);
  return { kind: "expr", expr, span: p.spanFrom(start) };
}

/** `xs.each { .. }` ends a statement without `;`; what follows it was read too far. */
function endAtEach(p: Parser, each: { readonly expr: Expr; readonly end: number }): Stmt {
  if (!p.failed) p.moveTo(each.end);
  return { kind: "expr", expr: each.expr, span: each.expr.span };
}

function assignOperator(kind: TokenKind): AssignOperator | undefined {
  switch (kind) {
    case K["="]:
      return "=";
    case K["+="]:
      return "+=";
    case K["-="]:
      return "-=";
    case K["*="]:
      return "*=";
    case K["/="]:
      return "/=";
    case K["%="]:
      return "%=";
    case K["&="]:
      return "&=";
    case K["|="]:
      return "|=";
    case K["^="]:
      return "^=";
    default:
      return undefined;
  }
}

function parseAssign(p: Parser, target: Expr, operator: AssignOperator, start: number): Stmt {
  const operatorSpan = p.spanHere();
  if (target.kind === "self") p.fail("E0104", "`self` cannot be assigned");
  else if (!isAssignable(target))
    p.fail("E0104", "this cannot be assigned: a target is a variable, a field or an element", undefined, target.span);
  p.advance();
  const value = parseExpr(p);
  if (p.kind === K["="]) p.failExpected("`;`", "an assignment is a statement, not a value");
  endStatement(p, value);
  return { kind: "assign", target, operator, operatorSpan, value, span: p.spanFrom(start) };
}

/** A name or `self`, with `.member`, `.0` and `[index]` steps (01 7.5, `lvalue`). */
function isAssignable(target: Expr): boolean {
  let expr = target;
  while (expr.kind === "member" || expr.kind === "element" || expr.kind === "index") expr = expr.receiver;
  return expr.kind === "self" || (expr.kind === "path" && expr.path.segments.length === 1);
}

/** In `T <- v or raise;` the `or` belongs to the send. */
function parseSend(p: Parser, subject: Expr, start: number): Stmt {
  p.advance();
  const value = parseExpr(p);
  p.expect(K[";"], p.kind === K["}"] ? "a send ends with `;`, even before `}`" : undefined);
  const span = p.spanFrom(start);
  if (value.kind !== "or") return { kind: "send", subject, value, span };
  return { kind: "send", subject, value: value.operand, or: value.disposition, span };
}

type WriteCall = { readonly topic: Name; readonly count: Expr };

/** `T.write(n)`: what opens a ring write when `{` follows (01 9.10). */
function writeCall(expr: Expr): WriteCall | undefined {
  if (expr.kind !== "call" || expr.callee.kind !== "member" || expr.callee.name.text !== "write") return undefined;
  const { receiver } = expr.callee;
  const [count, ...others] = expr.args;
  if (receiver.kind !== "path" || !count || others.length > 0) return undefined;
  const [topic, ...segments] = receiver.path.segments;
  return topic && segments.length === 0 ? { topic, count } : undefined;
}

function parseRingWrite(p: Parser, { topic, count }: WriteCall, start: number): Stmt {
  const bodyStart = p.start;
  const outer = p.enter();
  p.expect(K["{"]);
  const variable = p.expectName("a window");
  p.expect(K["=>"]);
  const { statements, tail } = parseItems(p);
  p.expect(K["}"]);
  p.leave(outer);
  const body: Block = { kind: "block", statements, ...(tail && { tail }), span: p.spanFrom(bodyStart) };
  p.eat(K[";"]);
  return { kind: "ring_write", topic, count, variable, body, span: p.spanFrom(start) };
}

/** The `;` of a statement that ends with `last`, with a hint when what stands there shows what was meant. */
function endStatement(p: Parser, last: Expr): void {
  if (p.eat(K[";"])) return;
  const name = last.kind === "path" && last.path.segments.length === 1 ? last.path.segments[0]?.text : undefined;
  if (name === "fail") p.failExpected("`;`", "`fail` is a statement only inside a `fallible` fn");
  else p.failExpected("`;`", operatorHint(p) ?? habitHint(p, "`;`") ?? literalHint(p, last));
}

/** For `P { x }`: a name, then a `{` that opens no literal. */
function literalHint(p: Parser, last: Expr): string | undefined {
  return p.kind === K["{"] && last.kind === "path" ? "fields are written `name: value`, separated by `,`" : undefined;
}

/** Why the current token cannot go on with an expression. */
function operatorHint(p: Parser): string | undefined {
  switch (p.kind) {
    case K["?"]:
    case K["??"]:
      return "there is no `?` operator; use `if`/`else`, or `or` for fallible calls";
    case K["~~"]:
      return "`~~` belongs to a closure's assertion";
    case K["<-"]:
      return "`<-` sends; a comparison with a negative needs a space: `a < -b`";
    case K[":"]:
      if (p.peek(1) === K["="]) return undefined;
      return "`name: value` stands in a literal, `Name { name: value }`, which takes no type arguments";
    case K.ident:
      if (p.atWord("as")) return "there are no casts with `as`; write `Int(x)` or `Float(x)`";
      if (p.atWord("or")) return "a range takes no `or`, and nothing follows `or raise`; use parentheses";
      return undefined;
    default:
      return undefined;
  }
}
