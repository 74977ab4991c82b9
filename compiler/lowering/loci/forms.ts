// Where loci meet the containers of reference 07: storage inside the instance, methods, iteration, chains.
import type { Local, LocusType, TypedBlock, TypedCall, TypedExpr } from "../../semantics/index.ts";
import type { Terminal } from "../chains.ts";
import type { FunctionContext } from "../function-context.ts";
import type { FailureTarget, Hold } from "../holds.ts";
import { unsupported } from "../unsupported.ts";
import { pushSlotCall } from "./slots.ts";

/** In the drop function of a form locus: gives its elements back. */
export function dropForm(_fn: FunctionContext, locus: LocusType, _offset: number): void {
  unsupported(`@form locus ${locus.name}`, locus.span);
}

export function pushFormCall(fn: FunctionContext, call: TypedCall, _failure: FailureTarget | undefined): Hold {
  if (call.callee.kind === "form" && call.callee.slot !== undefined) return pushSlotCall(fn, call, call.callee);
  return unsupported("a call of a container's method", call.span);
}

export function forEachInChain(_fn: FunctionContext, source: TypedExpr, _item: Local, _round: () => void): void {
  unsupported("a chain over a container", source.span);
}

export function collectingTerminal(_fn: FunctionContext, expr: TypedExpr): Terminal {
  return unsupported("a chain into a container", expr.span);
}

export function forEachInForm(_fn: FunctionContext, source: TypedExpr, _local: Local | undefined, _body: TypedBlock): void {
  unsupported("a loop over a container", source.span);
}
