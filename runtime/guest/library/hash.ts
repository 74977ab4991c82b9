// Digests of std::crypto: SHA-1, SHA-256 and SHA-512 (FIPS 180-4), HMAC (RFC 2104), the CRC of zlib and PNG (RFC 1952).
import * as host from "../host";
import { alloc, free } from "../memory";
import { BYTES, discard, lengthOf, newBytes } from "./cell";

const SHA1: i32 = 1;
const SHA256: i32 = 2;
const SHA512: i32 = 3;

export function __crypto_sha1(b: usize): usize {
  return digest(SHA1, b);
}

export function __crypto_sha256(b: usize): usize {
  return digest(SHA256, b);
}

export function __crypto_sha512(b: usize): usize {
  return digest(SHA512, b);
}

export function __crypto_hmac_sha256(key: usize, message: usize): usize {
  return hmac(SHA256, key, message);
}

export function __crypto_hmac_sha512(key: usize, message: usize): usize {
  return hmac(SHA512, key, message);
}

// -- one digest at a time: state, a block that fills up, and the length so far

let algorithm: i32 = 0;
let work: usize = 0;
let state: usize = 0;
let block: usize = 0;
let schedule: usize = 0;
let blockSize: i32 = 0;
let filled: i32 = 0;
let total: u64 = 0;

/** Bytes of working memory: the state (64), a block (128) and the message schedule (80 words of 8 bytes). */
const WORK: usize = 64 + 128 + 640;

export function digest(kind: i32, bytes: usize): usize {
  begin(kind);
  update(bytes + BYTES, lengthOf(bytes));
  return finish();
}

export function digestSize(kind: i32): i32 {
  return kind == SHA1 ? 20 : kind == SHA256 ? 32 : 64;
}

function hmac(kind: i32, key: usize, message: usize): usize {
  const size = kind == SHA512 ? 128 : 64;
  const pad = alloc(size);
  if (lengthOf(key) > size) {
    const short = digest(kind, key);
    memory.copy(pad, short + BYTES, lengthOf(short));
    discard(short);
  } else {
    memory.copy(pad, key + BYTES, lengthOf(key));
  }
  for (let i: usize = 0; i < (size as usize); i++) store<u8>(pad + i, load<u8>(pad + i) ^ 0x36);
  begin(kind);
  update(pad, size);
  update(message + BYTES, lengthOf(message));
  const inner = finish();
  for (let i: usize = 0; i < (size as usize); i++) store<u8>(pad + i, load<u8>(pad + i) ^ (0x36 ^ 0x5c));
  begin(kind);
  update(pad, size);
  update(inner + BYTES, lengthOf(inner));
  discard(inner);
  memory.fill(pad, 0, size);
  free(pad);
  return finish();
}

function begin(kind: i32): void {
  algorithm = kind;
  work = alloc(WORK);
  state = work;
  block = work + 64;
  schedule = work + 192;
  blockSize = kind == SHA512 ? 128 : 64;
  filled = 0;
  total = 0;
  if (kind == SHA512) memory.copy(state, INITIAL_512, 64);
  else memory.copy(state, kind == SHA256 ? INITIAL_256 : INITIAL_1, 32);
}

function update(source: usize, length: i32): void {
  total += length as u64;
  if (filled > 0) {
    const count = min(length, blockSize - filled);
    memory.copy(block + filled, source, count);
    filled += count;
    source += count;
    length -= count;
    if (filled < blockSize) return;
    compress(block, 1);
    filled = 0;
  }
  const whole = length / blockSize;
  compress(source, whole);
  const taken = whole * blockSize;
  filled = length - taken;
  memory.copy(block, source + taken, filled);
}

function finish(): usize {
  const bits = total << 3;
  store<u8>(block + filled, 0x80);
  filled++;
  const lengthSize = algorithm == SHA512 ? 16 : 8;
  if (filled > blockSize - lengthSize) {
    memory.fill(block + filled, 0, blockSize - filled);
    compress(block, 1);
    filled = 0;
  }
  memory.fill(block + filled, 0, blockSize - filled);
  store<u64>(block + blockSize - 8, bswap<u64>(bits));
  if (algorithm == SHA512) store<u64>(block + blockSize - 16, bswap<u64>(total >> 61));
  compress(block, 1);
  const size = digestSize(algorithm);
  const result = newBytes(size);
  if (algorithm == SHA512) for (let i: usize = 0; i < 64; i += 8) store<u64>(result + BYTES + i, bswap<u64>(load<u64>(state + i)));
  else for (let i: usize = 0; i < (size as usize); i += 4) store<u32>(result + BYTES + i, bswap<u32>(load<u32>(state + i)));
  memory.fill(work, 0, WORK);
  free(work);
  return result;
}

