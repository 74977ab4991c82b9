// The bus of one thread (reference 06): sends, drain points, deliveries. What waits is in `queue.ts`, who hears what in `channel.ts`.
import {
  BOUND, CHANNEL, COPY, DISCARD, DROP_OLD, FALLBACK, FILTER, FIRST, HANDLER, ISOLATE, KEY_KIND, LINE, LINE_BOUND, NEXT, NODE_SIZE, NO_KEY, ONE_KEY, PAYLOAD_SIZE, PAYLOAD_TYPE,
  QUIET, RECEIVER, SERIAL, STATE, WAITING, busLock, hasKey, isFull, isRegistered, matches, unlink,
} from "./channel"; // prettier-ignore
import { numberFromEnvironment } from "./environment-number";
import * as host from "./host";
import { checkAfterBody, endEarly, stop } from "./lifecycle";
import { lock, unlock } from "./lock";
import { FAILED, HOME, NODES, NODE_COUNT, QUARANTINED, READY, REGISTERED, TERMINATED, clearFlags, flagsOf, locus_release, setFlags } from "./locus";
import { retain } from "./memory";
import { assureThread, parkFor } from "./pool";
import { checkGrace, isEnding, isSleepCut, leaveIfFailed } from "./process";
import { CELL_DISCARD, CELL_LINE, CELL_PAYLOAD, CELL_SIZE, CELL_STATE, JOB, bus_pending, discardCell, dropInRing, reserve, takeOldest } from "./queue";
import {
  ASYNC, MAIN, PINNED, appendHeld, appendMessage, cellOf, countRegistration, firstHeld, firstMessage, freeMessage, isFullInbox, lockStrand, messagesOf, newMessage, strand,
  strandKind, takeAll, unlinkHeld, unlockStrand, waitAt, waitForRoom, wake, wakeWord,
} from "./strand"; // prettier-ignore
import { manyThreads } from "./thread";

/** Results of a send. */
const DELIVERED: i32 = 0;
const FULL: i32 = 1;
const UNMATCHED: i32 = 2;
const MISMATCH: i32 = 3;
/** A wait for room that the end of the program cut short. */
const ABORTED: i32 = 4;

const MOST_NESTED_RUNS: i32 = 32;
const SLICE: i64 = 100_000_000;
/** A handler is running: drain points do nothing. */
let busy: bool = false;
let nestedRuns: i32 = 0;
/** Most cells before a send runs the oldest ones (06 6.5); read from the environment at first use. */
let queueBound: i32 = 0;

/** A drain point: delivers until nothing waits. Only the main thread has such; inside a handler it does nothing. */
export function bus_drain(): void {
  if (busy || strandKind() != MAIN) return;
  serve();
}

/** Delivers until nothing waits for this thread. */
export function serve(): void {
  const before = busy;
  busy = true;
  do {
    if (manyThreads()) takeMessages();
    while (bus_pending > 0) deliverOldest();
  } while (manyThreads() && messagesOf(strand()) != 0);
  busy = before;
}

/** Runs the oldest job of this thread; false when there is none. */
export function serveOne(): bool {
  takeMessages();
  if (bus_pending == 0) return false;
  busy = true;
  deliverOldest();
  return true;
}

/** `yield` */
export function bus_yield(): void {
  const kind = strandKind();
  if (kind == ASYNC) return parkFor(0);
  if (!busy && (kind == MAIN || kind == PINNED)) serve();
  if (kind == MAIN) leaveIfFailed();
}

/** `std::time::sleep`: in slices, serving what waits after each. */
export function __sleep(nanoseconds: i64): void {
  const kind = strandKind();
  if (kind == ASYNC) return parkFor(nanoseconds);
  const end = host.clock(1) + max<i64>(nanoseconds, 0);
  const serves = (kind == MAIN || kind == PINNED) && !busy;
  const cutBefore = isSleepCut();
  let left = nanoseconds;
  do {
    const word = wakeWord(strand());
    if (left > 0 && !(serves && manyThreads() && messagesOf(strand()) != 0)) {
      if (serves && manyThreads()) waitAt(strand(), word, min(left, SLICE));
      else host.sleep(min(left, SLICE));
    }
    bus_yield();
    checkGrace();
    left = end - host.clock(1);
  } while (left > 0 && (cutBefore || !isSleepCut()));
}

