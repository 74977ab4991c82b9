// Literals that are carried out on another thread (reference 06 6.11, 6.12; 05 5.11.4): the values written in them are evaluated here and laid into a plan
// (runtime/guest/placed.ts), a function of its own builds the locus from the plan there.
import type { LocusType, PlacementInfo, TypedExpr, Type } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { pushExpr } from "../expressions.ts";
import { FunctionContext } from "../function-context.ts";
import { layoutOf } from "../layout.ts";
import type { AddedFunction, ProgramContext } from "../program-context.ts";
import { popInto, popToTemps, pushStored, releaseStored } from "../values.ts";
import { isOffMain } from "./channels.ts";
import { ACCEPTED, KEPT, OWN_THREAD, OWNER, PARENT } from "./instance.ts";
import { frameOf, pushOwner, shareFrame } from "./frames.ts";
import { isolateFunction } from "./isolate.ts";
import { create, type Literal, setParams } from "./literals.ts";
import { canHoldLocus, type Position } from "./positions.ts";
import { retainHandleFunction } from "./threads.ts";

const { i32 } = ValueType;

/** Offsets in a plan: the parent of the new instance, its owner, then the values. */
const PLAN_PARENT = 16;
const PLAN_OWNER = 20;
const PLAN_VALUES = 24;

/** Threads of an `async_io` pool that are started with it. */
const MOST_EARLY_THREADS = 8;

/** The placement of the field that a literal initialises, when it leaves the main thread. */
export function placementOf(fn: FunctionContext, expr: Literal, position: Position): PlacementInfo | undefined {
  if (position.kind !== "field") return undefined;
  const { holder } = position;
  const owner = holder ? holder.locus : fn.fn?.self;
  if (!owner?.isMain) return undefined;
  const index = holder
    ? holder.fields.findIndex((value) => value !== undefined && literalIn(value) === expr)
    : owner.fields.findIndex((field) => field.defaultValue === fn.fn);
  const placement = owner.placements.find((candidate) => candidate.field.index === index);
  return placement && isOffMain(placement) ? placement : undefined;
}

function literalIn(expr: TypedExpr): TypedExpr {
  return expr.kind === "convert" ? literalIn(expr.operand) : expr;
}

/** Whether the holder has moved the field off its thread. */
export function isPlacedField(owner: LocusType, index: number): boolean {
  return owner.isMain && owner.placements.some((placement) => placement.field.index === index && isOffMain(placement));
}

/** Starts the workers of the pools that a main locus places its fields on. */
export function startPools(fn: FunctionContext, locus: LocusType): void {
  if (!locus.isMain) return;
  const { code, program } = fn;
  const started = new Set<string>();
  for (const placement of locus.placements) {
    if (placement.place !== "cooperative" || !placement.pool || !isOffMain(placement) || started.has(placement.pool))
      continue;
    started.add(placement.pool);
    code.i32(poolSlot(program, placement.pool));
    code.i32(
      placement.asyncIo
        ? Math.min(locus.placements.filter((other) => other.pool === placement.pool).length, MOST_EARLY_THREADS)
        : 0,
    );
    code.call(program.runtimeFunction("pool_start"));
  }
}

const poolSlots = new WeakMap<ProgramContext, Map<string, number>>();

/** Where the program keeps the strand of a pool. */
function poolSlot(program: ProgramContext, pool: string): number {
  let ofProgram = poolSlots.get(program);
  if (!ofProgram) {
    ofProgram = new Map();
    poolSlots.set(program, ofProgram);
  }
  let slot = ofProgram.get(pool);
  if (slot === undefined) {
    slot = program.data.add(new Uint8Array(4), 4);
    ofProgram.set(pool, slot);
  }
  return slot;
}

/** A placed field's literal: pushes the handle of the instance that another thread has built. */
export function pushPlacedLiteral(fn: FunctionContext, expr: Literal, holder: number, placement: PlacementInfo): void {
  const { code, program } = fn;
  const values = transported(expr);
  const taken = values.exprs.map((value) => {
    pushExpr(fn, value, "own");
    return popToTemps(fn, layoutOf(value.type));
  });
  const pinned = placement.place === "pinned";
  const builder = builderOf(fn, expr, values, pinned ? OWN_THREAD | KEPT : KEPT);
  const first = code.local(i32);
  const lay = () => {
    const plan = layPlan(
      fn,
      values,
      builder,
      (at) => {
        for (const offset of [PLAN_PARENT, PLAN_OWNER]) {
          code.get(at);
          code.get(holder);
          code.store(i32, offset);
        }
        code.get(holder);
        code.call(retainHandleFunction(program));
      },
      taken,
    );
    code.get(plan);
  };
  if (pinned) {
    for (let replica = 0; replica < (placement.replicas ?? 1); replica++) {
      lay();
      code.i32(replica);
      code.call(program.runtimeFunction("plan_pinned"));
      if (replica === 0) code.set(first);
      else code.op("drop");
    }
  } else {
    lay();
    code.i32(poolSlot(program, placement.pool ?? ""));
    code.load(i32, 0);
    code.call(program.runtimeFunction("plan_pooled"));
    code.tee(first);
    code.call(program.runtimeFunction("locus_start_pooled"));
  }
  for (const [index, value] of values.exprs.entries()) {
    const temps = taken[index];
    if (!temps) continue;
    releaseStored(fn, temps, layoutOf(value.type));
    fn.freeTemps(temps);
  }
  code.get(first);
}

