// `@budget` (11.12): what one call of a function costs at most, per dimension.
import type { LocusType, SubscriptionInfo, TypedFunction, TypedProgram, Type } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import type { EffectClass } from "../syntax/index.ts";
import { isAllocatingReceive } from "./allocating-receives.ts";
import { type CallEvent, type Event, factsOf, type SendEvent } from "./body-facts.ts";
import { type BusGraph, wireSubject } from "./bus-graph.ts";
import { mayReceive } from "./causality.ts";
import { builtIn, type ClassSet, classText, NONE, reportClass } from "./classes.ts";
import type { Effects } from "./effects.ts";
import type { Findings } from "./findings.ts";
import { functionName, wayText } from "./names.ts";

/** A number, or Infinity for "no bound". */
type Cost = number;

/** What a dimension counts. */
export interface Dimension {
  readonly name: string;
  /** What one event costs by itself; what it calls is added. */
  readonly own: (event: Event, fn: TypedFunction) => Cost;
  /** What one call costs before anything happens in it. */
  readonly frame: (fn: TypedFunction) => Cost;
  /** How the costs of a body's events make one: added, or the deepest. */
  readonly isDepth: boolean;
  /** Whether bodies of the library count. */
  readonly countsLibrary: boolean;
  /** Whether a ring of calls has no bound even when nothing in it costs; rings of the library alone do not count. */
  readonly isUnboundedInRings: boolean;
  /** What one delivery costs beside what its handler does. */
  readonly perDelivery: Cost;
  /** Handlers that an event sets off, each with the number of its registrations. */
  readonly deliveries: (event: Event) => readonly { readonly handler: TypedFunction; readonly times: number }[];
}

export function checkBudgets(
  effects: Effects,
  bus: BusGraph,
  functions: readonly TypedFunction[],
  findings: Findings,
): void {
  const meters = new Map<string, Meter>();
  for (const fn of functions) {
    for (const decorator of fn.decorators) {
      if (decorator.name !== "budget") continue;
      for (const { effect, limit } of decorator.entries) {
        const key = classText(effect);
        const known = meters.get(key);
        const dimension = known?.dimension ?? dimensionOf(effects, bus, effect);
        if ("problem" in dimension) {
          reportClass(dimension, fn.nameSpan, findings);
          continue;
        }
        const meter = known ?? new Meter(effects, dimension);
        meters.set(key, meter);
        judge(meter, fn, limit, findings);
      }
    }
  }
}

function judge(meter: Meter, fn: TypedFunction, limit: bigint, findings: Findings): void {
  const cost = meter.costOf(fn);
  if (cost <= limit) return;
  const { name } = meter.dimension;
  const measured = cost === Number.POSITIVE_INFINITY ? `has no bound: ${meter.reasonOf(fn)}` : `is ${cost}`;
  findings.error(
    "E1109",
    fn.nameSpan,
    `\`${functionName(fn)}\` is \`@budget(${name} = ${limit})\`, its ${name} ${measured}`,
  );
  if (name !== "alloc_per_call") return;
  for (const { span, what } of meter.sitesOf(fn, 6)) findings.error("E1109", span, what);
}

// ---------------------------------------------------------------- dimensions

const NO_DELIVERIES: readonly { readonly handler: TypedFunction; readonly times: number }[] = [];

function countingNothing(name: string): Dimension {
  return {
    name,
    own: () => 0,
    frame: () => 0,
    isDepth: false,
    countsLibrary: false,
    isUnboundedInRings: false,
    perDelivery: 0,
    deliveries: () => NO_DELIVERIES,
  };
}

/** Calls of carriers of some classes over the whole tree, bus hops included (11b.4, `bound`). */
export function carrierDimension(effects: Effects, bus: BusGraph, name: string, set: ClassSet): Dimension {
  const own = (event: Event, fn: TypedFunction) => {
    if (event.kind === "send") return isOpenEnded(bus, event) ? Number.POSITIVE_INFINITY : 0;
    return event.kind === "call" && callsCarrier(effects, event, fn, set) ? 1 : 0;
  };
  const deliveries = (event: Event) => (event.kind === "send" ? deliveriesOf(bus, event) : NO_DELIVERIES);
  return { ...countingNothing(name), own, deliveries, countsLibrary: true, isUnboundedInRings: true };
}

