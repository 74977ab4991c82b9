// Decompression of DEFLATE (RFC 1951), in its gzip (RFC 1952) and zlib (RFC 1950) wrappers.
import { alloc, free } from "../memory";
import { BYTES, discard, lengthOf, newBytes } from "./cell";
import { EFBIG, EINVAL, setStatus } from "./descriptor";
import { crc32 } from "./hash";

/** Larger results are refused. */
export const LARGEST: i32 = 1 << 30;

// Input, as bits from the low end of each byte.
let source: usize = 0;
let sourceEnd: usize = 0;
let bits: u64 = 0;
let bitCount: u32 = 0;
let failed: bool = false;

// Output, a Bytes with room to grow.
let output: usize = 0;
let room: i32 = 0;
let written: i32 = 0;
let tooLarge: bool = false;

export function __compress_gunzip(b: usize): usize {
  source = b + BYTES;
  sourceEnd = source + lengthOf(b);
  bits = 0;
  bitCount = 0;
  failed = false;
  tooLarge = false;
  room = min(max(lengthOf(b) * 3, 256), 1 << 26);
  output = newBytes(room);
  written = 0;
  if (lengthOf(b) >= 2 && load<u8>(source) == 31) readMembers();
  else readZlib();
  setStatus(tooLarge ? EFBIG : failed ? EINVAL : 0);
  if (failed || tooLarge || written == 0) {
    discard(output);
    return 0;
  }
  store<i32>(output, written);
  return output;
}

/** One gzip member or several behind each other; what follows the last one is passed over. */
function readMembers(): void {
  do {
    const start = written;
    if (!skipHeader()) {
      failed = true;
      return;
    }
    inflate();
    if (failed) return;
    const crc = takeWord();
    const size = takeWord();
    if (failed || crc != crc32(output + BYTES + start, written - start) || size != ((written - start) as u32)) {
      failed = true;
      return;
    }
  } while (sourceEnd - source >= 18 && load<u8>(source) == 31 && load<u8>(source, 1) == 139);
}

/** Puts `source` behind a member's header. */
function skipHeader(): bool {
  if (sourceEnd - source < 18 || load<u8>(source, 1) != 139 || load<u8>(source, 2) != 8) return false;
  const flags = load<u8>(source, 3);
  if ((flags & 0xe0) != 0) return false;
  source += 10;
  if ((flags & 4) != 0) {
    if (sourceEnd - source < 2) return false;
    source += 2 + (load<u16>(source) as usize);
  }
  if ((flags & 8) != 0 && !skipText()) return false;
  if ((flags & 16) != 0 && !skipText()) return false;
  if ((flags & 2) != 0) source += 2;
  return source <= sourceEnd;
}

function skipText(): bool {
  while (source < sourceEnd && load<u8>(source) != 0) source++;
  source++;
  return source <= sourceEnd;
}

function readZlib(): void {
  const head: u32 = sourceEnd - source < 6 ? 1 : ((load<u8>(source) as u32) << 8) | load<u8>(source, 1);
  if (head % 31 != 0 || ((head >> 8) & 15) != 8 || (head >> 12) > 7 || (head & 0x20) != 0) {
    failed = true;
    return;
  }
  source += 2;
  inflate();
  if (failed) return;
  const sum = bswap<u32>(takeWord());
  if (sum != adler32()) failed = true;
}

function adler32(): u32 {
  let a: u32 = 1;
  let b: u32 = 0;
  for (let i: i32 = 0; i < written; i++) {
    a = (a + load<u8>(output + BYTES + i)) % 65521;
    b = (b + a) % 65521;
  }
  return (b << 16) | a;
}

/** The next four bytes, little-endian. Bits left of the last byte of the stream are dropped. */
function takeWord(): u32 {
  // Whole bytes that were read ahead go back.
  source -= (bitCount >> 3) as usize;
  bits = 0;
  bitCount = 0;
  if (sourceEnd - source < 4 || source > sourceEnd) {
    failed = true;
    return 0;
  }
  source += 4;
  return load<u32>(source - 4);
}

// @ts-ignore: decorator
@inline
function refill(): void {
  while (bitCount <= 48 && source < sourceEnd) {
    bits |= (load<u8>(source++) as u64) << (bitCount as u64);
    bitCount += 8;
  }
}

/** The next `count` bits, at most 32. */
function take(count: u32): u32 {
  if (bitCount < count) {
    refill();
    if (bitCount < count) {
      failed = true;
      return 0;
    }
  }
  const value = (bits & ((1 << (count as u64)) - 1)) as u32;
  bits >>= count as u64;
  bitCount -= count;
  return value;
}

// -- Huffman codes: a table over the next FAST bits (entry: symbol << 4 | length), longer codes one bit at a time (Mark Adler's "puff")

