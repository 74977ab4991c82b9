// Where loci meet the containers of reference 07: calls of their methods and of capacity slots.
import type { TypedCall } from "../../semantics/index.ts";
import { pushFormMethod } from "../forms/calls.ts";
import type { FunctionContext } from "../function-context.ts";
import type { FailureTarget, Hold } from "../holds.ts";
import { pushSlotCall } from "./slots.ts";

export { collectingTerminal, dropForm, forEachInChain, forEachInForm } from "../forms/walking.ts";

export function pushFormCall(fn: FunctionContext, call: TypedCall, failure: FailureTarget | undefined): Hold {
  if (call.callee.kind === "form" && call.callee.slot !== undefined) return pushSlotCall(fn, call, call.callee);
  return pushFormMethod(fn, call, failure);
}
