// Cells: counted pieces of memory. Small ones come from free lists by size class, one set per thread, large ones from `large`.
//
// A cell's header is the 8 bytes before it: i32 reference count, u32 kind: size class (6 bits), two marks, and the id of the thread whose lists it
// belongs to (upper 24 bits). A free small cell links its list through the count. A cell that another thread frees travels back to its owner.
import { giveLarge, largeCapacity, largeIsZero, takeLarge } from "./large";
import { heap_start, reserve } from "./store";
import { ALLOCATED, CHUNKS, FREED, FREE_LISTS, FRESH, FRESH_END, ID, REMOTE_FREES, blockOf, sumOverThreads, thread } from "./thread";

export { heap_start } from "./store";
export { frame_limit, frame_pointer, result_area, thread_announce, thread_attach, thread_detach } from "./thread";

const HEADER: usize = 8;
/** Cells up to this size, header included, have the classes 1 to 32, 16 bytes apart. */
const FINE_LIMIT: usize = 512;
/** Up to this size there are four classes to a doubling: 33 to 56. */
const SMALL_LIMIT: usize = 32768;
const LARGE: u32 = 63;
const CLASS: u32 = 63;
/** Marks in a cell's kind: the runtime's own memory; free (set only by the leak report). */
export const UNCOUNTED: u32 = 64;
export const FREE: u32 = 128;
/** Fresh memory for small cells is reserved in pieces of this size; each starts with a link to the one before it. */
const CHUNK: usize = 65536;
const CHUNK_HEADER: usize = 16;

/** A cell of `size` bytes, all zero, 8-byte aligned, with the count 1. */
export function alloc(size: usize): usize {
  if (size > FINE_LIMIT - HEADER) return allocBig(size, true);
  const block = thread();
  const kind = fineClass(size);
  const list = block + FREE_LISTS + (kind << 2);
  const cell = load<usize>(list);
  if (cell == 0) return allocSlow(block, kind as u32, size, true);
  takeFromList(block, list, cell);
  clearFine(cell, size);
  return cell;
}

/** As `alloc`, but the bytes are whatever was there: for cells that are filled at once. */
export function allocDirty(size: usize): usize {
  if (size > FINE_LIMIT - HEADER) return allocBig(size, false);
  const block = thread();
  const kind = fineClass(size);
  const list = block + FREE_LISTS + (kind << 2);
  const cell = load<usize>(list);
  if (cell == 0) return allocSlow(block, kind as u32, size, false);
  takeFromList(block, list, cell);
  return cell;
}

/** Gives a cell back, whatever its count. */
export function free(cell: usize): void {
  const block = thread();
  const kind = load<u32>(cell - 4);
  store<i64>(block, load<i64>(block, FREED) + 1, FREED);
  if ((kind & CLASS) == LARGE) {
    giveLarge(cell);
  } else if (kind >> 8 == load<u32>(block, ID)) {
    const list = block + FREE_LISTS + ((kind & CLASS) << 2);
    store<usize>(cell - HEADER, load<usize>(list));
    store<usize>(list, cell);
  } else {
    freeRemote(cell, kind >> 8);
  }
}

/** Not 0: two threads have handles of one instance, and with it references to the cells of its fields. Shared by all threads. */
const sharedCounts: usize = memory.data(4, 4);

/** From now on counts are atomic: an instance is handed to another thread. */
export function share_counts(): void {
  atomic.store<i32>(sharedCounts, 1);
}

/** One more reference. Static cells (literals, and the empty String 0) are not counted. */
export function retain(cell: usize): void {
  if (cell < heap_start) return;
  if (load<i32>(sharedCounts) == 0) store<i32>(cell - HEADER, load<i32>(cell - HEADER) + 1);
  else atomic.add<i32>(cell - HEADER, 1);
}

/** One reference less, for cells that hold no references themselves: freed at zero. */
export function release(cell: usize): void {
  if (count_down(cell)) free(cell);
}

/** One reference less; 1 when it was the last one and the caller must drop the contents and `free` the cell. */
export function count_down(cell: usize): i32 {
  if (cell < heap_start) return 0;
  if (load<i32>(sharedCounts) != 0) return i32(atomic.sub<i32>(cell - HEADER, 1) == 1);
  const count = load<i32>(cell - HEADER) - 1;
  store<i32>(cell - HEADER, count);
  return i32(count == 0);
}

/** `retain` for programs that have one thread. */
export function retain_alone(cell: usize): void {
  if (cell >= heap_start) store<i32>(cell - HEADER, load<i32>(cell - HEADER) + 1);
}

