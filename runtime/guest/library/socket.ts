// Primitives of std::io::tcp, udp and unix: sockets. What failed is told as a negated errno and left for `__io_status`; the end of a stream and a passed time limit
// are no failures.
import * as host from "../host";
import { receiveFromCounted, receiveStampedCounted, recvCounted, sendCounted, sendToCounted } from "../system-calls";
import { alloc, free } from "../memory";
import { BYTES, bytesFrom, discard, findByte, lengthOf, newBytes, textFrom } from "./cell";
import { __builder_dead, commitTail, reserveTail } from "./builder";
import { EAGAIN, EBADF, EINTR, EINVAL, __fd_close, readOnce, setStatus, waitReadable, waitWritable } from "./descriptor";
import { ACCEPTING, RECEIVING, beforeBlocking } from "../parking";

export const INTERNET: i32 = 2;
export const INTERNET6: i32 = 10;
export const LOCAL: i32 = 1;
const STREAM: i32 = 1;
const DATAGRAM: i32 = 2;
/** The system cuts it to its own limit. */
const BACKLOG: i32 = 4096;
const ENOENT: i32 = -2;
const ENOTSOCK: i32 = -88;
const ECONNABORTED: i32 = -103;
const ECONNREFUSED: i32 = -111;

// Options of `host.socketOption`.
const REUSE_ADDRESS: i32 = 1;
const NO_DELAY: i32 = 2;
const RECEIVE_TIMEOUT: i32 = 3;
const SEND_TIMEOUT: i32 = 4;
const ERROR: i32 = 7;

const SHUTDOWN_SENDING: i32 = 1;
const SHUTDOWN_BOTH: i32 = 2;
/** Room for the text of an address. */
const ADDRESS_ROOM: i32 = 128;
const LARGEST_DATAGRAM: i32 = 65536;
const MILLISECOND: i64 = 1000000;

/** Leaves a result for `__io_status` and gives it back. */
function noted(result: i32): i32 {
  setStatus(result);
  return result;
}

// -- addresses

/** Whether a text is a dotted IPv4 address. A number with a leading zero is none: some read it as octal. */
export function __net_is_ipv4(text: usize): bool {
  const length = lengthOf(text);
  let parts: i32 = 0;
  let value: i32 = -1;
  for (let i: i32 = 0; i <= length; i++) {
    const byte: u8 = i < length ? load<u8>(text + BYTES + i) : 0x2e;
    if (byte == 0x2e) {
      if (value < 0 || value > 255 || ++parts > 4) return false;
      value = -1;
      continue;
    }
    const digit = (byte - 0x30) as u8;
    if (digit > 9 || value == 0 || value > 255) return false;
    value = value < 0 ? digit : value * 10 + digit;
  }
  return parts == 4;
}

/** `host:port`, or `[host]:port` when the host has colons; `port` modulo 65536. */
function endpoint(name: usize, nameLength: i32, port: i64): usize {
  const bracketed = findByte(name, nameLength, 0x3a) >= 0;
  const text = newBytes(nameLength + 8);
  let at = text + BYTES;
  if (bracketed) store<u8>(at++, 0x5b);
  memory.copy(at, name, nameLength);
  at += nameLength;
  if (bracketed) store<u8>(at++, 0x5d);
  store<u8>(at++, 0x3a);
  const number = (port & 0xffff) as u32;
  for (let divisor: u32 = 10000; divisor > 0; divisor /= 10) {
    if (number >= divisor || divisor == 1) store<u8>(at++, (0x30 + ((number / divisor) % 10)) as u8);
  }
  store<i32>(text, (at - text - BYTES) as i32);
  return text;
}

// -- connections

/** A listening socket on a dotted IPv4 address. */
export function __tcp_listen(name: usize, port: i64): i64 {
  if (!__net_is_ipv4(name)) return noted(EINVAL);
  const address = endpoint(name + BYTES, lengthOf(name), port);
  const fd = listenAt(INTERNET, address);
  discard(address);
  return noted(fd);
}

export function __unix_listen(path: usize): i64 {
  const address = pathAddress(path);
  const fd = listenAt(LOCAL, address);
  discard(address);
  return noted(fd);
}

/** A path as an address: a relative one starts with `./`, so that it is no host and port. */
function pathAddress(path: usize): usize {
  const length = lengthOf(path);
  const extra = length > 0 && load<u8>(path + BYTES) != 0x2f ? 2 : 0;
  const address = newBytes(length + extra);
  if (extra > 0) store<u16>(address + BYTES, 0x2f2e);
  memory.copy(address + BYTES + extra, path + BYTES, length);
  return address;
}

