import type { Expr, LetStmt, Stmt } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import type { Body } from "./body.ts";
import { checkSend } from "./bus.ts";
import { droppedBlock, checkCondition, ifStatement, matchStatement } from "./control.ts";
import { assign } from "./conversions.ts";
import { checkChain } from "./chains.ts";
import { checkExpr, checkValue, requireAddressed, withoutParens } from "./expressions.ts";
import { checkRecovery, checkViolate } from "./failure.ts";
import { checkFor } from "./iteration.ts";
import { checkOr } from "./or.ts";
import { checkReperspective } from "./perspectives.ts";
import { checkAssign } from "./places.ts";
import { resolveType } from "./resolve-types.ts";
import { INT, isPoison, NEVER, POISON, UNIT } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { Local, TypedExpr, TypedStmt } from "./typed.ts";

/** Statements in order; a statement may become several. */
export function checkStatements(body: Body, statements: readonly Stmt[]): TypedStmt[] {
  const typed: TypedStmt[] = [];
  for (const statement of statements) {
    if (statement.kind === "expr") typed.push(...dropped(body, statement.expr, "statement"));
    else {
      const made = checkStatement(body, statement);
      if (made) typed.push(made);
    }
  }
  return typed;
}

function checkStatement(body: Body, statement: Exclude<Stmt, { readonly kind: "expr" }>): TypedStmt | undefined {
  const { span } = statement;
  switch (statement.kind) {
    case "let":
      return checkLet(body, statement);
    case "assign":
      return checkAssign(body, statement);
    case "if":
      return { kind: "expr", expr: ifStatement(body, statement.expr), span };
    case "match":
      return { kind: "expr", expr: matchStatement(body, statement.expr), span };
    case "while": {
      const condition = checkCondition(body, statement.condition);
      return { kind: "while", condition, body: loopBody(body, () => droppedBlock(body, statement.body)), span };
    }
    case "for":
      return checkFor(body, statement);
    case "return":
      return checkReturn(body, statement.value, span);
    case "break":
    case "continue":
      if (body.loops === 0) body.cx.error("E0414", span, `\`${statement.kind}\` is not inside a loop`);
      return { kind: statement.kind, span };
    case "yield":
      return { kind: "yield", span };
    case "terminate":
      if (!body.self) body.cx.error("E0514", span, "`terminate` is only valid inside a locus");
      return { kind: "terminate", span };
    case "block":
      return { kind: "block", block: droppedBlock(body, statement.block), span };
    case "fail":
      return checkFail(body, statement.value, span);
    case "violate":
      return checkViolate(body, statement);
    case "recovery":
      return checkRecovery(body, statement);
    case "reperspective":
      return checkReperspective(body, statement);
    case "send":
      return checkSend(body, statement);
    case "ring_write":
      body.cx.error("E1001", span, "not supported yet: writing to a ring");
      return undefined;
  }
}

/** Runs `check` as the body of a loop. */
export function loopBody<T>(body: Body, check: () => T): T {
  body.loops++;
  try {
    return check();
  } finally {
    body.loops--;
  }
}

// ---------------------------------------------------------------- let

function checkLet(body: Body, statement: LetStmt): TypedStmt {
  const { span } = statement;
  const declared = statement.type && resolveType(body.cx, body.env, statement.type);
  if (declared === UNIT && statement.type)
    body.cx.error("E0321", statement.type.span, "`()` has no values; a `let` cannot have it as its type");
  const wanted = declared === UNIT ? POISON : declared;
  const given = checkValue(body, statement.value, wanted);
  const value = wanted ? assign(body, given, wanted, "annotated") : given;
  const type = wanted ?? value.type;
  if (type.kind === "bounded")
    body.cx.error("E0808", value.span, "a bounded field cannot be bound by `let`; use it in its place");
  if (statement.isTuple) return letTuple(body, statement, value, type === NEVER ? POISON : type);
  const [name] = statement.names;
  if (!name || name.text === "_") return { kind: "let", local: undefined, value, span };
  const local: Local = {
    name: name.text,
    type: type === NEVER ? POISON : type,
    mutable: statement.mutable,
    kind: "let",
    span: name.span,
    ...(declared ? { isAnnotated: true } : {}),
  }; // prettier-ignore
  body.declare(local);
  return { kind: "let", local, value, span };
}

