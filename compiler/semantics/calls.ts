import type { Expr, Name, Param, Path } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { boundedCall } from "./bounded.ts";
import { builtinCall } from "./builtins.ts";
import { BOUNDED_OPERATIONS, BUILT_IN_NAMES } from "./builtin-names.ts";
import { assertionCall } from "./closures.ts";
import { type FunctionSource, NO_GENERICS } from "./context.ts";
import { assign, convertTo, type Site, whyUnsatisfied } from "./conversions.ts";
import { checkExpr, checkValue } from "./expressions.ts";
import { inferGenerics } from "./generics.ts";
import { isJsonFunction, jsonCall, type JsonFunction } from "./json-records.ts";
import { findBare, isUnboundIgnored, pathText, resolveQualified } from "./lookup.ts";
import { checkMethodCall } from "./methods.ts";
import { enumOf, instanceHelp, reportUnknownName, variantValue } from "./names.ts";
import { scalarConversion } from "./scalars.ts";
import { functionOf } from "./signatures.ts";
import { genericsOf, typeOfSymbol } from "./resolve-types.ts";
import { describeSymbol, type FunctionSymbol, isTypeSymbol, type DeclaredSymbol } from "./symbols.ts";
import { isPoison, NEVER, POISON, UNIT } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr, TypedFunction } from "./typed.ts";
import type { FunctionType, RecordType, Type } from "./types.ts";

export type CallExpr = Expr & { readonly kind: "call" };

export function checkCall(body: Body, expr: CallExpr, expected?: Type): TypedExpr {
  const { callee } = expr;
  if (callee.kind === "path") return callPath(body, expr, callee.path, expected);
  if (callee.kind === "member") return checkMethodCall(body, expr, callee);
  const value = checkValue(body, callee);
  return callValue(body, expr, value);
}

function callPath(body: Body, expr: CallExpr, path: Path, expected: Type | undefined): TypedExpr {
  const [first, second] = path.segments;
  if (!first) return giveUp(body, expr);
  if (second) return callQualified(body, expr, path, expected);
  const local = body.lookup(first.text);
  if (local && local.type.kind !== "function" && BOUNDED_OPERATIONS.has(first.text)) {
    const made = boundedCall(body, expr, first);
    if (made) return made;
  }
  if (local) return callValue(body, expr, { kind: "local", local, type: local.type, span: path.span });
  const accumulator = assertionCall(body, expr, first);
  if (accumulator) return accumulator;
  if (BUILT_IN_NAMES.has(first.text)) return builtinCall(body, expr, first);
  const symbol = findBare(body.cx, body.env.scope, first.text);
  if (BOUNDED_OPERATIONS.has(first.text)) {
    const made = boundedCall(body, expr, first);
    if (made) return made;
  }
  if (symbol) return callSymbol(body, expr, symbol, path);
  reportUnknownCallee(body, first);
  return giveUp(body, expr);
}

function reportUnknownCallee(body: Body, name: Name): void {
  const { cx, env } = body;
  if (BOUNDED_OPERATIONS.has(name.text) && !isUnboundIgnored(cx, env)) {
    cx.error("E0302", name.span, `unknown name \`${name.text}\``, {
      help: `\`${name.text}(f, ..)\` works on a \`bounded[..]\` field or parameter`,
    });
    return;
  }
  reportUnknownName(body, name);
}

/** Checks the arguments of a call that was reported. */
export function giveUp(body: Body, expr: CallExpr): TypedExpr {
  return body.scoped(() => {
    // What was meant as a chain uses these names.
    if (expr.callee.kind === "member") {
      for (const word of ["it", "idx"])
        body.declare({ name: word, type: POISON, mutable: false, kind: "loop", span: expr.callee.span });
    }
    for (const arg of expr.args) checkExpr(body, arg);
    return poison(expr.span);
  });
}

function callQualified(body: Body, expr: CallExpr, path: Path, expected: Type | undefined): TypedExpr {
  const derived = ofTypeParameter(body, path);
  if (derived) return jsonCall(body, expr, path, derived.type, derived.name);
  const meaning = resolveQualified(body.cx, body.env, path, "function");
  if (meaning.kind === "unknown") return giveUp(body, expr);
  const [variant, beyond] = meaning.rest;
  const enumeration = variant && !beyond ? enumOf(body, meaning, expected) : undefined;
  if (variant && enumeration) return variantValue(body, enumeration, path, variant, expr.args);
  if (variant && !beyond && isJsonFunction(variant.text)) {
    const type =
      meaning.kind === "type"
        ? meaning.type
        : isTypeSymbol(meaning.symbol) && genericsOf(meaning.symbol).length === 0
          ? typeOfSymbol(body.cx, meaning.symbol, [])
          : POISON;
    if (type.kind === "record") return jsonCall(body, expr, path, type, variant.text);
  }
  if (meaning.kind === "symbol" && meaning.rest.length === 0) return callSymbol(body, expr, meaning.symbol, path);
  body.cx.error("E0402", path.span, `\`${pathText(path)}\` is not a function`, { help: instanceHelp(meaning) });
  return giveUp(body, expr);
}

