// Deliveries in a run that is recorded or replayed (reference 06b): a recording tells which message came when.
import { beginHandlers, deliverCell, endHandlers, takeMessages } from "./bus";
import { RECEIVER, WAITING, isSurplus } from "./channel";
import { NEXT_DELIVERY, OCCASION, consumer } from "./consumers";
import * as host from "./host";
import { QUARANTINED, REGISTERED, flagsOf } from "./locus";
import { freeUncounted } from "./memory";
import { CELL_LINE, CELL_STATE, JOB, bus_pending, discardCell, findCell, oldestCell, takeCell, takeOldest } from "./queue";
import { ASYNC_CONSUME, CONSUME } from "./recording";
import { hasDiverged, isTruncated } from "./replay";
import { tellTaken } from "./room";
import { OCCASION_OF_ENTRY, PATIENCE, ROUNDS, beginOccasion, beginStretch, endOccasion, endStretch, giveUp, isHeld, noteConsume, noteDelivery, resumeHold, suspendHold } from "./schedule";
import { noteStart } from "./steps";
import { CLASSIC, strand, strandKind, waitForCells, wakeWord } from "./strand";
import { isJournaling, isReplaying, severalThreads } from "./thread";

/** `serve` in a run that is recorded or replayed. */
export function serveJournaled(): void {
  const isOwn = !isHeld();
  if (isOwn) beginOccasion();
  const before = beginHandlers();
  if (isReplaying()) deliverAsRecorded(isOwn ? PATIENCE : 0);
  else deliverNoted();
  endHandlers(before);
  if (isOwn) endOccasion();
}

/** The same for the worker of a pool, whose whole life is one occasion; false when there was nothing to do. */
export function serveHeld(): bool {
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
export function deliverAndNote(cell: usize): void {
  const state = load<usize>(cell, CELL_STATE);
  if (state == 0) return;
  delivered++;
  if (state != JOB) {
    const receiver = load<usize>(state, RECEIVER);
    const isPassedOver = severalThreads() && !isReplaying() && isSurplus(load<usize>(cell, CELL_LINE), load<i32>(state, WAITING));
    if (isPassedOver || (flagsOf(receiver) & (REGISTERED | QUARANTINED)) != REGISTERED) {
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
    const before = beginHandlers();
    deliverAsRecorded(PATIENCE);
    endHandlers(before);
  }
  endStretch();
}
