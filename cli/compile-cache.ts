// Executables by the content of all that made them: `$XDG_CACHE_HOME/hale`, mode 0700. An entry file names, for one target path, the
// files that were read with their hashes and the paths that were looked at; the object is the executable. A warm run reads the entry,
// hashes the files and copies the object, and never loads the compiler.
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { CompiledProgram } from "./compile-outcome.ts";
import type { CompileMode } from "./compiler.ts";
import { makeDirectory } from "./source-files.ts";
import { toolchainIdentity } from "./toolchain.ts";

/** What one compilation depended on, and what it said. */
interface Entry {
  readonly reads: readonly (readonly [path: string, hash: string])[];
  readonly probes: readonly (readonly [path: string, state: string])[];
  readonly object: string;
  readonly size: number;
  /** Rendered, for `hale run`, which shows warnings. */
  readonly warnings: string;
}

export interface CachedExecutable {
  readonly warnings: string;
}

export class CompileCache {
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  /** The cache of this user; undefined when it is switched off or there is no safe place for it. */
  static open(): CompileCache | undefined {
    if (process.env["HALE_CACHE"] === "off") return undefined;
    const root = cacheRoot();
    try {
      for (const directory of [root, path.join(root, "entries"), path.join(root, "objects")]) {
        makeDirectory(directory, 0o700);
      }
      const stat = lstatSync(root);
      if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return undefined;
      if ((stat.mode & 0o777) !== 0o700) chmodSync(root, 0o700);
      return new CompileCache(root);
    } catch {
      return undefined;
    }
  }

  /** Copies the executable of an unchanged program to `destination`; undefined when it has to be compiled. */
  fetch(target: string, mode: CompileMode, destination: string): CachedExecutable | undefined {
    const entryFile = this.#entryFile(target, mode);
    const entry = readEntry(entryFile);
    if (!entry || !isCurrent(entry)) return undefined;
    const object = path.join(this.#root, "objects", entry.object);
    try {
      copyFileSync(object, destination);
      if (statSync(destination).size !== entry.size) return undefined;
      chmodSync(destination, 0o700);
      // What is in use is not pruned.
      const now = new Date();
      for (const file of [object, entryFile]) utimesSync(file, now, now);
      return { warnings: entry.warnings };
    } catch {
      return undefined;
    }
  }

  /** Keeps what a compilation has made. A cache that cannot be written is no failure of the compilation. */
  store(target: string, mode: CompileMode, compiled: CompiledProgram): void {
    try {
      const { reads, executable, warnings } = compiled;
      const probes = compiled.probes.map((probe) => [probe, stateOf(probe)] as const);
      const object = hashOf(JSON.stringify([toolchainIdentity(), mode.target, mode.profile, target, reads, probes]));
      write(path.join(this.#root, "objects", object), executable);
      const entry: Entry = { reads, probes, object, size: executable.length, warnings };
      write(this.#entryFile(target, mode), JSON.stringify(entry));
    } catch {}
  }

  /** Removes what has not been used for long, at most once a day, one process at a time. */
  async prune(): Promise<void> {
    const marker = path.join(this.#root, "pruned");
    const last = statSync(marker, { throwIfNoEntry: false });
    if (last && Date.now() - last.mtimeMs < PRUNE_INTERVAL_MS) return;
    try {
      writeFileSync(marker, "");
      const { lock } = await import("proper-lockfile");
      const release = await lock(marker, { realpath: false, retries: 0 });
      for (const part of ["objects", "entries"]) pruneDirectory(path.join(this.#root, part));
      await release();
    } catch {}
  }

  #entryFile(target: string, mode: CompileMode): string {
    return path.join(this.#root, "entries", entryName(target, mode));
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;
const PRUNE_INTERVAL_MS = DAY_MS;
const KEEP_MS = 14 * DAY_MS;
const KEEP_BYTES = 512 * 1024 * 1024;

function cacheRoot(): string {
  const base = process.env["XDG_CACHE_HOME"];
  // A relative path there is to be ignored (XDG Base Directory Specification).
  return path.join(base && path.isAbsolute(base) ? base : path.join(homedir(), ".cache"), "hale");
}

function entryName(target: string, { target: to, profile, advisories }: CompileMode): string {
  return hashOf(JSON.stringify([toolchainIdentity(), to, profile, advisories ?? false, target]));
}

function readEntry(file: string): Entry | undefined {
  try {
    const entry: Entry = JSON.parse(readFileSync(file, "utf8"));
    return entry;
  } catch {
    return undefined;
  }
}

/** Readers see the old file, the new one or none. */
function write(file: string, contents: Uint8Array | string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, contents, { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    // A part of it would take the room that a full disk has left.
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Whether every file and every path is as it was. Contents decide, times do not. */
function isCurrent(entry: Entry): boolean {
  try {
    return (
      entry.reads.every(([file, hash]) => hashOf(readFileSync(file)) === hash) &&
      entry.probes.every(([probe, state]) => stateOf(probe) === state)
    );
  } catch {
    return false;
  }
}

/** What stands at a path, as far as imports can tell: nothing, a file, or a directory with these sources. */
function stateOf(probe: string): string {
  const stat = statSync(probe, { throwIfNoEntry: false });
  if (!stat) return "";
  // A link may come to lead elsewhere.
  const real = realpathSync.native(probe);
  if (!stat.isDirectory()) return `file ${real}`;
  const sources = readdirSync(probe).filter((name) => name.endsWith(".hl"));
  return `directory ${real} ${JSON.stringify(sources.sort())}`;
}

function hashOf(contents: Uint8Array | string): string {
  return createHash("sha256").update(contents).digest("hex");
}

/** Drops what is old, then the least recently used until the rest is small enough. */
function pruneDirectory(directory: string): void {
  const files = readdirSync(directory).flatMap((name) => {
    const file = path.join(directory, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat ? [{ file, size: stat.size, used: stat.mtimeMs }] : [];
  });
  files.sort((a, b) => b.used - a.used);
  let kept = 0;
  for (const { file, size, used } of files) {
    kept += size;
    if (kept <= KEEP_BYTES && Date.now() - used < KEEP_MS) continue;
    try {
      unlinkSync(file);
    } catch {}
  }
}
