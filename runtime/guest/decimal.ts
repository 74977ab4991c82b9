// Decimal: a 128-bit two's complement count of 10^-9 (03 section 7), handed over as its low and its high word. Sums, differences and comparisons
// are generated inline; products, quotients, remainders and text are here. Results go to the result area.
import { writeDigits } from "./digits";
import { workspace } from "./exact";
import { divideLimbs } from "./long-division";
import { panic_division } from "./panic";
import { insertPoint, textAdvance, textByte, textRoom, textWithPoint } from "./text-buffer";
import { result_area } from "./thread";
import { comparedToHalf, high, multiply, negate, setHigh, shiftRight } from "./wide";

const UNIT: u32 = 1000000000;
const UNIT_DIGITS: i32 = 9;
/** Digits of a 128-bit number, in whole groups of 9. */
const MOST_DIGITS: usize = 45;
/** Where the long division has its divisor and its quotient in the workspace; the dividend is at its start. */
const DIVISOR: usize = 64;
const QUOTIENT: usize = 128;

/** Two magnitudes of 128 bits; `takeOperands` fills them. */
let leftLow: u64 = 0;
let leftHigh: u64 = 0;
let rightLow: u64 = 0;
let rightHigh: u64 = 0;
/** What `divideSmall` left over. */
let rest: u32 = 0;

/** a * b, cut toward zero to 9 digits. */
export function decimal_multiply(aLow: u64, aHigh: u64, bLow: u64, bHigh: u64): void {
  const negative = takeOperands(aLow, aHigh, bLow, bHigh);
  if (leftHigh == 0 && rightHigh == 0) {
    const low = multiply(leftLow, rightLow);
    const top = high;
    const quotient = divideSmall(low, top, UNIT);
    giveSigned(quotient, high, negative);
  } else {
    multiplyWide(negative);
  }
}

/** a / b, cut toward zero to 9 digits. */
export function decimal_divide(aLow: u64, aHigh: u64, bLow: u64, bHigh: u64): void {
  const negative = takeOperands(aLow, aHigh, bLow, bHigh);
  if ((rightLow | rightHigh) == 0) panic_division();
  if (leftHigh == 0 && rightHigh == 0 && leftLow <= u64.MAX_VALUE / UNIT) {
    giveSigned((leftLow * UNIT) / rightLow, 0, negative);
    return;
  }
  // The dividend times 10^9: 158 bits at most.
  const low = multiply(leftLow, UNIT);
  const middle = high;
  const upper = multiply(leftHigh, UNIT);
  const second = middle + upper;
  const third = high + u64(second < middle);
  const space = workspace();
  store<u64>(space, low);
  store<u64>(space, second, 8);
  store<u64>(space, third, 16);
  divideByRight(space);
  giveSigned(load<u64>(space, QUOTIENT), load<u64>(space, QUOTIENT + 8), negative);
}

/** a % b, with the sign of a. */
export function decimal_remainder(aLow: u64, aHigh: u64, bLow: u64, bHigh: u64): void {
  takeOperands(aLow, aHigh, bLow, bHigh);
  if ((rightLow | rightHigh) == 0) panic_division();
  const negative = aHigh >> 63 != 0;
  if (leftHigh == 0 && rightHigh == 0) {
    giveSigned(leftLow % rightLow, 0, negative);
    return;
  }
  const space = workspace();
  store<u64>(space, leftLow);
  store<u64>(space, leftHigh, 8);
  store<u64>(space, 0, 16);
  divideByRight(space);
  giveSigned(load<u64>(space), load<u64>(space, 8), negative);
}

/** The nearest Float. */
export function decimal_to_float(low: u64, top: u64): f64 {
  const negative = takeMagnitude(low, top);
  if ((leftLow | leftHigh) == 0) return 0;
  // count / 10^9 = (count << shift) / 5^9 * 2^(-9 - shift), with 107 or more bits in the quotient.
  const shift = (leftHigh != 0 ? clz(leftHigh) : 64 + clz(leftLow)) as u32;
  shiftLeft(shift);
  const quotient = divideSmall(leftLow, leftHigh, 1953125);
  // Ties to even need to know whether anything was cut off: a bit far below the rounding point says so.
  const value = toFloat(quotient | u64(rest != 0), high, -9 - (shift as i32));
  return negative ? -value : value;
}

