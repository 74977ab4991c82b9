// Linear scan with lifetime holes and interval splitting (Wimmer & Mössenböck 2005, "Optimized Interval Splitting in a Linear Scan Register Allocator").
//
// A value that loses its register goes to its stack slot and comes back before the next use that wants a register. Splits are placed at block boundaries of
// the lowest loop depth available. A position 4i+1 of a call is the only place inside an instruction where an interval may change registers (the move becomes
// part of the parallel move of the arguments).
import type { FunctionIr } from "../ir/function-ir.ts";
import {
  allocatableFloats,
  calleeSavedIntegers,
  calleeSavedMask,
  callerSavedIntegers,
  type Register,
} from "../x64/registers.ts";
import { IntervalQueue } from "./interval-queue.ts";
import { inMemory, type Intervals, nil, noPosition, UseKind } from "./intervals.ts";
import type { Selection } from "./selection.ts";
import { SplitPositions } from "./split-positions.ts";

const integerOrder: readonly Register[] = [...callerSavedIntegers, ...calleeSavedIntegers];

export class LinearScan {
  private readonly ir: FunctionIr;
  private readonly selection: Selection;
  private readonly intervals: Intervals;
  private readonly queue: IntervalQueue;
  private readonly splits: SplitPositions;
  /** The interval in each register at the current position, or nil. */
  private readonly active: number[] = new Array<number>(32).fill(nil);
  /** Intervals with a register that are in a hole at the current position. */
  private readonly inactive: number[] = [];
  private readonly freeUntil: number[] = new Array<number>(32).fill(0);
  private readonly blockedFrom: number[] = new Array<number>(32).fill(0);
  /** Next entry of `selection.fixed` for each register, and of the calls. */
  private readonly fixedCursor: number[] = new Array<number>(32).fill(0);
  private callCursor = 0;
  /** For phis without a place yet: the register of one of their arguments. */
  private suggestion: Int32Array = new Int32Array(1024);
  /** Callee-saved registers handed out, as bits. */
  usedCalleeSaved = 0;

  constructor(ir: FunctionIr, selection: Selection, intervals: Intervals) {
    this.ir = ir;
    this.selection = selection;
    this.intervals = intervals;
    this.queue = new IntervalQueue(intervals);
    this.splits = new SplitPositions(ir, selection, intervals);
  }

  run(): void {
    const { intervals, queue } = this;
    this.active.fill(nil);
    this.inactive.length = 0;
    this.fixedCursor.fill(0);
    this.callCursor = 0;
    this.usedCalleeSaved = 0;
    if (this.suggestion.length < intervals.count) this.suggestion = new Int32Array(intervals.count * 2);
    this.suggestion.fill(-1, 0, intervals.count);
    this.splits.prepare();
    queue.fill();
    for (let current = queue.take(); current !== nil; current = queue.take()) {
      const position = intervals.start(current);
      intervals.cursor[current] = intervals.rangeOf(current);
      this.retire(position);
      const order = this.ir.isFloat(intervals.valueOf(current)) ? allocatableFloats : integerOrder;
      if (!this.allocateFree(current, position, order)) this.allocateBlocked(current, position, order);
    }
  }

  // -- the state at the current position

  /** Moves intervals between active and inactive as the position advances. */
  private retire(position: number): void {
    const { intervals, active, inactive } = this;
    for (let register = 0; register < 32; register++) {
      const interval = active[register] ?? nil;
      if (interval === nil) continue;
      const range = this.advance(interval, position);
      if (range === nil) active[register] = nil;
      else if (intervals.from(range) > position) {
        active[register] = nil;
        inactive.push(interval);
      }
    }
    let kept = 0;
    for (let index = 0; index < inactive.length; index++) {
      const interval = inactive[index] ?? nil;
      const range = this.advance(interval, position);
      if (range === nil) continue;
      if (intervals.from(range) <= position) active[intervals.placeOf(interval)] = interval;
      else inactive[kept++] = interval;
    }
    inactive.length = kept;
    const { calls, fixed } = this.selection;
    while (this.callCursor < calls.length && (calls[this.callCursor] ?? 0) + 3 <= position) this.callCursor++;
    for (const register of fixedRegisters) {
      const list = fixed[register] ?? [];
      let cursor = this.fixedCursor[register] ?? 0;
      while (cursor < list.length && (list[cursor] ?? 0) + 3 <= position) cursor++;
      this.fixedCursor[register] = cursor;
    }
  }

