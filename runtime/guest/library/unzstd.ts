// Decompression of zstd frames (RFC 8878). Frames that need a dictionary are refused.
import { alloc, free } from "../memory";
import { BYTES, discard, lengthOf, newBytes } from "./cell";
import { EFBIG, EINVAL, setStatus } from "./descriptor";
import { LARGEST } from "./inflate";
import { xxh64 } from "./xxh64";

const MAGIC: u32 = 0xfd2fb528;
const LONGEST_BLOCK: i32 = 128 << 10;

let failed: bool = false;
let tooLarge: bool = false;
/** A copy of the input with room behind it, so that a word may be loaded at any of its bytes. */
let input: usize = 0;
let at: usize = 0;
let end: usize = 0;
let output: usize = 0;
let room: i32 = 0;
let written: i32 = 0;
let frameStart: i32 = 0;

// Working memory of the whole run.
let work: usize = 0;
const LITERALS: usize = 0; // 128 KiB and some
const HUFFMAN: usize = 131584; // 2048 entries: u8 symbol, u8 bits
const WEIGHTS: usize = HUFFMAN + 4096; // 256 bytes
const COUNTS: usize = WEIGHTS + 256; // i16 for each of up to 64 symbols
const NEXT: usize = COUNTS + 128; // u16 for each symbol
const LENGTHS_TABLE: usize = NEXT + 128; // three FSE tables of 512 entries
const OFFSETS_TABLE: usize = LENGTHS_TABLE + 4096;
const MATCHES_TABLE: usize = OFFSETS_TABLE + 4096;
const WEIGHTS_TABLE: usize = MATCHES_TABLE + 4096;
const WORK_SIZE: usize = WEIGHTS_TABLE + 4096;

let huffmanBits: i32 = 0;
let literalCount: i32 = 0;
/** Accuracy of the three tables; -1: there is none to repeat. */
let lengthsLog: i32 = -1;
let offsetsLog: i32 = -1;
let matchesLog: i32 = -1;
// The last three offsets.
let recent1: i32 = 0;
let recent2: i32 = 0;
let recent3: i32 = 0;

export function __compress_unzstd(b: usize): usize {
  const length = lengthOf(b);
  failed = length == 0;
  tooLarge = false;
  input = alloc((length as usize) + 16);
  memory.copy(input, b + BYTES, length);
  at = input;
  end = input + length;
  work = alloc(WORK_SIZE);
  room = min(max(length * 4, 256), 1 << 26);
  output = newBytes(room);
  written = 0;
  while (!failed && at < end) readFrame();
  free(work);
  free(input);
  setStatus(tooLarge ? EFBIG : failed ? EINVAL : 0);
  if (failed || written == 0) {
    discard(output);
    return 0;
  }
  store<i32>(output, written);
  return output;
}

function refuse(): void {
  failed = true;
}

/** Whether `count` more bytes are there; refuses the input otherwise. */
function has(count: usize): bool {
  if (end - at < count) failed = true;
  return !failed;
}

