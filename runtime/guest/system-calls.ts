// Reads and writes, counted for std::diag::syscall_count (reference 09-a2 section 11).
import * as host from "./host";
import { manyThreads } from "./thread";

const READ: usize = 0;
const WRITE: usize = 1;
const RECV: usize = 2;
const SEND: usize = 3;
const SENDTO: usize = 4;
const RECVMSG: usize = 5;
/** How often the process has made each call, one i64 for each of the numbers above. */
const counts: usize = memory.data(48, 8);

export function readCounted(fd: i32, target: usize, length: i32): i32 {
  count(READ);
  return host.read(fd, target, length);
}

export function writeCounted(fd: i32, from: usize, length: i32): i32 {
  count(WRITE);
  return host.write(fd, from, length);
}

/** A read of a connected socket, which is a recv without flags. */
export function recvCounted(fd: i32, target: usize, length: i32): i32 {
  count(RECV);
  return host.read(fd, target, length);
}

/** A write to a connected socket, which is a send without flags. */
export function sendCounted(fd: i32, from: usize, length: i32): i32 {
  count(SEND);
  return host.write(fd, from, length);
}

export function sendToCounted(fd: i32, from: usize, length: i32, address: usize, addressLength: i32): i32 {
  count(SENDTO);
  return host.sendTo(fd, from, length, address, addressLength);
}

/** A datagram with its sender. */
export function receiveFromCounted(fd: i32, target: usize, length: i32, address: usize, capacity: i32): i32 {
  count(RECVMSG);
  return host.receiveFrom(fd, target, length, address, capacity);
}

/** What there is, with the time of its arrival. */
export function receiveStampedCounted(fd: i32, target: usize, length: i32, stamp: usize): i32 {
  count(RECVMSG);
  return host.receiveStamped(fd, target, length, stamp);
}

/** Calls so far: 0 read, 1 write, 2 recv, 3 send, 4 sendto, 5 recvmsg. */
export function __diag_calls(which: i64): i64 {
  return atomic.load<i64>(counts + ((which as usize) << 3));
}

function count(which: usize): void {
  const at = counts + (which << 3);
  if (manyThreads()) atomic.add<i64>(at, 1);
  else store<i64>(at, load<i64>(at) + 1);
}
