// Strings: a cell of an i32 length and the bytes. The address 0 is the empty String. Bytes have the same form.
import { allocDirty, capacityOf, isUnique, release, retain } from "./memory";
import { sameBytes } from "./library/cell";
import { search } from "./library/str";
import { copyShort, textLength, textStart } from "./text-buffer";

const BYTES: usize = 4;

/** A new String of the bytes at an address. */
export function newString(from: usize, length: usize): usize {
  if (length == 0) return 0;
  const cell = emptyString(length);
  copyShort(cell + BYTES, from, length);
  return cell;
}

/** a + b, a new String. */
export function string_concat(a: usize, b: usize): usize {
  const aLength = load<u32>(a) as usize;
  const bLength = load<u32>(b) as usize;
  if (bLength == 0) return shared(a);
  if (aLength == 0) return shared(b);
  const cell = emptyString(aLength + bLength);
  copyShort(cell + BYTES, a + BYTES, aLength);
  copyShort(cell + BYTES + aLength, b + BYTES, bLength);
  return cell;
}

/** a + b, `a` taken over: it grows in place when nobody else has it, and gets room to grow further when it must move. */
export function string_append(a: usize, b: usize): usize {
  const length = load<u32>(b) as usize;
  if (load<i32>(a) == 0 && length != 0) {
    release(a);
    return shared(b);
  }
  return appendBytes(a, b + BYTES, length);
}

/** a + the text buffer, `a` taken over as by `string_append`. */
export function string_append_text(a: usize): usize {
  return appendBytes(a, textStart(), textLength());
}

function appendBytes(a: usize, from: usize, count: usize): usize {
  if (count == 0) return a;
  const before = load<u32>(a) as usize;
  const length = before + count;
  if (isUnique(a) && length + BYTES <= capacityOf(a)) {
    copyShort(a + BYTES + before, from, count);
    store<u32>(a, length);
    return a;
  }
  checkLength(length);
  const cell = allocDirty(BYTES + length + (length >> 1));
  store<u32>(cell, length);
  memory.copy(cell + BYTES, a + BYTES, before);
  copyShort(cell + BYTES + before, from, count);
  release(a);
  return cell;
}

export function string_equal(a: usize, b: usize): i32 {
  if (a == b) return 1;
  const length = load<u32>(a);
  if (length != load<u32>(b)) return 0;
  return i32(sameBytes(a + BYTES, b + BYTES, length as i32));
}

/** Negative, 0 or positive: bytes as unsigned numbers, a proper prefix is less. */
export function string_compare(a: usize, b: usize): i32 {
  const aLength = load<i32>(a);
  const bLength = load<i32>(b);
  const order = compareBytes(a + BYTES, b + BYTES, min(aLength, bLength));
  return order != 0 ? order : aLength - bLength;
}

/** The bytes `low..high`, clamped (03 5.4). */
export function string_slice(text: usize, low: i64, high: i64): usize {
  const length = load<i32>(text) as i64;
  const from = max<i64>(low, 0);
  const to = min<i64>(high, length);
  if (from >= to) return 0;
  if (to - from == length) return shared(text);
  return newString(text + BYTES + (from as usize), (to - from) as usize);
}

export function string_starts_with(text: usize, part: usize): i32 {
  const length = load<u32>(part);
  return i32(length <= load<u32>(text) && sameBytes(text + BYTES, part + BYTES, length as i32));
}

export function string_contains(text: usize, part: usize): i32 {
  const length = load<i32>(part);
  if (length == 0) return 1;
  return i32(length <= load<i32>(text) && search(text + BYTES, load<i32>(text), part + BYTES, length) >= 0);
}

/** Eight bytes at a time: most comparisons end in the first word. */
function compareBytes(a: usize, b: usize, length: usize): i32 {
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) {
    const left = load<u64>(a + i);
    const right = load<u64>(b + i);
    if (left != right) return bswap<u64>(left) < bswap<u64>(right) ? -1 : 1;
  }
  for (; i < length; i++) {
    const difference = (load<u8>(a + i) as i32) - (load<u8>(b + i) as i32);
    if (difference != 0) return difference;
  }
  return 0;
}

/** A cell for a String of that length, the bytes not filled in. */
function emptyString(length: usize): usize {
  checkLength(length);
  const cell = allocDirty(BYTES + length);
  store<u32>(cell, length);
  return cell;
}

// @ts-ignore: decorator
@inline
function checkLength(length: usize): void {
  // A text of 2 GiB or more cannot exist: the allocator reports that memory is exhausted.
  if ((length as i32) < 0) allocDirty(0xfffffff0);
}

// @ts-ignore: decorator
@inline
function shared(text: usize): usize {
  retain(text);
  return text;
}
