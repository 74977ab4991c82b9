// Pools (reference 06 6.12): a worker thread that runs the jobs of its strand one after the other. On an `async_io` pool a job parks while it sleeps or waits for a socket,
// and another one runs: such a pool has as many threads as it needs, and they take turns.
import * as host from "./host";
import { deliverCell, serveOne } from "./bus";
import { lock, unlock } from "./lock";
import {
  ACTIVE, ASYNC, CLOSED, IDLE, KIND, OVER, STARTING, STOP, THREADS, TURN, cellOf, freeMessage, lockStrand, messagesOf, strand, strandKind, takeOne, unlockStrand, waitAt, wake, wakeWord,
} from "./strand"; // prettier-ignore
import { startThread } from "./placed";

/** More parked jobs than this wait for each other. */
const MOST_THREADS: i32 = 256;

/** The life of a worker thread of a classic pool. */
export function workClassic(pool: usize): void {
  for (;;) {
    const word = wakeWord(pool);
    if (serveOne()) continue;
    if (atomic.load<i32>(pool, STOP) && messagesOf(pool) == 0) break;
    waitAt(pool, word, -1);
  }
  atomic.store<i32>(pool, 1, OVER);
  wake(0);
}

/** The life of one thread of an `async_io` pool: it holds the turn while a job runs. */
export function workAsync(pool: usize): void {
  atomic.sub<i32>(pool, 1, STARTING);
  wake(0);
  for (;;) {
    const word = wakeWord(pool);
    lock(pool + TURN);
    lockStrand(pool);
    const message = takeOne(pool);
    if (message != 0) store<i32>(pool, load<i32>(pool, ACTIVE) + 1, ACTIVE);
    else store<i32>(pool, load<i32>(pool, IDLE) + 1, IDLE);
    unlockStrand(pool);
    if (message != 0) {
      deliverCell(cellOf(message));
      freeMessage(message);
      finishJob(pool);
      unlock(pool + TURN);
    } else {
      unlock(pool + TURN);
      if (atomic.load<i32>(pool, STOP)) return;
      waitAt(pool, word, -1);
      lockStrand(pool);
      store<i32>(pool, load<i32>(pool, IDLE) - 1, IDLE);
      unlockStrand(pool);
    }
  }
}

/** Sleeps, or (0) lets others go first. Anywhere but on an `async_io` pool the job just sleeps. */
export function parkFor(nanoseconds: i64): void {
  park_begin();
  if (nanoseconds > 0) {
    const end = host.clock(1) + nanoseconds;
    let left = nanoseconds;
    while (left > 0) {
      host.sleep(left);
      left = end - host.clock(1);
    }
  }
  park_end();
}

/** Before a call that blocks on the system: on an `async_io` pool other jobs run meanwhile. */
export function park_begin(): void {
  if (strandKind() != ASYNC) return;
  const pool = strand();
  finishJob(pool);
  unlock(pool + TURN);
  wake(pool);
  if (messagesOf(pool) != 0) assureThread(pool);
}

/** After it: the job goes on when it is its turn; not at all when the pool has been joined. */
export function park_end(): void {
  if (strandKind() != ASYNC) return;
  const pool = strand();
  lock(pool + TURN);
  lockStrand(pool);
  const closed = load<i32>(pool, CLOSED);
  store<i32>(pool, load<i32>(pool, ACTIVE) + 1, ACTIVE);
  unlockStrand(pool);
  if (closed) abandon(pool);
}

/** After a message was left: when all threads of an `async_io` pool are parked, another one takes it. */
export function assureThread(pool: usize): void {
  if (pool == 0 || load<i32>(pool, KIND) != ASYNC) return;
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

/** Whether a stopped pool has nothing left to do; closes an `async_io` pool then. */
export function isPoolOver(pool: usize, kind: i32): bool {
  if (kind != ASYNC) return atomic.load<i32>(pool, OVER) != 0;
  lockStrand(pool);
  const over = load<i32>(pool, ACTIVE) == 0 && messagesOf(pool) == 0;
  if (over) store<i32>(pool, 1, CLOSED);
  unlockStrand(pool);
  return over;
}

function finishJob(pool: usize): void {
  lockStrand(pool);
  store<i32>(pool, load<i32>(pool, ACTIVE) - 1, ACTIVE);
  unlockStrand(pool);
  if (atomic.load<i32>(pool, STOP)) wake(0);
}

/** The rest of an abandoned job never runs. */
function abandon(pool: usize): void {
  finishJob(pool);
  unlock(pool + TURN);
  const never = memory.data(4, 4);
  for (;;) host.futexWait(never, 0, -1);
}
