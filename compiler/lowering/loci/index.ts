// Room inside the lowering: loci at run time. Literals and ownership, lifecycle, failures, the bus.
// In:  typed nodes that concern loci, through the seam `LocusLowering`.
// Out: code in the function being written, descriptors and tables in static data.
import type { LocusType, TypedFunction, TypedProgram, TypedStmt } from "../../semantics/index.ts";
import type { LocusLowering } from "../locus-lowering.ts";
import { checkIsSet } from "./early.ts";
import { forEachChild, pushChildren, pushDraining } from "./children.ts";
import { checkExplicitClosures, pushAccumulator } from "./closures.ts";
import { recover, terminate, violate } from "./failure.ts";
import { collectingTerminal, forEachInChain, forEachInForm, pushFormCall } from "./forms.ts";
import { adoptResult, beginFrame, endFrame, frameHasTeardown } from "./frames.ts";
import { assignHandle, pushLiteral } from "./literals.ts";
import { pushPerspectiveCall, releaseSlots, reperspective } from "./perspectives.ts";
import { send, yieldNow } from "./sends.ts";
import { BusGraph } from "./channels.ts";
import { Positions } from "./positions.ts";
import { isThreaded, sharesMemory, watchesFromStart, retainHandleFunction } from "./threads.ts";
import { membersOf } from "./walk-functions.ts";

export const lociLowering: LocusLowering = {
  beginFrame,
  endFrame,
  frameHasTeardown,
  endStatement: () => undefined,
  checkIsSet,
  pushLiteral,
  adoptResult,
  assignHandle,
  pushPerspectiveCall,
  pushFormCall,
  forEachInChain,
  collectingTerminal,
  pushDraining,
  pushChildren,
  checkClosures: (fn, expr) => {
    const locus = fn.fn?.self;
    if (!locus) throw new Error(`check_closures outside a locus at ${expr.span.start}`);
    checkExplicitClosures(fn, locus);
  },
  pushAccumulator,
  forEach: (fn, source, local, body) => {
    if (source.kind === "children") forEachChild(fn, source, local, body);
    else forEachInForm(fn, source, local, body);
  },
  send,
  yield: yieldNow,
  terminate,
  violate,
  recovery: recover,
  reperspective,
  waitDisposition: () => {
    throw new Error("`or wait` stands only behind a send");
  },
  releaseHandleFunction: (program) => program.runtimeFunction("locus_release"),
  retainHandleFunction,
  beginProgram: (fn) => {
    fn.program.sharesMemory = sharesMemory(fn.program.program);
    if (watchesFromStart(fn.program.program)) fn.code.call(fn.program.runtimeFunction("signals_watch"));
  },
  endProgram: releaseSlots,
  startsThreads: isThreaded,
  implicitFunctions: implicitFunctionsOf,
  directHandlers: directHandlersOf,
};

/** Everything of a locus may run without being called by name. */
function implicitFunctionsOf(locus: LocusType): readonly TypedFunction[] {
  return membersOf(locus);
}

function directHandlersOf(
  program: TypedProgram,
): (send: TypedStmt, sender: TypedFunction) => TypedFunction | undefined {
  const bus = new BusGraph(program);
  return (send, sender) => {
    if (send.kind !== "send" || send.subject.kind !== "topic") return undefined;
    const direct = bus.direct(send.subject.topic);
    if (!direct || direct.sender !== sender.self || new Positions(sender).isInsideLet(send)) return undefined;
    return direct.subscription.handler;
  };
}
