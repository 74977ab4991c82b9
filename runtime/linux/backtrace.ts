// Where the program is, in terms of its sources. The image carries tables (compiler/native/places.ts):
//
//   0  i32 number of functions; 4 i32 number of files; 8 the functions, 12 bytes each: i32 start of the code, i32 frame size (-1: the outermost frame),
//   i32 places or 0; one more entry ends the code. Behind them the files: i32 start and i32 length of each name. Starts are relative to the image's base,
//   places and names to the tables.
//   Places of a function: (code bytes since the last place plus one, file since the last, line since the last, column), LEB128, the middle two signed; a 0
//   ends them. Line 0 stands for no place.
import { writeAll } from "../guest/output";
import { backtraceTables, codeAddress, loadByte, loadLong, loadWord, stackPointer } from "./system";

/** More frames than these are not shown. */
const MOST_LINES: i32 = 30;
const LINE_CAPACITY: usize = 1024;
const IMAGE_BASE: i64 = 0x400000000;

/** The place of a trap, from which the walk starts; 0 when there was none. */
let trapCode: i64 = 0;
let trapFrame: i64 = 0;

export function startAtTrap(code: i64, frame: i64): void {
  trapCode = code;
  trapFrame = frame;
}

const line: usize = memory.data(1024, 8);
let length: usize = 0;

export function backtrace(): void {
  let code = codeAddress();
  let frame = stackPointer();
  if (trapCode != 0) {
    code = trapCode;
    frame = trapFrame;
  }
  let lines = 0;
  while (true) {
    const entry = entryOf(code - 1);
    if (entry == 0) return;
    if (findPlace(entry, code - 1)) {
      if (lines == MOST_LINES) {
        length = 0;
        putWords("  ...");
        writeLine();
        return;
      }
      writePlace(lines == 0);
      lines++;
    }
    const size = frameSize(entry, code - 1);
    if (size < 0) return;
    code = loadLong(frame + size);
    frame += size + 8;
  }
}

/** The table entry of the function around an address, or 0. */
function entryOf(code: i64): i64 {
  const tables = backtraceTables();
  const target = code - IMAGE_BASE;
  let low = 0;
  let high = loadWord(tables);
  const first = tables + 8;
  if (target < (loadWord(first) as i64) || target >= (loadWord(first + 12 * (high as i64)) as i64)) return 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((loadWord(first + 12 * (middle as i64)) as i64) <= target) low = middle;
    else high = middle;
  }
  return first + 12 * (low as i64);
}

/** Bytes from the stack pointer to the return address. Within the prologue (a stack overflow strikes there) only what has been pushed counts. */
function frameSize(entry: i64, code: i64): i64 {
  const start = IMAGE_BASE + (loadWord(entry) as i64);
  let pushed: i64 = 0;
  for (let at = start; at <= code; ) {
    if (at == code) return pushed;
    const byte = loadByte(at);
    if (byte >= 0x50 && byte < 0x58) at += 1;
    else if (byte == 0x41 && loadByte(at + 1) >= 0x50 && loadByte(at + 1) < 0x58) at += 2;
    else break;
    pushed += 8;
    // The next instruction takes the rest of the frame at once: it has not happened yet.
    if (at == code && loadByte(at) == 0x48) return pushed;
  }
  return loadWord(entry + 4);
}

// -- places

let cursor: i64 = 0;
let placeFile: i32 = 0;
let placeLine: i32 = 0;
let placeColumn: i32 = 0;

function unsigned(): i32 {
  let result = 0;
  let shift = 0;
  let byte = loadByte(cursor++);
  while (byte >= 0x80) {
    result |= (byte & 0x7f) << shift;
    shift += 7;
    byte = loadByte(cursor++);
  }
  return result | (byte << shift);
}

function signed(): i32 {
  const value = unsigned();
  return (value >>> 1) ^ -(value & 1);
}

/** Sets the place of an address in a function; false when it has none. */
function findPlace(entry: i64, code: i64): bool {
  const offset = loadWord(entry + 8);
  if (offset == 0) return false;
  cursor = backtraceTables() + (offset as i64);
  let at = IMAGE_BASE + (loadWord(entry) as i64);
  let file = 0;
  let lineNumber = 0;
  placeLine = 0;
  while (true) {
    const distance = unsigned();
    if (distance == 0) break;
    at += distance - 1;
    if (at > code) break;
    file += signed();
    lineNumber += signed();
    placeFile = file;
    placeLine = lineNumber;
    placeColumn = unsigned();
  }
  return placeLine > 0;
}

function writePlace(isFirst: bool): void {
  length = 0;
  if (isFirst) putWords("  at ");
  else putWords("  called from ");
  const tables = backtraceTables();
  const files = tables + 8 + 12 * ((loadWord(tables) + 1) as i64);
  const name = files + 8 * (placeFile as i64);
  const text = tables + (loadWord(name) as i64);
  const size = loadWord(name + 4);
  for (let i = 0; i < size; i++) put(loadByte(text + i));
  put(58);
  putNumber(placeLine);
  put(58);
  putNumber(placeColumn);
  writeLine();
}

function put(byte: i32): void {
  if (length + 1 >= LINE_CAPACITY) return;
  store<u8>(line + length, byte as u8);
  length++;
}

function putNumber(value: i32): void {
  if (value >= 10) putNumber(value / 10);
  put(48 + (value % 10));
}

/** `text` is a literal: its letters, all ASCII, lie in static memory in two bytes each. */
function putWords(text: string): void {
  const from = changetype<usize>(text);
  const letters = load<u32>(from - 4) >> 1;
  for (let i: usize = 0; i < letters; i++) put(load<u8>(from + (i << 1)));
}

function writeLine(): void {
  store<u8>(line + length, 10);
  writeAll(2, line, length + 1);
}
