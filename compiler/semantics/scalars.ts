// Values of scalar types (03b) and the literals that may become one.
import type { BinaryOperator, Disposition, Expr } from "../syntax/ast.ts";
import { nearestName, type Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import type { CallExpr } from "./calls.ts";
import { checkExpr, withoutParens } from "./expressions.ts";
import type { MemberCallee } from "./methods.ts";
import type { AliasSymbol, ScalarSymbol } from "./symbols.ts";
import { DURATION, FLOAT, INT } from "./type-table.ts";
import type { TypedExpr } from "./typed.ts";
import type { Type } from "./types.ts";

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n, us: 1000n, ms: 1_000_000n, s: 1_000_000_000n, min: 60_000_000_000n, m: 60_000_000_000n, h: 3_600_000_000_000n, day: 86_400_000_000_000n,
}; // prettier-ignore

const INT_MAX = 0x7fff_ffff_ffff_ffffn;

export function integerLiteral(body: Body, value: bigint, span: Span, expected: Type | undefined): TypedExpr {
  void body;
  void expected;
  return { kind: "int", value, type: INT, span };
}

export function scalarNegate(body: Body, value: bigint, span: Span, expected: Type): TypedExpr | undefined {
  void body;
  void value;
  void span;
  void expected;
  return undefined;
}

/** `5s`: a Duration, or a quantity of the program's own units. */
export function quantityLiteral(body: Body, expr: Expr & { readonly kind: "quantity" }, expected: Type | undefined): TypedExpr {
  void expected;
  const factor = NANOSECONDS[expr.unit];
  if (factor === undefined) {
    const near = nearestName(expr.unit, Object.keys(NANOSECONDS));
    body.cx.error("E0320", expr.span, `unknown unit \`${expr.unit}\``, { help: near === undefined ? undefined : `did you mean \`${near}\`?` });
    return poison(expr.span);
  }
  const nanoseconds = expr.magnitude * factor;
  if (nanoseconds <= INT_MAX) return { kind: "duration", nanoseconds, type: DURATION, span: expr.span };
  body.cx.error("E0320", expr.span, "this duration is beyond the Int range of nanoseconds");
  return poison(expr.span);
}

/** `Int(x)`. */
export function toInt(body: Body, value: TypedExpr, span: Span): TypedExpr | undefined {
  void body;
  if (value.type === INT) return value;
  return value.type === FLOAT ? { kind: "convert", conversion: "float-to-int", operand: value, type: INT, span } : undefined;
}

export function scalarBinary(body: Body, operator: BinaryOperator, left: TypedExpr, right: TypedExpr, span: Span, negate?: "negate"): TypedExpr | undefined {
  void body;
  void operator;
  void left;
  void right;
  void span;
  void negate;
  return undefined;
}

export function scalarConversion(body: Body, expr: CallExpr, symbol: ScalarSymbol | AliasSymbol, expected: Type | undefined): TypedExpr | undefined {
  void body;
  void expr;
  void symbol;
  void expected;
  return undefined;
}

export function quantityMethod(body: Body, expr: CallExpr, callee: MemberCallee, receiver: TypedExpr): TypedExpr | undefined {
  void body;
  void expr;
  void callee;
  void receiver;
  return undefined;
}

export function narrowingDisposition(body: Body, operand: TypedExpr, disposition: Disposition, span: Span): TypedExpr | undefined {
  void body;
  void operand;
  void disposition;
  void span;
  return undefined;
}

/** `d / 2 or floor` on a plain Duration: the `or` says what happens anyway (03 8.5). */
export function tolerantDivision(body: Body, expr: Expr & { readonly kind: "or" }): TypedExpr | undefined {
  const operand = withoutParens(expr.operand);
  if (operand.kind !== "binary" || operand.operator !== "/" || withoutParens(operand.right).kind !== "int") return undefined;
  const value = checkExpr(body, operand);
  return value.type === DURATION ? value : undefined;
}
