// Sends (reference 06 6.5 to 6.10): which subscriptions a message reaches, and where it waits for each.
import { beginHandlers, endHandlers, runHandler } from "./bus";
import { logDrop, logUnmatched } from "./bus-log";
import {
  BOUND, CELL_BYTES, CHANNEL_SUBJECT, COPY, DISCARD, DROP_OLD, FALLBACK, FILTER, FIRST, HANDLER, ISOLATE, KEY_KIND, LINE, LINE_BOUND, NEXT, NO_KEY, ONE_KEY, PAYLOAD_SIZE, PAYLOAD_TYPE, POLICY, QUIET,
  RECEIVER, SERIAL, STATE, WAITING, countWaiting, hasKey, isRegistered, lockChannel, matches, unlockChannel, waitingOf,
} from "./channel"; // prettier-ignore
import { answerRequest, areRequests } from "./failure";
import { HOME, QUARANTINED, READY, flagsOf, locus_release } from "./locus";
import { allocateUncounted, freeUncounted } from "./memory";
import { CELL_DISCARD, CELL_LINE, CELL_PAYLOAD, CELL_SIZE, CELL_STATE, reserve } from "./queue";
import { isFullInbox, waitForRoom } from "./room";
import { IDENTITY_SIZE, beginNote, beginSend, currentSend, endNote, judge, noteDelivery, noteSend, resumeHold, resumeSend, storeIdentity, suspendHold } from "./schedule";
import { ASYNC, appendHeld, cellOf, delivererOf, freeMessage, inboxCell, isOver, lockStrand, newMessage, strand, strandKind, unlockStrand, wakeForCell } from "./strand";
import { dropOldest } from "./subscriptions";
import { isJournaling, manyThreads, severalThreads } from "./thread";
import { awaitRoom } from "./topic-room";

/** Results of a send. */
export const DELIVERED: i32 = 0;
export const FULL: i32 = 1;
export const UNMATCHED: i32 = 2;
export const MISMATCH: i32 = 3;
/** A wait for room that the end of the program cut short. */
export const ABORTED: i32 = 4;

/**
 * Sends what lies at `payload` (its references are taken over). `sender`: the instance whose body sends. Answers one of the results above; what could be delivered is
 * delivered whatever the answer.
 */
export function bus_publish(sender: usize, channel: usize, payload: usize): i32 {
  const discard = load<u32>(channel, DISCARD);
  let result = DELIVERED;
  if (!(flagsOf(sender) & QUARANTINED)) {
    if (manyThreads() && isJournaling()) beginSend();
    if (load<usize>(channel, FIRST) == 0) logDrop(load<usize>(channel, CHANNEL_SUBJECT));
    result = load<i32>(channel, KEY_KIND) == NO_KEY ? sendToAll(channel, payload) : sendByKey(channel, payload);
  }
  if (discard != 0) call_indirect<void>(discard, payload);
  return result;
}

/** The same for a channel without key and bounds, whose handlers do not run at the send. */
export function bus_publish_plain(sender: usize, channel: usize, payload: usize): void {
  if (manyThreads()) {
    if (isJournaling()) bus_publish(sender, channel, payload);
    else publishAcross(sender, channel, payload);
    return;
  }
  if (!(flagsOf(sender) & QUARANTINED)) {
    const total = cellSizeFor(channel);
    const copy = load<u32>(channel, COPY);
    if (load<usize>(channel, FIRST) == 0) logDrop(load<usize>(channel, CHANNEL_SUBJECT));
    for (let node = load<usize>(channel, FIRST); node != 0; node = load<usize>(node, NEXT)) {
      const state = load<usize>(node, STATE);
      if (flagsOf(load<usize>(state, RECEIVER)) & READY) fill(reserve(total), channel, state, load<usize>(state, LINE), payload, copy);
      else sendAway(channel, state, payload, load<usize>(load<usize>(state, RECEIVER), HOME));
    }
  }
  const discard = load<u32>(channel, DISCARD);
  if (discard != 0) call_indirect<void>(discard, payload);
}

