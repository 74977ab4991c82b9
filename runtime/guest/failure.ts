// Structural failures: delivery to the parent's on_failure, what its handler may do, failures with nobody to hear them (reference 05b).
import { beginHandlers, endHandlers, workUntil } from "./bus";
import { faultBegin, faultEnd, faultText, faultWords } from "./fault";
import { NUMBER, SENDS, consumer } from "./consumers";
import * as host from "./host";
import { lock, unlock } from "./lock";
import { allocateUncounted, freeUncounted } from "./memory";
import { live, liveOn } from "./lifecycle";
import { strand_post } from "./placed";
import { isDraining } from "./process";
import { beginBlocked, endBlocked } from "./room";
import { delivererOf, strand, strandBlock, waitAt, wake, wakeWord } from "./strand";
import { dropSubscriptions } from "./subscriptions";
import { isJournaling } from "./thread";
import {
  ACCUMULATORS, CONSTRUCTING, DISSOLVED, CHECKED, ENDED, FAILED, HANDLERS, HELD, HOME, IN_BIRTH, IN_PLACE, IN_RUN, NAME, OWNER, PARENT, QUARANTINED, RESTART, RESTARTS, RESTORE,
  TERMINATED, TYPE_ID, clearDirect, clearFlags, flagsOf, hold as keep, locus_release, setFlags,
} from "./locus"; // prettier-ignore

/** Epochs, as a descriptor's CHECK knows them. A birth_check counts as a closure of the birth epoch, behind the others. */
export const BIRTH_EPOCH: i32 = 0;
export const TICK_EPOCH: i32 = 1;
export const DURATION_EPOCH: i32 = 2;
export const DISSOLVE_EPOCH: i32 = 3;

/** What failed. */
const BY_ASSERTION: i32 = 0;
const BY_VIOLATE: i32 = 1;
const BY_BIRTH_CHECK: i32 = 2;
const BUBBLED: i32 = 3;

/** Recoveries, in the sets of an accumulator. */
const BY_RESTART: i32 = 1;
const BY_RESTART_IN_PLACE: i32 = 2;
const BY_QUARANTINE: i32 = 4;

const DEFAULT_RESTARTS: i64 = 2;

/** First and last failure that waits for its parent's params. Each: i32 next, i32 child, i32 closure, i32 handler, i64 difference. */
let firstHeld: usize = 0;
let lastHeld: usize = 0;
const NEXT: usize = 0;
const CHILD: usize = 4;
const CLOSURE: usize = 8;
const HANDLER: usize = 12;
const DIFFERENCE: usize = 16;
/** The request of a child on another thread, which waits for the answer; or 0. */
const REQUEST: usize = 24;
const HELD_SIZE: usize = 32;

/**
 * Such a request: i32 child, i32 closure, i32 handler, i32 1 when it has been handled, i64 difference, i32 1 when it waits for the parent's params, i32 the next one that
 * nobody has begun, i32 1 when somebody has, i32 who still needs it: the child, and the job that was left for the parent's thread; i32 the one within whose handler this one's runs.
 */
const REQUEST_CHILD: usize = 0;
const REQUEST_CLOSURE: usize = 4;
const REQUEST_HANDLER: usize = 8;
const REQUEST_DONE: usize = 12;
const REQUEST_DIFFERENCE: usize = 16;
const REQUEST_HELD: usize = 24;
const REQUEST_NEXT: usize = 28;
const REQUEST_BEGUN: usize = 32;
const REQUEST_USERS: usize = 36;
/** In a run that is recorded or replayed: the identity of that job, its sender's consumer and count. */
export const REQUEST_SENDER: usize = 40;
const REQUEST_OUTER: usize = 44;
export const REQUEST_NUMBER: usize = 48;
const REQUEST_SIZE: usize = 56;

/** The request whose handler runs on this thread, the innermost one; or 0. */
let answering: usize = 0;

