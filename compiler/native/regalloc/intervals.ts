// Live intervals: for each value the ranges of positions where it is live and the positions of its uses.
//
// Instruction i has the positions 4i (operands are read), 4i+1 (operands are in place, calls destroy registers), 4i+2 (results appear) and 4i+3 (results that
// arrive in fixed registers are moved away). A range [from, to) is half open. Phis are defined at the first position of their block, parameters at 0.
// An interval split in two gives a child; children of one value are chained in order of position.
import { enlarge } from "../ir/function-ir.ts";

/** How much a use wants a register. */
export const UseKind = {
  /** A move can read any place. */
  none: 0,
  /** A memory operand is possible. */
  better: 1,
  /** Only a register will do. */
  must: 2,
} as const;
export type UseKind = number;

/** The end of a list. */
export const nil = -1;
/** `place` of an interval that is in its value's stack slot. */
export const inMemory = -2;
export const unassigned = -1;

const initialCapacity = 4096;

/** Grown on demand; reset for each function. Lists are linked through indices, newest (lowest position) first. */
export class Intervals {
  count = 0;
  private capacity = initialCapacity;
  firstRange: Int32Array = new Int32Array(initialCapacity);
  firstUse: Int32Array = new Int32Array(initialCapacity);
  /** Register number, `inMemory` or `unassigned`. */
  place: Int32Array = new Int32Array(initialCapacity);
  /** The value it belongs to. */
  value: Int32Array = new Int32Array(initialCapacity);
  /** The next child of the same value, by position. */
  sibling: Int32Array = new Int32Array(initialCapacity);
  /** For the allocator: the first range that does not lie wholly in the past. */
  cursor: Int32Array = new Int32Array(initialCapacity);

  rangeCount = 0;
  private rangeCapacity = initialCapacity;
  /** Records of ranges that were joined to others, as a list, for new ones: a loop joins one for each value that lives through it. */
  private freeRange = nil;
  rangeFrom: Int32Array = new Int32Array(initialCapacity);
  rangeTo: Int32Array = new Int32Array(initialCapacity);
  rangeNext: Int32Array = new Int32Array(initialCapacity);

  useCount = 0;
  private useCapacity = initialCapacity;
  usePosition: Int32Array = new Int32Array(initialCapacity);
  useKind: Int32Array = new Int32Array(initialCapacity);
  useNext: Int32Array = new Int32Array(initialCapacity);

  /** One empty interval for each value. */
  reset(values: number): void {
    while (this.capacity < values) this.growIntervals();
    this.count = values;
    this.firstRange.fill(nil, 0, values);
    this.firstUse.fill(nil, 0, values);
    this.place.fill(unassigned, 0, values);
    this.sibling.fill(nil, 0, values);
    for (let index = 0; index < values; index++) this.value[index] = index;
    this.rangeCount = 0;
    this.freeRange = nil;
    this.useCount = 0;
  }

  // -- reading

  rangeOf(interval: number): number {
    return this.firstRange[interval] ?? nil;
  }

  from(range: number): number {
    return this.rangeFrom[range] ?? 0;
  }

  to(range: number): number {
    return this.rangeTo[range] ?? 0;
  }

  next(range: number): number {
    return this.rangeNext[range] ?? nil;
  }

  placeOf(interval: number): number {
    return this.place[interval] ?? unassigned;
  }

  siblingOf(interval: number): number {
    return this.sibling[interval] ?? nil;
  }

  valueOf(interval: number): number {
    return this.value[interval] ?? 0;
  }

  isEmpty(interval: number): boolean {
    return this.firstRange[interval] === nil;
  }

  start(interval: number): number {
    return this.from(this.rangeOf(interval));
  }

  end(interval: number): number {
    let range = this.rangeOf(interval);
    for (let next = this.next(range); next !== nil; next = this.next(range)) range = next;
    return this.to(range);
  }

  covers(interval: number, position: number): boolean {
    for (let range = this.rangeOf(interval); range !== nil; range = this.next(range)) {
      if (position < this.from(range)) return false;
      if (position < this.to(range)) return true;
    }
    return false;
  }

  /** The child of a value that holds it at a position; nil when the value is not live there. */
  childAt(value: number, position: number): number {
    for (let child = value; child !== nil; child = this.siblingOf(child))
      if (this.covers(child, position)) return child;
    return nil;
  }

  /** First position from the cursor of `left` on where both intervals are live; `noPosition` when there is none. */
  intersection(left: number, right: number): number {
    let a = this.cursor[left] ?? nil;
    let b = this.rangeOf(right);
    while (a !== nil && b !== nil) {
      if (this.to(a) <= this.from(b)) a = this.next(a);
      else if (this.to(b) <= this.from(a)) b = this.next(b);
      else return Math.max(this.from(a), this.from(b));
    }
    return noPosition;
  }

  /** The first use at or behind a position that wants a register at least that much. */
  useBehind(interval: number, position: number, kind: UseKind): number {
    for (let use = this.firstUse[interval] ?? nil; use !== nil; use = this.useNext[use] ?? nil) {
      const at = this.usePosition[use] ?? 0;
      if (at >= position && (this.useKind[use] ?? 0) >= kind) return at;
    }
    return noPosition;
  }

