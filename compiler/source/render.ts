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

/** Characters of a source line that are shown; of a longer one, the part around the caret. */
const FRAME_WIDTH = 160;
/** How many of them stand before the caret of a clipped line. */
const FRAME_BEFORE = 60;

/** The source line and the carets under the span's part of it; nothing for a blank line. */
function codeFrame(span: Span): string[] {
  const { file, start } = span;
  const { line } = file.positionAt(start);
  const text = file.lineText(line);
  if (!/\S/.test(text)) return [];
  const caret = start - file.lineStart(line);
  const isClipped = text.length > FRAME_WIDTH;
  const first = isClipped ? characterAt(text, Math.max(0, caret - FRAME_BEFORE)) : 0;
  const last = isClipped ? characterAt(text, Math.min(text.length, first + FRAME_WIDTH)) : text.length;
  const lead = first > 0 ? "…" : "";
  const rest = last < text.length ? "…" : "";
  const before = [...lead, ...text.slice(first, caret)].map((c) => (c === "\t" ? "\t" : " "));
  // Bytes of the marked text, cut at the line's end (11.1, text form, rule 3).
  const marked = file.text.slice(start, Math.min(span.end, start + FRAME_WIDTH));
  const length = new TextEncoder().encode(marked).length;
  const carets = Math.max(1, Math.min(length, [...text.slice(caret, last)].length));
  return [`    ${lead}${text.slice(first, last)}${rest}`, `    ${before.join("")}${"^".repeat(carets)}`];
}

/** An index that does not part a code point of two units. */
function characterAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
}

/** JSON with the escapes of 08 5.2: `\u00xx` for control characters other than newline, tab, carriage return. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(.)/g, (whole, letter) =>
    letter === "b" ? "\\u0008" : letter === "f" ? "\\u000c" : whole,
  );
}
