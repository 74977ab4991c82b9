// Fixed arrays and bounded buffers: literals, loops over them.
import type { ArrayType, BoundedType, Local, Type, TypedExpr } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { writeConstant } from "./constants.ts";
import { pushExpr } from "./expressions.ts";
import { Fact, factsOf } from "./facts.ts";
import type { FunctionContext } from "./function-context.ts";
import type { Hold } from "./holds.ts";
import { cellSizeOf, elementsOffset, layoutOf, strideOf } from "./layout.ts";
import { scale } from "./places.ts";
import type { LocalsStorage, MemoryStorage } from "./storage.ts";
import { bindNew } from "./variables.ts";
import { isCopiedDeeply, keepPushed, popInto, pushStored, releaseStored } from "./values.ts";

type Expr<Kind extends TypedExpr["kind"]> = TypedExpr & { readonly kind: Kind };

export function pushArray(fn: FunctionContext, expr: Expr<"array">): Hold {
  const type = arrayType(expr);
  const layout = layoutOf(type.element);
  const mayLeave = expr.elements.some((element) => (factsOf(element) & Fact.leaves) !== 0);
  const image = constantImage(fn, expr, type);
  const array = newArray(fn, type, mayLeave);
  if (image !== undefined) {
    fn.code.get(array.cell);
    fn.code.i32(image);
    fn.code.i32(cellSizeOf(type));
    fn.code.memoryCopy();
    return array.push();
  }
  for (const [position, element] of expr.elements.entries()) {
    const [only, second] = layout.leaves;
    const offset = position * strideOf(type);
    if (only && !second) {
      fn.code.get(array.cell);
      pushExpr(fn, element, "own");
      fn.code.store(only.wasm, offset);
    } else {
      pushExpr(fn, element, "own");
      popInto(fn, { kind: "memory", base: array.cell, offset }, layout);
    }
  }
  return array.push();
}

/** Fewer elements than this are stored one by one. */
const SMALLEST_IMAGE = 6;

/** The address of static bytes that an array of constants starts as. */
function constantImage(fn: FunctionContext, { elements }: Expr<"array">, type: ArrayType): number | undefined {
  if (elements.length < SMALLEST_IMAGE) return undefined;
  const bytes = new Uint8Array(cellSizeOf(type));
  const view = new DataView(bytes.buffer);
  const stride = strideOf(type);
  for (const [position, element] of elements.entries()) {
    if (!writeConstant(fn.program, element, view, position * stride)) return undefined;
  }
  return fn.program.data.add(bytes, 8);
}

/** `[v; N]`: one evaluation, N equal elements (03 12.2.1). */
export function pushRepeat(fn: FunctionContext, expr: Expr<"repeat">): Hold {
  const { code } = fn;
  const type = arrayType(expr);
  const layout = layoutOf(type.element);
  if (isZero(expr.value)) return newArray(fn, type, false).push();
  pushExpr(fn, expr.value, "own");
  const value = fn.temps(layout.leaves);
  popInto(fn, value, layout);
  const array = newArray(fn, type, false);
  const at = fn.temp(ValueType.i32);
  const end = fn.temp(ValueType.i32);
  code.get(array.cell);
  code.tee(at);
  code.i32(cellSizeOf(type));
  code.op("i32.add");
  code.set(end);
  const next = code.loop();
  pushStored(fn, value, layout, "own", true);
  popInto(fn, { kind: "memory", base: at, offset: 0 }, layout);
  code.get(at);
  code.i32(strideOf(type));
  code.op("i32.add");
  code.tee(at);
  code.get(end);
  code.op("i32.lt_u");
  code.brIf(next);
  code.end();
  releaseStored(fn, value, layout);
  fn.freeTemp(at);
  fn.freeTemp(end);
  fn.freeTemps(value);
  return array.push();
}

/** Fresh cells are zero already. */
function isZero(value: TypedExpr): boolean {
  switch (value.kind) {
    case "int":
      return value.value === 0n;
    case "float":
      return Object.is(value.value, 0);
    case "bool":
      return !value.value;
    case "string":
      return value.value.length === 0;
    case "duration":
    case "time":
      return value.nanoseconds === 0n;
    case "decimal":
      return value.units === 0n;
    default:
      return false;
  }
}

