// The host interface: everything that a compiled program asks of the system it runs on, at the level of POSIX calls.
// Pointers are addresses in linear memory; text arguments are (pointer, length) pairs, not zero-terminated.
// Every call returns a non-negative result or a negated Linux errno. 64-bit results only where named.
// In the Node flavour these are imports served by runtime/node; in the Linux flavour the build replaces this file
// by runtime/linux/host.ts, which has the same exports written over raw system calls.

// -- streams and files
@external("host", "read") export declare function read(fd: i32, buffer: usize, length: i32): i32;
@external("host", "write") export declare function write(fd: i32, buffer: usize, length: i32): i32;
/** `flags` and `mode` are Linux's numbers; O_CLOEXEC is always added. */
@external("host", "open") export declare function open(path: usize, pathLength: i32, flags: i32, mode: i32): i32;
/** openat(2): a name in an open directory. */
@external("host", "open_at") export declare function openAt(directory: i32, name: usize, nameLength: i32, flags: i32, mode: i32): i32;
/** unlinkat(2). */
@external("host", "unlink_at") export declare function unlinkAt(directory: i32, name: usize, nameLength: i32): i32;
@external("host", "close") export declare function close(fd: i32): i32;
@external("host", "seek") export declare function seek(fd: i32, offset: i64, whence: i32): i64;
/** Fills 64 bytes at `out`: i64 size, i64 mode (st_mode), i64 mtime in ns, i64 uid, i64 gid, i64 inode, i64 device, i64 links. `follow` 0: lstat. */
@external("host", "stat") export declare function stat(path: usize, pathLength: i32, follow: i32, out: usize): i32;
@external("host", "fstat") export declare function fstat(fd: i32, out: usize): i32;
@external("host", "rename") export declare function rename(from: usize, fromLength: i32, to: usize, toLength: i32): i32;
@external("host", "unlink") export declare function unlink(path: usize, pathLength: i32): i32;
@external("host", "mkdir") export declare function mkdir(path: usize, pathLength: i32, mode: i32): i32;
@external("host", "rmdir") export declare function rmdir(path: usize, pathLength: i32): i32;
@external("host", "chmod") export declare function chmod(path: usize, pathLength: i32, mode: i32): i32;
@external("host", "fchmod") export declare function fchmod(fd: i32, mode: i32): i32;
@external("host", "ftruncate") export declare function ftruncate(fd: i32, length: i64): i32;
@external("host", "fsync") export declare function fsync(fd: i32): i32;
@external("host", "symlink") export declare function symlink(target: usize, targetLength: i32, path: usize, pathLength: i32): i32;
@external("host", "readlink") export declare function readlink(path: usize, pathLength: i32, buffer: usize, capacity: i32): i32;
/**
 * The names in a directory, without `.` and `..`, each followed by a zero byte. Copies at most `capacity` bytes and returns the whole size; call again with
 * a larger buffer when it is larger.
 */
@external("host", "readdir") export declare function readdir(path: usize, pathLength: i32, buffer: usize, capacity: i32): i32;
@external("host", "isatty") export declare function isatty(fd: i32): i32;
/** columns << 16 | rows, or a negated errno. */
@external("host", "tty_size") export declare function ttySize(fd: i32): i32;
/** 1: raw mode on stdin, 0: back as it was. */
@external("host", "tty_raw") export declare function ttyRaw(on: i32): i32;

// -- clocks, randomness, environment
/** 0: CLOCK_REALTIME, 1: CLOCK_MONOTONIC; nanoseconds. */
@external("host", "clock") export declare function clock(which: i32): i64;
/** Sleeps at least `nanoseconds`, or until a termination signal arrives when the program watches for one; returns 0. */
@external("host", "sleep") export declare function sleep(nanoseconds: i64): i32;
@external("host", "random") export declare function random(buffer: usize, length: i32): i32;
/** Number of arguments, argv[0] included. */
@external("host", "args_count") export declare function argsCount(): i32;
/** Copies argument `index` (at most `capacity` bytes) and returns its whole length, or -EINVAL. */
@external("host", "arg") export declare function arg(index: i32, buffer: usize, capacity: i32): i32;
/** Copies the value of a variable (at most `capacity` bytes) and returns its whole length, or -ENOENT. */
@external("host", "env") export declare function env(name: usize, nameLength: i32, buffer: usize, capacity: i32): i32;
/** Entry `index` of the environment as `NAME=value`, or -EINVAL. */
@external("host", "env_at") export declare function envAt(index: i32, buffer: usize, capacity: i32): i32;
@external("host", "getpid") export declare function getpid(): i32;
@external("host", "getuid") export declare function getuid(): i32;
@external("host", "getcwd") export declare function getcwd(buffer: usize, capacity: i32): i32;
/** From now on no core dump of the process is written, and other processes of the user may not look into its memory. -ENOSYS where that cannot be had. */
@external("host", "hide_memory") export declare function hideMemory(): i32;
/** Peak resident memory in bytes. */
@external("host", "peak_rss") export declare function peakRss(): i64;

// -- processes
/**
 * Starts argv (arguments separated by zero bytes, `length` bytes, each ended by one) in a process group of its own. `stdin`, `stdout`, `stderr`: a descriptor to
 * install, -1 for /dev/null. Returns the pid; a program that cannot be executed ends with 127. `argv[0]` without a slash is looked up in PATH.
 */
