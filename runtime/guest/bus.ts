// The bus of one thread (reference 06): sends, drain points, deliveries. What waits is in `queue.ts`, who hears what in `channel.ts`.
import {
  BOUND, CELL_BYTES, CHANNEL, CHANNEL_SUBJECT, COPY, DISCARD, DROP_OLD, FALLBACK, FILTER, FIRST, FULL_HERE, HANDLER, ISOLATE, KEY_KIND, LINE, LINE_BOUND, NEXT, NODE_SIZE, NO_KEY, ONE_KEY, PAYLOAD_SIZE,
  PAYLOAD_TYPE, POLICY, QUIET, RECEIVER, ROOM, SERIAL, STATE, WAITING, beginRegistration, countWaiting, endRegistration, hasKey, isRegistered, lockChannel, matches, roomIn, unlink, unlockChannel,
} from "./channel"; // prettier-ignore
import { NEXT_DELIVERY, OCCASION, consumer } from "./consumers";
import { numberFromEnvironment } from "./environment-number";
import * as host from "./host";
import { checkAfterBody, endEarly, stop } from "./lifecycle";
import { DIRECT, EPOCHS, FAILED, HOME, NODES, NODE_COUNT, QUARANTINED, READY, REGISTERED, TERMINATED, clearFlags, flagsOf, hold, locus_release, setFlags } from "./locus";
import { allocateUncounted, freeUncounted } from "./memory";
import { parkFor } from "./pool";
import { checkGrace, isEnding, isSleepCut, leaveIfFailed } from "./process";
import { CELL_DISCARD, CELL_LINE, CELL_PAYLOAD, CELL_SIZE, CELL_STATE, JOB, appendCells, bus_pending, discardCell, dropInRing, findCell, oldestCell, reserve, takeCell, takeOldest } from "./queue";
import { ASYNC_CONSUME, CONSUME } from "./recording";
import { hasDiverged, isTruncated } from "./replay";
import {
  IDENTITY_SIZE, OCCASION_OF_ENTRY, PATIENCE, ROUNDS, beginChange, beginNote, beginOccasion, beginSend, beginStretch, currentSend, endChange, endNote, endOccasion, endStretch,
  flushBeforeWait, giveUp, isHeld, judge, noteConsume, noteDelivery, noteSend, numberMessage, resumeHold, resumeSend, storeIdentity, suspendHold,
} from "./schedule"; // prettier-ignore
import { noteStart } from "./steps";
import {
  ASYNC, CLASSIC, MAIN, PINNED, appendHeld, beginBlocked, cellOf, countRegistration, endBlocked, firstHeld, freeMessage, inboxCell, inboxEnd, inboxStart, isFullInbox, isOver, lockStrand,
  messagesOf, newMessage, strand, strandKind, takeAll, takenCells, takenEnd, tellTaken, unlinkHeld, unlockStrand, waitAt, waitForCells, waitForRoom, wake, wakeForCell, wakeWord,
} from "./strand"; // prettier-ignore
import { isJournaling, isReplaying, manyThreads, severalThreads } from "./thread";

/** Results of a send. */
const DELIVERED: i32 = 0;
const FULL: i32 = 1;
const UNMATCHED: i32 = 2;
const MISMATCH: i32 = 3;
/** A wait for room that the end of the program cut short. */
const ABORTED: i32 = 4;

const MOST_NESTED_RUNS: i32 = 32;
const SLICE: i64 = 100_000_000;
const ROOM_SLICE: i64 = 20_000_000;
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
  const before = busy;
  busy = true;
  for (;;) {
    // Before each one, so that an instance that keeps sending to itself does not shut the others out.
    if (manyThreads()) takeMessages();
    if (bus_pending == 0) break;
    deliverOldest();
  }
  busy = before;
}

/** Runs the oldest job of this thread; false when there is none. */
export function serveOne(): bool {
  if (isJournaling()) return serveHeld();
  takeMessages();
  if (bus_pending == 0) return false;
  busy = true;
  deliverOldest();
  return true;
}

/** `serve` in a run that is recorded or replayed. */
function serveJournaled(): void {
  const isOwn = !isHeld();
  if (isOwn) beginOccasion();
  const before = busy;
  busy = true;
  if (isReplaying()) deliverAsRecorded(isOwn ? PATIENCE : 0);
  else deliverNoted();
  busy = before;
  if (isOwn) endOccasion();
}