/** Waits until the i32 at `address` is not 0, serving this thread meanwhile. */
export function serveUntil(address: usize): void {
  for (;;) {
    const word = wakeWord(strand());
    if (atomic.load<i32>(address) != 0) return;
    if (strandKind() == MAIN || strandKind() == PINNED) serve();
    if (atomic.load<i32>(address) != 0) return;
    waitAt(strand(), word, 100_000_000);
  }
}

/** Before a payload is laid out for a send: a queue that is full runs its oldest cells until a quarter remains (06 6.5). */
export function bus_make_room(): void {
  if (queueBound == 0) queueBound = readBound();
  if (bus_pending < queueBound || manyThreads() || nestedRuns >= MOST_NESTED_RUNS) return;
  const before = busy;
  busy = true;
  nestedRuns++;
  while (bus_pending > queueBound >> 2) deliverOldest();
  nestedRuns--;
  busy = before;
}

/**
 * Sends what lies at `payload` (its references are taken over). `sender`: the instance whose body sends. Answers one of the results above; what could be delivered is
 * delivered whatever the answer.
 */
export function bus_publish(sender: usize, channel: usize, payload: usize): i32 {
  const discard = load<u32>(channel, DISCARD);
  let result = DELIVERED;
  if (!(flagsOf(sender) & QUARANTINED)) {
    result = load<i32>(channel, KEY_KIND) == NO_KEY ? sendToAll(channel, payload) : sendByKey(channel, payload);
  }
  if (discard != 0) call_indirect<void>(discard, payload);
  return result;
}

/** A send with a computed subject. `payloadType`: must be that of every subscriber it reaches. */
export function bus_publish_computed(sender: usize, channel: usize, subject: usize, payload: usize, payloadType: i32): i32 {
  const discard = load<u32>(channel, DISCARD);
  let result = DELIVERED;
  if (!(flagsOf(sender) & QUARANTINED)) {
    let after: u32 = 0;
    lock(busLock);
    let node = load<usize>(channel, FIRST);
    while (node != 0 && result == DELIVERED) {
      const state = load<usize>(node, STATE);
      const serial = load<u32>(state, SERIAL);
      let next = load<usize>(node, NEXT);
      if (serial > after) {
        after = serial;
        const line = load<usize>(state, LINE);
        if (matches(line, subject)) {
          if (load<i32>(line, PAYLOAD_TYPE) != payloadType) result = MISMATCH;
          else if (enqueue(channel, state, payload)) next = load<usize>(channel, FIRST);
        }
      }
      node = next;
    }
    unlock(busLock);
  }
  if (discard != 0) call_indirect<void>(discard, payload);
  return result;
}

/** A direct call (06 6.6) meets an instance that is not ready: the message is held for it. */
export function bus_hold(channel: usize, state: usize, payload: usize): void {
  lock(busLock);
  enqueue(channel, state, payload);
  unlock(busLock);
  const discard = load<u32>(channel, DISCARD);
  if (discard != 0) call_indirect<void>(discard, payload);
}

/** `or wait`: while some subscriber has no room, what waits is delivered (06 6.10). Answers 0, or that the end of the program cut it short. */
export function bus_wait(channel: usize): i32 {
  const before = busy;
  while (isFull(channel)) {
    if (isEnding()) return ABORTED;
    if (bus_pending > 0 || (manyThreads() && messagesOf(strand()) != 0)) {
      serve();
      busy = before;
    } else if (manyThreads()) {
      waitAt(strand(), wakeWord(strand()), 1_000_000);
    } else {
      break;
    }
  }
  return DELIVERED;
}

/** The subscriptions end; what waits for the instance will be dropped. */
export function unsubscribe(instance: usize): void {
  if (!(flagsOf(instance) & REGISTERED)) return;
  dropSubscriptions(instance);
}

