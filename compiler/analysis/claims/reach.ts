// `forbid reaches` and `only edges` (11b.4): walks over calls and bus edges.
import type { SubscriptionInfo, TypedFunction } from "../../semantics/index.ts";
import type { Claim, Name } from "../../syntax/index.ts";
import type { CallEvent, SendEvent } from "../body-facts.ts";
import { wireSubject } from "../bus-graph.ts";
import { builtIn, type ClassSet, classText, NONE, UNKNOWN } from "../classes.ts";
import { subjectText } from "../effects.ts";
import { functionName, locusName, memberName, shortened } from "../names.ts";
import type { Group } from "./groups.ts";
import type { Clause } from "./law-book.ts";
import { type Court, declarationOf, type Verdict } from "./operands.ts";

type Forbid = Claim & { readonly kind: "forbid-reaches" };
type OnlyEdges = Claim & { readonly kind: "only-edges" };

/** How a walk comes from one function to another. */
type Step =
  | { readonly kind: "call"; readonly from: TypedFunction; readonly event: CallEvent }
  | {
      readonly kind: "bus";
      readonly from: TypedFunction;
      readonly send: SendEvent;
      readonly subscription: SubscriptionInfo;
    };

interface Edge {
  readonly step: Step;
  readonly to: TypedFunction;
}

/** What a body leads to directly, and what about it is not known. */
interface Leads {
  readonly edges: readonly Edge[];
  readonly unknownCall: CallEvent | undefined;
  readonly computedSend: SendEvent | undefined;
}

function leadsFrom({ effects, bus }: Court, from: TypedFunction): Leads {
  const edges: Edge[] = [];
  let unknownCall: CallEvent | undefined;
  let computedSend: SendEvent | undefined;
  for (const event of effects.eventsOf(from)) {
    if (event.kind === "call") {
      const { functions, isUnknown } = effects.targetsOf(event, from);
      if (isUnknown) unknownCall ??= event;
      for (const to of functions) edges.push({ step: { kind: "call", from, event }, to });
    }
    if (event.kind !== "send") continue;
    const subject = wireSubject(event);
    if (subject === undefined) computedSend ??= event;
    for (const { subscription } of subject === undefined ? [] : bus.receivers(subject)) {
      edges.push({ step: { kind: "bus", from, send: event, subscription }, to: subscription.handler });
    }
  }
  return { edges, unknownCall, computedSend };
}

// ---------------------------------------------------------------- forbid reaches

/** Where a walk may not come. */
interface Destination {
  readonly name: string;
  readonly contains: (fn: TypedFunction) => boolean;
}

export function judgeForbid(court: Court, clause: Clause, claim: Forbid): Verdict {
  if (claim.from.kind === "effects")
    return court.invalid(clause, claim.from.span, "a walk starts at a group, not at effects");
  const source = court.walkable(clause, claim.from.name);
  const destination = destinationOf(court, clause, claim);
  const gates = claim.avoiding.map((name) => ({ name, group: court.group(clause, name) }));
  if (!source || !destination || gates.some(({ group }) => !group)) return "invalid";
  const target = claim.to.kind === "group" ? court.groups.find(clause.seed, claim.to.name.text) : undefined;
  const closed = new Set(gates.flatMap(({ group }) => [...(group?.functions ?? [])]));
  for (const { name, group } of gates) {
    const overlap = group && [source, target].find((other) => other && meets(group, other));
    if (overlap)
      return court.invalid(
        clause,
        name.span,
        `\`${name.text}\` is part of \`${overlap.name}\`, so every path is cut there`,
      );
  }
  const starts = startsOf(source, claim.during);
  if (claim.during && starts.length === 0 && source.functions.size > 0) {
    return court.invalid(clause, claim.during.span, `no member of \`${source.name}\` has a \`${claim.during.text}\``);
  }
  return walk(court, clause, claim, { source: source.name, starts, destination, closed });
}

function destinationOf(court: Court, clause: Clause, { to }: Forbid): Destination | undefined {
  if (to.kind === "group") {
    const group = court.walkable(clause, to.name);
    return group && { name: `\`${group.name}\``, contains: (fn) => group.functions.has(fn) };
  }
  const set = court.effectClass(clause, to.effect);
  if (set === undefined) return undefined;
  const wanted = set & ~(builtIn("recursion") | builtIn("spawn"));
  return { name: `effects(${classText(to.effect)})`, contains: (fn) => (ownClasses(court, fn) & wanted) !== NONE };
}

/** What a function has by itself: its `is:`, its sites, its sends, and the library and foreign functions that it calls. */
function ownClasses({ effects }: Court, fn: TypedFunction): ClassSet {
  let set = effects.carried(fn);
  for (const event of effects.eventsOf(fn)) {
    set |= effects.ownClasses(event, fn) & ~UNKNOWN;
    for (const target of effects.calleesOf(event, fn)) {
      if (target.span.file.isStd || target.foreign !== undefined) set |= effects.carried(target);
    }
  }
  return set;
}

function meets(a: Group, b: Group): boolean {
  return [...a.functions].some((fn) => b.functions.has(fn));
}

