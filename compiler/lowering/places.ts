// Places: variables, fields, elements. Reading them, and the two-step writing of assignments (indices first, address last: 04 9).
import type { ArrayType, Place, Type, TypedExpr } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { pushExpr } from "./expressions.ts";
import { Fact, factsOf } from "./facts.ts";
import type { FunctionContext } from "./function-context.ts";
import type { Hold, Want } from "./holds.ts";
import { layoutOf, locusLayout, strideOf } from "./layout.ts";
import { partOf, partStorage, type Storage } from "./storage.ts";
import { isCopiedDeeply, localAt, popInto, pushLeaf, pushStored, releaseStored, retainFunction } from "./values.ts";

/** A value that lies somewhere; `temps` are the short-lived locals that its address uses. */
interface Located {
  readonly storage: Storage;
  readonly hold: Hold;
  readonly temps: readonly number[];
}

/** Pushes the value of a place (or of a part of any expression). */
export function pushPlace(fn: FunctionContext, expr: TypedExpr, want: Want): Hold {
  const depth = fn.cleanupDepth;
  const located = locate(fn, expr);
  const layout = layoutOf(expr.type);
  // Something was made only to read from it: the part that is kept must be owned before the rest goes.
  const isTransient = fn.cleanupDepth > depth;
  const own = want === "own" || isTransient;
  fn.at(expr.span);
  pushStored(fn, located.storage, layout, own ? "own" : "any", isCopiedDeeply(expr.type));
  fn.popCleanups(depth);
  for (const temp of located.temps) fn.freeTemp(temp);
  if (!layout.counted) return "plain";
  return own ? "owned" : located.hold;
}

/**
 * Pushes the address of a record's leaves. What must be kept until the address has been used goes to the cleanups; answers the locals to free then.
 * @param later what may happen until then
 */
export function pushAddress(fn: FunctionContext, expr: TypedExpr, later: number): readonly number[] {
  const located = locate(fn, expr, later);
  let { storage } = located;
  if (storage.kind === "locals") {
    // (A part of) a fresh value: the callee may replace its references, so the memory has its own.
    const layout = layoutOf(expr.type);
    const slot = fn.frameSlot(expr.type);
    pushStored(fn, storage, layout, "own", false);
    popInto(fn, slot, layout);
    if (layout.counted) fn.addCleanup(() => releaseStored(fn, slot, layout));
    storage = slot;
  }
  fn.code.get(storage.base);
  if (storage.offset !== 0) {
    fn.code.i32(storage.offset);
    fn.code.op("i32.add");
  }
  return located.temps;
}

/** @param later what may happen, besides the evaluation of the place itself, while its address is in use */
function locate(fn: FunctionContext, expr: TypedExpr, later = 0): Located {
  switch (expr.kind) {
    case "local": {
      const storage = fn.storageOf(expr.local);
      const changes = expr.local.mutable || fn.program.references.changesInPart(expr.local);
      return { storage, hold: storage.kind === "memory" ? "memory" : changes ? "local" : "stable", temps: [] };
    }
    case "field":
    case "element":
      return locatePart(fn, expr, later);
    case "self":
      return { storage: { kind: "locals", locals: [fn.self] }, hold: "stable", temps: [] };
    case "index":
      return locateElement(fn, expr.receiver, expr.index, later);
    default:
      return locateValue(fn, expr);
  }
}

/** An expression that is no place: its value in locals, released by a cleanup. */
function locateValue(fn: FunctionContext, expr: TypedExpr): Located {
  const layout = layoutOf(expr.type);
  const hold = pushExpr(fn, expr, "any");
  const storage = fn.temps(layout.leaves);
  popInto(fn, storage, layout);
  if (hold === "owned") fn.addCleanup(() => releaseStored(fn, storage, layout));
  return { storage, hold, temps: storage.locals };
}

/** The one leaf of a located value (a handle, a cell's address) in a local. */
function pointerOf(
  fn: FunctionContext,
  located: Located,
  type: Type,
): { readonly base: number; readonly temps: readonly number[] } {
  if (located.storage.kind === "locals") return { base: localAt(located.storage, 0), temps: located.temps };
  const base = fn.temp(ValueType.i32);
  pushLeaf(fn, located.storage, layoutOf(type), 0);
  fn.code.set(base);
  return { base, temps: [...located.temps, base] };
}

type PartOf = TypedExpr & { readonly kind: "field" | "element" };

function locatePart(fn: FunctionContext, { receiver, index, span }: PartOf, later: number): Located {
  const located = locate(fn, receiver, later);
  const { type } = receiver;
  const isCell = type.kind === "locus" || (type.kind === "record" && layoutOf(type).box !== undefined);
  if (!isCell || !mayGo(located, later)) return stepInto(fn, located, type, index, span);
  const { base, temps } = pointerOf(fn, located, type);
  keepAlive(fn, base, type);
  return stepInto(fn, { storage: { kind: "locals", locals: [base] }, hold: "memory", temps }, type, index, span);
}