/** Shared by all threads: a lock, and the requests that nobody has begun. */
const requestLock: usize = memory.data(4, 4);
const firstRequest: usize = memory.data(4, 4);

/**
 * The instance failed. Its parent's handler runs now, or, while the parent is setting its params, when they are set; with nobody to hear it the process ends.
 * `closure`: the closure's name.
 */
export function locus_fail(instance: usize, closure: usize, difference: i64, kind: i32): void {
  if (kind != BY_ASSERTION) setFlags(instance, FAILED);
  const parent = load<usize>(instance, PARENT);
  const handler = parent == 0 ? 0 : handlerOf(parent, load<i32>(load<usize>(instance), TYPE_ID));
  if (handler == 0) {
    reportUnhandled(load<usize>(load<usize>(instance), NAME), closure, kind);
  } else if (load<usize>(parent, HOME) != strand()) {
    request(parent, instance, closure, handler, difference);
    clearFlags(instance, requestsToForget(instance));
  } else if (flagsOf(parent) & CONSTRUCTING && !(flagsOf(instance) & CHECKED)) {
    hold(instance, closure, handler, difference, 0);
  } else {
    deliver(parent, instance, closure, handler, difference);
    clearFlags(instance, requestsToForget(instance));
  }
}

/** Only a birth and a run can be gone through again. */
function requestsToForget(instance: usize): i32 {
  return !(flagsOf(instance) & (IN_BIRTH | IN_RUN)) || flagsOf(instance) & CHECKED ? RESTART | IN_PLACE : 0;
}

/**
 * The parent lives on another thread: its handler runs there, and the child waits for it, hearing nothing meanwhile: the handler may quarantine it. Only while the parent
 * is setting its params, which may take long and need this thread, messages are heard, and a pool goes on with its jobs.
 */
function request(parent: usize, instance: usize, closure: usize, handler: u32, difference: i64): void {
  const asked = allocateUncounted(REQUEST_SIZE);
  store<usize>(asked, instance, REQUEST_CHILD);
  store<usize>(asked, closure, REQUEST_CLOSURE);
  store<u32>(asked, handler, REQUEST_HANDLER);
  store<i32>(asked, 0, REQUEST_DONE);
  store<i64>(asked, difference, REQUEST_DIFFERENCE);
  store<i32>(asked, 0, REQUEST_HELD);
  store<i32>(asked, 0, REQUEST_BEGUN);
  store<i32>(asked, 2, REQUEST_USERS);
  if (isJournaling()) {
    store<i32>(asked, load<i32>(consumer(), NUMBER), REQUEST_SENDER);
    store<i64>(asked, load<i64>(consumer(), SENDS) + 1, REQUEST_NUMBER);
  }
  lock(requestLock);
  store<usize>(asked, load<usize>(firstRequest), REQUEST_NEXT);
  atomic.store<usize>(firstRequest, asked);
  unlock(requestLock);
  const home = load<usize>(parent, HOME);
  strand_post(home, answerJob.index, asked);
  wake(delivererOf(home));
  awaitAnswer(asked, home);
  if (atomic.load<i32>(asked, REQUEST_HELD) != 0) workUntil(asked + REQUEST_DONE);
  leaveRequest(asked);
}

/** Until it is handled or held. Meanwhile this thread answers what it is asked itself, or two that ask each other would wait for good. */
function awaitAnswer(asked: usize, home: usize): void {
  const before = beginBlocked(strandBlock(home));
  for (;;) {
    const word = wakeWord(strand());
    if ((atomic.load<i32>(asked, REQUEST_DONE) | atomic.load<i32>(asked, REQUEST_HELD)) != 0) break;
    if (!answerRequest()) waitAt(strand(), word, 100_000_000);
  }
  endBlocked(before);
}

/** Whether somebody may wait for an answer. */
// @ts-ignore: decorator
@inline
export function areRequests(): bool {
  return atomic.load<usize>(firstRequest) != 0;
}

