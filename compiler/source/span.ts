import type { SourceFile } from "./source-file.ts";

/** A piece of one file's text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** The span of `file` from `start` to `end` (UTF-16 offsets, `end` exclusive). */
export function spanFrom(file: SourceFile, start: number, end: number): Span {
  return { file, start, end };
}
