// Primitives of std::process.
import * as host from "../host";
import { endProcess } from "../end";
import { FIELDS, OWNER } from "../locus";
import { alloc, free } from "../memory";
import { writeAll } from "../output";
import { BYTES, discard, joined, lengthOf, newBytes, textFrom } from "./cell";
import { EBADF, EINVAL, EINTR, POLLIN, filesChanged, readOnce, setStatus, waitReadable } from "./descriptor";

const E2BIG: i32 = -7;
const ESRCH: i32 = -3;
const ECHILD: i32 = -10;
const NO_HANG: i32 = 1;
const TERM: i32 = 15;
const KILL: i32 = 9;
const MILLISECOND: i64 = 1000000;
const LONGEST_COMMAND: i32 = 65536;
/** Captured bytes per stream; what comes after is read and dropped. */
const CAPTURE_LIMIT: i32 = 16 << 20;
/** One read of a child's pipe. */
const PIPE_READ: i32 = 65535;

export function __process_exit(code: i64): void {
  endProcess((code & 0xff) as i32);
}

export function __process_pid(): i64 {
  return host.getpid();
}

export function __process_uid(): i64 {
  return host.getuid();
}

export function __process_rss(): i64 {
  return host.peakRss();
}

// -- starting

/** The lines of a command, each ended by a zero byte: what `host.spawn` takes. 0 with a status when the command is empty or too long. */
function argumentsOf(command: usize): usize {
  let length = lengthOf(command);
  setStatus(length == 0 ? EINVAL : length > LONGEST_COMMAND ? E2BIG : 0);
  if (length == 0 || length > LONGEST_COMMAND) return 0;
  if (load<u8>(command + BYTES + length - 1) == 0x0a) length--;
  const list = newBytes(length + 1);
  memory.copy(list + BYTES, command + BYTES, length);
  store<u8>(list + BYTES + length, 0x0a);
  for (let i: usize = 0; i <= (length as usize); i++) if (load<u8>(list + BYTES + i) == 0x0a) store<u8>(list + BYTES + i, 0);
  return list;
}

// The last started child: pid and the parent's ends of its pipes.
let childPid: i32 = -1;
let childStdin: i32 = -1;
let childStdout: i32 = -1;
let childStderr: i32 = -1;

/** Starts a command with three pipes; its pid, or a negated errno. `__process_started` tells the descriptors. */
export function __process_spawn(command: usize): i64 {
  return start(command, true);
}

/** Of the last started child: 0 standard input, 1 standard output, 2 standard error. */
export function __process_started(stream: i64): i64 {
  return stream == 0 ? childStdin : stream == 1 ? childStdout : childStderr;
}

function start(command: usize, withInput: bool): i32 {
  const length = lengthOf(command);
  const list = argumentsOf(command);
  if (list == 0) return length == 0 ? EINVAL : E2BIG;
  filesChanged();
  childPid = childStdin = childStdout = childStderr = -1;
  let theirStdin: i32 = -1;
  let failure: i32 = 0;
  if (withInput) {
    failure = makePipe();
    theirStdin = pipeRead;
    childStdin = pipeWrite;
  }
  if (failure == 0) failure = makePipe();
  const theirStdout = pipeWrite;
  childStdout = pipeRead;
  if (failure == 0) failure = makePipe();
  const theirStderr = pipeWrite;
  childStderr = pipeRead;
  const pid = failure < 0 ? failure : host.spawn(list + BYTES, lengthOf(list), theirStdin, theirStdout, theirStderr);
  discard(list);
  closeOpen(theirStdin);
  closeOpen(theirStdout);
  closeOpen(theirStderr);
  if (pid < 0) {
    closeOpen(childStdin);
    closeOpen(childStdout);
    closeOpen(childStderr);
  }
  childPid = pid;
  return pid;
}

let pipeRead: i32 = -1;
let pipeWrite: i32 = -1;

function makePipe(): i32 {
  const ends = alloc(8);
  const result = host.pipe(ends);
  pipeRead = result < 0 ? -1 : load<i32>(ends);
  pipeWrite = result < 0 ? -1 : load<i32>(ends, 4);
  free(ends);
  return result;
}

function closeOpen(fd: i32): void {
  if (fd >= 0) host.close(fd);
}

// -- waiting

// The last child that was waited for.
let endedCode: i64 = 0;
let endedSignal: i64 = 0;

/** Waits for a child: 1 when it has ended (`__process_ended` tells how), 0 when it still runs and `block` is false, or a negated errno. */
export function __process_wait(pid: i64, block: bool): i64 {
  if (pid > i32.MAX_VALUE || pid <= i32.MIN_VALUE) return ECHILD;
  filesChanged();
  return reap(pid as i32, block);
}

/** Of the last child waited for: 0 its exit code, -1 when a signal ended it; 1 that signal, else 0. */
export function __process_ended(what: i64): i64 {
  return what == 0 ? endedCode : endedSignal;
}

function reap(pid: i32, block: bool): i32 {
  const status = alloc(4);
  const flags = block ? 0 : NO_HANG;
  let result = host.wait(pid, flags, status);
  while (result == EINTR) result = host.wait(pid, flags, status);
  const ended = load<i32>(status);
  free(status);
  if (result <= 0) return result;
  endedCode = ended >= 0 ? ended : -1;
  endedSignal = ended >= 0 ? 0 : -ended;
  return 1;
}

export function __process_signal(pid: i64, signal: i64): i64 {
  if (signal < 0 || signal > 64) return EINVAL;
  if (pid > i32.MAX_VALUE || pid <= i32.MIN_VALUE) return ESRCH;
  filesChanged();
  return host.kill(pid as i32, signal as i32);
}

