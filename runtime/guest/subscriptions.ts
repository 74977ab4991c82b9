// The life of subscriptions, and what waits for their instances: held until an instance is ready, dropped when it hears no more.
import { takeMessages } from "./bus";
import { CHANNEL, NODE_SIZE, RECEIVER, STATE, beginRegistration, endRegistration, unlink } from "./channel";
import { DIRECT, HOME, NODES, NODE_COUNT, READY, REGISTERED, clearFlags, flagsOf, setFlags } from "./locus";
import { CELL_DISCARD, CELL_LINE, CELL_PAYLOAD, CELL_SIZE, CELL_STATE, JOB, dropCell, dropInRing, dropOldestInRing, reserve } from "./queue";
import { IDENTITY_SIZE, beginChange, endChange, numberMessage, storeIdentity } from "./schedule";
import {
  ASYNC, cellOf, countRegistration, firstHeld, freeMessage, inboxCell, inboxEnd, inboxStart, isOver, lockStrand, messagesOf, strand, strandKind, unlinkHeld, unlockStrand, wakeForCell,
} from "./strand"; // prettier-ignore
import { isJournaling, manyThreads } from "./thread";

/** The subscriptions end; what waits for the instance will be dropped. */
export function unsubscribe(instance: usize): void {
  if (!(flagsOf(instance) & REGISTERED)) return;
  dropSubscriptions(instance);
}

export function dropSubscriptions(instance: usize): void {
  const descriptor = load<usize>(instance);
  const first = instance + load<u32>(descriptor, NODES);
  const end = first + load<u32>(descriptor, NODE_COUNT) * NODE_SIZE;
  const home = load<usize>(instance, HOME);
  if (isJournaling()) beginChange();
  beginRegistration();
  if (flagsOf(instance) & REGISTERED) clearFlags(instance, REGISTERED);
  let last: usize = 0;
  for (let node = first; node < end; node += NODE_SIZE) {
    if (load<usize>(node, CHANNEL) == 0) continue;
    const state = load<usize>(node, STATE);
    if (state != last) countRegistration(home, -1);
    last = state;
    unlink(node);
  }
  endRegistration();
  if (isJournaling()) endChange();
  // What waits refers to the instance's memory; nothing more comes, because senders find it with the channel locked only.
  if (last != 0) purge(instance, home);
}

/** The instance's birth is over: what was sent to it meanwhile is queued. */
export function makeReady(instance: usize): void {
  if (flagsOf(instance) & READY) return;
  const home = load<usize>(instance, HOME);
  if (manyThreads() && home == strand() && strandKind() != ASYNC) lockEmptied(home);
  else lockStrand(home);
  setReady(instance);
  const moved = releaseHeld(instance, home);
  unlockStrand(home);
  if (moved && home != strand()) wakeForCell(home);
}

/** Locks this thread's strand when its inbox is empty: what lay there came before what is queued next. */
function lockEmptied(home: usize): void {
  for (;;) {
    takeMessages();
    lockStrand(home);
    if (messagesOf(home) == 0) return;
    unlockStrand(home);
  }
}

/** `makeReady` with the job that runs the instance before what was sent to it. The worker cannot begin that job before the instance is ready: it takes the lock. */
export function makeReadyToRun(instance: usize, job: u32): void {
  const home = load<usize>(instance, HOME);
  lockStrand(home);
  setReady(instance);
  appendJob(home, job, instance);
  releaseHeld(instance, home);
  unlockStrand(home);
  wakeForCell(home);
}

/** Sends may reach it; a send that could be a call is none in a run that is recorded or replayed. */
function setReady(instance: usize): void {
  setFlags(instance, isJournaling() ? READY : READY | DIRECT);
}

/** Leaves a job for a strand: the body at this table index with the argument, to be called on the strand's thread. */
export function postJob(to: usize, body: u32, argument: usize): void {
  lockStrand(to);
  if (isOver(to)) {
    unlockStrand(to);
    return postJob(0, body, argument);
  }
  appendJob(to, body, argument);
  unlockStrand(to);
  wakeForCell(to);
}

const JOB_SIZE: usize = CELL_PAYLOAD + 16;

/** With the strand locked. */
function appendJob(to: usize, body: u32, argument: usize): void {
  const size = JOB_SIZE + (isJournaling() ? IDENTITY_SIZE : 0);
  const cell = inboxCell(to, size);
  store<usize>(cell, size, CELL_SIZE);
  store<usize>(cell, JOB, CELL_STATE);
  store<usize>(cell, JOB, CELL_LINE);
  store<u32>(cell, 0, CELL_DISCARD);
  store<u32>(cell, body, CELL_PAYLOAD);
  store<usize>(cell, argument, CELL_PAYLOAD + 4);
  if (isJournaling()) {
    numberMessage();
    storeIdentity(cell);
  }
}

/** Takes the oldest cell of that subscription out of the queue. Only receivers on the main thread have such bounds. */
export function dropOldest(state: usize): void {
  if (!dropOldestInRing(state)) dropInList(0, state, false);
}

/** The same in the inbox of a strand and among its held messages. */
function dropInList(home: usize, state: usize, all: bool): void {
  lockStrand(home);
  const end = inboxEnd(home);
  let isDone = false;
  for (let cell = inboxStart(home); cell < end && !isDone; cell += load<usize>(cell, CELL_SIZE)) isDone = dropIf(cell, state) && !all;
  for (let message = firstHeld(home); message != 0 && !isDone; message = load<usize>(message)) isDone = dropIf(cellOf(message), state) && !all;
  unlockStrand(home);
}

function dropIf(cell: usize, state: usize): bool {
  if (load<usize>(cell, CELL_STATE) != state) return false;
  dropCell(cell, state);
  return true;
}

/** Takes everything that waits for the instance out of the queues. */
function purge(instance: usize, home: usize): void {
  const descriptor = load<usize>(instance);
  let node = instance + load<u32>(descriptor, NODES);
  for (const end = node + load<u32>(descriptor, NODE_COUNT) * NODE_SIZE; node < end; node += NODE_SIZE) {
    const state = load<usize>(node, STATE);
    if (state == 0) continue;
    if (home == strand() || strand() == 0) dropInRing(state);
    // Where nothing but this thread is, cells lie in a list only when they are held.
    if (!manyThreads() && firstHeld(home) == 0) continue;
    dropInList(home, state, true);
    // What was sent to a pool that is over waits for the main thread.
    if (home != 0) dropInList(0, state, true);
  }
}

/** With the strand locked: queues what is held for the instance. */
function releaseHeld(instance: usize, home: usize): bool {
  let moved = false;
  let previous: usize = 0;
  let message = firstHeld(home);
  while (message != 0) {
    const next = load<usize>(message);
    const cell = cellOf(message);
    const state = load<usize>(cell, CELL_STATE);
    if (state != 0 && load<usize>(state, RECEIVER) != instance) {
      previous = message;
    } else {
      unlinkHeld(home, message, previous);
      if (state != 0) {
        const total = load<usize>(cell, CELL_SIZE);
        memory.copy(home == strand() && strandKind() != ASYNC ? reserve(total) : inboxCell(home, total), cell, total);
      }
      freeMessage(message);
      moved = true;
    }
    message = next;
  }
  return moved;
}
