// Scalar types of reference 03b: `distinct`, ranges, quantities, points.
import type { Context } from "./context.ts";
import type { ScalarSymbol } from "./symbols.ts";
import type { ScalarType, Type } from "./types.ts";

export function scalarType(cx: Context, symbol: ScalarSymbol): ScalarType | undefined {
  if (symbol.type !== "bad") cx.error("E1001", symbol.span, `not supported yet: the type \`${symbol.name}\``);
  symbol.type = "bad";
  return undefined;
}

/** Whether a scalar widens to a type without a word: a range to its base (03b 2.2). */
export function widensTo(type: ScalarType, target: Type): boolean {
  for (let base: Type = type; base.kind === "scalar" && base.form === "range"; ) {
    base = base.base;
    if (base === target) return true;
  }
  return false;
}
