// Channels and subscriptions (reference 06 6.3, 6.8, 6.9).
//
// The compiler knows every subject that is published: each is a *channel*, a static block with the list of the live subscriptions that match it, in order of
// registration. A subscription line of a locus has a static *line* block, and in each instance a *state*, with one *node* for every channel that it matches.
import { heavyFence, lightFence } from "./fences";
import * as host from "./host";
import { HOME, NODES, NODE_COUNT, REGISTERED, flagsOf } from "./locus";
import { lock, unlock } from "./lock";
import { countRegistration } from "./strand";
import { beginChange, endChange } from "./schedule";
import { FIRST_BLOCK, NEXT as THREAD_NEXT, SENDING, isJournaling, manyThreads, thread } from "./thread";
import { string_equal } from "./string";

// -- a channel: the list of its nodes, then what the compiler tells
export const FIRST: usize = 0;
export const LAST: usize = 4;
/** Bytes of a payload in memory, a multiple of 8. */
export const PAYLOAD_SIZE: usize = 8;
/** Body (address): makes the payload there, copied byte by byte, a value of its own; 0 when it holds no references. */
export const COPY: usize = 12;
/** Body (address): gives the payload's references back; 0 when it has none. */
export const DISCARD: usize = 16;
/** How the key looks, and where in the payload. */
export const KEY_KIND: usize = 20;
export const KEY_OFFSET: usize = 24;
/** Most cells that may wait for one subscriber; 0: no bound. */
export const BOUND: usize = 28;
/** 1: handlers run at the send (06 6.7). */
export const QUIET: usize = 32;
/** Body (address): makes the payload there, copied byte by byte, one that shares no cell with this thread; 0 when it holds no references. */
export const ISOLATE: usize = 36;
/** 1: cells that wait for a subscriber of it are bounded, so that one thread at a time sends to it. */
const EXCLUSIVE: usize = 40;
const LOCK: usize = 44;
/** Bytes of a cell with a payload: `queue.ts`. */
export const CELL_BYTES: usize = 48;
/** Its subject; the empty text for computed ones. */
export const CHANNEL_SUBJECT: usize = 52;

export const NO_KEY: i32 = 0;
export const KEY_I64: i32 = 1;
export const KEY_I32: i32 = 2;
export const KEY_STRING: i32 = 3;
export const KEY_DECIMAL: i32 = 4;

// -- a line
/** Body (receiver, address of the payload): takes the payload over and runs the handler. */
export const HANDLER: usize = 0;
/** Which keys: */
export const FILTER: usize = 4;
export const ANY: i32 = 0;
export const ONE_KEY: i32 = 1;
export const FALLBACK: i32 = 2;
/** `bounded(N, ..)` of the subscription, 0 without. */
export const LINE_BOUND: usize = 8;
/** Set of: the oldest cell gives way at the bound; the cells that wait are counted, because the line or one of its channels has a bound. */
export const POLICY: usize = 12;
export const DROP_OLD: i32 = 1;
export const COUNTED: i32 = 2;
/** Subject or, when the next field is 1, the base of a pattern `base.**`; 2: one with stars elsewhere, which matches nothing. */
export const SUBJECT: usize = 16;
export const PATTERN: usize = 20;
export const PAYLOAD_TYPE: usize = 24;
/** i32 number of channels, then their addresses. */
export const CHANNELS: usize = 28;

// -- a state, in the instance's cell
export const RECEIVER: usize = 0;
export const LINE: usize = 4;
/** Cells that wait, when the line is COUNTED. */
export const WAITING: usize = 8;
/** Grows from registration to registration. */
export const SERIAL: usize = 12;
/** The key that was evaluated at registration, 16 bytes. */
export const KEY: usize = 16;

// -- a node, in the instance's cell
export const NEXT: usize = 0;
export const PREVIOUS: usize = 4;
export const STATE: usize = 8;
export const CHANNEL: usize = 12;
export const NODE_SIZE: usize = 16;

/** Guards the lists of channels, the order of registrations and their counts. */
const registrationLock: usize = memory.data(4, 4);
/** 1 while somebody changes the lists. */
const changing: usize = memory.data(4, 4);
/** Nobody wakes who waits here. */
const never: usize = memory.data(4, 4);
const PAUSE: i64 = 20_000;

const lastSerial: usize = memory.data(4, 4);

/**
 * Until `unlockChannel` no list changes. Senders do not exclude each other, unless the channel is EXCLUSIVE: each says in its own thread's block that it walks a list, and who
 * changes lists waits until nobody does (docs/threads.md).
 */
// @ts-ignore: decorator
@inline
export function lockChannel(channel: usize): void {
  if (!manyThreads()) return;
  beginWalk();
  if (load<i32>(channel, EXCLUSIVE)) lock(channel + LOCK);
}

// @ts-ignore: decorator
@inline
export function unlockChannel(channel: usize): void {
  if (!manyThreads()) return;
  if (load<i32>(channel, EXCLUSIVE)) unlock(channel + LOCK);
  endWalk();
}

function beginWalk(): void {
  for (;;) {
    store<i32>(thread(), 1, SENDING);
    lightFence();
    if (atomic.load<i32>(changing) == 0) return;
    atomic.store<i32>(thread(), 0, SENDING);
    lock(registrationLock);
    unlock(registrationLock);
  }
}

// @ts-ignore: decorator
@inline
function endWalk(): void {
  // Not atomic: x86 and V8 keep what was read before it before it, and who waits for it looks again.
  store<i32>(thread(), 0, SENDING);
}

