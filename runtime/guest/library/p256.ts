// ECDSA over the curve P-256 (FIPS 186-5, SEC 1). Numbers are 256 bits in eight little-endian words; products are Montgomery's (a * b / 2^256).
import * as host from "../host";
import { alloc, free } from "../memory";
import { BYTES, lengthOf, newBytes } from "./cell";

const SIZE: usize = 32;
const WORDS: usize = 8;

/** The field's prime p = 2^256 - 2^224 + 2^192 + 2^96 - 1, and the order n of the group. */
const P: usize = memory.data<u32>([0xffffffff, 0xffffffff, 0xffffffff, 0, 0, 0, 1, 0xffffffff]);
const N: usize = memory.data<u32>([0xfc632551, 0xf3b9cac2, 0xa7179e84, 0xbce6faad, 0xffffffff, 0xffffffff, 0, 0xffffffff]);
/** -1 / modulus, modulo 2^32. */
const P_FACTOR: u32 = 1;
const N_FACTOR: u32 = 0xee00bc4f;
/** 2^512 modulo p and n: a product with it brings a number into Montgomery's form. */
const P_SQUARE: usize = memory.data<u32>([0x00000003, 0x00000000, 0xffffffff, 0xfffffffb, 0xfffffffe, 0xffffffff, 0xfffffffd, 0x00000004]);
const N_SQUARE: usize = memory.data<u32>([0xbe79eea2, 0x83244c95, 0x49bd6fa6, 0x4699799c, 0x2b6bec59, 0x2845b239, 0xf3d95620, 0x66e12d94]);
/** The curve's b and the generator's coordinates. */
const B: usize = memory.data<u32>([0x27d2604b, 0x3bce3c3e, 0xcc53b0f6, 0x651d06b0, 0x769886bc, 0xb3ebbd55, 0xaa3a93e7, 0x5ac635d8]);
const GX: usize = memory.data<u32>([0xd898c296, 0xf4a13945, 0x2deb33a0, 0x77037d81, 0x63a440f2, 0xf8bce6e5, 0xe12c4247, 0x6b17d1f2]);
const GY: usize = memory.data<u32>([0x37bf51f5, 0xcbb64068, 0x6b315ece, 0x2bce3357, 0x7c0f9e16, 0x8ee7eb4a, 0xfe1a7f9b, 0x4fe342e2]);

/** Working memory: numbers handed out one after the other, given back all at once. */
let work: usize = 0;
let next: usize = 0;

function begin(): void {
  work = alloc(160 * SIZE);
  next = work;
}

function end(): void {
  memory.fill(work, 0, 160 * SIZE);
  free(work);
}

function number(): usize {
  const at = next;
  next += SIZE;
  return at;
}

/** The signature of a 32-byte digest with the private key of 32 bytes, big-endian: r and s, 64 bytes. Empty when the key is no number from 1 to n - 1. */
export function __p256_sign(key: usize, digest: usize): usize {
  if (lengthOf(key) != 32 || lengthOf(digest) != 32) return 0;
  begin();
  const d = number();
  fromBytes(d, key + BYTES);
  if (isZero(d) || !isBelow(d, N)) {
    end();
    return 0;
  }
  const e = number();
  fromBytes(e, digest + BYTES);
  if (!isBelow(e, N)) subtractNumber(e, e, N);
  const result = newBytes(64);
  const r = number();
  const s = number();
  const k = number();
  const mark = next;
  do {
    next = mark;
    do host.random(k, SIZE as i32);
    while (isZero(k) || !isBelow(k, N));
    const point = newPoint();
    multiplyPoint(point, k, GX, GY);
    affineX(r, point);
    if (!isBelow(r, N)) subtractNumber(r, r, N);
    // s = (e + r d) / k; products of a plain and a Montgomery number are plain.
    const dm = number();
    multiply(dm, d, N_SQUARE, N, N_FACTOR);
    multiply(s, r, dm, N, N_FACTOR);
    add(s, s, e, N);
    const inverse = number();
    invert(inverse, k, N, N_FACTOR, N_SQUARE);
    multiply(s, s, inverse, N, N_FACTOR);
  } while (isZero(r) || isZero(s));
  toBytes(result + BYTES, r);
  toBytes(result + BYTES + SIZE, s);
  end();
  return result;
}

