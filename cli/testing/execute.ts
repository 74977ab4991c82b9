// Runs one program in a POSIX session of its own and comes back when nothing that it has started is left.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { findKin, type Kin, killKin, type ProcessInfo, sendSignal } from "../processes.ts";
import { Capture, type Captured } from "./capture.ts";
import type { Interruption } from "./interruption.ts";
import { type Command, type Exit, type Running, start } from "./start.ts";

export interface Leak {
  readonly pid: number;
  readonly command: string;
}

export interface Execution {
  readonly exit: Exit;
  /** The time limit was over before the program was. */
  readonly timedOut: boolean;
  /** The whole run was interrupted before the program was over. */
  readonly interrupted: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
  /** Descendants that outlived the program; they have been killed. */
  readonly leaked: readonly Leak[];
  readonly elapsedMs: number;
}

export interface ExecuteOptions {
  /** Milliseconds; undefined for no limit. */
  readonly timeoutMs: number | undefined;
  readonly interruption: Interruption;
  /** The vault by which descendants are known that have left the session. */
  readonly vault: string;
  /** Processes from before the run. */
  readonly older: ReadonlySet<number>;
}

/** From SIGTERM to SIGKILL (reference 12 12.3.5): time to drain and to dissolve. */
const GRACE_MS = 2000;

/** What a program has just killed itself may need a moment to be gone; only what outlives this counts as left running. */
const LEAK_PATIENCE_MS = 500;

/** How long what has been killed may take to be gone. */
const KILL_PATIENCE_MS = 5000;

/** How long streams may stay open and silent once the session is empty: a process that left the session may hold them. */
const CLOSE_PATIENCE_MS = 100;
const CLOSE_ROUNDS = 10;

/** Runs `command` with empty stdin and captured output. Resolves for whatever the program does; rejects for no reason of its. */
export async function execute(
  command: Omit<Command, "onStdout" | "onStderr">,
  options: ExecuteOptions,
): Promise<Execution> {
  const started = performance.now();
  const stdout = new Capture();
  const stderr = new Capture();
  const running = await start({
    ...command,
    onStdout: (chunk) => stdout.push(chunk),
    onStderr: (chunk) => stderr.push(chunk),
  });
  if (typeof running === "string") return notStarted(running, performance.now() - started);
  const { session, supervisor } = running;
  const kin: Kin = { session, vault: options.vault, adopter: supervisor?.pid, older: options.older };
  const ending = superviseEnd(running, kin, options);
  const exit = await ending.exit;
  const elapsedMs = performance.now() - started;
  const leaked = await endRest(running, kin, ending.interrupted() ? 0 : LEAK_PATIENCE_MS);
  await drain(running.closed, () => stdout.total + stderr.total);
  running.release();
  return {
    exit,
    timedOut: ending.timedOut(),
    interrupted: ending.interrupted(),
    stdout: stdout.finish(),
    stderr: stderr.finish(),
    leaked,
    elapsedMs,
  };
}

/** Waits for the end of the streams, or until they have brought nothing for a while though nobody of the session is left. */
async function drain(closed: Promise<boolean>, received: () => number): Promise<void> {
  for (let round = 0; round < CLOSE_ROUNDS; round++) {
    const before = received();
    if (await Promise.race([closed, sleep(CLOSE_PATIENCE_MS, false)])) return;
    // After a pause of this thread the timer comes before the data that has waited; this lets it in.
    await setImmediate();
    if (received() === before) return;
  }
}

/** Watches one process until it has ended: its own end, the time limit, the interruption of the run. */
function superviseEnd({ exit, supervisor }: Running, kin: Kin, { timeoutMs, interruption }: ExecuteOptions) {
  let timedOut = false;
  let interrupted = false;
  let ended = false;
  let killTimer: NodeJS.Timeout | undefined;
  const kill = (): void => {
    if (ended) return;
    if (!supervisor) return void killKin(kin);
    supervisor.endAll();
    // One that a program stops again and again would be waited for for ever.
    killTimer = setTimeout(() => ended || supervisor.kill(), KILL_PATIENCE_MS);
  };
  const terminate = (): void => {
    sendSignal(-kin.session, "SIGTERM");
    // One that has been stopped would never see the first.
    sendSignal(-kin.session, "SIGCONT");
    killTimer ??= setTimeout(kill, GRACE_MS);
  };
  const cancelLimit = afterMilliseconds(timeoutMs, () => {
    if (ended) return;
    timedOut = true;
    terminate();
  });
  const unsubscribe = interruption.subscribe((force) => {
    if (ended) return;
    interrupted = true;
    if (force) kill();
    else terminate();
  });
  const finished = exit.then((how) => {
    ended = true;
    cancelLimit();
    clearTimeout(killTimer);
    unsubscribe();
    return how;
  });
  return { exit: finished, timedOut: () => timedOut, interrupted: () => interrupted };
}

/** The longest delay that Node's timers take. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** Calls `body` after a time of any length, unless the returned function is called before. */
function afterMilliseconds(delay: number | undefined, body: () => void): () => void {
  if (delay === undefined) return () => {};
  let left = delay;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const step = Math.min(left, LONGEST_DELAY);
    left -= step;
    // Timers run before the events that waited while this thread was busy compiling: let the end of the process be seen first.
    timer = setTimeout(() => (left > 0 ? wait() : void setImmediate().then(body)), step);
  };
  wait();
  return () => clearTimeout(timer);
}

/** Ends what the program has left running and tells what that was. */
async function endRest({ supervisor }: Running, kin: Kin, patienceMs: number): Promise<Leak[]> {
  if (!supervisor) return endKin(kin, patienceMs);
  const settled = await settles(supervisor.ended, patienceMs);
  if (settled === true) return [];
  const members = findKin(kin);
  supervisor.endAll();
  // A program may kill its parent: then what that had adopted can only be looked for, and the program itself is still there.
  if ((await settles(supervisor.ended, KILL_PATIENCE_MS)) !== true) {
    supervisor.kill();
    await killKin(kin);
  }
  return members.filter(({ pid }) => pid !== kin.session).map(({ pid, command }) => ({ pid, command }));
}

/** What the promise is fulfilled with; undefined when that does not come in time. */
async function settles(promise: Promise<boolean>, milliseconds: number): Promise<boolean | undefined> {
  const timeout = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: timeout.signal }).catch(() => undefined);
  const result = await Promise.race([promise, late]);
  timeout.abort();
  return result;
}

/** The same where nobody supervises: what is left is found by its marks. */
async function endKin(kin: Kin, patienceMs: number): Promise<Leak[]> {
  let members: ProcessInfo[] = findKin(kin);
  for (let waited = 0, step = 5; members.length > 0 && waited < patienceMs; waited += step, step *= 2) {
    await sleep(step);
    members = findKin(kin);
  }
  // A live process with the number of a leader that has been reaped: the session is empty and its number in use again.
  if (members.length === 0 || members.some((each) => each.pid === kin.session)) return [];
  await killKin(kin);
  return members.map(({ pid, command }) => ({ pid, command }));
}

function notStarted(message: string, elapsedMs: number): Execution {
  const nothing = new Capture().finish();
  return {
    exit: { kind: "not-started", message },
    timedOut: false,
    interrupted: false,
    stdout: nothing,
    stderr: nothing,
    leaked: [],
    elapsedMs,
  };
}
