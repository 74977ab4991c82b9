// The built-in calls of 03 section 20 and the operations on bounded buffers (07 section 10).
import type { BoundedType, RecordType, Type, TypedExpr } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { evaluate, pushExpr } from "./expressions.ts";
import { Fact, factsOf } from "./facts.ts";
import type { FunctionContext } from "./function-context.ts";
import type { FailureTarget, Hold } from "./holds.ts";
import { elementsOffset, type Layout, layoutOf, strideOf } from "./layout.ts";
import { pushBorrowed } from "./operands.ts";
import { applyBinary } from "./operators.ts";
import { isPlace } from "./references.ts";
import { scale } from "./places.ts";
import { pushSeparate } from "./separate.ts";
import { isCopiedDeeply, keepPushed, popInto, popOver, popToTemps, pushStored, releaseStored } from "./values.ts";

type BuiltinExpr = TypedExpr & { readonly kind: "builtin" };

const i32 = ValueType.i32;
const i64 = ValueType.i64;

/** Pushes the result of a built-in call; the fallible ones need `failure`. */
export function pushBuiltin(fn: FunctionContext, expr: BuiltinExpr, failure: FailureTarget | undefined): Hold {
  switch (expr.name) {
    case "len":
      return pushLength(fn, argument(expr, 0));
    case "abs":
      return pushAbsolute(fn, argument(expr, 0));
    case "min":
    case "max":
      return pushExtreme(fn, expr, expr.name);
    case "starts_with":
    case "contains":
      return pushTextTest(fn, expr, `string_${expr.name}`);
    case "array-get":
      return pushChecked(fn, expr, failureOf(expr, failure));
    case "bounded-push":
      return pushOntoBounded(fn, expr, failureOf(expr, failure));
    case "bounded-at":
      return pushChecked(fn, expr, failureOf(expr, failure));
    case "bounded-set":
      return setBounded(fn, expr, failureOf(expr, failure));
    case "bounded-count":
      pushExpr(fn, argument(expr, 0), "any");
      fn.code.memory("i64.load32_u", 0);
      return "plain";
    case "bounded-clear":
      return clearBounded(fn, expr);
    case "bounded-truncate":
      return truncateBounded(fn, expr);
    case "check_closures":
      fn.program.loci.checkClosures(fn, expr);
      return "plain";
    default:
      return expr.name satisfies never;
  }
}

function argument(expr: BuiltinExpr, position: number): TypedExpr {
  const arg = expr.args[position];
  if (!arg) throw new Error(`${expr.name} lacks argument ${position}`);
  return arg;
}

function failureOf(expr: BuiltinExpr, failure: FailureTarget | undefined): FailureTarget {
  if (!failure) throw new Error(`${expr.name} has no \`or\``);
  return failure;
}

function pushLength(fn: FunctionContext, value: TypedExpr): Hold {
  const { code, program } = fn;
  const { type } = value;
  if (type.kind === "array") {
    if (!isPlace(value) || factsOf(value) !== 0) evaluate(fn, value);
    code.i64(BigInt(type.length ?? 0));
    return "plain";
  }
  const borrowed = pushBorrowed(fn, [value], false);
  if (type.kind === "primitive" && (type.name === "StringView" || type.name === "BytesView")) {
    fn.at(value.span);
    code.call(program.runtimeFunction("view_length"));
  } else code.memory("i64.load32_u", 0);
  borrowed.release();
  return "plain";
}

function pushAbsolute(fn: FunctionContext, value: TypedExpr): Hold {
  pushExpr(fn, value, "any");
  switch (nameOf(value.type)) {
    case "Float":
      // By comparison: the negative zero stays (03 20).
      return selectNegated(fn, ValueType.f64);
    case "Decimal":
      pushAbsoluteDecimal(fn, value.type);
      return "plain";
    default:
      return selectNegated(fn, i64);
  }
}

