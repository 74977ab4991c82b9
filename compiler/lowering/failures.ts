// `or`, `fail` and what a failed call does (04 10 to 14).
import type { OrDisposition, Type, TypedExpr } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { pushBuiltin } from "./builtins.ts";
import { pushCall } from "./calls.ts";
import { pushChain } from "./chains.ts";
import { evaluate, pushExpr } from "./expressions.ts";
import type { FunctionContext } from "./function-context.ts";
import type { FailureTarget, Hold } from "./holds.ts";
import { layoutOf } from "./layout.ts";
import { bindNew } from "./variables.ts";
import { dropPushed, popInto, popToTemps, pushStored, pushZero } from "./values.ts";
import type { MemoryStorage } from "./storage.ts";

type OrExpr = TypedExpr & { readonly kind: "or" };

/** An `or` expression; with `drop` (statement position) neither the value nor the fallback's value is kept. */
export function pushOr(fn: FunctionContext, expr: OrExpr, use: "push" | "drop"): Hold {
  if (expr.disposition.kind === "raise") {
    const hold = pushFallible(fn, expr.operand, raising(fn, expr.disposition, expr.error));
    if (use === "drop") dropPushed(fn, expr.operand.type, hold);
    return use === "push" ? hold : "plain";
  }
  const { code } = fn;
  const errorLayout = layoutOf(expr.error);
  const done = code.block(use === "push" ? fn.program.blockType(expr.type) : "none");
  const failed = code.block();
  const error = fn.variableStorage(expr.errorLocal);
  const hold = pushFallible(fn, expr.operand, {
    fromResultArea: () => {
      const area = resultArea(fn);
      pushStored(fn, area, errorLayout, "any", false);
      fn.freeTemp(area.base);
      popInto(fn, error, errorLayout);
      code.br(failed);
    },
    fromStack: () => {
      popInto(fn, error, errorLayout);
      code.br(failed);
    },
  });
  if (use === "drop") dropPushed(fn, expr.operand.type, hold);
  else if (hold !== "owned" && hold !== "plain") throw new Error("a fallible operand owns its result");
  code.br(done);
  code.end();
  fn.scope(() => {
    bindNew(fn, expr.errorLocal, error);
    pushFallback(fn, expr, use);
  });
  code.end();
  return use === "push" && layoutOf(expr.type).counted ? "owned" : "plain";
}

function pushFallback(fn: FunctionContext, expr: OrExpr, use: "push" | "drop"): void {
  const { disposition } = expr;
  switch (disposition.kind) {
    case "value":
      if (use === "push") pushExpr(fn, disposition.value, "own");
      else evaluate(fn, disposition.value);
      return;
    case "fail":
      failWith(fn, disposition.value);
      return;
    case "discard":
      return;
    case "wait":
      throw new Error("`or wait` stands only behind a send");
    case "raise":
      throw new Error("raise has no fallback");
    default:
      disposition satisfies never;
  }
}

/** Pushes the (owned) result of an operand that may fail. */
export function pushFallible(fn: FunctionContext, operand: TypedExpr, failure: FailureTarget): Hold {
  switch (operand.kind) {
    case "call":
      return pushCall(fn, operand, failure);
    case "builtin":
      return pushBuiltin(fn, operand, failure);
    case "chain":
      return pushChain(fn, operand, failure);
    default:
      // Nothing else fails: the `or` around it has no effect.
      return pushExpr(fn, operand, "own");
  }
}

/** `or raise`: out of a fallible function with the same payload; anywhere else the process ends (04 14). */
function raising(
  fn: FunctionContext,
  disposition: OrDisposition & { readonly kind: "raise" },
  error: Type,
): FailureTarget {
  const layout = layoutOf(error);
  if (!fn.fn?.fallible) {
    const panic = () => {
      fn.at(disposition.span);
      fn.code.i32(fn.program.text(disposition.unhandledName ?? nameOf(error)));
      fn.code.call(fn.program.runtimeFunction("panic_unhandled"));
      fn.code.unreachable();
    };
    return { fromResultArea: panic, fromStack: panic };
  }
  return {
    fromResultArea: () => {
      if (!fn.program.loci.frameHasTeardown(fn)) return leaveFailing(fn, () => {});
      const area = resultArea(fn);
      pushStored(fn, area, layout, "any", false);
      fn.freeTemp(area.base);
      leaveWithPayload(fn, error);
    },
    fromStack: () => leaveWithPayload(fn, error),
  };
}

/** `fail e;` and `or fail e`. */
export function failWith(fn: FunctionContext, value: TypedExpr): void {
  pushExpr(fn, value, "own");
  leaveWithPayload(fn, fn.fn?.fallible ?? value.type);
}

/** Leaves the function as failed; the owned payload is on the stack. */
function leaveWithPayload(fn: FunctionContext, error: Type): void {
  const layout = layoutOf(error);
  const payload = popToTemps(fn, layout);
  leaveFailing(fn, () => {
    const area = resultArea(fn);
    pushStored(fn, payload, layout, "any", false);
    popInto(fn, area, layout);
    fn.freeTemp(area.base);
  });
  fn.freeTemps(payload);
}

function leaveFailing(fn: FunctionContext, storePayload: () => void): void {
  const { code } = fn;
  const pushFailed = () => {
    storePayload();
    pushZero(fn, layoutOf(fn.resultType));
    code.i32(1);
  };
  fn.program.loci.endFrame(fn, "fail");
  if (fn.exits.count > 0) {
    pushFailed();
    fn.exits.leave();
    return;
  }
  fn.emitCleanups(0);
  pushFailed();
  code.return();
}

/** The thread's result area; free the base local when done. */
export function resultArea(fn: FunctionContext): MemoryStorage {
  const base = fn.temp(ValueType.i32);
  fn.code.globalGet(fn.program.runtimeGlobal("result_area"));
  fn.code.set(base);
  return { kind: "memory", base, offset: 0 };
}

/** Writes what follows a call that pushed its results and a status: the way out when it failed. */
export function checkStatus(fn: FunctionContext, failure: FailureTarget): void {
  fn.code.if();
  failure.fromResultArea();
  fn.code.end();
}

function nameOf(type: Type): string {
  if (type.kind === "record" || type.kind === "enum" || type.kind === "primitive" || type.kind === "scalar")
    return type.name;
  return type.kind;
}
