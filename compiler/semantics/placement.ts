// Deployment blocks of the main locus: placement, topology, bindings (06 6.11, 6.16).
import type { Affinity, CoreSet, LocusDecl, PlacementEntry, TopologyBlock } from "../syntax/index.ts";
import { nearestName } from "../source/index.ts";
import type { Context, Env } from "./context.ts";
import { resolveTopicPath } from "./bus-declaration.ts";
import { typeText } from "./type-text.ts";
import type { LocusField, LocusType, PlacementInfo } from "./types.ts";
import { fieldType } from "./untyped-fields.ts";

export function declareDeployment(cx: Context, type: LocusType, decl: LocusDecl, env: Env): void {
  const topology = checkTopology(cx, decl);
  const blocks = decl.members.filter((member) => member.kind === "placement");
  for (const extra of blocks.slice(1)) cx.error("E0711", extra.span, "a main locus has one `placement` block");
  const entries = blocks.flatMap((block) => block.entries);
  const placements: PlacementInfo[] = [];
  for (const entry of entries) {
    const placement = declareEntry(cx, type, entry, placements, topology);
    if (placement) placements.push(placement);
  }
  type.placements = placements;
  checkPools(cx, entries);
  bindTopics(cx, decl, env);
  cx.afterDeclarations.push(() => {
    for (const placement of placements) checkPlaced(cx, placement);
  });
}

// ---------------------------------------------------------------- placement

function declareEntry(
  cx: Context,
  type: LocusType,
  entry: PlacementEntry,
  earlier: readonly PlacementInfo[],
  topology: Topology,
): PlacementInfo | undefined {
  const name = entry.field.text;
  const field = type.fields.find((candidate) => candidate.name === name);
  if (!field) {
    const near = nearestName(
      name,
      type.fields.map((candidate) => candidate.name),
    );
    cx.error("E0711", entry.field.span, `\`${typeText(type)}\` has no field \`${name}\` to place`, {
      help: near === undefined ? undefined : `did you mean \`${near}\`?`,
    });
    return undefined;
  }
  if (earlier.some((other) => other.field === field)) {
    cx.error("E0711", entry.field.span, `\`${name}\` is placed twice`);
    return undefined;
  }
  const pool = entry.pool?.text;
  if (entry.replicas && entry.replicas.value < 1n)
    cx.error("E0712", entry.replicas.span, "`replicas` must be at least 1");
  const isMainPool = entry.place === "cooperative" && (pool === undefined || pool === "main");
  if (entry.affinity) checkAffinity(cx, entry, entry.affinity, isMainPool, topology);
  const asyncIo = entry.constraints.some((constraint) => constraint.text === "async_io");
  if (asyncIo && (isMainPool || entry.place === "pinned")) {
    cx.error(
      "E0712",
      entry.span,
      `\`where async_io\` goes with a pool of its own, not with ${entry.place === "pinned" ? "`pinned`" : "the pool `main`"}`,
    );
  }
  return {
    field,
    place: entry.place,
    pool,
    replicas: entry.replicas && Number(entry.replicas.value),
    asyncIo,
    cores: entry.affinity && coresOf(entry.affinity),
    span: entry.span,
  };
}

function checkAffinity(
  cx: Context,
  entry: PlacementEntry,
  affinity: Affinity,
  isMainPool: boolean,
  topology: Topology,
): void {
  if (entry.place === "cooperative" && isMainPool) cx.error("E0712", entry.span, "an affinity needs a pool of its own");
  if (affinity.kind === "cores") checkCores(cx, affinity.cores, entry.span);
  if (affinity.kind === "node" && !topology.nodes.get(affinity.value)) {
    cx.error(
      "E0712",
      entry.span,
      topology.nodes.has(affinity.value)
        ? `node ${affinity.value} has no l3 domain`
        : `the topology declares no node ${affinity.value}`,
    );
  }
  if (affinity.kind === "l3" && !topology.domains.has(affinity.name.text))
    cx.error("E0712", affinity.name.span, `the topology declares no l3 domain \`${affinity.name.text}\``);
}

function coresOf(affinity: Affinity): readonly number[] | undefined {
  if (affinity.kind === "core") return [Number(affinity.value)];
  return affinity.kind === "cores" ? expand(affinity.cores).map(Number) : undefined;
}

function expand(cores: CoreSet): readonly bigint[] {
  if (cores.kind === "set") return cores.cores;
  const end = cores.inclusive ? cores.high : cores.high - 1n;
  const all: bigint[] = [];
  for (let core = cores.low; core <= end && all.length < 4096; core++) all.push(core);
  return all;
}

function checkCores(cx: Context, cores: CoreSet, span: PlacementEntry["span"]): void {
  const all = expand(cores);
  if (all.length === 0) cx.error("E0712", span, "this range of cores is empty");
  if (new Set(all).size !== all.length) cx.error("E0712", span, "a core is named twice");
}

