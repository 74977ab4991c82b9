// Compression to a zstd frame (RFC 8878): hash chains over a window of 1 MiB, literals in a Huffman code, sequences with the default tables.
import { alloc, free } from "../memory";
import { BYTES, discard, lengthOf, newBytes } from "./cell";
import { setStatus } from "./descriptor";
import { HUFFMAN_SCRATCH, codeLengths, count } from "./huffman";
import { LENGTHS_BASE, LENGTHS_DEFAULT, LENGTHS_EXTRA, MATCHES_BASE, MATCHES_DEFAULT, MATCHES_EXTRA, OFFSETS_DEFAULT } from "./unzstd";
import { xxh64 } from "./xxh64";

const BLOCK: i32 = 128 << 10;
const WINDOW_BITS: u32 = 20;
const SHORTEST: i32 = 4;
const HASH_BITS: u32 = 16;
const CHAIN: i32 = 24;
/** Longest code of a literal. */
const MOST_BITS: i32 = 11;
/** Symbols whose weights can be written without compressing them. */
const MOST_WEIGHTS: i32 = 128;

// Memory of one run.
let heads: usize = 0;
let links: usize = 0;
let linkMask: i32 = 0;
let literals: usize = 0;
let literalCount: i32 = 0;
/** Per sequence: u32 literals before it, u32 length of the match, u32 offset value. */
let sequences: usize = 0;
let sequenceCount: i32 = 0;
let counts: usize = 0;
let lengths: usize = 0;
let codes: usize = 0;
let scratch: usize = 0;
let lengthsTable: usize = 0;
let matchesTable: usize = 0;
let offsetsTable: usize = 0;
let recent: i32 = 0;

// Output, and the bits of the stream that is being written.
let output: usize = 0;
let room: i32 = 0;
let written: i32 = 0;
let bits: u64 = 0;
let bitCount: u32 = 0;

export function __compress_zstd(b: usize): usize {
  const length = lengthOf(b);
  const source = b + BYTES;
  room = (length >> 1) + 256;
  output = newBytes(room);
  written = 0;
  beginRun(length);
  writeFrameHeader(length);
  let at: i32 = 0;
  do {
    const size = min(length - at, BLOCK);
    writeBlock(source, at, size, at + size == length);
    at += size;
  } while (at < length);
  ensure(4);
  store<u32>(output + BYTES + written, xxh64(source, length) as u32);
  written += 4;
  free(heads);
  store<i32>(output, written);
  setStatus(0);
  return output;
}

function beginRun(length: i32): void {
  let window: i32 = 1024;
  while (window < length && window < 1 << WINDOW_BITS) window <<= 1;
  linkMask = window - 1;
  const hashSize: usize = 4 << HASH_BITS;
  const linkSize = (window as usize) << 2;
  const blockSize = min(length, BLOCK) as usize;
  const sequenceSize: usize = (blockSize / SHORTEST + 1) * 12;
  heads = alloc(hashSize + linkSize + blockSize + 8 + sequenceSize + 256 * 7 + HUFFMAN_SCRATCH + TABLE * 3 + 16);
  links = heads + hashSize;
  sequences = links + linkSize;
  counts = sequences + sequenceSize;
  codes = counts + 1024;
  lengths = codes + 512;
  scratch = lengths + 256;
  lengthsTable = scratch + HUFFMAN_SCRATCH;
  matchesTable = lengthsTable + TABLE;
  offsetsTable = matchesTable + TABLE;
  literals = offsetsTable + TABLE;
  makeTable(lengthsTable, LENGTHS_DEFAULT, 36, 6);
  makeTable(matchesTable, MATCHES_DEFAULT, 53, 6);
  makeTable(offsetsTable, OFFSETS_DEFAULT, 29, 5);
  recent = 1;
}

function ensure(more: i32): void {
  if (written + more <= room) return;
  room = (written + more) * 2;
  const grown = newBytes(room);
  memory.copy(grown + BYTES, output + BYTES, written);
  discard(output);
  output = grown;
}

function putByte(value: i32): void {
  ensure(1);
  store<u8>(output + BYTES + written++, value as u8);
}

