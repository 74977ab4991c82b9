// Host names: numbers as they are, /etc/hosts, then the name servers of /etc/resolv.conf (RFC 1035, over UDP).
import { clock } from "./clocks";
import { putHost, readIp4, readIp6 } from "./addresses";
import { giveScratch, SCRATCH_SIZE, takeScratch } from "./scratch";
import { poll } from "./processes";
import { call1, call3, real, syscall } from "./system";
import * as n from "./numbers";

const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;
const SOCK_DATAGRAM: i64 = 2 | 0o2000000;
const POLLIN: i16 = 1;
const TIMEOUT: i64 = 2000000000;
const EIO: i32 = -5;
const TYPE_A: i32 = 1;
const TYPE_AAAA: i32 = 28;
const DNS_PORT: u16 = 53;
const MOST_SERVERS: i32 = 3;

/** Where the answers go: each text with a zero behind it. */
let target: usize = 0;
let room: i32 = 0;
let total: i32 = 0;

function putAnswer(family: u16, bytes: usize): void {
  const left = total < room ? room - total : 0;
  const length = putHost(family, bytes, target + total, left);
  if (length < left) store<u8>(target + total + length, 0);
  total += length + 1;
}

export function resolve(name: usize, nameLength: i32, buffer: usize, capacity: i32): i32 {
  if (nameLength <= 0 || nameLength > 253) return n.ENOENT;
  target = buffer;
  room = capacity;
  total = 0;
  const piece = takeScratch();
  if (readIp4(name, nameLength, piece)) putAnswer(AF_INET, piece);
  else if (readIp6(name, nameLength, piece)) putAnswer(AF_INET6, piece);
  else findInHosts(name, nameLength, piece);
  if (total == 0 && isLocalhost(name, nameLength)) {
    store<u32>(piece, 0x0100007f);
    putAnswer(AF_INET, piece);
  }
  let result = 0;
  if (total == 0) result = askServers(name, nameLength, piece);
  giveScratch(piece);
  if (total > 0) return total;
  return result < 0 ? result : n.ENOENT;
}

/** Reads the start of a small file to the second half of a piece; its size, or 0. */
function readSmallFile(path: u64, pathRest: u64, piece: usize): i32 {
  store<u64>(piece, path, 0);
  store<u64>(piece, pathRest, 8);
  store<u8>(piece, 0, 16);
  const fd = call3(n.OPEN, real(piece), n.O_RDONLY | n.O_CLOEXEC, 0);
  if (fd < 0) return 0;
  const size = call3(n.READ, fd, real(piece + 1024), SCRATCH_SIZE - 1024 - 1);
  call1(n.CLOSE, fd);
  return max(size, 0);
}

function isSpace(byte: i32): bool {
  return byte == 32 || byte == 9;
}

function lower(byte: i32): i32 {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}

function sameName(left: usize, right: usize, length: i32): bool {
  for (let i = 0; i < length; i++) if (lower(load<u8>(left + i)) != lower(load<u8>(right + i))) return false;
  return true;
}

/** "localhost", nine letters. */
function isLocalhost(name: usize, length: i32): bool {
  return length == 9 && load<u64>(name) == 0x736f686c61636f6c && load<u8>(name, 8) == 0x74;
}

/** Lines of an address and names; `#` starts a comment. */
function findInHosts(name: usize, nameLength: i32, piece: usize): void {
  // "/etc/hosts"
  const size = readSmallFile(0x736f682f6374652f, 0x7374, piece);
  const text = piece + 1024;
  let at = 0;
  while (at < size) {
    let end = at;
    while (end < size && load<u8>(text + end) != 10) end++;
    let stop = at;
    while (stop < end && load<u8>(text + stop) != 35) stop++;
    let word = at;
    while (word < stop && !isSpace(load<u8>(text + word))) word++;
    const addressLength = word - at;
    while (word < stop) {
      while (word < stop && isSpace(load<u8>(text + word))) word++;
      const start = word;
      while (word < stop && !isSpace(load<u8>(text + word))) word++;
      if (word - start == nameLength && sameName(text + start, name, nameLength)) {
        if (readIp4(text + at, addressLength, piece)) putAnswer(AF_INET, piece);
        else if (readIp6(text + at, addressLength, piece)) putAnswer(AF_INET6, piece);
        break;
      }
    }
    at = end + 1;
  }
}

