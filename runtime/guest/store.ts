// Fresh memory for the whole process: everything from `heap_start` upwards, handed out once and never taken back.
import { lock, unlock } from "./lock";
import { panic_memory } from "./panic";

/** The first address behind all static data; the compiler sets it. */
export let heap_start: usize = 0;

const PAGE_BITS: usize = 16;
/** Memory grows by at least this many pages: growing costs a system call and, in Node, a new view for the launcher. */
const GROWTH_PAGES: usize = 16;

const storeLock: usize = memory.data(4, 4);
/** The first address not handed out yet; 0 before the first call. */
const top: usize = memory.data(4, 4);

/** `size` bytes of zeroed memory, aligned to 16, for good. Ends the process when there is no more. */
export function reserve(size: usize): usize {
  lock(storeLock);
  const start = storeTop();
  const end = start + ((size + 15) & ~15);
  if (end < start || !growTo(end)) {
    unlock(storeLock);
    panic_memory();
  }
  store<usize>(top, end);
  unlock(storeLock);
  return start;
}

/** Takes `size` bytes (a multiple of 16) when they would begin at `expected`; false when somebody else has that address. */
export function reserveAt(expected: usize, size: usize): bool {
  lock(storeLock);
  const start = storeTop();
  const end = start + size;
  const possible = start == expected && end >= start && growTo(end);
  if (possible) store<usize>(top, end);
  unlock(storeLock);
  return possible;
}

function storeTop(): usize {
  const start = load<usize>(top);
  return start != 0 ? start : (heap_start + 15) & ~15;
}

function growTo(end: usize): bool {
  const pages = (end + 0xffff) >> PAGE_BITS;
  const present = memory.size() as usize;
  // The last page stays unused, so that no address in use wraps around.
  if (pages >= 65536 || end >> PAGE_BITS >= 65535) return false;
  if (pages <= present) return true;
  const missing = pages - present;
  if (missing < GROWTH_PAGES && memory.grow(GROWTH_PAGES as i32) != -1) return true;
  return memory.grow(missing as i32) != -1;
}
