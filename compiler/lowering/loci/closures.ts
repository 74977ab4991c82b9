// Closures (reference 05b): a function for each locus type that checks those of one epoch; accumulators; the built values of restart_in_place.
import type { LocusType, TypedClosure, TypedExpr, TypedFunction, Type } from "../../semantics/index.ts";
import { type Label, ValueType } from "../../wasm/index.ts";
import { evaluate, pushExpr } from "../expressions.ts";
import { FunctionContext } from "../function-context.ts";
import type { Hold } from "../holds.ts";
import { type Layout, layoutOf } from "../layout.ts";
import type { AddedFunction, ProgramContext } from "../program-context.ts";
import { partStorage, type Storage } from "../storage.ts";
import { dropPushed, popInto, popOver, pushStored, pushZero, releaseStored } from "../values.ts";
import { drainPoint } from "./frames.ts";
import { lociOfProgram } from "./program-loci.ts";
import type { LocusShape } from "./shape.ts";

const { i32, i64, f64 } = ValueType;

/** Epochs as runtime/guest/failure.ts numbers them; `explicit` is asked for by generated code only. */
const EPOCHS = { birth: 0, tick: 1, duration: 2, dissolve: 3, explicit: 4 } as const;
type CheckedEpoch = keyof typeof EPOCHS;

const BY_ASSERTION = 0;
const BY_BIRTH_CHECK = 2;

/** The closure whose assertion is being written, and where its accumulators lie. */
const checking = new WeakMap<
  FunctionContext,
  { readonly closure: TypedClosure; readonly offsets: readonly number[] }
>();

/** The set of epochs that the type's check function knows, 1 << epoch. */
export function epochsOf(locus: LocusType): number {
  let epochs = locus.birthChecks.length > 0 ? 1 << EPOCHS.birth : 0;
  for (const { epoch } of locus.closures) if (epoch !== "inline") epochs |= 1 << EPOCHS[epoch];
  return epochs;
}

/** `(self, epoch) -> ()`: checks the closures of the epoch in declaration order and delivers each that fails. */
export function checkFunction(program: ProgramContext, locus: LocusType): AddedFunction | undefined {
  if (epochsOf(locus) === 0) return undefined;
  return program.helper("check closures", locus, () =>
    program.addFunction(`${locus.name} (closures)`, [i32, i32], [], (added) => writeCheck(program, locus, added)),
  );
}

/** `check_closures();` */
export function checkExplicitClosures(fn: FunctionContext, locus: LocusType): void {
  const check = locus.closures.some((closure) => closure.epoch === "explicit")
    ? checkFunction(fn.program, locus)
    : undefined;
  if (!check) return;
  fn.code.get(fn.self);
  fn.code.i32(EPOCHS.explicit);
  fn.code.call(check.index);
}

/** An accumulator in an assertion: its present value. */
export function pushAccumulator(fn: FunctionContext, expr: TypedExpr & { readonly kind: "accumulator" }): Hold {
  const places = checking.get(fn);
  const place = places?.offsets[expr.index];
  const sample = places?.closure.accumulators[expr.index]?.sample;
  if (place === undefined) throw new Error("an accumulator outside an assertion");
  const { code } = fn;
  const total: Storage = { kind: "memory", base: fn.self, offset: place };
  if (expr.operation !== "mean" || !sample) {
    pushStored(fn, total, layoutOf(expr.type), "any", false);
    return "plain";
  }
  pushStored(fn, total, layoutOf(sample.result), "any", false);
  toFloat(fn, sample.result);
  code.get(fn.self);
  code.load(i64, place + layoutOf(sample.result).size);
  code.op("f64.convert_i64_s");
  code.op("f64.div");
  return "plain";
}

function writeCheck(program: ProgramContext, locus: LocusType, added: AddedFunction): void {
  const fn = new FunctionContext(program, undefined, [i32, i32]);
  const done = fn.code.block();
  for (const epoch of Object.keys(EPOCHS) as CheckedEpoch[]) {
    const closures = locus.closures.filter((closure) => closure.epoch === epoch);
    const checks = epoch === "birth" ? locus.birthChecks : [];
    if (closures.length === 0 && checks.length === 0) continue;
    fn.code.get(1);
    fn.code.i32(EPOCHS[epoch]);
    fn.code.op("i32.eq");
    fn.code.if();
    for (const closure of closures) {
      checkClosure(fn, locus, closure);
      if (epoch === "birth") stopWhenRestarting(fn, done);
    }
    // Evaluating birth and dissolve closures ends in a drain (06 6.5).
    if (closures.length > 0 && (epoch === "birth" || epoch === "dissolve")) drainPoint(fn);
    for (const check of checks) {
      pushInitialiser(fn, check.condition);
      fn.code.if();
      if (check.payload) evaluateInitialiser(fn, check.payload);
      fail(fn, check.closure, () => fn.code.i64(0n), BY_BIRTH_CHECK);
      fn.code.br(done);
      fn.code.end();
    }
    fn.code.br(done);
    fn.code.end();
  }
  fn.code.end();
  added.finished = fn.code.finish();
}