  private advance(interval: number, position: number): number {
    const { intervals } = this;
    let range = intervals.cursor[interval] ?? nil;
    while (range !== nil && intervals.to(range) <= position) range = intervals.next(range);
    intervals.cursor[interval] = range;
    return range;
  }

  /** The first of some instructions (ascending positions) whose destroying span [p+1, p+3) meets the interval: where, or noPosition. */
  private firstMeeting(interval: number, list: readonly number[], cursor: number): number {
    const { intervals } = this;
    let range = intervals.rangeOf(interval);
    for (let index = cursor; index < list.length && range !== nil; ) {
      const from = (list[index] ?? 0) + 1;
      if (from + 2 <= intervals.from(range)) index++;
      else if (intervals.to(range) <= from) range = intervals.next(range);
      else return Math.max(from, intervals.from(range));
    }
    return noPosition;
  }

  // -- a free register

  private allocateFree(current: number, position: number, order: readonly Register[]): boolean {
    const { intervals, freeUntil } = this;
    this.findFree(current, order);
    const end = intervals.end(current);
    let best = this.hintedRegister(current, position, end, order);
    if (best < 0) {
      let most = -1;
      for (const register of order) {
        const free = freeUntil[register] ?? 0;
        if (free >= end) {
          best = register;
          break;
        }
        if (free > most) {
          most = free;
          best = register;
        }
      }
    }
    const free = freeUntil[best] ?? 0;
    if (free < end) {
      const at = this.splits.before(current, position + 1, free);
      // A register that is lost again before the first use is of no use.
      if (at <= position || intervals.useBehind(current, position, UseKind.better) >= at) return false;
      this.queue.add(intervals.split(current, at));
    }
    this.assign(current, best);
    return true;
  }

  /** Until where each register is free for the interval. */
  private findFree(current: number, order: readonly Register[]): void {
    const { intervals, active, freeUntil, selection } = this;
    const atCall = this.firstMeeting(current, selection.calls, this.callCursor);
    for (const register of order) {
      if ((active[register] ?? nil) !== nil) {
        freeUntil[register] = 0;
        continue;
      }
      let free = (calleeSavedMask >>> register) & 1 ? noPosition : atCall;
      const list = selection.fixed[register] ?? [];
      if (list.length > 0) free = Math.min(free, this.firstMeeting(current, list, this.fixedCursor[register] ?? 0));
      freeUntil[register] = free;
    }
    for (const interval of this.inactive) {
      const register = intervals.placeOf(interval);
      const free = freeUntil[register] ?? 0;
      if (free > 0) freeUntil[register] = Math.min(free, intervals.intersection(interval, current));
    }
  }

  /** A register that saves a move and is free for the whole interval, or -1. */
  private hintedRegister(current: number, position: number, end: number, order: readonly Register[]): Register {
    const { intervals, selection, freeUntil } = this;
    const value = intervals.valueOf(current);
    const floats = order === allocatableFloats;
    const fits = (register: number) => register >= 0 && register >= 16 === floats && (freeUntil[register] ?? 0) >= end;
    const to = selection.hintTo[value] ?? -1;
    if (to >= 0) {
      const place = intervals.placeOf(to);
      if (fits(place)) return place;
      const suggested = this.suggestion[to] ?? -1;
      if (place < 0 && fits(suggested)) return suggested;
      const wished = selection.hintRegister[to] ?? -1;
      if (place < 0 && fits(wished)) return wished;
    }
    const register = selection.hintRegister[value] ?? -1;
    if (fits(register)) return register;
    const from = selection.hintFrom[value] ?? -1;
    if (from >= 0 && current === value) {
      const child = intervals.childAt(from, position & ~3);
      const place = child === nil ? intervals.placeOf(from) : intervals.placeOf(child);
      if (fits(place)) return place;
    }
    const suggested = this.suggestion[value] ?? -1;
    return fits(suggested) ? suggested : -1;
  }

  private assign(interval: number, register: Register): void {
    const { intervals } = this;
    intervals.place[interval] = register;
    this.active[register] = interval;
    this.usedCalleeSaved |= calleeSavedMask & (1 << register);
    const to = this.selection.hintTo[intervals.valueOf(interval)] ?? -1;
    if (to >= 0 && this.suggestion[to] === -1) this.suggestion[to] = register;
  }

