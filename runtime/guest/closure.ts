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

/** `|left - right| <= tolerance` of Decimals, each in two halves. */
export function closure_holds_decimal(leftLow: i64, leftHigh: i64, rightLow: i64, rightHigh: i64, low: i64, high: i64): i32 {
  let differenceLow = leftLow - rightLow;
  let differenceHigh = leftHigh - rightHigh - i64((leftLow as u64) < (rightLow as u64));
  if (differenceHigh < 0) {
    differenceLow = -differenceLow;
    differenceHigh = ~differenceHigh + i64(differenceLow == 0);
  }
  return i32(differenceHigh < high || (differenceHigh == high && (differenceLow as u64) <= (low as u64)));
}

/** A Decimal's units as a Float. */
export function closure_decimal_float(low: i64, high: i64): f64 {
  return ((high as f64) * 18446744073709551616.0 + (low as u64 as f64)) / 1e9;
}