function listenAt(family: i32, address: usize): i32 {
  const fd = host.socket(family, STREAM);
  if (fd < 0) return fd;
  if (family != LOCAL) host.socketOption(fd, REUSE_ADDRESS, 1);
  let result = host.bind(fd, address + BYTES, lengthOf(address));
  if (result >= 0) result = host.listen(fd, BACKLOG);
  if (result >= 0) return fd;
  host.close(fd);
  return result;
}

/** A connection to a dotted address or a host name: the first of its addresses that answers. */
export function __tcp_connect(name: usize, port: i64): i64 {
  const addresses = __net_is_ipv4(name) ? zeroEnded(name) : resolved(name);
  if (addresses == 0) return noted(lastResolve);
  let at = addresses + BYTES;
  const stop = at + lengthOf(addresses);
  let fd: i32 = ENOENT;
  while (at < stop && fd < 0) {
    const length = findByte(at, (stop - at) as i32, 0);
    if (length < 0) break;
    const address = endpoint(at, length, port);
    fd = connectTo(findByte(at, length, 0x3a) >= 0 ? INTERNET6 : INTERNET, address);
    discard(address);
    at += length + 1;
  }
  discard(addresses);
  if (fd >= 0) host.socketOption(fd, NO_DELAY, 1);
  return noted(fd);
}

export function __unix_connect(path: usize): i64 {
  const address = pathAddress(path);
  const fd = connectTo(LOCAL, address);
  discard(address);
  return noted(fd);
}

function connectTo(family: i32, address: usize): i32 {
  const fd = host.socket(family, STREAM);
  if (fd < 0) return fd;
  let result = host.connect(fd, address + BYTES, lengthOf(address));
  // The attempt goes on after a signal: its outcome is asked for.
  if (result == EINTR) result = waitWritable(fd) < 0 ? EINTR : -host.socketOption(fd, ERROR, 0);
  if (result >= 0) return fd;
  host.close(fd);
  return result;
}

function zeroEnded(text: usize): usize {
  const length = lengthOf(text);
  const result = newBytes(length + 1);
  memory.copy(result + BYTES, text + BYTES, length);
  store<u8>(result + BYTES + length, 0);
  return result;
}

let lastResolve: i32 = 0;

/** The addresses of a host name, each ended by a zero byte; 0 when there are none. */
function resolved(name: usize): usize {
  let room: i32 = 512;
  let list = newBytes(room);
  let size = host.resolve(name + BYTES, lengthOf(name), list + BYTES, room);
  while (size > room) {
    discard(list);
    room = size;
    list = newBytes(room);
    size = host.resolve(name + BYTES, lengthOf(name), list + BYTES, room);
  }
  lastResolve = size < 0 ? size : ENOENT;
  if (size > 0) {
    store<i32>(list, size);
    return list;
  }
  discard(list);
  return 0;
}

/** Whether a connection was refused: the peer may still be starting. */
export function __net_refused(result: i64): bool {
  return result == ECONNREFUSED;
}

/** The same for a path, which the peer may not have made yet. */
export function __unix_refused(result: i64): bool {
  return result == ECONNREFUSED || result == ENOENT;
}

/** A short rest between attempts, without delivering messages. */
export function __net_rest(milliseconds: i64): void {
  host.sleep(milliseconds * MILLISECOND);
}

export function __tcp_accept(fd: i64): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return noted(EBADF);
  const blocked = beforeBlocking(fd as i32, ACCEPTING);
  if (blocked < 0) return noted(blocked);
  let accepted = host.accept(fd as i32, 0, 0);
  // A client that has given up in the queue is no failure of the listener.
  while (accepted == EINTR || accepted == ECONNABORTED) accepted = host.accept(fd as i32, 0, 0);
  if (accepted >= 0) host.socketOption(accepted, NO_DELAY, 1);
  return noted(accepted);
}

/** Makes a blocked accept end. */
export function __tcp_shutdown(fd: i64): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return noted(EBADF);
  return noted(host.shutdown(fd as i32, SHUTDOWN_BOTH));
}

/** How long a connection that has its answer may go on sending: between two reads, and in all. */
const LINGER_PAUSE: i64 = 1000 * MILLISECOND;
const LINGER: i64 = 2000 * MILLISECOND;

/**
 * Closes a connection whose last answer has been sent. What the peer has sent that nobody read is read and dropped first, for a while: closing over it would
 * reset the connection, and the peer could lose the answer. `sends`: the peer has certainly more to send.
 */
