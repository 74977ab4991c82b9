// A chain of type declarations, each with the next in its parts, is resolved in one go; chains beyond all measure are refused before that.
import type { LocusMember, TypeExpr } from "../syntax/index.ts";
import type { Context } from "./context.ts";
import { findBare, pathText } from "./lookup.ts";
import { type DeclaredSymbol, isTypeSymbol, type Scope, type TypeSymbol } from "./symbols.ts";

/** What resolving a chain may cost, in calls that lie in one another: a declaration costs 8, every bracket around its name 3. */
const MAX_COST = 2400;
const DECLARATION_COST = 8;
const BRACKET_COST = 3;

/** A type that a declaration names, and how many brackets stand around the name. */
interface Part {
  readonly symbol: TypeSymbol;
  readonly brackets: number;
}

interface Visit {
  readonly parts: readonly Part[];
  /** Of the chain so far. */
  readonly cost: number;
  next: number;
}

/** Reports a chain that is too long; nothing may be resolved then. */
export function refuseLongChains(cx: Context): boolean {
  const seen = new Set<TypeSymbol>();
  for (const scope of cx.scopes) {
    for (const symbol of scope.symbols.values()) {
      if (isTypeSymbol(symbol) && !follow(cx, symbol, seen)) return true;
    }
  }
  return false;
}

/** Walks what `start` leans on, as resolving it will. */
function follow(cx: Context, start: TypeSymbol, seen: Set<TypeSymbol>): boolean {
  if (seen.has(start)) return true;
  seen.add(start);
  const path: Visit[] = [{ parts: partsOf(cx, start), cost: DECLARATION_COST, next: 0 }];
  for (let visit = path.at(-1); visit; visit = path.at(-1)) {
    const part = visit.parts[visit.next];
    visit.next++;
    if (!part) path.pop();
    else if (!seen.has(part.symbol)) {
      const cost = visit.cost + DECLARATION_COST + BRACKET_COST * part.brackets;
      if (cost > MAX_COST) {
        cx.error(
          "E0329",
          part.symbol.span,
          `\`${part.symbol.name}\` ends a chain of ${path.length + 1} type declarations, each with the next in it`,
        );
        return false;
      }
      seen.add(part.symbol);
      path.push({ parts: partsOf(cx, part.symbol), cost, next: 0 });
    }
  }
  return true;
}

/** The types that a declaration names. */
function partsOf(cx: Context, symbol: TypeSymbol): Part[] {
  const found: Part[] = [];
  const collect = (type: TypeExpr | undefined): void => {
    if (type) collectNamed(cx, symbol.scope, type, 0, found);
  };
  switch (symbol.kind) {
    case "record":
      for (const field of symbol.decl.fields) collect(field.type);
      break;
    case "enum":
      for (const variant of symbol.decl.variants) variant.payload.forEach(collect);
      break;
    case "alias":
      collect(symbol.decl.target);
      break;
    case "scalar":
      collect(symbol.decl.base);
      break;
    case "interface":
      for (const method of symbol.decl.methods) collectSignature(method, collect);
      break;
    case "locus":
    case "perspective":
      for (const member of symbol.decl.members) collectMember(member, collect);
      break;
    default:
      return symbol satisfies never;
  }
  return found;
}

interface Signature {
  readonly params: readonly { readonly type: TypeExpr }[];
  readonly result?: TypeExpr;
  readonly fallible?: TypeExpr;
}

function collectSignature(
  { params, result, fallible }: Signature,
  collect: (type: TypeExpr | undefined) => void,
): void {
  for (const param of params) collect(param.type);
  collect(result);
  collect(fallible);
}

type Member = LocusMember | (DeclaredSymbol & { readonly kind: "perspective" })["decl"]["members"][number];

function collectMember(member: Member, collect: (type: TypeExpr | undefined) => void): void {
  switch (member.kind) {
    case "params":
      for (const field of member.fields) collect(field.type);
      break;
    case "capacity":
      for (const slot of member.slots) collect(slot.of);
      break;
    case "function":
    case "mode":
    case "lifecycle":
      collectSignature(member, collect);
      break;
    default:
  }
}

function collectNamed(cx: Context, scope: Scope, type: TypeExpr, brackets: number, found: Part[]): void {
  if (type.kind === "named") {
    const symbol = findNamed(cx, scope, pathText(type.path));
    if (symbol && isTypeSymbol(symbol)) found.push({ symbol, brackets });
  }
  for (const part of bracketed(type)) collectNamed(cx, scope, part, brackets + 1, found);
}

/** The types inside a type's brackets. */
function bracketed(type: TypeExpr): readonly TypeExpr[] {
  switch (type.kind) {
    case "named":
      return type.args;
    case "tuple":
      return type.members;
    case "array":
    case "bounded":
      return [type.element];
    case "function":
      return type.result ? [...type.params, type.result] : type.params;
    case "projection":
      return [type.inner];
    case "perspective":
      return [];
    default:
      return type satisfies never;
  }
}

function findNamed(cx: Context, scope: Scope, name: string): DeclaredSymbol | undefined {
  const [head = "", member, beyond] = name.split("::");
  if (member === undefined) return findBare(cx, scope, head);
  return beyond === undefined ? scope.imports.get(head)?.symbols.get(member) : undefined;
}
