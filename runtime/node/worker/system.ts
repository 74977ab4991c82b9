// Clocks, randomness, arguments, environment, the process itself.
import { errno } from "../errno.ts";
import { type Control, SIGNAL_COUNT } from "../protocol.ts";
import { guarded } from "./files.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { MainThread } from "./main-thread.ts";

const NANOSECONDS_PER_MILLISECOND = 1_000_000;

export function systemCalls(memory: GuestMemory, main: MainThread, control: Control, args: readonly string[]) {
  return {
    clock: (which: number) => (which === 1 ? process.hrtime.bigint() : wallClock()),
    sleep: (nanoseconds: bigint) => sleep(control, nanoseconds),
    random: (buffer: number, length: number) => {
      // Loaded when needed: it takes a few milliseconds.
      const { randomBytes } = process.getBuiltinModule("node:crypto");
      memory.put(buffer, length, randomBytes(length));
      return length;
    },
    args_count: () => args.length,
    arg: (index: number, buffer: number, capacity: number) => {
      const text = args[index];
      return text === undefined ? errno("EINVAL") : memory.put(buffer, capacity, Buffer.from(text));
    },
    env: (name: number, nameLength: number, buffer: number, capacity: number) => {
      const value = process.env[memory.text(name, nameLength)];
      return value === undefined ? errno("ENOENT") : memory.put(buffer, capacity, Buffer.from(value));
    },
    env_at: (index: number, buffer: number, capacity: number) => {
      const name = Object.keys(process.env)[index];
      if (name === undefined) return errno("EINVAL");
      return memory.put(buffer, capacity, Buffer.from(`${name}=${process.env[name] ?? ""}`));
    },
    getpid: () => process.pid,
    getuid: () => process.getuid?.() ?? 0,
    getcwd: (buffer: number, capacity: number) =>
      guarded(() => memory.put(buffer, capacity, Buffer.from(process.cwd()))),
    // Node has no prctl(2).
    hide_memory: () => errno("ENOSYS"),
    peak_rss: () => BigInt(process.resourceUsage().maxRSS) * 1024n,
    exit: (status: number) => main.exit(status),
  };
}

/** Sleeps to the end, or until a signal comes that the program watches for. */
function sleep(control: Control, nanoseconds: bigint): number {
  const signals = Atomics.load(control.words, SIGNAL_COUNT);
  const end = process.hrtime.bigint() + nanoseconds;
  for (let left = nanoseconds; left > 0n; left = end - process.hrtime.bigint()) {
    const outcome = Atomics.wait(control.words, SIGNAL_COUNT, signals, Number(left) / NANOSECONDS_PER_MILLISECOND);
    if (outcome !== "timed-out") break;
  }
  return 0;
}

/** Nanoseconds since 1970. The two parts are added as integers: their sum has more digits than a number holds. */
function wallClock(): bigint {
  const origin = performance.timeOrigin;
  const whole = Math.trunc(origin);
  const rest = origin - whole + performance.now();
  return BigInt(whole) * 1_000_000n + BigInt(Math.round(rest * NANOSECONDS_PER_MILLISECOND));
}