export function __tcp_finish(fd: i64, sends: bool): void {
  if (fd < 0 || fd > i32.MAX_VALUE) return;
  if (sends || waitReadable(fd as i32, 0) > 0) drop(fd as i32);
  __fd_close(fd);
}

function drop(fd: i32): void {
  const room: i32 = 65536;
  const block = newBytes(room);
  const until = host.clock(1) + LINGER;
  // At the end of the peer's stream there is nothing to wait for.
  let got: i32 = 1;
  if (host.shutdown(fd, SHUTDOWN_SENDING) < 0) got = 0;
  while (got > 0 && host.clock(1) < until && waitReadable(fd, LINGER_PAUSE) > 0) got = readOnce(fd, block + BYTES, room);
  discard(block);
}

/** Sends all bytes of a String or Bytes; a passed time limit is a failure here. */
export function __tcp_send(fd: i64, bytes: usize): i64 {
  return noted(sendAll(fd, bytes));
}

export function __tcp_send_text(fd: i64, text: usize): i64 {
  return noted(sendAll(fd, text));
}

function sendAll(fd: i64, bytes: usize): i32 {
  if (fd < 0 || fd > i32.MAX_VALUE) return EBADF;
  let at = bytes + BYTES;
  let left = lengthOf(bytes);
  while (left > 0) {
    const sent = sendCounted(fd as i32, at, left);
    if (sent == EINTR) continue;
    if (sent < 0) return sent;
    at += sent;
    left -= sent;
  }
  return 0;
}

/** One read of at most `most` bytes; empty at the end, after the time limit, and on failure (the status tells). */
export function __tcp_recv(fd: i64, most: i64): usize {
  const bytes = receive(fd, most);
  return bytes;
}

export function __tcp_recv_text(fd: i64, most: i64): usize {
  const bytes = receive(fd, most);
  const zero = findByte(bytes + BYTES, lengthOf(bytes), 0);
  if (zero < 0) return bytes;
  const text = bytesFrom(bytes + BYTES, zero);
  discard(bytes);
  return text;
}

/** More than this is not asked for at once. */
const LARGEST_READ: i64 = 1 << 20;

function receive(fd: i64, most: i64): usize {
  if (fd < 0 || fd > i32.MAX_VALUE || most <= 0) {
    setStatus(fd < 0 || fd > i32.MAX_VALUE ? EBADF : EINVAL);
    return 0;
  }
  const room = min<i64>(most, LARGEST_READ) as i32;
  const bytes = newBytes(room);
  let got = beforeBlocking(fd as i32, RECEIVING);
  if (got == 0) got = receiveOnce(fd as i32, bytes + BYTES, room);
  setStatus(got == EAGAIN ? 0 : got);
  if (got == room) return bytes;
  const exact = bytesFrom(bytes + BYTES, got);
  discard(bytes);
  return exact;
}

function receiveOnce(fd: i32, target: usize, length: i32): i32 {
  let got = recvCounted(fd, target, length);
  while (got == EINTR) got = recvCounted(fd, target, length);
  return got;
}

/** Times of the last stamped receive of this thread, in nanoseconds: the kernel's (0 when it was not asked), and when it was read. */
let kernelStamp: i64 = 0;
let readStamp: i64 = 0;

/** Appends one read to a builder: the number of bytes, 0 at the end, -1 on failure, -2 after the time limit. */
export function __tcp_recv_into(fd: i64, builder: i64, most: i64): i64 {
  return receiveInto(fd, builder, most, false);
}

export function __tcp_recv_stamped_into(fd: i64, builder: i64, most: i64): i64 {
  return receiveInto(fd, builder, most, true);
}

function receiveInto(fd: i64, builder: i64, most: i64, stamped: bool): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE || most <= 0) {
    noted(fd < 0 || fd > i32.MAX_VALUE ? EBADF : EINVAL);
    return -1;
  }
  if (__builder_dead(builder)) {
    noted(EINVAL);
    return -1;
  }
  const room = min<i64>(most, LARGEST_READ) as i32;
  let got = beforeBlocking(fd as i32, RECEIVING);
  const tail = reserveTail(builder, room);
  if (got == 0) got = stamped ? readStamped(fd as i32, tail, room) : recvCounted(fd as i32, tail, room);
  commitTail(builder, got);
  const isWait = got == EAGAIN || got == EINTR;
  noted(isWait ? 0 : got);
  return isWait ? -2 : got < 0 ? -1 : got;
}

