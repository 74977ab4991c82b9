// `sum(e)`, `count()`, `mean(e)`: totals over the checks of a closure (05b 5b.4).
import type { Expr } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { toFloat } from "./conversions.ts";
import { checkValue } from "./expressions.ts";
import { DECIMAL, FLOAT, INT, isPoison } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr, TypedFunction } from "./typed.ts";

export function isAccumulatorName(name: string): boolean {
  return name === "count" || name === "mean";
}

/** Enters an accumulator into the assertion being checked and gives the node that reads it. */
export function accumulate(
  body: Body,
  operation: "sum" | "count" | "mean",
  operand: Expr | undefined,
  span: Span,
): TypedExpr {
  const accumulators = body.accumulators ?? [];
  const value = operand && checkValue(body, operand);
  if (value && isPoison(value.type)) return poison(span);
  if (value && ![INT, FLOAT, DECIMAL].some((type) => type === value.type)) {
    body.cx.error(
      "E0605",
      value.span,
      `\`${operation}\` takes Int, Float or Decimal samples, not \`${typeText(value.type)}\``,
    );
    return poison(span);
  }
  const sample = value && operation === "mean" && value.type === INT ? toFloat(value) : value;
  const type = operation === "count" ? INT : operation === "mean" ? FLOAT : (value?.type ?? INT);
  const index = accumulators.length;
  accumulators.push({ operation, sample: sample && sampleFunction(body, sample, index), type });
  return { kind: "accumulator", operation, index, type, span };
}

/** The sample as a function of `self`; its body is checked already. */
function sampleFunction(body: Body, sample: TypedExpr, index: number): TypedFunction {
  const { span } = sample;
  const fn: TypedFunction = {
    name: `${body.fn.name}.sample_${index}`,
    role: "initialiser",
    self: body.self,
    params: [],
    result: sample.type,
    declaresResult: true,
    fallible: undefined,
    body: { statements: [], tail: sample, span },
    foreign: undefined,
    span,
    nameSpan: span,
    isHandler: false,
    decorators: [],
  }; // prettier-ignore
  body.cx.functions.push(fn);
  return fn;
}
