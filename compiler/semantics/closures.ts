// Closures of loci: assertions and what accumulates in them (05b 5b.2, 5b.4).
import type { Expr, Name } from "../syntax/ast.ts";
import { type Body, poison } from "./body.ts";
import { type CallExpr, giveUp } from "./calls.ts";
import { checkExpr } from "./expressions.ts";
import type { TypedExpr } from "./typed.ts";

export function checkAggregate(body: Body, expr: Expr & { readonly kind: "aggregate" }): TypedExpr {
  checkExpr(body, expr.operand);
  if (expr.operation === "prod") body.cx.error("E0605", expr.span, "`prod` is not available");
  else body.cx.error("E0605", expr.span, "`sum(..)` has a meaning only in a closure's assertion");
  return poison(expr.span);
}

export function checkAccumulator(body: Body, expr: CallExpr, name: Name): TypedExpr {
  body.cx.error("E0605", name.span, `\`${name.text}(..)\` has a meaning only in a closure's assertion`);
  return giveUp(body, expr);
}