/** Replaces a negative number on the stack by its negation. */
function selectNegated(fn: FunctionContext, type: ValueType): Hold {
  const { code } = fn;
  const isFloat = type === ValueType.f64;
  const local = fn.temp(type);
  if (isFloat) {
    code.tee(local);
    code.op("f64.neg");
  } else {
    code.set(local);
    code.i64(0n);
    code.get(local);
    code.op("i64.sub");
  }
  code.get(local);
  code.get(local);
  code.zero(type);
  code.op(isFloat ? "f64.lt" : "i64.lt_s");
  code.op("select");
  fn.freeTemp(local);
  return "plain";
}

function pushAbsoluteDecimal(fn: FunctionContext, type: Type): void {
  const { code } = fn;
  const layout = layoutOf(type);
  const value = popToTemps(fn, layout);
  code.get(value.locals[1] ?? 0);
  code.i64(0n);
  code.op("i64.lt_s");
  code.if(fn.program.blockType(type));
  code.i64(0n);
  code.i64(0n);
  pushStored(fn, value, layout, "any", false);
  applyBinary(fn, "subtract", type, type);
  code.else();
  pushStored(fn, value, layout, "any", false);
  code.end();
  fn.freeTemps(value);
}

function pushExtreme(fn: FunctionContext, expr: BuiltinExpr, which: "min" | "max"): Hold {
  const { code } = fn;
  const layout = layoutOf(expr.type);
  pushExpr(fn, argument(expr, 0), "any");
  pushExpr(fn, argument(expr, 1), "any");
  const second = popToTemps(fn, layout);
  const first = popToTemps(fn, layout);
  // The first of equal values.
  pushStored(fn, second, layout, "any", false);
  pushStored(fn, first, layout, "any", false);
  applyBinary(fn, which === "min" ? "less" : "greater", expr.type, expr.type);
  code.if(fn.program.blockType(expr.type));
  pushStored(fn, second, layout, "any", false);
  code.else();
  pushStored(fn, first, layout, "any", false);
  code.end();
  fn.freeTemps(second);
  fn.freeTemps(first);
  return "plain";
}

function pushTextTest(fn: FunctionContext, expr: BuiltinExpr, runtimeName: string): Hold {
  const borrowed = pushBorrowed(fn, expr.args, false);
  fn.at(expr.span);
  fn.code.call(fn.program.runtimeFunction(runtimeName));
  borrowed.release();
  return "plain";
}

// ---------------------------------------------------------------- arrays and bounded buffers

/** The container and its element type. */
interface Buffer {
  readonly cell: number;
  readonly type: BoundedType | (Type & { readonly kind: "array" });
  readonly element: Layout;
  release(): void;
}

/** Evaluates the first argument, a buffer, into a local; it stays alive while the other arguments are evaluated. */
function openBuffer(fn: FunctionContext, expr: BuiltinExpr): Buffer {
  const container = argument(expr, 0);
  const { type } = container;
  if (type.kind !== "array" && type.kind !== "bounded") throw new Error(`${expr.name} of ${type.kind}`);
  const hold = pushExpr(fn, container, "any");
  const others = expr.args.slice(1).reduce((facts, arg) => facts | factsOf(arg), 0);
  const keep = hold === "owned" || (hold !== "stable" && others & (Fact.writes | Fact.assigns));
  if (keep) keepPushed(fn, type, hold);
  const cell = fn.code.local(i32);
  fn.code.set(cell);
  const storage = { kind: "locals", locals: [cell] } as const;
  const cleanup = keep ? fn.addCleanup(() => releaseStored(fn, storage, layoutOf(type))) : undefined;
  return {
    cell,
    type,
    element: layoutOf(type.element),
    release: () => {
      if (!cleanup) return;
      fn.removeCleanup(cleanup);
      releaseStored(fn, storage, layoutOf(type));
    },
  };
}

/** `a.get(i)`, `at(f, i)`: the element, or an IndexError. */
function pushChecked(fn: FunctionContext, expr: BuiltinExpr, failure: FailureTarget): Hold {
  const buffer = openBuffer(fn, expr);
  const index = evaluateIndex(fn, argument(expr, 1));
  failOutside(fn, expr, buffer, index, failure);
  const element = pushElement(fn, buffer, index);
  pushStored(
    fn,
    { kind: "memory", base: element, offset: elementsOffset(buffer.type) },
    buffer.element,
    "own",
    isCopiedDeeply(buffer.type.element),
  );
  fn.freeTemp(element);
  fn.freeTemp(index);
  buffer.release();
  return buffer.element.counted ? "owned" : "plain";
}

