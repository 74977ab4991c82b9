// Names of generic instances: `Pair_Int_Box_Int` stands for `Pair<Int, Box<Int>>` (03 12.4).
import type { Context, Env } from "./context.ts";
import { findBare } from "./lookup.ts";
import { genericsOf, typeOfSymbol } from "./resolve-types.ts";
import { isTypeSymbol, type Scope, type TypeSymbol } from "./symbols.ts";
import { WRITABLE_PRIMITIVES } from "./type-table.ts";
import type { Type } from "./types.ts";

/**
 * The instance that a joined name such as `Pair_Int_Box_Int` stands for (03 12.4.2); a type parameter in scope joins like any type, `Box_T`. Types of
 * imported seeds join by their own names: `Opt_Row` is `Opt<lib::Row>`, too.
 * @param user the seed in which the name is written, where it is qualified with the alias of `env`'s
 */
export function findJoined(cx: Context, env: Env, name: string, user = env.scope): Type | undefined {
  if (!name.includes("_")) return undefined;
  const parts = name.split("_");
  const parsed = parseJoined(cx, env, new Set([env.scope, ...scopesSeenBy(user)]), parts, 0);
  return parsed.find((candidate) => candidate.next === parts.length)?.type();
}

/** A seed, then what it imports. */
function scopesSeenBy(scope: Scope): readonly Scope[] {
  return [scope, ...[...scope.imports.values()].filter((imported) => imported !== undefined)];
}

interface JoinedParse {
  readonly next: number;
  readonly type: () => Type;
}

/** All types that start at part `from`; a name may itself contain underscores. `scopes`: where the arguments' names are looked up. */
function parseJoined(
  cx: Context,
  env: Env,
  scopes: ReadonlySet<Scope>,
  parts: readonly string[],
  from: number,
): JoinedParse[] {
  const found: JoinedParse[] = [];
  for (let end = from + 1; end <= parts.length; end++) {
    const name = parts.slice(from, end).join("_");
    const primitive = WRITABLE_PRIMITIVES.get(name);
    if (primitive) found.push({ next: end, type: () => primitive });
    const argument = from > 0 ? env.generics.get(name) : undefined;
    if (argument) found.push({ next: end, type: () => argument });
    const symbol = argument ? undefined : typeNamed(cx, from > 0 ? scopes : [env.scope], name);
    if (!symbol) continue;
    const arity = genericsOf(symbol).length;
    if (arity === 0) {
      if (from > 0) found.push({ next: end, type: () => typeOfSymbol(cx, symbol, []) });
      continue;
    }
    let open: { next: number; args: (() => Type)[] }[] = [{ next: end, args: [] }];
    for (let i = 0; i < arity; i++) {
      open = open.flatMap(({ next, args }) =>
        parseJoined(cx, env, scopes, parts, next).map((arg) => ({ next: arg.next, args: [...args, arg.type] })),
      );
    }
    for (const { next, args } of open)
      found.push({
        next,
        type: () =>
          typeOfSymbol(
            cx,
            symbol,
            args.map((arg) => arg()),
          ),
      });
  }
  return found;
}

/** The first declaration of a type with this name. */
function typeNamed(cx: Context, scopes: Iterable<Scope>, name: string): TypeSymbol | undefined {
  for (const scope of scopes) {
    const symbol = findBare(cx, scope, name);
    if (symbol && isTypeSymbol(symbol)) return symbol;
  }
  return undefined;
}

/**
 * What a joined name stands for where a value of type `expected` is wanted: types of several seeds may have the same name, and then their instances have, too.
 */
export function joinedAs(cx: Context, named: Type, expected: Type | undefined): Type {
  return expected !== undefined && named !== expected && isSameName(cx, named, expected) ? expected : named;
}

function isSameName(cx: Context, a: Type, b: Type): boolean {
  if (a.kind === "enum" && b.kind === "enum")
    return a.name === b.name && cx.enumOrigins.get(a)?.symbol === cx.enumOrigins.get(b)?.symbol;
  if (a.kind === "record" && b.kind === "record")
    return a.name === b.name && cx.recordOrigins.get(a)?.symbol === cx.recordOrigins.get(b)?.symbol;
  if (a.kind === "locus" && b.kind === "locus")
    return a.name === b.name && cx.locusOrigins.get(a)?.symbol === cx.locusOrigins.get(b)?.symbol;
  return false;
}
