// Strings: a cell of an i32 length and the bytes. The address 0 is the empty String.
import { allocDirty } from "./memory";

/** A String of the bytes at an address. */
export function newString(from: usize, length: usize): usize {
  if (length == 0) return 0;
  const cell = allocDirty(length + 4);
  store<i32>(cell, length as i32);
  memory.copy(cell + 4, from, length);
  return cell;
}
