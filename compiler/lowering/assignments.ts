// Assignment and compound assignment: indices, then the value, then the address and the store (04 5, 04 9.3).
import type { Span } from "../source/index.ts";
import type { Place, Type, TypedExpr, TypedStmt } from "../semantics/index.ts";
import { pushExpr } from "./expressions.ts";
import { Fact, factsOf } from "./facts.ts";
import type { FunctionContext } from "./function-context.ts";
import { layoutOf, locusLayout } from "./layout.ts";
import { applyBinary, isConstantDivision } from "./operators.ts";
import { type PreparedPlace, preparePlace } from "./places.ts";
import { partOf, type Storage } from "./storage.ts";
import { appendTexts, isPlainString, textParts } from "./text.ts";
import { localAt, popInto, popIntoPlace, popToTemps, pushStored } from "./values.ts";

type Stmt<Kind extends TypedStmt["kind"]> = TypedStmt & { readonly kind: Kind };

export function assign(fn: FunctionContext, stmt: Stmt<"assign">): void {
  const { place, value } = stmt;
  const appended = appendedTo(place, value);
  if (appended) {
    append(fn, place, appended, stmt.span);
    return;
  }
  const prepared = preparePlace(fn, place);
  const layout = layoutOf(place.type);
  const direct = directStorage(fn, place);
  const [only, second] = layout.leaves;
  if (direct?.kind === "memory" && only && !second && !only.reference) {
    // The address needs no computation: it may wait on the stack below the value.
    fn.code.get(direct.base);
    pushExpr(fn, value, "own");
    fn.code.store(only.wasm, direct.offset);
  } else {
    pushExpr(fn, value, "own");
    store(fn, prepared, place.type);
  }
  prepared.close();
}

/** Pops an owned value into a prepared place. */
function store(fn: FunctionContext, prepared: PreparedPlace, type: Type): void {
  const { storage, temps } = prepared.open();
  popIntoPlace(fn, storage, type);
  for (const temp of temps) fn.freeTemp(temp);
}

/** The storage of a field of an instance whose handle is in a local. */
function directStorage(fn: FunctionContext, place: Place): Storage | undefined {
  if (place.kind !== "field" || place.base.type.kind !== "locus") return undefined;
  const { offset } = partOf(locusLayout(place.base.type), place.index);
  if (place.base.kind === "self") return { kind: "memory", base: fn.self, offset };
  const handle = place.base.kind === "local" && !place.base.local.mutable ? fn.storageOf(place.base.local) : undefined;
  return handle?.kind === "locals" ? { kind: "memory", base: localAt(handle, 0), offset } : undefined;
}

/** `place op= value`: the value is evaluated before the place is read (04 5.3). */
export function update(fn: FunctionContext, stmt: Stmt<"update">): void {
  const { place, value, operation } = stmt;
  if (operation === "concat") {
    append(fn, place, textParts(value), stmt.span);
    return;
  }
  const layout = layoutOf(place.type);
  const operand = layoutOf(value.type);
  const storage = place.kind === "local" ? fn.storageOf(place.local) : undefined;
  if (storage?.kind === "locals" && !(factsOf(value) & Fact.assigns)) {
    // Nothing changes the variable meanwhile: the order of reading does not show.
    pushStored(fn, storage, layout, "any", false);
    pushExpr(fn, value, "own");
    applyUpdate(fn, stmt);
    popInto(fn, storage, layout);
    return;
  }
  const prepared = preparePlace(fn, place);
  pushExpr(fn, value, "own");
  const right = popToTemps(fn, operand);
  const opened = prepared.open();
  pushStored(fn, opened.storage, layout, "any", false);
  pushStored(fn, right, operand, "any", false);
  applyUpdate(fn, stmt);
  popInto(fn, opened.storage, layout);
  for (const temp of opened.temps) fn.freeTemp(temp);
  fn.freeTemps(right);
  prepared.close();
}

function applyUpdate(fn: FunctionContext, { place, value, operation, span }: Stmt<"update">): void {
  fn.at(span);
  if (isConstantDivision(operation, place.type, value)) fn.code.op(operation === "divide" ? "i64.div_s" : "i64.rem_s");
  else applyBinary(fn, operation, place.type, value.type);
}

/** The texts that `place = place + ..` adds to what is there; undefined for other assignments, and when the parts might change the place. */
function appendedTo(place: Place, value: TypedExpr): readonly TypedExpr[] | undefined {
  if (place.type.kind !== "primitive" || place.type.name !== "String") return undefined;
  if (value.kind !== "concat" && !(value.kind === "binary" && value.operation === "concat")) return undefined;
  const [first, ...rest] = textParts(value);
  if (!first || rest.length === 0 || !isSamePlace(place, first)) return undefined;
  const dangerous = place.kind === "local" ? Fact.assigns | Fact.leaves : Fact.writes | Fact.assigns | Fact.leaves;
  for (const part of rest) if (factsOf(part) & dangerous) return undefined;
  return rest;
}

/** Whether an expression reads exactly this place; only places without calls and indices are compared. */
function isSamePlace(place: Place, expr: TypedExpr): boolean {
  if (place.kind === "local") return expr.kind === "local" && expr.local === place.local;
  if (place.kind !== "field" || expr.kind !== "field" || expr.index !== place.index) return false;
  return isSameBase(place.base, expr.receiver);
}

function isSameBase(a: TypedExpr, b: TypedExpr): boolean {
  if (a.kind === "self") return b.kind === "self";
  if (a.kind === "local") return b.kind === "local" && a.local === b.local;
  return a.kind === "field" && b.kind === "field" && a.index === b.index && isSameBase(a.receiver, b.receiver);
}

/** Whether an expression may read this place under another name: behind the first text that is added, the old value is gone. */
function mayBePlace(place: Place, expr: TypedExpr): boolean {
  if (place.kind === "local") return isSamePlace(place, expr);
  if (place.kind === "element") return expr.kind === "index";
  return expr.kind === "field" && expr.index === place.index && expr.receiver.type === place.base.type;
}

/** Appends texts to a String in a place: in place when nobody else has it. */
function append(fn: FunctionContext, place: Place, parts: readonly TypedExpr[], span: Span): void {
  const prepared = preparePlace(fn, place);
  const layout = layoutOf(place.type);
  let opened: ReturnType<PreparedPlace["open"]> | undefined;
  const arePlain = parts.every(
    (part, position) => isPlainString(part) && !(position > 0 ? mayBePlace(place, part) : isSamePlace(place, part)),
  );
  appendTexts(fn, parts, arePlain, () => {
    // Memory may run out here.
    fn.at(span);
    opened = prepared.open();
    pushStored(fn, opened.storage, layout, "any", false);
  });
  // The old value went into the new one: it is not released.
  if (opened) popInto(fn, opened.storage, layout);
  for (const temp of opened?.temps ?? []) fn.freeTemp(temp);
  prepared.close();
}
