// The text builder: printing, `to_string`, `+` with text and f-strings put their pieces one behind the other into the thread's text buffer, then
// print it or take it out as a String. `text_begin` marks the start, so that builders may be nested, last begun first ended.
import { allocDirty, allocateUncounted, freeUncounted } from "./memory";
import { TEXT, TEXT_CAPACITY, TEXT_LENGTH, thread } from "./thread";

const FIRST_CAPACITY: usize = 1000;

/** Starts a text; the mark is handed to the call that ends it. */
export function text_begin(): i32 {
  return load<i32>(thread(), TEXT_LENGTH);
}

/** Ends a text: it becomes a String (cut at a zero byte: 03 5.1). */
export function text_take(mark: i32): usize {
  const from = textStart(mark);
  const length = textEnd() - from;
  textCut(mark);
  if (length == 0) return 0;
  const cell = allocDirty(length + 4);
  store<i32>(cell, length as i32);
  memory.copy(cell + 4, from, length);
  return cell;
}

/** Ends a text without using it. */
export function text_drop(mark: i32): void {
  textCut(mark);
}

export function text_string(text: usize): void {
  textBytes(text + 4, load<i32>(text) as usize);
}

export function text_byte(byte: i32): void {
  store<u8>(textRoom(1), byte as u8);
  textAdvance(1);
}

/** `true` or `false`. */
export function text_bool(value: i32): void {
  const to = textRoom(8);
  // The letters in the order of memory, least significant byte first.
  store<u64>(to, value ? 0x65757274 : 0x65736c6166);
  textAdvance(value ? 4 : 5);
}

export function text_int(value: i64): void {
  if (value < 0) {
    text_byte(45);
    textDigits(0 - (value as u64));
  } else {
    textDigits(value as u64);
  }
}

/** Appends bytes. */
export function textBytes(from: usize, length: usize): void {
  memory.copy(textRoom(length), from, length);
  textAdvance(length);
}

/** Appends an unsigned number in decimal. */
export function textDigits(value: u64): void {
  const count = digitCount(value);
  const to = textRoom(count);
  writeDigits(to, count, value);
  textAdvance(count);
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

// @ts-ignore: decorator
@inline
export function textStart(mark: i32): usize {
  return load<usize>(thread(), TEXT) + (mark as usize);
}

// @ts-ignore: decorator
@inline
export function textEnd(): usize {
  return load<usize>(thread(), TEXT) + load<usize>(thread(), TEXT_LENGTH);
}

// @ts-ignore: decorator
@inline
export function textCut(mark: i32): void {
  store<i32>(thread(), mark, TEXT_LENGTH);
}

/** Decimal digits of `value`, at least 1. */
export function digitCount(value: u64): usize {
  let count: usize = 1;
  while (value >= 10000) {
    value /= 10000;
    count += 4;
  }
  if (value >= 1000) return count + 3;
  if (value >= 100) return count + 2;
  return value >= 10 ? count + 1 : count;
}

/** Writes exactly `count` decimal digits, zeros in front. */
export function writeDigits(to: usize, count: usize, value: u64): void {
  let at = to + count;
  while (at > to) {
    at--;
    const rest = value / 10;
    store<u8>(at, (48 + value - rest * 10) as u8);
    value = rest;
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