/** The same for the worker of a pool, whose whole life is one occasion; false when there was nothing to do. */
function serveHeld(): bool {
  beginStretch();
  const before = delivered;
  serveJournaled();
  return delivered != before;
}

/** Deliveries of this thread, in a run that is recorded or replayed. */
let delivered: i64 = 0;
/** When a replay found messages that are not the next ones, and none since, and how often it has looked; 0: not so. */
let stalledSince: i64 = 0;
let stalledRounds: i32 = 0;

function deliverNoted(): void {
  for (;;) {
    if (severalThreads()) takeMessages();
    if (bus_pending == 0) break;
    const cell = takeOldest();
    tellTaken(bus_pending);
    deliverAndNote(cell);
  }
}

/** Delivers what the recording tells for this occasion. `patience`: how long to wait for what has not come. */
function deliverAsRecorded(patience: i64): void {
  const own = consumer();
  let end = host.clock(1) + patience;
  let rounds = 0;
  for (;;) {
    const word = wakeWord(strand());
    if (severalThreads()) takeMessages();
    const entry = load<usize>(own, NEXT_DELIVERY);
    if (entry == 0) {
      // The program is another one, or the recording was cut off: it goes on as it can.
      if (isTruncated() || hasDiverged()) deliverNoted();
      return;
    }
    const occasion = load<i64>(entry, OCCASION_OF_ENTRY);
    if (occasion > load<i64>(own, OCCASION)) {
      // The life of a pool's worker is one occasion, and only what it delivers begins others: one that lies ahead now does not come, however long messages wait for it.
      if (strandKind() != CLASSIC || !isHeld() || !isStalled()) return;
      giveUp(own);
      continue;
    }
    const cell = findCell(entry);
    if (occasion < load<i64>(own, OCCASION) && cell == 0) {
      giveUp(own);
    } else if (cell != 0) {
      deliverTaken(cell);
      end = host.clock(1) + patience;
      rounds = 0;
    } else if (isStalled() || (patience > 0 && rounds > ROUNDS && host.clock(1) > end) || !severalThreads()) {
      const oldest = oldestCell();
      giveUp(own);
      if (oldest != 0) deliverTaken(oldest);
    } else if (patience > 0) {
      waitForCells(strand(), word, 10_000_000);
      rounds++;
    } else {
      return;
    }
  }
}

/** Messages wait that the recording tells of later, and what it tells next has not come for long. */
function isStalled(): bool {
  if (oldestCell() == 0) {
    stalledSince = 0;
    return false;
  }
  const now = host.clock(1);
  if (stalledSince == 0) {
    stalledSince = now;
    stalledRounds = 0;
  }
  stalledRounds++;
  return stalledRounds > ROUNDS && now - stalledSince > PATIENCE;
}

function deliverTaken(cell: usize): void {
  stalledSince = 0;
  const copy = takeCell(cell);
  deliverAndNote(copy);
  freeUncounted(copy);
}

/** Delivers a cell and tells the recording of it. */
function deliverAndNote(cell: usize): void {
  const state = load<usize>(cell, CELL_STATE);
  if (state == 0) return;
  delivered++;
  if (state != JOB) {
    const receiver = load<usize>(state, RECEIVER);
    if ((flagsOf(receiver) & (REGISTERED | QUARANTINED)) != REGISTERED) {
      discardCell(cell, state);
      return;
    }
    noteConsume(cell, CONSUME);
    noteDelivery(receiver, load<usize>(cell, CELL_LINE), 1);
  } else {
    noteConsume(cell, CONSUME);
  }
  const before = suspendHold();
  deliverCell(cell);
  resumeHold(before);
}

/** Delivers a message of an `async_io` pool, where the order of turns is what a recording tells. */
export function deliverStep(cell: usize): void {
  const state = load<usize>(cell, CELL_STATE);
  noteStart(cell);
  if (state > JOB) {
    const receiver = load<usize>(state, RECEIVER);
    if ((flagsOf(receiver) & (REGISTERED | QUARANTINED)) == REGISTERED) {
      noteConsume(cell, ASYNC_CONSUME);
      noteDelivery(receiver, load<usize>(cell, CELL_LINE), 1);
    }
  }
  deliverCell(cell);
}

