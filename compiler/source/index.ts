// Room: source text and diagnostics.
// In:  file paths and file texts.
// Out: `SourceFile` (text + line index), `Span`, `Diagnostic` values and their renderings.
// Never reads the disk, never prints, never knows Hale's grammar.
export { SourceFile, type Position } from "./source-file.ts";
export { type Span, spanFrom } from "./span.ts";
export {
  type Diagnostic,
  type DiagnosticKind,
  type RelatedNote,
  type Severity,
  DiagnosticBag,
} from "./diagnostic.ts";
export { messageOf, renderDiagnostic, renderDiagnosticJson } from "./render.ts";
export { nearestName } from "./did-you-mean.ts";
