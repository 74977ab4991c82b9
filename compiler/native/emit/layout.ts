// The order of blocks in the code: as in the source, except that blocks which end in a trap come last.
import type { FunctionIr } from "../ir/function-ir.ts";
import { Op } from "../ir/operations.ts";

export function layOutBlocks(ir: FunctionIr): number[] {
  const order: number[] = [];
  const cold: number[] = [];
  for (let block = 0; block < ir.blockCount; block++) {
    if (block > 0 && ir.op[ir.terminatorOf(block)] === Op.Trap) cold.push(block);
    else order.push(block);
  }
  return order.concat(cold);
}
