// Primitives of std::str: search, case, copies, the text builder. Numbers are read in `number.ts`.
import { alloc, free, retain } from "../memory";
import { copyShort } from "../text-buffer";
import { BYTES, bytesFrom, discard, findByte, lengthOf, newBytes, sameBytes, textFrom } from "./cell";

/** The byte at `i`, or 0 outside the text. */
// @ts-ignore: decorator
@inline
export function __str_byte(s: usize, i: i64): i64 {
  return (i as u64) < (load<u32>(s) as u64) ? (load<u8>(s + BYTES + (i as usize)) as i64) : 0;
}

/** Offset of the first `part` at or behind `from`, or -1. The empty text is found at once. */
export function __str_index_of(s: usize, part: usize, from: i64): i64 {
  const length = lengthOf(s);
  const width = lengthOf(part);
  const start = max<i64>(from, 0);
  if (start > length - width) return -1;
  if (width == 0) return start;
  const found = search(s + BYTES + (start as usize), length - (start as i32), part + BYTES, width);
  return found < 0 ? -1 : start + found;
}

/** Whether `part` stands at byte `at` of `s`. */
export function __str_region_eq(s: usize, at: i64, part: usize): bool {
  const width = lengthOf(part);
  return at >= 0 && at <= lengthOf(s) - width && sameBytes(s + BYTES + (at as usize), part + BYTES, width);
}

export function __str_trim(s: usize): usize {
  let low: usize = 0;
  let high: usize = lengthOf(s);
  while (low < high && isBlank(load<u8>(s + BYTES + low))) low++;
  while (high > low && isBlank(load<u8>(s + BYTES + high - 1))) high--;
  if ((high - low) as i32 == lengthOf(s)) return owned(s);
  return bytesFrom(s + BYTES + low, (high - low) as i32);
}

export function __str_replace(s: usize, needle: usize, replacement: usize): usize {
  const length = lengthOf(s);
  const width = lengthOf(needle);
  if (width == 0 || width > length) return owned(s);
  const part = needle + BYTES;
  const first = search(s + BYTES, length, part, width);
  if (first < 0) return owned(s);
  const growth = lengthOf(replacement);
  // A text that does not grow needs no counting in advance.
  const room = growth <= width ? length : grownBy(length, countOf(s, needle), growth - width);
  const result = newBytes(room);
  let target = result + BYTES;
  let source = s + BYTES;
  const end = source + length;
  for (let before = first; before >= 0; before = search(source, (end - source) as i32, part, width)) {
    copyShort(target, source, before);
    copyShort(target + before, replacement + BYTES, growth);
    source += before + width;
    target += before + growth;
  }
  copyShort(target, source, end - source);
  return cutTo(result, room, (target - result - BYTES + (end - source)) as i32);
}

function grownBy(length: i32, count: i32, more: i32): i32 {
  const size = (length as i64) + (count as i64) * more;
  if (size > i32.MAX_VALUE) unreachableSize();
  return size as i32;
}

/** A new cell made for `room` bytes as a text of its first `size` bytes; no cell is kept of which more than half is unused. */
function cutTo(cell: usize, room: i32, size: i32): usize {
  if (size > room >> 1) {
    store<i32>(cell, size);
    return cell;
  }
  const small = bytesFrom(cell + BYTES, size);
  discard(cell);
  return small;
}

export function __str_lower(s: usize): usize {
  return withCase(s, 0x41);
}

export function __str_upper(s: usize): usize {
  return withCase(s, 0x61);
}

export function __str_repeat(s: usize, n: i64): usize {
  const width = lengthOf(s);
  if (n <= 0 || width == 0) return 0;
  if (n > 0x7fffffff / width) unreachableSize();
  const length = width * (n as i32);
  const result = newBytes(length);
  memory.copy(result + BYTES, s + BYTES, width);
  // Doubles what is there until the text is full.
  for (let done = width; done < length; done += done) memory.copy(result + BYTES + done, result + BYTES, min(done, length - done));
  return result;
}

export function __str_clone(s: usize): usize {
  return owned(s);
}

export function __str_from_bytes(b: usize): usize {
  const length = lengthOf(b);
  if (findByte(b + BYTES, length, 0) < 0) return owned(b);
  return textFrom(b + BYTES, length);
}

// -- the text builder: a Bytes handle of 8 bytes whose content is the address of the text that grows

const BUILDER_SIZE: usize = 12;
const TEXT: usize = 4;
const CAPACITY: usize = 8;

export function __str_builder_new(): usize {
  return alloc(BUILDER_SIZE);
}

