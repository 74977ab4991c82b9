// Compression to DEFLATE (RFC 1951) in the gzip wrapper: hash chains, one step of lazy matching, blocks with the codes that cost least.
import { alloc, free } from "../memory";
import { BYTES, discard, lengthOf, newBytes } from "./cell";
import { setStatus } from "./descriptor";
import { crc32 } from "./hash";
import { HUFFMAN_SCRATCH, codeLengths, count } from "./huffman";
import { DISTANCE_BASE, DISTANCE_EXTRA, LENGTH_BASE, LENGTH_EXTRA, ORDER, reversed } from "./inflate";

const WINDOW: i32 = 32768;
const SHORTEST: i32 = 3;
const LONGEST: i32 = 258;
/** A match of three bytes from further away costs more than its literals. */
const FAR: i32 = 4096;
/** How many earlier places are compared, and the lengths from which on less is tried (zlib's level 6). */
const CHAIN: i32 = 128;
const NICE: i32 = 128;
const LAZY: i32 = 16;
/** Symbols in a block; lazy matching may add a few more than the limit at which it is closed. */
const BLOCK: i32 = 16384;
const HASH_BITS: u32 = 15;
const LITERALS: i32 = 286;
const DISTANCES: i32 = 30;
const END: i32 = 256;

// Memory of one run.
let heads: usize = 0; // for each hash the last place + 1
let links: usize = 0; // for each place modulo the window the place before it with the same hash + 1
let symbols: usize = 0; // u32: a literal, or length << 16 | distance
let symbolCount: i32 = 0;
let literalCounts: usize = 0;
let distanceCounts: usize = 0;
let literalLengths: usize = 0;
let distanceLengths: usize = 0;
let literalCodes: usize = 0;
let distanceCodes: usize = 0;
let scratch: usize = 0;

// Output.
let output: usize = 0;
let room: i32 = 0;
let written: i32 = 0;
let bits: u64 = 0;
let bitCount: u32 = 0;

export function __compress_gzip(b: usize): usize {
  const length = lengthOf(b);
  room = (length >> 1) + 128;
  output = newBytes(room);
  written = 0;
  bits = 0;
  bitCount = 0;
  // Magic, deflate, no flags, no time, no hints, unknown system.
  appendWord(0x00088b1f);
  appendWord(0);
  ensure(2);
  store<u16>(output + BYTES + written, 0xff00);
  written += 2;
  deflate(b + BYTES, length);
  appendWord(crc32(b + BYTES, length));
  appendWord(length as u32);
  store<i32>(output, written);
  setStatus(0);
  return output;
}

function appendWord(value: u32): void {
  ensure(4);
  store<u32>(output + BYTES + written, value);
  written += 4;
}

function ensure(more: i32): void {
  if (written + more <= room) return;
  room = (written + more) * 2;
  const grown = newBytes(room);
  memory.copy(grown + BYTES, output + BYTES, written);
  discard(output);
  output = grown;
}

/** The low `count` bits of `value`, at most 16. */
function put(value: u32, count: u32): void {
  bits |= (value as u64) << (bitCount as u64);
  bitCount += count;
  if (bitCount < 32) return;
  appendWord(bits as u32);
  bits >>= 32;
  bitCount -= 32;
}

/** Fills the last byte with zeros and writes what is held. */
function alignToByte(): void {
  ensure(8);
  while (bitCount > 0) {
    store<u8>(output + BYTES + written++, bits as u8);
    bits >>= 8;
    bitCount = bitCount > 8 ? bitCount - 8 : 0;
  }
  bits = 0;
}

// -- matching

