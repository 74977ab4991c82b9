// Socket addresses between text ("127.0.0.1:80", "[::1]:80", "/path", "./path") and the kernel's structures.
import * as n from "./numbers";

const AF_UNIX: u16 = 1;
const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;

/** Writes the structure for a text at `out` (128 bytes); returns its size or a negated errno. Names are not resolved here. */
export function readAddress(text: usize, length: i32, out: usize): i32 {
  if (length <= 0) return n.EINVAL;
  memory.fill(out, 0, 128);
  if (load<u8>(text) == 47 || (load<u8>(text) == 46 && length > 1 && load<u8>(text, 1) == 47)) return readPath(text, length, out);
  let colon = length - 1;
  while (colon >= 0 && load<u8>(text + colon) != 58) colon--;
  if (colon < 0) return n.EINVAL;
  const port = readPort(text + colon + 1, length - colon - 1);
  if (port < 0) return n.EINVAL;
  // Network byte order.
  store<u16>(out, ((port & 0xff) << 8) | (port >> 8), 2);
  if (load<u8>(text) == 91) {
    if (colon < 2 || load<u8>(text + colon - 1) != 93 || !readIp6(text + 1, colon - 2, out + 8)) return n.EINVAL;
    store<u16>(out, AF_INET6);
    return 28;
  }
  // No host: every address of the machine.
  if (colon > 0 && !readIp4(text, colon, out + 4)) return n.EINVAL;
  store<u16>(out, AF_INET);
  return 16;
}

function readPath(text: usize, length: i32, out: usize): i32 {
  if (length > 107) return n.ENAMETOOLONG;
  store<u16>(out, AF_UNIX);
  memory.copy(out + 2, text, length);
  return length + 3;
}

function readPort(text: usize, length: i32): i32 {
  if (length < 1 || length > 5) return -1;
  let port = 0;
  for (let i = 0; i < length; i++) {
    const digit = (load<u8>(text + i) as i32) - 48;
    if (digit < 0 || digit > 9) return -1;
    port = port * 10 + digit;
  }
  return port <= 65535 ? port : -1;
}

/** Four numbers with dots between them. */
export function readIp4(text: usize, length: i32, out: usize): bool {
  let part = 0;
  let value = -1;
  for (let i = 0; i <= length; i++) {
    const byte: i32 = i < length ? (load<u8>(text + i) as i32) : 46;
    if (byte == 46) {
      if (value < 0 || part > 3) return false;
      store<u8>(out + part, value as u8);
      part++;
      value = -1;
    } else {
      if (byte < 48 || byte > 57) return false;
      value = max(value, 0) * 10 + byte - 48;
      if (value > 255) return false;
    }
  }
  return part == 4;
}

function hexDigit(byte: i32): i32 {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** Up to eight groups, one run of zero groups left out, perhaps an IPv4 address as the last two. */
export function readIp6(text: usize, length: i32, out: usize): bool {
  let groups = 0;
  let gap = -1;
  let at = 0;
  if (length >= 2 && load<u8>(text) == 58) {
    if (load<u8>(text, 1) != 58) return false;
    gap = 0;
    at = 2;
  }
  while (at < length) {
    let value = 0;
    let digits = 0;
    const start = at;
    while (at < length && hexDigit(load<u8>(text + at)) >= 0 && digits < 5) {
      value = (value << 4) | hexDigit(load<u8>(text + at));
      digits++;
      at++;
    }
    if (at < length && load<u8>(text + at) == 46) {
      if (groups > 6 || !readIp4(text + start, length - start, out + 2 * groups)) return false;
      groups += 2;
      at = length;
      break;
    }
    if (digits == 0 || digits > 4 || groups > 7) return false;
    store<u8>(out + 2 * groups, (value >> 8) as u8);
    store<u8>(out + 2 * groups + 1, value as u8);
    groups++;
    if (at == length) break;
    if (load<u8>(text + at) != 58) return false;
    at++;
    if (at < length && load<u8>(text + at) == 58) {
      if (gap >= 0) return false;
      gap = groups;
      at++;
    } else if (at == length) return false;
  }
  if (gap < 0) return groups == 8;
  if (groups > 7) return false;
  const moved = 2 * (groups - gap);
  memory.copy(out + 16 - moved, out + 2 * gap, moved);
  memory.fill(out + 2 * gap, 0, 16 - moved - 2 * gap);
  return true;
}

// -- to text

/** Where text is written: characters beyond the capacity are only counted. */
let target: usize = 0;
let room: i32 = 0;
let written: i32 = 0;

function put(byte: i32): void {
  if (written < room) store<u8>(target + written, byte as u8);
  written++;
}

function putNumber(value: i32): void {
  if (value >= 10) putNumber(value / 10);
  put(48 + (value % 10));
}

function putHex(value: i32): void {
  if (value >= 16) putHex(value >> 4);
  const digit = value & 15;
  put(digit < 10 ? 48 + digit : 87 + digit);
}

function putIp4(bytes: usize): void {
  for (let i = 0; i < 4; i++) {
    if (i > 0) put(46);
    putNumber(load<u8>(bytes + i));
  }
}

function group(bytes: usize, index: i32): i32 {
  return ((load<u8>(bytes + 2 * index) as i32) << 8) | load<u8>(bytes + 2 * index + 1);
}

/** The longest run of two or more zero groups is left out (RFC 5952). */
function putIp6(bytes: usize): void {
  let start = -1;
  let longest = 1;
  for (let i = 0; i < 8; i++) {
    let run = 0;
    while (i + run < 8 && group(bytes, i + run) == 0) run++;
    if (run > longest) {
      longest = run;
      start = i;
    }
  }
  for (let i = 0; i < 8; i++) {
    if (i == start) {
      put(58);
      if (i == 0) put(58);
      i += longest - 1;
      continue;
    }
    putHex(group(bytes, i));
    if (i < 7) put(58);
  }
}

/** The host part of an address: used by the resolver too. */
export function putHost(family: u16, bytes: usize, buffer: usize, capacity: i32): i32 {
  target = buffer;
  room = capacity;
  written = 0;
  if (family == AF_INET6) putIp6(bytes);
  else putIp4(bytes);
  return written;
}

/** Writes the text of a structure of `length` bytes and returns the text's length. An unnamed address is empty. */
export function putAddress(kernel: usize, length: i32, buffer: usize, capacity: i32): i32 {
  target = buffer;
  room = capacity;
  written = 0;
  const family: u16 = length >= 2 ? load<u16>(kernel) : 0;
  if (family == AF_UNIX) {
    for (let i = 2; i < length && load<u8>(kernel + i) != 0; i++) put(load<u8>(kernel + i));
    return written;
  }
  if (family == AF_INET) putIp4(kernel + 4);
  else if (family == AF_INET6) {
    put(91);
    putIp6(kernel + 8);
    put(93);
  } else return 0;
  put(58);
  const port = load<u16>(kernel, 2);
  putNumber(((port & 0xff) << 8) | (port >> 8));
  return written;
}
