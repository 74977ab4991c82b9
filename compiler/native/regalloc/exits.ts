// The ways out of a function (a panic, an early return) that stand between the blocks of its main path.
import type { FunctionIr } from "../ir/function-ir.ts";
import { Op } from "../ir/operations.ts";

/** Blocks from which bridging pays: below, the holes in what is live are few, and registers are better used with them. */
const MANY_BLOCKS = 2048;

/** A way out that is longer is left as it is, so that nested ones cost no search. */
const LONGEST_EXIT = 32;

/**
 * For each block the block behind which its values count as live: itself, or the last block of the way out that follows it and that only it leads to. What is live
 * across thousands of such exits would else have a hole at each: their number would grow with the square of the function's length.
 */
export function bridgesOf(ir: FunctionIr): Int32Array {
  const bridges = new Int32Array(ir.blockCount);
  for (let block = 0; block < ir.blockCount; block++) bridges[block] = block;
  if (ir.blockCount < MANY_BLOCKS) return bridges;
  for (let block = 0; block < ir.blockCount; block++) {
    const last = lastOfExit(ir, block);
    if (last > block && isClosed(ir, block, last)) bridges[block] = last;
  }
  return bridges;
}

/** The block before the further one of two ways that a block may go; the block itself when neither is the next one. */
function lastOfExit(ir: FunctionIr, block: number): number {
  const branch = ir.terminatorOf(block);
  if (ir.op[branch] !== Op.Branch) return block;
  const one = ir.edgeTo[ir.bOf(branch)] ?? 0;
  const other = ir.edgeTo[ir.cOf(branch)] ?? 0;
  const length = Math.max(one, other) - block - 1;
  return Math.min(one, other) === block + 1 && length > 0 && length <= LONGEST_EXIT ? block + length : block;
}

/** Whether the blocks behind `block` up to `last` are entered from it or from each other only, and lead to each other only. */
function isClosed(ir: FunctionIr, block: number, last: number): boolean {
  for (let inner = block + 1; inner <= last; inner++) {
    const edges = ir.blockEdges[inner] ?? [];
    if (edges.length === 0) continue;
    for (const edge of edges) {
      const from = ir.edgeFrom[edge] ?? 0;
      if (from < block || from > last) return false;
    }
    let leaves = false;
    ir.forEachSuccessor(inner, (edge) => {
      const to = ir.edgeTo[edge] ?? 0;
      if (to <= block || to > last) leaves = true;
    });
    if (leaves) return false;
  }
  return true;
}