  /** The last use before a position, or -1. */
  useBefore(interval: number, position: number): number {
    let last = -1;
    for (let use = this.firstUse[interval] ?? nil; use !== nil; use = this.useNext[use] ?? nil) {
      const at = this.usePosition[use] ?? 0;
      if (at >= position) break;
      last = at;
    }
    return last;
  }

  // -- building, from the last position to the first

  /** Adds a range that starts no later than all others, joining those that it touches. */
  addRange(interval: number, from: number, to: number): void {
    const reuse = this.rangeOf(interval);
    let end = to;
    let next = reuse;
    while (next !== nil && this.from(next) <= end) {
      if (this.to(next) > end) end = this.to(next);
      const joined = next;
      next = this.next(next);
      if (joined === reuse) continue;
      this.rangeNext[joined] = this.freeRange;
      this.freeRange = joined;
    }
    if (reuse !== next && reuse !== nil) {
      this.rangeFrom[reuse] = from;
      this.rangeTo[reuse] = end;
      this.rangeNext[reuse] = next;
      return;
    }
    this.firstRange[interval] = this.newRange(from, end, next);
  }

  /** Cuts the first range off at the definition. */
  setStart(interval: number, from: number): void {
    this.rangeFrom[this.rangeOf(interval)] = from;
  }

  addUse(interval: number, position: number, kind: UseKind): void {
    this.firstUse[interval] = this.newUse(position, kind, this.firstUse[interval] ?? nil);
  }

  // -- splitting

  /** Splits an interval at a position strictly inside it; returns the new interval that begins there. */
  split(interval: number, position: number): number {
    const child = this.newInterval(this.valueOf(interval));
    this.sibling[child] = this.siblingOf(interval);
    this.sibling[interval] = child;
    this.splitRanges(interval, child, position);
    let before = nil;
    let use = this.firstUse[interval] ?? nil;
    while (use !== nil && (this.usePosition[use] ?? 0) < position) {
      before = use;
      use = this.useNext[use] ?? nil;
    }
    this.firstUse[child] = use;
    if (before === nil) this.firstUse[interval] = nil;
    else this.useNext[before] = nil;
    return child;
  }

  private splitRanges(interval: number, child: number, position: number): void {
    let before = nil;
    let range = this.rangeOf(interval);
    while (range !== nil && this.to(range) <= position) {
      before = range;
      range = this.next(range);
    }
    if (range !== nil && this.from(range) < position) {
      const rest = this.newRange(position, this.to(range), this.next(range));
      this.rangeTo[range] = position;
      this.rangeNext[range] = nil;
      this.firstRange[child] = rest;
      return;
    }
    this.firstRange[child] = range;
    if (before !== nil) this.rangeNext[before] = nil;
  }

  private newInterval(value: number): number {
    if (this.count === this.capacity) this.growIntervals();
    const interval = this.count++;
    this.firstRange[interval] = nil;
    this.firstUse[interval] = nil;
    this.place[interval] = unassigned;
    this.value[interval] = value;
    this.sibling[interval] = nil;
    return interval;
  }

  private newRange(from: number, to: number, next: number): number {
    const range = this.takeRange();
    this.rangeFrom[range] = from;
    this.rangeTo[range] = to;
    this.rangeNext[range] = next;
    return range;
  }

  private takeRange(): number {
    if (this.freeRange !== nil) {
      const free = this.freeRange;
      this.freeRange = this.next(free);
      return free;
    }
    if (this.rangeCount === this.rangeCapacity) {
      this.rangeCapacity *= 2;
      this.rangeFrom = enlarge(this.rangeFrom, this.rangeCapacity);
      this.rangeTo = enlarge(this.rangeTo, this.rangeCapacity);
      this.rangeNext = enlarge(this.rangeNext, this.rangeCapacity);
    }
    return this.rangeCount++;
  }

  private newUse(position: number, kind: UseKind, next: number): number {
    if (this.useCount === this.useCapacity) {
      this.useCapacity *= 2;
      this.usePosition = enlarge(this.usePosition, this.useCapacity);
      this.useKind = enlarge(this.useKind, this.useCapacity);
      this.useNext = enlarge(this.useNext, this.useCapacity);
    }
    const use = this.useCount++;
    this.usePosition[use] = position;
    this.useKind[use] = kind;
    this.useNext[use] = next;
    return use;
  }

  private growIntervals(): void {
    this.capacity *= 2;
    this.firstRange = enlarge(this.firstRange, this.capacity);
    this.firstUse = enlarge(this.firstUse, this.capacity);
    this.place = enlarge(this.place, this.capacity);
    this.value = enlarge(this.value, this.capacity);
    this.sibling = enlarge(this.sibling, this.capacity);
    this.cursor = enlarge(this.cursor, this.capacity);
  }
}

/** Behind every position. */
export const noPosition = 0x7fff_fff0;
