// Sorting the elements of a vec (reference 07 3.5 to 3.8).
import { alloc, allocDirty, free } from "./memory";
import { string_compare } from "./string";
import { copyWords } from "./words";

/** Offsets in the form's block (collections.ts): number of elements, and of elements that there is room for. */
const LENGTH: usize = 4;
const CAPACITY: usize = 8;

const BY_NUMBER: i32 = 0;
const BY_FLOAT: i32 = 1;
const BY_TEXT: i32 = 2;

/** Runs of this many elements are sorted by insertion before they are merged. */
const RUN: u32 = 6;
/** From this many elements on whole numbers are sorted by their bytes. */
const MANY: u32 = 256;
/** Up to this many texts are sorted with their first eight bytes beside them. */
const MOST_ENTRIES: u32 = 1 << 24;
const ENTRY: usize = 16;

/**
 * Stable sort. `order`: 0 Int, 1 Float, 2 String cells ascending; 3: `before` is the table index of a function
 * (address, address, context) -> i32 that says whether the first element comes before the second.
 */
export function vec_sort(form: usize, stride: usize, order: i32, before: u32, context: i32): void {
  const length = load<u32>(form, LENGTH);
  if (length < 2) return;
  const data = load<usize>(form);
  if (order == BY_NUMBER && stride == 8 && length >= MANY) sortNumbers(data, length);
  else if (order == BY_TEXT && length < MOST_ENTRIES) sortTexts(data, length, stride);
  else mergeSort(form, length, stride, order, before, context);
}

/** Sorting by insertion in short runs, then bottom-up merging. A comparison of the program finds the vec empty; what it pushes there comes behind. */
function mergeSort(form: usize, length: u32, stride: usize, order: i32, before: u32, context: i32): void {
  const data = load<usize>(form);
  const capacity = load<u32>(form, CAPACITY);
  store<usize>(form, 0);
  store<u32>(form, 0, LENGTH);
  store<u32>(form, 0, CAPACITY);
  sortElements(data, length, stride, order, before, context);
  const added = load<usize>(form);
  const count = load<u32>(form, LENGTH);
  if (count > 0) {
    const all = allocDirty((length + count) * stride);
    memory.copy(all, data, length * stride);
    memory.copy(all + length * stride, added, count * stride);
    free(data);
    store<usize>(form, all);
    store<u32>(form, length + count, CAPACITY);
  } else {
    store<usize>(form, data);
    store<u32>(form, capacity, CAPACITY);
  }
  store<u32>(form, length + count, LENGTH);
  if (added != 0) free(added);
}