function locateElement(fn: FunctionContext, receiver: TypedExpr, index: TypedExpr, later: number): Located {
  const { type } = receiver;
  if (type.kind !== "array") throw new Error(`cannot index ${type.kind}`);
  const located = locate(fn, receiver, later);
  const array = pointerOf(fn, located, type);
  if (mayGo(located, factsOf(index) | later)) keepAlive(fn, array.base, type);
  const constant = constantIndex(index, type);
  if (constant !== undefined)
    return {
      storage: { kind: "memory", base: array.base, offset: constant * strideOf(type) },
      hold: "memory",
      temps: array.temps,
    };
  pushExpr(fn, index, "any");
  fn.at(index.span);
  const element = pushElementAddress(fn, array.base, type, isAlwaysInRange(fn, index, type));
  return { storage: { kind: "memory", base: element, offset: 0 }, hold: "memory", temps: [...array.temps, element] };
}

/** Whether what happens may take the last reference to a cell away. */
function mayGo({ hold }: Located, facts: number): boolean {
  return hold !== "stable" && hold !== "owned" && (facts & (Fact.writes | Fact.assigns)) !== 0;
}

/** Holds a cell or an instance until the cleanups above are written: evaluating what follows might take the last other reference away. */
function keepAlive(fn: FunctionContext, cell: number, type: Type): void {
  const [leaf] = layoutOf(type).leaves;
  if (!leaf?.reference) throw new Error(`${type.kind} is not counted`);
  const kept = fn.code.local(ValueType.i32);
  fn.code.get(cell);
  fn.code.tee(kept);
  fn.code.call(retainFunction(fn.program, leaf.reference));
  fn.addCleanup(() => releaseStored(fn, { kind: "locals", locals: [kept] }, layoutOf(type)));
}

/** The value of an index that needs no check. */
function constantIndex(index: TypedExpr, type: ArrayType): number | undefined {
  if (index.kind !== "int" || index.value < 0n || type.length === undefined || index.value >= BigInt(type.length))
    return undefined;
  return Number(index.value);
}

/** Pops an index, checks it, and answers a local with the element's address. Faults out of range (04 17). */
export function pushElementAddress(fn: FunctionContext, array: number, type: ArrayType, isInRange: boolean): number {
  const { code } = fn;
  if (!isInRange) checkIndex(fn, BigInt(type.length ?? 0));
  const element = fn.temp(ValueType.i32);
  code.op("i32.wrap_i64");
  scale(fn, strideOf(type));
  code.get(array);
  code.op("i32.add");
  code.set(element);
  return element;
}

/** Keeps the index on the stack, or ends the process when it is no index of an array of this length. */
function checkIndex(fn: FunctionContext, length: bigint): void {
  const { code } = fn;
  const index = fn.temp(ValueType.i64);
  code.tee(index);
  code.i64(length);
  code.op("i64.ge_u");
  code.if();
  code.get(index);
  code.i64(length);
  code.call(fn.program.runtimeFunction("panic_index"));
  code.unreachable();
  code.end();
  code.get(index);
  fn.freeTemp(index);
}

/** The loop variable of a range that lies within the array. */
function isAlwaysInRange(fn: FunctionContext, index: TypedExpr, type: ArrayType): boolean {
  if (index.kind !== "local") return false;
  const limits = fn.limitsOf(index.local);
  return limits !== undefined && limits.low >= 0n && limits.high < BigInt(type.length ?? 0);
}

/** Multiplies the i32 on the stack by a stride. */
export function scale(fn: FunctionContext, stride: number): void {
  if (stride === 1) return;
  const shift = 31 - Math.clz32(stride);
  if (stride === 1 << shift) {
    fn.code.i32(shift);
    fn.code.op("i32.shl");
  } else {
    fn.code.i32(stride);
    fn.code.op("i32.mul");
  }
}

/** A place whose indices have been evaluated: `open` computes its address. */
export interface PreparedPlace {
  /** Writes the address computation and answers where the value lies, and short-lived locals to free afterwards. */
  open(): { readonly storage: Storage; readonly temps: readonly number[] };
  /** Ends what `prepare` started (frees locals, releases an owned base). */
  close(): void;
}

