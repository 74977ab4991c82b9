// One pass over the code from the end: selects what is folded into what, and builds the live intervals (Wimmer & Franz 2010, fig. 4).
import type { FunctionIr } from "../ir/function-ir.ts";
import { Op, operationTraits, Trait } from "../ir/operations.ts";
import { trapsAlone } from "../ir/uses.ts";
import { bridgesOf } from "./exits.ts";
import { type Intervals, nil, type UseKind, UseKind as Kind } from "./intervals.ts";
import { selectors } from "./select.ts";
import type { Selection } from "./selection.ts";

export class Liveness {
  readonly ir: FunctionIr;
  readonly selection: Selection;
  readonly intervals: Intervals;
  /** live[value] is the current block's stamp when the value is live at the current position. */
  private live: Int32Array = new Int32Array(1024);
  private stamp = 0;
  private liveList: number[] = [];
  private blockFrom = 0;
  /** See `bridgesOf`. */
  private bridges: Int32Array = new Int32Array(0);
  /** Values live at the start of each block, until the last block that asks for them has been visited. */
  private liveIn: (readonly number[] | undefined)[] = [];
  /** That block, the first one that leads there. */
  private lastReader: Int32Array = new Int32Array(0);

  constructor(ir: FunctionIr, selection: Selection, intervals: Intervals) {
    this.ir = ir;
    this.selection = selection;
    this.intervals = intervals;
  }

  /** Expects the use counts in `selection.counts`. */
  run(): void {
    const { ir, selection, intervals } = this;
    intervals.reset(ir.count);
    if (this.live.length < ir.count) this.live = new Int32Array(ir.count * 2);
    this.live.fill(0, 0, ir.count);
    this.stamp = 0;
    this.bridges = bridgesOf(ir);
    this.liveIn = new Array<undefined>(ir.blockCount);
    this.lastReader = firstPredecessors(ir);
    const loopOfHeader = new Map<number, number>();
    ir.loopHeader.forEach((header, loop) => loopOfHeader.set(header, loop));
    for (let block = ir.blockCount - 1; block >= 0; block--) {
      if (block > 0 && (ir.blockEdges[block]?.length ?? 0) === 0) continue;
      this.visitBlock(block);
      const loop = loopOfHeader.get(block);
      const last = loop === undefined ? -1 : (ir.loopLast[loop] ?? -1);
      if (last >= block)
        for (const value of this.liveIn[block] ?? []) intervals.addRange(value, this.blockFrom, 4 * ir.blockEnd(last));
    }
    this.liveIn = [];
    selection.calls.reverse();
    for (const list of selection.fixed) list.reverse();
  }

  private visitBlock(block: number): void {
    const { ir, selection } = this;
    const start = ir.startOf(block);
    const end = ir.blockEnd(block);
    this.blockFrom = 4 * start;
    this.stamp++;
    this.liveList.length = 0;
    this.liveAtEnd(block);
    for (let value = end - 1; value >= start; value--) {
      if (selection.folded[value] !== 0) continue;
      const op = ir.opOf(value);
      if (op === Op.Phi) break;
      if (
        selection.counts[value] === 0 &&
        ((operationTraits[op] ?? 0) & Trait.effect) === 0 &&
        !trapsAlone(ir, op, value)
      )
        continue;
      selectors[op]?.(this, value, 4 * value);
    }
    this.definePhis(block, start);
    const liveIn: number[] = [];
    for (const value of this.liveList) if (this.live[value] === this.stamp) liveIn.push(value);
    this.liveIn[block] = liveIn;
  }

  /** Everything live into a successor, and what this block passes to its phis. */
  private liveAtEnd(block: number): void {
    const { ir, selection } = this;
    const blockTo = 4 * ir.blockEnd(block);
    const bridgeTo = 4 * ir.blockEnd(this.bridges[block] ?? block);
    ir.forEachSuccessor(block, (edge) => {
      const to = ir.edgeTo[edge] ?? 0;
      for (const value of this.liveIn[to] ?? []) this.keepAlive(value, bridgeTo);
      if (this.lastReader[to] === block && to > block) this.liveIn[to] = undefined;
      const phis = ir.phiCount[to] ?? 0;
      const first = ir.startOf(to);
      const args = ir.edgeArguments[edge] ?? 0;
      for (let index = 0; index < phis; index++) {
        if (selection.counts[first + index] === 0) continue;
        const value = ir.extraAt(args + index);
        if (ir.op[value] === Op.Const) continue;
        this.use(value, blockTo - 1, Kind.none, blockTo);
        if (selection.hintTo[value] === -1) selection.hintTo[value] = first + index;
        if (selection.hintFrom[first + index] === -1 || value < first) selection.hintFrom[first + index] = value;
      }
    });
  }

  private keepAlive(value: number, rangeTo: number): void {
    if (this.live[value] === this.stamp) return;
    this.live[value] = this.stamp;
    this.liveList.push(value);
    this.intervals.addRange(value, this.blockFrom, rangeTo);
  }

  private definePhis(block: number, start: number): void {
    const phis = this.ir.phiCount[block] ?? 0;
    for (let phi = start; phi < start + phis; phi++) {
      if (this.selection.counts[phi] !== 0) this.define(phi, this.blockFrom, Kind.none);
    }
  }

  // -- for the selectors

  /** `value` is read at `position` and stays in place until `rangeTo`. Constants have no interval. */
  use(value: number, position: number, kind: UseKind, rangeTo: number): void {
    const { intervals } = this;
    if (this.ir.op[value] === Op.Const) return;
    if (this.live[value] !== this.stamp) {
      this.live[value] = this.stamp;
      this.liveList.push(value);
      intervals.addRange(value, this.blockFrom, rangeTo);
    } else {
      const range = intervals.rangeOf(value);
      if (intervals.to(range) < rangeTo) intervals.rangeTo[range] = rangeTo;
    }
    intervals.addUse(value, position, kind);
  }

  /** The value appears at `position`. */
  define(value: number, position: number, kind: UseKind): void {
    const { intervals } = this;
    if (this.live[value] === this.stamp) {
      this.live[value] = 0;
      intervals.setStart(value, position);
    } else if (intervals.rangeOf(value) === nil || intervals.start(value) > position) {
      intervals.addRange(value, position, position + 1);
    }
    intervals.addUse(value, position, kind);
  }
}

/** For each block the first of those that lead to it. */
function firstPredecessors(ir: FunctionIr): Int32Array {
  const first = new Int32Array(ir.blockCount);
  for (let block = 0; block < ir.blockCount; block++) {
    let least = block;
    for (const edge of ir.blockEdges[block] ?? []) least = Math.min(least, ir.edgeFrom[edge] ?? 0);
    first[block] = least;
  }
  return first;
}