/** Magic, a frame with its size and a checksum; small ones as a single segment, larger ones with their window. */
function writeFrameHeader(length: i32): void {
  ensure(16);
  store<u32>(output + BYTES, 0xfd2fb528);
  const isSingle = length <= 1 << WINDOW_BITS;
  const sizeFlag = length < 256 ? 0 : length < 65536 + 256 ? 1 : 2;
  store<u8>(output + BYTES, ((sizeFlag << 6) | (isSingle ? 0x20 : 0) | 4) as u8, 4);
  written = 5;
  if (!isSingle) putByte(((WINDOW_BITS - 10) as i32) << 3);
  if (sizeFlag == 0) putByte(length);
  else if (sizeFlag == 1) store<u16>(output + BYTES + written, (length - 256) as u16);
  else store<u32>(output + BYTES + written, length as u32);
  written += sizeFlag == 0 ? 0 : sizeFlag == 1 ? 2 : 4;
}

function writeBlock(source: usize, at: i32, size: i32, last: bool): void {
  const start = written;
  ensure(size + 1024);
  written += 3;
  const recentBefore = recent;
  findSequences(source, at, size);
  writeLiterals();
  writeSequences();
  let kind: i32 = 2;
  if (written - start - 3 >= size) {
    recent = recentBefore;
    written = start + 3;
    ensure(size);
    memory.copy(output + BYTES + written, source + at, size);
    written += size;
    kind = 0;
  }
  const header = ((written - start - 3) << 3) | (kind << 1) | (last ? 1 : 0);
  store<u16>(output + BYTES + start, header as u16);
  store<u8>(output + BYTES + start, (header >> 16) as u8, 2);
}

// -- matching

function findSequences(source: usize, from: i32, size: i32): void {
  literalCount = 0;
  sequenceCount = 0;
  const end = from + size;
  let anchor = from;
  let at = from;
  while (at + SHORTEST <= end) {
    const length = longestMatch(source, at, end, insert(source, at));
    if (length < SHORTEST) {
      at++;
      continue;
    }
    addSequence(source, anchor, at - anchor, length);
    const next = at + length;
    for (at++; at < next; at++) if (at + SHORTEST <= end) insert(source, at);
    anchor = at;
  }
  takeLiterals(source, anchor, end - anchor);
}

function insert(source: usize, at: i32): i32 {
  const head = heads + (((load<u32>(source + at) * 0x9e3779b1) >> (32 - HASH_BITS)) << 2);
  const previous = load<i32>(head);
  store<i32>(head, at + 1);
  store<i32>(links + (((at & linkMask) as usize) << 2), previous);
  return previous;
}

let matchOffset: i32 = 0;