/** The same in a program with threads. */
function publishAcross(sender: usize, channel: usize, payload: usize): void {
  if (!(flagsOf(sender) & QUARANTINED)) {
    let after: u32 = 0;
    lockChannel(channel);
    let node = load<usize>(channel, FIRST);
    if (node == 0) logDrop(load<usize>(channel, CHANNEL_SUBJECT));
    while (node != 0) {
      const state = load<usize>(node, STATE);
      let next = load<usize>(node, NEXT);
      if (load<u32>(state, SERIAL) > after) {
        after = load<u32>(state, SERIAL);
        if (enqueue(channel, state, payload)) next = load<usize>(channel, FIRST);
      }
      node = next;
    }
    unlockChannel(channel);
  }
  const discard = load<u32>(channel, DISCARD);
  if (discard != 0) call_indirect<void>(discard, payload);
}

/** The same for `or wait`: where a subscriber has no room, as when another sender was faster, the send waits again, and loses nothing. */
export function bus_publish_waiting(sender: usize, channel: usize, payload: usize): i32 {
  // What runs meanwhile may send too: the payload leaves the area that it would be laid into.
  const size = load<u32>(channel, PAYLOAD_SIZE);
  const copy = allocateUncounted(size + 8);
  memory.copy(copy, payload, size);
  waits = true;
  const result = bus_publish(sender, channel, copy);
  waits = false;
  freeUncounted(copy);
  return result;
}

/** A send with a computed subject. `payloadType`: must be that of every subscriber it reaches. */
export function bus_publish_computed(sender: usize, channel: usize, subject: usize, payload: usize, payloadType: i32): i32 {
  const discard = load<u32>(channel, DISCARD);
  let result = DELIVERED;
  if (!(flagsOf(sender) & QUARANTINED)) {
    let after: u32 = 0;
    if (isJournaling()) {
      beginSend();
      lockNoted(channel, subject);
    } else {
      lockChannel(channel);
    }
    let isHeard = false;
    let node = load<usize>(channel, FIRST);
    while (node != 0 && result == DELIVERED) {
      const state = load<usize>(node, STATE);
      const serial = load<u32>(state, SERIAL);
      let next = load<usize>(node, NEXT);
      if (serial > after) {
        after = serial;
        const line = load<usize>(state, LINE);
        if (matches(line, subject)) {
          isHeard = true;
          if (load<i32>(line, PAYLOAD_TYPE) != payloadType) result = MISMATCH;
          else if (enqueue(channel, state, payload)) next = load<usize>(channel, FIRST);
        }
      }
      node = next;
    }
    unlockChannel(channel);
    if (!isHeard) logDrop(subject);
  }
  if (discard != 0) call_indirect<void>(discard, payload);
  return result;
}

/** Whether a computed subject reaches a subscriber of another payload type. `channel`: of the computed subjects. */
export function bus_reaches_another(channel: usize, subject: usize, payloadType: i32): i32 {
  let found = false;
  lockChannel(channel);
  for (let node = load<usize>(channel, FIRST); node != 0 && !found; node = load<usize>(node, NEXT)) {
    const line = load<usize>(load<usize>(node, STATE), LINE);
    found = load<i32>(line, PAYLOAD_TYPE) != payloadType && matches(line, subject);
  }
  unlockChannel(channel);
  return i32(found);
}

/** A direct call (06 6.6) meets an instance that is not ready: the message is held for it. */
export function bus_hold(channel: usize, state: usize, payload: usize): void {
  if (isJournaling()) {
    beginSend();
    lockNoted(channel, load<usize>(channel, CHANNEL_SUBJECT));
    if (flagsOf(load<usize>(state, RECEIVER)) & READY) {
      unlockChannel(channel);
      callNoted(state, payload);
      return;
    }
  } else {
    lockChannel(channel);
  }
  enqueue(channel, state, payload);
  unlockChannel(channel);
  const discard = load<u32>(channel, DISCARD);
  if (discard != 0) call_indirect<void>(discard, payload);
}

