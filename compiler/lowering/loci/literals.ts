// Locus literals (reference 05 5.3, 5.4) and the assignment of handles to fields (05 5.10).
import type { LocusField, LocusType, TypedExpr, TypedStmt } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { pushExpr } from "../expressions.ts";
import type { FunctionContext } from "../function-context.ts";
import type { Hold } from "../holds.ts";
import { cellSizeOf, handleReference, layoutOf } from "../layout.ts";
import { partStorage, type Storage } from "../storage.ts";
import { popInto, popOver, releasePushed } from "../values.ts";
import { isBuiltHere } from "./borrowed.ts";
import { snapshotFunction } from "./closures.ts";
import { descriptorOf, isEmpty } from "./descriptors.ts";
import { isSeenEarly, setZeros } from "./early.ts";
import { frameFlags, frameOf, hasSelf, pushOwner, siteOf } from "./frames.ts";
import { ACCEPTED, BORN, KEPT, READY, setFlags, STATEMENT } from "./instance.ts";
import { designate } from "./perspectives.ts";
import { isPlacedField, placementOf, postBirth, pushPlacedLiteral, startPools } from "./placed.ts";
import { canHoldLocus, type Position } from "./positions.ts";
import { lociOf } from "./program-loci.ts";
import type { LocusShape } from "./shape.ts";
import { isThreaded } from "./threads.ts";

export type Literal = TypedExpr & { readonly kind: "locus" };

const { i32, i64 } = ValueType;

/** Builds the instance and pushes its handle. */
export function pushLiteral(fn: FunctionContext, expr: Literal): Hold {
  const frame = frameOf(fn);
  const position = frame?.positions.of(expr) ?? { kind: "frame", loops: false };
  fn.at(expr.span);
  const placement = placementOf(fn, expr, position);
  if (placement) {
    pushPlacedLiteral(fn, expr, holderOf(fn, position), placement);
    return "owned";
  }
  startPools(fn, expr.locus);
  const instance = fn.code.local(i32);
  frame?.building.set(expr, instance);
  const acceptor = isFrameOwned(position) ? findAcceptor(fn, expr.locus) : undefined;
  if (acceptor !== undefined && position.kind === "statement" && isThreaded(fn.program.program))
    return buildHereOrThere(fn, expr, position, acceptor, instance);
  return buildHere(fn, expr, position, acceptor, instance);
}

function buildHere(
  fn: FunctionContext,
  expr: Literal,
  position: Position,
  acceptor: number | undefined,
  instance: number,
): Hold {
  endSitesInstance(fn, expr, position, acceptor);
  const pushHolder = () => (position.kind === "field" ? fn.code.get(holderOf(fn, position)) : pushOwner(fn));
  const pushAcceptor = () => {
    if (acceptor === undefined) return pushHolder();
    fn.code.get(acceptor);
    fn.code.get(fn.self);
    fn.code.get(acceptor);
    fn.code.op("select");
  };
  create(fn, expr.locus, instance, pushHolder, pushAcceptor, () => pushFlags(fn, position, acceptor));
  setParams(fn, expr, instance);
  start(fn, expr.locus, instance);
  return finish(fn, expr, position, acceptor, instance);
}

/** A statement literal whose acceptor may live on another thread. */
function buildHereOrThere(
  fn: FunctionContext,
  expr: Literal,
  position: Position,
  acceptor: number,
  instance: number,
): Hold {
  const { code, program } = fn;
  code.get(acceptor);
  code.if(i32);
  code.get(acceptor);
  code.call(program.runtimeFunction("strand_differs"));
  code.else();
  code.i32(0);
  code.end();
  code.if();
  postBirth(fn, expr, acceptor);
  code.else();
  buildHere(fn, expr, position, acceptor, instance);
  code.op("drop");
  code.end();
  code.i32(0);
  return "stable";
}

function isFrameOwned(position: Position): boolean {
  return position.kind === "frame" || position.kind === "statement";
}

/** A statement literal that subscribes lives to the frame's exit. */
function livesOn(position: Position, locus: LocusType): boolean {
  return position.kind === "frame" || locus.subscriptions.length > 0;
}

/** The local with the instance that accepts the new one, or 0; undefined when nobody can. */
function findAcceptor(fn: FunctionContext, locus: LocusType): number | undefined {
  if (!hasSelf(fn) || !lociOf(fn).accepted.has(locus)) return undefined;
  const { code } = fn;
  const acceptor = code.local(i32);
  code.get(fn.self);
  if (fn.fn?.self?.accepts !== locus) {
    code.i32(descriptorOf(fn.program, locus));
    code.call(fn.program.runtimeFunction("locus_acceptor"));
  }
  code.set(acceptor);
  return acceptor;
}