export function dropSubscriptions(instance: usize): void {
  const descriptor = load<usize>(instance);
  const first = instance + load<u32>(descriptor, NODES);
  const end = first + load<u32>(descriptor, NODE_COUNT) * NODE_SIZE;
  const home = load<usize>(instance, HOME);
  lock(busLock);
  if (flagsOf(instance) & REGISTERED) clearFlags(instance, REGISTERED);
  let waits = false;
  let last: usize = 0;
  for (let node = first; node < end; node += NODE_SIZE) {
    if (load<usize>(node, CHANNEL) == 0) continue;
    const state = load<usize>(node, STATE);
    if (state != last) countRegistration(home, -1);
    last = state;
    if (load<i32>(state, WAITING) != 0) waits = true;
    unlink(node);
  }
  unlock(busLock);
  // What waits refers to the instance's memory.
  if (waits) purge(instance, home);
}

/** The instance's birth is over: what was sent to it meanwhile is queued. */
export function makeReady(instance: usize): void {
  if (flagsOf(instance) & READY) return;
  const home = load<usize>(instance, HOME);
  lockStrand(home);
  setFlags(instance, READY);
  const moved = releaseHeld(instance, home);
  unlockStrand(home);
  if (moved && home != strand()) {
    wake(home);
    assureThread(home);
  }
}

/** Whether a handler of this thread is running. */
export function isBusy(): bool {
  return busy;
}

/** After a failed assertion: the handler that ran has been left. */
export function leaveHandler(): void {
  busy = false;
  nestedRuns = 0;
}

// -- sending

function sendToAll(channel: usize, payload: usize): i32 {
  if (!manyThreads() && !load<i32>(channel, QUIET)) {
    let result = DELIVERED;
    const bound = load<i32>(channel, BOUND);
    for (let node = load<usize>(channel, FIRST); node != 0; node = load<usize>(node, NEXT)) {
      const state = load<usize>(node, STATE);
      if (bound != 0 && load<i32>(state, WAITING) >= bound) result = FULL;
      else enqueue(channel, state, payload);
    }
    return result;
  }
  return sendToMatching(channel, payload, false);
}

/** Specific and unfiltered subscriptions in order of registration; when no specific one matched, the fallbacks. */
function sendByKey(channel: usize, payload: usize): i32 {
  const result = sendToMatching(channel, payload, false);
  if (matched) return result;
  if (!fallbacks) return result == DELIVERED ? UNMATCHED : result;
  return sendToMatching(channel, payload, true);
}

/** Told by `sendToMatching`: a filtered subscription matched; there are fallbacks. */
let matched: bool = false;
let fallbacks: bool = false;

/**
 * Sends to the fallbacks or to the others. A handler that runs at once, or a wait for room, may change the list: then the walk begins anew, behind the registration that was
 * served last.
 */
function sendToMatching(channel: usize, payload: usize, toFallbacks: bool): i32 {
  let result = DELIVERED;
  let isMatched = false;
  let hasFallbacks = false;
  let after: u32 = 0;
  lock(busLock);
  let node = load<usize>(channel, FIRST);
  while (node != 0) {
    const state = load<usize>(node, STATE);
    const serial = load<u32>(state, SERIAL);
    let next = load<usize>(node, NEXT);
    if (serial > after) {
      after = serial;
      const filter = load<i32>(load<usize>(state, LINE), FILTER);
      if (filter == FALLBACK) hasFallbacks = true;
      if ((filter == FALLBACK) == toFallbacks && (filter != ONE_KEY || hasKey(channel, state, payload))) {
        if (filter == ONE_KEY) isMatched = true;
        const sent = send(channel, state, payload);
        if (sent == NO_ROOM) result = FULL;
        else if (sent == LIST_CHANGED) next = load<usize>(channel, FIRST);
      }
    }
    node = next;
  }
  unlock(busLock);
  matched = isMatched;
  fallbacks = hasFallbacks;
  return result;
}

const SENT: i32 = 0;
const LIST_CHANGED: i32 = 1;
const NO_ROOM: i32 = 2;

