// Files, directories and the standard streams: Node's synchronous calls, in the program's own thread.
import fs from "node:fs";
import { errno, errnoOf } from "../errno.ts";
import {
  APPENDED_FILE,
  type Control,
  DATA_CAPACITY,
  FILE,
  FIRST_SERVED_DESCRIPTOR,
  STDIN_SERVED,
  STREAM,
} from "../protocol.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { MainThread } from "./main-thread.ts";

/** Linux's numbers of the flags of open(2), and Node's on this platform. */
const OPEN_FLAGS: readonly (readonly [linux: number, own: number])[] = [
  [0o100, fs.constants.O_CREAT],
  [0o200, fs.constants.O_EXCL],
  [0o1000, fs.constants.O_TRUNC],
  [0o2000, fs.constants.O_APPEND],
  [0o4000, fs.constants.O_NONBLOCK],
  [0o200000, fs.constants.O_DIRECTORY],
  [0o400000, fs.constants.O_NOFOLLOW],
];
const ACCESS_MODE = 3;

/** Milliseconds until a full stream is tried again. */
const RETRY_INTERVAL = 2;
/** Nobody notifies it: for waiting. */
const never = new Int32Array(new SharedArrayBuffer(4));

/** Where the threads are many, a thread that is stuck in a read could not be ended with the process. */
export interface FileOptions {
  readonly manyThreads: boolean;
}

export function fileCalls(memory: GuestMemory, main: MainThread, control: Control, options: FileOptions) {
  const isServed = (fd: number) =>
    fd >= FIRST_SERVED_DESCRIPTOR ||
    (fd === 0 && (options.manyThreads || Atomics.load(control.words, STDIN_SERVED) === 1));
  const path = (address: number, length: number) => memory.copy(address, length);

  return {
    read: (fd: number, address: number, length: number) => {
      if (!isServed(fd)) {
        const result = guarded(() => fs.readSync(fd, memory.bytes, address >>> 0, length, positionOf(control, fd)));
        advance(control, fd, result);
        // Where somebody made standard input non-blocking, the main thread waits for it.
        if (result !== errno("EAGAIN") || fd !== 0) return result;
      }
      const count = main.ask("read", fd, Math.min(length, DATA_CAPACITY));
      if (count > 0) memory.put(address, count, main.data);
      return count;
    },

    write: (fd: number, address: number, length: number) => {
      if (fd >= FIRST_SERVED_DESCRIPTOR) return main.ask("write", fd, memory.copy(address, length));
      for (;;) {
        const result = guarded(() => fs.writeSync(fd, memory.bytes, address >>> 0, length, positionOf(control, fd)));
        advance(control, fd, result);
        if (result !== errno("EAGAIN")) return result;
        // Somebody made the stream non-blocking, and its reader is slow.
        Atomics.wait(never, 0, 0, RETRY_INTERVAL);
      }
    },

    open: (address: number, length: number, flags: number, mode: number) =>
      guarded(() => {
        const fd = fs.openSync(path(address, length), openFlags(flags), mode);
        const file = fd < control.kinds.length && fs.fstatSync(fd).isFile();
        control.kinds[fd] = !file ? STREAM : (flags & 0o2000) !== 0 ? APPENDED_FILE : FILE;
        if (file) control.positions[fd] = 0n;
        return fd;
      }),

    open_at: (directory: number, address: number, length: number, flags: number, mode: number) =>
      guarded(() => fs.openSync(within(directory, path(address, length)), openFlags(flags), mode)),
    unlink_at: (directory: number, address: number, length: number) =>
      done(() => fs.unlinkSync(within(directory, path(address, length)))),

    close: (fd: number) => {
      if (isServed(fd)) return main.ask("close", fd);
      if (fd < control.kinds.length) control.kinds[fd] = STREAM;
      return done(() => fs.closeSync(fd));
    },

    seek: (fd: number, offset: bigint, whence: number) => BigInt(seek(control, fd, offset, whence)),

    stat: (address: number, length: number, follow: number, out: number) =>
      guarded(() => {
        const name = path(address, length);
        putStat(memory, out, follow !== 0 ? fs.statSync(name, { bigint: true }) : fs.lstatSync(name, { bigint: true }));
        return 0;
      }),
    fstat: (fd: number, out: number) =>
      guarded(() => {
        putStat(memory, out, fs.fstatSync(fd, { bigint: true }));
        return 0;
      }),
    rename: (from: number, fromLength: number, to: number, toLength: number) =>
      done(() => fs.renameSync(path(from, fromLength), path(to, toLength))),
    unlink: (address: number, length: number) => done(() => fs.unlinkSync(path(address, length))),
    mkdir: (address: number, length: number, mode: number) => done(() => fs.mkdirSync(path(address, length), { mode })),
    rmdir: (address: number, length: number) => done(() => fs.rmdirSync(path(address, length))),
    chmod: (address: number, length: number, mode: number) => done(() => fs.chmodSync(path(address, length), mode)),
    fchmod: (fd: number, mode: number) => done(() => fs.fchmodSync(fd, mode)),
    ftruncate: (fd: number, length: bigint) => done(() => fs.ftruncateSync(fd, Number(length))),
    fsync: (fd: number) => done(() => fs.fsyncSync(fd)),
    symlink: (target: number, targetLength: number, address: number, length: number) =>
      done(() => fs.symlinkSync(path(target, targetLength), path(address, length))),
    readlink: (address: number, length: number, buffer: number, capacity: number) =>
      guarded(() => memory.put(buffer, capacity, fs.readlinkSync(path(address, length), { encoding: "buffer" }))),
    readdir: (address: number, length: number, buffer: number, capacity: number) =>
      guarded(() => {
        const names = fs.readdirSync(path(address, length), { encoding: "buffer" });
        const zero = Buffer.alloc(1);
        return memory.put(buffer, capacity, Buffer.concat(names.flatMap((name) => [name, zero])));
      }),
    // Loaded when needed: it brings the network with it.
    isatty: (fd: number) => (process.getBuiltinModule("node:tty").isatty(fd) ? 1 : 0),
  };
}