/** Control reaches the same literal again: the instance of the time before ends first. Accepted children have no site. */
function endSitesInstance(fn: FunctionContext, expr: Literal, position: Position, acceptor: number | undefined): void {
  if (!isFrameOwned(position) || !("loops" in position) || !position.loops || !livesOn(position, expr.locus)) return;
  const { code, program } = fn;
  const site = siteOf(fn, expr);
  if (acceptor !== undefined) {
    code.get(acceptor);
    code.op("i32.eqz");
    code.if();
  }
  code.get(site);
  code.call(program.runtimeFunction("own_end"));
  code.i32(0);
  code.set(site);
  if (acceptor !== undefined) code.end();
}

/** A new instance with its params still to be set. */
export function create(
  fn: FunctionContext,
  locus: LocusType,
  instance: number,
  pushParent: () => void,
  pushOwnerOf: () => void,
  pushFlagsOf: () => void,
): void {
  const { code, program } = fn;
  code.i32(descriptorOf(program, locus));
  pushParent();
  pushOwnerOf();
  pushFlagsOf();
  code.call(program.runtimeFunction(lociOf(fn).isLeaf(locus) ? "locus_new_leaf" : "locus_new"));
  code.set(instance);
}

function pushFlags(fn: FunctionContext, position: Position, acceptor: number | undefined): void {
  const { code } = fn;
  code.i32(frameFlags(fn) | (position.kind === "statement" ? STATEMENT : 0) | (isFrameOwned(position) ? 0 : KEPT));
  if (acceptor === undefined) return;
  code.i32(ACCEPTED);
  code.i32(0);
  code.get(acceptor);
  code.op("select");
  code.op("i32.or");
}

/** Birth, run and what belongs to them. */
function start(fn: FunctionContext, locus: LocusType, instance: number): void {
  const { code, program } = fn;
  if (!lociOf(fn).isLeaf(locus)) {
    code.get(instance);
    code.call(program.runtimeFunction("locus_start"));
    return;
  }
  const { birth, run } = locus.hooks;
  setFlags(code, instance, BORN | READY);
  for (const hook of [birth, run]) {
    if (!hook || isEmpty(hook)) continue;
    code.get(instance);
    code.call(program.functionIndex(hook));
  }
  if (!run || !lociOf(fn).mayTerminate(locus)) return;
  code.get(instance);
  code.call(program.runtimeFunction("locus_after_run"));
}

/** The local with the instance whose field the literal initialises. */
function holderOf(fn: FunctionContext, position: Position): number {
  const holder = position.kind === "field" && position.holder ? frameOf(fn)?.building.get(position.holder) : undefined;
  return holder ?? fn.self;
}

/** Sets the params in declaration order. Values that came with a plan are taken from it. */
export function setParams(fn: FunctionContext, expr: Literal, instance: number): void {
  const shape = lociOf(fn).shapeOf(expr.locus);
  const self: Storage = { kind: "memory", base: instance, offset: 0 };
  const isEarly = isSeenEarly(expr.locus);
  if (isEarly) setZeros(fn, expr.locus, instance, expr.span);
  for (const [index, field] of expr.locus.fields.entries()) {
    const part = shape.fields.parts[index];
    if (!part) continue;
    pushFieldValue(fn, field, expr.fields[index], instance);
    if (isEarly) setOver(fn, instance, index, shape);
    else popInto(fn, partStorage(self, part), part.layout);
    if (canHoldLocus(field.type)) takeOwnership(fn, instance, index, shape, isPlacedField(expr.locus, index));
    if (field.type.kind === "perspective") designate(fn, field.type, instance, part.offset);
  }
  for (const offset of shape.lastChecked.values()) {
    fn.code.get(instance);
    fn.code.call(fn.program.runtimeFunction("closure_clock"));
    fn.code.store(i64, offset);
  }
  const snapshot = snapshotFunction(fn.program, expr.locus);
  if (snapshot) {
    fn.code.get(instance);
    fn.code.call(snapshot.index);
  }
}

/** As `popInto` for a param that somebody may have written already: what is there goes, an instance that the field owns ends. */
function setOver(fn: FunctionContext, instance: number, index: number, shape: LocusShape): void {
  const part = shape.fields.parts[index];
  if (!part) return;
  const owned = shape.ownable.find((candidate) => candidate.field === index);
  if (owned) endOwned(fn, instance, owned);
  popOver(fn, partStorage({ kind: "memory", base: instance, offset: 0 }, part), part.layout);
}

