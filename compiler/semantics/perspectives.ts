import type { Stmt } from "../syntax/ast.ts";
import type { Body } from "./body.ts";
import type { TypedStmt } from "./typed.ts";

export function checkReperspective(body: Body, statement: Stmt & { readonly kind: "reperspective" }): TypedStmt | undefined {
  body.cx.error("E1001", statement.span, "not supported yet: `reperspective`");
  return undefined;
}
