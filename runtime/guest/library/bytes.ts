// Primitives of std::bytes: slices, fixed-width numbers. The builder and its views are in `builder.ts`.
import { BYTES, bytesFrom, findByte, lengthOf, newBytes } from "./cell";
import { __str_index_of, owned } from "./str";

/** The byte at `i`, which the caller has checked. */
// @ts-ignore: decorator
@inline
export function __bytes_byte(b: usize, i: i64): i64 {
  return load<u8>(b + BYTES + (i as usize)) as i64;
}

/** The bytes `lo..hi`, clamped. */
export function __bytes_slice(b: usize, lo: i64, hi: i64): usize {
  const length = lengthOf(b) as i64;
  const low = max<i64>(lo, 0);
  const high = min<i64>(hi, length);
  if (low >= high) return 0;
  if (high - low == length) return owned(b);
  return bytesFrom(b + BYTES + (low as usize), (high - low) as i32);
}

export function __bytes_concat(a: usize, b: usize): usize {
  const first = lengthOf(a);
  const second = lengthOf(b);
  if (second == 0) return owned(a);
  if (first == 0) return owned(b);
  const result = newBytes(first + second);
  memory.copy(result + BYTES, a + BYTES, first);
  memory.copy(result + BYTES + first, b + BYTES, second);
  return result;
}

export function __bytes_from_string(s: usize): usize {
  return owned(s);
}

export function __bytes_from_int(v: i64): usize {
  const result = newBytes(1);
  store<u8>(result + BYTES, v as u8);
  return result;
}

export function __bytes_clone(b: usize): usize {
  return owned(b);
}

/** First index from `off` on that holds the low byte of `needle`, or -1. */
export function __bytes_find(b: usize, off: i64, needle: i64): i64 {
  const length = lengthOf(b);
  if (off < 0 || off >= (length as i64)) return -1;
  const found = findByte(b + BYTES + (off as usize), length - (off as i32), needle as u8);
  return found < 0 ? -1 : off + found;
}

/** Index of the first `part` at or behind `off`, or -1. */
export function __bytes_index_of(b: usize, part: usize, off: i64): i64 {
  return __str_index_of(b, part, off);
}

/** `width` bytes (1, 2, 4 or 8, within the value) as an unsigned little-endian number. */
export function __bytes_read_le(b: usize, off: i64, width: i64): i64 {
  return readLittle(b + BYTES + (off as usize), width as i32);
}

/** The same, big-endian. */
export function __bytes_read_be(b: usize, off: i64, width: i64): i64 {
  return swapped(readLittle(b + BYTES + (off as usize), width as i32), width as i32);
}

export function __bits_to_float(bits: i64): f64 {
  return reinterpret<f64>(bits);
}

export function __bits_to_float32(bits: i64): f64 {
  return reinterpret<f32>(bits as i32) as f64;
}

export function __float_to_bits(x: f64): i64 {
  return reinterpret<i64>(x);
}

export function __float32_to_bits(x: f64): i64 {
  return reinterpret<u32>(x as f32) as i64;
}

export function readLittle(at: usize, width: i32): i64 {
  if (width == 1) return load<u8>(at) as i64;
  if (width == 2) return load<u16>(at) as i64;
  if (width == 4) return load<u32>(at) as i64;
  return load<i64>(at);
}

/** Stores the low `width` bytes (1, 2, 4 or 8) of `value`, little-endian. */
export function writeLittle(at: usize, width: i32, value: i64): void {
  if (width == 1) store<u8>(at, value as u8);
  else if (width == 2) store<u16>(at, value as u16);
  else if (width == 4) store<u32>(at, value as u32);
  else store<i64>(at, value);
}

/** The low `width` bytes of `value` in the opposite order. */
export function swapped(value: i64, width: i32): i64 {
  return (bswap<u64>(value as u64) >> ((64 - 8 * width) as u64)) as i64;
}
