// Descriptors: reading lines, writing, positions. What failed is told as a negated errno; primitives whose result is text leave it for `__io_status`.
//
// `read_line` reads ahead, up to one block for each descriptor. What was read ahead counts as unread: a seek, a write or `at_eof` takes it into account, and it is
// read again when this process has written to any file, or may have waited for another process, since.
import * as host from "../host";
import { alloc, allocateUncounted, free, freeUncounted } from "../memory";
import { hale_flush, writeAll } from "../output";
import { readCounted } from "../system-calls";
import { BYTES, bytesFrom, discard, findByte, joined, lengthOf, newBytes } from "./cell";

export const EINTR: i32 = -4;
export const EBADF: i32 = -9;
export const EAGAIN: i32 = -11;
export const EINVAL: i32 = -22;
export const EFBIG: i32 = -27;
export const EISDIR: i32 = -21;

const SEEK_SET: i32 = 0;
const SEEK_CUR: i32 = 1;
export const POLLIN: i16 = 1;
const POLLOUT: i16 = 4;

/** Negated errno of the last primitive of this thread that returned text, 0 when it succeeded. */
let status: i32 = 0;

export function __io_status(): i64 {
  return status;
}

export function setStatus(value: i32): void {
  status = min(value, 0);
}

export function __fd_close(fd: i64): i64 {
  if (fd < 0) return 0;
  if (fd > i32.MAX_VALUE) return EBADF;
  dropReader(fd as i32);
  return host.close(fd as i32);
}

/** Writes all bytes; 0 or a negated errno. */
export function __fd_write(fd: i64, bytes: usize): i64 {
  return writeTo(fd, bytes);
}

export function __fd_write_text(fd: i64, text: usize): i64 {
  return writeTo(fd, text);
}

function writeTo(fd: i64, bytes: usize): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return EINVAL;
  forgetAhead(fd as i32);
  const result = writeAll(fd as i32, bytes + BYTES, lengthOf(bytes));
  filesChanged();
  return result;
}

/** Sets the position from the start. */
export function __fd_seek(fd: i64, offset: i64): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE || offset < 0) return EINVAL;
  forgetAhead(fd as i32);
  return min<i64>(host.seek(fd as i32, offset, SEEK_SET), 0);
}

/** Whether the position is at or past the file's size; false for what has no position. */
export function __fd_at_eof(fd: i64): bool {
  if (fd < 0 || fd > i32.MAX_VALUE) return false;
  if (unreadAhead(fd as i32) > 0) return false;
  const position = host.seek(fd as i32, 0, SEEK_CUR);
  if (position < 0) return false;
  const size = fileSize(fd as i32);
  return size >= 0 && position >= size;
}

/** Size of an open file, or a negated errno. */
export function fileSize(fd: i32): i64 {
  const stat = alloc(64);
  const result = host.fstat(fd, stat);
  const size = load<i64>(stat);
  free(stat);
  return result < 0 ? result : size;
}

/** Reads once into memory, again after a signal; a negated errno or the number of bytes. */
export function readOnce(fd: i32, target: usize, length: i32): i32 {
  let got = readCounted(fd, target, length);
  while (got == EINTR) got = readCounted(fd, target, length);
  return got;
}

/** Waits until `fd` can be read, at most `timeout` ns (negative: no limit): 1, or 0 when the time ran out, or a negated errno. */
export function waitReadable(fd: i32, timeout: i64): i32 {
  return waitFor(fd, POLLIN, timeout);
}

/** Waits until `fd` can be written, or a connection has been made or refused: 1, or a negated errno. */
export function waitWritable(fd: i32): i32 {
  return waitFor(fd, POLLOUT, -1);
}

function waitFor(fd: i32, events: i16, timeout: i64): i32 {
  const entry = alloc(8);
  store<i32>(entry, fd);
  store<i16>(entry, events, 4);
  const deadline = timeout <= 0 ? 0 : host.clock(1) + timeout;
  let ready = host.poll(entry, 1, timeout);
  while (ready == EINTR) ready = host.poll(entry, 1, timeout < 0 ? timeout : max<i64>(deadline - host.clock(1), 0));
  free(entry);
  return ready;
}

