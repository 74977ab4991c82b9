// The order of deliveries in a run that is recorded or replayed (reference 06b 6b.4, 6b.5). Nothing here runs in other runs.
//
// A message is known by the consumer that sent it and that consumer's count of sends; both lie behind the payload in its cell (i64 consumer, i64 count). An *occasion* is
// one stretch of a consumer's time in which it delivers: a drain point, a sleep, the wait for a thread. A recording tells for each delivery in which occasion it was, so
// that a replay delivers neither earlier nor later than it was.
import { RECEIVER, SUBJECT } from "./channel";
import { DEPTH, NEXT_DELIVERY, NEXT_ROOM, NEXT_SEND, NUMBER, OCCASION, SENDS, consumer } from "./consumers";
import * as host from "./host";
import { lock, unlock } from "./lock";
import { NAME } from "./locus";
import { CELL_LINE, CELL_SIZE, CELL_STATE, JOB } from "./queue";
import { BODY, CHANGE, CONSUME, DELIVERY, DETAIL, NAMED, ROOM, SEND, closeEntry, openEntry, record, recordingFlush } from "./recording";
import { CONSUMED, DELIVERY_ORDER, LINK, LIVE_FALLBACK, NOTHING, UNCONSUMED_DELIVERY, UNEXPECTED_DELIVERY, advance, count, isTruncated, nextChange } from "./replay";
import { reserve } from "./store";
import { isRecording, isReplaying, severalThreads } from "./thread";

/** Bytes behind the payload of a cell. */
export const IDENTITY_SIZE: usize = 16;

/** How long a replay waits for what the recording tells next. */
export const PATIENCE: i64 = 1_000_000_000;
/** And how often it looks at least: a machine that is busy with others is slow, and no divergence. */
export const ROUNDS: i32 = 80;
const PAUSE: i64 = 1_000_000;
/** Where a `CONSUME` tells its occasion. */
export const OCCASION_OF_ENTRY: usize = 24;

// ------------------------------------------------------------ messages

/** Number of the message that this thread is sending. */
let sending: i64 = 0;

export function currentSend(): i64 {
  return sending;
}

/** A handler that ran within a send has sent others. */
export function resumeSend(number: i64): void {
  sending = number;
}

/** A message of this thread, a job or one for the bus, gets its number. */
export function numberMessage(): void {
  const own = consumer();
  sending = load<i64>(own, SENDS) + 1;
  store<i64>(own, sending, SENDS);
}

/** `cell`: its size has been stored. */
export function storeIdentity(cell: usize): void {
  const at = cell + load<usize>(cell, CELL_SIZE) - IDENTITY_SIZE;
  store<i64>(at, load<i32>(consumer(), NUMBER));
  store<i64>(at, sending, 8);
}

export function senderOf(cell: usize): u32 {
  return load<u32>(cell + load<usize>(cell, CELL_SIZE) - IDENTITY_SIZE);
}

export function numberOf(cell: usize): i64 {
  return load<i64>(cell + load<usize>(cell, CELL_SIZE) - IDENTITY_SIZE, 8);
}

// ------------------------------------------------------------ sends and subscriptions of several threads

/** Sends of all threads, and changes of the lists of subscriptions, since there are several threads. */
const sends: usize = memory.data(4, 4);
const changes: usize = memory.data(4, 4);

/** A send begins. A replay holds it back until every change of the subscriptions that came before it has been made. */
export function beginSend(): void {
  numberMessage();
  if (!isReplaying() || !severalThreads()) return;
  const field = consumer() + NEXT_SEND;
  while (load<usize>(field) != 0 && load<i64>(load<usize>(field), BODY) < sending) advance(field, NOTHING);
  const entry = load<usize>(field);
  if (entry != 0 && load<i64>(entry, BODY) == sending) waitForCount(changes, load<i32>(entry, BODY + 12));
}

/** Keeps sends and changes of the subscriptions apart, so that their order is that of the recording: around the latter, and where a send locks its channel. */
const orderLock: usize = memory.data(4, 4);

export function beginNote(): void {
  lock(orderLock);
}

export function endNote(): void {
  unlock(orderLock);
}

/** Between `beginNote` and `endNote`, before the channel's subscribers are looked up. */
export function noteSend(subject: usize, size: u32): void {
  if (severalThreads()) atomic.add<i32>(sends, 1);
  if (!isRecording()) return;
  const name = nameOf(subject);
  const at = openEntry(SEND, load<i32>(consumer(), NUMBER), name, BODY + 16);
  store<i64>(at, sending, BODY);
  store<u32>(at, size, BODY + 8);
  store<i32>(at, load<i32>(changes), BODY + 12);
  closeEntry();
}

/** Before the lists of subscriptions change. A replay holds the change back until every send that came before it has been made. */
export function beginChange(): void {
  if (severalThreads() && isReplaying()) waitForSends();
  lock(orderLock);
  if (!severalThreads()) return;
  atomic.add<i32>(changes, 1);
  if (isRecording()) record(CHANGE, load<i32>(consumer(), NUMBER), load<u32>(sends), 0, 0);
}

/** They have changed. */
export function endChange(): void {
  unlock(orderLock);
}

function waitForSends(): void {
  lock(orderLock);
  const entry = load<usize>(nextChange);
  if (entry != 0) store<usize>(nextChange, load<usize>(entry, LINK));
  unlock(orderLock);
  if (entry != 0) waitForCount(sends, load<i32>(entry, DETAIL));
}

function waitForCount(counter: usize, wanted: i32): void {
  const end = host.clock(1) + PATIENCE;
  for (let rounds = 0; atomic.load<i32>(counter) < wanted && (rounds < 10 * ROUNDS || host.clock(1) < end); rounds++) host.sleep(PAUSE);
}

