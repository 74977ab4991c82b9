// A function of the program: parameters, body, result.
import type { TypedFunction } from "../semantics/index.ts";
import { evaluate } from "./expressions.ts";
import { FunctionContext } from "./function-context.ts";
import { layoutOf } from "./layout.ts";
import type { AddedFunction, ProgramContext } from "./program-context.ts";
import { leave, lowerBlock, pushResult } from "./statements.ts";
import { pushStored } from "./values.ts";
import { declare } from "./variables.ts";

/** Writes the body of `fn`. */
export function writeFunction(program: ProgramContext, fn: TypedFunction, added: AddedFunction): void {
  const { body } = fn;
  if (!body) throw new Error(`${fn.name} has no body`);
  const { params } = program.signatureOf(fn);
  const context = new FunctionContext(program, fn, params);
  bindParameters(context, fn);
  if (program.references.hasFrame(fn)) openFrame(context);
  ownWrittenTuples(context, fn);
  program.loci.beginFrame(context);
  lowerBlock(context, body, "none", () => {
    if (!context.code.isDead) finishBody(context, fn);
  });
  added.finished = context.code.finish(context.framePrologue());
}

function bindParameters(context: FunctionContext, fn: TypedFunction): void {
  let next = fn.self ? 1 : 0;
  for (const [position, param] of fn.params.entries()) {
    if (context.program.references.isReference(fn, position))
      context.bind(param, { kind: "memory", base: next++, offset: 0 });
    else context.bind(param, { kind: "locals", locals: layoutOf(param.type).leaves.map(() => next++) });
  }
}

/** A tuple is no record: what the function does to a record in it stays in the function (03 15.4), which gets a copy of its own. */
function ownWrittenTuples(context: FunctionContext, fn: TypedFunction): void {
  for (const param of fn.params) {
    if (param.type.kind !== "tuple" || !context.program.references.isWrittenTo(param)) continue;
    pushStored(context, context.storageOf(param), layoutOf(param.type), "own", true);
    declare(context, param);
  }
}

/** The tail value, or the end of the body. */
function finishBody(context: FunctionContext, fn: TypedFunction): void {
  const tail = fn.body?.tail;
  if (context.isEntry) {
    // A tail value of `main` is no exit code (04 1.3).
    if (tail) evaluate(context, tail);
    context.code.i64(0n);
    leave(context, "end");
    return;
  }
  if (tail) {
    leave(context, "end", pushResult(context, tail));
    return;
  }
  if (layoutOf(fn.result).leaves.length > 0) {
    context.code.unreachable();
    return;
  }
  leave(context, "end");
}

/** Gives the frame's memory back on every way out; the prologue that takes it is written when its size is known. */
function openFrame(context: FunctionContext): void {
  const base = context.openFrame();
  context.addCleanup(() => {
    context.code.get(base);
    context.code.globalSet(context.program.runtimeGlobal("frame_pointer"));
  });
}
