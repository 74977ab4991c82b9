// Static descriptors of locus types (their layout: runtime/guest/locus.ts) and the functions they name.
import type { LocusType, TypedFunction } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { FunctionContext } from "../function-context.ts";
import type { AddedFunction, ProgramContext } from "../program-context.ts";
import { popInto, pushZero, releaseStored } from "../values.ts";
import { partStorage, type Storage } from "../storage.ts";
import { checkFunction, epochsOf, releaseSnapshot, restoreFunction } from "./closures.ts";
import { failureEntry } from "./failure.ts";
import { dropForm } from "./forms.ts";
import { canHoldLocus } from "./positions.ts";
import { lociOfProgram } from "./program-loci.ts";
import { dropSlots } from "./slots.ts";
import { subscribeFunction } from "./subscriptions.ts";

const i32 = ValueType.i32;
const DESCRIPTOR_WORDS = 24;

const FLOW = 1;
const MAIN = 2;
const DECLARES_RUN = 4;
const WATCHES = 8;
const LEAF = 16;
const HAS_END = 32;

/** The address of the descriptor; it is written when it is first asked for. */
export function descriptorOf(program: ProgramContext, locus: LocusType): number {
  const loci = lociOfProgram(program);
  let address = loci.descriptors.get(locus);
  if (address === undefined) {
    address = program.data.add(new Uint8Array(DESCRIPTOR_WORDS * 4), 8);
    loci.descriptors.set(locus, address);
    program.data.overwrite(address, wordBytes(descriptorWords(program, locus)));
  }
  return address;
}

/** The words in the order of runtime/guest/locus.ts. */
function descriptorWords(program: ProgramContext, locus: LocusType): readonly number[] {
  const loci = lociOfProgram(program);
  const shape = loci.shapeOf(locus);
  const { birth, run, drain, dissolve, accept, release } = locus.hooks;
  const accumulators = [...shape.accumulators].flatMap(([closure, places]) =>
    places.flatMap(({ offset, size }) => [offset, size, persistence(closure.persistsThrough)]),
  );
  return [
    loci.typeId(locus),
    program.text(locus.name),
    shape.size,
    tableIndex(program, dropFunctionOf(program, locus)),
    table(
      program,
      shape.ownable.flatMap(({ handle, owned }) => [handle, owned]),
      shape.ownable.length,
    ),
    hook(program, birth),
    hook(program, run),
    hook(program, drain),
    hook(program, dissolve),
    hook(program, accept),
    hook(program, release),
    tableIndex(program, checkFunction(program, locus)),
    epochsOf(locus),
    handlerTable(program, locus),
    tableIndex(program, scrapFunction(program, locus)),
    featuresOf(program, locus),
    shape.children ?? 0,
    shape.links ?? 0,
    locus.accepts ? descriptorOf(program, locus.accepts) : 0,
    table(program, accumulators, accumulators.length / 3),
    tableIndex(program, restoreFunction(program, locus)),
    tableIndex(program, subscribeFunction(program, locus)),
    shape.nodes,
    shape.nodeCount,
  ];
}

function featuresOf(program: ProgramContext, locus: LocusType): number {
  const loci = lociOfProgram(program);
  const { run, drain, dissolve } = locus.hooks;
  let features = loci.flows.has(locus) ? FLOW : 0;
  if (locus.isMain) features |= MAIN;
  if (run) features |= DECLARES_RUN;
  if (loci.watchesDraining(locus)) features |= WATCHES;
  if (loci.isLeaf(locus)) features |= LEAF;
  if ((drain && !isEmpty(drain)) || (dissolve && !isEmpty(dissolve))) features |= HAS_END;
  return features;
}

/** A hook with an empty body is not called at all (06 6.5). */
function hook(program: ProgramContext, fn: TypedFunction | undefined): number {
  if (!fn || isEmpty(fn)) return 0;
  return program.tableIndexOf(program.functionIndex(fn));
}

export function isEmpty(fn: TypedFunction): boolean {
  return fn.body !== undefined && fn.body.statements.length === 0 && fn.body.tail === undefined;
}

function handlerTable(program: ProgramContext, locus: LocusType): number {
  const entries: number[] = [];
  for (const handler of locus.onFailure) {
    const child = handler.params[0]?.type;
    if (child?.kind === "locus")
      entries.push(lociOfProgram(program).typeId(child), program.tableIndexOf(failureEntry(program, handler)));
  }
  return table(program, entries, entries.length / 2);
}

