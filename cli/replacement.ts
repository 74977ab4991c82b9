// How a report gets its place: whole or not at all where a file is, and through it where something else is that takes bytes (`/dev/null`, a pipe).
import {
  accessSync,
  chmodSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemMessage } from "./output.ts";
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

/** A replacement of `file`, for those who may use that one. What a symbolic link leads to is replaced, not the link. */
export function replacementOf(file: string): Replacement | { readonly problem: string } {
  const there = statOf(file);
  if (file === "") return { problem: "no file name" };
  if (there?.isDirectory()) return { problem: `${file} is a directory` };
  // `hale doc -o main.hl`: the name that was forgotten is that of the report.
  if (there?.isFile() && file.endsWith(".hl")) return { problem: `${file} is a Hale source` };
  const isThrough = isWrittenThrough(file);
  const place = there?.isFile() ? realpathSync.native(file) : file;
  const directory = isThrough ? tmpdir() : path.dirname(place);
  const temporary = temporaryBeside(path.join(directory, path.basename(place)));
  const abandon = (): void => rmSync(temporary, { force: true });
  const commit = (): void => {
    if (!isThrough) {
      if (there) chmodSync(temporary, there.mode & 0o777);
      renameSync(temporary, place);
      return;
    }
    writeFileSync(file, readFileSync(temporary));
    abandon();
  };
  return { temporary, commit, abandon };
}

/** Why nothing could be put in the place of `file`, as far as that can be told before there is something to put there. */
export function placeProblem(file: string): string | undefined {
  const replacement = replacementOf(file);
  if ("problem" in replacement) return replacement.problem;
  try {
    accessSync(path.dirname(replacement.temporary), constants.W_OK);
    return undefined;
  } catch (error) {
    return systemMessage(error);
  }
}

/** Puts `text` in the place of `file`; answers what the system says when that cannot be. What was there stays then. */
export function replaceFile(file: string, text: string): string | undefined {
  const replacement = replacementOf(file);
  if ("problem" in replacement) return replacement.problem;
  try {
    writeFileSync(replacement.temporary, text);
    replacement.commit();
    return undefined;
  } catch (error) {
    replacement.abandon();
    return systemMessage(error);
  }
}

/** How much of a name goes into the name of its temporary file: with all of it, that of a long one would be too long for the system. */
const NAME_LENGTH = 60;

/** A hidden name of this process beside `place`, for what is to be renamed to it. */
export function temporaryBeside(place: string): string {
  return path.join(path.dirname(place), `.${path.basename(place).slice(0, NAME_LENGTH)}.${process.pid}.tmp`);
}
