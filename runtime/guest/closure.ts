// Arithmetic of closures (reference 05b 5b.2 to 5b.4).
import { __clock_monotonic } from "./library/time";

/** Monotonic time in nanoseconds: from when a `duration` closure counts. */
export function closure_clock(): i64 {
  return __clock_monotonic();
}

/** Whether `period` has passed since the time at `address`; then that time is now. */
export function closure_due(address: usize, period: i64): i32 {
  const now = __clock_monotonic();
  if (now - load<i64>(address) < period) return 0;
  store<i64>(address, now);
  return 1;
}

/** `|left - right| <= tolerance` of Ints. The distance of any two fits without a sign. */
export function closure_holds(left: i64, right: i64, tolerance: i64): i32 {
  const distance = left < right ? right - left : left - right;
  return i32(tolerance >= 0 && (distance as u64) <= (tolerance as u64));
}

/** The same of Decimals, each in two halves. */
export function closure_holds_decimal(leftLow: i64, leftHigh: i64, rightLow: i64, rightHigh: i64, low: i64, high: i64): i32 {
  if (high < 0) return 0;
  if (leftHigh < rightHigh || (leftHigh == rightHigh && (leftLow as u64) < (rightLow as u64))) return isWithin(rightLow, rightHigh, leftLow, leftHigh, low, high);
  return isWithin(leftLow, leftHigh, rightLow, rightHigh, low, high);
}

/** `greater - less <= tolerance`, the difference without a sign. */
function isWithin(greaterLow: i64, greaterHigh: i64, lessLow: i64, lessHigh: i64, low: i64, high: i64): i32 {
  const distanceLow = greaterLow - lessLow;
  const distanceHigh = (greaterHigh - lessHigh - i64((greaterLow as u64) < (lessLow as u64))) as u64;
  return i32(distanceHigh < (high as u64) || (distanceHigh == (high as u64) && (distanceLow as u64) <= (low as u64)));
}

/** A Decimal's units as a Float. */
export function closure_decimal_float(low: i64, high: i64): f64 {
  return ((high as f64) * 18446744073709551616.0 + (low as u64 as f64)) / 1e9;
}
