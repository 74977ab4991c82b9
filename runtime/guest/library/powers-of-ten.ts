// The quick way from 19 decimal digits and a power of ten to the nearest Float: a product with the power's first 128 bits, which decides all but the rarest
// cases (Lemire 2021, "Number parsing at a gigabyte per second"; in Tao's form, which says when it cannot tell).
import { high, multiply } from "../wide";

const LEAST: i32 = -342;
const GREATEST: i32 = 308;
/** The powers' bits from the top one down, truncated: lower half, upper half. Made at the first use (all threads make the same). */
const POWERS: usize = memory.data(16 * 651, 8);

/** Bits of the Float nearest to digits * 10^power; 0 when that needs the exact way, also for all that is not a normal number. `digits` is not 0. */
export function nearestFloat(digits: u64, power: i32): u64 {
  if (power < LEAST || power > GREATEST) return 0;
  if (load<u64>(POWERS, 8) == 0) makePowers();
  const entry = POWERS + (((power - LEAST) as usize) << 4);
  const shift = clz<u64>(digits);
  const number = digits << shift;
  // 217706 / 2^16 is log2(10).
  let exponent = (((217706 * power) >> 16) + 64 + 1023) as i64 - (shift as i64);
  let low = multiply(number, load<u64>(entry, 8));
  let top = high;
  if ((top & 0x1ff) == 0x1ff && low + number < number) {
    const lowest = multiply(number, load<u64>(entry));
    const merged = low + high;
    if (merged < low) top++;
    if ((top & 0x1ff) == 0x1ff && merged + 1 == 0 && lowest + number < number) return 0;
    low = merged;
  }
  // 54 bits, one more than there is room for.
  const carry = top >> 63;
  let mantissa = top >> (carry + 9);
  exponent -= (1 ^ carry) as i64;
  // Halfway between two Floats as far as one can see.
  if (low == 0 && (top & 0x1ff) == 0 && (mantissa & 3) == 1) return 0;
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >> 53 != 0) {
    mantissa >>= 1;
    exponent++;
  }
  if (exponent < 1 || exponent > 2046) return 0;
  return ((exponent as u64) << 52) | (mantissa & 0xfffffffffffff);
}

// -- the powers, carried along in 192 bits whose top bit is set

let upper: u64 = 0;
let middle: u64 = 0;
let lower: u64 = 0;

function makePowers(): void {
  start();
  for (let power: i32 = 0; power <= GREATEST; power++) {
    keep(power);
    timesFive();
  }
  start();
  for (let power: i32 = -1; power >= LEAST; power--) {
    overFive();
    keep(power);
  }
}

function start(): void {
  upper = 0x8000000000000000;
  middle = 0;
  lower = 0;
}

function keep(power: i32): void {
  const entry = POWERS + (((power - LEAST) as usize) << 4);
  store<u64>(entry, middle);
  store<u64>(entry, upper, 8);
}

/** Times five and down to 192 bits again. */
function timesFive(): void {
  const first = lower + (lower << 2);
  const fromLower = (lower >> 62) + u64(first < lower);
  const wideMiddle = middle + (middle << 2);
  const second = wideMiddle + fromLower;
  const fromMiddle = (middle >> 62) + u64(wideMiddle < middle) + u64(second < wideMiddle);
  const wideUpper = upper + (upper << 2);
  const third = wideUpper + fromMiddle;
  const over = (upper >> 62) + u64(wideUpper < upper) + u64(third < wideUpper);
  const down: u64 = over >= 4 ? 3 : 2;
  lower = (first >> down) | (second << (64 - down));
  middle = (second >> down) | (third << (64 - down));
  upper = (third >> down) | (over << (64 - down));
}

/** By five, shifted up first so that the top bit is set again. */
function overFive(): void {
  const up: u64 = upper >= 0xa000000000000000 ? 2 : 3;
  let rest = upper >> (64 - up);
  upper = (upper << up) | (middle >> (64 - up));
  middle = (middle << up) | (lower >> (64 - up));
  lower <<= up;
  rest = upperDigits(rest);
  rest = middleDigits(rest);
  lowerDigits(rest);
}

function upperDigits(rest: u64): u64 {
  const head = (rest << 32) | (upper >> 32);
  const tail = (head % 5 << 32) | (upper & 0xffffffff);
  upper = (head / 5 << 32) | tail / 5;
  return tail % 5;
}

function middleDigits(rest: u64): u64 {
  const head = (rest << 32) | (middle >> 32);
  const tail = (head % 5 << 32) | (middle & 0xffffffff);
  middle = (head / 5 << 32) | tail / 5;
  return tail % 5;
}

function lowerDigits(rest: u64): void {
  const head = (rest << 32) | (lower >> 32);
  const tail = (head % 5 << 32) | (lower & 0xffffffff);
  lower = (head / 5 << 32) | tail / 5;
}
