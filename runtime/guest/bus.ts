// The bus of one thread (reference 06): who subscribed to what, and the queue of deliveries that wait for a drain point.
//
// The compiler knows every subject that is published: each is a *channel*, a static block with the list of the live subscriptions that match it, in order of
// registration. A subscription line of a locus has a static *line* block, and in each instance a *state*, with one *node* for every channel that it matches.
import { numberFromEnvironment } from "./environment-number";
import * as host from "./host";
import { allocateUncounted, freeUncounted, retain } from "./memory";
import { checkAfterBody, endEarly, stop } from "./lifecycle";
import { lock, unlock } from "./lock";
import { FAILED, HOME, NODES, NODE_COUNT, QUARANTINED, READY, REGISTERED, TERMINATED, clearFlags, flagsOf, locus_release, setFlags } from "./locus";
import { checkGrace, isEnding, isSleepCut, leaveIfFailed } from "./process";
import { string_equal } from "./string";
import {
  ASYNC, MAIN, PINNED, appendHeld, appendMessage, cellOf, countRegistration, firstHeld, firstMessage, freeMessage, isFullInbox, lockStrand, messagesOf, newMessage, strand,
  strandKind, takeAll, unlinkHeld, unlockStrand, waitAt, waitForRoom, wake, wakeWord,
} from "./strand"; // prettier-ignore
import { manyThreads } from "./thread";
import { assureThread, parkFor } from "./pool";

// -- a channel: the list of its nodes, then what the compiler tells
const FIRST: usize = 0;
const LAST: usize = 4;
/** Bytes of a payload in memory, a multiple of 8. */
const PAYLOAD_SIZE: usize = 8;
/** Body (address): makes the payload there, copied byte by byte, a value of its own; 0 when it holds no references. */
const COPY: usize = 12;
/** Body (address): gives the payload's references back; 0 when it has none. */
const DISCARD: usize = 16;
/** How the key looks, and where in the payload. */
const KEY_KIND: usize = 20;
const KEY_OFFSET: usize = 24;
/** Most cells that may wait for one subscriber; 0: no bound. */
const BOUND: usize = 28;
/** 1: handlers run at the send (06 6.7). */
const QUIET: usize = 32;
/** Body (address): makes the payload there, copied byte by byte, one that shares no cell with this thread; 0 when it holds no references. */
const ISOLATE: usize = 36;

const NO_KEY: i32 = 0;
const KEY_I64: i32 = 1;
const KEY_I32: i32 = 2;
const KEY_STRING: i32 = 3;
const KEY_DECIMAL: i32 = 4;

// -- a line
/** Body (receiver, address of the payload): takes the payload over and runs the handler. */
const HANDLER: usize = 0;
/** Which keys: */
const FILTER: usize = 4;
const ANY: i32 = 0;
const ONE_KEY: i32 = 1;
const FALLBACK: i32 = 2;
/** `bounded(N, ..)` of the subscription, 0 without; whether the oldest cell gives way. */
const LINE_BOUND: usize = 8;
const DROP_OLD: usize = 12;
/** Subject or, when the next field is 1, the base of a pattern `base.**`. */
const SUBJECT: usize = 16;
const PATTERN: usize = 20;
const PAYLOAD_TYPE: usize = 24;
/** i32 number of channels, then their addresses. */
const CHANNELS: usize = 28;

// -- a state, in the instance's cell
const RECEIVER: usize = 0;
const LINE: usize = 4;
const WAITING: usize = 8;
/** Grows from registration to registration. */
const SERIAL: usize = 12;
/** The key that was evaluated at registration, 16 bytes. */
const KEY: usize = 16;

// -- a node, in the instance's cell
const NEXT: usize = 0;
const PREVIOUS: usize = 4;
const STATE: usize = 8;
const CHANNEL: usize = 12;
const NODE_SIZE: usize = 16;

