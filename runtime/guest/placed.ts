// Loci on threads of their own and on pools (reference 06 6.11 to 6.14): how they are built, started and joined.
//
// The literal of a placed field is carried out in two places. The thread that evaluates the literal evaluates the values that are written in it and lays them into a *plan*:
//   0 i32 table index of the function (plan) -> instance that builds the locus from it, 4 i32 the instance, 8 i32 1 when it is built, 12 i32 number of the replica, then the values.
// The thread of the locus builds it: the defaults, and what is nested in it.
import { alloc, free } from "./memory";
import * as host from "./host";
import { bus_drain, enterHandler, leaveHandler, serve, serveUntil } from "./bus";
import { giveUpAnswers } from "./failure";
import { beginHold, endHold } from "./journaled";
import { forgiveLeaks } from "./leaks";
import { enrol } from "./consumers";
import { buildPooled, endLocus, live, register } from "./lifecycle";
import { ENDED, FAILED, HOME, NAME, OWNER, OWN_THREAD, QUARANTINED, flagsOf, letGo, own_exit, releaseStack } from "./locus";
import { setWaitHook } from "./parking";
import { addThread, assureThread, isPoolOver, stopPool, waitForSocket, workAsync, workClassic } from "./pool";
import {
  ASYNC, CLASSIC, EARLIER, GONE, INSTANCE, KIND, PINNED, PLAN, REPLICA, STARTING, STOP, THREADS, closeInbox, enterStrand, giveInboxBack, hasRegistrations, inboxCell, isOver, lockStrand, messagesOf, newStrand,
  setThreadHook, strand, unlockStrand, waitForCells, wake, wakeForCell, wakeWord,
} from "./strand"; // prettier-ignore
import { checkGrace } from "./process";
import { CELL_SIZE, bus_pending, releaseRing, takeOldest } from "./queue";
import { flushBeforeWait } from "./schedule";
import { postJob } from "./subscriptions";
import { textByte, textBytes, textWords } from "./text-buffer";
import { isJournaling, isReplaying, thread_announce, thread_attach, thread_detach } from "./thread";

const BUILDER: usize = 0;
const BUILT_INSTANCE: usize = 4;
const BUILT: usize = 8;
const PLAN_REPLICA: usize = 12;
/** Offset of the first value, as the compiler knows it. */
export const PLAN_VALUES: usize = 16;

/** The strand that was started last. */
const newest: usize = memory.data(4, 4);

/** A plan with room for `size` bytes of values, all zero. */
export function plan_new(builder: u32, size: usize): usize {
  const plan = alloc(PLAN_VALUES + size);
  store<u32>(plan, builder);
  return plan;
}

/** Starts a thread that builds and runs the locus; answers the instance when it is built. The plan is given back. */
export function plan_pinned(plan: usize, replica: i32): usize {
  const own = newStrand(PINNED);
  store<i32>(plan, replica, PLAN_REPLICA);
  store<i32>(own, replica, REPLICA);
  store<usize>(own, plan, PLAN);
  enlist(own);
  if (isJournaling()) enrol(own);
  startThread(own);
  serveUntil(plan + BUILT);
  const instance = load<usize>(plan, BUILT_INSTANCE);
  free(plan);
  return instance;
}

/**
 * Starts the worker of a pool, unless it is running. `slot`: where the program keeps the pool's strand. `parked`: of an `async_io` pool, how many jobs may park at once
 * right at the start (their threads are started together); 0 for a classic pool.
 */
export function pool_start(slot: usize, parked: i32): void {
  if (load<usize>(slot) != 0) return;
  setWaitHook(waitForSocket.index);
  if (parked > 0) setThreadHook(assureThread.index);
  const pool = newStrand(parked > 0 ? ASYNC : CLASSIC);
  store<usize>(slot, pool);
  store<usize>(pool, slot, PLAN);
  enlist(pool);
  if (isJournaling()) enrol(pool);
  for (let i = 0; i <= parked; i++) addThread(pool);
  // Threads take their time to start on some hosts: no job begins before they are there.
  const began = parked > 0 && beginHold();
  while (parked > 0 && atomic.load<i32>(pool, STARTING) != 0) serveAndWait();
  endHold(began);
}

/** Has a pool's worker build the locus; answers the instance when it is built. Its birth is up to the caller, then its run() is posted. */
export function plan_pooled(plan: usize, pool: usize): usize {
  postJob(pool, buildJob.index, plan);
  serveUntil(plan + BUILT);
  const instance = load<usize>(plan, BUILT_INSTANCE);
  free(plan);
  return instance;
}

