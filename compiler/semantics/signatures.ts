// From a declared function, method or hook to its `TypedFunction`: parameters, result, and where its body is to be checked.
import type { Block, Decorator, Expr, Name, Param, TypeExpr } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import {
  type AccumulatorInfo,
  type Context,
  type Env,
  type FunctionSource,
  NO_GENERICS,
  withArguments,
} from "./context.ts";
import type { Mismatch } from "./conversions.ts";
import { resolveType, valueType } from "./resolve-types.ts";
import { type ConstSymbol, type FunctionSymbol, qualified } from "./symbols.ts";
import { UNIT } from "./type-table.ts";
import { joinedName } from "./type-text.ts";
import type { FunctionRole, Local, TypedFunction } from "./typed.ts";
import type { LocusField, LocusType, Type } from "./types.ts";

export interface SignatureParts {
  readonly name: string;
  readonly role: FunctionRole;
  readonly env: Env;
  readonly self?: LocusType;
  readonly params: readonly Param[];
  readonly result?: TypeExpr | undefined;
  readonly fallible?: TypeExpr | undefined;
  readonly body: FunctionSource["body"] | undefined;
  readonly decorators?: readonly Decorator[];
  readonly span: Span;
  readonly nameSpan: Span;
}

/** Resolves a signature and registers where the body comes from; the body waits until something reaches the function. */
export function makeFunction(cx: Context, parts: SignatureParts): TypedFunction {
  const { env } = parts;
  checkParamOrder(cx, parts.params);
  const foreign = parts.decorators?.find((decorator) => decorator.name === "ffi");
  // The library's lead into the runtime. No linker is called, so there is nothing else that they could lead to.
  if (foreign && !foreign.span.file.isStd) cx.error("E1001", foreign.span, "not supported yet: `@ffi` functions");
  const fn: TypedFunction = {
    name: parts.name,
    role: foreign ? "foreign" : parts.role,
    self: parts.self,
    params: parts.params.map(
      (param): Local => ({
        name: param.name.text,
        type: valueType(cx, env, param.type, "param"),
        mutable: false,
        kind: "param",
        span: param.name.span,
        ...(param.secret ? { isSecret: true } : {}),
      }),
    ),
    result: parts.result ? resolveType(cx, env, parts.result) : UNIT,
    declaresResult: parts.result !== undefined,
    fallible: parts.fallible ? valueType(cx, env, parts.fallible) : undefined,
    body: undefined,
    foreign: foreign ? parts.name.slice(parts.name.lastIndexOf("::") + 1).replace(/^:/, "") : undefined,
    span: parts.span,
    nameSpan: parts.nameSpan,
    isHandler: false,
    decorators: parts.decorators ?? [],
  };
  const body = parts.body;
  if (body) cx.sources.set(fn, { env, params: parts.params, body, reached: false });
  else cx.sources.set(fn, { env, params: parts.params, body: NOTHING(parts.span), reached: true });
  return fn;
}

const NOTHING = (span: Span): Block => ({ kind: "block", statements: [], span });

/** Only a trailing run of parameters may have defaults (04 2.4). */
function checkParamOrder(cx: Context, params: readonly Param[]): void {
  let hasDefault = false;
  for (const param of params) {
    if (param.defaultValue) hasDefault = true;
    else if (hasDefault) {
      cx.error(
        "E0421",
        param.name.span,
        `parameter \`${param.name.text}\` has no default and follows one that has: parameters without a default must come first`,
      );
    }
  }
}

/** A free function, or one instance of a generic one. */
export function functionOf(cx: Context, symbol: FunctionSymbol, args: readonly Type[] = []): TypedFunction {
  const key = args.map((arg) => cx.types.idOf(arg)).join(",");
  const known = symbol.instances.get(key);
  if (known) return known;
  const { decl } = symbol;
  const env = withArguments({ scope: symbol.scope, generics: NO_GENERICS }, decl, args);
  const name = [qualified(symbol.scope, symbol.name), ...args.map(joinedName)].join("_");
  const fn = makeFunction(cx, {
    name,
    role: "free",
    env,
    params: decl.params,
    result: decl.result,
    fallible: decl.fallible,
    body: decl.body,
    decorators: decl.decorators,
    span: decl.span,
    nameSpan: decl.name.span,
  }); // prettier-ignore
  symbol.instances.set(key, fn);
  return fn;
}

/** A constant as the function that its reads call. */
export function constOf(cx: Context, symbol: ConstSymbol): TypedFunction {
  if (symbol.typed) return symbol.typed;
  const { decl } = symbol;
  const env: Env = { scope: symbol.scope, generics: NO_GENERICS };
  symbol.typed = makeFunction(cx, {
    name: qualified(symbol.scope, symbol.name),
    role: "const",
    env,
    params: [],
    result: decl.type,
    body: { kind: "value", expr: decl.value },
    span: decl.span,
    nameSpan: decl.name.span,
  }); // prettier-ignore
  return symbol.typed;
}

/** An expression with `self`: a field's default, a key, a part of a closure. */
export function initialiserOf(
  cx: Context,
  env: Env,
  {
    name,
    self,
    result,
    expr,
    field,
    accumulators,
    mismatch,
  }: {
    readonly name: string;
    readonly self: LocusType;
    readonly result: Type;
    readonly expr: Expr;
    readonly field?: LocusField;
    readonly accumulators?: AccumulatorInfo[];
    readonly mismatch?: Mismatch;
  },
): TypedFunction {
  const fn: TypedFunction = {
    name,
    role: "initialiser",
    self,
    params: [],
    result,
    declaresResult: true,
    fallible: undefined,
    body: undefined,
    foreign: undefined,
    span: expr.span,
    nameSpan: expr.span,
    isHandler: false,
    decorators: [],
  }; // prettier-ignore
  cx.sources.set(fn, {
    env,
    params: [],
    body: { kind: "value", expr },
    reached: false,
    ...(field ? { initialises: field } : {}),
    ...(accumulators ? { accumulators } : {}),
    ...(mismatch ? { mismatch } : {}),
  }); // prettier-ignore
  return fn;
}

/** The name of a member as symbols and backtraces show it. */
export function memberName(locus: LocusType, name: Name | string): string {
  return `${locus.displayName}.${typeof name === "string" ? name : name.text}`;
}
