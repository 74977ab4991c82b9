// Element chains (07 12): one loop over the source; each element goes through all stages, then to the terminal.
import type { Local, Type, TypedChain, TypedExpr } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { bindElement, forEachElement } from "./arrays.ts";
import { pushErrorRecord } from "./builtins.ts";
import { blockEffect, pushExpr } from "./expressions.ts";
import { Fact, factsOf } from "./facts.ts";
import type { FunctionContext } from "./function-context.ts";
import type { FailureTarget, Hold } from "./holds.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { applyBinary } from "./operators.ts";
import { pushPlace } from "./places.ts";
import type { LocalsStorage } from "./storage.ts";
import { bindNew } from "./variables.ts";
import { popInto, popOver, pushStored, releaseStored } from "./values.ts";

type ChainExpr = TypedExpr & { readonly kind: "chain" };
type Stage = TypedChain["stages"][number];

const { i32, i64 } = ValueType;

/** What a terminal does with the loop: something before it, something for each element that arrives, and its value behind it. */
export interface Terminal {
  /** The element is in its variable. */
  arrive(): void;
  /** Behind the loop: pushes the value; a failure goes to the chain's `or`. */
  finish(): Hold;
}

export function pushChain(fn: FunctionContext, expr: ChainExpr, failure: FailureTarget | undefined): Hold {
  const { chain } = expr;
  const depth = fn.cleanupDepth;
  const counters = chain.stages.map((stage) => prepareStage(fn, stage));
  const terminal = prepareTerminal(fn, expr, failure);
  forEachSource(fn, chain, () => {
    for (const [position, stage] of chain.stages.entries()) passStage(fn, stage, counters[position] ?? 0);
    terminal.arrive();
  });
  const hold = terminal.finish();
  // The value is on the stack, owned; what the terminal kept for it has been moved out.
  fn.popCleanups(depth);
  return hold;
}

function forEachSource(fn: FunctionContext, chain: TypedChain, round: () => void): void {
  const { source, item } = chain;
  const { type } = source;
  if (type.kind !== "array" && type.kind !== "bounded") {
    fn.program.loci.forEachInChain(fn, chain, round);
    return;
  }
  forEachElement(fn, source, type, (element) => {
    bindElement(fn, type, item, element, factsOfRounds(chain));
    round();
  });
}

/** What a round may do. */
export function factsOfRounds({ stages, terminal }: TypedChain): number {
  let facts = terminal.body ? Fact.writes : 0;
  for (const stage of stages) {
    if (stage.kind === "filter") facts |= factsOf(stage.condition);
    else if (stage.kind === "map") facts |= factsOf(stage.value);
  }
  for (const arg of terminal.args) facts |= factsOf(arg);
  return facts;
}

// ---------------------------------------------------------------- stages

/** Evaluates what a stage needs before the loop; answers its counter. */
function prepareStage(fn: FunctionContext, stage: Stage): number {
  const { code } = fn;
  switch (stage.kind) {
    case "take":
    case "skip": {
      const left = code.local(i64);
      pushExpr(fn, stage.count, "any");
      code.set(left);
      return left;
    }
    case "enumerate": {
      const index = code.local(i64);
      code.i64(-1n);
      code.set(index);
      fn.bind(stage.index, { kind: "locals", locals: [index] });
      return index;
    }
    default:
      return 0;
  }
}

function passStage(fn: FunctionContext, stage: Stage, counter: number): void {
  const { code } = fn;
  switch (stage.kind) {
    case "filter":
      fn.scope(() => pushExpr(fn, stage.condition, "any"));
      code.op("i32.eqz");
      jumpIf(fn, "continue");
      return;
    case "map":
      mapElement(fn, stage.item, stage.value);
      return;
    case "take":
      // The whole chain ends when one more arrives.
      code.get(counter);
      code.i64(0n);
      code.op("i64.le_s");
      jumpIf(fn, "break");
      step(fn, counter, -1n);
      return;
    case "skip":
      code.get(counter);
      code.i64(0n);
      code.op("i64.gt_s");
      code.if();
      step(fn, counter, -1n);
      fn.jump("continue");
      code.end();
      return;
    case "enumerate":
      step(fn, counter, 1n);
      return;
    default:
      stage satisfies never;
  }
}

