// Clocks, sleep, randomness, arguments, environment, the process itself.
import { giveScratch, takeScratch } from "./scratch";
import { call2, call3, initialStack, interruptibleSyscall, loadByte, loadLong, loadWord, real, syscall } from "./system";
import * as n from "./numbers";

const NANOSECONDS: i64 = 1000000000;

export function clock(which: i32): i64 {
  const piece = takeScratch();
  call2(n.CLOCK_GETTIME, which, real(piece));
  const time = load<i64>(piece) * NANOSECONDS + load<i64>(piece, 8);
  giveScratch(piece);
  return time;
}

export function putTimespec(to: usize, nanoseconds: i64): void {
  store<i64>(to, nanoseconds / NANOSECONDS, 0);
  store<i64>(to, nanoseconds % NANOSECONDS, 8);
}

export function sleep(nanoseconds: i64): i32 {
  const piece = takeScratch();
  putTimespec(piece, nanoseconds < 0 ? 0 : nanoseconds);
  interruptibleSyscall(n.NANOSLEEP, real(piece), 0, 0, 0, 0, 0);
  giveScratch(piece);
  return 0;
}

export function random(buffer: usize, length: i32): i32 {
  let done = 0;
  while (done < length) {
    const count = call3(n.GETRANDOM, real(buffer + done), length - done, 0);
    if (count >= 0) done += count;
    else if (count != n.EINTR) return count;
  }
  return length;
}

// -- arguments and environment

/** Copies zero-terminated text of the process and returns its length. */
function copyText(text: i64, buffer: usize, capacity: i32): i32 {
  let length = 0;
  for (let byte = loadByte(text); byte != 0; byte = loadByte(text + length)) {
    if (length < capacity) store<u8>(buffer + length, byte as u8);
    length++;
  }
  return length;
}

export function argsCount(): i32 {
  return loadWord(initialStack());
}

export function arg(index: i32, buffer: usize, capacity: i32): i32 {
  if (index < 0 || index >= argsCount()) return n.EINVAL;
  return copyText(loadLong(initialStack() + 8 + 8 * (index as i64)), buffer, capacity);
}

/** The address of the environment's list of addresses. */
export function environment(): i64 {
  return initialStack() + 8 * (argsCount() as i64) + 16;
}

export function env(name: usize, nameLength: i32, buffer: usize, capacity: i32): i32 {
  for (let entry = environment(); loadLong(entry) != 0; entry += 8) {
    const text = loadLong(entry);
    let i = 0;
    while (i < nameLength && loadByte(text + i) == (load<u8>(name + i) as i32)) i++;
    if (i == nameLength && loadByte(text + i) == 61) return copyText(text + i + 1, buffer, capacity);
  }
  return n.ENOENT;
}

export function envAt(index: i32, buffer: usize, capacity: i32): i32 {
  if (index < 0) return n.EINVAL;
  let entry = environment();
  for (let i = 0; i < index; i++) {
    if (loadLong(entry) == 0) return n.EINVAL;
    entry += 8;
  }
  const text = loadLong(entry);
  return text != 0 ? copyText(text, buffer, capacity) : n.EINVAL;
}

export function getpid(): i32 {
  return call2(n.GETPID, 0, 0);
}

export function getuid(): i32 {
  return call2(n.GETUID, 0, 0);
}

export function getcwd(buffer: usize, capacity: i32): i32 {
  const piece = takeScratch();
  // The kernel counts the zero at the end.
  let result = call2(n.GETCWD, real(piece), 4096);
  if (result > 0) {
    result -= 1;
    memory.copy(buffer, piece, min(result, capacity));
  }
  giveScratch(piece);
  return result;
}

export function peakRss(): i64 {
  const piece = takeScratch();
  call2(n.GETRUSAGE, 0, real(piece));
  const kilobytes = load<i64>(piece, 32);
  giveScratch(piece);
  return kilobytes * 1024;
}

/** No core dump, and no look into this memory by other processes of the user. */
export function hideMemory(): i32 {
  const PR_SET_DUMPABLE: i64 = 4;
  return call2(n.PRCTL, PR_SET_DUMPABLE, 0);
}

export function exit(status: i32): void {
  syscall(n.EXIT_GROUP, status, 0, 0, 0, 0, 0);
}
