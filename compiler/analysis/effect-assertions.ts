// Effect assertions on functions (11.10, 11.11): what must not be reached, what alone may be, which subjects may be sent to.
import type { TopicInfo, TypedFunction, TypedSeed } from "../semantics/index.ts";
import type { EffectSetItem } from "../syntax/index.ts";
import { type Assertion, assertionsOf, itemText, type NamedClass } from "./assertions.ts";
import { ALL_BUILT_IN, builtIn, type ClassSet, NONE, reportClass, UNKNOWN } from "./classes.ts";
import { type Effects, subjectText, type Witness } from "./effects.ts";
import type { Findings } from "./findings.ts";
import { functionName, wayText } from "./names.ts";
import { seedOf, topicAt } from "./seeds.ts";

export function checkEffectAssertions(effects: Effects, functions: readonly TypedFunction[], findings: Findings): void {
  for (const fn of functions) {
    checkContradictions(effects, fn, findings);
    for (const assertion of assertionsOf(fn)) checkAssertion(effects, fn, assertion, findings);
  }
}

function checkAssertion(effects: Effects, fn: TypedFunction, assertion: Assertion, findings: Findings): void {
  switch (assertion.kind) {
    case "no_panic":
      return;
    case "publish":
      checkPublish(effects, fn, assertion.items, findings);
      return;
    case "none": {
      const set = resolveAll(effects, fn, assertion.classes, findings);
      if (set !== undefined) checkForbidden(effects, fn, set, `is \`${assertion.label}\``, findings);
      return;
    }
    case "only": {
      const set = resolveAll(effects, fn, assertion.classes, findings);
      if (set === undefined) return;
      const forbidden = (ALL_BUILT_IN | effects.classes.allDeclared) & ~set;
      checkForbidden(effects, fn, forbidden, `is \`${assertion.label}\``, findings);
      return;
    }
    case "is":
    case "causes":
      resolveAll(effects, fn, assertion.classes, findings);
      return;
  }
}

/** The classes of a clause; undefined when one is reported. */
export function resolveAll(
  effects: Effects,
  fn: TypedFunction,
  classes: readonly NamedClass[],
  findings: Findings,
): ClassSet | undefined {
  let set = NONE;
  let isSound = true;
  for (const { name, argument } of classes) {
    const resolved = effects.classes.resolve(name, argument);
    if ("set" in resolved) set |= resolved.set;
    else {
      isSound = false;
      reportClass(resolved, fn.nameSpan, findings);
    }
  }
  return isSound ? set : undefined;
}

/**
 * One pair of errors per class that `fn` reaches and may not: at its name with the way, and where the class is reached. `rule` says after the function's
 * name what is broken.
 */
export function checkForbidden(
  effects: Effects,
  fn: TypedFunction,
  forbidden: ClassSet,
  rule: string,
  findings: Findings,
  code: "E1101" | "E1106" = "E1101",
  subject = `\`${functionName(fn)}\``,
): void {
  if (forbidden === NONE) return;
  const reached = effects.reached(fn) & (forbidden | UNKNOWN);
  if (reached === NONE) return;
  for (const name of effects.classes.namesIn(reached & forbidden)) {
    const resolved = effects.classes.resolve(...splitFamily(name));
    if (!("set" in resolved)) continue;
    if (name === "recursion") {
      findings.error(
        code,
        fn.nameSpan,
        `${subject} ${rule} but runs in a ring of calls: cycle: ${ringText(effects, fn)}`,
      );
      continue;
    }
    const witness = effects.witness(fn, resolved.set);
    if (!witness) continue;
    findings.error(code, fn.nameSpan, `${subject} ${rule} but reaches \`${name}\`: ${pathText(witness)}`);
    if (witness.leaf) findings.error(code, witness.leaf, `the \`${name}\` effect is reached here`);
  }
  if ((reached & UNKNOWN) === NONE) return;
  const witness = effects.witness(fn, UNKNOWN);
  if (!witness) return;
  findings.error(code, fn.nameSpan, `${subject} ${rule} but calls what may do anything: ${pathText(witness)}`);
  if (witness.leaf)
    findings.error(
      code,
      witness.leaf,
      "nothing says what is called here: give the receiver a written type, or pass the value in",
    );
}

function splitFamily(name: string): [string, string | undefined] {
  const [, family, member] = /^(.*)\((.*)\)$/.exec(name) ?? [];
  return family === undefined ? [name, undefined] : [family, member];
}

/** `root -> hop -> hop [leaf]` */
export function pathText({ path, label }: Witness): string {
  return `${wayText(path.map(functionName))} [${label}]`;
}

/** `fact -> fact`: the ring that `fn` is on or reaches, from its first function in depth-first order. */
function ringText(effects: Effects, fn: TypedFunction): string {
  const seen = new Set<TypedFunction>();
  const stack = [fn];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const ring = effects.ringOf(next);
    if (ring) return wayAround(effects, next, ring);
    stack.push(...[...effects.edges(next)].reverse());
  }
  return functionName(fn);
}

