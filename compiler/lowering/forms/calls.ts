// The methods that a form gives its locus (07 sections 3, 4, 7, 8). Arguments are evaluated first, then the storage is touched.
import type { Type, TypedCall, TypedExpr } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { pushErrorRecord } from "../builtins.ts";
import { pushExpr } from "../expressions.ts";
import { Fact } from "../facts.ts";
import type { FunctionContext } from "../function-context.ts";
import type { FailureTarget, Hold } from "../holds.ts";
import { factsOfAll, guardBorrowed } from "../operands.ts";
import { pushSeparate } from "../separate.ts";
import { partOf, partStorage, type LocalsStorage } from "../storage.ts";
import { countPushed, popInto, popOver, popToTemps, pushLeaf, pushStored, releaseStored } from "../values.ts";
import { isolateOwned, pushIsolated } from "../loci/isolate.ts";
import { lockfreeSlots, type OpenForm, openForm, pushKeyedShape, pushLength, pushVecElement, valueAt } from "./form.ts";
import { sortBy, sortPlainly } from "./sorting.ts";

const { i32, i64 } = ValueType;

/** One call of a synthesised method. */
interface FormCall {
  readonly fn: FunctionContext;
  readonly call: TypedCall;
  readonly form: OpenForm;
  readonly failure: FailureTarget | undefined;
}

export function pushFormMethod(fn: FunctionContext, call: TypedCall, failure: FailureTarget | undefined): Hold {
  const { callee } = call;
  if (callee.kind !== "form") throw new Error("not a form's method");
  const form = openForm(fn, callee.receiver, factsOfAll(call.args) | Fact.writes);
  fn.at(call.span);
  return METHODS[form.shape.info.form]?.[callee.operation]?.({ fn, call, form, failure }) ?? noMethod(callee.operation);
}

function noMethod(name: string): never {
  throw new Error(`no form has a method ${name}`);
}

type Methods = Readonly<Record<string, (call: FormCall) => Hold>>;

const MAP: Methods = {
  get: (call) => found(call, "map_find", () => {}),
  has: (call) => tested(call, "map_find"),
  contains: (call) => tested(call, "map_find"),
  set: (call) => placed(call, "map_place"),
  insert: (call) => placed(call, "map_place"),
  remove,
  bump: (call) => bumpArgument(call),
  key_at: (call) => entryAt(call, "key"),
  entry_at: (call) => entryAt(call, "value"),
  len: length,
  is_empty: isEmpty,
};

const METHODS: Readonly<Record<string, Methods>> = {
  vec: {
    push: ({ fn, call, form }) => {
      pushSeparate(fn, argument(call, 0));
      appendPushed(fn, form);
      return done(form);
    },
    get: vecGet,
    set: vecSet,
    pop: (call) => taken(call, "vec_pop_slot", (fn) => ({ kind: () => fn.code.i32(fn.program.text("empty")) })),
    len: length,
    is_empty: isEmpty,
    sort: ({ fn, form }) => {
      sortPlainly(fn, form);
      return done(form);
    },
    sort_by: ({ fn, call, form }) => {
      sortBy(fn, form, argument(call, 0), "ascending");
      return done(form);
    },
    sort_desc_by: ({ fn, call, form }) => {
      sortBy(fn, form, argument(call, 0), "descending");
      return done(form);
    },
  },
  hashmap: MAP,
  set: MAP,
  ring_buffer: {
    push: ringPush,
    pop: (call) => taken(call, "ring_pop_slot", (fn) => ({ kind: () => fn.code.i32(fn.program.text("empty")) })),
    len: length,
    is_full: ({ fn, form }) => {
      pushLength(fn, form.storage);
      fn.code.i64(BigInt(capacityOf(form)));
      fn.code.op("i64.ge_u");
      return done(form);
    },
  },
  lru_cache: {
    put: (call) => placed(call, "lru_place"),
    get: (call) => found(call, "lru_find", (element) => touch(call, element)),
    contains: (call) => tested(call, "lru_find"),
    len: length,
  },
};

function done(form: OpenForm): Hold {
  form.release();
  return "plain";
}

function argument(call: TypedCall, position: number): TypedExpr {
  const arg = call.args[position];
  if (!arg) throw new Error(`argument ${position} is missing`);
  return arg;
}

function capacityOf({ shape }: OpenForm): number {
  const { capacity } = shape.info;
  if (capacity === undefined) throw new Error("the form has no cap");
  return capacity;
}

function length({ fn, form }: FormCall): Hold {
  pushLength(fn, form.storage);
  return done(form);
}

function isEmpty({ fn, form }: FormCall): Hold {
  pushLength(fn, form.storage);
  fn.code.op("i64.eqz");
  return done(form);
}

