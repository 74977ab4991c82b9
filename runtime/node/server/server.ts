// The main thread's side of the host interface: what needs the event loop, or must block only the program.
import { lookup } from "node:dns";
import { fstatSync } from "node:fs";
import { isatty, ReadStream, WriteStream } from "node:tty";
import { errno, errnoOf } from "../errno.ts";
import {
  type Argument,
  type Control,
  FIRST_SERVED_DESCRIPTOR,
  type Mailbox,
  type Request,
  STDIN_SERVED,
} from "../protocol.ts";
import { type ChildStream, Children } from "./children.ts";
import { DatagramSocket } from "./datagram-socket.ts";
import { type Descriptor, POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT, WOULD_BLOCK } from "./descriptor.ts";
import { Pipe, PipeReader, PipeWriter } from "./pipe.ts";
import { type Answer, type Attempt, Requests, afterATurn } from "./requests.ts";
import { Signals } from "./signals.ts";
import { StandardInput } from "./standard-input.ts";
import { StreamSocket } from "./stream-socket.ts";

/** What the launcher does for the server. */
export interface Launcher {
  startThread(argument: number): void;
  /** The memory of the program, when the launcher can reach it. */
  readonly memory: WebAssembly.Memory | undefined;
}

type Handler = (mailbox: Mailbox, ...args: Argument[]) => void;

const NANOSECONDS_PER_MILLISECOND = 1e6;

export class Server {
  readonly #control: Control;
  readonly #launcher: Launcher;
  readonly #requests = new Requests();
  readonly #changed = () => this.#requests.retry();
  readonly #children = new Children(this.#changed);
  readonly #descriptors = new Map<number, Descriptor>();
  readonly #signals: Signals;
  #nextDescriptor = FIRST_SERVED_DESCRIPTOR;
  #terminal: ReadStream | undefined;

  constructor(control: Control, launcher: Launcher) {
    this.#control = control;
    this.#launcher = launcher;
    this.#signals = new Signals(control, launcher, () => this.#requests.interrupt());
  }

  /** The process ends. */
  close(): void {
    this.#terminal?.setRawMode(false);
  }