function deflate(source: usize, length: i32): void {
  const hashSize: usize = 4 << HASH_BITS;
  const memorySize = hashSize + (WINDOW as usize) * 4 + (BLOCK as usize) * 4 + 4096 + HUFFMAN_SCRATCH;
  heads = alloc(memorySize);
  links = heads + hashSize;
  symbols = links + (WINDOW as usize) * 4;
  literalCounts = symbols + (BLOCK as usize) * 4;
  distanceCounts = literalCounts + 288 * 4;
  literalCodes = distanceCounts + 32 * 4;
  distanceCodes = literalCodes + 288 * 2;
  literalLengths = distanceCodes + 32 * 2;
  distanceLengths = literalLengths + 288;
  scratch = distanceLengths + 32;
  beginBlock();
  let blockStart: i32 = 0;
  let at: i32 = 0;
  let pendingLength: i32 = 0; // a match found one byte earlier that is not used yet
  let pendingDistance: i32 = 0;
  while (at < length) {
    let distance: i32 = 0;
    let best: i32 = 0;
    if (length - at >= SHORTEST) {
      const previous = insert(source, at);
      if (pendingLength < LAZY) {
        best = longestMatch(source, at, length, previous, pendingLength);
        distance = matchDistance;
      }
    }
    if (pendingLength >= SHORTEST && best <= pendingLength) {
      // The match that began one byte earlier is better.
      emitMatch(pendingLength, pendingDistance);
      const end = at - 1 + pendingLength;
      for (at++; at < end; at++) if (length - at >= SHORTEST) insert(source, at);
      pendingLength = 0;
    } else {
      if (pendingLength > 0) emitLiteral(load<u8>(source + at - 1));
      if (best >= SHORTEST) {
        pendingLength = best;
        pendingDistance = distance;
      } else {
        pendingLength = 0;
        emitLiteral(load<u8>(source + at));
      }
      at++;
    }
    if (symbolCount >= BLOCK - 32 && pendingLength == 0) {
      writeBlock(source + blockStart, at - blockStart, at == length);
      blockStart = at;
      beginBlock();
      if (at == length) {
        free(heads);
        return;
      }
    }
  }
  if (pendingLength > 0) emitMatch(pendingLength, pendingDistance);
  writeBlock(source + blockStart, length - blockStart, true);
  free(heads);
}

/** Makes a place known; the last place before it with the same hash, + 1. */
function insert(source: usize, at: i32): i32 {
  const word = (load<u16>(source + at) as u32) | ((load<u8>(source + at + 2) as u32) << 16);
  const head = heads + ((((word * 0x9e3779b1) >> (32 - HASH_BITS)) as usize) << 2);
  const previous = load<i32>(head);
  store<i32>(head, at + 1);
  store<i32>(links + (((at & (WINDOW - 1)) as usize) << 2), previous);
  return previous;
}

let matchDistance: i32 = 0;

/** Length of the longest earlier match of what begins at `at`, when longer than `known`; else 0. */
function longestMatch(source: usize, at: i32, length: i32, previous: i32, known: i32): i32 {
  const limit = min(length - at, LONGEST);
  let best = max(known, SHORTEST - 1);
  let found: i32 = 0;
  let chain = known >= 8 ? CHAIN >> 2 : CHAIN;
  const here = source + at;
  while (previous > 0 && chain-- > 0) {
    const place = previous - 1;
    if (at - place > WINDOW - 262) break;
    const there = source + place;
    if (best < limit && load<u8>(there + best) == load<u8>(here + best) && load<u16>(there) == load<u16>(here)) {
      const same = commonLength(there, here, limit);
      if (same > best && !(same == SHORTEST && at - place > FAR)) {
        best = same;
        found = same;
        matchDistance = at - place;
        if (same >= NICE || same == limit) break;
      }
    }
    previous = load<i32>(links + (((place & (WINDOW - 1)) as usize) << 2));
  }
  return found;
}

function commonLength(left: usize, right: usize, limit: i32): i32 {
  let i: i32 = 0;
  while (i + 8 <= limit) {
    const difference = load<u64>(left + i) ^ load<u64>(right + i);
    if (difference != 0) return i + ((ctz(difference) >> 3) as i32);
    i += 8;
  }
  while (i < limit && load<u8>(left + i) == load<u8>(right + i)) i++;
  return i;
}

// -- symbols

function beginBlock(): void {
  symbolCount = 0;
  memory.fill(literalCounts, 0, 320 * 4);
  count(literalCounts, END);
}

function emitLiteral(byte: u8): void {
  store<u32>(symbols + ((symbolCount++ as usize) << 2), byte);
  count(literalCounts, byte);
}

function emitMatch(length: i32, distance: i32): void {
  store<u32>(symbols + ((symbolCount++ as usize) << 2), ((length as u32) << 16) | (distance as u32));
  count(literalCounts, lengthSymbol(length));
  count(distanceCounts, distanceSymbol(distance));
}

function lengthSymbol(length: i32): i32 {
  if (length == LONGEST) return 285;
  const value = length - SHORTEST;
  if (value < 8) return 257 + value;
  const top = 31 - clz<i32>(value);
  return 257 + ((top - 1) << 2) + ((value >> (top - 2)) & 3);
}

