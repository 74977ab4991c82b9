// Reading numbers from text (reference 09 4.3). Each reader stores whether it succeeded, for `__str_parsed`.
import { alloc, free } from "../memory";
import { result_area } from "../thread";
import { BYTES, lengthOf } from "./cell";
import { nearestFloat } from "./powers-of-ten";

let parsed: bool = false;

export function __str_parsed(): bool {
  return parsed;
}

function refuse(): i64 {
  parsed = false;
  return 0;
}

/** White space, a sign, decimal digits of a 64-bit number, and nothing else in the bytes `start..end`, which lie in `s`. */
export function __str_parse_int(s: usize, start: i64, end: i64): i64 {
  let at = s + BYTES + (start as usize);
  const stop = s + BYTES + (end as usize);
  while (at < stop && isSpace(load<u8>(at))) at++;
  let negative = false;
  if (at < stop) {
    const sign = load<u8>(at);
    negative = sign == 0x2d;
    if (negative || sign == 0x2b) at++;
  }
  if (at == stop) return refuse();
  const limit: u64 = negative ? 0x8000000000000000 : 0x7fffffffffffffff;
  let value: u64 = 0;
  for (; at < stop; at++) {
    const digit = (load<u8>(at) - 0x30) as u8;
    if (digit > 9 || value > limit / 10) return refuse();
    value = value * 10 + digit;
    if (value > limit) return refuse();
  }
  parsed = true;
  return negative ? -(value as i64) : (value as i64);
}

