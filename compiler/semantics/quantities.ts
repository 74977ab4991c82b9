// Quantities and points (03b 4): counts of a denomination. All of it is Int arithmetic; what may leave a remainder is a function that can fail.
import type { BinaryOperator, Expr } from "../syntax/index.ts";
import { nearestName, type Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { type CallExpr, giveUp } from "./calls.ts";
import type { Context } from "./context.ts";
import { checkValue, withoutParens } from "./expressions.ts";
import { injectedError } from "./injected.ts";
import type { MemberCallee } from "./methods.ts";
import { binary } from "./operators.ts";
import { meetOf, over, type Ratio, ratio, times } from "./ratio.ts";
import { isMeasured, injectedRecord } from "./scalars.ts";
import { measureOf, type Policy, pointMeasure, policyNamed, quantityAt } from "./scalar-type.ts";
import { synthesise, Writer } from "./synthesis.ts";
import { BOOL, DURATION, INT, STRING } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { BinaryOperation, TypedExpr, TypedFunction } from "./typed.ts";
import type { Measure, Type } from "./types.ts";
import { NUMBERS, TIME_COMPONENT, type UnitSize } from "./units.ts";

const INT_MAX = 0x7fff_ffff_ffff_ffffn;

// ---------------------------------------------------------------- literals

/** `5s`, `1_250USD`: a Duration, or a quantity of the program's own units (03b 4.2). */
export function quantityLiteral(
  body: Body,
  expr: Expr & { readonly kind: "quantity" },
  expected: Type | undefined,
): TypedExpr {
  const { cx } = body;
  const { span } = expr;
  const unit = cx.units.find(expr.unit);
  if (!unit) {
    cx.units.reportUnknown(cx, expr.unit, span);
    return poison(span);
  }
  const amount = times(unit.size, ratio(expr.magnitude, 1n));
  const wanted = expected && (measureOf(expected) ?? undefined);
  if (expected && wanted?.component === unit.component)
    return literalAs(body, expr, expected, wanted, expr.magnitude === 0n ? { n: 0n, d: 1n } : amount);
  const principal = unit.component === TIME_COMPONENT ? DURATION : cx.quantities.get(unit.component);
  if (!principal) {
    cx.error("E0320", span, `no quantity is declared for the unit \`${expr.unit}\``);
    return poison(span);
  }
  const own = measureOf(principal);
  if (!own || expr.magnitude === 0n) return counted(body, span, 0n, principal);
  const count = over(amount, own.denomination);
  if (count.d === 1n) return counted(body, span, count.n, principal);
  return counted(body, span, expr.magnitude, quantityAt(cx, unit.component, unit.size));
}

function literalAs(
  body: Body,
  expr: Expr & { readonly kind: "quantity" },
  type: Type,
  measure: Measure,
  amount: Ratio,
): TypedExpr {
  const count = amount.n === 0n ? amount : over(amount, measure.denomination);
  if (count.d === 1n) return counted(body, expr.span, count.n, type);
  if (measure.policy) return counted(body, expr.span, rounded(count.n, count.d, measure.policy), type);
  body.cx.error("E0325", expr.span, `\`${expr.magnitude}${expr.unit}\` is no whole number of \`${typeText(type)}\``);
  return poison(expr.span);
}

function counted(body: Body, span: Span, count: bigint, type: Type): TypedExpr {
  if (count > INT_MAX) {
    body.cx.error(
      "E0320",
      span,
      type === DURATION
        ? "this duration is beyond the Int range of nanoseconds"
        : "this quantity is beyond the Int range",
    );
    return poison(span);
  }
  return type === DURATION
    ? { kind: "duration", nanoseconds: count, type, span }
    : { kind: "int", value: count, type, span };
}

/** `n / d` by a policy, for constants. */
function rounded(n: bigint, d: bigint, policy: Policy): bigint {
  const quotient = n / d;
  const remainder = n % d;
  if (remainder === 0n) return quotient;
  const away = n < 0n ? -1n : 1n;
  const twice = (remainder < 0n ? -remainder : remainder) * 2n;
  switch (policy) {
    case "floor":
      return n < 0n ? quotient - 1n : quotient;
    case "ceil":
      return n < 0n ? quotient : quotient + 1n;
    case "trunc":
      return quotient;
    case "half_up":
      return twice >= d ? quotient + away : quotient;
    case "half_even":
      return twice > d || (twice === d && quotient % 2n !== 0n) ? quotient + away : quotient;
  }
}

// ---------------------------------------------------------------- changing the denomination

/** A value's count as an Int. */
function countOf(value: TypedExpr): TypedExpr {
  if (value.kind === "duration") return { kind: "int", value: value.nanoseconds, type: INT, span: value.span };
  if (value.kind === "int") return { ...value, type: INT };
  return value.type === INT
    ? value
    : { kind: "convert", conversion: "scalar", operand: value, type: INT, span: value.span };
}

function typed(count: TypedExpr, type: Type): TypedExpr {
  return count.type === type
    ? count
    : { kind: "convert", conversion: "scalar", operand: count, type, span: count.span };
}

function scaled(count: TypedExpr, by: bigint): TypedExpr {
  if (by === 1n) return count;
  const factor: TypedExpr = { kind: "int", value: BigInt.asIntN(64, by), type: INT, span: count.span };
  return { kind: "binary", operation: "multiply", left: count, right: factor, type: INT, span: count.span };
}

/**
 * `value` as the quantity (or point) `target` of its component: exact where the target is finer, by the target's policy where it has one. "narrows": it may
 * leave a remainder and nothing says what becomes of it. Undefined: another component, no quantity.
 */
export function convertMeasured(cx: Context, value: TypedExpr, target: Type): TypedExpr | "narrows" | undefined {
  const from = measureOf(value.type) ?? pointMeasure(value.type);
  const to = measureOf(target) ?? pointMeasure(target);
  const sameShape = (measureOf(value.type) === undefined) === (measureOf(target) === undefined);
  if (!from || !to || !sameShape || from.component !== to.component || !sameOrigin(from, to)) return undefined;
  const factor = over(from.denomination, to.denomination);
  if (factor.d === 1n) return typed(scaled(countOf(value), factor.n), target);
  if (!to.policy) return "narrows";
  return divided(cx, scaled(countOf(value), factor.n), factor.d, to.policy, target);
}

function sameOrigin(a: Measure, b: Measure): boolean {
  return a.origin?.n === b.origin?.n && a.origin?.d === b.origin?.d;
}

/** A count divided by a constant, rounded by a policy. */
function divided(cx: Context, count: TypedExpr, by: bigint, policy: Policy, type: Type): TypedExpr {
  const fn = division(cx, policy);
  const divisor: TypedExpr = { kind: "int", value: by, type: INT, span: count.span };
  return typed(
    {
      kind: "call",
      callee: { kind: "function", function: fn },
      args: [count, divisor],
      fallible: undefined,
      type: INT,
      span: count.span,
    },
    type,
  );
}

/** Integer division by a positive divisor with a rounding policy. */
function division(cx: Context, policy: Policy): TypedFunction {
  const span = cx.libraryStart;
  const w = new Writer(span);
  return synthesise(cx, {
    name: `divide.${policy}`,
    params: [
      ["count", INT],
      ["by", INT],
    ],
    result: INT,
    span,
    body: ([count = w.int(0n), by = w.int(1n)]) => {
      const quotient = w.local("quotient", INT);
      const remainder = w.local("remainder", INT);
      const q = w.read(quotient);
      const r = w.read(remainder);
      const zero = w.int(0n);
      const one = w.int(1n);
      const statements = [
        w.let(quotient, w.binary("divide", count, by)),
        w.let(remainder, w.binary("remainder", count, by)),
      ];
      const below = w.when(w.compare("less", r, zero), w.give(w.binary("subtract", q, one)));
      const above = w.when(w.compare("greater", r, zero), w.give(w.binary("add", q, one)));
      if (policy === "floor") statements.push(below);
      if (policy === "ceil") statements.push(above);
      if (policy === "half_even" || policy === "half_up") {
        // Half of the divisor is compared as `|r| > by - |r|`: doubling could overflow.
        const size = w.local("size", INT);
        const s = w.read(size);
        const rest = w.binary("subtract", by, s);
        const isOdd = w.compare("not-equal", w.binary("remainder", q, w.int(2n)), zero);
        const tie = w.compare("equal", s, rest);
        const goesOn = w.either(w.compare("greater", s, rest), policy === "half_up" ? tie : w.both(tie, isOdd));
        statements.push(
          w.let(size, r),
          w.when(w.compare("less", s, zero), w.set(size, { kind: "negate", operand: r, type: INT, span })),
          w.when(goesOn, below, above),
        );
      }
      return { statements, tail: q };
    },
  }); // prettier-ignore
}

/** A division by a constant that fails with `InexactError` when a remainder is left; the five policies may follow its `or`. */
function narrowingCall(cx: Context, count: TypedExpr, by: bigint, target: Type, name: string): TypedExpr {
  const span = cx.libraryStart;
  const w = new Writer(span);
  const fallible = injectedError(cx, "InexactError");
  const fn = synthesise(cx, {
    name: `${name}/${by}`,
    params: [["count", INT]],
    result: target,
    fallible,
    span,
    body: ([value = w.int(0n)]) => {
      const error = injectedRecord(w, fallible, {
        kind: { kind: "string", value: new TextEncoder().encode(name), type: STRING, span },
        value,
        divisor: w.int(by),
      }); // prettier-ignore
      const isInexact = w.compare("not-equal", w.binary("remainder", value, w.int(by)), w.int(0n));
      return {
        statements: [w.when(isInexact, w.fail(error))],
        tail: w.as(w.binary("divide", value, w.int(by)), target),
      };
    },
  }); // prettier-ignore
  const byPolicy = (policy: Policy) => () =>
    synthesise(cx, {
      name: `${name}/${by}.${policy}`,
      params: [["count", INT]],
      result: target,
      span,
      body: ([value = w.int(0n)]) => ({
        statements: [],
        tail: w.as(w.call(division(cx, policy), [value, w.int(by)]), target),
      }),
    }); // prettier-ignore
  const policies: readonly Policy[] = ["floor", "ceil", "trunc", "half_even", "half_up"];
  cx.narrowings.set(fn, new Map(policies.map((policy) => [policy, byPolicy(policy)])));
  return {
    kind: "call",
    callee: { kind: "function", function: fn },
    args: [count],
    fallible,
    type: target,
    span: count.span,
  };
}

// ---------------------------------------------------------------- conversions that are written

/** `T(x)` for a quantity or point `T`; undefined: `x` does not convert. */
export function measuredConversion(body: Body, value: TypedExpr, target: Type, span: Span): TypedExpr | undefined {
  const { cx } = body;
  const point = pointMeasure(target);
  const from = measureOf(value.type);
  if (point && from)
    return point.component === from.component ? explicitly(cx, value, from, point, target, span) : undefined;
  const sourcePoint = pointMeasure(value.type);
  if (point && sourcePoint && point.component === sourcePoint.component)
    return betweenPoints(cx, value, sourcePoint, point, target);
  const to = measureOf(target);
  if (!to || !from || to.component !== from.component) return undefined;
  return explicitly(cx, value, from, to, target, span);
}

function explicitly(cx: Context, value: TypedExpr, from: Measure, to: Measure, target: Type, span: Span): TypedExpr {
  const factor = over(from.denomination, to.denomination);
  const count = { ...scaled(countOf(value), factor.n), span };
  if (factor.d === 1n) return typed(count, target);
  return to.policy
    ? divided(cx, count, factor.d, to.policy, target)
    : narrowingCall(cx, count, factor.d, target, typeText(target));
}

/** Between points of one quantity: the same instant seen from another zero. */
function betweenPoints(cx: Context, value: TypedExpr, from: PointMeasure, to: PointMeasure, target: Type): TypedExpr {
  const distance = { n: from.origin.n * to.origin.d - to.origin.n * from.origin.d, d: from.origin.d * to.origin.d };
  // All in counts of a denomination in which both counts and the distance are whole.
  const fine =
    distance.n === 0n
      ? meetOf(from.denomination, to.denomination)
      : meetOf(meetOf(from.denomination, to.denomination), ratio(abs(distance.n), distance.d));
  const shift =
    distance.n === 0n ? 0n : over(ratio(abs(distance.n), distance.d), fine).n * (distance.n < 0n ? -1n : 1n);
  const scaledCount = scaled(countOf(value), over(from.denomination, fine).n);
  const moved = shift === 0n ? scaledCount : plus(scaledCount, shift);
  const by = over(to.denomination, fine).n;
  if (by === 1n) return typed(moved, target);
  return to.policy ? divided(cx, moved, by, to.policy, target) : narrowingCall(cx, moved, by, target, typeText(target));
}

type PointMeasure = NonNullable<ReturnType<typeof pointMeasure>>;

function abs(n: bigint): bigint {
  return n < 0n ? -n : n;
}

function plus(count: TypedExpr, constant: bigint): TypedExpr {
  const right: TypedExpr = { kind: "int", value: BigInt.asIntN(64, constant), type: INT, span: count.span };
  return { kind: "binary", operation: "add", left: count, right, type: INT, span: count.span };
}

/** `q.in(unit)` and `q.split(unit)`; undefined: the receiver has no such method. */
export function quantityMethod(
  body: Body,
  expr: CallExpr,
  callee: MemberCallee,
  receiver: TypedExpr,
): TypedExpr | undefined {
  const { cx } = body;
  const name = callee.name.text;
  const from = measureOf(receiver.type);
  if (!from || (name !== "in" && name !== "split")) return undefined;
  const [arg, second] = expr.args;
  if (!arg || second) {
    cx.error("E0401", callee.name.span, `\`${name}\` takes one unit`);
    return giveUp(body, expr);
  }
  const unit = unitArgument(body, arg);
  if (!unit) return poison(expr.span);
  if (unit.component !== from.component) {
    cx.error("E0325", arg.span, `this is no unit of \`${typeText(receiver.type)}\``);
    return poison(expr.span);
  }
  const target = quantityAt(cx, unit.component, unit.size);
  if (name === "in")
    return explicitly(cx, receiver, from, { ...from, denomination: unit.size, policy: undefined }, target, expr.span);
  return split(cx, receiver, from, unit, expr.span);
}

function unitArgument(body: Body, arg: Expr): UnitSize | undefined {
  const { cx } = body;
  const inner = withoutParens(arg);
  if (inner.kind === "quantity")
    return cx.units.measure(cx, { magnitude: inner.magnitude, unit: inner.unit, span: inner.span });
  const name = inner.kind === "path" && inner.path.segments.length === 1 ? inner.path.segments[0]?.text : undefined;
  const found = name === undefined ? undefined : cx.units.find(name);
  if (found) return found;
  const near = name === undefined ? undefined : nearestName(name, cx.units.names);
  cx.error("E0320", arg.span, name === undefined ? "this takes a unit" : `unknown unit \`${name}\``, {
    help: near === undefined ? undefined : `did you mean \`${near}\`?`,
  });
  return undefined;
}

/** The floored whole and the non-negative rest, at the finer denomination (03b 4.4.4). */
function split(cx: Context, receiver: TypedExpr, from: Measure, unit: UnitSize, span: Span): TypedExpr {
  const fine = meetOf(from.denomination, unit.size);
  const rest = quantityAt(cx, from.component, fine);
  const by = over(unit.size, fine).n;
  const type = cx.types.tuple([INT, rest]);
  const w = new Writer(cx.libraryStart);
  const fn = synthesise(cx, {
    name: `split.${typeText(rest)}/${by}`,
    params: [["count", INT]],
    result: type,
    span: w.span,
    body: ([count = w.int(0n)]) => {
      const whole = w.local("whole", INT);
      const remainder = w.binary("subtract", count, w.binary("multiply", w.read(whole), w.int(by)));
      const tail: TypedExpr = { kind: "tuple", members: [w.read(whole), w.as(remainder, rest)], type, span: w.span };
      return { statements: [w.let(whole, w.call(division(cx, "floor"), [count, w.int(by)]))], tail };
    },
  }); // prettier-ignore
  const count = scaled(countOf(receiver), over(from.denomination, fine).n);
  return { kind: "call", callee: { kind: "function", function: fn }, args: [count], fallible: undefined, type, span };
}

// ---------------------------------------------------------------- operators

const COMPARISON: Readonly<Partial<Record<BinaryOperator, BinaryOperation>>> = {
  "==": "equal",
  "!=": "not-equal",
  "<": "less",
  ">": "greater",
  "<=": "less-equal",
  ">=": "greater-equal",
}; // prettier-ignore

/** An operation with a quantity or a point on some side (03b 4.3); undefined: refused. */
export function measuredBinary(
  body: Body,
  operator: BinaryOperator,
  left: TypedExpr,
  right: TypedExpr,
  span: Span,
): TypedExpr | undefined {
  const { cx } = body;
  const a = measureOf(left.type);
  const b = measureOf(right.type);
  const p = pointMeasure(left.type);
  const q = pointMeasure(right.type);
  const at = (count: TypedExpr, from: Ratio, to: Ratio) => scaled(countOf(count), over(from, to).n);
  const op = (operation: BinaryOperation, x: TypedExpr, y: TypedExpr, type: Type = INT): TypedExpr => ({
    kind: "binary",
    operation,
    left: x,
    right: y,
    type,
    span,
  });
  const comparison = COMPARISON[operator];
  const alike =
    a && b && a.component === b.component
      ? ([a, b] as const)
      : p && q && p.component === q.component && sameOrigin(p, q)
        ? ([p, q] as const)
        : undefined;
  if (alike) {
    const [x, y] = alike;
    const meet = meetOf(x.denomination, y.denomination);
    const [l, r] = [at(left, x.denomination, meet), at(right, y.denomination, meet)];
    if (comparison) return op(comparison, l, r, BOOL);
    if (operator === "-" || (operator === "+" && a))
      return typed(op(operator === "+" ? "add" : "subtract", l, r), quantityAt(cx, x.component, meet));
    if (operator === "/" && a) return op("divide", l, r);
    return operator === "*" && a?.component === NUMBERS ? product(cx, left, a, right, a, op) : undefined;
  }
  if (operator === "*" && a && b && (a.component === NUMBERS || b.component === NUMBERS))
    return a.component === NUMBERS ? product(cx, right, b, left, a, op) : product(cx, left, a, right, b, op);
  if (operator === "*" && a && right.type === INT)
    return typed(op("multiply", countOf(left), right), withoutPolicy(cx, left.type));
  if (operator === "*" && b && left.type === INT)
    return typed(op("multiply", left, countOf(right)), withoutPolicy(cx, right.type));
  if (operator === "/" && a && right.type === INT) return quotient(cx, left, right, op);
  const moved =
    p && b && (operator === "+" || operator === "-")
      ? { point: left, measure: p, by: right, step: b }
      : q && a && operator === "+"
        ? { point: right, measure: q, by: left, step: a }
        : undefined;
  return moved && moved.measure.component === moved.step.component ? movePoint(cx, moved, operator, op) : undefined;
}

type Operate = (operation: BinaryOperation, left: TypedExpr, right: TypedExpr, type?: Type) => TypedExpr;

/** A quantity times a pure ratio: counts multiply, denominations too. */
function product(cx: Context, left: TypedExpr, a: Measure, right: TypedExpr, b: Measure, op: Operate): TypedExpr {
  return typed(
    op("multiply", countOf(left), countOf(right)),
    quantityAt(cx, a.component, times(a.denomination, b.denomination)),
  );
}

function withoutPolicy(cx: Context, type: Type): Type {
  const measure = measureOf(type);
  return measure ? quantityAt(cx, measure.component, measure.denomination) : type;
}

/** `q / n`: a literal other than 1 may leave a remainder and says what becomes of it; any other Int divides toward zero. */
function quotient(cx: Context, left: TypedExpr, right: TypedExpr, op: Operate): TypedExpr {
  const type = withoutPolicy(cx, left.type);
  if (right.kind !== "int" || right.value <= 1n) return typed(op("divide", countOf(left), right), type);
  return narrowingCall(cx, countOf(left), right.value, type, typeText(type));
}

function movePoint(
  cx: Context,
  {
    point,
    measure,
    by,
    step,
  }: { readonly point: TypedExpr; readonly measure: Measure; readonly by: TypedExpr; readonly step: Measure },
  operator: BinaryOperator,
  op: Operate,
): TypedExpr | undefined {
  const factor = over(step.denomination, measure.denomination);
  if (factor.d !== 1n) {
    if (!measure.policy) return undefined;
    const rounded = divided(cx, scaled(countOf(by), factor.n), factor.d, measure.policy, INT);
    return typed(op(operator === "+" ? "add" : "subtract", countOf(point), rounded), point.type);
  }
  return typed(op(operator === "+" ? "add" : "subtract", countOf(point), scaled(countOf(by), factor.n)), point.type);
}

/** The value beside a measured place in `place op= value`, in the place's own counts; undefined: refused. */
export function measuredUpdate(
  cx: Context,
  operator: BinaryOperator,
  value: TypedExpr,
  type: Type,
): TypedExpr | undefined {
  if (operator === "*" || operator === "/") return value.type === INT && measureOf(type) ? value : undefined;
  if (operator !== "+" && operator !== "-") return undefined;
  const point = pointMeasure(type);
  const step = point ? quantityAt(cx, point.component, point.denomination) : type;
  const made = value.type === step ? value : convertMeasured(cx, value, step);
  return made === undefined || made === "narrows" ? undefined : typed(countOf(made), type);
}

/** `-q`. */
export function negated(value: TypedExpr, span: Span): TypedExpr | undefined {
  if (!measureOf(value.type) || !isMeasured(value.type)) return undefined;
  return typed({ kind: "negate", operand: countOf(value), type: INT, span }, value.type);
}

// ---------------------------------------------------------------- or

/** `d / 2 or floor` on a plain Duration, where the division stands without `or` too (03 8.5). Undefined: the operand is no such division. */
export function tolerantDivision(body: Body, expr: Expr & { readonly kind: "or" }): TypedExpr | undefined {
  const operand = withoutParens(expr.operand);
  if (operand.kind !== "binary" || operand.operator !== "/") return undefined;
  const divisor = withoutParens(operand.right);
  if (divisor.kind !== "int" || divisor.value <= 1n) return undefined;
  const dividend = checkValue(body, operand.left);
  if (dividend.type !== DURATION) return binary(body, "/", dividend, checkValue(body, operand.right), operand.span);
  return narrowingCall(body.cx, { ...countOf(dividend), span: operand.span }, divisor.value, DURATION, "Duration");
}

/** `or clamp`, `or floor` after a narrowing: the call that does that instead. Undefined: no such word stands there. */
export function narrowingWord(body: Body, operand: TypedExpr, expr: Expr): TypedExpr | undefined {
  if (operand.kind !== "call" || operand.callee.kind !== "function") return undefined;
  const words = body.cx.narrowings.get(operand.callee.function);
  const word = expr.kind === "path" && expr.path.segments.length === 1 ? expr.path.segments[0]?.text : undefined;
  if (!words || word === undefined) return undefined;
  const made = words.get(word)?.();
  if (made)
    return {
      kind: "call",
      callee: { kind: "function", function: made },
      args: operand.args,
      fallible: undefined,
      type: operand.type,
      span: operand.span,
    };
  const isWord = word === "clamp" || word === "wrap" || policyNamed(word) !== undefined;
  if (!isWord || body.lookup(word)) return undefined;
  body.cx.error(
    "E0325",
    expr.span,
    `\`${word}\` does not apply here; this conversion takes ${[...words.keys()].map((known) => `\`${known}\``).join(", ")}`,
  );
  return poison(expr.span);
}