export function __str_builder_append(b: usize, s: usize): void {
  const width = lengthOf(s);
  if (width == 0 || b == 0) return;
  const text = load<usize>(b + TEXT);
  const length = lengthOf(text);
  const wanted = length + width;
  if (wanted > load<i32>(b + CAPACITY)) {
    const capacity = max(wanted + (wanted >> 1), 60);
    const grown = newBytes(capacity);
    memory.copy(grown + BYTES, text + BYTES, length);
    if (text != 0) free(text);
    store<usize>(b + TEXT, grown);
    store<i32>(b + CAPACITY, capacity);
  }
  const target = load<usize>(b + TEXT);
  copyShort(target + BYTES + length, s + BYTES, width);
  store<i32>(target, wanted);
}

export function __str_builder_len(b: usize): i64 {
  return lengthOf(load<usize>(b + TEXT));
}

/** The text moves out; what is left of the handle is an empty builder. */
export function __str_builder_finish(b: usize): usize {
  const text = load<usize>(b + TEXT);
  store<usize>(b + TEXT, 0);
  store<i32>(b + CAPACITY, 0);
  return text;
}

// -- helpers

/** `s` for a caller that owns its results. */
export function owned(s: usize): usize {
  retain(s);
  return s;
}

// @ts-ignore: decorator
@inline
function isBlank(byte: u8): bool {
  return byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d;
}

/** Flips the case of the ASCII letters that start at `first` ("A" or "a"). */
function withCase(s: usize, first: u8): usize {
  const length = lengthOf(s);
  const result = newBytes(length);
  for (let i: usize = BYTES; i < BYTES + (length as usize); i++) {
    const byte = load<u8>(s + i);
    store<u8>(result + i, ((byte - first) as u8) < 26 ? byte ^ 0x20 : byte);
  }
  return result;
}

function countOf(s: usize, needle: usize): i32 {
  const width = lengthOf(needle);
  let source = s + BYTES;
  const end = source + lengthOf(s);
  let count: i32 = 0;
  let found = search(source, (end - source) as i32, needle + BYTES, width);
  while (found >= 0) {
    count++;
    source += found + width;
    found = search(source, (end - source) as i32, needle + BYTES, width);
  }
  return count;
}

/** Misses after which the search stops comparing and rolls a hash instead. */
const PATIENCE: i32 = 64;

/**
 * Offset of the first occurrence of `width >= 1` bytes at `part` among `length` bytes at `source`, or -1. Looks at eight places at once for the first and the last byte
 * of `part`; text that defeats this (long runs) is searched by Karp and Rabin's rolling hash, so that the time stays linear.
 */
export function search(source: usize, length: i32, part: usize, width: i32): i32 {
  if (width == 1) return findByte(source, length, load<u8>(part));
  const first = (load<u8>(part) as u64) * 0x0101010101010101;
  const last = (load<u8>(part + width - 1) as u64) * 0x0101010101010101;
  const end = length - width; // the last place where `part` fits
  let misses: i32 = 0;
  let i: i32 = 0;
  for (; i + 7 <= end; i += 8) {
    const difference = (load<u64>(source + i) ^ first) | (load<u64>(source + i + width - 1) ^ last);
    // Bytes that are zero in `difference` are marked, and perhaps some above one of them ("Bit Twiddling Hacks", haszero).
    let marks = (difference - 0x0101010101010101) & ~difference & 0x8080808080808080;
    while (marks != 0) {
      const at = i + ((ctz(marks) >> 3) as i32);
      if (sameBytes(source + at, part, width)) return at;
      marks &= marks - 1;
      if (++misses > PATIENCE && width > 4) return rollingSearchFrom(source, at + 1, length, part, width);
    }
  }
  for (; i <= end; i++) if (load<u8>(source + i) == (first as u8) && sameBytes(source + i, part, width)) return i;
  return -1;
}

function rollingSearchFrom(source: usize, from: i32, length: i32, part: usize, width: i32): i32 {
  const found = rollingSearch(source + from, length - from, part, width);
  return found < 0 ? -1 : from + found;
}

function rollingSearch(source: usize, length: i32, part: usize, width: i32): i32 {
  if (width > length) return -1;
  const prime: u32 = 16777619;
  let wanted: u32 = 0;
  let hash: u32 = 0;
  let power: u32 = 1;
  for (let i: usize = 0; i < (width as usize); i++) {
    wanted = wanted * prime + load<u8>(part + i);
    hash = hash * prime + load<u8>(source + i);
    power *= prime;
  }
  const last = length - width;
  for (let i: i32 = 0; i <= last; i++) {
    if (hash == wanted && sameBytes(source + i, part, width)) return i;
    if (i == last) break;
    hash = hash * prime + load<u8>(source + i + width) - power * load<u8>(source + i);
  }
  return -1;
}

/** A text of 2 GiB or more cannot exist: the allocator reports that memory is exhausted. */
function unreachableSize(): void {
  alloc(usize.MAX_VALUE);
}