/** Ends a child: TERM to its group, up to 100 ms, KILL; reaps it. A child that is gone is fine. */
export function __process_kill(pid: i64): i64 {
  if (pid <= 0 || pid > i32.MAX_VALUE) return 0;
  filesChanged();
  const child = pid as i32;
  const sent = signalGroup(child, TERM);
  if (sent < 0 && sent != ESRCH) return sent;
  const deadline = host.clock(1) + 100 * MILLISECOND;
  let pause = MILLISECOND / 4;
  let ended = reap(child, false);
  while (ended == 0 && host.clock(1) < deadline) {
    host.sleep(pause);
    pause = min(pause * 2, 5 * MILLISECOND);
    ended = reap(child, false);
  }
  if (ended != 0) return 0;
  signalGroup(child, KILL);
  reap(child, true);
  return 0;
}

/** To the child's process group, and to the child itself when it leads none. */
function signalGroup(child: i32, signal: i32): i32 {
  const sent = host.kill(-child, signal);
  return sent < 0 ? host.kill(child, signal) : sent;
}

/** Whether a locus instance is what a field of its owner holds: such a child ends with its owner (reference 10 5.4). */
export function __process_in_field(instance: usize): bool {
  const owner = load<usize>(instance, OWNER);
  if (owner == 0) return false;
  const fields = load<usize>(load<usize>(owner), FIELDS);
  if (fields == 0) return false;
  const count = load<u32>(fields) as usize;
  for (let i: usize = 0; i < count; i++) if (load<usize>(owner + load<u32>(fields + 4 + (i << 3))) == instance) return true;
  return false;
}

// -- pipes

/** Writes all of it; the number of bytes, or a negated errno. */
export function __process_pipe_write(fd: i64, text: usize): i64 {
  if (fd < 0 || fd > i32.MAX_VALUE) return EBADF;
  filesChanged();
  const result = writeAll(fd as i32, text + BYTES, lengthOf(text));
  return result < 0 ? result : lengthOf(text);
}

/** What a pipe holds, at most 65535 bytes, without waiting. The status tells a failure. */
export function __process_pipe_read(fd: i64): usize {
  setStatus(0);
  if (fd < 0 || fd > i32.MAX_VALUE) {
    setStatus(EBADF);
    return 0;
  }
  filesChanged();
  const ready = waitReadable(fd as i32, 0);
  if (ready == 0) return 0;
  const bytes = newBytes(PIPE_READ);
  const got = readOnce(fd as i32, bytes + BYTES, PIPE_READ);
  setStatus(got);
  const text = got > 0 ? textFrom(bytes + BYTES, got) : 0;
  discard(bytes);
  return text;
}

// -- run

let outputText: usize = 0;
let errorText: usize = 0;

/**
 * Runs a command to its end with empty input: 0, or a negated errno. `__process_ended` tells how it ended; `__process_output` takes what it wrote.
 */
export function __process_run(command: usize): i64 {
  const pid = start(command, false);
  if (pid < 0) return pid;
  const stdoutFd = childStdout;
  const stderrFd = childStderr;
  capture(pid, stdoutFd, stderrFd);
  host.close(stdoutFd);
  host.close(stderrFd);
  filesChanged();
  return 0;
}

/** Takes the output (0) or the error output (1) of the last `__process_run`. */
export function __process_output(stream: i64): usize {
  const captured = stream == 0 ? outputText : errorText;
  if (stream == 0) outputText = 0;
  else errorText = 0;
  const text = textFrom(captured + BYTES, lengthOf(captured));
  discard(captured);
  return text;
}

/**
 * Reads both pipes until they end and reaps the child. Somebody else may hold the pipes open behind the child's end (a background process it left):
 * then what is there is taken, and no more is waited for.
 */
function capture(pid: i32, stdoutFd: i32, stderrFd: i32): void {
  const entries = alloc(16);
  store<i32>(entries, stdoutFd);
  store<i32>(entries, stderrFd, 8);
  const block = newBytes(PIPE_READ);
  outputText = 0;
  errorText = 0;
  let ended: i32 = 0;
  let pause = MILLISECOND;
  while (load<i32>(entries) >= 0 || load<i32>(entries, 8) >= 0) {
    store<i16>(entries, POLLIN, 4);
    store<i16>(entries, POLLIN, 12);
    const ready = host.poll(entries, 2, ended != 0 ? 0 : pause);
    if (ready == EINTR) continue;
    if (ready <= 0) {
      if (ended != 0) break;
      ended = reap(pid, false);
      pause = min(pause * 2, 50 * MILLISECOND);
      continue;
    }
    if (load<i16>(entries, 6) != 0) outputText = captureOnce(entries, block, outputText);
    if (load<i16>(entries, 14) != 0) errorText = captureOnce(entries + 8, block, errorText);
  }
  free(entries);
  discard(block);
  if (ended == 0) reap(pid, true);
}

/** Reads once from the descriptor of a poll entry, which is taken out of the set (-1) at its end. Returns the captured bytes, moved when they grow. */
function captureOnce(entry: usize, block: usize, captured: usize): usize {
  const got = readOnce(load<i32>(entry), block + BYTES, PIPE_READ);
  if (got <= 0) {
    store<i32>(entry, -1);
    return captured;
  }
  const length = lengthOf(captured);
  const taken = min(got, CAPTURE_LIMIT - length);
  if (taken == 0) return captured;
  return joined(captured, block + BYTES, taken);
}