/** A stretch of time in which this thread looks for messages again and again begins; true when it is this one's to end. */
export function beginHold(): bool {
  return isJournaling() && beginStretch();
}

/** It ends: what a recording tells for it is delivered first. `began`: what `beginHold` said. */
export function endHold(began: bool): void {
  if (!began) return;
  if (isReplaying()) {
    const before = busy;
    busy = true;
    deliverAsRecorded(PATIENCE);
    busy = before;
  }
  endStretch();
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
  const began = serves && beginHold();
  if (isJournaling()) flushBeforeWait();
  const cutBefore = isSleepCut();
  let left = nanoseconds;
  do {
    const word = wakeWord(strand());
    if (left > 0 && !(serves && manyThreads() && messagesOf(strand()) != 0)) {
      if (serves && manyThreads()) waitForCells(strand(), word, min(left, SLICE));
      else host.sleep(min(left, SLICE));
    }
    bus_yield();
    checkGrace();
    left = end - host.clock(1);
  } while (left > 0 && (cutBefore || !isSleepCut()));
  endHold(began);
}

/** Waits until the i32 at `address` is not 0, serving this thread meanwhile. */
export function serveUntil(address: usize): void {
  const serves = strandKind() == MAIN || strandKind() == PINNED;
  if (!serves) beginBlocked();
  const began = serves && beginHold();
  for (;;) {
    const word = wakeWord(strand());
    if (atomic.load<i32>(address) != 0) break;
    if (serves) serve();
    if (atomic.load<i32>(address) != 0) break;
    if (serves) waitForCells(strand(), word, 100_000_000);
    else waitAt(strand(), word, 100_000_000);
  }
  endHold(began);
  if (!serves) endBlocked();
}

/** Waits until one of two i32 is not 0, serving nothing meanwhile. */
export function waitUntilAny(first: usize, second: usize): void {
  beginBlocked();
  for (;;) {
    const word = wakeWord(strand());
    if ((atomic.load<i32>(first) | atomic.load<i32>(second)) != 0) break;
    waitAt(strand(), word, 100_000_000);
  }
  endBlocked();
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
  const before = busy;
  busy = true;
  nestedRuns++;
  if (manyThreads()) {
    beginOccasion();
    while (bus_pending > bus_limit >> 2) deliverAndNote(takeOldest());
    endOccasion();
  } else {
    while (bus_pending > bus_limit >> 2) deliverOldest();
  }
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
    if (manyThreads() && isJournaling()) beginSend();
    result = load<i32>(channel, KEY_KIND) == NO_KEY ? sendToAll(channel, payload) : sendByKey(channel, payload);
  }
  if (discard != 0) call_indirect<void>(discard, payload);
  return result;
}

