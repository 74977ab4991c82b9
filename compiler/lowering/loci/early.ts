// Params that are looked at before they are set: the holder accepts a child that one of its own params builds, or a default calls a method of it or hands it on. They read as the
// zero of their type; what has none, a handle or a function, ends the process, so that nobody gets the address 0. So does a handle that an ended instance had borrowed.
import type { LocusType, Type, TypedExpr, TypedFunction } from "../../semantics/index.ts";
import type { FunctionContext } from "../function-context.ts";
import { layoutOf } from "../layout.ts";
import { partStorage, type Storage } from "../storage.ts";
import { popInto, pushLeaf } from "../values.ts";
import { pushExpr } from "../expressions.ts";
import { zeroOf } from "../zero.ts";
import { LET_GO, pushFlags } from "./instance.ts";
import { canHoldLocus } from "./positions.ts";
import { lociOfProgram } from "./program-loci.ts";
import { someNode } from "./walk-functions.ts";

const known = new WeakMap<LocusType, boolean>();

/** Whether some code may see an instance of the type while its params are being set. */
export function isSeenEarly(locus: LocusType): boolean {
  let seen = known.get(locus);
  if (seen === undefined) {
    const defaults = locus.fields.flatMap((field) => field.defaultValue ?? []);
    const buildsChildren = locus.fields.some((field) => canHoldLocus(field.type)) || defaults.some(buildsLoci);
    seen = (locus.accepts !== undefined && buildsChildren) || defaults.some(handsSelfOn);
    known.set(locus, seen);
  }
  return seen;
}

function buildsLoci(fn: TypedFunction): boolean {
  return someNode(fn, { expr: (expr) => expr.kind === "locus" });
}

/** `self` stands somewhere else than before the name of a field. */
function handsSelfOn(fn: TypedFunction): boolean {
  let uses = 0;
  someNode(fn, {
    expr: (expr) => {
      if (expr.kind === "self") uses++;
      else if (expr.kind === "field" && expr.receiver.kind === "self") uses--;
      return false;
    },
  });
  return uses > 0;
}

/** Before the params of a new instance are set: what is more than zero bytes gets its zero. */
export function setZeros(fn: FunctionContext, locus: LocusType, instance: number, span: TypedExpr["span"]): void {
  const shape = lociOfProgram(fn.program).shapeOf(locus);
  for (const [index, field] of locus.fields.entries()) {
    const part = shape.fields.parts[index];
    if (!part?.layout.leaves.some((leaf) => leaf.reference?.kind === "cell")) continue;
    const zero = zeroOf(field.type, span);
    if (!zero) continue;
    pushExpr(fn, zero, "own");
    popInto(fn, partStorage({ kind: "memory", base: instance, offset: 0 }, part), part.layout);
  }
}

/** A param is about to be read: ends the process when it has no zero and is not set yet, or was given up when the instance ended. */
export function checkIsSet(
  fn: FunctionContext,
  locus: LocusType,
  index: number,
  storage: Storage,
  span: TypedExpr["span"],
): void {
  const field = locus.fields[index];
  const leaf = field && tellingLeaf(field.type);
  if (!field || leaf === undefined || storage.kind !== "memory") return;
  if (!isSeenEarly(locus) && !lociOfProgram(fn.program).borrows(field)) return;
  const { code, program } = fn;
  fn.at(span);
  pushLeaf(fn, storage, layoutOf(field.type), leaf);
  code.op("i32.eqz");
  code.if();
  code.i32(program.text(`'${field.name}' of ${locus.name} is read after the ${locus.name} has ended`));
  code.i32(program.text(`'${field.name}' of ${locus.name} is read before it is set`));
  pushFlags(code, storage.base, LET_GO);
  code.op("select");
  code.call(program.runtimeFunction("panic_text"));
  code.unreachable();
  code.end();
}

/** The leaf of a type without a zero that is 0 only when nothing has been stored; `undefined` when there is none. */
function tellingLeaf(type: Type): number | undefined {
  switch (type.kind) {
    case "locus":
    case "interface":
    case "perspective":
    case "function":
      return 0;
    case "array":
      return tellingLeaf(type.element) === undefined ? undefined : 0;
    case "record":
    case "tuple": {
      const layout = layoutOf(type);
      const parts = (layout.box ?? layout).parts;
      const part = parts.find((candidate) => tellingLeaf(candidate.type) !== undefined);
      if (!part) return undefined;
      return layout.box ? 0 : part.firstLeaf + (tellingLeaf(part.type) ?? 0);
    }
    default:
      return undefined;
  }
}