function evaluateIndex(fn: FunctionContext, index: TypedExpr): number {
  pushExpr(fn, index, "any");
  const local = fn.temp(i64);
  fn.code.set(local);
  return local;
}

/** A local with the address of element `index`, without the offset of the first element. */
function pushElement(fn: FunctionContext, buffer: Buffer, index: number): number {
  const { code } = fn;
  const element = fn.temp(i32);
  code.get(index);
  code.op("i32.wrap_i64");
  scale(fn, strideOf(buffer.type));
  code.get(buffer.cell);
  code.op("i32.add");
  code.set(element);
  return element;
}

function pushLive(fn: FunctionContext, buffer: Buffer): void {
  if (buffer.type.kind === "array") {
    fn.code.i64(BigInt(buffer.type.length ?? 0));
    return;
  }
  fn.code.get(buffer.cell);
  fn.code.memory("i64.load32_u", 0);
}

/** Fails with `IndexError { kind: "out_of_bounds", index, len }` unless the index is that of a live element. */
function failOutside(
  fn: FunctionContext,
  expr: BuiltinExpr,
  buffer: Buffer,
  index: number,
  failure: FailureTarget,
  discard: () => void = () => {},
): void {
  const { code } = fn;
  code.get(index);
  pushLive(fn, buffer);
  code.op("i64.ge_u");
  code.if();
  discard();
  pushError(fn, expr, {
    kind: () => code.i32(fn.program.text("out_of_bounds")),
    index: () => code.get(index),
    len: () => pushLive(fn, buffer),
  });
  buffer.release();
  failure.fromStack();
  code.end();
}

/** Pushes an error record whose fields the given functions push, by name; others are zero. */
function pushError(fn: FunctionContext, expr: BuiltinExpr, fields: Readonly<Record<string, () => void>>): void {
  const type = expr.fallible;
  if (type?.kind !== "record") throw new Error(`${expr.name} fails with no record`);
  pushErrorRecord(fn, type, fields);
}

/** Pushes a value of an injected error type (07 section 1). */
export function pushErrorRecord(
  fn: FunctionContext,
  type: RecordType,
  fields: Readonly<Record<string, () => void>>,
): void {
  for (const field of type.fields) {
    const push = fields[field.name];
    if (push) push();
    else if (field.filler) fn.code.call(fn.program.functionIndex(field.filler));
    else for (const leaf of layoutOf(field.type).leaves) fn.code.zero(leaf.wasm);
  }
}

function pushOntoBounded(fn: FunctionContext, expr: BuiltinExpr, failure: FailureTarget): Hold {
  const { code } = fn;
  const buffer = openBuffer(fn, expr);
  const capacity = buffer.type.kind === "bounded" ? buffer.type.capacity : 0;
  pushSeparate(fn, argument(expr, 1));
  const value = popToTemps(fn, buffer.element);
  const count = fn.temp(i32);
  code.get(buffer.cell);
  code.load(i32, 0);
  code.tee(count);
  code.i32(capacity);
  code.op("i32.ge_s");
  code.if();
  releaseStored(fn, value, buffer.element);
  pushError(fn, expr, { cap: () => code.i64(BigInt(capacity)), count: () => code.i64(BigInt(capacity)) });
  buffer.release();
  failure.fromStack();
  code.end();
  code.get(buffer.cell);
  code.get(count);
  code.i32(1);
  code.op("i32.add");
  code.store(i32, 0);
  const element = fn.temp(i32);
  code.get(count);
  scale(fn, strideOf(buffer.type));
  code.get(buffer.cell);
  code.op("i32.add");
  code.set(element);
  pushStored(fn, value, buffer.element, "any", false);
  popInto(fn, { kind: "memory", base: element, offset: elementsOffset(buffer.type) }, buffer.element);
  fn.freeTemp(element);
  fn.freeTemp(count);
  fn.freeTemps(value);
  buffer.release();
  return "plain";
}