/** The same for a channel without key and bounds, whose handlers do not run at the send, in a program with one thread. */
export function bus_publish_plain(sender: usize, channel: usize, payload: usize): void {
  // A run that is recorded or replayed.
  if (manyThreads()) {
    bus_publish(sender, channel, payload);
    return;
  }
  if (!(flagsOf(sender) & QUARANTINED)) {
    const total = cellSizeFor(channel);
    const copy = load<u32>(channel, COPY);
    for (let node = load<usize>(channel, FIRST); node != 0; node = load<usize>(node, NEXT)) {
      const state = load<usize>(node, STATE);
      if (flagsOf(load<usize>(state, RECEIVER)) & READY) fill(reserve(total), channel, state, load<usize>(state, LINE), payload, copy);
      else sendAway(channel, state, payload, load<usize>(load<usize>(state, RECEIVER), HOME));
    }
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
    unlockChannel(channel);
  }
  if (discard != 0) call_indirect<void>(discard, payload);
  return result;
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

/** Senders on other threads that wait for room at a bounded topic: a futex, and how many wait there; and whether the main thread does. */
const roomWord: usize = memory.data(4, 4);
const roomWaiters: usize = memory.data(4, 4);
const mainWaits: usize = memory.data(4, 4);

/** `or wait`: while some subscriber has no room, what waits is delivered (06 6.10). Answers 0, or that the end of the program cut it short. */
export function bus_wait(channel: usize): i32 {
  return awaitRoom(channel, 0) == ABORTED ? ABORTED : DELIVERED;
}

/** Waits for room at one registration of the channel, or (0) at all. In a replay of several threads there was room when all was delivered that had been delivered. */
function awaitRoom(channel: usize, serial: u32): i32 {
  if (!manyThreads() || !isJournaling()) return lookForRoom(channel, serial);
  const began = strandKind() != ASYNC && beginHold();
  const result = isReplaying() && severalThreads() ? DELIVERED : lookForRoom(channel, serial);
  endHold(began);
  return judge(result);
}

/** The main thread serves meanwhile; another one only when it is itself that must make room. */
function lookForRoom(channel: usize, serial: u32): i32 {
  const before = busy;
  let result = DELIVERED;
  for (;;) {
    const own = wakeWord(strand());
    const word = atomic.load<i32>(roomWord);
    const state = roomIn(channel, serial, strand());
    if (state == ROOM) break;
    if (isEnding()) {
      result = ABORTED;
      break;
    }
    if ((strandKind() == MAIN || state == FULL_HERE) && (bus_pending > 0 || (manyThreads() && messagesOf(strand()) != 0))) {
      serve();
      busy = before;
    } else if (!manyThreads() || (state == FULL_HERE && strandKind() != ASYNC)) {
      // Only this thread could make room, and it has nothing to deliver.
      result = FULL;
      break;
    } else if (strandKind() == MAIN) {
      checkGrace();
      atomic.add<i32>(mainWaits, 1);
      if (roomIn(channel, serial, strand()) != ROOM) waitForCells(strand(), own, ROOM_SLICE);
      atomic.sub<i32>(mainWaits, 1);
    } else {
      atomic.add<i32>(roomWaiters, 1);
      if (roomIn(channel, serial, strand()) != ROOM && !isEnding()) host.futexWait(roomWord, word, ROOM_SLICE);
      atomic.sub<i32>(roomWaiters, 1);
    }
  }
  return result;
}

/** A cell of a bounded topic is begun, or the program ends: who waits for room looks again. */
export function announceRoomOfTopics(): void {
  if (atomic.load<i32>(roomWaiters) != 0) {
    atomic.add<i32>(roomWord, 1);
    host.futexWake(roomWord, 0x7fffffff);
  }
  if (atomic.load<i32>(mainWaits) != 0) wake(0);
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
  if (isJournaling()) beginChange();
  beginRegistration();
  if (flagsOf(instance) & REGISTERED) clearFlags(instance, REGISTERED);
  let last: usize = 0;
  for (let node = first; node < end; node += NODE_SIZE) {
    if (load<usize>(node, CHANNEL) == 0) continue;
    const state = load<usize>(node, STATE);
    if (state != last) countRegistration(home, -1);
    last = state;
    unlink(node);
  }
  endRegistration();
  if (isJournaling()) endChange();
  // What waits refers to the instance's memory; nothing more comes, because senders find it with the channel locked only.
  if (last != 0) purge(instance, home);
}

/** The instance's birth is over: what was sent to it meanwhile is queued. */
export function makeReady(instance: usize): void {
  if (flagsOf(instance) & READY) return;
  const home = load<usize>(instance, HOME);
  if (manyThreads() && home == strand() && strandKind() != ASYNC) lockEmptied(home);
  else lockStrand(home);
  setReady(instance);
  const moved = releaseHeld(instance, home);
  unlockStrand(home);
  if (moved && home != strand()) wakeForCell(home);
}

/** Locks this thread's strand when its inbox is empty: what lay there came before what is queued next. */
function lockEmptied(home: usize): void {
  for (;;) {
    takeMessages();
    lockStrand(home);
    if (messagesOf(home) == 0) return;
    unlockStrand(home);
  }
}

/** `makeReady` with the job that runs the instance before what was sent to it. The worker cannot begin that job before the instance is ready: it takes the lock. */
export function makeReadyToRun(instance: usize, job: u32): void {
  const home = load<usize>(instance, HOME);
  lockStrand(home);
  setReady(instance);
  appendJob(home, job, instance);
  releaseHeld(instance, home);
  unlockStrand(home);
  wakeForCell(home);
}

/** Sends may reach it; a send that could be a call is none in a run that is recorded or replayed. */
function setReady(instance: usize): void {
  setFlags(instance, isJournaling() ? READY : READY | DIRECT);
}

/** Leaves a job for a strand: the body at this table index with the argument, to be called on the strand's thread. */
export function postJob(to: usize, body: u32, argument: usize): void {
  lockStrand(to);
  if (isOver(to)) {
    unlockStrand(to);
    return postJob(0, body, argument);
  }
  appendJob(to, body, argument);
  unlockStrand(to);
  wakeForCell(to);
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
  if (!fallbacks) return result == DELIVERED ? UNMATCHED : result;
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
    const before = busy;
    busy = true;
    if (manyThreads() && isJournaling()) runNoted(receiver, load<usize>(state, LINE), payload);
    else runHandler(receiver, load<usize>(state, LINE), payload);
    busy = before;
    lockChannel(channel);
    return LIST_CHANGED;
  }
  const bound = load<i32>(channel, BOUND);
  if (bound != 0 && isFullFor(state, bound)) return NO_ROOM;
  return enqueue(channel, state, payload) ? LIST_CHANGED : SENT;
}

