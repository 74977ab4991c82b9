// Frames: what a function owns, and what happens on its ways out (reference 05 5.4, 06 6.5).
import type { TypedCall, TypedExpr, TypedFunction } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import type { FunctionContext } from "../function-context.ts";
import { leavesOf } from "../layout.ts";
import type { FrameExit } from "../locus-lowering.ts";
import { isEmpty } from "./descriptors.ts";
import { canHoldLocus, type Positions } from "./positions.ts";
import { lociOf } from "./program-loci.ts";
import { isThreaded } from "./threads.ts";

const { i32 } = ValueType;

/** Flag of `locus_new` and `own_take`: the frame is `main`'s. */
const FOR_MAIN = -0x80000000;

interface Frame {
  readonly positions: Positions;
  /** The local with the height of the owned stack at entry; undefined when the function owns nothing. */
  readonly mark: number | undefined;
  /** For literals and calls in loops: the local with the instance of the time before. */
  readonly sites: Map<TypedExpr, number>;
  /** The instance that a literal is building. */
  readonly building: Map<TypedExpr, number>;
  /** In a function that builds from a plan: pushes a value that came with it; false for any other value. */
  readonly pushTransported?: (value: TypedExpr) => boolean;
}

const frames = new WeakMap<FunctionContext, Frame>();

/** The frame of a function; generated helpers have none. */
export function frameOf(fn: FunctionContext): Frame | undefined {
  let frame = frames.get(fn);
  if (!frame && fn.fn) {
    const positions = lociOf(fn).positionsIn(fn.fn);
    frame = {
      positions,
      mark: keepsInstances(fn.fn, positions) ? fn.code.local(i32) : undefined,
      sites: new Map(),
      building: new Map(),
    };
    frames.set(fn, frame);
  }
  return frame;
}

/** Gives a generated function that carries out a literal of another function what it needs to know of that. */
export function shareFrame(
  fn: FunctionContext,
  positions: Positions,
  building: Map<TypedExpr, number>,
  pushTransported: (value: TypedExpr) => boolean,
): void {
  frames.set(fn, { positions, mark: undefined, sites: new Map(), building, pushTransported });
}

/** The instances of a default's temporaries belong to the frame that builds the holder. */
function keepsInstances(fn: TypedFunction, positions: Positions): boolean {
  return positions.ownsInstances && fn.role !== "initialiser" && fn.role !== "const";
}

export function beginFrame(fn: FunctionContext): void {
  const mark = frameOf(fn)?.mark;
  if (mark === undefined || fn.isEntry) return;
  fn.code.globalGet(fn.program.runtimeGlobal("owned_height"));
  fn.code.set(mark);
}

/** Behind the pushed result: delivers where the exit is a drain point, ends what the frame owns, hands a returned instance on. */
export function endFrame(fn: FunctionContext, exit: FrameExit): void {
  const { code, program } = fn;
  if (fn.isEntry) {
    // Without loci nothing waits, runs elsewhere or is owned.
    if (program.program.loci.length > 0) code.call(program.runtimeFunction("process_end"));
    return;
  }
  const drains = isDrainingExit(fn, exit);
  if (drains) drainPoint(fn);
  const mark = frameOf(fn)?.mark;
  if (mark === undefined) return;
  const exitFunction = program.runtimeFunction(drains ? "own_exit_draining" : "own_exit");
  if (exit !== "fail" && fn.fn && canHoldLocus(fn.fn.result)) {
    handResultOn(fn, mark, exitFunction);
    return;
  }
  code.globalGet(program.runtimeGlobal("owned_height"));
  code.get(mark);
  code.op("i32.ne");
  code.if();
  code.get(mark);
  code.call(exitFunction);
  code.end();
}