/** From here to `endRegistration` the calling thread changes lists, alone. */
export function beginRegistration(): void {
  lock(registrationLock);
  if (!manyThreads()) return;
  atomic.store<i32>(changing, 1);
  heavyFence();
  for (let block = FIRST_BLOCK; block != 0; block = load<usize>(block, THREAD_NEXT)) {
    while (atomic.load<i32>(block, SENDING) != 0) host.futexWait(never, 0, PAUSE);
  }
}

export function endRegistration(): void {
  if (manyThreads()) atomic.store<i32>(changing, 0);
  unlock(registrationLock);
}

/** Whether the cells that wait for a subscription of this line are counted. */
// @ts-ignore: decorator
@inline
export function isCounted(line: usize): bool {
  return (load<i32>(line, POLICY) & COUNTED) != 0;
}

/** The number of cells that wait for a subscription changes, where bounds make it matter: senders and the receiver's thread both count. */
// @ts-ignore: decorator
@inline
export function countWaiting(state: usize, line: usize, change: i32): void {
  if (isCounted(line)) changeWaiting(state, change);
}

/** Answers how many wait now. */
export function changeWaiting(state: usize, change: i32): i32 {
  if (manyThreads()) return atomic.add<i32>(state, change, WAITING) + change;
  const waiting = load<i32>(state, WAITING) + change;
  store<i32>(state, waiting, WAITING);
  return waiting;
}

/** The cells that wait for a subscription, without those that will be passed over. */
export function waitingOf(state: usize): i32 {
  const waiting = atomic.load<i32>(state, WAITING);
  const line = load<usize>(state, LINE);
  return load<i32>(line, POLICY) & DROP_OLD ? min(waiting, load<i32>(line, LINE_BOUND)) : waiting;
}

/** Whether the oldest cell of a subscription gives way: so many as its bound wait behind it. `waiting`: with it. */
// @ts-ignore: decorator
@inline
export function isSurplus(line: usize, waiting: i32): bool {
  return (load<i32>(line, POLICY) & DROP_OLD) != 0 && waiting > load<i32>(line, LINE_BOUND);
}

/** Makes the subscription active: the state's key has been stored. `node`: the first of its nodes. */
export function bus_subscribe(instance: usize, line: usize, state: usize, node: usize): void {
  store<usize>(state, instance, RECEIVER);
  store<usize>(state, line, LINE);
  if (isJournaling()) beginChange();
  beginRegistration();
  store<i32>(lastSerial, load<i32>(lastSerial) + 1);
  store<i32>(state, load<i32>(lastSerial), SERIAL);
  countRegistration(load<usize>(instance, HOME), 1);
  const count = load<u32>(line, CHANNELS);
  for (let i: usize = 0; i < count; i++) {
    append(node + i * NODE_SIZE, load<usize>(line + (i << 2), CHANNELS + 4), state);
  }
  endRegistration();
  if (isJournaling()) endChange();
}

/**
 * `reperspective`: from now on the lines of another implementation hear what the instance's lines of the same subjects heard. `lines`: i32 count, then their addresses.
 */
export function bus_redirect(instance: usize, lines: usize): void {
  if (!(flagsOf(instance) & REGISTERED)) return;
  const descriptor = load<usize>(instance);
  let node = instance + load<u32>(descriptor, NODES);
  beginRegistration();
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
  endRegistration();
}

export function hasKey(channel: usize, state: usize, payload: usize): bool {
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

export function isRegistered(channel: usize, state: usize, serial: u32): bool {
  for (let node = load<usize>(channel, FIRST); node != 0; node = load<usize>(node, NEXT)) {
    if (load<usize>(node, STATE) == state) return load<u32>(state, SERIAL) == serial;
  }
  return false;
}

export const ROOM: i32 = 0;
export const FULL_HERE: i32 = 1;
export const FULL_ELSEWHERE: i32 = 2;
/** Told by `roomIn`, when it answers FULL_HERE: the first subscription that has no room. */
export let fullHere: usize = 0;
/** And when it answers FULL_ELSEWHERE: the strand of such a one. */
export let fullElsewhere: usize = 0;

/** Whether some subscriber of the channel has no room, and whether one that lives on this strand has none. `serial`: only that registration, or 0 for all. Who sends meanwhile may change the answer. */
export function roomIn(channel: usize, serial: u32, strand: usize): i32 {
  const bound = load<i32>(channel, BOUND);
  let result = ROOM;
  if (manyThreads()) beginWalk();
  for (let node = load<usize>(channel, FIRST); node != 0; node = load<usize>(node, NEXT)) {
    const state = load<usize>(node, STATE);
    if (serial != 0 && load<u32>(state, SERIAL) != serial) continue;
    if (waitingOf(state) < bound) continue;
    const home = load<usize>(load<usize>(state, RECEIVER), HOME);
    if (home == strand) {
      result = FULL_HERE;
      fullHere = state;
      break;
    }
    result = FULL_ELSEWHERE;
    fullElsewhere = home;
  }
  if (manyThreads()) endWalk();
  return result;
}

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

export function unlink(node: usize): void {
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
export function matches(line: usize, subject: usize): bool {
  const own = load<usize>(line, SUBJECT);
  const pattern = load<i32>(line, PATTERN);
  if (pattern != 1) return pattern == 0 && string_equal(own, subject) != 0;
  const base = load<i32>(own);
  const length = load<i32>(subject);
  if (base == 0) return true;
  if (length < base || memory.compare(own + 4, subject + 4, base) != 0) return false;
  return length == base || load<u8>(subject + 4 + base) == 46;
}
