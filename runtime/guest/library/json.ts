// Primitives of std::json: escapes, scanning, the validity check (RFC 8259).
import { BYTES, discard, findByte, lengthOf, newBytes } from "./cell";
import { owned } from "./str";

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
/** Nesting that `valid` accepts. */
const DEEPEST: i32 = 64;

// @ts-ignore: decorator
@inline
function isBlank(byte: u8): bool {
  return byte == 0x20 || byte == 0x0a || byte == 0x09 || byte == 0x0d;
}

// -- escapes

/** How many bytes stand for a byte between JSON quotes. */
// @ts-ignore: decorator
@inline
function escapedSize(byte: u8): i32 {
  if (byte == QUOTE || byte == BACKSLASH) return 2;
  if (byte >= 0x20) return 1;
  return byte == 0x08 || byte == 0x09 || byte == 0x0a || byte == 0x0c || byte == 0x0d ? 2 : 6;
}

export function __json_escape(s: usize): usize {
  const length = lengthOf(s);
  let size: i32 = 0;
  for (let i: i32 = 0; i < length; i++) size += escapedSize(load<u8>(s + BYTES + i));
  if (size == length) return owned(s);
  const result = newBytes(size);
  let target = result + BYTES;
  for (let i: i32 = 0; i < length; i++) target = writeEscaped(target, load<u8>(s + BYTES + i));
  return result;
}

function writeEscaped(target: usize, byte: u8): usize {
  const size = escapedSize(byte);
  if (size == 1) {
    store<u8>(target, byte);
    return target + 1;
  }
  store<u8>(target, BACKSLASH);
  if (size == 6) {
    store<u32>(target + 1, 0x303075 | (((0x30 + (byte >> 4)) as u32) << 24)); // "u00" and the high digit
    store<u8>(target + 5, lowDigit(byte & 15));
    return target + 6;
  }
  let letter = byte;
  if (byte == 0x08) letter = 0x62;
  else if (byte == 0x0c) letter = 0x66;
  else if (byte == 0x0a) letter = 0x6e;
  else if (byte == 0x0d) letter = 0x72;
  else if (byte == 0x09) letter = 0x74;
  store<u8>(target + 1, letter);
  return target + 2;
}

function lowDigit(value: u8): u8 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

export function __json_unescape(s: usize): usize {
  const length = lengthOf(s);
  if (findByte(s + BYTES, length, BACKSLASH) < 0) return owned(s);
  const result = newBytes(length); // an escape is never shorter than what it stands for
  let target = result + BYTES;
  let at = s + BYTES;
  const stop = at + length;
  while (at < stop) {
    const byte = load<u8>(at);
    if (byte != BACKSLASH || at + 1 == stop) {
      store<u8>(target++, byte);
      at++;
      continue;
    }
    const letter = load<u8>(at, 1);
    const simple = simpleEscape(letter);
    const unit = letter == 0x75 ? hexUnit(at + 2, stop) : -1;
    if (simple != 0) {
      store<u8>(target++, simple);
      at += 2;
    } else if (unit < 0) {
      store<u8>(target++, byte);
      store<u8>(target++, letter);
      at += 2;
    } else {
      at += 6;
      let point = unit;
      if (unit >= 0xd800 && unit < 0xdc00) {
        const low = at + 1 < stop && load<u8>(at) == BACKSLASH && load<u8>(at, 1) == 0x75 ? hexUnit(at + 2, stop) : -1;
        if (low >= 0xdc00 && low < 0xe000) {
          point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
          at += 6;
        }
      }
      target = writePoint(target, point == 0 || (point >= 0xd800 && point < 0xe000) ? 0xfffd : point);
    }
  }
  const size = (target - result - BYTES) as i32;
  if (size == 0) {
    discard(result);
    return 0;
  }
  store<i32>(result, size);
  return result;
}