/** One delivery, with the bus locked. */
function send(channel: usize, state: usize, payload: usize): i32 {
  const receiver = load<usize>(state, RECEIVER);
  if (load<i32>(channel, QUIET) && flagsOf(receiver) & READY && load<usize>(receiver, HOME) == strand()) {
    unlock(busLock);
    const before = busy;
    busy = true;
    runHandler(receiver, load<usize>(state, LINE), payload);
    busy = before;
    lock(busLock);
    return LIST_CHANGED;
  }
  const bound = load<i32>(channel, BOUND);
  if (bound != 0 && load<i32>(state, WAITING) >= bound) return NO_ROOM;
  return enqueue(channel, state, payload) ? LIST_CHANGED : SENT;
}

/** Queues one cell, with the bus locked. True when the lock was given up meanwhile. */
function enqueue(channel: usize, state: usize, payload: usize): bool {
  const line = load<usize>(state, LINE);
  const bound = load<i32>(line, LINE_BOUND);
  if (bound != 0 && load<i32>(state, WAITING) >= bound) {
    if (!load<i32>(line, DROP_OLD)) return false;
    dropOldest(state);
  }
  const receiver = load<usize>(state, RECEIVER);
  const home = load<usize>(receiver, HOME);
  if (home == strand() && strandKind() != ASYNC && flagsOf(receiver) & READY) {
    store<i32>(state, load<i32>(state, WAITING) + 1, WAITING);
    fill(reserve(cellSizeFor(channel)), channel, state, line, payload, load<u32>(channel, COPY));
    return false;
  }
  return sendAway(channel, state, payload, home);
}

/** Queues a cell on another strand, or keeps it for an instance that is not ready. */
function sendAway(channel: usize, state: usize, payload: usize, home: usize): bool {
  let yielded = false;
  if (home != strand()) {
    const serial = load<u32>(state, SERIAL);
    while (isFullInbox(home)) {
      yielded = true;
      unlock(busLock);
      waitForRoom(home);
      lock(busLock);
      if (!isRegistered(channel, state, serial)) return true;
    }
  }
  store<i32>(state, load<i32>(state, WAITING) + 1, WAITING);
  const message = newMessage(cellSizeFor(channel));
  const copy = home == strand() ? COPY : ISOLATE;
  fill(cellOf(message), channel, state, load<usize>(state, LINE), payload, load<u32>(channel + copy));
  lockStrand(home);
  if (flagsOf(load<usize>(state, RECEIVER)) & READY) appendMessage(home, message);
  else appendHeld(home, message);
  unlockStrand(home);
  wake(home);
  assureThread(home);
  return yielded;
}

// @ts-ignore: decorator
@inline
function cellSizeFor(channel: usize): usize {
  return (CELL_PAYLOAD + load<u32>(channel, PAYLOAD_SIZE) + 15) & ~15;
}

// @ts-ignore: decorator
@inline
function fill(cell: usize, channel: usize, state: usize, line: usize, payload: usize, copy: u32): void {
  const size = load<u32>(channel, PAYLOAD_SIZE);
  store<usize>(cell, (CELL_PAYLOAD + size + 15) & ~15, CELL_SIZE);
  store<usize>(cell, state, CELL_STATE);
  store<usize>(cell, line, CELL_LINE);
  store<u32>(cell, load<u32>(channel, DISCARD), CELL_DISCARD);
  for (let at: usize = 0; at < size; at += 8) store<u64>(cell + at, load<u64>(payload + at), CELL_PAYLOAD);
  if (copy != 0) call_indirect<void>(copy, cell + CELL_PAYLOAD);
}

/** A message that calls the function at this table index with the argument, on the strand's thread. */
export function newJob(fn: u32, argument: usize): usize {
  const message = newMessage(CELL_PAYLOAD + 16);
  const cell = cellOf(message);
  store<usize>(cell, CELL_PAYLOAD + 16, CELL_SIZE);
  store<usize>(cell, JOB, CELL_STATE);
  store<usize>(cell, JOB, CELL_LINE);
  store<u32>(cell, fn, CELL_PAYLOAD);
  store<usize>(cell, argument, CELL_PAYLOAD + 4);
  return message;
}

/** Moves what other threads have left into the ring. */
function takeMessages(): void {
  let message = takeAll(strand());
  while (message != 0) {
    const next = load<usize>(message);
    const cell = cellOf(message);
    const total = load<usize>(cell, CELL_SIZE);
    memory.copy(reserve(total), cell, total);
    freeMessage(message);
    message = next;
  }
}

