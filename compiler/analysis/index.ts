// Room: whole-program analyses over the typed program, one file each.
// In:  a `TypedProgram`.
// Out: findings (diagnostics): broken laws and advisories, in the order of reference 11 11.1; reports for `check`.
// Never changes the program, never rejects what the checker accepted but through a finding.
export { analyse, analyseBeside, analyseContracts, type AnalysisOptions } from "./analyse.ts";
export { closuresOf as constitutionDigests } from "./claims/index.ts";
export { isLaw } from "./findings.ts";
export { allocationSummary } from "./reports/allocation-summary.ts";
export { effectsManifest } from "./reports/effects-manifest.ts";
export { flows } from "./reports/flows.ts";
export { liveEffects } from "./reports/live-effects.ts";
export { localityOf, type LocusSize } from "./reports/locality.ts";
export { programShape } from "./reports/shape.ts";
export { type ResourceBudget, resourceBudget } from "./reports/resource-budget.ts";
export { sealability } from "./reports/sealability.ts";
export { shapeOfArtifact, type Topology, topology } from "./reports/topology.ts";
