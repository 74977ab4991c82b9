// Perspectives (reference 05 5.15): one program-wide slot each, an instance and the code that answers for it.
import type { LocusType, PerspectiveType, TypedCall, TypedStmt } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { finishCall, pushArguments } from "../calls.ts";
import { evaluateAndDrop } from "./closures.ts";
import { isSeenEarly } from "./early.ts";
import type { FunctionContext } from "../function-context.ts";
import type { FailureTarget, Hold } from "../holds.ts";
import { leavesOf } from "../layout.ts";
import { type ProgramContext, resultTypes } from "../program-context.ts";
import { wordBytes } from "./descriptors.ts";
import { lociOfProgram } from "./program-loci.ts";
import { lineBlock } from "./subscriptions.ts";
import { isThreaded, retainHandleFunction } from "./threads.ts";

const { i32 } = ValueType;

const slots = new WeakMap<ProgramContext, Map<PerspectiveType, number>>();

/** Address of the slot: i32 instance (counted), i32 dispatch table. */
function slotOf(program: ProgramContext, perspective: PerspectiveType): number {
  let ofProgram = slots.get(program);
  if (!ofProgram) {
    ofProgram = new Map();
    slots.set(program, ofProgram);
  }
  let address = ofProgram.get(perspective);
  if (address === undefined) {
    address = program.data.add(new Uint8Array(8), 4);
    ofProgram.set(perspective, address);
  }
  return address;
}

/** The instance in the field is the perspective's from now on. Its type is known to the descriptor alone, so the dispatch table hangs there. */
export function designate(fn: FunctionContext, perspective: PerspectiveType, holder: number, offset: number): void {
  const { code, program } = fn;
  const slot = slotOf(program, perspective);
  const old = fn.temp(i32);
  // Every thread may call it.
  if (isThreaded(program.program)) code.call(program.runtimeFunction("share_counts"));
  code.i32(slot);
  code.load(i32, 0);
  code.set(old);
  code.i32(slot);
  code.get(holder);
  code.load(i32, offset);
  code.store(i32, 0);
  code.get(holder);
  code.load(i32, offset);
  code.call(retainHandleFunction(program));
  code.get(old);
  code.call(program.runtimeFunction("locus_release"));
  fn.freeTemp(old);
  chooseTable(fn, perspective, holder, offset, slot);
}

/** Stores the dispatch table for the instance's own type. */
function chooseTable(
  fn: FunctionContext,
  perspective: PerspectiveType,
  holder: number,
  offset: number,
  slot: number,
): void {
  const { code, program } = fn;
  for (const locus of servers(program, perspective)) {
    code.get(holder);
    code.load(i32, offset);
    code.load(i32, 0);
    code.load(i32, 0);
    code.i32(lociOfProgram(program).typeId(locus));
    code.op("i32.eq");
    code.if();
    code.i32(slot);
    code.i32(program.dispatchTable(perspective, locus));
    code.store(i32, 4);
    code.end();
  }
}

function servers(program: ProgramContext, perspective: PerspectiveType): readonly LocusType[] {
  return program.program.loci.filter((locus) => locus.serves.includes(perspective));
}

/** `self.r.m(x)`: the slot's present code on the slot's present state. */
export function pushPerspectiveCall(fn: FunctionContext, call: TypedCall, failure: FailureTarget | undefined): Hold {
  const { callee } = call;
  if (callee.kind !== "perspective") throw new Error("no perspective call");
  const { code, program } = fn;
  const { perspective } = callee;
  const method = perspective.methods[callee.method];
  if (!method) throw new Error(`no method ${callee.method}`);
  // Once the param is set, the slot is.
  const { receiver } = callee;
  const isSet =
    receiver.kind === "field" && receiver.receiver.kind === "self" && fn.fn?.self && !isSeenEarly(fn.fn.self);
  if (!isSet) evaluateAndDrop(fn, receiver);
  const slot = slotOf(program, perspective);
  const isReference = (position: number) => program.references.isMethodReference(perspective, callee.method, position);
  const state = code.local(i32);
  code.i32(slot);
  code.load(i32, 0);
  code.tee(state);
  code.call(retainHandleFunction(program));
  const cleanup = fn.addCleanup(() => {
    code.get(state);
    code.call(program.runtimeFunction("locus_release"));
  });
  code.get(state);
  const args = pushArguments(fn, call.args, isReference, true);
  code.i32(slot);
  code.load(i32, 4);
  code.load(i32, callee.method * 4);
  const params = method.params.flatMap((param, position) =>
    isReference(position) ? [i32] : leavesOf(param).map((leaf) => leaf.wasm),
  );
  fn.at(call.span);
  code.callIndirect(program.typeIndex([i32, ...params], resultTypes(method.result, method.fallible)));
  args.release();
  fn.removeCleanup(cleanup);
  cleanup.emit();
  return finishCall(fn, call, failure);
}

/** `reperspective self.f as Impl;`: other code on the same state, and other handlers for what is sent from now on. */
export function reperspective(fn: FunctionContext, stmt: TypedStmt & { readonly kind: "reperspective" }): void {
  const perspective = stmt.field.type;
  if (perspective.kind !== "perspective") throw new Error("not a perspective");
  const { code, program } = fn;
  const slot = slotOf(program, perspective);
  code.i32(slot);
  code.i32(program.dispatchTable(perspective, stmt.implementation));
  code.store(i32, 4);
  const { lines } = lociOfProgram(program).shapeOf(stmt.implementation);
  if (lines.length === 0) return;
  const blocks = lines.map((line) => lineBlock(program, line));
  code.i32(slot);
  code.load(i32, 0);
  code.i32(program.data.add(wordBytes([blocks.length, ...blocks]), 4));
  code.call(program.runtimeFunction("bus_redirect"));
}

/** At the end of the program: gives up what the slots hold. */
export function releaseSlots(fn: FunctionContext): void {
  for (const perspective of new Set(fn.program.program.loci.flatMap((locus) => locus.serves))) {
    fn.code.i32(slotOf(fn.program, perspective));
    fn.code.load(i32, 0);
    fn.code.call(fn.program.runtimeFunction("locus_release"));
  }
}
