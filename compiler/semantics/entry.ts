// Where a program starts: `fn main`, or its lone `main locus` (04 1.1, 05 5.8).
import type { LoadedProgram } from "../program/index.ts";
import type { Context } from "./context.ts";
import { NO_GENERICS } from "./context.ts";
import { functionOf, makeFunction } from "./signatures.ts";
import type { LocusSymbol } from "./symbols.ts";
import type { TypedFunction } from "./typed.ts";

/** The entry, reached; undefined (and reported when one is needed) where there is none. */
export function entryOf(cx: Context, loaded: LoadedProgram, isNeeded: boolean): TypedFunction | undefined {
  const mains = mainLoci(cx);
  const main = cx.root.symbols.get("main");
  if (main?.kind === "function") {
    const fn = functionOf(cx, main);
    cx.reach(fn);
    return fn;
  }
  const [lone] = mains;
  if (lone) return implicitMain(cx, lone);
  const file = loaded.root.files[0]?.source;
  if (isNeeded && file)
    cx.error(
      "E0212",
      { file, start: file.text.length, end: file.text.length },
      "program has no fn main(): no `fn main` and no `main locus`",
    );
  return undefined;
}

/** The target's main loci; more than one is refused at each (05 5.1.6). */
function mainLoci(cx: Context): LocusSymbol[] {
  const mains = [...cx.root.symbols.values()].filter(
    (symbol): symbol is LocusSymbol => symbol.kind === "locus" && symbol.decl.isMain,
  );
  if (mains.length > 1) {
    for (const symbol of mains)
      cx.error("E0215", symbol.span, `more than one main locus (\`${symbol.name}\` is one of ${mains.length})`);
  }
  return mains;
}

/** `fn main() { App { }; }` for a program that has only its main locus. */
function implicitMain(cx: Context, symbol: LocusSymbol): TypedFunction {
  const { span } = symbol;
  const path = { segments: [{ text: symbol.name, span }], span };
  const fn = makeFunction(cx, {
    name: "main",
    role: "free",
    env: { scope: cx.root, generics: NO_GENERICS },
    params: [],
    body: {
      kind: "block",
      statements: [{ kind: "expr", expr: { kind: "literal", path, fields: [], span }, span }],
      span,
    },
    span,
    nameSpan: span,
  });
  cx.reach(fn);
  return fn;
}
