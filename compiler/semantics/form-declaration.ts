// `@form(..)` and `capacity { .. }`: from the declaration to the storage that a locus has (07 1, 3 to 8, 13).
import type { CapacityBlock, Decorator, Expr, LocusDecl } from "../syntax/index.ts";
import { nearestName, type Span } from "../source/index.ts";
import type { Context, Env } from "./context.ts";
import { formMethodNames } from "./forms.ts";
import { valueType } from "./resolve-types.ts";
import { INT, isPoison, STRING } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr } from "./typed.ts";
import type { FormInfo, LocusType, Type } from "./types.ts";

type FormDecorator = Decorator & { readonly name: "form" };
type SlotDecl = CapacityBlock["slots"][number];
type Form = FormInfo["form"];

const FORMS: readonly Form[] = ["vec", "hashmap", "set", "ring_buffer", "lru_cache"];
const SYNC_WORDS = ["none", "serialized", "striped", "lockfree"];

/** Fills in a locus's slots and, with a form, what it holds. */
export function declareStorage(cx: Context, type: LocusType, decl: LocusDecl, env: Env): void {
  const slots = decl.members.flatMap((member) => (member.kind === "capacity" ? member.slots : []));
  const decorators = decl.decorators.filter((decorator): decorator is FormDecorator => decorator.name === "form");
  const [decorator] = decorators;
  if (!decorator) {
    declareSlots(cx, type, env, slots);
    return;
  }
  type.form = declareForm(cx, type, env, decorator, slots);
}

// ---------------------------------------------------------------- raw slots

function declareSlots(cx: Context, type: LocusType, env: Env, slots: readonly SlotDecl[]): void {
  const found: { name: string; kind: "pool" | "heap"; element: Type }[] = [];
  for (const slot of slots) {
    const name = slot.name.text;
    const element = valueType(cx, env, slot.of);
    if (found.some((earlier) => earlier.name === name)) {
      cx.error("E0520", slot.name.span, `slot \`${name}\` is already declared`);
      continue;
    }
    if (element.kind === "locus" || element.kind === "perspective") {
      cx.error("E0520", slot.of.span, "cells hold data; accept() children instead");
      continue;
    }
    if (slot.indexedBy) cx.error("E0520", slot.indexedBy.span, "`indexed_by` has a meaning only in a form");
    found.push({ name, kind: slot.kind, element });
    const parent = slot.asParentFor;
    if (parent) cx.afterDeclarations.push(() => checkParentSlot(cx, env, slot, element));
  }
  type.slots = found;
}

/** `as_parent_for L`: L has a slot of the same name, kind and type (07 13.4). */
function checkParentSlot(cx: Context, env: Env, slot: SlotDecl, element: Type): void {
  const name = slot.asParentFor;
  if (!name) return;
  const symbol = env.scope.symbols.get(name.text);
  const child = symbol?.kind === "locus" ? symbol.instances.get("") : undefined;
  if (!child) {
    cx.error("E0520", name.span, `\`${name.text}\` is not a locus`);
    return;
  }
  const same = child.slots.find((candidate) => candidate.name === slot.name.text);
  if (same?.kind === slot.kind && same.element === element) return;
  cx.error(
    "E0520",
    name.span,
    `\`${name.text}\` needs a slot \`${slot.kind} ${slot.name.text} of ${typeText(element)}\``,
  );
}

// ---------------------------------------------------------------- forms

function declareForm(
  cx: Context,
  type: LocusType,
  env: Env,
  decorator: FormDecorator,
  slots: readonly SlotDecl[],
): FormInfo | undefined {
  const name = decorator.form.text;
  const form = FORMS.find((candidate) => candidate === name);
  if (!form) {
    const near = nearestName(name, FORMS);
    cx.error("E0801", decorator.form.span, `unknown form \`${name}\`; known forms: ${FORMS.join(", ")}`, {
      help: near === undefined ? undefined : `did you mean \`${near}\`?`,
    });
    return undefined;
  }
  const options = formOptions(cx, decorator, form);
  refuseSynthesisedNames(cx, type, form);
  const slot = onlySlot(cx, decorator, form, slots);
  if (!slot || !options) return undefined;
  const element = valueType(cx, env, slot.of);
  if (isPoison(element)) return undefined;
  if (element.kind === "locus" || element.kind === "perspective") {
    cx.error("E0802", slot.of.span, "a capacity cell cannot be a locus; use an interface or a struct");
    return undefined;
  }
  if (slot.asParentFor) cx.error("E0802", slot.asParentFor.span, "`as_parent_for` cannot be used with a form");
  const base: FormInfo = { form, element, ...options };
  return form === "vec" || form === "ring_buffer" ? plainForm(cx, slot, base) : keyedForm(cx, slot, base);
}

