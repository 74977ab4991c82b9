// Strands: what the loci that share a thread have in common. The main thread is one, each pinned locus has one, each pool has one (with `async_io` several threads
// take turns on it). A strand's block lies in shared memory; 0 stands for the main thread's.
//
// Other threads leave cells, laid out as in the ring of `queue.ts`, in a strand's inbox: a piece of memory that grows, guarded by the strand's lock. The owner takes
// all of it at once and leaves an empty piece in its place. docs/threads.md says why nothing is lost and nobody sleeps too long.
import { pause } from "./backoff";
import { heavyFence, lightFence } from "./fences";
import * as host from "./host";
import { allocateUncounted, freeUncounted } from "./memory";
import { announceRoom } from "./room";
import { manyThreads } from "./thread";

// What senders write and read, side by side.
const LOCK: usize = 0;
/** The inbox: its memory, how many bytes that has, and where in it the first cell begins and the last one ends. */
const INBOX: usize = 4;
const INBOX_SIZE: usize = 8;
const INBOX_HEAD: usize = 12;
const INBOX_TAIL: usize = 16;
/** Cells in the inbox. */
export const COUNT: usize = 20;
/** It delivers nothing any more: what is sent to a pool's instances from now on, the main thread delivers. Set with the strand locked and its inbox empty. */
export const OVER: usize = 24;
/** Changes whenever something may interest a waiting owner (a futex), and whether somebody may sleep there: who wakes takes that mark away. */
const WAKE: usize = 28;
const SLEEPING: usize = 32;
/** The same for those who wait for the lock. */
const LOCK_WAKE: usize = 36;
const LOCK_SLEEPING: usize = 40;
/** The strand that its thread waits for, taking nothing out of its inbox meanwhile (`room.ts`). */
export const WAITS_FOR: usize = 44;
export const KIND: usize = 48;
/** It is to end when nothing waits. */
export const STOP: usize = 52;
/** Of a pinned locus: the instance, and the number of its replica. */
export const INSTANCE: usize = 56;
export const REPLICA: usize = 60;
/** The strand that was started before, or 0. */
export const EARLIER: usize = 64;
/** Subscriptions that are live. */
const REGISTRATIONS: usize = 68;
/** Messages for instances that are not ready: a list of blocks, i32 next, and at 16 a cell. */
const HELD_FIRST: usize = 72;
const HELD_LAST: usize = 76;
/** Of an `async_io` pool: the lock that the running job holds, jobs that are neither parked nor over, threads, threads that wait for a job. */
export const TURN: usize = 80;
export const ACTIVE: usize = 84;
export const THREADS: usize = 88;
export const IDLE: usize = 92;
/** Parked jobs are not resumed any more. */
export const CLOSED: usize = 96;
/** The block that the new thread builds its locus from. */
export const PLAN: usize = 100;
/** Threads of an `async_io` pool that have been started and are not there yet. */
export const STARTING: usize = 104;
/** Its thread has done its last act. */
export const GONE: usize = 108;
/** Of an `async_io` pool: jobs that are parked. */
export const PARKED_JOBS: usize = 112;
/** What a recording knows of it (`consumers.ts`). */
export const CONSUMER: usize = 116;
// A line of the cache away from what senders write: what the owner does.
/** The owner's empty piece for the next time it takes the inbox. */
const SPARE: usize = 152;
const SPARE_SIZE: usize = 156;
/** Written by the owner, read by senders: cells that it has taken and not yet begun. */
export const TAKEN: usize = 160;
/** Changes whenever a cell is begun while senders wait for room (a futex), and how many wait there. */
export const ROOM: usize = 164;
export const SENDERS: usize = 168;
const SIZE: usize = 176;

/** The lock. */
const FREE: i32 = 0;
const LOCKED: i32 = 1;
/** Who finds the lock taken is busy with itself for so many rounds before it looks again, twice as many each time, up to the second number; then others may have the core, so often. */
const FIRST_PAUSE: i32 = 1000;
const LAST_PAUSE: i32 = 8000;
const LOCK_YIELDS: i32 = 16;

export const MAIN: i32 = 0;
export const CLASSIC: i32 = 1;
export const ASYNC: i32 = 2;
export const PINNED: i32 = 3;

/** An owner with nothing to do looks this often, with so many rounds of something else in between, before it sleeps. */
const LOOKS: i32 = 8;
const LOOK_PAUSE: i32 = 100;
/** And how often it does so, letting others have the core in between, unless its time is short. */
const YIELDS: i32 = 16;
/** Bytes of an inbox at first. */
const FIRST_INBOX: usize = 2048;

