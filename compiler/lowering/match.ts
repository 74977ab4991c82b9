// `match`: the scrutinee once, arms in order, the first whose pattern fits and whose guard holds (04 7).
import type { Local, Type, TypedArm, TypedExpr, TypedPattern } from "../semantics/index.ts";
import { type Label, ValueType } from "../wasm/index.ts";
import { ownCells } from "./cells.ts";
import { evaluate, pushExpr } from "./expressions.ts";
import { factsOf } from "./facts.ts";
import type { FunctionContext } from "./function-context.ts";
import type { Hold } from "./holds.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { endangering } from "./operands.ts";
import { applyBinary } from "./operators.ts";
import { partOf, partStorage, type Storage } from "./storage.ts";
import { bindNew } from "./variables.ts";
import {
  isCopiedDeeply,
  keepPushed,
  localAt,
  ownPushed,
  popInto,
  pushLeaf,
  pushStored,
  pushZero,
  releaseStored,
} from "./values.ts";

type MatchExpr = TypedExpr & { readonly kind: "match" };

export function pushMatch(fn: FunctionContext, expr: MatchExpr): Hold {
  const layout = layoutOf(expr.type);
  lowerMatch(
    fn,
    expr,
    fn.program.blockType(expr.type),
    (body) => pushExpr(fn, body, "own"),
    () => pushZero(fn, layout),
  );
  return layout.counted ? "owned" : "plain";
}

export function matchEffect(fn: FunctionContext, expr: MatchExpr): void {
  lowerMatch(
    fn,
    expr,
    "none",
    (body) => evaluate(fn, body),
    () => {},
  );
}

function lowerMatch(
  fn: FunctionContext,
  expr: MatchExpr,
  type: ReturnType<FunctionContext["program"]["blockType"]>,
  arm: (body: TypedExpr) => void,
  nothing: () => void,
): void {
  const { code } = fn;
  const depth = fn.cleanupDepth;
  const scrutinee = storeScrutinee(fn, expr);
  const done = code.block(type);
  const covered = new Set<number>();
  let isExhausted = false;
  for (const candidate of expr.arms) {
    if (isExhausted) break;
    isExhausted = takesTheRest(candidate, expr.scrutinee.type, covered);
    lowerArm(fn, candidate, expr.scrutinee.type, scrutinee, isExhausted, done, arm);
  }
  // A value may slip through an arm with a literal inside (04 7.6): the zero of the type.
  if (!isExhausted) nothing();
  code.end();
  fn.popCleanups(depth);
}

/** The scrutinee's leaves in locals, good until the cleanups run. */
function storeScrutinee(fn: FunctionContext, expr: MatchExpr): Storage {
  const { scrutinee } = expr;
  const layout = layoutOf(scrutinee.type);
  const hold = pushExpr(fn, scrutinee, "any");
  const facts = expr.arms.reduce((sum, arm) => sum | factsOf(arm.body) | (arm.guard ? factsOf(arm.guard) : 0), 0);
  const isEndangered = (facts & endangering(hold)) !== 0;
  if (isEndangered) {
    // What a guard does to a record does not show in the value that is matched, which later arms bind.
    if (ownCells(scrutinee.type).length > 0) ownPushed(fn, scrutinee.type, hold);
    else keepPushed(fn, scrutinee.type, hold);
  }
  const storage = fn.newLocals(layout);
  popInto(fn, storage, layout);
  if (isEndangered || hold === "owned") fn.addCleanup(() => releaseStored(fn, storage, layout));
  return storage;
}

/** Whether an arm takes every value that the arms before it leave; `covered` collects the variants (of a Bool: the values) that are done with. */
function takesTheRest(arm: TypedArm, type: Type, covered: Set<number>): boolean {
  const { pattern } = arm;
  if (arm.guard) return false;
  if (isIrrefutable(pattern)) return true;
  if (pattern.kind === "variant" && pattern.payload.every(isIrrefutable)) {
    covered.add(pattern.index);
    return covered.size === pattern.enum.variants.length;
  }
  if (pattern.kind === "value" && pattern.value.kind === "bool" && type.kind === "primitive") {
    covered.add(pattern.value.value ? 1 : 0);
    return covered.size === 2;
  }
  return false;
}

function isIrrefutable(pattern: TypedPattern): boolean {
  return (
    pattern.kind === "any" ||
    pattern.kind === "bind" ||
    (pattern.kind === "tuple" && pattern.members.every(isIrrefutable))
  );
}

function lowerArm(
  fn: FunctionContext,
  arm: TypedArm,
  type: Type,
  scrutinee: Storage,
  isLast: boolean,
  done: Label,
  push: (body: TypedExpr) => void,
): void {
  const { code } = fn;
  const next = isLast ? undefined : code.block();
  fn.scope(() => {
    const depth = fn.cleanupDepth;
    if (next) testPattern(fn, arm.pattern, type, scrutinee, next);
    bindPattern(fn, arm.pattern, type, scrutinee);
    if (arm.guard && next) {
      pushExpr(fn, arm.guard, "any");
      code.op("i32.eqz");
      code.if();
      fn.emitCleanups(depth);
      code.br(next);
      code.end();
    }
    push(arm.body);
  });
  if (next) {
    code.br(done);
    code.end();
  }
}