function newArray(fn: FunctionContext, type: ArrayType, mayLeave: boolean): { readonly cell: number; push(): Hold } {
  const cell = fn.code.local(ValueType.i32);
  fn.code.i32(cellSizeOf(type));
  fn.code.call(fn.program.runtimeFunction("alloc"));
  fn.code.set(cell);
  const storage: LocalsStorage = { kind: "locals", locals: [cell] };
  const cleanup = mayLeave ? fn.addCleanup(() => releaseStored(fn, storage, layoutOf(type))) : undefined;
  return {
    cell,
    push: () => {
      if (cleanup) fn.removeCleanup(cleanup);
      fn.code.get(cell);
      return "owned";
    },
  };
}

/** A bounded buffer without live elements. */
export function pushEmptyBounded(fn: FunctionContext, type: Type): Hold {
  if (type.kind !== "bounded") throw new Error(`a bounded buffer of type ${type.kind}`);
  fn.code.i32(cellSizeOf(type));
  fn.code.call(fn.program.runtimeFunction("alloc"));
  return "owned";
}

function arrayType(expr: TypedExpr): ArrayType {
  if (expr.type.kind !== "array") throw new Error(`an array of type ${expr.type.kind}`);
  return expr.type;
}

/**
 * A loop over an array or a bounded buffer: `visit` writes one round, with the element's place in memory. `break` and `continue` work in it.
 */
export function forEachElement(
  fn: FunctionContext,
  source: TypedExpr,
  type: ArrayType | BoundedType,
  visit: (element: MemoryStorage) => void,
): void {
  const { code } = fn;
  const depth = fn.cleanupDepth;
  const cell = pushSource(fn, source);
  const at = code.local(ValueType.i32);
  const end = code.local(ValueType.i32);
  code.get(cell);
  if (elementsOffset(type) !== 0) {
    code.i32(elementsOffset(type));
    code.op("i32.add");
  }
  code.tee(at);
  pushBytesInUse(fn, type, cell);
  code.op("i32.add");
  code.set(end);
  const exit = code.block();
  if (type.kind === "bounded") {
    code.get(at);
    code.get(end);
    code.op("i32.ge_u");
    code.brIf(exit);
  }
  const again = code.loop();
  const next = code.block();
  fn.enterLoop(exit, next);
  fn.scope(() => visit({ kind: "memory", base: at, offset: 0 }));
  fn.leaveLoop();
  code.end();
  code.get(at);
  code.i32(strideOf(type));
  code.op("i32.add");
  code.tee(at);
  code.get(end);
  code.op("i32.lt_u");
  code.brIf(again);
  code.end();
  code.end();
  fn.popCleanups(depth);
}

/** The source's cell in a local, kept alive until the cleanups run. */
function pushSource(fn: FunctionContext, source: TypedExpr): number {
  const cell = fn.code.local(ValueType.i32);
  const hold = pushExpr(fn, source, "any");
  if (hold !== "stable") keepPushed(fn, source.type, hold);
  fn.code.set(cell);
  if (hold !== "stable")
    fn.addCleanup(() => releaseStored(fn, { kind: "locals", locals: [cell] }, layoutOf(source.type)));
  return cell;
}

function pushBytesInUse(fn: FunctionContext, type: ArrayType | BoundedType, cell: number): void {
  if (type.kind === "array") {
    fn.code.i32(cellSizeOf(type));
    return;
  }
  fn.code.get(cell);
  fn.code.load(ValueType.i32, 0);
  scale(fn, strideOf(type));
}

/**
 * Gives an element of an array or bounded buffer its name for one round. Records of an array are referred to (03 15.5), everything else is the round's own copy.
 * @param facts what the round may do: a text that nothing can replace meanwhile is only borrowed
 */
export function bindElement(
  fn: FunctionContext,
  type: ArrayType | BoundedType,
  local: Local,
  element: MemoryStorage,
  facts: number,
): void {
  const layout = layoutOf(type.element);
  if (type.kind === "array" && type.element.kind === "record" && !layout.box) {
    fn.bind(local, element);
    return;
  }
  const storage = fn.variableStorage(local);
  const isBorrowed =
    (facts & Fact.writes) === 0 &&
    layout.leaves.every((leaf) => leaf.reference === undefined || leaf.reference.kind === "text") &&
    type.element.kind !== "record";
  // The cell of a boxed record is the record itself; it stays even if the element is replaced.
  const isShared = type.kind === "array" && type.element.kind === "record";
  pushStored(fn, element, layout, isBorrowed ? "any" : "own", !isShared && isCopiedDeeply(type.element));
  popInto(fn, storage, layout);
  if (isBorrowed) fn.bind(local, storage);
  else bindNew(fn, local, storage);
}