/** The byte that a two-byte escape stands for, or 0. */
function simpleEscape(letter: u8): u8 {
  if (letter == QUOTE || letter == BACKSLASH || letter == 0x2f) return letter;
  if (letter == 0x62) return 0x08;
  if (letter == 0x66) return 0x0c;
  if (letter == 0x6e) return 0x0a;
  if (letter == 0x72) return 0x0d;
  return letter == 0x74 ? 0x09 : 0;
}

/** The number of the four hex digits at `at`, or -1. */
function hexUnit(at: usize, stop: usize): i32 {
  if (at + 4 > stop) return -1;
  let value: i32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const byte = load<u8>(at + i);
    const lower = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) value = (value << 4) | (byte - 0x30);
    else if (lower >= 0x61 && lower <= 0x66) value = (value << 4) | (lower - 0x57);
    else return -1;
  }
  return value;
}

function writePoint(target: usize, point: i32): usize {
  if (point < 0x80) {
    store<u8>(target, point as u8);
    return target + 1;
  }
  if (point < 0x800) {
    store<u8>(target, (0xc0 | (point >> 6)) as u8);
    store<u8>(target, (0x80 | (point & 63)) as u8, 1);
    return target + 2;
  }
  if (point < 0x10000) {
    store<u8>(target, (0xe0 | (point >> 12)) as u8);
    store<u8>(target, (0x80 | ((point >> 6) & 63)) as u8, 1);
    store<u8>(target, (0x80 | (point & 63)) as u8, 2);
    return target + 3;
  }
  store<u8>(target, (0xf0 | (point >> 18)) as u8);
  store<u8>(target, (0x80 | ((point >> 12) & 63)) as u8, 1);
  store<u8>(target, (0x80 | ((point >> 6) & 63)) as u8, 2);
  store<u8>(target, (0x80 | (point & 63)) as u8, 3);
  return target + 4;
}

// -- scanning; all positions are byte offsets, clamped to the text

function clampedStop(json: usize, stop: i64): i32 {
  return max<i64>(min<i64>(stop, lengthOf(json)), 0) as i32;
}

/** First position from `from` on, below `stop`, that holds no blank (nor comma, when `commas`); `stop` if there is none. */
export function __json_skip(json: usize, from: i64, stop: i64, commas: bool): i64 {
  const end = clampedStop(json, stop);
  for (let at = max<i64>(from, 0); at < end; at++) {
    const byte = load<u8>(json + BYTES + (at as usize));
    if (!isBlank(byte) && !(commas && byte == 0x2c)) return at;
  }
  return end;
}

/** Position of the quote that ends the string whose first byte is at `from`, or -1. */
export function __json_string_end(json: usize, from: i64, stop: i64): i64 {
  return stringEnd(json, from as i32, clampedStop(json, stop));
}

function stringEnd(json: usize, from: i32, stop: i32): i32 {
  for (let at = from; at < stop; at++) {
    const byte = load<u8>(json + BYTES + at);
    if (byte == QUOTE) return at;
    if (byte == BACKSLASH) at++;
  }
  return -1;
}

/** Position of the first `,` `}` `]` outside strings and the brackets opened from `from` on; `stop` if there is none. */
export function __json_value_end(json: usize, from: i64, stop: i64): i64 {
  const end = clampedStop(json, stop);
  let depth: i32 = 0;
  for (let at = from as i32; at < end; at++) {
    const byte = load<u8>(json + BYTES + at);
    if (byte == QUOTE) {
      const close = stringEnd(json, at + 1, end);
      if (close < 0) return end;
      at = close;
    } else if (byte == 0x7b || byte == 0x5b) {
      depth++;
    } else if (byte == 0x7d || byte == 0x5d) {
      if (depth == 0) return at;
      depth--;
    } else if (byte == 0x2c && depth == 0) {
      return at;
    }
  }
  return end;
}