  // -- no free register

  private allocateBlocked(current: number, position: number, order: readonly Register[]): void {
    const { intervals, freeUntil, blockedFrom } = this;
    this.findNextUses(current, position, order);
    let best = -1;
    let most = -1;
    for (const register of order) {
      const until = freeUntil[register] ?? 0;
      if (until > most) {
        most = until;
        best = register;
      }
    }
    const wanted = intervals.useBehind(current, position, UseKind.better);
    const needed = intervals.useBehind(current, position, UseKind.must);
    if (wanted === noPosition || (most <= wanted && needed >= nextInstruction(position))) {
      this.spill(current, position);
      return;
    }
    if (most <= position)
      throw new Error(`no register at position ${position} for value ${intervals.valueOf(current)}`);
    const blocked = blockedFrom[best] ?? noPosition;
    if (blocked < intervals.end(current)) {
      const at = this.splits.before(current, position + 1, blocked);
      if (at <= position) throw new Error(`cannot split at ${position} for value ${intervals.valueOf(current)}`);
      this.queue.add(intervals.split(current, at));
    }
    this.evict(best, current, position);
    this.assign(current, best);
  }

  /** For each register: the next use of what is in it (in `freeUntil`), and where it is taken by an instruction. */
  private findNextUses(current: number, position: number, order: readonly Register[]): void {
    const { intervals, active, freeUntil, blockedFrom, selection } = this;
    const atCall = this.firstMeeting(current, selection.calls, this.callCursor);
    for (const register of order) {
      const list = selection.fixed[register] ?? [];
      let blocked = (calleeSavedMask >>> register) & 1 ? noPosition : atCall;
      if (list.length > 0)
        blocked = Math.min(blocked, this.firstMeeting(current, list, this.fixedCursor[register] ?? 0));
      blockedFrom[register] = blocked;
      const interval = active[register] ?? nil;
      let until = interval === nil ? noPosition : this.splits.nextUse(interval, position);
      // Registers taken before the interval can be split do not help.
      if (blocked < noPosition && this.splits.before(current, position + 1, blocked) <= position) until = 0;
      freeUntil[register] = Math.min(until, blocked);
    }
    for (const interval of this.inactive) {
      const register = intervals.placeOf(interval);
      if (register >= 16 !== (order === allocatableFloats) || intervals.intersection(interval, current) === noPosition)
        continue;
      freeUntil[register] = Math.min(freeUntil[register] ?? 0, this.splits.nextUse(interval, position));
    }
  }

  /** The interval goes to memory, up to its next use that wants a register. */
  private spill(interval: number, position: number): void {
    const { intervals } = this;
    intervals.place[interval] = inMemory;
    const use = intervals.useBehind(interval, nextInstruction(position), UseKind.better);
    const needed = intervals.useBehind(interval, position, UseKind.must);
    const next = Math.min(use, needed);
    if (next >= noPosition) return;
    const at = this.splits.before(interval, position + 1, next);
    if (at <= intervals.start(interval)) return;
    this.queue.add(intervals.split(interval, at));
  }

  /** Takes the register away from all that would use it together with `current`. */
  private evict(register: Register, current: number, position: number): void {
    const { intervals, active, inactive } = this;
    const holder = active[register] ?? nil;
    if (holder !== nil) {
      active[register] = nil;
      this.evictFrom(holder, position);
    }
    let kept = 0;
    for (let index = 0; index < inactive.length; index++) {
      const interval = inactive[index] ?? nil;
      if (intervals.placeOf(interval) === register && intervals.intersection(interval, current) !== noPosition)
        this.evictFrom(interval, position);
      else inactive[kept++] = interval;
    }
    inactive.length = kept;
  }

  private evictFrom(interval: number, position: number): void {
    const { intervals } = this;
    const start = intervals.start(interval);
    if (start >= position) {
      this.spill(interval, position);
      return;
    }
    const last = intervals.useBefore(interval, position);
    const at = this.splits.toMemory(interval, Math.max(start, last) + 1, position);
    const tail = intervals.split(interval, at);
    intervals.cursor[interval] = nil;
    if (!intervals.isEmpty(tail)) this.spill(tail, position);
  }
}

const fixedRegisters: readonly Register[] = [0, 1, 2];

function nextInstruction(position: number): number {
  return (position | 3) + 1;
}
