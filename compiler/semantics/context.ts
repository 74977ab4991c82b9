import type { Block, Expr, Param, UnitDecl } from "../syntax/index.ts";
import type { StandardLibrary } from "../program/index.ts";
import { DiagnosticBag, type RelatedNote, SourceFile, type Span } from "../source/index.ts";
import type { Code } from "./codes.ts";
import type { Mismatch } from "./conversions.ts";
import type { GenericFunction } from "./generics.ts";
import type { EnumSymbol, LocusSymbol, RecordSymbol, Scope } from "./symbols.ts";
import { POISON, TypeTable } from "./type-table.ts";
import type { TypedClosure, TypedFunction } from "./typed.ts";
import type { EnumType, LocusField, LocusType, RecordType, ScalarType, TopicInfo, Type } from "./types.ts";
import { UnitTable } from "./units.ts";

/** Where bare names of a piece of text are looked up: its seed, and the type parameters that are bound there. */
export interface Env {
  readonly scope: Scope;
  readonly generics: ReadonlyMap<string, Type>;
}

export const NO_GENERICS: ReadonlyMap<string, Type> = new Map();

/** The same with the type parameters of a declaration bound to these types. */
export function withArguments(
  env: Env,
  decl: { readonly generics: readonly { readonly name: { readonly text: string } }[] },
  args: readonly Type[],
): Env {
  if (args.length === 0) return env;
  const generics = new Map(env.generics);
  for (const [i, generic] of decl.generics.entries()) generics.set(generic.name.text, args[i] ?? POISON);
  return { scope: env.scope, generics };
}

/** What a function's body is checked from. */
export interface FunctionSource {
  readonly env: Env;
  readonly params: readonly Param[];
  /** A block, or the expression of an initialiser. */
  readonly body: Block | { readonly kind: "value"; readonly expr: Expr };
  /** Set when the body has been queued for checking. */
  reached: boolean;
  /** The initialiser of this field of the locus: later fields may not be read (05 5.2.3). */
  readonly initialises?: LocusField;
  /** How a value of the wrong type is reported; default: as any default. */
  readonly mismatch?: Mismatch;
  /** Part of a closure's assertion: where its `sum`, `count` and `mean` are entered (05b 5b.4). */
  readonly accumulators?: AccumulatorInfo[];
}

export type AccumulatorInfo = TypedClosure["accumulators"][number];

/** Where a nominal type comes from. */
export interface Origin<S> {
  readonly symbol: S;
  readonly args: readonly Type[];
  readonly env: Env;
}

export type UntypedField = { readonly owner: LocusType; readonly env: Env } & (
  | { readonly kind: "use" }
  | { readonly kind: "default"; readonly expr: Expr }
);

/** What may follow `or` after a narrowing, besides what may follow every fallible call: the words and the function that each calls. */
export type Narrowing = ReadonlyMap<string, () => TypedFunction>;

export interface ErrorExtras {
  readonly help?: string | undefined;
  readonly related?: readonly RelatedNote[];
}

export interface CheckerOptions {
  readonly ignoresUnbound: boolean;
  readonly allowsUnownedSubscribers?: boolean;
}

/** All that one check of one program knows and finds out. */
export class Context {
  readonly types = new TypeTable();
  readonly bag = new DiagnosticBag();
  readonly library: StandardLibrary;
  readonly root: Scope;
  /** All seeds' scopes, the target's first. */
  readonly scopes: readonly Scope[];
  readonly librarySeeds = new Map<string, Scope>();
  /** `--allow-unowned-subscriber`. */
  readonly allowsUnownedSubscribers: boolean;
  /** Set for `check` on one file of a larger seed: unbound bare names may live in a sibling (08 1.9). */
  readonly ignoresUnbound: boolean;