/** A direct call in a run that is recorded or replayed: nothing but the handler runs, as in the call that the compiler makes else. */
function callNoted(state: usize, payload: usize): void {
  const receiver = load<usize>(state, RECEIVER);
  const line = load<usize>(state, LINE);
  noteDelivery(receiver, line, 0);
  call_indirect<void>(load<u32>(line, HANDLER), receiver, payload);
}

/** Locks a channel for a send that a recording is told of. */
function lockNoted(channel: usize, subject: usize): void {
  beginNote();
  noteSend(subject, load<u32>(channel, PAYLOAD_SIZE));
  lockChannel(channel);
  endNote();
}

function sendToAll(channel: usize, payload: usize): i32 {
  if (manyThreads() || load<i32>(channel, QUIET) || waits) return sendToMatching(channel, payload, false);
  let result = DELIVERED;
  const bound = load<i32>(channel, BOUND);
  for (let node = load<usize>(channel, FIRST); node != 0; node = load<usize>(node, NEXT)) {
    const state = load<usize>(node, STATE);
    const line = load<usize>(state, LINE);
    if (bound != 0 && load<i32>(state, WAITING) >= bound) {
      result = FULL;
    } else if (load<i32>(line, LINE_BOUND) == 0 && flagsOf(load<usize>(state, RECEIVER)) & READY) {
      countWaiting(state, line, 1);
      fill(reserve(cellSizeFor(channel)), channel, state, line, payload, load<u32>(channel, COPY));
    } else {
      enqueue(channel, state, payload);
    }
  }
  return result;
}

/** Specific and unfiltered subscriptions in order of registration; when no specific one matched, the fallbacks. */
function sendByKey(channel: usize, payload: usize): i32 {
  const mayWait = waits;
  const result = sendToMatching(channel, payload, false);
  if (matched) return result;
  if (!fallbacks) {
    logUnmatched(load<usize>(channel, CHANNEL_SUBJECT));
    return result == DELIVERED ? UNMATCHED : result;
  }
  waits = mayWait;
  return sendToMatching(channel, payload, true);
}

/** Told by `sendToMatching`: a filtered subscription matched; there are fallbacks. */
let matched: bool = false;
let fallbacks: bool = false;
/** The send under way is an `or wait`. */
let waits: bool = false;

/**
 * Sends to the fallbacks or to the others. A handler that runs at once, or a wait for room, may change the list: then the walk begins anew, behind the registration that was
 * served last.
 */
function sendToMatching(channel: usize, payload: usize, toFallbacks: bool): i32 {
  const mayWait = waits;
  waits = false;
  let result = DELIVERED;
  let isMatched = false;
  let hasFallbacks = false;
  let after: u32 = 0;
  if (manyThreads() && isJournaling() && !toFallbacks) lockNoted(channel, load<usize>(channel, CHANNEL_SUBJECT));
  else lockChannel(channel);
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
        if (sent == NO_ROOM) {
          result = FULL;
          if (mayWait) {
            unlockChannel(channel);
            result = awaitRoom(channel, serial);
            lockChannel(channel);
            if (result != DELIVERED) break;
            // Once more for this registration, if it is still there.
            after = serial - 1;
            next = load<usize>(channel, FIRST);
          }
        } else if (sent == LIST_CHANGED) {
          next = load<usize>(channel, FIRST);
        }
      }
    }
    node = next;
  }
  unlockChannel(channel);
  matched = isMatched;
  fallbacks = hasFallbacks;
  return result;
}

const SENT: i32 = 0;
const LIST_CHANGED: i32 = 1;
const NO_ROOM: i32 = 2;

