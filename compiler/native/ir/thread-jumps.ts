// Jumps through blocks that only test a phi: an edge that brings a constant goes straight to where the test leads. When one edge is left, its block takes the test over.
import type { FunctionIr } from "./function-ir.ts";
import { Op } from "./operations.ts";
import { operandShapes } from "./uses.ts";

/** Expects a finished function; works on blocks that hold nothing but one phi and a branch on it. */
export function threadJumps(ir: FunctionIr): void {
  const phiUses = countPhiUses(ir);
  if (phiUses.size === 0) return;
  // A loop keeps its head: an edge past it would be a second way in.
  const headers = new Set(ir.loopHeader);
  let changed = false;
  for (let block = 1; block < ir.blockCount; block++) {
    const start = ir.startOf(block);
    const branch = testOf(ir, block);
    if (headers.has(block) || ir.phiCount[block] !== 1 || branch < 0 || phiUses.get(start) !== 1) continue;
    const edges = ir.blockEdges[block] ?? [];
    const kept: number[] = [];
    for (const edge of edges) {
      const value = ir.extraAt(ir.edgeArguments[edge] ?? 0);
      if (ir.op[value] !== Op.Const) kept.push(edge);
      else redirect(ir, edge, ir.imm[value] !== 0 ? ir.bOf(branch) : ir.cOf(branch));
    }
    if (kept.length === edges.length) continue;
    changed = true;
    ir.blockEdges[block] = kept;
    takeOver(ir, block, kept, branch);
  }
  if (changed) removeUnreachable(ir);
}

/** The branch on the block's own phi, when the block has nothing else but constants; else -1. */
function testOf(ir: FunctionIr, block: number): number {
  const start = ir.startOf(block);
  const branch = ir.terminatorOf(block);
  if (ir.op[branch] !== Op.Branch || ir.aOf(branch) !== start || ir.op[start] !== Op.Phi) return -1;
  for (let value = start + 1; value < branch; value++) if (ir.op[value] !== Op.Const) return -1;
  return branch;
}

/** Uses of the phis of candidate blocks: by instructions and as arguments of other phis. */
function countPhiUses(ir: FunctionIr): Map<number, number> {
  const uses = new Map<number, number>();
  for (let block = 1; block < ir.blockCount; block++)
    if (ir.phiCount[block] === 1 && testOf(ir, block) >= 0) uses.set(ir.startOf(block), 0);
  if (uses.size === 0) return uses;
  const count = (value: number) => {
    const before = uses.get(value);
    if (before !== undefined) uses.set(value, before + 1);
  };
  for (let value = 0; value < ir.count; value++) {
    const shape = operandShapes[ir.opOf(value)] ?? 0;
    if (shape & 1) count(ir.aOf(value));
    if (shape & 2) count(ir.bOf(value));
    if (shape & 4) count(ir.cOf(value));
  }
  // Lists of values and of edges: a number of an edge may be taken for a value, which does no harm.
  for (const value of ir.extra) count(value);
  return uses;
}

/** Sends an edge where `along`, an edge out of its target, leads. */
function redirect(ir: FunctionIr, edge: number, along: number): void {
  const to = ir.edgeTo[along] ?? 0;
  ir.edgeArguments[edge] = ir.edgeArguments[along] ?? 0;
  ir.aimEdge(edge, to);
}

/** A block with a single edge left gives its test to the block that jumps to it. */
function takeOver(ir: FunctionIr, block: number, kept: readonly number[], branch: number): void {
  const [edge] = kept;
  if (edge === undefined || kept.length > 1) return;
  const from = ir.edgeFrom[edge] ?? 0;
  const jump = ir.terminatorOf(from);
  if (ir.op[jump] !== Op.Jump) return;
  ir.op[jump] = Op.Branch;
  ir.a[jump] = ir.extraAt(ir.edgeArguments[edge] ?? 0);
  ir.b[jump] = ir.bOf(branch);
  ir.c[jump] = ir.cOf(branch);
  ir.edgeFrom[ir.bOf(branch)] = from;
  ir.edgeFrom[ir.cOf(branch)] = from;
  ir.op[branch] = Op.Unreachable;
  ir.blockEdges[block] = [];
}

/** Takes the edges out of blocks that cannot run any more from the blocks they led to. */
function removeUnreachable(ir: FunctionIr): void {
  const reached = new Uint8Array(ir.blockCount);
  const work = [0];
  reached[0] = 1;
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    ir.forEachSuccessor(block, (edge) => {
      const to = ir.edgeTo[edge] ?? 0;
      if (reached[to] === 1) return;
      reached[to] = 1;
      work.push(to);
    });
  }
  for (let block = 0; block < ir.blockCount; block++) {
    if (reached[block] === 0) {
      ir.op[ir.terminatorOf(block)] = Op.Unreachable;
      ir.blockEdges[block] = [];
    } else ir.blockEdges[block] = (ir.blockEdges[block] ?? []).filter((edge) => reached[ir.edgeFrom[edge] ?? 0] === 1);
  }
}
