// Reading a part of a value: fields, tuple members, indexing.
import type { Expr } from "../syntax/index.ts";
import { nearestName, type Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { convertTo } from "./conversions.ts";
import { checkExpr, checkValue, requireAddressed, withoutParens } from "./expressions.ts";
import { FLOAT, INT, isPoison, isText, STRING, BOOL, BYTES, BYTES_VIEW } from "./type-table.ts";
import { listText, typeText } from "./type-text.ts";
import type { TypedExpr } from "./typed.ts";
import type { LocusField, LocusType, RecordType, Type } from "./types.ts";
import { fieldType } from "./untyped-fields.ts";

type MemberExpr = Expr & { readonly kind: "member" };

export function checkMember(body: Body, expr: MemberExpr): TypedExpr {
  const receiver = checkExpr(body, expr.receiver);
  if (requireAddressed(body, receiver) || isPoison(receiver.type)) return poison(expr.span);
  const name = expr.name.text;
  const { type } = receiver;
  switch (type.kind) {
    case "record":
      return (
        recordField(receiver, type, name, expr.span) ??
        noMember(
          body,
          expr,
          type,
          type.fields.map((field) => field.name),
        )
      );
    case "cell":
      return cellField(body, expr, receiver, type.element);
    case "locus":
      return locusMember(body, expr, receiver, type);
    case "children":
      if (name === "count") return { kind: "children", what: "count", receiver, type: INT, span: expr.span };
      if (name === "is_empty") return { kind: "children", what: "is_empty", receiver, type: BOOL, span: expr.span };
      return noMember(body, expr, type, ["count", "is_empty"]);
    default:
      return noMember(body, expr, type, []);
  }
}

export function recordField(receiver: TypedExpr, type: RecordType, name: string, span: Span): TypedExpr | undefined {
  const index = type.fields.findIndex((field) => field.name === name);
  const field = type.fields[index];
  if (!field) return undefined;
  return isPoison(field.type) ? poison(span) : { kind: "field", receiver, field, index, type: field.type, span };
}

function cellField(body: Body, expr: MemberExpr, receiver: TypedExpr, element: Type): TypedExpr {
  if (element.kind === "record") {
    const field = recordField(receiver, element, expr.name.text, expr.span);
    return (
      field ??
      noMember(
        body,
        expr,
        element,
        element.fields.map((candidate) => candidate.name),
      )
    );
  }
  body.cx.error("E0521", expr.receiver.span, `a cell of \`${typeText(element)}\` has no fields`);
  return poison(expr.span);
}

/** "no field", at the receiver (03 12.1.5). */
export function noMember(body: Body, expr: MemberExpr, type: Type, names: readonly string[]): TypedExpr {
  const name = expr.name.text;
  const near = nearestName(name, names);
  const help = measureHelp(type, name) ?? (near === undefined ? undefined : `did you mean \`${near}\`?`);
  // What a child had stored when it failed is the child's (05b 5b.5).
  const advice = type.kind === "record" && type.name === "ClosureViolation" ? "; read it from the child" : "";
  body.cx.error("E0308", expr.receiver.span, `no field \`${name}\` on \`${typeText(type)}\`${advice}`, { help });
  return poison(expr.span);
}

/** For `s.length` and its like: what has a length is measured by a call. */
export function measureHelp(type: Type, name: string): string | undefined {
  if (!["len", "length", "size", "count"].includes(name)) return undefined;
  if (isText(type) || type === BYTES || type === BYTES_VIEW) return "use `len(s)`";
  return type.kind === "array" ? "use `len(a)`" : undefined;
}

// ---------------------------------------------------------------- loci

const HOOKS: ReadonlySet<string> = new Set(["birth", "accept", "release", "run", "drain", "dissolve"]);

function locusMember(body: Body, expr: MemberExpr, receiver: TypedExpr, type: LocusType): TypedExpr {
  const { cx } = body;
  const name = expr.name.text;
  const field = type.fields.find((candidate) => candidate.name === name);
  if (field) return locusField(body, expr, receiver, type, field);
  if (name === "draining") return { kind: "draining", receiver, type: BOOL, span: expr.span };
  if (name === "children") return childrenOf(body, expr, receiver, type);
  if (name === "k_max") return kMax(body, expr, receiver, type);
  if (type.slots.some((slot) => slot.name === name) && !type.form) {
    cx.error("E0521", expr.span, `\`${name}\` is a capacity slot; it can only be used through its methods`);
    return poison(expr.span);
  }
  if (name === "items" || name === "entries") {
    const needs = name === "items" ? "a @form(vec) locus" : "a @form(hashmap) or @form(set) locus";
    cx.error(
      "E0805",
      expr.span,
      type.form ? `\`.${name}\` is only valid as a \`for\` source or a chain source` : `\`.${name}\` needs ${needs}`,
    );
    return poison(expr.span);
  }
  if (type.methods.has(name) || cx.genericMethods.get(type)?.has(name)) {
    cx.error("E0308", expr.receiver.span, `\`${name}\` is a method of \`${typeText(type)}\`; call it: \`${name}(..)\``);
    return poison(expr.span);
  }
  return noMember(
    body,
    expr,
    type,
    type.fields.map((candidate) => candidate.name),
  );
}

function locusField(body: Body, expr: MemberExpr, receiver: TypedExpr, type: LocusType, field: LocusField): TypedExpr {
  const { cx, initialises } = body;
  if (receiver.kind === "self" && initialises && field.index >= initialises.index) {
    cx.error("E0508", expr.span, `\`self.${field.name}\` is read before it is initialised`, {
      related: [{ span: field.span, note: "declared later" }],
    });
    return poison(expr.span);
  }
  if (type.isSealed && body.self !== type) {
    const methods = cx.methodNames(type);
    const way = methods.length === 0 ? "" : `; call one of its methods: ${listText(methods)}`;
    cx.error("E0518", expr.span, `\`${typeText(type)}\` is sealed; its params are readable only from inside${way}`);
  }
  const found = fieldType(cx, field);
  if (cx.untypedFields.has(field)) cx.metUntyped = true;
  if (isPoison(found)) return poison(expr.span);
  return { kind: "field", receiver, field, index: field.index, type: found, span: expr.span };
}

function childrenOf(body: Body, expr: MemberExpr, receiver: TypedExpr, type: LocusType): TypedExpr {
  const isSelf = receiver.kind === "self";
  if (isSelf && type.accepts)
    return { kind: "children", what: "all", receiver, type: body.cx.types.children(type.accepts), span: expr.span };
  const why = isSelf
    ? "`self.children` requires the enclosing locus to accept a child type"
    : "`children` can only be read on `self`";
  body.cx.error("E0513", expr.span, why);
  return poison(expr.span);
}

/** `k_max` of a locus with B, c, sigma and phi (05 5.17). */
function kMax(body: Body, expr: MemberExpr, receiver: TypedExpr, type: LocusType): TypedExpr {
  const parts = ["B", "c", "sigma", "phi"].map((name) => type.fields.find((field) => field.name === name));
  const values = parts.map((field): TypedExpr | undefined => {
    if (!field) return undefined;
    const found = fieldType(body.cx, field);
    return convertTo(
      body.cx,
      { kind: "field", receiver, field, index: field.index, type: found, span: expr.span },
      FLOAT,
      "argument",
    );
  });
  const [b, c, sigma, phi] = values;
  if (!b || !c || !sigma || !phi) {
    body.cx.error(
      "E0308",
      expr.receiver.span,
      `\`k_max\` needs the numeric params \`B\`, \`c\`, \`sigma\` and \`phi\` on \`${typeText(type)}\``,
    );
    return poison(expr.span);
  }
  const float = (
    operation: "add" | "subtract" | "multiply" | "divide",
    left: TypedExpr,
    right: TypedExpr,
  ): TypedExpr => ({
    kind: "binary",
    operation,
    left,
    right,
    type: FLOAT,
    span: expr.span,
  }); // prettier-ignore
  const one: TypedExpr = { kind: "float", value: 1, type: FLOAT, span: expr.span };
  return float(
    "divide",
    b,
    float("add", float("multiply", float("subtract", one, phi), c), float("multiply", phi, sigma)),
  );
}

export function isHookName(name: string): boolean {
  return HOOKS.has(name);
}

// ---------------------------------------------------------------- tuples, indexing

export function checkElement(body: Body, expr: Expr & { readonly kind: "element" }): TypedExpr {
  const receiver = checkValue(body, expr.receiver);
  const { type } = receiver;
  if (isPoison(type)) return poison(expr.span);
  const member = type.kind === "tuple" ? type.members[expr.index] : undefined;
  if (member) return { kind: "element", receiver, index: expr.index, type: member, span: expr.span };
  body.cx.error("E0308", expr.receiver.span, `no member \`.${expr.index}\` on \`${typeText(type)}\``);
  return poison(expr.span);
}

export function checkIndex(body: Body, expr: Expr & { readonly kind: "index" }): TypedExpr {
  const receiver = checkValue(body, expr.receiver);
  const index = withoutParens(expr.index);
  const { type } = receiver;
  if (index.kind === "range") return checkSlice(body, expr.span, receiver, index);
  const at = checkValue(body, expr.index);
  if (isPoison(type) || isPoison(at.type))
    return type.kind === "array" ? { ...poison(expr.span), type: type.element } : poison(expr.span);
  if (type.kind !== "array") return refuseIndex(body, expr, type);
  const converted = convertTo(body.cx, at, INT, "argument");
  if (!converted || converted.type !== INT) {
    body.cx.error("E0327", at.span, `an index is an Int, not \`${typeText(at.type)}\``);
    return poison(expr.span);
  }
  return { kind: "index", receiver, index: converted, type: type.element, span: expr.span };
}

function refuseIndex(body: Body, expr: Expr & { readonly kind: "index" }, type: Type): TypedExpr {
  const at = expr.receiver.span;
  if (isText(type)) body.cx.error("E0327", at, "index a String with a range, `s[i..i+1]`, or std::str::byte_at");
  else if (type.kind === "locus" && type.form)
    body.cx.error("E0327", at, "a form locus cannot be indexed; use `.get(i)`");
  else if (type.kind === "children")
    body.cx.error("E0513", at, "`self.children` cannot be indexed; walk it with `for`");
  else if (type.kind === "bounded") body.cx.error("E0327", at, "a bounded field cannot be indexed; use `at(f, i)`");
  else body.cx.error("E0327", at, `cannot index into \`${typeText(type)}\``);
  return poison(expr.span);
}

function checkSlice(body: Body, span: Span, receiver: TypedExpr, range: Expr & { readonly kind: "range" }): TypedExpr {
  const [low, high] = [range.low, range.high].map((bound) => sliceBound(body, bound));
  const text = isText(receiver.type) ? convertTo(body.cx, receiver, STRING, "argument") : undefined;
  if (!text && !isPoison(receiver.type)) {
    body.cx.error(
      "E0327",
      receiver.span,
      `only a String can be indexed with a range, not \`${typeText(receiver.type)}\``,
    );
  }
  if (!text || !low || !high) return poison(span);
  return { kind: "slice", receiver: text, low, high, inclusive: range.inclusive, type: STRING, span };
}

function sliceBound(body: Body, expr: Expr): TypedExpr | undefined {
  const bound = checkValue(body, expr);
  if (isPoison(bound.type)) return undefined;
  const converted = convertTo(body.cx, bound, INT, "argument");
  if (converted?.type === INT) return converted;
  body.cx.error("E0323", bound.span, `range bounds must be Int, got \`${typeText(bound.type)}\``);
  return undefined;
}