function readFrame(): void {
  if (!has(4)) return;
  const magic = load<u32>(at);
  at += 4;
  if (magic >= 0x184d2a50 && magic <= 0x184d2a5f) {
    if (!has(4)) return;
    const size = load<u32>(at) as usize;
    at += 4;
    if (has(size)) at += size;
    return;
  }
  if (magic != MAGIC || !has(1)) {
    failed = true;
    return;
  }
  const descriptor = load<u8>(at++);
  const isSingle = (descriptor & 0x20) != 0;
  const dictionarySize: usize = (descriptor & 3) == 3 ? 4 : (descriptor & 3);
  const sizeFlag = descriptor >> 6;
  const sizeSize: usize = sizeFlag == 0 ? (isSingle ? 1 : 0) : 1 << sizeFlag;
  if ((descriptor & 8) != 0 || !has((isSingle ? 0 : 1) + dictionarySize + sizeSize)) {
    failed = true;
    return;
  }
  if (!isSingle) at++; // the window is the whole output
  for (let i: usize = 0; i < dictionarySize; i++) if (load<u8>(at + i) != 0) failed = true;
  at += dictionarySize;
  let size: i64 = -1;
  if (sizeSize == 1) size = load<u8>(at);
  else if (sizeSize == 2) size = (load<u16>(at) as i64) + 256;
  else if (sizeSize == 4) size = load<u32>(at);
  else if (sizeSize == 8) size = load<i64>(at);
  at += sizeSize;
  if (size > (LARGEST as i64)) tooLarge = true;
  if (failed || tooLarge) {
    failed = true;
    return;
  }
  frameStart = written;
  recent1 = 1;
  recent2 = 4;
  recent3 = 8;
  huffmanBits = 0;
  lengthsLog = offsetsLog = matchesLog = -1;
  readBlocks();
  if (failed) return;
  if (size >= 0 && size != ((written - frameStart) as i64)) failed = true;
  if ((descriptor & 4) == 0 || !has(4)) return;
  if (load<u32>(at) != (xxh64(output + BYTES + frameStart, written - frameStart) as u32)) failed = true;
  at += 4;
}

function readBlocks(): void {
  let last = false;
  while (!last && has(3)) {
    const header = (load<u16>(at) as u32) | ((load<u8>(at, 2) as u32) << 16);
    at += 3;
    last = (header & 1) != 0;
    const kind = (header >> 1) & 3;
    const size = (header >> 3) as i32;
    if (size > LONGEST_BLOCK || kind == 3) refuse();
    else if (kind == 0) copyRaw(size);
    else if (kind == 1) repeatByte(size);
    else if (has(size)) readCompressed(size);
    if (failed) return;
  }
}

function copyRaw(size: i32): void {
  if (!has(size) || !makeRoom(size)) return;
  memory.copy(output + BYTES + written, at, size);
  at += size;
  written += size;
}

function repeatByte(size: i32): void {
  if (!has(1) || !makeRoom(size)) return;
  memory.fill(output + BYTES + written, load<u8>(at++), size);
  written += size;
}

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

function readCompressed(size: i32): void {
  const stop = at + size;
  readLiterals(stop);
  if (failed) return;
  if (at >= stop) {
    failed = true;
    return;
  }
  readSequences(stop);
  if (at != stop) failed = true;
}

// -- literals

function readLiterals(stop: usize): void {
  if (at >= stop) {
    refuse();
    return;
  }
  const first = load<u8>(at);
  const kind = first & 3;
  const format = (first >> 2) & 3;
  if (kind < 2) {
    const headerSize: usize = (format & 1) == 0 ? 1 : format == 1 ? 2 : 3;
    literalCount = headerSize == 1 ? (first >> 3) as i32 : headerSize == 2 ? (load<u16>(at) >> 4) as i32 : ((load<u32>(at) & 0xffffff) >> 4) as i32;
    at += headerSize;
    const bytes: usize = kind == 0 ? literalCount : 1;
    if (at > stop || stop - at < bytes || literalCount > LONGEST_BLOCK) {
      failed = true;
      return;
    }
    if (kind == 0) memory.copy(work + LITERALS, at, bytes);
    else memory.fill(work + LITERALS, load<u8>(at), literalCount);
    at += bytes;
    return;
  }
  const headerSize: usize = format < 2 ? 3 : format + 2;
  const width: u64 = format < 2 ? 10 : format == 2 ? 14 : 18;
  const header = load<u64>(at) >> 4;
  literalCount = (header & ((1 << width) - 1)) as i32;
  const compressed = ((header >> width) & ((1 << width) - 1)) as usize;
  at += headerSize;
  if (at > stop || stop - at < compressed || literalCount > LONGEST_BLOCK) {
    failed = true;
    return;
  }
  const literalsEnd = at + compressed;
  if (kind == 2) readTree(literalsEnd);
  else if (huffmanBits == 0) failed = true;
  if (failed) return;
  if (format == 0) readStream(at, literalsEnd, work + LITERALS, literalCount);
  else readFourStreams(literalsEnd);
  at = literalsEnd;
}

