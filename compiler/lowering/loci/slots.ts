// Capacity slots (reference 05 5.16): cells that an instance owns, hands out and takes back.
import type { Callee, LocusType, TypedCall, Type } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { pushExpr } from "../expressions.ts";
import type { FunctionContext } from "../function-context.ts";
import type { Hold } from "../holds.ts";
import { layoutOf } from "../layout.ts";
import { releaseStored } from "../values.ts";
import { lociOf } from "./program-loci.ts";
import type { LocusShape } from "./shape.ts";

const { i32 } = ValueType;

/** `self.X.acquire()`, `self.X.release(c)`, `self.X.alloc()`, `self.X.free(c)`. */
export function pushSlotCall(fn: FunctionContext, call: TypedCall, callee: Callee & { readonly kind: "form" }): Hold {
  const { code, program } = fn;
  const owner = callee.receiver.type;
  if (owner.kind !== "locus") throw new Error("a slot without a locus");
  const index = owner.slots.findIndex((slot) => slot.name === callee.slot);
  const slot = owner.slots[index];
  const offset = lociOf(fn).shapeOf(owner).slots[index];
  if (!slot || offset === undefined) throw new Error(`no slot ${callee.slot}`);
  pushExpr(fn, callee.receiver, "any");
  code.i32(offset);
  code.op("i32.add");
  const [cell] = call.args;
  if (cell) {
    pushExpr(fn, cell, "any");
    code.i32(valueSize(slot.element));
    code.call(program.runtimeFunction("slot_give"));
  } else {
    code.i32(valueSize(slot.element));
    code.call(program.runtimeFunction("slot_take"));
  }
  return "plain";
}

/** In the drop function of the type: gives back all cells of its slots, handed out or not. */
export function dropSlots(fn: FunctionContext, locus: LocusType, shape: LocusShape): void {
  const { code, program } = fn;
  for (const [index, slot] of locus.slots.entries()) {
    const offset = shape.slots[index];
    if (offset === undefined) continue;
    const cell = code.local(i32);
    const next = code.local(i32);
    code.get(0);
    code.load(i32, offset);
    code.set(cell);
    const exit = code.block();
    const again = code.loop();
    code.get(cell);
    code.op("i32.eqz");
    code.brIf(exit);
    code.get(cell);
    code.load(i32, valueSize(slot.element));
    code.set(next);
    releaseStored(fn, { kind: "memory", base: cell, offset: 0 }, layoutOf(slot.element));
    code.get(cell);
    code.call(program.runtimeFunction("free"));
    code.get(next);
    code.set(cell);
    code.br(again);
    code.end();
    code.end();
  }
}

function valueSize(type: Type): number {
  return (layoutOf(type).size + 7) & -8;
}