  /** Serves one request; the answer goes to the thread's mailbox, perhaps later. */
  serve(mailbox: Mailbox, [call, ...args]: Request): void {
    const handler = this.#handlers[call];
    if (handler === undefined) throw new Error(`unknown host call ${call}`);
    handler(mailbox, ...args);
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    thread_start: (mailbox, argument) => {
      this.#launcher.startThread(Number(argument));
      this.#requests.reply(mailbox, 0);
    },
    watch_signals: (mailbox, flag) => this.#requests.reply(mailbox, this.#signals.watch(Number(flag))),
    unwatch_signals: (mailbox) => this.#requests.reply(mailbox, this.#signals.unwatch()),

    pipe: (mailbox) => this.#requests.reply(mailbox, this.#pipe()),
    read: (mailbox, fd, length) => this.#read(mailbox, Number(fd), Number(length)),
    write: (mailbox, fd, bytes) => this.#write(mailbox, Number(fd), bytesOf(bytes)),
    close: (mailbox, fd) => this.#requests.reply(mailbox, this.#close(Number(fd))),
    set_nonblocking: (mailbox, fd, on) => {
      const descriptor = this.#descriptors.get(Number(fd));
      if (descriptor !== undefined) descriptor.nonblocking = Number(on) !== 0;
      this.#requests.reply(mailbox, descriptor === undefined ? errno("EBADF") : 0);
    },
    poll: (mailbox, entries, timeout) => this.#poll(mailbox, bytesOf(entries), Number(timeout)),

    spawn: (mailbox, argv, ...streams) => this.#spawn(mailbox, textOf(argv), streams.map(Number)),
    wait: (mailbox, pid, flags) => this.#wait(mailbox, Number(pid), Number(flags)),
    kill: (mailbox, pid, signal) => this.#requests.reply(mailbox, this.#children.kill(Number(pid), Number(signal))),

    socket: (mailbox, family, type) => this.#requests.reply(mailbox, this.#socket(Number(family), Number(type))),
    bind: (mailbox, fd, address) =>
      this.#settle(mailbox, this.#socketOf(fd)?.bind(textOf(address)) ?? this.#noSocket(fd)),
    connect: (mailbox, fd, address) => this.#connect(mailbox, Number(fd), textOf(address)),
    listen: (mailbox, fd, backlog) => {
      const socket = this.#streamOf(fd);
      if (socket === undefined) this.#requests.reply(mailbox, this.#noSocket(fd));
      else socket.listen(Number(backlog), (result) => this.#requests.reply(mailbox, result));
    },
    accept: (mailbox, fd) => this.#accept(mailbox, Number(fd)),
    send_to: (mailbox, fd, bytes, address) => this.#sendTo(mailbox, Number(fd), bytesOf(bytes), textOf(address)),
    receive_from: (mailbox, fd, length) => this.#receiveFrom(mailbox, Number(fd), Number(length)),
    shutdown: (mailbox, fd, how) =>
      this.#requests.reply(mailbox, this.#streamOf(fd)?.shutdown(Number(how)) ?? this.#noSocket(fd)),
    socket_option: (mailbox, fd, option, value) =>
      this.#requests.reply(mailbox, this.#setOption(Number(fd), Number(option), Number(value))),
    socket_set: (mailbox, fd, level, option, value) => {
      const socket = this.#socketOf(fd);
      const result = socket?.options.set(Number(level), Number(option), bytesOf(value)) ?? this.#noSocket(fd);
      this.#requests.reply(mailbox, result);
    },
    socket_get: (mailbox, fd, level, option) => {
      const value = this.#socketOf(fd)?.options.get(Number(level), Number(option)) ?? this.#noSocket(fd);
      this.#requests.reply(mailbox, typeof value === "number" ? value : { result: value.length, data: value });
    },
    socket_name: (mailbox, fd, which) =>
      this.#requests.reply(mailbox, textAnswer(this.#socketOf(fd)?.name(Number(which)) ?? this.#noSocket(fd))),
    resolve: (mailbox, name) => {
      const host = textOf(name);
      // Node has words of its own for this, on standard error.
      if (host === "") this.#requests.reply(mailbox, errno("ENOENT"));
      else
        lookup(host, { all: true, verbatim: true }, (error, addresses) => {
          if (error !== null) this.#requests.reply(mailbox, errnoOf(error));
          else this.#requests.reply(mailbox, textAnswer(addresses.map(({ address }) => `${address}\0`).join("")));
        });
    },

    tty_raw: (mailbox, on) => this.#requests.reply(mailbox, this.#rawMode(Number(on) !== 0)),
    tty_size: (mailbox, fd) => this.#requests.reply(mailbox, terminalSize(Number(fd))),
  };

  // -- descriptors

  #add(descriptor: Descriptor): number {
    const fd = this.#nextDescriptor++;
    this.#descriptors.set(fd, descriptor);
    return fd;
  }

  /** What a descriptor is; standard input is taken over by the first request for it. */
  #descriptor(fd: number): Descriptor | undefined {
    const known = this.#descriptors.get(fd);
    if (known !== undefined || fd !== 0) return known;
    const input = new StandardInput(this.#changed);
    this.#descriptors.set(0, input);
    Atomics.store(this.#control.words, STDIN_SERVED, 1);
    return input;
  }

  #pipe(): Answer {
    const pipe = new Pipe(this.#changed);
    const ends = Int32Array.of(this.#add(new PipeReader(pipe)), this.#add(new PipeWriter(pipe)));
    return { result: 0, data: new Uint8Array(ends.buffer) };
  }

  #close(fd: number): number {
    const descriptor = this.#descriptors.get(fd);
    if (descriptor === undefined) return errno("EBADF");
    this.#descriptors.delete(fd);
    descriptor.close();
    return 0;
  }

  #read(mailbox: Mailbox, fd: number, length: number): void {
    const descriptor = this.#descriptor(fd);
    if (descriptor === undefined) {
      this.#requests.reply(mailbox, errno("EBADF"));
      return;
    }
    const attempt: Attempt = () => {
      const bytes = descriptor.read(length);
      return typeof bytes === "object" ? { result: bytes.length, data: bytes } : bytes;
    };
    const answer = () => this.#requests.when(mailbox, attempt, readLimitOf(descriptor), errno("EAGAIN"));
    // A receive takes all that has come: some of it may lie in the kernel still.
    if (descriptor instanceof StreamSocket && descriptor.holdsLessThan(length)) afterATurn(answer);
    else answer();
  }