/** Leaves a job for a strand: the body at this table index with the argument. */
export function strand_post(to: usize, body: u32, argument: usize): void {
  postJob(to, body, argument);
}

/** The strand of an instance. */
export function strand_of(instance: usize): usize {
  return load<usize>(instance, HOME);
}

/** Whether the instance lives with another thread's loci. */
export function strand_differs(instance: usize): i32 {
  return i32(load<usize>(instance, HOME) != strand());
}

/** The number of the replica that this thread is. */
export function strand_replica(): i64 {
  return strand() == 0 ? 0 : (load<i32>(strand(), REPLICA) as i64);
}

export function startThread(argument: usize): void {
  thread_announce();
  host.threadStart(argument);
}

/** The entry of every further thread. */
export function hale_thread(argument: usize): void {
  thread_attach();
  enterStrand(argument);
  const kind = load<i32>(argument, KIND);
  if (kind == PINNED) livePinned(argument);
  else if (kind == ASYNC) workAsync(argument);
  else workClassic(argument);
  if (kind == CLASSIC && isReplaying()) forwardRest();
  releaseStack();
  releaseRing();
  thread_detach();
  // The last act: whoever joins counts cells next.
  if (kind == ASYNC) atomic.sub<i32>(argument, 1, THREADS);
  else atomic.store<i32>(argument, 1, GONE);
  wake(0);
}

/** A replay of a pool that had ended before all was sent to it: what it did not deliver then, the main thread delivered. */
function forwardRest(): void {
  while (bus_pending > 0) {
    const cell = takeOldest();
    const total = load<usize>(cell, CELL_SIZE);
    lockStrand(0);
    memory.copy(inboxCell(0, total), cell, total);
    unlockStrand(0);
  }
  wakeForCell(0);
}

/**
 * Builds the locus, lets it live, and ends it: right after its run() when nothing of it subscribes, else when it is told to stop, even if a failure took its
 * subscriptions: it stays readable.
 */
function livePinned(own: usize): void {
  const plan = load<usize>(own, PLAN);
  const instance = call_indirect<usize>(load<u32>(plan, BUILDER), plan);
  store<usize>(own, instance, INSTANCE);
  register(instance);
  const subscribed = hasRegistrations(own);
  announceBuilt(plan, instance);
  live(instance);
  const began = beginHold();
  for (;;) {
    const word = wakeWord(own);
    serve();
    if (atomic.load<i32>(own, STOP) && messagesOf(own) == 0) break;
    if (!hasRegistrations(own) && !(subscribed && isKept(instance))) break;
    if (isJournaling()) flushBeforeWait();
    waitForCells(own, word, isReplaying() ? 20_000_000 : -1);
  }
  endHold(began);
  tearsDown = true;
  endPinned(own, instance);
}

/** The pinned locus of this thread is in its last teardown. */
let tearsDown: bool = false;

function endPinned(own: usize, instance: usize): void {
  endLocus(instance);
  // Whatever comes now is for nobody: the instance hears nothing more.
  do serve();
  while (!closeInbox(own));
}

/**
 * An assertion has failed on a pinned locus's thread. When that was in its teardown, the body and its callers are left, and the teardown goes on from here (05b 5b.13). This
 * does not return then: the process ends with status 1 while this thread waits.
 */
export function leavePinned(): void {
  if (!tearsDown) return;
  forgiveLeaks();
  giveUpAnswers();
  enterHandler();
  own_exit(0);
  leaveHandler();
  const own = strand();
  endPinned(own, load<usize>(own, INSTANCE));
  atomic.store<i32>(own, 1, GONE);
  wake(0);
  for (;;) host.sleep(i64.MAX_VALUE);
}

/** Whether a failure has stopped the instance, so that it lives to its owner's end. */
function isKept(instance: usize): bool {
  const flags = flagsOf(instance);
  return (flags & (FAILED | QUARANTINED)) != 0 && !(flags & ENDED);
}

function buildJob(plan: usize): void {
  const instance = call_indirect<usize>(load<u32>(plan, BUILDER), plan);
  buildPooled(instance);
  announceBuilt(plan, instance);
}

function announceBuilt(plan: usize, instance: usize): void {
  store<usize>(plan, instance, BUILT_INSTANCE);
  atomic.store<i32>(plan, 1, BUILT);
  wake(0);
}

function enlist(own: usize): void {
  store<usize>(own, load<usize>(newest), EARLIER);
  store<usize>(newest, own);
}

