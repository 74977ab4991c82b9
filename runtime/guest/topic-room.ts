// Room at bounded topics (reference 06 6.10): who waits for it, and who tells that there is some.
import { answerOthers, countSleep } from "./answers";
import { pause } from "./backoff";
import { deliverCell, isBusy, serve, takeMessages } from "./bus";
import { BOUND, FULL_HERE, ROOM, fullElsewhere, fullHere, roomIn } from "./channel";
import * as host from "./host";
import { beginHold, deliverAndNote, endHold } from "./journaled";
import { freeUncounted } from "./memory";
import { waitWithoutTurn } from "./pool";
import { checkGrace, isEnding } from "./process";
import { bus_pending, cellOfState, takeCell } from "./queue";
import { beginBlocked, endBlocked } from "./room";
import { judge } from "./schedule";
import { ABORTED, DELIVERED, FULL } from "./sending";
import { ASYNC, MAIN, delivererOf, messagesOf, strand, strandBlock, strandKind, waitAt, waitForCells, wake, wakeWord } from "./strand";
import { isJournaling, isReplaying, manyThreads, severalThreads } from "./thread";

const ROOM_SLICE: i64 = 20_000_000;

/** Senders on other threads that wait for room at a bounded topic: a futex, how many wait for a change of it, and how many of them sleep; and whether the main thread waits. */
const roomWord: usize = memory.data(4, 4);
const roomWaiters: usize = memory.data(4, 4);
const roomSleepers: usize = memory.data(4, 4);
const mainWaits: usize = memory.data(4, 4);
/** They are told when so many cells or fewer wait for a subscriber: half of the greatest bound that somebody waited at, so that they do not wake for every single cell. */
const fewCells: usize = memory.data(4, 4);
/** Half of a bound is often delivered within some microseconds: before it sleeps, a sender looks so many times, with rounds of something else in between, and as often lets others have the core. */
const LOOKS: i32 = 8;
const LOOK_PAUSE: i32 = 200;

/** `or wait`: while some subscriber has no room, what waits is delivered (06 6.10). Answers 0, or that the end of the program cut it short. */
export function bus_wait(channel: usize): i32 {
  return awaitRoom(channel, 0) == ABORTED ? ABORTED : DELIVERED;
}

/** Waits for room at one registration of the channel, or (0) at all. In a replay of several threads there was room when all was delivered that had been delivered. */
export function awaitRoom(channel: usize, serial: u32): i32 {
  if (!manyThreads() || !isJournaling()) return lookForRoom(channel, serial);
  countSleep();
  const began = strandKind() != ASYNC && beginHold();
  const repeats = isReplaying() && severalThreads();
  const result = repeats ? DELIVERED : lookForRoom(channel, serial);
  endHold(began);
  if (repeats) answerOthers();
  return judge(result);
}

/**
 * The main thread serves meanwhile; another one only when it is itself that must make room. In a handler just the subscribers without room are served: handlers that ran inside
 * it would wait inside each other, and their sends come out the wrong way round. Who does not serve answers for failed children: the one that has no room may wait for that.
 */
function lookForRoom(channel: usize, serial: u32): i32 {
  const isHandler = isBusy();
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
    if (isHandler && state == FULL_HERE && serveOnly(fullHere)) continue;
    if (!isHandler && (strandKind() == MAIN || state == FULL_HERE) && (bus_pending > 0 || (manyThreads() && messagesOf(strand()) != 0))) {
      serve();
      continue;
    }
    if (!manyThreads() || (state == FULL_HERE && strandKind() != ASYNC)) {
      // Only this thread could make room, and it has nothing to deliver.
      result = FULL;
      break;
    }
    if (answerOthers()) continue;
    const few = load<i32>(channel, BOUND) >> 1;
    if (atomic.load<i32>(fewCells) < few) atomic.store<i32>(fewCells, few);
    if (state == FULL_HERE) letOthersGoOn(channel, serial, word);
    else waitForOther(channel, serial, word, own, isHandler);
  }
  return result;
}

/** `word`, `own`: what the words of those who wait for room, and of this strand, were before it looked. */
function waitForOther(channel: usize, serial: u32, word: i32, own: i32, isHandler: bool): void {
  const serves = strandKind() == MAIN && !isHandler;
  const before = serves ? 0 : beginBlocked(strandBlock(delivererOf(fullElsewhere)));
  if (strandKind() == MAIN) {
    checkGrace();
    atomic.add<i32>(mainWaits, 1);
    if (roomIn(channel, serial, strand()) != ROOM) {
      if (serves) waitForCells(0, own, ROOM_SLICE);
      else waitAt(0, own, ROOM_SLICE);
    }
    atomic.sub<i32>(mainWaits, 1);
  } else {
    atomic.add<i32>(roomWaiters, 1);
    if (roomIn(channel, serial, strand()) != ROOM && !isEnding()) waitForWord(word);
    atomic.sub<i32>(roomWaiters, 1);
  }
  if (!serves) endBlocked(before);
}

/** On an `async_io` pool a job that is parked may have taken what fills the subscriber: it goes on. */
function letOthersGoOn(channel: usize, serial: u32, word: i32): void {
  atomic.add<i32>(roomWaiters, 1);
  atomic.add<i32>(roomSleepers, 1);
  if (roomIn(channel, serial, strand()) != ROOM && !isEnding()) waitWithoutTurn(roomWord, word, ROOM_SLICE);
  atomic.sub<i32>(roomSleepers, 1);
  atomic.sub<i32>(roomWaiters, 1);
}

function waitForWord(word: i32): void {
  for (let i = 0; i < LOOKS; i++) {
    for (let k = 0; k < LOOKS; k++) {
      if (atomic.load<i32>(roomWord) != word) return;
      pause(LOOK_PAUSE);
    }
    host.yieldThread();
  }
  atomic.add<i32>(roomSleepers, 1);
  host.futexWait(roomWord, word, ROOM_SLICE);
  atomic.sub<i32>(roomSleepers, 1);
}

/** Delivers what waits on this thread for the subscription; false when nothing does. */
function serveOnly(subscription: usize): bool {
  if (manyThreads()) takeMessages();
  let served = false;
  for (let cell = cellOfState(subscription); cell != 0; cell = cellOfState(subscription)) {
    const copy = takeCell(cell);
    if (isJournaling()) deliverAndNote(copy);
    else deliverCell(copy);
    freeUncounted(copy);
    served = true;
  }
  return served;
}

/** A cell of a bounded topic is begun, and `waiting` are left for its subscriber. */
// @ts-ignore: decorator
@inline
export function tellRoom(waiting: i32): void {
  if (waiting <= atomic.load<i32>(fewCells)) announceRoomOfTopics();
}

/** There is room at bounded topics, or the program ends: who waits for room looks again. */
export function announceRoomOfTopics(): void {
  if (atomic.load<i32>(roomWaiters) != 0) {
    atomic.add<i32>(roomWord, 1);
    if (atomic.load<i32>(roomSleepers) != 0) host.futexWake(roomWord, 0x7fffffff);
  }
  if (atomic.load<i32>(mainWaits) != 0) wake(0);
}