  #write(mailbox: Mailbox, fd: number, bytes: Uint8Array): void {
    const descriptor = this.#descriptors.get(fd);
    if (descriptor === undefined) this.#requests.reply(mailbox, errno("EBADF"));
    else this.#settle(mailbox, descriptor.write(bytes, !descriptor.nonblocking), descriptor.writeTimeout);
  }

  /** Answers with a result that is there, or that a pending call will have. */
  #settle(
    mailbox: Mailbox,
    result: number | typeof WOULD_BLOCK | (() => number | typeof WOULD_BLOCK),
    timeout = 0,
  ): void {
    if (result === WOULD_BLOCK) this.#requests.reply(mailbox, errno("EAGAIN"));
    else if (typeof result === "number") this.#requests.reply(mailbox, result);
    else this.#requests.when(mailbox, result, limitOf(timeout), errno("EAGAIN"));
  }

  /** `timeout` in nanoseconds, negative for none. */
  #poll(mailbox: Mailbox, entries: Uint8Array, timeout: number): void {
    const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
    const attempt: Attempt = () => {
      let ready = 0;
      for (let at = 0; at < entries.length; at += 8) {
        const events = this.#readiness(view.getInt32(at, true), view.getInt16(at + 4, true));
        view.setInt16(at + 6, events, true);
        if (events !== 0) ready++;
      }
      return ready > 0 ? { result: ready, data: entries } : WOULD_BLOCK;
    };
    const expired: Answer = { result: 0, data: entries };
    const limit = timeout < 0 ? -1 : Math.ceil(timeout / NANOSECONDS_PER_MILLISECOND);
    this.#requests.when(mailbox, attempt, limit, expired, true);
  }

  #readiness(fd: number, wanted: number): number {
    if (fd < 0) return 0;
    // The operating system's files are always ready; standard input is one only if it is a file.
    if (fd < FIRST_SERVED_DESCRIPTOR && (fd !== 0 || isStdinFile())) return wanted & (POLLIN | POLLOUT);
    const descriptor = this.#descriptor(fd);
    if (descriptor === undefined) return POLLNVAL;
    let events = 0;
    if (descriptor.readable()) events |= POLLIN & wanted;
    if (descriptor.writable()) events |= POLLOUT & wanted;
    if (descriptor.failed()) events |= POLLERR;
    if (descriptor.hungUp()) events |= POLLHUP;
    return events;
  }

  // -- processes

  #spawn(mailbox: Mailbox, argv: string, fds: readonly number[]): void {
    const streams: ChildStream[] = [];
    for (const [index, fd] of fds.entries()) {
      const stream = this.#childStream(fd, index === 0);
      if (stream === undefined) {
        this.#requests.reply(mailbox, errno("EBADF"));
        return;
      }
      streams.push(stream);
    }
    this.#children.spawn(argv.split("\0").slice(0, -1), streams, (result) => this.#requests.reply(mailbox, result));
  }

  #childStream(fd: number, reads: boolean): ChildStream | undefined {
    if (fd < 0) return "null";
    if (fd < FIRST_SERVED_DESCRIPTOR) return fd;
    const descriptor = this.#descriptors.get(fd);
    if (reads) return descriptor instanceof PipeReader ? descriptor.pipe : undefined;
    return descriptor instanceof PipeWriter ? descriptor.pipe : undefined;
  }

  #wait(mailbox: Mailbox, pid: number, flags: number): void {
    const attempt: Attempt = () => {
      const ended = this.#children.wait(pid);
      return typeof ended === "object"
        ? { result: ended.pid, data: new Uint8Array(Int32Array.of(ended.status).buffer) }
        : ended;
    };
    this.#requests.when(mailbox, attempt, (flags & 1) === 0 ? -1 : 0);
  }

  // -- sockets

  #socket(family: number, type: number): number {
    if (type === 1) return this.#add(new StreamSocket(family, this.#changed));
    if (family === 1) return errno("EPROTONOSUPPORT");
    return this.#add(new DatagramSocket(family, this.#changed));
  }

  #socketOf(fd: Argument | undefined): StreamSocket | DatagramSocket | undefined {
    const descriptor = this.#descriptors.get(Number(fd));
    return descriptor instanceof StreamSocket || descriptor instanceof DatagramSocket ? descriptor : undefined;
  }

  /** Why there is no socket: the descriptor is something else, or nothing. */
  #noSocket(fd: Argument | undefined): number {
    const number = Number(fd);
    return this.#descriptors.has(number) || isOpen(number) ? errno("ENOTSOCK") : errno("EBADF");
  }

  #streamOf(fd: Argument | undefined): StreamSocket | undefined {
    const socket = this.#socketOf(fd);
    return socket instanceof StreamSocket ? socket : undefined;
  }

  #connect(mailbox: Mailbox, fd: number, address: string): void {
    const socket = this.#socketOf(fd);
    const result = socket?.connect(address) ?? this.#noSocket(fd);
    if (typeof result === "function" && socket?.nonblocking) this.#requests.reply(mailbox, errno("EINPROGRESS"));
    else this.#settle(mailbox, result, socket?.writeTimeout);
  }

  #accept(mailbox: Mailbox, fd: number): void {
    const listener = this.#streamOf(fd);
    if (listener === undefined) {
      this.#requests.reply(mailbox, this.#noSocket(fd));
      return;
    }
    const attempt: Attempt = () => {
      const socket = listener.accept();
      if (!(socket instanceof StreamSocket)) return socket;
      const peer = socket.name(1);
      return { result: this.#add(socket), data: Buffer.from(`${typeof peer === "string" ? peer : ""}\0`) };
    };
    this.#requests.when(mailbox, attempt, readLimitOf(listener), errno("EAGAIN"), !listener.nonblocking);
  }

  #sendTo(mailbox: Mailbox, fd: number, bytes: Uint8Array, address: string): void {
    const socket = this.#socketOf(fd);
    if (socket instanceof DatagramSocket) this.#settle(mailbox, socket.sendTo(bytes, address), socket.writeTimeout);
    else if (socket !== undefined) this.#write(mailbox, fd, bytes);
    else this.#requests.reply(mailbox, this.#noSocket(fd));
  }

  #receiveFrom(mailbox: Mailbox, fd: number, length: number): void {
    const socket = this.#socketOf(fd);
    if (socket === undefined) {
      this.#requests.reply(mailbox, this.#noSocket(fd));
      return;
    }
    if (!(socket instanceof DatagramSocket)) {
      this.#read(mailbox, fd, length);
      return;
    }
    const attempt: Attempt = () => {
      const datagram = socket.receive();
      if (typeof datagram !== "object") return datagram;
      const bytes = datagram.bytes.subarray(0, length);
      // The sender's address follows the bytes.
      return { result: bytes.length, data: Buffer.concat([bytes, Buffer.from(`${datagram.from}\0`)]) };
    };
    this.#requests.when(mailbox, attempt, readLimitOf(socket), errno("EAGAIN"), !socket.nonblocking);
  }

  #setOption(fd: number, option: number, value: number): number {
    const socket = this.#socketOf(fd);
    if (socket === undefined) return this.#noSocket(fd);
    if (option === 3) socket.readTimeout = value;
    else if (option === 4) socket.writeTimeout = value;
    else return socket.setOption(option, value);
    return 0;
  }

  // -- the terminal

  #rawMode(on: boolean): number {
    if (!isatty(0)) return errno("ENOTTY");
    this.#terminal ??= new ReadStream(0);
    this.#terminal.setRawMode(on);
    return 0;
  }
}

function terminalSize(fd: number): number {
  if (!isatty(fd)) return errno("ENOTTY");
  const [columns, rows] = new WriteStream(fd).getWindowSize();
  return (columns << 16) | rows;
}

/** Whether the operating system has something open under a descriptor. */
function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}

/** A file or a device like /dev/null, but no terminal. */
function isStdinFile(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFile() || (stat.isCharacterDevice() && !isatty(0));
  } catch {
    return false;
  }
}

function limitOf(timeout: number): number {
  return timeout > 0 ? timeout : -1;
}

/** How long a read or an accept waits. */
function readLimitOf({ nonblocking, readTimeout }: Descriptor): number {
  return nonblocking ? 0 : limitOf(readTimeout);
}

function textAnswer(text: string | number): Answer | number {
  if (typeof text === "number") return text;
  const data = Buffer.from(text);
  return { result: data.length, data };
}

function bytesOf(argument: Argument | undefined): Uint8Array {
  return argument instanceof Uint8Array ? argument : new Uint8Array(0);
}

function textOf(argument: Argument | undefined): string {
  return Buffer.from(bytesOf(argument)).toString();
}
