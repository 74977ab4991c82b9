// The text builder: printing, `to_string`, `+` with text and f-strings put their pieces one behind the other into the thread's text buffer, then
// print it or take it out as a String. Between `text_begin` and the end no code of the program runs.
import { printBytes } from "./output";
import { newString } from "./string";
import {
  copyShort,
  textAdvance,
  textByte,
  textBytes,
  textDigits,
  textLength,
  textReset,
  textRoom,
  textStart,
} from "./text-buffer";

export { text_decimal, text_decimal_fixed } from "./decimal";
export { text_fixed, text_float } from "./float-text";
export { text_duration, text_time } from "./time-text";

const ALIGN_LEFT: i32 = 0;
const ALIGN_CENTRE: i32 = 1;

export function text_begin(): void {
  textReset();
}

/** The text as a new String. */
export function text_finish(): usize {
  return newString(textStart(), textLength());
}

/** Writes the text to standard output (1) or standard error (2). */
export function text_print(stream: i32): void {
  printBytes(textStart(), textLength(), stream);
}

export function text_string(text: usize): void {
  textBytes(text + 4, load<u32>(text));
}

/** A String inside a composite: between `"`, its bytes as they are. */
export function text_quoted(text: usize): void {
  textByte(34);
  text_string(text);
  textByte(34);
}

export function text_byte(byte: i32): void {
  textByte(byte as u8);
}

export function text_bool(value: i32): void {
  // The letters of `true` and `false`, least significant byte first.
  store<u64>(textRoom(8), value ? 0x65757274 : 0x65736c6166);
  textAdvance(value ? 4 : 5);
}

export function text_int(value: i64): void {
  if (value < 0) {
    textByte(45);
    textDigits(0 - (value as u64));
  } else {
    textDigits(value as u64);
  }
}

/** The 64 bits in hexadecimal, no leading zeros. */
export function text_hex(value: i64, upper: i32): void {
  const bits = value as u64;
  const count: usize = bits == 0 ? 1 : (67 - (clz(bits) as usize)) >> 2;
  const to = textRoom(count);
  const letters: u64 = upper ? 55 : 87;
  for (let i: usize = 0; i < count; i++) {
    const digit = (bits >> (((count - 1 - i) << 2) as u64)) & 15;
    store<u8>(to + i, (digit < 10 ? digit + 48 : digit + letters) as u8);
  }
  textAdvance(count);
}

/** How much text there is: for `text_pad`. */
export function text_mark(): i32 {
  return textLength() as i32;
}

/** Pads what was appended since `mark` to `width` bytes with `fill`, a space if that is empty. `align`: 0 left, 1 centre, 2 right. */
export function text_pad(mark: i32, fill: usize, align: i32, width: i32): void {
  const length = (textLength() as i32) - mark;
  const unit: i32 = load<i32>(fill) == 0 ? 1 : load<i32>(fill);
  const copies = (width - length) / unit;
  if (copies <= 0) return;
  // An odd space of centred text goes to the right.
  const left = align == ALIGN_LEFT ? 0 : align == ALIGN_CENTRE ? copies >> 1 : copies;
  textRoom(copies * unit);
  const start = textStart() + mark;
  memory.copy(start + left * unit, start, length);
  fillWith(start, fill, left);
  fillWith(start + left * unit + length, fill, copies - left);
  textAdvance(copies * unit);
}

function fillWith(to: usize, fill: usize, copies: i32): void {
  const unit: usize = load<i32>(fill);
  if (unit <= 1) {
    memory.fill(to, unit == 0 ? 32 : load<u8>(fill, 4), copies);
    return;
  }
  for (let i: i32 = 0; i < copies; i++) copyShort(to + (i as usize) * unit, fill + 4, unit);
}
