// The bus of one thread (reference 06): drain points and deliveries. Sends are in `sending.ts`, what waits is in `queue.ts`, who hears what in `channel.ts`.
import { answerOthers, countSleep } from "./answers";
import { HANDLER, RECEIVER, changeWaiting, isCounted, isSurplus } from "./channel";
import { numberFromEnvironment } from "./environment-number";
import { answerRequest } from "./failure";
import * as host from "./host";
import { beginHold, deliverAndNote, endHold, serveHeld, serveJournaled } from "./journaled";
import { checkAfterBody, endEarly, stop } from "./lifecycle";
import { CHECKED_BODIES, FAILED, QUARANTINED, REGISTERED, TERMINATED, flagsOf, hold, locus_release } from "./locus";
import { parkFor, standAsideUntil } from "./pool";
import { checkGrace, isSleepCut, leaveIfFailed } from "./process";
import { CELL_LINE, CELL_PAYLOAD, CELL_STATE, JOB, appendCells, bus_pending, discardCell, discardPayload, takeOldest } from "./queue";
import { ANYBODY, beginBlocked, endBlocked, tellTaken } from "./room";
import { beginOccasion, endOccasion, flushBeforeWait } from "./schedule";
import { ASYNC, CLASSIC, MAIN, PINNED, messagesOf, sleepForCells, strand, strandKind, takeAll, takenCells, takenEnd, waitAt, waitForCells, wakeWord } from "./strand";
import { isJournaling, manyThreads, severalThreads } from "./thread";
import { tellRoom } from "./topic-room";

const MOST_NESTED_RUNS: i32 = 32;
const SLICE: i64 = 100_000_000;
/** Least and most deliveries between two looks at what other threads have left. */
const SHORT_STRETCH: i32 = 16;
const LONG_STRETCH: i32 = 1024;
/** A handler is running: drain points do nothing. */
let busy: bool = false;
let nestedRuns: i32 = 0;
/** Most cells before a send runs the oldest ones (06 6.5); read from the environment at first use, and not below this first value. */
export let bus_limit: i32 = 64;
let limitIsKnown: bool = false;

/** A drain point: delivers until nothing waits. Only the main thread has such; inside a handler it does nothing. */
export function bus_drain(): void {
  if (busy || strandKind() != MAIN) return;
  serve();
}

/** Delivers until nothing waits for this thread. */
export function serve(): void {
  if (manyThreads() && isJournaling()) {
    serveJournaled();
    return;
  }
  const before = beginHandlers();
  deliver(0);
  endHandlers(before);
}

/** Delivers until nothing waits for this thread, which is the worker of a pool; false when nothing waited. */
export function serveWorker(): bool {
  if (isJournaling()) return serveHeld();
  takeMessages();
  if (bus_pending == 0) return false;
  busy = true;
  deliver(0);
  return true;
}

/** Before a payload is laid out for a send: a queue that is full runs its oldest cells until a quarter remains (06 6.5). */
export function bus_make_room(): void {
  if (!limitIsKnown) {
    limitIsKnown = true;
    bus_limit = readBound();
  }
  // With other threads the queue grows.
  if (severalThreads()) bus_limit = i32.MAX_VALUE;
  if (bus_pending < bus_limit || nestedRuns >= MOST_NESTED_RUNS) return;
  const before = beginHandlers();
  nestedRuns++;
  if (manyThreads()) {
    beginOccasion();
    while (bus_pending > bus_limit >> 2) deliverAndNote(takeOldest());
    endOccasion();
  } else {
    deliver(bus_limit >> 2);
  }
  nestedRuns--;
  endHandlers(before);
}

/** `yield` */
export function bus_yield(): void {
  if (isJournaling()) countSleep();
  serveOnce();
}

function serveOnce(): void {
  const kind = strandKind();
  if (kind == ASYNC) return parkFor(0);
  if (!busy && (kind == MAIN || kind == PINNED)) serve();
  else if (manyThreads()) beforeOthers();
  if (kind == MAIN) leaveIfFailed();
}

/** A job, or a handler, may wait in this way for a child that has failed, or for somebody who sends to this thread. */
function beforeOthers(): void {
  tellTaken(bus_pending);
  answerOthers();
}

/** `std::time::sleep`: in slices, serving what waits after each. */
export function __sleep(nanoseconds: i64): void {
  const kind = strandKind();
  if (kind == ASYNC) return parkFor(nanoseconds);
  const end = host.clock(1) + max<i64>(nanoseconds, 0);
  const serves = (kind == MAIN || kind == PINNED) && !busy;
  const began = serves && beginHold();
  if (isJournaling()) {
    countSleep();
    flushBeforeWait();
  }
  const cutBefore = isSleepCut();
  let left = nanoseconds;
  do {
    const word = wakeWord(strand());
    if (left > 0 && !(serves && manyThreads() && messagesOf(strand()) != 0)) {
      if (serves && manyThreads()) sleepForCells(strand(), word, min(left, SLICE));
      else host.sleep(min(left, SLICE));
    }
    serveOnce();
    checkGrace();
    left = end - host.clock(1);
  } while (left > 0 && (cutBefore || !isSleepCut()));
  endHold(began);
}

