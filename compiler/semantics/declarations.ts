// Judges declarations by themselves and starts the checking of every body that is not generic.
import type { FunctionDecl } from "../syntax/index.ts";
import { Body } from "./body.ts";
import { BUILT_IN_NAMES } from "./builtin-names.ts";
import { type Context, NO_GENERICS } from "./context.ts";
import { assign } from "./conversions.ts";
import { checkValue } from "./expressions.ts";
import {
  aliasTarget,
  checkGenericBounds,
  enumType,
  interfaceType,
  locusType,
  perspectiveType,
  recordType,
  scalarType,
} from "./nominal.ts";
import { reachLocus } from "./loci.ts";
import { constOf, functionOf } from "./signatures.ts";
import type { EnumSymbol, RecordSymbol, Scope, DeclaredSymbol } from "./symbols.ts";
import { checkTopics, topicInfo } from "./topics.ts";
import { INT, UNIT } from "./type-table.ts";
import type { TypedFunction } from "./typed.ts";
import type { Type } from "./types.ts";
import { fieldType } from "./untyped-fields.ts";

/** Every declaration of the program's seeds; the library's are looked at when something names them. */
export function checkDeclarations(cx: Context): void {
  const symbols = cx.scopes.flatMap((scope) => [...scope.symbols.values()]);
  cx.units.declare(cx, cx.unitDecls);
  // A component's quantity comes before what is counted in it.
  for (const symbol of symbols) if (symbol.kind === "scalar") scalarType(cx, symbol);
  for (const symbol of symbols) resolveDeclaration(cx, symbol);
  cx.completeLoci();
  cx.areDeclarationsComplete = true;
  checkTopics(cx);
  for (const symbol of symbols) reachDeclaration(cx, symbol);
}

function resolveDeclaration(cx: Context, symbol: DeclaredSymbol): void {
  switch (symbol.kind) {
    case "function":
      checkGenericBounds(cx, symbol.decl);
      checkFunctionName(cx, symbol.decl);
      if (symbol.decl.generics.length === 0) functionOf(cx, symbol);
      return;
    case "const":
      constOf(cx, symbol);
      return;
    case "record":
      checkGenericBounds(cx, symbol.decl);
      if (symbol.decl.generics.length === 0) recordType(cx, symbol, []);
      return;
    case "enum":
      checkGenericBounds(cx, symbol.decl);
      if (symbol.decl.generics.length === 0) enumType(cx, symbol, []);
      return;
    case "locus":
      checkGenericBounds(cx, symbol.decl);
      if (symbol.decl.generics.length === 0) locusType(cx, symbol, []);
      return;
    case "alias":
      aliasTarget(cx, symbol);
      return;
    case "scalar":
      scalarType(cx, symbol);
      return;
    case "interface":
      interfaceType(cx, symbol);
      return;
    case "perspective":
      perspectiveType(cx, symbol);
      return;
    case "topic":
      topicInfo(cx, symbol);
      return;
  }
}

function checkFunctionName(cx: Context, decl: FunctionDecl): void {
  if (!BUILT_IN_NAMES.has(decl.name.text)) return;
  cx.error("E0403", decl.name.span, `\`${decl.name.text}\` is a built-in and cannot name a fn`);
}

function reachDeclaration(cx: Context, symbol: DeclaredSymbol): void {
  switch (symbol.kind) {
    case "function": {
      const fn = symbol.instances.get("");
      if (fn) {
        cx.reach(fn);
        checkParamDefaults(cx, fn);
        if (symbol.name === "main" && symbol.scope.isRoot) checkMain(cx, symbol.decl, fn);
      }
      return;
    }
    case "const":
      cx.reach(constOf(cx, symbol));
      return;
    case "record":
      checkRecord(cx, symbol);
      return;
    case "enum":
      checkEnum(cx, symbol);
      return;
    case "locus": {
      const type = symbol.instances.get("");
      if (!type) return;
      for (const field of type.fields) {
        fieldType(cx, field);
        if (field.defaultValue) cx.reach(field.defaultValue);
      }
      for (const method of type.methods.values()) {
        cx.reach(method);
        checkParamDefaults(cx, method);
      }
      reachLocus(cx, type);
      return;
    }
    default:
      return;
  }
}

