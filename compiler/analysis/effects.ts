// Which effect classes a function has, by itself and through everything it can call (11.9).
import type { LocusType, TypedFunction, TypedProgram } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import { type CallEvent, type Event, factsOf } from "./body-facts.ts";
import { CallGraph, type Targets } from "./call-graph.ts";
import { BLOCKING, builtIn, type ClassSet, EffectClasses, NONE, STALLING, UNKNOWN } from "./classes.ts";
import { assertionsOf } from "./assertions.ts";
import { isSleep, parks, statedEffects } from "./library-effects.ts";
import { functionName } from "./names.ts";

/** A way from a function to the place where it has a class. */
export interface Witness {
  /** The functions on the way, the root first. */
  readonly path: readonly TypedFunction[];
  /** The call, send, literal or allocation; undefined when the root is a carrier itself. */
  readonly leaf: Span | undefined;
  readonly label: string;
}

interface Node {
  readonly fn: TypedFunction;
  index: number;
  low: number;
  isOnStack: boolean;
}

const SYNC_READ: ClassSet = builtIn("block") | builtIn("time") | builtIn("entropy") | builtIn("env");

export class Effects {
  readonly program: TypedProgram;
  readonly classes: EffectClasses;
  readonly graph: CallGraph;
  readonly #reached = new Map<TypedFunction, ClassSet>();
  readonly #rings = new Map<TypedFunction, ReadonlySet<TypedFunction>>();
  readonly #carried = new Map<TypedFunction, ClassSet>();
  readonly #edges = new Map<TypedFunction, readonly TypedFunction[]>();
  #counter = 0;

  constructor(program: TypedProgram) {
    this.program = program;
    this.classes = new EffectClasses(program);
    this.graph = new CallGraph(program);
  }

  // ------------------------------------------------------------ one function

  /** The classes that a call of `fn` has because `fn` is what it is: `is:`, a library member's classes, `ffi`. */
  carried(fn: TypedFunction): ClassSet {
    const known = this.#carried.get(fn);
    if (known !== undefined) return known;
    const set = fn.span.file.isStd ? this.#carriedByLibrary(fn) : this.#carriedByDeclaration(fn);
    this.#carried.set(fn, set);
    return set;
  }