/** Branches to `next` when the value does not fit. */
function testPattern(fn: FunctionContext, pattern: TypedPattern, type: Type, value: Storage, next: Label): void {
  const { code } = fn;
  if (isIrrefutable(pattern)) return;
  switch (pattern.kind) {
    case "any":
    case "bind":
      return;
    case "value":
      pushStored(fn, value, layoutOf(type), "any", false);
      pushExpr(fn, pattern.value, "any");
      applyBinary(fn, "equal", type, pattern.value.type);
      code.op("i32.eqz");
      code.brIf(next);
      return;
    case "variant": {
      const content = contentOf(value, layoutOf(type));
      pushLeaf(fn, content.storage, content.layout, 0);
      code.i32(pattern.index);
      code.op("i32.ne");
      code.brIf(next);
      for (const [position, payload] of pattern.payload.entries())
        if (!isIrrefutable(payload))
          testPattern(
            fn,
            payload,
            payloadType(pattern, position),
            payloadStorage(fn, type, value, pattern.index, position),
            next,
          );
      return;
    }
    case "tuple":
      for (const [index, member] of pattern.members.entries()) {
        const part = memberOf(type, value, index);
        testPattern(fn, member, part.type, part.storage, next);
      }
      return;
    default:
      pattern satisfies never;
  }
}

/** Makes the pattern's variables; they are copies (04 7.4). */
function bindPattern(fn: FunctionContext, pattern: TypedPattern, type: Type, value: Storage): void {
  switch (pattern.kind) {
    case "any":
    case "value":
      return;
    case "bind":
      bindCopy(fn, pattern.local, value);
      return;
    case "variant":
      for (const [position, payload] of pattern.payload.entries())
        if (payload.kind !== "any")
          bindPattern(
            fn,
            payload,
            payloadType(pattern, position),
            payloadStorage(fn, type, value, pattern.index, position),
          );
      return;
    case "tuple":
      for (const [index, member] of pattern.members.entries()) {
        const part = memberOf(type, value, index);
        bindPattern(fn, member, part.type, part.storage);
      }
      return;
    default:
      pattern satisfies never;
  }
}

/** What nobody can change through the variable is read where it is: the scrutinee outlives the arm. */
function bindCopy(fn: FunctionContext, local: Local, value: Storage): void {
  const layout = layoutOf(local.type);
  const isReadOnly =
    layout.leaves.every((leaf) => leaf.reference?.kind !== "cell") &&
    local.type.kind !== "record" &&
    !fn.program.references.isWrittenTo(local);
  if (isReadOnly && value.kind === "locals") {
    fn.bind(local, value);
    return;
  }
  pushStored(fn, value, layout, "own", isCopiedDeeply(local.type));
  const storage = fn.variableStorage(local);
  popInto(fn, storage, layout);
  bindNew(fn, local, storage);
}

/** The leaves of a composite value, looked up in its cell when it has one. */
function contentOf(value: Storage, layout: Layout): { readonly storage: Storage; readonly layout: Layout } {
  if (!layout.box) return { storage: value, layout };
  if (value.kind !== "locals") throw new Error("a scrutinee lies in locals");
  return { storage: { kind: "memory", base: localAt(value, 0), offset: 0 }, layout: layout.box };
}

function memberOf(type: Type, value: Storage, index: number): { readonly type: Type; readonly storage: Storage } {
  const layout = layoutOf(type);
  const part = partOf(layout, index);
  return { type: part.type, storage: partStorage(contentOf(value, layout).storage, part) };
}

function payloadType(pattern: TypedPattern & { readonly kind: "variant" }, position: number): Type {
  const type = pattern.enum.variants[pattern.index]?.payload[position];
  if (!type) throw new Error(`no payload ${position}`);
  return type;
}

/** The leaves of a payload value: the slots that hold them, in locals. */
function payloadStorage(fn: FunctionContext, type: Type, value: Storage, variant: number, position: number): Storage {
  const layout = layoutOf(type);
  const content = contentOf(value, layout);
  const slots = layout.payloads[variant]?.[position] ?? [];
  if (content.storage.kind === "locals") {
    const { locals } = content.storage;
    return { kind: "locals", locals: slots.map((slot) => locals[slot] ?? 0) };
  }
  return {
    kind: "locals",
    locals: slots.map((slot) => {
      const local = fn.code.local(content.layout.leaves[slot]?.wasm ?? ValueType.i32);
      pushLeaf(fn, content.storage, content.layout, slot);
      fn.code.set(local);
      return local;
    }),
  };
}
