// `@phase_effects` on loci (11.11): what each phase may do, exactly.
import type { LocusType, TypedFunction } from "../semantics/index.ts";
import type { EffectSetItem, HookName, Name } from "../syntax/index.ts";
import { classesIn } from "./assertions.ts";
import { ALL_BUILT_IN, builtIn, type ClassSet, NONE, reportClass } from "./classes.ts";
import { checkForbidden } from "./effect-assertions.ts";
import type { Effects } from "./effects.ts";
import type { Findings } from "./findings.ts";
import { functionName, locusName } from "./names.ts";

export function checkPhaseEffects(effects: Effects, loci: readonly LocusType[], findings: Findings): void {
  for (const locus of loci) {
    for (const decorator of locus.decl.decorators) {
      if (decorator.name !== "phase_effects") continue;
      for (const { key, set } of decorator.entries) checkPhase(effects, locus, key, set, findings);
    }
  }
}

function checkPhase(
  effects: Effects,
  locus: LocusType,
  key: Name,
  items: readonly EffectSetItem[],
  findings: Findings,
): void {
  const phase = phaseOf(locus, key.text);
  if (phase === "none") {
    findings.error(
      "E1106",
      locus.span,
      `\`${locusName(locus)}\` has no phase \`${key.text}\`: name a hook, a method or a handler`,
    );
    return;
  }
  const allowed = allowedSet(effects, locus, items, findings);
  if (allowed === undefined || !phase) return;
  const forbidden = (ALL_BUILT_IN | effects.classes.allDeclared) & ~builtIn("recursion") & ~allowed;
  const rule = `may do only {${
    items.length === 0
      ? ""
      : classesIn(items)
          .map(({ name }) => name)
          .join(", ")
  }}`;
  checkForbidden(
    effects,
    phase,
    forbidden,
    rule,
    findings,
    "E1106",
    `phase \`${key.text}\`: \`${functionName(phase)}\``,
  );
}

/** The function of a phase; undefined for a hook that is not written. */
function phaseOf(locus: LocusType, name: string): TypedFunction | "none" | undefined {
  if (isHook(name)) return locus.hooks[name];
  return locus.methods.get(name) ?? "none";
}

const HOOKS: ReadonlySet<string> = new Set<HookName>(["birth", "accept", "release", "run", "drain", "dissolve"]);

function isHook(name: string): name is HookName {
  return HOOKS.has(name);
}

function allowedSet(
  effects: Effects,
  locus: LocusType,
  items: readonly EffectSetItem[],
  findings: Findings,
): ClassSet | undefined {
  let set = NONE;
  let isSound = true;
  for (const { name, argument } of classesIn(items)) {
    const resolved = effects.classes.resolve(name, argument);
    if ("set" in resolved) set |= resolved.set;
    else {
      isSound = false;
      reportClass(resolved, locus.span, findings);
    }
  }
  return isSound ? set : undefined;
}
