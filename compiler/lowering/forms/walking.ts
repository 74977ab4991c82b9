// Walking a form: `for`, chains over and into containers, dropping all elements (07 sections 6 and 12).
import type { Local, LocusType, TypedBlock, TypedExpr } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { arriving, factsOfRounds, pushArriving, type Terminal } from "../chains.ts";
import { blockEffect, pushExpr } from "../expressions.ts";
import { Fact, factsOfBlock } from "../facts.ts";
import type { FunctionContext } from "../function-context.ts";
import { layoutOf } from "../layout.ts";
import { ownPushed, popInto, pushStored, releaseStored } from "../values.ts";
import { pushIsolated } from "../loci/isolate.ts";
import { pushSeparate, separate } from "../separate.ts";
import { bindNew } from "../variables.ts";
import { appendPushed, bumpPushed } from "./calls.ts";
import {
  elementShape,
  formOf,
  type ElementShape,
  openForm,
  pushStorageAddress,
  pushVecElement,
  syncOf,
  valueAt,
} from "./form.ts";
import { sortBy, sortPlainly } from "./sorting.ts";

const { i32 } = ValueType;

type ChainExpr = TypedExpr & { readonly kind: "chain" };

/** `for x in v.items`, `for e in m.entries`. */
export function forEachInForm(
  fn: FunctionContext,
  source: TypedExpr,
  local: Local | undefined,
  body: TypedBlock,
): void {
  eachElement(fn, source, local, factsOfBlock(body), () => blockEffect(fn, body));
}

export function forEachInChain(fn: FunctionContext, expr: ChainExpr["chain"], round: () => void): void {
  eachElement(fn, expr.source, expr.item, factsOfRounds(expr), round, intoVec.has(expr.terminal.kind));
}

/** Terminals that push to a vec. It may be the source itself: such a chain stops at the element that was the last when it began. */
const intoVec: ReadonlySet<string> = new Set(["into", "reverse_into", "sort_into"]);

/** Runs `round` for each element, with its own copy in `local`; `fixed`: not for elements of a vec that come while it is walked. */
function eachElement(
  fn: FunctionContext,
  source: TypedExpr,
  local: Local | undefined,
  facts: number,
  round: () => void,
  fixed = false,
): void {
  const { code } = fn;
  const locus = formOf(source);
  const depth = fn.cleanupDepth;
  const handle = code.local(i32);
  const hold = pushExpr(fn, source, "any");
  if (hold !== "stable") ownPushed(fn, source.type, hold);
  code.tee(handle);
  if (hold !== "stable")
    fn.addCleanup(() => releaseStored(fn, { kind: "locals", locals: [handle] }, layoutOf(source.type)));
  pushStorageAddress(fn, locus);
  const storage = code.local(i32);
  code.set(storage);
  const shape = elementShape(locus.form);
  const sync = syncOf(fn, locus.form, storage);
  const at = code.local(i32);
  code.i32(0);
  code.set(at);
  const isVec = locus.form.form === "vec";
  const limit = fixed && isVec ? lengthOfVec(fn, storage) : undefined;
  const exit = code.block();
  const again = code.loop();
  const element = code.local(i32);
  if (limit !== undefined) {
    code.get(at);
    code.get(limit);
    code.op("i32.ge_u");
    code.brIf(exit);
  }
  if (isVec) nextOfVec(fn, shape, storage, at, element, () => code.brIf(exit));
  else {
    sync.lock();
    nextOfMap(fn, shape, storage, at, element, () => {
      code.if();
      sync.unlock();
      code.br(exit);
      code.end();
    });
  }
  const next = code.block();
  fn.enterLoop(exit, next);
  const outside = fn.cleanupDepth;
  if (local) bindCopy(fn, shape, local, element, facts, sync.isSynced);
  sync.unlock();
  round();
  fn.popCleanups(outside);
  fn.leaveLoop();
  code.end();
  code.get(at);
  code.i32(1);
  code.op("i32.add");
  code.set(at);
  code.br(again);
  code.end();
  code.end();
  fn.popCleanups(depth);
}

function lengthOfVec(fn: FunctionContext, storage: number): number {
  const { code } = fn;
  const length = code.local(i32);
  code.get(storage);
  code.load(i32, 4);
  code.set(length);
  return length;
}

function nextOfVec(
  fn: FunctionContext,
  shape: ElementShape,
  storage: number,
  at: number,
  element: number,
  leave: () => void,
): void {
  const { code } = fn;
  code.get(at);
  code.get(storage);
  code.load(i32, 4);
  code.op("i32.ge_u");
  leave();
  pushVecElement(fn, { storage, shape }, () => code.get(at));
  code.set(element);
}

function nextOfMap(
  fn: FunctionContext,
  shape: ElementShape,
  storage: number,
  at: number,
  element: number,
  leave: () => void,
): void {
  const { code } = fn;
  code.get(storage);
  code.get(at);
  code.i32(shape.stride);
  code.call(fn.program.runtimeFunction("map_next"));
  code.tee(at);
  code.i32(0);
  code.op("i32.lt_s");
  leave();
  code.get(storage);
  code.get(at);
  code.i32(shape.stride);
  code.call(fn.program.runtimeFunction("map_element"));
  code.set(element);
}

