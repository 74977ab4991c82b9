// Violations and recoveries (reference 05b 5b.6 to 5b.9), and the entries of on_failure handlers.
import type { TypedExpr, TypedFunction, TypedStmt } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { encodeText } from "../bytes.ts";
import { evaluate, pushExpr } from "../expressions.ts";
import { failWith } from "../failures.ts";
import { FunctionContext } from "../function-context.ts";
import { layoutOf } from "../layout.ts";
import type { ProgramContext } from "../program-context.ts";
import { leave } from "../statements.ts";
import { dropPushed, pushZero } from "../values.ts";
import { zeroOf } from "../zero.ts";
import { callWithRecordInMemory } from "./entries.ts";
import { setFlags, TERMINATED } from "./instance.ts";

const { i32, i64 } = ValueType;

const BY_VIOLATE = 1;

/** `violate NAME [with e];` */
export function violate(fn: FunctionContext, stmt: TypedStmt & { readonly kind: "violate" }): void {
  if (stmt.payload) evaluate(fn, stmt.payload);
  const { code, program } = fn;
  fn.at(stmt.span);
  code.get(fn.self);
  code.i32(program.text(stmt.closure.name));
  code.i64(0n);
  code.i32(BY_VIOLATE);
  code.call(program.runtimeFunction("locus_fail"));
  const error = fn.fn?.fallible;
  if (error?.kind === "record" && error.name === "ClosureViolation") {
    failWith(fn, violationRecord(stmt, error));
    return;
  }
  leaveWithZero(fn, "violate", stmt.span);
}

/** `terminate;` */
export function terminate(fn: FunctionContext, { span }: TypedStmt): void {
  fn.at(span);
  setFlags(fn.code, fn.self, TERMINATED);
  leaveWithZero(fn, "terminate", span);
}

/** Leaves the body as `return` does, with the zero of its type. A handle or a function has none: the process ends. */
function leaveWithZero(fn: FunctionContext, exit: "violate" | "terminate", span: TypedStmt["span"]): void {
  const { resultType, program } = fn;
  const zero = zeroOf(resultType, span);
  if (!zero && resultType.kind !== "primitive") {
    fn.code.i32(program.text(`${exit} left ${fn.fn?.name}, which has no value to answer then`));
    fn.code.call(program.runtimeFunction("panic_text"));
    fn.code.unreachable();
    return;
  }
  if (zero) pushExpr(fn, zero, "own");
  else pushZero(fn, layoutOf(resultType));
  leave(fn, exit);
  fn.code.return();
}

function violationRecord(stmt: TypedStmt & { readonly kind: "violate" }, type: TypedExpr["type"]): TypedExpr {
  const { span } = stmt;
  const text = (value: string): TypedExpr => ({ kind: "string", value: encodeText(value), type: stringType, span });
  return {
    kind: "record",
    type,
    span,
    fields: [text(stmt.closure.locus.name), text(stmt.closure.name), { kind: "int", value: 0n, type: intType, span }],
  };
}

const stringType = { kind: "primitive", name: "String" } as const;
const intType = { kind: "primitive", name: "Int" } as const;

/** `restart`, `restart_in_place`, `quarantine`, `bubble`. */
export function recover(fn: FunctionContext, stmt: TypedStmt & { readonly kind: "recovery" }): void {
  const { code, program } = fn;
  const hold = pushExpr(fn, stmt.argument, "any");
  if (stmt.action === "bubble") {
    fn.at(stmt.span);
    code.op("drop");
    code.call(program.runtimeFunction("locus_bubble"));
    code.unreachable();
    return;
  }
  const child = fn.temp(i32);
  code.tee(child);
  if (stmt.action === "quarantine") code.call(program.runtimeFunction("locus_quarantine"));
  else {
    if (stmt.limit) pushLimit(fn, stmt.limit);
    else code.i64(-1n);
    code.i32(stmt.action === "restart_in_place" ? 1 : 0);
    code.call(program.runtimeFunction("locus_restart"));
  }
  if (hold === "owned") {
    code.get(child);
    dropPushed(fn, stmt.argument.type, hold);
  }
  fn.freeTemp(child);
}

/** A bound below zero is none at all to the runtime, but 0 to the program. */
function pushLimit(fn: FunctionContext, limit: TypedExpr): void {
  const { code } = fn;
  const bound = fn.temp(i64);
  pushExpr(fn, limit, "any");
  code.tee(bound);
  code.i64(0n);
  code.get(bound);
  code.i64(0n);
  code.op("i64.gt_s");
  code.op("select");
  fn.freeTemp(bound);
}

/** The function index of an on_failure as the runtime calls it: (self, child, locus, closure, difference). */
export function failureEntry(program: ProgramContext, handler: TypedFunction): number {
  const index = program.functionIndex(handler);
  if (!program.references.isReference(handler, 1)) return index;
  const record = handler.params[1]?.type;
  if (!record) return index;
  return program.helper("failure entry", handler, () =>
    program.addFunction(`${handler.name} (entry)`, [i32, i32, i32, i32, i64], [], (added) => {
      const fn = new FunctionContext(program, undefined, [i32, i32, i32, i32, i64]);
      callWithRecordInMemory(fn, layoutOf(record), [2, 3, 4], "borrowed", (address) => {
        fn.code.get(0);
        fn.code.get(1);
        fn.code.get(address);
        fn.code.call(index);
      });
      added.finished = fn.code.finish();
    }),
  ).index;
}