/** A static table: its number of entries, then the words; 0 for an empty one. */
function table(program: ProgramContext, words: readonly number[], count: number): number {
  return count === 0 ? 0 : program.data.add(wordBytes([count, ...words]), 4);
}

export function wordBytes(words: readonly number[]): Uint8Array {
  return new Uint8Array(Int32Array.from(words).buffer);
}

function tableIndex(program: ProgramContext, fn: AddedFunction | undefined): number {
  return fn ? program.tableIndexOf(fn.index) : 0;
}

function persistence(events: readonly string[]): number {
  return (
    (events.includes("restart") ? 1 : 0) |
    (events.includes("restart_in_place") ? 2 : 0) |
    (events.includes("quarantine") ? 4 : 0)
  );
}

/** `(self) -> ()`: gives back what the fields hold. */
function dropFunctionOf(program: ProgramContext, locus: LocusType): AddedFunction | undefined {
  const shape = lociOfProgram(program).shapeOf(locus);
  const keyed = shape.lines.some(
    (line) => line.subscription.key?.kind === "value" && holdsText(line.subscription.key.value),
  );
  if (
    !shape.fields.counted &&
    shape.snapshot === undefined &&
    shape.form === undefined &&
    locus.slots.length === 0 &&
    !keyed
  )
    return undefined;
  return program.addFunction(`drop ${locus.name}`, [i32], [], (added) => {
    const fn = new FunctionContext(program, undefined, [i32]);
    releaseStored(fn, { kind: "memory", base: 0, offset: 0 }, shape.fields);
    releaseSnapshot(fn, shape);
    if (shape.form !== undefined) dropForm(fn, locus, shape.form);
    dropSlots(fn, locus, shape);
    for (const line of shape.lines) {
      const { key } = line.subscription;
      if (key?.kind !== "value" || !holdsText(key.value)) continue;
      fn.code.get(0);
      fn.code.load(i32, line.state + 16);
      fn.code.call(program.runtimeFunction("release"));
    }
    added.finished = fn.code.finish();
  });
}

function holdsText(key: TypedFunction): boolean {
  return key.result.kind === "primitive" && key.result.name === "String";
}

/** `(self) -> ()`: gives up handles that fields or cells borrow, alone or in values. What a field owns stays readable through the instance. */
function scrapFunction(program: ProgramContext, locus: LocusType): AddedFunction | undefined {
  const shape = lociOfProgram(program).shapeOf(locus);
  const borrowing = locus.fields.flatMap((field, index) => (mayHoldHandles(field.type) ? [index] : []));
  const form = locus.form && mayHoldHandles(locus.form.element) ? shape.form : undefined;
  if (borrowing.length === 0 && form === undefined) return undefined;
  return program.addFunction(`scrap ${locus.name}`, [i32], [], (added) => {
    const fn = new FunctionContext(program, undefined, [i32]);
    const self: Storage = { kind: "memory", base: 0, offset: 0 };
    for (const index of borrowing) {
      const part = shape.fields.parts[index];
      const field = locus.fields[index];
      if (!part || !field) continue;
      const owned = shape.ownable.find((candidate) => candidate.field === index);
      if (owned && canHoldLocus(field.type)) {
        fn.code.get(0);
        fn.code.memory("i32.load8_u", owned.owned);
        fn.code.op("i32.eqz");
        fn.code.if();
      }
      const storage = partStorage(self, part);
      releaseStored(fn, storage, part.layout);
      pushZero(fn, part.layout);
      popInto(fn, storage, part.layout);
      if (owned) fn.code.end();
    }
    if (form !== undefined) dropForm(fn, locus, form);
    added.finished = fn.code.finish();
  });
}

/** Whether a value of the type can hold a handle, so that rings of counts could go through it. */
function mayHoldHandles(type: LocusType["fields"][number]["type"], seen = new Set<unknown>()): boolean {
  if (canHoldLocus(type)) return true;
  if (seen.has(type)) return false;
  seen.add(type);
  switch (type.kind) {
    case "tuple":
      return type.members.some((member) => mayHoldHandles(member, seen));
    case "array":
    case "bounded":
      return mayHoldHandles(type.element, seen);
    case "record":
      return type.fields.some((field) => mayHoldHandles(field.type, seen));
    case "enum":
      return type.variants.some((variant) => variant.payload.some((payload) => mayHoldHandles(payload, seen)));
    default:
      return false;
  }
}