/** End of the value at `from`: a string with its quotes, a bracketed value with its brackets, anything else up to `,` `}` `]` or a blank. */
export function __json_token_end(json: usize, from: i64, stop: i64): i64 {
  const end = clampedStop(json, stop);
  if (from >= end) return end;
  let at = from as i32;
  const first = load<u8>(json + BYTES + at);
  if (first == QUOTE) {
    const close = stringEnd(json, at + 1, end);
    return close < 0 ? end : close + 1;
  }
  if (first == 0x7b || first == 0x5b) {
    const close = __json_value_end(json, from + 1, end) as i32;
    return afterBracket(json, close, end);
  }
  while (at < end) {
    const byte = load<u8>(json + BYTES + at);
    if (byte == 0x2c || byte == 0x7d || byte == 0x5d || isBlank(byte)) break;
    at++;
  }
  return at;
}

/** From a `,` or closing bracket inside a bracket: the position behind the bracket's own end. */
function afterBracket(json: usize, at: i32, end: i32): i32 {
  while (at < end && load<u8>(json + BYTES + at) == 0x2c) at = __json_value_end(json, at + 1, end) as i32;
  return min(at + 1, end);
}

/** Position from `from` on, below `stop`, whose byte is one of those of `set`: 0 `{}[],"`, 1 `"\`, 2 all but blanks; `stop` if there is none. */
export function __json_next(json: usize, from: i64, stop: i64, set: i64): i64 {
  const end = clampedStop(json, stop);
  for (let at = max<i64>(from, 0); at < end; at++) {
    const byte = load<u8>(json + BYTES + (at as usize));
    if (set == 0) {
      if (byte == QUOTE || byte == 0x2c || byte == 0x7b || byte == 0x7d || byte == 0x5b || byte == 0x5d) return at;
    } else if (set == 1 ? byte == QUOTE || byte == BACKSLASH : !isBlank(byte)) {
      return at;
    }
  }
  return stop;
}

/** Position behind the first `"name"` that is followed by blanks and a colon, and behind that colon, within `from..stop`; -1 if there is none. A plain text scan. */
export function __json_after_key(json: usize, name: usize, from: i64, stop: i64): i64 {
  const end = clampedStop(json, stop);
  const width = lengthOf(name);
  if (from >= end) return -1;
  for (let at = from as i32; at + width + 2 <= end; at++) {
    if (load<u8>(json + BYTES + at) != QUOTE || load<u8>(json + BYTES + at + width + 1) != QUOTE) continue;
    if (memory.compare(json + BYTES + at + 1, name + BYTES, width) != 0) continue;
    const colon = __json_skip(json, at + width + 2, end, false) as i32;
    if (colon < end && load<u8>(json + BYTES + colon) == 0x3a) return colon + 1;
  }
  return -1;
}

/** Whether the bytes `from..stop` are a number token of JSON. */
export function __json_is_number(json: usize, from: i64, stop: i64): bool {
  const end = json + BYTES + (stop as usize);
  return numberEnd(json + BYTES + (from as usize), end) == end && stop > from;
}

// -- validity

let at: usize = 0;
let stop: usize = 0;

export function __json_valid(text: usize): bool {
  at = text + BYTES;
  stop = at + lengthOf(text);
  skipBlanks();
  if (!readValue(0)) return false;
  skipBlanks();
  return at == stop;
}

function skipBlanks(): void {
  while (at < stop && isBlank(load<u8>(at))) at++;
}

function readValue(depth: i32): bool {
  if (at == stop) return false;
  const byte = load<u8>(at);
  if (byte == QUOTE) return readString();
  if (byte == 0x7b || byte == 0x5b) return depth < DEEPEST && readContainer(byte == 0x7b, depth + 1);
  if (byte == 0x74) return readWord(0x65757274, 4);
  if (byte == 0x6e) return readWord(0x6c6c756e, 4);
  if (byte == 0x66) return at + 5 <= stop && load<u8>(at, 4) == 0x65 && readWord(0x736c6166, 5);
  const end = numberEnd(at, stop);
  if (end == 0) return false;
  at = end;
  return true;
}

/** A literal word, given by its first four bytes and its length. */
function readWord(start: u32, length: usize): bool {
  if (at + length > stop || load<u32>(at) != start) return false;
  at += length;
  return true;
}