function readStamped(fd: i32, target: usize, room: i32): i32 {
  const stamp = alloc(8);
  let got = receiveStampedCounted(fd, target, room, stamp);
  kernelStamp = load<i64>(stamp);
  free(stamp);
  if (got == ENOTSOCK) got = recvCounted(fd, target, room);
  readStamp = host.clock(0);
  return got;
}

export function __tcp_received_at(): i64 {
  return readStamp;
}

export function __tcp_received_by_kernel_at(): i64 {
  return kernelStamp;
}

const SO_TIMESTAMPNS: i64 = 35;

export function __tcp_stamps(fd: i64, on: bool): i64 {
  const result = __net_check(fd);
  return result < 0 ? result : __net_set(fd, SOL_SOCKET, SO_TIMESTAMPNS, on ? 1 : 0);
}

// -- options

/** A time limit in nanoseconds: 0 none. `receiving` or sending. */
export function __net_timeout(fd: i64, nanoseconds: i64, receiving: bool): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE || nanoseconds < 0) return noted(EINVAL);
  const milliseconds = min<i64>(nanoseconds / MILLISECOND + i64(nanoseconds % MILLISECOND > 0), i32.MAX_VALUE);
  return noted(host.socketOption(fd as i32, receiving ? RECEIVE_TIMEOUT : SEND_TIMEOUT, milliseconds as i32));
}

export function __tcp_no_delay(fd: i64, on: bool): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return noted(EINVAL);
  return noted(host.socketOption(fd as i32, NO_DELAY, on as i32));
}

/** Whether a descriptor is a socket: 0, or a negated errno. */
export function __net_check(fd: i64): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return noted(EINVAL);
  const result = host.socketOption(fd as i32, ERROR, 0);
  return noted(min(result, 0));
}

// -- datagrams

/** A datagram socket; the empty name and 0.0.0.0 mean any address. */
export function __udp_bind(name: usize, port: i64): i64 {
  const any = newBytes(7);
  store<u32>(any + BYTES, 0x2e302e30); // "0.0."
  store<u16>(any + BYTES, 0x2e30, 4); // "0."
  store<u8>(any + BYTES, 0x30, 6);
  const result = bindDatagram(lengthOf(name) == 0 ? any : name, port);
  discard(any);
  return noted(result);
}

function bindDatagram(name: usize, port: i64): i32 {
  if (!__net_is_ipv4(name)) return EINVAL;
  const fd = host.socket(INTERNET, DATAGRAM);
  if (fd < 0) return fd;
  const address = endpoint(name + BYTES, lengthOf(name), port);
  const result = host.bind(fd, address + BYTES, lengthOf(address));
  discard(address);
  if (result >= 0) return fd;
  host.close(fd);
  return result;
}

export function __udp_send(fd: i64, name: usize, port: i64, text: usize): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE || !__net_is_ipv4(name)) return noted(EINVAL);
  const address = endpoint(name + BYTES, lengthOf(name), port);
  let sent = sendToCounted(fd as i32, text + BYTES, lengthOf(text), address + BYTES, lengthOf(address));
  while (sent == EINTR) sent = sendToCounted(fd as i32, text + BYTES, lengthOf(text), address + BYTES, lengthOf(address));
  discard(address);
  return noted(min(sent, 0));
}

/** The sender of the last datagram that was received with it: its host as a String (counted), and its port. */
let sourceHost: usize = 0;
let sourcePort: i64 = 0;

/** One datagram, cut to `most` bytes; the status tells a failure (EAGAIN after the time limit). `remember`: the sender, forgotten on failure. */
export function __udp_recv(fd: i64, most: i64, remember: bool): usize {
  if (remember) forgetSource();
  if (fd < 0 || fd > i32.MAX_VALUE || most <= 0) {
    setStatus(EINVAL);
    return 0;
  }
  const room = min<i64>(most, LARGEST_DATAGRAM) as i32;
  const bytes = newBytes(room);
  const address = newBytes(ADDRESS_ROOM);
  memory.fill(address + BYTES, 0, ADDRESS_ROOM);
  let got = beforeBlocking(fd as i32, RECEIVING);
  if (got == 0) got = receiveFromCounted(fd as i32, bytes + BYTES, room, address + BYTES, ADDRESS_ROOM);
  while (got == EINTR) got = receiveFromCounted(fd as i32, bytes + BYTES, room, address + BYTES, ADDRESS_ROOM);
  setStatus(got);
  if (remember && got >= 0) rememberSource(address + BYTES);
  discard(address);
  const exact = bytesFrom(bytes + BYTES, min(got, room));
  discard(bytes);
  return exact;
}

