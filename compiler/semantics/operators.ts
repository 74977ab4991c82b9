import type { BinaryOperator, Expr } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { convertTo, toFloat } from "./conversions.ts";
import { checkValue, withoutParens } from "./expressions.ts";
import { negated } from "./quantities.ts";
import { integer, measureOf } from "./scalar-type.ts";
import { asNumber, integerLiteral, scalarBinary } from "./scalars.ts";
import { requirePrintable, toText } from "./texts.ts";
import {
  BOOL,
  DECIMAL,
  DURATION,
  FLOAT,
  INT,
  isNumeric,
  isPoison,
  isText,
  STRING,
  STRING_VIEW,
  TIME,
} from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { BinaryOperation, TypedExpr } from "./typed.ts";
import type { EnumType, Type } from "./types.ts";

type BinaryExpr = Expr & { readonly kind: "binary" };
type UnaryExpr = Expr & { readonly kind: "unary" };

export const OPERATIONS: Readonly<Record<Exclude<BinaryOperator, "&&" | "||">, BinaryOperation>> = {
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "/": "divide",
  "%": "remainder",
  "<<": "shift-left",
  ">>": "shift-right",
  "&": "bit-and",
  "^": "bit-xor",
  "|": "bit-or",
  "<": "less",
  ">": "greater",
  "<=": "less-equal",
  ">=": "greater-equal",
  "==": "equal",
  "!=": "not-equal",
}; // prettier-ignore

export function checkUnary(body: Body, expr: UnaryExpr, expected: Type | undefined): TypedExpr {
  const { operator, span } = expr;
  const literal = withoutParens(expr.operand);
  if (operator === "-" && literal.kind === "int" && expected?.kind === "scalar")
    return integerLiteral(body, -literal.value, span, expected);
  const operand = asNumber(
    checkValue(body, expr.operand, operator === "-" && expected && measureOf(expected) ? expected : undefined),
  );
  const { type } = operand;
  if (isPoison(type)) return poison(span);
  if (operator === "!" && type === BOOL) return { kind: "not", operand, type: BOOL, span };
  if (operator === "~" && type === INT) return { kind: "complement", operand, type: INT, span };
  if (operator === "-" && isNumeric(type)) return { kind: "negate", operand, type, span };
  const opposite = operator === "-" ? negated(operand, span) : undefined;
  if (opposite) return opposite;
  body.cx.error("E0310", operand.span, `cannot apply \`${operator}\` to \`${typeText(type)}\``);
  return poison(span);
}

export function checkBinary(body: Body, expr: BinaryExpr, expected: Type | undefined): TypedExpr {
  const { operator, span } = expr;
  void expected;
  let left = checkValue(body, expr.left);
  // `id<Int>(3)` reads as two comparisons; what was meant has been said at `id`.
  if (operator === "<" && isPoison(left.type) && expr.right.kind === "binary" && expr.right.operator === ">")
    return poison(span);
  const right = checkValue(body, expr.right, literalAs(left.type, expr.right));
  const other = literalAs(right.type, expr.left);
  if (other && left.type === INT) left = checkValue(body, expr.left, other);
  return binary(body, operator, left, right, span);
}

/** What an integer literal is beside a scalar: beside an identity one of it, 0 beside a quantity one of that (03b 2.1, 4.2.3). */
function literalAs(type: Type, literal: Expr): Type | undefined {
  if (type.kind !== "scalar") return undefined;
  const value = integer(literal);
  if (value === undefined) return undefined;
  return type.form === "distinct" || (type.form === "quantity" && value === 0n) ? type : undefined;
}

/** The operation on checked operands (03 17); what is not in the table is reported at the left operand. */
export function binary(body: Body, operator: BinaryOperator, left: TypedExpr, right: TypedExpr, span: Span): TypedExpr {
  if (isPoison(left.type) || isPoison(right.type))
    return { kind: "unit", type: resultOfPoison(operator, left, right), span };
  const made =
    operator === "&&" || operator === "||"
      ? logical(operator, left, right, span)
      : operate(body, operator, left, right, span);
  if (made === "reported") return poison(span);
  if (made) return made;
  const help = operatorHelp(operator, left.type, right.type);
  body.cx.error(
    "E0310",
    left.span,
    `cannot apply \`${operator}\` to \`${typeText(left.type)}\` and \`${typeText(right.type)}\``,
    { help },
  );
  return poison(span);
}

/** A comparison is a Bool whatever its operands are: no report follows from an operand that was reported. */
function resultOfPoison(operator: BinaryOperator, left: TypedExpr, right: TypedExpr): Type {
  if (["==", "!=", "<", ">", "<=", ">=", "&&", "||"].includes(operator)) return BOOL;
  return isPoison(left.type) ? left.type : right.type;
}

function logical(operator: "&&" | "||", left: TypedExpr, right: TypedExpr, span: Span): TypedExpr | undefined {
  if (left.type !== BOOL || right.type !== BOOL) return undefined;
  return { kind: operator === "&&" ? "and" : "or-else", left, right, type: BOOL, span };
}

function operate(
  body: Body,
  operator: Exclude<BinaryOperator, "&&" | "||">,
  left: TypedExpr,
  right: TypedExpr,
  span: Span,
): TypedExpr | "reported" | undefined {
  if (operator === "+" && (isText(left.type) || isText(right.type))) return concat(body, left, right, span);
  const operation = OPERATIONS[operator];
  if (left.type.kind === "scalar" || right.type.kind === "scalar") {
    const made = scalarBinary(body, operator, left, right, span);
    if (made) return isPoison(made.type) ? "reported" : made;
  }
  const [a, b] = meet(body, left, right);
  const type = resultType(operation, a.type, b.type);
  return type && { kind: "binary", operation, left: a, right: b, type, span };
}