const mainStrand: usize = memory.data(176, 8);

/** The strand of the running thread, and its kind. */
let current: usize = 0;
let currentKind: i32 = 0;

// @ts-ignore: decorator
@inline
export function strand(): usize {
  return current;
}

// @ts-ignore: decorator
@inline
export function strandKind(): i32 {
  return currentKind;
}

export function enterStrand(target: usize): void {
  current = target;
  currentKind = load<i32>(target, KIND);
}

export function newStrand(kind: i32): usize {
  const fresh = allocateUncounted(SIZE);
  store<i32>(fresh, kind, KIND);
  return fresh;
}

// @ts-ignore: decorator
@inline
function blockOf(target: usize): usize {
  return target == 0 ? mainStrand : target;
}

/** The block of a strand, the main thread's too. */
export function strandBlock(target: usize): usize {
  return blockOf(target);
}

/** Takes the strand's lock. Not reentrant. */
export function lockStrand(target: usize): void {
  if (!manyThreads()) return;
  const block = blockOf(target);
  if (atomic.cmpxchg<i32>(block, FREE, LOCKED, LOCK) != FREE) lockContended(block);
}

/**
 * A lock is held for some dozen instructions, and whoever has just given it back is the one that has its line of the cache: while others keep away, it sends a row of messages at
 * the cost of one, and two that take turns at each message would pay that line every time. So the waits are long against the time that the lock is held.
 */
function lockContended(block: usize): void {
  let yields = 0;
  for (let rounds = FIRST_PAUSE; yields < LOCK_YIELDS; ) {
    pause(rounds);
    if (atomic.load<i32>(block, LOCK) == FREE && atomic.cmpxchg<i32>(block, FREE, LOCKED, LOCK) == FREE) return;
    if (rounds < LAST_PAUSE) {
      rounds <<= 1;
    } else {
      host.yieldThread();
      yields++;
    }
  }
  sleepForLock(block);
}

function sleepForLock(block: usize): void {
  for (;;) {
    const word = atomic.load<i32>(block, LOCK_WAKE);
    atomic.store<i32>(block, 1, LOCK_SLEEPING);
    heavyFence();
    if (atomic.cmpxchg<i32>(block, FREE, LOCKED, LOCK) == FREE) return;
    host.futexWait(block + LOCK_WAKE, word, -1);
  }
}

/** A plain store gives it back: x86 moves none before what was written under the lock. Everywhere else the fence goes before it, too. */
export function unlockStrand(target: usize): void {
  if (!manyThreads()) return;
  const block = blockOf(target);
  lightFence();
  store<i32>(block, FREE, LOCK);
  lightFence();
  if (atomic.load<i32>(block, LOCK_SLEEPING) != 0) wakeForLock(block);
}

/** Whoever takes the mark away wakes all, and only after that (docs/threads.md). */
function wakeForLock(block: usize): void {
  if (atomic.xchg<i32>(block, 0, LOCK_SLEEPING) == 0) return;
  atomic.add<i32>(block, 1, LOCK_WAKE);
  host.futexWake(block + LOCK_WAKE, 0x7fffffff);
}

/** With the strand locked: room for a cell of `total` bytes behind the last one in its inbox. The count need not be stored atomically: the unlocking follows. */
export function inboxCell(target: usize, total: usize): usize {
  const block = blockOf(target);
  const tail = load<usize>(block, INBOX_TAIL);
  if (tail + total > load<usize>(block, INBOX_SIZE)) return widened(block, total);
  store<usize>(block, tail + total, INBOX_TAIL);
  store<i32>(block, load<i32>(block, COUNT) + 1, COUNT);
  return load<usize>(block, INBOX) + tail;
}

/** The same when there is no room at the end: what lies there moves to the start, of a larger piece when it fills half of this one. */
function widened(block: usize, total: usize): usize {
  const old = load<usize>(block, INBOX);
  const head = load<usize>(block, INBOX_HEAD);
  const used = load<usize>(block, INBOX_TAIL) - head;
  let size = load<usize>(block, INBOX_SIZE);
  if ((used + total) << 1 > size) {
    size = max<usize>(size << 1, FIRST_INBOX);
    while (size < (used + total) << 1) size <<= 1;
    const fresh = allocateUncounted(size);
    memory.copy(fresh, old + head, used);
    if (old != 0) freeUncounted(old);
    store<usize>(block, fresh, INBOX);
    store<usize>(block, size, INBOX_SIZE);
  } else {
    memory.copy(old, old + head, used);
  }
  store<usize>(block, 0, INBOX_HEAD);
  store<usize>(block, used + total, INBOX_TAIL);
  store<i32>(block, load<i32>(block, COUNT) + 1, COUNT);
  return load<usize>(block, INBOX) + used;
}