/** `release` for programs that have one thread. */
export function release_alone(cell: usize): void {
  if (count_down_alone(cell)) free(cell);
}

/** `count_down` for programs that have one thread. */
export function count_down_alone(cell: usize): i32 {
  if (cell < heap_start) return 0;
  const count = load<i32>(cell - HEADER) - 1;
  store<i32>(cell - HEADER, count);
  return i32(count == 0);
}

/** Whether the cell may be changed in place: on the heap, and nobody else has it. */
// @ts-ignore: decorator
@inline
export function isUnique(cell: usize): bool {
  return cell >= heap_start && load<i32>(cell - HEADER) == 1;
}

/** Whether a cell's content may be replaced: it is no constant. */
export function is_changeable(cell: usize): bool {
  return cell >= heap_start;
}

export function is_unique(cell: usize): bool {
  return isUnique(cell);
}

/** Exchanges the content of two cells, `size` bytes (and what a cell has up to the next multiple of 8). */
export function exchange_cells(a: usize, b: usize, size: usize): void {
  for (let at: usize = 0; at < size; at += 8) {
    const word = load<u64>(a + at);
    store<u64>(a + at, load<u64>(b + at));
    store<u64>(b + at, word);
  }
}

/** Exchanges the live elements of two bounded buffers, whose cells begin with their number. */
export function exchange_buffers(a: usize, b: usize, stride: usize): void {
  exchange_cells(a, b, 8 + (max(load<u32>(a), load<u32>(b)) as usize) * stride);
}

/** How many bytes fit into a heap cell: its size when it was made, or a little more. */
export function capacityOf(cell: usize): usize {
  const kind = load<u32>(cell - 4) & CLASS;
  return kind == LARGE ? largeCapacity(cell) : classSize(kind) - HEADER;
}

/** A cell for the runtime's own use, which no leak report and no allocation count mentions. Zeroed. */
export function allocateUncounted(size: usize): usize {
  const cell = alloc(size);
  store<u32>(cell - 4, load<u32>(cell - 4) | UNCOUNTED);
  store<i64>(thread(), load<i64>(thread(), ALLOCATED) - 1, ALLOCATED);
  return cell;
}

export function freeUncounted(cell: usize): void {
  store<u32>(cell - 4, load<u32>(cell - 4) & ~UNCOUNTED);
  free(cell);
  store<i64>(thread(), load<i64>(thread(), FREED) - 1, FREED);
}

/** Cells allocated since the start of the process, by all threads. */
export function heap_alloc_count(): i64 {
  return sumOverThreads(ALLOCATED);
}

/** Cells in use, over all threads. */
export function heap_live_count(): i64 {
  return sumOverThreads(ALLOCATED) - sumOverThreads(FREED);
}

// @ts-ignore: decorator
@inline
function takeFromList(block: usize, list: usize, cell: usize): void {
  store<usize>(list, load<usize>(cell - HEADER));
  store<i32>(cell - HEADER, 1);
  store<i64>(block, load<i64>(block, ALLOCATED) + 1, ALLOCATED);
}

// @ts-ignore: decorator
@inline
function fineClass(size: usize): usize {
  return (size + (HEADER + 15)) >> 4;
}

/** The class of a cell of FINE_LIMIT to SMALL_LIMIT bytes, header included. */
function coarseClass(total: usize): u32 {
  const last = (total - 1) as u32;
  const octave = 31 - clz<u32>(last);
  return 33 + ((octave - 9) << 2) + ((last >> (octave - 2)) & 3);
}

/** Bytes of a small cell of that class, header included. */
function classSize(kind: u32): usize {
  if (kind <= 32) return kind << 4;
  const octave = 9 + ((kind - 33) >> 2);
  return (5 + ((kind - 33) & 3)) << (octave - 2);
}

/** Zeroes a cell of a fine class, whose room is 8 bytes and a multiple of 16. */
// @ts-ignore: decorator
@inline
function clearFine(cell: usize, size: usize): void {
  const end = cell + size;
  store<u64>(cell, 0);
  for (let at = cell + 8; at < end; at += 16) {
    store<u64>(at, 0);
    store<u64>(at, 0, 8);
  }
}