/** `main` takes nothing, gives nothing or an Int, and cannot fail (04 1.2). */
function checkMain(cx: Context, decl: FunctionDecl, fn: TypedFunction): void {
  const [param] = decl.params;
  if (param) cx.error("E0214", param.span, "`main` has no parameters; command-line words come from `std::env`");
  if (decl.result && fn.result !== INT && fn.result !== UNIT)
    cx.error("E0214", decl.result.span, "`main` returns nothing or an `Int`");
  if (decl.fallible)
    cx.error("E0214", decl.fallible.span, "`main` cannot be fallible; handle the error and return an exit code");
}

// ---------------------------------------------------------------- defaults

/** A default must fit its parameter, used or not (04 2.4). */
function checkParamDefaults(cx: Context, fn: TypedFunction): void {
  const source = cx.sources.get(fn);
  for (const [i, { defaultValue }] of (source?.params ?? []).entries()) {
    const type = fn.params[i]?.type;
    if (source && defaultValue && type) checkDefault(cx, source.env.scope, fn.name, type, defaultValue);
  }
}

function checkDefault(
  cx: Context,
  scope: Scope,
  name: string,
  type: Type,
  expr: Parameters<typeof checkValue>[1],
): void {
  const env = { scope, generics: NO_GENERICS };
  // The probe stands for the many places where the default will be evaluated; it is never reached itself.
  const probe: TypedFunction = {
    name,
    role: "const",
    self: undefined,
    params: [],
    result: type,
    declaresResult: true,
    fallible: undefined,
    body: undefined,
    foreign: undefined,
    span: expr.span,
    nameSpan: expr.span,
    isHandler: false,
    decorators: [],
  }; // prettier-ignore
  const body = new Body(cx, env, probe);
  assign(body, checkValue(body, expr, type), type, "default");
}

function checkRecord(cx: Context, symbol: RecordSymbol): void {
  const type = symbol.instances.get("");
  if (!type) return;
  for (const decl of symbol.decl.fields) {
    const field = type.fields.find((candidate) => candidate.name === decl.name.text);
    if (!field || !decl.defaultValue) continue;
    if (field.type.kind === "bounded")
      cx.error("E0807", decl.defaultValue.span, "a bounded field starts empty; it has no default");
    else checkDefault(cx, symbol.scope, symbol.name, field.type, decl.defaultValue);
  }
  const cycle = type.fields.find((field) => contains(field.type, type, new Set()));
  if (cycle)
    cx.error(
      "E0319",
      cycle.span,
      `\`${symbol.name}\` contains itself through \`${cycle.name}\`: no value of it could ever be built`,
    );
}

function checkEnum(cx: Context, symbol: EnumSymbol): void {
  const type = symbol.instances.get("");
  if (!type) return;
  const isRecursive = type.variants.some((variant) => variant.payload.some((part) => contains(part, type, new Set())));
  if (isRecursive) cx.error("E0319", symbol.span, `\`${symbol.name}\` contains itself`);
}

/** Whether a value of `type` has a value of `target` inside. */
function contains(type: Type, target: Type, seen: Set<Type>): boolean {
  if (type === target) return true;
  if (seen.has(type)) return false;
  seen.add(type);
  switch (type.kind) {
    case "record":
      return type.fields.some((field) => field.type.kind !== "bounded" && contains(field.type, target, seen));
    case "enum":
      return type.variants.some((variant) => variant.payload.some((part) => contains(part, target, seen)));
    case "tuple":
      return type.members.some((member) => contains(member, target, seen));
    case "array":
      return contains(type.element, target, seen);
    default:
      return false;
  }
}

// ---------------------------------------------------------------- constants

/** A constant may not need itself (04 3.1). Not recursive: chains of constants may be long. */
export function checkConstCycles(cx: Context): void {
  const done = new Set<TypedFunction>();
  const path: { readonly fn: TypedFunction; readonly reads: Iterator<TypedFunction> }[] = [];
  const places = new Map<TypedFunction, number>();
  const visit = (fn: TypedFunction): void => {
    if (done.has(fn)) return;
    places.set(fn, path.length);
    path.push({ fn, reads: (cx.constReads.get(fn) ?? new Set<TypedFunction>()).values() });
  };
  for (const start of cx.constReads.keys()) {
    visit(start);
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const read = last.reads.next();
      const at = read.done ? undefined : places.get(read.value);
      if (read.done) {
        path.pop();
        places.delete(last.fn);
        done.add(last.fn);
      } else if (at === undefined) visit(read.value);
      else
        for (const { fn } of path.slice(at))
          cx.error("E0319", fn.nameSpan, `constant \`${fn.name}\` depends on itself`);
    }
  }
}
