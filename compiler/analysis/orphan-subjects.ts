// Subjects with one end only (11.4, "Orphan subjects"). Judged where the world is closed: in a program with a main locus.
import type { TopicInfo } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import { type BusGraph, isPattern } from "./bus-graph.ts";
import type { Findings } from "./findings.ts";
import type { PlaceOrder } from "./place-order.ts";

export function findOrphanSubjects(bus: BusGraph, order: PlaceOrder, findings: Findings): void {
  const main = bus.program.loci.find((locus) => locus.isMain);
  if (!main || servesApi(main)) return;
  const topics = [...bus.program.topics].sort((a, b) => (a.displayName < b.displayName ? -1 : 1));
  const wires = new Set(topics.map((topic) => topic.subject));
  for (const topic of topics) judgeTopic(bus, order, topic, findings);
  for (const subject of literalSubjects(bus)) {
    if (!wires.has(subject) && !isPattern(subject)) judgeEnds(bus, order, subject, `subject "${subject}"`, findings);
  }
}

/** The other end of a service's topics is outside. */
function servesApi({ decl }: NonNullable<BusGraph["program"]["loci"][number]>): boolean {
  return decl.members.some((member) => member.kind === "bindings" && member.entries.some(({ kind }) => kind === "api"));
}

function literalSubjects({ publishers, subscribers }: BusGraph): string[] {
  const subjects = new Set<string>();
  for (const { publication } of publishers) if (!publication.topic) subjects.add(publication.subject);
  for (const { subscription } of subscribers) if (!subscription.topic) subjects.add(subscription.subject);
  return [...subjects].sort();
}

function judgeTopic(bus: BusGraph, order: PlaceOrder, topic: TopicInfo, findings: Findings): void {
  if (bus.program.boundTopics.has(topic)) return;
  if (bus.isPublished(topic.subject) || bus.isSubscribed(topic.subject)) {
    judgeEnds(bus, order, topic.subject, `topic \`${topic.displayName}\``, findings);
    return;
  }
  findings.warn(
    "W1101",
    topic.declarationSpan,
    `topic \`${topic.displayName}\` is neither published nor subscribed: remove it`,
  );
}

function judgeEnds(bus: BusGraph, order: PlaceOrder, subject: string, what: string, findings: Findings): void {
  const isPublished = bus.isPublished(subject);
  const isSubscribed = bus.isSubscribed(subject);
  if (isPublished === isSubscribed) return;
  const entries: Span[] = isPublished
    ? bus.publishers.flatMap(({ publication }) => (publication.subject === subject ? [publication.span] : []))
    : bus.subscribers.flatMap(({ subscription }) => (subscription.subject === subject ? [subscription.span] : []));
  const first = order.first(entries);
  if (!first) return;
  const message = isPublished
    ? `${what} is published but has no subscriber: subscribe it, bind it, or drop the publish`
    : `${what} is subscribed but never published: the handler cannot run`;
  findings.warn("W1101", first, message);
}
