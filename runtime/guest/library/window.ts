// A BytesMut: a cell with the address (+0, i32) and the length (+4, i32) of a piece of memory that somebody else owns.
import { alloc } from "../memory";
import { bytesFrom } from "./cell";
import { swapped, writeLittle } from "./bytes";

const ADDRESS: usize = 0;
const LENGTH: usize = 4;

export function newWindow(address: usize, length: i32): usize {
  const window = alloc(8);
  store<usize>(window + ADDRESS, address);
  store<i32>(window + LENGTH, length);
  return window;
}

/** A copy of what a window shows, as Bytes: where a reader of Bytes takes a BytesMut. */
export function window_bytes(window: usize): usize {
  return bytesFrom(load<usize>(window + ADDRESS), load<i32>(window + LENGTH));
}

export function __window_len(window: usize): i64 {
  return load<i32>(window + LENGTH);
}

/** Stores the low `width` bytes of `value`; the caller has checked that they fit. */
export function __window_write_le(window: usize, offset: i64, width: i64, value: i64): void {
  writeLittle(load<usize>(window + ADDRESS) + (offset as usize), width as i32, value);
}

export function __window_write_be(window: usize, offset: i64, width: i64, value: i64): void {
  writeLittle(load<usize>(window + ADDRESS) + (offset as usize), width as i32, swapped(value, width as i32));
}
