// Where an interval is best split, and how soon a value is needed again.
import type { FunctionIr } from "../ir/function-ir.ts";
import { type Intervals, nil, noPosition, UseKind } from "./intervals.ts";
import type { Selection } from "./selection.ts";

export class SplitPositions {
  private readonly ir: FunctionIr;
  private readonly selection: Selection;
  private readonly intervals: Intervals;
  private readonly calls = new Set<number>();
  /** The innermost loop around each block, or -1. */
  private loopOfBlock: number[] = [];

  constructor(ir: FunctionIr, selection: Selection, intervals: Intervals) {
    this.ir = ir;
    this.selection = selection;
    this.intervals = intervals;
  }

  prepare(): void {
    const { ir } = this;
    this.calls.clear();
    for (const call of this.selection.calls) this.calls.add(call);
    this.loopOfBlock = new Array<number>(ir.blockCount).fill(-1);
    ir.loopHeader.forEach((header, loop) => {
      for (let block = header; block <= (ir.loopLast[loop] ?? -1); block++) this.loopOfBlock[block] = loop;
    });
  }

  private blockAt(position: number): number {
    return position < 4 * this.ir.count ? this.ir.blockOf(position >> 2) : this.ir.blockCount - 1;
  }

  /**
   * The best position for a split after which the interval may be in a register, from `least` to `most`. Less than `least` when there is none.
   */
  before(interval: number, least: number, most: number): number {
    const start = Math.max(least, this.intervals.start(interval) + 1);
    const boundary = this.cheapBoundary(start, most);
    if (boundary >= start) return boundary;
    if ((most & 3) === 1 && this.calls.has(most - 1)) return most;
    const aligned = most & ~3;
    return aligned >= start ? aligned : -1;
  }

  /** As `before`, for a split after which the interval is in memory: any position will do. */
  toMemory(interval: number, least: number, most: number): number {
    const start = Math.max(least, this.intervals.start(interval) + 1);
    const boundary = this.cheapBoundary(start, most);
    return boundary >= start ? boundary : most;
  }

  /** The last block boundary in [least, most] behind a block of lower loop depth than the one at `most`, lowest depth first; -1 when there is none. */
  private cheapBoundary(least: number, most: number): number {
    const { ir } = this;
    const last = this.blockAt(most);
    const first = this.blockAt(least);
    let depth = ir.blockDepth[last] ?? 0;
    let best = -1;
    for (let block = last - 1; block >= first; block--) {
      const candidate = ir.blockDepth[block] ?? 0;
      if (candidate >= depth) continue;
      const boundary = 4 * ir.blockEnd(block);
      if (boundary < least) break;
      depth = candidate;
      best = boundary;
    }
    return best;
  }

  /**
   * The next position at which a register for the interval's value pays. A value used earlier in a loop around the position counts as used again at the
   * loop's end.
   */
  nextUse(interval: number, position: number): number {
    const { ir, intervals } = this;
    let next = intervals.useBehind(interval, position, UseKind.better);
    const value = intervals.valueOf(interval);
    const valueStart = intervals.start(value);
    for (let loop = this.loopOfBlock[this.blockAt(position)] ?? -1; loop >= 0; loop = ir.loopParent[loop] ?? -1) {
      const from = 4 * ir.startOf(ir.loopHeader[loop] ?? 0);
      const to = 4 * ir.blockEnd(ir.loopLast[loop] ?? 0);
      if (next < to) return next;
      if (valueStart < from && this.isUsedWithin(value, from, position)) next = Math.min(next, to);
    }
    return Math.min(next, noPosition);
  }

  private isUsedWithin(value: number, from: number, to: number): boolean {
    const { intervals } = this;
    for (let child = value; child !== nil; child = intervals.siblingOf(child)) {
      if (intervals.start(child) >= to) return false;
      const use = intervals.useBehind(child, from, UseKind.better);
      if (use < to) return true;
    }
    return false;
  }
}
