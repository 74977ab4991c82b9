// Standard output and standard error. Standard output is line buffered (04 16): what was printed up to the last line feed is visible at once,
// the rest waits for the next one or for a flush. A print costs at most one system call. One lock keeps calls of different threads apart.
import * as host from "./host";
import { lock, unlock } from "./lock";
import { alloc, free } from "./memory";
import { writeCounted } from "./system-calls";

const EINTR: i32 = -4;
const EAGAIN: i32 = -11;
const POLLOUT: i16 = 4;
const LINE_FEED: u8 = 10;

/** More than this is not held back, line feed or not. */
const CAPACITY: usize = 8192;
const outputLock: usize = memory.data(4, 4);
const held: usize = memory.data(4, 4);
const buffer: usize = memory.data(8192, 16);

/** Writes all that is held back. */
export function hale_flush(): void {
  lock(outputLock);
  flushHeld();
  unlock(outputLock);
}

/** Prints bytes in the manner of the stream. */
export function printBytes(from: usize, length: usize, stream: i32): void {
  const order = load<u32>(printOrder);
  if (order != 0) call_indirect<void>(order, 1);
  printNow(from, length, stream);
  if (order != 0) call_indirect<void>(order, 0);
}

/** Table index of a body (begins: 1, or ends: 0) around each print, in recorded and replayed runs of several threads; 0 else. Shared by all threads. */
const printOrder: usize = memory.data(4, 4);

export function setPrintOrder(body: u32): void {
  store<u32>(printOrder, body);
}

function printNow(from: usize, length: usize, stream: i32): void {
  if (stream != 1) {
    writeAll(stream, from, length);
    return;
  }
  lock(outputLock);
  printBuffered(from, length);
  unlock(outputLock);
}

/** Writes all bytes, waiting when a non-blocking stream is full; 0 or a negated errno. */
export function writeAll(fd: i32, from: usize, length: usize): i32 {
  while (length > 0) {
    const written = writeCounted(fd, from, min(length, 0x40000000) as i32);
    if (written >= 0) {
      from += written;
      length -= written;
    } else if (written == EAGAIN) {
      waitWritable(fd);
    } else if (written != EINTR) {
      return written;
    }
  }
  return 0;
}

function printBuffered(from: usize, length: usize): void {
  const complete = lengthOfLines(from, length);
  const waiting = load<usize>(held);
  if (complete == 0 && waiting + length <= CAPACITY) {
    hold(from, length);
  } else if (waiting == 0) {
    const whole = length - complete > CAPACITY ? length : complete;
    writeAll(1, from, whole);
    hold(from + whole, length - whole);
  } else if (waiting + complete <= CAPACITY && complete > 0) {
    hold(from, complete);
    flushHeld();
    printBuffered(from + complete, length - complete);
  } else {
    flushHeld();
    printBuffered(from, length);
  }
}

function hold(from: usize, length: usize): void {
  const waiting = load<usize>(held);
  memory.copy(buffer + waiting, from, length);
  store<usize>(held, waiting + length);
}

function flushHeld(): void {
  const waiting = load<usize>(held);
  if (waiting == 0) return;
  store<usize>(held, 0);
  writeAll(1, buffer, waiting);
}

/** Bytes up to and including the last line feed. */
function lengthOfLines(from: usize, length: usize): usize {
  while (length > 0 && load<u8>(from + length - 1) != LINE_FEED) length--;
  return length;
}

function waitWritable(fd: i32): void {
  const entry = alloc(8);
  store<i32>(entry, fd);
  store<i16>(entry, POLLOUT, 4);
  host.poll(entry, 1, -1);
  free(entry);
}