@external("host", "spawn") export declare function spawn(argv: usize, length: i32, stdin: i32, stdout: i32, stderr: i32): i32;
/** waitpid: `flags` 1 is WNOHANG (0 when still running). Stores the exit code, or -signal, at `status`; returns the pid. */
@external("host", "wait") export declare function wait(pid: i32, flags: i32, status: usize): i32;
/** `pid` negative: the process group. */
@external("host", "kill") export declare function kill(pid: i32, signal: i32): i32;
/** Stores the two ends (read, write) at `out`; close-on-exec. */
@external("host", "pipe") export declare function pipe(out: usize): i32;
/** O_NONBLOCK on or off. */
@external("host", "set_nonblocking") export declare function setNonblocking(fd: i32, on: i32): i32;
/**
 * poll(2): `count` entries of 8 bytes at `entries` (i32 fd, i16 events, i16 revents). `timeout` in nanoseconds, negative for none. Returns the number of ready
 * entries.
 */
@external("host", "poll") export declare function poll(entries: usize, count: i32, timeout: i64): i32;

// -- sockets; addresses are text: "127.0.0.1:80", "[::1]:80", "/path" or "./path" for AF_UNIX
/** `family` 2 AF_INET, 10 AF_INET6, 1 AF_UNIX; `type` 1 stream, 2 datagram. */
@external("host", "socket") export declare function socket(family: i32, type: i32): i32;
@external("host", "bind") export declare function bind(fd: i32, address: usize, length: i32): i32;
@external("host", "listen") export declare function listen(fd: i32, backlog: i32): i32;
@external("host", "accept") export declare function accept(fd: i32, address: usize, capacity: i32): i32;
@external("host", "connect") export declare function connect(fd: i32, address: usize, length: i32): i32;
@external("host", "send_to") export declare function sendTo(fd: i32, buffer: usize, length: i32, address: usize, addressLength: i32): i32;
/** Returns bytes received; the sender's address text goes to `address` (zero-terminated within `capacity`). */
@external("host", "receive_from") export declare function receiveFrom(fd: i32, buffer: usize, length: i32, address: usize, capacity: i32): i32;
/** As a read from a socket; the kernel's time stamp (nanoseconds, 0 without one) goes to the i64 at `stamp`. */
@external("host", "receive_stamped") export declare function receiveStamped(fd: i32, buffer: usize, length: i32, stamp: usize): i32;
@external("host", "shutdown") export declare function shutdown(fd: i32, how: i32): i32;
/** `option`: 1 SO_REUSEADDR, 2 TCP_NODELAY, 3 SO_RCVTIMEO ms, 4 SO_SNDTIMEO ms, 5 SO_BROADCAST, 6 SO_KEEPALIVE, 7 SO_ERROR (read: value ignored, result is the error). */
@external("host", "socket_option") export declare function socketOption(fd: i32, option: i32, value: i32): i32;
/** setsockopt(2) by the system's own numbers: `length` bytes at `value`. */
@external("host", "socket_set") export declare function socketSet(fd: i32, level: i32, option: i32, value: usize, length: i32): i32;
/** getsockopt(2) by the system's own numbers: copies at most `capacity` bytes, returns how many. */
@external("host", "socket_get") export declare function socketGet(fd: i32, level: i32, option: i32, buffer: usize, capacity: i32): i32;
/** which 0: own address, 1: peer's. Copies the text, returns its length. */
@external("host", "socket_name") export declare function socketName(fd: i32, which: i32, buffer: usize, capacity: i32): i32;
/** Resolves a host name to numeric addresses, each ended by a zero byte; the whole size is returned. */
@external("host", "resolve") export declare function resolve(name: usize, nameLength: i32, buffer: usize, capacity: i32): i32;

// -- threads (each runs the module's export `hale_thread(argument)` on the same memory)
@external("host", "thread_start") export declare function threadStart(argument: usize): i32;
/** futex: waits while the i32 at `address` equals `expected`, at most `timeout` ns (negative: no limit). 0 woken, 1 not equal, 2 timed out. */
@external("host", "futex_wait") export declare function futexWait(address: usize, expected: i32, timeout: i64): i32;
@external("host", "futex_wake") export declare function futexWake(address: usize, count: i32): i32;

// -- signals and the end
/** From now on SIGINT and SIGTERM set the i32 at `flag` to the signal's number (and wake futexes and sleeps) instead of ending the process. The second one ends it as if nobody watched. */
@external("host", "watch_signals") export declare function watchSignals(flag: usize): i32;
/** Gives SIGINT and SIGTERM their default action again. */
@external("host", "unwatch_signals") export declare function unwatchSignals(): i32;
/**
 * Writes to stderr where the program is, in Hale terms: `  at file:line:col` for the innermost frame of user code, then `  called from file:line:col` for each frame
 * outwards (reference 12 12.2.4). Frames without a position are skipped.
 */
@external("host", "backtrace") export declare function backtrace(): void;
@external("host", "exit") export declare function exit(status: i32): void;

// -- what a host may do faster than the guest; no import: where nothing is faster it is this function
/** Takes `count` blocks of 64 bytes into the SHA-256 state of eight words, or answers false and does nothing. `constants`: the 64 of FIPS 180-4. */
export function sha256Blocks(state: usize, from: usize, count: i32, constants: usize): bool {
  return false;
}

/** Lets other threads have the core first, where the system has a call for that. */
export function yieldThread(): void {}

/** Whether `fenceAll` does what it says; asked before there is a second thread. */
export function canFenceAll(): bool {
  return false;
}

/** Every thread of the process passes a full fence before this returns. */
export function fenceAll(): void {}
