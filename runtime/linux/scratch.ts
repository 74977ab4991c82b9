// Pieces of memory for the length of one host call: kept in a list, so that calls of several threads do not share one.
import { reserve } from "../guest/store";
import { EINVAL, ENAMETOOLONG, SCHED_YIELD } from "./numbers";
import { syscall } from "./system";

/** Two paths fit into a piece. */
export const SCRATCH_SIZE: usize = 8192;
const PATH_MAX: i32 = 4096;

const listLock: usize = memory.data(4, 4);
const first: usize = memory.data(4, 4);

/** Held for a few instructions only; the futex calls themselves need scratch memory, so this is no futex. */
function lockList(): void {
  while (atomic.cmpxchg<i32>(listLock, 0, 1) != 0) syscall(SCHED_YIELD, 0, 0, 0, 0, 0, 0);
}

function unlockList(): void {
  atomic.store<i32>(listLock, 0);
}

export function takeScratch(): usize {
  lockList();
  const piece = load<usize>(first);
  if (piece != 0) store<usize>(first, load<usize>(piece));
  unlockList();
  return piece != 0 ? piece : reserve(SCRATCH_SIZE);
}

export function giveScratch(piece: usize): void {
  lockList();
  store<usize>(piece, load<usize>(first));
  store<usize>(first, piece);
  unlockList();
}

/** Copies text with a zero behind it; 0, or an errno for what cannot be a path. */
export function copyPath(to: usize, text: usize, length: i32): i32 {
  if (length >= PATH_MAX) return ENAMETOOLONG;
  for (let i = 0; i < length; i++) {
    const byte = load<u8>(text + i);
    if (byte == 0) return EINVAL;
    store<u8>(to + i, byte);
  }
  store<u8>(to + length, 0);
  return 0;
}

/** The address of the second path in a piece. */
// @ts-ignore: decorator
@inline
export function secondPath(piece: usize): usize {
  return piece + (PATH_MAX as usize);
}