function readFourStreams(stop: usize): void {
  const each = (literalCount + 3) / 4;
  if (stop - at < 6 || literalCount < each * 3) {
    failed = true;
    return;
  }
  const first = at + 6;
  const second = first + load<u16>(at);
  const third = second + load<u16>(at, 2);
  const fourth = third + load<u16>(at, 4);
  if (fourth > stop) {
    failed = true;
    return;
  }
  const target = work + LITERALS;
  readStream(first, second, target, each);
  readStream(second, third, target + each, each);
  readStream(third, fourth, target + each * 2, each);
  readStream(fourth, stop, target + each * 3, literalCount - each * 3);
}

// -- bit streams that are read from their end. `bitAt` counts the bits left; a marker bit stands behind the last one.

let streamStart: usize = 0;
let bitAt: i32 = 0;

function openStream(start: usize, stop: usize): void {
  streamStart = start;
  const last: u32 = start < stop ? load<u8>(stop - 1) : 0;
  if (last == 0) {
    failed = true;
    bitAt = 0;
    return;
  }
  bitAt = (((stop - start) as i32) << 3) - ((clz<u32>(last) as i32) - 24) - 1;
}

/** The next `count` bits (at most 32) without taking them; zeros stand below the first bit of the stream. */
// @ts-ignore: decorator
@inline
function peekBits(count: i32): u32 {
  const from = bitAt - count;
  if (from >= 0) return ((load<u64>(streamStart + (from >> 3)) >> ((from & 7) as u64)) & ((1 << (count as u64)) - 1)) as u32;
  if (bitAt <= 0) return 0;
  return ((load<u64>(streamStart) & ((1 << (bitAt as u64)) - 1)) << (-from as u64)) as u32;
}

function takeBits(count: i32): u32 {
  const value = peekBits(count);
  bitAt -= count;
  if (bitAt < 0) failed = true;
  return value;
}

function readStream(start: usize, stop: usize, target: usize, count: i32): void {
  if (failed) return;
  openStream(start, stop);
  const table = work + HUFFMAN;
  for (let i: i32 = 0; i < count; i++) {
    const entry = load<u16>(table + ((peekBits(huffmanBits) as usize) << 1));
    store<u8>(target + i, entry as u8);
    bitAt -= (entry >> 8) as i32;
    if (bitAt < 0) break;
  }
  if (bitAt != 0) failed = true;
}

// -- the Huffman code of literals

function readTree(stop: usize): void {
  if (at >= stop) {
    refuse();
    return;
  }
  const header = load<u8>(at++) as i32;
  let count: i32 = 0;
  if (header >= 128) {
    count = header - 127;
    const bytes: usize = (count + 1) >> 1;
    if (stop - at < bytes) {
      failed = true;
      return;
    }
    for (let i: i32 = 0; i < count; i++) {
      const pair = load<u8>(at + (i >> 1));
      store<u8>(work + WEIGHTS + i, (i & 1) == 0 ? pair >> 4 : pair & 15);
    }
    at += bytes;
  } else {
    if (stop - at < (header as usize)) {
      failed = true;
      return;
    }
    count = readWeights(at + header);
  }
  if (!failed) makeTree(count);
}

/** Weights compressed with FSE, two states that take turns; how many there are. */
function readWeights(stop: usize): i32 {
  const log = readCounts(stop, 12, 6);
  if (failed) return 0;
  const table = work + WEIGHTS_TABLE;
  makeTable(table, log, 13);
  if (failed) return 0;
  openStream(at, stop);
  at = stop;
  let first = takeBits(log);
  let second = takeBits(log);
  let count: i32 = 0;
  // The last states are written out when the stream has run dry.
  while (!failed && count < 254) {
    store<u8>(work + WEIGHTS + count++, symbolAt(table, first));
    if (bitAt < bitsAt(table, first)) {
      store<u8>(work + WEIGHTS + count++, symbolAt(table, second));
      return count;
    }
    first = nextState(table, first);
    store<u8>(work + WEIGHTS + count++, symbolAt(table, second));
    if (bitAt < bitsAt(table, second)) {
      store<u8>(work + WEIGHTS + count++, symbolAt(table, first));
      return count;
    }
    second = nextState(table, second);
  }
  failed = true;
  return 0;
}

