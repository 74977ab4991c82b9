// Threads, pools and `run()` (11.5): what the entry's placement does to loci that block or never return.
import type {
  LocusField,
  LocusType,
  PlacementInfo,
  TypedExpr,
  TypedFunction,
  TypedProgram,
} from "../semantics/index.ts";
import { neverReturns } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import { assertionsOf } from "./assertions.ts";
import { type CallEvent, factsOf } from "./body-facts.ts";
import { BLOCKING, NONE, STALLING } from "./classes.ts";
import { type Effects, syncWord } from "./effects.ts";
import type { Findings } from "./findings.ts";
import { functionName, locusName, wayText } from "./names.ts";

/** A field of the entry whose locus runs somewhere. */
interface Placed {
  readonly field: LocusField;
  readonly locus: LocusType;
  readonly placement: PlacementInfo | undefined;
  /** The pool's name; undefined for a thread of its own. */
  readonly pool: string | undefined;
  readonly isAsync: boolean;
}

interface Deployment {
  readonly main: LocusType;
  readonly fields: readonly Placed[];
}

/** The entry's fields by pool; undefined without a main locus. */
function deploymentOf({ loci }: TypedProgram): Deployment | undefined {
  const main = loci.find((locus) => locus.isMain);
  if (!main) return undefined;
  const fields = main.fields.flatMap((field): Placed[] => {
    if (field.type.kind !== "locus") return [];
    const placement = main.placements.find((candidate) => candidate.field === field);
    const pool = placement?.place === "pinned" ? undefined : (placement?.pool ?? "main");
    return [{ field, locus: field.type, placement, pool, isAsync: placement?.asyncIo === true }];
  });
  return { main, fields };
}

// ---------------------------------------------------------------- errors

/** A subscriber whose own `run()` blocks the thread that would deliver to it. Returns the pools where it was reported. */
export function checkDeadReceivers(effects: Effects, findings: Findings): ReadonlySet<string> {
  const pools = new Set<string>();
  for (const { locus, pool, isAsync } of deploymentOf(effects.program)?.fields ?? []) {
    if (pool === undefined || pool === "main" || isAsync || !isReceiver(locus)) continue;
    const call = blockingCallsIn(effects, locus.hooks.run)[0];
    if (!call) continue;
    pools.add(pool);
    findings.error(
      "E1111",
      call.span,
      `\`${locusName(locus)}\` subscribes and blocks pool \`${pool}\` here: its messages are never delivered; place it \`pinned\` or \`where async_io\``,
    );
  }
  return pools;
}

/** Whether a locus subscribes what it does not publish itself. */
function isReceiver({ subscriptions, publications }: LocusType): boolean {
  return subscriptions.some(({ subject }) => !publications.some((publication) => publication.subject === subject));
}

/** Calls of blocking library functions in a body itself (11.5, "Blocking functions"). */
function blockingCallsIn(effects: Effects, fn: TypedFunction | undefined): CallEvent[] {
  if (!fn) return [];
  return factsOf(fn)
    .events.filter((event) => event.kind === "call")
    .filter((event) => isBlocking(effects, event));
}

function isBlocking(effects: Effects, { call: { callee } }: CallEvent): boolean {
  const target = callee.kind === "function" || callee.kind === "method" ? callee.function : undefined;
  return target?.span.file.isStd === true && (effects.reached(target) & BLOCKING) !== NONE;
}

// ---------------------------------------------------------------- advisories

/** Blocking on a pool, pool starvation, shared instances, handlers on `async_io` pools. `dead`: pools with a dead receiver. */
export function findThreadTrouble(effects: Effects, dead: ReadonlySet<string>, findings: Findings): void {
  const deployment = deploymentOf(effects.program);
  if (!deployment) return;
  findSharedInstances(deployment, findings);
  for (const placed of deployment.fields) findBlockingRuns(effects, placed, findings);
  findStarvedPools(deployment, dead, findings);
  for (const placed of deployment.fields) if (placed.isAsync) findStallingFunctions(effects, placed, findings);
}

function findBlockingRuns(effects: Effects, { locus, placement, pool, isAsync }: Placed, findings: Findings): void {
  const { run } = locus.hooks;
  if (!placement || pool === undefined || isAsync || !run) return;
  const isDead = pool !== "main" && isReceiver(locus) && blockingCallsIn(effects, run).length > 0;
  for (const event of factsOf(run).events) {
    if (event.kind !== "call") continue;
    const way = isBlocking(effects, event) ? [] : wayToBlocking(effects, event);
    // A call of the run itself is the dead receiver's error.
    if (!way || (isDead && way.length === 0)) continue;
    const through = way.length === 0 ? "" : ` through ${wayText(way.map((fn) => `\`${functionName(fn)}\``))}`;
    findings.warn(
      "W1105",
      event.span,
      `the run of \`${locusName(locus)}\` blocks pool \`${pool}\` here${through}: pin the field, or place it \`where async_io\``,
    );
  }
}

