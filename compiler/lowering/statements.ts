// Statements and how a function is left.
import type { Local, TypedBlock, TypedExpr, TypedStmt } from "../semantics/index.ts";
import { type BlockType, ValueType } from "../wasm/index.ts";
import { bindElement, forEachElement } from "./arrays.ts";
import { assign, update } from "./assignments.ts";
import { blockEffect, evaluate, pushExpr } from "./expressions.ts";
import { Fact, factsOf, factsOfBlock, factsOfStmt } from "./facts.ts";
import { failWith } from "./failures.ts";
import type { FunctionContext, VariableCleanup } from "./function-context.ts";
import { layoutOf } from "./layout.ts";
import type { FrameExit } from "./locus-lowering.ts";
import { partOf, partStorage, type Storage } from "./storage.ts";
import { isCopiedDeeply, ownPushed, popInto, pushStored, releaseStored } from "./values.ts";
import { bindNew, declare } from "./variables.ts";

type Stmt<Kind extends TypedStmt["kind"]> = TypedStmt & { readonly kind: Kind };

/**
 * Writes a block's statements and, by `end`, what stands behind them. What that leaves is of the block type `type`. Exits behind many variables meet behind the block
 * (exits.ts).
 */
export function lowerBlock(fn: FunctionContext, block: TypedBlock, type: BlockType, end: () => void): void {
  const { statements, tail } = block;
  const { exits } = fn;
  const outside = exits.count;
  let last: number | undefined;
  const openWhenDue = (at: number) => {
    if (fn.code.isDead || !exits.isDue) return;
    last ??= lastLeaving(block);
    if (at <= last) exits.open(type);
  };
  for (const [at, stmt] of statements.entries()) {
    if (fn.code.isDead) break;
    openWhenDue(at);
    lowerStatement(fn, stmt);
  }
  if (tail) openWhenDue(statements.length);
  end();
  exits.close(outside);
}

/** The position of the last statement that may leave; that of the tail is behind all. -1 when there is none. */
function lastLeaving({ statements, tail }: TypedBlock): number {
  if (tail && (factsOf(tail) & Fact.leaves) !== 0) return statements.length;
  return statements.findLastIndex((stmt) => (factsOfStmt(stmt) & Fact.leaves) !== 0);
}

function lowerStatement(fn: FunctionContext, stmt: TypedStmt): void {
  const { loci } = fn.program;
  switch (stmt.kind) {
    case "let":
      lowerLet(fn, stmt.local, stmt.value);
      loci.endStatement(fn, stmt);
      return;
    case "let-tuple":
      lowerLetTuple(fn, stmt);
      loci.endStatement(fn, stmt);
      return;
    case "assign":
      if (!loci.assignHandle(fn, stmt)) assign(fn, stmt);
      loci.endStatement(fn, stmt);
      return;
    case "update":
      update(fn, stmt);
      loci.endStatement(fn, stmt);
      return;
    case "expr":
      evaluate(fn, stmt.expr);
      loci.endStatement(fn, stmt);
      return;
    case "while":
      lowerWhile(fn, stmt);
      return;
    case "for-range":
      lowerForRange(fn, stmt);
      return;
    case "for-each":
      lowerForEach(fn, stmt);
      return;
    case "return":
      lowerReturn(fn, stmt.value);
      return;
    case "fail":
      failWith(fn, stmt.value);
      return;
    case "break":
    case "continue":
      fn.jump(stmt.kind);
      return;
    case "block":
      blockEffect(fn, stmt.block);
      return;
    case "yield":
      loci.yield(fn, stmt);
      return;
    case "terminate":
      loci.terminate(fn, stmt);
      return;
    case "send":
      loci.send(fn, stmt);
      return;
    case "violate":
      loci.violate(fn, stmt);
      return;
    case "recovery":
      loci.recovery(fn, stmt);
      return;
    case "reperspective":
      loci.reperspective(fn, stmt);
      return;
    default:
      stmt satisfies never;
  }
}

function lowerLet(fn: FunctionContext, local: Local | undefined, value: TypedExpr): void {
  if (!local) {
    evaluate(fn, value);
    return;
  }
  if (!local.mutable && isText(local)) {
    // An immutable text read from something that lasts as long needs no count of its own.
    const hold = pushExpr(fn, value, "any");
    if (hold === "stable") {
      const storage = fn.variableStorage(local);
      popInto(fn, storage, layoutOf(local.type));
      fn.bind(local, storage);
      return;
    }
    ownPushed(fn, local.type, hold);
  } else pushExpr(fn, value, "own");
  declare(fn, local);
}

function isText(local: Local): boolean {
  const { leaves } = layoutOf(local.type);
  return leaves.length === 1 && leaves[0]?.reference?.kind === "text";
}

