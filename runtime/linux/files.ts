// Streams, files, directories, terminals.
import { copyPath, giveScratch, SCRATCH_SIZE, secondPath, takeScratch } from "./scratch";
import { call1, call2, call3, call4, real, syscall } from "./system";
import * as n from "./numbers";

export function read(fd: i32, buffer: usize, length: i32): i32 {
  let result = call3(n.READ, fd, real(buffer), length);
  while (result == n.EINTR) result = call3(n.READ, fd, real(buffer), length);
  return result;
}

export function write(fd: i32, buffer: usize, length: i32): i32 {
  return call3(n.WRITE, fd, real(buffer), length);
}

export function open(path: usize, pathLength: i32, flags: i32, mode: i32): i32 {
  const piece = takeScratch();
  let result = copyPath(piece, path, pathLength);
  if (result == 0) {
    // A signal may come while a FIFO waits for its other end.
    do result = call3(n.OPEN, real(piece), flags | n.O_CLOEXEC, mode);
    while (result == n.EINTR);
  }
  giveScratch(piece);
  return result;
}

export function openAt(directory: i32, name: usize, nameLength: i32, flags: i32, mode: i32): i32 {
  const piece = takeScratch();
  let result = copyPath(piece, name, nameLength);
  if (result == 0) result = call4(n.OPENAT, directory, real(piece), flags | n.O_CLOEXEC, mode);
  giveScratch(piece);
  return result;
}

export function unlinkAt(directory: i32, name: usize, nameLength: i32): i32 {
  const piece = takeScratch();
  let result = copyPath(piece, name, nameLength);
  if (result == 0) result = call3(n.UNLINKAT, directory, real(piece), 0);
  giveScratch(piece);
  return result;
}

export function close(fd: i32): i32 {
  return call1(n.CLOSE, fd);
}

export function seek(fd: i32, offset: i64, whence: i32): i64 {
  return syscall(n.LSEEK, fd, offset, whence, 0, 0, 0);
}

/** From the kernel's `struct stat` to the interface's eight numbers. */
function putStat(kernel: usize, out: usize): void {
  store<i64>(out, load<i64>(kernel, 48), 0);
  store<i64>(out, load<u32>(kernel, 24), 8);
  store<i64>(out, load<i64>(kernel, 88) * 1000000000 + load<i64>(kernel, 96), 16);
  store<i64>(out, load<u32>(kernel, 28), 24);
  store<i64>(out, load<u32>(kernel, 32), 32);
  store<i64>(out, load<i64>(kernel, 8), 40);
  store<i64>(out, load<i64>(kernel, 0), 48);
  store<i64>(out, load<i64>(kernel, 16), 56);
}

export function stat(path: usize, pathLength: i32, follow: i32, out: usize): i32 {
  const piece = takeScratch();
  let result = copyPath(piece, path, pathLength);
  const kernel = secondPath(piece);
  if (result == 0) result = call2(follow != 0 ? n.STAT : n.LSTAT, real(piece), real(kernel));
  if (result == 0) putStat(kernel, out);
  giveScratch(piece);
  return result;
}

export function fstat(fd: i32, out: usize): i32 {
  const piece = takeScratch();
  const result = call2(n.FSTAT, fd, real(piece));
  if (result == 0) putStat(piece, out);
  giveScratch(piece);
  return result;
}

function withPath(number: i64, path: usize, pathLength: i32, argument: i64): i32 {
  const piece = takeScratch();
  let result = copyPath(piece, path, pathLength);
  if (result == 0) result = call2(number, real(piece), argument);
  giveScratch(piece);
  return result;
}

function withTwoPaths(number: i64, from: usize, fromLength: i32, to: usize, toLength: i32): i32 {
  const piece = takeScratch();
  let result = copyPath(piece, from, fromLength);
  if (result == 0) result = copyPath(secondPath(piece), to, toLength);
  if (result == 0) result = call2(number, real(piece), real(secondPath(piece)));
  giveScratch(piece);
  return result;
}

export function rename(from: usize, fromLength: i32, to: usize, toLength: i32): i32 {
  return withTwoPaths(n.RENAME, from, fromLength, to, toLength);
}

export function unlink(path: usize, pathLength: i32): i32 {
  return withPath(n.UNLINK, path, pathLength, 0);
}

export function mkdir(path: usize, pathLength: i32, mode: i32): i32 {
  return withPath(n.MKDIR, path, pathLength, mode);
}

export function rmdir(path: usize, pathLength: i32): i32 {
  return withPath(n.RMDIR, path, pathLength, 0);
}