/** Appends a datagram to a builder: its bytes, 0 for an empty one, -1 on failure, -2 after the time limit. */
export function __udp_recv_into(fd: i64, builder: i64, most: i64): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE || most <= 0 || __builder_dead(builder)) {
    noted(EINVAL);
    return -1;
  }
  const room = min<i64>(most, LARGEST_DATAGRAM) as i32;
  let got = beforeBlocking(fd as i32, RECEIVING);
  if (got == 0) got = receiveFromCounted(fd as i32, reserveTail(builder, room), room, 0, 0);
  const isWait = got == EAGAIN || got == EINTR;
  noted(isWait ? EAGAIN : got);
  if (isWait) return -2;
  commitTail(builder, min(got, room));
  return got < 0 ? -1 : min(got, room);
}

function forgetSource(): void {
  discard(sourceHost);
  sourceHost = 0;
  sourcePort = 0;
}

/** `address` is a zero-ended text `host:port` or `[host]:port`. */
function rememberSource(address: usize): void {
  const length = findByte(address, ADDRESS_ROOM, 0);
  let colon = length - 1;
  while (colon >= 0 && load<u8>(address + colon) != 0x3a) colon--;
  if (colon < 0) return;
  let port: i64 = 0;
  for (let i = colon + 1; i < length; i++) port = port * 10 + (load<u8>(address + i) - 0x30);
  const bracket = load<u8>(address) == 0x5b ? 1 : 0;
  sourceHost = textFrom(address + bracket, colon - 2 * bracket);
  sourcePort = port;
}

/** The remembered host; empty when there is none. */
export function __udp_source_host(): usize {
  return bytesFrom(sourceHost + BYTES, lengthOf(sourceHost));
}

export function __udp_source_port(): i64 {
  return sourcePort;
}

// -- options by the system's numbers

const SOL_SOCKET: i32 = 1;
const SO_PEERCRED: i32 = 17;

export function __net_set(fd: i64, level: i64, option: i64, value: i64): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return noted(EBADF);
  const number = newBytes(4);
  store<i32>(number + BYTES, value as i32);
  const result = host.socketSet(fd as i32, level as i32, option as i32, number + BYTES, 4);
  discard(number);
  return noted(result);
}

/** The option's number; the status tells a failure. */
export function __net_get(fd: i64, level: i64, option: i64): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) {
    setStatus(EBADF);
    return 0;
  }
  const number = newBytes(4);
  store<i32>(number + BYTES, 0);
  const result = host.socketGet(fd as i32, level as i32, option as i32, number + BYTES, 4);
  const value = load<i32>(number + BYTES);
  discard(number);
  setStatus(result);
  return result < 0 ? 0 : value;
}

/** Four bytes of a dotted address at `target`; the empty text is any. False when it is none. */
function putAddress(target: usize, text: usize): bool {
  store<u32>(target, 0);
  if (lengthOf(text) == 0) return true;
  if (!__net_is_ipv4(text)) return false;
  let at = target;
  let value: u32 = 0;
  for (let i: i32 = 0; i < lengthOf(text); i++) {
    const byte = load<u8>(text + BYTES + i);
    if (byte == 0x2e) {
      store<u8>(at++, value as u8);
      value = 0;
    } else {
      value = value * 10 + (byte - 0x30);
    }
  }
  store<u8>(at, value as u8);
  return true;
}

/** Sets an option whose value is a multicast group and an interface, or (without a group) an interface alone. */
export function __net_set_addresses(fd: i64, option: i64, group: usize, name: usize, withGroup: bool): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return noted(EINVAL);
  const value = newBytes(8);
  let sound = true;
  if (withGroup) sound = lengthOf(group) > 0 && putAddress(value + BYTES, group);
  sound = sound && putAddress(value + BYTES + (withGroup ? 4 : 0), name);
  const result = sound ? host.socketSet(fd as i32, 0, option as i32, value + BYTES, withGroup ? 8 : 4) : EINVAL;
  discard(value);
  return noted(result);
}

/** Of the process at the other end of a Unix socket: 0 its id, 1 its user, 2 its group; -1 when unknown. */
export function __unix_peer(fd: i64, what: i64): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return -1;
  const credentials = newBytes(12);
  const result = host.socketGet(fd as i32, SOL_SOCKET, SO_PEERCRED, credentials + BYTES, 12);
  const value = load<i32>(credentials + BYTES + ((what as usize) << 2));
  discard(credentials);
  // What has no peer process, like a connection over TCP, tells 0.
  return result < 12 || (what == 0 && value == 0) ? -1 : value;
}
