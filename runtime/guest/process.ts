// How a program with loci ends (reference 05b 5b.13 to 5b.15).
import { test_failed } from "./assertions";
import { bus_drain, leaveHandler } from "./bus";
import { endProcess } from "./end";
import { endAboveMain, own_exit_draining } from "./locus";

/** Shared by all threads: the number of the signal that started the drain, or 0. */
const signal: usize = memory.data(4, 4);
/** This thread leaves its frames. */
let unwinding: bool = false;

/**
 * An assertion has failed and has been reported. On the main thread control leaves every frame up to `main`'s, which ends what they own; then the program ends as it always
 * does, with status 1. Does not return there.
 */
export function unwind(): void {
  leaveFrames();
}

/** A failure on another thread reaches `main` at its next sleep or yield. */
export function leaveIfFailed(): void {
  if (test_failed() && !unwinding) leaveFrames();
}

/** The end of `main`: joins, delivery, and the teardown of what its frame owns. */
export function process_end(): void {
  bus_drain();
  own_exit_draining(0);
}

/** The teardown of a main locus begins. */
export function joinForMain(instance: usize): void {
  bus_drain();
}

/** Whether the process drains after SIGINT or SIGTERM. */
export function isDraining(): bool {
  return load<i32>(signal) != 0;
}

function leaveFrames(): void {
  unwinding = true;
  leaveHandler();
  endAboveMain();
  process_end();
  endProcess(1);
}
