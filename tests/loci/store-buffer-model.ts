// The same threads on processors that keep their stores to themselves for a while (x86-TSO: Sewell and others, "x86-TSO: a rigorous and usable programmer's model", 2010), and an
// explorer of all that can happen: every order of steps, and every moment at which a store reaches the memory. Where docs/threads.md leaves a fence out, this is the proof.

type Memory = Readonly<Record<string, number>>;
type Store = readonly [name: string, value: number];

/** What one step of a thread may do. Whatever is not `store` is atomic, and has the thread's own stores reach the memory before. */
export interface Processor {
  /** Its own youngest store of that name that is still under way, else what the memory has. */
  load(name: string): number;
  /** Under way until it reaches the memory, behind the thread's earlier stores. */
  store(name: string, value: number): void;
  /** Stores a value at once and answers the one before. */
  swap(name: string, value: number): number;
  /** Every thread's stores reach the memory (membarrier(2)). */
  fenceAll(): void;
}

/** Answers the number of the thread's next step; "wait" when it cannot go on yet (and has changed nothing). */
export type Step = (processor: Processor) => number | "wait";

export interface Model {
  readonly memory: Memory;
  /** A thread is a list of steps; one whose next step is behind its last has ended. */
  readonly threads: readonly (readonly Step[])[];
  /** What must hold in every state; the text says what is wrong. */
  readonly wrong?: (memory: Memory) => string | undefined;
}

interface State {
  readonly memory: Memory;
  /** The stores of each thread that are under way, the oldest first. */
  readonly buffers: readonly (readonly Store[])[];
  readonly at: readonly number[];
}

/** The first thing found to be wrong, and how many states were seen. A state in which no thread can go on and one has not ended is wrong. */
export function explore({ memory, threads, wrong }: Model): { states: number; problem: string | undefined } {
  const seen = new Set<string>();
  const open: State[] = [{ memory, buffers: threads.map(() => []), at: threads.map(() => 0) }];
  for (let state = open.pop(); state; state = open.pop()) {
    const key = JSON.stringify([Object.values(state.memory), state.buffers, state.at]);
    if (seen.has(key)) continue;
    seen.add(key);
    const next = [...drained(state), ...stepped(state, threads)];
    const waits = threads.some((thread, index) => (state.at[index] ?? 0) < thread.length);
    const problem = wrong?.(state.memory) ?? (next.length === 0 && waits ? "a thread waits for ever" : undefined);
    if (problem !== undefined) return { states: seen.size, problem };
    open.push(...next);
  }
  return { states: seen.size, problem: undefined };
}

/** One thread's oldest store reaches the memory. */
function drained({ memory, buffers, at }: State): State[] {
  return buffers.flatMap((buffer, index) => {
    const [oldest, ...rest] = buffer;
    if (!oldest) return [];
    return [{ memory: { ...memory, [oldest[0]]: oldest[1] }, buffers: buffers.with(index, rest), at }];
  });
}

/** One thread makes a step. */
function stepped({ memory, buffers, at }: State, threads: Model["threads"]): State[] {
  return threads.flatMap((thread, index) => {
    const step = thread[at[index] ?? 0];
    if (!step) return [];
    const own = new Buffered(memory, buffers, index);
    const next = step(own);
    return next === "wait" ? [] : [{ memory: own.memory, buffers: own.buffers, at: at.with(index, next) }];
  });
}

class Buffered implements Processor {
  memory: Memory;
  buffers: State["buffers"];
  readonly #thread: number;

  constructor(memory: Memory, buffers: State["buffers"], thread: number) {
    this.memory = memory;
    this.buffers = buffers;
    this.#thread = thread;
  }