/** A statement literal whose acceptor lives on another thread: the child is born there, later. */
export function postBirth(fn: FunctionContext, expr: Literal, acceptor: number): void {
  const { code, program } = fn;
  const values = transported(expr);
  const taken = values.exprs.map((value) => {
    pushExpr(fn, value, "own");
    return popToTemps(fn, layoutOf(value.type));
  });
  const plan = layPlan(
    fn,
    values,
    undefined,
    (at) => {
      code.get(at);
      pushOwner(fn);
      code.store(i32, PLAN_PARENT);
      pushOwner(fn);
      code.call(retainHandleFunction(program));
      code.get(at);
      code.get(acceptor);
      code.store(i32, PLAN_OWNER);
    },
    taken,
  );
  code.get(acceptor);
  code.call(program.runtimeFunction("strand_of"));
  code.i32(program.tableIndexOf(birthJob(fn, expr, values).index));
  code.get(plan);
  code.call(program.runtimeFunction("strand_post"));
  for (const [index, value] of values.exprs.entries()) {
    const temps = taken[index];
    if (!temps) continue;
    releaseStored(fn, temps, layoutOf(value.type));
    fn.freeTemps(temps);
  }
}

/** The values of a literal that are evaluated where it stands, with their offsets in the plan. Literals nested in fields are carried out with it. */
interface Transported {
  readonly exprs: readonly TypedExpr[];
  readonly offsets: ReadonlyMap<TypedExpr, number>;
  readonly size: number;
}

function transported(expr: Literal): Transported {
  const exprs: TypedExpr[] = [];
  const offsets = new Map<TypedExpr, number>();
  let size = 0;
  const visit = (literal: Literal) => {
    for (const [index, value] of literal.fields.entries()) {
      const field = literal.locus.fields[index];
      if (!value || !field) continue;
      const inner = literalIn(value);
      if (inner.kind === "locus" && canHoldLocus(field.type)) {
        visit(inner);
        continue;
      }
      const layout = layoutOf(value.type);
      size = (size + layout.alignment - 1) & -layout.alignment;
      offsets.set(value, PLAN_VALUES + size);
      size += layout.size;
      exprs.push(value);
    }
  };
  visit(expr);
  return { exprs, offsets, size: (size + 7) & -8 };
}

/** Makes a plan and answers the local with its address. */
function layPlan(
  fn: FunctionContext,
  values: Transported,
  builder: AddedFunction | undefined,
  fillHead: (plan: number) => void,
  taken: readonly { readonly kind: "locals"; readonly locals: readonly number[] }[],
): number {
  const { code, program } = fn;
  const plan = code.local(i32);
  code.i32(builder ? program.tableIndexOf(builder.index) : 0);
  code.i32(PLAN_VALUES - PLAN_PARENT + values.size);
  code.call(program.runtimeFunction("plan_new"));
  code.set(plan);
  fillHead(plan);
  for (const [index, value] of values.exprs.entries()) {
    const temps = taken[index];
    const offset = values.offsets.get(value);
    if (!temps || offset === undefined) continue;
    const layout = layoutOf(value.type);
    pushStored(fn, temps, layout, "any", false);
    popInto(fn, { kind: "memory", base: plan, offset }, layout);
    isolateAt(fn, plan, offset, value.type);
  }
  return plan;
}

function isolateAt(fn: FunctionContext, base: number, offset: number, type: Type): void {
  const isolate = isolateFunction(fn.program, type);
  if (!isolate) return;
  fn.code.get(base);
  fn.code.i32(offset);
  fn.code.op("i32.add");
  fn.code.call(isolate.index);
}

/** `(plan) -> instance`: sets the params on the thread that the instance is to live on. */
function builderOf(fn: FunctionContext, expr: Literal, values: Transported, flags: number): AddedFunction {
  return fn.program.helper("build placed", expr, () =>
    fn.program.addFunction(`build ${expr.locus.name}`, [i32], [i32], (added) => {
      const there = new FunctionContext(fn.program, undefined, [i32]);
      const instance = build(fn, there, expr, values, flags);
      there.code.get(instance);
      there.code.call(fn.program.runtimeFunction("locus_to_owner"));
      there.code.get(instance);
      added.finished = there.code.finish();
    }),
  );
}

/** `(plan) -> ()`: builds, accepts and starts a child. */
function birthJob(fn: FunctionContext, expr: Literal, values: Transported): AddedFunction {
  return fn.program.helper("birth", expr, () =>
    fn.program.addFunction(`birth of ${expr.locus.name}`, [i32], [], (added) => {
      const there = new FunctionContext(fn.program, undefined, [i32]);
      const { code, program } = there;
      const instance = build(fn, there, expr, values, ACCEPTED);
      code.get(0);
      code.call(program.runtimeFunction("free"));
      for (const step of ["locus_start", "locus_to_owner", "locus_release"]) {
        code.get(instance);
        code.call(program.runtimeFunction(step));
      }
      added.finished = code.finish();
    }),
  );
}

/** In a function whose parameter is the plan: a new instance with its params set. */
function build(fn: FunctionContext, there: FunctionContext, expr: Literal, values: Transported, flags: number): number {
  const { code } = there;
  const positions = frameOf(fn)?.positions;
  const instance = code.local(i32);
  const pushTransported = (value: TypedExpr) => {
    const offset = values.offsets.get(value);
    if (offset === undefined) return false;
    pushStored(there, { kind: "memory", base: 0, offset }, layoutOf(value.type), "any", false);
    return true;
  };
  if (positions) shareFrame(there, positions, new Map([[expr, instance]]), pushTransported);
  create(
    there,
    expr.locus,
    instance,
    () => code.i32(0),
    () => code.i32(0),
    () => code.i32(flags),
  );
  for (const [from, to] of [
    [PLAN_PARENT, PARENT],
    [PLAN_OWNER, OWNER],
  ] as const) {
    code.get(instance);
    code.get(0);
    code.load(i32, from);
    code.store(i32, to);
  }
  setParams(there, expr, instance);
  return instance;
}
