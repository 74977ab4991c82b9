// Decimal digits of unsigned numbers.

/** How many there are; at least 1. */
export function digitCount(value: u64): usize {
  let count: usize = 1;
  while (value >= 10000) {
    value /= 10000;
    count += 4;
  }
  if (value >= 1000) return count + 3;
  if (value >= 100) return count + 2;
  return value >= 10 ? count + 1 : count;
}

/** Writes exactly `count` digits, zeros in front. */
export function writeDigits(to: usize, count: usize, value: u64): void {
  let at = to + count;
  // Two digits a step: a 64-bit division by a constant is a multiplication, but a long one.
  while (at >= to + 2) {
    at -= 2;
    const rest = value / 100;
    const pair = (value - rest * 100) as u32;
    const tens = pair / 10;
    store<u8>(at, (48 + tens) as u8);
    store<u8>(at, (48 + pair - tens * 10) as u8, 1);
    value = rest;
  }
  if (at > to) store<u8>(to, (48 + (value % 10)) as u8);
}
