// Handles in fields: what may be assigned, and which borrows a holder outlives (05 5.10).
import type { Expr } from "../syntax/index.ts";
import type { Body } from "./body.ts";
import { withoutParens } from "./expressions.ts";
import type { Place, TypedExpr } from "./typed.ts";

/** A locus-typed field takes a literal only: with a handle its owner would be ambiguous (05 5.10.4). */
export function requireFieldAssignable(body: Body, place: Place, value: TypedExpr, written: Expr): void {
  if (place.kind !== "field" || place.type.kind !== "locus" || value.type.kind !== "locus" || value.kind === "locus")
    return;
  const { name } = place.field;
  body.cx.error(
    "E0510",
    withoutParens(written).span,
    `assigning an existing locus to field \`${name}\` makes its owner ambiguous; assign a literal, accept() the child, or mutate the field in place`,
  );
}