// @ts-ignore: decorator
@inline
function isSpace(byte: u8): bool {
  return byte == 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/**
 * A Decimal in the bytes `start..end`: sign, digits with at most one point, underscores anywhere among them, `d` at the end. Stores the low and the high
 * half of the count of 10^-9 in the result area.
 */
export function __str_parse_decimal(s: usize, start: i64, end: i64): void {
  store<i64>(result_area, 0);
  store<i64>(result_area, 0, 8);
  let at = s + BYTES + (start as usize);
  let stop = s + BYTES + (end as usize);
  refuse();
  let negative = false;
  if (at < stop) {
    const sign = load<u8>(at);
    negative = sign == 0x2d;
    if (negative || sign == 0x2b) at++;
  }
  if (at < stop && load<u8>(stop - 1) == 0x64) stop--;
  let digits: i32 = 0;
  let fraction: i32 = -1;
  decimalLow = 0;
  decimalHigh = 0;
  for (; at < stop; at++) {
    const byte = load<u8>(at);
    if (byte == 0x5f) continue;
    if (byte == 0x2e) {
      if (fraction >= 0) return;
      fraction = 0;
      continue;
    }
    const digit = (byte - 0x30) as u8;
    if (digit > 9) return;
    digits++;
    if (fraction >= 9) continue;
    if (fraction >= 0) fraction++;
    if (!shiftDecimal(digit)) return;
  }
  if (digits == 0) return;
  for (let i = max(fraction, 0); i < 9; i++) if (!shiftDecimal(0)) return;
  if (negative) {
    decimalHigh = ~decimalHigh + (decimalLow == 0 ? 1 : 0);
    decimalLow = -decimalLow;
  } else if (decimalHigh >> 63 != 0) {
    return;
  }
  store<u64>(result_area, decimalLow);
  store<u64>(result_area, decimalHigh, 8);
  parsed = true;
}

let decimalLow: u64 = 0;
let decimalHigh: u64 = 0;

/** decimal = decimal * 10 + digit; false when it is beyond 2^127, the magnitude of the least Decimal. */
function shiftDecimal(digit: u8): bool {
  const low = (decimalLow & 0xffffffff) * 10 + digit;
  const middle = (decimalLow >> 32) * 10 + (low >> 32);
  if (decimalHigh > 0x7fffffffffffffff / 10) return false;
  const high = decimalHigh * 10 + (middle >> 32);
  decimalLow = (middle << 32) | (low & 0xffffffff);
  if (high > 0x8000000000000000 || (high == 0x8000000000000000 && decimalLow != 0)) return false;
  decimalHigh = high;
  return true;
}

// -- Float

/** C's `strtod` over the whole text. Overflow, and a result below the normal range that is not exact, are refused. */
export function __str_parse_float(s: usize): f64 {
  let at = s + BYTES;
  const stop = at + lengthOf(s);
  refuse();
  while (at < stop && isSpace(load<u8>(at))) at++;
  let negative = false;
  if (at < stop) {
    const sign = load<u8>(at);
    negative = sign == 0x2d;
    if (negative || sign == 0x2b) at++;
  }
  if (at == stop) return 0;
  const first = load<u8>(at) | 0x20;
  let value: f64 = 0;
  if (first == 0x69 || first == 0x6e) value = namedFloat(at, stop);
  else if (stop - at > 2 && load<u8>(at) == 0x30 && (load<u8>(at, 1) | 0x20) == 0x78) value = hexFloat(at + 2, stop);
  else value = decimalFloat(at, stop);
  return negative ? copysign<f64>(value, -1) : value;
}

/** `inf`, `infinity`, `nan`, `nan(letters digits underscores)`, in any case. */
function namedFloat(at: usize, stop: usize): f64 {
  const length = (stop - at) as i32;
  if (isWord(at, length, 0x696e66, 3) || (length == 8 && isWord(at, 3, 0x696e66, 3) && isWord(at + 3, 5, 0x696e697479, 5))) {
    parsed = true;
    return Infinity;
  }
  if (length < 3 || !isWord(at, 3, 0x6e616e, 3)) return 0;
  if (length > 3) {
    if (length < 5 || load<u8>(at, 3) != 0x28 || load<u8>(stop - 1) != 0x29) return 0;
    for (let i = at + 4; i < stop - 1; i++) {
      const byte = load<u8>(i);
      if (!(((byte - 0x30) as u8) < 10 || (((byte | 0x20) - 0x61) as u8) < 26 || byte == 0x5f)) return 0;
    }
  }
  parsed = true;
  return reinterpret<f64>(0x7ff8000000000000);
}

/** Whether the `length` bytes at `at` are the `size` letters of `word` (first letter highest), in any case. */
function isWord(at: usize, length: i32, word: u64, size: i32): bool {
  if (length != size) return false;
  for (let i: i32 = 0; i < size; i++) {
    if (((load<u8>(at + i) | 0x20) as u64) != ((word >> ((8 * (size - 1 - i)) as u64)) & 0xff)) return false;
  }
  return true;
}

/** The exponent behind `at`, clamped to +-100000: `e` or `p`, sign, digits up to `stop`. i32.MIN_VALUE when it is malformed. */
function exponentAt(at: usize, stop: usize): i32 {
  at++;
  let negative = false;
  if (at < stop && (load<u8>(at) == 0x2d || load<u8>(at) == 0x2b)) {
    negative = load<u8>(at) == 0x2d;
    at++;
  }
  if (at == stop) return i32.MIN_VALUE;
  let value: i32 = 0;
  for (; at < stop; at++) {
    const digit = (load<u8>(at) - 0x30) as u8;
    if (digit > 9) return i32.MIN_VALUE;
    if (value < 100000) value = value * 10 + digit;
  }
  return negative ? -value : value;
}

/** `h.hhhp+-d` behind the `0x`. */
function hexFloat(at: usize, stop: usize): f64 {
  let mantissa: u64 = 0;
  let exponent: i32 = 0;
  let sticky = false;
  let digits: i32 = 0;
  let seenPoint = false;
  for (; at < stop; at++) {
    const byte = load<u8>(at);
    if (byte == 0x2e && !seenPoint) {
      seenPoint = true;
      continue;
    }
    const digit = hexDigit(byte);
    if (digit < 0) break;
    digits++;
    if (mantissa >> 60 == 0) {
      mantissa = (mantissa << 4) | (digit as u64);
      if (seenPoint) exponent -= 4;
    } else {
      sticky = sticky || digit != 0;
      if (!seenPoint) exponent += 4;
    }
  }
  if (digits == 0) return 0;
  if (at < stop) {
    if ((load<u8>(at) | 0x20) != 0x70) return 0;
    const written = exponentAt(at, stop);
    if (written == i32.MIN_VALUE) return 0;
    exponent += written;
  }
  return assembled(mantissa, exponent, sticky);
}

function hexDigit(byte: u8): i32 {
  if (((byte - 0x30) as u8) < 10) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** The Float nearest to mantissa * 2^exponent (plus something below one unit when `sticky`), ties to even. Sets `parsed`. */
function assembled(mantissa: u64, exponent: i32, sticky: bool): f64 {
  if (mantissa == 0) {
    parsed = true;
    return 0;
  }
  const shift = clz<u64>(mantissa) as i32;
  mantissa <<= shift as u64;
  exponent -= shift; // value = mantissa * 2^exponent, top bit set: mantissa in [2^63, 2^64)
  // Bits to drop so that 53 stay, more below the normal range.
  let drop = 11;
  const lowest = -1074 - exponent;
  if (lowest > drop) drop = lowest;
  if (drop > 64) return 0;
  const kept: u64 = drop == 64 ? 0 : mantissa >> (drop as u64);
  const rest: u64 = drop == 64 ? mantissa : mantissa << ((64 - drop) as u64);
  const exact = rest == 0 && !sticky;
  const half: u64 = 0x8000000000000000;
  const roundUp = rest > half || (rest == half && (sticky || (kept & 1) != 0));
  const rounded = kept + (roundUp ? 1 : 0);
  const scale = exponent + drop; // value = rounded * 2^scale
  if (rounded < 0x10000000000000) {
    if (!exact) return 0;
    parsed = true;
    return reinterpret<f64>(rounded); // scale is -1074 here
  }
  // rounded is 2^52 .. 2^53; biased exponent of 2^52 * 2^scale is scale + 52 + 1023.
  const bits = rounded + ((scale + 1074) as u64) * 0x10000000000000;
  if (scale + 1074 > 2045 || bits >= 0x7ff0000000000000) return 0; // overflow
  parsed = true;
  return reinterpret<f64>(bits);
}

/** Powers of ten that a Float holds exactly. */
const POWERS: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]);

