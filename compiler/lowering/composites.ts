// Record literals, tuples and enum values.
import type { TypedExpr } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { pushExpr } from "./expressions.ts";
import { Fact, factsOf } from "./facts.ts";
import type { FunctionContext } from "./function-context.ts";
import type { Hold } from "./holds.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { factsBehind, pushOwned } from "./operands.ts";
import { partOf } from "./storage.ts";
import { type Guard, guardPushed, localAt, popInto, releaseStored, settle } from "./values.ts";

type Expr<Kind extends TypedExpr["kind"]> = TypedExpr & { readonly kind: Kind };

export function pushRecord(fn: FunctionContext, expr: Expr<"record">): Hold {
  return pushMembers(fn, expr, expr.fields);
}

export function pushTuple(fn: FunctionContext, expr: Expr<"tuple">): Hold {
  return pushMembers(fn, expr, expr.members);
}

function pushMembers(fn: FunctionContext, expr: TypedExpr, members: readonly TypedExpr[]): Hold {
  const layout = layoutOf(expr.type);
  if (!layout.box) {
    pushOwned(fn, members);
    return layout.counted ? "owned" : "plain";
  }
  const box = allocateBox(
    fn,
    layout,
    members.some((member) => (factsOf(member) & Fact.leaves) !== 0),
  );
  for (const [index, member] of members.entries()) {
    const part = partOf(layout, index);
    pushExpr(fn, member, "own");
    popInto(fn, { kind: "memory", base: box.cell, offset: part.offset }, part.layout);
  }
  return box.push();
}

interface NewBox {
  readonly cell: number;
  push(): Hold;
}

/** A zero-filled cell for a boxed value; while it is filled it can be dropped at any time. */
function allocateBox(fn: FunctionContext, layout: Layout, mayLeave: boolean): NewBox {
  const { code } = fn;
  const cell = code.local(ValueType.i32);
  code.i32(layout.box?.size ?? 0);
  code.call(fn.program.runtimeFunction("alloc"));
  code.set(cell);
  const cleanup = mayLeave
    ? fn.addCleanup(() => releaseStored(fn, { kind: "locals", locals: [cell] }, layout))
    : undefined;
  return {
    cell,
    push: () => {
      if (cleanup) fn.removeCleanup(cleanup);
      code.get(cell);
      return "owned";
    },
  };
}

export function pushVariant(fn: FunctionContext, expr: Expr<"variant">): Hold {
  const { code } = fn;
  const layout = layoutOf(expr.type);
  const slots = layout.payloads[expr.index] ?? [];
  if (layout.box) {
    const box = allocateBox(
      fn,
      layout,
      expr.payload.some((value) => (factsOf(value) & Fact.leaves) !== 0),
    );
    code.get(box.cell);
    code.i32(expr.index);
    code.store(ValueType.i32, 0);
    for (const [position, value] of expr.payload.entries()) {
      pushExpr(fn, value, "own");
      popSlots(fn, layout.box, slots[position] ?? [], box.cell);
    }
    return box.push();
  }
  if (isInOrder(slots)) {
    code.i32(expr.index);
    pushOwned(fn, expr.payload);
    for (let leaf = 1 + slots.flat().length; leaf < layout.leaves.length; leaf++)
      code.zero(layout.leaves[leaf]?.wasm ?? ValueType.i32);
  } else scatter(fn, expr, layout, slots);
  return layout.counted ? "owned" : "plain";
}

/** The payload's leaves are exactly the first slots. */
function isInOrder(slots: readonly (readonly number[])[]): boolean {
  return slots.flat().every((slot, position) => slot === position + 1);
}

function scatter(
  fn: FunctionContext,
  expr: Expr<"variant">,
  layout: Layout,
  slots: readonly (readonly number[])[],
): void {
  const { code } = fn;
  const sources = new Map<number, number>();
  const guards: Guard[] = [];
  const temps: number[] = [];
  const behind = factsBehind(expr.payload);
  for (const [position, value] of expr.payload.entries()) {
    pushExpr(fn, value, "own");
    const valueLayout = layoutOf(value.type);
    if (valueLayout.counted && (behind[position] ?? 0) & Fact.leaves) guards.push(guardPushed(fn, valueLayout));
    const storage = fn.temps(valueLayout.leaves);
    popInto(fn, storage, valueLayout);
    temps.push(...storage.locals);
    for (const [leaf, slot] of (slots[position] ?? []).entries()) sources.set(slot, localAt(storage, leaf));
  }
  code.i32(expr.index);
  for (let slot = 1; slot < layout.leaves.length; slot++) {
    const source = sources.get(slot);
    if (source === undefined) code.zero(layout.leaves[slot]?.wasm ?? ValueType.i32);
    else code.get(source);
  }
  for (let at = guards.length - 1; at >= 0; at--) {
    const guard = guards[at];
    if (guard) settle(fn, guard);
  }
  for (const temp of temps) fn.freeTemp(temp);
}

/** Pops a value into slots of an enum's cell. */
function popSlots(fn: FunctionContext, content: Layout, slots: readonly number[], cell: number): void {
  const { code } = fn;
  for (let at = slots.length - 1; at >= 0; at--) {
    const slot = slots[at] ?? 0;
    const wasm = content.leaves[slot]?.wasm ?? ValueType.i32;
    const temp = fn.temp(wasm);
    code.set(temp);
    code.get(cell);
    code.get(temp);
    code.store(wasm, content.offsets[slot] ?? 0);
    fn.freeTemp(temp);
  }
}