// -- a cell of the queue, in a ring; sizes are multiples of 16
const CELL_SIZE: usize = 0;
/** 0: nothing to deliver. */
const CELL_STATE: usize = 4;
/** 0: the rest of the ring, up to its end. */
const CELL_LINE: usize = 8;
const CELL_DISCARD: usize = 12;
const CELL_PAYLOAD: usize = 16;
/** In the place of a line: the payload is a table index and an argument, to be called. */
const JOB: usize = 1;

/** Results of a send. */
const DELIVERED: i32 = 0;
const FULL: i32 = 1;
const UNMATCHED: i32 = 2;
const MISMATCH: i32 = 3;
/** A wait for room that the end of the program cut short. */
const ABORTED: i32 = 4;

const MOST_NESTED_RUNS: i32 = 32;
const SLICE: i64 = 100_000_000;

let ring: usize = 0;
let ringSize: usize = 0;
/** Positions in the ring, counted on for ever. */
let head: u32 = 0;
let tail: u32 = 0;
/** Cells that wait. */
export let bus_pending: i32 = 0;
/** A handler is running: drain points do nothing. */
let busy: bool = false;
let nestedRuns: i32 = 0;
/** Most cells before a send runs the oldest ones (06 6.5); read from the environment at first use. */
let queueBound: i32 = 0;

/** Guards the lists of channels, and the counts of waiting cells, where there are several threads. */
const busLock: usize = memory.data(4, 4);
const lastSerial: usize = memory.data(4, 4);

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

/** Makes the subscription active: the state's key has been stored. `node`: the first of its nodes. */
export function bus_subscribe(instance: usize, line: usize, state: usize, node: usize): void {
  store<usize>(state, instance, RECEIVER);
  store<usize>(state, line, LINE);
  lock(busLock);
  store<i32>(lastSerial, load<i32>(lastSerial) + 1);
  store<i32>(state, load<i32>(lastSerial), SERIAL);
  countRegistration(load<usize>(instance, HOME), 1);
  const count = load<u32>(line, CHANNELS);
  for (let i: usize = 0; i < count; i++) {
    append(node + i * NODE_SIZE, load<usize>(line + (i << 2), CHANNELS + 4), state);
  }
  unlock(busLock);
}

/**
 * `reperspective`: from now on the lines of another implementation hear what the instance's lines of the same subjects heard. `lines`: i32 count, then their addresses.
 */
