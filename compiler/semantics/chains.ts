import type { ChainExpr } from "../syntax/ast.ts";
import { type Body, poison } from "./body.ts";
import type { TypedExpr } from "./typed.ts";

export function checkChain(body: Body, expr: ChainExpr): TypedExpr {
  body.cx.error("E1001", expr.span, "not supported yet: element chains");
  return poison(expr.span);
}
