import type { Span } from "../source/index.ts";
import type { Body } from "./body.ts";
import type { Code } from "./codes.ts";
import type { Context } from "./context.ts";
import { convertMeasured } from "./quantities.ts";
import { measureOf, pointMeasure, widensTo } from "./scalar-type.ts";
import { BYTES, BYTES_MUT, BYTES_VIEW, FLOAT, INT, isPoison, NEVER, STRING, STRING_VIEW } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr, TypedFunction } from "./typed.ts";
import type { InterfaceType, LocusType, MethodSignature, Type } from "./types.ts";

/** Where a value goes; the conversions that are made there differ (03 16). */
export type Site =
  /** Annotated `let`. */
  | "annotated"
  /** Arguments, operands, conditions: a view is read as the text it shows. */
  | "argument"
  /** Fields of record literals, results, const values, elements that a collection takes. */
  | "value"
  /** Defaults of fields and params. */
  | "default"
  /** Assignments, locus literals, elements, members, payloads, branches, `or` substitutes: nothing widens. */
  | "store";

const WIDENING_SITES: ReadonlySet<Site> = new Set(["annotated", "argument", "value", "default"]);

/** `value` as a `target`, conversion made; undefined where it is not assignable. Reports nothing. */
export function convertTo(cx: Context, value: TypedExpr, target: Type, site: Site): TypedExpr | undefined {
  const { type, span } = value;
  if (type === target || isPoison(type) || isPoison(target) || type === NEVER) return value;
  if (type === INT && target === FLOAT) return WIDENING_SITES.has(site) ? toFloat(value) : undefined;
  if (type.kind === "locus" && target.kind === "interface") {
    if (whyUnsatisfied(type, target) !== undefined) return undefined;
    reachInterfaceMethods(cx, type, target);
    return { kind: "convert", conversion: "locus-to-interface", operand: value, type: target, span };
  }
  if (type.kind === "locus" && target.kind === "perspective") {
    if (!type.serves.includes(target)) return undefined;
    return { kind: "convert", conversion: "locus-to-interface", operand: value, type: target, span };
  }
  if (
    (type === STRING_VIEW && target === STRING) ||
    ((type === BYTES_VIEW || type === BYTES_MUT) && target === BYTES)
  ) {
    return site === "argument"
      ? { kind: "convert", conversion: "view", operand: value, type: target, span }
      : undefined;
  }
  if ((value.kind === "string" && target === STRING_VIEW) || (value.kind === "bytes" && target === BYTES_VIEW)) {
    return site === "default" ? { kind: "convert", conversion: "view", operand: value, type: target, span } : undefined;
  }
  if (measureOf(target) || pointMeasure(target)) {
    const converted = convertMeasured(cx, value, target);
    return converted === "narrows" ? undefined : converted;
  }
  if (type.kind === "scalar" && widensTo(type, target))
    return { kind: "convert", conversion: "scalar", operand: value, type: target, span };
  return undefined;
}

/** An Int as a Float; a literal becomes a literal. */
export function toFloat(value: TypedExpr): TypedExpr {
  if (value.kind === "int") return { kind: "float", value: Number(value.value), type: FLOAT, span: value.span };
  return { kind: "convert", conversion: "int-to-float", operand: value, type: FLOAT, span: value.span };
}

export interface Mismatch {
  readonly code?: Code;
  /** Place of the report; default: the value. */
  readonly span?: Span;
  /** The whole message from the two types; default: "expected .., got ..". */
  readonly message?: (expected: string, got: string) => string;
}

