// Child processes, pipes, poll, signals.
import { environment, putTimespec } from "./clocks";
import { giveScratch, takeScratch } from "./scratch";
import { reserve } from "../guest/store";
import { lock, unlock } from "../guest/lock";
import { call1, call2, call3, call4, installSignalHandlers, loadByte, loadLong, real, spawnChild, syscall } from "./system";
import * as n from "./numbers";

const EXECUTABLE_NOT_FOUND: i32 = 127;
const F_DUPFD: i64 = 0;
const F_SETFD: i64 = 2;
const F_GETFL: i64 = 3;
const F_SETFL: i64 = 4;
const SIG_SETMASK: i64 = 2;
const E2BIG: i32 = -7;

// A request to start a program, in linear memory:
//   0 i64 argv (list of addresses), 8 i64 program or 0, 16 i32 stdin, 20 i32 stdout, 24 i32 stderr, 32 i64 signal mask of the parent, 40 the path being tried
const REQUEST_PATH: usize = 40;
const PATH_MAX: usize = 4096;
/** Arguments and the list of their addresses; longer command lines are refused. */
const ARGUMENTS_MAX: i32 = 1 << 17;
const spawnLock: usize = memory.data(4, 4);
const requestMemory: usize = memory.data(4, 4);

export function spawn(argv: usize, length: i32, stdin: i32, stdout: i32, stderr: i32): i32 {
  let count = 0;
  for (let i = 0; i < length; i++) if (load<u8>(argv + i) == 0) count++;
  if (count == 0) return n.EINVAL;
  if (8 * (count + 1) > ARGUMENTS_MAX) return E2BIG;
  lock(spawnLock);
  let request = load<usize>(requestMemory);
  if (request == 0) {
    request = reserve(REQUEST_PATH + PATH_MAX + ARGUMENTS_MAX);
    store<usize>(requestMemory, request);
  }
  const list = request + REQUEST_PATH + PATH_MAX;
  let next = list;
  let at = argv;
  for (let i = 0; i < count; i++) {
    store<i64>(next, real(at));
    next += 8;
    while (load<u8>(at) != 0) at++;
    at++;
  }
  store<i64>(next, 0);
  store<i64>(request, real(list), 0);
  store<i64>(request, real(argv), 8);
  store<i32>(request, stdin, 16);
  store<i32>(request, stdout, 20);
  store<i32>(request, stderr, 24);
  // No handler may run in the child, which shares this memory.
  const piece = takeScratch();
  store<i64>(piece, -1);
  call4(n.RT_SIGPROCMASK, SIG_SETMASK, real(piece), real(request + 32), 8);
  const pid = spawnChild(request as i32);
  call4(n.RT_SIGPROCMASK, SIG_SETMASK, real(request + 32), 0, 8);
  giveScratch(piece);
  unlock(spawnLock);
  return pid;
}

/** In the child: becomes the program, or ends with 127. Memory is the parent's, who waits; only the request is written to. */
export function hale_child(request: usize): void {
  call2(n.SETPGID, 0, 0);
  resetSignal(n.SIGINT, request + REQUEST_PATH);
  resetSignal(n.SIGTERM, request + REQUEST_PATH);
  resetSignal(n.SIGPIPE, request + REQUEST_PATH);
  resetSignal(n.SIGXFSZ, request + REQUEST_PATH);
  // All three are moved out of the way first: one may stand where another is to go.
  const input = moveUp(load<i32>(request, 16), request);
  const output = moveUp(load<i32>(request, 20), request);
  const errors = moveUp(load<i32>(request, 24), request);
  install(input, 0);
  install(output, 1);
  install(errors, 2);
  call4(n.RT_SIGPROCMASK, SIG_SETMASK, real(request + 32), 0, 8);
  execute(request);
  syscall(n.EXIT_GROUP, EXECUTABLE_NOT_FOUND, 0, 0, 0, 0, 0);
}

function resetSignal(signal: i32, area: usize): void {
  memory.fill(area, 0, 32);
  call4(n.RT_SIGACTION, signal, real(area), 0, 8);
}

/** A copy of the descriptor above the standard ones; -1 stands for /dev/null. */
function moveUp(fd: i32, request: usize): i32 {
  if (fd >= 0) return call3(n.FCNTL, fd, F_DUPFD, 10);
  const path = request + REQUEST_PATH;
  // "/dev/null"
  store<u64>(path, 0x6c756e2f7665642f);
  store<u16>(path, 0x6c, 8);
  const opened = call3(n.OPEN, real(path), n.O_RDWR, 0);
  const moved = call3(n.FCNTL, opened, F_DUPFD, 10);
  call1(n.CLOSE, opened);
  return moved;
}

