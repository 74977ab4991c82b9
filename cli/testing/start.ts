// Starts a program in a POSIX session of its own. Where the supervisor (runtime/linux/supervisor.ts) can run, it stands between: it adopts whatever the
// program leaves behind, so its end proves that nothing is left, and it ends all of it should this process be killed.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { getSystemErrorName } from "node:util";
import { errorCode, systemMessage } from "../output.ts";
import { childrenOf } from "../processes.ts";
import { supervisorFile } from "../toolchain.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
}

export type Exit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signaled"; readonly signal: string }
  /** There never was a process. */
  | { readonly kind: "not-started"; readonly message: string };

export interface Running {
  /** Fulfilled with true when both streams have ended. */
  readonly closed: Promise<true>;
  /** Lets go of the streams, whoever may still hold their other ends. */
  release(): void;
  /** The program's pid, which is that of its group and of its session too. */
  readonly session: number;
  readonly exit: Promise<Exit>;
  readonly supervisor: Supervisor | undefined;
}

export interface Supervisor {
  readonly pid: number;
  /** Fulfilled with true when neither the program nor anything that it has started is left, with false when the supervisor itself has been killed. */
  readonly ended: Promise<boolean>;
  /** Kills all of it. */
  endAll(): void;
  /** Kills the supervisor itself: the way out when it does not obey. */
  kill(): void;
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What passes: a full process table, too many open files, a file that a process about to become another program still holds open. */
const PASSING = ["EAGAIN", "ETXTBSY", "EMFILE", "ENFILE"];
const ATTEMPTS = 8;

/** The running program, or the system's words on why there is none. */
export async function start(command: Command): Promise<Running | string> {
  for (let attempt = 1; ; attempt++) {
    const result = await startOnce(command);
    if ("session" in result) return result;
    if (!PASSING.includes(result.code) || attempt === ATTEMPTS) return result.message;
    await sleep(10 * 2 ** attempt);
  }
}

/** False once this system has not let the supervisor run. */
let canSupervise = true;

async function startOnce(command: Command): Promise<Running | Failure> {
  const file = canSupervise ? supervisorFile() : undefined;
  const result = file === undefined ? undefined : await startSupervised(file, command);
  canSupervise = result !== undefined;
  return result ?? startAlone(command);
}

async function startAlone(command: Command): Promise<Running | Failure> {
  const child = await spawned(command.file, command.args, command, false);
  if ("message" in child) return child;
  const exit = new Promise<Exit>((resolve) => {
    const finish = (code: number | null, signal: string | null): void =>
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "signaled", signal });
    if (child.exitCode !== null || child.signalCode !== null) finish(child.exitCode, child.signalCode);
    else child.once("exit", finish);
  });
  return { ...streamsOf(child), session: child.pid ?? 0, exit, supervisor: undefined };
}

/** Undefined when the supervisor itself cannot be started. */
async function startSupervised(supervisor: string, command: Command): Promise<Running | Failure | undefined> {
  const child = await spawned(supervisor, [command.file, ...command.args], command, true);
  if ("message" in child) return PASSING.includes(child.code) ? child : undefined;
  const ended = new Promise<boolean>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.signalCode === null);
    else child.once("exit", (_code, signal) => resolve(signal === null));
  });
  const streams = streamsOf(child);
  const { first, second } = readRecords(child.stdio[3]);
  const start = await startRecord(first, child.pid ?? 0);
  if (start?.kind !== RecordKind.started) {
    await ended;
    if (start) return failure(systemName(start.value));
    // Killed by the program before it could tell of it: the program is known by its vault, and this session is empty.
    if (child.signalCode !== "SIGKILL") return undefined;
  }
  const session = start?.value ?? child.pid ?? 0;
  // Without a word it has been killed itself: whoever learns of that ends the program.
  const exit = second.then((end): Exit => (end ? exitOf(end.value) : { kind: "signaled", signal: "SIGKILL" }));
  const endAll = (): void => {
    child.kill("SIGUSR1");
    // A program may have stopped its parent.
    child.kill("SIGCONT");
  };
  const kill = (): void => void child.kill("SIGKILL");
  return { ...streams, session, exit, supervisor: { pid: child.pid ?? 0, ended, endAll, kill } };
}

