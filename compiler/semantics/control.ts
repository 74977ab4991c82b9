// Blocks, `if` and `match`, as values and as statements.
import type { Block, Expr, IfExpr, MatchArm, MatchExpr } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { assign } from "./conversions.ts";
import { checkValue } from "./expressions.ts";
import { alwaysLeaves, neverGives, valuelessHelp } from "./flow.ts";
import { bindPattern, missingCases } from "./patterns.ts";
import { dropped, checkStatements } from "./statements.ts";
import { BOOL, isPoison, NEVER, UNIT } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedArm, TypedBlock, TypedExpr, TypedStmt } from "./typed.ts";
import type { Type } from "./types.ts";

/** A block whose tail is its value. The type is the tail's, `never` when the block always leaves, unit otherwise. */
export function valueBlock(
  body: Body,
  block: Block,
  expected?: Type,
): { readonly block: TypedBlock; readonly type: Type } {
  return body.scoped(() => {
    const statements = checkStatements(body, block.statements);
    if (!block.tail)
      return {
        block: { statements, tail: undefined, span: block.span },
        type: alwaysLeaves(statements) ? NEVER : UNIT,
      };
    const tail = checkValue(body, block.tail, expected);
    return finishValueBlock(statements, tail, block.span);
  });
}

export function finishValueBlock(
  statements: readonly TypedStmt[],
  tail: TypedExpr,
  span: Span,
): { readonly block: TypedBlock; readonly type: Type } {
  if (tail.type !== NEVER) return { block: { statements, tail, span }, type: tail.type };
  const last: TypedStmt = { kind: "expr", expr: tail, span: tail.span };
  return { block: { statements: [...statements, last], tail: undefined, span }, type: NEVER };
}

/** A block whose value, if it has one, is dropped. */
export function droppedBlock(body: Body, block: Block): TypedBlock {
  return body.scoped(() => droppedContents(body, block));
}

/** The same in the current scope: a function's body shares its scope with the parameters' children blocks. */
export function droppedContents(body: Body, block: Block): TypedBlock {
  const statements = checkStatements(body, block.statements);
  const all = block.tail ? [...statements, ...dropped(body, block.tail, "tail")] : statements;
  return { statements: all, tail: undefined, span: block.span };
}

/** `{ .. }` as an expression. */
export function blockExpression(body: Body, block: Block, expected: Type | undefined): TypedExpr {
  const { block: typed, type } = valueBlock(body, block, expected);
  return { kind: "block", block: typed, type, span: block.span };
}

export function checkCondition(body: Body, expr: Expr): TypedExpr {
  const condition = checkValue(body, expr);
  if (condition.type === BOOL || isPoison(condition.type) || condition.type === NEVER) return condition;
  body.cx.error("E0408", condition.span, `a condition must be Bool, got \`${typeText(condition.type)}\``, {
    help:
      condition.type.kind === "primitive" && condition.type.name === "Int"
        ? "there is no truthiness: write `x != 0`"
        : undefined,
  });
  return poison(condition.span);
}

// ---------------------------------------------------------------- if

/** `if` as a value: every branch gives one of the same type (04 6.3). */
export function checkIf(body: Body, expr: IfExpr, expected: Type | undefined): TypedExpr {
  const condition = checkCondition(body, expr.condition);
  const then = branch(body, expr.then, expected);
  if (!expr.otherwise) {
    body.cx.error("E0409", expr.span, "an `if` that gives a value needs an `else`");
    return poison(expr.span);
  }
  const otherwise =
    expr.otherwise.kind === "if"
      ? elseIf(checkIf(body, expr.otherwise, expected))
      : branch(body, expr.otherwise, expected);
  if (isPoison(then.type) || isPoison(otherwise.type)) return poison(expr.span);
  for (const { type, block } of [then, otherwise]) {
    if (type !== UNIT && !(type === NEVER && !neverGives(block))) continue;
    const why =
      type === UNIT
        ? "this branch has no value"
        : "this branch leaves and gives no value; write the whole `if` as a statement";
    const help = type === UNIT ? valuelessHelp(block) : undefined;
    body.cx.error("E0409", expr.span, why, { related: [{ span: block.span, note: "the branch" }], help });
    return poison(expr.span);
  }
  const type = then.type === NEVER ? otherwise.type : then.type;
  if (otherwise.type !== NEVER && otherwise.type !== type) {
    body.cx.error(
      "E0409",
      expr.span,
      `branches differ: \`${typeText(then.type)}\` and \`${typeText(otherwise.type)}\``,
    );
    return poison(expr.span);
  }
  return { kind: "if", condition, then: then.block, otherwise: otherwise.block, type, span: expr.span };
}

function branch(
  body: Body,
  block: Block,
  expected: Type | undefined,
): { readonly block: TypedBlock; readonly type: Type } {
  const { block: typed, type } = valueBlock(body, block, expected);
  const { tail } = typed;
  if (!tail || !convertsInBranch(tail, expected)) return { block: typed, type };
  const converted = assign(body, tail, expected, "store");
  return { block: { ...typed, tail: converted }, type: converted.type };
}