const FAST: u32 = 10;
const TABLE_SIZE: usize = 2 << 10;
/** Behind the table: the number of codes of each length (16 i32), the symbols in order of code (288 u16). */
const COUNTS: usize = TABLE_SIZE;
const SYMBOLS: usize = TABLE_SIZE + 64;
const CODE_SIZE: usize = TABLE_SIZE + 64 + 576;

let literals: usize = 0;
let distances: usize = 0;
let lengths: usize = 0;

/** Makes the tables of a code from the lengths of its symbols; false when they are more than can be. An incomplete code is allowed for a single symbol. */
function makeCode(code: usize, from: usize, count: i32): bool {
  memory.fill(code, 0, TABLE_SIZE + 64);
  for (let i: i32 = 0; i < count; i++) addCount(code, load<u8>(from + i), 1);
  store<i32>(code + COUNTS, 0);
  let left: i32 = 1;
  let used: i32 = 0;
  for (let length: u32 = 1; length <= 15; length++) {
    left = (left << 1) - countOf(code, length);
    used += countOf(code, length);
    if (left < 0) return false;
  }
  if (left > 0 && used > 1) return false;
  const offsets = alloc(128);
  const next = offsets + 64;
  for (let length: u32 = 1; length < 15; length++) {
    const at = (length as usize) << 2;
    store<i32>(offsets + at + 4, load<i32>(offsets + at) + countOf(code, length));
    store<i32>(next + at + 4, (load<i32>(next + at) + countOf(code, length)) << 1);
  }
  for (let symbol: i32 = 0; symbol < count; symbol++) {
    const length = load<u8>(from + symbol) as u32;
    if (length == 0) continue;
    const place = offsets + ((length as usize) << 2);
    store<u16>(code + SYMBOLS + ((load<i32>(place) as usize) << 1), symbol as u16);
    store<i32>(place, load<i32>(place) + 1);
    const bitsPlace = next + ((length as usize) << 2);
    const value = load<i32>(bitsPlace) as u32;
    store<i32>(bitsPlace, (value + 1) as i32);
    if (length <= FAST) fillTable(code, reversed(value, length), length, symbol);
  }
  free(offsets);
  return true;
}

function addCount(code: usize, length: u32, more: i32): void {
  const at = code + COUNTS + ((length as usize) << 2);
  store<i32>(at, load<i32>(at) + more);
}

// @ts-ignore: decorator
@inline
function countOf(code: usize, length: u32): i32 {
  return load<i32>(code + COUNTS + ((length as usize) << 2));
}

function fillTable(code: usize, start: u32, length: u32, symbol: i32): void {
  for (let i = start; i < 1 << FAST; i += 1 << length) store<u16>(code + ((i as usize) << 1), ((symbol << 4) | (length as i32)) as u16);
}

/** The low `length` bits in opposite order. */
export function reversed(value: u32, length: u32): u32 {
  let result: u32 = 0;
  for (let i: u32 = 0; i < length; i++) result |= ((value >> i) & 1) << (length - 1 - i);
  return result;
}

/** The next symbol of a code, or -1. */
function symbolOf(code: usize): i32 {
  if (bitCount < 15) refill();
  const entry = load<u16>(code + ((((bits as u32) & ((1 << FAST) - 1)) as usize) << 1)) as u32;
  const length = entry & 15;
  if (length != 0 && length <= bitCount) {
    bits >>= length as u64;
    bitCount -= length;
    return (entry >> 4) as i32;
  }
  return slowSymbol(code);
}

function slowSymbol(code: usize): i32 {
  let value: i32 = 0;
  let first: i32 = 0;
  let index: i32 = 0;
  for (let length: u32 = 1; length <= 15; length++) {
    if (bitCount < length) break;
    value |= ((bits >> ((length - 1) as u64)) & 1) as i32;
    const count = countOf(code, length);
    if (value - count < first) {
      bits >>= length as u64;
      bitCount -= length;
      return load<u16>(code + SYMBOLS + (((index + value - first) as usize) << 1));
    }
    index += count;
    first = (first + count) << 1;
    value <<= 1;
  }
  failed = true;
  return -1;
}

// -- blocks

/** Appends what the stream at `source` holds to the output. */
function inflate(): void {
  literals = alloc(CODE_SIZE * 2 + 320);
  distances = literals + CODE_SIZE;
  lengths = distances + CODE_SIZE;
  let last = false;
  while (!last && !failed) {
    last = take(1) != 0;
    const kind = take(2);
    if (failed) break;
    if (kind == 0) {
      copyStored();
    } else if (kind == 3) {
      failed = true;
    } else {
      if (kind == 1) fixedCodes();
      else readCodes();
      if (!failed) readBlock();
    }
  }
  free(literals);
}