/**
 * Gives an answer that this thread is asked for; false when there is none. Each thread that waits for others, or sleeps, without serving what is left for it calls this now and
 * then: who asks may be what it waits for. As in the job that was left with it, nothing is delivered meanwhile.
 */
export function answerRequest(): bool {
  if (!areRequests()) return false;
  const asked = requestForThis();
  if (asked == 0 || !begin(asked)) return false;
  answerNow(asked);
  return true;
}

/** Answers one that this thread has begun. */
export function answerNow(asked: usize): void {
  const before = beginHandlers();
  answer(asked);
  endHandlers(before);
}

/** The request whose job has this identity, if nobody has begun it, or 0. */
export function requestOf(sender: u32, number: i64): usize {
  lock(requestLock);
  let asked = load<usize>(firstRequest);
  while (asked != 0 && (load<u32>(asked, REQUEST_SENDER) != sender || load<i64>(asked, REQUEST_NUMBER) != number)) asked = load<usize>(asked, REQUEST_NEXT);
  unlock(requestLock);
  return asked;
}

/** A request that this thread is to answer (for a parent whose thread has ended it is the main thread) and nobody has begun, or 0. The job that was left with it is on its way here, so it stays. */
export function requestForThis(): usize {
  lock(requestLock);
  let asked = load<usize>(firstRequest);
  while (asked != 0 && delivererOf(load<usize>(parentOf(asked), HOME)) != strand()) asked = load<usize>(asked, REQUEST_NEXT);
  unlock(requestLock);
  return asked;
}

function parentOf(asked: usize): usize {
  return load<usize>(load<usize>(asked, REQUEST_CHILD), PARENT);
}

/** True for the one who is to answer. */
export function begin(asked: usize): bool {
  lock(requestLock);
  const isFirst = load<i32>(asked, REQUEST_BEGUN) == 0;
  if (isFirst) {
    store<i32>(asked, 1, REQUEST_BEGUN);
    let link = firstRequest;
    while (load<usize>(link) != asked) link = load<usize>(link) + REQUEST_NEXT;
    store<usize>(link, load<usize>(asked, REQUEST_NEXT));
  }
  unlock(requestLock);
  return isFirst;
}

/** The job that is left for the parent's thread. */
function answerJob(asked: usize): void {
  if (begin(asked)) answer(asked);
  leaveRequest(asked);
}

function leaveRequest(asked: usize): void {
  if (atomic.sub<i32>(asked, 1, REQUEST_USERS) == 1) freeUncounted(asked);
}

/** On the parent's thread. */
function answer(asked: usize): void {
  const child = load<usize>(asked, REQUEST_CHILD);
  const parent = parentOf(asked);
  const closure = load<usize>(asked, REQUEST_CLOSURE);
  const handler = load<u32>(asked, REQUEST_HANDLER);
  const difference = load<i64>(asked, REQUEST_DIFFERENCE);
  if (flagsOf(parent) & CONSTRUCTING) {
    hold(child, closure, handler, difference, asked);
    atomic.store<i32>(asked, 1, REQUEST_HELD);
    wake(load<usize>(child, HOME));
    return;
  }
  deliverFor(asked, parent, child, closure, handler, difference);
}

/** The handler of a child that waits for it. */
function deliverFor(asked: usize, parent: usize, child: usize, closure: usize, handler: u32, difference: i64): void {
  store<usize>(asked, answering, REQUEST_OUTER);
  answering = asked;
  deliver(parent, child, closure, handler, difference);
  answering = load<usize>(asked, REQUEST_OUTER);
  finish(asked, child);
}

/** This thread leaves its frames: the handlers that run are cut off, and no params are set any more, so who waits for them goes on. */
export function giveUpAnswers(): void {
  while (answering != 0) {
    const asked = answering;
    answering = load<usize>(asked, REQUEST_OUTER);
    finish(asked, load<usize>(asked, REQUEST_CHILD));
  }
  let previous: usize = 0;
  let held = firstHeld;
  while (held != 0) {
    const next = load<usize>(held, NEXT);
    const asked = load<usize>(held, REQUEST);
    if (asked == 0) {
      previous = held;
    } else {
      unlink(held, previous);
      finish(asked, load<usize>(held, CHILD));
      locus_release(load<usize>(held, CHILD));
      freeUncounted(held);
    }
    held = next;
  }
}

