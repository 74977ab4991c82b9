// What a program with several threads, or one that listens to signals, needs of its module.
import type { TypedFunction, TypedProgram } from "../../semantics/index.ts";
import type { ProgramContext } from "../program-context.ts";
import { isOffMain } from "./channels.ts";
import { someNode } from "./walk-functions.ts";

/** Some field of a main locus is placed on another thread. */
export function isThreaded(program: TypedProgram): boolean {
  return program.loci.some((locus) => locus.isMain && locus.placements.some(isOffMain));
}

/** The runtime function that counts one more reference to an instance: with threads an atomic one. */
export function retainHandleFunction(program: ProgramContext): number {
  return program.runtimeFunction(isThreaded(program.program) ? "locus_retain" : "retain");
}

/** Whether the module's memory must be shared: with other threads, or with the host, which notes signals in it. */
export function sharesMemory(program: TypedProgram): boolean {
  return isThreaded(program) || functionsOf(program).some(readsDraining);
}

/** `draining` is read outside the loci: the program watches for signals from its start. */
export function watchesFromStart(program: TypedProgram): boolean {
  return functionsOf(program).some((fn) => fn.self === undefined && readsDraining(fn));
}

function functionsOf(program: TypedProgram): readonly TypedFunction[] {
  return program.entry ? [program.entry, ...program.functions] : program.functions;
}

function readsDraining(fn: TypedFunction): boolean {
  return someNode(fn, { expr: (expr) => expr.kind === "draining" });
}
