// The order of blocks in the code: as in the source, except that blocks which end in a trap come last, and that a loop whose head decides whether it goes on has its
// head at the bottom: then a round costs one jump.
import type { FunctionIr } from "../ir/function-ir.ts";
import { Op } from "../ir/operations.ts";

export interface BlockLayout {
  readonly order: readonly number[];
  /** Blocks that innermost loops jump back to. */
  readonly loopTops: readonly number[];
}

export function layOutBlocks(ir: FunctionIr): BlockLayout {
  const order: number[] = [];
  const cold: number[] = [];
  for (let block = 0; block < ir.blockCount; block++) {
    if (block > 0 && (ir.blockEdges[block]?.length ?? 0) === 0) continue;
    if (block > 0 && ir.op[ir.terminatorOf(block)] === Op.Trap) cold.push(block);
    else order.push(block);
  }
  const loopTops: number[] = [];
  const isOuter = new Set(ir.loopParent);
  // Inner loops first: they are the later ones.
  for (let loop = ir.loopHeader.length - 1; loop >= 0; loop--) {
    const last = ir.loopLast[loop] ?? -1;
    const header = ir.loopHeader[loop] ?? 0;
    // No loop, or one that cannot run: its blocks are not in the code.
    if (last < 0 || (ir.blockEdges[header]?.length ?? 0) === 0) continue;
    const top = rotate(ir, order, header, last);
    if (!isOuter.has(loop)) loopTops.push(top);
  }
  return { order: order.concat(cold), loopTops };
}

/** Moves the head of a loop behind its last block when that pays; returns the block at the loop's top. */
function rotate(ir: FunctionIr, order: number[], header: number, last: number): number {
  const branch = ir.terminatorOf(header);
  const back = ir.terminatorOf(last);
  if (header === last || ir.op[branch] !== Op.Branch || ir.op[back] !== Op.Jump || ir.edgeTo[ir.aOf(back)] !== header)
    return header;
  const isInside = (edge: number) => {
    const to = ir.edgeTo[edge] ?? 0;
    return to > header && to <= last;
  };
  if (isInside(ir.bOf(branch)) === isInside(ir.cOf(branch))) return header;
  const at = order.indexOf(header);
  const end = order.indexOf(last);
  const top = order[at + 1];
  if (at < 0 || end < 0 || top === undefined || end <= at) return header;
  order.splice(at, 1);
  order.splice(end, 0, header);
  return top;
}