/** The decoding table from the weights of `count` symbols; one more symbol has the weight that is left. */
function makeTree(count: i32): void {
  const weights = work + WEIGHTS;
  let sum: u32 = 0;
  for (let i: i32 = 0; i < count; i++) {
    const weight = load<u8>(weights + i);
    if (weight > 12) failed = true;
    if (weight > 0) sum += 1 << ((weight - 1) as u32);
  }
  if (failed || sum == 0) {
    failed = true;
    return;
  }
  huffmanBits = 32 - (clz<u32>(sum) as i32);
  const left = ((1 as u32) << (huffmanBits as u32)) - sum;
  if (huffmanBits > 11 || (left & (left - 1)) != 0) {
    failed = true;
    return;
  }
  store<u8>(weights + count, (32 - (clz<u32>(left) as i32)) as u8);
  let entry: usize = 0;
  const table = work + HUFFMAN;
  for (let weight: i32 = 1; weight <= huffmanBits; weight++) {
    for (let symbol: i32 = 0; symbol <= count; symbol++) {
      if ((load<u8>(weights + symbol) as i32) != weight) continue;
      const value = ((symbol as u32) | (((huffmanBits + 1 - weight) as u32) << 8)) as u16;
      for (let k: u32 = 0; k < 1 << ((weight - 1) as u32); k++) store<u16>(table + (entry++ << 1), value);
    }
  }
}

// -- finite state entropy; a table's entry: u16 base of the next state, u8 bits, u8 symbol

// @ts-ignore: decorator
@inline
function symbolAt(table: usize, state: u32): u8 {
  return load<u8>(table + ((state as usize) << 2), 3);
}

// @ts-ignore: decorator
@inline
function bitsAt(table: usize, state: u32): i32 {
  return load<u8>(table + ((state as usize) << 2), 2);
}

// @ts-ignore: decorator
@inline
function nextState(table: usize, state: u32): u32 {
  const entry = table + ((state as usize) << 2);
  return (load<u16>(entry) as u32) + takeBits(load<u8>(entry, 2));
}

/** Reads the counts of up to `highest` + 1 symbols to COUNTS (the rest is zero); the accuracy. Moves `at` behind them. */
function readCounts(stop: usize, highest: i32, mostAccurate: i32): i32 {
  memory.fill(work + COUNTS, 0, 128);
  if (at >= stop) {
    failed = true;
    return 0;
  }
  const log = ((load<u8>(at) & 15) as i32) + 5;
  if (log > mostAccurate) {
    failed = true;
    return 0;
  }
  let bit: i32 = 4;
  const bits = ((stop - at) as i32) << 3;
  let remaining: i32 = (1 << log) + 1;
  let threshold: i32 = 1 << log;
  let width: i32 = log + 1;
  let symbol: i32 = 0;
  while (remaining > 1 && symbol <= highest) {
    const word = (load<u64>(at + (bit >> 3)) >> ((bit & 7) as u64)) as i32;
    const spare = 2 * threshold - 1 - remaining;
    let value = word & (threshold - 1);
    if (value < spare) {
      bit += width - 1;
    } else {
      value = word & (2 * threshold - 1);
      if (value >= threshold) value -= spare;
      bit += width;
    }
    const count = value - 1; // -1: less than one
    remaining -= count < 0 ? 1 : count;
    store<i16>(work + COUNTS + ((symbol++ as usize) << 1), count as i16);
    if (bit > bits || remaining < 1) {
      failed = true;
      return 0;
    }
    while (remaining < threshold) {
      width--;
      threshold >>= 1;
    }
    if (count != 0) continue;
    // Runs of absent symbols, two bits at a time.
    let repeat: i32 = 3;
    while (repeat == 3) {
      repeat = ((load<u16>(at + (bit >> 3)) >> (bit & 7)) & 3) as i32;
      bit += 2;
      symbol += repeat;
      if (bit > bits || symbol > highest + 1) {
        failed = true;
        return 0;
      }
    }
  }
  if (remaining != 1) failed = true;
  at += ((bit + 7) >> 3) as usize;
  if (at > stop) failed = true;
  return log;
}

