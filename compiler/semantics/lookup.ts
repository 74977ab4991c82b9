import type { Name, Path } from "../syntax/index.ts";
import { nearestName, type Span } from "../source/index.ts";
import type { Context, Env } from "./context.ts";
import { declareLibraryFile } from "./declare.ts";
import { replacementFits } from "./injected.ts";
import { findJoined } from "./joined-names.ts";
import { isTypeSymbol, qualified, type Scope, type DeclaredSymbol } from "./symbols.ts";
import { BUILT_IN_INSTEAD, relatedNames } from "./std-hints.ts";
import { isStdNotYet } from "./std-not-yet.ts";
import { listText } from "./type-text.ts";
import type { Type } from "./types.ts";

/** The declaration that a bare name means in a scope: its own, else the prelude's (which a declaration of the target replaces, 09 2.1). */
export function findBare(cx: Context, scope: Scope, name: string): DeclaredSymbol | undefined {
  const own = scope.symbols.get(name);
  if (own || scope.kind !== "library") return own ?? findInjected(cx, name);
  // The library's code produces these records: a replacement that lacks a field is refused where it is declared.
  const found = findInjected(cx, name);
  return found && !replacementFits(cx, found) ? libraryScope(cx, "prelude")?.symbols.get(name) : found;
}

/** A name that every program has without declaring it. */
export function findInjected(cx: Context, name: string): DeclaredSymbol | undefined {
  const prelude = libraryScope(cx, "prelude");
  const injected = prelude?.symbols.get(name);
  if (!injected) return undefined;
  const own = cx.root.symbols.get(name);
  return own && isTypeSymbol(own) ? own : injected;
}

/** The scope of a library namespace (`str`, `io::fs`), parsed at its first use. */
export function libraryScope(cx: Context, namespace: string): Scope | undefined {
  const known = cx.librarySeeds.get(namespace);
  if (known) return known;
  const file = cx.library.load(namespace);
  return file && declareLibraryFile(cx, file);
}

/** What a path names. `rest` counts the segments behind the declaration (an enum's variant). */
export type PathMeaning =
  | { readonly kind: "symbol"; readonly symbol: DeclaredSymbol; readonly rest: readonly Name[] }
  /** An instance by its joined name, `Opt_Int::Some`. */
  | { readonly kind: "type"; readonly type: Type; readonly rest: readonly Name[] }
  /** Reported already, or not to be judged. */
  | { readonly kind: "unknown" };

/**
 * Resolves a path of two segments or more: `alias::name`, `Type::Variant`, `alias::Type::Variant`, `std::a::b::name`. What does not exist is reported.
 * `expects` words the message about an unknown member of the library.
 */
export function resolveQualified(
  cx: Context,
  env: Env,
  path: Path,
  expects: "function" | "type" | "name",
): PathMeaning {
  const [head, second, ...others] = path.segments;
  if (!head || !second) return { kind: "unknown" };
  if (head.text === "std") return resolveStd(cx, env, path, expects);
  const own = env.scope.symbols.get(head.text);
  const isAlias = env.scope.imports.has(head.text);
  // A type wins over an alias; a function, constant or locus of the alias's name does not (08 3.3).
  if (own && isTypeSymbol(own) && !(isAlias && own.kind === "locus"))
    return { kind: "symbol", symbol: own, rest: [second, ...others] };
  if (isAlias) {
    const imported = env.scope.imports.get(head.text);
    if (!imported) return { kind: "unknown" };
    return memberOf(cx, { scope: imported, generics: env.generics }, env.scope, head.text, second, others, path.span);
  }
  const injected = findInjected(cx, head.text);
  if (injected) return { kind: "symbol", symbol: injected, rest: [second, ...others] };
  const joined = findJoined(cx, env, head.text);
  if (joined) return { kind: "type", type: joined, rest: [second, ...others] };
  const moved = stdSpelling(cx, path, expects);
  if (moved) return moved;
  reportUnknownHead(cx, env, head);
  return { kind: "unknown" };
}

function memberOf(
  cx: Context,
  { scope: imported, generics }: Env,
  user: Scope,
  alias: string,
  name: Name,
  rest: readonly Name[],
  span: Span,
): PathMeaning {
  const symbol = imported.symbols.get(name.text);
  if (symbol) return { kind: "symbol", symbol, rest };
  const joined = findJoined(cx, { scope: imported, generics }, name.text, user);
  if (joined) return { kind: "type", type: joined, rest };
  const near = nearestName(name.text, imported.symbols.keys());
  cx.error("E0210", span, `\`${alias}::${name.text}\` is not declared by the library imported as \`${alias}\``, {
    help: near === undefined ? provided(imported) : `did you mean \`${alias}::${near}\`?`,
  });
  return { kind: "unknown" };
}

function provided(imported: Scope): string | undefined {
  const names = [...imported.symbols.keys()].filter((name) => name !== "main").slice(0, 8);
  return names.length === 0 ? undefined : `it provides ${names.map((name) => `\`${name}\``).join(", ")}`;
}

function reportUnknownHead(cx: Context, env: Env, head: Name): void {
  if (isUnboundIgnored(cx, env)) return;
  const owner = cx.scopes.find((scope) => scope !== env.scope && scope.imports.has(head.text));
  if (owner) {
    const where = owner.prefix === "" ? "the program" : owner.prefix;
    cx.error("E0211", head.span, `\`${head.text}\` is an import of another seed (${where}); import it here`);
    return;
  }
  const near = nearestName(head.text, [...env.scope.imports.keys(), ...env.scope.symbols.keys(), "std"]);
  const help = near === undefined ? undefined : `did you mean \`${near}\`?`;
  cx.error("E0209", head.span, `\`${head.text}\` is not an import or a type of this seed`, {
    help: cx.moduleNames.has(head.text) ? `module \`${head.text}\` opens no namespace: write the name alone` : help,
  });
}