/** Takes `count` blocks at `from` into the state. */
function compress(from: usize, count: i32): void {
  if (algorithm == SHA1) for (; count > 0; count--, from += 64) compress1(from);
  else if (algorithm == SHA256) compressAll256(from, count);
  else for (; count > 0; count--, from += 128) compress512(from);
}

const INITIAL_1: usize = memory.data<u32>([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0]);

function compress1(from: usize): void {
  for (let t: usize = 0; t < 64; t += 4) store<u32>(schedule + t, bswap<u32>(load<u32>(from + t)));
  for (let t: usize = 64; t < 320; t += 4) {
    const word = load<u32>(schedule + t - 12) ^ load<u32>(schedule + t - 32) ^ load<u32>(schedule + t - 56) ^ load<u32>(schedule + t - 64);
    store<u32>(schedule + t, rotl<u32>(word, 1));
  }
  let a = load<u32>(state);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  for (let t: usize = 0; t < 80; t++) {
    let f: u32 = 0;
    let k: u32 = 0;
    if (t < 20) {
      f = (b & c) | (~b & d);
      k = 0x5a827999;
    } else if (t < 40) {
      f = b ^ c ^ d;
      k = 0x6ed9eba1;
    } else if (t < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8f1bbcdc;
    } else {
      f = b ^ c ^ d;
      k = 0xca62c1d6;
    }
    const next = rotl<u32>(a, 5) + f + e + k + load<u32>(schedule + (t << 2));
    e = d;
    d = c;
    c = rotl<u32>(b, 30);
    b = a;
    a = next;
  }
  addTo(0, a);
  addTo(4, b);
  addTo(8, c);
  addTo(12, d);
  addTo(16, e);
}

// @ts-ignore: decorator
@inline
function addTo(offset: usize, value: u32): void {
  store<u32>(state + offset, load<u32>(state + offset) + value);
}

const INITIAL_256: usize = memory.data<u32>([0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]);

const ROUNDS_256: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

function compressAll256(from: usize, count: i32): void {
  if (host.sha256Blocks(state, from, count, ROUNDS_256)) return;
  for (; count > 0; count--, from += 64) compress256(from);
}

function compress256(from: usize): void {
  for (let t: usize = 0; t < 64; t += 4) store<u32>(schedule + t, bswap<u32>(load<u32>(from + t)));
  for (let t: usize = 64; t < 256; t += 4) {
    const two = load<u32>(schedule + t - 8);
    const fifteen = load<u32>(schedule + t - 60);
    const low = rotr<u32>(fifteen, 7) ^ rotr<u32>(fifteen, 18) ^ (fifteen >> 3);
    const high = rotr<u32>(two, 17) ^ rotr<u32>(two, 19) ^ (two >> 10);
    store<u32>(schedule + t, high + load<u32>(schedule + t - 28) + low + load<u32>(schedule + t - 64));
  }
  let a = load<u32>(state);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  let f = load<u32>(state, 20);
  let g = load<u32>(state, 24);
  let h = load<u32>(state, 28);
  let words = schedule;
  // Eight rounds bring every letter back to its place.
  for (let rounds = ROUNDS_256; rounds < ROUNDS_256 + 256; rounds += 32) {
    h += mix(e, f, g) + load<u32>(rounds, 0) + load<u32>(words, 0);
    d += h;
    h += blend(a, b, c);
    g += mix(d, e, f) + load<u32>(rounds, 4) + load<u32>(words, 4);
    c += g;
    g += blend(h, a, b);
    f += mix(c, d, e) + load<u32>(rounds, 8) + load<u32>(words, 8);
    b += f;
    f += blend(g, h, a);
    e += mix(b, c, d) + load<u32>(rounds, 12) + load<u32>(words, 12);
    a += e;
    e += blend(f, g, h);
    d += mix(a, b, c) + load<u32>(rounds, 16) + load<u32>(words, 16);
    h += d;
    d += blend(e, f, g);
    c += mix(h, a, b) + load<u32>(rounds, 20) + load<u32>(words, 20);
    g += c;
    c += blend(d, e, f);
    b += mix(g, h, a) + load<u32>(rounds, 24) + load<u32>(words, 24);
    f += b;
    b += blend(c, d, e);
    a += mix(f, g, h) + load<u32>(rounds, 28) + load<u32>(words, 28);
    e += a;
    a += blend(b, c, d);
    words += 32;
  }
  addTo(0, a);
  addTo(4, b);
  addTo(8, c);
  addTo(12, d);
  addTo(16, e);
  addTo(20, f);
  addTo(24, g);
  addTo(28, h);
}

