// The scalars of reference 03b at run time: Ints with checked conversions.
import type { TypedExpr } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { pushErrorRecord } from "./builtins.ts";
import { pushExpr } from "./expressions.ts";
import type { FunctionContext } from "./function-context.ts";
import type { FailureTarget, Hold } from "./holds.ts";
import { unsupported } from "./unsupported.ts";

/** A conversion into a range: the value, or a RangeError (03b 2.7). */
export function pushNarrowing(
  fn: FunctionContext,
  expr: TypedExpr & { readonly kind: "narrow" },
  failure: FailureTarget | undefined,
): Hold {
  const { code } = fn;
  const { type, fallible } = expr;
  if (type.kind !== "scalar" || !type.range) return unsupported("this conversion of a quantity", expr.span);
  if (!failure || fallible?.kind !== "record") throw new Error("a narrowing without an `or`");
  const low = BigInt(type.range.low);
  const high = BigInt(type.range.high);
  pushExpr(fn, expr.operand, "any");
  const value = fn.temp(ValueType.i64);
  code.tee(value);
  code.i64(low);
  code.op("i64.lt_s");
  code.get(value);
  code.i64(high);
  code.op("i64.ge_s");
  code.op("i32.or");
  code.if();
  pushErrorRecord(fn, fallible, {
    kind: () => code.i32(fn.program.text(type.name)),
    value: () => code.get(value),
    low: () => code.i64(low),
    high: () => code.i64(high),
  });
  failure.fromStack();
  code.end();
  code.get(value);
  fn.freeTemp(value);
  return "plain";
}
