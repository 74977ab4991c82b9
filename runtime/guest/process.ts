// How a program with loci ends, and signals (reference 05b 5b.13 to 5b.15).
import { test_failed } from "./assertions";
import { bus_drain, enterHandler, leaveHandler } from "./bus";
import { endProcess } from "./end";
import { numberFromEnvironment } from "./environment-number";
import { giveUpAnswers } from "./failure";
import * as host from "./host";
import { endAboveMain, own_exit_draining } from "./locus";
import { hale_flush, writeAll } from "./output";
import { joinPinned, joinPools, leavePinned, nameStrands } from "./placed";
import { endBlocked, setJoining } from "./room";
import { MAIN, PINNED, strandKind } from "./strand";
import { textByte, textLength, textReset, textStart, textWords } from "./text-buffer";
import { manyThreads } from "./thread";
import { announceRoomOfTopics } from "./topic-room";

/** Shared by all threads: the number of the signal that started the drain, or 0. */
const signal: usize = memory.data(4, 4);
/** Shared by all threads: live instances whose code reads `draining`. */
const watchers: usize = memory.data(4, 4);
/** Shared by all threads: 1 once the teardown has begun, or this while a main locus joins its threads. */
const ending: usize = memory.data(4, 4);
const OF_MAIN_LOCUS: i32 = 2;
/** This thread leaves its frames. */
let unwinding: bool = false;

/**
 * An assertion has failed and has been reported. On the main thread control leaves every frame up to `main`'s, which ends what they own; then the program ends as it always
 * does, with status 1: this does not return there. On another thread the body goes on, unless it is one of a pinned locus's teardown.
 */
export function unwind(): void {
  const kind = strandKind();
  if (kind == MAIN) leaveFrames();
  else if (kind == PINNED) leavePinned();
}

/** A failure on another thread reaches `main` at its next sleep or yield. */
export function leaveIfFailed(): void {
  if (test_failed() && !unwinding) leaveFrames();
}

/** The end of `main`: joins, delivery, and the teardown of what its frame owns. */
export function process_end(): void {
  atomic.store<i32>(ending, 1);
  announceRoomOfTopics();
  if (manyThreads()) join(0);
  bus_drain();
  own_exit_draining(0);
}

/** The teardown of a main locus begins: senders on other threads that wait for room give up (06 6.14). */
export function joinForMain(mainLocus: usize): void {
  // A main locus in a frame that is left: its end delivers.
  if (unwinding) leaveHandler();
  if (manyThreads()) {
    if (!isEnding()) atomic.store<i32>(ending, OF_MAIN_LOCUS);
    announceRoomOfTopics();
    join(mainLocus);
    if (atomic.load<i32>(ending) == OF_MAIN_LOCUS) atomic.store<i32>(ending, 0);
  }
  bus_drain();
}

/** Joins the pools, and the pinned children of a main locus if there is one. */
function join(mainLocus: usize): void {
  setJoining(1);
  joinPools();
  bus_drain();
  if (mainLocus != 0) joinPinned(mainLocus);
  setJoining(0);
}

/** Whether senders that wait for room are to give up. */
export function isEnding(): bool {
  const state = atomic.load<i32>(ending);
  return state != 0 && (state != OF_MAIN_LOCUS || strandKind() != MAIN);
}

/** Whether the process drains after SIGINT or SIGTERM. */
export function isDraining(): bool {
  return load<i32>(signal) != 0;
}

/** Whether sleeps that have begun are to end. */
export function isSleepCut(): bool {
  return load<i32>(signal) != 0;
}

/** Monotonic time at which a process that drains is killed; 0 while it does not drain. */
const graceEnd: usize = memory.data(8, 8);
const DEFAULT_GRACE: i64 = 5000;

/** Called by threads that wait: a process that still lives some seconds after the signal dies by it (05b 5b.15.5). */
export function checkGrace(): void {
  if (!isDraining()) return;
  const now = host.clock(1);
  const end = atomic.load<i64>(graceEnd);
  if (end == 0) atomic.cmpxchg<i64>(graceEnd, 0, now + graceOf() * 1_000_000);
  else if (now > end && atomic.cmpxchg<i64>(graceEnd, end, i64.MAX_VALUE) == end) dieBySignal();
}

function graceOf(): i64 {
  const name = memory.data<u8>([76, 79, 84, 85, 83, 95, 68, 82, 65, 73, 78, 95, 71, 82, 65, 67, 69, 95, 77, 83]); // LOTUS_DRAIN_GRACE_MS
  return numberFromEnvironment(name, 20, DEFAULT_GRACE);
}

function dieBySignal(): void {
  const number = load<i32>(signal);
  hale_flush();
  textReset();
  textWords(number == 2 ? "hale: SIGINT" : "hale: SIGTERM");
  textWords(": the program drains no further; still running:");
  nameStrands();
  textByte(10);
  writeAll(2, textStart(), textLength());
  host.unwatchSignals();
  host.kill(host.getpid(), number);
}

/** An instance that reads `draining` is born: the first signal no longer kills. */
export function watch(): void {
  if (atomic.add<i32>(watchers, 1) == 0) host.watchSignals(signal);
}

/** It has ended; with the last one signals kill again. */
export function unwatch(): void {
  if (atomic.sub<i32>(watchers, 1) == 1 && !isDraining()) host.unwatchSignals();
}

/** `draining` is read in a free function: the program always watches. */
export function signals_watch(): void {
  watch();
}

/** What the frames own ends first, and nothing is delivered meanwhile; then the program ends as it always does (05b 5b.13). */
function leaveFrames(): void {
  unwinding = true;
  giveUpAnswers();
  endBlocked(0);
  enterHandler();
  endAboveMain();
  leaveHandler();
  process_end();
  endProcess(1);
}
