// Pools (reference 06 6.12): a worker thread that runs the jobs of its strand one after the other. On an `async_io` pool a job parks while it sleeps or waits for a socket,
// and another one runs: such a pool has as many threads as it needs, and they take turns.
import * as host from "./host";
import { deliverCell, serveWorker } from "./bus";
import { deliverStep, endHold } from "./journaled";
import { lock, unlock } from "./lock";
import { ownedStack, owned_height } from "./locus";
import { allocateUncounted, freeUncounted } from "./memory";
import { ACCEPTING } from "./parking";
import { isDraining } from "./process";
import {
  ACTIVE, ASYNC, CLASSIC, CLOSED, GONE, IDLE, KIND, OVER, PARKED_JOBS, STARTING, STOP, THREADS, TURN, cellOf, closeInbox, freeMessage, lockStrand, messagesOf, strand, strandKind, takeOne,
  unlockStrand, waitAt, waitForCells, wake, wakeWord,
} from "./strand"; // prettier-ignore
import { startThread } from "./placed";
import { flushBeforeWait } from "./schedule";
import { isExpectingStep, noteResume, takeExpected, waitForStep } from "./steps";
import { PARKED, PARKED_FRAMES_END, PARKED_JOB, PARKED_OWNED, PARKED_OWNED_END, frame_pointer, isJournaling, isReplaying, thread } from "./thread";

/** More parked jobs than this wait for each other. */
const MOST_THREADS: i32 = 256;
/** A worker of a replay looks this often for what has become due. */
const REPLAY_SLICE: i64 = 20_000_000;

/** The message whose job this thread of an `async_io` pool runs. */
let job: usize = 0;

/** The life of a worker thread of a classic pool. */
export function workClassic(pool: usize): void {
  for (;;) {
    const word = wakeWord(pool);
    if (serveWorker()) continue;
    if (atomic.load<i32>(pool, STOP) && messagesOf(pool) == 0) {
      endHold(isJournaling());
      if (closeInbox(pool)) return;
      continue;
    }
    if (isJournaling()) flushBeforeWait();
    waitForCells(pool, word, isReplaying() ? REPLAY_SLICE : -1);
  }
}

/** The life of one thread of an `async_io` pool: it holds the turn while a job runs. */
export function workAsync(pool: usize): void {
  atomic.sub<i32>(pool, 1, STARTING);
  wake(0);
  for (;;) {
    const word = wakeWord(pool);
    lock(pool + TURN);
    lockStrand(pool);
    const message = isReplaying() ? takeExpected(pool) : takeOne(pool);
    if (message != 0) store<i32>(pool, load<i32>(pool, ACTIVE) + 1, ACTIVE);
    else store<i32>(pool, load<i32>(pool, IDLE) + 1, IDLE);
    unlockStrand(pool);
    if (message != 0) {
      job = message;
      if (isJournaling()) deliverStep(cellOf(message));
      else deliverCell(cellOf(message));
      freeMessage(message);
      finishJob(pool);
      unlock(pool + TURN);
      if (isReplaying()) wake(pool);
    } else {
      unlock(pool + TURN);
      if (atomic.load<i32>(pool, CLOSED)) return;
      // In a replay what lies in the inbox may be for later.
      if (isReplaying()) waitAt(pool, word, REPLAY_SLICE);
      else waitForCells(pool, word, -1);
      lockStrand(pool);
      store<i32>(pool, load<i32>(pool, IDLE) - 1, IDLE);
      unlockStrand(pool);
    }
  }
}

/** Sleeps, or (0) lets others go first. Anywhere but on an `async_io` pool the job just sleeps. */
export function parkFor(nanoseconds: i64): void {
  park_begin();
  // A replay knows when each job goes on; it need not wait.
  if (nanoseconds > 0 && !(isReplaying() && strandKind() == ASYNC)) {
    const end = host.clock(1) + nanoseconds;
    let left = nanoseconds;
    while (left > 0) {
      host.sleep(left);
      left = end - host.clock(1);
    }
  }
  park_end();
}