function sortElements(data: usize, length: u32, stride: usize, order: i32, before: u32, context: i32): void {
  const spare = allocDirty(length * stride);
  for (let start: u32 = 0; start < length; start += RUN) {
    // The spare elements' first place holds the one that is being placed.
    insertRun(data + start * stride, min(RUN, length - start), spare, stride, order, before, context);
  }
  let from = data;
  let to = spare;
  for (let width: u32 = RUN; width < length; width <<= 1) {
    for (let start: u32 = 0; start < length; start += width * 2) {
      mergeRuns(from, to, start, min(start + width, length), min(start + width * 2, length), stride, order, before, context);
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != data) memory.copy(data, from, length * stride);
  free(spare);
}

function insertRun(start: usize, count: u32, spare: usize, stride: usize, order: i32, before: u32, context: i32): void {
  const end = start + count * stride;
  for (let next = start + stride; next < end; next += stride) {
    if (!comesBefore(next, next - stride, order, before, context)) continue;
    copyWords(spare, next, stride);
    let hole = next;
    do {
      copyWords(hole, hole - stride, stride);
      hole -= stride;
    } while (hole > start && comesBefore(spare, hole - stride, order, before, context));
    copyWords(hole, spare, stride);
  }
}

function mergeRuns(from: usize, to: usize, start: u32, middle: u32, end: u32, stride: usize, order: i32, before: u32, context: i32): void {
  let left = from + start * stride;
  const leftEnd = from + middle * stride;
  let right = leftEnd;
  const rightEnd = from + end * stride;
  let out = to + start * stride;
  while (left < leftEnd && right < rightEnd) {
    if (comesBefore(right, left, order, before, context)) {
      copyWords(out, right, stride);
      right += stride;
    } else {
      copyWords(out, left, stride);
      left += stride;
    }
    out += stride;
  }
  memory.copy(out, left, leftEnd - left);
  memory.copy(out + (leftEnd - left), right, rightEnd - right);
}

// @ts-ignore: decorator
@inline
function comesBefore(a: usize, b: usize, order: i32, before: u32, context: i32): bool {
  if (order == BY_NUMBER) return load<i64>(a) < load<i64>(b);
  if (order == BY_FLOAT) return load<f64>(a) < load<f64>(b);
  if (order == BY_TEXT) return string_compare(load<usize>(a), load<usize>(b)) < 0;
  return call_indirect<i32>(before, a, b, context) != 0;
}

/** Whole numbers of 8 bytes: counting sort by each byte from the lowest up, bytes that are the same everywhere left out (Knuth, TAOCP 5.2.5). */
function sortNumbers(data: usize, length: u32): void {
  const counts = alloc(8 * 256 * 4);
  for (let at = data; at < data + (length << 3); at += 8) {
    const key = sortKey(load<u64>(at));
    for (let digit: usize = 0; digit < 8; digit++) {
      const count = counts + (digit << 10) + ((((key >> ((digit as u64) << 3)) & 0xff) as usize) << 2);
      store<u32>(count, load<u32>(count) + 1);
    }
  }
  const spare = allocDirty(length << 3);
  let from = data;
  let to = spare;
  for (let digit: usize = 0; digit < 8; digit++) {
    const table = counts + (digit << 10);
    const shift = (digit as u64) << 3;
    if (load<u32>(table + ((((sortKey(load<u64>(from)) >> shift) & 0xff) as usize) << 2)) == length) continue;
    let sum: u32 = 0;
    for (let i: usize = 0; i < 1024; i += 4) {
      const count = load<u32>(table + i);
      store<u32>(table + i, sum);
      sum += count;
    }
    for (let at = from; at < from + (length << 3); at += 8) {
      const value = load<u64>(at);
      const place = table + ((((sortKey(value) >> shift) & 0xff) as usize) << 2);
      const index = load<u32>(place);
      store<u32>(place, index + 1);
      store<u64>(to + (index << 3), value);
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != data) memory.copy(data, from, length << 3);
  free(spare);
  free(counts);
}

/** As an unsigned number that sorts as the signed one does. */
// @ts-ignore: decorator
@inline
function sortKey(value: u64): u64 {
  return value ^ 0x8000000000000000;
}

/** Texts: entries of their first eight bytes and their address, so that most comparisons need not look at the text. */
function sortTexts(data: usize, length: u32, stride: usize): void {
  const size = (length as usize) * ENTRY;
  let from = allocDirty(size);
  let to = allocDirty(size);
  for (let i: u32 = 0; i < length; i++) {
    const text = load<usize>(data + i * stride);
    store<u64>(from + i * ENTRY, firstBytes(text));
    store<usize>(from + i * ENTRY, text, 8);
  }
  for (let width: u32 = 1; width < length; width <<= 1) {
    for (let start: u32 = 0; start < length; start += width * 2) {
      mergeTexts(from, to, start, min(start + width, length), min(start + width * 2, length));
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
  for (let i: u32 = 0; i < length; i++) store<usize>(data + i * stride, load<usize>(from + i * ENTRY, 8));
  free(from);
  free(to);
}

function mergeTexts(from: usize, to: usize, start: u32, middle: u32, end: u32): void {
  let left = from + start * ENTRY;
  const leftEnd = from + middle * ENTRY;
  let right = leftEnd;
  const rightEnd = from + end * ENTRY;
  let out = to + start * ENTRY;
  while (left < leftEnd && right < rightEnd) {
    const a = load<u64>(left);
    const b = load<u64>(right);
    const rightFirst = a != b ? b < a : string_compare(load<usize>(right, 8), load<usize>(left, 8)) < 0;
    const taken = rightFirst ? right : left;
    store<u64>(out, load<u64>(taken));
    store<u64>(out, load<u64>(taken, 8), 8);
    if (rightFirst) right += ENTRY;
    else left += ENTRY;
    out += ENTRY;
  }
  memory.copy(out, left, leftEnd - left);
  memory.copy(out + (leftEnd - left), right, rightEnd - right);
}

/** The first eight bytes of a text as a number that sorts as they do; zeros stand for what a shorter text lacks. */
function firstBytes(text: usize): u64 {
  const length = load<u32>(text);
  if (length >= 8) return bswap<u64>(load<u64>(text + 4));
  let bytes: u64 = 0;
  for (let i: u32 = 0; i < length; i++) bytes |= (load<u8>(text + 4 + i) as u64) << ((56 - (i << 3)) as u64);
  return bytes;
}
