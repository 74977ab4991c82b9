// `self.children` (reference 05 5.11) and `draining`.
import type { Local, TypedBlock, TypedExpr } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { blockEffect, pushExpr } from "../expressions.ts";
import type { FunctionContext } from "../function-context.ts";
import type { Hold } from "../holds.ts";
import { handleReference } from "../layout.ts";
import { releasePushed } from "../values.ts";
import { lociOf } from "./program-loci.ts";
import { retainHandleFunction } from "./threads.ts";

const { i32 } = ValueType;

/** `x.draining` */
export function pushDraining(fn: FunctionContext, expr: TypedExpr & { readonly kind: "draining" }): Hold {
  const { code } = fn;
  const hold = pushExpr(fn, expr.receiver, "any");
  if (expr.receiver.type.kind === "interface") {
    code.op("drop");
  }
  const handle = fn.temp(i32);
  code.tee(handle);
  code.call(fn.program.runtimeFunction("locus_draining"));
  if (hold === "owned") {
    code.get(handle);
    releasePushed(fn, handleReference);
  }
  fn.freeTemp(handle);
  return "plain";
}

/** `self.children.count`, `self.children.is_empty` */
export function pushChildren(fn: FunctionContext, expr: TypedExpr & { readonly kind: "children" }): Hold {
  const { code } = fn;
  if (expr.what === "all") return "plain";
  code.get(fn.self);
  code.load(i32, childrenOf(fn, expr) + 8);
  if (expr.what === "count") code.op("i64.extend_i32_u");
  else code.op("i32.eqz");
  return "plain";
}

/** `for c in self.children`: in order of acceptance. */
export function forEachChild(
  fn: FunctionContext,
  source: TypedExpr & { readonly kind: "children" },
  local: Local | undefined,
  body: TypedBlock,
): void {
  const { code, program } = fn;
  const child = code.local(i32);
  const links = linksOf(fn, source);
  code.get(fn.self);
  code.load(i32, childrenOf(fn, source));
  code.set(child);
  const exit = code.block();
  const again = code.loop();
  code.get(child);
  code.op("i32.eqz");
  code.brIf(exit);
  code.get(child);
  code.call(retainHandleFunction(program));
  const held = fn.addCleanup(() => {
    code.get(child);
    code.call(program.runtimeFunction("locus_release"));
  });
  if (local) fn.bind(local, { kind: "locals", locals: [child] });
  const left = code.block();
  const next = code.block();
  fn.enterLoop(left, next);
  blockEffect(fn, body);
  fn.leaveLoop();
  code.end();
  const after = code.local(i32);
  code.get(child);
  code.load(i32, links);
  code.set(after);
  held.emit();
  code.get(after);
  code.set(child);
  code.br(again);
  code.end();
  held.emit();
  fn.removeCleanup(held);
  code.end();
  code.end();
}

/** The locus whose children they are: `count` and `is_empty` have `self.children` as their receiver. */
function ownerOf(expr: TypedExpr & { readonly kind: "children" }): TypedExpr {
  return expr.receiver.kind === "children" ? ownerOf(expr.receiver) : expr.receiver;
}

function childrenOf(fn: FunctionContext, expr: TypedExpr & { readonly kind: "children" }): number {
  const owner = ownerOf(expr).type;
  const offset = owner.kind === "locus" ? lociOf(fn).shapeOf(owner).children : undefined;
  if (offset === undefined) throw new Error("the locus accepts no children");
  return offset;
}

function linksOf(fn: FunctionContext, expr: TypedExpr & { readonly kind: "children" }): number {
  const owner = ownerOf(expr).type;
  const child = owner.kind === "locus" ? owner.accepts : undefined;
  const offset = child ? lociOf(fn).shapeOf(child).links : undefined;
  if (offset === undefined) throw new Error("the type is never accepted");
  return offset;
}