  #carriedByDeclaration(fn: TypedFunction): ClassSet {
    let set = fn.foreign === undefined ? NONE : builtIn("ffi");
    for (const assertion of assertionsOf(fn)) {
      if (assertion.kind !== "is") continue;
      for (const { name, argument } of assertion.classes) {
        const resolved = this.classes.resolve(name, argument);
        if ("set" in resolved) set |= resolved.set;
      }
    }
    return set;
  }

  /** What a library function states; without a statement what the runtime's functions that it calls itself state. */
  #carriedByLibrary(fn: TypedFunction): ClassSet {
    const stated = statedEffects(fn);
    if (stated) return this.#libraryClasses(fn, stated);
    if (!fn.body) return NONE;
    let set = NONE;
    for (const event of factsOf(fn).events) {
      if (event.kind !== "call" || event.call.callee.kind !== "function") continue;
      const { function: callee } = event.call.callee;
      if (callee.foreign !== undefined) set |= this.carried(callee);
    }
    return (set & BLOCKING) !== NONE && parks(fn) ? set & ~STALLING : set;
  }

  #libraryClasses(fn: TypedFunction, stated: readonly string[]): ClassSet {
    let set = NONE;
    for (const name of stated) {
      const resolved = this.classes.resolve(name);
      if ("set" in resolved) set |= resolved.set;
    }
    if ((set & builtIn("block")) === NONE || isSleep(fn)) return set;
    return parks(fn) ? set | BLOCKING : set | BLOCKING | STALLING;
  }

  /** The classes that one event of a body has by itself. */
  ownClasses(event: Event, fn: TypedFunction): ClassSet {
    const isLibrary = fn.span.file.isStd;
    switch (event.kind) {
      case "print":
        return builtIn("syscall");
      case "send":
        return builtIn("publish");
      case "literal":
        return isLibrary ? NONE : builtIn("spawn");
      case "site":
        return isLibrary ? NONE : builtIn("alloc");
      case "const":
        return NONE;
      case "call": {
        if (this.targetsOf(event, fn).isUnknown) return UNKNOWN;
        return isSynchronizedCall(event) ? SYNC_READ : NONE;
      }
    }
  }

  /** What a body does by itself: its own events and the carriers that it calls. */
  direct(fn: TypedFunction): ClassSet {
    let set = this.carried(fn);
    for (const event of this.eventsOf(fn)) {
      set |= this.ownClasses(event, fn);
      if (event.kind === "call") for (const target of this.targetsOf(event, fn).functions) set |= this.carried(target);
    }
    return set;
  }

  /** The events that are looked at: none of a library function that states its classes. */
  eventsOf(fn: TypedFunction): readonly Event[] {
    return fn.body && !(fn.span.file.isStd && statedEffects(fn)) ? factsOf(fn).events : [];
  }

  targetsOf(event: CallEvent, fn: TypedFunction): Targets {
    return this.graph.targetsOf(event.call, factsOf(fn));
  }

  /** The functions that a body calls, each once, in source order. */
  edges(fn: TypedFunction): readonly TypedFunction[] {
    const known = this.#edges.get(fn);
    if (known) return known;
    const found = new Set<TypedFunction>();
    for (const event of this.eventsOf(fn)) for (const target of this.calleesOf(event, fn)) found.add(target);
    const edges = [...found];
    this.#edges.set(fn, edges);
    return edges;
  }

  calleesOf(event: Event, fn: TypedFunction): readonly TypedFunction[] {
    if (event.kind === "const") return [event.function];
    return event.kind === "call" ? this.targetsOf(event, fn).functions : [];
  }

  // ------------------------------------------------------------ everything reached

  /** Every class that a function has, through whatever it calls. */
  reached(fn: TypedFunction): ClassSet {
    if (!this.#reached.has(fn)) this.#condense(fn);
    return this.#reached.get(fn) ?? NONE;
  }

  /** The functions that call each other in a ring with `fn`; undefined: it is on none. */
  ringOf(fn: TypedFunction): ReadonlySet<TypedFunction> | undefined {
    this.reached(fn);
    return this.#rings.get(fn);
  }

  /**
   * Strongly connected components from `root` on (Tarjan 1972), with an explicit stack: call chains may be long. A component is complete when all that
   * it calls is.
   */
  #condense(root: TypedFunction): void {
    const nodes = new Map<TypedFunction, Node>();
    const stack: Node[] = [];
    const work: { readonly node: Node; next: number }[] = [];
    const open = (fn: TypedFunction) => {
      const node: Node = { fn, index: this.#counter, low: this.#counter, isOnStack: true };
      this.#counter++;
      nodes.set(fn, node);
      stack.push(node);
      work.push({ node, next: 0 });
    };
    open(root);
    for (let frame = work.at(-1); frame; frame = work.at(-1)) {
      const { node } = frame;
      const target = this.edges(node.fn)[frame.next++];
      if (target) {
        const known = nodes.get(target);
        if (known) {
          if (known.isOnStack) node.low = Math.min(node.low, known.index);
        } else if (!this.#reached.has(target)) open(target);
        continue;
      }
      work.pop();
      const caller = work.at(-1);
      if (caller) caller.node.low = Math.min(caller.node.low, node.low);
      if (node.low === node.index) this.#close(stack, node);
    }
  }

  #close(stack: Node[], first: Node): void {
    const members: TypedFunction[] = [];
    for (;;) {
      const node = stack.pop();
      if (!node) throw new Error("unreachable: a component ends with its first node");
      node.isOnStack = false;
      members.push(node.fn);
      if (node === first) break;
    }
    const isRing = members.length > 1 || this.edges(first.fn).includes(first.fn);
    let set = isRing && members.some((fn) => !fn.span.file.isStd) ? builtIn("recursion") : NONE;
    for (const fn of members) {
      set |= this.direct(fn);
      for (const target of this.edges(fn)) set |= this.#reached.get(target) ?? NONE;
    }
    const ring = isRing ? new Set(members) : undefined;
    for (const fn of members) {
      this.#reached.set(fn, set);
      if (ring) this.#rings.set(fn, ring);
    }
  }

  // ------------------------------------------------------------ witnesses

  /** The first way to one of the classes in `wanted`, depth first in source order. */
  witness(root: TypedFunction, wanted: ClassSet): Witness | undefined {
    if ((this.carried(root) & wanted) !== NONE) return { path: [root], leaf: undefined, label: functionName(root) };
    const leadsThere = (target: TypedFunction) => (this.reached(target) & wanted) !== NONE;
    return this.search(root, leadsThere, (event, path) => {
      const label = this.#leafLabel(event, path.at(-1) ?? root, wanted);
      return label === undefined ? undefined : { path: [...path], leaf: event.span, label };
    });
  }

  /**
   * Visits the events of `root` and of every function that it reaches through targets which `follows` says to follow, depth first in source order and
   * each function once, until `visit` answers. `path`: the functions down to the event's.
   */
  search<T>(
    root: TypedFunction,
    follows: (target: TypedFunction) => boolean,
    visit: (event: Event, path: readonly TypedFunction[]) => T | undefined,
  ): T | undefined {
    const seen = new Set([root]);
    const frames: { readonly events: readonly Event[]; next: number; isVisited: boolean }[] = [];
    const path: TypedFunction[] = [];
    const enter = (fn: TypedFunction) => {
      frames.push({ events: this.eventsOf(fn), next: 0, isVisited: false });
      path.push(fn);
    };
    enter(root);
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const fn = path.at(-1) ?? root;
      const event = frame.events[frame.next];
      if (!event) {
        frames.pop();
        path.pop();
        continue;
      }
      // A call comes back here for each of its targets.
      if (!frame.isVisited) {
        const answer = visit(event, path);
        if (answer !== undefined) return answer;
        frame.isVisited = true;
      }
      const next = this.calleesOf(event, fn).find((target) => !seen.has(target) && follows(target));
      if (!next) {
        frame.next++;
        frame.isVisited = false;
        continue;
      }
      seen.add(next);
      enter(next);
    }
    return undefined;
  }

  /** What stands in brackets behind the path when an event has a wanted class by itself. */
  #leafLabel(event: Event, fn: TypedFunction, wanted: ClassSet): string | undefined {
    if ((this.ownClasses(event, fn) & wanted) !== NONE) return eventLabel(event);
    const carrier = this.calleesOf(event, fn).find((target) => (this.carried(target) & wanted) !== NONE);
    return carrier && functionName(carrier);
  }
}

