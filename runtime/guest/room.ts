// Room in the inboxes of strands: who sends to one that is full waits, unless that one waits for the sender itself. docs/threads.md says why no ring of them can close.
import * as host from "./host";
import { COUNT, OVER, ROOM, SENDERS, TAKEN, WAITS_FOR, strand, strandBlock } from "./strand";
import { isReplaying } from "./thread";

/** A sender to another thread waits while this many messages are there. */
const MOST_MESSAGES: i32 = 8192;
/** Senders that wait go on when half of that is left, so that they do not wake for every single cell. */
const FEW_MESSAGES: i32 = 4096;
/** A sender that waits looks again after this time at the latest. */
const SLICE: i64 = 100_000_000;

/** In the place of a strand that is waited for: it may be any. */
export const ANYBODY: usize = 1;
/** More strands than this do not wait for each other in a row; a ring without this thread has no end. */
const MOST_IN_A_ROW: i32 = 1000;

/** Whether senders from other threads must wait. The main thread's inbox grows (but not while it joins threads and serves all the time). */
export function isFullInbox(target: usize): bool {
  const block = strandBlock(target);
  if (atomic.load<i32>(block, COUNT) + atomic.load<i32>(block, TAKEN) < MOST_MESSAGES) return false;
  if (target == 0 && (!load<i32>(joining) || strand() == 0)) return false;
  // What a replay holds back until its time must not keep senders from getting there.
  return !atomic.load<i32>(block, OVER) && !waitsForThis(block) && !isReplaying();
}

/** Whether a strand waits for this thread's, be it over others that wait. */
function waitsForThis(first: usize): bool {
  const own = strandBlock(strand());
  let block = first;
  for (let i = 0; i < MOST_IN_A_ROW; i++) {
    const next = atomic.load<usize>(block, WAITS_FOR);
    if (next == 0) return false;
    if (next == ANYBODY) return true;
    // What is meant for one that is over, the main thread does.
    block = load<i32>(next, OVER) ? strandBlock(0) : next;
    if (block == own) return true;
  }
  return false;
}

/** Shared by all threads: 1 while the main thread joins others. */
const joining: usize = memory.data(4, 4);

export function setJoining(on: i32): void {
  store<i32>(joining, on);
  announceRoom(strandBlock(0));
}

/** Waits a while for room there. */
export function waitForRoom(target: usize): void {
  const block = strandBlock(target);
  const before = beginBlocked(block);
  const word = atomic.load<i32>(block, ROOM);
  atomic.add<i32>(block, 1, SENDERS);
  if (isFullInbox(target)) host.futexWait(block + ROOM, word, SLICE);
  atomic.sub<i32>(block, 1, SENDERS);
  endBlocked(before);
}

/**
 * The running thread is going to wait for that strand (its block, or ANYBODY) and takes nothing out of its inbox meanwhile. Answers what `endBlocked` is to be given: who waits
 * may be asked for something, and wait for another one to do that.
 */
export function beginBlocked(other: usize): usize {
  const block = strandBlock(strand());
  const before = atomic.xchg<usize>(block, other, WAITS_FOR);
  announceRoom(block);
  return before;
}

export function endBlocked(before: usize): void {
  atomic.store<usize>(strandBlock(strand()), before, WAITS_FOR);
}

/** The owner has `count` cells left that it has taken. */
// @ts-ignore: decorator
@inline
export function tellTaken(count: i32): void {
  const own = strand();
  if (own == 0) return;
  // Not atomic: a sender that reads an old value waits for nothing more than the next cell, and there are thousands left.
  store<i32>(own, count, TAKEN);
  if (atomic.load<i32>(own, SENDERS) != 0 && count + atomic.load<i32>(own, COUNT) <= FEW_MESSAGES) announceRoom(own);
}

/** Senders that wait for room in that strand's inbox look again. */
export function announceRoom(block: usize): void {
  if (atomic.load<i32>(block, SENDERS) == 0) return;
  atomic.add<i32>(block, 1, ROOM);
  host.futexWake(block + ROOM, 0x7fffffff);
}
