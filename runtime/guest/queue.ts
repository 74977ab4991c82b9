// The queue of one thread: a ring of cells, each one delivery or one job. Sizes are multiples of 16.
import { countWaiting } from "./channel";
import { allocateUncounted, freeUncounted } from "./memory";
import { isOf } from "./schedule";

export const CELL_SIZE: usize = 0;
/** 0: nothing to deliver. */
export const CELL_STATE: usize = 4;
/** 0: the rest of the ring, up to its end. */
export const CELL_LINE: usize = 8;
export const CELL_DISCARD: usize = 12;
export const CELL_PAYLOAD: usize = 16;
/** In the place of a line: the payload is a table index and an argument, to be called. */
export const JOB: usize = 1;

let ring: usize = 0;
let ringSize: usize = 0;
/** Positions in the ring, counted on for ever. */
let head: u32 = 0;
let tail: u32 = 0;
/** Cells that wait. */
export let bus_pending: i32 = 0;

/** Takes the oldest cell out of the ring. Its memory holds until the next one is reserved. */
// @ts-ignore: decorator
@inline
export function takeOldest(): usize {
  let cell = ring + (head & (ringSize - 1));
  if (load<usize>(cell, CELL_LINE) == 0) cell = skipRest(cell);
  head += load<u32>(cell, CELL_SIZE);
  bus_pending--;
  return cell;
}

/** The unused end of the ring is stepped over. */
function skipRest(rest: usize): usize {
  head += load<u32>(rest, CELL_SIZE);
  return ring + (head & (ringSize - 1));
}

/** The cell that an entry of a recording tells of, or 0. */
export function findCell(entry: usize): usize {
  for (let at = head; at != tail; ) {
    const cell = ring + (at & (ringSize - 1));
    if (load<usize>(cell, CELL_LINE) != 0 && load<usize>(cell, CELL_STATE) != 0 && isOf(entry, cell)) return cell;
    at += load<u32>(cell, CELL_SIZE);
  }
  return 0;
}

/** The oldest cell that has something to deliver, or 0. */
export function oldestCell(): usize {
  for (let at = head; at != tail; ) {
    const cell = ring + (at & (ringSize - 1));
    if (load<usize>(cell, CELL_LINE) != 0 && load<usize>(cell, CELL_STATE) != 0) return cell;
    at += load<u32>(cell, CELL_SIZE);
  }
  return 0;
}

/** Takes a cell out of the middle of the ring: a copy, to be given back by `freeUncounted`. What lies before it and delivers nothing goes. */
export function takeCell(cell: usize): usize {
  const size = load<usize>(cell, CELL_SIZE);
  const copy = allocateUncounted(size);
  memory.copy(copy, cell, size);
  store<usize>(cell, 0, CELL_STATE);
  while (bus_pending > 0) {
    const first = ring + (head & (ringSize - 1));
    if (load<usize>(first, CELL_LINE) != 0) {
      if (load<usize>(first, CELL_STATE) != 0) break;
      bus_pending--;
    }
    head += load<u32>(first, CELL_SIZE);
  }
  return copy;
}

/** A ring cell; its memory holds until the next one is reserved or delivered. */
// @ts-ignore: decorator
@inline
export function reserve(total: usize): usize {
  const at = tail & (ringSize - 1);
  bus_pending++;
  // A ring that is not there yet has no room either: its size is 0.
  if (at + total > ringSize || ringSize - (tail - head) < total) return reserveElsewhere(total);
  tail += total as u32;
  return ring + at;
}

/** Appends cells that lie one behind the other, to be delivered after those that wait. */
export function appendCells(first: usize, total: usize, count: i32): void {
  const at = reserve(total);
  memory.copy(at, first, total);
  bus_pending += count - 1;
}

/** No room at the end: at the start, or in a wider ring. */
function reserveElsewhere(total: usize): usize {
  let at = tail & (ringSize - 1);
  let toEnd = ringSize - at;
  if (ringSize == 0 || ringSize - (tail - head) < (total <= toEnd ? total : toEnd + total)) {
    growRing(total);
    at = tail & (ringSize - 1);
    toEnd = ringSize - at;
  }
  if (total > toEnd) {
    store<usize>(ring + at, toEnd, CELL_SIZE);
    store<usize>(ring + at, 0, CELL_LINE);
    tail += toEnd as u32;
    at = 0;
  }
  tail += total as u32;
  return ring + at;
}

/** At the end of a thread: gives the ring's memory back. Nothing waits any more. */
export function releaseRing(): void {
  if (ring != 0) freeUncounted(ring);
  ring = 0;
  ringSize = 0;
}

function growRing(total: usize): void {
  let wider: usize = max(ringSize << 1, 4096);
  while (wider < (tail - head) + (total << 1)) wider <<= 1;
  const fresh = allocateUncounted(wider);
  let to: usize = 0;
  while (head != tail) {
    const cell = ring + (head & (ringSize - 1));
    const size = load<usize>(cell, CELL_SIZE);
    if (load<usize>(cell, CELL_LINE) != 0) {
      memory.copy(fresh + to, cell, size);
      to += size;
    }
    head += size as u32;
  }
  if (ring != 0) freeUncounted(ring);
  ring = fresh;
  ringSize = wider;
  head = 0;
  tail = to as u32;
}

/** Takes the cells of the subscription out of the ring: all, or the oldest. */
export function dropInRing(state: usize, all: bool): bool {
  let dropped = false;
  for (let at = head; at != tail; ) {
    const cell = ring + (at & (ringSize - 1));
    if (load<usize>(cell, CELL_LINE) != 0 && load<usize>(cell, CELL_STATE) == state) {
      store<usize>(cell, 0, CELL_STATE);
      discardCell(cell, state);
      dropped = true;
      if (!all) return true;
    }
    at += load<u32>(cell, CELL_SIZE);
  }
  return dropped;
}

export function discardCell(cell: usize, state: usize): void {
  countWaiting(state, -1);
  const discard = load<u32>(cell, CELL_DISCARD);
  if (discard != 0) call_indirect<void>(discard, cell + CELL_PAYLOAD);
}