export function bus_redirect(instance: usize, lines: usize): void {
  if (!(flagsOf(instance) & REGISTERED)) return;
  const descriptor = load<usize>(instance);
  let node = instance + load<u32>(descriptor, NODES);
  lock(busLock);
  for (const end = node + load<u32>(descriptor, NODE_COUNT) * NODE_SIZE; node < end; node += NODE_SIZE) {
    const channel = load<usize>(node, CHANNEL);
    const state = load<usize>(node, STATE);
    const line = channel == 0 ? 0 : lineOf(lines, load<usize>(load<usize>(state, LINE), SUBJECT));
    if (line == 0) continue;
    unlink(node);
    store<i32>(lastSerial, load<i32>(lastSerial) + 1);
    store<i32>(state, load<i32>(lastSerial), SERIAL);
    store<usize>(state, line, LINE);
    append(node, channel, state);
  }
  unlock(busLock);
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

function hasKey(channel: usize, state: usize, payload: usize): bool {
  const key = payload + load<u32>(channel, KEY_OFFSET);
  switch (load<i32>(channel, KEY_KIND)) {
    case KEY_I64:
      return load<i64>(key) == load<i64>(state, KEY);
    case KEY_I32:
      return load<i32>(key) == load<i32>(state, KEY);
    case KEY_STRING:
      return string_equal(load<usize>(key), load<usize>(state, KEY)) != 0;
    case KEY_DECIMAL:
      return load<i64>(key) == load<i64>(state, KEY) && load<i64>(key, 8) == load<i64>(state, KEY + 8);
    default:
      return false;
  }
}

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

function isRegistered(channel: usize, state: usize, serial: u32): bool {
  for (let node = load<usize>(channel, FIRST); node != 0; node = load<usize>(node, NEXT)) {
    if (load<usize>(node, STATE) == state) return load<u32>(state, SERIAL) == serial;
  }
  return false;
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

/** A ring cell; its memory holds until the next one is reserved or delivered. */
function reserve(total: usize): usize {
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
  bus_pending++;
  return ring + at;
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

function readBound(): i32 {
  const name = memory.data<u8>([76, 79, 84, 85, 83, 95, 66, 85, 83, 95, 81, 85, 69, 85, 69, 95, 67, 65, 80]); // LOTUS_BUS_QUEUE_CAP
  return max<i64>(numberFromEnvironment(name, 19, 8192), 64) as i32;
}

function isFull(channel: usize): bool {
  const bound = load<i32>(channel, BOUND);
  for (let node = load<usize>(channel, FIRST); node != 0; node = load<usize>(node, NEXT)) {
    if (load<i32>(load<usize>(node, STATE), WAITING) >= bound) return true;
  }
  return false;
}

/** Takes the oldest cell of that subscription out of the queue. Only receivers on the main thread have such bounds. */
function dropOldest(state: usize): void {
  if (!dropInRing(state, false)) dropInList(state, false);
}

/** Takes the cells of the subscription out of the ring: all, or the oldest. */
function dropInRing(state: usize, all: bool): bool {
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

// -- delivering

function deliverOldest(): void {
  let cell = ring + (head & (ringSize - 1));
  while (load<usize>(cell, CELL_LINE) == 0) {
    head += load<u32>(cell, CELL_SIZE);
    cell = ring + (head & (ringSize - 1));
  }
  head += load<u32>(cell, CELL_SIZE);
  bus_pending--;
  deliverCell(cell);
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

function discardCell(cell: usize, state: usize): void {
  store<i32>(state, load<i32>(state, WAITING) - 1, WAITING);
  const discard = load<u32>(cell, CELL_DISCARD);
  if (discard != 0) call_indirect<void>(discard, cell + CELL_PAYLOAD);
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

// -- subscriptions

function append(node: usize, channel: usize, state: usize): void {
  const last = load<usize>(channel, LAST);
  store<usize>(node, 0, NEXT);
  store<usize>(node, last, PREVIOUS);
  store<usize>(node, state, STATE);
  store<usize>(node, channel, CHANNEL);
  if (last == 0) store<usize>(channel, node, FIRST);
  else store<usize>(last, node, NEXT);
  store<usize>(channel, node, LAST);
}

function unlink(node: usize): void {
  const channel = load<usize>(node, CHANNEL);
  if (channel == 0) return;
  store<usize>(node, 0, CHANNEL);
  const next = load<usize>(node, NEXT);
  const previous = load<usize>(node, PREVIOUS);
  if (previous == 0) store<usize>(channel, next, FIRST);
  else store<usize>(previous, next, NEXT);
  if (next == 0) store<usize>(channel, previous, LAST);
  else store<usize>(next, previous, PREVIOUS);
}

function lineOf(lines: usize, subject: usize): usize {
  const end = lines + 4 + (load<u32>(lines) << 2);
  for (let at = lines + 4; at < end; at += 4) {
    if (string_equal(load<usize>(load<usize>(at), SUBJECT), subject)) return load<usize>(at);
  }
  return 0;
}

/** Whether the line's subject or pattern covers the subject. `base.**` covers `base` and all below it, `**` everything. */
function matches(line: usize, subject: usize): bool {
  const own = load<usize>(line, SUBJECT);
  if (!load<i32>(line, PATTERN)) return string_equal(own, subject) != 0;
  const base = load<i32>(own);
  const length = load<i32>(subject);
  if (base == 0) return true;
  if (length < base || memory.compare(own + 4, subject + 4, base) != 0) return false;
  return length == base || load<u8>(subject + 4 + base) == 46;
}