/** How long a supervisor may be silent before it is looked at. */
const SILENCE_MS = 3000;

/** A program may stop its parent before that has told of it: then the kernel knows the program's pid. */
async function startRecord(
  first: Promise<StatusRecord | undefined>,
  supervisor: number,
): Promise<StatusRecord | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const known = new Promise<StatusRecord>((resolve) => {
    timer = setInterval(() => {
      const [program] = childrenOf(supervisor);
      if (program !== undefined) resolve({ kind: RecordKind.started, value: program });
    }, SILENCE_MS);
  });
  const record = await Promise.race([first, known]);
  clearInterval(timer);
  return record;
}

function streamsOf(child: ChildProcess): Pick<Running, "closed" | "release"> {
  return {
    closed: new Promise((resolve) => child.once("close", () => resolve(true))),
    release: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

const RecordKind = { started: 0, ended: 1, failed: 2 } as const;
const RECORD_BYTES = 8;

interface StatusRecord {
  readonly kind: number;
  readonly value: number;
}

/** The two records of a supervisor; undefined for one that does not come. */
function readRecords(stream: Readable | Writable | null | undefined) {
  const settled: ((record: StatusRecord | undefined) => void)[] = [];
  const next = (): Promise<StatusRecord | undefined> => new Promise((resolve) => settled.push(resolve));
  const records = { first: next(), second: next() };
  let bytes = Buffer.alloc(0);
  stream?.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (; bytes.length >= RECORD_BYTES; bytes = bytes.subarray(RECORD_BYTES))
      settled.shift()?.({ kind: bytes.readInt32LE(0), value: bytes.readInt32LE(4) });
  });
  stream?.once("close", () => {
    for (const settle of settled) settle(undefined);
  });
  return records;
}

/** A wait status, as wait(2) lays it out. */
function exitOf(status: number): Exit {
  const signal = status & 0x7f;
  return signal === 0
    ? { kind: "exited", code: (status >> 8) & 0xff }
    : { kind: "signaled", signal: signalName(signal) };
}

/** SIGRTMIN, as libc counts: the kernel's first two are its own. */
const FIRST_REAL_TIME_SIGNAL = 34;

function signalName(number: number): string {
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  if (name !== undefined) return name;
  return number < FIRST_REAL_TIME_SIGNAL ? `${number}` : `SIGRTMIN+${number - FIRST_REAL_TIME_SIGNAL}`;
}

function systemName(errno: number): string {
  try {
    return getSystemErrorName(-errno);
  } catch {
    return `error ${errno}`;
  }
}

function spawned(
  file: string,
  args: readonly string[],
  { env, onStdout, onStderr }: Command,
  hasRecords: boolean,
): Promise<ChildProcess | Failure> {
  return new Promise((resolve) => {
    const fail = (error: unknown): void => resolve(failure(errorCode(error), systemMessage(error)));
    try {
      // `detached` calls setsid(2) in the child: pid, process group and session are one number.
      const stdio = hasRecords ? (["ignore", "pipe", "pipe", "pipe"] as const) : (["ignore", "pipe", "pipe"] as const);
      const child = spawn(file, args, { env: { ...env }, detached: true, stdio: [...stdio] });
      // At once: what nobody listens to is thrown away when the process ends.
      child.stdout?.on("data", onStdout);
      child.stderr?.on("data", onStderr);
      child.once("error", fail);
      child.once("spawn", () => resolve(child));
    } catch (error) {
      fail(error);
    }
  });
}

/** `spawn x EACCES` says less than the system does. */
function failure(code: string, message = code): Failure {
  const words: Partial<{ [code: string]: string }> = {
    E2BIG: "its environment is too long",
    EACCES: "permission denied",
    EAGAIN: "the limit on processes is reached",
    EMFILE: "too many open files",
    ENOENT: "no such file or directory",
    ENOEXEC: "not an executable",
    ENOMEM: "out of memory",
    ETXTBSY: "the file is being written",
  };
  return { code, message: words[code] ?? message };
}