function distanceSymbol(distance: i32): i32 {
  const value = distance - 1;
  if (value < 4) return value;
  const top = 31 - clz<i32>(value);
  return (top << 1) + ((value >> (top - 1)) & 1);
}

// -- blocks

function writeBlock(source: usize, length: i32, last: bool): void {
  codeLengths(literalCounts, LITERALS, 15, literalLengths, scratch + SORTED);
  codeLengths(distanceCounts, DISTANCES, 15, distanceLengths, scratch + SORTED);
  const dynamic = 3 + planHeader() + bodyBits();
  const stored = ((length as i64) + 5 * (1 + ((length as i64) >> 16))) * 8;
  const fixed = 3 + fixedBits();
  if (stored <= min(dynamic, fixed)) {
    writeStored(source, length, last);
    return;
  }
  put(last ? 1 : 0, 1);
  if (fixed <= dynamic) {
    put(1, 2);
    fixedLengths();
  } else {
    put(2, 2);
    writeHeader();
  }
  makeCodes(literalLengths, LITERALS + 2, literalCodes);
  makeCodes(distanceLengths, DISTANCES, distanceCodes);
  writeSymbols();
  if (last) alignToByte();
}

function writeStored(source: usize, length: i32, last: bool): void {
  do {
    const piece = min(length, 65535);
    put(last && piece == length ? 1 : 0, 1);
    put(0, 2);
    alignToByte();
    appendWord((piece as u32) | ((~piece as u32) << 16));
    ensure(piece);
    memory.copy(output + BYTES + written, source, piece);
    written += piece;
    source += piece;
    length -= piece;
  } while (length > 0);
}

/** Bits of all symbols and their extra bits with the lengths found. */
function bodyBits(): i64 {
  let sum: i64 = 0;
  for (let s: i32 = 0; s < LITERALS; s++) sum += (load<u32>(literalCounts + ((s as usize) << 2)) as i64) * (load<u8>(literalLengths + s) as i64);
  for (let s: i32 = 0; s < DISTANCES; s++) sum += (load<u32>(distanceCounts + ((s as usize) << 2)) as i64) * (load<u8>(distanceLengths + s) as i64);
  return sum + extraBits();
}

function fixedBits(): i64 {
  let sum: i64 = 0;
  for (let s: i32 = 0; s < LITERALS; s++) sum += (load<u32>(literalCounts + ((s as usize) << 2)) as i64) * fixedLength(s);
  for (let s: i32 = 0; s < DISTANCES; s++) sum += (load<u32>(distanceCounts + ((s as usize) << 2)) as i64) * 5;
  return sum + extraBits();
}

function extraBits(): i64 {
  let sum: i64 = 0;
  for (let s: i32 = 0; s < 29; s++) sum += (load<u32>(literalCounts + (((s + 257) as usize) << 2)) as i64) * (load<u8>(LENGTH_EXTRA + s) as i64);
  for (let s: i32 = 0; s < DISTANCES; s++) sum += (load<u32>(distanceCounts + ((s as usize) << 2)) as i64) * (load<u8>(DISTANCE_EXTRA + s) as i64);
  return sum;
}