/** What `call` returns, or the negated errno of what it throws. */
export function guarded(call: () => number): number {
  try {
    return call();
  } catch (error) {
    return errnoOf(error);
  }
}

/** 0, or the negated errno of what `call` throws. */
function done(call: () => unknown): number {
  return guarded(() => {
    call();
    return 0;
  });
}

/** A name in an open directory: Node has no openat(2), but the kernel shows what is open below /proc. */
function within(directory: number, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory}/`), name]);
}

function openFlags(flags: number): number {
  return OPEN_FLAGS.reduce((own, [linux, here]) => ((flags & linux) === linux ? own | here : own), flags & ACCESS_MODE);
}

function positionOf(control: Control, fd: number): number | null {
  return control.kinds[fd] === FILE ? Number(control.positions[fd] ?? 0n) : null;
}

function advance(control: Control, fd: number, count: number): void {
  if (count > 0 && control.kinds[fd] === FILE) control.positions[fd] = (control.positions[fd] ?? 0n) + BigInt(count);
}

function seek(control: Control, fd: number, offset: bigint, whence: number): bigint | number {
  const kind = control.kinds[fd];
  if (kind !== FILE && kind !== APPENDED_FILE) return done(() => fs.fstatSync(fd)) || errno("ESPIPE");
  let base = 0n;
  if (whence === 1) base = control.positions[fd] ?? 0n;
  if (whence === 2) base = fs.fstatSync(fd, { bigint: true }).size;
  if (base + offset < 0n) return errno("EINVAL");
  control.positions[fd] = base + offset;
  return base + offset;
}

function putStat(memory: GuestMemory, out: number, stat: fs.BigIntStats): void {
  const fields = [stat.size, stat.mode, stat.mtimeNs, stat.uid, stat.gid, stat.ino, stat.dev, stat.nlink];
  const view = memory.view(out, 64);
  for (const [index, field] of fields.entries()) view.setBigInt64(index * 8, BigInt.asIntN(64, field), true);
}
