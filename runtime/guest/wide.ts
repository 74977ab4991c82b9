// 64 by 64 bit multiplication and unsigned numbers of 128 bits, for exact decimals. A function with a two-word result returns the low word and
// leaves the high one in `high`.

/** High word of the last two-word result. Per thread, like every global. */
export let high: u64 = 0;

export function setHigh(value: u64): void {
  high = value;
}

/** a * b. */
export function multiply(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const low = aLow * bLow;
  const middle = aHigh * bLow + (low >> 32);
  const other = aLow * bHigh + (middle & 0xffffffff);
  high = aHigh * bHigh + (middle >> 32) + (other >> 32);
  return (other << 32) | (low & 0xffffffff);
}

/** -(low, top) in two's complement. */
export function negate(low: u64, top: u64): u64 {
  high = ~top + u64(low == 0);
  return 0 - low;
}

/** (low, top) >> bits, 0 <= bits < 128. */
export function shiftRight(low: u64, top: u64, bits: u32): u64 {
  if (bits == 0) {
    high = top;
    return low;
  }
  if (bits >= 64) {
    high = 0;
    return top >> ((bits - 64) as u64);
  }
  high = top >> (bits as u64);
  return (low >> (bits as u64)) | (top << ((64 - bits) as u64));
}

/** Whether the lowest `bits` bits of (low, top), 1 <= bits <= 128, are more than a half (1), a half (0) or less (-1) of 2^bits. */
export function comparedToHalf(low: u64, top: u64, bits: u32): i32 {
  if (bits > 64) {
    const rest = bits == 128 ? top : top & (((1 as u64) << ((bits - 64) as u64)) - 1);
    const half = (1 as u64) << ((bits - 65) as u64);
    if (rest != half) return rest > half ? 1 : -1;
    return low != 0 ? 1 : 0;
  }
  const rest = bits == 64 ? low : low & (((1 as u64) << (bits as u64)) - 1);
  const half = (1 as u64) << ((bits - 1) as u64);
  return rest == half ? 0 : rest > half ? 1 : -1;
}