/** Evaluates the handles and index expressions of a place, left to right (04 5.2). */
export function preparePlace(fn: FunctionContext, place: Place): PreparedPlace {
  if (place.kind === "local") {
    const storage = fn.storageOf(place.local);
    return { open: () => ({ storage, temps: [] }), close: () => {} };
  }
  const depth = fn.cleanupDepth;
  const held: number[] = [];
  const steps: Step[] = [];
  const root = prepareBase(fn, place.base, steps, held);
  if (place.kind === "field") steps.push({ kind: "part", type: place.base.type, index: place.index, span: undefined });
  else steps.push(prepareIndex(fn, place.base.type, place.index, held));
  return {
    open: () => walk(fn, root, steps),
    close: () => {
      fn.popCleanups(depth);
      for (const local of held) fn.freeTemp(local);
    },
  };
}

type Step =
  /** `span`: where it is read; missing for the place that is written. */
  | { readonly kind: "part"; readonly type: Type; readonly index: number; readonly span: TypedExpr["span"] | undefined }
  /** `index`: a local with the index, or a constant in range. */
  | {
      readonly kind: "element";
      readonly type: ArrayType;
      readonly local: number | undefined;
      readonly constant: number;
      readonly isInRange: boolean;
      readonly span: TypedExpr["span"];
    };

type Root = { readonly storage: Storage; readonly type: Type };

function prepareBase(fn: FunctionContext, expr: TypedExpr, steps: Step[], held: number[]): Root {
  if (expr.kind === "field" || expr.kind === "element") {
    const root = prepareBase(fn, expr.receiver, steps, held);
    steps.push({ kind: "part", type: expr.receiver.type, index: expr.index, span: expr.span });
    return root;
  }
  if (expr.kind === "index") {
    const root = prepareBase(fn, expr.receiver, steps, held);
    steps.push(prepareIndex(fn, expr.receiver.type, expr.index, held));
    return root;
  }
  if (expr.kind === "local") return { storage: fn.storageOf(expr.local), type: expr.type };
  if (expr.kind === "self") return { storage: { kind: "locals", locals: [fn.self] }, type: expr.type };
  const located = locateValue(fn, expr);
  held.push(...located.temps);
  return { storage: located.storage, type: expr.type };
}

function prepareIndex(fn: FunctionContext, type: Type, index: TypedExpr, held: number[]): Step {
  if (type.kind !== "array") throw new Error(`cannot index ${type.kind}`);
  const constant = constantIndex(index, type);
  if (constant !== undefined)
    return { kind: "element", type, local: undefined, constant, isInRange: true, span: index.span };
  const isInRange = isAlwaysInRange(fn, index, type);
  const local = fn.temp(ValueType.i64);
  held.push(local);
  pushExpr(fn, index, "any");
  fn.code.set(local);
  return { kind: "element", type, local, constant: 0, isInRange, span: index.span };
}

function walk(fn: FunctionContext, root: Root, steps: readonly Step[]): { storage: Storage; temps: readonly number[] } {
  let at: Located = { storage: root.storage, hold: "memory", temps: [] };
  for (const step of steps)
    at = step.kind === "part" ? stepInto(fn, at, step.type, step.index, step.span) : stepTo(fn, at, step);
  return at;
}

function stepInto(
  fn: FunctionContext,
  at: Located,
  type: Type,
  index: number,
  readAt: TypedExpr["span"] | undefined,
): Located {
  if (type.kind === "locus") {
    const { base, temps } = pointerOf(fn, at, type);
    const storage: Storage = { kind: "memory", base, offset: partOf(locusLayout(type), index).offset };
    if (readAt) fn.program.loci.checkIsSet(fn, type, index, storage, readAt);
    return { storage, hold: "memory", temps };
  }
  if (type.kind === "cell") {
    const cell = pointerOf(fn, at, type);
    return stepInto(
      fn,
      { storage: { kind: "memory", base: cell.base, offset: 0 }, hold: "memory", temps: cell.temps },
      type.element,
      index,
      readAt,
    );
  }
  const layout = layoutOf(type);
  const part = partOf(layout, index);
  if (!layout.box) return { ...at, storage: partStorage(at.storage, part) };
  const { base, temps } = pointerOf(fn, at, type);
  return { storage: { kind: "memory", base, offset: part.offset }, hold: "memory", temps };
}

function stepTo(fn: FunctionContext, at: Located, step: Step & { readonly kind: "element" }): Located {
  const array = pointerOf(fn, at, step.type);
  if (step.local === undefined)
    return {
      storage: { kind: "memory", base: array.base, offset: step.constant * strideOf(step.type) },
      hold: "memory",
      temps: array.temps,
    };
  fn.at(step.span);
  fn.code.get(step.local);
  const element = pushElementAddress(fn, array.base, step.type, step.isInRange);
  return { storage: { kind: "memory", base: element, offset: 0 }, hold: "memory", temps: [...array.temps, element] };
}
