// Directories that belong to one run: `hale-test-<pid>-<random>` in $TMPDIR, mode 0700, gone when the run ends. One that a killed
// run left is removed by the next run of the same user (reference 12 12.3.3).
import { chmodSync, lstatSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { errorCode, systemMessage } from "./output.ts";
import { isAlive, killMarked } from "./processes.ts";
import { removeTree } from "./remove-tree.ts";

export type RunKind = "test" | "run" | "replay" | "bench";

export interface PrivateDirectory {
  readonly path: string;
  /** Removes it with all that is in it; the second call does nothing. */
  remove(): void;
}

/** How long a directory must have been left alone before another run takes it for abandoned. */
const ABANDONED_AFTER_MS = 60_000;

/** Much shorter than the above: says that the run lives to those who cannot see its pid (another pid namespace). */
const HEARTBEAT_MS = 15_000;

/** Where private directories are made: `$TMPDIR`, else `/tmp`. */
export function temporaryRoot(): string {
  return path.resolve(process.env["TMPDIR"] || "/tmp");
}

/** Why no private directory could be made: the place, where its name comes from, and the system's words. */
export function noPrivateDirectory(error: unknown): string {
  const source = process.env["TMPDIR"] ? " (TMPDIR)" : "";
  return `could not make a private directory in ${temporaryRoot()}${source}: ${systemMessage(error)}`;
}

/**
 * Makes a private directory and sees to it that it goes when the process ends in any way that it can notice. Throws the system's
 * error when there is no place for it.
 */
export function createPrivateDirectory(kind: RunKind): PrivateDirectory {
  const directory = makeUnique(`hale-${kind}-${process.pid}-`);
  let present = true;
  const heartbeat = setInterval(() => touch(directory), HEARTBEAT_MS).unref();
  const remove = (): void => {
    if (!present) return;
    present = false;
    clearInterval(heartbeat);
    process.off("exit", remove);
    removeTree(directory);
  };
  process.on("exit", remove);
  return { path: directory, remove };
}

/** Makes `<prefix><random>` below the temporary root, mode 0700 whatever the umask. */
export function makeUnique(prefix: string): string {
  for (;;) {
    const candidate = path.join(temporaryRoot(), prefix + randomName());
    try {
      mkdirSync(candidate, 0o700);
    } catch (error) {
      if (errorCode(error) === "EEXIST") continue;
      throw error;
    }
    chmodSync(candidate, 0o700);
    return candidate;
  }
}

/** A directory of the owner's alone, whatever the umask. */
export function makePrivate(directory: string): string {
  mkdirSync(directory, 0o700);
  chmodSync(directory, 0o700);
  return directory;
}

function randomName(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from(randomBytes(8), (byte) => letters[byte % letters.length]).join("");
}

function touch(directory: string): void {
  try {
    const now = new Date();
    utimesSync(directory, now, now);
  } catch {}
}

/**
 * Clears away what runs that were killed have left: their programs that still run, and their directories once these are a minute
 * old. Only directories of this user are touched, and no symbolic link is followed.
 */
export function removeAbandoned(): void {
  const root = temporaryRoot();
  const dead: string[] = [];
  for (const name of namesIn(root)) {
    const match = /^hale-(?:test|run|replay|bench|build)-(\d+)-[A-Za-z0-9]+$/.exec(name);
    if (match && !isAlive(Number(match[1]))) dead.push(path.join(root, name));
  }
  const ours = dead
    .map((directory) => ({ directory, age: ageOfOurs(directory) }))
    .filter(({ age }) => age !== undefined);
  if (ours.length === 0) return;
  killMarked(ours.map(({ directory }) => directory));
  for (const { directory, age = 0 } of ours) if (age > ABANDONED_AFTER_MS) removeTree(directory);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Milliseconds since the last change of a real directory of this user; undefined for anything else. */
function ageOfOurs(directory: string): number | undefined {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) return undefined;
  return Date.now() - stat.mtimeMs;
}
