// The one walk over source trees: `test`, `fmt` and `check --workspace` look for their files with it.
import { isUtf8 } from "node:buffer";
import { type Dirent, type Stats, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { errorCode, systemMessage, visible } from "./output.ts";

/** A file that was found, or named on the command line. */
export interface FoundFile {
  /** The path with the spelling of the command line. */
  readonly shown: string;
  /** Absolute, symbolic links resolved: what records of other commands are joined by. */
  readonly canonical: string;
}

export interface Discovery {
  /** In byte order of their spelling, each file once. */
  readonly files: readonly FoundFile[];
  /** What could not be looked at, one line each. */
  readonly problems: readonly string[];
}

export interface Wanted {
  /** By name, of the files in directories. */
  readonly file: (name: string) => boolean;
  /** Directories that are passed over, besides those that begin with a dot. */
  readonly skipped: readonly string[];
}

/**
 * Finds the wanted files below `targets`: directories, searched recursively, and files, taken whatever their name. The empty target
 * is the current directory, with nothing before the names in it. Reads names only, never a file.
 */
export function findFiles(targets: readonly string[], wanted: Wanted): Discovery {
  const search = new Search(wanted);
  for (const target of targets) search.target(target);
  return { files: search.settle(), problems: search.problems };
}

/** The order of the bytes of two texts in UTF-8; `<` would compare UTF-16 units. */
export function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

interface Candidate {
  readonly shown: string;
  /** Some part of the path below the target is a symbolic link. */
  readonly linked: boolean;
}

class Search {
  readonly problems: string[] = [];
  readonly #candidates: Candidate[] = [];
  /** `dev:ino` of every directory that has been entered below the present target. */
  readonly #entered = new Set<string>();
  /** Links to directories are entered last, so that a directory is reported under its own name when that is in reach. */
  readonly #links: string[] = [];
  readonly #wanted: Wanted;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  target(shown: string): void {
    this.#entered.clear();
    try {
      const stat = statSync(shown || ".");
      if (stat.isDirectory()) this.#walk(shown, false);
      else this.#file(shown, stat.isFile(), false);
    } catch (error) {
      this.#cannotRead(shown, error);
    }
    for (let link = this.#links.shift(); link !== undefined; link = this.#links.shift()) this.#walk(link, true);
  }

  /** The files in byte order. Which spelling of a file counts: one without links, then the first. */
  settle(): FoundFile[] {
    const rank = (a: Candidate, b: Candidate): number =>
      Number(a.linked) - Number(b.linked) || byteOrder(a.shown, b.shown);
    const byCanonical = new Map<string, FoundFile>();
    for (const { shown } of this.#candidates.sort(rank)) {
      const canonical = this.#canonical(shown);
      if (canonical !== undefined && !byCanonical.has(canonical)) byCanonical.set(canonical, { shown, canonical });
    }
    return [...byCanonical.values()].sort((a, b) => byteOrder(a.shown, b.shown));
  }

  #isSkipped(name: string): boolean {
    return name.startsWith(".") || this.#wanted.skipped.includes(name);
  }

  #canonical(shown: string): string | undefined {
    try {
      return realpathSync.native(shown);
    } catch (error) {
      this.#cannotRead(shown, error);
      return undefined;
    }
  }

  #walk(root: string, linked: boolean): void {
    const open = [root];
    for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
      const below = this.#enter(directory, linked);
      open.push(...below.reverse());
    }
  }

  /** Takes a directory's tests and returns its subdirectories. */
  #enter(directory: string, linked: boolean): string[] {
    const below: string[] = [];
    try {
      const { dev, ino } = statSync(directory || ".", { bigint: true });
      const identity = `${dev}:${ino}`;
      if (this.#entered.has(identity)) return below;
      this.#entered.add(identity);
      for (const entry of entriesOf(directory || ".")) this.#entry(directory, entry, linked, below);
    } catch (error) {
      this.#cannotRead(directory, error);
    }
    return below;
  }

  #entry(directory: string, entry: Dirent | NotText, linked: boolean, below: string[]): void {
    const shown = join(directory, entry.name);
    if (entry instanceof NotText) {
      if (entry.isDirectory || this.#wanted.file(entry.name)) this.#problem(shown, "the name is not valid UTF-8");
    } else if (entry.isDirectory()) {
      if (!this.#isSkipped(entry.name)) below.push(shown);
    } else if (entry.isSymbolicLink()) {
      this.#link(shown, entry.name);
    } else if (this.#wanted.file(entry.name)) {
      this.#file(shown, entry.isFile(), linked);
    }
  }

  #file(shown: string, isRegular: boolean, linked: boolean): void {
    if (isRegular) this.#candidates.push({ shown, linked });
    else this.#problem(shown, "not a regular file");
  }

  #link(shown: string, name: string): void {
    try {
      const stat = statSync(shown);
      if (stat.isDirectory()) {
        if (!this.#isSkipped(name)) this.#links.push(shown);
      } else if (this.#wanted.file(name)) {
        this.#file(shown, stat.isFile(), true);
      }
    } catch (error) {
      // A link that leads nowhere hides nothing, unless it should have been a test.
      if (this.#wanted.file(name) || !["ENOENT", "ENOTDIR", "ELOOP"].includes(errorCode(error)))
        this.#cannotRead(shown, error);
    }
  }

  #cannotRead(shown: string, error: unknown): void {
    this.#problem(shown, systemMessage(error));
  }

  #problem(shown: string, words: string): void {
    this.problems.push(`could not read ${visible(shown || ".")}: ${words}`);
  }
}

/** A name that is no text: it can be shown, but not used. */
class NotText {
  readonly name: string;
  readonly isDirectory: boolean;

  constructor(name: string, isDirectory: boolean) {
    this.name = name;
    this.isDirectory = isDirectory;
  }
}

/** The entries of a directory in byte order of their names. */
function entriesOf(directory: string): (Dirent | NotText)[] {
  const entries: (Dirent | NotText)[] = readdirSync(directory, { withFileTypes: true });
  entries.sort((a, b) => byteOrder(a.name, b.name));
  // U+FFFD in a name: either the character itself or bytes that are no UTF-8; the raw names tell.
  if (!entries.some((entry) => entry.name.includes("\ufffd"))) return entries;
  const raw = new Set(
    readdirSync(directory, { encoding: "buffer" })
      .filter((name) => !isUtf8(name))
      .map(String),
  );
  return entries.map((entry) =>
    !(entry instanceof NotText) && raw.has(entry.name) ? new NotText(entry.name, entry.isDirectory()) : entry,
  );
}

/** Joins without touching the spelling: `.` and `a` give `./a`, the empty target and `a` give `a`. */
function join(directory: string, name: string): string {
  if (directory === "" || directory.endsWith("/")) return directory + name;
  return `${directory}/${name}`;
}

/** What stands at a path; undefined for nothing, or for what cannot be looked at: a loop of symbolic links, a name that is too long. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Makes a directory and those above it. (Node's own `recursive` never comes back from places like /proc where nothing can be made.) */
export function makeDirectory(directory: string, mode = 0o777): void {
  const there = statOf(directory);
  if (there?.isDirectory()) return;
  if (there) throw new Error(`${directory} is not a directory`);
  const parent = path.dirname(directory);
  if (parent !== directory) makeDirectory(parent, mode);
  try {
    mkdirSync(directory, mode);
  } catch (error) {
    if (!statOf(directory)?.isDirectory()) throw error;
  }
}

/** The path with symbolic links resolved; the path itself where the system does not tell: whoever opens it tells why. */
export function canonicalPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}
