// The exact decimal expansion of a binary number m * 2^e: every Float has one, of at most 767 significant digits. Long arithmetic on 32-bit limbs,
// least first; for the numbers that fit no machine word (`float-text`).
import { allocateUncounted } from "./memory";
import { WORKSPACE, thread } from "./thread";

/** Limbs: the longest number is 2^53 * 5^1074, of 2547 bits. */
const LIMBS_SIZE: usize = 512;
const DIGITS_SIZE: usize = 1024;
const BILLION: u64 = 1000000000;
const FIVE_TO_13: u32 = 1220703125;

let limbs: usize = 0;
let limbCount: usize = 0;

/** The result: ASCII digits without leading zeros, and how many of them stand before the point (negative: zeros follow it). */
export let digitsAt: usize = 0;
export let digitsLength: i32 = 0;
export let digitsPoint: i32 = 0;

/** Expands mantissa * 2^exponent, mantissa not 0; the digits are valid until the thread's next call. */
export function expand(mantissa: u64, exponent: i32): void {
  const zeros = ctz(mantissa) as i32;
  mantissa >>= zeros as u64;
  exponent += zeros;
  limbs = workspace();
  store<u64>(limbs, mantissa);
  limbCount = mantissa >> 32 != 0 ? 2 : 1;
  if (exponent >= 0) shiftLeft(exponent);
  // m * 2^-n = m * 5^n / 10^n
  else timesPowerOfFive(-exponent);
  writeExpansion();
  digitsPoint = exponent >= 0 ? digitsLength : digitsLength + exponent;
}

/** Memory for long arithmetic of the calling thread, 1.5 KiB. Whoever takes it is done with it before anything else may take it. */
export function workspace(): usize {
  let space = load<usize>(thread(), WORKSPACE);
  if (space == 0) {
    space = allocateUncounted(LIMBS_SIZE + DIGITS_SIZE);
    store<usize>(thread(), space, WORKSPACE);
  }
  return space;
}

function shiftLeft(bits: i32): void {
  const words = (bits >> 5) as usize;
  const rest = (bits & 31) as u64;
  let carry: u64 = 0;
  for (let i: usize = 0; i < limbCount; i++) {
    carry |= (load<u32>(limbs + (i << 2)) as u64) << rest;
    store<u32>(limbs + (i << 2), carry as u32);
    carry >>= 32;
  }
  if (carry != 0) push(carry as u32);
  memory.copy(limbs + (words << 2), limbs, limbCount << 2);
  memory.fill(limbs, 0, words << 2);
  limbCount += words;
}

function timesPowerOfFive(power: i32): void {
  for (; power >= 13; power -= 13) times(FIVE_TO_13);
  let factor: u32 = 1;
  for (; power > 0; power--) factor *= 5;
  times(factor);
}

function times(factor: u32): void {
  let carry: u64 = 0;
  for (let i: usize = 0; i < limbCount; i++) {
    carry += (load<u32>(limbs + (i << 2)) as u64) * factor;
    store<u32>(limbs + (i << 2), carry as u32);
    carry >>= 32;
  }
  if (carry != 0) push(carry as u32);
}

function push(limb: u32): void {
  store<u32>(limbs + (limbCount << 2), limb);
  limbCount++;
}

/** Writes the digits of the number, from the back of the workspace to the front; the number is zero afterwards. */
function writeExpansion(): void {
  const end = limbs + LIMBS_SIZE + DIGITS_SIZE;
  let at = end;
  while (limbCount > 0) {
    let chunk = remainderOfBillion();
    for (let i = 0; i < 9; i++) {
      at--;
      store<u8>(at, (48 + (chunk % 10)) as u8);
      chunk /= 10;
    }
  }
  while (load<u8>(at) == 48) at++;
  digitsAt = at;
  digitsLength = (end - at) as i32;
}

/** Divides the number by 10^9. */
function remainderOfBillion(): u32 {
  let rest: u64 = 0;
  for (let i = limbCount; i > 0; i--) {
    const at = limbs + ((i - 1) << 2);
    const part = (rest << 32) | load<u32>(at);
    const quotient = part / BILLION;
    store<u32>(at, quotient as u32);
    rest = part - quotient * BILLION;
  }
  while (limbCount > 0 && load<u32>(limbs + ((limbCount - 1) << 2)) == 0) limbCount--;
  return rest as u32;
}
