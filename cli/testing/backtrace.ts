/** A place in a source file: 1-based, columns in Unicode code points. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where a program failed, as it has written it to stderr (reference 12 12.2.4). */
export interface Backtrace {
  /** Innermost first, never empty. */
  readonly frames: readonly [Location, ...Location[]];
  /** The stderr text without the lines that say this. */
  readonly rest: string;
}

/** Finds the first `  at <file>:<line>:<col>` line and the `  called from` lines that follow it. */
export function findBacktrace(stderr: string): Backtrace | undefined {
  const lines = stderr.split("\n");
  const first = lines.findIndex((line) => frameOf(line, "at") !== undefined);
  const innermost = frameOf(lines[first] ?? "", "at");
  if (!innermost) return undefined;
  const frames: [Location, ...Location[]] = [innermost];
  let end = first + 1;
  for (; end < lines.length; end++) {
    const caller = frameOf(lines[end] ?? "", "called from");
    if (!caller) break;
    frames.push(caller);
  }
  // A deep recursion's frames are cut by the program.
  if (lines[end] === "  ...") end++;
  return { frames, rest: [...lines.slice(0, first), ...lines.slice(end)].join("\n") };
}

function frameOf(line: string, words: string): Location | undefined {
  const prefix = `  ${words} `;
  if (!line.startsWith(prefix)) return undefined;
  const match = /^(.+):(\d+):(\d+)$/.exec(line.slice(prefix.length));
  const [, file, row, column] = match ?? [];
  if (file === undefined) return undefined;
  return { file, line: Number(row), column: Number(column) };
}
