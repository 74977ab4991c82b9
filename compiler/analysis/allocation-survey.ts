// The unbounded-allocation survey (11.7): allocations that pile up while the program runs on.
import type { LocusType, Type, TypedFunction, TypedProgram } from "../semantics/index.ts";
import { type BodyFacts, type CallEvent, factsOf, type Loop, type SiteEvent } from "./body-facts.ts";
import type { Effects } from "./effects.ts";
import type { Findings } from "./findings.ts";
import { functionName } from "./names.ts";

/** `fn main`, written or made for a lone main locus, and nothing that goes on: no `run()`, no handler. */
function runsToItsEnd({ entry, loci }: TypedProgram): boolean {
  if (!entry) return false;
  return !loci.some((locus) => !locus.isStd && (locus.hooks.run !== undefined || locus.subscriptions.length > 0));
}

export class AllocationSurvey {
  readonly #effects: Effects;
  readonly #functions: readonly TypedFunction[];
  /** Frames that live as long as the program or a locus's run: `main`, every `run()`, and the free functions that they call. */
  readonly #longLived: ReadonlySet<TypedFunction>;
  /** Handlers, what an unbounded loop calls, and what such functions call. */
  readonly unbounded: ReadonlySet<TypedFunction>;
  /** Called by a long-lived frame. */
  readonly #calledByLongLived = new Set<TypedFunction>();
  /** Free functions that an unbounded loop of a long-lived frame calls. */
  readonly #calledInLongLoops = new Set<TypedFunction>();
  readonly #passing: ReadonlySet<LocusType>;
  readonly #selfContained = new Map<TypedFunction, boolean>();

  constructor(effects: Effects, functions: readonly TypedFunction[]) {
    this.#effects = effects;
    this.#functions = functions;
    this.#longLived = this.#findLongLived();
    this.unbounded = this.#findUnbounded(functions);
    for (const fn of this.#longLived) {
      this.#eachCall(fn, (event, target) => {
        this.#calledByLongLived.add(target);
        if (isInUnboundedLoop(event.loop) && target.role === "free") this.#calledInLongLoops.add(target);
      });
    }
    this.#passing = passingLoci(effects.program, functions);
  }

  /** One advisory per site that piles up. */
  report(findings: Findings): void {
    if (runsToItsEnd(this.#effects.program)) return;
    for (const fn of this.#functions) {
      if (fn.decorators.some(({ name }) => name === "unbounded")) continue;
      for (const event of factsOf(fn).events) {
        if (event.kind !== "site" || !this.#accumulates(event, fn)) continue;
        const what = `this ${event.label} accumulates in \`${functionName(fn)}\` until the locus dissolves`;
        findings.warn(
          "W1109",
          event.span,
          `${what}: bound the loop, use a bounded form, mutate in place, send it, or mark the fn \`@unbounded\``,
        );
      }
    }
  }

  /** Whether a site is reported: the three cases of 11.7, less what is not reported. */
  #accumulates(site: SiteEvent, fn: TypedFunction): boolean {
    if (this.#isPassing(site, fn)) return false;
    return this.#pilesUpInLoop(site, fn) || this.#pilesUpByCalls(site, fn) || this.#pilesUpInCaller(site, fn);
  }

  #pilesUpInLoop({ fate, loop }: SiteEvent, fn: TypedFunction): boolean {
    if (fate === "sent" || !isInUnboundedLoop(loop)) return false;
    return fate !== "local" || this.#longLived.has(fn) || isInEndlessLoop(loop);
  }

  #pilesUpByCalls(site: SiteEvent, fn: TypedFunction): boolean {
    if (!this.unbounded.has(fn)) return false;
    if (site.fate === "stored") return !isReplaced(site, fn);
    return site.fate === "returned" && (this.#longLived.has(fn) || this.#calledByLongLived.has(fn));
  }

  #pilesUpInCaller({ fate }: SiteEvent, fn: TypedFunction): boolean {
    return fate === "local" && fn.role === "free" && this.#calledInLongLoops.has(fn) && !this.#isSelfContained(fn);
  }

  // ------------------------------------------------------------ frames and calls

  #eachCall(fn: TypedFunction, visit: (event: CallEvent, target: TypedFunction) => void): void {
    for (const event of factsOf(fn).events) {
      if (event.kind !== "call") continue;
      for (const target of this.#effects.targetsOf(event, fn).functions)
        if (!target.span.file.isStd) visit(event, target);
    }
  }

  #findLongLived(): ReadonlySet<TypedFunction> {
    const { entry, loci } = this.#effects.program;
    const runs = loci.flatMap((locus) => (locus.isStd || !locus.hooks.run ? [] : [locus.hooks.run]));
    return this.#closure([...(entry ? [entry] : []), ...runs], (target) => target.role === "free");
  }

  #findUnbounded(functions: readonly TypedFunction[]): ReadonlySet<TypedFunction> {
    const starts = functions.filter((fn) => fn.isHandler);
    for (const fn of functions) {
      this.#eachCall(fn, (event, target) => {
        if (isInUnboundedLoop(event.loop)) starts.push(target);
      });
    }
    return this.#closure(starts, () => true);
  }

  #closure(starts: readonly TypedFunction[], follows: (target: TypedFunction) => boolean): ReadonlySet<TypedFunction> {
    const found = new Set(starts);
    const queue = [...found];
    for (let fn = queue.pop(); fn; fn = queue.pop()) {
      this.#eachCall(fn, (_, target) => {
        if (found.has(target) || !follows(target)) return;
        found.add(target);
        queue.push(target);
      });
    }
    return found;
  }

  // ------------------------------------------------------------ what is not reported

  /** A locus that is only ever a statement of its own ends there; so does what stays inside it. */
  #isPassing({ fate, literal }: SiteEvent, fn: TypedFunction): boolean {
    if (literal?.kind === "locus" && this.#passing.has(literal.locus)) return true;
    return fn.self !== undefined && this.#passing.has(fn.self) && (fate === "local" || fate === "stored");
  }

  /** Text and numbers in, text or a number out, and nothing built or kept between (11.7, case 3). */
  #isSelfContained(fn: TypedFunction): boolean {
    const known = this.#selfContained.get(fn);
    if (known !== undefined) return known;
    // A ring of such functions is as contained as its other parts.
    this.#selfContained.set(fn, true);
    const isContained =
      [...fn.params.map((param) => param.type), fn.result].every(isPlainType) && this.#callsContained(factsOf(fn));
    this.#selfContained.set(fn, isContained);
    return isContained;
  }

  #callsContained({ events, fn }: BodyFacts): boolean {
    return events.every((event) => {
      switch (event.kind) {
        case "literal":
        case "send":
          return false;
        case "site":
          return event.literal === undefined;
        case "call": {
          if (event.call.callee.kind !== "function" && event.call.callee.kind !== "indirect") return false;
          const { functions, isUnknown } = this.#effects.targetsOf(event, fn);
          return !isUnknown && functions.every((target) => this.#isContainedCallee(target));
        }
        default:
          return true;
      }
    });
  }

  #isContainedCallee(target: TypedFunction): boolean {
    if (!target.span.file.isStd) return this.#isSelfContained(target);
    return [...target.params.map((param) => param.type), target.result].every(isPlainType);
  }
}

