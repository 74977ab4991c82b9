// What each thread has of its own, in one block of memory. Offsets in a block:
//
//   0   i32 id (0: the first thread)
//   4   i32 next block in the list of all blocks
//   8   i32 1 while a thread runs on it
//   12  i32 cells freed by other threads, a stack linked through the cells (atomic)
//   16  i64 cells allocated; 24 i64 cells freed
//   32  i32 start and 36 i32 end of the fresh memory that small cells are cut from
//   40  i32 text buffer, 44 i32 its capacity, 48 i32 the bytes in it
//   52  i32 working space of exact number conversions, or 0
//   56  i32 start of the region for frames, or 0
//   60  i32 youngest chunk of small cells, or 0
//   64  result area, 256 bytes
//   320 i32 heads of the free lists, one per size class (64)
//   576 i32 1 while a job of an `async_io` pool is parked on it; then 580 i32 the job's message, 584 i32 start and 588 i32 end of what its frames own, 592 i32 end of
//       its frames in memory
//   596 i32 1 while the thread walks the list of a channel (`channel.ts`)
//   600 i32 stands for a fence (`fences.ts`)
import { setUpFences } from "./fences";
import { lock, unlock } from "./lock";
import { reserve } from "./store";

export const ID: usize = 0;
export const NEXT: usize = 4;
export const RUNNING: usize = 8;
export const REMOTE_FREES: usize = 12;
export const ALLOCATED: usize = 16;
export const FREED: usize = 24;
export const FRESH: usize = 32;
export const FRESH_END: usize = 36;
export const TEXT: usize = 40;
export const TEXT_CAPACITY: usize = 44;
export const TEXT_LENGTH: usize = 48;
export const WORKSPACE: usize = 52;
export const FRAMES: usize = 56;
export const CHUNKS: usize = 60;
const RESULT_AREA: usize = 64;
export const FREE_LISTS: usize = 320;
export const PARKED: usize = 576;
export const PARKED_JOB: usize = 580;
export const PARKED_OWNED: usize = 584;
export const PARKED_OWNED_END: usize = 588;
export const PARKED_FRAMES_END: usize = 592;
export const SENDING: usize = 596;
/** Changed atomically where a fence is meant (`fences.ts`). */
export const FENCE: usize = 600;
const BLOCK_SIZE: i32 = 608;

/** Frames of the first thread that live in memory: 160 bytes each at a recursion of 100,000 calls. Untouched pages cost nothing. */
const FIRST_FRAMES: usize = 16 << 20;
const OTHER_FRAMES: usize = 4 << 20;

/** The first thread's block, at a fixed place below all static data (a constant, so that no start function is needed). */
export const FIRST_BLOCK: usize = 64;
const blocksLock: usize = memory.data(4, 4);
const highestId: usize = memory.data(4, 4);
/** Shared by all threads: a set of the bits below. */
const announced: usize = memory.data(4, 4);

/** `announced` is not empty. Of this thread, like every global: whoever announces something sets its own, and each thread that is started. */
let many: bool = false;

/** The block of the running thread. */
let current: usize = 64;

/** 256 bytes for the payload of a failure, and for the results of runtime functions that have more than one leaf. */
export let result_area: usize = 128;

/** The free part of the region for frames that live in memory; grows upwards. */
export let frame_pointer: usize = 0;
export let frame_limit: usize = 0;

// @ts-ignore: decorator
@inline
export function thread(): usize {
  return current;
}

/** Sets up the first thread. */
export function firstThread(): void {
  setUpFrames(FIRST_FRAMES);
}

/**
 * Makes the calling thread one of the program's: gives it a block, which is that of an ended thread when there is one (with that thread's heap).
 * Every thread but the first calls it before anything else.
 */
export function thread_attach(): void {
  // Before anything else: from here on locks are taken.
  many = true;
  lock(blocksLock);
  let block = load<usize>(FIRST_BLOCK + NEXT);
  while (block != 0 && load<i32>(block + RUNNING) != 0) block = load<usize>(block + NEXT);
  if (block == 0) block = newBlock();
  store<i32>(block + RUNNING, 1);
  unlock(blocksLock);
  current = block;
  result_area = block + RESULT_AREA;
  setUpFrames(OTHER_FRAMES);
}

/** Gives the calling thread's block back; the thread calls nothing of the runtime afterwards. */
export function thread_detach(): void {
  lock(blocksLock);
  store<i32>(current + RUNNING, 0);
  unlock(blocksLock);
}

// Bits of `announced`.
const THREADS: i32 = 1;
const RECORDING: i32 = 2;
const REPLAYING: i32 = 4;

/**
 * Whether a second thread was ever started, or the run is recorded or replayed: until then locks cost nothing and sends take the short way. All that a recording needs
 * stands behind this question, so that it costs a run that is not recorded nothing.
 */
// @ts-ignore: decorator
@inline
export function manyThreads(): bool {
  return many;
}

/** Whether a second thread was ever started. */
// @ts-ignore: decorator
@inline
export function severalThreads(): bool {
  return (load<i32>(announced) & THREADS) != 0;
}

// @ts-ignore: decorator
@inline
export function isRecording(): bool {
  return (load<i32>(announced) & RECORDING) != 0;
}

// @ts-ignore: decorator
@inline
export function isReplaying(): bool {
  return (load<i32>(announced) & REPLAYING) != 0;
}

/** Whether the run is recorded or replayed. */
// @ts-ignore: decorator
@inline
export function isJournaling(): bool {
  return (load<i32>(announced) & (RECORDING | REPLAYING)) != 0;
}

/** Called by the thread that starts another one, before it does. */
export function thread_announce(): void {
  if (!severalThreads()) setUpFences();
  many = true;
  store<i32>(announced, load<i32>(announced) | THREADS);
}

/** Called at the start of the process: the run is recorded, or replayed. */
export function announceJournal(records: bool): void {
  many = true;
  store<i32>(announced, load<i32>(announced) | (records ? RECORDING : REPLAYING));
}

/** Sum of a 64-bit counter over all threads. */
export function sumOverThreads(field: usize): i64 {
  let sum: i64 = 0;
  for (let block = FIRST_BLOCK; block != 0; block = load<usize>(block + NEXT)) sum += load<i64>(block + field);
  return sum;
}

function newBlock(): usize {
  const block = reserve(BLOCK_SIZE);
  const id = load<i32>(highestId) + 1;
  store<i32>(highestId, id);
  store<i32>(block + ID, id);
  store<usize>(block + NEXT, load<usize>(FIRST_BLOCK + NEXT));
  store<usize>(FIRST_BLOCK + NEXT, block);
  return block;
}

/** The block with that id. */
export function blockOf(id: u32): usize {
  let block = FIRST_BLOCK;
  while (load<u32>(block, ID) != id) block = load<usize>(block, NEXT);
  return block;
}

function setUpFrames(size: usize): void {
  if (load<usize>(current, FRAMES) == 0) store<usize>(current, reserve(size), FRAMES);
  frame_pointer = load<usize>(current, FRAMES);
  frame_limit = frame_pointer + size;
}
