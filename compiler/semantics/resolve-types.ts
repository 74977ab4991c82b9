import type { Name, Path, TypeExpr } from "../syntax/index.ts";
import { nearestName } from "../source/index.ts";
import type { Context, Env } from "./context.ts";
import { findJoined } from "./joined-names.ts";
import { findBare, isUnboundIgnored, pathText, resolveQualified } from "./lookup.ts";
import { aliasTarget, enumType, interfaceType, locusType, perspectiveType, recordType, scalarType } from "./nominal.ts";
import { describeSymbol, isTypeSymbol, type DeclaredSymbol, type TypeSymbol } from "./symbols.ts";
import {
  BOOL,
  BYTES,
  DECIMAL,
  DURATION,
  FLOAT,
  INT,
  isNumeric,
  isPoison,
  POISON,
  STRING,
  UNIT,
  WRITABLE_PRIMITIVES,
} from "./type-table.ts";
import { seemEndless, typeText } from "./type-text.ts";
import type { Type } from "./types.ts";

/** Where a type stands; a bounded buffer may only be a field or a parameter (07 10.1). */
export type TypePlace = "field" | "param" | "other";

/** The type that a type expression names; what is wrong with it is reported and gives the poison type. */
export function resolveType(cx: Context, env: Env, expr: TypeExpr, place: TypePlace = "other"): Type {
  switch (expr.kind) {
    case "named":
      return resolveNamed(cx, env, expr);
    case "tuple":
      return resolveTuple(cx, env, expr.members);
    case "array":
      return resolveArray(cx, env, expr);
    case "bounded":
      return resolveBounded(cx, env, expr, place);
    case "function": {
      const params = expr.params.map((param) => valueType(cx, env, param));
      return cx.types.function(params, expr.result ? resolveType(cx, env, expr.result) : UNIT);
    }
    case "perspective": {
      const found = findTypeName(cx, env, expr.path);
      if (!found) return POISON;
      if ("symbol" in found && found.symbol.kind === "perspective") return perspectiveType(cx, found.symbol);
      cx.error("E0517", expr.path.span, `\`${pathText(expr.path)}\` is not a perspective`);
      return POISON;
    }
    case "projection":
      return resolveType(cx, env, expr.inner, place);
  }
}

/** A type that holds a value: unit is refused. */
export function valueType(cx: Context, env: Env, expr: TypeExpr, place: TypePlace = "other"): Type {
  const type = resolveType(cx, env, expr, place);
  if (type !== UNIT) return type;
  cx.error("E0321", expr.span, "`()` has no values; it can only be a result type");
  return POISON;
}

function resolveTuple(cx: Context, env: Env, members: readonly TypeExpr[]): Type {
  if (members.length === 0) return UNIT;
  const [only, second] = members;
  if (only && !second) return resolveType(cx, env, only);
  return cx.types.tuple(members.map((member) => valueType(cx, env, member)));
}

function resolveArray(cx: Context, env: Env, expr: TypeExpr & { readonly kind: "array" }): Type {
  const element = valueType(cx, env, expr.element);
  if (!expr.length) return cx.types.array(element, undefined);
  if (expr.length.kind === "int" && expr.length.value > 0n) return cx.types.array(element, Number(expr.length.value));
  cx.error("E0321", expr.length.span, "an array's length must be an integer literal of at least 1");
  return POISON;
}

function resolveBounded(cx: Context, env: Env, expr: TypeExpr & { readonly kind: "bounded" }, place: TypePlace): Type {
  if (place === "other") {
    cx.error("E0808", expr.span, "`bounded[..]` can only be the type of a field, a locus param or a parameter");
    return POISON;
  }
  const element = valueType(cx, env, expr.element);
  if (isPoison(element)) return POISON;
  const fits =
    [INT, FLOAT, BOOL, DECIMAL, DURATION, STRING, BYTES].some((type) => type === element) ||
    element.kind === "record" ||
    element.kind === "scalar";
  if (fits) return cx.types.bounded(element, Number(expr.capacity.value));
  cx.error("E0808", expr.element.span, `\`bounded\` cannot hold \`${typeText(element)}\``);
  return POISON;
}