/** A block for a message that is held; its cell has `total` bytes. */
export function newMessage(total: usize): usize {
  return allocateUncounted(16 + total);
}

// @ts-ignore: decorator
@inline
export function cellOf(message: usize): usize {
  return message + 16;
}

/** With the strand locked: keeps a message for an instance that is not ready. */
export function appendHeld(target: usize, message: usize): void {
  const block = blockOf(target);
  const last = load<usize>(block, HELD_LAST);
  if (last == 0) store<usize>(block, message, HELD_FIRST);
  else store<usize>(last, message);
  store<usize>(block, message, HELD_LAST);
}

/** Whether what is meant for it is left with the main thread. Sure with the strand locked. */
// @ts-ignore: decorator
@inline
export function isOver(target: usize): bool {
  return target != 0 && load<i32>(target, OVER) != 0;
}

/** The strand that delivers what is sent to instances of `home`: itself, unless it is over. */
// @ts-ignore: decorator
@inline
export function delivererOf(home: usize): usize {
  return isOver(home) ? 0 : home;
}

/** With the strand locked and its inbox empty: it delivers nothing any more. False when there is something in the inbox. */
export function closeInbox(target: usize): bool {
  lockStrand(target);
  const isEmpty = load<i32>(target, COUNT) == 0;
  if (isEmpty) atomic.store<i32>(target, 1, OVER);
  unlockStrand(target);
  return isEmpty;
}

/** Tells a strand that something has happened. */
export function wake(target: usize): void {
  if (!manyThreads()) return;
  const block = blockOf(target);
  atomic.add<i32>(block, 1, WAKE);
  host.futexWake(block + WAKE, 0x7fffffff);
}

/** Table index of a body (pool) that sees to it that a thread takes what was left for the pool; 0 without `async_io` pools. Shared by all threads. */
const threadHook: usize = memory.data(4, 4);

export function setThreadHook(body: u32): void {
  store<u32>(threadHook, body);
}

/** Tells it that a cell was left in its inbox: it sees that itself unless it sleeps. Whoever takes the mark away wakes, and only after that (docs/threads.md). */
// @ts-ignore: decorator
@inline
export function wakeForCell(target: usize): void {
  if (atomic.load<i32>(blockOf(target), SLEEPING) != 0) wakeSleeper(target);
  if (target != 0 && load<u32>(threadHook) != 0) call_indirect<void>(load<u32>(threadHook), target);
}

function wakeSleeper(target: usize): void {
  if (atomic.xchg<i32>(blockOf(target), 0, SLEEPING) != 0) wake(target);
}

/** The state of a strand's wake word: taken before looking for work, given to `waitAt` when there was none. */
export function wakeWord(target: usize): i32 {
  return atomic.load<i32>(blockOf(target), WAKE);
}

/** Waits until the strand is woken, at most `nanoseconds` (negative: without limit). What lies in the inbox does not keep it awake. */
export function waitAt(target: usize, word: i32, nanoseconds: i64): void {
  const block = blockOf(target);
  atomic.store<i32>(block, 1, SLEEPING);
  host.futexWait(block + WAKE, word, nanoseconds);
}

/**
 * The same for one that serves its inbox: it does not sleep while there is something in it, and looks some times more before it does. Between later looks other threads may have
 * the core: a sender that shares it fills the inbox meanwhile and need not wake for every message.
 */
export function waitForCells(target: usize, word: i32, nanoseconds: i64): void {
  for (let i = 0; i < YIELDS; i++) {
    if (hasNews(target, word)) return;
    host.yieldThread();
  }
  sleepForCells(target, word, nanoseconds);
}

/** The same when the time is what matters. */
export function sleepForCells(target: usize, word: i32, nanoseconds: i64): void {
  if (hasNews(target, word)) return;
  const block = blockOf(target);
  atomic.store<i32>(block, 1, SLEEPING);
  heavyFence();
  if (atomic.load<i32>(block, COUNT) == 0) host.futexWait(block + WAKE, word, nanoseconds);
}

function hasNews(target: usize, word: i32): bool {
  const block = blockOf(target);
  for (let i = 0; i < LOOKS; i++) {
    if (atomic.load<i32>(block, COUNT) != 0 || atomic.load<i32>(block, WAKE) != word) return true;
    pause(LOOK_PAUSE);
  }
  return false;
}