/** Other jobs of the `async_io` pool run until the i32 at the address is not 0. This one stays active: the end of the pool waits for it. */
export function standAsideUntil(address: usize): void {
  const pool = strand();
  unlock(pool + TURN);
  wake(pool);
  lockStrand(pool);
  if (load<i32>(pool, IDLE) + load<i32>(pool, STARTING) == 0 && load<i32>(pool, THREADS) < MOST_THREADS) addThread(pool);
  unlockStrand(pool);
  while (atomic.load<i32>(address) == 0) host.futexWait(address, 0, SLICE);
  if (isReplaying()) waitForStep(pool);
  else lock(pool + TURN);
  if (isJournaling()) noteResume();
}

/** Before a call that blocks on the system: on an `async_io` pool other jobs run meanwhile. */
function park_begin(): void {
  if (strandKind() != ASYNC) return;
  const pool = strand();
  tellParked();
  lockStrand(pool);
  store<i32>(pool, load<i32>(pool, PARKED_JOBS) + 1, PARKED_JOBS);
  unlockStrand(pool);
  finishJob(pool);
  unlock(pool + TURN);
  wake(pool);
  if (messagesOf(pool) != 0) assureThread(pool);
}

/** For the leak report, should the job be abandoned: where its cells hang. */
function tellParked(): void {
  const block = thread();
  store<usize>(block, job, PARKED_JOB);
  store<usize>(block, ownedStack(), PARKED_OWNED);
  store<usize>(block, ownedStack() + owned_height, PARKED_OWNED_END);
  store<usize>(block, frame_pointer, PARKED_FRAMES_END);
  atomic.store<i32>(block, 1, PARKED);
}

/** After it: the job goes on when it is its turn; not at all when the pool has been joined. */
function park_end(): void {
  if (strandKind() != ASYNC) return;
  const pool = strand();
  if (isReplaying()) waitForStep(pool);
  else lock(pool + TURN);
  if (isJournaling() && !load<i32>(pool, CLOSED)) noteResume();
  lockStrand(pool);
  const closed = load<i32>(pool, CLOSED);
  if (!closed) {
    store<i32>(pool, load<i32>(pool, ACTIVE) + 1, ACTIVE);
    store<i32>(pool, load<i32>(pool, PARKED_JOBS) - 1, PARKED_JOBS);
  }
  unlockStrand(pool);
  if (closed) abandon(pool);
  atomic.store<i32>(thread(), 0, PARKED);
}

/** The job that runs waits for a word to change, while those that were parked may go on. It is not parked itself: the pool is not over before it is. */
export function waitWithoutTurn(address: usize, value: i32, nanoseconds: i64): void {
  // A recording knows of turns that change hands at a park.
  if (isJournaling()) return parkFor(nanoseconds);
  const pool = strand();
  unlock(pool + TURN);
  host.futexWait(address, value, nanoseconds);
  lock(pool + TURN);
}

const SLICE: i64 = 100_000_000;
const ECANCELED: i32 = -125;
const EAGAIN: i32 = -11;
const POLLIN: i16 = 1;
const SOL_SOCKET: i32 = 1;
const SO_RCVTIMEO: i32 = 20;

/** The hook of `parking.ts`: a job of an `async_io` pool parks; an accept on a classic pool fails when the pool is told to stop. */
export function waitForSocket(descriptor: i32, call: i32): i32 {
  const kind = strandKind();
  if (kind != ASYNC && (kind != CLASSIC || call != ACCEPTING)) return 0;
  const entry = allocateUncounted(24);
  store<i32>(entry, descriptor);
  store<i16>(entry, POLLIN, 4);
  let result: i32 = 0;
  if (kind == CLASSIC) {
    while (isQuiet(entry, SLICE)) {
      if (!atomic.load<i32>(strand(), STOP)) continue;
      result = ECANCELED;
      break;
    }
  } else {
    const limit = call == ACCEPTING ? 0 : receiveLimit(descriptor, entry + 8);
    park_begin();
    if (limit == 0) while (isQuiet(entry, -1)) {}
    else if (!isReadyWithin(entry, limit)) result = EAGAIN;
    park_end();
  }
  freeUncounted(entry);
  return result;
}