// ---------------------------------------------------------------- failures

/** Writes the way out of a call that failed: `pushError`'s fields make the record. */
function fail({ fn, call, form, failure }: FormCall, fields: Readonly<Record<string, () => void>>): void {
  const type = call.fallible;
  if (!failure || type?.kind !== "record") throw new Error("a call that can fail has no `or`");
  form.unlock();
  pushErrorRecord(fn, type, fields);
  form.release();
  failure.fromStack();
}

function failOutOfBounds(context: FormCall, index: number): void {
  const { fn, form } = context;
  fail(context, {
    kind: () => fn.code.i32(fn.program.text("out_of_bounds")),
    index: () => fn.code.get(index),
    len: () => pushLength(fn, form.storage),
  });
}

// ---------------------------------------------------------------- vec and ring

/** Pops an owned value and makes it the last element of a vec. */
export function appendPushed(fn: FunctionContext, form: OpenForm): void {
  const { code, program } = fn;
  code.get(form.storage);
  code.i32(form.shape.stride);
  code.call(program.runtimeFunction("vec_push_slot"));
  const element = fn.temp(i32);
  code.set(element);
  popInto(fn, valueAt(form.shape, element), form.shape.layout);
  fn.freeTemp(element);
}

/** A local with the address of the element whose index is the first argument; fails when there is none. */
function checkedElement(context: FormCall, discard: () => void): number {
  const { fn, form } = context;
  const { code } = fn;
  return withIndex(context, (index) => {
    code.get(index);
    pushLength(fn, form.storage);
    code.op("i64.ge_u");
    code.if();
    discard();
    failOutOfBounds(context, index);
    code.end();
    pushVecElement(fn, form, () => {
      code.get(index);
      code.op("i32.wrap_i64");
    });
    const element = fn.temp(i32);
    code.set(element);
    return element;
  });
}

/** Pops the index on the stack into a local for `use`. */
function withIndex<T>({ fn }: FormCall, use: (index: number) => T): T {
  const index = fn.temp(i64);
  fn.code.set(index);
  const result = use(index);
  fn.freeTemp(index);
  return result;
}

function vecGet(context: FormCall): Hold {
  const { fn, call, form } = context;
  pushExpr(fn, argument(call, 0), "any");
  const element = checkedElement(context, () => {});
  return pushCopy(fn, form, element);
}

/** Pushes an own copy of the element at the address in `element`, whose local is given back. */
function pushCopy(fn: FunctionContext, form: OpenForm, element: number): Hold {
  const { shape } = form;
  if (form.isSynced) pushIsolated(fn, valueAt(shape, element), shape.layout);
  else pushStored(fn, valueAt(shape, element), shape.layout, "own", true);
  fn.freeTemp(element);
  form.unlock();
  form.release();
  return shape.layout.counted ? "owned" : "plain";
}

function vecSet(context: FormCall): Hold {
  const { fn, call, form } = context;
  const { layout } = form.shape;
  // The index waits in a local while the value is made (07 3.2).
  pushExpr(fn, argument(call, 0), "any");
  const index = fn.temp(i64);
  fn.code.set(index);
  pushSeparate(fn, argument(call, 1));
  const value = popToTemps(fn, layout);
  fn.code.get(index);
  fn.freeTemp(index);
  const element = checkedElement(context, () => releaseStored(fn, value, layout));
  pushStored(fn, value, layout, "any", false);
  popOver(fn, valueAt(form.shape, element), layout);
  fn.freeTemp(element);
  fn.freeTemps(value);
  return done(form);
}

/** An element that leaves the form: moved, not copied. */
function taken(
  context: FormCall,
  remove: string,
  fields: (fn: FunctionContext) => Readonly<Record<string, () => void>>,
): Hold {
  const { fn, form } = context;
  const { code } = fn;
  code.get(form.storage);
  code.i32(form.shape.stride);
  code.call(fn.program.runtimeFunction(remove));
  const element = fn.temp(i32);
  code.tee(element);
  code.op("i32.eqz");
  code.if();
  fail(context, fields(fn));
  code.end();
  pushStored(fn, valueAt(form.shape, element), form.shape.layout, "any", false);
  fn.freeTemp(element);
  form.release();
  return form.shape.layout.counted ? "owned" : "plain";
}

