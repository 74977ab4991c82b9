// A `@form` locus as the lowering sees it: where its storage is, how its elements lie there (runtime/guest/collections.ts).
import type { FormInfo, LocusType, TypedExpr } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { pushExpr } from "../expressions.ts";
import type { FunctionContext } from "../function-context.ts";
import { type Layout, layoutOf } from "../layout.ts";
import { lociOf } from "../loci/program-loci.ts";
import { endangering } from "../operands.ts";
import { partOf, type MemoryStorage } from "../storage.ts";
import { ownPushed, releaseStored } from "../values.ts";

const { i32 } = ValueType;

/** A lock-free table does not begin larger, whatever its `cap`. */
const MOST_SLOTS = 2 ** 20;

/** How the elements of a form lie in its cells. */
export interface ElementShape {
  readonly info: FormInfo;
  readonly layout: Layout;
  /** Bytes from one element to the next, a multiple of 8. */
  readonly stride: number;
  /** Where the value begins in an element: behind a copy of the key when the value is boxed. */
  readonly valueOffset: number;
  readonly keyOffset: number;
  /** 1: keys are Strings, 0: Ints. */
  readonly textKeys: 0 | 1;
}

/** A form whose storage address is in a wasm local. */
export interface OpenForm {
  readonly shape: ElementShape;
  readonly storage: number;
  /** Several threads may call it: what is between `lock` and `unlock` is done at once, and no cell is shared with what is inside (07 9.3). */
  readonly isSynced: boolean;
  lock(): void;
  unlock(): void;
  /** Gives the receiver back: once on each path, the failing one first. */
  release(): void;
}

export function formOf(receiver: TypedExpr): LocusType & { readonly form: FormInfo } {
  const { type } = receiver;
  if (type.kind !== "locus" || !type.form) throw new Error("not a form locus");
  return type as LocusType & { readonly form: FormInfo };
}

export function elementShape(info: FormInfo): ElementShape {
  const layout = layoutOf(info.element);
  const isKeyed = info.key !== undefined && info.keyField !== undefined;
  const valueOffset = isKeyed && layout.box ? 8 : 0;
  const keyOffset = info.keyField === undefined || layout.box ? 0 : partOf(layout, info.keyField).offset;
  const textKeys = info.key?.kind === "primitive" && info.key.name === "String" ? 1 : 0;
  return { info, layout, stride: (valueOffset + layout.size + 7) & -8, valueOffset, keyOffset, textKeys };
}

/**
 * Evaluates the receiver of a call and keeps it alive until `release`.
 * @param later facts of what is evaluated or done before the storage has been used
 */
export function openForm(fn: FunctionContext, receiver: TypedExpr, later: number): OpenForm {
  const { code } = fn;
  const locus = formOf(receiver);
  const hold = pushExpr(fn, receiver, "any");
  const isKept = hold === "owned" || (later & endangering(hold)) !== 0;
  if (isKept) ownPushed(fn, receiver.type, hold);
  const handle = { kind: "locals", locals: [code.local(i32)] } as const;
  if (isKept) code.tee(handle.locals[0]);
  const cleanup = isKept ? fn.addCleanup(() => releaseStored(fn, handle, layoutOf(receiver.type))) : undefined;
  pushStorageAddress(fn, locus);
  const storage = code.local(i32);
  code.set(storage);
  return {
    shape: elementShape(locus.form),
    storage,
    ...syncOf(fn, locus.form, storage),
    release: () => {
      if (!cleanup) return;
      fn.removeCleanup(cleanup);
      releaseStored(fn, handle, layoutOf(receiver.type));
    },
  };
}

/** How calls from several threads are kept apart: by one lock, whatever the mode is called. */
export function syncOf(
  fn: FunctionContext,
  info: FormInfo,
  storage: number,
): Pick<OpenForm, "isSynced" | "lock" | "unlock"> {
  const isTable = info.form === "hashmap" || info.form === "set";
  const isSynced = isTable && syncWord(info) !== "none" && fn.program.loci.startsThreads(fn.program.program);
  const call = (name: string) => () => {
    if (!isSynced) return;
    fn.code.get(storage);
    fn.code.call(fn.program.runtimeFunction(name));
  };
  return { isSynced, lock: call("form_lock"), unlock: call("form_unlock") };
}

function syncWord(info: FormInfo): string | undefined {
  const sync = info.options.get("sync");
  return sync?.kind === "string" ? new TextDecoder().decode(sync.value) : undefined;
}

/** Turns the handle on the stack into the address of the form's storage. */
export function pushStorageAddress(fn: FunctionContext, locus: LocusType): void {
  const offset = lociOf(fn).shapeOf(locus).form;
  if (offset === undefined) throw new Error(`${locus.name} has no form storage`);
  fn.code.i32(offset);
  fn.code.op("i32.add");
}

/** The slots that a lock-free table begins with (07 9.5); undefined for all other forms. */
export function lockfreeSlots(info: FormInfo): number | undefined {
  if (syncWord(info) !== "lockfree") return undefined;
  if (info.form === "lru_cache" || info.capacity === undefined) return undefined;
  return 2 ** Math.ceil(Math.log2(Math.min(Math.max(info.capacity, 8), MOST_SLOTS)));
}

/** The value of the element whose address is in `element`. */
export function valueAt(shape: ElementShape, element: number): MemoryStorage {
  return { kind: "memory", base: element, offset: shape.valueOffset };
}

/** Pushes the number of elements as an i64. */
export function pushLength(fn: FunctionContext, storage: number): void {
  fn.code.get(storage);
  fn.code.memory("i64.load32_u", 4);
}

/** Behind a key (i64) on the stack: what the runtime's functions on keyed forms take besides. */
export function pushKeyedShape(fn: FunctionContext, shape: ElementShape): void {
  fn.code.i32(shape.stride);
  fn.code.i32(shape.keyOffset);
  fn.code.i32(shape.textKeys);
}

/** Pushes the address of element number `index` (an i32 local) of a vec. */
export function pushVecElement(
  fn: FunctionContext,
  form: { readonly storage: number; readonly shape: ElementShape },
  pushIndex: () => void,
): void {
  const { code } = fn;
  code.get(form.storage);
  code.load(i32, 0);
  pushIndex();
  code.i32(form.shape.stride);
  code.op("i32.mul");
  code.op("i32.add");
}