/** Whether nothing has come after that time (or a signal has). */
function isQuiet(entry: usize, nanoseconds: i64): bool {
  const ready = host.poll(entry, 1, nanoseconds);
  return ready == 0 || ready == -4;
}

/** A receive with a time limit ends early when the process drains (05b 5b.15). */
function isReadyWithin(entry: usize, limit: i64): bool {
  const end = host.clock(1) + limit;
  for (let left = limit; left > 0 && !isDraining(); left = end - host.clock(1)) {
    if (!isQuiet(entry, min(left, SLICE))) return true;
  }
  return false;
}

/** The socket's time limit for receives in nanoseconds; 0: none. `buffer`: 16 bytes. */
function receiveLimit(descriptor: i32, buffer: usize): i64 {
  if (host.socketGet(descriptor, SOL_SOCKET, SO_RCVTIMEO, buffer, 16) < 16) return 0;
  return load<i64>(buffer) * 1_000_000_000 + load<i64>(buffer, 8) * 1000;
}

/** The hook of `strand.ts`: after a message was left, when all threads of an `async_io` pool are parked, another one takes it. */
export function assureThread(pool: usize): void {
  if (load<i32>(pool, KIND) != ASYNC) return;
  lockStrand(pool);
  const needed = load<i32>(pool, IDLE) == 0 && load<i32>(pool, ACTIVE) == 0 && load<i32>(pool, STARTING) == 0 && load<i32>(pool, THREADS) < MOST_THREADS;
  if (needed) addThread(pool);
  unlockStrand(pool);
}

export function addThread(pool: usize): void {
  atomic.add<i32>(pool, 1, STARTING);
  atomic.add<i32>(pool, 1, THREADS);
  startThread(pool);
}

/** Tells the worker of a pool to stop, and waits until its queue is empty and no job runs. Parked jobs are abandoned. */
export function stopPool(pool: usize): void {
  atomic.store<i32>(pool, 1, STOP);
  wake(pool);
}

/** Whether a stopped pool has nothing left to do and its threads are gone, but for those of jobs that are parked: they stay behind. */
export function isPoolOver(pool: usize, kind: i32): bool {
  if (kind != ASYNC) return atomic.load<i32>(pool, GONE) != 0;
  lockStrand(pool);
  const isIdle = load<i32>(pool, ACTIVE) == 0 && messagesOf(pool) == 0 && !(isReplaying() && isExpectingStep(pool));
  if (isIdle && !load<i32>(pool, CLOSED)) {
    atomic.store<i32>(pool, 1, OVER);
    atomic.store<i32>(pool, 1, CLOSED);
  }
  const isGone = load<i32>(pool, CLOSED) != 0 && atomic.load<i32>(pool, THREADS) == load<i32>(pool, PARKED_JOBS);
  const isClosed = load<i32>(pool, CLOSED) != 0;
  unlockStrand(pool);
  if (isClosed) wake(pool);
  return isGone;
}

function finishJob(pool: usize): void {
  lockStrand(pool);
  store<i32>(pool, load<i32>(pool, ACTIVE) - 1, ACTIVE);
  unlockStrand(pool);
  if (atomic.load<i32>(pool, STOP)) wake(0);
}

/** The rest of an abandoned job never runs. */
function abandon(pool: usize): void {
  unlock(pool + TURN);
  const never = memory.data(4, 4);
  for (;;) host.futexWait(never, 0, -1);
}
