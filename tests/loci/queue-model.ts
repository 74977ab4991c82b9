// The steps of what threads do with the memory that they share (docs/threads.md), and an explorer of all their interleavings.
// Every step is one atomic operation, or all that happens under one lock.

/** What the threads share, and each one's own variables. */
export type Memory = Record<string, number>;

/** One step: changes the memory and answers the number of the thread's next step; "wait" when the thread cannot go on yet (and has changed nothing). */
export type Step = (memory: Memory) => number | "wait";

export interface Model {
  readonly memory: Memory;
  /** A thread is a list of steps; one whose next step is behind its last has ended. */
  readonly threads: readonly (readonly Step[])[];
  /** What must hold in every state; the text says what is wrong. */
  readonly wrong?: (memory: Memory) => string | undefined;
}

export interface Exploration {
  readonly states: number;
  /** The first thing found to be wrong, with the threads in the order of their steps up to there. */
  readonly problem: { readonly what: string; readonly steps: readonly number[] } | undefined;
}

interface State {
  readonly memory: Memory;
  readonly at: readonly number[];
  readonly steps: readonly number[];
}

/** Visits every state that some interleaving reaches: a state in which no thread can go on and one has not ended is a problem, and so is one that is `wrong`. */
export function explore({ memory, threads, wrong }: Model): Exploration {
  const seen = new Set<string>();
  const open: State[] = [{ memory, at: threads.map(() => 0), steps: [] }];
  for (let state = open.pop(); state; state = open.pop()) {
    const key = JSON.stringify([Object.values(state.memory), state.at]);
    if (seen.has(key)) continue;
    seen.add(key);
    const what = wrong?.(state.memory);
    if (what !== undefined) return { states: seen.size, problem: { what, steps: state.steps } };
    const next = successors(state, threads);
    const waiting = state.at.flatMap((step, thread) => (step < (threads[thread]?.length ?? 0) ? [thread] : []));
    if (next.length === 0 && waiting.length > 0)
      return {
        states: seen.size,
        problem: { what: `threads ${waiting.join(", ")} wait for ever`, steps: state.steps },
      };
    open.push(...next);
  }
  return { states: seen.size, problem: undefined };
}

function successors({ memory, at, steps }: State, threads: Model["threads"]): State[] {
  return threads.flatMap((thread, index) => {
    const step = thread[at[index] ?? 0];
    if (!step) return [];
    const changed = { ...memory };
    const next = step(changed);
    if (next === "wait") return [];
    return [{ memory: changed, at: at.map((old, i) => (i === index ? next : old)), steps: [...steps, index] }];
  });
}

const get = (memory: Memory, name: string): number => memory[name] ?? 0;

/** Stores a value and answers the next step. */
function set(memory: Memory, name: string, value: number, next: number): number {
  memory[name] = value;
  return next;
}

/** Mistakes that one could make with an inbox. */
export type InboxMistake =
  | "does not look again"
  | "looks at the mark first"
  | "wakes before WAKE changes"
  | "changes WAKE before it takes the mark";

/** Senders that leave `each` cells in an owner's inbox; the owner takes them all, sleeping when there are none. */
export function inbox(senders: number, each: number, mistake?: InboxMistake): Model {
  const total = senders * each;
  const owner: Step[] = [
    (m) => set(m, "word", get(m, "WAKE"), 1),
    (m) => {
      if (get(m, "COUNT") === 0) return 2;
      m["taken"] = get(m, "taken") + get(m, "COUNT");
      m["COUNT"] = 0;
      return m["taken"] === total ? 6 : 0;
    },
    (m) => set(m, "SLEEPING", 1, 3),
    (m) => (mistake !== "does not look again" && get(m, "COUNT") > 0 ? 0 : 4),
    (m) => (get(m, "WAKE") === get(m, "word") ? set(m, "asleep", 1, 5) : 0),
    (m) => (get(m, "asleep") === 1 ? "wait" : 0),
  ];
  const sender = (name: string): Step[] => {
    const leave: Step = (m) => set(m, "COUNT", get(m, "COUNT") + 1, 1);
    const look: Step = (m) => set(m, `${name} wakes`, get(m, "SLEEPING"), 1);
    const change: Step = (m) => set(m, "WAKE", get(m, "WAKE") + 1, 1);
    const swap: Step = (m) => {
      m[`${name} has mark`] = get(m, "SLEEPING");
      m["SLEEPING"] = 0;
      return 1;
    };
    const wake: Step = (m) => {
      if (get(m, `${name} has mark`) === 1) m["asleep"] = 0;
      return 1;
    };
    const orders: Record<string, readonly Step[]> = {
      "wakes before WAKE changes": [swap, wake, change],
      "changes WAKE before it takes the mark": [change, swap, wake],
    };
    const quickly = mistake === "looks at the mark first" ? [look, leave] : [leave, look];
    const rousing = orders[mistake ?? ""] ?? [swap, change, wake];
    const message = [...quickly, ...rousing];
    return Array.from({ length: each }, (_, round) =>
      message.map((step, position): Step => {
        const own = round * message.length + position;
        const behind = (round + 1) * message.length;
        return (m) => {
          step(m);
          const isDone =
            (position === 1 && get(m, `${name} wakes`) === 0) || (step === swap && get(m, `${name} has mark`) === 0);
          return isDone ? behind : own + 1;
        };
      }),
    ).flat();
  };
  const names = Array.from({ length: senders }, (_, i) => `s${i}`);
  const own = Object.fromEntries(
    names.flatMap((name) => [
      [`${name} wakes`, 0],
      [`${name} has mark`, 0],
    ]),
  );
  return {
    memory: { WAKE: 0, SLEEPING: 0, COUNT: 0, word: 0, asleep: 0, taken: 0, ...own },
    threads: [owner, ...names.map(sender)],
  };
}