function dimensionOf(effects: Effects, bus: BusGraph, effect: EffectClass): Dimension | { readonly problem: string } {
  const name = classText(effect);
  const counter = countingNothing(name);
  switch (name) {
    case "alloc_per_call":
      return {
        ...counter,
        own: (event) => (event.kind === "site" || isAllocatingReceive(event) ? 1 : 0),
        isUnboundedInRings: true,
      };
    case "stack_bytes":
      return { ...counter, frame: frameBytes, isDepth: true, isUnboundedInRings: true };
    case "block_points":
      return {
        ...counter,
        own: (event, fn) => (event.kind === "call" && callsLibrary(effects, event, fn, builtIn("block")) ? 1 : 0),
      };
    case "publish":
      return { ...counter, own: (event) => (event.kind === "send" ? 1 : 0), countsLibrary: true };
    case "fanout": {
      const deliveries = (event: Event) => (event.kind === "send" ? deliveriesOf(bus, event) : NO_DELIVERIES);
      const own = (event: Event) => (event.kind === "send" && isOpenEnded(bus, event) ? Number.POSITIVE_INFINITY : 0);
      return { ...counter, own, countsLibrary: true, perDelivery: 1, deliveries };
    }
    default: {
      const resolved = effects.classes.resolve(effect.name.text, effect.argument?.text);
      if (!("set" in resolved)) return resolved;
      const own = (event: Event, fn: TypedFunction) =>
        event.kind === "call" && callsCarrier(effects, event, fn, resolved.set) ? 1 : 0;
      return { ...counter, own };
    }
  }
}

/** 32, 8 a parameter and what each `let` takes. */
function frameBytes(fn: TypedFunction): Cost {
  return factsOf(fn).slots.reduce((sum, type) => sum + widthOf(type), 32 + 8 * fn.params.length);
}

function widthOf(type: Type): number {
  if (type.kind === "array") return (type.length ?? 0) * widthOf(type.element);
  return type.kind === "primitive" && type.name === "Decimal" ? 16 : 8;
}

function callsLibrary(effects: Effects, event: CallEvent, fn: TypedFunction, set: ClassSet): boolean {
  return effects
    .targetsOf(event, fn)
    .functions.some((target) => target.span.file.isStd && (effects.reached(target) & set) !== NONE);
}

function callsCarrier(effects: Effects, event: CallEvent, fn: TypedFunction, set: ClassSet): boolean {
  return effects.targetsOf(event, fn).functions.some((target) => (effects.carried(target) & set) !== NONE);
}

// ---------------------------------------------------------------- deliveries

function isOpenEnded({ program }: BusGraph, { send: { subject } }: SendEvent): boolean {
  return subject.kind === "computed" || (subject.kind === "topic" && program.boundTopics.has(subject.topic));
}

/** The registrations that receive a send; a fallback only when nothing else does. */
function deliveriesOf(
  bus: BusGraph,
  send: SendEvent,
): readonly { readonly handler: TypedFunction; readonly times: number }[] {
  const subject = wireSubject(send);
  if (subject === undefined) return NO_DELIVERIES;
  const all = bus.receivers(subject).filter(({ subscription }) => mayReceive(send, subscription));
  const keyed = all.filter(({ subscription }) => subscription.key?.kind !== "any");
  const hasKeyed = keyed.some(({ subscription }) => subscription.key !== undefined);
  return (hasKeyed ? keyed : all).map(({ locus, subscription }) => ({
    handler: subscription.handler,
    times: registrationsOf(bus.program, locus, subscription),
  }));
}

/** How many instances of a locus the deployment holds, one at least; each replica but of a share by `replica`. */
function registrationsOf({ loci }: TypedProgram, locus: LocusType, { key }: SubscriptionInfo): number {
  const main = loci.find((candidate) => candidate.isMain);
  if (!main) return 1;
  let count = 0;
  for (const field of main.fields) {
    const placement = main.placements.find((candidate) => candidate.field === field);
    const replicas = key?.kind === "replica" ? 1 : (placement?.replicas ?? 1);
    if (field.type.kind === "locus") count += replicas * instancesWithin(field.type, locus, new Set());
  }
  return Math.max(1, count);
}

function instancesWithin(holder: LocusType, locus: LocusType, above: ReadonlySet<LocusType>): number {
  if (holder === locus) return 1;
  if (above.has(holder)) return 0;
  const inner = new Set([...above, holder]);
  return holder.fields.reduce(
    (sum, { type }) => sum + (type.kind === "locus" ? instancesWithin(type, locus, inner) : 0),
    0,
  );
}

