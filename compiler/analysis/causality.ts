// `causes:` (what a function's sends can set off) and `depends:` (what can influence a locus), 11.11.
import type { LocusType, SubscriptionInfo, TypedExpr, TypedFunction, TypedSeed } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import type { EffectSetItem } from "../syntax/index.ts";
import { assertionsOf, itemText } from "./assertions.ts";
import type { SendEvent } from "./body-facts.ts";
import { type BusGraph, wireSubject } from "./bus-graph.ts";
import { builtIn, type ClassSet, NONE, UNKNOWN } from "./classes.ts";
import { resolveAll } from "./effect-assertions.ts";
import { type Effects, isSynchronized, subjectText } from "./effects.ts";
import type { Findings } from "./findings.ts";
import { functionName, locusName } from "./names.ts";
import { seedOf, topicAt } from "./seeds.ts";

// ---------------------------------------------------------------- causes

export function checkCauses(
  effects: Effects,
  bus: BusGraph,
  functions: readonly TypedFunction[],
  findings: Findings,
): void {
  for (const fn of functions) {
    for (const assertion of assertionsOf(fn)) {
      if (assertion.kind !== "causes") continue;
      // Classes that do not exist are reported with the other assertions.
      const allowed = resolveAll(effects, fn, assertion.classes, findings);
      if (allowed !== undefined) checkConsequences(effects, bus, fn, allowed, findings);
    }
  }
}

interface Consequence {
  readonly handler: TypedFunction;
  /** `Api::handle` -> subject `Orders` -> `Audit::on_order` */
  readonly way: string;
}

function checkConsequences(
  effects: Effects,
  bus: BusGraph,
  fn: TypedFunction,
  allowed: ClassSet,
  findings: Findings,
): void {
  const own = effects.reached(fn);
  const report = (text: string) => findings.error("E1107", fn.nameSpan, `\`${functionName(fn)}\` ${text}`);
  const { consequences, uncertain } = consequencesOf(effects, bus, fn);
  const reported = new Set<string>();
  for (const { handler, way } of consequences) {
    const caused = effects.reached(handler);
    if ((caused & UNKNOWN) !== NONE) report(`causes what is not known: ${way} calls what may do anything`);
    for (const name of effects.classes.namesIn(caused & ~own & ~allowed)) {
      if (!reported.has(name)) report(`causes \`${name}\`, which its \`causes\` does not list: ${way}`);
      reported.add(name);
    }
  }
  for (const way of uncertain) report(`cannot be certified: ${way}`);
}

/** The handlers that a function's sends reach, directly and through handlers that send again. */
function consequencesOf(
  effects: Effects,
  bus: BusGraph,
  fn: TypedFunction,
): { readonly consequences: readonly Consequence[]; readonly uncertain: readonly string[] } {
  const consequences: Consequence[] = [];
  const uncertain: string[] = [];
  const seen = new Set<TypedFunction>();
  const queue: Consequence[] = [{ handler: fn, way: `\`${functionName(fn)}\`` }];
  for (let at = queue.shift(); at; at = queue.shift()) {
    for (const send of reachedSends(effects, at.handler)) {
      const subject = wireSubject(send);
      const topic = send.send.subject.kind === "topic" ? send.send.subject.topic : undefined;
      const step = `${at.way} -> subject ${subjectName(send)}`;
      if (subject === undefined) uncertain.push(`${step} is only known at run time`);
      else if (topic && bus.program.boundTopics.has(topic)) uncertain.push(`${step} leaves the process`);
      for (const { subscription } of subject === undefined ? [] : bus.receivers(subject)) {
        const { handler } = subscription;
        if (seen.has(handler) || !mayReceive(send, subscription)) continue;
        seen.add(handler);
        const next = { handler, way: `${step} -> \`${functionName(handler)}\`` };
        consequences.push(next);
        queue.push(next);
      }
    }
  }
  return { consequences, uncertain };
}

function subjectName(send: SendEvent): string {
  const text = subjectText(send.send.subject);
  return send.send.subject.kind === "topic" ? `\`${text}\`` : text;
}

/** The sends of a function and of all that it calls, in depth-first source order. */
export function reachedSends(effects: Effects, fn: TypedFunction): readonly SendEvent[] {
  const sends: SendEvent[] = [];
  effects.search(
    fn,
    (target) => (effects.reached(target) & builtIn("publish")) !== NONE,
    (event) => {
      if (event.kind === "send") sends.push(event);
      return undefined;
    },
  );
  return sends;
}