/**
 * Everything up to the end of the file as a new Bytes, at most `limit` bytes: more is EFBIG. `expected` is how much there probably is. Sets the status;
 * empty on failure.
 */
export function readAll(fd: i32, expected: i64, limit: i64): usize {
  let room = max<i64>(min<i64>(expected, limit), 0) as i32 + 1;
  if (room < 4096 && expected <= 0) room = 4096;
  let bytes = newBytes(room);
  let length: i32 = 0;
  status = 0;
  for (;;) {
    const got = readOnce(fd, bytes + BYTES + length, room - length);
    if (got == 0) break;
    if (got < 0) {
      if (got == EAGAIN && waitReadable(fd, -1) >= 0) continue;
      status = got;
      break;
    }
    length += got;
    if ((length as i64) > limit) {
      status = EFBIG;
      break;
    }
    if (length == room) {
      room = max(room + (room >> 1), 65536);
      const grown = newBytes(room);
      memory.copy(grown + BYTES, bytes + BYTES, length);
      discard(bytes);
      bytes = grown;
    }
  }
  if (status < 0) length = 0;
  if (length == 0) {
    discard(bytes);
    return 0;
  }
  if (room - length > (length >> 3) + 64) {
    const exact = bytesFrom(bytes + BYTES, length);
    discard(bytes);
    return exact;
  }
  store<i32>(bytes, length);
  return bytes;
}

// -- lines

const BLOCK: i32 = 8192;
/** A longer line comes in pieces. */
const LINE_LIMIT: i32 = 8 << 20;

// A reader: +0 i32 next unread byte, +4 i32 end of the bytes, +8 i32 file changes when it was filled, +12 i32 1 when the descriptor has no position, +16 the block.
const NEXT: usize = 0;
const END: usize = 4;
const STAMP: usize = 8;
const STREAM: usize = 12;
const DATA: usize = 16;

/** One reader per descriptor below 1024, shared by all threads (a descriptor is used by one thread at a time). */
const READERS: usize = memory.data(4096, 4);
const READER_COUNT: i32 = 1024;

/** Changes to files by this process, and waits for others that may have made some. */
const fileChanges: usize = memory.data(4, 4);

export function filesChanged(): void {
  atomic.add<i32>(fileChanges, 1);
}

/**
 * The next line with its line feed; the rest of the file when there is none; empty at the end and on an error (the status tells). Text behind a zero byte is cut off.
 */
export function __fd_read_line(fd: i64): usize {
  return asText(readLine(fd));
}

/** A Bytes of which nobody else knows, as a String. */
function asText(bytes: usize): usize {
  const zero = findByte(bytes + BYTES, lengthOf(bytes), 0);
  if (zero < 0) return bytes;
  const text = bytesFrom(bytes + BYTES, zero);
  discard(bytes);
  return text;
}

function readLine(fd: i64): usize {
  status = 0;
  if (fd < 0 || fd > i32.MAX_VALUE) {
    status = EBADF;
    return 0;
  }
  const reader = readerOf(fd as i32);
  refresh(fd as i32, reader);
  let line: usize = 0;
  do {
    const start = load<i32>(reader + NEXT);
    const available = load<i32>(reader + END) - start;
    if (available > 0) {
      const feed = findByte(reader + DATA + start, available, 0x0a);
      const wanted = min(feed < 0 ? available : feed + 1, LINE_LIMIT - lengthOf(line));
      store<i32>(reader + NEXT, start + wanted);
      line = joined(line, reader + DATA + start, wanted);
      if (feed >= 0 || lengthOf(line) == LINE_LIMIT) break;
    }
  } while (fill(fd as i32, reader));
  if (fd >= READER_COUNT) {
    // Descriptors beyond the table keep nothing.
    giveBack(fd as i32, reader);
    freeUncounted(reader);
  }
  return line;
}