function eventLabel(event: Event): string {
  switch (event.kind) {
    case "print":
      return event.name;
    case "send":
      return `send to ${subjectText(event.send.subject)}`;
    case "literal":
      return `${event.literal.locus.displayName} { }`;
    case "site":
      return event.label;
    case "const":
      return event.function.name;
    case "call":
      return isSynchronizedCall(event) ? "a synchronized form" : "a call whose target is not known";
  }
}

type SendSubject = Extract<Event, { kind: "send" }>["send"]["subject"];

/** A send's subject as messages show it. */
export function subjectText(subject: SendSubject): string {
  if (subject.kind === "topic") return subject.topic.displayName;
  return subject.kind === "literal" ? `"${subject.text}"` : "a computed subject";
}

// ---------------------------------------------------------------- forms that synchronize

/** A method of a form with a synchronizing discipline, or of another locus that holds one: another thread may change the value (06b 6b.2.3). */
function isSynchronizedCall({ call: { callee } }: CallEvent): boolean {
  if (callee.kind !== "form" && callee.kind !== "method") return false;
  const { receiver } = callee;
  if (receiver.kind === "self" || receiver.type.kind !== "locus") return false;
  const holds = (locus: LocusType) => locus.fields.some(({ type }) => type.kind === "locus" && isSynchronized(type));
  return isSynchronized(receiver.type) || (callee.kind === "method" && holds(receiver.type));
}

/** Whether `sync = ..` is written and says more than `none`. */
export function isSynchronized(locus: LocusType): boolean {
  const sync = syncWord(locus);
  return sync !== undefined && sync !== "none";
}

/** The word of a form's `sync` option. */
export function syncWord({ form }: LocusType): string | undefined {
  const sync = form?.options.get("sync");
  return sync?.kind === "string" ? new TextDecoder().decode(sync.value) : undefined;
}
