// Decorators (01 7.8): reading them, and which declaration takes which.
import type { Span } from "../source/index.ts";
import type { Decorator, EffectClass, EffectFlag, EffectSetItem, Name } from "./ast.ts";
import { parseExpr } from "./parse-expressions.ts";
import { takeInt, takeString } from "./parse-leaves.ts";
import type { Parser } from "./parser.ts";
import { isReserved, K } from "./tokens.ts";
import { BUILT_IN_EFFECTS } from "./words.ts";

type DecoratorName = Decorator["name"];
type Entry = Extract<Decorator, { name: "effects" | "phase_effects" }>["entries"][number];

// biome-ignore format: a table reads best in rows
const EFFECT_FLAGS: ReadonlySet<string> = new Set<EffectFlag>([
  "no_syscall", "no_block", "no_ffi", "no_publish", "no_spawn", "no_recursion", "no_panic", "deterministic",
]);

const ONLY_LOCUS: ReadonlySet<DecoratorName> = new Set([
  "form",
  "locality",
  "bounded",
  "sealed",
  "supervised",
  "phase_effects",
]);
// biome-ignore format: a table reads best in rows
const ONCE: ReadonlySet<string> = new Set([
  ...EFFECT_FLAGS, "hot", "unbounded", "budget", "form", "locality", "bounded", "export", "phase_effects",
]);
const LOCALITIES: ReadonlySet<string> = new Set(["L1", "L2", "L3", "any"]);
const FN_EFFECT_KEYS: ReadonlySet<string> = new Set(["none", "only", "is", "causes", "publish"]);
const PHASES: ReadonlySet<number> = new Set([K.ident, K.birth, K.run, K.drain, K.dissolve]);

/** The decorators at the cursor, in order. Wrong ones are reported and left out. */
export function parseDecorators(p: Parser): readonly Decorator[] {
  if (p.kind !== K["@"]) return [];
  const decorators: Decorator[] = [];
  const once = new Set<string>();
  while (p.kind === K["@"]) {
    const at = p.spanHere();
    const decorator = parseDecorator(p);
    if (decorator === undefined) {
      skipUnknown(p, at);
      continue;
    }
    if (ONCE.has(decorator.name) && once.has(decorator.name)) {
      p.report("E0110", at, `\`@${decorator.name}\` is given twice`);
      continue;
    }
    once.add(decorator.name);
    decorators.push(decorator);
  }
  return decorators;
}

/** Passes over the name after an `@` at `at`, and its parentheses. */
function skipUnknown(p: Parser, at: Span): void {
  const isWord = p.kind === K.ident || isReserved(p.kind);
  if (!isWord || p.kind === K.fn) {
    p.fail("E0109", `expected a decorator's name, found ${p.describe()}`, undefined, at);
    return;
  }
  p.report("E0109", at, `unknown decorator \`@${p.text}\``);
  p.advance();
  let open = 0;
  while (p.kind !== K.eof && (open > 0 || p.kind === K["("])) {
    if (p.kind === K["("]) open++;
    else if (p.kind === K[")"]) open--;
    p.advance();
  }
}

/** Reports decorators that a fn cannot carry; the cursor stands at its `fn`. Members take only contract decorators. */
export function checkFunctionDecorators(p: Parser, decorators: readonly Decorator[], place: "free" | "member"): void {
  const wrong = decorators.find(isOnlyForLoci);
  const depends = wrong?.name === "effects" ? wrong.entries.find(({ key }) => key.text === "depends") : undefined;
  if (wrong)
    p.report(
      "E0108",
      depends?.key.span ?? p.spanHere(),
      `\`@${wrong.name}\` belongs before a \`locus\`, not before a \`fn\``,
    );
  const alone = decorators.find(({ name }) => name === "ffi" || name === "export");
  if (!alone) return;
  const [, second] = decorators;
  if (place === "member") p.report("E0108", alone.span, `\`@${alone.name}\` belongs before a free \`fn\``);
  else if (second) p.report("E0108", second.span, `\`@${alone.name}\` stands alone before its \`fn\``);
}

/** Reports decorators that a locus cannot carry; the cursor stands at its first word. */
export function checkLocusDecorators(p: Parser, decorators: readonly Decorator[]): void {
  const wrong = decorators.find((decorator) => decorator.name !== "export" && !isOnlyForLoci(decorator));
  if (wrong) p.report("E0108", p.spanHere(), `\`@${wrong.name}\` belongs before a \`fn\`, not before a \`locus\``);
}