/** `ddd.ddde+-d`. */
function decimalFloat(at: usize, stop: usize): f64 {
  const begin = at;
  let mantissa: u64 = 0;
  let taken: i32 = 0; // significant digits in `mantissa`, at most 19
  let lost = false;
  let exponent: i32 = 0;
  let digits: i32 = 0;
  let seenPoint = false;
  for (; at < stop; at++) {
    const byte = load<u8>(at);
    if (byte == 0x2e && !seenPoint) {
      seenPoint = true;
      continue;
    }
    const digit = (byte - 0x30) as u8;
    if (digit > 9) break;
    digits++;
    if (taken < 19) {
      mantissa = mantissa * 10 + digit;
      if (mantissa != 0) taken++;
      if (seenPoint) exponent--;
    } else {
      lost = lost || digit != 0;
      if (!seenPoint) exponent++;
    }
  }
  if (digits == 0) return 0;
  const end = at;
  if (at < stop) {
    if ((load<u8>(at) | 0x20) != 0x65) return 0;
    const written = exponentAt(at, stop);
    if (written == i32.MIN_VALUE) return 0;
    exponent += written;
  }
  if (mantissa == 0) {
    parsed = true;
    return 0;
  }
  if (!lost && mantissa <= 0x20000000000000 && exponent >= -22 && exponent <= 22) {
    parsed = true;
    const power = load<f64>(POWERS + (((exponent < 0 ? -exponent : exponent) as usize) << 3));
    return exponent < 0 ? (mantissa as f64) / power : (mantissa as f64) * power;
  }
  // The decimal point's position relative to the first significant digit decides overflow and underflow early.
  const magnitude = exponent + taken;
  if (magnitude > 310 || magnitude < -330) return 0;
  const bits = nearestFloat(mantissa, exponent);
  // Digits left out can only matter when the next number of 19 digits gives another Float.
  if (bits != 0 && (!lost || nearestFloat(mantissa + 1, exponent) == bits)) {
    parsed = true;
    return reinterpret<f64>(bits);
  }
  return exactFloat(begin, end, magnitude);
}

