// What a name of a seed's top level stands for. Declarations are collected first; what they mean is filled in when something asks.
import type {
  AliasDecl,
  ConstDecl,
  EnumDecl,
  FunctionDecl,
  InterfaceDecl,
  LocusDecl,
  PerspectiveDecl,
  RecordDecl,
  ScalarDecl,
  TopicDecl,
} from "../syntax/index.ts"; // prettier-ignore
import type { Span } from "../source/index.ts";
import type { TypedFunction } from "./typed.ts";
import type {
  EnumType,
  InterfaceType,
  LocusType,
  PerspectiveType,
  RecordType,
  ScalarType,
  TopicInfo,
  Type,
} from "./types.ts";

/** One namespace of top-level names: a seed, or one file of the standard library. */
export interface Scope {
  readonly kind: "seed" | "library";
  /** What stands before `::name` in messages and symbols: "" for the target, the alias of an imported seed, `std::str`. */
  readonly prefix: string;
  readonly symbols: Map<string, DeclaredSymbol>;
  /** Aliases of the seed's imports; undefined for one that did not resolve. */
  readonly imports: ReadonlyMap<string, Scope | undefined>;
  /** Names declared in units of 03b, claims and other separate namespaces are not in here. */
  readonly isRoot: boolean;
}

interface SymbolBase {
  readonly name: string;
  readonly scope: Scope;
  /** The declared name's place. */
  readonly span: Span;
}

export interface FunctionSymbol extends SymbolBase {
  readonly kind: "function";
  readonly decl: FunctionDecl;
  /** Callable from outside its library file though its name begins with `__` (09 1.5). */
  readonly isRaw: boolean;
  readonly instances: Map<string, TypedFunction>;
}

export interface ConstSymbol extends SymbolBase {
  readonly kind: "const";
  readonly decl: ConstDecl;
  typed: TypedFunction | undefined;
}

export interface RecordSymbol extends SymbolBase {
  readonly kind: "record";
  readonly decl: RecordDecl;
  readonly instances: Map<string, RecordType>;
}

export interface EnumSymbol extends SymbolBase {
  readonly kind: "enum";
  readonly decl: EnumDecl;
  readonly instances: Map<string, EnumType>;
}

export interface AliasSymbol extends SymbolBase {
  readonly kind: "alias";
  readonly decl: AliasDecl;
  target: Type | "resolving" | undefined;
}

export interface ScalarSymbol extends SymbolBase {
  readonly kind: "scalar";
  readonly decl: ScalarDecl;
  type: ScalarType | "resolving" | "bad" | undefined;
}

export interface InterfaceSymbol extends SymbolBase {
  readonly kind: "interface";
  readonly decl: InterfaceDecl;
  type: InterfaceType | undefined;
}

export interface PerspectiveSymbol extends SymbolBase {
  readonly kind: "perspective";
  readonly decl: PerspectiveDecl;
  type: PerspectiveType | undefined;
}

export interface LocusSymbol extends SymbolBase {
  readonly kind: "locus";
  readonly decl: LocusDecl;
  readonly instances: Map<string, LocusType>;
}

export interface TopicSymbol extends SymbolBase {
  readonly kind: "topic";
  readonly decl: TopicDecl;
  info: TopicInfo | "resolving" | "bad" | undefined;
}

export type DeclaredSymbol =
  | FunctionSymbol
  | ConstSymbol
  | RecordSymbol
  | EnumSymbol
  | AliasSymbol
  | ScalarSymbol
  | InterfaceSymbol
  | PerspectiveSymbol
  | LocusSymbol
  | TopicSymbol;

export type TypeSymbol =
  | RecordSymbol
  | EnumSymbol
  | AliasSymbol
  | ScalarSymbol
  | InterfaceSymbol
  | PerspectiveSymbol
  | LocusSymbol;

export function isTypeSymbol(symbol: DeclaredSymbol): symbol is TypeSymbol {
  return symbol.kind !== "function" && symbol.kind !== "const" && symbol.kind !== "topic";
}

/** `Name` or `alias::Name`, as messages show it. */
export function qualified(scope: Scope, name: string): string {
  return scope.prefix === "" ? name : `${scope.prefix}::${name}`;
}

/** What a kind of declaration is called in messages. */
export function describeSymbol(symbol: DeclaredSymbol): string {
  const words: Record<DeclaredSymbol["kind"], string> = {
    function: "a function",
    const: "a constant",
    record: "a record type",
    enum: "an enum",
    alias: "an alias",
    scalar: "a type",
    interface: "an interface",
    perspective: "a perspective",
    locus: "a locus",
    topic: "a topic",
  };
  return words[symbol.kind];
}
