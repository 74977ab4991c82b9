// Faults (04 17) and other ends before the program's time: standard output is flushed, standard error gets one line and the place, the exit
// status is 1. Nothing here allocates: memory may be what has run out.
import * as host from "./host";
import { endProcess } from "./end";
import { lock } from "./lock";
import { hale_flush, writeAll } from "./output";
import { writeDigits, digitCount } from "./digits";

const CAPACITY: usize = 1024;
const message: usize = memory.data(1024, 8);
/** Taken once and never given back: the first fault wins, other threads wait here for the end. */
const faultLock: usize = memory.data(4, 4);
let length: usize = 0;

/** Starts the line. */
export function faultBegin(): void {
  lock(faultLock);
  length = 0;
}

/** Ends the line, writes it with the place of the program, and ends the process. */
export function faultEnd(): void {
  store<u8>(message + length, 10);
  hale_flush();
  writeAll(2, message, length + 1);
  host.backtrace();
  endProcess(1);
}

/** A word of the message. `text` is a literal: its UTF-16 letters, all ASCII, lie in static memory. */
export function faultWords(text: string): void {
  const from = changetype<usize>(text);
  const letters = load<u32>(from - 4) >> 1;
  for (let i: usize = 0; i < letters; i++) faultByte(load<u8>(from + (i << 1)));
}

/** A String of the program. */
export function faultText(text: usize): void {
  const size = load<i32>(text) as usize;
  for (let i: usize = 0; i < size; i++) faultByte(load<u8>(text + 4 + i));
}

export function faultInt(value: i64): void {
  if (value < 0) faultByte(45);
  const magnitude: u64 = value < 0 ? 0 - (value as u64) : (value as u64);
  const count = digitCount(magnitude);
  if (length + count >= CAPACITY) return;
  writeDigits(message + length, count, magnitude);
  length += count;
}

/** Longer messages are cut: the last byte is for the line feed. */
export function faultByte(byte: u8): void {
  if (length + 1 >= CAPACITY) return;
  store<u8>(message + length, byte);
  length++;
}