/** Only the target's own bare names may live in a sibling file that is not looked at (08 1.9). */
export function isUnboundIgnored(cx: Context, env: Env): boolean {
  const isIgnored = cx.ignoresUnbound && env.scope.isRoot;
  cx.leftNamesAlone ||= isIgnored;
  return isIgnored;
}

// ---------------------------------------------------------------- std

function resolveStd(cx: Context, env: Env, path: Path, expects: "function" | "type" | "name"): PathMeaning {
  const names = path.segments.slice(1);
  if (isStdNotYet(names.map((name) => name.text))) {
    cx.error("E1001", path.span, `not supported yet: \`${pathText(path)}\``);
    return { kind: "unknown" };
  }
  // The longest prefix that is a namespace; what follows is the item (and a variant behind it).
  for (let length = names.length - 1; length >= 0; length--) {
    const namespace = names
      .slice(0, length)
      .map((name) => name.text)
      .join("::");
    const item = names[length];
    if (!item || namespace === "prelude" || !cx.library.has(namespace)) continue;
    const scope = libraryScope(cx, namespace);
    const symbol = scope?.symbols.get(item.text);
    if (scope && symbol && isVisible(env, scope, symbol))
      return { kind: "symbol", symbol, rest: names.slice(length + 1) };
    if (namespace === "str" && item.text === "ParseError") {
      const injected = findInjected(cx, "ParseError");
      if (injected) return { kind: "symbol", symbol: injected, rest: [] };
    }
    if (scope && !cx.library.hasPrefix(`${namespace}::${item.text}`)) {
      reportUnknownItem(cx, env, path, scope, item, expects);
      return { kind: "unknown" };
    }
  }
  reportUnknownNamespace(cx, path);
  return { kind: "unknown" };
}

/** `__name` of a library file is its own business, unless it is marked as callable. */
function isVisible(env: Env, scope: Scope, symbol: DeclaredSymbol): boolean {
  if (!symbol.name.startsWith("__") || env.scope.kind === "library") return true;
  return env.scope === scope || (symbol.kind === "function" && symbol.isRaw);
}

function reportUnknownItem(
  cx: Context,
  env: Env,
  path: Path,
  scope: Scope,
  item: Name,
  expects: "function" | "type" | "name",
): void {
  const written = pathText(path);
  const instead = BUILT_IN_INSTEAD.get(written.slice("std::".length));
  if (instead !== undefined) {
    cx.error("E0902", path.span, `there is no \`${written}\`; use \`${instead}\``);
    return;
  }
  const visible = [...scope.symbols.values()]
    .filter((symbol) => isVisible(env, scope, symbol))
    .map((symbol) => symbol.name);
  const near = nearestName(item.text, visible);
  const suggestion = near === undefined ? "" : ` - did you mean \`${qualified(scope, near)}\`?`;
  const what = expects === "type" ? "type" : "function";
  const related = near === undefined ? relatedNames(item.text, visible) : [];
  const help = related.length === 0 ? undefined : `it has ${listText(related.map((name) => qualified(scope, name)))}`;
  cx.error("E0902", path.span, `unknown stdlib ${what} \`${written}\`${suggestion}`, { help });
}

function reportUnknownNamespace(cx: Context, path: Path): void {
  const written = pathText(path);
  const instead =
    BUILT_IN_INSTEAD.get(written.slice("std::".length)) ?? BUILT_IN_INSTEAD.get(path.segments[1]?.text ?? "");
  const namespace = path.segments
    .slice(1, -1)
    .map((segment) => segment.text)
    .join("::");
  if (instead !== undefined) {
    cx.error("E0901", path.span, `there is no \`${written}\`; use \`${instead}\``);
    return;
  }
  const shown = namespace === "" ? written : `std::${namespace}`;
  const near = nearestNamespace(cx, namespace);
  const suggestion = near === undefined ? "" : `; did you mean \`std::${near}\`?`;
  cx.error("E0901", path.span, `unknown stdlib namespace \`${shown}\`${suggestion}`);
}

function nearestNamespace(cx: Context, namespace: string): string | undefined {
  const prefixes = new Set(cx.library.namespaces.filter((known) => known !== "prelude"));
  for (const known of [...prefixes]) {
    const at = known.lastIndexOf("::");
    if (at > 0) prefixes.add(known.slice(0, at));
  }
  // `std::fs` for `std::io::fs`: the way there was left out.
  const whole = [...prefixes].filter((known) => known.endsWith(`::${namespace}`));
  return whole.length === 1 ? whole[0] : nearestName(namespace, prefixes);
}

/** `env::args_count()` without `std::`: refused with the spelling that works; `time::sleep` and `time::monotonic` are accepted (08 3.6). */
function stdSpelling(cx: Context, path: Path, expects: "function" | "type" | "name"): PathMeaning | undefined {
  const written = pathText(path);
  const names = path.segments.map((segment) => segment.text);
  const item = names.at(-1) ?? "";
  const namespace = names.slice(0, -1).join("::");
  if (namespace === "prelude" || !cx.library.has(namespace) || expects === "name") return undefined;
  const symbol = libraryScope(cx, namespace)?.symbols.get(item);
  if (symbol && (written === "time::sleep" || written === "time::monotonic"))
    return { kind: "symbol", symbol, rest: [] };
  if (!symbol) return undefined;
  cx.error("E0903", path.span, `\`${written}\` lacks its \`std::\`; did you mean \`std::${written}\`?`);
  return { kind: "unknown" };
}

/** `a::b::c` as written. */
export function pathText(path: Path): string {
  return path.segments.map((segment) => segment.text).join("::");
}