function resolveNamed(cx: Context, env: Env, expr: TypeExpr & { readonly kind: "named" }): Type {
  const [first, second] = expr.path.segments;
  if (first && !second && expr.args.length === 0) {
    const primitive = WRITABLE_PRIMITIVES.get(first.text);
    if (primitive) return primitive;
    const parameter = env.generics.get(first.text);
    if (parameter) return parameter;
  }
  const found = findTypeName(cx, env, expr.path);
  if (found === undefined) return POISON;
  if ("type" in found) return found.type;
  return instantiate(cx, env, found.symbol, expr);
}

/** The declaration behind a type's path, or the instance of a joined name. Undefined: reported. */
export function findTypeName(
  cx: Context,
  env: Env,
  path: Path,
): { readonly symbol: TypeSymbol } | { readonly type: Type } | undefined {
  const [first, second] = path.segments;
  if (!first) return undefined;
  if (!second) {
    const symbol = findBare(cx, env.scope, first.text);
    if (symbol && isTypeSymbol(symbol)) return { symbol };
    const joined = findJoined(cx, env, first.text);
    if (joined) return { type: joined };
    reportUnknownType(cx, env, first);
    return undefined;
  }
  const meaning = resolveQualified(cx, env, path, "type");
  if (meaning.kind === "unknown") return undefined;
  if (meaning.rest.length === 0) {
    if (meaning.kind === "type") return { type: meaning.type };
    if (isTypeSymbol(meaning.symbol)) return { symbol: meaning.symbol };
  }
  cx.error("E0301", path.span, `\`${pathText(path)}\` is not a type`);
  return undefined;
}

function reportUnknownType(cx: Context, env: Env, first: Name): void {
  const symbol = findBare(cx, env.scope, first.text);
  if (symbol?.kind === "topic") {
    const payload = symbol.decl.payload;
    const shown = payload.kind === "named" ? pathText(payload.path) : "payload";
    cx.error(
      "E0701",
      first.span,
      `\`${first.text}\` is the topic; declare the parameter as its payload type \`${shown}\``,
    );
    return;
  }
  if (symbol) {
    cx.error("E0301", first.span, `\`${first.text}\` is ${describeSymbol(symbol)}, not a type`);
    return;
  }
  if (isUnboundIgnored(cx, env)) return;
  const near = nearestName(first.text, typeNames(env));
  cx.error("E0301", first.span, `unknown type \`${first.text}\``, {
    help: typeHint(first.text) ?? (near === undefined ? undefined : `did you mean \`${near}\`?`),
  });
}

const FOREIGN_TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ["int", "Int"],
  ["i32", "Int"],
  ["i64", "Int"],
  ["u8", "Int"],
  ["u32", "Int"],
  ["u64", "Int"],
  ["usize", "Int"],
  ["Integer", "Int"],
  ["long", "Int"],
  ["float", "Float"],
  ["double", "Float"],
  ["f32", "Float"],
  ["f64", "Float"],
  ["Double", "Float"],
  ["bool", "Bool"],
  ["Boolean", "Bool"],
  ["boolean", "Bool"],
  ["string", "String"],
  ["str", "String"],
  ["Str", "String"],
  ["Text", "String"],
  ["char", "String"],
  ["void", "()"],
  ["Void", "()"],
  ["Unit", "()"],
]); // prettier-ignore

/** Types of other languages' libraries, and what does their work. */
const FOREIGN_CONTAINERS: ReadonlyMap<string, string> = new Map([
  ...["Map", "HashMap", "Dict", "Dictionary", "Hash"].map(
    (name) =>
      [name, "a map is a locus: `@form(hashmap) locus M { capacity { pool entries of T indexed_by key; } }`"] as const,
  ),
  ...["Vec", "Vector", "List", "ArrayList"].map(
    (name) => [name, "a list that grows is a locus: `@form(vec) locus L { capacity { heap items of T; } }`"] as const,
  ),
  ["Array", "an array is `[T; N]`"],
  ["Set", "a set is a locus: `@form(set) locus S { .. }`"],
  ["Optional", "`Option<T>` has `Some(T)` and `None`"],
  ["Error", "a failure may be of any type: declare a record, or use String"],
  ["any", "there is no `any`; an interface takes every locus that has its methods"],
  ["Any", "there is no `any`; an interface takes every locus that has its methods"],
]);