function ringPush({ fn, call, form }: FormCall): Hold {
  const { code } = fn;
  const { layout, stride } = form.shape;
  pushSeparate(fn, argument(call, 0));
  const value = popToTemps(fn, layout);
  const element = fn.temp(i32);
  code.get(form.storage);
  code.i32(stride);
  code.i32(capacityOf(form));
  code.call(fn.program.runtimeFunction("ring_push_slot"));
  code.tee(element);
  code.if(i32);
  pushStored(fn, value, layout, "any", false);
  popInto(fn, valueAt(form.shape, element), layout);
  code.i32(1);
  code.else();
  releaseStored(fn, value, layout);
  code.i32(0);
  code.end();
  fn.freeTemp(element);
  fn.freeTemps(value);
  return done(form);
}

// ---------------------------------------------------------------- keyed forms

/** Turns the key's leaf on the stack into the i64 that the runtime takes. */
function widenKey(fn: FunctionContext, form: OpenForm): void {
  if (form.shape.textKeys) fn.code.op("i64.extend_i32_u");
}

/** Evaluates the key (first argument), locks the form, finds the element; answers a local with the address or 0. */
function findArgument({ fn, call, form }: FormCall, find: string): number {
  const { code } = fn;
  const key = argument(call, 0);
  const release = guardBorrowed(fn, key, pushExpr(fn, key, "any"), 0);
  widenKey(fn, form);
  const wide = fn.temp(i64);
  code.set(wide);
  form.lock();
  code.get(form.storage);
  code.get(wide);
  pushKeyedShape(fn, form.shape);
  code.call(fn.program.runtimeFunction(find));
  fn.freeTemp(wide);
  const element = fn.temp(i32);
  code.set(element);
  release?.();
  return element;
}

function tested(context: FormCall, find: string): Hold {
  const { fn, form } = context;
  const element = findArgument(context, find);
  fn.code.get(element);
  fn.code.i32(0);
  fn.code.op("i32.ne");
  fn.freeTemp(element);
  form.unlock();
  return done(form);
}

function failUnlessFound(context: FormCall, element: number): void {
  const { fn } = context;
  fn.code.get(element);
  fn.code.op("i32.eqz");
  fn.code.if();
  fail(context, { kind: () => fn.code.i32(fn.program.text("missing_key")) });
  fn.code.end();
}

function found(context: FormCall, find: string, hit: (element: number) => void): Hold {
  const { fn, form } = context;
  const element = findArgument(context, find);
  failUnlessFound(context, element);
  hit(element);
  return pushCopy(fn, form, element);
}

function touch({ fn, form }: FormCall, element: number): void {
  fn.code.get(form.storage);
  fn.code.get(element);
  fn.code.i32(form.shape.stride);
  fn.code.call(fn.program.runtimeFunction("lru_touch"));
}

/** `set`, `insert`, `put`: the entry goes where its key field says. */
function placed({ fn, call, form }: FormCall, place: string): Hold {
  pushSeparate(fn, argument(call, 0));
  const value = popToTemps(fn, form.shape.layout);
  if (form.isSynced) isolateOwned(fn, value, form.shape.layout);
  form.lock();
  placeValue(fn, form, placeIn(form, place), value);
  form.unlock();
  fn.freeTemps(value);
  return done(form);
}

/** The runtime's function that finds or makes a key's place, and its last argument. */
interface Place {
  readonly name: string;
  readonly limit: number | undefined;
}

function placeIn(form: OpenForm, name: string): Place {
  if (name === "lru_place") return { name, limit: capacityOf(form) };
  const first = lockfreeSlots(form.shape.info);
  return first === undefined ? { name, limit: undefined } : { name: "free_place", limit: first };
}

function placeValue(fn: FunctionContext, form: OpenForm, place: Place, value: LocalsStorage): void {
  const { code } = fn;
  const { shape } = form;
  const key = fn.temp(i64);
  pushKeyOf(fn, form, value);
  code.set(key);
  const element = pushPlace(fn, form, place, key);
  code.get(element);
  code.i32(1);
  code.op("i32.and");
  code.if();
  clearFreshMark(fn, element);
  code.else();
  releaseStored(fn, valueAt(shape, element), shape.layout);
  code.end();
  if (shape.valueOffset > 0) {
    code.get(element);
    code.get(key);
    code.store(i64, shape.keyOffset);
  }
  pushStored(fn, value, shape.layout, "any", false);
  popInto(fn, valueAt(shape, element), shape.layout);
  fn.freeTemp(element);
  fn.freeTemp(key);
}

/** A local with the place of the key in `key`: its address, plus 1 when it is fresh. */
function pushPlace(fn: FunctionContext, form: OpenForm, { name, limit }: Place, key: number): number {
  const { code } = fn;
  code.get(form.storage);
  code.get(key);
  pushKeyedShape(fn, form.shape);
  if (limit !== undefined) code.i32(limit);
  code.call(fn.program.runtimeFunction(name));
  const element = fn.temp(i32);
  code.set(element);
  return element;
}