/** Entries of one pool agree on affinity and `async_io`. */
function checkPools(cx: Context, entries: readonly PlacementEntry[]): void {
  const pools = new Map<string, PlacementEntry[]>();
  for (const entry of entries) {
    if (entry.place !== "cooperative" || !entry.pool) continue;
    pools.set(entry.pool.text, [...(pools.get(entry.pool.text) ?? []), entry]);
  }
  for (const [pool, members] of pools) {
    const affinities = members.filter((member) => member.affinity);
    const [first] = affinities;
    const odd = affinities.find((member) => affinityKey(member.affinity) !== affinityKey(first?.affinity));
    if (odd) cx.error("E0712", odd.span, `pool \`${pool}\` is given two different affinities`);
    const isAsync = (member: PlacementEntry) => member.constraints.some((constraint) => constraint.text === "async_io");
    const bare = members.find((member) => !isAsync(member));
    if (bare && members.some(isAsync))
      cx.error("E0712", bare.span, `pool \`${pool}\` is \`where async_io\` in some entries and not in this one`);
  }
}

function affinityKey(affinity: Affinity | undefined): string {
  if (!affinity) return "";
  if (affinity.kind === "cores") return `cores ${expand(affinity.cores).join(",")}`;
  return affinity.kind === "l3" ? `l3 ${affinity.name.text}` : `${affinity.kind} ${affinity.value}`;
}

/** What may not be placed: data, and for `pinned` loci that accept or audit at birth and dissolve. */
function checkPlaced(cx: Context, { field, place, span }: PlacementInfo): void {
  const type = placedType(cx, field);
  if (!type) {
    cx.error("E0711", span, `\`${field.name}\` is \`${typeText(field.type)}\`, not a locus, and cannot be placed`);
    return;
  }
  if (place !== "pinned") return;
  if (type.accepts) cx.error("E0713", span, `a pinned locus may not declare \`accept\`, as \`${typeText(type)}\` does`);
  const audit = type.closures.find((closure) => closure.epoch === "birth" || closure.epoch === "dissolve");
  if (audit)
    cx.error(
      "E0713",
      span,
      `a pinned locus may not have closures of the ${audit.epoch} epoch, as \`${typeText(type)}.${audit.name}\``,
    );
}

function placedType(cx: Context, field: LocusField): LocusType | undefined {
  const type = fieldType(cx, field);
  return type.kind === "locus" ? type : undefined;
}

// ---------------------------------------------------------------- topology

interface Topology {
  /** Node index to whether it has an l3 domain. */
  readonly nodes: ReadonlyMap<bigint, boolean>;
  readonly domains: ReadonlySet<string>;
}

function checkTopology(cx: Context, decl: LocusDecl): Topology {
  const blocks = decl.members.filter((member): member is TopologyBlock => member.kind === "topology");
  for (const extra of blocks.slice(1)) cx.error("E0712", extra.span, "a main locus has one `topology` block");
  const nodes = new Map<bigint, boolean>();
  const domains = new Set<string>();
  const owners = new Map<bigint, string>();
  const reserved = new Set<bigint>();
  const items = blocks.flatMap((block) => block.items);
  for (const item of items) {
    if (item.kind !== "reserve") continue;
    checkCores(cx, item.cores, item.span);
    for (const core of expand(item.cores)) reserved.add(core);
  }
  for (const item of items) {
    if (item.kind === "reserve") continue;
    if (nodes.has(item.index)) cx.error("E0712", item.span, `node ${item.index} is declared twice`);
    nodes.set(item.index, item.groups.length > 0);
    for (const { name, cores } of item.groups) {
      if (domains.has(name.text)) cx.error("E0712", name.span, `l3 domain \`${name.text}\` is declared twice`);
      domains.add(name.text);
      checkCores(cx, cores, name.span);
      for (const core of expand(cores)) {
        const owner = owners.get(core);
        if (owner !== undefined && owner !== name.text)
          cx.error("E0712", name.span, `core ${core} is in two domains, \`${owner}\` and \`${name.text}\``);
        if (reserved.has(core)) cx.error("E0712", name.span, `core ${core} is reserved`);
        owners.set(core, name.text);
      }
    }
  }
  return { nodes, domains };
}

// ---------------------------------------------------------------- bindings

function bindTopics(cx: Context, decl: LocusDecl, env: Env): void {
  for (const member of decl.members) {
    if (member.kind !== "bindings") continue;
    for (const entry of member.entries) {
      if (entry.kind === "api") continue;
      const topic = resolveTopicPath(cx, env, { kind: "topic", path: entry.topic, span: entry.topic.span });
      if (!topic) continue;
      if (cx.boundTopics.has(topic)) cx.error("E0714", entry.topic.span, `topic \`${topic.name}\` is bound twice`);
      cx.boundTopics.add(topic);
    }
    if (env.scope.isRoot && member.entries.length > 0)
      cx.error("E1001", member.span, "not supported yet: transports in `bindings`");
  }
}
