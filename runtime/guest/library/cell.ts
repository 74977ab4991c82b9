// Strings and Bytes as the library's primitives handle them: a cell of an i32 length and the bytes. Address 0 reads as empty.
import { allocDirty, capacityOf, free } from "../memory";

/** Offset of the bytes in a String or Bytes. */
export const BYTES: usize = 4;

// @ts-ignore: decorator
@inline
export function lengthOf(text: usize): i32 {
  return load<i32>(text);
}

/** A new String or Bytes of `length` bytes yet to be written, owned by the caller. */
export function newBytes(length: i32): usize {
  if (length == 0) return 0;
  const cell = allocDirty(BYTES + (length as usize));
  store<i32>(cell, length);
  return cell;
}

/** A new String or Bytes with a copy of `length` bytes at `source`. */
export function bytesFrom(source: usize, length: i32): usize {
  if (length <= 0) return 0;
  const cell = newBytes(length);
  memory.copy(cell + BYTES, source, length);
  return cell;
}

/** A String of the bytes at `source` up to the first zero byte, at most `length` of them: a String holds no zero byte. */
export function textFrom(source: usize, length: i32): usize {
  return bytesFrom(source, zeroFreeLength(source, length));
}

/** How many of the `length` bytes at `source` stand before the first zero byte. */
export function zeroFreeLength(source: usize, length: i32): i32 {
  const found = findByte(source, length, 0);
  return found < 0 ? length : found;
}

/** Index of the first `byte` among the `length` bytes at `source`, or -1. */
export function findByte(source: usize, length: i32, byte: u8): i32 {
  let i: i32 = 0;
  if (length >= 16) {
    const pattern: u64 = (byte as u64) * 0x0101010101010101;
    for (; i + 8 <= length; i += 8) {
      const difference = load<u64>(source + i) ^ pattern;
      // A zero byte in `difference` is a match ("Bit Twiddling Hacks", haszero); the lowest marked byte is exact.
      const marks = (difference - 0x0101010101010101) & ~difference & 0x8080808080808080;
      if (marks != 0) return i + ((ctz(marks) >> 3) as i32);
    }
  }
  for (; i < length; i++) if (load<u8>(source + i) == byte) return i;
  return -1;
}

export function sameBytes(left: usize, right: usize, length: i32): bool {
  if (length < 8) {
    for (let i: i32 = 0; i < length; i++) if (load<u8>(left + i) != load<u8>(right + i)) return false;
    return true;
  }
  const last = length - 8;
  for (let i: i32 = 0; i < last; i += 8) if (load<u64>(left + i) != load<u64>(right + i)) return false;
  return load<u64>(left + last) == load<u64>(right + last);
}

/** `gathered`, which is given up, with more bytes behind it. */
export function joined(gathered: usize, more: usize, count: i32): usize {
  if (gathered == 0) return bytesFrom(more, count);
  const length = lengthOf(gathered);
  let result = gathered;
  if ((capacityOf(gathered) as i32) < (BYTES as i32) + length + count) {
    result = newBytes((length + count) * 2);
    memory.copy(result + BYTES, gathered + BYTES, length);
    discard(gathered);
  }
  memory.copy(result + BYTES + length, more, count);
  store<i32>(result, length + count);
  return result;
}

/** Gives back a cell that this primitive made and nobody else has seen. */
export function discard(cell: usize): void {
  if (cell != 0) free(cell);
}