function isOnlyForLoci(decorator: Decorator): boolean {
  if (decorator.name === "effects") return decorator.entries.some(({ key }) => key.text === "depends");
  return ONLY_LOCUS.has(decorator.name);
}

/** One decorator; undefined for an unknown name, with the cursor after the `@`. */
function parseDecorator(p: Parser): Decorator | undefined {
  const { start } = p;
  p.advance();
  if (p.kind === K.export) {
    p.advance();
    return { name: "export", span: p.spanFrom(start) };
  }
  if (p.kind !== K.ident) return undefined;
  const name = p.tokens.wordOf(p.pos);
  switch (name) {
    // biome-ignore format: a table reads best in rows
    case "bounded":
    case "sealed":
    case "supervised":
    case "unbounded":
    case "hot":
      p.advance();
      return { name, span: p.spanFrom(start) };
    case "ffi":
      return parseFfi(p, start);
    case "form":
      return parseForm(p, start);
    case "locality":
      return parseLocality(p, start);
    case "budget":
      return parseBudget(p, start);
    case "effects":
    case "phase_effects":
      return parseEffects(p, name, start);
    case "gated": {
      const role = parseGated(p);
      return { name: "gated", role, span: p.spanFrom(start) };
    }
    case "rpc": {
      p.advance();
      const hasList = p.eat(K["("]);
      const requires = hasList ? parseRequires(p) : [];
      if (hasList) p.expect(K[")"]);
      return { name: "rpc", requires, span: p.spanFrom(start) };
    }
    default:
      if (!isEffectFlag(name)) return undefined;
      p.advance();
      return { name, span: p.spanFrom(start) };
  }
}

function isEffectFlag(name: string): name is EffectFlag {
  return EFFECT_FLAGS.has(name);
}

function parseFfi(p: Parser, start: number): Decorator {
  p.advance();
  p.expect(K["("]);
  const span = p.spanHere();
  const library = takeString(p, '`"c"` or `"js"`');
  // The library's own files name functions of the guest runtime.
  const isGuest = library === "guest" && p.file.isStd;
  if (library !== "c" && library !== "js" && !isGuest) {
    p.report("E0115", span, 'expected `"c"` or `"js"`');
  }
  p.expect(K[")"]);
  return { name: "ffi", library, span: p.spanFrom(start) };
}

function parseForm(p: Parser, start: number): Decorator {
  p.advance();
  p.expect(K["("]);
  const form = p.expectName("a form");
  const options: { name: Name; value: ReturnType<typeof parseExpr> }[] = [];
  while (p.eat(K[","])) {
    const name = p.expectName("an option");
    p.expect(K["="]);
    options.push({ name, value: parseExpr(p) });
  }
  p.expect(K[")"]);
  return { name: "form", form, options, span: p.spanFrom(start) };
}

function parseLocality(p: Parser, start: number): Decorator {
  p.advance();
  p.expect(K["("]);
  const level = p.expectName("a locality");
  if (!LOCALITIES.has(level.text))
    p.fail("E0115", `expected \`L1\`, \`L2\`, \`L3\` or \`any\`, found \`${level.text}\``, undefined, level.span);
  p.expect(K[")"]);
  return { name: "locality", level, span: p.spanFrom(start) };
}

function parseBudget(p: Parser, start: number): Decorator {
  const entries: { effect: EffectClass; limit: bigint }[] = [];
  p.advance();
  p.expect(K["("]);
  do {
    const effect: EffectClass = p.kind === K.publish ? { name: p.takeName() } : parseEffectClass(p);
    checkDimension(p, effect, entries);
    p.expect(K["="]);
    entries.push({ effect, limit: takeInt(p) });
  } while (p.eat(K[","]));
  p.expect(K[")"]);
  return { name: "budget", entries, span: p.spanFrom(start) };
}

/** A dimension stands once, and is no built-in class but `publish` (11.12). */
function checkDimension(
  p: Parser,
  { name, argument }: EffectClass,
  before: readonly { readonly effect: EffectClass }[],
): void {
  const isSame = ({ effect }: { readonly effect: EffectClass }) =>
    effect.name.text === name.text && effect.argument?.text === argument?.text;
  if (before.some(isSame)) p.report("E0110", name.span, `\`${name.text}\` is given twice`);
  if (name.text === "publish" || !BUILT_IN_EFFECTS.has(name.text)) return;
  p.report("E0115", name.span, `the built-in class \`${name.text}\` has no budget`);
}

