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
    message: span?.file.isStd ? inLibrary(diagnostic.message, span) : diagnostic.message,
  };
  const related = (diagnostic.related ?? []).map(({ span: other, note }) => ({
    ...jsonPlace(other),
    note: other.file.isStd ? inLibrary(note, other) : note,
  }));
  if (related.length > 0) record["related"] = related;
  return toJson(record);
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
  const at = span.file.positionAt(span.start);
  const text = span.file.lineText(at.line);
  if (text.trim() === "") return [];
  const characters = [...text];
  // Bytes of the marked text, cut at the line's end (11.1, text form, rule 3).
  const length = new TextEncoder().encode(span.file.text.slice(span.start, span.end)).length;
  const column = at.column - 1;
  const first = characters.length <= FRAME_WIDTH ? 0 : Math.max(0, column - FRAME_BEFORE);
  const last = characters.length <= FRAME_WIDTH ? characters.length : Math.min(characters.length, first + FRAME_WIDTH);
  const lead = first > 0 ? "…" : "";
  const rest = last < characters.length ? "…" : "";
  const before = [...lead, ...characters.slice(first, column)].map((c) => (c === "\t" ? "\t" : " "));
  const carets = Math.max(1, Math.min(length, last - column));
  return [`    ${lead}${characters.slice(first, last).join("")}${rest}`, `    ${before.join("")}${"^".repeat(carets)}`];
}

/** JSON with the escapes of 08 5.2: `\u00xx` for control characters other than newline, tab, carriage return. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(.)/g, (whole, letter) =>
    letter === "b" ? "\\u0008" : letter === "f" ? "\\u000c" : whole,
  );
}
