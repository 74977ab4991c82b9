// Collections: what a `@form(..)` locus offers (07 3 to 8).
import type { Expr } from "../syntax/index.ts";
import { type Body, poison } from "./body.ts";
import { type CallExpr, checkArguments } from "./calls.ts";
import { checkValue } from "./expressions.ts";
import { injectedError } from "./injected.ts";
import type { MemberCallee } from "./methods.ts";
import { BOOL, FLOAT, INT, isPoison, POISON, STRING, UNIT } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr } from "./typed.ts";
import type { FormInfo, Type } from "./types.ts";

interface FormMethod {
  readonly params: readonly Type[];
  readonly result: Type;
  readonly fails?: "IndexError" | "KeyError" | "EmptyError";
}

const METHOD_NAMES: Readonly<Record<FormInfo["form"], readonly string[]>> = {
  vec: ["push", "get", "set", "pop", "len", "is_empty", "sort", "sort_by", "sort_desc_by"],
  hashmap: ["get", "set", "has", "remove", "len", "is_empty", "key_at", "entry_at", "bump"],
  set: ["insert", "contains", "remove", "len", "is_empty"],
  ring_buffer: ["push", "pop", "len", "is_full"],
  lru_cache: ["put", "get", "contains", "len"],
};

/** The methods that a form gives its locus. */
export function formMethodNames(form: FormInfo["form"]): readonly string[] {
  return METHOD_NAMES[form];
}

function formMethod(body: Body, { form, element, key }: FormInfo, name: string): FormMethod | undefined {
  if (!METHOD_NAMES[form].includes(name)) return undefined;
  const k = key ?? POISON;
  const common: Readonly<Record<string, FormMethod>> = {
    len: { params: [], result: INT },
    is_empty: { params: [], result: BOOL },
    is_full: { params: [], result: BOOL },
    has: { params: [k], result: BOOL },
    contains: { params: [k], result: BOOL },
    remove: { params: [k], result: UNIT, fails: "KeyError" },
    insert: { params: [element], result: UNIT },
    put: { params: [element], result: UNIT },
    key_at: { params: [INT], result: k, fails: "IndexError" },
    entry_at: { params: [INT], result: element, fails: "IndexError" },
    bump: { params: [k], result: UNIT },
    sort: { params: [], result: UNIT },
  };
  const comparison: FormMethod = { params: [body.cx.types.function([element, element], BOOL)], result: UNIT };
  switch (name) {
    case "push":
      return { params: [element], result: form === "ring_buffer" ? BOOL : UNIT };
    case "pop":
      return { params: [], result: element, fails: form === "ring_buffer" ? "EmptyError" : "IndexError" };
    case "get":
      return form === "vec"
        ? { params: [INT], result: element, fails: "IndexError" }
        : { params: [k], result: element, fails: "KeyError" };
    case "set":
      return form === "vec"
        ? { params: [INT, element], result: UNIT, fails: "IndexError" }
        : { params: [element], result: UNIT };
    case "sort_by":
    case "sort_desc_by":
      return comparison;
    default:
      return common[name];
  }
}

/** A call of a synthesised method; undefined: the form has none of that name. */
export function formCall(
  body: Body,
  expr: CallExpr,
  callee: MemberCallee,
  receiver: TypedExpr,
  form: FormInfo,
): TypedExpr | undefined {
  const name = callee.name.text;
  const method = formMethod(body, form, name);
  if (!method) return undefined;
  if (!isOffered(body, callee, form, name)) {
    for (const arg of expr.args) checkValue(body, arg);
    return poison(expr.span);
  }
  const args = checkArguments(body, { name, params: method.params, span: callee.name.span, site: "value" }, expr.args);
  if (!args) return poison(expr.span);
  const fallible = method.fails && injectedError(body.cx, method.fails);
  return {
    kind: "call",
    callee: { kind: "form", operation: name, receiver },
    args,
    fallible,
    type: method.result,
    span: expr.span,
  };
}

/** Methods that only some cells have: `sort`, `bump`, sorting by a comparison. */
function isOffered(body: Body, callee: MemberCallee, form: FormInfo, name: string): boolean {
  const { cx } = body;
  const { element } = form;
  if (isPoison(element)) return true;
  if (name === "sort" && ![INT, FLOAT, STRING].some((type) => type === element)) {
    cx.error("E0804", callee.name.span, `cells of \`${typeText(element)}\` have no order; use \`sort_by\``);
    return false;
  }
  if (name.startsWith("sort_") && element.kind === "interface") {
    cx.error("E0804", callee.name.span, "interface cells cannot be sorted");
    return false;
  }
  if (name === "bump" && !isBumpable(form)) {
    cx.error("E0804", callee.name.span, "`bump` needs a cell of key and one Int field; use has/get/set");
    return false;
  }
  return true;
}

/** Whether a map counts: its cell is the key and one Int (07 4.6). */
export function isBumpable({ element, keyField }: FormInfo): boolean {
  return (
    element.kind === "record" &&
    element.fields.length === 2 &&
    element.fields.some((field, i) => i !== keyField && field.type === INT)
  );
}

// ---------------------------------------------------------------- sources of loops and chains

/** `v.items`, `m.entries`: the collection that a loop or a chain walks. Undefined: the expression is no such thing. */
export function collectionSource(
  body: Body,
  source: Expr,
): { readonly value: TypedExpr; readonly element: Type } | "reported" | undefined {
  if (source.kind !== "member" || (source.name.text !== "items" && source.name.text !== "entries")) return undefined;
  const receiver = checkValue(body, source.receiver);
  const { type } = receiver;
  if (isPoison(type)) return "reported";
  // A record or locus may have a field of that name.
  if (type.kind !== "locus" || type.fields.some((field) => field.name === source.name.text)) return undefined;
  const word = source.name.text;
  const fits =
    word === "items" ? type.form?.form === "vec" : type.form?.form === "hashmap" || type.form?.form === "set";
  if (fits && type.form) return { value: receiver, element: type.form.element };
  const needs = word === "items" ? "a @form(vec) locus" : "a @form(hashmap) or @form(set) locus";
  body.cx.error("E0805", source.span, `\`.${word}\` needs ${needs}`);
  return "reported";
}