/** `(key: { .. }, ..)` of `@effects` and `@phase_effects` */
function parseEffects(p: Parser, name: "effects" | "phase_effects", start: number): Decorator {
  const entries: Entry[] = [];
  p.advance();
  p.expect(K["("]);
  do {
    const isKey = name === "effects" ? p.kind === K.ident || p.kind === K.publish : PHASES.has(p.kind);
    if (!isKey)
      p.failExpected(name === "effects" ? "`none`, `only`, `is`, `causes`, `publish` or `depends`" : "a phase");
    const key = p.takeName();
    if (name === "effects") checkEffectsKey(p, key, entries);
    p.expect(K[":"]);
    entries.push({ key, set: parseEffectSet(p) });
  } while (p.eat(K[","]));
  p.expect(K[")"]);
  return { name, entries, span: p.spanFrom(start) };
}

/** `depends` is the one key of a locus and stands alone; the others belong to a fn. */
function checkEffectsKey(p: Parser, key: Name, before: readonly Entry[]): void {
  const dependsFirst = before.some((entry) => entry.key.text === "depends");
  const known =
    before.length === 0
      ? FN_EFFECT_KEYS.has(key.text) || key.text === "depends"
      : FN_EFFECT_KEYS.has(key.text) && !dependsFirst;
  if (!known)
    p.fail(
      "E0115",
      `\`@effects\` has no key \`${key.text}\` here`,
      "the keys are `none only is causes publish` on a fn, `depends` on a locus",
      key.span,
    );
}

function parseEffectSet(p: Parser): readonly EffectSetItem[] {
  const set: EffectSetItem[] = [];
  p.expect(K["{"]);
  while (p.kind !== K["}"] && !p.failed) {
    const { start } = p;
    if (p.kind === K.string) {
      const value = takeString(p);
      set.push({ kind: "string", value, span: p.spanFrom(start) });
    } else if (p.kind === K.publish) {
      const name = p.takeName();
      set.push({ kind: "path", path: { segments: [name], span: name.span }, span: name.span });
    } else {
      const segments = [p.expectName("an effect")];
      while (p.eat(K["::"])) segments.push(p.expectName("an effect"));
      const path = { segments, span: p.spanFrom(start) };
      const argument = parseClassArgument(p);
      set.push({ kind: "path", path, ...(argument && { argument }), span: p.spanFrom(start) });
    }
    p.eat(K[","]);
  }
  p.expect(K["}"]);
  return set;
}

/** `alloc`, `db(reads)`, `db(*)` */
export function parseEffectClass(p: Parser): EffectClass {
  const name = p.expectName("an effect");
  const argument = parseClassArgument(p);
  return { name, ...(argument && { argument }) };
}

function parseClassArgument(p: Parser): Name | undefined {
  if (!p.eat(K["("])) return undefined;
  const all = p.kind === K["*"] ? { text: "*", span: p.spanHere() } : undefined;
  if (all) p.advance();
  const argument = all ?? p.expectName("a domain's member");
  p.expect(K[")"]);
  return argument;
}

/** `gated(role: name)` after its `@` */
function parseGated(p: Parser): Name {
  p.expectWord("gated");
  p.expect(K["("]);
  p.expectWord("role");
  p.expect(K[":"]);
  const role = p.expectName("a role");
  p.expect(K[")"]);
  return role;
}

/** `@gated(role: name)`, where nothing else may be decorated so; undefined when no `@` stands here. */
export function parseOptionalGated(p: Parser): Name | undefined {
  if (p.kind !== K["@"]) return undefined;
  p.advance();
  return parseGated(p);
}

/** `requires: [a, b]` */
export function parseRequires(p: Parser): readonly Name[] {
  const roles: Name[] = [];
  p.expectWord("requires");
  p.expect(K[":"]);
  p.expect(K["["]);
  while (p.kind !== K["]"] && !p.failed) {
    roles.push(p.expectName("a role"));
    if (!p.eat(K[","])) break;
  }
  p.expect(K["]"]);
  return roles;
}
