// The inputs of a run that is recorded or replayed (reference 06b 6b.4, 6b.5): clocks, randomness, environment, arguments. Each read is an entry with its exact arguments and
// its result; a replay serves the entries of the consumer in order, and reads the real world where they do not fit.
import { NEXT_INPUT, NUMBER, NUMBERS, consumer } from "./consumers";
import { BODY, DETAIL, INPUT, closeEntry, openEntry, withholdsEnvironment } from "./recording";
import { LIVE_FALLBACK, UNCONSUMED_INPUT, advance, count, isTruncated } from "./replay";
import { isRecording, isReplaying } from "./thread";

// -- kinds of inputs; a replay counts what does not fit under these numbers
export const TIME_NOW: i32 = 0;
export const TIME_MONOTONIC: i32 = 1;
export const RAND_NEXT_INT: i32 = 2;
export const OS_GETRANDOM: i32 = 3;
export const ENV_VAR: i32 = 4;
export const ENV_VAR_EXISTS: i32 = 5;
export const ENV_ARG: i32 = 6;
export const ENV_ARGS_COUNT: i32 = 7;

/** Flag of the detail: the result is not in the recording, but its length. */
const WITHHELD: u32 = 256;
const ARGUMENTS_LENGTH: usize = BODY;
const RESULT_LENGTH: usize = BODY + 4;
const TEXT: usize = BODY + 8;

/** The result of a read as the recording has it, or 0: the real world is asked. Its length: `lengthOfServed`. */
export function serve(kind: i32, args: usize, length: i32): usize {
  if (!isReplaying()) return 0;
  const field = consumer() + NEXT_INPUT;
  const entry = load<usize>(field);
  if (entry == 0 && isTruncated()) {
    count(LIVE_FALLBACK, 1);
    return 0;
  }
  if (entry == 0 || (load<u32>(entry, DETAIL) & 255) != (kind as u32) || load<i32>(entry, ARGUMENTS_LENGTH) != length || memory.compare(entry + TEXT, args, length) != 0) {
    count(kind, 1);
    return 0;
  }
  advance(field, UNCONSUMED_INPUT);
  if (load<u32>(entry, DETAIL) & WITHHELD) {
    count(kind, 1);
    return 0;
  }
  return entry + TEXT + (length as usize);
}

/** The length of the result that `serve` answered for arguments of `length` bytes. */
export function lengthOfServed(result: usize, length: i32): i32 {
  return load<i32>(result - (length as usize) - TEXT, RESULT_LENGTH);
}

/** Tells the recording of a read. The value of an environment variable may be kept back. */
export function noteInput(kind: i32, args: usize, length: i32, result: usize, resultLength: i32): void {
  if (!isRecording()) return;
  const withheld = kind == ENV_VAR && resultLength > 0 && withholdsEnvironment();
  const size = TEXT + (length as usize) + (withheld ? 0 : (resultLength as usize));
  const at = openEntry(INPUT, load<i32>(consumer(), NUMBER), (kind as u32) | (withheld ? WITHHELD : 0), size);
  store<i32>(at, length, ARGUMENTS_LENGTH);
  store<i32>(at, resultLength, RESULT_LENGTH);
  memory.copy(at + TEXT, args, length);
  if (!withheld) memory.copy(at + TEXT + (length as usize), result, resultLength);
  closeEntry();
}

/** `serve` for a read whose argument (0 for none) and result are numbers. */
export function serveNumber(kind: i32, argument: i64): usize {
  const at = consumer() + NUMBERS;
  store<i64>(at, argument);
  return serve(kind, at, 8);
}

export function noteNumber(kind: i32, argument: i64, result: i64): void {
  const at = consumer() + NUMBERS;
  store<i64>(at, argument);
  store<i64>(at, result, 8);
  noteInput(kind, at, 8, at + 8, 8);
}

/** A number as the argument, bytes as the result. */
export function noteBytes(kind: i32, argument: i64, result: usize, length: i32): void {
  const at = consumer() + NUMBERS;
  store<i64>(at, argument);
  noteInput(kind, at, 8, result, length);
}

/** Bytes as the argument, a number as the result. */
export function noteText(kind: i32, args: usize, length: i32, result: i64): void {
  const at = consumer() + NUMBERS;
  store<i64>(at, result);
  noteInput(kind, args, length, at, 8);
}
