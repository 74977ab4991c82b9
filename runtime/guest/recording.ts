// The recording of a run (reference 06b 6b.4): a file of entries, each 16 bytes of header and what its kind has besides, sizes multiples of 8:
//
//   0 u32 size, 4 u16 kind, 6 u16 consumer, 8 u32 0 (the next entry of a list, once the file has been loaded: `replay.ts`), 12 u32 detail
//
// Before them 96 bytes of header (magic, version, identity of the program), behind them 16 bytes: `HALEEND0` and the number of entries. One buffer takes the entries of
// all threads; it is written out when it is full, before a thread waits, and at the end. Nothing here runs in a program that is not recorded but `recordingBegin`.
import { isOneInEnvironment } from "./environment-number";
import * as host from "./host";
import { lock, unlock } from "./lock";
import { writeAll } from "./output";
import { replayEnd } from "./replay";
import { reserve } from "./store";
import { textByte, textLength, textReset, textStart, textWords } from "./text-buffer";
import { announceJournal, isRecording, isReplaying } from "./thread";

// -- kinds of entries
/** A queued handler run, or a job: detail the sender's consumer, 16 i64 the sender's count, 24 i64 occasion, 32 u32 receiver's name (0: a job), 36 u32 subject. */
export const CONSUME: i32 = 1;
/** A send: detail the subject, 16 i64 the sender's count, 24 u32 payload size, 28 i32 changes of the lists of subscriptions so far. */
export const SEND: i32 = 2;
/** A delivery: detail the subject, 16 u32 receiver's name, 20 u32 1 when it was queued. */
export const DELIVERY: i32 = 3;
/** An input: detail its kind and flags (`journal.ts`), 16 u32 length of the arguments, 20 u32 length of the result, then both. */
export const INPUT: i32 = 4;
/** A print, where several threads may print. */
export const PRINT: i32 = 5;
/** A name: detail its hash, 16 u32 length, then its text. */
export const NAMED: i32 = 6;
/** A change of the lists of subscriptions: detail the sends before it. */
export const CHANGE: i32 = 7;
/** How a question after room in a queue was answered: detail the answer. */
export const ROOM: i32 = 8;
/** A job of an `async_io` pool has the turn: detail its sender, 16 i64 the sender's count, 24 i64 0 start, 1 resume. */
export const STEP: i32 = 9;
/** As `CONSUME`, on an `async_io` pool, where the steps tell the order. */
export const ASYNC_CONSUME: i32 = 10;

/** A failed child of another thread was answered for in a sleep that serves nothing or a wait for room, before the job that asks for it: detail that job's sender, 16 i64 its count, 24 i64 the number of the sleep or wait. */
export const ANSWER: i32 = 11;

export const DETAIL: usize = 12;
export const BODY: usize = 16;

/** The program's identity, 40 bytes that the compiler lays down: digest of what it was built from (32), hash of its shape (8). 0: none. */
export let program_identity: usize = 0;

const CAPACITY: usize = 1 << 18;
const HEADER_SIZE: usize = 96;
const PATH_MAX: i32 = 4096;
const O_WRONLY_CREAT_TRUNC: i32 = 0x241;
const CANNOT_RECORD: i32 = 70;
const IO_ERROR: i32 = 74;
const ENV_WITHHELD: u64 = 1;
const DURABLE: u64 = 2;

const recordLock: usize = memory.data(4, 4);
/** The buffer, the bytes in it, the file, the number of entries, the header's flags. */
const buffer: usize = memory.data(4, 4);
const used: usize = memory.data(4, 4);
const file: usize = memory.data(4, 4);
const entries: usize = memory.data(8, 8);
const flags: usize = memory.data(8, 8);
/** Of the bytes that have been written. */
const sum: usize = memory.data(4, 4);
/** Where the header tells, when all is written: u32 the sum of all bytes but these, u32 1. */
const SUM_FIELD: i64 = 24;

/** Whether the run is recorded or replayed is in the environment. */
export function recordingBegin(): void {
  if (host.env(replayVariable(), 12, 0, 0) > 0) announceJournal(false);
  const record = memory.data<u8>([76, 79, 84, 85, 83, 95, 79, 66, 83, 95, 82, 69, 67, 79, 82, 68, 95, 69, 78, 86]); // LOTUS_OBS_RECORD_ENV
  const length = host.env(record, 16, 0, 0);
  if (length > 0) open(record, length);
}

export function replayVariable(): usize {
  return memory.data<u8>([76, 79, 84, 85, 83, 95, 82, 69, 80, 76, 65, 89]); // LOTUS_REPLAY
}

/** The trailer; nobody records anything afterwards. */
export function recordingEnd(): void {
  if (isReplaying()) replayEnd();
  if (!isRecording()) return;
  lock(recordLock);
  const at = room(16);
  store<u64>(at, 0x30444e45454c4148); // HALEEND0
  store<u64>(at, load<u64>(entries), 8);
  flush();
  writeSum();
  if (load<u64>(flags) & DURABLE) host.fsync(load<i32>(file));
}