/** `T::from_json` where `T` is a type parameter that stands for a record. */
function ofTypeParameter(
  body: Body,
  { segments }: Path,
): { readonly type: RecordType; readonly name: JsonFunction } | undefined {
  const [head, name, beyond] = segments;
  const type = head && body.env.generics.get(head.text);
  return type?.kind === "record" && name && !beyond && isJsonFunction(name.text)
    ? { type, name: name.text }
    : undefined;
}

function callSymbol(body: Body, expr: CallExpr, symbol: DeclaredSymbol, path: Path): TypedExpr {
  if (symbol.kind === "function") return callFunction(body, expr, symbol, path);
  if (symbol.kind === "scalar" || symbol.kind === "alias") {
    const converted = scalarConversion(body, expr, symbol);
    if (converted) return converted;
  }
  if (symbol.kind === "const") {
    const value = checkExpr(body, expr.callee);
    if (value.type.kind === "function") return callValue(body, expr, value);
  }
  const what =
    symbol.kind === "record" || symbol.kind === "locus" ? `; build one with \`${pathText(path)} { .. }\`` : "";
  body.cx.error("E0402", path.span, `\`${pathText(path)}\` is ${describeSymbol(symbol)}, not a function${what}`);
  return giveUp(body, expr);
}

function callFunction(body: Body, expr: CallExpr, symbol: FunctionSymbol, path: Path): TypedExpr {
  const { cx } = body;
  const name = pathText(path);
  if (symbol.decl.generics.length > 0) {
    const generic = {
      decl: symbol.decl,
      env: { scope: symbol.scope, generics: NO_GENERICS },
      instanceOf: (args: readonly Type[]) => functionOf(cx, symbol, args),
    };
    const inferred = inferGenerics(body, expr, generic, name, path.span);
    if (!inferred) return poison(expr.span);
    return finishCall(
      body,
      expr,
      name,
      inferred.fn,
      checkArguments(body, signatureOf(body, inferred.fn, name, path.span), expr.args, inferred.values),
    );
  }
  const fn = functionOf(cx, symbol);
  return finishCall(body, expr, name, fn, checkArguments(body, signatureOf(body, fn, name, path.span), expr.args));
}

/** Has the callee's body checked. Of an instance it is remembered who called it first: what is wrong with it is wrong with that call. */
export function reachFromCall({ cx }: Body, expr: CallExpr, name: string, fn: TypedFunction): void {
  const site = expr.span.file.isStd ? cx.site : { span: expr.callee.span, name };
  const isInstance = fn.span.file.isStd || (cx.sources.get(fn)?.env.generics.size ?? 0) > 0;
  if (isInstance && site && !cx.callSites.has(fn)) cx.callSites.set(fn, site);
  cx.reach(fn);
}

function finishCall(
  body: Body,
  expr: CallExpr,
  name: string,
  fn: TypedFunction,
  args: TypedExpr[] | undefined,
): TypedExpr {
  reachFromCall(body, expr, name, fn);
  if (!args) return { ...poison(expr.span), type: fn.fallible ? POISON : poisonedResult(fn.result) };
  const type = fn.name === "std::process::exit" ? NEVER : fn.result;
  return {
    kind: "call",
    callee: { kind: "function", function: fn },
    args,
    fallible: fn.fallible,
    type,
    span: expr.span,
  };
}

/** What a call with reported arguments gives: its result is known all the same, unless it has none. */
function poisonedResult(result: Type): Type {
  return result === UNIT ? POISON : result;
}

// ---------------------------------------------------------------- arguments

export interface CallSignature {
  /** How messages name the callee. */
  readonly name: string;
  readonly params: readonly Type[];
  /** For each parameter the default to evaluate in the caller's scope. */
  readonly defaults?: { readonly source: FunctionSource } | undefined;
  /** Where count and type errors stand: the callee's name. */
  readonly span: Span;
  /** Where the arguments go: default `argument`. */
  readonly site?: Site;
}