function setBounded(fn: FunctionContext, expr: BuiltinExpr, failure: FailureTarget): Hold {
  const buffer = openBuffer(fn, expr);
  const index = evaluateIndex(fn, argument(expr, 1));
  pushSeparate(fn, argument(expr, 2));
  const value = popToTemps(fn, buffer.element);
  failOutside(fn, expr, buffer, index, failure, () => releaseStored(fn, value, buffer.element));
  const element = pushElement(fn, buffer, index);
  pushStored(fn, value, buffer.element, "any", false);
  popOver(fn, { kind: "memory", base: element, offset: elementsOffset(buffer.type) }, buffer.element);
  fn.freeTemp(element);
  fn.freeTemp(index);
  fn.freeTemps(value);
  buffer.release();
  return "plain";
}

function clearBounded(fn: FunctionContext, expr: BuiltinExpr): Hold {
  const buffer = openBuffer(fn, expr);
  const kept = fn.temp(i32);
  fn.code.i32(0);
  fn.code.set(kept);
  dropBehind(fn, buffer, kept);
  fn.freeTemp(kept);
  buffer.release();
  return "plain";
}

/** `truncate(f, n)`: keeps the first n (clamped), answers the new count. */
function truncateBounded(fn: FunctionContext, expr: BuiltinExpr): Hold {
  const { code } = fn;
  const buffer = openBuffer(fn, expr);
  const wanted = evaluateIndex(fn, argument(expr, 1));
  const kept = fn.temp(i64);
  // min(n, count), and not below 0.
  code.get(wanted);
  pushLive(fn, buffer);
  code.get(wanted);
  pushLive(fn, buffer);
  code.op("i64.lt_s");
  code.op("select");
  code.tee(kept);
  code.i64(0n);
  code.get(kept);
  code.i64(0n);
  code.op("i64.gt_s");
  code.op("select");
  code.tee(kept);
  const narrow = fn.temp(i32);
  code.op("i32.wrap_i64");
  code.set(narrow);
  dropBehind(fn, buffer, narrow);
  code.get(kept);
  fn.freeTemp(narrow);
  fn.freeTemp(kept);
  fn.freeTemp(wanted);
  buffer.release();
  return "plain";
}

/** Makes `kept` the count; what lay behind is released and zero again. */
function dropBehind(fn: FunctionContext, buffer: Buffer, kept: number): void {
  const { code } = fn;
  const stride = strideOf(buffer.type);
  const at = fn.temp(i32);
  const end = fn.temp(i32);
  for (const [local, count] of [
    [at, () => code.get(kept)],
    [
      end,
      () => {
        code.get(buffer.cell);
        code.load(i32, 0);
      },
    ],
  ] as const) {
    count();
    scale(fn, stride);
    code.get(buffer.cell);
    code.op("i32.add");
    code.set(local);
  }
  code.get(buffer.cell);
  code.get(kept);
  code.store(i32, 0);
  if (buffer.element.counted) releaseRange(fn, buffer, at, end);
  code.get(at);
  code.i32(elementsOffset(buffer.type));
  code.op("i32.add");
  code.i32(0);
  code.get(end);
  code.get(at);
  code.op("i32.sub");
  code.memoryFill();
  fn.freeTemp(at);
  fn.freeTemp(end);
}

function releaseRange(fn: FunctionContext, buffer: Buffer, from: number, end: number): void {
  const { code } = fn;
  const at = fn.temp(i32);
  code.get(from);
  code.set(at);
  const exit = code.block();
  const next = code.loop();
  code.get(at);
  code.get(end);
  code.op("i32.ge_u");
  code.brIf(exit);
  releaseStored(fn, { kind: "memory", base: at, offset: elementsOffset(buffer.type) }, buffer.element);
  code.get(at);
  code.i32(strideOf(buffer.type));
  code.op("i32.add");
  code.set(at);
  code.br(next);
  code.end();
  code.end();
  fn.freeTemp(at);
}

function nameOf(type: Type): string {
  return type.kind === "scalar" ? nameOf(type.base) : type.kind === "primitive" ? type.name : type.kind;
}
