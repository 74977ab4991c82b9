import type { LibraryFile, LoadedProgram, Seed } from "../program/index.ts";
import type { Declaration, FileAst } from "../syntax/index.ts";
import type { SourceFile } from "../source/index.ts";
import type { Context } from "./context.ts";
import type { Scope, DeclaredSymbol } from "./symbols.ts";

/** Makes one scope per seed, with imports linked; the symbols are declared by `declareSeed`. */
export function makeScopes({ root, seeds }: LoadedProgram): ReadonlyMap<Seed, Scope> {
  const scopes = new Map<Seed, Scope & { readonly imports: Map<string, Scope | undefined> }>();
  const taken = new Set<string>();
  for (const seed of seeds) {
    let prefix = seed === root ? "" : seed.displayName;
    for (let n = 2; taken.has(prefix); n++) prefix = `${seed.displayName}_${n}`;
    taken.add(prefix);
    scopes.set(seed, { kind: "seed", prefix, symbols: new Map(), imports: new Map(), isRoot: seed === root });
  }
  for (const [seed, scope] of scopes) {
    for (const { alias, seed: imported } of seed.imports.values())
      scope.imports.set(alias, imported && scopes.get(imported));
  }
  return scopes;
}

/** Enters every top-level declaration of a seed's files; a second one of a name is refused (08 1.6). */
export function declareSeed(cx: Context, seed: Seed, scope: Scope): void {
  for (const { ast } of seed.files) declareAll(cx, scope, ast.declarations, false);
}

/** The scope of a library file; its declarations entered. */
export function declareLibraryFile(cx: Context, file: LibraryFile): Scope {
  const prefix = file.namespace === "prelude" ? "" : `std::${file.namespace}`;
  const scope: Scope = { kind: "library", prefix, symbols: new Map(), imports: new Map(), isRoot: false };
  cx.librarySeeds.set(file.namespace, scope);
  declareAll(cx, scope, file.ast.declarations, false);
  return scope;
}

function declareAll(cx: Context, scope: Scope, declarations: FileAst["declarations"], inModule: boolean): void {
  for (const declaration of declarations) {
    if (declaration.kind === "module") {
      cx.moduleNames.add(declaration.name.text);
      declareAll(cx, scope, declaration.declarations, true);
      continue;
    }
    if (declaration.kind === "unit") cx.unitDecls.push(declaration);
    const symbol = symbolOf(scope, declaration);
    if (symbol) declareSymbol(cx, scope, symbol, inModule);
  }
}

function declareSymbol(cx: Context, scope: Scope, symbol: DeclaredSymbol, inModule: boolean): void {
  if (inModule && symbol.kind === "function" && symbol.name === "main") {
    cx.error("E0213", symbol.span, "`fn main` cannot stand inside a module: the entry point must be top-level");
    return;
  }
  const earlier = scope.symbols.get(symbol.name);
  if (!earlier) {
    scope.symbols.set(symbol.name, symbol);
    return;
  }
  const what = symbol.kind === "locus" && symbol.decl.isMain ? "main locus" : "top-level";
  cx.error("E0208", symbol.span, `duplicate ${what} name \`${symbol.name}\``, {
    related: [{ span: earlier.span, note: "previous declaration" }],
  });
}

function symbolOf(scope: Scope, decl: Declaration): DeclaredSymbol | undefined {
  switch (decl.kind) {
    case "function":
      return {
        kind: "function",
        name: decl.name.text,
        scope,
        span: decl.name.span,
        decl,
        instances: new Map(),
        isRaw: scope.kind === "library" && hasRawMark(decl.span.file, decl.span.start),
      }; // prettier-ignore
    case "const":
      return { kind: "const", name: decl.name.text, scope, span: decl.name.span, decl, typed: undefined };
    case "record":
      return { kind: "record", name: decl.name.text, scope, span: decl.name.span, decl, instances: new Map() };
    case "enum":
      return { kind: "enum", name: decl.name.text, scope, span: decl.name.span, decl, instances: new Map() };
    case "alias":
      return { kind: "alias", name: decl.name.text, scope, span: decl.name.span, decl, target: undefined };
    case "scalar":
      return { kind: "scalar", name: decl.name.text, scope, span: decl.name.span, decl, type: undefined };
    case "interface":
      return { kind: "interface", name: decl.name.text, scope, span: decl.name.span, decl, type: undefined };
    case "perspective":
      return { kind: "perspective", name: decl.name.text, scope, span: decl.name.span, decl, type: undefined };
    case "locus":
      return { kind: "locus", name: decl.name.text, scope, span: decl.name.span, decl, instances: new Map() };
    case "topic":
      return { kind: "topic", name: decl.name.text, scope, span: decl.name.span, decl, info: undefined };
    case "module":
    case "group":
    case "claims":
    case "constitution":
    case "effect":
    case "domain":
    case "target":
    case "role":
    case "ring_layout":
    case "unit":
    case "api":
      return undefined;
  }
}

/** Whether the doc comment right above a library declaration says `@raw`. */
function hasRawMark(file: SourceFile, declarationStart: number): boolean {
  let { line } = file.positionAt(declarationStart);
  for (line--; line > 0; line--) {
    const text = file.lineText(line).trim();
    if (!text.startsWith("///") && !text.startsWith("@")) return false;
    if (text.startsWith("///") && text.includes("@raw")) return true;
  }
  return false;
}