function mapElement(fn: FunctionContext, item: Local, value: TypedExpr): void {
  pushExpr(fn, value, "own");
  const storage = fn.variableStorage(item);
  popInto(fn, storage, layoutOf(item.type));
  bindNew(fn, item, storage);
}

function jumpIf(fn: FunctionContext, where: "break" | "continue"): void {
  fn.code.if();
  fn.jump(where);
  fn.code.end();
}

function step(fn: FunctionContext, counter: number, by: bigint): void {
  fn.code.get(counter);
  fn.code.i64(by);
  fn.code.op("i64.add");
  fn.code.set(counter);
}

// ---------------------------------------------------------------- terminals

function prepareTerminal(fn: FunctionContext, expr: ChainExpr, failure: FailureTarget | undefined): Terminal {
  const { chain } = expr;
  const { terminal } = chain;
  const [argument] = terminal.args;
  switch (terminal.kind) {
    case "count":
      return counting(fn);
    case "sum":
      return summing(fn, chain, expr.type, argument);
    case "any":
      return deciding(fn, argument, true);
    case "all":
      return deciding(fn, argument, false);
    case "first":
    case "find":
      return finding(fn, expr, failure, argument);
    case "min":
    case "max":
      return choosing(fn, expr, failure, argument, terminal.kind);
    case "each":
      return { arrive: () => terminal.body && blockEffect(fn, terminal.body), finish: () => "plain" };
    case "into":
    case "reverse_into":
    case "sort_into":
    case "group_count_into":
      return fn.program.loci.collectingTerminal(fn, expr);
    default:
      return terminal.kind satisfies never;
  }
}

function counting(fn: FunctionContext): Terminal {
  const count = zeroed(fn, i64);
  return {
    arrive: () => step(fn, count, 1n),
    finish: () => {
      fn.code.get(count);
      return "plain";
    },
  };
}

/** A local that is 0 each time the chain starts. */
function zeroed(fn: FunctionContext, type: ValueType): number {
  const local = fn.code.local(type);
  fn.code.zero(type);
  fn.code.set(local);
  return local;
}

/** The variable that arrives at the terminal. */
export function arriving(chain: TypedChain): Local {
  let item = chain.item;
  for (const stage of chain.stages) if (stage.kind === "map") item = stage.item;
  return item;
}

export function pushArriving(fn: FunctionContext, chain: TypedChain, want: "any" | "own"): Hold {
  const local = arriving(chain);
  return pushPlace(fn, { kind: "local", local, type: local.type, span: local.span }, want);
}

function summing(fn: FunctionContext, chain: TypedChain, type: Type, seed: TypedExpr | undefined): Terminal {
  const layout = layoutOf(type);
  const total = fn.newLocals(layout);
  if (seed) pushExpr(fn, seed, "own");
  else fn.code.i64(0n);
  popInto(fn, total, layout);
  const cleanup = layout.counted ? fn.addCleanup(() => releaseStored(fn, total, layout)) : undefined;
  return {
    arrive: () => {
      pushStored(fn, total, layout, "any", false);
      pushArriving(fn, chain, "any");
      if (layout.counted) fn.code.call(fn.program.runtimeFunction("string_append"));
      else applyBinary(fn, "add", type, type);
      popInto(fn, total, layout);
    },
    finish: () => {
      if (cleanup) fn.removeCleanup(cleanup);
      pushStored(fn, total, layout, "any", false);
      return layout.counted ? "owned" : "plain";
    },
  };
}

/** `any` ends with true at the first element that fits, `all` with false at the first that does not. */
function deciding(fn: FunctionContext, condition: TypedExpr | undefined, until: boolean): Terminal {
  const { code } = fn;
  const answer = code.local(i32);
  code.i32(until ? 0 : 1);
  code.set(answer);
  const decide = () => {
    code.i32(until ? 1 : 0);
    code.set(answer);
    fn.jump("break");
  };
  return {
    arrive: () => {
      if (!condition) return decide();
      fn.scope(() => pushExpr(fn, condition, "any"));
      if (!until) code.op("i32.eqz");
      code.if();
      decide();
      code.end();
    },
    finish: () => {
      code.get(answer);
      return "plain";
    },
  };
}

