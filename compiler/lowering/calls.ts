// Calls: arguments borrowed, results owned, failures told by a status (docs/runtime-abi.md "Calls").
import type { Callee, TypedCall, TypedExpr, TypedFunction } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { pushExpr } from "./expressions.ts";
import { Fact } from "./facts.ts";
import { checkStatus, resultArea } from "./failures.ts";
import type { FunctionContext } from "./function-context.ts";
import type { FailureTarget, Hold } from "./holds.ts";
import { leavesOf, layoutOf } from "./layout.ts";
import { factsBehind, factsOfAll, guardBorrowed } from "./operands.ts";
import { pushAddress } from "./places.ts";
import { isQuiet } from "./quiet-functions.ts";
import { resultTypes } from "./program-context.ts";
import { pushStored } from "./values.ts";

/** Pushes the result of a call. A call that can fail needs `failure`, which takes over when it does. */
export function pushCall(fn: FunctionContext, call: TypedCall, failure: FailureTarget | undefined): Hold {
  const { callee } = call;
  const { loci } = fn.program;
  let hold: Hold;
  switch (callee.kind) {
    case "function":
      hold = callFunction(fn, call, callee.function, undefined, failure);
      break;
    case "method":
      hold = callFunction(fn, call, callee.function, callee.receiver, failure);
      break;
    case "interface":
      hold = callInterface(fn, call, callee, failure);
      break;
    case "indirect":
      hold = callIndirect(fn, call, callee);
      break;
    case "perspective":
      hold = loci.pushPerspectiveCall(fn, call, failure);
      break;
    case "form":
      return loci.pushFormCall(fn, call, failure);
    default:
      return callee satisfies never;
  }
  const { kind } = call.type;
  if (kind === "locus" || kind === "interface" || kind === "perspective") loci.adoptResult(fn, call);
  return hold;
}

function callFunction(
  fn: FunctionContext,
  call: TypedCall,
  target: TypedFunction,
  receiver: TypedExpr | undefined,
  failure: FailureTarget | undefined,
): Hold {
  const isForeign = target.foreign !== undefined;
  const writes = !isQuiet(target);
  const args = pushArguments(
    fn,
    receiver ? [receiver, ...call.args] : call.args,
    (position) => fn.program.references.isReference(target, receiver ? position - 1 : position),
    writes,
  );
  fn.at(call.span);
  fn.code.call(fn.program.functionIndex(target));
  if (fn.program.leavesStatus(target)) fn.code.op("drop");
  if (isForeign) loadForeignResult(fn, call);
  args.release();
  return finishCall(fn, call, failure);
}

/** The runtime's functions return one value; a longer result lies in the result area. */
function loadForeignResult(fn: FunctionContext, call: TypedCall): void {
  const layout = layoutOf(call.type);
  if (layout.leaves.length < 2) return;
  const area = resultArea(fn);
  pushStored(fn, area, layout, "any", false);
  fn.freeTemp(area.base);
}

function callIndirect(fn: FunctionContext, call: TypedCall, callee: Callee & { readonly kind: "indirect" }): Hold {
  const { code, program } = fn;
  const { type } = callee;
  pushExpr(fn, callee.value, "any");
  const target = fn.temp(ValueType.i32);
  code.set(target);
  const args = pushArguments(fn, call.args, (position) => program.references.isIndirectReference(type, position), true);
  code.get(target);
  fn.freeTemp(target);
  const params = type.params.flatMap((param, position) =>
    program.references.isIndirectReference(type, position) ? [ValueType.i32] : leavesOf(param).map((leaf) => leaf.wasm),
  );
  fn.at(call.span);
  code.callIndirect(program.typeIndex(params, resultTypes(type.result, undefined)));
  args.release();
  return finishCall(fn, call, undefined);
}

function callInterface(
  fn: FunctionContext,
  call: TypedCall,
  callee: Callee & { readonly kind: "interface" },
  failure: FailureTarget | undefined,
): Hold {
  const { code, program } = fn;
  const method = callee.interface.methods[callee.method];
  if (!method) throw new Error(`no method ${callee.method}`);
  const isReference = (position: number) =>
    program.references.isMethodReference(callee.interface, callee.method, position);
  // The receiver's second leaf, the dispatch table, waits in a local; the first is the callee's `self`.
  const hold = pushExpr(fn, callee.receiver, "any");
  const later = factsOfAll(call.args) | Fact.writes;
  const release = guardBorrowed(fn, callee.receiver, hold, later);
  const table = fn.temp(ValueType.i32);
  code.set(table);
  const args = pushArguments(fn, call.args, isReference, true);
  code.get(table);
  code.load(ValueType.i32, callee.method * 4);
  fn.freeTemp(table);
  const params = method.params.flatMap((param, position) =>
    isReference(position) ? [ValueType.i32] : leavesOf(param).map((leaf) => leaf.wasm),
  );
  fn.at(call.span);
  code.callIndirect(program.typeIndex([ValueType.i32, ...params], resultTypes(method.result, method.fallible)));
  args.release();
  release?.();
  return finishCall(fn, call, failure);
}

/** Behind a call's results: the status, if there is one. */
export function finishCall(fn: FunctionContext, call: TypedCall, failure: FailureTarget | undefined): Hold {
  if (call.fallible) {
    if (!failure) throw new Error("a call that can fail has no `or`");
    checkStatus(fn, failure);
  }
  return layoutOf(call.type).counted ? "owned" : "plain";
}

/** Pushes arguments: leaves, or the address of the caller's record. */
export function pushArguments(
  fn: FunctionContext,
  args: readonly TypedExpr[],
  isReference: (position: number) => boolean,
  calleeWrites: boolean,
): { release(): void } {
  const depth = fn.cleanupDepth;
  const releases: (() => void)[] = [];
  const temps: number[] = [];
  const behind = factsBehind(args);
  for (const [position, arg] of args.entries()) {
    const later = (behind[position] ?? 0) | (calleeWrites ? Fact.writes : 0);
    if (isReference(position)) {
      temps.push(...pushAddress(fn, arg, later));
      continue;
    }
    const release = guardBorrowed(fn, arg, pushExpr(fn, arg, "any"), later);
    if (release) releases.push(release);
  }
  return {
    release: () => {
      for (let at = releases.length - 1; at >= 0; at--) releases[at]?.();
      fn.popCleanups(depth);
      for (const temp of temps) fn.freeTemp(temp);
    },
  };
}