/** Whether r and s (64 bytes) sign the digest under the public key, a point of 64 bytes. */
export function __p256_verify(point: usize, digest: usize, signature: usize): bool {
  if (lengthOf(point) != 64 || lengthOf(digest) != 32 || lengthOf(signature) != 64) return false;
  begin();
  const valid = verify(point, digest, signature);
  end();
  return valid;
}

function verify(point: usize, digest: usize, signature: usize): bool {
  const x = number();
  const y = number();
  fromBytes(x, point + BYTES);
  fromBytes(y, point + BYTES + SIZE);
  const r = number();
  const s = number();
  fromBytes(r, signature + BYTES);
  fromBytes(s, signature + BYTES + SIZE);
  if (isZero(r) || isZero(s) || !isBelow(r, N) || !isBelow(s, N) || !isOnCurve(x, y)) return false;
  const e = number();
  fromBytes(e, digest + BYTES);
  if (!isBelow(e, N)) subtractNumber(e, e, N);
  const inverse = number();
  invert(inverse, s, N, N_FACTOR, N_SQUARE);
  const u1 = number();
  const u2 = number();
  multiply(u1, e, inverse, N, N_FACTOR);
  multiply(u2, r, inverse, N, N_FACTOR);
  const left = newPoint();
  const right = newPoint();
  multiplyPoint(left, u1, GX, GY);
  multiplyPoint(right, u2, x, y);
  addPoints(left, left, right);
  if (isZero(left + 2 * SIZE)) return false;
  const v = number();
  affineX(v, left);
  if (!isBelow(v, N)) subtractNumber(v, v, N);
  return memory.compare(v, r, SIZE) == 0;
}

function isOnCurve(x: usize, y: usize): bool {
  if (!isBelow(x, P) || !isBelow(y, P)) return false;
  const xm = number();
  const left = number();
  const right = number();
  const t = number();
  toField(xm, x);
  toField(left, y);
  multiplyField(left, left, left);
  // x^3 - 3x + b
  multiplyField(right, xm, xm);
  multiplyField(right, right, xm);
  for (let i = 0; i < 3; i++) subtract(right, right, xm, P);
  toField(t, B);
  add(right, right, t, P);
  return memory.compare(left, right, SIZE) == 0;
}

// -- points in Jacobian coordinates (X / Z^2, Y / Z^3), Montgomery's form; Z = 0 is the point at infinity

function newPoint(): usize {
  const point = next;
  next += 3 * SIZE;
  memory.fill(point, 0, 3 * SIZE);
  return point;
}

/** result = scalar * (x, y), plain affine coordinates. Goes through all 256 bits, adding or pretending to. */
function multiplyPoint(result: usize, scalar: usize, x: usize, y: usize): void {
  const mark = next;
  const base = newPoint();
  toField(base, x);
  toField(base + SIZE, y);
  one(base + 2 * SIZE);
  const sum = newPoint();
  const added = newPoint();
  for (let i: i32 = 255; i >= 0; i--) {
    doublePoint(sum, sum);
    addPoints(added, sum, base);
    const bit = (load<u32>(scalar + ((i >> 5) << 2)) >> (i & 31)) & 1;
    select(sum, added, bit);
  }
  memory.copy(result, sum, 3 * SIZE);
  next = max(mark, result + 3 * SIZE);
}

/** target = source when `bit` is 1, without a branch. */
function select(target: usize, source: usize, bit: u32): void {
  const mask = 0 - bit;
  for (let i: usize = 0; i < 3 * SIZE; i += 4) store<u32>(target + i, load<u32>(target + i) ^ ((load<u32>(target + i) ^ load<u32>(source + i)) & mask));
}

/** "dbl-2001-b" (Bernstein, Lange: explicit-formulas database, a = -3). */
function doublePoint(result: usize, p: usize): void {
  const mark = next;
  const delta = number();
  const gamma = number();
  const beta = number();
  const alpha = number();
  const t = number();
  const x = p;
  const y = p + SIZE;
  const z = p + 2 * SIZE;
  multiplyField(delta, z, z);
  multiplyField(gamma, y, y);
  multiplyField(beta, x, gamma);
  subtract(alpha, x, delta, P);
  add(t, x, delta, P);
  multiplyField(alpha, alpha, t);
  add(t, alpha, alpha, P);
  add(alpha, alpha, t, P);
  // Z = (Y + Z)^2 - gamma - delta
  add(t, y, z, P);
  multiplyField(t, t, t);
  subtract(t, t, gamma, P);
  subtract(result + 2 * SIZE, t, delta, P);
  // X = alpha^2 - 8 beta
  add(beta, beta, beta, P);
  add(beta, beta, beta, P);
  multiplyField(t, alpha, alpha);
  subtract(t, t, beta, P);
  subtract(result, t, beta, P);
  // Y = alpha (4 beta - X) - 8 gamma^2
  subtract(t, beta, result, P);
  multiplyField(t, alpha, t);
  multiplyField(gamma, gamma, gamma);
  for (let i = 0; i < 3; i++) add(gamma, gamma, gamma, P);
  subtract(result + SIZE, t, gamma, P);
  next = mark;
}