function plainForm(cx: Context, slot: SlotDecl, base: FormInfo): FormInfo {
  if (slot.indexedBy) cx.error("E0802", slot.indexedBy.span, `@form(${base.form}) takes no \`indexed_by\``);
  return base;
}

/** hashmap, set, lru_cache: cells are records with a key field of type Int or String. */
function keyedForm(cx: Context, slot: SlotDecl, base: FormInfo): FormInfo | undefined {
  const { element, form } = base;
  const name = slot.indexedBy;
  if (!name) {
    cx.error("E0802", slot.name.span, `@form(${form}) needs \`indexed_by\` and the key's field`);
    return undefined;
  }
  if (element.kind !== "record") {
    cx.error("E0802", slot.of.span, `the cell of @form(${form}) must be a record, not \`${typeText(element)}\``);
    return undefined;
  }
  const keyField = element.fields.findIndex((field) => field.name === name.text);
  const field = element.fields[keyField];
  if (!field) {
    cx.error("E0803", name.span, `\`${typeText(element)}\` has no field \`${name.text}\``);
    return undefined;
  }
  const isKey =
    field.type === INT || field.type === STRING || (field.type.kind === "scalar" && rootedInInt(field.type));
  if (!isKey && !isPoison(field.type)) {
    cx.error("E0803", name.span, `a key must be Int or String, \`${name.text}\` is \`${typeText(field.type)}\``);
    return undefined;
  }
  return { ...base, key: field.type, keyField };
}

function rootedInInt(type: Type): boolean {
  let base = type;
  while (base.kind === "scalar") base = base.base;
  return base === INT;
}

function onlySlot(cx: Context, decorator: FormDecorator, form: Form, slots: readonly SlotDecl[]): SlotDecl | undefined {
  const kind = form === "vec" ? "heap" : "pool";
  const [slot, second] = slots;
  if (slot && !second && slot.kind === kind) return slot;
  cx.error("E0802", (second ?? slot)?.span ?? decorator.span, `@form(${form}) needs exactly one \`${kind}\` slot`);
  return undefined;
}

/** A user method may not have the name of one that the form gives (07 1). */
function refuseSynthesisedNames(cx: Context, type: LocusType, form: Form): void {
  const generic = [...(cx.genericMethods.get(type) ?? [])].map(([name, { decl }]) => [name, decl.name.span] as const);
  const plain = [...type.methods].map(([name, method]) => [name, method.nameSpan] as const);
  for (const [name, span] of [...plain, ...generic]) {
    if (formMethodNames(form).includes(name))
      cx.error("E0802", span, `\`${name}\` is already provided by @form(${form})`);
  }
}

/** `cap` and `sync` of the annotation; undefined: reported. */
function formOptions(
  cx: Context,
  decorator: FormDecorator,
  form: Form,
): Pick<FormInfo, "capacity" | "options"> | undefined {
  const allowed =
    form === "hashmap" || form === "set"
      ? ["sync", "cap"]
      : form === "ring_buffer" || form === "lru_cache"
        ? ["cap"]
        : [];
  const given = new Map<string, Expr>();
  let isSound = true;
  const refuse = (span: Span, message: string) => {
    cx.error("E0801", span, message);
    isSound = false;
  };
  for (const { name, value } of decorator.options) {
    if (!allowed.includes(name.text)) refuse(name.span, `@form(${form}) takes no argument \`${name.text}\``);
    else if (given.has(name.text)) refuse(name.span, `\`${name.text}\` is given twice`);
    else given.set(name.text, value);
  }
  const sync = given.get("sync");
  const word = sync && syncWord(sync);
  if (sync && word === undefined) refuse(sync.span, `\`sync\` is one of ${SYNC_WORDS.join(", ")}`);
  const cap = given.get("cap");
  const capacity = cap?.kind === "int" && cap.value > 0n ? Number(cap.value) : undefined;
  if (cap && capacity === undefined) refuse(cap.span, "`cap` must be a positive integer literal");
  if (cap && form !== "ring_buffer" && form !== "lru_cache" && word !== "lockfree")
    refuse(cap.span, "`cap` goes only with `sync = lockfree`");
  if (!cap && (form === "ring_buffer" || form === "lru_cache"))
    refuse(decorator.span, `@form(${form}) needs \`cap = N\``);
  if (!isSound) return undefined;
  const options = new Map<string, TypedExpr>();
  if (sync && word !== undefined)
    options.set("sync", { kind: "string", value: new TextEncoder().encode(word), type: STRING, span: sync.span });
  return { options, ...(capacity === undefined ? {} : { capacity }) };
}

function syncWord(expr: Expr): string | undefined {
  if (expr.kind !== "path" || expr.path.segments.length !== 1) return undefined;
  const word = expr.path.segments[0]?.text ?? "";
  return SYNC_WORDS.includes(word) ? word : undefined;
}