function isInUnboundedLoop(loop: Loop | undefined): boolean {
  for (let at = loop; at; at = at.outer) if (!at.isBounded) return true;
  return false;
}

function isInEndlessLoop(loop: Loop | undefined): boolean {
  for (let at = loop; at; at = at.outer) if (at.isEndless) return true;
  return false;
}

const PLAIN: ReadonlySet<string> = new Set([
  "Int",
  "Uint",
  "Float",
  "Decimal",
  "Bool",
  "Time",
  "Duration",
  "String",
  "()",
]);

function isPlainType(type: Type): boolean {
  return type.kind === "scalar" || (type.kind === "primitive" && PLAIN.has(type.name));
}

/** `self.f = T { .. }` of numbers and text: the old value is reclaimed at the end of the call. */
function isReplaced({ literal, replacesField }: SiteEvent, fn: TypedFunction): boolean {
  if (!replacesField || literal?.kind !== "record" || literal.type.kind !== "record") return false;
  return fn.role === "method" && literal.type.fields.every(({ type }) => isPlainType(type));
}

// ---------------------------------------------------------------- loci that end where they stand

/** Loci whose every literal is a statement of its own, that nothing holds or accepts, that hear nothing and do not loop forever. */
function passingLoci(program: TypedProgram, functions: readonly TypedFunction[]): ReadonlySet<LocusType> {
  const built = new Set<LocusType>();
  const held = new Set<LocusType>();
  const made = program.functions.filter((each) => each.role === "initialiser" || each === program.entry);
  for (const fn of new Set([...functions, ...made])) {
    for (const event of factsOf(fn).events) {
      if (event.kind !== "literal") continue;
      built.add(event.literal.locus);
      if (!event.isBare) held.add(event.literal.locus);
    }
  }
  for (const locus of program.loci) {
    if (locus.accepts) held.add(locus.accepts);
    for (const { type } of locus.fields) if (type.kind === "locus") held.add(type);
  }
  const isPassing = (locus: LocusType) => !held.has(locus) && locus.subscriptions.length === 0 && !loopsForever(locus);
  return new Set([...built].filter(isPassing));
}

function loopsForever(locus: LocusType): boolean {
  const bodies = [...locus.methods.values(), ...Object.values(locus.hooks), ...locus.onFailure];
  return bodies.some((fn) => factsOf(fn).hasEndlessLoop);
}