/** Whether a key filter lets a message through, as far as both keys are written as constants (06 6.9). */
export function mayReceive({ send }: SendEvent, { key }: SubscriptionInfo): boolean {
  if (key?.kind !== "value" || send.subject.kind !== "topic") return true;
  const { keyField } = send.subject.topic;
  const wanted = constantOf(key.value.body?.tail);
  const given = constantOf(
    send.payload.kind === "record" && keyField !== undefined ? send.payload.fields[keyField] : undefined,
  );
  return wanted === undefined || given === undefined || wanted === given;
}

function constantOf(expr: TypedExpr | undefined): string | undefined {
  if (expr?.kind === "int" || expr?.kind === "bool") return `${expr.kind} ${expr.value}`;
  return expr?.kind === "string" ? `text ${new TextDecoder().decode(expr.value)}` : undefined;
}

// ---------------------------------------------------------------- depends

export function checkDepends(effects: Effects, bus: BusGraph, loci: readonly LocusType[], findings: Findings): void {
  for (const locus of loci) {
    for (const decorator of locus.decl.decorators) {
      if (decorator.name !== "effects") continue;
      for (const { key, set } of decorator.entries)
        if (key.text === "depends") checkInputs(effects, bus, locus, key.span, set, findings);
    }
  }
}

function checkInputs(
  effects: Effects,
  bus: BusGraph,
  locus: LocusType,
  at: Span,
  items: readonly EffectSetItem[],
  findings: Findings,
): void {
  const seed = seedOf(bus.program, locus.span);
  const listed = new Set(items.flatMap((item) => subjectsNamed(bus, seed, item, at, findings)));
  for (const { subject, way } of inputsOf(effects, bus, locus)) {
    if (!listed.has(subject))
      findings.error(
        "E1108",
        at,
        `\`${locusName(locus)}\` depends on "${subject}", which \`depends\` does not list: ${way}`,
      );
  }
  for (const { name, type } of locus.fields) {
    if (type.kind !== "locus" || !isSynchronized(type)) continue;
    findings.error(
      "E1108",
      at,
      `\`${locusName(locus)}\` depends on what others write into \`${name}\`, an input outside the bus`,
    );
  }
}

function subjectsNamed(
  bus: BusGraph,
  seed: TypedSeed | undefined,
  item: EffectSetItem,
  at: Span,
  findings: Findings,
): string[] {
  const topics = item.kind === "string" ? [] : topicsNamed(bus, seed, item);
  if (item.kind === "string" && (bus.isPublished(item.value) || bus.isSubscribed(item.value))) return [item.value];
  if (topics.length > 0) return topics;
  const problem = `\`${itemText(item)}\` names no subject of the program`;
  if (item.kind === "path" && item.path.segments.length === 1) findings.unbound("E1108", at, problem);
  else findings.error("E1108", at, problem);
  return [];
}

function topicsNamed(
  { program }: BusGraph,
  seed: TypedSeed | undefined,
  item: EffectSetItem & { readonly kind: "path" },
): string[] {
  const [first, second] = item.path.segments;
  const qualified = second && seed ? topicAt(seed, item.path) : undefined;
  if (second) return qualified ? [qualified.subject] : [];
  return program.topics.flatMap((topic) => (topic.name === first?.text ? [topic.subject] : []));
}

/** Every subject that can lead to one of a locus's handlers, with the way. */
function inputsOf(
  effects: Effects,
  bus: BusGraph,
  locus: LocusType,
): { readonly subject: string; readonly way: string }[] {
  const inputs = new Map<string, string>();
  const queue: string[] = [];
  const add = (subject: string, way: string) => {
    if (inputs.has(subject)) return;
    inputs.set(subject, way);
    queue.push(subject);
  };
  for (const { subject, handler } of locus.subscriptions) add(subject, `"${subject}" -> \`${functionName(handler)}\``);
  for (let subject = queue.shift(); subject !== undefined; subject = queue.shift()) {
    for (const { subscription } of bus.subscribers) {
      const leads = reachedSends(effects, subscription.handler).some((send) => sendMeets(bus, send, subject));
      if (leads)
        add(
          subscription.subject,
          `"${subscription.subject}" -> \`${functionName(subscription.handler)}\` -> ${inputs.get(subject) ?? ""}`,
        );
    }
  }
  return [...inputs].map(([subject, way]) => ({ subject, way }));
}

function sendMeets(bus: BusGraph, send: SendEvent, subject: string | undefined): boolean {
  const wire = wireSubject(send);
  if (subject === undefined) return false;
  return (
    wire === undefined ||
    wire === subject ||
    bus.receivers(wire).some(({ subscription }) => subscription.subject === subject)
  );
}