/**
 * `count` strands in a ring, each with a full inbox (of one cell), each sending one cell to the next before it takes its own. Each says which one it waits for, and follows what
 * the others say, one after the other, to itself. Whether `ROOM` has changed since it was read is all that is kept of it: the number itself grows for ever.
 */
export function ringOfFull(count: number, mistake?: "does not say that it is blocked" | "does not look again"): Model {
  const nobody = -1;
  const memory: Memory = {};
  const threads: Step[][] = [];
  for (let own = 0; own < count; own++) {
    const to = (own + 1) % count;
    const from = (own + count - 1) % count;
    /** Two steps, the first to begin a look, the second again for each strand that waits for another one. */
    const look = (at: number, room: number, full: number): Step[] => [
      (m) => (get(m, `cells${to}`) === 0 ? room : set(m, `at${own}`, to, at + 1)),
      (m) => {
        const next = get(m, `waits${get(m, `at${own}`)}`);
        if (next === nobody) return full;
        return next === own ? room : set(m, `at${own}`, next, at + 1);
      },
    ];
    /** Who waits for room in this strand looks again. */
    const announce = (m: Memory, next: number) => set(m, `changed${from}`, 1, next);
    Object.assign(memory, {
      [`cells${own}`]: 1,
      [`waits${own}`]: nobody,
      [`at${own}`]: 0,
      [`changed${own}`]: 0,
    });
    threads.push([
      (m) => set(m, `waits${own}`, mistake === "does not say that it is blocked" ? nobody : to, 1),
      (m) => announce(m, 2),
      (m) => set(m, `changed${own}`, 0, mistake === "does not look again" ? 5 : 3),
      ...look(3, 6, 5),
      (m) => (get(m, `changed${own}`) === 0 ? "wait" : 0),
      (m) => set(m, `waits${own}`, nobody, 7),
      (m) => set(m, `cells${to}`, get(m, `cells${to}`) + 1, 8),
      // It has sent, and takes what is its own.
      (m) => set(m, `cells${own}`, 0, 9),
      (m) => announce(m, 10),
    ]);
  }
  return { memory, threads };
}

/** Senders that walk a list, and somebody who changes it. */
export function registration(senders: number, mistake?: "looks before it says so" | "changes at once"): Model {
  const memory: Memory = { LOCK: 0, CHANGING: 0, changes: 0 };
  const sender = (name: string): Step[] => {
    Object.assign(memory, { [`${name} SENDING`]: 0, [`${name} walks`]: 0 });
    const say: Step = (m) => set(m, `${name} SENDING`, 1, 1);
    const look: Step = (m) => (get(m, "CHANGING") === 1 ? 2 : 4);
    const [first, second] = mistake === "looks before it says so" ? [look, say] : [say, look];
    return [
      (m) => (first(m) === 2 ? 2 : 1),
      (m) => (second(m) === 2 ? 2 : 4),
      (m) => set(m, `${name} SENDING`, 0, 3),
      (m) => (get(m, "LOCK") === 1 ? "wait" : 0),
      (m) => set(m, `${name} walks`, 1, 5),
      (m) => set(m, `${name} walks`, 0, 6),
      (m) => set(m, `${name} SENDING`, 0, 7),
    ];
  };
  const names = Array.from({ length: senders }, (_, i) => `s${i}`);
  const sending = (m: Memory) => names.some((name) => get(m, `${name} SENDING`) === 1);
  const changer: Step[] = [
    (m) => (get(m, "LOCK") === 1 ? "wait" : set(m, "LOCK", 1, 1)),
    (m) => set(m, "CHANGING", 1, 2),
    (m) => (mistake !== "changes at once" && sending(m) ? "wait" : 3),
    (m) => set(m, "changes", 1, 4),
    (m) => set(m, "changes", 0, 5),
    (m) => set(m, "CHANGING", 0, 6),
    (m) => set(m, "LOCK", 0, 7),
  ];
  return {
    threads: [...names.map(sender), changer, changer],
    memory,
    wrong: (m) =>
      get(m, "changes") === 1 && names.some((name) => get(m, `${name} walks`) === 1)
        ? "a list changes under a walk"
        : undefined,
  };
}