/** "add-2007-bl", with the cases it leaves out. */
function addPoints(result: usize, p: usize, q: usize): void {
  if (isZero(p + 2 * SIZE)) {
    memory.copy(result, q, 3 * SIZE);
    return;
  }
  if (isZero(q + 2 * SIZE)) {
    memory.copy(result, p, 3 * SIZE);
    return;
  }
  const mark = next;
  const z1 = number();
  const z2 = number();
  const u1 = number();
  const u2 = number();
  const s1 = number();
  const s2 = number();
  multiplyField(z1, p + 2 * SIZE, p + 2 * SIZE);
  multiplyField(z2, q + 2 * SIZE, q + 2 * SIZE);
  multiplyField(u1, p, z2);
  multiplyField(u2, q, z1);
  multiplyField(s1, p + SIZE, q + 2 * SIZE);
  multiplyField(s1, s1, z2);
  multiplyField(s2, q + SIZE, p + 2 * SIZE);
  multiplyField(s2, s2, z1);
  const h = number();
  const r = number();
  subtract(h, u2, u1, P);
  subtract(r, s2, s1, P);
  if (isZero(h)) {
    next = mark;
    if (isZero(r)) doublePoint(result, p);
    else memory.fill(result, 0, 3 * SIZE);
    return;
  }
  addDifferent(result, p, q, h, r, u1, s1);
  next = mark;
}

/** The sum of two points whose x differ: h = U2 - U1, r = S2 - S1. */
function addDifferent(result: usize, p: usize, q: usize, h: usize, r: usize, u1: usize, s1: usize): void {
  const h2 = number();
  const h3 = number();
  const v = number();
  const t = number();
  const z = number();
  multiplyField(h2, h, h);
  multiplyField(h3, h2, h);
  multiplyField(v, u1, h2);
  multiplyField(z, p + 2 * SIZE, q + 2 * SIZE);
  multiplyField(result + 2 * SIZE, z, h);
  // X = r^2 - h^3 - 2 v
  multiplyField(t, r, r);
  subtract(t, t, h3, P);
  subtract(t, t, v, P);
  subtract(result, t, v, P);
  // Y = r (v - X) - s1 h^3
  subtract(t, v, result, P);
  multiplyField(t, r, t);
  multiplyField(h3, s1, h3);
  subtract(result + SIZE, t, h3, P);
}

/** The plain x coordinate of a point that is not at infinity. */
function affineX(target: usize, point: usize): void {
  const mark = next;
  const inverse = number();
  const plain = number();
  const unit = number();
  fromField(plain, point + 2 * SIZE);
  invert(inverse, plain, P, P_FACTOR, P_SQUARE);
  multiplyField(inverse, inverse, inverse);
  multiplyField(unit, point, inverse);
  fromField(target, unit);
  next = mark;
}

// -- numbers

function one(target: usize): void {
  memory.fill(target, 0, SIZE);
  store<u32>(target, 1);
  toField(target, target);
}

function toField(target: usize, source: usize): void {
  multiply(target, source, P_SQUARE, P, P_FACTOR);
}

function fromField(target: usize, source: usize): void {
  const mark = next;
  const unit = number();
  memory.fill(unit, 0, SIZE);
  store<u32>(unit, 1);
  multiply(target, source, unit, P, P_FACTOR);
  next = mark;
}

function multiplyField(target: usize, a: usize, b: usize): void {
  multiply(target, a, b, P, P_FACTOR);
}

/**
 * target = Montgomery's form of 1 / value, for a plain value: value^(modulus - 2) (Fermat). Its product with a plain number is the plain quotient.
 */