/** The shortest way from a function of a ring back to itself. */
function wayAround(effects: Effects, start: TypedFunction, ring: ReadonlySet<TypedFunction>): string {
  const from = new Map<TypedFunction, TypedFunction>();
  const queue = [start];
  for (let next = queue.shift(); next; next = queue.shift()) {
    for (const target of effects.edges(next)) {
      if (target === start) {
        const way = [start];
        for (let at: TypedFunction | undefined = next; at && at !== start; at = from.get(at)) way.unshift(at);
        return wayText([start, ...way].map(functionName));
      }
      if (!ring.has(target) || from.has(target)) continue;
      from.set(target, next);
      queue.push(target);
    }
  }
  return functionName(start);
}

// ---------------------------------------------------------------- publish sets

function checkPublish(effects: Effects, fn: TypedFunction, items: readonly EffectSetItem[], findings: Findings): void {
  const isPublisher = (effects.reached(fn) & (builtIn("publish") | UNKNOWN)) !== NONE;
  if (!isPublisher) return;
  const seed = seedOf(effects.program, fn.nameSpan);
  const leadsToSends = (target: TypedFunction) => (effects.reached(target) & (builtIn("publish") | UNKNOWN)) !== NONE;
  const offence = effects.search(fn, leadsToSends, (event, path) => {
    const at = path.at(-1) ?? fn;
    if (event.kind === "send" && !isAllowed(event.send.subject, items, seed)) {
      return { path: [...path], span: event.span, what: `sends ${subjectLabel(event.send.subject)}` };
    }
    const isUnknown = event.kind === "call" && effects.targetsOf(event, at).isUnknown;
    return isUnknown ? { path: [...path], span: event.span, what: "calls what may do anything" } : undefined;
  });
  if (!offence) return;
  const allowed = items.length === 0 ? "nothing" : items.map(itemText).join(", ");
  const way = wayText(offence.path.map(functionName));
  findings.error("E1105", fn.nameSpan, `\`${functionName(fn)}\` ${offence.what}, allowed: ${allowed}: ${way}`);
  findings.error("E1105", offence.span, "what the publish set leaves out is here");
}

type SendSubject = Parameters<typeof subjectText>[0];

function subjectLabel(subject: SendSubject): string {
  return subject.kind === "computed" ? subjectText(subject) : `\`${subjectText(subject)}\``;
}

/** Whether a set of topics and wire subjects names a send's subject. */
function isAllowed(subject: SendSubject, items: readonly EffectSetItem[], seed: TypedSeed | undefined): boolean {
  if (subject.kind === "computed") return false;
  const wire = subject.kind === "topic" ? subject.topic.subject : subject.text;
  return items.some((item) => {
    if (item.kind === "string") return item.value === wire;
    return subject.kind === "topic" && namesTopic(item, subject.topic, seed);
  });
}

/** An unqualified name matches the topic under any alias (11.10). */
function namesTopic(
  item: EffectSetItem & { readonly kind: "path" },
  topic: TopicInfo,
  seed: TypedSeed | undefined,
): boolean {
  const [first, second] = item.path.segments;
  if (!second) return first?.text === topic.name;
  return seed !== undefined && topicAt(seed, item.path) === topic;
}

// ---------------------------------------------------------------- contradictions

/** `@unbounded` beside a contract that forbids allocation (11.10, placement rule 5). */
function checkContradictions(effects: Effects, fn: TypedFunction, findings: Findings): void {
  const unbounded = fn.decorators.find(({ name }) => name === "unbounded");
  if (!unbounded) return;
  const against = (what: string) =>
    findings.error("E1103", unbounded.span, `\`@unbounded\` contradicts \`${what}\`, which forbids allocation`);
  for (const decorator of fn.decorators) {
    if (decorator.name === "hot") against("@hot");
    if (decorator.name !== "budget") continue;
    const isZero = decorator.entries.some(({ effect, limit }) => effect.name.text === "alloc_per_call" && limit === 0n);
    if (isZero) against("@budget(alloc_per_call = 0)");
  }
  for (const assertion of assertionsOf(fn)) {
    if (assertion.kind !== "none" && assertion.kind !== "only") continue;
    const isForbidden =
      assertion.kind === "none"
        ? assertion.classes.some((named) => coversAlloc(effects, named, false))
        : !assertion.classes.some((named) => coversAlloc(effects, named, true));
    if (isForbidden) against(assertion.label);
  }
}

/** Whether a class of a set is `alloc` or composed of it; `otherwise` when the class is not declared, which is reported elsewhere. */
function coversAlloc(effects: Effects, { name, argument }: NamedClass, otherwise: boolean): boolean {
  const resolved = effects.classes.resolve(name, argument);
  return "set" in resolved ? (resolved.set & builtIn("alloc")) !== NONE : otherwise;
}
