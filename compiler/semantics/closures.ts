// Closures of loci: declarations, assertions and what accumulates in them (05b 5b.2 to 5b.7).
import type { BirthCheckDecl, ClosureDecl, Expr, LocusDecl, Name } from "../syntax/index.ts";
import { Body, poison } from "./body.ts";
import { type CallExpr, giveUp } from "./calls.ts";
import type { AccumulatorInfo, Context, Env } from "./context.ts";
import type { Mismatch } from "./conversions.ts";
import { checkExpr, checkValue, withoutParens } from "./expressions.ts";
import { accumulate, isAccumulatorName } from "./accumulators.ts";
import { initialiserOf, memberName } from "./signatures.ts";
import { BOOL, DURATION, isNumeric, isPoison, POISON } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedClosure, TypedExpr, TypedFunction } from "./typed.ts";
import type { LocusField, LocusType, Type } from "./types.ts";
import { fieldType } from "./untyped-fields.ts";

/** Fills in a locus's closures and birth checks; assertions are typed once all loci are complete. */
export function declareClosures(cx: Context, type: LocusType, decl: LocusDecl, env: Env): void {
  const closures: TypedClosure[] = [];
  const checks: BirthCheckDecl[] = [];
  for (const member of decl.members) {
    if (member.kind === "birth_check") checks.push(member);
    if (member.kind !== "closure") continue;
    const name = member.name.text;
    if (closures.some((earlier) => earlier.name === name))
      cx.error("E0601", member.name.span, `closure \`${name}\` is already declared in \`${typeText(type)}\``);
    else closures.push(declareClosure(cx, type, env, member));
  }
  type.closures = closures;
  type.birthChecks = checks.flatMap((check) => declareBirthCheck(cx, type, env, check) ?? []);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function declareClosure(cx: Context, type: LocusType, env: Env, decl: ClosureDecl): TypedClosure {
  const closure: Mutable<TypedClosure> = {
    name: decl.name.text,
    locus: type,
    epoch: epochOf(cx, decl),
    assertion: undefined,
    accumulators: [],
    period: undefined,
    captures: namesOf(decl, "captures").flatMap((name) => captured(cx, type, name) ?? []),
    persistsThrough: namesOf(decl, "persists_through").map((name) => name.text),
    resetsOn: namesOf(decl, "resets_on").map((name) => name.text),
    resetsPerEpoch: namesOf(decl, "resets_per_epoch").map((name) => name.text),
    span: decl.name.span,
  };
  judgeShape(cx, decl, closure);
  const [period] = decl.clauses.flatMap((clause) =>
    clause.kind === "epoch" && clause.epoch === "duration" ? [clause.period] : [],
  );
  if (period)
    closure.period = initialiserOf(cx, env, {
      name: memberName(type, `${closure.name}.period`),
      self: type,
      result: DURATION,
      expr: period,
      mismatch: PERIOD_MISMATCH,
    });
  cx.afterDeclarations.push(() => {
    if (decl.assertion && closure.epoch !== "inline") typeAssertion(cx, type, env, closure, decl.assertion);
    checkResets(cx, type, decl);
  });
  return closure;
}

function namesOf(
  decl: ClosureDecl,
  kind: "persists_through" | "resets_on" | "resets_per_epoch" | "captures",
): readonly Name[] {
  return decl.clauses.flatMap((clause) => (clause.kind === kind ? clause.names : []));
}

function epochOf(cx: Context, decl: ClosureDecl): TypedClosure["epoch"] {
  const epochs = decl.clauses.filter((clause) => clause.kind === "epoch");
  const [first, second] = epochs;
  if (second) cx.error("E0602", second.span, `closure \`${decl.name.text}\` has two epochs`);
  return first?.epoch ?? "dissolve";
}

function captured(cx: Context, type: LocusType, name: Name): LocusField | undefined {
  const field = type.fields.find((candidate) => candidate.name === name.text);
  if (!field) cx.error("E0603", name.span, `\`${name.text}\` is not a field of \`${typeText(type)}\``);
  return field;
}

/** Which clauses go with which epoch (05b 5b.2). */
function judgeShape(cx: Context, decl: ClosureDecl, closure: TypedClosure): void {
  const name = closure.name;
  const isInline = closure.epoch === "inline";
  if (!decl.assertion && !isInline)
    cx.error(
      "E0602",
      decl.name.span,
      `closure \`${name}\` has no assertion; only \`epoch inline\` closures may omit it`,
    );
  if (decl.assertion && isInline)
    cx.error("E0602", decl.assertion.span, "an inline closure has no assertion; it fires through `violate`");
  const captures = decl.clauses.find((clause) => clause.kind === "captures");
  if (captures && !isInline) cx.error("E0603", captures.span, "`captures` is for inline closures");
  const resets = decl.clauses.find((clause) => clause.kind === "resets_per_epoch");
  if (resets && closure.epoch !== "duration")
    cx.error("E0603", resets.span, "`resets_per_epoch` needs `epoch duration(..)`");
}

function checkResets(cx: Context, type: LocusType, decl: ClosureDecl): void {
  for (const name of namesOf(decl, "resets_per_epoch")) {
    const field = type.fields.find((candidate) => candidate.name === name.text);
    if (!field) cx.error("E0603", name.span, `\`${name.text}\` is not a field of \`${typeText(type)}\``);
    else if (!isNumeric(fieldType(cx, field)) && !isPoison(field.type))
      cx.error("E0603", name.span, `field \`${name.text}\` is not numeric`);
  }
}

const PERIOD_MISMATCH: Mismatch = {
  code: "E0604",
  message: (_, got) => `\`duration\` takes a Duration, not \`${got}\``,
};

/** Checks an expression over `self` without keeping it. */
function probe(
  cx: Context,
  type: LocusType,
  env: Env,
  expr: Expr,
  expected?: Type,
  accumulators?: AccumulatorInfo[],
): TypedExpr {
  const fn = initialiserOf(cx, env, { name: memberName(type, "closure"), self: type, result: POISON, expr });
  return checkValue(new Body(cx, env, fn, { accumulators }), expr, expected);
}

// ---------------------------------------------------------------- assertions

/** `left ~~ right within tolerance`: one numeric type on all sides, and something of the locus in it. */
function typeAssertion(
  cx: Context,
  type: LocusType,
  env: Env,
  closure: Mutable<TypedClosure>,
  assertion: NonNullable<ClosureDecl["assertion"]>,
): void {
  const parts = [assertion.left, assertion.right, assertion.tolerance];
  const sides = parts.map((expr) => probe(cx, type, env, expr, undefined, []));
  const [left, right, tolerance] = sides.map((side) => side.type);
  if (!left || !right || !tolerance || [left, right, tolerance].some(isPoison)) return;
  const name = closure.name;
  if (left !== right || left !== tolerance || !isNumeric(left)) {
    const shown =
      left === right
        ? `sides of type ${typeText(left)} and a tolerance of type ${typeText(tolerance)}`
        : `sides have types ${typeText(left)} and ${typeText(right)}`;
    cx.error(
      "E0604",
      assertion.left.span,
      `closure \`${name}\`: ${shown}; they must be one of Int, Float, Decimal, Duration`,
    );
    return;
  }
  if (isLiteral(assertion.left) && isLiteral(assertion.right)) {
    cx.error("E0604", assertion.left.span, `closure \`${name}\` compares two literals; it must observe the locus`);
    return;
  }
  const accumulators: AccumulatorInfo[] = [];
  const [l, r, t] = parts.map((expr, i): TypedFunction => {
    const suffix = ["left", "right", "tolerance"][i] ?? "";
    return initialiserOf(cx, env, {
      name: memberName(type, `${name}.${suffix}`),
      self: type,
      result: left,
      expr,
      accumulators,
    });
  });
  if (!l || !r || !t) return;
  closure.assertion = { left: l, right: r, tolerance: t };
  closure.accumulators = accumulators;
  for (const fn of [l, r, t]) cx.reachWith(type, fn);
}

/** Built of literals only: such an assertion observes nothing. */
function isLiteral(expr: Expr): boolean {
  const inner = withoutParens(expr);
  switch (inner.kind) {
    case "int":
    case "float":
    case "decimal":
    case "quantity":
      return true;
    case "unary":
      return isLiteral(inner.operand);
    case "binary":
      return isLiteral(inner.left) && isLiteral(inner.right);
    default:
      return false;
  }
}

// ---------------------------------------------------------------- birth checks

const CONDITION_MISMATCH: Mismatch = {
  code: "E0607",
  message: (_, got) => `a birth_check's condition must be Bool, got \`${got}\``,
};

function declareBirthCheck(
  cx: Context,
  type: LocusType,
  env: Env,
  decl: BirthCheckDecl,
): LocusType["birthChecks"][number] | undefined {
  const closure = inlineClosure(cx, type, decl.closure);
  const condition = initialiserOf(cx, env, {
    name: memberName(type, "birth_check"),
    self: type,
    result: BOOL,
    expr: decl.condition,
    mismatch: CONDITION_MISMATCH,
  });
  if (!closure) return undefined;
  const check: Mutable<LocusType["birthChecks"][number]> = { condition, closure, payload: undefined };
  const { payload } = decl;
  if (payload) {
    cx.afterDeclarations.push(() => {
      const result = probe(cx, type, env, payload).type;
      check.payload = initialiserOf(cx, env, {
        name: memberName(type, "birth_check.payload"),
        self: type,
        result,
        expr: payload,
      });
      cx.reachWith(type, check.payload);
    });
  }
  return check;
}

/** The inline closure that a `violate` or `birth_check` names; undefined: reported. */
export function inlineClosure(cx: Context, type: LocusType, name: Name): TypedClosure | undefined {
  const closure = type.closures.find((candidate) => candidate.name === name.text);
  if (!closure) cx.error("E0606", name.span, `locus \`${typeText(type)}\` has no closure \`${name.text}\``);
  else if (closure.epoch !== "inline") cx.error("E0606", name.span, `closure \`${name.text}\` is not inline`);
  else return closure;
  return undefined;
}

// ---------------------------------------------------------------- accumulators

/** `sum(e)`, `prod(e)` where the parser sees an aggregate. */
export function checkAggregate(body: Body, expr: Expr & { readonly kind: "aggregate" }): TypedExpr {
  if (expr.operation === "prod") body.cx.error("E0605", expr.span, "`prod` is not available");
  else if (body.accumulators) return accumulate(body, "sum", expr.operand, expr.span);
  else body.cx.error("E0605", expr.span, "`sum(..)` has a meaning only in a closure's assertion");
  checkExpr(body, expr.operand);
  return poison(expr.span);
}

/** `sum`, `prod` called in another spelling than the aggregate form. */
export function checkAccumulator(body: Body, expr: CallExpr, name: Name): TypedExpr {
  body.cx.error(
    "E0605",
    name.span,
    name.text === "prod" ? "`prod` is not available" : "`sum(..)` has a meaning only in a closure's assertion",
  );
  return giveUp(body, expr);
}

/** `count()` and `mean(e)`: ordinary names outside an assertion. */
export function assertionCall(body: Body, expr: CallExpr, name: Name): TypedExpr | undefined {
  if (!body.accumulators || !isAccumulatorName(name.text)) return undefined;
  const [operand, second] = expr.args;
  if (name.text === "count" && !operand) return accumulate(body, "count", undefined, expr.span);
  if (name.text === "mean" && operand && !second) return accumulate(body, "mean", operand, expr.span);
  return undefined;
}