export function chmod(path: usize, pathLength: i32, mode: i32): i32 {
  return withPath(n.CHMOD, path, pathLength, mode);
}

export function fchmod(fd: i32, mode: i32): i32 {
  return call2(n.FCHMOD, fd, mode);
}

export function ftruncate(fd: i32, length: i64): i32 {
  return call2(n.FTRUNCATE, fd, length);
}

export function fsync(fd: i32): i32 {
  return call1(n.FSYNC, fd);
}

export function symlink(target: usize, targetLength: i32, path: usize, pathLength: i32): i32 {
  return withTwoPaths(n.SYMLINK, target, targetLength, path, pathLength);
}

export function readlink(path: usize, pathLength: i32, buffer: usize, capacity: i32): i32 {
  const piece = takeScratch();
  let result = copyPath(piece, path, pathLength);
  if (result == 0) result = call3(n.READLINK, real(piece), real(buffer), capacity);
  giveScratch(piece);
  return result;
}

export function readdir(path: usize, pathLength: i32, buffer: usize, capacity: i32): i32 {
  const fd = open(path, pathLength, n.O_RDONLY | n.O_DIRECTORY, 0);
  if (fd < 0) return fd;
  const piece = takeScratch();
  let total = 0;
  let bytes = 0;
  do {
    bytes = call3(n.GETDENTS64, fd, real(piece), SCRATCH_SIZE);
    for (let at = 0; at < bytes; at += load<u16>(piece + at, 16)) total = putName(piece + at + 19, buffer, capacity, total);
  } while (bytes > 0);
  giveScratch(piece);
  call1(n.CLOSE, fd);
  return bytes < 0 ? bytes : total;
}

/** Appends a zero-terminated name, as far as there is room, and returns the size so far. */
function putName(name: usize, buffer: usize, capacity: i32, total: i32): i32 {
  const dot = load<u8>(name) == 46;
  if (dot && (load<u8>(name, 1) == 0 || (load<u8>(name, 1) == 46 && load<u8>(name, 2) == 0))) return total;
  let at = name;
  let byte: u8;
  do {
    byte = load<u8>(at++);
    if (total < capacity) store<u8>(buffer + total, byte);
    total++;
  } while (byte != 0);
  return total;
}

// -- terminals

const TCGETS: i64 = 0x5401;
const TCSETSF: i64 = 0x5404;
const TIOCGWINSZ: i64 = 0x5413;
/** `struct termios` of the kernel: 4 words of flags, line discipline, 19 control characters. */
const TERMIOS_SIZE: usize = 36;
const cooked: usize = memory.data(36, 8);
const isRaw: usize = memory.data(4, 4);

export function isatty(fd: i32): i32 {
  const piece = takeScratch();
  const result = call3(n.IOCTL, fd, TCGETS, real(piece));
  giveScratch(piece);
  return result == 0 ? 1 : 0;
}

export function ttySize(fd: i32): i32 {
  const piece = takeScratch();
  let result = call3(n.IOCTL, fd, TIOCGWINSZ, real(piece));
  if (result == 0) result = (load<u16>(piece, 2) << 16) | load<u16>(piece, 0);
  giveScratch(piece);
  return result;
}

export function ttyRaw(on: i32): i32 {
  if (on == 0) {
    if (load<i32>(isRaw) == 0) return 0;
    store<i32>(isRaw, 0);
    return call3(n.IOCTL, 0, TCSETSF, real(cooked));
  }
  if (load<i32>(isRaw) != 0) return 0;
  const result = call3(n.IOCTL, 0, TCGETS, real(cooked));
  if (result != 0) return result;
  const piece = takeScratch();
  memory.copy(piece, cooked, TERMIOS_SIZE);
  // As cfmakeraw(3): no translation, no echo, no lines, no signals, 8 bits, one byte at a time.
  store<u32>(piece, load<u32>(piece, 0) & ~0x5eb, 0);
  store<u32>(piece, load<u32>(piece, 4) & ~1, 4);
  store<u32>(piece, (load<u32>(piece, 8) & ~0x130) | 0x30, 8);
  store<u32>(piece, load<u32>(piece, 12) & ~0x804b, 12);
  store<u8>(piece + 17 + 6, 1);
  store<u8>(piece + 17 + 5, 0);
  const changed = call3(n.IOCTL, 0, TCSETSF, real(piece));
  giveScratch(piece);
  if (changed == 0) store<i32>(isRaw, 1);
  return changed;
}
