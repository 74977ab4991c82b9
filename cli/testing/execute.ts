// Runs one program in a POSIX session of its own and comes back when nothing that it has started is left.
import { type ChildProcess, spawn } from "node:child_process";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { errorCode, systemMessage } from "../output.ts";
import { findKin, type Kin, killKin, type ProcessInfo, sendSignal } from "../processes.ts";
import { Capture, type Captured } from "./capture.ts";
import type { Interruption } from "./interruption.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Exit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signaled"; readonly signal: string }
  /** There never was a process. */
  | { readonly kind: "not-started"; readonly message: string };

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
const LEAK_PATIENCE_MS = 100;

/** How long streams may stay open and silent once the session is empty: a process that left the session may hold them. */
const CLOSE_PATIENCE_MS = 100;
const CLOSE_ROUNDS = 10;

/** Runs `command` with empty stdin and captured output. Resolves for whatever the program does; rejects for no reason of its. */
export async function execute(command: Command, options: ExecuteOptions): Promise<Execution> {
  const started = performance.now();
  const child = await start(command);
  if (typeof child === "string") return notStarted(child, performance.now() - started);
  const stdout = new Capture();
  const stderr = new Capture();
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  const closed = new Promise<boolean>((resolve) => child.once("close", () => resolve(true)));
  const kin: Kin = { session: child.pid ?? 0, vault: options.vault, older: options.older };
  const ending = superviseEnd(child, kin, options);
  const exit = await ending.exit;
  const elapsedMs = performance.now() - started;
  const leaked = await endKin(kin, ending.interrupted() ? 0 : LEAK_PATIENCE_MS);
  await drain(closed, () => stdout.total + stderr.total);
  child.stdout?.destroy();
  child.stderr?.destroy();
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

/** The started process, or the system's words on why there is none. */
async function start(command: Command): Promise<ChildProcess | string> {
  for (let attempt = 1; ; attempt++) {
    const result = await tryStart(command);
    if ("child" in result) return result.child;
    // A full process table, and a file that a process about to execute something else still holds open, pass.
    if (!["EAGAIN", "ETXTBSY", "EMFILE", "ENFILE"].includes(result.code) || attempt === 8) return result.message;
    await sleep(10 * 2 ** attempt);
  }
}

function tryStart({ file, args, env }: Command): Promise<{ child: ChildProcess } | { code: string; message: string }> {
  return new Promise((resolve) => {
    const fail = (error: unknown): void => resolve({ code: errorCode(error), message: startMessage(error) });
    try {
      // `detached` calls setsid(2) in the child: pid, process group and session are one number.
      const child = spawn(file, args, { env: { ...env }, detached: true, stdio: ["ignore", "pipe", "pipe"] });
      child.once("error", fail);
      child.once("spawn", () => resolve({ child }));
    } catch (error) {
      fail(error);
    }
  });
}

/** `spawn x EACCES` says less than the system does. */
function startMessage(error: unknown): string {
  const words: Record<string, string> = {
    EACCES: "permission denied",
    EAGAIN: "the limit on processes is reached",
    EMFILE: "too many open files",
    ENOENT: "no such file or directory",
    ENOEXEC: "not an executable",
    ENOMEM: "out of memory",
    ETXTBSY: "the file is being written",
  };
  return words[errorCode(error)] ?? systemMessage(error);
}

/** Watches one process until it has ended: its own end, the time limit, the interruption of the run. */
function superviseEnd(child: ChildProcess, kin: Kin, { timeoutMs, interruption }: ExecuteOptions) {
  let timedOut = false;
  let interrupted = false;
  let killTimer: NodeJS.Timeout | undefined;
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const kill = (): void => {
    if (!hasEnded()) void killKin(kin);
  };
  const terminate = (): void => {
    sendSignal(-kin.session, "SIGTERM");
    // One that has been stopped would never see the first.
    sendSignal(-kin.session, "SIGCONT");
    killTimer ??= setTimeout(kill, GRACE_MS);
  };
  const cancelLimit = afterMilliseconds(timeoutMs, () => {
    if (hasEnded()) return;
    timedOut = true;
    terminate();
  });
  const unsubscribe = interruption.subscribe((force) => {
    if (hasEnded()) return;
    interrupted = true;
    if (force) kill();
    else terminate();
  });
  const exit = new Promise<Exit>((resolve) => {
    const finish = (code: number | null, signal: string | null): void => {
      cancelLimit();
      clearTimeout(killTimer);
      unsubscribe();
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "signaled", signal });
    };
    if (hasEnded()) finish(child.exitCode, child.signalCode);
    else child.once("exit", finish);
  });
  return { exit, timedOut: () => timedOut, interrupted: () => interrupted };
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