/** Waits until the i32 at `address` is not 0, serving this thread meanwhile. */
export function serveUntil(address: usize): void {
  const serves = strandKind() == MAIN || strandKind() == PINNED;
  const before = serves ? 0 : beginBlocked(ANYBODY);
  const began = serves && beginHold();
  for (;;) {
    const word = wakeWord(strand());
    if (atomic.load<i32>(address) != 0) break;
    if (serves) serve();
    if (atomic.load<i32>(address) != 0) break;
    if (serves) waitForCells(strand(), word, SLICE);
    else if (!answerRequest()) waitAt(strand(), word, SLICE);
  }
  endHold(began);
  if (!serves) endBlocked(before);
}

/** The same on any thread: on a pool other jobs run meanwhile, since what sets the address may need one of them. */
export function workUntil(address: usize): void {
  const kind = strandKind();
  if (kind == ASYNC) return standAsideUntil(address);
  if (kind != CLASSIC) return serveUntil(address);
  for (;;) {
    const word = wakeWord(strand());
    if (atomic.load<i32>(address) != 0) return;
    if (!serveWorker() && !answerRequest()) waitForCells(strand(), word, SLICE);
  }
}

/** Whether a handler of this thread is running. */
export function isBusy(): bool {
  return busy;
}

/** Handlers run from here on; answers what `endHandlers` is to be given. */
// @ts-ignore: decorator
@inline
export function beginHandlers(): bool {
  const before = busy;
  busy = true;
  return before;
}

// @ts-ignore: decorator
@inline
export function endHandlers(before: bool): void {
  busy = before;
}

/** The frames are being left after a failed assertion: nothing is delivered until that is done (`leaveHandler`). */
export function enterHandler(): void {
  busy = true;
}

/** After a failed assertion: the handler that ran has been left. */
export function leaveHandler(): void {
  busy = false;
  nestedRuns = 0;
}

/** Moves what other threads have left into the ring. */
export function takeMessages(): void {
  const first = takeAll(strand(), bus_pending);
  if (first != 0) appendCells(first, takenEnd - first, takenCells);
}

function readBound(): i32 {
  const name = memory.data<u8>([76, 79, 84, 85, 83, 95, 66, 85, 83, 95, 81, 85, 69, 85, 69, 95, 67, 65, 80]); // LOTUS_BUS_QUEUE_CAP
  return max<i64>(numberFromEnvironment(name, 19, 8192), 64) as i32;
}

/**
 * Delivers the oldest cells until `rest` of them are left. With other threads it looks now and then what they have left, so that an instance that keeps sending to itself does not
 * shut the others out: when what waited at the last look has been delivered. What comes meanwhile goes behind that anyway, and at each look both sides pay for the same line of
 * the cache.
 */
function deliver(rest: i32): void {
  let held: usize = 0;
  let untilLook = 0;
  for (;;) {
    if (manyThreads()) {
      if (untilLook == 0 || bus_pending == 0) {
        takeMessages();
        tellTaken(bus_pending);
        untilLook = min(max(bus_pending, SHORT_STRETCH), LONG_STRETCH);
      }
      untilLook--;
    }
    if (bus_pending <= rest) break;
    held = deliverHolding(takeOldest(), held);
  }
  if (held != 0) locus_release(held);
}

/** Runs the handler, or the job, of a cell that has been taken out of its queue. */
export function deliverCell(cell: usize): void {
  const held = deliverHolding(cell, 0);
  if (held != 0) locus_release(held);
}

/** The same for one of several. `held`: as for `runHandler`. */
// @ts-ignore: decorator
@inline
function deliverHolding(cell: usize, held: usize): usize {
  const state = load<usize>(cell, CELL_STATE);
  if (state <= JOB) {
    if (state != JOB) return held;
    // It may run as long as the program does.
    if (held != 0) locus_release(held);
    if (manyThreads()) tellTaken(bus_pending);
    call_indirect<void>(load<u32>(cell, CELL_PAYLOAD), load<usize>(cell, CELL_PAYLOAD + 4));
    return 0;
  }
  const receiver = load<usize>(state, RECEIVER);
  if ((flagsOf(receiver) & (REGISTERED | QUARANTINED)) != REGISTERED) {
    discardCell(cell, state);
    return held;
  }
  const line = load<usize>(cell, CELL_LINE);
  if (isCounted(line)) {
    const waiting = changeWaiting(state, -1);
    if (manyThreads()) tellRoom(waiting);
    // A recording knows which ones were delivered (`deliverAndNote`).
    if (isSurplus(line, waiting + 1) && !isJournaling()) {
      discardPayload(cell);
      return held;
    }
  }
  // The handler's entry reads the payload before anything is queued over it.
  return runHandler(receiver, line, cell + CELL_PAYLOAD, held);
}

/**
 * Runs a handler with the receiver held, so that its memory stays while it runs. `held`: the instance that the caller holds already, for which another one is given up; 0 for
 * none. Answers the one that is held now and is the caller's to release: a row of messages to one instance counts it once.
 */
// @ts-ignore: decorator
@inline
export function runHandler(receiver: usize, line: usize, payload: usize, held: usize): usize {
  if (receiver != held) {
    if (held != 0) locus_release(held);
    hold(receiver);
  }
  call_indirect<void>(load<u32>(line, HANDLER), receiver, payload);
  const flags = flagsOf(receiver);
  if (flags & (TERMINATED | FAILED | CHECKED_BODIES)) afterHandler(receiver, flags);
  // Nobody else has it any more, so nobody can take another reference.
  if (load<i32>(receiver - 8) != 1) return receiver;
  locus_release(receiver);
  return 0;
}

function afterHandler(receiver: usize, flags: i32): void {
  if (flags & TERMINATED) endEarly(receiver);
  else if (flags & FAILED) stop(receiver);
  else checkAfterBody(receiver);
}