function readContainer(isObject: bool, depth: i32): bool {
  const close: u8 = isObject ? 0x7d : 0x5d;
  at++;
  skipBlanks();
  if (at < stop && load<u8>(at) == close) {
    at++;
    return true;
  }
  while (true) {
    if (isObject && !readKey()) return false;
    if (!readValue(depth)) return false;
    skipBlanks();
    if (at == stop) return false;
    const byte = load<u8>(at++);
    if (byte == close) return true;
    if (byte != 0x2c) return false;
    skipBlanks();
  }
  return false;
}

function readKey(): bool {
  if (at == stop || load<u8>(at) != QUOTE || !readString()) return false;
  skipBlanks();
  if (at == stop || load<u8>(at) != 0x3a) return false;
  at++;
  skipBlanks();
  return true;
}

function readString(): bool {
  at++;
  while (at < stop) {
    const byte = load<u8>(at);
    if (byte == QUOTE) {
      at++;
      return true;
    }
    if (byte < 0x20) return false;
    if (byte == BACKSLASH) {
      if (!readEscape()) return false;
    } else if (byte < 0x80) {
      at++;
    } else {
      const size = sequenceSize(at, stop);
      if (size == 0) return false;
      at += size;
    }
  }
  return false;
}

function readEscape(): bool {
  if (at + 1 == stop) return false;
  const letter = load<u8>(at, 1);
  if (simpleEscape(letter) != 0) {
    at += 2;
    return true;
  }
  const unit = letter == 0x75 ? hexUnit(at + 2, stop) : -1;
  if (unit <= 0 || (unit >= 0xdc00 && unit < 0xe000)) return false;
  at += 6;
  if (unit < 0xd800 || unit >= 0xe000) return true;
  if (at + 1 >= stop || load<u8>(at) != BACKSLASH || load<u8>(at, 1) != 0x75) return false;
  const low = hexUnit(at + 2, stop);
  if (low < 0xdc00 || low >= 0xe000) return false;
  at += 6;
  return true;
}

/** Size of the well-formed UTF-8 sequence of two bytes or more at an address (Unicode 15, table 3-7), or 0. */
export function sequenceSize(from: usize, end: usize): i32 {
  const lead = load<u8>(from);
  const size = lead >= 0xc2 && lead < 0xe0 ? 2 : (lead & 0xf0) == 0xe0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (size == 0 || from + size > end) return 0;
  const second = load<u8>(from, 1);
  if (lead == 0xe0 && second < 0xa0) return 0;
  if (lead == 0xed && second > 0x9f) return 0;
  if (lead == 0xf0 && second < 0x90) return 0;
  if (lead == 0xf4 && second > 0x8f) return 0;
  for (let i: i32 = 1; i < size; i++) if ((load<u8>(from + i) & 0xc0) != 0x80) return 0;
  return size;
}

/** Address behind the number token at `from`, or 0 when there is none. */
function numberEnd(from: usize, end: usize): usize {
  let i = from;
  if (i < end && load<u8>(i) == 0x2d) i++;
  if (i == end) return 0;
  if (load<u8>(i) == 0x30) {
    i++;
  } else {
    const digits = digitsEnd(i, end);
    if (digits == i) return 0;
    i = digits;
  }
  if (i < end && load<u8>(i) == 0x2e) {
    const digits = digitsEnd(i + 1, end);
    if (digits == i + 1) return 0;
    i = digits;
  }
  if (i < end && (load<u8>(i) | 0x20) == 0x65) {
    i++;
    if (i < end && (load<u8>(i) == 0x2b || load<u8>(i) == 0x2d)) i++;
    const digits = digitsEnd(i, end);
    if (digits == i) return 0;
    i = digits;
  }
  return i;
}

function digitsEnd(from: usize, end: usize): usize {
  while (from < end && ((load<u8>(from) - 0x30) as u8) < 10) from++;
  return from;
}