  load(name: string): number {
    const own = this.buffers[this.#thread]?.findLast((store) => store[0] === name);
    return own?.[1] ?? this.memory[name] ?? 0;
  }

  store(name: string, value: number): void {
    this.buffers = this.buffers.with(this.#thread, [...(this.buffers[this.#thread] ?? []), [name, value]]);
  }

  swap(name: string, value: number): number {
    this.#drain(this.#thread);
    const before = this.memory[name] ?? 0;
    this.memory = { ...this.memory, [name]: value };
    return before;
  }

  fenceAll(): void {
    for (const thread of this.buffers.keys()) this.#drain(thread);
  }

  #drain(thread: number): void {
    this.memory = { ...this.memory, ...Object.fromEntries(this.buffers[thread] ?? []) };
    this.buffers = this.buffers.with(thread, []);
  }
}

/** The places where the side that passes by seldom could forget its fence. */
export type StrandMistake =
  | "sleeps without a fence in all"
  | "waits for the lock without a fence in all"
  | "wakes for the lock before its word has changed"
  | "sleeps at the lock itself";

/** Senders that leave one cell each in a strand's inbox, and the owner that takes them: the lock, whose giving back is a plain store, and the sleep. */
export function strand(senders: number, mistake?: StrandMistake): Model {
  const names = Array.from({ length: senders }, (_, i) => `s${i}`);
  const everybody = ["owner", ...names];
  /** Steps `at` to `at + 6`; the lock is held from `at + 7` on. */
  const lock = (name: string, at: number): Step[] => [
    (p) => (take(p) ? at + 7 : at + 1),
    (p) => {
      p.store(`${name} word`, p.load("LOCK_WAKE"));
      return at + 2;
    },
    (p) => {
      p.swap("LOCK_SLEEPING", 1);
      return at + 3;
    },
    (p) => {
      if (mistake !== "waits for the lock without a fence in all") p.fenceAll();
      return at + 4;
    },
    (p) => (take(p) ? at + 7 : at + 5),
    // The kernel compares what the memory has.
    (p) => {
      const isSame =
        mistake === "sleeps at the lock itself" ? p.load("LOCK") === 1 : p.load("LOCK_WAKE") === p.load(`${name} word`);
      if (isSame) p.swap(`${name} waits`, 1);
      return isSame ? at + 6 : at + 1;
    },
    (p) => (p.load(`${name} waits`) === 1 ? "wait" : at + 1),
  ];
  const changeWord: Step = (p) => {
    p.swap("LOCK_WAKE", p.load("LOCK_WAKE") + 1);
    return 1;
  };
  const wakeAll: Step = (p) => {
    for (const name of everybody) p.swap(`${name} waits`, 0);
    return 1;
  };
  const wakes =
    mistake === "wakes for the lock before its word has changed" ? [wakeAll, changeWord] : [changeWord, wakeAll];
  /** Steps `at` to `at + 4`. */
  const unlock = (at: number): Step[] => [
    (p) => {
      p.store("LOCK", 0);
      return at + 1;
    },
    (p) => (p.load("LOCK_SLEEPING") === 0 ? at + 5 : at + 2),
    (p) => (p.swap("LOCK_SLEEPING", 0) === 0 ? at + 5 : at + 3),
    ...wakes.map(
      (wake, i): Step =>
        (p) =>
          at + 3 + i + Number(wake(p)),
    ),
  ];
  const sender = (name: string): Step[] => [
    ...lock(name, 0),
    (p) => {
      p.store("COUNT", p.load("COUNT") + 1);
      return 8;
    },
    ...unlock(8),
    (p) => (p.load("SLEEPING") === 0 ? 17 : 14),
    (p) => (p.swap("SLEEPING", 0) === 0 ? 17 : 15),
    (p) => {
      p.swap("WAKE", p.load("WAKE") + 1);
      return 16;
    },
    (p) => {
      p.swap("asleep", 0);
      return 17;
    },
  ];
  const owner: Step[] = [
    (p) => {
      p.store("word", p.load("WAKE"));
      return 1;
    },
    (p) => (p.load("COUNT") === 0 ? 2 : 7),
    (p) => {
      p.swap("SLEEPING", 1);
      return 3;
    },
    (p) => {
      if (mistake !== "sleeps without a fence in all") p.fenceAll();
      return 4;
    },
    (p) => (p.load("COUNT") > 0 ? 0 : 5),
    (p) => {
      const sleeps = p.load("WAKE") === p.load("word");
      if (sleeps) p.swap("asleep", 1);
      return sleeps ? 6 : 0;
    },
    (p) => (p.load("asleep") === 1 ? "wait" : 0),
    ...lock("owner", 7),
    (p) => {
      p.store("taken", p.load("taken") + p.load("COUNT"));
      p.swap("COUNT", 0);
      return 15;
    },
    ...unlock(15),
    (p) => (p.load("taken") === senders ? 21 : 0),
  ];
  const waits = Object.fromEntries(
    everybody.flatMap((name) => [`${name} waits`, `${name} word`].map((word) => [word, 0])),
  );
  return {
    memory: {
      LOCK: 0,
      LOCK_WAKE: 0,
      LOCK_SLEEPING: 0,
      COUNT: 0,
      SLEEPING: 0,
      WAKE: 0,
      word: 0,
      asleep: 0,
      taken: 0,
      ...waits,
    },
    threads: [owner, ...names.map(sender)],
  };
}

/** The lock was free and is taken. */
function take(processor: Processor): boolean {
  if (processor.load("LOCK") !== 0) return false;
  processor.swap("LOCK", 1);
  return true;
}

/** Senders that walk a list, saying so with a plain store, and somebody who changes it. */
export function registration(senders: number, mistake?: "changes without a fence in all"): Model {
  const names = Array.from({ length: senders }, (_, i) => `s${i}`);
  const sender = (name: string): Step[] => [
    (p) => {
      p.store(`${name} SENDING`, 1);
      return 1;
    },
    (p) => (p.load("CHANGING") === 1 ? 2 : 4),
    (p) => {
      p.store(`${name} SENDING`, 0);
      return 3;
    },
    (p) => (p.load("CHANGING") === 1 ? "wait" : 0),
    (p) => {
      p.swap(`${name} walks`, 1);
      return 5;
    },
    (p) => {
      p.swap(`${name} walks`, 0);
      return 6;
    },
    (p) => {
      p.store(`${name} SENDING`, 0);
      return 7;
    },
  ];
  const changer: Step[] = [
    (p) => {
      p.swap("CHANGING", 1);
      return 1;
    },
    (p) => {
      if (mistake === undefined) p.fenceAll();
      return 2;
    },
    (p) => (names.some((name) => p.load(`${name} SENDING`) === 1) ? "wait" : 3),
    (p) => {
      p.swap("changes", 1);
      return 4;
    },
    (p) => {
      p.swap("changes", 0);
      return 5;
    },
    (p) => {
      p.swap("CHANGING", 0);
      return 6;
    },
  ];
  const own = Object.fromEntries(
    names.flatMap((name) => [`${name} SENDING`, `${name} walks`].map((word) => [word, 0])),
  );
  return {
    memory: { CHANGING: 0, changes: 0, ...own },
    threads: [...names.map(sender), changer],
    wrong: (m) =>
      m["changes"] === 1 && names.some((name) => m[`${name} walks`] === 1) ? "a list changes under a walk" : undefined,
  };
}
