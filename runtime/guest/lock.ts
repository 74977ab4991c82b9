// Mutual exclusion between the program's threads, over futexes.
import * as host from "./host";
import { manyThreads } from "./thread";

const FREE: i32 = 0;
const HELD: i32 = 1;
const CONTENDED: i32 = 2;

/** Takes the lock at `address`, an i32 that starts as 0. Not reentrant. (Drepper, "Futexes are tricky", mutex 2.) */
// @ts-ignore: decorator
@inline
export function lock(address: usize): void {
  if (manyThreads() && atomic.cmpxchg<i32>(address, FREE, HELD) != FREE) lockContended(address);
}

// @ts-ignore: decorator
@inline
export function unlock(address: usize): void {
  if (manyThreads() && atomic.xchg<i32>(address, FREE) == CONTENDED) host.futexWake(address as i32, 1);
}

/** A lock is held for some dozen instructions: a short while of looking is cheaper than a system call. */
const LOOKS: i32 = 100;

function lockContended(address: usize): void {
  for (let i = 0; i < LOOKS; i++) {
    if (atomic.load<i32>(address) == FREE && atomic.cmpxchg<i32>(address, FREE, HELD) == FREE) return;
  }
  while (atomic.xchg<i32>(address, CONTENDED) != FREE) host.futexWait(address as i32, CONTENDED, -1);
}
