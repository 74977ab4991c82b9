// The own copy that a collection makes of what is put into it (07 2.2). Elsewhere an array is shared by all who were given it (03 15.6), also by a record
// that was built with it.
import type { Type, TypedExpr } from "../semantics/index.ts";
import { pushExpr } from "./expressions.ts";
import type { FunctionContext } from "./function-context.ts";
import { layoutOf } from "./layout.ts";
import { isPlace } from "./references.ts";
import { isCopiedDeeply, popToTemps, pushStored, releaseStored } from "./values.ts";

/** Pushes an own value whose arrays nobody else has. */
export function pushSeparate(fn: FunctionContext, expr: TypedExpr): void {
  pushExpr(fn, expr, "own");
  if (!isSeparate(expr)) separate(fn, expr.type);
}

/** Turns an owned value on the stack into one whose arrays nobody else has. */
export function separate(fn: FunctionContext, type: Type): void {
  if (!holdsArray(type)) return;
  const layout = layoutOf(type);
  const shared = popToTemps(fn, layout);
  pushStored(fn, shared, layout, "own", true);
  releaseStored(fn, shared, layout);
  fn.freeTemps(shared);
}

/** Whether the arrays in an owned value of this expression were made for it. */
function isSeparate(expr: TypedExpr): boolean {
  if (!holdsArray(expr.type)) return true;
  switch (expr.kind) {
    case "record":
      return expr.fields.every(isSeparate);
    case "variant":
      return expr.payload.every(isSeparate);
    case "tuple":
      return expr.members.every(isSeparate);
    case "array":
      return expr.elements.every(isSeparate);
    default:
      return isCopiedDeeply(expr.type) && isPlace(expr);
  }
}

const known = new WeakMap<Type, boolean>();

function holdsArray(type: Type): boolean {
  const before = known.get(type);
  if (before !== undefined) return before;
  // Of a type that contains itself the other parts decide.
  known.set(type, false);
  const answer = type.kind === "array" || partsOf(type).some(holdsArray);
  known.set(type, answer);
  return answer;
}

function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case "record":
      return type.fields.map((field) => field.type);
    case "tuple":
      return type.members;
    case "enum":
      return type.variants.flatMap((variant) => variant.payload);
    case "bounded":
      return [type.element];
    default:
      return [];
  }
}
