// Values of identities and ranges (03b 2), and the literals that may become a scalar.
import type { BinaryOperator } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { type CallExpr, giveUp } from "./calls.ts";
import type { Context } from "./context.ts";
import { checkValue } from "./expressions.ts";
import { injectedError } from "./injected.ts";
import { binary } from "./operators.ts";
import { measuredBinary, measuredConversion } from "./quantities.ts";
import { pathText } from "./lookup.ts";
import { typeOfSymbol } from "./resolve-types.ts";
import { measureOf, pointMeasure, widensTo } from "./scalar-type.ts";
import type { AliasSymbol, ScalarSymbol } from "./symbols.ts";
import { synthesise, Writer } from "./synthesis.ts";
import { DURATION, FLOAT, INT, isPoison, STRING, TIME } from "./type-table.ts";
import { typeText, withArticle } from "./type-text.ts";
import type { TypedExpr, TypedFunction } from "./typed.ts";
import type { ScalarType, Type } from "./types.ts";

/** An integer literal, as the scalar that is expected where it stands; out of its range it is refused. */
export function integerLiteral(body: Body, value: bigint, span: Span, expected: Type | undefined): TypedExpr {
  const plain: TypedExpr = { kind: "int", value, type: INT, span };
  if (!expected) return plain;
  if (value === 0n && measureOf(expected) && expected !== DURATION) return { kind: "int", value, type: expected, span };
  if (expected.kind !== "scalar" || (expected.form !== "distinct" && expected.form !== "range")) return plain;
  const { range } = expected;
  if (range && (value < range.low || value >= range.high)) {
    body.cx.error("E0325", span, `${value} is outside \`${typeText(expected)}\` (${range.low}..${range.high})`);
    return poison(span);
  }
  return { kind: "int", value, type: expected, span };
}

/** `Int(x)`: what `x` counts; undefined: `x` has no Int. */
export function toInt(value: TypedExpr, span: Span): TypedExpr | undefined {
  const { type } = value;
  if (type === INT) return value;
  if (type === FLOAT) return { kind: "convert", conversion: "float-to-int", operand: value, type: INT, span };
  const isCount = type.kind === "scalar" && (type.form === "distinct" || type.form === "range");
  return isCount ? { kind: "convert", conversion: "scalar", operand: value, type: INT, span } : undefined;
}

/** A range as the Int that its arithmetic is done on; other values as they are. */
export function asNumber(value: TypedExpr): TypedExpr {
  const isRange = value.type.kind === "scalar" && value.type.form === "range";
  return isRange ? { kind: "convert", conversion: "scalar", operand: value, type: INT, span: value.span } : value;
}

// ---------------------------------------------------------------- operators

const COMPARISONS: ReadonlySet<BinaryOperator> = new Set(["==", "!=", "<", ">", "<=", ">="]);

/** An operation with a scalar on some side; undefined: the operands do not go together. */
export function scalarBinary(
  body: Body,
  operator: BinaryOperator,
  left: TypedExpr,
  right: TypedExpr,
  span: Span,
): TypedExpr | undefined {
  if (isMeasured(left.type) || isMeasured(right.type)) return measuredBinary(body, operator, left, right, span);
  for (const side of [left, right]) {
    const { type } = side;
    if (COMPARISONS.has(operator) || type.kind !== "scalar" || type.form !== "distinct") continue;
    body.cx.error("E0325", left.span, `\`${typeText(type)}\` is an identity; it has no arithmetic`);
    return poison(span);
  }
  if (!COMPARISONS.has(operator)) return binary(body, operator, asNumber(left), asNumber(right), span);
  if (!comparable(left.type, right.type)) return undefined;
  const asInt = (value: TypedExpr): TypedExpr => toInt(value, value.span) ?? value;
  return binary(body, operator, asInt(left), asInt(right), span);
}

export function isMeasured(type: Type): boolean {
  return type.kind === "scalar" && type.measure !== undefined;
}

/** Within one type, or along a widening (03b 2.4); a range also beside a Float goes no further than Int. */
function comparable(left: Type, right: Type): boolean {
  if (left === right) return true;
  return (left.kind === "scalar" && widensTo(left, right)) || (right.kind === "scalar" && widensTo(right, left));
}

// ---------------------------------------------------------------- conversions

/** `T(x)` of a scalar type; undefined: `T` is none. */
export function scalarConversion(
  body: Body,
  expr: CallExpr,
  symbol: ScalarSymbol | AliasSymbol,
): TypedExpr | undefined {
  const target = typeOfSymbol(body.cx, symbol, []);
  if (isPoison(target)) return giveUp(body, expr);
  if (target.kind !== "scalar" && target !== DURATION && target !== TIME) return undefined;
  const [arg, second] = expr.args;
  if (!arg || second) {
    body.cx.error("E0401", expr.callee.span, `\`${symbol.name}\` takes 1 argument, got ${expr.args.length}`);
    return giveUp(body, expr);
  }
  const value = checkValue(body, arg, pointMeasure(target) || measureOf(target) ? target : undefined);
  if (isPoison(value.type)) return poison(expr.span);
  const made =
    target.kind === "scalar" && !target.measure
      ? intoFamily(body.cx, value, target, expr.span)
      : measuredConversion(body, value, target, expr.span);
  if (made) return made;
  const name = expr.callee.kind === "path" ? pathText(expr.callee.path) : symbol.name;
  const help =
    value.type.kind === "scalar" && value.type.form !== "quantity"
      ? `go through \`Int(..)\`: \`${name}(Int(..))\``
      : undefined;
  body.cx.error("E0325", expr.span, `\`${name}(..)\` does not convert ${withArticle(value.type)}`, { help });
  return poison(expr.span);
}