function lowerLetTuple(fn: FunctionContext, stmt: Stmt<"let-tuple">): void {
  const layout = layoutOf(stmt.value.type);
  pushExpr(fn, stmt.value, "own");
  const whole = fn.newLocals(layout);
  popInto(fn, whole, layout);
  if (layout.box) {
    unpackBox(fn, stmt, whole);
    return;
  }
  for (const [index, local] of stmt.locals.entries()) {
    const part = partOf(layout, index);
    const storage = partStorage(whole, part);
    if (!local) releaseStored(fn, storage, part.layout);
    else if (fn.program.references.livesInMemory(local)) {
      pushStored(fn, storage, part.layout, "any", false);
      declare(fn, local);
    } else bindNew(fn, local, storage);
  }
}

/** A tuple in a cell of its own: the members are copied out of it. */
function unpackBox(fn: FunctionContext, stmt: Stmt<"let-tuple">, whole: Storage): void {
  const layout = layoutOf(stmt.value.type);
  if (whole.kind !== "locals") throw new Error("a tuple lies in locals");
  const [cell = 0] = whole.locals;
  for (const [index, local] of stmt.locals.entries()) {
    if (!local) continue;
    const part = partOf(layout, index);
    pushStored(fn, { kind: "memory", base: cell, offset: part.offset }, part.layout, "own", isCopiedDeeply(part.type));
    declare(fn, local);
  }
  releaseStored(fn, whole, layout);
}

function lowerWhile(fn: FunctionContext, stmt: Stmt<"while">): void {
  const { code } = fn;
  const exit = code.block();
  const next = code.loop();
  if (stmt.condition.kind !== "bool" || !stmt.condition.value) {
    fn.scope(() => pushExpr(fn, stmt.condition, "any"));
    code.op("i32.eqz");
    code.brIf(exit);
  }
  fn.enterLoop(exit, next);
  blockEffect(fn, stmt.body);
  fn.leaveLoop();
  code.br(next);
  code.end();
  code.end();
}

/** The test stands before the loop and at its end, so that a round takes one branch. */
function lowerForRange(fn: FunctionContext, stmt: Stmt<"for-range">): void {
  const { code } = fn;
  const variable = code.local(ValueType.i64);
  pushExpr(fn, stmt.low, "any");
  code.set(variable);
  const pushHigh = storeBound(fn, stmt.high);
  if (stmt.local) {
    fn.bind(stmt.local, { kind: "locals", locals: [variable] });
    if (stmt.low.kind === "int" && stmt.high.kind === "int")
      fn.limit(stmt.local, stmt.low.value, stmt.inclusive ? stmt.high.value : stmt.high.value - 1n);
  }
  const exit = code.block();
  code.get(variable);
  pushHigh();
  code.op(stmt.inclusive ? "i64.gt_s" : "i64.ge_s");
  code.brIf(exit);
  const again = code.loop();
  const next = code.block();
  fn.enterLoop(exit, next);
  blockEffect(fn, stmt.body);
  fn.leaveLoop();
  code.end();
  code.get(variable);
  code.i64(1n);
  code.op("i64.add");
  code.tee(variable);
  pushHigh();
  code.op(stmt.inclusive ? "i64.le_s" : "i64.lt_s");
  code.brIf(again);
  code.end();
  code.end();
}

/** Evaluates a bound once; answers what pushes it again. */
function storeBound(fn: FunctionContext, bound: TypedExpr): () => void {
  const { code } = fn;
  if (bound.kind === "int") return () => code.i64(bound.value);
  const high = code.local(ValueType.i64);
  pushExpr(fn, bound, "any");
  code.set(high);
  return () => code.get(high);
}

function lowerForEach(fn: FunctionContext, stmt: Stmt<"for-each">): void {
  const { type } = stmt.source;
  const { local, body } = stmt;
  if (type.kind === "array" || type.kind === "bounded") {
    forEachElement(fn, stmt.source, type, (element) => {
      if (local) bindElement(fn, type, local, element, factsOfBlock(body));
      blockEffect(fn, body);
    });
  } else fn.program.loci.forEach(fn, stmt.source, stmt.local, stmt.body);
}

function lowerReturn(fn: FunctionContext, value: TypedExpr | undefined): void {
  const kept = value ? pushResult(fn, value) : undefined;
  if (!value && fn.isEntry) fn.code.i64(0n);
  leave(fn, "return", kept);
  fn.code.return();
}

/** Pushes what the function returns. A variable of its own is handed on as it is; answers its cleanup then. */
export function pushResult(fn: FunctionContext, value: TypedExpr): VariableCleanup | undefined {
  const layout = layoutOf(fn.resultType);
  if (layout.leaves.length === 0) {
    evaluate(fn, value);
    return undefined;
  }
  const cleanup = value.kind === "local" ? fn.cleanupOf(value.local) : undefined;
  if (value.kind === "local" && cleanup) {
    pushStored(fn, fn.storageOf(value.local), layout, "any", false);
    return cleanup;
  }
  pushExpr(fn, value, "own");
  return undefined;
}

/** Writes the way out of the function, behind its pushed result: status, the frame's teardown, the cleanups. */
export function leave(fn: FunctionContext, exit: FrameExit, kept?: VariableCleanup): void {
  if (fn.code.isDead) return;
  if (fn.fn?.fallible) fn.code.i32(0);
  fn.program.loci.endFrame(fn, exit);
  if (!fn.exits.leave(kept)) fn.emitCleanups(0, kept);
}