/** Asks the name servers for addresses of both families, one server after the other until one answers. */
function askServers(name: usize, nameLength: i32, piece: usize): i32 {
  // "/etc/resolv.conf"
  const size = readSmallFile(0x7365722f6374652f, 0x666e6f632e766c6f, piece);
  const text = piece + 1024;
  const servers = piece + 512;
  let count = 0;
  let at = 0;
  while (at < size && count < MOST_SERVERS) {
    let end = at;
    while (end < size && load<u8>(text + end) != 10) end++;
    if (isServerLine(text + at, end - at)) {
      let start = at + 10;
      while (start < end && isSpace(load<u8>(text + start))) start++;
      let stop = start;
      while (stop < end && !isSpace(load<u8>(text + stop))) stop++;
      if (readIp4(text + start, stop - start, servers + 4 * count)) count++;
    }
    at = end + 1;
  }
  let result = n.ENOENT;
  for (let i = 0; i < count; i++) {
    const address = load<u32>(servers + 4 * i);
    result = ask(name, nameLength, TYPE_A, address, piece + 1024);
    if (result < 0) continue;
    ask(name, nameLength, TYPE_AAAA, address, piece + 1024);
    return 0;
  }
  return result;
}

/** "nameserver" and a space. */
function isServerLine(text: usize, length: i32): bool {
  const word = load<u32>(text) == 0x656d616e && load<u32>(text, 4) == 0x76726573 && load<u16>(text, 8) == 0x7265;
  return length > 11 && word && isSpace(load<u8>(text, 10));
}

/** Sends one question and takes up the answer; a negated errno when the server does not answer in time. `area`: room for both. */
function ask(name: usize, nameLength: i32, type: i32, server: u32, area: usize): i32 {
  const length = writeQuestion(name, nameLength, type, area);
  if (length < 0) return length;
  const fd = call3(n.SOCKET, AF_INET, SOCK_DATAGRAM, 0);
  if (fd < 0) return fd;
  const address = area + 1024;
  store<u64>(address, 0, 0);
  store<u64>(address, 0, 8);
  store<u16>(address, AF_INET, 0);
  store<u16>(address, DNS_PORT << 8, 2);
  store<u32>(address, server, 4);
  let result = call3(n.CONNECT, fd, real(address), 16);
  if (result == 0) result = call3(n.WRITE, fd, real(area), length);
  if (result == length) result = receiveAnswer(fd, load<u16>(area), type, area);
  call1(n.CLOSE, fd);
  return result;
}

function writeQuestion(name: usize, nameLength: i32, type: i32, area: usize): i32 {
  memory.fill(area, 0, 12);
  store<u16>(area, clock(1) as u16, 0);
  // Recursion desired; one question.
  store<u8>(area, 1, 2);
  store<u8>(area, 1, 5);
  let at = 12;
  let label = at++;
  for (let i = 0; i <= nameLength; i++) {
    const byte: i32 = i < nameLength ? (load<u8>(name + i) as i32) : 46;
    if (byte != 46) {
      store<u8>(area + at++, byte as u8);
      continue;
    }
    const size = at - label - 1;
    if (size > 63 || (size == 0 && i < nameLength)) return n.ENOENT;
    if (size == 0) break;
    store<u8>(area + label, size as u8);
    label = at++;
  }
  store<u8>(area + label, 0);
  store<u16>(area + at, type << 8);
  store<u16>(area + at + 2, 1 << 8);
  return at + 4;
}

function receiveAnswer(fd: i32, id: u16, type: i32, area: usize): i32 {
  const deadline = clock(1) + TIMEOUT;
  const entry = area + 1024;
  while (true) {
    const left = deadline - clock(1);
    store<i32>(entry, fd);
    store<i16>(entry, POLLIN, 4);
    if (left <= 0 || poll(entry, 1, left) == 0) return EIO;
    const size = syscall(n.RECVFROM, fd, real(area), 1024, 0, 0, 0) as i32;
    if (size < 12) {
      if (size < 0 && size != n.EINTR) return size;
      continue;
    }
    if (load<u16>(area) == id) return readAnswers(area, size, type);
  }
}

function word(area: usize, at: i32): i32 {
  return ((load<u8>(area + at) as i32) << 8) | load<u8>(area + at + 1);
}

/** Behind a name: labels, ended by a zero or by a reference of two bytes. */
function skipName(area: usize, size: i32, from: i32): i32 {
  let at = from;
  while (at < size) {
    const length: i32 = load<u8>(area + at);
    if (length == 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    at += length + 1;
  }
  return size;
}

function readAnswers(area: usize, size: i32, type: i32): i32 {
  // 3: no such name.
  const code = load<u8>(area, 3) & 15;
  if (code == 3) return n.ENOENT;
  if (code != 0) return EIO;
  let at = 12;
  for (let i = word(area, 4); i > 0; i--) at = skipName(area, size, at) + 4;
  for (let i = word(area, 6); i > 0; i--) {
    at = skipName(area, size, at);
    if (at + 10 > size) return 0;
    const length = word(area, at + 8);
    if (at + 10 + length > size) return 0;
    if (word(area, at) == type && length == (type == TYPE_A ? 4 : 16)) putAnswer(type == TYPE_A ? AF_INET : AF_INET6, area + at + 10);
    at += 10 + length;
  }
  return 0;
}
