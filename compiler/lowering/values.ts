// Moving values between the wasm stack, locals and memory, with their references counted.
import type { Type } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import type { Cleanup, FunctionContext } from "./function-context.ts";
import { copyFunction, dropFunction, ownCells, replaceFunction } from "./cells.ts";
import type { Hold, Want } from "./holds.ts";
import { type Layout, type Leaf, type Reference, layoutOf } from "./layout.ts";
import type { ProgramContext } from "./program-context.ts";
import type { LocalsStorage, Storage } from "./storage.ts";

/** Pushes one leaf of a stored value, without counting it. */
export function pushLeaf(fn: FunctionContext, storage: Storage, layout: Layout, position: number): void {
  const leaf = leafAt(layout, position);
  if (storage.kind === "locals") fn.code.get(localAt(storage, position));
  else {
    fn.code.get(storage.base);
    fn.code.load(leaf.wasm, storage.offset + (layout.offsets[position] ?? 0));
  }
}

/**
 * Pushes a stored value. With `own` the pushed references are counted: text and handles are shared, and the cells of arrays and boxes are shared too unless `deep`, when
 * they are copied (what the language does with records: 03 15.2).
 */
export function pushStored(fn: FunctionContext, storage: Storage, layout: Layout, want: Want, deep: boolean): void {
  for (const [position, leaf] of layout.leaves.entries()) {
    pushLeaf(fn, storage, layout, position);
    if (want === "own" && leaf.reference) countPushed(fn, leaf.reference, deep);
  }
}

/** Turns the borrowed reference on the stack into an own one. */
export function countPushed(fn: FunctionContext, reference: Reference, deep: boolean): void {
  if (deep && reference.kind === "cell") {
    fn.code.call(copyFunction(fn.program, reference.type));
    return;
  }
  const temp = fn.temp(ValueType.i32);
  fn.code.tee(temp);
  fn.code.call(retainFunction(fn.program, reference));
  fn.code.get(temp);
  fn.freeTemp(temp);
}

/** The runtime function that counts one more reference. */
export function retainFunction(program: ProgramContext, reference: Reference): number {
  return reference.kind === "handle" ? program.loci.retainHandleFunction(program) : program.runtimeFunction("retain");
}

/** Whether an own copy of a value of this type, read from a place, copies its cells (records and what holds them) or shares them (arrays). */
export function isCopiedDeeply(type: Type): boolean {
  return type.kind === "record" || type.kind === "tuple" || type.kind === "enum";
}

/** Pops a value into storage that holds nothing yet. */
export function popInto(fn: FunctionContext, storage: Storage, layout: Layout): void {
  const { code } = fn;
  if (storage.kind === "locals") {
    for (let position = layout.leaves.length - 1; position >= 0; position--) code.set(localAt(storage, position));
    return;
  }
  for (let position = layout.leaves.length - 1; position >= 0; position--) {
    const { wasm } = leafAt(layout, position);
    const temp = fn.temp(wasm);
    code.set(temp);
    code.get(storage.base);
    code.get(temp);
    code.store(wasm, storage.offset + (layout.offsets[position] ?? 0));
    fn.freeTemp(temp);
  }
}

/** Pops an owned value into storage whose old value is released first. */
export function popOver(fn: FunctionContext, storage: Storage, layout: Layout): void {
  if (!layout.counted) {
    popInto(fn, storage, layout);
    return;
  }
  const { code } = fn;
  for (let position = layout.leaves.length - 1; position >= 0; position--) {
    const { wasm, reference } = leafAt(layout, position);
    const temp = fn.temp(wasm);
    code.set(temp);
    // The old reference goes last: dropping it may run into the place that is being written.
    const old = reference ? fn.temp(ValueType.i32) : undefined;
    if (old !== undefined) {
      pushLeaf(fn, storage, layout, position);
      code.set(old);
    }
    if (storage.kind === "locals") {
      code.get(temp);
      code.set(localAt(storage, position));
    } else {
      code.get(storage.base);
      code.get(temp);
      code.store(wasm, storage.offset + (layout.offsets[position] ?? 0));
    }
    if (old !== undefined && reference) {
      code.get(old);
      releasePushed(fn, reference);
      fn.freeTemp(old);
    }
    fn.freeTemp(temp);
  }
}

/**
 * `popOver` for a field or an element: records in cells of their own, and bounded buffers, keep their cells and get another content, so that who refers to
 * them sees it (03 15.4).
 */
export function popIntoPlace(fn: FunctionContext, storage: Storage, type: Type): void {
  const layout = layoutOf(type);
  const cells = ownCells(type);
  if (cells.length === 0) {
    popOver(fn, storage, layout);
    return;
  }
  const value = popToTemps(fn, layout);
  for (const cell of cells) {
    pushLeaf(fn, storage, layout, cell.leaf);
    fn.code.get(localAt(value, cell.leaf));
    fn.code.call(replaceFunction(fn.program, cell.type));
    fn.code.set(localAt(value, cell.leaf));
    // The place has handed its cell on: nothing is left to be released.
    fn.code.i32(0);
    popInto(fn, leafStorage(storage, layout, cell.leaf), layoutOf(cell.type));
  }
  pushStored(fn, value, layout, "any", false);
  fn.freeTemps(value);
  popOver(fn, storage, layout);
}

