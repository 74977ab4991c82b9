// The intervals still to be placed, by start position: the original ones in the order of their values, which is the order of their starts, and a heap of
// children that splitting has made.
import { type Intervals, nil } from "./intervals.ts";

export class IntervalQueue {
  private readonly intervals: Intervals;
  private next = 0;
  private originals = 0;
  private readonly heap: number[] = [];

  constructor(intervals: Intervals) {
    this.intervals = intervals;
  }

  fill(): void {
    this.next = 0;
    this.originals = this.intervals.count;
    this.heap.length = 0;
    this.skipEmpty();
  }

  private skipEmpty(): void {
    while (this.next < this.originals && this.intervals.isEmpty(this.next)) this.next++;
  }

  private startOf(index: number): number {
    return this.intervals.start(this.heap[index] ?? 0);
  }

  /** The interval with the lowest start, or nil. */
  take(): number {
    const { heap } = this;
    const original = this.next < this.originals;
    if (heap.length > 0 && (!original || this.startOf(0) < this.intervals.start(this.next))) return this.takeFromHeap();
    if (!original) return nil;
    const interval = this.next++;
    this.skipEmpty();
    return interval;
  }

  add(interval: number): void {
    const { heap } = this;
    const start = this.intervals.start(interval);
    let at = heap.length;
    heap.push(interval);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.startOf(parent) <= start) break;
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = interval;
  }

  private takeFromHeap(): number {
    const { heap } = this;
    const first = heap[0] ?? nil;
    const moved = heap.pop() ?? nil;
    if (heap.length === 0) return first;
    const start = this.intervals.start(moved);
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.startOf(child + 1) < this.startOf(child)) child++;
      if (this.startOf(child) >= start) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = moved;
    return first;
  }
}
