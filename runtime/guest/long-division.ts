// Division of numbers of several 32-bit limbs, least limb first (Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D).

/**
 * Divides the `length` limbs at `dividend` by the `divisorLength` >= 2 limbs at `divisor`, whose highest is not 0, `length` >= `divisorLength`. The
 * quotient's `length - divisorLength + 1` limbs go to `quotient`; the remainder replaces the dividend, whose limb behind the last is used too.
 */
export function divideLimbs(dividend: usize, length: i32, divisor: usize, divisorLength: i32, quotient: usize): void {
  const shift = clz<u32>(limb(divisor, divisorLength - 1) as u32);
  store<u32>(dividend + ((length as usize) << 2), 0);
  shiftUp(dividend, length + 1, shift);
  shiftUp(divisor, divisorLength, shift);
  for (let place = length - divisorLength; place >= 0; place--) {
    const part = dividend + ((place as usize) << 2);
    store<u32>(quotient + ((place as usize) << 2), quotientLimb(part, divisor, divisorLength));
  }
  shiftDown(dividend, divisorLength, shift);
}

// @ts-ignore: decorator
@inline
function limb(number: usize, index: i32): u64 {
  return load<u32>(number + ((index as usize) << 2)) as u64;
}

/** Steps D3 to D6: one limb of the quotient; its multiple of the divisor is taken off the dividend. */
function quotientLimb(part: usize, divisor: usize, n: i32): u32 {
  const top = (limb(part, n) << 32) | limb(part, n - 1);
  const first = limb(divisor, n - 1);
  let guess = top / first;
  let rest = top - guess * first;
  while (guess >> 32 != 0 || guess * limb(divisor, n - 2) > ((rest << 32) | limb(part, n - 2))) {
    guess--;
    rest += first;
    if (rest >> 32 != 0) break;
  }
  if (subtractMultiple(part, divisor, n, guess)) {
    guess--;
    addBack(part, divisor, n);
  }
  return guess as u32;
}

/** part -= guess * divisor; whether that was too much. */
function subtractMultiple(part: usize, divisor: usize, n: i32, guess: u64): bool {
  let carry: u64 = 0;
  let borrow: u64 = 0;
  for (let i: i32 = 0; i < n; i++) {
    carry += guess * limb(divisor, i);
    const difference = limb(part, i) - (carry & 0xffffffff) - borrow;
    store<u32>(part + ((i as usize) << 2), difference as u32);
    borrow = (difference >> 32) & 1;
    carry >>= 32;
  }
  const difference = limb(part, n) - carry - borrow;
  store<u32>(part + ((n as usize) << 2), difference as u32);
  return ((difference >> 32) & 1) != 0;
}

function addBack(part: usize, divisor: usize, n: i32): void {
  let carry: u64 = 0;
  for (let i: i32 = 0; i < n; i++) {
    carry += limb(part, i) + limb(divisor, i);
    store<u32>(part + ((i as usize) << 2), carry as u32);
    carry >>= 32;
  }
  store<u32>(part + ((n as usize) << 2), (limb(part, n) + carry) as u32);
}

function shiftUp(number: usize, length: i32, bits: u32): void {
  let carry: u64 = 0;
  for (let i: i32 = 0; i < length; i++) {
    carry |= limb(number, i) << (bits as u64);
    store<u32>(number + ((i as usize) << 2), carry as u32);
    carry >>= 32;
  }
}

function shiftDown(number: usize, length: i32, bits: u32): void {
  for (let i: i32 = 0; i < length; i++) {
    const above: u64 = i + 1 < length ? limb(number, i + 1) << 32 : 0;
    store<u32>(number + ((i as usize) << 2), ((above | limb(number, i)) >> (bits as u64)) as u32);
  }
}
