// Sorting a vec (07 3.5 to 3.8): by the runtime's own order, or by a function of the program.
import type { FunctionType, TypedExpr } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { pushExpr } from "../expressions.ts";
import { FunctionContext } from "../function-context.ts";
import { leavesOf } from "../layout.ts";
import { type AddedFunction, type ProgramContext, resultTypes } from "../program-context.ts";
import { pushStored } from "../values.ts";
import { type ElementShape, type OpenForm, valueAt } from "./form.ts";

const { i32 } = ValueType;

/** Codes of runtime/guest/collections.ts. */
const ORDERS: Readonly<Record<string, number>> = { Int: 0, Float: 1, String: 2 };
const BY_FUNCTION = 3;

export function sortPlainly(fn: FunctionContext, form: OpenForm): void {
  const { element } = form.shape.info;
  const order = element.kind === "primitive" ? ORDERS[element.name] : undefined;
  if (order === undefined) throw new Error("the cells have no order");
  callSort(fn, form, order, () => {
    fn.code.i32(0);
    fn.code.i32(0);
  });
}

/** Sorts by the comparison that `comparison` (a function value) is. */
export function sortBy(
  fn: FunctionContext,
  form: OpenForm,
  comparison: TypedExpr,
  direction: "ascending" | "descending",
): void {
  const { type } = comparison;
  if (type.kind !== "function") throw new Error("not a comparison");
  const { code } = fn;
  pushExpr(fn, comparison, "any");
  const context = fn.temp(i32);
  code.set(context);
  const thunk = comparisonThunk(fn.program, form.shape, type, direction);
  callSort(fn, form, BY_FUNCTION, () => {
    code.i32(fn.program.tableIndexOf(thunk.index));
    code.get(context);
  });
  fn.freeTemp(context);
}

function callSort(fn: FunctionContext, form: OpenForm, order: number, pushComparison: () => void): void {
  const { code } = fn;
  code.get(form.storage);
  code.i32(form.shape.stride);
  code.i32(order);
  pushComparison();
  code.call(fn.program.runtimeFunction("vec_sort"));
}

/** `(address, address, table index) -> i32`: calls the comparison with the two elements, borrowed. */
function comparisonThunk(
  program: ProgramContext,
  shape: ElementShape,
  type: FunctionType,
  direction: "ascending" | "descending",
): AddedFunction {
  return program.helper(`comparison ${direction}`, type, () =>
    program.addFunction(`compare ${direction}`, [i32, i32, i32], [i32], (added) => {
      const fn = new FunctionContext(program, undefined, [i32, i32, i32]);
      const { code } = fn;
      const params: ValueType[] = [];
      const elements = direction === "ascending" ? [0, 1] : [1, 0];
      for (const [position, element] of elements.entries()) {
        if (program.references.isIndirectReference(type, position)) {
          code.get(element);
          params.push(i32);
        } else {
          pushStored(fn, valueAt(shape, element), shape.layout, "any", false);
          params.push(...leavesOf(shape.info.element).map((leaf) => leaf.wasm));
        }
      }
      code.get(2);
      code.callIndirect(program.typeIndex(params, resultTypes(type.result, undefined)));
      added.finished = code.finish();
    }),
  );
}
