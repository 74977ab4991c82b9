// The forms that count and require (11b.4): `bound`, `require`, `cover`, `count`.
import type { LocusType, TopicInfo, TypedFunction } from "../../semantics/index.ts";
import type { Claim } from "../../syntax/index.ts";
import { carrierDimension, Meter } from "../budgets.ts";
import { builtIn, ALL_BUILT_IN, type ClassSet, classSpan, classText, NONE, UNKNOWN } from "../classes.ts";
import { functionName, locusName } from "../names.ts";
import type { Clause } from "./law-book.ts";
import type { Court, Verdict } from "./operands.ts";

type Form<Kind extends Claim["kind"]> = Claim & { readonly kind: Kind };

// ---------------------------------------------------------------- bound

export function judgeBound(court: Court, clause: Clause, claim: Form<"bound">): Verdict {
  const set = court.effectClass(clause, claim.effect);
  const group = court.walkable(clause, claim.from);
  if (set === undefined || !group) return "invalid";
  const name = classText(claim.effect);
  if ((set & ALL_BUILT_IN & ~builtIn("secret_use")) !== NONE) {
    return court.invalid(
      clause,
      classSpan(claim.effect),
      `\`${name}\` has no carriers to count: name a declared class or \`secret_use\``,
    );
  }
  const meter = new Meter(court.effects, carrierDimension(court.effects, court.bus, name, set));
  const costs = [...group.functions].map((fn) => ({ fn, cost: meter.costOf(fn) }));
  const worst = costs.reduce<{ fn: TypedFunction; cost: number } | undefined>(
    (most, each) => (most && most.cost >= each.cost ? most : each),
    undefined,
  );
  if (!worst || worst.cost <= claim.limit) return "holds";
  if (worst.cost !== Number.POSITIVE_INFINITY) {
    return court.violated(
      clause,
      `${worst.cost} calls of \`${name}\` from \`${functionName(worst.fn)}\`, at most ${claim.limit} are allowed: ${meter.heaviestWay(worst.fn)}`,
    );
  }
  const verdict = court.violated(
    clause,
    `calls of \`${name}\` from \`${functionName(worst.fn)}\` have no bound: ${meter.reasonOf(worst.fn)}`,
  );
  const place = meter.unboundedAt(worst.fn);
  if (place) court.evidence(clause, place, "there is no bound here");
  return verdict;
}

// ---------------------------------------------------------------- require

export function judgeEdge(
  court: Court,
  clause: Clause,
  { group: name, topic: path, direction }: Form<"require-edge">,
): Verdict {
  const group = court.group(clause, name);
  const topic = court.topic(clause, path);
  if (!group || !topic) return "invalid";
  const declares = direction === "subscribes" ? subscribes : publishes;
  if (group.loci.some((locus) => declares(locus, topic))) return "holds";
  return court.violated(clause, `no locus of \`${group.name}\` ${direction} \`${topic.displayName}\``);
}

function subscribes({ subscriptions }: LocusType, topic: TopicInfo): boolean {
  return subscriptions.some((subscription) => subscription.topic === topic);
}

function publishes({ publications }: LocusType, topic: TopicInfo): boolean {
  return publications.some((publication) => publication.topic === topic);
}

export function judgeSealed(court: Court, clause: Clause, { group: name }: Form<"require-sealed">): Verdict {
  const group = court.group(clause, name);
  if (!group) return "invalid";
  if (group.loci.length === 0 && group.freeFunctions.length > 0)
    return court.invalid(clause, name.span, `\`${group.name}\` has no loci`);
  const open = group.loci.filter((locus) => !locus.isSealed);
  return open.length === 0 ? "holds" : court.violated(clause, `not sealed: ${listed(open.map(locusName))}`);
}

const ATTRIBUTABLE: ReadonlySet<string> = new Set([
  "syscall",
  "block",
  "publish",
  "time",
  "entropy",
  "env",
  "alloc",
  "secret_use",
]);

export function judgeAttributed(court: Court, clause: Clause, { what }: Form<"require-attributed">): Verdict {
  const name = what === "publish" ? what : what.text;
  const resolved = court.effects.classes.resolve(name);
  if (!("set" in resolved) || !ATTRIBUTABLE.has(name)) {
    const span = what === "publish" ? clause.named.span : what.span;
    const why = "set" in resolved ? `\`${name}\` cannot be attributed` : resolved.problem;
    return court.invalid(clause, span, `${why}: name one of ${[...ATTRIBUTABLE].join(", ")}`);
  }
  const { effects } = court;
  const own = effects.program.functions.filter(
    (fn) => !fn.span.file.isStd && fn.role !== "initialiser" && fn.role !== "const",
  );
  const bare = own.filter((fn) => (effects.carried(fn) & effects.classes.allDeclared) === NONE);
  const guilty = bare.filter((fn) => (performed(court, fn) & resolved.set) !== NONE);
  if (guilty.length > 0)
    return court.violated(
      clause,
      `\`${name}\` without a class of its own in ${listed([...new Set(guilty.map(functionName))].sort())}`,
    );
  const unclear = bare.find((fn) => (performed(court, fn) & UNKNOWN) !== NONE);
  return unclear ? court.uncertified(clause, `\`${functionName(unclear)}\` calls what may do anything`) : "holds";
}

/** What a function does directly; a library function counts with all that its body does. */
function performed({ effects }: Court, fn: TypedFunction): ClassSet {
  let set = effects.carried(fn);
  for (const event of effects.eventsOf(fn)) {
    set |= effects.ownClasses(event, fn);
    for (const target of effects.calleesOf(event, fn)) if (target.span.file.isStd) set |= effects.reached(target);
  }
  return set;
}

// ---------------------------------------------------------------- cover, count

export function judgeCover(court: Court, clause: Clause, { seed: alias, group: name }: Form<"cover">): Verdict {
  const group = court.group(clause, name);
  const imported = clause.seed.imports.get(alias.text);
  if (!imported) return court.invalid(clause, alias.span, `nothing is imported as \`${alias.text}\``);
  if (imported.topics.size === 0) return court.invalid(clause, alias.span, `\`${alias.text}\` declares no topic`);
  if (!group) return "invalid";
  const missing = [...imported.topics.values()].filter(
    (topic) => !group.loci.some((locus) => subscribes(locus, topic)),
  );
  if (missing.length === 0) return "holds";
  return court.violated(
    clause,
    `no locus of \`${group.name}\` subscribes ${listed(missing.map((topic) => topic.displayName).sort())}`,
  );
}

export function judgeCount(court: Court, clause: Clause, claim: Form<"count">): Verdict {
  const topic = court.topic(clause, claim.topic);
  if (!topic) return "invalid";
  const declares = claim.direction === "publishers" ? publishes : subscribes;
  const loci = court.effects.program.loci.filter((locus) => declares(locus, topic));
  const names = [...new Set(loci.map(locusName))].sort();
  const count = new Set(loci.map((locus) => locus.decl)).size;
  const limit = Number(claim.limit);
  const holds =
    claim.comparison === "==" ? count === limit : claim.comparison === "<=" ? count <= limit : count >= limit;
  if (holds) return "holds";
  const who = names.length === 0 ? "" : ` (${listed(names)})`;
  return court.violated(
    clause,
    `${claim.direction} of \`${topic.displayName}\`: ${count}${who}, the claim wants ${claim.comparison} ${limit}`,
  );
}

/** Each name once: instances of a generic locus share one. */
function listed(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `\`${name}\``).join(", ");
}