/** An element kept for the end: `found` tells whether there is one. */
interface Kept {
  readonly found: number;
  readonly layout: Layout;
  readonly storage: LocalsStorage;
  finish(): Hold;
}

function keeping(fn: FunctionContext, expr: ChainExpr, failure: FailureTarget | undefined): Kept {
  const { code } = fn;
  const layout = layoutOf(arriving(expr.chain).type);
  const found = zeroed(fn, i32);
  const storage = fn.newLocals(layout);
  for (const [position, leaf] of layout.leaves.entries()) {
    code.zero(leaf.wasm);
    code.set(storage.locals[position] ?? 0);
  }
  const cleanup = layout.counted ? fn.addCleanup(() => releaseStored(fn, storage, layout)) : undefined;
  return {
    found,
    layout,
    storage,
    finish: () => {
      if (cleanup) fn.removeCleanup(cleanup);
      failUnless(fn, expr, found, failure);
      pushStored(fn, storage, layout, "any", false);
      return layout.counted ? "owned" : "plain";
    },
  };
}

/** Nothing there: `IndexError { kind: "out_of_bounds", index: -1 }` (07 12.11). */
function failUnless(fn: FunctionContext, expr: ChainExpr, found: number, failure: FailureTarget | undefined): void {
  const { code } = fn;
  const { fallible } = expr;
  if (!failure || fallible?.kind !== "record") throw new Error("a chain that can fail has no `or`");
  code.get(found);
  code.op("i32.eqz");
  code.if();
  pushErrorRecord(fn, fallible, { kind: () => code.i32(fn.program.text("out_of_bounds")), index: () => code.i64(-1n) });
  failure.fromStack();
  code.end();
}

function finding(
  fn: FunctionContext,
  expr: ChainExpr,
  failure: FailureTarget | undefined,
  condition: TypedExpr | undefined,
): Terminal {
  const { code } = fn;
  const kept = keeping(fn, expr, failure);
  return {
    arrive: () => {
      if (condition) {
        fn.scope(() => pushExpr(fn, condition, "any"));
        code.op("i32.eqz");
        jumpIf(fn, "continue");
      }
      pushArriving(fn, expr.chain, "own");
      popInto(fn, kept.storage, kept.layout);
      code.i32(1);
      code.set(kept.found);
      fn.jump("break");
    },
    finish: kept.finish,
  };
}

/** `min` and `max`: the element whose key (itself without one) is least or greatest; the first of equals. */
function choosing(
  fn: FunctionContext,
  expr: ChainExpr,
  failure: FailureTarget | undefined,
  key: TypedExpr | undefined,
  which: "min" | "max",
): Terminal {
  const { code } = fn;
  const item = arriving(expr.chain);
  const keyType = key?.type ?? item.type;
  const keyLayout = layoutOf(keyType);
  const best = fn.newLocals(keyLayout);
  for (const [position, leaf] of keyLayout.leaves.entries()) {
    code.zero(leaf.wasm);
    code.set(best.locals[position] ?? 0);
  }
  if (keyLayout.counted) fn.addCleanup(() => releaseStored(fn, best, keyLayout));
  const kept = keeping(fn, expr, failure);
  return {
    arrive: () => {
      if (key) pushExpr(fn, key, "own");
      else pushArriving(fn, expr.chain, "own");
      const candidate = fn.newLocals(keyLayout);
      popInto(fn, candidate, keyLayout);
      const cleanup = keyLayout.counted ? fn.addCleanup(() => releaseStored(fn, candidate, keyLayout)) : undefined;
      code.get(kept.found);
      code.if(i32);
      pushStored(fn, candidate, keyLayout, "any", false);
      pushStored(fn, best, keyLayout, "any", false);
      applyBinary(fn, which === "min" ? "less" : "greater", keyType, keyType);
      code.op("i32.eqz");
      code.else();
      code.i32(0);
      code.end();
      jumpIf(fn, "continue");
      if (cleanup) fn.removeCleanup(cleanup);
      pushStored(fn, candidate, keyLayout, "any", false);
      popOver(fn, best, keyLayout);
      pushArriving(fn, expr.chain, "own");
      popOver(fn, kept.storage, kept.layout);
      code.i32(1);
      code.set(kept.found);
    },
    finish: kept.finish,
  };
}