function isFullFor(state: usize, bound: i32): bool {
  const full = load<i32>(state, WAITING) >= bound;
  return manyThreads() && isJournaling() ? judge(i32(full)) != 0 : full;
}

/** A handler that runs at the send, in a run that is recorded or replayed. */
function runNoted(receiver: usize, line: usize, payload: usize): void {
  const number = currentSend();
  noteDelivery(receiver, line, 0);
  const before = suspendHold();
  runHandler(receiver, line, payload);
  resumeHold(before);
  resumeSend(number);
}

/** Queues one cell, with the channel locked. True when the lock was given up meanwhile. */
function enqueue(channel: usize, state: usize, payload: usize): bool {
  const line = load<usize>(state, LINE);
  const bound = load<i32>(line, LINE_BOUND);
  if (bound != 0 && isFullFor(state, bound)) {
    if (!(load<i32>(line, POLICY) & DROP_OLD)) return false;
    // A replay of several threads knows by the recording which ones are delivered.
    if (!(isReplaying() && severalThreads())) dropOldest(state);
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

/** Queues a cell on another strand, or keeps it for an instance that is not ready. */
function sendAway(channel: usize, state: usize, payload: usize, home: usize): bool {
  let yielded = false;
  if (home != strand()) {
    const serial = load<u32>(state, SERIAL);
    while (isFullInbox(delivererOf(home))) {
      yielded = true;
      unlockChannel(channel);
      waitForRoom(delivererOf(home));
      lockChannel(channel);
      if (!isRegistered(channel, state, serial)) return true;
    }
  }
  const line = load<usize>(state, LINE);
  countWaiting(state, line, 1);
  const total = cellSizeFor(channel) + (isJournaling() ? IDENTITY_SIZE : 0);
  const copy = load<u32>(channel + (home == strand() ? COPY : ISOLATE));
  if (copy == 0 && !isJournaling() && flagsOf(load<usize>(state, RECEIVER)) & READY) {
    const to = lockForCell(home);
    fill(to == 0 && strand() == 0 ? reserve(total) : inboxCell(to, total), channel, state, line, payload, 0);
    unlockStrand(to);
    wakeForCell(to);
    return yielded;
  }
  // What must be copied with care is, before the strand is locked.
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

/** The strand that delivers what is sent to instances of `home`; itself, unless it is over. */
// @ts-ignore: decorator
@inline
function delivererOf(home: usize): usize {
  return isOver(home) ? 0 : home;
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

const JOB_SIZE: usize = CELL_PAYLOAD + 16;

/** With the strand locked. */
function appendJob(to: usize, body: u32, argument: usize): void {
  const size = JOB_SIZE + (isJournaling() ? IDENTITY_SIZE : 0);
  const cell = inboxCell(to, size);
  store<usize>(cell, size, CELL_SIZE);
  store<usize>(cell, JOB, CELL_STATE);
  store<usize>(cell, JOB, CELL_LINE);
  store<u32>(cell, 0, CELL_DISCARD);
  store<u32>(cell, body, CELL_PAYLOAD);
  store<usize>(cell, argument, CELL_PAYLOAD + 4);
  if (isJournaling()) {
    numberMessage();
    storeIdentity(cell);
  }
}

/** Moves what other threads have left into the ring. */
function takeMessages(): void {
  const first = takeAll(strand(), bus_pending);
  if (first != 0) appendCells(first, takenEnd - first, takenCells);
}

function readBound(): i32 {
  const name = memory.data<u8>([76, 79, 84, 85, 83, 95, 66, 85, 83, 95, 81, 85, 69, 85, 69, 95, 67, 65, 80]); // LOTUS_BUS_QUEUE_CAP
  return max<i64>(numberFromEnvironment(name, 19, 8192), 64) as i32;
}

/** Takes the oldest cell of that subscription out of the queue. Only receivers on the main thread have such bounds. */
function dropOldest(state: usize): void {
  if (!dropInRing(state, false)) dropInList(0, state, false);
}

/** The same in the inbox of a strand and among its held messages. */
function dropInList(home: usize, state: usize, all: bool): void {
  lockStrand(home);
  const end = inboxEnd(home);
  let isDone = false;
  for (let cell = inboxStart(home); cell < end && !isDone; cell += load<usize>(cell, CELL_SIZE)) isDone = dropCell(cell, state) && !all;
  for (let message = firstHeld(home); message != 0 && !isDone; message = load<usize>(message)) isDone = dropCell(cellOf(message), state) && !all;
  unlockStrand(home);
}

function dropCell(cell: usize, state: usize): bool {
  if (load<usize>(cell, CELL_STATE) != state) return false;
  store<usize>(cell, 0, CELL_STATE);
  discardCell(cell, state);
  return true;
}

/** Takes everything that waits for the instance out of the queues. */
function purge(instance: usize, home: usize): void {
  const descriptor = load<usize>(instance);
  let node = instance + load<u32>(descriptor, NODES);
  for (const end = node + load<u32>(descriptor, NODE_COUNT) * NODE_SIZE; node < end; node += NODE_SIZE) {
    const state = load<usize>(node, STATE);
    if (state == 0) continue;
    if (home == strand() || strand() == 0) dropInRing(state, true);
    // Where nothing but this thread is, cells lie in a list only when they are held.
    if (!manyThreads() && firstHeld(home) == 0) continue;
    dropInList(home, state, true);
    // What was sent to a pool that is over waits for the main thread.
    if (home != 0) dropInList(0, state, true);
  }
}

// @ts-ignore: decorator
@inline
function deliverOldest(): void {
  const cell = takeOldest();
  if (manyThreads()) tellTaken(bus_pending);
  deliverCell(cell);
}

/** Runs the handler, or the job, of a cell that has been taken out of its queue. */
export function deliverCell(cell: usize): void {
  const state = load<usize>(cell, CELL_STATE);
  if (state <= JOB) {
    if (state == JOB) call_indirect<void>(load<u32>(cell, CELL_PAYLOAD), load<usize>(cell, CELL_PAYLOAD + 4));
    return;
  }
  const receiver = load<usize>(state, RECEIVER);
  if ((flagsOf(receiver) & (REGISTERED | QUARANTINED)) != REGISTERED) {
    discardCell(cell, state);
    return;
  }
  const line = load<usize>(cell, CELL_LINE);
  countWaiting(state, line, -1);
  if (manyThreads()) announceRoomOfTopics();
  // The handler's entry reads the payload before anything is queued over it.
  runHandler(receiver, line, cell + CELL_PAYLOAD);
}

// @ts-ignore: decorator
@inline
function runHandler(receiver: usize, line: usize, payload: usize): void {
  hold(receiver);
  call_indirect<void>(load<u32>(line, HANDLER), receiver, payload);
  const flags = flagsOf(receiver);
  if ((flags & (TERMINATED | FAILED)) | load<i32>(load<usize>(receiver), EPOCHS)) afterHandler(receiver, flags);
  if (manyThreads() || load<i32>(receiver - 8) == 1) locus_release(receiver);
  else store<i32>(receiver - 8, load<i32>(receiver - 8) - 1);
}

function afterHandler(receiver: usize, flags: i32): void {
  if (flags & TERMINATED) endEarly(receiver);
  else if (flags & FAILED) stop(receiver);
  else checkAfterBody(receiver);
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
      if (state != 0) {
        const total = load<usize>(cell, CELL_SIZE);
        memory.copy(home == strand() && strandKind() != ASYNC ? reserve(total) : inboxCell(home, total), cell, total);
      }
      freeMessage(message);
      moved = true;
    }
    message = next;
  }
  return moved;
}
