// The compiler's one door.
export {
  allocationSummary,
  type AnalysisOptions,
  constitutionDigests,
  effectsManifest,
  flows,
  liveEffects,
  localityOf,
  type LocusSize,
  programShape,
  type ResourceBudget,
  resourceBudget,
  sealability,
  shapeOfArtifact,
  type Topology,
  topology,
} from "./analysis/index.ts";
export { checkTarget, type CheckedProgram, type CheckOptions } from "./check-target.ts";
export { type CodeInfo, codeInfo, stdNamesNotYet } from "./semantics/index.ts";
export { type FileRead, readSource } from "./program/index.ts";
export type { Diagnostic, Position, Severity, Span } from "./source/index.ts";
export { messageOf, nearestName, renderDiagnostic, renderDiagnosticJson, SourceFile } from "./source/index.ts";
export { libraryFiles } from "./program/index.ts";
export {
  describeToken,
  type DocEntry,
  documentationOf,
  type FileAst,
  type FunctionDecl,
  formatSource,
  type FormatResult,
  lex,
  parseFile,
} from "./syntax/index.ts";
export {
  type Assets,
  type Compiled,
  compile,
  type CompileOptions,
  nativeProgram,
  type Profile,
  type Target,
  withNativeCode,
} from "./compile.ts";
