// The turns of an `async_io` pool's jobs, in a run that is recorded or replayed (reference 06b 6b.4 rule 5). A job is known by the message that started it.
import { NEXT_DELIVERY, NUMBER } from "./consumers";
import * as host from "./host";
import { lock, unlock } from "./lock";
import { BODY, DETAIL, STEP, record } from "./recording";
import { ASYNC_SCHEDULE, NOTHING, UNCONSUMED_STEP, advance, count, hasDiverged, isTruncated } from "./replay";
import { isOf, numberOf, senderOf } from "./schedule";
import { CELL_SIZE } from "./queue";
import { CLOSED, CONSUMER, TURN, inboxEnd, inboxStart, messagesOf, strand, takeOne, takeThat, waitAt, wakeWord } from "./strand";
import { isRecording, isReplaying } from "./thread";

const START: i64 = 0;
const RESUME: i64 = 1;
const WHAT: usize = BODY + 8;

/** How long a replay waits for the job whose turn it is. */
const PATIENCE: i64 = 1_000_000_000;

/** The job that this thread runs. */
let jobSender: u32 = 0;
let jobNumber: i64 = 0;

/** Time of the pool's last step in a replay, where threads wait for one; shared by its threads. */
const lastStep: usize = memory.data(8, 8);

/** A job begins. */
export function noteStart(cell: usize): void {
  jobSender = senderOf(cell);
  jobNumber = numberOf(cell);
  note(START);
}

/** The job that was parked goes on. */
export function noteResume(): void {
  note(RESUME);
}

function note(what: i64): void {
  const own = load<usize>(strand(), CONSUMER);
  const entry = load<usize>(own, NEXT_DELIVERY);
  if (isReplaying()) {
    atomic.store<i64>(lastStep, host.clock(1));
    if (entry != 0 && isMine(entry, what)) advance(own + NEXT_DELIVERY, UNCONSUMED_STEP);
    else if (entry != 0) count(ASYNC_SCHEDULE, 1);
  }
  if (isRecording()) record(STEP, load<i32>(own, NUMBER), jobSender, jobNumber, what);
}

function isMine(entry: usize, what: i64): bool {
  return load<i64>(entry, WHAT) == what && load<u32>(entry, DETAIL) == jobSender && load<i64>(entry, BODY) == jobNumber;
}

/** Whether the recording tells of further turns; what does not come is given up after a while. */
export function isExpectingStep(pool: usize): bool {
  const own = load<usize>(pool, CONSUMER);
  if (load<usize>(own, NEXT_DELIVERY) == 0) return false;
  if (isPatient()) return true;
  giveUpAll(own);
  return false;
}

/** With the strand locked and the turn held: the message whose turn it is, or 0. */
export function takeExpected(pool: usize): usize {
  const own = load<usize>(pool, CONSUMER);
  const entry = load<usize>(own, NEXT_DELIVERY);
  if (entry == 0) return takeOne(pool);
  if (load<i64>(entry, WHAT) == START) {
    const end = inboxEnd(pool);
    for (let cell = inboxStart(pool); cell < end; cell += load<usize>(cell, CELL_SIZE)) if (isOf(entry, cell)) return takeThat(pool, cell);
  }
  if (messagesOf(pool) == 0 || isPatient()) return 0;
  giveUpAll(own);
  return takeOne(pool);
}

/** Takes the turn when the recording gives it to this thread's job. */
export function waitForStep(pool: usize): void {
  const own = load<usize>(pool, CONSUMER);
  for (;;) {
    const word = wakeWord(pool);
    lock(pool + TURN);
    const entry = load<usize>(own, NEXT_DELIVERY);
    if (load<i32>(pool, CLOSED) || (entry == 0 ? isTruncated() || hasDiverged() : isMine(entry, RESUME))) return;
    if (entry != 0 && !isPatient()) {
      giveUpAll(own);
      return;
    }
    unlock(pool + TURN);
    waitAt(pool, word, 20_000_000);
  }
}

function isPatient(): bool {
  const last = atomic.load<i64>(lastStep);
  if (last != 0) return host.clock(1) - last < PATIENCE;
  atomic.store<i64>(lastStep, host.clock(1));
  return true;
}

/** The rest of the recorded turns does not fit: the pool goes on without. */
function giveUpAll(own: usize): void {
  count(ASYNC_SCHEDULE, 1);
  while (load<usize>(own, NEXT_DELIVERY) != 0) advance(own + NEXT_DELIVERY, NOTHING);
}
