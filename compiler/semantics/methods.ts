// `receiver.name(args)`.
import type { Expr } from "../syntax/index.ts";
import { nearestName } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { boundedMethod } from "./bounded.ts";
import { type CallExpr, callValue, checkArguments, giveUp, reachFromCall, signatureOf } from "./calls.ts";
import { checkExpr, checkValue, requireAddressed } from "./expressions.ts";
import { formCall } from "./forms.ts";
import { inferGenerics } from "./generics.ts";
import { injectedError } from "./injected.ts";
import { isHookName, measureHelp, recordField } from "./members.ts";
import { quantityMethod } from "./quantities.ts";
import { slotCall } from "./slots.ts";
import { isStdMethodNotYet } from "./std-not-yet.ts";
import { BYTES, BYTES_VIEW, DURATION, INT, isPoison, isText } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr, TypedFunction } from "./typed.ts";
import type { ArrayType, InterfaceType, LocusType, PerspectiveType, Type } from "./types.ts";
import { fieldType } from "./untyped-fields.ts";

export type MemberCallee = Expr & { readonly kind: "member" };

export function checkMethodCall(body: Body, expr: CallExpr, callee: MemberCallee): TypedExpr {
  const slot = slotCall(body, expr, callee);
  if (slot) return slot;
  const receiver = checkExpr(body, callee.receiver);
  if (requireAddressed(body, receiver) || isPoison(receiver.type)) return giveUp(body, expr);
  const { type } = receiver;
  switch (type.kind) {
    case "locus":
      return locusCall(body, expr, callee, receiver, type);
    case "interface":
    case "perspective":
      return dispatchedCall(body, expr, callee, receiver, type);
    case "record": {
      const field = recordField(receiver, type, callee.name.text, callee.span);
      return field ? callValue(body, expr, field) : noMethod(body, expr, callee, type, []);
    }
    case "array":
      return callee.name.text === "get"
        ? arrayGet(body, expr, callee, receiver, type)
        : noMethod(body, expr, callee, type, ["get"]);
    case "bounded":
      return boundedMethod(body, expr, callee, receiver, type) ?? noMethod(body, expr, callee, type, ["get"]);
    case "primitive":
    case "scalar": {
      const made =
        type === DURATION || type.kind === "scalar" ? quantityMethod(body, expr, callee, receiver) : undefined;
      return made ?? noMethod(body, expr, callee, type, []);
    }
    default:
      return noMethod(body, expr, callee, type, []);
  }
}

/** "no method", at the receiver. */
export function noMethod(
  body: Body,
  expr: CallExpr,
  callee: MemberCallee,
  type: Type,
  names: readonly string[],
): TypedExpr {
  const name = callee.name.text;
  body.cx.error("E0308", callee.receiver.span, `no method \`${name}\` on \`${typeText(type)}\``, {
    help: methodHelp(name, type, names),
  });
  return giveUp(body, expr);
}

const BOUNDED_CALLS: readonly string[] = ["push", "at", "set", "count", "clear", "truncate"];

function methodHelp(name: string, type: Type, names: readonly string[]): string | undefined {
  const measure = measureHelp(type, name);
  if (measure !== undefined) return measure;
  if (isText(type)) return "text has no methods; look in `std::str`";
  if (type === BYTES || type === BYTES_VIEW) return "bytes have no methods; look in `std::bytes`";
  if (type.kind === "array" && ["push", "append", "add", "pop", "insert", "remove"].includes(name))
    return "an array has a fixed length; a list that grows is a `@form(vec)` locus";
  if (type.kind === "bounded" && BOUNDED_CALLS.includes(name))
    return `write \`${name}(..)\` with the buffer as its first argument`;
  if (type.kind === "record") return `records have no methods; call a function: \`${name}(..)\``;
  const near = nearestName(name, names);
  return near === undefined ? chainHelp(name) : `did you mean \`${near}\`?`;
}

/** For the stages of what is no chain (01 10.3). */
function chainHelp(name: string): string | undefined {
  return ["filter", "map", "take", "skip", "enumerate"].includes(name)
    ? "a chain ends in `count()`, `sum()`, `any(..)`, `into(..)` and the like; `first`, `find`, `min` and `max` cannot follow a `map`"
    : undefined;
}

// ---------------------------------------------------------------- loci

