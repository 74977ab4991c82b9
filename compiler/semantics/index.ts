// Room: names, types, every language rule that rejects a program.
// In:  a loaded program (syntax trees of all its seeds, resolved imports).
// Out: `TypedProgram` and diagnostics.
// Never reads the disk, never knows WebAssembly, never throws for bad input.
export type * from "./types.ts";
export type * from "./typed.ts";
export { checkProgram, type CheckResult } from "./check.ts";
export { type Code, type CodeInfo, codeInfo } from "./codes.ts";
export { patternCovers } from "./bus-declaration.ts";
export { formMethodNames } from "./forms.ts";
export { stdNamesNotYet } from "./std-not-yet.ts";
export { neverReturns } from "./rules/construction.ts";
export { typeText } from "./type-text.ts";
export { type PartVisitor, visitExpr, visitPlace, visitStmt } from "./parts.ts";
export { walkBlock, walkExpr } from "./walk.ts";
