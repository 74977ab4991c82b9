// std::io::MirrorRing: a byte queue whose free and whose filled part are each one piece of memory. The room is twice the capacity, and the content moves to
// its front when it has wandered over half of it: every byte moves at most once for each capacity of bytes that pass.
//
// A ring is a cell: +0 i32 capacity, +4 i32 where the content starts, +8 i32 its length, +16 the room.
import { recvCounted } from "../system-calls";
import { alloc, free } from "../memory";
import { EAGAIN, EBADF, EINTR, setStatus } from "./descriptor";
import { newWindow } from "./window";

const CAPACITY: usize = 0;
const START: usize = 4;
const FILLED: usize = 8;
const ROOM: usize = 16;
const PAGE: i64 = 4096;
const LARGEST: i64 = 1 << 30;

/** A ring, or 0 when the capacity is no power of two of whole pages. */
export function __ring_new(capacity: i64): i64 {
  if (capacity < PAGE || capacity > LARGEST || (capacity & (capacity - 1)) != 0) return 0;
  const ring = alloc(ROOM + (capacity as usize) * 2);
  store<i32>(ring, capacity as i32, CAPACITY);
  return ring as i64;
}

export function __ring_free(ring: i64): void {
  if (ring != 0) free(ring as usize);
}

export function __ring_len(ring: i64): i64 {
  return ring == 0 ? 0 : load<i32>(ring as usize, FILLED);
}

/** The free part. */
export function __ring_writable(ring: i64): usize {
  return newWindow(freePart(ring as usize), freeLength(ring as usize));
}

/** The filled part. */
export function __ring_readable(ring: i64): usize {
  const at = ring as usize;
  return newWindow(at + ROOM + load<i32>(at, START), load<i32>(at, FILLED));
}

export function __ring_commit(ring: i64, n: i64): void {
  const at = ring as usize;
  const more = max<i64>(min<i64>(n, freeLength(at)), 0) as i32;
  store<i32>(at, load<i32>(at, FILLED) + more, FILLED);
}

export function __ring_skip(ring: i64, n: i64): void {
  const at = ring as usize;
  const gone = max<i64>(min<i64>(n, load<i32>(at, FILLED)), 0) as i32;
  store<i32>(at, load<i32>(at, START) + gone, START);
  store<i32>(at, load<i32>(at, FILLED) - gone, FILLED);
}

/** One read into the free part: the number of bytes, 0 at the end, -1 on failure, -2 after the time limit. */
export function __ring_recv(ring: i64, fd: i64, most: i64): i64 {
  const at = ring as usize;
  if (fd < 0 || fd > i32.MAX_VALUE || most <= 0) {
    setStatus(EBADF);
    return -1;
  }
  const room = min<i64>(most, freeLength(at)) as i32;
  if (room == 0) return -2;
  const got = recvCounted(fd as i32, freePart(at), room);
  const isWait = got == EAGAIN || got == EINTR;
  setStatus(isWait ? 0 : got);
  if (got > 0) __ring_commit(ring, got);
  return isWait ? -2 : got < 0 ? -1 : got;
}

function freeLength(ring: usize): i32 {
  return load<i32>(ring, CAPACITY) - load<i32>(ring, FILLED);
}

/** Address of the free part, which is made whole. */
function freePart(ring: usize): usize {
  const start = load<i32>(ring, START);
  const filled = load<i32>(ring, FILLED);
  if (start > load<i32>(ring, CAPACITY)) {
    memory.copy(ring + ROOM, ring + ROOM + start, filled);
    store<i32>(ring, 0, START);
  }
  return ring + ROOM + load<i32>(ring, START) + filled;
}