// -- exact conversion of a decimal of any length: Nigel Tao's "simple decimal conversion". The digits are shifted by powers of two until their
// -- integer part fills a word; what is behind it only decides the rounding.

/** Digits that can matter are 767; more are folded into `truncated`. */
const MAX_DIGITS: i32 = 800;
/** Room in front of the digits: one left shift adds at most 18. */
const HEADROOM: i32 = 24;

let digitsAt: usize = 0;
let digitCount: i32 = 0;
/** The value is 0.ddd * 10^point. */
let point: i32 = 0;
let truncated: bool = false;

function exactFloat(begin: usize, end: usize, magnitude: i32): f64 {
  const cell = alloc((HEADROOM + MAX_DIGITS + HEADROOM) as usize);
  digitsAt = cell + HEADROOM;
  takeDigits(begin, end);
  point = magnitude;
  let exponent: i32 = 0; // the value is digits * 2^exponent
  while (point > 19) {
    const bits = min((point - 19) * 3, 57);
    shiftRight(bits as u64);
    exponent += bits;
  }
  while (point < 18) {
    const bits = min((18 - point) * 3, 57);
    shiftLeft(bits as u64);
    exponent -= bits;
  }
  let mantissa: u64 = 0;
  for (let i: i32 = 0; i < point; i++) mantissa = mantissa * 10 + (i < digitCount ? load<u8>(digitsAt + i) : 0);
  const value = assembled(mantissa, exponent, truncated || digitCount > point);
  free(cell);
  return value;
}

function takeDigits(begin: usize, end: usize): void {
  digitCount = 0;
  truncated = false;
  for (let at = begin; at < end; at++) {
    const digit = (load<u8>(at) - 0x30) as u8;
    if (digit > 9 || (digit == 0 && digitCount == 0)) continue;
    if (digitCount < MAX_DIGITS) store<u8>(digitsAt + digitCount++, digit);
    else truncated = truncated || digit != 0;
  }
  trimZeros();
}

function trimZeros(): void {
  while (digitCount > 0 && load<u8>(digitsAt + digitCount - 1) == 0) digitCount--;
}

/** Divides by 2^bits, bits up to 57. */
function shiftRight(bits: u64): void {
  let read: i32 = 0;
  let write: i32 = 0;
  let n: u64 = 0;
  while (n >> bits == 0) {
    n = n * 10 + (read < digitCount ? load<u8>(digitsAt + read) : 0);
    read++;
  }
  point -= read - 1;
  const mask: u64 = (1 << bits) - 1;
  for (; read < digitCount; read++) {
    store<u8>(digitsAt + write++, (n >> bits) as u8);
    n = (n & mask) * 10 + load<u8>(digitsAt + read);
  }
  while (n > 0) {
    const digit = (n >> bits) as u8;
    n = (n & mask) * 10;
    if (write < MAX_DIGITS) store<u8>(digitsAt + write++, digit);
    else truncated = truncated || digit != 0;
  }
  digitCount = write;
  trimZeros();
}

/** Multiplies by 2^bits, bits up to 57. */
function shiftLeft(bits: u64): void {
  let n: u64 = 0;
  let write: i32 = digitCount;
  while (write > 0 || n > 0) {
    write--;
    if (write >= 0) n += (load<u8>(digitsAt + write) as u64) << bits;
    store<u8>(digitsAt + write, (n % 10) as u8);
    n /= 10;
  }
  const added = -write;
  memory.copy(digitsAt, digitsAt + write, digitCount + added);
  digitCount += added;
  point += added;
  while (digitCount > MAX_DIGITS) truncated = load<u8>(digitsAt + --digitCount) != 0 || truncated;
  trimZeros();
}