function invert(target: usize, value: usize, modulus: usize, factor: u32, square: usize): void {
  const mark = next;
  const power = number();
  const base = number();
  multiply(base, value, square, modulus, factor);
  memory.copy(power, base, SIZE);
  const exponent = number();
  memory.copy(exponent, modulus, SIZE);
  store<u32>(exponent, load<u32>(exponent) - 2);
  for (let i: i32 = 254; i >= 0; i--) {
    multiply(power, power, power, modulus, factor);
    if (((load<u32>(exponent + ((i >> 5) << 2)) >> (i & 31)) & 1) != 0) multiply(power, power, base, modulus, factor);
  }
  memory.copy(target, power, SIZE);
  next = mark;
}

/** target = a * b / 2^256 modulo `modulus` (Koç, Acar, Kaliski 1996: "CIOS"). target may be a or b. */
function multiply(target: usize, a: usize, b: usize, modulus: usize, factor: u32): void {
  const t = next; // ten words above what is in use
  memory.fill(t, 0, 40);
  for (let i: usize = 0; i < SIZE; i += 4) {
    const word = load<u32>(b + i) as u64;
    let carry: u64 = 0;
    for (let j: usize = 0; j < SIZE; j += 4) {
      const sum = (load<u32>(t + j) as u64) + (load<u32>(a + j) as u64) * word + carry;
      store<u32>(t + j, sum as u32);
      carry = sum >> 32;
    }
    const top = (load<u32>(t + 32) as u64) + carry;
    store<u32>(t + 32, top as u32);
    store<u32>(t + 36, (top >> 32) as u32);
    // A variable of its own: AssemblyScript would make the load, and then the product, 64 bits wide.
    const quotient: u32 = load<u32>(t) * factor;
    const m = quotient as u64;
    carry = ((load<u32>(t) as u64) + m * (load<u32>(modulus) as u64)) >> 32;
    for (let j: usize = 4; j < SIZE; j += 4) {
      const sum = (load<u32>(t + j) as u64) + m * (load<u32>(modulus + j) as u64) + carry;
      store<u32>(t + j - 4, sum as u32);
      carry = sum >> 32;
    }
    const last = (load<u32>(t + 32) as u64) + carry;
    store<u32>(t + 28, last as u32);
    store<u32>(t + 32, load<u32>(t + 36) + ((last >> 32) as u32));
  }
  if (load<u32>(t + 32) != 0 || !isBelow(t, modulus)) subtractNumber(t, t, modulus);
  memory.copy(target, t, SIZE);
}

function add(target: usize, a: usize, b: usize, modulus: usize): void {
  let carry: u64 = 0;
  for (let i: usize = 0; i < SIZE; i += 4) {
    const sum = (load<u32>(a + i) as u64) + (load<u32>(b + i) as u64) + carry;
    store<u32>(target + i, sum as u32);
    carry = sum >> 32;
  }
  if (carry != 0 || !isBelow(target, modulus)) subtractNumber(target, target, modulus);
}

function subtract(target: usize, a: usize, b: usize, modulus: usize): void {
  if (!subtractNumber(target, a, b)) return;
  let carry: u64 = 0;
  for (let i: usize = 0; i < SIZE; i += 4) {
    const sum = (load<u32>(target + i) as u64) + (load<u32>(modulus + i) as u64) + carry;
    store<u32>(target + i, sum as u32);
    carry = sum >> 32;
  }
}

/** target = a - b modulo 2^256; whether it went below zero. */
function subtractNumber(target: usize, a: usize, b: usize): bool {
  let borrow: u64 = 0;
  for (let i: usize = 0; i < SIZE; i += 4) {
    const difference = (load<u32>(a + i) as u64) - (load<u32>(b + i) as u64) - borrow;
    store<u32>(target + i, difference as u32);
    borrow = (difference >> 32) & 1;
  }
  return borrow != 0;
}

function isBelow(a: usize, b: usize): bool {
  for (let i: i32 = (WORDS as i32) - 1; i >= 0; i--) {
    const left = load<u32>(a + ((i as usize) << 2));
    const right = load<u32>(b + ((i as usize) << 2));
    if (left != right) return left < right;
  }
  return false;
}

function isZero(a: usize): bool {
  let any: u64 = 0;
  for (let i: usize = 0; i < SIZE; i += 8) any |= load<u64>(a + i);
  return any == 0;
}

function fromBytes(target: usize, source: usize): void {
  for (let i: usize = 0; i < SIZE; i += 4) store<u32>(target + i, bswap<u32>(load<u32>(source + 28 - i)));
}

function toBytes(target: usize, source: usize): void {
  for (let i: usize = 0; i < SIZE; i += 4) store<u32>(target + 28 - i, bswap<u32>(load<u32>(source + i)));
}