/** Appends the minimal text: no trailing zeros, no trailing point (03 7.5). */
export function text_decimal(low: u64, top: u64): void {
  if (takeMagnitude(low, top)) textByte(45);
  let fraction = UNIT_DIGITS;
  let countLow = leftLow;
  let countHigh = leftHigh;
  while (fraction > 0) {
    const shorter = divideSmall(countLow, countHigh, 10);
    if (rest != 0) break;
    countLow = shorter;
    countHigh = high;
    fraction--;
  }
  textWide(countLow, countHigh, fraction);
}

/** Appends the text with exactly `precision` digits behind the point, halves away from zero; no sign on a zero. */
export function text_decimal_fixed(low: u64, top: u64, precision: i32): void {
  const negative = takeMagnitude(low, top);
  const digits = max(precision, 0);
  if (digits < UNIT_DIGITS) roundMagnitude(UNIT_DIGITS - digits);
  if (negative && (leftLow | leftHigh) != 0) textByte(45);
  textWide(leftLow, leftHigh, min(digits, UNIT_DIGITS));
  for (let i = UNIT_DIGITS; i < digits; i++) textByte(48);
}

// -- operands and results

/** Puts the magnitudes into `left` and `right`; whether the signs differ. */
function takeOperands(aLow: u64, aHigh: u64, bLow: u64, bHigh: u64): bool {
  const bNegative = takeMagnitude(bLow, bHigh);
  rightLow = leftLow;
  rightHigh = leftHigh;
  return takeMagnitude(aLow, aHigh) != bNegative;
}

/** Puts the magnitude into `left`; whether the number is negative. */
function takeMagnitude(low: u64, top: u64): bool {
  leftLow = low;
  leftHigh = top;
  if (top >> 63 == 0) return false;
  leftLow = negate(low, top);
  leftHigh = high;
  return true;
}

function giveSigned(low: u64, top: u64, negative: bool): void {
  const area = result_area;
  if (negative) {
    store<u64>(area, negate(low, top));
    store<u64>(area, high, 8);
  } else {
    store<u64>(area, low);
    store<u64>(area, top, 8);
  }
}

// -- long arithmetic

/** The low 128 bits of left * right / 10^9. */
function multiplyWide(negative: bool): void {
  const w0 = multiply(leftLow, rightLow);
  let w1 = high;
  const crossA = multiply(leftLow, rightHigh);
  let w2 = high;
  w1 += crossA;
  w2 += u64(w1 < crossA);
  const crossB = multiply(leftHigh, rightLow);
  let carry = high;
  w1 += crossB;
  carry += u64(w1 < crossB);
  w2 += carry;
  let w3 = u64(w2 < carry);
  const upper = multiply(leftHigh, rightHigh);
  w3 += high;
  w2 += upper;
  w3 += u64(w2 < upper);
  rest = 0;
  divideStep(w3);
  divideStep(w2);
  const top = divideStep(w1);
  giveSigned(divideStep(w0), top, negative);
}

/** (rest, word) / 10^9: one word of a long division. */
function divideStep(word: u64): u64 {
  const upper = ((rest as u64) << 32) | (word >> 32);
  const first = upper / UNIT;
  const lower = ((upper - first * UNIT) << 32) | (word & 0xffffffff);
  const second = lower / UNIT;
  rest = (lower - second * UNIT) as u32;
  return (first << 32) | second;
}

