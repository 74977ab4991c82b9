// Values that are known when the program is compiled, as the bytes that they have in memory.
import type { TypedExpr } from "../semantics/index.ts";
import { layoutOf } from "./layout.ts";
import type { ProgramContext } from "./program-context.ts";

/**
 * Writes the value of an expression at `offset`, as it lies in memory. False when it is not constant; `view` may have been written to then. Texts are static cells,
 * which nobody counts.
 */
export function writeConstant(program: ProgramContext, expr: TypedExpr, view: DataView, offset: number): boolean {
  switch (expr.kind) {
    case "int":
      view.setBigInt64(offset, BigInt.asIntN(64, expr.value), true);
      return true;
    case "duration":
    case "time":
      view.setBigInt64(offset, BigInt.asIntN(64, expr.nanoseconds), true);
      return true;
    case "decimal":
      view.setBigInt64(offset, BigInt.asIntN(64, expr.units), true);
      view.setBigInt64(offset + 8, BigInt.asIntN(64, expr.units >> 64n), true);
      return true;
    case "float":
      view.setFloat64(offset, expr.value, true);
      return true;
    case "bool":
      view.setInt32(offset, expr.value ? 1 : 0, true);
      return true;
    case "string":
    case "bytes":
      view.setInt32(offset, program.data.text(expr.value), true);
      return true;
    case "record":
      return writeParts(program, expr, expr.fields, view, offset);
    case "tuple":
      return writeParts(program, expr, expr.members, view, offset);
    default:
      return false;
  }
}

function writeParts(
  program: ProgramContext,
  whole: TypedExpr,
  parts: readonly TypedExpr[],
  view: DataView,
  offset: number,
): boolean {
  const layout = layoutOf(whole.type);
  if (layout.box) return false;
  return parts.every((part, index) => writeConstant(program, part, view, offset + (layout.parts[index]?.offset ?? 0)));
}
