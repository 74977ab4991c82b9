// Text of Floats: C's %g with 6 significant digits and %.Nf, both rounded from the exact binary value, ties to even (03 19.2, 19.4).
// Numbers of ordinary size go through exact 128-bit integers, the others through their decimal expansion.
import { writeDigits } from "./digits";
import { digitsAt, digitsLength, digitsPoint, expand } from "./exact";
import { textAdvance, textByte, textRoom, textWithPoint } from "./text-buffer";
import { comparedToHalf, high, multiply, shiftRight } from "./wide";

const EXPONENT_BITS: u64 = 0x7ff;
const HIDDEN_BIT: u64 = 1 << 52;

/** The number at hand without its sign: mantissa * 2^exponent, mantissa below 2^53. */
let mantissa: u64 = 0;
let exponent: i32 = 0;
/** Decimal exponent of the first digit that `sixDigits` returned. */
let magnitude: i32 = 0;

/** Appends the text of a Float: `%g`. */
export function text_float(value: f64): void {
  if (takeApart(value)) return;
  if (mantissa == 0) {
    textByte(48);
    return;
  }
  const digits = sixDigits();
  if (magnitude < -4 || magnitude >= 6) writeScientific(digits);
  else writePositional(digits);
}

/** Appends `%.Nf`, 0 <= precision <= 17. */
export function text_fixed(value: f64, precision: i32): void {
  if (takeApart(value)) return;
  if (!fixedFromWide(precision)) fixedFromExpansion(precision);
}

/** Writes the sign and what is no number; true when nothing is left to write. */
function takeApart(value: f64): bool {
  const bits = reinterpret<u64>(value);
  if (bits >> 63 != 0) textByte(45);
  const biased = (bits >> 52) & EXPONENT_BITS;
  mantissa = bits & (HIDDEN_BIT - 1);
  if (biased == EXPONENT_BITS) {
    // "inf" or "nan", the first letter in the lowest byte.
    store<u32>(textRoom(4), mantissa == 0 ? 0x666e69 : 0x6e616e);
    textAdvance(3);
    return true;
  }
  if (biased != 0) mantissa |= HIDDEN_BIT;
  exponent = max(biased as i32, 1) - 1075;
  return false;
}

// -- %g

/** The number rounded to six digits, 100000 to 999999; sets `magnitude`. */
function sixDigits(): u32 {
  // floor(log10(number)), or one less: log10(2) is a little more than 1233 / 4096.
  const log2 = exponent + 63 - (clz(mantissa) as i32);
  magnitude = (log2 * 1233) >> 12;
  if (magnitude < -20 || log2 > 62) return sixDigitsFromExpansion();
  let digits = sixDigitsAt(magnitude);
  if (digits >= 1000000) {
    magnitude++;
    digits = sixDigitsAt(magnitude);
    // 999999.5 rounds up to seven digits in either scale.
    if (digits >= 1000000) {
      magnitude++;
      digits /= 10;
    }
  } else if (digits < 100000) {
    magnitude--;
    digits = sixDigitsAt(magnitude);
    if (digits >= 1000000) {
      magnitude++;
      digits /= 10;
    }
  }
  return digits as u32;
}

/** The number times 10^(5 - place), rounded to even. */
function sixDigitsAt(place: i32): u64 {
  if (place > 5) return roundedQuotient(powerOfTen(place - 5));
  const power = 5 - place;
  const low = multiply(mantissa, powerOfFive(power));
  return shiftedToEven(low, high, exponent + power);
}

/** The number, which is below 2^63, divided by `divisor`, an even number, and rounded to even. */
function roundedQuotient(divisor: u64): u64 {
  let whole: u64 = 0;
  let sticky = false;
  if (exponent >= 0) {
    whole = mantissa << (exponent as u64);
  } else if (exponent > -64) {
    whole = mantissa >> (-exponent as u64);
    sticky = whole << (-exponent as u64) != mantissa;
  } else {
    sticky = true;
  }
  const quotient = whole / divisor;
  const rest = whole - quotient * divisor;
  const half = divisor >> 1;
  const up = rest > half || (rest == half && (sticky || (quotient & 1) != 0));
  return quotient + u64(up);
}

/** (low, top) * 2^shift rounded to even; the caller knows that the result fits 64 bits. */
function shiftedToEven(low: u64, top: u64, shift: i32): u64 {
  if (shift >= 0) return low << (shift as u64);
  const bits = -shift as u32;
  // The product has fewer than 128 bits: shifted that far it is below a half.
  if (bits >= 128) return 0;
  const quotient = shiftRight(low, top, bits);
  const compared = comparedToHalf(low, top, bits);
  return quotient + u64(compared > 0 || (compared == 0 && (quotient & 1) != 0));
}