/** (low, top) / divisor; the remainder goes to `rest`. */
function divideSmall(low: u64, top: u64, divisor: u32): u64 {
  if (top == 0) {
    const quotient = low / divisor;
    rest = (low - quotient * divisor) as u32;
    setHigh(0);
    return quotient;
  }
  const highQuotient = top / divisor;
  const upper = ((top - highQuotient * divisor) << 32) | (low >> 32);
  const first = upper / divisor;
  const lower = ((upper - first * divisor) << 32) | (low & 0xffffffff);
  const second = lower / divisor;
  rest = (lower - second * divisor) as u32;
  setHigh(highQuotient);
  return (first << 32) | second;
}

/** Divides the six limbs at `space` by `right`: the quotient goes to its place, the remainder replaces the dividend. */
function divideByRight(space: usize): void {
  store<u64>(space, rightLow, DIVISOR);
  store<u64>(space, rightHigh, DIVISOR + 8);
  memory.fill(space + QUOTIENT, 0, 32);
  const length = usedLimbs(space, 6);
  const divisorLength = usedLimbs(space + DIVISOR, 4);
  if (length < divisorLength) return;
  if (divisorLength > 1) divideLimbs(space, length, space + DIVISOR, divisorLength, space + QUOTIENT);
  else divideByLimb(space, length, rightLow as u32);
}

function divideByLimb(space: usize, length: i32, divisor: u32): void {
  let left: u64 = 0;
  for (let i = length - 1; i >= 0; i--) {
    const at = space + ((i as usize) << 2);
    const part = (left << 32) | load<u32>(at);
    const quotient = part / divisor;
    store<u32>(at, quotient as u32, QUOTIENT);
    store<u32>(at, 0);
    left = part - quotient * divisor;
  }
  store<u32>(space, left as u32);
}

function usedLimbs(number: usize, most: i32): i32 {
  while (most > 0 && load<u32>(number + (((most - 1) as usize) << 2)) == 0) most--;
  return most;
}

/** left <<= bits; nothing is lost at the top. */
function shiftLeft(bits: u32): void {
  if (bits >= 64) {
    leftHigh = leftLow << ((bits - 64) as u64);
    leftLow = 0;
  } else if (bits > 0) {
    leftHigh = (leftHigh << (bits as u64)) | (leftLow >> ((64 - bits) as u64));
    leftLow <<= bits as u64;
  }
}

/** left = left / 10^places, halves away from zero; 1 <= places <= 9. */
function roundMagnitude(places: i32): void {
  let power: u32 = 1;
  for (let i: i32 = 0; i < places; i++) power *= 10;
  leftLow = divideSmall(leftLow, leftHigh, power);
  leftHigh = high;
  if (rest >= power - rest) {
    leftLow++;
    if (leftLow == 0) leftHigh++;
  }
}

/** The Float nearest to (low, top) * 2^exponent, ties to even; 54 or more significant bits, the last of which may be a sticky one. */
function toFloat(low: u64, top: u64, exponent: i32): f64 {
  const bits: u32 = (top != 0 ? 128 - clz(top) : 64 - clz(low)) as u32;
  const drop = bits - 53;
  let mantissa = shiftRight(low, top, drop);
  const compared = comparedToHalf(low, top, drop);
  if (compared > 0 || (compared == 0 && (mantissa & 1) != 0)) mantissa++;
  const scale = reinterpret<f64>(((exponent + (drop as i32) + 1023) as u64) << 52);
  return (mantissa as f64) * scale;
}

/** Appends (low, top) with its last `fraction` digits behind a point. */
function textWide(low: u64, top: u64, fraction: i32): void {
  if (top == 0) {
    textWithPoint(low, fraction);
    return;
  }
  const to = textRoom(MOST_DIGITS + 1);
  for (let at = to + MOST_DIGITS; at > to; ) {
    at -= 9;
    low = divideSmall(low, top, UNIT);
    top = high;
    writeDigits(at, 9, rest);
  }
  let first = to;
  while (load<u8>(first) == 48) first++;
  const count = to + MOST_DIGITS - first;
  memory.copy(to, first, count);
  if (fraction != 0) insertPoint(to, count, fraction);
  textAdvance(count + usize(fraction != 0));
}
