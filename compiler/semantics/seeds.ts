// What the analyses need to know of a program's seeds: which typed declaration each name means, and the declarations of law.
import type { Seed } from "../program/index.ts";
import type { Span } from "../source/index.ts";
import type { Declaration } from "../syntax/index.ts";
import type { Scope } from "./symbols.ts";
import type { LawDecl, TypedFunction, TypedSeed } from "./typed.ts";
import type { LocusType, TopicInfo } from "./types.ts";

/** The program's seeds in the order of their scopes, imports linked. */
export function typedSeeds(scopes: ReadonlyMap<Seed, Scope>): TypedSeed[] {
  const made = new Map<Scope, TypedSeed & { readonly imports: Map<string, TypedSeed | undefined> }>();
  for (const [seed, scope] of scopes)
    made.set(scope, {
      ...namesOf(scope),
      prefix: scope.prefix,
      files: seed.files.map((file) => file.source),
      imports: new Map(),
      laws: lawsOf(seed),
      modules: modulesOf(seed),
    });
  for (const [scope, seed] of made) {
    for (const [alias, imported] of scope.imports) seed.imports.set(alias, imported && made.get(imported));
  }
  return [...made.values()];
}

function namesOf(scope: Scope): Pick<TypedSeed, "functions" | "loci" | "topics"> {
  const functions = new Map<string, readonly TypedFunction[]>();
  const loci = new Map<string, readonly LocusType[]>();
  const topics = new Map<string, TopicInfo>();
  for (const symbol of scope.symbols.values()) {
    if (symbol.kind === "function") functions.set(symbol.name, [...symbol.instances.values()]);
    else if (symbol.kind === "locus") loci.set(symbol.name, [...symbol.instances.values()]);
    else if (symbol.kind === "topic" && symbol.info && typeof symbol.info === "object")
      topics.set(symbol.name, symbol.info);
  }
  return { functions, loci, topics };
}

function lawsOf(seed: Seed): LawDecl[] {
  return seed.files.flatMap(({ ast }) => lawsIn(ast.declarations));
}

function modulesOf(seed: Seed): TypedSeed["modules"] {
  return seed.files.flatMap(({ ast }) => modulesIn(ast.declarations));
}

function modulesIn(declarations: readonly Declaration[]): { readonly name: string; readonly span: Span }[] {
  return declarations.flatMap((declaration) =>
    declaration.kind === "module"
      ? [{ name: declaration.name.text, span: declaration.span }, ...modulesIn(declaration.declarations)]
      : [],
  );
}

function lawsIn(declarations: readonly Declaration[]): LawDecl[] {
  return declarations.flatMap((declaration): LawDecl[] => {
    switch (declaration.kind) {
      case "module":
        return lawsIn(declaration.declarations);
      case "group":
      case "claims":
      case "constitution":
      case "effect":
      case "domain":
        return [declaration];
      default:
        return [];
    }
  });
}
