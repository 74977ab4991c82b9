// Threads and futexes.
import { putTimespec } from "./clocks";
import { giveScratch, takeScratch } from "./scratch";
import { call3, interruptibleSyscall, real, startThread } from "./system";
import * as n from "./numbers";

const FUTEX_WAIT_PRIVATE: i64 = 128;
const FUTEX_WAKE_PRIVATE: i64 = 129;
const MEMBARRIER_PRIVATE_EXPEDITED: i64 = 8;
const MEMBARRIER_REGISTER_PRIVATE_EXPEDITED: i64 = 16;
const EAGAIN: i32 = -11;
const ETIMEDOUT: i32 = -110;

export function threadStart(argument: usize): i32 {
  return startThread(argument as i32);
}

export function futexWait(address: usize, expected: i32, timeout: i64): i32 {
  let result: i32;
  if (timeout < 0) {
    result = interruptibleSyscall(n.FUTEX, real(address), FUTEX_WAIT_PRIVATE, expected, 0, 0, 0) as i32;
  } else {
    const piece = takeScratch();
    putTimespec(piece, timeout);
    result = interruptibleSyscall(n.FUTEX, real(address), FUTEX_WAIT_PRIVATE, expected, real(piece), 0, 0) as i32;
    giveScratch(piece);
  }
  if (result == EAGAIN) return 1;
  return result == ETIMEDOUT ? 2 : 0;
}

export function futexWake(address: usize, count: i32): i32 {
  return call3(n.FUTEX, real(address), FUTEX_WAKE_PRIVATE, count < 0 ? 0x7fffffff : count);
}

export function yieldThread(): void {
  call3(n.SCHED_YIELD, 0, 0, 0);
}

/** False on kernels without membarrier(2), and where a sandbox keeps it from programs. */
export function canFenceAll(): bool {
  return call3(n.MEMBARRIER, MEMBARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

export function fenceAll(): void {
  call3(n.MEMBARRIER, MEMBARRIER_PRIVATE_EXPEDITED, 0, 0);
}
