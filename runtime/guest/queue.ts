// The queue of one thread: a ring of cells, each one delivery or one job. Sizes are multiples of 16.
import { countWaiting } from "./channel";
import { allocateUncounted, freeUncounted } from "./memory";
import { isOf } from "./schedule";

export const CELL_SIZE: usize = 0;
/** 0: nothing to deliver. */
export const CELL_STATE: usize = 4;
export const CELL_LINE: usize = 8;
export const CELL_DISCARD: usize = 12;
export const CELL_PAYLOAD: usize = 16;
/** In the place of a line: the payload is a table index and an argument, to be called. */
export const JOB: usize = 1;
const NOWHERE: usize = -1;
/** Bytes of a ring at first. */
const FIRST_RING: usize = 4096;

/** The ring's memory, from its start to its end. */
let ring: usize = 0;
let ringEnd: usize = 0;
/** The oldest cell; where the next one goes; the end of the free memory behind that. */
let head: usize = 0;
let tail: usize = 0;
let limit: usize = 0;
/** When the youngest cells lie before the oldest: where the cells in front of them end, before the ring's end. */
let wrap: usize = NOWHERE;
/** Cells that wait. */
export let bus_pending: i32 = 0;

/** Takes the oldest cell out of the ring. Its memory holds until the next one is reserved. */
// @ts-ignore: decorator
@inline
export function takeOldest(): usize {
  let cell = head;
  if (cell == wrap) cell = toStart();
  head = cell + load<usize>(cell, CELL_SIZE);
  const left = bus_pending - 1;
  bus_pending = left;
  // An empty ring starts anew, so that a short queue stays in the same lines of the cache.
  if (left == 0) empty();
  return cell;
}

function toStart(): usize {
  wrap = NOWHERE;
  limit = ringEnd;
  return ring;
}

// @ts-ignore: decorator
@inline
function empty(): void {
  head = tail = ring;
  limit = ringEnd;
  wrap = NOWHERE;
}

/** The cell that waits for that entry of a recording, or 0. */
export function findCell(entry: usize): usize {
  for (let cell = firstCell(); cell != 0; cell = cellBehind(cell)) if (load<usize>(cell, CELL_STATE) != 0 && isOf(entry, cell)) return cell;
  return 0;
}

/** The oldest cell that has something to deliver, or 0. */
export function oldestCell(): usize {
  for (let cell = firstCell(); cell != 0; cell = cellBehind(cell)) if (load<usize>(cell, CELL_STATE) != 0) return cell;
  return 0;
}

/** The oldest cell of that subscription, or 0. */
export function cellOfState(state: usize): usize {
  for (let cell = firstCell(); cell != 0; cell = cellBehind(cell)) if (load<usize>(cell, CELL_STATE) == state) return cell;
  return 0;
}

function firstCell(): usize {
  if (bus_pending == 0) return 0;
  if (head == wrap) head = toStart();
  return head;
}

function cellBehind(cell: usize): usize {
  const next = cell + load<usize>(cell, CELL_SIZE);
  if (next == wrap) return tail == ring ? 0 : ring;
  return next == tail ? 0 : next;
}

/** Takes a cell out of the middle of the ring: a copy, to be given back by `freeUncounted`. What lies before it and delivers nothing goes. */
export function takeCell(cell: usize): usize {
  const size = load<usize>(cell, CELL_SIZE);
  const copy = allocateUncounted(size);
  memory.copy(copy, cell, size);
  store<usize>(cell, 0, CELL_STATE);
  for (let first = firstCell(); first != 0 && load<usize>(first, CELL_STATE) == 0; first = firstCell()) {
    head = first + load<usize>(first, CELL_SIZE);
    if (--bus_pending == 0) empty();
  }
  return copy;
}

/** A ring cell; its memory holds until the next one is reserved or delivered. */
// @ts-ignore: decorator
@inline
export function reserve(total: usize): usize {
  const cell = tail;
  const next = cell + total;
  if (next > limit) return reserveElsewhere(total);
  tail = next;
  bus_pending++;
  return cell;
}

/** Appends cells that lie one behind the other, to be delivered after those that wait. */
export function appendCells(first: usize, total: usize, count: i32): void {
  const at = reserve(total);
  memory.copy(at, first, total);
  bus_pending += count - 1;
}

/** No room behind the youngest cell: at the start, or in what has been taken since, or in a wider ring. */
function reserveElsewhere(total: usize): usize {
  if (wrap != NOWHERE) {
    limit = head;
  } else if (head - ring >= total) {
    wrap = tail;
    tail = ring;
    limit = head;
  }
  if (tail + total > limit) grow(total);
  const cell = tail;
  tail = cell + total;
  bus_pending++;
  return cell;
}

function grow(total: usize): void {
  const front = (wrap == NOWHERE ? tail : wrap) - head;
  const back = wrap == NOWHERE ? 0 : tail - ring;
  let wider: usize = max<usize>((ringEnd - ring) << 1, FIRST_RING);
  while (wider < front + back + (total << 1)) wider <<= 1;
  const fresh = allocateUncounted(wider);
  memory.copy(fresh, head, front);
  memory.copy(fresh + front, ring, back);
  if (ring != 0) freeUncounted(ring);
  ring = head = fresh;
  ringEnd = limit = fresh + wider;
  tail = fresh + front + back;
  wrap = NOWHERE;
}

/** At the end of a thread: gives the ring's memory back. Nothing waits any more. */
export function releaseRing(): void {
  if (ring != 0) freeUncounted(ring);
  ring = ringEnd = head = tail = limit = 0;
  wrap = NOWHERE;
}

/** Takes the cells of the subscription out of the ring: all, or the oldest. */
export function dropInRing(state: usize, all: bool): bool {
  if (bus_pending == 0) return false;
  if (wrap == NOWHERE) return dropBetween(head, tail, state, all);
  const dropped = dropBetween(head, wrap, state, all);
  return (dropped && !all) || dropBetween(ring, tail, state, all) || dropped;
}

function dropBetween(from: usize, to: usize, state: usize, all: bool): bool {
  let dropped = false;
  for (let cell = from; cell < to; cell += load<usize>(cell, CELL_SIZE)) {
    if (load<usize>(cell, CELL_STATE) != state) continue;
    store<usize>(cell, 0, CELL_STATE);
    discardCell(cell, state);
    dropped = true;
    if (!all) return true;
  }
  return dropped;
}

export function discardCell(cell: usize, state: usize): void {
  countWaiting(state, load<usize>(cell, CELL_LINE), -1);
  const discard = load<u32>(cell, CELL_DISCARD);
  if (discard != 0) call_indirect<void>(discard, cell + CELL_PAYLOAD);
}
