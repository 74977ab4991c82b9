// Futexes of a program with threads.
import { type Control, SIGNAL_COUNT, SIGNAL_FLAG } from "../protocol.ts";
import type { GuestMemory } from "./guest-memory.ts";

const WOKEN = 0;
const NOT_EQUAL = 1;
const TIMED_OUT = 2;
const NANOSECONDS_PER_MILLISECOND = 1e6;

/** A program that watches for signals looks for one this often while it waits; the reference allows 100 ms. */
const SIGNAL_INTERVAL = 20;

export function futexCalls(memory: GuestMemory, control: Control) {
  return {
    futex_wait: (address: number, expected: number, timeout: bigint) => {
      const words = memory.words;
      const index = address >>> 2;
      // Without threads nobody could wake the caller; the time can still run out.
      if (!(words.buffer instanceof SharedArrayBuffer)) return waitAlone(words[index] !== expected, timeout);
      const signals = Atomics.load(control.words, SIGNAL_COUNT);
      const watches = Atomics.load(control.words, SIGNAL_FLAG) !== 0;
      const end =
        timeout < 0n ? Number.POSITIVE_INFINITY : performance.now() + Number(timeout) / NANOSECONDS_PER_MILLISECOND;
      for (;;) {
        const left = Math.max(0, end - performance.now());
        const outcome = Atomics.wait(words, index, expected, watches ? Math.min(left, SIGNAL_INTERVAL) : left);
        if (outcome === "ok") return WOKEN;
        if (outcome === "not-equal") return NOT_EQUAL;
        if (Atomics.load(control.words, SIGNAL_COUNT) !== signals) return WOKEN;
        if (performance.now() >= end) return TIMED_OUT;
      }
    },
    futex_wake: (address: number, count: number) => {
      const words = memory.words;
      return words.buffer instanceof SharedArrayBuffer ? Atomics.notify(words, address >>> 2, count) : 0;
    },
  };
}

function waitAlone(differs: boolean, timeout: bigint): number {
  if (differs) return NOT_EQUAL;
  const idle = new Int32Array(new SharedArrayBuffer(4));
  if (timeout < 0n) Atomics.wait(idle, 0, 0);
  else Atomics.wait(idle, 0, 0, Number(timeout) / NANOSECONDS_PER_MILLISECOND);
  return TIMED_OUT;
}