function finish(asked: usize, child: usize): void {
  const home = load<usize>(child, HOME);
  atomic.store<i32>(asked, 1, REQUEST_DONE);
  // A job of an `async_io` pool waits there. The memory may be given back by now; waking nobody does no harm.
  host.futexWake(asked + REQUEST_DONE, 1);
  wake(home);
}

/** `bubble(v)`. */
export function locus_bubble(locusName: usize, closure: usize): void {
  reportUnhandled(locusName, closure, BUBBLED);
}

/** `restart(c)`, `restart_in_place(c)`: `limit` negative when there is no `for`. */
export function locus_restart(child: usize, limit: i64, inPlace: i32): void {
  emptyAccumulators(child, inPlace ? BY_RESTART_IN_PLACE : BY_RESTART);
  const flags = flagsOf(child);
  if (flags & RESTART) {
    setFlags(child, inPlace ? IN_PLACE : 0);
    return;
  }
  const restarts = load<i32>(child, RESTARTS);
  if (restarts < (limit < 0 ? DEFAULT_RESTARTS : limit)) {
    store<i32>(child, restarts + 1, RESTARTS);
    setFlags(child, inPlace ? RESTART | IN_PLACE : RESTART);
  } else if (limit >= 0) {
    locus_quarantine(child);
  }
}

/** `quarantine(c)`. */
export function locus_quarantine(child: usize): void {
  emptyAccumulators(child, BY_QUARANTINE);
  setFlags(child, QUARANTINED);
  clearDirect(child);
  dropSubscriptions(child);
}

/** Whether the instance's body is to be gone through again, as its handler asked; clears the request and the failed mark. */
export function takeRestart(instance: usize): bool {
  const flags = flagsOf(instance);
  if (!(flags & RESTART)) return false;
  clearFlags(instance, RESTART | IN_PLACE);
  if (flags & (QUARANTINED | TERMINATED | ENDED) || isDraining() || ownerIsEnding(instance)) return false;
  clearFlags(instance, FAILED);
  if (flags & IN_PLACE) {
    const restore = load<u32>(load<usize>(instance), RESTORE);
    if (restore != 0) call_indirect<void>(restore, instance);
  }
  return true;
}

/** Whether the closures of the epoch under way need not be checked further: the birth is gone through again at once. */
export function locus_restarting(instance: usize): i32 {
  return i32((flagsOf(instance) & (RESTART | QUARANTINED)) == RESTART);
}

/** The parent's params are set: what failed meanwhile is handled, in order, and lives on. */
export function settle(parent: usize): void {
  let previous: usize = 0;
  let held = firstHeld;
  while (held != 0) {
    const child = load<usize>(held, CHILD);
    if (load<usize>(child, PARENT) != parent) {
      previous = held;
      held = load<usize>(held, NEXT);
      continue;
    }
    unlink(held, previous);
    const asked = load<usize>(held, REQUEST);
    const closure = load<usize>(held, CLOSURE);
    const handler = load<u32>(held, HANDLER);
    const difference = load<i64>(held, DIFFERENCE);
    if (asked != 0) {
      deliverFor(asked, parent, child, closure, handler, difference);
    } else {
      deliver(parent, child, closure, handler, difference);
      goOn(child);
    }
    locus_release(child);
    freeUncounted(held);
    // The handlers may have changed the list.
    previous = 0;
    held = firstHeld;
  }
}

/** After its handler, a child on this thread lives on, or once more. */
function goOn(child: usize): void {
  if (takeRestart(child)) {
    clearFlags(child, HELD);
    forget(child);
    live(child);
  } else if (flagsOf(child) & HELD && !isHeld(child)) {
    liveOn(child);
  }
}

