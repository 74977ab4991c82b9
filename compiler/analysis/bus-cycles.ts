// Handlers that send in a ring (11.4, "Cycles"). Rings of direct calls are errors of the checker; these go through the queue.
import type { LocusType, TopicInfo } from "../semantics/index.ts";
import type { SendEvent } from "./body-facts.ts";
import { type BusGraph, directTopics, sendsOf, type Subscriber, wireSubject } from "./bus-graph.ts";
import { subjectText } from "./effects.ts";
import type { Findings } from "./findings.ts";
import { locusName, wayText } from "./names.ts";
import type { PlaceOrder } from "./place-order.ts";

interface Edge {
  readonly from: Subscriber;
  readonly send: SendEvent;
  readonly to: Subscriber;
}

export function findBusCycles(bus: BusGraph, order: PlaceOrder, findings: Findings): void {
  const subscribers = order.sorted(bus.subscribers, ({ subscription }) => subscription.handler.nameSpan);
  const edges = new Map<Subscriber, readonly Edge[]>();
  for (const from of subscribers) edges.set(from, edgesFrom(bus, from));
  const done = new Set<Subscriber>();
  for (const start of subscribers) {
    if (done.has(start)) continue;
    const ring = wayBack(start, (at) => edges.get(at) ?? [], isAcross);
    if (!ring) continue;
    for (const edge of ring) done.add(edge.from);
    report(ring, findings);
  }
  findInternalCycles(bus, subscribers, edges, findings);
}

function edgesFrom(bus: BusGraph, from: Subscriber): Edge[] {
  return sendsOf(from.subscription.handler).flatMap((send) => {
    const subject = wireSubject(send);
    return subject === undefined ? [] : bus.receivers(subject).map((to) => ({ from, send, to }));
  });
}

/** Rings within one locus count when no condition guards a send and some send stays on the queue. */
function findInternalCycles(
  bus: BusGraph,
  subscribers: readonly Subscriber[],
  edges: ReadonlyMap<Subscriber, readonly Edge[]>,
  findings: Findings,
): void {
  const direct = directTopics(bus.program);
  const done = new Set<Subscriber>();
  for (const start of subscribers) {
    if (done.has(start)) continue;
    const inside = (at: Subscriber) =>
      (edges.get(at) ?? []).filter(({ send, to }) => to.locus === start.locus && !send.isConditional);
    const ring = wayBack(start, inside, (way) => way.some(({ send }) => !isDirect(send, start.locus, direct)));
    if (!ring) continue;
    for (const edge of ring) done.add(edge.from);
    report(ring, findings);
  }
}

function isDirect({ send: { subject } }: SendEvent, locus: LocusType, direct: ReadonlySet<TopicInfo>): boolean {
  if (subject.kind !== "topic" || !direct.has(subject.topic)) return false;
  return locus.subscriptions.some(({ topic }) => topic === subject.topic);
}

function isAcross(ring: readonly Edge[]): boolean {
  return new Set(ring.map(({ from }) => from.locus)).size > 1;
}

/** The shortest ring through `start` among those that count. */
function wayBack(
  start: Subscriber,
  edgesOf: (at: Subscriber) => readonly Edge[],
  counts: (ring: readonly Edge[]) => boolean,
): readonly Edge[] | undefined {
  const came = new Map<Subscriber, Edge>();
  const queue = [start];
  for (let at = queue.shift(); at; at = queue.shift()) {
    for (const edge of edgesOf(at)) {
      if (edge.to === start) {
        const ring = [edge];
        for (let back = edge.from; back !== start; ) {
          const step = came.get(back);
          if (!step) break;
          ring.unshift(step);
          back = step.from;
        }
        if (counts(ring)) return ring;
        continue;
      }
      if (came.has(edge.to)) continue;
      came.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  return undefined;
}

function report(ring: readonly Edge[], findings: Findings): void {
  const [first] = ring;
  if (!first) return;
  const subjects = [...ring.map(({ send }) => subjectText(send.send.subject))];
  const way = wayText([subjects.at(-1) ?? "", ...subjects]);
  const loci = [...new Set(ring.map(({ from }) => locusName(from.locus)))].join(", ");
  findings.warn("W1102", first.send.span, `bus cycle \`${way}\` (${loci}): nothing says that it ends`);
}
