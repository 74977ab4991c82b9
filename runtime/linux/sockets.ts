// Sockets. Addresses are text here and `struct sockaddr` at the kernel.
import { putAddress, readAddress } from "./addresses";
import { giveScratch, takeScratch } from "./scratch";
import { call2, call3, call4, real, syscall } from "./system";
import * as n from "./numbers";

const SOCK_CLOEXEC: i32 = 0o2000000;
const ENOPROTOOPT: i32 = -92;

export function socket(family: i32, type: i32): i32 {
  return call3(n.SOCKET, family, type | SOCK_CLOEXEC, 0);
}

function withAddress(number: i64, fd: i32, address: usize, length: i32): i32 {
  const piece = takeScratch();
  let result = readAddress(address, length, piece);
  if (result > 0) result = call3(number, fd, real(piece), result);
  giveScratch(piece);
  return result;
}

export function bind(fd: i32, address: usize, length: i32): i32 {
  return withAddress(n.BIND, fd, address, length);
}

export function connect(fd: i32, address: usize, length: i32): i32 {
  return withAddress(n.CONNECT, fd, address, length);
}

export function listen(fd: i32, backlog: i32): i32 {
  return call2(n.LISTEN, fd, backlog);
}

export function accept(fd: i32, address: usize, capacity: i32): i32 {
  const piece = takeScratch();
  store<i32>(piece, 128);
  const result = call4(n.ACCEPT4, fd, real(piece + 16), real(piece), SOCK_CLOEXEC);
  if (result >= 0 && capacity > 0) putTerminated(piece + 16, load<i32>(piece), address, capacity);
  giveScratch(piece);
  return result;
}

function putTerminated(kernel: usize, kernelLength: i32, address: usize, capacity: i32): void {
  const length = putAddress(kernel, kernelLength, address, capacity - 1);
  store<u8>(address + min(length, capacity - 1), 0);
}

/** Without an address: to the peer. A broken connection is an error, not a signal. */
export function sendTo(fd: i32, buffer: usize, length: i32, address: usize, addressLength: i32): i32 {
  const MSG_NOSIGNAL: i64 = 0x4000;
  const piece = takeScratch();
  let kernelLength = 0;
  if (addressLength > 0) kernelLength = readAddress(address, addressLength, piece);
  let result = kernelLength;
  if (kernelLength >= 0) {
    result = syscall(n.SENDTO, fd, real(buffer), length, MSG_NOSIGNAL, kernelLength > 0 ? real(piece) : 0, kernelLength) as i32;
  }
  giveScratch(piece);
  return result;
}

export function receiveFrom(fd: i32, buffer: usize, length: i32, address: usize, capacity: i32): i32 {
  const piece = takeScratch();
  store<i32>(piece, 128);
  const result = syscall(n.RECVFROM, fd, real(buffer), length, 0, real(piece + 16), real(piece)) as i32;
  if (result >= 0 && capacity > 0) putTerminated(piece + 16, load<i32>(piece), address, capacity);
  giveScratch(piece);
  return result;
}

/**
 * recvmsg(2) for the sake of the kernel's time stamp. In the scratch memory: 0 the message's header, 64 the piece of memory it names, 96 room for control
 * messages, each i64 length, i32 level, i32 type, data.
 */
export function receiveStamped(fd: i32, buffer: usize, length: i32, stamp: usize): i32 {
  const CONTROL: usize = 96;
  const CONTROL_ROOM: i64 = 256;
  const piece = takeScratch();
  memory.fill(piece, 0, CONTROL);
  store<i64>(piece, real(piece + 64), 16);
  store<i64>(piece, 1, 24);
  store<i64>(piece, real(piece + CONTROL), 32);
  store<i64>(piece, CONTROL_ROOM, 40);
  store<i64>(piece, real(buffer), 64);
  store<i64>(piece, length, 72);
  const result = call3(n.RECVMSG, fd, real(piece), 0);
  store<i64>(stamp, result >= 0 ? stampIn(piece + CONTROL, load<i64>(piece, 40)) : 0);
  giveScratch(piece);
  return result;
}