/** Every pool's worker finishes what waits and ends; this thread delivers meanwhile (05b 5b.14), and from then on what is sent to the pool's loci. */
export function joinPools(): void {
  for (let own = load<usize>(newest); own != 0; own = load<usize>(own, EARLIER)) {
    if (load<i32>(own, KIND) != PINNED) stopPool(own);
  }
  let previous: usize = 0;
  let own = load<usize>(newest);
  while (own != 0) {
    const earlier = load<usize>(own, EARLIER);
    if (load<i32>(own, KIND) != PINNED) {
      const began = beginHold();
      while (!isPoolOver(own, load<i32>(own, KIND))) serveAndWait();
      endHold(began);
      store<usize>(load<usize>(own, PLAN), 0);
      unlist(own, previous);
    } else {
      previous = own;
    }
    own = earlier;
  }
}

/** The pinned children of a main locus end on their threads, the latest first; what each sent last is delivered before the next is joined. */
export function joinPinned(mainLocus: usize): void {
  let previous: usize = 0;
  let own = load<usize>(newest);
  while (own != 0) {
    if (load<i32>(own, KIND) != PINNED || load<usize>(load<usize>(own, INSTANCE), OWNER) != mainLocus) {
      previous = own;
      own = load<usize>(own, EARLIER);
      continue;
    }
    joinStrand(own);
    unlist(own, previous);
    bus_drain();
    // What was delivered may have changed the list.
    previous = 0;
    own = load<usize>(newest);
  }
}

/**
 * Ends an instance, whose field is assigned anew, on the thread that it lives on: a pinned one is joined; one of a pool ends there as the pool's next job, behind what was
 * sent to it. False: that thread is gone, and nobody else has the instance.
 */
export function endElsewhere(instance: usize): bool {
  const home = load<usize>(instance, HOME);
  if (flagsOf(instance) & OWN_THREAD) {
    joinInstance(instance);
    return true;
  }
  if (home == 0 || load<i32>(home, KIND) == PINNED || isOver(home)) return false;
  const asked = alloc(END_SIZE);
  store<usize>(asked, instance, END_INSTANCE);
  store<usize>(asked, strand(), END_ASKER);
  postJob(home, endJob.index, asked);
  serveUntil(asked + END_DONE);
  free(asked);
  return true;
}

/** What such a job is told: the instance, who waits, and 1 when it is done. */
const END_INSTANCE: usize = 0;
const END_ASKER: usize = 4;
const END_DONE: usize = 8;
const END_SIZE: usize = 16;

function endJob(asked: usize): void {
  const asker = load<usize>(asked, END_ASKER);
  endLocus(load<usize>(asked, END_INSTANCE));
  atomic.store<i32>(asked, 1, END_DONE);
  wake(asker);
}

function joinInstance(instance: usize): void {
  let previous: usize = 0;
  for (let own = load<usize>(newest); own != 0; own = load<usize>(own, EARLIER)) {
    if (load<usize>(own, INSTANCE) == instance) {
      joinStrand(own);
      unlist(own, previous);
      return;
    }
    previous = own;
  }
}

function joinStrand(own: usize): void {
  atomic.store<i32>(own, 1, STOP);
  wake(own);
  const began = beginHold();
  while (!atomic.load<i32>(own, GONE)) serveAndWait();
  endHold(began);
  // The first replica is a field's, nobody holds the others.
  if (load<i32>(own, REPLICA) > 0) letGo(load<usize>(own, INSTANCE));
}

function unlist(own: usize, previous: usize): void {
  giveInboxBack(own);
  const earlier = load<usize>(own, EARLIER);
  if (previous == 0) store<usize>(newest, earlier);
  else store<usize>(previous, earlier, EARLIER);
}

/** Appends what runs on other threads to the text buffer: the types of pinned loci, and pools. */
export function nameStrands(): void {
  if (load<usize>(newest) == 0) textWords(" main");
  for (let own = load<usize>(newest); own != 0; own = load<usize>(own, EARLIER)) {
    if (load<i32>(own, GONE)) continue;
    const instance = load<usize>(own, INSTANCE);
    if (instance == 0) {
      textWords(" a pool");
    } else {
      const name = load<usize>(load<usize>(instance), NAME);
      textByte(32);
      textBytes(name + 4, load<u32>(name));
    }
  }
}

function serveAndWait(): void {
  const word = wakeWord(0);
  serve();
  checkGrace();
  waitForCells(0, word, 20_000_000);
}
