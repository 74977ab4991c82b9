// The moves that splitting and phis ask for: inside blocks at split positions, and on edges between blocks.
import type { FunctionIr } from "../ir/function-ir.ts";
import { Op } from "../ir/operations.ts";
import { inMemory, type Intervals, nil } from "../regalloc/intervals.ts";
import type { Selection } from "../regalloc/selection.ts";
import type { Emitter } from "./emitter.ts";
import type { ParallelMove } from "./parallel-move.ts";

export class Resolution {
  private readonly ir: FunctionIr;
  private readonly selection: Selection;
  private readonly intervals: Intervals;
  /** Children that begin inside a block in a register, by position. */
  private splits: number[] = [];
  private cursor = 0;
  /** Values whose place differs between the ends of an edge. */
  private edgeValues = new Map<number, number[]>();
  /** Where the value in question lives, from range to range. */
  private readonly course: Course;

  constructor(ir: FunctionIr, selection: Selection, intervals: Intervals) {
    this.ir = ir;
    this.selection = selection;
    this.intervals = intervals;
    this.course = new Course(intervals);
  }

  prepare(): void {
    this.splits = [];
    this.cursor = 0;
    this.edgeValues.clear();
    const { ir, intervals } = this;
    for (let value = 0; value < ir.count; value++) if (intervals.siblingOf(value) !== nil) this.prepareValue(value);
    this.splits.sort((left, right) => intervals.start(left) - intervals.start(right));
  }

  private prepareValue(value: number): void {
    const { ir, intervals } = this;
    let last = value;
    for (let child = intervals.siblingOf(value); child !== nil; child = intervals.siblingOf(child)) {
      if (intervals.isEmpty(child)) continue;
      const start = intervals.start(child);
      const block = ir.blockOf(start >> 2);
      if (start !== 4 * ir.startOf(block) && intervals.placeOf(child) !== inMemory && intervals.end(last) === start)
        this.splits.push(child);
      last = child;
    }
    const end = intervals.end(last);
    this.course.follow(value);
    const firstBlock = ir.blockOf(intervals.start(value) >> 2);
    for (let block = firstBlock; block < ir.blockCount && 4 * ir.startOf(block) < end; block++)
      this.prepareEdges(value, block);
  }

  /** Notes the edges into a block on which a split value changes its place. */
  private prepareEdges(value: number, block: number): void {
    const { ir, intervals } = this;
    const edges = ir.blockEdges[block] ?? [];
    if (edges.length === 0) return;
    const to = this.course.childAt(4 * ir.startOf(block));
    // A phi of this very block is moved with the phis.
    if (to === nil || intervals.placeOf(to) === inMemory || (ir.op[value] === Op.Phi && ir.block[value] === block))
      return;
    for (const edge of edges) {
      const from = this.course.childAt(4 * ir.blockEnd(ir.edgeFrom[edge] ?? 0) - 1);
      if (from === nil) throw new Error(`value ${value} is not live on an edge to block ${block}`);
      if (intervals.placeOf(from) === intervals.placeOf(to)) continue;
      const values = this.edgeValues.get(edge);
      if (values === undefined) this.edgeValues.set(edge, [value]);
      else values.push(value);
    }
  }

  /** To be called before the instructions of a block, with the position of its first. */
  enterBlock(position: number): void {
    let low = 0;
    let high = this.splits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.intervals.start(this.splits[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    this.cursor = low;
  }

  /** Emits the moves of splits that lie before the instruction at `position` = 4i. Those at 4i+1 of a call are left for `addMovesInside`. */
  emitMovesBefore(emitter: Emitter, position: number): void {
    if (this.cursor >= this.splits.length) return;
    this.collect(emitter, emitter.moves, position);
    emitter.moves.emit(emitter);
  }

  /** Adds the moves of splits at 4i+1 to the parallel move of a call's arguments. */
  addMovesInside(emitter: Emitter, position: number): void {
    this.collect(emitter, emitter.moves, position + 1);
  }

  private collect(emitter: Emitter, moves: ParallelMove, limit: number): void {
    const { splits, intervals } = this;
    while (this.cursor < splits.length) {
      const child = splits[this.cursor] ?? 0;
      const start = intervals.start(child);
      if (start > limit) return;
      this.cursor++;
      const value = intervals.valueOf(child);
      moves.add(emitter.where(value, start - 1), emitter.where(value, start), value);
    }
  }

  /** Adds everything that must move on an edge. */
  addEdgeMoves(emitter: Emitter, edge: number): void {
    const { ir, selection } = this;
    const from = 4 * ir.blockEnd(ir.edgeFrom[edge] ?? 0) - 1;
    const to = ir.edgeTo[edge] ?? 0;
    const first = ir.startOf(to);
    const phis = ir.phiCount[to] ?? 0;
    const start = ir.edgeArguments[edge] ?? 0;
    for (let index = 0; index < phis; index++) {
      if (selection.counts[first + index] === 0) continue;
      const value = ir.extraAt(start + index);
      // The phi's type decides: an i32 may stand for an i64.
      emitter.moves.add(emitter.where(value, from), emitter.whereDefined(first + index), value);
    }
    for (const value of this.edgeValues.get(edge) ?? [])
      emitter.moves.add(emitter.where(value, from), emitter.where(value, 4 * first), value);
  }
}

/** The ranges of one value and of its children in order, to be searched: a value that lives across many blocks is asked for at each edge. */
class Course {
  private readonly intervals: Intervals;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly children: number[] = [];

  constructor(intervals: Intervals) {
    this.intervals = intervals;
  }

  follow(value: number): void {
    const { intervals, starts, ends, children } = this;
    starts.length = 0;
    ends.length = 0;
    children.length = 0;
    for (let child = value; child !== nil; child = intervals.siblingOf(child)) {
      for (let range = intervals.rangeOf(child); range !== nil; range = intervals.next(range)) {
        starts.push(intervals.from(range));
        ends.push(intervals.to(range));
        children.push(child);
      }
    }
  }

  /** The child that holds the value at a position; nil when it is not live there. */
  childAt(position: number): number {
    const { starts, ends, children } = this;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return position < (ends[low - 1] ?? 0) ? (children[low - 1] ?? nil) : nil;
  }
}
