/** 1-based; `column` counts Unicode code points (08 5.1). */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One file's text with an index of its lines. `path` is the canonical absolute path, or `std/...` for the library's own files. */
export class SourceFile {
  readonly path: string;
  readonly text: string;
  /** Part of the standard library: never shown as a place in a user's file (08 5.1 rule 5). */
  readonly isStd: boolean;
  #lineStarts: Int32Array | undefined;
  /** Whether some code point takes two UTF-16 units. */
  #isWide: boolean | undefined;

  constructor(path: string, text: string, isStd = false) {
    this.path = path;
    this.text = text;
    this.isStd = isStd;
  }

  /** Line and column of a UTF-16 offset; offsets beyond the text give its last position. */
  positionAt(offset: number): Position {
    const starts = this.#starts();
    const clamped = Math.max(0, Math.min(offset, this.text.length));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= clamped) low = middle;
      else high = middle - 1;
    }
    const lineStart = starts[low] ?? 0;
    this.#isWide ??= /[\ud800-\udfff]/.test(this.text);
    const before = this.#isWide ? codePointCount(this.text, lineStart, clamped) : clamped - lineStart;
    return { line: low + 1, column: before + 1 };
  }

  /** The UTF-16 offset at which a 1-based line begins. */
  lineStart(line: number): number {
    return this.#starts()[line - 1] ?? this.text.length;
  }

  /** The text of a 1-based line without its line feed; "" beyond the file. */
  lineText(line: number): string {
    const starts = this.#starts();
    const start = starts[line - 1];
    if (start === undefined) return "";
    const next = starts[line];
    const end = next === undefined ? this.text.length : next - 1;
    const text = this.text.slice(start, end);
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }

  #starts(): Int32Array {
    if (this.#lineStarts) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#lineStarts = Int32Array.from(starts);
    return this.#lineStarts;
  }
}

function codePointCount(text: string, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc00 && unit <= 0xdfff && i > start) continue;
    count++;
  }
  return count;
}