/** How a question after room in a queue was answered: what other threads have done meanwhile decides, so that a replay takes the recording's word. */
export function judge(answer: i32): i32 {
  if (!severalThreads()) return answer;
  const own = consumer();
  let judged = answer;
  const entry = load<usize>(own, NEXT_ROOM);
  if (isReplaying() && entry != 0) {
    judged = load<i32>(entry, DETAIL);
    advance(own + NEXT_ROOM, NOTHING);
  }
  if (isRecording()) record(ROOM, load<i32>(own, NUMBER), judged as u32, 0, 0);
  return judged;
}

// ------------------------------------------------------------ what a recording tells

/** A handler is about to run. `queued`: it has waited in a queue. */
export function noteDelivery(receiver: usize, line: usize, queued: i32): void {
  if (!isRecording()) return;
  const subject = nameOf(load<usize>(line, SUBJECT));
  const name = nameOf(load<usize>(load<usize>(receiver), NAME));
  record(DELIVERY, load<i32>(consumer(), NUMBER), subject, (name as u64) | ((queued as u64) << 32), 0);
}

/** A queued cell is about to be carried out: a job, or a message for a handler. `kind`: `CONSUME`, on an `async_io` pool `ASYNC_CONSUME`. */
export function noteConsume(cell: usize, kind: i32): void {
  const own = consumer();
  const isJob = load<usize>(cell, CELL_STATE) == JOB;
  if (isReplaying()) {
    if (!isJob) count(CONSUMED, 1);
    if (kind == CONSUME) strike(own, cell);
  }
  if (!isRecording()) return;
  let receiver: u32 = 0;
  let subject: u32 = 0;
  if (!isJob) {
    receiver = nameOf(load<usize>(load<usize>(load<usize>(load<usize>(cell, CELL_STATE), RECEIVER)), NAME));
    subject = nameOf(load<usize>(load<usize>(cell, CELL_LINE), SUBJECT));
  }
  const at = openEntry(kind, load<i32>(own, NUMBER), senderOf(cell), BODY + 24);
  store<i64>(at, numberOf(cell), BODY);
  store<i64>(at, load<i64>(own, OCCASION), BODY + 8);
  store<u32>(at, receiver, BODY + 16);
  store<u32>(at, subject, BODY + 20);
  closeEntry();
}

/** Takes the cell's delivery off the list of those to come. */
function strike(own: usize, cell: usize): void {
  let field = own + NEXT_DELIVERY;
  for (let entry = load<usize>(field); entry != 0; entry = load<usize>(entry, LINK)) {
    if (isOf(entry, cell)) {
      store<usize>(field, load<usize>(entry, LINK));
      count(UNCONSUMED_DELIVERY, -1);
      return;
    }
    field = entry + LINK;
  }
  count(isTruncated() ? LIVE_FALLBACK : UNEXPECTED_DELIVERY, 1);
}

export function isOf(entry: usize, cell: usize): bool {
  return load<u32>(entry, DETAIL) == senderOf(cell) && load<i64>(entry, BODY) == numberOf(cell);
}

/** What the recording tells next has not come: it is given up. */
export function giveUp(own: usize): void {
  count(DELIVERY_ORDER, 1);
  advance(own + NEXT_DELIVERY, NOTHING);
}

// ------------------------------------------------------------ occasions

/** This thread is within a stretch of time that is one occasion, however often it looks for messages. */
let held: bool = false;

export function isHeld(): bool {
  return held;
}

export function beginOccasion(): void {
  const own = consumer();
  store<i64>(own, load<i64>(own, OCCASION) + 1, OCCASION);
  store<i32>(own, load<i32>(own, DEPTH) + 1, DEPTH);
}

/** What is delivered after an occasion that lay in another one is told apart from what was before it. */
export function endOccasion(): void {
  const own = consumer();
  const depth = load<i32>(own, DEPTH) - 1;
  store<i32>(own, depth, DEPTH);
  if (depth > 0) store<i64>(own, load<i64>(own, OCCASION) + 1, OCCASION);
}

/** Begins a stretch, unless there is one; true when it did. */
export function beginStretch(): bool {
  if (held) return false;
  beginOccasion();
  held = true;
  return true;
}

export function endStretch(): void {
  held = false;
  endOccasion();
}

/** A handler runs within a stretch: its own looks for messages are occasions of their own. */
export function suspendHold(): bool {
  const before = held;
  held = false;
  return before;
}

export function resumeHold(before: bool): void {
  held = before;
}

/** Before this thread waits. */
export function flushBeforeWait(): void {
  if (isRecording()) recordingFlush();
}

// ------------------------------------------------------------ names

const NAMES: u32 = 1024;
const names: usize = memory.data(4, 4);
const namesLock: usize = memory.data(4, 4);

/** The hash of a text (FNV-1a 32); the recording tells once what it stands for. */
function nameOf(text: usize): u32 {
  const length = load<u32>(text) as usize;
  let hash: u32 = 0x811c9dc5;
  for (let i: usize = 0; i < length; i++) hash = (hash ^ (load<u8>(text + 4 + i) as u32)) * 0x01000193;
  lock(namesLock);
  if (load<usize>(names) == 0) store<usize>(names, reserve((NAMES as usize) << 2));
  const slot = load<usize>(names) + (((hash & (NAMES - 1)) as usize) << 2);
  if (load<u32>(slot) != hash) {
    store<u32>(slot, hash);
    const at = openEntry(NAMED, 0, hash, BODY + 4 + length);
    store<u32>(at, length as u32, BODY);
    memory.copy(at + BODY + 4, text + 4, length);
    closeEntry();
  }
  unlock(namesLock);
  return hash;
}