function readBound(): i32 {
  const name = memory.data<u8>([76, 79, 84, 85, 83, 95, 66, 85, 83, 95, 81, 85, 69, 85, 69, 95, 67, 65, 80]); // LOTUS_BUS_QUEUE_CAP
  return max<i64>(numberFromEnvironment(name, 19, 8192), 64) as i32;
}

/** Takes the oldest cell of that subscription out of the queue. Only receivers on the main thread have such bounds. */
function dropOldest(state: usize): void {
  if (!dropInRing(state, false)) dropInList(state, false);
}

/** The same in the inbox of the receiver's strand and among the held messages. */
function dropInList(state: usize, all: bool): void {
  const home = load<usize>(load<usize>(state, RECEIVER), HOME);
  lockStrand(home);
  for (let list = 0; list < 2; list++) {
    for (let message = list == 0 ? firstMessage(home) : firstHeld(home); message != 0; message = load<usize>(message)) {
      const cell = cellOf(message);
      if (load<usize>(cell, CELL_STATE) != state || load<usize>(cell, CELL_LINE) == JOB) continue;
      store<usize>(cell, 0, CELL_STATE);
      discardCell(cell, state);
      if (!all) {
        unlockStrand(home);
        return;
      }
    }
  }
  unlockStrand(home);
}

/** Takes everything that waits for the instance out of the queues. */
function purge(instance: usize, home: usize): void {
  const descriptor = load<usize>(instance);
  let node = instance + load<u32>(descriptor, NODES);
  for (const end = node + load<u32>(descriptor, NODE_COUNT) * NODE_SIZE; node < end; node += NODE_SIZE) {
    const state = load<usize>(node, STATE);
    if (state == 0 || load<i32>(state, WAITING) == 0) continue;
    if (home == strand()) dropInRing(state, true);
    if (load<i32>(state, WAITING) != 0) dropInList(state, true);
  }
}

function deliverOldest(): void {
  deliverCell(takeOldest());
}

/** Runs the handler, or the job, of a cell that has been taken out of its queue. */
export function deliverCell(cell: usize): void {
  const state = load<usize>(cell, CELL_STATE);
  if (state == 0) return;
  if (state == JOB) {
    call_indirect<void>(load<u32>(cell, CELL_PAYLOAD), load<usize>(cell, CELL_PAYLOAD + 4));
    return;
  }
  const receiver = load<usize>(state, RECEIVER);
  if ((flagsOf(receiver) & (REGISTERED | QUARANTINED)) != REGISTERED) {
    discardCell(cell, state);
    return;
  }
  lock(busLock);
  store<i32>(state, load<i32>(state, WAITING) - 1, WAITING);
  unlock(busLock);
  // The handler's entry reads the payload before anything is queued over it.
  runHandler(receiver, load<usize>(cell, CELL_LINE), cell + CELL_PAYLOAD);
}

function runHandler(receiver: usize, line: usize, payload: usize): void {
  retain(receiver);
  call_indirect<void>(load<u32>(line, HANDLER), receiver, payload);
  const flags = flagsOf(receiver);
  if (flags & TERMINATED) endEarly(receiver);
  else if (flags & FAILED) stop(receiver);
  else checkAfterBody(receiver);
  locus_release(receiver);
}

/** With the strand locked: queues what is held for the instance. */
function releaseHeld(instance: usize, home: usize): bool {
  let moved = false;
  let previous: usize = 0;
  let message = firstHeld(home);
  while (message != 0) {
    const next = load<usize>(message);
    const cell = cellOf(message);
    const state = load<usize>(cell, CELL_STATE);
    if (state != 0 && load<usize>(state, RECEIVER) != instance) {
      previous = message;
    } else {
      unlinkHeld(home, message, previous);
      if (state == 0) {
        freeMessage(message);
      } else if (home == strand() && strandKind() != ASYNC) {
        const total = load<usize>(cell, CELL_SIZE);
        memory.copy(reserve(total), cell, total);
        freeMessage(message);
      } else {
        store<usize>(message, 0);
        appendMessage(home, message);
      }
      moved = true;
    }
    message = next;
  }
  return moved;
}