/** With an expected interface each branch converts (04 6.3). */
function convertsInBranch(value: TypedExpr, expected: Type | undefined): expected is Type {
  if (expected === undefined || value.type === expected || isPoison(value.type) || value.type === NEVER) return false;
  return expected.kind === "interface" || value.type.kind === "scalar";
}

function elseIf(nested: TypedExpr): { readonly block: TypedBlock; readonly type: Type } {
  return { block: { statements: [], tail: nested, span: nested.span }, type: nested.type };
}

/** `if` as a statement: values of branches are dropped. */
export function ifStatement(body: Body, expr: IfExpr): TypedExpr {
  const condition = checkCondition(body, expr.condition);
  const then = droppedBlock(body, expr.then);
  const otherwise = expr.otherwise && droppedElse(body, expr.otherwise);
  return { kind: "if", condition, then, otherwise, type: UNIT, span: expr.span };
}

function droppedElse(body: Body, otherwise: Block | IfExpr): TypedBlock {
  if (otherwise.kind !== "if") return droppedBlock(body, otherwise);
  const nested = ifStatement(body, otherwise);
  return { statements: [{ kind: "expr", expr: nested, span: nested.span }], tail: undefined, span: nested.span };
}

// ---------------------------------------------------------------- match

/** `match` as a value: every arm gives one type, or leaves (04 7.7). */
export function checkMatch(body: Body, expr: MatchExpr, expected: Type | undefined): TypedExpr {
  const scrutinee = matchScrutinee(body, expr);
  const arms = expr.arms.map((arm) => checkArm(body, arm, scrutinee, (inner) => armValue(body, inner, expected)));
  if (!isPoison(scrutinee.type)) requireExhaustive(body, expr, scrutinee.type, arms);
  const valued = arms.filter((arm) => arm.body.type !== NEVER);
  if (valued.some((arm) => isPoison(arm.body.type))) return poison(expr.span);
  const type = valued[0]?.body.type ?? NEVER;
  const odd = valued.find((arm) => arm.body.type !== type);
  if (type === UNIT || odd?.body.type === UNIT) {
    body.cx.error("E0411", expr.keywordSpan, "an arm of this `match` has no value");
    return poison(expr.span);
  }
  if (odd) {
    body.cx.error("E0411", expr.keywordSpan, `arms differ: \`${typeText(type)}\` and \`${typeText(odd.body.type)}\``);
    return poison(expr.span);
  }
  return { kind: "match", scrutinee, arms, type, span: expr.span };
}

function armValue(body: Body, expr: Expr, expected: Type | undefined): TypedExpr {
  if (expr.kind === "block") {
    const { block, type } = branch(body, expr.block, expected);
    return { kind: "block", block, type, span: expr.span };
  }
  const value = checkValue(body, expr, expected);
  return convertsInBranch(value, expected) ? assign(body, value, expected, "store") : value;
}

/** `match` as a statement: values of arms are dropped. */
export function matchStatement(body: Body, expr: MatchExpr): TypedExpr {
  const scrutinee = matchScrutinee(body, expr);
  const arms = expr.arms.map((arm) => checkArm(body, arm, scrutinee, (inner) => droppedArm(body, inner)));
  if (!isPoison(scrutinee.type)) requireExhaustive(body, expr, scrutinee.type, arms);
  return { kind: "match", scrutinee, arms, type: UNIT, span: expr.span };
}

function droppedArm(body: Body, expr: Expr): TypedExpr {
  const block: TypedBlock =
    expr.kind === "block"
      ? droppedBlock(body, expr.block)
      : { statements: body.scoped(() => dropped(body, expr, "arm")), tail: undefined, span: expr.span };
  return { kind: "block", block, type: alwaysLeaves(block.statements) ? NEVER : UNIT, span: expr.span };
}

/** Without a scrutinee a match is one on `true` (04 7.8). */
function matchScrutinee(body: Body, expr: MatchExpr): TypedExpr {
  return expr.scrutinee
    ? checkValue(body, expr.scrutinee)
    : { kind: "bool", value: true, type: BOOL, span: expr.keywordSpan };
}

function checkArm(body: Body, arm: MatchArm, scrutinee: TypedExpr, checkBody: (expr: Expr) => TypedExpr): TypedArm {
  return body.scoped(() => {
    const pattern = arm.pattern ? bindPattern(body, arm.pattern, scrutinee.type) : ({ kind: "any" } as const);
    const guard = arm.guard && checkCondition(body, arm.guard);
    return { pattern, guard, body: checkBody(arm.body), span: arm.span };
  });
}

function requireExhaustive(body: Body, expr: MatchExpr, type: Type, arms: readonly TypedArm[]): void {
  const missing = missingCases(type, arms);
  if (missing === undefined) return;
  const what = !expr.scrutinee
    ? "an `else` arm is missing"
    : missing.length === 0
      ? "a catch-all arm `_ -> ..` is missing"
      : `${missing.map((name) => `\`${name}\``).join(", ")} ${missing.length === 1 ? "is" : "are"} missing`;
  body.cx.error("E0410", expr.keywordSpan, `match is not exhaustive: ${what}`);
}
