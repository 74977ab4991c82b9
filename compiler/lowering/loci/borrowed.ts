// Which fields may hold instances that somebody else owns (reference 05 5.10): an instance that has ended has given such handles up.
import type { LocusField, TypedExpr, TypedProgram } from "../../semantics/index.ts";
import { canHoldLocus } from "./positions.ts";
import { someNode } from "./walk-functions.ts";

/** The fields that some literal, default or assignment gives anything but a literal. */
export function borrowingFields(program: TypedProgram): ReadonlySet<LocusField> {
  const borrowing = new Set<LocusField>();
  const note = (field: LocusField | undefined, value: TypedExpr | undefined) => {
    if (field && value && !isBuiltHere(value)) borrowing.add(field);
  };
  for (const locus of program.loci) {
    for (const field of locus.fields) {
      if (!canHoldLocus(field.type) && field.type.kind !== "function") borrowing.add(field);
      note(field, field.defaultValue?.body?.tail);
    }
  }
  for (const fn of program.entry ? [program.entry, ...program.functions] : program.functions) {
    someNode(fn, {
      expr: (expr) => {
        if (expr.kind === "locus")
          for (const [index, value] of expr.fields.entries()) note(expr.locus.fields[index], value);
        return false;
      },
      stmt: (stmt) => {
        if (stmt.kind === "assign" && stmt.place.kind === "field" && stmt.place.base.type.kind === "locus")
          note(stmt.place.base.type.fields[stmt.place.index], stmt.value);
        return false;
      },
    });
  }
  return borrowing;
}

/** A literal, as whatever it is converted to. */
export function isBuiltHere(expr: TypedExpr): boolean {
  return expr.kind === "locus" || (expr.kind === "convert" && isBuiltHere(expr.operand));
}