function endOwned(fn: FunctionContext, holder: number, owned: LocusShape["ownable"][number]): void {
  const { code, program } = fn;
  code.get(holder);
  code.i32(owned.handle);
  code.i32(owned.owned);
  code.call(program.runtimeFunction("own_end_field"));
}

function pushFieldValue(fn: FunctionContext, field: LocusField, value: TypedExpr | undefined, instance: number): void {
  const { code, program } = fn;
  if (value) {
    if (!frameOf(fn)?.pushTransported?.(value)) pushExpr(fn, value, "own");
    return;
  }
  const initial = field.defaultValue;
  const tail = initial?.body?.tail;
  if (initial && tail && initial.body?.statements.length === 0 && isConstant(tail)) {
    pushExpr(fn, tail, "own");
  } else if (initial) {
    code.get(instance);
    code.call(program.functionIndex(initial));
  } else if (field.type.kind === "bounded") {
    code.i32(cellSizeOf(field.type));
    code.call(program.runtimeFunction("alloc"));
  } else throw new Error(`no value for ${field.name}`);
}

/** Literals need no call. */
function isConstant(expr: TypedExpr): boolean {
  switch (expr.kind) {
    case "int":
    case "float":
    case "bool":
    case "decimal":
    case "duration":
    case "time":
    case "string":
    case "bytes":
    case "function":
      return true;
    case "negate":
      return isConstant(expr.operand);
    default:
      return false;
  }
}

/** The value of a field that can own is stored: the field owns it when nobody else does. */
function takeOwnership(
  fn: FunctionContext,
  instance: number,
  index: number,
  shape: LocusShape,
  isPlaced: boolean,
): void {
  const { code, program } = fn;
  const owned = shape.ownable.find((candidate) => candidate.field === index);
  if (!owned) return;
  code.get(instance);
  if (isPlaced) {
    // The instance's flags are its own thread's.
    code.i32(1);
    code.memory("i32.store8", owned.owned);
    return;
  }
  code.get(instance);
  code.load(i32, owned.handle);
  code.get(instance);
  code.call(program.runtimeFunction("own_take_field"));
  code.memory("i32.store8", owned.owned);
}

function finish(
  fn: FunctionContext,
  expr: Literal,
  position: Position,
  acceptor: number | undefined,
  instance: number,
): Hold {
  const { code, program } = fn;
  const call = (name: string) => {
    code.get(instance);
    code.call(program.runtimeFunction(name));
  };
  if (!isFrameOwned(position)) {
    call("locus_to_transit");
    code.get(instance);
    return "owned";
  }
  const isStatement = position.kind === "statement";
  const keep = () => {
    if (!livesOn(position, expr.locus)) return call("locus_to_nobody");
    call("locus_to_frame");
    if (!("loops" in position) || !position.loops) return;
    code.get(instance);
    code.set(siteOf(fn, expr));
  };
  if (acceptor === undefined) {
    keep();
    if (isStatement) code.i32(0);
    else code.get(instance);
    return "stable";
  }
  code.get(acceptor);
  code.if();
  call("locus_to_owner");
  if (isStatement) call("locus_release");
  code.else();
  keep();
  if (!isStatement) call("locus_retain");
  code.end();
  if (isStatement) {
    code.i32(0);
    return "stable";
  }
  code.get(instance);
  return "owned";
}

// -- assignment to a field

/** `h.f = value` where the field holds a handle. */
export function assignHandle(fn: FunctionContext, stmt: TypedStmt & { readonly kind: "assign" }): boolean {
  const { place } = stmt;
  if (place.kind !== "field" || place.base.type.kind !== "locus" || !canHoldLocus(place.type)) return false;
  const shape = lociOf(fn).shapeOf(place.base.type);
  const owned = shape.ownable.find((candidate) => candidate.field === place.index);
  const part = shape.fields.parts[place.index];
  if (!owned || !part) return false;
  const { code } = fn;
  const holder = code.local(i32);
  pushExpr(fn, place.base, "own");
  code.set(holder);
  const cleanup = fn.addCleanup(() => {
    code.get(holder);
    releasePushed(fn, handleReference);
  });
  const endOld = () => endOwned(fn, holder, owned);
  // A literal is built when the old instance has ended; any other value may need it still. What runs meanwhile (a birth, an on_failure) may have assigned the field too.
  if (isBuiltHere(stmt.value)) endOld();
  pushExpr(fn, stmt.value, "own");
  endOld();
  popOver(fn, partStorage({ kind: "memory", base: holder, offset: 0 }, part), layoutOf(place.type));
  takeOwnership(fn, holder, place.index, shape, false);
  if (place.type.kind === "perspective") designate(fn, place.type, holder, part.offset);
  cleanup.emit();
  fn.removeCleanup(cleanup);
  return true;
}
