// How a report gets its place: whole or not at all where a file is, and through it where something else is that takes bytes (`/dev/null`, a pipe).
import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { statOf } from "./source-files.ts";

/** A file that is being written for the place of another. */
export interface Replacement {
  /** Where the contents are gathered. */
  readonly temporary: string;
  /** Gives them their place; throws what the system says. */
  commit(): void;
  abandon(): void;
}

/** Whether there is a place that takes bytes and is no file: a rename would put a file over it. */
export function isWrittenThrough(file: string): boolean {
  const there = statOf(file);
  return there !== undefined && !there.isFile() && !there.isDirectory();
}

/** A replacement of `file`. What a symbolic link leads to is replaced, not the link. */
export function replacementOf(file: string): Replacement | { readonly problem: string } {
  const there = statOf(file);
  if (file === "") return { problem: "no file name" };
  if (there?.isDirectory()) return { problem: `${file} is a directory` };
  const isThrough = isWrittenThrough(file);
  const place = there?.isFile() ? realpathSync.native(file) : file;
  const directory = isThrough ? tmpdir() : path.dirname(place);
  const temporary = path.join(directory, `.${path.basename(place)}.${process.pid}.tmp`);
  const abandon = (): void => rmSync(temporary, { force: true });
  const commit = (): void => {
    if (!isThrough) {
      renameSync(temporary, place);
      return;
    }
    writeFileSync(file, readFileSync(temporary));
    abandon();
  };
  return { temporary, commit, abandon };
}