// ---------------------------------------------------------------- measuring

/** Measures functions in one dimension. */
export class Meter {
  readonly dimension: Dimension;
  readonly #effects: Effects;
  readonly #costs = new Map<TypedFunction, Cost>();
  readonly #open = new Set<TypedFunction>();

  constructor(effects: Effects, dimension: Dimension) {
    this.#effects = effects;
    this.dimension = dimension;
  }

  /** What one call costs. Callees come first, on an explicit stack. */
  costOf(root: TypedFunction): Cost {
    const work = [root];
    for (let fn = work.at(-1); fn; fn = work.at(-1)) {
      if (this.#costs.has(fn)) {
        work.pop();
        continue;
      }
      const missing = this.#needs(fn).filter((each) => !this.#costs.has(each) && !this.#open.has(each));
      if (missing.length > 0 && !this.#open.has(fn)) {
        this.#open.add(fn);
        work.push(...missing);
        continue;
      }
      work.pop();
      this.#open.delete(fn);
      this.#measure(fn);
    }
    return this.#costs.get(root) ?? 0;
  }

  #counts(fn: TypedFunction): boolean {
    return this.dimension.countsLibrary || !fn.span.file.isStd;
  }

  #events(fn: TypedFunction): readonly Event[] {
    return this.#counts(fn) ? this.#effects.eventsOf(fn) : [];
  }

  /** Functions whose costs are parts of this one's, or of its ring's. */
  #needs(fn: TypedFunction): TypedFunction[] {
    const ring = this.#effects.ringOf(fn);
    const needs = new Set<TypedFunction>();
    for (const member of ring ?? [fn]) {
      for (const event of this.#events(member)) {
        for (const target of this.#callees(event, member)) if (!ring?.has(target)) needs.add(target);
        for (const { handler } of this.dimension.deliveries(event)) needs.add(handler);
      }
    }
    return [...needs];
  }

  #callees(event: Event, fn: TypedFunction): readonly TypedFunction[] {
    return event.kind === "call" ? this.#effects.targetsOf(event, fn).functions : [];
  }

  /** Settles a function, and the whole ring that it is on. */
  #measure(fn: TypedFunction): void {
    const ring = this.#effects.ringOf(fn);
    if (!ring || !this.#counts(fn)) {
      this.#costs.set(fn, this.#counts(fn) ? this.#costIn(fn) : 0);
      return;
    }
    const members = [...ring];
    const isUnbounded =
      (this.dimension.isUnboundedInRings && members.some(({ span }) => !span.file.isStd)) ||
      members.some((member) => this.#costIn(member) > 0);
    for (const member of members) this.#costs.set(member, isUnbounded ? Number.POSITIVE_INFINITY : 0);
  }

  /** The cost of a body, calls into its own ring left out. */
  #costIn(fn: TypedFunction): Cost {
    let total = 0;
    for (const event of this.#events(fn)) {
      const cost = this.#costAt(event, fn);
      total = this.dimension.isDepth ? Math.max(total, cost) : total + cost;
    }
    return total + this.dimension.frame(fn);
  }

  /** What an event costs, without a bound inside a loop. */
  #costAt(event: Event, fn: TypedFunction): Cost {
    const cost = this.#costOnce(event, fn);
    return event.loop && cost > 0 && !this.dimension.isDepth ? Number.POSITIVE_INFINITY : cost;
  }

  #costOnce(event: Event, fn: TypedFunction): Cost {
    let cost = this.dimension.own(event, fn);
    for (const { handler, times } of this.dimension.deliveries(event))
      cost += times * (this.dimension.perDelivery + this.#known(handler));
    if (event.kind !== "call") return cost;
    const targets = this.#effects.targetsOf(event, fn);
    if (targets.isUnknown) return Number.POSITIVE_INFINITY;
    const ring = this.#effects.ringOf(fn);
    const costs = targets.functions.filter((target) => !ring?.has(target)).map((target) => this.#known(target));
    const isMost = targets.isChoice || this.dimension.isDepth;
    return cost + (isMost ? Math.max(0, ...costs) : costs.reduce((sum, each) => sum + each, 0));
  }

  /** One that is still being measured is reached again through the bus: there is no end. */
  #known(fn: TypedFunction): Cost {
    return this.#costs.get(fn) ?? Number.POSITIVE_INFINITY;
  }

  // ------------------------------------------------------------ explaining

  /** Why a cost has no bound, told along the first way to the reason. */
  reasonOf(root: TypedFunction): string {
    const way: string[] = [];
    const seen = new Set<TypedFunction>();
    for (let fn: TypedFunction | undefined = root; fn && !seen.has(fn); ) {
      seen.add(fn);
      way.push(functionName(fn));
      const at: TypedFunction = fn;
      const endless = this.#events(at).find((event) => this.#costAt(event, at) === Number.POSITIVE_INFINITY);
      if (!endless) return `${wayText(way)} runs in a ring of calls`;
      if (endless.loop && this.#costOnce(endless, at) !== Number.POSITIVE_INFINITY) return `a loop in ${wayText(way)}`;
      if (endless.kind === "call" && this.#effects.targetsOf(endless, at).isUnknown)
        return `${wayText(way)} calls what may do anything`;
      if (endless.kind === "send") return `${wayText(way)} sends without bound`;
      fn = this.#callees(endless, at).find((target) => this.#known(target) === Number.POSITIVE_INFINITY);
    }
    return wayText(way);
  }

  /** The functions along the costliest calls. */
  heaviestWay(root: TypedFunction): string {
    const way: string[] = [];
    const seen = new Set<TypedFunction>();
    for (let fn: TypedFunction | undefined = root; fn && !seen.has(fn); ) {
      seen.add(fn);
      way.push(functionName(fn));
      const at: TypedFunction = fn;
      const next: readonly TypedFunction[] = this.#events(at).flatMap((event) => [
        ...this.#callees(event, at),
        ...this.dimension.deliveries(event).map(({ handler }) => handler),
      ]);
      fn = next.filter((each) => this.#known(each) > 0).sort((a, b) => this.#known(b) - this.#known(a))[0];
    }
    return wayText(way);
  }

  /** Where a cost without bound comes from: the call or send that repeats, or whose target is not known. */
  unboundedAt(root: TypedFunction): Span | undefined {
    const seen = new Set<TypedFunction>();
    for (let fn: TypedFunction | undefined = root; fn && !seen.has(fn); ) {
      seen.add(fn);
      const at: TypedFunction = fn;
      const endless = this.#events(at).find((event) => this.#costAt(event, at) === Number.POSITIVE_INFINITY);
      if (!endless) return undefined;
      const inner: readonly TypedFunction[] = [
        ...this.#callees(endless, at),
        ...this.dimension.deliveries(endless).map(({ handler }) => handler),
      ];
      const deeper: TypedFunction | undefined = endless.loop
        ? undefined
        : inner.find((target) => this.#known(target) === Number.POSITIVE_INFINITY);
      if (!deeper) return endless.span;
      fn = deeper;
    }
    return undefined;
  }

  /** The places that are counted, in depth-first source order: a call in a loop stands for what it calls. */
  sitesOf(root: TypedFunction, most: number): readonly { readonly span: Span; readonly what: string }[] {
    const sites = new Map<string, { readonly span: Span; readonly what: string }>();
    const seen = new Set([root]);
    const stack: { readonly fn: TypedFunction; next: number }[] = [{ fn: root, next: 0 }];
    for (let frame = stack.at(-1); frame && sites.size < most; frame = stack.at(-1)) {
      const { fn } = frame;
      const event = this.#events(fn)[frame.next++];
      if (!event) {
        stack.pop();
        continue;
      }
      if (this.#costAt(event, fn) === 0) continue;
      const key = `${event.span.file.path}:${event.span.start}`;
      const inLoop = event.loop ? ", in a loop" : "";
      if (event.kind !== "call" || event.loop || this.dimension.own(event, fn) > 0) {
        sites.set(key, { span: event.span, what: `this is counted: ${siteText(event)}${inLoop}` });
        continue;
      }
      if (this.#effects.targetsOf(event, fn).isUnknown) {
        sites.set(key, { span: event.span, what: "this is counted: nothing says what is called here" });
        continue;
      }
      const next = this.#callees(event, fn).find((target) => !seen.has(target) && this.#known(target) > 0);
      if (!next) continue;
      frame.next--;
      seen.add(next);
      stack.push({ fn: next, next: 0 });
    }
    return [...sites.values()];
  }
}

function siteText(event: Event): string {
  if (event.kind === "site") return event.label;
  return event.kind === "call" ? "a call that allocates" : "this";
}
