// The thread's text buffer: one growing piece of memory that the text builder writes into.
import { allocateUncounted, freeUncounted } from "./memory";
import { digitCount, writeDigits } from "./digits";
import { TEXT, TEXT_CAPACITY, TEXT_LENGTH, thread } from "./thread";

const FIRST_CAPACITY: usize = 1000;
/** A buffer that one long text has made larger than this does not stay so. */
const KEPT_CAPACITY: usize = 1 << 20;

// @ts-ignore: decorator
@inline
export function textStart(): usize {
  return load<usize>(thread(), TEXT);
}

// @ts-ignore: decorator
@inline
export function textLength(): usize {
  return load<usize>(thread(), TEXT_LENGTH);
}

/** Empties the buffer. */
export function textReset(): void {
  const block = thread();
  store<usize>(block, 0, TEXT_LENGTH);
  if (load<usize>(block, TEXT_CAPACITY) > KEPT_CAPACITY) {
    freeUncounted(load<usize>(block, TEXT));
    store<usize>(block, 0, TEXT);
    store<usize>(block, 0, TEXT_CAPACITY);
  }
}

/** Address where the next `length` bytes may be written; `textAdvance` makes them part of the text. */
export function textRoom(length: usize): usize {
  const block = thread();
  const used = load<usize>(block, TEXT_LENGTH);
  if (load<usize>(block, TEXT_CAPACITY) - used < length) grow(block, used + length);
  return load<usize>(block, TEXT) + used;
}

// @ts-ignore: decorator
@inline
export function textAdvance(length: usize): void {
  store<usize>(thread(), load<usize>(thread(), TEXT_LENGTH) + length, TEXT_LENGTH);
}

export function textByte(byte: u8): void {
  store<u8>(textRoom(1), byte);
  textAdvance(1);
}

export function textBytes(from: usize, length: usize): void {
  copyShort(textRoom(length), from, length);
  textAdvance(length);
}

/** Appends an unsigned number in decimal. */
export function textDigits(value: u64): void {
  const count = digitCount(value);
  writeDigits(textRoom(count), count, value);
  textAdvance(count);
}

/** Appends exactly `count` digits, zeros in front. */
export function textPaddedDigits(value: u64, count: usize): void {
  writeDigits(textRoom(count), count, value);
  textAdvance(count);
}

/** Appends a word of the runtime. `text` is a literal: its UTF-16 letters, all ASCII, lie in static memory. */
export function textWords(text: string): void {
  const from = changetype<usize>(text);
  const letters = load<u32>(from - 4) >> 1;
  const to = textRoom(letters);
  for (let i: usize = 0; i < letters; i++) store<u8>(to + i, load<u8>(from + (i << 1)));
  textAdvance(letters);
}

/** Appends `number` with its last `fraction` digits behind a point; at least one digit before it. */
export function textWithPoint(number: u64, fraction: usize): void {
  const count = max(digitCount(number), fraction + 1);
  const to = textRoom(count + 1);
  writeDigits(to, count, number);
  if (fraction != 0) insertPoint(to, count, fraction);
  textAdvance(count + usize(fraction != 0));
}

/** Makes room for a point before the last `fraction` of the `count` digits at `to`. */
export function insertPoint(to: usize, count: usize, fraction: usize): void {
  const point = to + count - fraction;
  memory.copy(point + 1, point, fraction);
  store<u8>(point, 46);
}

/** `memory.copy` for pieces that are mostly short: the call costs more than a few bytes do. */
export function copyShort(to: usize, from: usize, length: usize): void {
  if (length > 32) {
    memory.copy(to, from, length);
  } else if (length >= 16) {
    const first = load<u64>(from);
    const second = load<u64>(from, 8);
    const third = load<u64>(from + length - 16);
    const last = load<u64>(from + length - 8);
    store<u64>(to, first);
    store<u64>(to, second, 8);
    store<u64>(to + length - 16, third);
    store<u64>(to + length - 8, last);
  } else if (length >= 8) {
    const first = load<u64>(from);
    const last = load<u64>(from + length - 8);
    store<u64>(to, first);
    store<u64>(to + length - 8, last);
  } else if (length >= 4) {
    const first = load<u32>(from);
    const last = load<u32>(from + length - 4);
    store<u32>(to, first);
    store<u32>(to + length - 4, last);
  } else {
    for (let i: usize = 0; i < length; i++) store<u8>(to + i, load<u8>(from + i));
  }
}

function grow(block: usize, needed: usize): void {
  const old = load<usize>(block, TEXT);
  const capacity = max(max(needed, load<usize>(block, TEXT_CAPACITY) * 2), FIRST_CAPACITY);
  const bigger = allocateUncounted(capacity);
  if (old != 0) {
    memory.copy(bigger, old, load<usize>(block, TEXT_LENGTH));
    freeUncounted(old);
  }
  store<usize>(block, bigger, TEXT);
  store<usize>(block, capacity, TEXT_CAPACITY);
}