/** The decoding table of the counts in COUNTS. */
function makeTable(table: usize, log: i32, symbols: i32): void {
  const size = 1 << log;
  let high = size - 1;
  for (let s: i32 = 0; s < symbols; s++) {
    const count = load<i16>(work + COUNTS + ((s as usize) << 1));
    if (count == -1) store<u8>(table + ((high-- as usize) << 2), s as u8, 3);
    store<u16>(work + NEXT + ((s as usize) << 1), count == -1 ? 1 : (count as u16));
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let position: i32 = 0;
  for (let s: i32 = 0; s < symbols; s++) {
    for (let k: i32 = load<i16>(work + COUNTS + ((s as usize) << 1)); k > 0; k--) {
      store<u8>(table + ((position as usize) << 2), s as u8, 3);
      do position = (position + step) & (size - 1);
      while (position > high);
    }
  }
  if (position != 0) {
    failed = true;
    return;
  }
  for (let i: i32 = 0; i < size; i++) {
    const entry = table + ((i as usize) << 2);
    const place = work + NEXT + ((load<u8>(entry, 3) as usize) << 1);
    const state = load<u16>(place) as u32;
    store<u16>(place, (state + 1) as u16);
    const bits = log - (31 - (clz<u32>(state) as i32));
    store<u8>(entry, bits as u8, 2);
    store<u16>(entry, ((state << (bits as u32)) - (size as u32)) as u16);
  }
}

// -- sequences

/** The default counts of lengths of literals (36), of matches (53) and of offsets (29). */
export const LENGTHS_DEFAULT: usize = memory.data<i16>([4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1]);
export const MATCHES_DEFAULT: usize = memory.data<i16>([
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
  -1, -1,
]);
export const OFFSETS_DEFAULT: usize = memory.data<i16>([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1]);

/** First value and extra bits of each code of lengths. */
export const LENGTHS_BASE: usize = memory.data<u32>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536,
]);
export const LENGTHS_EXTRA: usize = memory.data<u8>([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
export const MATCHES_BASE: usize = memory.data<u32>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99,
  131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539,
]);
export const MATCHES_EXTRA: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
]);

/** One of the three tables, in its mode; the accuracy. */
function readTable(table: usize, mode: u32, stop: usize, known: i32, defaults: usize, defaultLog: i32, symbols: i32, mostAccurate: i32): i32 {
  if (failed) return 0;
  if (mode == 3) {
    if (known < 0) failed = true;
    return known;
  }
  if (mode == 1) {
    if (at >= stop || (load<u8>(at) as i32) >= symbols) {
      failed = true;
      return 0;
    }
    store<u32>(table, (load<u8>(at++) as u32) << 24);
    return 0;
  }
  let log = defaultLog;
  if (mode == 2) {
    log = readCounts(stop, symbols - 1, mostAccurate);
    if (failed) return 0;
  } else {
    memory.fill(work + COUNTS, 0, 128);
    memory.copy(work + COUNTS, defaults, (defaultLog == 5 ? 29 : symbols) << 1);
  }
  makeTable(table, log, symbols);
  return log;
}