function copyStored(): void {
  source -= (bitCount >> 3) as usize;
  bits = 0;
  bitCount = 0;
  if (sourceEnd - source < 4 || load<u16>(source) != ~load<u16>(source, 2)) {
    failed = true;
    return;
  }
  const length = load<u16>(source) as usize;
  source += 4;
  if (sourceEnd - source < length) {
    failed = true;
    return;
  }
  if (!makeRoom(length as i32)) return;
  memory.copy(output + BYTES + written, source, length);
  source += length;
  written += length as i32;
}

function fixedCodes(): void {
  for (let i: i32 = 0; i < 288; i++) store<u8>(lengths + i, i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
  makeCode(literals, lengths, 288);
  memory.fill(lengths, 5, 32);
  // Symbols 30 and 31 complete the code and are refused where they appear.
  makeCode(distances, lengths, 32);
}

/** The order in which the lengths of the code-length code are sent. */
export const ORDER: usize = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

function readCodes(): void {
  const literalCount = (take(5) + 257) as i32;
  const distanceCount = (take(5) + 1) as i32;
  const orderCount = take(4) + 4;
  if (literalCount > 286 || distanceCount > 30) failed = true;
  memory.fill(lengths, 0, 19);
  for (let i: usize = 0; i < (orderCount as usize); i++) store<u8>(lengths + load<u8>(ORDER + i), take(3) as u8);
  if (failed || !makeCode(literals, lengths, 19)) {
    failed = true;
    return;
  }
  let index: i32 = 0;
  while (index < literalCount + distanceCount) {
    const symbol = symbolOf(literals);
    if (failed) return;
    let repeat: u32 = 1;
    let value = symbol as u8;
    if (symbol >= 16) {
      value = symbol == 16 && index > 0 ? load<u8>(lengths + index - 1) : 0;
      if (symbol == 16 && index == 0) failed = true;
      repeat = symbol == 16 ? 3 + take(2) : symbol == 17 ? 3 + take(3) : 11 + take(7);
    }
    if (failed || index + (repeat as i32) > literalCount + distanceCount) {
      failed = true;
      return;
    }
    memory.fill(lengths + index, value, repeat);
    index += repeat as i32;
  }
  if (load<u8>(lengths + 256) == 0) failed = true;
  if (!makeCode(literals, lengths, literalCount) || !makeCode(distances, lengths + literalCount, distanceCount)) failed = true;
}

/** First length of each length symbol from 257 on, and its extra bits; the same for distances. */
export const LENGTH_BASE: usize = memory.data<u16>([3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258, 0]);
export const LENGTH_EXTRA: usize = memory.data<u8>([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]);
export const DISTANCE_BASE: usize = memory.data<u16>([
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
]);
export const DISTANCE_EXTRA: usize = memory.data<u8>([0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13]);

function readBlock(): void {
  for (;;) {
    const symbol = symbolOf(literals);
    if (failed || symbol == 256) return;
    if (symbol < 256) {
      if (written == room && !makeRoom(1)) return;
      store<u8>(output + BYTES + written, symbol as u8);
      written++;
      continue;
    }
    if (symbol > 285) {
      failed = true;
      return;
    }
    const index = (symbol - 257) as usize;
    const length = (load<u16>(LENGTH_BASE + (index << 1)) as i32) + (take(load<u8>(LENGTH_EXTRA + index)) as i32);
    const far = symbolOf(distances);
    if (failed || far > 29) {
      failed = true;
      return;
    }
    const distance = (load<u16>(DISTANCE_BASE + ((far as usize) << 1)) as i32) + (take(load<u8>(DISTANCE_EXTRA + far)) as i32);
    if (failed || distance > written) {
      failed = true;
      return;
    }
    if (written + length > room && !makeRoom(length)) return;
    copyBack(distance, length);
  }
}

/** Repeats `length` bytes from `distance` bytes back; the ranges may overlap. */
function copyBack(distance: i32, length: i32): void {
  const target = output + BYTES + written;
  if (distance >= length) memory.copy(target, target - distance, length);
  else for (let i: i32 = 0; i < length; i++) store<u8>(target + i, load<u8>(target + i - distance));
  written += length;
}

/** Room for `more` bytes; false when the result would be too large. */
function makeRoom(more: i32): bool {
  const wanted = written + more;
  if (wanted <= room) return true;
  if (wanted > LARGEST) {
    tooLarge = true;
    failed = true;
    return false;
  }
  room = min(max(wanted, room * 2), LARGEST);
  const grown = newBytes(room);
  memory.copy(grown + BYTES, output + BYTES, written);
  discard(output);
  output = grown;
  return true;
}