function typeHint(name: string): string | undefined {
  const container = FOREIGN_CONTAINERS.get(name);
  if (container !== undefined) return container;
  const own = FOREIGN_TYPE_NAMES.get(name);
  return own === undefined ? undefined : `Hale's name for it is \`${own}\``;
}

function* typeNames(env: Env): Iterable<string> {
  yield* WRITABLE_PRIMITIVES.keys();
  yield* env.generics.keys();
  for (const symbol of env.scope.symbols.values()) if (isTypeSymbol(symbol)) yield symbol.name;
}

// ---------------------------------------------------------------- instances

/** How many instances may lie in one another. */
const MAX_INSTANCE_DEPTH = 60;

function instantiate(cx: Context, env: Env, symbol: TypeSymbol, expr: TypeExpr & { readonly kind: "named" }): Type {
  const args = expr.args.map((arg) => valueType(cx, env, arg));
  const wanted = genericsOf(symbol).length;
  if (args.length !== wanted) {
    const got = args.length === 0 ? "none" : String(args.length);
    cx.error(
      "E0315",
      expr.span,
      `\`${symbol.name}\` takes ${wanted} type argument${wanted === 1 ? "" : "s"}, got ${got}`,
    );
    return POISON;
  }
  if (args.some(isPoison)) return POISON;
  if (!boundsHold(cx, symbol, args, expr)) return POISON;
  if (args.length === 0) return typeOfSymbol(cx, symbol, args);
  if (seemEndless(args) || cx.instanceDepth >= MAX_INSTANCE_DEPTH) {
    cx.error("E0315", expr.span, `\`${symbol.name}\` would need instances without end`);
    return POISON;
  }
  cx.instanceDepth++;
  const type = typeOfSymbol(cx, symbol, args);
  cx.instanceDepth--;
  return type;
}

function boundsHold(cx: Context, symbol: TypeSymbol, args: readonly Type[], expr: TypeExpr): boolean {
  return genericsOf(symbol).every((generic, i) => {
    const arg = args[i];
    if (!generic.bound || !arg || satisfiesBound(generic.bound, arg)) return true;
    cx.error(
      "E0322",
      expr.span,
      `\`${typeText(arg)}\` is not \`${boundName(generic.bound)}\`, as \`${generic.name.text}\` of \`${symbol.name}\` asks`,
    );
    return false;
  });
}

/** Whether a type is inside a bound (03 12.4.6). Projection bounds ask nothing of a value. */
export function satisfiesBound(bound: TypeExpr, type: Type): boolean {
  return boundName(bound) !== "Numeric" || isNumeric(type);
}

const BOUNDS = ["Numeric", "ProjectionClass", "Rich", "Chunked", "Recognition"];

export function boundName(bound: TypeExpr): string {
  return bound.kind === "named" ? pathText(bound.path) : "?";
}

/** Reports a bound that does not exist. */
export function checkBound(cx: Context, bound: TypeExpr): void {
  if (BOUNDS.includes(boundName(bound))) return;
  cx.error("E0322", bound.span, `unknown bound \`${boundName(bound)}\``, {
    help: `the bounds are ${BOUNDS.map((name) => `\`${name}\``).join(", ")}`,
  });
}

/** The type parameters that a declaration takes. */
export function genericsOf(
  symbol: DeclaredSymbol,
): readonly { readonly name: { readonly text: string }; readonly bound?: TypeExpr }[] {
  switch (symbol.kind) {
    case "function":
    case "record":
    case "enum":
    case "locus":
    case "perspective":
      return symbol.decl.generics;
    case "const":
    case "alias":
    case "scalar":
    case "interface":
    case "topic":
      return [];
  }
}

/** The type that a declaration and its arguments make. */
export function typeOfSymbol(cx: Context, symbol: TypeSymbol, args: readonly Type[]): Type {
  switch (symbol.kind) {
    case "record":
      return recordType(cx, symbol, args);
    case "enum":
      return enumType(cx, symbol, args);
    case "locus":
      return locusType(cx, symbol, args);
    case "interface":
      return interfaceType(cx, symbol);
    case "perspective":
      return perspectiveType(cx, symbol);
    case "alias":
      return aliasTarget(cx, symbol);
    case "scalar":
      return scalarType(cx, symbol) ?? POISON;
  }
}