  readonly sources = new Map<TypedFunction, FunctionSource>();
  readonly recordOrigins = new Map<RecordType, Origin<RecordSymbol>>();
  readonly enumOrigins = new Map<EnumType, Origin<EnumSymbol>>();
  readonly locusOrigins = new Map<LocusType, Origin<LocusSymbol>>();
  /** Methods with type parameters of their own, by name. Their instances are methods of the locus, under names that no program can write. */
  readonly genericMethods = new Map<LocusType, Map<string, GenericFunction>>();
  /** Loci whose members are resolved and whose relations are not. */
  readonly unfinishedLoci: (() => void)[] = [];
  /** Judgements that need every locus complete. */
  readonly afterDeclarations: (() => void)[] = [];
  /** Set once every declaration of the program is complete: what is instantiated from then on is completed at once. */
  areDeclarationsComplete = false;
  /** Payloads of literal subjects, one per subject over the whole program (06 6.3.2). */
  readonly literalSubjects = new Map<string, { readonly payload: Type; readonly span: Span }>();
  /** Topics that some subscriber takes as their fallback. */
  readonly fallbackTopics = new Set<TopicInfo>();
  /** Topics bound to a transport. */
  readonly boundTopics = new Set<TopicInfo>();
  readonly units = new UnitTable();
  readonly unitDecls: UnitDecl[] = [];
  /** Unknown names reported so far: the nearest is looked for while they are few. */
  unknownNames = 0;
  /** Names of `module` blocks, which name nothing in paths (08 3.10). */
  readonly moduleNames = new Set<string>();
  /** The quantity of each component, declared without policy (03b 4.1). */
  readonly quantities = new Map<string, ScalarType>();
  /** Quantities of undeclared denominations. */
  readonly madeQuantities = new Map<string, ScalarType>();
  /** Functions that convert into a range or to a coarser denomination and can fail, with what else may be done instead (03b 2.7, 4.4). */
  readonly narrowings = new Map<TypedFunction, Narrowing>();
  /** Functions made by the checker, by name. */
  readonly synthesised = new Map<string, TypedFunction>();
  readonly jsonFunctions = new Map<RecordType, { readonly from: TypedFunction; readonly to: TypedFunction }>();
  readonly reachedLoci = new Set<LocusType>();
  /** Params written without a type: it comes from the default, or from the first literal that gives them (05 5.2). */
  readonly untypedFields = new Map<LocusField, UntypedField>();
  /** Set when an unbound name was not reported for that reason. */
  leftNamesAlone = false;
  /** Set when a body reads a param whose type no literal has told yet. */
  metUntyped = false;
  /** Generic instances that are being made around the current type. */
  instanceDepth = 0;
  /** How many bodies were put off for that in the last round. */
  lastDeferred = 0;
  /** Functions whose bodies wait to be checked. */
  readonly queue: TypedFunction[] = [];
  readonly functions: TypedFunction[] = [];
  readonly loci: LocusType[] = [];
  readonly topics: TopicInfo[] = [];
  /** Reads of one constant in the initialiser of another. */
  readonly constReads = new Map<TypedFunction, Set<TypedFunction>>();
  /** Where the program first called an instance of a generic function: errors inside the library's are the call's, others mention it. */
  readonly callSites = new Map<TypedFunction, { readonly span: Span; readonly name: string }>();
  /** The call behind the body that is being checked. */
  site: { readonly span: Span; readonly name: string } | undefined;

  /** The literal or the call that leaves out what the default stands for that is being checked in its place. */
  leftOut: Span | undefined;

  readonly #reportedSites = new Set<object>();

  constructor(root: Scope, scopes: readonly Scope[], library: StandardLibrary, options: CheckerOptions) {
    this.root = root;
    this.scopes = scopes;
    this.library = library;
    this.ignoresUnbound = options.ignoresUnbound;
    this.allowsUnownedSubscribers = options.allowsUnownedSubscribers ?? false;
  }

  error(code: Code, span: Span, message: string, extras: ErrorExtras = {}): void {
    this.#add("error", code, span, message, extras);
  }

  warn(code: Code, span: Span, message: string, extras: ErrorExtras = {}): void {
    this.#add("warning", code, span, message, extras);
  }

  /** The names of a locus's methods as programs write them. */
  methodNames(type: LocusType): readonly string[] {
    const generic = this.genericMethods.get(type)?.keys() ?? [];
    return [...[...type.methods.keys()].filter((name) => !name.includes("<")), ...generic];
  }

  /** Says that something uses `fn`: its body will be checked. */
  reach(fn: TypedFunction): void {
    const source = this.sources.get(fn);
    if (!source || source.reached) return;
    source.reached = true;
    this.queue.push(fn);
  }

  /** A place for what has none in the program. */
  get libraryStart(): Span {
    const file = this.library.load("prelude")?.source ?? new SourceFile("std", "", true);
    return { file, start: 0, end: 0 };
  }

  /** Says that `fn` belongs to the life of `type`: it is checked when the locus is the program's own or is built. */
  reachWith(type: LocusType, fn: TypedFunction): void {
    if (!type.isStd || this.reachedLoci.has(type)) this.reach(fn);
  }

  /** Completes the loci met so far, then judges what needed them complete. */
  completeLoci(): void {
    for (;;) {
      const next = this.unfinishedLoci.shift() ?? this.afterDeclarations.shift();
      if (!next) return;
      next();
    }
  }

  #add(severity: "error" | "warning", code: Code, at: Span, text: string, { help, related }: ErrorExtras): void {
    const site = at.file.isStd ? this.site : undefined;
    // One report per call: what follows inside follows from the same arguments.
    if (site && this.#reportedSites.has(site)) return;
    if (site) this.#reportedSites.add(site);
    const span = site?.span ?? at;
    const users: RelatedNote[] = [];
    if (this.site && !site) users.push({ span: this.site.span, note: `\`${this.site.name}\` is called` });
    if (this.leftOut)
      users.push({ span: this.leftOut, note: "the default is used, with the names that are visible there," });
    const message = site ? `\`${site.name}\` cannot be used with these arguments: ${text}` : text;
    this.bag.add({
      kind: severity === "error" ? "type error" : "warning",
      severity,
      code,
      message,
      span,
      ...(help === undefined ? {} : { help }),
      ...(related === undefined && users.length === 0 ? {} : { related: [...(related ?? []), ...users] }),
    });
  }
}
