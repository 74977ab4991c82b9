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
/** How many bytes of cells there ever were before the memory at the ring's start: before the oldest cells, and, where those lie behind the youngest, before these. */
let base: i64 = 0;
let backBase: i64 = 0;
/**
 * Where a search for a subscription's cells ended: before that there are none, and there never will be, since cells come behind all others. Slots of i64 bytes of cells before
 * it, i32 state, found by the state's address; 0 until the first search.
 */
let searches: usize = 0;
const SEARCHED_STATE: usize = 8;
const SEARCH_SIZE: usize = 16;
const SEARCHES: usize = 64;

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
  base = backBase;
  limit = ringEnd;
  return ring;
}

// @ts-ignore: decorator
@inline
function empty(): void {
  // More than can have been in it.
  if (searches != 0) base += ((ringEnd - ring) << 1) as i64;
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

/** The oldest cell of that subscription, or 0. What a search has passed it does not look at again. */
export function cellOfState(state: usize): usize {
  if (searches == 0) searches = allocateUncounted(SEARCHES * SEARCH_SIZE);
  const search = searches + ((state >> 4) % SEARCHES) * SEARCH_SIZE;
  let cell = load<usize>(search, SEARCHED_STATE) == state ? cellAt(load<i64>(search)) : firstCell();
  while (cell != 0 && load<usize>(cell, CELL_STATE) != state) cell = cellBehind(cell);
  store<usize>(search, state, SEARCHED_STATE);
  store<i64>(search, bytesBefore(cell == 0 ? tail : cell));
  return cell;
}

function bytesBefore(cell: usize): i64 {
  return (wrap != NOWHERE && cell < head ? backBase : base) + (cell - ring);
}

/** The cell with so many bytes of others before it; the oldest one when it is gone, 0 when there is none yet. */
function cellAt(bytes: i64): usize {
  const first = firstCell();
  if (first == 0 || bytes <= bytesBefore(first)) return first;
  let cell = ring + ((bytes - base) as usize);
  if (wrap != NOWHERE && cell >= wrap) cell = ring + ((bytes - backBase) as usize);
  return cell == tail ? 0 : cell;
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
    backBase = base + (wrap - ring);
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
  base += head - ring;
  if (ring != 0) freeUncounted(ring);
  ring = head = fresh;
  ringEnd = limit = fresh + wider;
  tail = fresh + front + back;
  wrap = NOWHERE;
}

/** At the end of a thread: gives the ring's memory back. Nothing waits any more. */
export function releaseRing(): void {
  if (ring != 0) freeUncounted(ring);
  if (searches != 0) freeUncounted(searches);
  searches = 0;
  ring = ringEnd = head = tail = limit = 0;
  wrap = NOWHERE;
}

/** Takes the oldest cell of the subscription out of the ring, if there is one. */
export function dropOldestInRing(state: usize): bool {
  const cell = bus_pending == 0 ? 0 : cellOfState(state);
  if (cell == 0) return false;
  dropCell(cell, state);
  return true;
}

/** Takes all of them out. */
export function dropInRing(state: usize): void {
  for (let cell = firstCell(); cell != 0; cell = cellBehind(cell)) if (load<usize>(cell, CELL_STATE) == state) dropCell(cell, state);
}

/** A cell that stays where it is delivers nothing any more. */
export function dropCell(cell: usize, state: usize): void {
  store<usize>(cell, 0, CELL_STATE);
  discardCell(cell, state);
}

export function discardCell(cell: usize, state: usize): void {
  countWaiting(state, load<usize>(cell, CELL_LINE), -1);
  discardPayload(cell);
}

/** Of a cell that nobody counts any more. */
export function discardPayload(cell: usize): void {
  const discard = load<u32>(cell, CELL_DISCARD);
  if (discard != 0) call_indirect<void>(discard, cell + CELL_PAYLOAD);
}