/** Where one leaf of a stored value lies. */
function leafStorage(storage: Storage, layout: Layout, position: number): Storage {
  if (storage.kind === "locals") return { kind: "locals", locals: [localAt(storage, position)] };
  return { ...storage, offset: storage.offset + (layout.offsets[position] ?? 0) };
}

/** Releases the reference on the stack. */
export function releasePushed(fn: FunctionContext, reference: Reference): void {
  fn.code.call(releaseFunction(fn, reference));
}

/** The function `(i32) -> ()` that gives a reference of this kind back. */
export function releaseFunction(fn: FunctionContext, reference: Reference): number {
  switch (reference.kind) {
    case "text":
      return fn.program.runtimeFunction("release");
    case "view":
      return fn.program.runtimeFunction("release_view");
    case "handle":
      return fn.program.loci.releaseHandleFunction(fn.program);
    case "cell":
      return dropFunction(fn.program, reference.type);
    default:
      return reference satisfies never;
  }
}

/** Releases the references of a stored value; the storage keeps its bits. */
export function releaseStored(fn: FunctionContext, storage: Storage, layout: Layout): void {
  for (const [position, leaf] of layout.leaves.entries()) {
    if (!leaf.reference) continue;
    pushLeaf(fn, storage, layout, position);
    releasePushed(fn, leaf.reference);
  }
}

/** Forgets the references of a stored value, which has been handed on: releasing it does nothing. */
export function clearStored(fn: FunctionContext, storage: Storage, layout: Layout): void {
  const { code } = fn;
  for (const [position, leaf] of layout.leaves.entries()) {
    if (!leaf.reference) continue;
    if (storage.kind === "memory") code.get(storage.base);
    code.i32(0);
    if (storage.kind === "memory") code.store(leaf.wasm, storage.offset + (layout.offsets[position] ?? 0));
    else code.set(localAt(storage, position));
  }
}

/** Drops a pushed value, releasing it when it is owned. */
export function dropPushed(fn: FunctionContext, type: Type, hold: Hold): void {
  const { leaves } = layoutOf(type);
  for (let position = leaves.length - 1; position >= 0; position--) {
    const leaf = leaves[position];
    if (hold === "owned" && leaf?.reference) releasePushed(fn, leaf.reference);
    else fn.code.op("drop");
  }
}

/** Pops a pushed value into fresh short-lived locals; they hold it as it was held. */
export function popToTemps(fn: FunctionContext, layout: Layout): LocalsStorage {
  const storage = fn.temps(layout.leaves);
  popInto(fn, storage, layout);
  return storage;
}

/** Turns a pushed value into an owned one, whatever its hold was; a record from a place becomes a copy. */
export function ownPushed(fn: FunctionContext, type: Type, hold: Hold): void {
  countAll(fn, type, hold, isCopiedDeeply(type));
}

/** The same value, kept alive: its cells are shared, not copied. */
export function keepPushed(fn: FunctionContext, type: Type, hold: Hold): void {
  countAll(fn, type, hold, false);
}

function countAll(fn: FunctionContext, type: Type, hold: Hold, deep: boolean): void {
  if (hold === "owned" || hold === "plain") return;
  const layout = layoutOf(type);
  if (!layout.counted) return;
  const [only, second] = layout.leaves;
  if (only?.reference && !second) {
    countPushed(fn, only.reference, deep);
    return;
  }
  const temps = popToTemps(fn, layout);
  pushStored(fn, temps, layout, "own", deep);
  fn.freeTemps(temps);
}

/**
 * Keeps an owned value on the stack and, for the case that control leaves before it is taken, a copy of its leaves in locals that a cleanup releases. `settle` ends that.
 */
export function guardPushed(fn: FunctionContext, layout: Layout): Guard {
  const storage = fn.temps(layout.leaves);
  if (storage.locals.length === 1) fn.code.tee(localAt(storage, 0));
  else {
    popInto(fn, storage, layout);
    pushStored(fn, storage, layout, "any", false);
  }
  return { storage, cleanup: fn.addCleanup(() => releaseStored(fn, storage, layout)) };
}

export interface Guard {
  readonly storage: LocalsStorage;
  readonly cleanup: Cleanup;
}

/** The guarded value has been taken. */
export function settle(fn: FunctionContext, guard: Guard): void {
  fn.removeCleanup(guard.cleanup);
  fn.freeTemps(guard.storage);
}

/** Pushes the zero value of a layout: what a failed call returns beside its status. */
export function pushZero(fn: FunctionContext, layout: Layout): void {
  for (const leaf of layout.leaves) fn.code.zero(leaf.wasm);
}

export function leafAt(layout: Layout, position: number): Leaf {
  const leaf = layout.leaves[position];
  if (!leaf) throw new Error(`no leaf ${position}`);
  return leaf;
}

export function localAt(storage: LocalsStorage, position: number): number {
  const local = storage.locals[position];
  if (local === undefined) throw new Error(`no local ${position}`);
  return local;
}