export function signatureOf(body: Body, fn: TypedFunction, name: string, span: Span): CallSignature {
  const source = body.cx.sources.get(fn);
  return { name, params: fn.params.map((param) => param.type), defaults: source && { source }, span };
}

/** The arguments of a call, converted, defaults filled in behind the given ones. Undefined: reported. `values`: those already checked. */
export function checkArguments(
  body: Body,
  signature: CallSignature,
  args: readonly Expr[],
  values?: readonly TypedExpr[],
): TypedExpr[] | undefined {
  const { cx } = body;
  const { name, params, span } = signature;
  const given = values ?? args.map((arg, i) => checkValue(body, arg, params[i]));
  const missing = missingDefaults(signature, given.length);
  if (given.length > params.length || missing === undefined) {
    cx.error("E0401", span, `\`${name}\` takes ${countText(signature)}, got ${given.length}`, {
      help: params.length === 0 ? undefined : `its parameters are (${parametersText(signature)})`,
    });
    return undefined;
  }
  let isSound = true;
  const converted = given.map((value, i) => {
    const wanted = params[i] ?? POISON;
    const made = convertTo(cx, value, wanted, signature.site ?? "argument");
    if (made) return made;
    isSound = false;
    reportArgument(body, signature, i, value, wanted);
    return value;
  });
  if (!isSound) return undefined;
  for (const { param, type } of missing) {
    const { defaultValue } = param;
    if (!defaultValue || !signature.defaults) continue;
    converted.push(
      body.expandDefault(signature.defaults.source.env, span, () =>
        assign(body, checkValue(body, defaultValue, type), type, "default"),
      ),
    );
  }
  return converted;
}

/** The parameters behind the given arguments, when each has a default. */
function missingDefaults(
  signature: CallSignature,
  given: number,
): { readonly param: Param; readonly type: Type }[] | undefined {
  const missing: { readonly param: Param; readonly type: Type }[] = [];
  for (let i = given; i < signature.params.length; i++) {
    const param = signature.defaults?.source.params[i];
    const type = signature.params[i];
    if (!param?.defaultValue || !type) return undefined;
    missing.push({ param, type });
  }
  return missing;
}

function countText(signature: CallSignature): string {
  const most = signature.params.length;
  const optional = signature.defaults?.source.params.filter((param) => param.defaultValue).length ?? 0;
  const plural = (n: number) => `${n} argument${n === 1 ? "" : "s"}`;
  return optional === 0 ? plural(most) : `${most - optional} to ${plural(most)}`;
}

/** `a: Int, b: String`, or the types alone where the names are not known. */
function parametersText({ params, defaults }: CallSignature): string {
  const names = defaults?.source.params ?? [];
  return params.map((type, i) => (names[i] ? `${names[i].name.text}: ${typeText(type)}` : typeText(type))).join(", ");
}

function reportArgument(
  body: Body,
  { name, span }: CallSignature,
  index: number,
  value: TypedExpr,
  wanted: Type,
): void {
  const { cx } = body;
  if (value.type.kind === "locus" && wanted.kind === "interface") {
    cx.error(
      "E0312",
      value.span,
      `locus \`${typeText(value.type)}\` does not satisfy \`${typeText(wanted)}\`: ${whyUnsatisfied(value.type, wanted) ?? ""}`,
    );
    return;
  }
  const related = [{ span: value.span, note: "the argument" }];
  cx.error(
    "E0401",
    span,
    `argument ${index + 1} of \`${name}\`: expected \`${typeText(wanted)}\`, got \`${typeText(value.type)}\``,
    { related },
  );
}

// ---------------------------------------------------------------- function values

/** A call of a value of function type. */
export function callValue(body: Body, expr: CallExpr, value: TypedExpr): TypedExpr {
  const { type } = value;
  if (type.kind === "function") return callIndirect(body, expr, value, type);
  if (!isPoison(type)) {
    const name = value.kind === "local" ? `\`${value.local.name}\`` : "this";
    body.cx.error("E0402", value.span, `${name} is \`${typeText(type)}\`, not a function`);
  }
  return giveUp(body, expr);
}

function callIndirect(body: Body, expr: CallExpr, value: TypedExpr, type: FunctionType): TypedExpr {
  const name = value.kind === "local" ? value.local.name : value.kind === "field" ? value.field.name : "this function";
  const args = checkArguments(body, { name, params: type.params, span: value.span }, expr.args);
  if (!args) return poison(expr.span);
  return {
    kind: "call",
    callee: { kind: "indirect", value, type },
    args,
    fallible: undefined,
    type: type.result,
    span: expr.span,
  };
}
