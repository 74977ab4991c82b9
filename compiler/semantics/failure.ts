import type { Stmt } from "../syntax/ast.ts";
import type { Body } from "./body.ts";
import type { TypedStmt } from "./typed.ts";

export function checkViolate(body: Body, statement: Stmt & { readonly kind: "violate" }): TypedStmt | undefined {
  body.cx.error("E1001", statement.span, "not supported yet: `violate`");
  return undefined;
}

export function checkRecovery(body: Body, statement: Stmt & { readonly kind: "recovery" }): TypedStmt | undefined {
  body.cx.error("E1001", statement.span, "not supported yet: recovery statements");
  return undefined;
}