/** The free functions and `self` methods from a call down to a blocking one; undefined: none is reached that way. */
function wayToBlocking(effects: Effects, event: CallEvent): readonly TypedFunction[] | undefined {
  const start = followed(event);
  if (!start) return undefined;
  const from = new Map<TypedFunction, TypedFunction | undefined>([[start, undefined]]);
  const queue = [start];
  for (let fn = queue.shift(); fn; fn = queue.shift()) {
    if ((effects.reached(fn) & BLOCKING) === NONE) continue;
    if (blockingCallsIn(effects, fn).length > 0) {
      const way: TypedFunction[] = [];
      for (let at: TypedFunction | undefined = fn; at; at = from.get(at)) way.unshift(at);
      return way;
    }
    for (const inner of factsOf(fn).events) {
      const next = inner.kind === "call" ? followed(inner) : undefined;
      if (!next || from.has(next)) continue;
      from.set(next, fn);
      queue.push(next);
    }
  }
  return undefined;
}

/** Calls that are followed: bare calls of free functions, and methods of `self`. */
function followed({ call: { callee } }: CallEvent): TypedFunction | undefined {
  if (callee.kind === "function") return callee.function.span.file.isStd ? undefined : callee.function;
  return callee.kind === "method" && callee.receiver.kind === "self" ? callee.function : undefined;
}

function findStarvedPools({ main, fields }: Deployment, dead: ReadonlySet<string>, findings: Findings): void {
  const pools = new Map<string, { readonly span: Span; readonly name: string }[]>();
  const add = (pool: string, locus: LocusType, param: Span | undefined) => {
    const isServer = locus.displayName === "std::http::Server";
    const span = isServer ? param : neverReturns(locus) ? locus.hooks.run?.body?.statements.at(-1)?.span : undefined;
    if (span) pools.set(pool, [...(pools.get(pool) ?? []), { span, name: locusName(locus) }]);
  };
  for (const { field, locus, pool, isAsync } of fields)
    if (pool !== undefined && !isAsync) add(pool, locus, field.span);
  add("main", main, undefined);
  for (const [pool, [first, second]] of pools) {
    if (!first || !second || dead.has(pool)) continue;
    findings.warn(
      "W1106",
      first.span,
      `the runs of \`${first.name}\` and \`${second.name}\` never return and share pool \`${pool}\`: the second never starts`,
    );
  }
}

function findStallingFunctions(effects: Effects, { locus, pool }: Placed, findings: Findings): void {
  for (const fn of locus.methods.values()) {
    if (fn.role !== "method" || assertionsOf(fn).length > 0 || (effects.reached(fn) & STALLING) === NONE) continue;
    const witness = effects.witness(fn, STALLING);
    const way = witness ? `: ${wayText(witness.path.map(functionName))} [${witness.label}]` : "";
    findings.warn(
      "W1108",
      fn.nameSpan,
      `\`${functionName(fn)}\` blocks the \`async_io\` pool \`${pool}\` with a call that does not park${way}`,
    );
  }
}

// ---------------------------------------------------------------- shared instances

function findSharedInstances({ main, fields }: Deployment, findings: Findings): void {
  const holdersOf = new Map<LocusField, Placed[]>();
  for (const holder of fields) {
    for (const shared of handedTo(holder.field.defaultValue?.body?.tail)) {
      holdersOf.set(shared, [...(holdersOf.get(shared) ?? []), holder]);
    }
  }
  for (const shared of fields) {
    const [first, ...others] = holdersOf.get(shared.field) ?? [];
    if (!first || others.length === 0 || !hasOpenState(shared.locus)) continue;
    const second = others.find((holder) => threadOf(holder) !== threadOf(first));
    if (!second) continue;
    const names = `\`${first.field.name}\` and \`${second.field.name}\` of \`${locusName(main)}\``;
    findings.warn(
      "W1107",
      second.field.span,
      `${names} share \`self.${shared.field.name}\` from two threads, and nothing synchronizes \`${locusName(shared.locus)}\``,
      [{ span: first.field.span, note: "the first holder" }],
    );
  }
}

function threadOf({ pool, field }: Placed): string {
  return pool === undefined ? `pinned ${field.name}` : `pool ${pool}`;
}

/** The fields that a literal is given as `self.f`, itself or in a nested literal. */
function handedTo(value: TypedExpr | undefined): readonly LocusField[] {
  if (!value) return [];
  if (value.kind === "convert") return handedTo(value.operand);
  if (value.kind === "field")
    return value.receiver.kind === "self" && "defaultValue" in value.field ? [value.field] : [];
  return value.kind === "locus" ? value.fields.flatMap(handedTo) : [];
}

/** A method that assigns to `self`, or a collection that nothing synchronizes. */
function hasOpenState(locus: LocusType): boolean {
  if (locus.form) return !synchronizes(locus);
  const holdsOpenForm = locus.fields.some(({ type }) => type.kind === "locus" && type.form && !synchronizes(type));
  return holdsOpenForm || [...locus.methods.values()].some(assignsSelf);
}

/** Written, or inferred for a map or set without the word (07 9). */
function synchronizes(locus: LocusType): boolean {
  if (locus.form?.form !== "hashmap" && locus.form?.form !== "set") return false;
  return syncWord(locus) !== "none";
}

function assignsSelf(fn: TypedFunction): boolean {
  return factsOf(fn).assignsSelf;
}