/** One delivery, with the channel locked. */
function send(channel: usize, state: usize, payload: usize): i32 {
  const receiver = load<usize>(state, RECEIVER);
  if (load<i32>(channel, QUIET) && flagsOf(receiver) & READY && load<usize>(receiver, HOME) == strand()) {
    unlockChannel(channel);
    const before = beginHandlers();
    if (manyThreads() && isJournaling()) runNoted(receiver, load<usize>(state, LINE), payload);
    else runAlone(receiver, load<usize>(state, LINE), payload);
    endHandlers(before);
    lockChannel(channel);
    return LIST_CHANGED;
  }
  const bound = load<i32>(channel, BOUND);
  if (bound != 0 && isFullFor(state, bound)) return NO_ROOM;
  return enqueue(channel, state, payload) ? LIST_CHANGED : SENT;
}

function isFullFor(state: usize, bound: i32): bool {
  const full = waitingOf(state) >= bound;
  return manyThreads() && isJournaling() ? judge(i32(full)) != 0 : full;
}

/** A handler that runs at the send, in a run that is recorded or replayed. */
function runNoted(receiver: usize, line: usize, payload: usize): void {
  const number = currentSend();
  noteDelivery(receiver, line, 0);
  const before = suspendHold();
  runAlone(receiver, line, payload);
  resumeHold(before);
  resumeSend(number);
}

function runAlone(receiver: usize, line: usize, payload: usize): void {
  const held = runHandler(receiver, line, payload, 0);
  if (held != 0) locus_release(held);
}

/**
 * Queues one cell, with the channel locked. True when the lock was given up meanwhile. The oldest one of a full subscriber goes at once where there is but one thread; a sender
 * on another thread cannot reach what the receiver's has taken already: that one passes over it when it comes to it (`isSurplus`).
 */
function enqueue(channel: usize, state: usize, payload: usize): bool {
  const line = load<usize>(state, LINE);
  const bound = load<i32>(line, LINE_BOUND);
  if (bound != 0 && !(severalThreads() && load<i32>(line, POLICY) & DROP_OLD) && isFullFor(state, bound)) {
    if (!(load<i32>(line, POLICY) & DROP_OLD)) return false;
    dropOldest(state);
  }
  const receiver = load<usize>(state, RECEIVER);
  const home = load<usize>(receiver, HOME);
  if (home == strand() && strandKind() != ASYNC && flagsOf(receiver) & READY) {
    countWaiting(state, line, 1);
    if (manyThreads() && isJournaling()) fillNoted(reserve(cellSizeFor(channel) + IDENTITY_SIZE), channel, state, line, payload, load<u32>(channel, COPY));
    else fill(reserve(cellSizeFor(channel)), channel, state, line, payload, load<u32>(channel, COPY));
    return false;
  }
  return sendAway(channel, state, payload, home);
}

/** Queues a cell on another strand, or keeps it for an instance that is not ready. True when the channel's lock was given up meanwhile. */
function sendAway(channel: usize, state: usize, payload: usize, home: usize): bool {
  const copy = load<u32>(channel + (home == strand() ? COPY : ISOLATE));
  if (copy != 0 || isJournaling() || !(flagsOf(load<usize>(state, RECEIVER)) & READY)) return sendWithCare(channel, state, payload, home, copy);
  let yielded = false;
  let to = lockForCell(home);
  // Looked at with the strand locked: then this thread has the line that tells.
  while (home != strand() && isFullInbox(to)) {
    unlockStrand(to);
    if (!waitForInbox(channel, state, payload, home)) return true;
    yielded = true;
    to = lockForCell(home);
  }
  const line = load<usize>(state, LINE);
  const total = cellSizeFor(channel);
  countWaiting(state, line, 1);
  fill(to == 0 && strand() == 0 ? reserve(total) : inboxCell(to, total), channel, state, line, payload, 0);
  unlockStrand(to);
  wakeForCell(to);
  return yielded;
}

