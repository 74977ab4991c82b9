// Strands: what the loci that share a thread have in common. The main thread is one, each pinned locus has one, each pool has one (with `async_io` several threads
// take turns on it). A strand's block lies in shared memory; 0 stands for the main thread's.
//
// Other threads leave messages in a strand's inbox, a list of blocks: i32 next, and at 16 a cell as in the ring of `bus.ts`.
import * as host from "./host";
import { allocateUncounted, freeUncounted } from "./memory";
import { lock, unlock } from "./lock";
import { manyThreads } from "./thread";

const LOCK: usize = 0;
const FIRST: usize = 4;
const LAST: usize = 8;
/** Messages in the inbox. */
const COUNT: usize = 12;
/** Changes whenever something may interest a waiting owner (a futex). */
const WAKE: usize = 16;
/** Changes whenever the inbox is emptied: for senders that wait for room. */
const ROOM: usize = 20;
export const KIND: usize = 24;
/** It is to end when nothing waits. */
export const STOP: usize = 28;
/** Its last thread has ended. */
export const OVER: usize = 32;
/** Of a pinned locus: the instance, and the number of its replica. */
export const INSTANCE: usize = 36;
export const REPLICA: usize = 40;
/** The strand that was started before, or 0. */
export const EARLIER: usize = 44;
/** Subscriptions that are live. */
const REGISTRATIONS: usize = 48;
/** Messages for instances that are not ready, a list like the inbox. */
const HELD_FIRST: usize = 52;
const HELD_LAST: usize = 56;
/** Of an `async_io` pool: the lock that the running job holds, jobs that are neither parked nor over, threads, threads that wait for a job. */
export const TURN: usize = 60;
export const ACTIVE: usize = 64;
export const THREADS: usize = 68;
export const IDLE: usize = 72;
/** Parked jobs are not resumed any more. */
export const CLOSED: usize = 76;
/** The block that the new thread builds its locus from. */
export const PLAN: usize = 80;
/** Threads of an `async_io` pool that have been started and are not there yet. */
export const STARTING: usize = 84;
const SIZE: usize = 88;

export const MAIN: i32 = 0;
export const CLASSIC: i32 = 1;
export const ASYNC: i32 = 2;
export const PINNED: i32 = 3;

/** A sender to another thread waits while this many messages are there. */
const MOST_MESSAGES: i32 = 8192;

const mainStrand: usize = memory.data(88, 8);

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

export function lockStrand(target: usize): void {
  lock(blockOf(target) + LOCK);
}

export function unlockStrand(target: usize): void {
  unlock(blockOf(target) + LOCK);
}

/** A message for another strand; its cell has `total` bytes. */
export function newMessage(total: usize): usize {
  return allocateUncounted(16 + total);
}

// @ts-ignore: decorator
@inline
export function cellOf(message: usize): usize {
  return message + 16;
}

/** With the strand locked: puts a message last into its inbox. */
export function appendMessage(target: usize, message: usize): void {
  const block = blockOf(target);
  const last = load<usize>(block, LAST);
  if (last == 0) store<usize>(block, message, FIRST);
  else store<usize>(last, message);
  store<usize>(block, message, LAST);
  atomic.store<i32>(block, load<i32>(block, COUNT) + 1, COUNT);
}

/** With the strand locked: keeps a message for an instance that is not ready. */
export function appendHeld(target: usize, message: usize): void {
  const block = blockOf(target);
  const last = load<usize>(block, HELD_LAST);
  if (last == 0) store<usize>(block, message, HELD_FIRST);
  else store<usize>(last, message);
  store<usize>(block, message, HELD_LAST);
}

/** Leaves a message for a strand, waking who waits there. */
export function post(target: usize, message: usize): void {
  lockStrand(target);
  appendMessage(target, message);
  unlockStrand(target);
  wake(target);
}

/** Tells a strand that something has happened. */
export function wake(target: usize): void {
  if (!manyThreads()) return;
  const word = blockOf(target) + WAKE;
  atomic.add<i32>(word, 1);
  host.futexWake(word, 0x7fffffff);
}

/** The state of a strand's wake word: taken before looking for work, given to `waitAt` when there was none. */
export function wakeWord(target: usize): i32 {
  return atomic.load<i32>(blockOf(target), WAKE);
}

/** Waits until the strand is woken, at most `nanoseconds` (negative: without limit). */
export function waitAt(target: usize, word: i32, nanoseconds: i64): void {
  host.futexWait(blockOf(target) + WAKE, word, nanoseconds);
}

export function messagesOf(target: usize): i32 {
  return atomic.load<i32>(blockOf(target), COUNT);
}

/** Whether senders from other threads must wait. The main thread's inbox grows. */
export function isFullInbox(target: usize): bool {
  return target != 0 && atomic.load<i32>(target, COUNT) >= MOST_MESSAGES && !atomic.load<i32>(target, STOP);
}

export function waitForRoom(target: usize): void {
  const word = atomic.load<i32>(target, ROOM);
  if (isFullInbox(target)) host.futexWait(target + ROOM, word, 100_000_000);
}

/** Takes all messages, in order: the first of the list, or 0. */
export function takeAll(target: usize): usize {
  const block = blockOf(target);
  if (atomic.load<i32>(block, COUNT) == 0) return 0;
  lockStrand(target);
  const first = load<usize>(block, FIRST);
  store<usize>(block, 0, FIRST);
  store<usize>(block, 0, LAST);
  atomic.store<i32>(block, 0, COUNT);
  unlockStrand(target);
  announceRoom(block);
  return first;
}

/** With the strand locked: takes the oldest message, or 0. */
export function takeOne(target: usize): usize {
  const first = load<usize>(target, FIRST);
  if (first == 0) return 0;
  const next = load<usize>(first);
  store<usize>(target, next, FIRST);
  if (next == 0) store<usize>(target, 0, LAST);
  atomic.store<i32>(target, load<i32>(target, COUNT) - 1, COUNT);
  announceRoom(target);
  return first;
}

function announceRoom(block: usize): void {
  atomic.add<i32>(block, 1, ROOM);
  host.futexWake(block + ROOM, 0x7fffffff);
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

/** With the strand locked: the first message in its inbox. */
export function firstMessage(target: usize): usize {
  return load<usize>(blockOf(target), FIRST);
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