function install(fd: i32, target: i32): void {
  if (fd < 0) {
    call1(n.CLOSE, target);
    return;
  }
  call2(n.DUP2, fd, target);
  call1(n.CLOSE, fd);
}

/** Tries the name as it is when it has a slash, else in every directory of PATH. */
function execute(request: usize): void {
  const program = load<i64>(request, 8);
  for (let i: i64 = 0; loadByte(program + i) != 0; i++) {
    if (loadByte(program + i) != 47) continue;
    call3(n.EXECVE, program, load<i64>(request), environment());
    return;
  }
  const search = searchPath();
  if (search == 0) {
    // "/usr/bin", then "/bin".
    store<u64>(request + REQUEST_PATH, 0x6e69622f7273752f);
    tryBelow(request, 8, program);
    store<u32>(request + REQUEST_PATH, 0x6e69622f);
    tryBelow(request, 4, program);
    return;
  }
  let start = search;
  for (let at = search; ; at++) {
    const byte = loadByte(at);
    if (byte != 58 && byte != 0) continue;
    tryDirectory(request, start, (at - start) as i32, program);
    if (byte == 0) return;
    start = at + 1;
  }
}

/** The value of PATH, or 0. */
function searchPath(): i64 {
  for (let entry = environment(); loadLong(entry) != 0; entry += 8) {
    const text = loadLong(entry);
    if (loadByte(text) == 80 && loadByte(text + 1) == 65 && loadByte(text + 2) == 84 && loadByte(text + 3) == 72 && loadByte(text + 4) == 61) return text + 5;
  }
  return 0;
}

function tryDirectory(request: usize, directory: i64, length: i32, program: i64): void {
  const path = request + REQUEST_PATH;
  let at: usize = 0;
  for (let i = 0; i < length && at < PATH_MAX - 2; i++) store<u8>(path + at++, loadByte(directory + i) as u8);
  tryBelow(request, at, program);
}

/** The directory is in the request's path already, `length` bytes; no directory is the current one. */
function tryBelow(request: usize, length: usize, program: i64): void {
  const path = request + REQUEST_PATH;
  let at = length;
  if (length > 0) store<u8>(path + at++, 47);
  for (let i: i64 = 0; loadByte(program + i) != 0; i++) {
    if (at >= PATH_MAX - 1) return;
    store<u8>(path + at++, loadByte(program + i) as u8);
  }
  store<u8>(path + at, 0);
  call3(n.EXECVE, real(path), load<i64>(request), environment());
}

export function wait(pid: i32, flags: i32, status: usize): i32 {
  const piece = takeScratch();
  let result: i32;
  do {
    result = call4(n.WAIT4, pid, real(piece), flags & 1, 0);
  } while (result == n.EINTR);
  if (result > 0) {
    const state = load<i32>(piece);
    const signal = state & 0x7f;
    store<i32>(status, signal != 0 ? -signal : (state >> 8) & 0xff);
  }
  giveScratch(piece);
  return result;
}

export function kill(pid: i32, signal: i32): i32 {
  return call2(n.KILL, pid, signal);
}

export function pipe(out: usize): i32 {
  return call2(n.PIPE2, real(out), n.O_CLOEXEC);
}

export function setNonblocking(fd: i32, on: i32): i32 {
  const flags = call3(n.FCNTL, fd, F_GETFL, 0);
  if (flags < 0) return flags;
  return call3(n.FCNTL, fd, F_SETFL, on != 0 ? flags | n.O_NONBLOCK : flags & ~n.O_NONBLOCK);
}

export function poll(entries: usize, count: i32, timeout: i64): i32 {
  const piece = takeScratch();
  if (timeout >= 0) putTimespec(piece, timeout);
  const result = syscall(n.PPOLL, real(entries), count, timeout >= 0 ? real(piece) : 0, 0, 8, 0) as i32;
  giveScratch(piece);
  return result;
}

// -- signals

export function watchSignals(flag: usize): i32 {
  return installSignalHandlers(real(flag));
}

export function unwatchSignals(): i32 {
  const piece = takeScratch();
  resetSignal(n.SIGINT, piece);
  resetSignal(n.SIGTERM, piece);
  giveScratch(piece);
  return 0;
}
