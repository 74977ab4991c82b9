// HALE_DEBUG=leaks: a program that ends in order says on standard error how many cells are still alive, and its exit status becomes 99. The first of
// the cells are shown, to tell what was forgotten.
import { isAbandoned, markAbandoned } from "./abandoned";
import * as host from "./host";
import { nextLarge, regionBefore } from "./large";
import { FREE, UNCOUNTED, capacityOf, chunkBefore, collectRemote, firstCell, heap_live_count, nextCell } from "./memory";
import { hale_flush, writeAll } from "./output";
import { textByte, textBytes, textDigits, textLength, textReset, textStart, textWords } from "./text-buffer";
import { FIRST_BLOCK, FREE_LISTS, NEXT } from "./thread";

const LEAK_STATUS: i32 = 99;
/** Cells that are shown, and bytes of a text. */
const SHOWN: i32 = 20;
const SHOWN_BYTES: u32 = 60;

let shown: i32 = 0;
/** Shared by all threads: 1 once a thread has left frames without unwinding them. */
const framesAreLeft: usize = memory.data(4, 4);

/** A failed assertion has left the frames of a thread: what they held is alive for good, and no leak. */
export function forgiveLeaks(): void {
  atomic.store<i32>(framesAreLeft, 1);
}

/** The status to exit with, where `status` is what the program asked for. */
export function leakStatus(status: i32): i32 {
  if (atomic.load<i32>(framesAreLeft) != 0 || !leaksAreReported()) return status;
  let alive = heap_live_count();
  if (alive == 0) return status;
  for (let block = FIRST_BLOCK; block != 0; block = load<usize>(block, NEXT)) markFreeCells(block);
  alive -= markAbandoned();
  if (alive == 0) return status;
  hale_flush();
  textReset();
  textWords("leak: ");
  textDigits(alive);
  textWords(alive == 1 ? " cell alive\n" : " cells alive\n");
  describeCells();
  writeAll(2, textStart(), textLength());
  return LEAK_STATUS;
}

function leaksAreReported(): bool {
  textReset();
  textWords("HALE_DEBUGleaks");
  const name = textStart();
  const value = memory.data(8, 8);
  if (host.env(name, 10, value, 8) != 5) return false;
  return memory.compare(value, name + 10, 5) == 0;
}

/** Walks the heap; the runtime's own memory, free cells and those of abandoned jobs are left out. The process ends after this: free cells keep their mark. */
function describeCells(): void {
  shown = 0;
  for (let block = FIRST_BLOCK; block != 0; block = load<usize>(block, NEXT)) {
    for (let chunk = chunkBefore(block, 0); chunk != 0; chunk = chunkBefore(block, chunk)) {
      for (let cell = firstCell(chunk); cell != 0; cell = nextCell(block, chunk, cell)) describe(cell);
    }
  }
  for (let region = regionBefore(0); region != 0; region = regionBefore(region)) {
    for (let cell = nextLarge(region, 0); cell != 0; cell = nextLarge(region, cell)) describe(cell);
  }
}

function markFreeCells(block: usize): void {
  collectRemote(block);
  for (let list = block + FREE_LISTS; list < block + FREE_LISTS + 256; list += 4) {
    for (let cell = load<usize>(list); cell != 0; cell = load<usize>(cell - 8)) store<u32>(cell - 4, load<u32>(cell - 4) | FREE);
  }
}

/** `  24 bytes, 1 reference, "text"`. */
function describe(cell: usize): void {
  if ((load<u32>(cell - 4) & (FREE | UNCOUNTED)) != 0 || isAbandoned(cell) || shown == SHOWN) return;
  shown++;
  textByte(32);
  textByte(32);
  textDigits(capacityOf(cell));
  textWords(" bytes, ");
  textDigits(load<u32>(cell - 8));
  textWords(load<i32>(cell - 8) == 1 ? " reference" : " references");
  if (looksLikeText(cell)) {
    textWords(", \"");
    textBytes(cell + 4, min(load<u32>(cell), SHOWN_BYTES));
    textByte(34);
  }
  textByte(10);
}

function looksLikeText(cell: usize): bool {
  const length = load<u32>(cell);
  if (length == 0 || length > (capacityOf(cell) as u32) - 4) return false;
  for (let i: u32 = 0; i < min(length, SHOWN_BYTES); i++) if (load<u8>(cell + 4 + i) < 32) return false;
  return true;
}