function stopWhenRestarting(fn: FunctionContext, done: Label): void {
  fn.code.get(fn.self);
  fn.code.call(fn.program.runtimeFunction("locus_restarting"));
  fn.code.brIf(done);
}

function checkClosure(fn: FunctionContext, locus: LocusType, closure: TypedClosure): void {
  const shape = lociOfProgram(fn.program).shapeOf(locus);
  const lastChecked = shape.lastChecked.get(closure);
  if (lastChecked === undefined) {
    assess(fn, closure, shape);
    return;
  }
  if (!closure.period) throw new Error("a duration closure without a period");
  const { code } = fn;
  code.get(fn.self);
  code.i32(lastChecked);
  code.op("i32.add");
  pushInitialiser(fn, closure.period);
  code.call(fn.program.runtimeFunction("closure_due"));
  code.if();
  assess(fn, closure, shape);
  for (const name of closure.resetsPerEpoch) {
    const index = locus.fields.findIndex((field) => field.name === name);
    const part = shape.fields.parts[index];
    if (!part) continue;
    pushZero(fn, part.layout);
    popInto(fn, { kind: "memory", base: fn.self, offset: part.offset }, part.layout);
  }
  code.end();
}

/** One sample for each accumulator, then the assertion. */
function assess(fn: FunctionContext, closure: TypedClosure, shape: LocusShape): void {
  const { assertion } = closure;
  if (!assertion) return;
  const offsets = (shape.accumulators.get(closure) ?? []).map((place) => place.offset);
  checking.set(fn, { closure, offsets });
  for (const [index, accumulator] of closure.accumulators.entries()) takeSample(fn, accumulator, offsets[index] ?? 0);
  const { type } = tailOf(assertion.left);
  const layout = layoutOf(type);
  const left = fn.temps(layout.leaves);
  const right = fn.temps(layout.leaves);
  pushInitialiser(fn, assertion.left);
  popInto(fn, left, layout);
  pushInitialiser(fn, assertion.right);
  popInto(fn, right, layout);
  pushHolds(fn, layout, left, right, () => pushInitialiser(fn, assertion.tolerance));
  fn.code.op("i32.eqz");
  fn.code.if();
  fail(fn, closure, () => pushDifference(fn, layout, left, right), BY_ASSERTION);
  fn.code.end();
  fn.freeTemps(left);
  fn.freeTemps(right);
}

/** `|left - right| <= tolerance`. A difference that is no number does not hold. */
function pushHolds(
  fn: FunctionContext,
  layout: Layout,
  left: Storage,
  right: Storage,
  pushTolerance: () => void,
): void {
  const { code } = fn;
  pushStored(fn, left, layout, "any", false);
  pushStored(fn, right, layout, "any", false);
  if (layout.leaves[0]?.wasm === f64) {
    code.op("f64.sub");
    code.op("f64.abs");
    pushTolerance();
    code.op("f64.le");
    return;
  }
  pushTolerance();
  code.call(fn.program.runtimeFunction(layout.leaves.length === 2 ? "closure_holds_decimal" : "closure_holds"));
}

/** What the record tells: Int and Duration as they are, the low part of a Decimal's units, 0 for Float. */
function pushDifference(fn: FunctionContext, layout: Layout, left: Storage, right: Storage): void {
  const { code } = fn;
  if (layout.leaves[0]?.wasm === f64) {
    code.i64(0n);
    return;
  }
  if (left.kind !== "locals" || right.kind !== "locals") throw new Error("sides lie in locals");
  code.get(left.locals[0] ?? 0);
  code.get(right.locals[0] ?? 0);
  code.op("i64.sub");
}

function fail(fn: FunctionContext, closure: TypedClosure, pushDifferenceOf: () => void, kind: number): void {
  fn.at(closure.span);
  fn.code.get(fn.self);
  fn.code.i32(fn.program.text(closure.name));
  pushDifferenceOf();
  fn.code.i32(kind);
  fn.code.call(fn.program.runtimeFunction("locus_fail"));
}

function takeSample(
  fn: FunctionContext,
  { operation, sample }: TypedClosure["accumulators"][number],
  offset: number,
): void {
  const { code } = fn;
  const addOne = (at: number) => {
    code.get(fn.self);
    code.get(fn.self);
    code.load(i64, at);
    code.i64(1n);
    code.op("i64.add");
    code.store(i64, at);
  };
  if (operation === "count" || !sample) {
    addOne(offset);
    return;
  }
  const layout = layoutOf(sample.result);
  const total: Storage = { kind: "memory", base: fn.self, offset };
  pushInitialiser(fn, sample);
  const taken = fn.temps(layout.leaves);
  popInto(fn, taken, layout);
  pushStored(fn, total, layout, "any", false);
  pushStored(fn, taken, layout, "any", false);
  if (layout.leaves.length === 2) pushDecimalSum(fn);
  else code.op(layout.leaves[0]?.wasm === f64 ? "f64.add" : "i64.add");
  popInto(fn, total, layout);
  fn.freeTemps(taken);
  if (operation === "mean") addOne(offset + layout.size);
}