/** Cells in the inbox. */
export function messagesOf(target: usize): i32 {
  return atomic.load<i32>(blockOf(target), COUNT);
}

/** Told by `takeAll`: how many cells it took, and where they end. */
export let takenCells: i32 = 0;
export let takenEnd: usize = 0;

/** The owner takes all cells, one behind the other: the address of the first, or 0. `pending`: cells that it took before. They hold until it takes the next ones. */
export function takeAll(target: usize, pending: i32): usize {
  const block = blockOf(target);
  if (atomic.load<i32>(block, COUNT) == 0) return 0;
  lockStrand(target);
  const inbox = load<usize>(block, INBOX);
  const size = load<usize>(block, INBOX_SIZE);
  const first = inbox + load<usize>(block, INBOX_HEAD);
  takenEnd = inbox + load<usize>(block, INBOX_TAIL);
  takenCells = load<i32>(block, COUNT);
  store<usize>(block, load<usize>(block, SPARE), INBOX);
  store<usize>(block, load<usize>(block, SPARE_SIZE), INBOX_SIZE);
  store<usize>(block, 0, INBOX_HEAD);
  store<usize>(block, 0, INBOX_TAIL);
  if (target != 0) atomic.store<i32>(block, pending + takenCells, TAKEN);
  atomic.store<i32>(block, 0, COUNT);
  unlockStrand(target);
  store<usize>(block, inbox, SPARE);
  store<usize>(block, size, SPARE_SIZE);
  if (target == 0) announceRoom(block);
  return first;
}

/** With the strand locked: takes the oldest cell, in a block of its own as those that are held; or 0. */
export function takeOne(target: usize): usize {
  if (load<i32>(target, COUNT) == 0) return 0;
  const head = load<usize>(target, INBOX_HEAD);
  const cell = load<usize>(target, INBOX) + head;
  const total = load<usize>(cell);
  const message = newMessage(total);
  memory.copy(cellOf(message), cell, total);
  const rest = load<i32>(target, COUNT) - 1;
  store<usize>(target, rest == 0 ? 0 : head + total, INBOX_HEAD);
  if (rest == 0) store<usize>(target, 0, INBOX_TAIL);
  atomic.store<i32>(target, rest, COUNT);
  announceRoom(target);
  return message;
}

/** With the strand locked: takes that cell, as `takeOne` takes the oldest. */
export function takeThat(target: usize, cell: usize): usize {
  const total = load<usize>(cell);
  const message = newMessage(total);
  memory.copy(cellOf(message), cell, total);
  memory.copy(cell, cell + total, inboxEnd(target) - cell - total);
  store<usize>(target, load<usize>(target, INBOX_TAIL) - total, INBOX_TAIL);
  atomic.store<i32>(target, load<i32>(target, COUNT) - 1, COUNT);
  announceRoom(target);
  return message;
}

/** The strand has no thread any more: its inbox is given back. */
export function giveInboxBack(target: usize): void {
  lockStrand(target);
  if (load<usize>(target, INBOX) != 0) freeUncounted(load<usize>(target, INBOX));
  if (load<usize>(target, SPARE) != 0) freeUncounted(load<usize>(target, SPARE));
  memory.fill(target + INBOX, 0, COUNT + 4 - INBOX);
  memory.fill(target + SPARE, 0, 8);
  unlockStrand(target);
}

/** With the strand locked: the first message held for instances that are not ready. */
export function firstHeld(target: usize): usize {
  return load<usize>(blockOf(target), HELD_FIRST);
}

/** With the strand locked: takes a held message out of the list. */
export function unlinkHeld(target: usize, message: usize, previous: usize): void {
  const block = blockOf(target);
  const next = load<usize>(message);
  if (previous == 0) store<usize>(block, next, HELD_FIRST);
  else store<usize>(previous, next);
  if (next == 0) store<usize>(block, previous, HELD_LAST);
}

/** With the strand locked: the first cell in its inbox, and where the last one ends. */
export function inboxStart(target: usize): usize {
  return load<usize>(blockOf(target), INBOX) + load<usize>(blockOf(target), INBOX_HEAD);
}

export function inboxEnd(target: usize): usize {
  return load<usize>(blockOf(target), INBOX) + load<usize>(blockOf(target), INBOX_TAIL);
}

export function freeMessage(message: usize): void {
  freeUncounted(message);
}

export function countRegistration(target: usize, change: i32): void {
  if (target != 0) store<i32>(target, load<i32>(target, REGISTRATIONS) + change, REGISTRATIONS);
}

export function hasRegistrations(target: usize): bool {
  return load<i32>(target, REGISTRATIONS) != 0;
}