function readSequences(stop: usize): void {
  let count = load<u8>(at++) as i32;
  if (count >= 128) {
    const more: usize = count == 255 ? 2 : 1;
    if (stop - at < more) {
      failed = true;
      return;
    }
    count = count == 255 ? (load<u16>(at) as i32) + 0x7f00 : ((count - 128) << 8) + load<u8>(at);
    at += more;
  }
  if (count == 0) {
    takeLiterals(0, literalCount);
    return;
  }
  if (at >= stop) {
    failed = true;
    return;
  }
  const modes = load<u8>(at++) as u32;
  if ((modes & 3) != 0) failed = true;
  lengthsLog = readTable(work + LENGTHS_TABLE, modes >> 6, stop, lengthsLog, LENGTHS_DEFAULT, 6, 36, 9);
  offsetsLog = readTable(work + OFFSETS_TABLE, (modes >> 4) & 3, stop, offsetsLog, OFFSETS_DEFAULT, 5, 32, 8);
  matchesLog = readTable(work + MATCHES_TABLE, (modes >> 2) & 3, stop, matchesLog, MATCHES_DEFAULT, 6, 53, 9);
  if (failed) return;
  openStream(at, stop);
  at = stop;
  runSequences(count);
}

function runSequences(count: i32): void {
  let lengthState = takeBits(lengthsLog);
  let offsetState = takeBits(offsetsLog);
  let matchState = takeBits(matchesLog);
  let used: i32 = 0;
  for (let i: i32 = 0; i < count && !failed; i++) {
    const offsetCode = symbolAt(work + OFFSETS_TABLE, offsetState);
    const matchCode = symbolAt(work + MATCHES_TABLE, matchState) as usize;
    const lengthCode = symbolAt(work + LENGTHS_TABLE, lengthState) as usize;
    if (offsetCode > 30) {
      failed = true;
      return;
    }
    const value = ((1 as u32) << (offsetCode as u32)) + takeBits(offsetCode);
    const match = load<u32>(MATCHES_BASE + (matchCode << 2)) + takeBits(load<u8>(MATCHES_EXTRA + matchCode));
    const literals = load<u32>(LENGTHS_BASE + (lengthCode << 2)) + takeBits(load<u8>(LENGTHS_EXTRA + lengthCode));
    if (i + 1 < count) {
      lengthState = nextState(work + LENGTHS_TABLE, lengthState);
      matchState = nextState(work + MATCHES_TABLE, matchState);
      offsetState = nextState(work + OFFSETS_TABLE, offsetState);
    }
    if (failed || (used as u32) + literals > (literalCount as u32)) {
      failed = true;
      return;
    }
    takeLiterals(used, literals as i32);
    used += literals as i32;
    copyMatch(offsetOf(value, literals == 0), match as i32);
  }
  if (bitAt != 0) failed = true;
  if (!failed) takeLiterals(used, literalCount - used);
}

/** The offset that a value stands for: 1 to 3 are the recent ones, shifted by one when no literals precede. */
function offsetOf(value: u32, bare: bool): i32 {
  if (value > 3) {
    recent3 = recent2;
    recent2 = recent1;
    recent1 = (value - 3) as i32;
    return recent1;
  }
  const which = (value as i32) + (bare ? 1 : 0);
  if (which == 1) return recent1;
  const offset = which == 2 ? recent2 : which == 3 ? recent3 : recent1 - 1;
  if (which > 2) recent3 = recent2;
  recent2 = recent1;
  recent1 = offset;
  return offset;
}

function takeLiterals(from: i32, count: i32): void {
  if (count == 0 || !makeRoom(count)) return;
  memory.copy(output + BYTES + written, work + LITERALS + from, count);
  written += count;
}

function copyMatch(offset: i32, length: i32): void {
  if (failed || offset <= 0 || offset > written - frameStart) {
    failed = true;
    return;
  }
  if (!makeRoom(length)) return;
  const target = output + BYTES + written;
  if (offset >= length) memory.copy(target, target - offset, length);
  else for (let i: i32 = 0; i < length; i++) store<u8>(target + i, load<u8>(target + i - offset));
  written += length;
}