/** Nanoseconds of the time stamp among control messages, or 0. */
function stampIn(control: usize, length: i64): i64 {
  const HEADER: i64 = 16;
  for (let at: i64 = 0; at + HEADER <= length; ) {
    const message = control + (at as usize);
    const size = load<i64>(message);
    if (size < HEADER) return 0;
    if (load<i32>(message, 8) == (SOL_SOCKET as i32) && load<i32>(message, 12) == SO_TIMESTAMPNS)
      return load<i64>(message, 16) * 1000000000 + load<i64>(message, 24);
    at += (size + 7) & -8;
  }
  return 0;
}

export function shutdown(fd: i32, how: i32): i32 {
  return call2(n.SHUTDOWN, fd, how);
}

const SOL_SOCKET: i64 = 1;
const SO_TIMESTAMPNS: i32 = 35;
const IPPROTO_TCP: i64 = 6;

export function socketOption(fd: i32, option: i32, value: i32): i32 {
  switch (option) {
    case 1:
      return setNumber(fd, SOL_SOCKET, 2, value);
    case 2:
      return setNumber(fd, IPPROTO_TCP, 1, value);
    case 3:
      return setTime(fd, 20, value);
    case 4:
      return setTime(fd, 21, value);
    case 5:
      return setNumber(fd, SOL_SOCKET, 6, value);
    case 6:
      return setNumber(fd, SOL_SOCKET, 9, value);
    case 7:
      return pendingError(fd);
    default:
      return ENOPROTOOPT;
  }
}

export function socketSet(fd: i32, level: i32, option: i32, value: usize, length: i32): i32 {
  return syscall(n.SETSOCKOPT, fd, level, option, real(value), length, 0) as i32;
}

export function socketGet(fd: i32, level: i32, option: i32, buffer: usize, capacity: i32): i32 {
  const piece = takeScratch();
  store<i32>(piece, capacity);
  const result = syscall(n.GETSOCKOPT, fd, level, option, real(buffer), real(piece), 0) as i32;
  const length = load<i32>(piece);
  giveScratch(piece);
  return result < 0 ? result : length;
}

function setNumber(fd: i32, level: i64, name: i64, value: i32): i32 {
  const piece = takeScratch();
  store<i32>(piece, value);
  const result = syscall(n.SETSOCKOPT, fd, level, name, real(piece), 4, 0) as i32;
  giveScratch(piece);
  return result;
}

/** `struct timeval` from milliseconds. */
function setTime(fd: i32, name: i64, milliseconds: i32): i32 {
  const piece = takeScratch();
  store<i64>(piece, milliseconds / 1000, 0);
  store<i64>(piece, (milliseconds % 1000) * 1000, 8);
  const result = syscall(n.SETSOCKOPT, fd, SOL_SOCKET, name, real(piece), 16, 0) as i32;
  giveScratch(piece);
  return result;
}

function pendingError(fd: i32): i32 {
  const SO_ERROR: i64 = 4;
  const piece = takeScratch();
  store<i32>(piece, 0, 0);
  store<i32>(piece, 4, 8);
  const result = syscall(n.GETSOCKOPT, fd, SOL_SOCKET, SO_ERROR, real(piece), real(piece + 8), 0) as i32;
  const error = load<i32>(piece);
  giveScratch(piece);
  return result < 0 ? result : error;
}

export function socketName(fd: i32, which: i32, buffer: usize, capacity: i32): i32 {
  const piece = takeScratch();
  store<i32>(piece, 128);
  let result = call3(which == 0 ? n.GETSOCKNAME : n.GETPEERNAME, fd, real(piece + 16), real(piece));
  if (result == 0) result = putAddress(piece + 16, load<i32>(piece), buffer, capacity);
  giveScratch(piece);
  return result;
}
