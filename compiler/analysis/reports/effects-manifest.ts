// The effects manifest (11.14): what each function of the seed promises and what it does, one line each.
import type { TypedFunction, TypedProgram } from "../../semantics/index.ts";
import { type Assertion, assertionsOf, itemText, namedText } from "../assertions.ts";
import { builtIn, type ClassSet, classText, NONE, UNKNOWN } from "../classes.ts";
import { Effects } from "../effects.ts";
import { functionName, isWithin, memberName } from "../names.ts";

const HEADER = "# .hale.effects v1 — declared effect contracts";

/** The text of the manifest, with a final line feed. The instances of a generic function are one line: what any of them does. */
export function effectsManifest(program: TypedProgram): string {
  const effects = new Effects(program);
  const listed = new Map<string, { readonly contracts: readonly string[]; readonly reached: ClassSet }>();
  for (const fn of program.functions) {
    if (!isListed(program, fn)) continue;
    const name = listedName(program, fn);
    const reached = (listed.get(name)?.reached ?? NONE) | effects.reached(fn);
    listed.set(name, { contracts: contractsOf(fn), reached });
  }
  const lines = [...listed].flatMap(([name, { contracts, reached }]) => {
    const fields = [...contracts, ...inferred(effects, reached)];
    return fields.length === 0 ? [] : [[name, ...fields].join("  ")];
  });
  return `${[HEADER, ...lines.sort()].join("\n")}\n`;
}

/** Free functions, methods and hooks that the target itself declares. */
function isListed({ seeds }: TypedProgram, fn: TypedFunction): boolean {
  const isKind =
    fn.role === "free" || fn.role === "method" || fn.role === "mode" || fn.role === "hook" || fn.foreign !== undefined;
  return isKind && seeds[0]?.files.includes(fn.span.file) === true;
}

/** `module::Locus::member`, `module::function`. */
function listedName({ seeds }: TypedProgram, fn: TypedFunction): string {
  const modules = (seeds[0]?.modules ?? [])
    .filter(({ span }) => isWithin(fn.span, span))
    .map(({ name }) => `${name}::`);
  const own = fn.self ? `${fn.self.decl.name.text}::${memberName(fn)}` : functionName(fn);
  return modules.join("") + own;
}

/** `none={..}  only={..}  publish={..}` and the budgets. */
function contractsOf(fn: TypedFunction): string[] {
  const none = new Set<string>();
  const only = new Set<string>();
  const publish = new Set<string>();
  let hasOnly = false;
  let hasPublish = false;
  for (const assertion of assertionsOf(fn)) {
    if (assertion.kind === "only") hasOnly = true;
    if (assertion.kind === "publish") hasPublish = true;
    for (const name of namesIn(assertion))
      (assertion.kind === "only" ? only : assertion.kind === "publish" ? publish : none).add(name);
  }
  const budgets = fn.decorators.flatMap((decorator) =>
    decorator.name === "budget" ? decorator.entries.map(({ effect, limit }) => `${classText(effect)}=${limit}`) : [],
  );
  return [
    ...(none.size > 0 ? [setText("none", none)] : []),
    ...(hasOnly ? [setText("only", only)] : []),
    ...(hasPublish ? [setText("publish", publish)] : []),
    ...budgets.sort(),
  ];
}

function namesIn(assertion: Assertion): string[] {
  switch (assertion.kind) {
    case "none":
    case "only":
      return assertion.classes.map(namedText);
    case "causes":
      return assertion.classes.map((each) => `causes:${namedText(each)}`);
    case "publish":
      return assertion.items.map(itemText);
    case "no_panic":
      return ["panic"];
    case "is":
      return [];
  }
}

function setText(key: string, names: Iterable<string>): string {
  return `${key}={${[...names].sort().join(",")}}`;
}

/** The order in which `does` lists built-in classes. */
const SHOWN = ["syscall", "block", "publish", "time", "entropy", "env", "alloc", "secret_use"] as const;

function inferred(effects: Effects, set: ClassSet): string[] {
  const reached = shown(set);
  if ((reached & UNKNOWN) !== NONE) return ["does={unclassified}"];
  const builtInNames = SHOWN.filter((name) => (reached & builtIn(name)) !== NONE);
  const declared = effects.classes.namesIn(reached & effects.classes.allDeclared);
  const names = [...builtInNames, ...declared];
  return names.length === 0 ? [] : [`does={${names.join(",")}}`];
}

/** `spawn` shows as `alloc`, `ffi` as `syscall`. */
function shown(set: ClassSet): ClassSet {
  const spawned = (set & builtIn("spawn")) === NONE ? NONE : builtIn("alloc");
  const foreign = (set & builtIn("ffi")) === NONE ? NONE : builtIn("syscall");
  return set | spawned | foreign;
}