/** The stack holds the result (a handle, of an interface with its table behind it) and perhaps a status. */
function handResultOn(fn: FunctionContext, mark: number, exitFunction: number): void {
  const { code, program } = fn;
  const above = [...leavesOf(fn.resultType).slice(1), ...(fn.fn?.fallible ? [undefined] : [])].map(() =>
    code.local(i32),
  );
  for (const local of above.toReversed()) code.set(local);
  const handle = code.local(i32);
  code.tee(handle);
  code.get(handle);
  code.get(mark);
  code.call(program.runtimeFunction("own_keep"));
  code.call(exitFunction);
  code.get(handle);
  code.get(mark);
  code.call(program.runtimeFunction("own_hand_over"));
  for (const local of above) code.get(local);
}

/** Whether leaving the function this way may run user code. */
export function frameHasTeardown(fn: FunctionContext): boolean {
  return fn.isEntry || frameOf(fn)?.mark !== undefined || isDrainingExit(fn, "fail");
}

/** Delivers what waits. */
export function drainPoint(fn: FunctionContext): void {
  if (!lociOf(fn).bus.hasSubscribers) return;
  const { code, program } = fn;
  // What other threads have left does not show in the count.
  if (isThreaded(program.program)) {
    code.call(program.runtimeFunction("bus_drain"));
    return;
  }
  code.globalGet(program.runtimeGlobal("bus_pending"));
  code.if();
  code.call(program.runtimeFunction("bus_drain"));
  code.end();
}

/** Which exits of which bodies drain: reference 06 6.5. */
function isDrainingExit(fn: FunctionContext, exit: FrameExit): boolean {
  const { fn: typed } = fn;
  if (!typed || !lociOf(fn).bus.hasSubscribers) return false;
  if (!isDrainingBody(typed, exit) || isEmpty(typed)) return false;
  return !lociOf(fn).purity.isPure(typed);
}

function isDrainingBody(fn: TypedFunction, exit: FrameExit): boolean {
  switch (fn.role) {
    case "free":
      return true;
    case "method":
    case "mode":
      if (fn.isHandler) return false;
      if (fn.fallible) return true;
      return (
        exit === "end" && (fn.body?.tail === undefined || (fn.result.kind === "primitive" && fn.result.name === "()"))
      );
    case "hook":
      return exit === "end";
    default:
      return false;
  }
}

/** The result of a call is on the stack: the frame takes over an instance that nobody owns. */
export function adoptResult(fn: FunctionContext, call: TypedCall): void {
  const frame = frameOf(fn);
  const position = frame?.positions.of(call) ?? { kind: "frame", loops: false };
  if (position.kind === "field" || position.kind === "assigned") return;
  const { code, program } = fn;
  const table = leavesOf(call.type).length > 1 ? code.local(i32) : undefined;
  if (table !== undefined) code.set(table);
  const handle = code.local(i32);
  code.tee(handle);
  code.get(handle);
  pushOwner(fn);
  code.i32(frameFlags(fn));
  code.call(program.runtimeFunction("own_take"));
  if (position.loops) {
    const site = siteOf(fn, call);
    code.if();
    code.get(site);
    code.call(program.runtimeFunction("own_end"));
    code.get(handle);
    code.set(site);
    code.end();
  } else code.op("drop");
  if (table !== undefined) code.get(table);
}

/** The local that remembers what was built at this place before. */
export function siteOf(fn: FunctionContext, expr: TypedExpr): number {
  const sites = frameOf(fn)?.sites;
  let site = sites?.get(expr);
  if (site === undefined) {
    site = fn.code.local(i32);
    sites?.set(expr, site);
  }
  return site;
}

/** The instance in whose body the code stands, or 0. */
export function pushOwner(fn: FunctionContext): void {
  if (hasSelf(fn)) fn.code.get(fn.self);
  else fn.code.i32(0);
}

export function hasSelf(fn: FunctionContext): boolean {
  return fn.fn?.self !== undefined;
}

export function frameFlags(fn: FunctionContext): number {
  return fn.isEntry ? FOR_MAIN : 0;
}