/** `value` converted to `target`, or a report and the value as it is. */
export function assign(body: Body, value: TypedExpr, target: Type, site: Site, mismatch: Mismatch = {}): TypedExpr {
  const converted = convertTo(body.cx, value, target, site);
  if (converted) return converted;
  const { type } = value;
  if (type.kind === "locus" && target.kind === "interface") {
    const why = whyUnsatisfied(type, target) ?? "";
    body.cx.error("E0312", value.span, `locus \`${typeText(type)}\` does not satisfy \`${typeText(target)}\`: ${why}`);
    return value;
  }
  if (type.kind === "locus" && target.kind === "perspective") {
    body.cx.error("E0517", value.span, `locus \`${typeText(type)}\` does not serve \`${target.displayName}\``);
    return value;
  }
  if (convertMeasured(body.cx, value, target) === "narrows") {
    body.cx.error(
      "E0325",
      value.span,
      `\`${typeText(target)}\` from \`${typeText(type)}\` divides: say what happens to the remainder, \`${typeText(target)}(..) or floor\``,
    );
    return value;
  }
  const message = (mismatch.message ?? ((expected: string, got: string) => `expected \`${expected}\`, got \`${got}\``))(
    typeText(target),
    typeText(type),
  );
  body.cx.error(mismatch.code ?? "E0304", mismatch.span ?? value.span, message, {
    help: mismatchHelp(type, target, value),
  });
  return value;
}

function mismatchHelp(type: Type, target: Type, value: TypedExpr): string | undefined {
  if (type === INT && target === FLOAT)
    return value.kind === "int" ? `write \`${value.value}.0\`` : "convert it with `Float(..)`";
  if (type === FLOAT && target === INT) return "convert it with `Int(..)`, which cuts toward zero";
  if (target === STRING && type === STRING_VIEW) return "a view does not own its bytes; copy it with `std::str::clone`";
  if (target === BYTES && type === BYTES_VIEW) return "a view does not own its bytes; copy it with `std::bytes::clone`";
  if (type === INT && target.kind === "scalar" && !target.measure)
    return `write \`${target.displayName}(n)${target.range ? " or .." : ""}\``;
  if (target === INT && type.kind === "scalar") return "write `Int(..)`";
  if (target === STRING) return "`to_string(..)` makes the text of a value";
  if (type === STRING && target === INT) return "`std::str::parse_int(..) or ..` reads a number from text";
  if (target.kind === "interface") return "only a locus satisfies an interface";
  return undefined;
}

// ---------------------------------------------------------------- interfaces

/** Why a locus does not satisfy an interface (03 13); undefined if it does. */
export function whyUnsatisfied(locus: LocusType, target: InterfaceType): string | undefined {
  for (const wanted of target.methods) {
    const method = locus.methods.get(wanted.name);
    if (method?.role !== "method") return `missing method \`${wanted.name}\``;
    const why = whyDifferent(method, wanted);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** What differs between a method and the signature it must have. */
export function whyDifferent(method: TypedFunction, wanted: MethodSignature): string | undefined {
  const sameParams =
    method.params.length === wanted.params.length &&
    method.params.every((param, i) => sameType(param.type, wanted.params[i]));
  if (!sameParams) {
    const show = (types: readonly Type[]) => `(${types.map(typeText).join(", ")})`;
    return `\`${wanted.name}\` takes ${show(method.params.map((param) => param.type))}, not ${show(wanted.params)}`;
  }
  if (!sameType(method.result, wanted.result))
    return `\`${wanted.name}\` gives \`${typeText(method.result)}\`, not \`${typeText(wanted.result)}\``;
  if (method.fallible && !wanted.fallible) return `\`${wanted.name}\` can fail, the interface's cannot`;
  if (method.fallible && wanted.fallible && !sameType(method.fallible, wanted.fallible)) {
    return `\`${wanted.name}\` fails with \`${typeText(method.fallible)}\`, not \`${typeText(wanted.fallible)}\``;
  }
  return undefined;
}

function sameType(a: Type, b: Type | undefined): boolean {
  return b !== undefined && (a === b || isPoison(a) || isPoison(b));
}

function reachInterfaceMethods(cx: Context, locus: LocusType, target: InterfaceType): void {
  for (const { name } of target.methods) {
    const method = locus.methods.get(name);
    if (method) cx.reach(method);
  }
}
