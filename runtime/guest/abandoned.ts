// What jobs hold that were abandoned while they were parked on an `async_io` pool (reference 05b 5b.14): the rest of such a job never runs, so what it holds is never
// given back, and that is no leak. Used by the leak report only.
//
// Locals live where no walk can see them. So what counts as the job's: the cells on the heap of the thread it was parked on (what it made itself), and whatever can be
// reached from there, from its message, from the loci its frames own and from its frames in memory. Every aligned word that is the address of a cell counts as a reference.
import { RECEIVER } from "./channel";
import { nextLarge, regionBefore } from "./large";
import { FREE, UNCOUNTED, capacityOf, chunkBefore, firstCell, heap_start, nextCell } from "./memory";
import { CELL_STATE, JOB } from "./queue";
import { cellOf } from "./strand";
import { FIRST_BLOCK, FRAMES, ID, NEXT, PARKED, PARKED_FRAMES_END, PARKED_JOB, PARKED_OWNED, PARKED_OWNED_END } from "./thread";

/** Marks in a cell's count, which nobody needs any more when these are set: reached; what it refers to is reached too. */
const REACHED: i32 = 1 << 30;
const FOLLOWED: i32 = 1 << 29;

let reached: i32 = 0;

/** How many counted cells belong to abandoned jobs; they are marked. Free cells must have their mark. The process ends after this. */
export function markAbandoned(): i32 {
  reached = 0;
  let isAny = false;
  for (let block = FIRST_BLOCK; block != 0; block = load<usize>(block, NEXT)) {
    if (!atomic.load<i32>(block, PARKED)) continue;
    isAny = true;
    markHeapOf(load<u32>(block, ID));
    markJob(load<usize>(block, PARKED_JOB));
    markWords(load<usize>(block, PARKED_OWNED), load<usize>(block, PARKED_OWNED_END));
    markWords(load<usize>(block, FRAMES), load<usize>(block, PARKED_FRAMES_END));
  }
  if (isAny) while (followAll()) {}
  return reached;
}

export function isAbandoned(cell: usize): bool {
  return (load<i32>(cell - 8) & REACHED) != 0;
}

/** The message, and the instance whose handler it runs, to whose middle it points. */
function markJob(message: usize): void {
  mark(message);
  const state = load<usize>(cellOf(message), CELL_STATE);
  if (state > JOB) mark(load<usize>(state, RECEIVER));
}

/** Every cell that a thread has allocated and that is in use. */
function markHeapOf(id: u32): void {
  for (let cell = cellBehind(0); cell != 0; cell = cellBehind(cell)) if (load<u32>(cell - 4) >> 8 == id) mark(cell);
}

function markWords(from: usize, to: usize): void {
  for (let at = (from + 3) & ~3; at + 4 <= to; at += 4) {
    // Entries of the owned stack carry two marks of their own.
    const word = load<usize>(at) & ~3;
    if (word >= heap_start && (word & 7) == 0 && isCell(word)) mark(word);
  }
}

function mark(cell: usize): void {
  if (cell < heap_start || (load<u32>(cell - 4) & FREE) != 0 || isAbandoned(cell)) return;
  store<i32>(cell - 8, load<i32>(cell - 8) | REACHED);
  if (!(load<u32>(cell - 4) & UNCOUNTED)) reached++;
}

/** Marks what the marked cells refer to; false when there was nothing new. */
function followAll(): bool {
  let isNew = false;
  for (let cell = cellBehind(0); cell != 0; cell = cellBehind(cell)) {
    const count = load<i32>(cell - 8);
    if ((load<u32>(cell - 4) & FREE) != 0 || (count & (REACHED | FOLLOWED)) != REACHED) continue;
    store<i32>(cell - 8, count | FOLLOWED);
    markWords(cell, cell + capacityOf(cell));
    isNew = true;
  }
  return isNew;
}

// -- all cells, free ones too

let walkedBlock: usize = 0;
let walkedChunk: usize = 0;
let walkedRegion: usize = 0;

/** The cell behind `cell` in the walk over the whole heap, the first one for 0; 0 behind the last. One walk at a time. */
function cellBehind(cell: usize): usize {
  if (cell == 0) {
    walkedBlock = FIRST_BLOCK;
    walkedChunk = chunkBefore(walkedBlock, 0);
    walkedRegion = regionBefore(0);
    return firstOfChunks();
  }
  if (walkedBlock != 0) {
    const next = nextCell(walkedBlock, walkedChunk, cell);
    if (next != 0) return next;
    walkedChunk = chunkBefore(walkedBlock, walkedChunk);
    return firstOfChunks();
  }
  const next = nextLarge(walkedRegion, cell);
  if (next != 0) return next;
  walkedRegion = regionBefore(walkedRegion);
  return firstOfRegions();
}

function firstOfChunks(): usize {
  while (walkedBlock != 0 && walkedChunk == 0) {
    walkedBlock = load<usize>(walkedBlock, NEXT);
    if (walkedBlock != 0) walkedChunk = chunkBefore(walkedBlock, 0);
  }
  return walkedBlock != 0 ? firstCell(walkedChunk) : firstOfRegions();
}

function firstOfRegions(): usize {
  while (walkedRegion != 0) {
    const cell = nextLarge(walkedRegion, 0);
    if (cell != 0) return cell;
    walkedRegion = regionBefore(walkedRegion);
  }
  return 0;
}

const CHUNK: usize = 65536;

/** Whether a cell lies at that address. */
function isCell(address: usize): bool {
  for (let block = FIRST_BLOCK; block != 0; block = load<usize>(block, NEXT)) {
    for (let chunk = chunkBefore(block, 0); chunk != 0; chunk = chunkBefore(block, chunk)) {
      if (address <= chunk || address >= chunk + CHUNK) continue;
      let cell = firstCell(chunk);
      while (cell != 0 && cell < address) cell = nextCell(block, chunk, cell);
      return cell == address;
    }
  }
  for (let region = regionBefore(0); region != 0; region = regionBefore(region)) {
    let cell = nextLarge(region, 0);
    while (cell != 0 && cell < address) cell = nextLarge(region, cell);
    if (cell == address) return true;
  }
  return false;
}