/** Brings operands to one type where the language does so itself: Int beside Float, views as text. */
function meet(body: Body, left: TypedExpr, right: TypedExpr): [TypedExpr, TypedExpr] {
  if (left.type === INT && right.type === FLOAT) return [toFloat(left), right];
  if (left.type === FLOAT && right.type === INT) return [left, toFloat(right)];
  const asText = (value: TypedExpr) =>
    value.type === STRING_VIEW ? (convertTo(body.cx, value, STRING, "argument") ?? value) : value;
  return [asText(left), asText(right)];
}

const ARITHMETIC: ReadonlySet<BinaryOperation> = new Set(["add", "subtract", "multiply", "divide", "remainder"]);
const BITS: ReadonlySet<BinaryOperation> = new Set(["bit-and", "bit-or", "bit-xor", "shift-left", "shift-right"]);

function resultType(operation: BinaryOperation, left: Type, right: Type): Type | undefined {
  if (ARITHMETIC.has(operation)) return arithmeticType(operation, left, right);
  if (BITS.has(operation)) return left === INT && right === INT ? INT : undefined;
  if (operation === "equal" || operation === "not-equal") return left === right && isEquatable(left) ? BOOL : undefined;
  return left === right && isOrdered(left) ? BOOL : undefined;
}

function arithmeticType(operation: BinaryOperation, left: Type, right: Type): Type | undefined {
  if (left === right && (left === INT || left === DECIMAL)) return left;
  if (left === FLOAT && right === FLOAT) return operation === "remainder" ? undefined : FLOAT;
  if (operation === "add" || operation === "subtract") {
    if (left === DURATION && right === DURATION) return DURATION;
    if (left === TIME && right === DURATION) return TIME;
    if (left === DURATION && right === TIME && operation === "add") return TIME;
    if (left === TIME && right === TIME && operation === "subtract") return DURATION;
  }
  if (operation === "multiply" && ((left === DURATION && right === INT) || (left === INT && right === DURATION)))
    return DURATION;
  if (operation === "divide" && left === DURATION)
    return right === INT ? DURATION : right === DURATION ? INT : undefined;
  return undefined;
}

function isOrdered(type: Type): boolean {
  return isNumeric(type) || type === TIME || type === STRING;
}

export function isEquatable(type: Type): boolean {
  return isOrdered(type) || type === BOOL || (type.kind === "enum" && hasPlainPayloads(type));
}

/** Enums compare when every payload is a scalar or a String (03 12.3.5). */
function hasPlainPayloads(type: EnumType): boolean {
  return type.variants.every((variant) =>
    variant.payload.every(
      (part) =>
        isPoison(part) || part.kind === "scalar" || (part.kind === "primitive" && (isOrdered(part) || part === BOOL)),
    ),
  );
}

function concat(body: Body, left: TypedExpr, right: TypedExpr, span: Span): TypedExpr | "reported" {
  const printable = [left, right].every((side) => requirePrintable(body, side, left.span));
  if (!printable) return "reported";
  const parts =
    left.kind === "concat" ? [...left.parts, toText(body, right)] : [toText(body, left), toText(body, right)];
  const earlier = left.kind === "concat" ? left.sums : [];
  const sums = looksLikeText(left) || looksLikeText(right) ? [...earlier, span] : earlier;
  return { kind: "concat", parts, isTemplate: false, sums, type: STRING, span };
}

/** A String literal, an f-string with a hole, or a `+` of such (11.6). */
function looksLikeText(value: TypedExpr): boolean {
  return value.kind === "string" || (value.kind === "concat" && (value.isTemplate || value.sums.length > 0));
}

function operatorHelp(operator: BinaryOperator, left: Type, right: Type): string | undefined {
  const pair = (a: Type, b: Type) => (left === a && right === b) || (left === b && right === a);
  if (pair(INT, DECIMAL)) return "write the number as a Decimal, `3d`";
  if (pair(FLOAT, DECIMAL)) return "convert with `std::decimal::to_float`, or write a Decimal literal `1.5d`";
  if (pair(INT, DURATION)) return "write the number with its unit, `0s`";
  if ((operator === "==" || operator === "!=") && left === right) {
    if (left.kind === "record" || left.kind === "tuple" || left.kind === "array") return "compare the parts";
    if (left.kind === "enum") return "an enum compares only when every payload is a scalar or a String; use `match`";
  }
  if (operator === "*" && pair(STRING, INT)) return "`std::str::repeat(s, n)` repeats a text";
  if (operator === "&&" || operator === "||") return "both sides must be Bool";
  if (left === BOOL && right === BOOL && (operator === "&" || operator === "|"))
    return `\`${operator}\` is for Ints; write \`${operator}${operator}\``;
  if (ORDER.includes(operator) && right === BOOL) return "comparisons do not chain; write `a < b && b < c`";
  if (operator === "==" && right === BOOL && left === INT)
    return "`&` and `|` bind tighter than comparisons; join conditions with `&&` and `||`";
  return undefined;
}

const ORDER: readonly BinaryOperator[] = ["<", ">", "<=", ">="];
