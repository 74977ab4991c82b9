// What runs on this machine, as /proc tells it. Where there is no /proc the lists are empty and only process groups can be ended.
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";

/** A process that is neither a zombie nor dead. */
export interface ProcessInfo {
  readonly pid: number;
  readonly group: number;
  readonly session: number;
  /** Its arguments on one line, or its name when it has none to show. */
  readonly command: string;
}

/** The processes that existed at one moment: whatever a test starts is none of them, so their files need not be read again. */
export function presentProcesses(): ReadonlySet<number> {
  return new Set(processIds());
}

/** What a program and its descendants are recognised by. */
export interface Kin {
  /** The POSIX session that it leads. */
  readonly session: number;
  /** Its vault: what has left the session still carries it in its environment. */
  readonly vault: string;
  /** The process that adopts its orphans, itself no kin. */
  readonly adopter: number | undefined;
  /** Processes that are older than it. */
  readonly older: ReadonlySet<number>;
}

/** The live processes of a program's kin, in order of pid. */
export function findKin(kin: Kin): ProcessInfo[] {
  const found = liveProcesses((stat) => isKin(stat, kin), kin.older);
  if (found.length > 0) return found;
  // What was born while all of /proc was read.
  return newestKin(kin).map(processInfo);
}

function isKin(stat: Stat, { session, vault, adopter }: Kin): boolean {
  if (stat.pid === adopter) return false;
  const isOne = stat.session === session || (adopter !== undefined && stat.parent === adopter);
  return isOne || carriesVault(stat.pid, (found) => found === vault);
}

/** Sends SIGKILL to all of a program's kin, and again to what was born meanwhile. Returns whether none is left. */
export async function killKin(kin: Kin, patienceMs = 5000): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  sendSignal(-kin.session, "SIGKILL");
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    const members = findKin(kin);
    killAll(members);
    // Only both together mean that nothing is left: a look at all of /proc takes longer than a link of a chain lives.
    if (members.length === 0 && !pursue(kin)) return true;
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** How long a pursuit that meets nothing looks on, how long one may take, and how far around the newest process it looks. */
const PURSUIT_QUIET_MS = 20;
const PURSUIT_MS = 200;
const PURSUIT_REACH = 16;

/**
 * Ends a chain of processes that have each started the next before a look at all of /proc comes by: looks at nothing but the newest
 * process numbers, again and again without a pause. Returns whether it met any.
 */
function pursue(kin: Kin): boolean {
  const start = performance.now();
  let hasMet = false;
  for (
    let last = start, now = start;
    now - last < PURSUIT_QUIET_MS && now - start < PURSUIT_MS;
    now = performance.now()
  ) {
    const members = newestKin(kin);
    if (members.length === 0) continue;
    hasMet = true;
    last = performance.now();
    killAll(members);
  }
  return hasMet;
}

/** The kin among the live processes whose numbers are next to the one that was given out last. */
function newestKin(kin: Kin): Stat[] {
  const newest = Number(readSmall("/proc/loadavg")?.toString("latin1").trim().split(" ")[4] ?? 0);
  const found: Stat[] = [];
  for (let pid = newest + PURSUIT_REACH; pid > Math.max(1, newest - PURSUIT_REACH); pid--) {
    const stat = kin.older.has(pid) ? undefined : readStat(pid);
    if (stat && isLive(stat) && isKin(stat, kin)) found.push(stat);
  }
  return found;
}

/**
 * Ends what tests of the runs with these directories have left: processes of our pid namespace that carry one of them in their
 * environment as vault, and the rest of a session that such a process leads or that has lost its leader. `older` are not looked at.
 * Returns them.
 */
export function killMarked(directories: readonly string[], older?: ReadonlySet<number>): ProcessInfo[] {
  const killed = new Map<number, ProcessInfo>();
  const own = readStat(process.pid)?.session;
  const isWithin = (vault: string): boolean => directories.some((directory) => vault.startsWith(`${directory}/`));
  // A killed process may have had a child a moment before; a few rounds see the last of them.
  for (let round = 0; round < 5; round++) {
    const marked = liveProcesses((stat) => stat.session !== own && carriesVault(stat.pid, isWithin), older);
    if (marked.length === 0) break;
    const pids = new Set(marked.map((each) => each.pid));
    const sessions = new Set(marked.map((each) => each.session).filter((id) => pids.has(id) || !isAlive(id)));
    const doomed = liveProcesses((stat) => pids.has(stat.pid) || sessions.has(stat.session));
    killAll(doomed);
    for (const each of doomed) killed.set(each.pid, each);
  }
  return [...killed.values()].sort((a, b) => a.pid - b.pid);
}

/** The children of a process with one thread; none where the kernel does not tell. */
export function childrenOf(pid: number): number[] {
  const list = readSmall(`/proc/${pid}/task/${pid}/children`)?.toString("latin1") ?? "";
  return list.split(" ").filter(Boolean).map(Number);
}

/** Whether a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Sends a signal to a process, or to a group (`-group`). A target that is gone is no error. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {}
}

/** By group first: a group's processes cannot outrun a signal by forking. */
function killAll(members: readonly Pick<ProcessInfo, "group" | "pid">[]): void {
  for (const group of new Set(members.map((each) => each.group))) sendSignal(-group, "SIGKILL");
  for (const { pid } of members) sendSignal(pid, "SIGKILL");
}

interface Stat {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

function liveProcesses(wanted: (stat: Stat) => boolean, except: ReadonlySet<number> = new Set()): ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const pid of processIds()) {
    if (except.has(pid)) continue;
    const stat = readStat(pid);
    if (stat && isLive(stat) && wanted(stat)) found.push(processInfo(stat));
  }
  return found;
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

/** `pid (name) state ppid pgrp session ...`; the name may hold anything, also spaces and brackets (proc_pid_stat(5)). */
function readStat(pid: number): Stat | undefined {
  const text = readSmall(`/proc/${pid}/stat`)?.toString("latin1");
  if (text === undefined) return undefined;
  const close = text.lastIndexOf(")");
  const [state = "", parent = "", group = "", session = ""] = text.slice(close + 2).split(" ", 4);
  const name = text.slice(text.indexOf("(") + 1, close);
  return { pid, name, state, parent: Number(parent), group: Number(group), session: Number(session) };
}

/** Neither a zombie nor dead. */
function isLive({ state }: Stat): boolean {
  return state !== "Z" && state !== "X";
}

function processInfo(stat: Stat): ProcessInfo {
  return { pid: stat.pid, group: stat.group, session: stat.session, command: commandOf(stat) };
}

function commandOf({ pid, name }: Stat): string {
  const line = readSmall(`/proc/${pid}/cmdline`)?.toString("utf8").replace(/\0+$/, "").replaceAll("\0", " ");
  return line || name;
}

function carriesVault(pid: number, wanted: (vault: string) => boolean): boolean {
  const environment = readSmall(`/proc/${pid}/environ`)?.toString("utf8");
  if (environment === undefined || !environment.includes("HALE_VAULT_DIR=")) return false;
  const entry = environment.split("\0").find((each) => each.startsWith("HALE_VAULT_DIR="));
  return (
    entry !== undefined && wanted(entry.slice("HALE_VAULT_DIR=".length)) && namespaceOf(pid) === namespaceOf("self")
  );
}

/** A runner's pid says something about processes of its own pid namespace only. */
function namespaceOf(pid: number | "self"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

const buffer = Buffer.alloc(64 * 1024);

/** At most 64 KiB of a file of /proc, in one read; undefined when the process has gone. The next call overwrites it. */
function readSmall(file: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch {
    return undefined;
  }
  try {
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
