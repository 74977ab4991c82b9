// Primitives of std::decimal. A Decimal argument is its two halves.
import { decimal_to_float, text_decimal_fixed } from "../decimal";
import { text_begin, text_finish } from "../text";

export function __decimal_to_float(low: u64, high: u64): f64 {
  return decimal_to_float(low, high);
}

export function __decimal_format(low: u64, high: u64, places: i64): usize {
  text_begin();
  text_decimal_fixed(low, high, places as i32);
  return text_finish();
}