/** The same for what must be copied with care, which is done before the strand is locked, and for what is kept or recorded. */
function sendWithCare(channel: usize, state: usize, payload: usize, home: usize, copy: u32): bool {
  let yielded = false;
  while (home != strand() && isFullInbox(delivererOf(home))) {
    if (!waitForInbox(channel, state, payload, home)) return true;
    yielded = true;
  }
  const line = load<usize>(state, LINE);
  countWaiting(state, line, 1);
  const total = cellSizeFor(channel) + (isJournaling() ? IDENTITY_SIZE : 0);
  const message = newMessage(total);
  if (isJournaling()) fillNoted(cellOf(message), channel, state, line, payload, copy);
  else fill(cellOf(message), channel, state, line, payload, copy);
  const to = lockForCell(home);
  if (flagsOf(load<usize>(state, RECEIVER)) & READY) {
    memory.copy(to == 0 && strand() == 0 ? reserve(total) : inboxCell(to, total), cellOf(message), total);
    unlockStrand(to);
    freeMessage(message);
  } else {
    appendHeld(to, message);
    unlockStrand(to);
  }
  wakeForCell(to);
  return yielded;
}

/** Gives the channel up while there is no room where `home` is delivered. False when the subscription has ended meanwhile. */
function waitForInbox(channel: usize, state: usize, payload: usize, home: usize): bool {
  const serial = load<u32>(state, SERIAL);
  unlockChannel(channel);
  if (!areRequests() || !answerMeanwhile(channel, payload)) waitForRoom(delivererOf(home));
  lockChannel(channel);
  return isRegistered(channel, state, serial);
}

/** Answers for a failed child, which may send too: what is under way leaves the area that its payload would be laid into. */
function answerMeanwhile(channel: usize, payload: usize): bool {
  // A recording knows of the sends of handlers, not of sends in sends.
  if (isJournaling()) return false;
  const size = load<u32>(channel, PAYLOAD_SIZE) + 8;
  const copy = allocateUncounted(size);
  memory.copy(copy, payload, size);
  const answered = answerRequest();
  memory.copy(payload, copy, size);
  freeUncounted(copy);
  return answered;
}

/** Locks the strand that delivers what is sent to instances of `home`, and answers it. */
function lockForCell(home: usize): usize {
  lockStrand(home);
  if (!isOver(home)) return home;
  unlockStrand(home);
  lockStrand(0);
  return 0;
}

// @ts-ignore: decorator
@inline
function cellSizeFor(channel: usize): usize {
  return load<u32>(channel, CELL_BYTES);
}

// @ts-ignore: decorator
@inline
function fill(cell: usize, channel: usize, state: usize, line: usize, payload: usize, copy: u32): void {
  const total = cellSizeFor(channel);
  store<usize>(cell, total, CELL_SIZE);
  store<usize>(cell, state, CELL_STATE);
  store<usize>(cell, line, CELL_LINE);
  store<u32>(cell, load<u32>(channel, DISCARD), CELL_DISCARD);
  // A payload may be 8 bytes shorter than its room: what lies behind it in the area that it comes from goes along.
  for (let at: usize = CELL_PAYLOAD; at < total; at += 16) {
    store<u64>(cell + at, load<u64>(payload + at - CELL_PAYLOAD));
    store<u64>(cell + at, load<u64>(payload + at - CELL_PAYLOAD, 8), 8);
  }
  if (copy != 0) call_indirect<void>(copy, cell + CELL_PAYLOAD);
}

/** The same with the identity of the message behind the payload. */
function fillNoted(cell: usize, channel: usize, state: usize, line: usize, payload: usize, copy: u32): void {
  fill(cell, channel, state, line, payload, copy);
  store<usize>(cell, load<usize>(cell, CELL_SIZE) + IDENTITY_SIZE, CELL_SIZE);
  storeIdentity(cell);
}
