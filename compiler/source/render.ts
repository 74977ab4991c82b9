import type { Diagnostic } from "./diagnostic.ts";
import type { Span } from "./span.ts";

/** A diagnostic as lines of text without a final line feed, in the layout of 08 5.1. Colours are the caller's business. */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const { span } = diagnostic;
  if (!span) return `${diagnostic.path ?? ""}: ${diagnostic.kind}: ${diagnostic.message}`;
  const lines = span.file.isStd
    ? [`    note: ${inLibrary(diagnostic.message, span)}`]
    : [`${placeOf(span)}: ${diagnostic.kind}: ${diagnostic.message}`, ...codeFrame(span)];
  for (const { span: at, note } of diagnostic.related ?? []) {
    lines.push(`    note: ${at.file.isStd ? inLibrary(note, at) : `${note} at ${placeOf(at)}`}`);
  }
  if (diagnostic.help !== undefined) lines.push(`    help: ${diagnostic.help}`);
  return lines.join("\n");
}

/** A diagnostic as one JSON object on one line (08 5.2). */
export function renderDiagnosticJson(diagnostic: Diagnostic): string {
  const { span } = diagnostic;
  const record: Record<string, unknown> = {
    ...(span ? jsonPlace(span) : { file: diagnostic.path ?? "", line: 0, col: 0 }),
    severity: diagnostic.severity,
    kind: diagnostic.kind,
    message: messageOf(diagnostic),
  };
  const related = (diagnostic.related ?? []).map(({ span: other, note }) => ({
    ...jsonPlace(other),
    note: other.file.isStd ? inLibrary(note, other) : note,
  }));
  if (related.length > 0) record["related"] = related;
  return toJson(record);
}

/** The message for a reader who is shown no place in the library: such a place stands in it. */
export function messageOf({ message, span }: Diagnostic): string {
  return span?.file.isStd ? inLibrary(message, span) : message;
}

/** A place in the library is no place in a user's file (reference 11 11.1, text form, rule 5). */
function inLibrary(message: string, span: Span): string {
  return `${message} (in the standard library, ${placeOf(span)})`;
}

function jsonPlace(span: Span): { readonly file: string; readonly line: number; readonly col: number } {
  if (span.file.isStd) return { file: "", line: 0, col: 0 };
  const at = span.file.positionAt(span.start);
  return { file: span.file.path, line: at.line, col: at.column };
}

function placeOf(span: Span): string {
  const at = span.file.positionAt(span.start);
  return `${span.file.path}:${at.line}:${at.column}`;
}

/** Characters of a source line that are shown; of a longer one, the part around what is marked. */
const FRAME_WIDTH = 160;
/** How many of them stand before the mark, if it leaves that many. */
const FRAME_BEFORE = 60;

/** The source line and the carets under the span's part of it; nothing for a blank line. */
function codeFrame(span: Span): string[] {
  const { file, start } = span;
  const { line } = file.positionAt(start);
  const text = file.lineText(line);
  if (!/\S/.test(text)) return [];
  const caret = Math.min(start - file.lineStart(line), text.length);
  // No character takes more than two units; a mark may be as long as its file.
  const marked = file.text.slice(start, Math.min(span.end, start + 2 * FRAME_WIDTH));
  const { first, last } = shownPart(text, caret, Math.min(text.length, caret + marked.length));
  const lead = first > 0 ? "…" : "";
  const rest = last < text.length ? "…" : "";
  const before = [...lead, ...text.slice(first, caret)].map((c) => (c === "\t" ? "\t" : " "));
  // Bytes of the marked text, cut at the line's end (11.1, text form, rule 3).
  const length = new TextEncoder().encode(marked).length;
  const carets = Math.max(1, Math.min(length, [...text.slice(caret, last)].length));
  return [`    ${lead}${text.slice(first, last)}${rest}`, `    ${before.join("")}${"^".repeat(carets)}`];
}

/** Which part of a line to show when `start` to `end` of it are marked: all that is marked, or as much of it as fits. */
function shownPart(text: string, start: number, end: number): { readonly first: number; readonly last: number } {
  if (forward(text, 0, FRAME_WIDTH) === text.length) return { first: 0, last: text.length };
  let room = FRAME_WIDTH;
  for (let at = start; at < end && room > 0; room--) at = forward(text, at, 1);
  const first = back(text, start, Math.min(room, FRAME_BEFORE));
  const last = forward(text, first, FRAME_WIDTH);
  // What the line's end leaves free goes to what stands before.
  return { first: last === text.length ? back(text, last, FRAME_WIDTH) : first, last };
}

/** The index that lies `count` characters (code points) behind `index`, at most the end. */
function forward(text: string, index: number, count: number): number {
  let at = index;
  for (let left = count; left > 0 && at < text.length; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** The index that lies `count` characters before `index`, at least 0. */
function back(text: string, index: number, count: number): number {
  let at = index;
  for (let left = count; left > 0 && at > 0; left--) at -= at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** JSON with the escapes of 08 5.2: `\u00xx` for control characters other than newline, tab, carriage return. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(.)/g, (whole, letter) =>
    letter === "b" ? "\\u0008" : letter === "f" ? "\\u000c" : whole,
  );
}
