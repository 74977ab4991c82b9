// Primitives of std::io::fs and std::io::file: paths.
import * as host from "../host";
import { alloc, free } from "../memory";
import { BYTES, discard, findByte, lengthOf, newBytes, textFrom } from "./cell";
import { EISDIR, fileSize, filesChanged, readAll, setStatus } from "./descriptor";

const EEXIST: i32 = -17;
const O_WRONLY: i32 = 1;
const O_RDWR: i32 = 2;
const O_CREAT: i32 = 0o100;
const O_EXCL: i32 = 0o200;
const KIND: i64 = 0o170000;
const DIRECTORY: i64 = 0o040000;
/** Attempts to find a free temporary name. */
const ATTEMPTS: i32 = 100;
/** No Bytes can be longer. */
const LARGEST: i64 = 0x7fffff00;

export function __fs_open(path: usize, flags: i64, mode: i64): i64 {
  const fd = host.open(path + BYTES, lengthOf(path), flags as i32, mode as i32);
  if (fd >= 0 && (flags & (O_WRONLY | O_RDWR)) != 0) filesChanged();
  return fd;
}

/** What an open directory holds under a name. */
export function __fs_open_at(directory: i64, name: usize, flags: i64, mode: i64): i64 {
  const fd = host.openAt(directory as i32, name + BYTES, lengthOf(name), flags as i32, mode as i32);
  if (fd >= 0 && (flags & (O_WRONLY | O_RDWR)) != 0) filesChanged();
  return fd;
}

export function __fs_unlink_at(directory: i64, name: usize): i64 {
  return host.unlinkAt(directory as i32, name + BYTES, lengthOf(name));
}

export function __fd_chmod(fd: i64, mode: i64): i64 {
  return host.fchmod(fd as i32, mode as i32);
}

/** All of an open file, at most `limit` bytes. The status tells a failure. */
export function __fd_read_all(fd: i64, limit: i64): usize {
  return readAll(fd as i32, fileSize(fd as i32), min<i64>(limit, LARGEST));
}

/** As many bytes as the file system says the file has. */
export function __fd_read_size(fd: i64): usize {
  const size = fileSize(fd as i32);
  if (size < 0) {
    setStatus(size as i32);
    return 0;
  }
  if (size > 0) return readAll(fd as i32, size, LARGEST);
  setStatus(isDirectory(fd as i32) ? EISDIR : 0);
  return 0;
}

function isDirectory(fd: i32): bool {
  const stat = alloc(64);
  const result = host.fstat(fd, stat);
  const mode = load<i64>(stat, 8);
  free(stat);
  return result >= 0 && (mode & KIND) == DIRECTORY;
}

/**
 * One number about what a path names: 0 size, 1 mode, 2 time of the last change in ns, 3 owner, 4 group, 5 inode, 6 device, 7 links; or a negated errno.
 */
export function __fs_stat(path: usize, follow: bool, field: i64): i64 {
  const stat = alloc(64);
  const result = host.stat(path + BYTES, lengthOf(path), follow as i32, stat);
  const value = load<i64>(stat + ((field as usize) << 3));
  free(stat);
  return result < 0 ? result : value;
}

/** The same about what is open. */
export function __fd_stat(fd: i64, field: i64): i64 {
  const stat = alloc(64);
  const result = host.fstat(fd as i32, stat);
  const value = load<i64>(stat + ((field as usize) << 3));
  free(stat);
  return result < 0 ? result : value;
}

export function __fs_mkdir(path: usize, mode: i64): i64 {
  return host.mkdir(path + BYTES, lengthOf(path), mode as i32);
}

export function __fs_rename(from: usize, to: usize): i64 {
  return host.rename(from + BYTES, lengthOf(from), to + BYTES, lengthOf(to));
}

export function __fs_unlink(path: usize): i64 {
  return host.unlink(path + BYTES, lengthOf(path));
}

/** Makes an empty file with a new name, mode 0600, and returns the name; empty on failure. */
export function __fs_mktemp(prefix: usize, suffix: usize): usize {
  const head = lengthOf(prefix);
  const name = newBytes(head + 6 + lengthOf(suffix));
  memory.copy(name + BYTES, prefix + BYTES, head);
  memory.copy(name + BYTES + head + 6, suffix + BYTES, lengthOf(suffix));
  let fd = EEXIST;
  for (let i = 0; i < ATTEMPTS && fd == EEXIST; i++) {
    writeRandomLetters(name + BYTES + head);
    fd = host.open(name + BYTES, lengthOf(name), O_RDWR | O_CREAT | O_EXCL, 0o600);
  }
  setStatus(fd);
  if (fd >= 0) {
    // Whatever the umask.
    host.fchmod(fd, 0o600);
    host.close(fd);
    return name;
  }
  discard(name);
  return 0;
}

/** Six letters or digits. */
function writeRandomLetters(target: usize): void {
  const random = alloc(8);
  host.random(random, 8);
  let number = load<u64>(random);
  free(random);
  for (let i: usize = 0; i < 6; i++) {
    const digit = (number % 62) as u8;
    number /= 62;
    store<u8>(target + i, digit < 10 ? 48 + digit : digit < 36 ? 55 + digit : 61 + digit);
  }
}

/** The names in a directory, each ended by a zero byte; 0 with a status on failure. */
function listing(path: usize): usize {
  let room: i32 = 4096;
  let names = newBytes(room);
  let size = host.readdir(path + BYTES, lengthOf(path), names + BYTES, room);
  while (size > room) {
    discard(names);
    room = size + (size >> 2);
    names = newBytes(room);
    size = host.readdir(path + BYTES, lengthOf(path), names + BYTES, room);
  }
  setStatus(size);
  if (size < 0) {
    discard(names);
    return 0;
  }
  store<i32>(names, size);
  return names;
}

/** Number of entries, or a negated errno. */
export function __fs_count(path: usize): i64 {
  const names = listing(path);
  if (names == 0) return -1;
  let count: i64 = 0;
  const length = lengthOf(names) as usize;
  for (let i: usize = 0; i < length; i++) if (load<u8>(names + BYTES + i) == 0) count++;
  discard(names);
  return count;
}

/** Name of entry `index`, or empty. */
export function __fs_entry(path: usize, index: i64): usize {
  if (index < 0) return 0;
  const names = listing(path);
  if (names == 0) return 0;
  let at = names + BYTES;
  const end = at + lengthOf(names);
  let name: usize = 0;
  while (at < end) {
    const size = findByte(at, (end - at) as i32, 0);
    if (size < 0) break;
    if (index-- == 0) {
      name = textFrom(at, size);
      break;
    }
    at += size + 1;
  }
  discard(names);
  return name;
}
