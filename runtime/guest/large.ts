// Cells above the size classes: blocks with boundary tags, kept in bins by the power of two below their size, merged with their free
// neighbours (Knuth, The Art of Computer Programming 1, 2.5, algorithm C; bins as in Lea's malloc). One store for all threads.
//
// A block: u32 size in bytes | IN_USE, u32 size of the block before it in its region (0: the first), then the cell's 8 bytes of header, then
// the cell. A free block links its bin through the cell header's two words. A region starts with a link to the one before it and ends with a block
// of size 0 in use.
import { lock, unlock } from "./lock";
import { panic_memory } from "./panic";
import { reserve, reserveAt } from "./store";

const TAGS: usize = 16;
const IN_USE: u32 = 1;
const GRANULE: usize = 1024;
/** The least size of a block; what is left of a split is at least that, or stays with the block. */
const LEAST: usize = 32768;
const LEAST_BIN: usize = 15;
/** No cell can be larger: the sizes below are sums with it. */
const LARGEST: usize = 0xfff00000;
/** Blocks of a bin that are tried before a larger bin is taken. */
const TRIES: i32 = 32;

const largeLock: usize = memory.data(4, 4);
const bins: usize = memory.data(4 * 17, 4);
/** Address behind the youngest region's last block, where its end mark stands; 0 without a region. */
const regionEnd: usize = memory.data(4, 4);

/** The youngest region. */
const regions: usize = memory.data(4, 4);

/** Set by `takeLarge`: whether the bytes of the cell are known to be zero. Per thread, like every global. */
export let largeIsZero: bool = false;

/** A block whose cell has at least `size` bytes; the address of the cell, its header not filled in. */
export function takeLarge(size: usize): usize {
  if (size > LARGEST) panic_memory();
  const need = max((size + TAGS + GRANULE - 1) & ~(GRANULE - 1), LEAST);
  lock(largeLock);
  largeIsZero = false;
  let block = takeFree(need);
  if (block == 0) block = takeFresh(need);
  store<u32>(block, (blockSize(block) as u32) | IN_USE);
  unlock(largeLock);
  return block + TAGS;
}

export function giveLarge(cell: usize): void {
  lock(largeLock);
  let block = cell - TAGS;
  let size = blockSize(block);
  const next = block + size;
  if (!inUse(next)) {
    unlink(next);
    size += blockSize(next);
  }
  const before = load<u32>(block, 4) as usize;
  if (before != 0 && !inUse(block - before)) {
    block -= before;
    unlink(block);
    size += before;
  }
  setFree(block, size);
  unlock(largeLock);
}

/** Bytes that fit into a large cell. */
export function largeCapacity(cell: usize): usize {
  return blockSize(cell - TAGS) - TAGS;
}

function takeFree(need: usize): usize {
  let bin = binOf(need);
  let tries = TRIES;
  for (let block = load<usize>(bin); block != 0 && tries > 0; block = load<usize>(block, 8)) {
    if (blockSize(block) >= need) return split(block, need);
    tries--;
  }
  for (bin += 4; bin < bins + 4 * 17; bin += 4) {
    const block = load<usize>(bin);
    if (block != 0) return split(block, need);
  }
  return 0;
}

/** Unlinks a free block and gives back what it has too much. */
function split(block: usize, need: usize): usize {
  unlink(block);
  const size = blockSize(block);
  if (size - need >= LEAST) {
    store<u32>(block, need);
    setFree(block + need, size - need);
    store<u32>(block + need, need, 4);
  }
  return block;
}

/** Memory behind the youngest region, whose last block is used too when it is free; a region of its own when others took that address. */
function takeFresh(need: usize): usize {
  const end = load<usize>(regionEnd);
  if (end != 0) {
    const lastSize = load<u32>(end, 4) as usize;
    const last = end - lastSize;
    const lastIsFree = lastSize != 0 && !inUse(last);
    if (lastIsFree && lastSize >= need) return split(last, need);
    const missing = lastIsFree ? need - lastSize : need;
    if (reserveAt(end + TAGS, missing)) {
      if (lastIsFree) unlink(last);
      else largeIsZero = true;
      const block = lastIsFree ? last : end;
      store<u32>(block, need);
      markEnd(block + need, need);
      if (largeIsZero) store<u64>(block, 0, 8);
      return block;
    }
  }
  const region = reserve(need + 2 * TAGS);
  store<usize>(region, load<usize>(regions));
  store<usize>(regions, region);
  const block = region + TAGS;
  store<u32>(block, need);
  store<u32>(block, 0, 4);
  markEnd(block + need, need);
  largeIsZero = true;
  return block;
}

function markEnd(end: usize, before: usize): void {
  store<u32>(end, IN_USE);
  store<u32>(end, before, 4);
  store<usize>(regionEnd, end);
}

function setFree(block: usize, size: usize): void {
  store<u32>(block, size);
  store<u32>(block + size, size, 4);
  const bin = binOf(size);
  const first = load<usize>(bin);
  store<usize>(block, first, 8);
  store<usize>(block, 0, 12);
  if (first != 0) store<usize>(first, block, 12);
  store<usize>(bin, block);
}

function unlink(block: usize): void {
  const next = load<usize>(block, 8);
  const previous = load<usize>(block, 12);
  if (next != 0) store<usize>(next, previous, 12);
  if (previous != 0) store<usize>(previous, next, 8);
  else store<usize>(binOf(blockSize(block)), next);
}

function binOf(size: usize): usize {
  return bins + (((31 - clz<u32>(size as u32)) - LEAST_BIN) << 2);
}

// @ts-ignore: decorator
@inline
function blockSize(block: usize): usize {
  return load<u32>(block) & ~IN_USE;
}

// @ts-ignore: decorator
@inline
function inUse(block: usize): bool {
  return (load<u32>(block) & IN_USE) != 0;
}

/** The region before `region`, the youngest one for 0; 0 behind the oldest. */
export function regionBefore(region: usize): usize {
  return load<usize>(region == 0 ? regions : region);
}

/** The large cell in use behind `cell`, the region's first one for 0; 0 when there is none. */
export function nextLarge(region: usize, cell: usize): usize {
  let block = cell == 0 ? region + TAGS : cell - TAGS + blockSize(cell - TAGS);
  while (blockSize(block) != 0 && !inUse(block)) block += blockSize(block);
  return blockSize(block) == 0 ? 0 : block + TAGS;
}