// @ts-ignore: decorator
@inline
function fixedLength(symbol: i32): i64 {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

function fixedLengths(): void {
  for (let s: i32 = 0; s < 288; s++) store<u8>(literalLengths + s, fixedLength(s) as u8);
  memory.fill(distanceLengths, 5, DISTANCES);
}

function writeSymbols(): void {
  for (let i: i32 = 0; i < symbolCount; i++) {
    const symbol = load<u32>(symbols + ((i as usize) << 2));
    if (symbol < 256) {
      putCode(literalCodes, literalLengths, symbol as i32);
      continue;
    }
    const length = (symbol >> 16) as i32;
    const distance = (symbol & 0xffff) as i32;
    const near = lengthSymbol(length);
    putCode(literalCodes, literalLengths, near);
    put((length - (load<u16>(LENGTH_BASE + (((near - 257) as usize) << 1)) as i32)) as u32, load<u8>(LENGTH_EXTRA + near - 257));
    const far = distanceSymbol(distance);
    putCode(distanceCodes, distanceLengths, far);
    put((distance - (load<u16>(DISTANCE_BASE + ((far as usize) << 1)) as i32)) as u32, load<u8>(DISTANCE_EXTRA + far));
  }
  putCode(literalCodes, literalLengths, END);
}

function putCode(codes: usize, lengths: usize, symbol: i32): void {
  put(load<u16>(codes + ((symbol as usize) << 1)), load<u8>(lengths + symbol));
}

/** Canonical codes, bits in the order in which they are sent. */
function makeCodes(lengths: usize, n: i32, codes: usize): void {
  let code: u32 = 0;
  for (let length: u32 = 1; length <= 15; length++) {
    for (let s: i32 = 0; s < n; s++) {
      if ((load<u8>(lengths + s) as u32) != length) continue;
      store<u16>(codes + ((s as usize) << 1), reversed(code, length) as u16);
      code++;
    }
    code <<= 1;
  }
}

// -- the header of a block with codes of its own

// In scratch: the run-length symbols of all lengths (u8 symbol, u8 extra), their counts, lengths and codes.
const RUNS: usize = 0;
const RUN_COUNTS: usize = 1024;
const RUN_LENGTHS: usize = 1104;
const RUN_CODES: usize = 1124;
const SORTED: usize = 1168;
let runCount: i32 = 0;
let literalTotal: i32 = 0;
let distanceTotal: i32 = 0;
let orderTotal: i32 = 0;

/** Decides how the lengths are sent; the bits of the header behind the block's kind. */
function planHeader(): i64 {
  literalTotal = LITERALS;
  while (literalTotal > 257 && load<u8>(literalLengths + literalTotal - 1) == 0) literalTotal--;
  distanceTotal = DISTANCES;
  while (distanceTotal > 1 && load<u8>(distanceLengths + distanceTotal - 1) == 0) distanceTotal--;
  runCount = 0;
  memory.fill(scratch + RUN_COUNTS, 0, 80);
  const total = literalTotal + distanceTotal;
  for (let i: i32 = 0; i < total; ) {
    const value = lengthAt(i);
    let run: i32 = 1;
    while (i + run < total && lengthAt(i + run) == value) run++;
    i += run;
    if (value == 0) {
      while (run >= 11) run -= addRun(18, min(run, 138) - 11) + 11;
      if (run >= 3) run -= addRun(17, run - 3) + 3;
    } else {
      addRun(value, 0);
      run--;
      while (run >= 3) run -= addRun(16, min(run, 6) - 3) + 3;
    }
    while (run-- > 0) addRun(value, 0);
  }
  codeLengths(scratch + RUN_COUNTS, 19, 7, scratch + RUN_LENGTHS, scratch + SORTED);
  orderTotal = 19;
  while (orderTotal > 4 && load<u8>(scratch + RUN_LENGTHS + load<u8>(ORDER + orderTotal - 1)) == 0) orderTotal--;
  let sum: i64 = 14 + 3 * (orderTotal as i64);
  for (let s: i32 = 0; s < 19; s++) {
    const extra = s == 16 ? 2 : s == 17 ? 3 : s == 18 ? 7 : 0;
    sum += (load<u32>(scratch + RUN_COUNTS + ((s as usize) << 2)) as i64) * ((load<u8>(scratch + RUN_LENGTHS + s) + extra) as i64);
  }
  return sum;
}

function lengthAt(index: i32): i32 {
  return index < literalTotal ? load<u8>(literalLengths + index) : load<u8>(distanceLengths + index - literalTotal);
}

/** Returns `extra`. */
function addRun(symbol: i32, extra: i32): i32 {
  const at = scratch + RUNS + ((runCount++ as usize) << 1);
  store<u8>(at, symbol as u8);
  store<u8>(at, extra as u8, 1);
  count(scratch + RUN_COUNTS, symbol);
  return extra;
}

function writeHeader(): void {
  put((literalTotal - 257) as u32, 5);
  put((distanceTotal - 1) as u32, 5);
  put((orderTotal - 4) as u32, 4);
  for (let i: i32 = 0; i < orderTotal; i++) put(load<u8>(scratch + RUN_LENGTHS + load<u8>(ORDER + i)), 3);
  makeCodes(scratch + RUN_LENGTHS, 19, scratch + RUN_CODES);
  for (let i: i32 = 0; i < runCount; i++) {
    const at = scratch + RUNS + ((i as usize) << 1);
    const symbol = load<u8>(at);
    putCode(scratch + RUN_CODES, scratch + RUN_LENGTHS, symbol);
    if (symbol >= 16) put(load<u8>(at, 1), symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
  }
}
