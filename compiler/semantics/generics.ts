// Type arguments of generic functions, from the arguments of a call (04 2.2).
import type { FunctionDecl, TypeExpr } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import type { Body } from "./body.ts";
import type { CallExpr } from "./calls.ts";
import type { Env } from "./context.ts";
import { checkValue } from "./expressions.ts";
import { findBare } from "./lookup.ts";
import { boundName, resolveType, satisfiesBound } from "./resolve-types.ts";
import { suitsLibrary } from "./std-arguments.ts";
import { isPoison } from "./type-table.ts";
import { seemEndless, typeText } from "./type-text.ts";
import type { TypedExpr, TypedFunction } from "./typed.ts";
import type { Type } from "./types.ts";

type Bindings = Map<string, Type>;

/** A function or a method with type parameters of its own. */
export interface GenericFunction {
  readonly decl: FunctionDecl;
  /** Where its types are looked up: with the type arguments of the locus that it is a method of. */
  readonly env: Env;
  instanceOf(args: readonly Type[]): TypedFunction;
}

/** The instance that a call means and its checked arguments; undefined: reported. */
export function inferGenerics(
  body: Body,
  expr: CallExpr,
  { decl, env, instanceOf }: GenericFunction,
  name: string,
  span: Span,
): { readonly fn: TypedFunction; readonly values: readonly TypedExpr[] } | undefined {
  const { cx } = body;
  const parameters = new Set(decl.generics.map((generic) => generic.name.text));
  const bindings: Bindings = new Map();
  const conflicts: string[] = [];
  const values = expr.args.map((arg, i) => {
    const type = decl.params[i]?.type;
    const isOpen = !type || mentions(type, parameters);
    const value = checkValue(body, arg, isOpen ? undefined : resolveType(cx, env, type, "param"));
    if (type && isOpen) unify(body, env, type, value.type, parameters, bindings, conflicts);
    return value;
  });
  if (values.some((value) => isPoison(value.type))) return undefined;
  const [conflict] = conflicts;
  const unknown = decl.generics.find((generic) => !bindings.has(generic.name.text));
  if (conflict !== undefined || unknown) {
    const parameter = conflict ?? unknown?.name.text ?? "T";
    const why = conflict === undefined ? "no argument fixes it" : "the arguments ask for different types";
    cx.error("E0315", span, `cannot infer \`${parameter}\` for \`${name}\`: ${why}`);
    return undefined;
  }
  for (const { name: parameter, bound } of decl.generics) {
    const type = bindings.get(parameter.text);
    if (!bound || !type || satisfiesBound(bound, type)) continue;
    cx.error("E0322", span, `\`${name}\` needs \`${parameter.text}: ${boundName(bound)}\`, got \`${typeText(type)}\``);
    return undefined;
  }
  const args = decl.generics.map((generic) => bindings.get(generic.name.text)).filter((type) => type !== undefined);
  if (seemEndless(args)) {
    cx.error("E0315", span, `\`${name}\` would need instances without end`);
    return undefined;
  }
  if (decl.name.span.file.isStd && !suitsLibrary(cx, name, values)) return undefined;
  return { fn: instanceOf(args), values };
}

function mentions(expr: TypeExpr, parameters: ReadonlySet<string>): boolean {
  switch (expr.kind) {
    case "named":
      return (
        (expr.path.segments.length === 1 && parameters.has(expr.path.segments[0]?.text ?? "")) ||
        expr.args.some((arg) => mentions(arg, parameters))
      );
    case "tuple":
      return expr.members.some((member) => mentions(member, parameters));
    case "array":
    case "bounded":
      return mentions(expr.element, parameters);
    case "function":
      return (
        expr.params.some((param) => mentions(param, parameters)) ||
        (expr.result !== undefined && mentions(expr.result, parameters))
      );
    case "projection":
      return mentions(expr.inner, parameters);
    case "perspective":
      return false;
  }
}

/** Matches a parameter's written type against an argument's type. What does not match is judged when the argument is converted. */
function unify(
  body: Body,
  env: Env,
  expr: TypeExpr,
  type: Type,
  parameters: ReadonlySet<string>,
  bindings: Bindings,
  conflicts: string[],
): void {
  const inner = (part: TypeExpr | undefined, against: Type | undefined) => {
    if (part && against) unify(body, env, part, against, parameters, bindings, conflicts);
  };
  switch (expr.kind) {
    case "named": {
      const name = expr.path.segments.length === 1 ? expr.path.segments[0]?.text : undefined;
      if (name !== undefined && parameters.has(name) && expr.args.length === 0) {
        const known = bindings.get(name);
        if (known && known !== type && !isPoison(type)) conflicts.push(name);
        else if (!isPoison(type)) bindings.set(name, type);
        return;
      }
      const args = argsOf(body, env, expr, type);
      for (const [i, arg] of expr.args.entries()) inner(arg, args?.[i]);
      return;
    }
    case "tuple":
      for (const [i, member] of expr.members.entries())
        inner(member, type.kind === "tuple" ? type.members[i] : undefined);
      return;
    case "array":
      inner(expr.element, type.kind === "array" ? type.element : undefined);
      return;
    case "bounded":
      inner(expr.element, type.kind === "bounded" ? type.element : undefined);
      return;
    case "function":
      for (const [i, param] of expr.params.entries())
        inner(param, type.kind === "function" ? type.params[i] : undefined);
      inner(expr.result, type.kind === "function" ? type.result : undefined);
      return;
    case "projection":
      inner(expr.inner, type);
      return;
    case "perspective":
      return;
  }
}

/** The type arguments of `type`, if it is an instance of the declaration that the expression names. */
function argsOf(
  body: Body,
  env: Env,
  expr: TypeExpr & { readonly kind: "named" },
  type: Type,
): readonly Type[] | undefined {
  const { cx } = body;
  const origin =
    type.kind === "record"
      ? cx.recordOrigins.get(type)
      : type.kind === "enum"
        ? cx.enumOrigins.get(type)
        : type.kind === "locus"
          ? cx.locusOrigins.get(type)
          : undefined;
  const last = expr.path.segments.at(-1)?.text ?? "";
  const named =
    expr.path.segments.length === 1
      ? findBare(cx, env.scope, last)
      : origin?.symbol.name === last
        ? origin.symbol
        : undefined;
  return origin && named === origin.symbol ? origin.args : undefined;
}