function locusCall(body: Body, expr: CallExpr, callee: MemberCallee, receiver: TypedExpr, type: LocusType): TypedExpr {
  const { cx } = body;
  const name = callee.name.text;
  const method = type.methods.get(name);
  if (method) return methodCall(body, expr, callee, receiver, method);
  const generic = cx.genericMethods.get(type)?.get(name);
  if (generic) {
    const inferred = inferGenerics(body, expr, generic, name, callee.name.span);
    return inferred ? methodCall(body, expr, callee, receiver, inferred.fn, inferred.values) : poison(expr.span);
  }
  const synthesised = type.form && formCall(body, expr, callee, receiver, type.form);
  if (synthesised) return synthesised;
  const field = type.fields.find((candidate) => candidate.name === name);
  if (field && fieldType(cx, field).kind === "function") return callValue(body, expr, checkValue(body, callee));
  if (isHookName(name)) {
    cx.error(
      "E0509",
      callee.receiver.span,
      `no field \`${name}\` on \`${typeText(type)}\`: a lifecycle hook cannot be called`,
    );
    return giveUp(body, expr);
  }
  reportNoLocusMethod(body, callee, type);
  return giveUp(body, expr);
}

/** `values`: the arguments, when they are checked already. */
function methodCall(
  body: Body,
  expr: CallExpr,
  callee: MemberCallee,
  receiver: TypedExpr,
  method: TypedFunction,
  values?: readonly TypedExpr[],
): TypedExpr {
  const name = callee.name.text;
  if (values) reachFromCall(body, expr, name, method);
  else body.cx.reach(method);
  const args = checkArguments(body, signatureOf(body, method, name, callee.name.span), expr.args, values);
  if (!args) return poison(expr.span);
  return {
    kind: "call",
    callee: { kind: "method", function: method, receiver },
    args,
    fallible: method.fallible,
    type: method.result,
    span: expr.span,
  };
}

function reportNoLocusMethod(body: Body, callee: MemberCallee, type: LocusType): void {
  const { cx } = body;
  const name = callee.name.text;
  if (isStdMethodNotYet(typeText(type), name)) {
    cx.error("E1001", callee.name.span, `not supported yet: \`${name}\` of \`${typeText(type)}\``);
    return;
  }
  const origin = cx.locusOrigins.get(type);
  const isFree = origin?.symbol.scope.symbols.get(name)?.kind === "function";
  const prefix = origin?.symbol.scope.prefix ?? "";
  const near = nearestName(name, cx.methodNames(type));
  const help = isFree
    ? `call \`${prefix === "" ? name : `${prefix}::${name}`}(..)\``
    : near === undefined
      ? (formHelp(type, name) ?? chainHelp(name))
      : `did you mean \`${near}\`?`;
  const what = type.form ? `@form(${type.form.form}) locus` : "locus";
  cx.error(
    type.form ? "E0804" : "E0308",
    callee.receiver.span,
    `${what} \`${typeText(type)}\` has no method \`${name}\``,
    { help },
  );
}

/** Other languages' names for what a form can do (07 4, 5). */
function formHelp(type: LocusType, name: string): string | undefined {
  if (!type.form) return undefined;
  if (["length", "size", "count"].includes(name)) return "use `len()`";
  if (type.form.form === "vec" && ["add", "append", "insert"].includes(name)) return "use `push(x)`";
  if (type.form.form === "hashmap" && ["put", "add", "insert"].includes(name)) return "use `set(entry)`";
  if (["contains", "contains_key", "exists"].includes(name))
    return type.form.form === "vec" ? undefined : "use `has(key)`";
  return undefined;
}

/** A call through an interface or a perspective's slot. */
function dispatchedCall(
  body: Body,
  expr: CallExpr,
  callee: MemberCallee,
  receiver: TypedExpr,
  type: InterfaceType | PerspectiveType,
): TypedExpr {
  const name = callee.name.text;
  const index = type.methods.findIndex((method) => method.name === name);
  const method = type.methods[index];
  if (!method)
    return noMethod(
      body,
      expr,
      callee,
      type,
      type.methods.map((candidate) => candidate.name),
    );
  const args = checkArguments(body, { name, params: method.params, span: callee.name.span }, expr.args);
  if (!args) return poison(expr.span);
  const dispatch =
    type.kind === "interface"
      ? ({ kind: "interface", interface: type, method: index, receiver } as const)
      : ({ kind: "perspective", perspective: type, method: index, receiver } as const);
  return { kind: "call", callee: dispatch, args, fallible: method.fallible, type: method.result, span: expr.span };
}

// ---------------------------------------------------------------- arrays

function arrayGet(body: Body, expr: CallExpr, callee: MemberCallee, receiver: TypedExpr, type: ArrayType): TypedExpr {
  const args = checkArguments(body, { name: "get", params: [INT], span: callee.name.span }, expr.args);
  if (!args) return poison(expr.span);
  return {
    kind: "builtin",
    name: "array-get",
    args: [receiver, ...args],
    fallible: injectedError(body.cx, "IndexError"),
    type: type.element,
    span: expr.span,
  };
}