/** Sigma 1 and the choice of FIPS 180-4. */
// @ts-ignore: decorator
@inline
function mix(e: u32, f: u32, g: u32): u32 {
  return (rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25)) + (g ^ (e & (f ^ g)));
}

/** Sigma 0 and the majority. */
// @ts-ignore: decorator
@inline
function blend(a: u32, b: u32, c: u32): u32 {
  return (rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22)) + ((a & b) | (c & (a | b)));
}

const INITIAL_512: usize = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]);

const ROUNDS_512: usize = memory.data<u64>([
  0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
  0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
  0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
  0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
  0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
  0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
  0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
  0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
  0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
  0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
  0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
  0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
  0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
  0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
  0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
  0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
]);

function compress512(from: usize): void {
  for (let t: usize = 0; t < 128; t += 8) store<u64>(schedule + t, bswap<u64>(load<u64>(from + t)));
  for (let t: usize = 128; t < 640; t += 8) {
    const two = load<u64>(schedule + t - 16);
    const fifteen = load<u64>(schedule + t - 120);
    const low = rotr<u64>(fifteen, 1) ^ rotr<u64>(fifteen, 8) ^ (fifteen >> 7);
    const high = rotr<u64>(two, 19) ^ rotr<u64>(two, 61) ^ (two >> 6);
    store<u64>(schedule + t, high + load<u64>(schedule + t - 56) + low + load<u64>(schedule + t - 128));
  }
  let a = load<u64>(state);
  let b = load<u64>(state, 8);
  let c = load<u64>(state, 16);
  let d = load<u64>(state, 24);
  let e = load<u64>(state, 32);
  let f = load<u64>(state, 40);
  let g = load<u64>(state, 48);
  let h = load<u64>(state, 56);
  for (let t: usize = 0; t < 640; t += 8) {
    const first = h + (rotr<u64>(e, 14) ^ rotr<u64>(e, 18) ^ rotr<u64>(e, 41)) + ((e & f) ^ (~e & g)) + load<u64>(ROUNDS_512 + t) + load<u64>(schedule + t);
    const second = (rotr<u64>(a, 28) ^ rotr<u64>(a, 34) ^ rotr<u64>(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  addTo64(0, a);
  addTo64(8, b);
  addTo64(16, c);
  addTo64(24, d);
  addTo64(32, e);
  addTo64(40, f);
  addTo64(48, g);
  addTo64(56, h);
}

// @ts-ignore: decorator
@inline
function addTo64(offset: usize, value: u64): void {
  store<u64>(state + offset, load<u64>(state + offset) + value);
}

// -- CRC-32

/** The table of one byte's remainders: 256 words, made at the first use (all threads make the same one). */
const CRC_TABLE: usize = memory.data(1024, 4);

export function __crypto_crc32(b: usize): i64 {
  return crc32(b + BYTES, lengthOf(b)) as i64;
}

export function crc32(source: usize, length: i32): u32 {
  // The last word, so that nobody takes a table that another thread is still making.
  if (load<u32>(CRC_TABLE, 1020) == 0) makeCrcTable();
  let crc: u32 = 0xffffffff;
  for (let i: usize = 0; i < (length as usize); i++) {
    crc = load<u32>(CRC_TABLE + ((((crc ^ load<u8>(source + i)) & 0xff) as usize) << 2)) ^ (crc >> 8);
  }
  return ~crc;
}

function makeCrcTable(): void {
  for (let n: u32 = 0; n < 256; n++) {
    let remainder = n;
    for (let k = 0; k < 8; k++) remainder = (remainder & 1) != 0 ? 0xedb88320 ^ (remainder >> 1) : remainder >> 1;
    store<u32>(CRC_TABLE + ((n as usize) << 2), remainder);
  }
}
