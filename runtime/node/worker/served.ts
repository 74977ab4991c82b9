// The calls that the main thread answers: children, pipes, sockets, signals, threads, the terminal.
import { DATA_CAPACITY } from "../protocol.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { MainThread } from "./main-thread.ts";

export function servedCalls(memory: GuestMemory, main: MainThread) {
  /** Copies the answer's data to an address, as much as fits; the result stays that of the call. */
  const into = (address: number, capacity: number, result: number) => {
    if (result >= 0) memory.put(address, capacity, main.data);
    return result;
  };
  /** Stores a text answer, a zero byte at its end, cut to fit. */
  const textInto = (address: number, capacity: number, result: number) => {
    if (result < 0 || capacity <= 0) return result;
    const text = main.data.subarray(0, capacity);
    if (text.length > 0) text[text.length - 1] = 0;
    memory.put(address, capacity, text);
    return result;
  };

  return {
    pipe: (out: number) => into(out, 8, main.ask("pipe")),
    set_nonblocking: (fd: number, on: number) => main.ask("set_nonblocking", fd, on),
    poll: (entries: number, count: number, timeout: bigint) =>
      into(entries, count * 8, main.ask("poll", memory.copy(entries, count * 8), timeout)),

    spawn: (argv: number, length: number, stdin: number, stdout: number, stderr: number) =>
      main.ask("spawn", memory.copy(argv, length), stdin, stdout, stderr),
    wait: (pid: number, flags: number, status: number) => into(status, 4, main.ask("wait", pid, flags)),
    kill: (pid: number, signal: number) => main.ask("kill", pid, signal),

    socket: (family: number, type: number) => main.ask("socket", family, type),
    bind: (fd: number, address: number, length: number) => main.ask("bind", fd, memory.copy(address, length)),
    listen: (fd: number, backlog: number) => main.ask("listen", fd, backlog),
    accept: (fd: number, address: number, capacity: number) => textInto(address, capacity, main.ask("accept", fd)),
    connect: (fd: number, address: number, length: number) => main.ask("connect", fd, memory.copy(address, length)),
    send_to: (fd: number, buffer: number, length: number, address: number, addressLength: number) =>
      main.ask("send_to", fd, memory.copy(buffer, length), memory.copy(address, addressLength)),
    receive_from: (fd: number, buffer: number, length: number, address: number, capacity: number) => {
      const count = main.ask("receive_from", fd, Math.min(length, DATA_CAPACITY - 64));
      if (count < 0) return count;
      memory.put(buffer, count, main.data);
      memory.put(address, capacity, main.data.subarray(count));
      return count;
    },
    // Node asks the kernel for no time stamps.
    receive_stamped: (fd: number, buffer: number, length: number, stamp: number) => {
      memory.view(stamp, 8).setBigInt64(0, 0n, true);
      return into(buffer, length, main.ask("read", fd, Math.min(length, DATA_CAPACITY)));
    },
    shutdown: (fd: number, how: number) => main.ask("shutdown", fd, how),
    socket_option: (fd: number, option: number, value: number) => main.ask("socket_option", fd, option, value),
    socket_set: (fd: number, level: number, option: number, value: number, length: number) =>
      main.ask("socket_set", fd, level, option, memory.copy(value, length)),
    socket_get: (fd: number, level: number, option: number, buffer: number, capacity: number) =>
      into(buffer, capacity, main.ask("socket_get", fd, level, option)),
    socket_name: (fd: number, which: number, buffer: number, capacity: number) =>
      into(buffer, capacity, main.ask("socket_name", fd, which)),
    resolve: (name: number, nameLength: number, buffer: number, capacity: number) =>
      into(buffer, capacity, main.ask("resolve", memory.copy(name, nameLength))),

    tty_raw: (on: number) => main.ask("tty_raw", on),
    tty_size: (fd: number) => main.ask("tty_size", fd),
    thread_start: (argument: number) => main.ask("thread_start", argument),
    watch_signals: (flag: number) => main.ask("watch_signals", flag),
    unwatch_signals: () => main.ask("unwatch_signals"),
  };
}