/** Whether `draining` reads true on the instance. */
export function locus_draining(instance: usize): i32 {
  return i32((flagsOf(instance) & (FAILED | TERMINATED)) != 0 || isDraining());
}

function handlerOf(parent: usize, child: i32): u32 {
  const handlers = load<usize>(load<usize>(parent), HANDLERS);
  if (handlers == 0) return 0;
  const end = handlers + 4 + (load<u32>(handlers) << 3);
  for (let at = handlers + 4; at < end; at += 8) {
    if (load<i32>(at) == child) return load<u32>(at, 4);
  }
  return 0;
}

/** on_failure(self, child, v: ClosureViolation { locus, closure, diff }). */
function deliver(parent: usize, instance: usize, closure: usize, handler: u32, difference: i64): void {
  keep(instance);
  keep(parent);
  call_indirect<void>(handler, parent, instance, load<usize>(load<usize>(instance), NAME), closure, difference);
  locus_release(parent);
  locus_release(instance);
}

function hold(instance: usize, closure: usize, handler: u32, difference: i64, asked: usize): void {
  const held = allocateUncounted(HELD_SIZE);
  store<usize>(held, asked, REQUEST);
  store<usize>(held, instance, CHILD);
  store<usize>(held, closure, CLOSURE);
  store<u32>(held, handler, HANDLER);
  store<i64>(held, difference, DIFFERENCE);
  keep(instance);
  if (asked == 0 && flagsOf(instance) & IN_BIRTH) setFlags(instance, HELD);
  if (lastHeld == 0) firstHeld = held;
  else store<usize>(lastHeld, held, NEXT);
  lastHeld = held;
}

function unlink(held: usize, previous: usize): void {
  const next = load<usize>(held, NEXT);
  if (previous == 0) firstHeld = next;
  else store<usize>(previous, next, NEXT);
  if (next == 0) lastHeld = previous;
}

/** Failures of a birth that is gone through again are not heard any more. */
function forget(child: usize): void {
  let previous: usize = 0;
  let held = firstHeld;
  while (held != 0) {
    const next = load<usize>(held, NEXT);
    if (load<usize>(held, CHILD) == child) {
      unlink(held, previous);
      locus_release(child);
      freeUncounted(held);
    } else {
      previous = held;
    }
    held = next;
  }
}

function isHeld(child: usize): bool {
  for (let held = firstHeld; held != 0; held = load<usize>(held, NEXT)) {
    if (load<usize>(held, CHILD) == child) return true;
  }
  return false;
}

function ownerIsEnding(instance: usize): bool {
  const owner = load<usize>(instance, OWNER);
  return owner != 0 && (flagsOf(owner) & (DISSOLVED | ENDED)) != 0;
}

function emptyAccumulators(instance: usize, recovery: i32): void {
  const accumulators = load<usize>(load<usize>(instance), ACCUMULATORS);
  if (accumulators == 0) return;
  const end = accumulators + 4 + load<u32>(accumulators) * 12;
  for (let at = accumulators + 4; at < end; at += 12) {
    if (!(load<i32>(at, 8) & recovery)) memory.fill(instance + load<u32>(at), 0, load<u32>(at, 4));
  }
}

/** The line of 05b 5b.11, and the end of the process. */
function reportUnhandled(locusName: usize, closure: usize, kind: i32): void {
  faultBegin();
  if (kind != BY_ASSERTION) faultWords("runtime error: ");
  faultWords("ClosureViolation: locus `");
  faultText(locusName);
  faultWords("` closure `");
  faultText(closure);
  if (kind == BY_VIOLATE) faultWords("` (inline, no parent handler)");
  else if (kind == BY_BIRTH_CHECK) faultWords("` (birth_check, no parent handler)");
  else faultWords("` failed at dissolve");
  faultEnd();
}