function longestMatch(source: usize, at: i32, end: i32, previous: i32): i32 {
  const limit = end - at;
  const here = source + at;
  let best: i32 = 0;
  for (let chain = CHAIN; previous > 0 && chain > 0; chain--) {
    const place = previous - 1;
    if (at - place > linkMask) break;
    const there = source + place;
    if (best < limit && load<u8>(there + best) == load<u8>(here + best) && load<u32>(there) == load<u32>(here)) {
      const same = commonLength(there, here, limit);
      if (same > best) {
        best = same;
        matchOffset = at - place;
      }
    }
    previous = load<i32>(links + (((place & linkMask) as usize) << 2));
  }
  return best;
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

function addSequence(source: usize, from: i32, literalLength: i32, matchLength: i32): void {
  takeLiterals(source, from, literalLength);
  const entry = sequences + (sequenceCount++ as usize) * 12;
  store<u32>(entry, literalLength as u32);
  store<u32>(entry, matchLength as u32, 4);
  const isRecent = matchOffset == recent && literalLength > 0;
  store<u32>(entry, isRecent ? 1 : (matchOffset + 3) as u32, 8);
  recent = matchOffset;
}

function takeLiterals(source: usize, from: i32, length: i32): void {
  memory.copy(literals + literalCount, source + from, length);
  literalCount += length;
}

// -- literals

function writeLiterals(): void {
  const start = written;
  if (literalCount >= 64 && writeCodedLiterals() && written - start < literalCount) return;
  written = start;
  // As they are: kind 0, the length in 5, 12 or 20 bits.
  ensure(literalCount + 4);
  if (literalCount < 32) {
    putByte(literalCount << 3);
  } else if (literalCount < 4096) {
    store<u16>(output + BYTES + written, (4 | (literalCount << 4)) as u16);
    written += 2;
  } else {
    store<u32>(output + BYTES + written, (12 | (literalCount << 4)) as u32);
    written += 3;
  }
  memory.copy(output + BYTES + written, literals, literalCount);
  written += literalCount;
}

/** Huffman-coded literals; false when their code cannot be written. */
function writeCodedLiterals(): bool {
  memory.fill(counts, 0, 1024);
  for (let i: i32 = 0; i < literalCount; i++) count(counts, load<u8>(literals + i));
  let highest: i32 = 255;
  while (load<u32>(counts + ((highest as usize) << 2)) == 0) highest--;
  if (highest > MOST_WEIGHTS || load<u32>(counts + ((highest as usize) << 2)) == (literalCount as u32)) return false;
  codeLengths(counts, highest + 1, MOST_BITS, lengths, scratch);
  const most = makeCodes(highest);
  const isSingle = literalCount < 256;
  const headerSize = literalCount < 1024 ? 3 : literalCount < 16384 ? 4 : 5;
  const start = written;
  ensure(literalCount * 2 + 512);
  written += headerSize;
  // The weights, two to a byte; the last symbol's follows from the others.
  putByte(127 + highest);
  for (let s: i32 = 0; s < highest; s += 2) putByte((weightOf(s, most) << 4) | (s + 1 < highest ? weightOf(s + 1, most) : 0));
  if (isSingle) {
    writeStream(0, literalCount);
  } else {
    const each = (literalCount + 3) / 4;
    const jumps = written;
    written += 6;
    for (let k: i32 = 0; k < 4; k++) {
      const streamStart = written;
      writeStream(k * each, min(each, literalCount - k * each));
      if (written - streamStart > 65535) return false;
      if (k < 3) store<u16>(output + BYTES + jumps + (k << 1), (written - streamStart) as u16);
    }
  }
  const compressed = written - start - headerSize;
  if (compressed >= literalCount) return false;
  const width: u64 = headerSize == 3 ? 10 : headerSize == 4 ? 14 : 18;
  const format: u64 = isSingle ? 0 : headerSize == 3 ? 1 : headerSize == 4 ? 2 : 3;
  const header: u64 = 2 | (format << 2) | ((literalCount as u64) << 4) | ((compressed as u64) << (4 + width));
  for (let i: i32 = 0; i < headerSize; i++) store<u8>(output + BYTES + start + i, (header >> ((i << 3) as u64)) as u8);
  return true;
}

function weightOf(symbol: i32, most: i32): i32 {
  const length = load<u8>(lengths + symbol) as i32;
  return length == 0 ? 0 : most + 1 - length;
}

/** Codes in zstd's order: the longest first, each length in order of symbols. The longest length. */
function makeCodes(highest: i32): i32 {
  let most: i32 = 0;
  for (let s: i32 = 0; s <= highest; s++) most = max<i32>(most, load<u8>(lengths + s));
  let next: u32 = 0;
  for (let length = most; length > 0; length--) {
    for (let s: i32 = 0; s <= highest; s++) {
      if ((load<u8>(lengths + s) as i32) == length) store<u16>(codes + ((s as usize) << 1), (next++) as u16);
    }
    next >>= 1;
  }
  return most;
}

/** A stream of literals, the last one first. */
function writeStream(from: i32, size: i32): void {
  openBits();
  for (let i = from + size - 1; i >= from; i--) {
    const symbol = load<u8>(literals + i) as usize;
    putBits(load<u16>(codes + (symbol << 1)), load<u8>(lengths + symbol));
  }
  closeBits();
}

// -- bits

function openBits(): void {
  bits = 0;
  bitCount = 0;
}

/** The low `size` bits of `value`, at most 32. */
function putBits(value: u32, size: u32): void {
  bits |= ((value as u64) & ((1 << (size as u64)) - 1)) << (bitCount as u64);
  bitCount += size;
  if (bitCount < 32) return;
  ensure(4);
  store<u32>(output + BYTES + written, bits as u32);
  written += 4;
  bits >>= 32;
  bitCount -= 32;
}

/** The mark behind the last bit, and zeros up to a whole byte. */
function closeBits(): void {
  putBits(1, 1);
  for (let left = bitCount as i32; left > 0; left -= 8) {
    putByte(bits as u8);
    bits >>= 8;
  }
}

// -- sequences. An encoding table: per symbol i32 bits and i32 place (64 symbols), then u16 next states (64).

const STATES: usize = 512;
const TABLE: usize = 512 + 128;

/** The table of a distribution (Yann Collet, FSE): the counterpart of `makeTable` in the decoder. */
function makeTable(table: usize, defaults: usize, symbols: i32, log: i32): void {
  const size = 1 << log;
  const spread = scratch; // u8 symbol of each state
  const first = scratch + 64; // i32 number of states before a symbol's
  let high = size - 1;
  let total: i32 = 0;
  for (let s: i32 = 0; s < symbols; s++) {
    const weight = load<i16>(defaults + ((s as usize) << 1)) as i32;
    store<i32>(first + ((s as usize) << 2), total);
    if (weight == -1) store<u8>(spread + high--, s as u8);
    const entry = table + ((s as usize) << 3);
    if (weight == -1 || weight == 1) {
      store<i32>(entry, (log << 16) - size);
      store<i32>(entry, total - 1, 4);
    } else {
      const most = log - (31 - clz<i32>(weight - 1));
      store<i32>(entry, (most << 16) - (weight << most));
      store<i32>(entry, total - weight, 4);
    }
    total += weight == -1 ? 1 : weight;
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let position: i32 = 0;
  for (let s: i32 = 0; s < symbols; s++) {
    for (let k = load<i16>(defaults + ((s as usize) << 1)) as i32; k > 0; k--) {
      store<u8>(spread + position, s as u8);
      do position = (position + step) & (size - 1);
      while (position > high);
    }
  }
  for (let state: i32 = 0; state < size; state++) {
    const place = first + ((load<u8>(spread + state) as usize) << 2);
    const index = load<i32>(place);
    store<i32>(place, index + 1);
    store<u16>(table + STATES + ((index as usize) << 1), (size + state) as u16);
  }
}

function firstState(table: usize, symbol: i32): u32 {
  const entry = table + ((symbol as usize) << 3);
  const delta = load<i32>(entry);
  const size = (delta + (1 << 15)) >> 16;
  const value = (size << 16) - delta;
  return load<u16>(table + STATES + ((((value >> size) + load<i32>(entry, 4)) as usize) << 1));
}

/** Writes the bits that lead from the next state back to this one; the state before. */
function encode(table: usize, state: u32, symbol: i32): u32 {
  const entry = table + ((symbol as usize) << 3);
  const size = ((state as i32) + load<i32>(entry)) >> 16;
  putBits(state, size as u32);
  return load<u16>(table + STATES + (((((state >> (size as u32)) as i32) + load<i32>(entry, 4)) as usize) << 1));
}

function writeSequences(): void {
  if (sequenceCount < 128) {
    putByte(sequenceCount);
  } else if (sequenceCount < 0x7f00) {
    putByte((sequenceCount >> 8) + 128);
    putByte(sequenceCount & 255);
  } else {
    putByte(255);
    putByte((sequenceCount - 0x7f00) & 255);
    putByte((sequenceCount - 0x7f00) >> 8);
  }
  if (sequenceCount == 0) return;
  putByte(0); // the default tables
  openBits();
  let index = sequenceCount - 1;
  let entry = sequences + (index as usize) * 12;
  let matchState = firstState(matchesTable, matchCode(load<u32>(entry, 4)));
  let offsetState = firstState(offsetsTable, offsetCode(load<u32>(entry, 8)));
  let lengthState = firstState(lengthsTable, lengthCode(load<u32>(entry)));
  putExtras(entry);
  for (index--; index >= 0; index--) {
    entry = sequences + (index as usize) * 12;
    offsetState = encode(offsetsTable, offsetState, offsetCode(load<u32>(entry, 8)));
    matchState = encode(matchesTable, matchState, matchCode(load<u32>(entry, 4)));
    lengthState = encode(lengthsTable, lengthState, lengthCode(load<u32>(entry)));
    putExtras(entry);
  }
  putBits(matchState, 6);
  putBits(offsetState, 5);
  putBits(lengthState, 6);
  closeBits();
}

function putExtras(entry: usize): void {
  const length = load<u32>(entry);
  const match = load<u32>(entry, 4);
  const offset = load<u32>(entry, 8);
  const lengthSymbol = lengthCode(length) as usize;
  const matchSymbol = matchCode(match) as usize;
  putBits(length - load<u32>(LENGTHS_BASE + (lengthSymbol << 2)), load<u8>(LENGTHS_EXTRA + lengthSymbol));
  putBits(match - load<u32>(MATCHES_BASE + (matchSymbol << 2)), load<u8>(MATCHES_EXTRA + matchSymbol));
  putBits(offset, offsetCode(offset) as u32);
}

function lengthCode(length: u32): i32 {
  if (length < 16) return length as i32;
  let code: i32 = 16;
  while (code < 35 && load<u32>(LENGTHS_BASE + (((code + 1) as usize) << 2)) <= length) code++;
  return code;
}

function matchCode(length: u32): i32 {
  if (length < 35) return (length as i32) - 3;
  let code: i32 = 32;
  while (code < 52 && load<u32>(MATCHES_BASE + (((code + 1) as usize) << 2)) <= length) code++;
  return code;
}

function offsetCode(value: u32): i32 {
  return 31 - (clz<u32>(value) as i32);
}