/** Into an identity or a range: total, or a call that can fail with a `RangeError`. */
function intoFamily(cx: Context, value: TypedExpr, target: ScalarType, span: Span): TypedExpr | undefined {
  const { type } = value;
  if (type === target) return value;
  const isBase =
    type.kind === "scalar" &&
    (widensTo(type, target) || (type.form === "range" && target.form === "range" && sameFamily(type, target)));
  if (type !== INT && !isBase) return undefined;
  const count: TypedExpr =
    type === INT ? value : { kind: "convert", conversion: "scalar", operand: value, type: INT, span };
  const cannotMiss =
    !target.range ||
    (type.kind === "scalar" &&
      type.range &&
      type.range.low >= target.range.low &&
      type.range.high <= target.range.high);
  if (cannotMiss) return { kind: "convert", conversion: "scalar", operand: count, type: target, span };
  const fn = narrowing(cx, target);
  return {
    kind: "call",
    callee: { kind: "function", function: fn },
    args: [count],
    fallible: fn.fallible,
    type: target,
    span,
  };
}

/** Ranges rooted in one another: `Nibble` and `Byte`. */
function sameFamily(a: ScalarType, b: ScalarType): boolean {
  return widensTo(a, b) || widensTo(b, a);
}

/** `T(n)` for a range: fails outside of it; `or clamp` and `or wrap` are other functions. */
function narrowing(cx: Context, target: ScalarType): TypedFunction {
  const { range, displayName: name, span } = target;
  if (!range) throw new Error("unreachable: a narrowing has a range");
  const w = new Writer(span);
  const fallible = injectedError(cx, "RangeError");
  const outside = (value: TypedExpr) =>
    w.either(w.compare("less", value, w.int(range.low)), w.compare("greater", value, w.int(range.high - 1n)));
  const fn = synthesise(cx, {
    name,
    params: [["value", INT]],
    result: target,
    fallible,
    span,
    body: ([value = w.int(0n)]) => ({
      statements: [w.when(outside(value), w.fail(rangeError(w, target, value, fallible)))],
      tail: w.as(value, target),
    }),
  }); // prettier-ignore
  cx.narrowings.set(
    fn,
    new Map([
      ["clamp", () => clamp(cx, target, range)],
      ["wrap", () => wrap(cx, target, range)],
    ]),
  ); // prettier-ignore
  return fn;
}

function rangeError(w: Writer, target: ScalarType, value: TypedExpr, type: Type): TypedExpr {
  const { range } = target;
  const values: Readonly<Record<string, TypedExpr>> = {
    kind: { kind: "string", value: new TextEncoder().encode(target.name), type: STRING, span: w.span },
    value,
    low: w.int(range?.low ?? 0n),
    high: w.int(range?.high ?? 0n),
  };
  return injectedRecord(w, type, values);
}

/** A record that the language makes: its own fields given, fields that a program's replacement adds at their defaults' zero. */
export function injectedRecord(w: Writer, type: Type, values: Readonly<Record<string, TypedExpr>>): TypedExpr {
  if (type.kind !== "record") return poison(w.span);
  const fields = type.fields.map((field) => values[field.name] ?? poison(w.span));
  return { kind: "record", fields, type, span: w.span };
}

type Range = NonNullable<ScalarType["range"]>;

function clamp(cx: Context, target: ScalarType, { low, high }: Range): TypedFunction {
  const w = new Writer(target.span);
  return synthesise(cx, {
    name: `${target.displayName}.clamp`,
    params: [["value", INT]],
    result: target,
    span: target.span,
    body: ([value = w.int(0n)]) => ({
      statements: [
        w.when(w.compare("less", value, w.int(low)), w.give(w.as(w.int(low), target))),
        w.when(w.compare("greater", value, w.int(high - 1n)), w.give(w.as(w.int(high - 1n), target))),
      ],
      tail: w.as(value, target),
    }),
  }); // prettier-ignore
}

/** Up to this many values the remainders of value and bound can be subtracted without overflow. */
const WIDE = 1n << 62n;

/** `low + ((v - low) mod (high - low))`, without overflow. */
function wrap(cx: Context, target: ScalarType, { low, high }: Range): TypedFunction {
  const w = new Writer(target.span);
  const size = high - low;
  const result = w.local("wrapped", INT);
  const read = w.read(result);
  return synthesise(cx, {
    name: `${target.displayName}.wrap`,
    params: [["value", INT]],
    result: target,
    span: target.span,
    body: ([value = w.int(0n)]) => {
      // Of wide ranges few fit into the Ints: stepping by the size comes in after at most four steps, and wraps where it should.
      const steps = [
        w.let(result, value),
        w.loop(w.compare("less", read, w.int(low)), w.set(result, w.binary("add", read, w.int(size)))),
        w.loop(w.compare("greater", read, w.int(high - 1n)), w.set(result, w.binary("subtract", read, w.int(size)))),
      ];
      const remainder = (of: TypedExpr) => w.binary("remainder", of, w.int(size));
      const once = [
        w.let(result, remainder(w.binary("subtract", remainder(value), remainder(w.int(low))))),
        w.when(w.compare("less", read, w.int(0n)), w.set(result, w.binary("add", read, w.int(size)))),
        w.set(result, w.binary("add", read, w.int(low))),
      ];
      return { statements: size > WIDE ? steps : once, tail: w.as(read, target) };
    },
  }); // prettier-ignore
}