/** The functions of a group that are the phase: a hook, a mode, or a method of that name. */
function startsOf({ functions }: Group, during: Name | undefined): TypedFunction[] {
  if (!during) return [...functions];
  return [...functions].filter((fn) => fn.self !== undefined && memberName(fn) === during.text);
}

interface Walk {
  readonly source: string;
  readonly starts: readonly TypedFunction[];
  readonly destination: Destination;
  readonly closed: ReadonlySet<TypedFunction>;
}

/** Breadth first: the first function found in the destination has a shortest way. */
function walk(court: Court, clause: Clause, { via }: Forbid, { source, starts, destination, closed }: Walk): Verdict {
  const calls = via.length === 0 || via.includes("calls");
  const sends = via.length === 0 || via.includes("bus");
  const came = new Map<TypedFunction, Step | undefined>();
  const queue: TypedFunction[] = [];
  const enter = (fn: TypedFunction, step: Step | undefined) => {
    if (came.has(fn) || closed.has(fn)) return;
    came.set(fn, step);
    queue.push(fn);
  };
  for (const fn of starts) enter(fn, undefined);
  let doubt: string | undefined;
  for (let at = queue.shift(); at; at = queue.shift()) {
    if (destination.contains(at)) return reportReached(court, clause, source, destination.name, wayTo(at, came), at);
    const { edges, unknownCall, computedSend } = leadsFrom(court, at);
    if (calls && unknownCall) doubt ??= `\`${functionName(at)}\` calls what may do anything`;
    if (sends && computedSend) doubt ??= `\`${functionName(at)}\` sends to a computed subject`;
    for (const { step, to } of edges) if (step.kind === "call" ? calls : sends) enter(to, step);
  }
  return doubt === undefined ? "holds" : court.uncertified(clause, `${doubt} on the way from \`${source}\``);
}

function wayTo(end: TypedFunction, came: ReadonlyMap<TypedFunction, Step | undefined>): readonly Step[] {
  const steps: Step[] = [];
  for (let step = came.get(end); step; step = came.get(step.from)) steps.unshift(step);
  return steps;
}

function reportReached(
  court: Court,
  clause: Clause,
  source: string,
  destination: string,
  steps: readonly Step[],
  end: TypedFunction,
): Verdict {
  const hops = steps.map((step) => `\`${functionName(step.from)}\` ${arrow(step)}`);
  const way = [...shortened(hops, " ->"), `\`${functionName(end)}\``].join(" ");
  const verdict = court.violated(clause, `\`${source}\` reaches ${destination}: ${way}`);
  const last = steps.at(-1);
  if (last) showCrossing(court, clause, last, `the boundary into ${destination} is crossed by this call`);
  const { span, locus } = declarationOf(end);
  court.evidence(
    clause,
    span,
    `the forbidden destination \`${locus ? locusName(locus) : functionName(end)}\` is declared here`,
  );
  return verdict;
}

function arrow(step: Step): string {
  if (step.kind === "call") return "->";
  return `-(publishes "${wireSubject(step.send) ?? ""}")->`;
}

function showCrossing(court: Court, clause: Clause, step: Step, call: string): void {
  if (step.kind === "call") {
    court.evidence(clause, step.event.span, call);
    return;
  }
  court.evidence(clause, step.send.span, "the crossing publish happens here");
  court.evidence(clause, step.subscription.span, "delivered at this subscription");
}

// ---------------------------------------------------------------- only edges

export function judgeOnlyEdges(court: Court, clause: Clause, claim: OnlyEdges): Verdict {
  const from = court.walkable(clause, claim.from);
  const to = court.walkable(clause, claim.to);
  const topics = claim.edges.map((edge) => court.topic(clause, edge.topic));
  if (!from || !to || topics.includes(undefined)) return "invalid";
  let verdict: Verdict = "holds";
  let doubt: string | undefined;
  for (const fn of from.functions) {
    const { edges, unknownCall, computedSend } = leadsFrom(court, fn);
    if (computedSend) doubt ??= `\`${functionName(fn)}\` sends to a computed subject`;
    if (unknownCall) doubt ??= `\`${functionName(fn)}\` calls what may do anything`;
    for (const { step, to: end } of edges) {
      if (!to.functions.has(end) || isGranted(step, topics)) continue;
      const what = step.kind === "call" ? "calls" : `sends ${subjectText(step.send.send.subject)} to`;
      verdict = court.violated(
        clause,
        `\`${functionName(fn)}\` ${what} \`${functionName(end)}\`, which is not granted`,
      );
      showCrossing(court, clause, step, `the call into \`${to.name}\` is here`);
    }
  }
  return verdict === "holds" && doubt !== undefined ? court.uncertified(clause, doubt) : verdict;
}

/** Only an edge that both ends name as a granted topic. */
function isGranted(step: Step, topics: readonly unknown[]): boolean {
  if (step.kind === "call") return false;
  const { subject } = step.send.send;
  return subject.kind === "topic" && step.subscription.topic === subject.topic && topics.includes(subject.topic);
}