/** Reads the next block; false at the end of the file and on an error. */
function fill(fd: i32, reader: usize): bool {
  const stamp = atomic.load<i32>(fileChanges);
  let got = readOnce(fd, reader + DATA, BLOCK);
  while (got == EAGAIN && waitReadable(fd, -1) >= 0) got = readOnce(fd, reader + DATA, BLOCK);
  store<i32>(reader + NEXT, 0);
  store<i32>(reader + END, max(got, 0));
  store<i32>(reader + STAMP, stamp);
  if (got < 0) status = got;
  return got > 0;
}

function readerOf(fd: i32): usize {
  const slot = READERS + ((fd as usize) << 2);
  if (fd < READER_COUNT && load<usize>(slot) != 0) return load<usize>(slot);
  const reader = allocateUncounted(DATA + BLOCK);
  store<i32>(reader + STREAM, (host.seek(fd, 0, SEEK_CUR) < 0) as i32);
  if (fd < READER_COUNT) store<usize>(slot, reader);
  return reader;
}

/** What a file's reader holds is read again when files have changed since. */
function refresh(fd: i32, reader: usize): void {
  if (load<i32>(reader + STAMP) != atomic.load<i32>(fileChanges) && load<i32>(reader + STREAM) == 0) giveBack(fd, reader);
}

/** Puts the descriptor's position back to the next unread byte. What has no position stays in the block. */
function giveBack(fd: i32, reader: usize): void {
  const unread = load<i32>(reader + END) - load<i32>(reader + NEXT);
  if (unread > 0 && load<i32>(reader + STREAM) == 0 && host.seek(fd, -unread, SEEK_CUR) >= 0) store<i32>(reader + NEXT, load<i32>(reader + END));
}

/** Before the descriptor is read or written in another way. */
export function forgetAhead(fd: i32): void {
  if (fd < 0 || fd >= READER_COUNT) return;
  const reader = load<usize>(READERS + ((fd as usize) << 2));
  if (reader != 0) giveBack(fd, reader);
}

function unreadAhead(fd: i32): i32 {
  if (fd >= READER_COUNT) return 0;
  const reader = load<usize>(READERS + ((fd as usize) << 2));
  if (reader == 0) return 0;
  refresh(fd, reader);
  return load<i32>(reader + END) - load<i32>(reader + NEXT);
}

function dropReader(fd: i32): void {
  if (fd >= READER_COUNT) return;
  const slot = READERS + ((fd as usize) << 2);
  const reader = load<usize>(slot);
  if (reader == 0) return;
  store<usize>(slot, 0);
  freeUncounted(reader);
}

// -- standard input and output

let inputStatus: i32 = 0;

/** The next line of standard input without its line end; `__stdin_status` tells how it went. */
export function __stdin_line(): usize {
  const line = readLine(0);
  let length = lengthOf(line);
  inputStatus = length > 0 ? 0 : status < 0 ? -2 : -1;
  if (length > 0 && load<u8>(line + BYTES + length - 1) == 0x0a) {
    length--;
    if (length > 0 && load<u8>(line + BYTES + length - 1) == 0x0d) length--;
    store<i32>(line, length);
  }
  return asText(line);
}

export function __stdin_status(): i64 {
  return inputStatus;
}

/** One byte of standard input, past what lines have read ahead; -1 when the time ran out, -2 at the end or on an error. */
export function __stdin_byte(milliseconds: i64): i64 {
  const limit: i64 = 9000000000000;
  const ready = waitReadable(0, milliseconds < 0 ? -1 : min(milliseconds, limit) * 1000000);
  if (ready == 0) return -1;
  if (ready < 0) return -2;
  const byte = alloc(1);
  const got = readOnce(0, byte, 1);
  const value = load<u8>(byte) as i64;
  free(byte);
  return got == 1 ? value : -2;
}

/** Writes behind what `print` holds back; the number of bytes, or -1. */
export function __stdout_write(text: usize): i64 {
  hale_flush();
  return writeAll(1, text + BYTES, lengthOf(text)) < 0 ? -1 : (lengthOf(text) as i64);
}