function allocBig(size: usize, zeroed: bool): usize {
  const total = size + HEADER;
  if (total > SMALL_LIMIT || total < size) return allocLarge(size, zeroed);
  const block = thread();
  const kind = coarseClass(total);
  const list = block + FREE_LISTS + ((kind as usize) << 2);
  const cell = load<usize>(list);
  if (cell == 0) return allocSlow(block, kind, size, zeroed);
  takeFromList(block, list, cell);
  if (zeroed) memory.fill(cell, 0, size);
  return cell;
}

/** The class's list is empty: take what other threads gave back, else fresh memory. */
function allocSlow(block: usize, kind: u32, size: usize, zeroed: bool): usize {
  if (load<i32>(block, REMOTE_FREES) != 0) {
    collectRemote(block);
    const list = block + FREE_LISTS + (kind << 2);
    const cell = load<usize>(list);
    if (cell != 0) {
      takeFromList(block, list, cell);
      if (zeroed) memory.fill(cell, 0, size);
      return cell;
    }
  }
  const total = classSize(kind);
  let start = load<usize>(block, FRESH);
  if (load<usize>(block, FRESH_END) - start < total) {
    recycleRest(block);
    start = newChunk(block);
  }
  store<usize>(block, start + total, FRESH);
  store<i32>(start, 1);
  store<u32>(start, kind | (load<u32>(block, ID) << 8), 4);
  store<i64>(block, load<i64>(block, ALLOCATED) + 1, ALLOCATED);
  return start + HEADER;
}

/** Reserves a chunk; returns where its first cell may start. */
function newChunk(block: usize): usize {
  const chunk = reserve(CHUNK);
  store<usize>(chunk, load<usize>(block, CHUNKS));
  store<usize>(block, chunk, CHUNKS);
  store<usize>(block, chunk + CHUNK, FRESH_END);
  return chunk + CHUNK_HEADER;
}

/** Turns what is left of the old chunk into free cells. */
function recycleRest(block: usize): void {
  let start = load<usize>(block, FRESH);
  let rest = load<usize>(block, FRESH_END) - start;
  while (rest >= 16) {
    const total = min(rest, FINE_LIMIT);
    const kind = (total >> 4) as u32;
    const list = block + FREE_LISTS + (kind << 2);
    store<usize>(start, load<usize>(list));
    store<u32>(start, kind | (load<u32>(block, ID) << 8), 4);
    store<usize>(list, start + HEADER);
    start += total;
    rest -= total;
  }
}

function allocLarge(size: usize, zeroed: bool): usize {
  const block = thread();
  const cell = takeLarge(size);
  if (zeroed && !largeIsZero) memory.fill(cell, 0, size);
  store<i32>(cell - HEADER, 1);
  store<u32>(cell - 4, LARGE | (load<u32>(block, ID) << 8));
  store<i64>(block, load<i64>(block, ALLOCATED) + 1, ALLOCATED);
  return cell;
}

/** Pushes a cell onto its owner's stack. Only the owner pops, and pops everything, so there is no ABA. */
function freeRemote(cell: usize, owner: u32): void {
  const block = blockOf(owner);
  let first: u32;
  do {
    first = atomic.load<u32>(block, REMOTE_FREES);
    store<u32>(cell - HEADER, first);
  } while (atomic.cmpxchg<u32>(block, first, cell as u32, REMOTE_FREES) != first);
}

export function collectRemote(block: usize): void {
  let cell = atomic.xchg<u32>(block, 0, REMOTE_FREES) as usize;
  while (cell != 0) {
    const next = load<usize>(cell - HEADER);
    const list = block + FREE_LISTS + ((load<u32>(cell - 4) & CLASS) << 2);
    store<usize>(cell - HEADER, load<usize>(list));
    store<usize>(list, cell);
    cell = next;
  }
}

/** The first address behind the runtime's own static data. The compiler reads the constant from this function's body. */
export function static_end(): usize {
  return __heap_base;
}

/** The chunk before `chunk`, the thread's youngest one for 0; 0 behind the oldest. */
export function chunkBefore(block: usize, chunk: usize): usize {
  return load<usize>(chunk == 0 ? block + CHUNKS : chunk);
}

export function firstCell(chunk: usize): usize {
  return chunk + CHUNK_HEADER + HEADER;
}

/** The cell behind a small cell of that chunk, 0 behind the last one. */
export function nextCell(block: usize, chunk: usize, cell: usize): usize {
  const next = cell + classSize(load<u32>(cell - 4) & CLASS);
  const end = chunk == load<usize>(block, CHUNKS) ? load<usize>(block, FRESH) : chunk + CHUNK;
  return next - HEADER < end ? next : 0;
}
