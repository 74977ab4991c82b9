import { Body } from "./body.ts";
import type { Context } from "./context.ts";
import { checkValue } from "./expressions.ts";
import { initialiserOf, memberName } from "./signatures.ts";
import { isPoison, POISON } from "./type-table.ts";
import type { LocusField, Type } from "./types.ts";

/** A param's type; one written without it (`n = 3;`) gets the type of its default. */
export function fieldType(cx: Context, field: LocusField): Type {
  const untyped = cx.untypedFields.get(field);
  if (!untyped || untyped.kind === "use") return field.type;
  cx.untypedFields.delete(field);
  const { owner, env, expr } = untyped;
  // Checked once without an expectation for its type; the initialiser then repeats it as a function of that type.
  const probe = initialiserOf(cx, env, {
    name: memberName(owner, field.name),
    self: owner,
    result: POISON,
    expr,
    field,
  });
  const type = checkValue(new Body(cx, env, probe, { initialises: field }), expr).type;
  field.type = type;
  if (isPoison(type)) field.implicitDefault = true;
  field.defaultValue = initialiserOf(cx, env, {
    name: memberName(owner, field.name),
    self: owner,
    result: type,
    expr,
    field,
  });
  return type;
}