/** (low, high, low, high) -> (low, high) */
function pushDecimalSum(fn: FunctionContext): void {
  const { code } = fn;
  const [bHigh, bLow, aHigh, low] = [fn.temp(i64), fn.temp(i64), fn.temp(i64), fn.temp(i64)];
  code.set(bHigh);
  code.set(bLow);
  code.set(aHigh);
  code.get(bLow);
  code.op("i64.add");
  code.tee(low);
  code.get(aHigh);
  code.get(bHigh);
  code.op("i64.add");
  code.get(low);
  code.get(bLow);
  code.op("i64.lt_u");
  code.op("i64.extend_i32_u");
  code.op("i64.add");
  for (const temp of [bHigh, bLow, aHigh, low]) fn.freeTemp(temp);
}

/** The number on the stack as a Float. */
function toFloat(fn: FunctionContext, type: Type): void {
  const { leaves } = layoutOf(type);
  if (leaves.length === 2) fn.code.call(fn.program.runtimeFunction("closure_decimal_float"));
  else if (leaves[0]?.wasm === i64) fn.code.op("f64.convert_i64_s");
}

/** Evaluates a part of a closure in place: an expression over `self`. */
function pushInitialiser(fn: FunctionContext, initialiser: TypedFunction): void {
  pushExpr(fn, tailOf(initialiser), "any");
}

function evaluateInitialiser(fn: FunctionContext, initialiser: TypedFunction): void {
  evaluate(fn, tailOf(initialiser));
}

function tailOf(initialiser: TypedFunction): TypedExpr {
  const tail = initialiser.body?.tail;
  if (!tail) throw new Error(`${initialiser.name} has no value`);
  return tail;
}

// -- the values of restart_in_place

/** `(self) -> ()`: remembers the built values of the params. */
export function snapshotFunction(program: ProgramContext, locus: LocusType): AddedFunction | undefined {
  const shape = lociOfProgram(program).shapeOf(locus);
  const at = shape.snapshot;
  if (at === undefined) return undefined;
  return program.helper("snapshot", locus, () =>
    program.addFunction(`${locus.name} (built values)`, [i32], [], (added) => {
      const fn = new FunctionContext(program, undefined, [i32]);
      const copy = fn.code.local(i32);
      fn.code.i32(shape.fields.size);
      fn.code.call(program.runtimeFunction("alloc"));
      fn.code.set(copy);
      fn.code.get(0);
      fn.code.get(copy);
      fn.code.store(i32, at);
      forEachValue(shape, (part) => {
        pushStored(fn, partStorage({ kind: "memory", base: 0, offset: 0 }, part), part.layout, "own", true);
        popInto(fn, partStorage({ kind: "memory", base: copy, offset: 0 }, part), part.layout);
      });
      added.finished = fn.code.finish();
    }),
  );
}

/** `(self) -> ()`: gives the params their built values again. */
export function restoreFunction(program: ProgramContext, locus: LocusType): AddedFunction | undefined {
  const shape = lociOfProgram(program).shapeOf(locus);
  const at = shape.snapshot;
  if (at === undefined) return undefined;
  return program.addFunction(`${locus.name} (built values again)`, [i32], [], (added) => {
    const fn = new FunctionContext(program, undefined, [i32]);
    const copy = pushSnapshot(fn, at);
    forEachValue(shape, (part) => {
      pushStored(fn, partStorage({ kind: "memory", base: copy, offset: 0 }, part), part.layout, "own", true);
      popOver(fn, partStorage({ kind: "memory", base: 0, offset: 0 }, part), part.layout);
    });
    added.finished = fn.code.finish();
  });
}

/** In the drop function of the type: gives the built values back. */
export function releaseSnapshot(fn: FunctionContext, shape: LocusShape): void {
  if (shape.snapshot === undefined) return;
  const copy = pushSnapshot(fn, shape.snapshot);
  fn.code.get(copy);
  fn.code.if();
  forEachValue(shape, (part) =>
    releaseStored(fn, partStorage({ kind: "memory", base: copy, offset: 0 }, part), part.layout),
  );
  fn.code.get(copy);
  fn.code.call(fn.program.runtimeFunction("free"));
  fn.code.end();
}

function pushSnapshot(fn: FunctionContext, at: number): number {
  const copy = fn.code.local(i32);
  fn.code.get(0);
  fn.code.load(i32, at);
  fn.code.set(copy);
  return copy;
}

/** The params that have values of their own: children in fields stay. */
function forEachValue(shape: LocusShape, visit: (part: LocusShape["fields"]["parts"][number]) => void): void {
  for (const [index, part] of shape.fields.parts.entries()) {
    if (!shape.ownable.some((candidate) => candidate.field === index)) visit(part);
  }
}

/** Drops the value of an expression that was only evaluated. */
export function evaluateAndDrop(fn: FunctionContext, expr: TypedExpr): void {
  dropPushed(fn, expr.type, pushExpr(fn, expr, "any"));
}
