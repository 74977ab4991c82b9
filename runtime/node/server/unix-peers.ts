// Who is at the other end of a Unix socket. Node cannot ask the kernel for it (SO_PEERCRED), but the process knows its own sockets: it is the peer of a
// connection that it has made to a listener of its own. Of any other connection the peer stays unknown.
import { readFileSync, statSync } from "node:fs";

/** A listener of this process. */
export interface UnixListener {
  /** As it was bound: the kernel lists it so. */
  readonly path: string;
  /** Connections that this process has made to it, and that it has accepted. */
  made: number;
  accepted: number;
}

/** By device and inode of the socket's file. */
const listeners = new Map<string, UnixListener>();

export function noteListener(path: string): UnixListener {
  const listener = { path, made: 0, accepted: 0 };
  const file = fileOf(path);
  if (file !== undefined) listeners.set(file, listener);
  return listener;
}

export function forgetListener(listener: UnixListener): void {
  for (const [file, known] of listeners) if (known === listener) listeners.delete(file);
}

/** The listener that a path leads to, if it is of this process. */
export function ownListenerAt(path: string): UnixListener | undefined {
  const file = fileOf(path);
  return file === undefined ? undefined : listeners.get(file);
}

/** Whether every connection to a listener came from this process: those that were accepted and those that wait, together, are as many as it has made. */
export function hasOnlyOwnPeers({ path, made, accepted }: UnixListener): boolean {
  const waiting = waitingAt(path);
  return waiting !== undefined && accepted + waiting === made;
}

/** The kernel's `struct ucred` of this process. */
export function ownCredentials(): Uint8Array {
  return new Uint8Array(Int32Array.of(process.pid, process.geteuid?.() ?? -1, process.getegid?.() ?? -1).buffer);
}

/** Connections that wait to be accepted at a path: the kernel lists them with the listener's path, and without an inode. */
function waitingAt(path: string): number | undefined {
  try {
    const table = readFileSync("/proc/net/unix", "utf8");
    return table.split("\n").filter((line) => line.endsWith(` 0 ${path}`)).length;
  } catch {
    return undefined;
  }
}

function fileOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}/${ino}`;
  } catch {
    return undefined;
  }
}