function letTuple(body: Body, statement: LetStmt, value: TypedExpr, type: TypedExpr["type"]): TypedStmt {
  const count = statement.names.length;
  const fits = type.kind === "tuple" && type.members.length === count;
  if (!fits && !isPoison(type))
    body.cx.error("E0314", statement.value.span, `expected a tuple of ${count}, got \`${typeText(type)}\``);
  const locals = statement.names.map((name, i): Local | undefined => {
    if (name.text === "_") return undefined;
    const member = fits ? (type.members[i] ?? POISON) : POISON;
    return body.declare({ name: name.text, type: member, mutable: statement.mutable, kind: "let", span: name.span });
  });
  return { kind: "let-tuple", locals, value, span: statement.span };
}

// ---------------------------------------------------------------- return, fail

function checkReturn(body: Body, expr: Expr | undefined, span: Span): TypedStmt {
  const { fn } = body;
  const isMain = fn.role === "free" && fn.name === "main";
  if (!expr) {
    if (body.result !== UNIT && !isMain && !isPoison(body.result))
      body.cx.error("E0404", span, `\`return;\` gives nothing, \`${fn.name}\` returns \`${typeText(body.result)}\``);
    return { kind: "return", value: undefined, span };
  }
  if (isMain) return { kind: "return", value: mainResult(body, expr), span };
  if (body.result !== UNIT) return { kind: "return", value: returned(body, checkValue(body, expr, body.result)), span };
  return returnInUnit(body, expr, span);
}

function mainResult(body: Body, expr: Expr): TypedExpr {
  const value = checkValue(body, expr);
  // A wrong declared result is reported where it stands.
  const isDeclaredSo = body.result === INT || body.result === UNIT;
  if (value.type !== INT && !isPoison(value.type) && isDeclaredSo)
    body.cx.error("E0404", value.span, `\`main\` returns an exit code, an Int, not \`${typeText(value.type)}\``);
  return value;
}

/** A returned or tail value as the function's result. */
export function returned(body: Body, value: TypedExpr): TypedExpr {
  return assign(body, value, body.result, "value", {
    code: "E0404",
    message: (expected, got) => `return: expected \`${expected}\`, got \`${got}\``,
  });
}

/** `return e;` where the result is unit: refused for a written `-> ()` and in hooks, else `e` is evaluated and dropped (04 2.1.1). */
function returnInUnit(body: Body, expr: Expr, span: Span): TypedStmt {
  const { fn } = body;
  if (fn.role === "hook" || fn.role === "on_failure") {
    body.cx.error("E0506", span, "a lifecycle body returns no value; write `return;`");
  } else if (fn.declaresResult) {
    body.cx.error("E0404", span, "`-> ()` returns no value; write `return;`");
  }
  const statements = dropped(body, expr, "tail");
  return {
    kind: "block",
    block: { statements: [...statements, { kind: "return", value: undefined, span }], tail: undefined, span },
    span,
  };
}

function checkFail(body: Body, expr: Expr, span: Span): TypedStmt {
  const { fallible } = body;
  const value = checkValue(body, expr, fallible);
  if (!fallible) {
    body.cx.error("E0419", span, "`fail` is only legal in a fallible function");
    return { kind: "fail", value, span };
  }
  return { kind: "fail", value: assign(body, value, fallible, "store", { code: "E0419" }), span };
}

// ---------------------------------------------------------------- values that are dropped

/**
 * An expression whose value is dropped. As a `statement` it must do something (04 5.4); a `tail` of a block without value and the
 * body of an `arm` need not.
 */
export function dropped(body: Body, expr: Expr, as: "statement" | "tail" | "arm"): TypedStmt[] {
  const { span } = expr;
  const inner = withoutParens(expr);
  switch (inner.kind) {
    case "if":
      return [{ kind: "expr", expr: ifStatement(body, inner), span }];
    case "match":
      return [{ kind: "expr", expr: matchStatement(body, inner), span }];
    case "block":
      return [{ kind: "block", block: droppedBlock(body, inner.block), span }];
    case "or":
      return [{ kind: "expr", expr: checkOr(body, inner, undefined, "statement"), span }];
    case "chain":
      return droppedValue(body, checkChain(body, inner), span);
    case "call":
    case "literal":
      return droppedValue(body, checkExpr(body, inner), span);
    default: {
      const value = checkExpr(body, inner);
      if (requireAddressed(body, value)) return [];
      if (as === "statement" && !isPoison(value.type)) body.cx.error("E0407", span, "this value is not used");
      return [{ kind: "expr", expr: value, span }];
    }
  }
}

function droppedValue(body: Body, value: TypedExpr, span: Span): TypedStmt[] {
  return requireAddressed(body, value) ? [] : [{ kind: "expr", expr: value, span }];
}
