// Room: whole-program analyses over the typed program, one file each.
// In:  a `TypedProgram`.
// Out: findings (diagnostics): broken laws and advisories, in the order of reference 11 11.1; reports for `check`.
// Never changes the program, never rejects what the checker accepted but through a finding.
export { analyse, type AnalysisOptions } from "./analyse.ts";
export { isLaw } from "./findings.ts";