function sixDigitsFromExpansion(): u32 {
  expand(mantissa, exponent);
  let digits = expansionPrefix(6) as u32;
  magnitude = digitsPoint - 1;
  if (digits == 1000000) {
    digits = 100000;
    magnitude++;
  }
  return digits;
}

/** The first `count` digits of the expansion as a number, rounded to even; zeros fill up a shorter expansion. */
function expansionPrefix(count: i32): u64 {
  let prefix: u64 = 0;
  for (let i: i32 = 0; i < count; i++) prefix = prefix * 10 + (i < digitsLength ? load<u8>(digitsAt + i) - 48 : 0);
  return prefix + u64(roundsUp(count, (prefix & 1) != 0));
}

/** Whether what stands in the expansion from digit `count` on rounds up a prefix that is `odd`. */
function roundsUp(count: i32, odd: bool): bool {
  if (count >= digitsLength || count < 0) return false;
  const next = load<u8>(digitsAt + count);
  if (next != 53) return next > 53;
  for (let i = count + 1; i < digitsLength; i++) if (load<u8>(digitsAt + i) != 48) return true;
  return odd;
}

/** `d.ddddde+XX` without trailing zeros. */
function writeScientific(digits: u32): void {
  let count: usize = 6;
  while (digits % 10 == 0) {
    digits /= 10;
    count--;
  }
  const to = textRoom(16);
  writeDigits(to + 1, count, digits);
  store<u8>(to, load<u8>(to, 1));
  store<u8>(to, 46, 1);
  const end = count == 1 ? to + 1 : to + 1 + count;
  const size: u32 = magnitude < 0 ? -magnitude : magnitude;
  store<u8>(end, 101);
  store<u8>(end, magnitude < 0 ? 45 : 43, 1);
  const places: usize = size < 100 ? 2 : 3;
  writeDigits(end + 2, places, size);
  textAdvance(end + 2 + places - to);
}

/** Digits around a point, without trailing zeros behind it. */
function writePositional(digits: u32): void {
  let fraction = 5 - magnitude;
  while (fraction > 0 && digits % 10 == 0) {
    digits /= 10;
    fraction--;
  }
  textWithPoint(digits, fraction);
}

// -- %.Nf

/** For numbers whose digits up to the last asked for fit 64 bits; false for the others. */
function fixedFromWide(precision: i32): bool {
  const low = multiply(mantissa, powerOfFive(precision));
  const top = high;
  const shift = exponent + precision;
  const bits = top != 0 ? 128 - (clz(top) as i32) : 64 - (clz(low) as i32);
  // One bit of room for the rounding.
  if (bits + shift > 63) return false;
  textWithPoint(shiftedToEven(low, top, shift), precision);
  return true;
}

function fixedFromExpansion(precision: i32): void {
  expand(mantissa, exponent);
  // Only numbers with more than 18 digits come here, so there are digits before the point or close behind it.
  const kept = max(digitsPoint + precision, 0);
  const odd = kept > 0 && kept <= digitsLength && (load<u8>(digitsAt + kept - 1) & 1) != 0;
  if (roundsUp(kept, odd)) incrementPrefix(kept);
  const to = textRoom(kept + 2);
  const whole = kept - precision;
  for (let i: i32 = 0; i < whole; i++) store<u8>(to + i, i < digitsLength ? load<u8>(digitsAt + i) : 48);
  textAdvance(whole);
  if (precision == 0) return;
  textByte(46);
  for (let i = whole; i < kept; i++) textByte(i < digitsLength ? load<u8>(digitsAt + i) : 48);
}

/** Adds one to the last of the first `count` digits. A carry out of the first digit cannot occur: see `fixedFromExpansion`. */
function incrementPrefix(count: i32): void {
  let at = digitsAt + count - 1;
  while (load<u8>(at) == 57) {
    store<u8>(at, 48);
    at--;
  }
  store<u8>(at, load<u8>(at) + 1);
}

function powerOfFive(power: i32): u64 {
  let result: u64 = 1;
  let base: u64 = 5;
  for (; power > 0; power >>= 1) {
    if (power & 1) result *= base;
    base *= base;
  }
  return result;
}

function powerOfTen(power: i32): u64 {
  return powerOfFive(power) << (power as u64);
}