function clearFreshMark(fn: FunctionContext, element: number): void {
  fn.code.get(element);
  fn.code.i32(1);
  fn.code.op("i32.xor");
  fn.code.set(element);
}

/** Pushes the key of a stored entry as the runtime takes it. */
function pushKeyOf(fn: FunctionContext, form: OpenForm, value: LocalsStorage): void {
  const { layout, info } = form.shape;
  const part = partOf(layout, info.keyField ?? 0);
  if (layout.box) {
    pushLeaf(fn, value, layout, 0);
    fn.code.load(form.shape.textKeys ? i32 : i64, part.offset);
  } else pushLeaf(fn, partStorage(value, part), part.layout, 0);
  widenKey(fn, form);
}

function remove(context: FormCall): Hold {
  const { fn, form } = context;
  const { code } = fn;
  const { shape } = form;
  const element = findArgument(context, "map_find");
  failUnlessFound(context, element);
  // Moving the rest of the run changes the table, not what the entry refers to.
  const removed = fn.temps(shape.layout.leaves);
  pushStored(fn, valueAt(shape, element), shape.layout, "any", false);
  popInto(fn, removed, shape.layout);
  code.get(form.storage);
  code.get(element);
  code.i32(shape.stride);
  const isLockfree = lockfreeSlots(shape.info) !== undefined;
  code.call(fn.program.runtimeFunction(isLockfree ? "free_remove" : "map_remove"));
  form.unlock();
  releaseStored(fn, removed, shape.layout);
  fn.freeTemps(removed);
  fn.freeTemp(element);
  return done(form);
}

function entryAt(context: FormCall, what: "key" | "value"): Hold {
  const { fn, call, form } = context;
  const { code } = fn;
  const { shape } = form;
  pushExpr(fn, argument(call, 0), "any");
  const element = withIndex(context, (index) => {
    form.lock();
    code.get(form.storage);
    code.get(index);
    code.i32(shape.stride);
    code.call(fn.program.runtimeFunction("map_entry"));
    const address = fn.temp(i32);
    code.tee(address);
    code.op("i32.eqz");
    code.if();
    failOutOfBounds(context, index);
    code.end();
    return address;
  });
  if (what === "value") return pushCopy(fn, form, element);
  code.get(element);
  code.load(shape.textKeys ? i32 : i64, shape.keyOffset);
  if (shape.textKeys) ownKey(fn, form);
  fn.freeTemp(element);
  form.unlock();
  form.release();
  return shape.textKeys ? "owned" : "plain";
}

/** Turns the text on the stack into one that the form, or who asks it, has for itself. */
function ownKey(fn: FunctionContext, form: OpenForm): void {
  if (form.isSynced) fn.code.call(fn.program.runtimeFunction("text_isolate"));
  else countPushed(fn, { kind: "text" }, false);
}

function bumpArgument({ fn, call, form }: FormCall): Hold {
  const key = argument(call, 0);
  const release = guardBorrowed(fn, key, pushExpr(fn, key, "any"), Fact.writes);
  bumpPushed(fn, form);
  release?.();
  return done(form);
}

/** Pops a borrowed key and adds 1 to the Int beside it, in an entry made when there is none (07 4.6). */
export function bumpPushed(fn: FunctionContext, form: OpenForm): void {
  const { code } = fn;
  const { shape } = form;
  const { layout, info } = shape;
  const keyPart = partOf(layout, info.keyField ?? 0);
  const countPart = partOf(layout, info.keyField === 0 ? 1 : 0);
  const keyType: Type | undefined = info.key;
  if (!keyType) throw new Error("bump without a key");
  const keyLeaf = fn.temp(shape.textKeys ? i32 : i64);
  code.tee(keyLeaf);
  widenKey(fn, form);
  const key = fn.temp(i64);
  code.set(key);
  form.lock();
  const element = pushPlace(fn, form, placeIn(form, "map_place"), key);
  code.get(element);
  code.i32(1);
  code.op("i32.and");
  code.if();
  clearFreshMark(fn, element);
  code.get(element);
  code.get(keyLeaf);
  if (shape.textKeys) ownKey(fn, form);
  code.store(shape.textKeys ? i32 : i64, keyPart.offset);
  code.get(element);
  code.i64(1n);
  code.store(i64, countPart.offset);
  code.else();
  code.get(element);
  code.get(element);
  code.load(i64, countPart.offset);
  code.i64(1n);
  code.op("i64.add");
  code.store(i64, countPart.offset);
  code.end();
  form.unlock();
  fn.freeTemp(element);
  fn.freeTemp(key);
  fn.freeTemp(keyLeaf);
}