/** What is no file that one can go back in, as a pipe, has no sum. */
function writeSum(): void {
  if (host.seek(load<i32>(file), SUM_FIELD, 0) != SUM_FIELD) return;
  const at = room(8);
  store<u32>(at, load<u32>(sum));
  store<u32>(at, 1, 4);
  flush();
}

/** Room for an entry of `size` bytes, its header filled in. The caller writes the rest and then calls `closeEntry`. */
export function openEntry(kind: i32, consumer: i32, detail: u32, size: usize): usize {
  lock(recordLock);
  return newEntry(kind, consumer, detail, size);
}

export function closeEntry(): void {
  unlock(recordLock);
}

/** A whole entry: two 64-bit words behind its header. */
export function record(kind: i32, consumer: i32, detail: u32, first: u64, second: u64): void {
  const at = openEntry(kind, consumer, detail, BODY + 16);
  store<u64>(at, first, BODY);
  store<u64>(at, second, BODY + 8);
  closeEntry();
}

/** Inside `openEntry` and `closeEntry`, before anything else: another entry. */
export function newEntry(kind: i32, consumer: i32, detail: u32, size: usize): usize {
  const whole = (size + 7) & ~7;
  const at = room(whole);
  memory.fill(at, 0, whole);
  store<u32>(at, whole as u32);
  store<u16>(at, kind as u16, 4);
  store<u16>(at, consumer as u16, 6);
  store<u32>(at, detail, DETAIL);
  store<u64>(entries, load<u64>(entries) + 1);
  return at;
}

/** Before a thread waits: a recording of a program that is killed lacks its last moments only. */
export function recordingFlush(): void {
  lock(recordLock);
  flush();
  if (load<u64>(flags) & DURABLE) host.fsync(load<i32>(file));
  unlock(recordLock);
}

export function withholdsEnvironment(): bool {
  return (load<u64>(flags) & ENV_WITHHELD) != 0;
}

function room(size: usize): usize {
  if (load<usize>(used) + size > CAPACITY) flush();
  if (size > CAPACITY) refuse(CANNOT_RECORD, 1);
  const at = load<usize>(buffer) + load<usize>(used);
  store<usize>(used, load<usize>(used) + size);
  return at;
}

function flush(): void {
  const length = load<usize>(used);
  store<usize>(used, 0);
  addToSum(load<usize>(buffer), length);
  if (length > 0 && writeAll(load<i32>(file), load<usize>(buffer), length) < 0) refuse(IO_ERROR, 2);
}

/** The tool computes the same (`cli/replay/recording.ts`). One changed word always changes the sum. */
function addToSum(start: usize, length: usize): void {
  let value = load<u32>(sum);
  for (let at = start, end = start + length; at < end; at += 4) value = rotl<u32>(value ^ load<u32>(at), 13) * 0x9e3779b1;
  store<u32>(sum, value);
}

function open(name: usize, length: i32): void {
  if (length > PATH_MAX) refuse(CANNOT_RECORD, 0);
  const start = reserve(CAPACITY + (PATH_MAX as usize));
  const path = start + CAPACITY;
  host.env(name, 16, path, PATH_MAX);
  const opened = host.open(path, length, O_WRONLY_CREAT_TRUNC, 0x180);
  if (opened < 0) refuse(IO_ERROR, 3);
  store<usize>(buffer, start);
  store<i32>(file, opened);
  const value = memory.data(8, 8);
  const full = host.env(name, 20, value, 8) == 4 && load<u32>(value) == 0x6c6c7566; // full
  const durable = memory.data<u8>([76, 79, 84, 85, 83, 95, 79, 66, 83, 95, 82, 69, 67, 79, 82, 68, 95, 68, 85, 82, 65, 66, 76, 69]); // LOTUS_OBS_RECORD_DURABLE
  store<u64>(flags, (full ? 0 : ENV_WITHHELD) | (isOneInEnvironment(durable, 24) ? DURABLE : 0));
  announceJournal(true);
  writeHeader();
}

function writeHeader(): void {
  const at = room(HEADER_SIZE);
  memory.fill(at, 0, HEADER_SIZE);
  store<u64>(at, 0x30434552454c4148); // HALEREC0
  store<u16>(at, 1, 8);
  store<u32>(at, HEADER_SIZE as u32, 12);
  store<i32>(at, host.getpid(), 16);
  if (program_identity != 0) {
    store<u64>(at, load<u64>(program_identity, 32), 48);
    memory.copy(at + 56, program_identity, 32);
  }
  store<u64>(at, load<u64>(flags), 88);
  flush();
}

/** What cannot be recorded does not run (reference 06b 6b.4). */
export function refuse(status: i32, reason: i32): void {
  textReset();
  textWords("hale: LOTUS_OBS_RECORD: ");
  if (reason == 0) textWords("the path is too long");
  else if (reason == 1) textWords("an entry is too long");
  else if (reason == 2) textWords("the recording could not be written");
  else if (reason == 3) textWords("the recording could not be opened");
  else textWords("more threads than LOTUS_OBS_RINGS allows");
  textByte(10);
  writeAll(2, textStart(), textLength());
  host.exit(status);
}