/** The round's own copy; a text that nothing can replace meanwhile is only borrowed. */
function bindCopy(
  fn: FunctionContext,
  shape: ElementShape,
  local: Local,
  element: number,
  facts: number,
  isSynced: boolean,
): void {
  const { layout } = shape;
  const storage = fn.variableStorage(local);
  if (isSynced) {
    pushIsolated(fn, valueAt(shape, element), layout);
    popInto(fn, storage, layout);
    bindNew(fn, local, storage);
    return;
  }
  const isBorrowed =
    (facts & Fact.writes) === 0 &&
    layout.leaves.every((leaf) => leaf.reference === undefined || leaf.reference.kind === "text");
  pushStored(fn, valueAt(shape, element), layout, isBorrowed ? "any" : "own", true);
  popInto(fn, storage, layout);
  if (isBorrowed) fn.bind(local, storage);
  else bindNew(fn, local, storage);
}

// ---------------------------------------------------------------- chains into containers

export function collectingTerminal(fn: FunctionContext, expr: ChainExpr): Terminal {
  const { terminal } = expr.chain;
  const { target } = terminal;
  if (!target) throw new Error(`${terminal.kind} has no target`);
  const form = openForm(fn, target, Fact.writes | Fact.assigns);
  const finish = (after: () => void) => (): "plain" => {
    after();
    form.release();
    return "plain";
  };
  const [argument] = terminal.args;
  if (terminal.kind === "group_count_into") {
    const arrive = () => {
      const item = arriving(expr.chain);
      const key: TypedExpr = argument ?? { kind: "local", local: item, type: item.type, span: item.span };
      fn.scope(() => {
        pushExpr(fn, key, "own");
        const layout = layoutOf(key.type);
        const kept = fn.newLocals(layout);
        popInto(fn, kept, layout);
        if (layout.counted) fn.addCleanup(() => releaseStored(fn, kept, layout));
        pushStored(fn, kept, layout, "any", false);
        bumpPushed(fn, form);
      });
    };
    return { arrive, finish: finish(() => {}) };
  }
  // The element as the vec takes it, then the comparison.
  const [element, comparison] = terminal.args;
  const arrive = () => {
    if (element) pushSeparate(fn, element);
    else {
      pushArriving(fn, expr.chain, "own");
      separate(fn, form.shape.info.element);
    }
    appendPushed(fn, form);
  };
  switch (terminal.kind) {
    case "into":
      return { arrive, finish: finish(() => {}) };
    case "reverse_into":
      return {
        arrive,
        finish: finish(() => {
          fn.code.get(form.storage);
          fn.code.i32(form.shape.stride);
          fn.code.call(fn.program.runtimeFunction("vec_reverse"));
        }),
      };
    case "sort_into":
      return {
        arrive,
        finish: finish(() => (comparison ? sortBy(fn, form, comparison, "ascending") : sortPlainly(fn, form))),
      };
    default:
      throw new Error(`${terminal.kind} collects nothing`);
  }
}

// ---------------------------------------------------------------- the end

/** In the drop function of the locus, whose instance is local 0: gives the elements and the storage back. */
export function dropForm(fn: FunctionContext, locus: LocusType, offset: number): void {
  const { code, program } = fn;
  if (!locus.form) return;
  const shape = elementShape(locus.form);
  const storage = code.local(i32);
  code.get(0);
  code.i32(offset);
  code.op("i32.add");
  code.set(storage);
  if (shape.layout.counted) dropElements(fn, shape, storage);
  code.get(storage);
  code.i32(locus.form.form === "lru_cache" ? 1 : 0);
  code.call(program.runtimeFunction("form_free"));
}

function dropElements(fn: FunctionContext, shape: ElementShape, storage: number): void {
  const { code, program } = fn;
  const at = code.local(i32);
  const element = code.local(i32);
  const exit = code.block();
  const again = code.loop();
  switch (shape.info.form) {
    case "vec":
    case "ring_buffer":
      code.get(storage);
      code.i32(shape.stride);
      code.call(program.runtimeFunction(shape.info.form === "vec" ? "vec_pop_slot" : "ring_pop_slot"));
      code.tee(element);
      code.op("i32.eqz");
      code.brIf(exit);
      break;
    case "hashmap":
    case "set":
      nextOfMap(fn, shape, storage, at, element, () => code.brIf(exit));
      break;
    case "lru_cache":
      code.get(at);
      code.get(storage);
      code.load(i32, 4);
      code.op("i32.ge_u");
      code.brIf(exit);
      code.get(storage);
      code.get(at);
      code.i32(shape.stride);
      code.call(program.runtimeFunction("lru_element"));
      code.set(element);
      break;
    default:
      shape.info.form satisfies never;
  }
  releaseStored(fn, valueAt(shape, element), shape.layout);
  code.get(at);
  code.i32(1);
  code.op("i32.add");
  code.set(at);
  code.br(again);
  code.end();
  code.end();
}
