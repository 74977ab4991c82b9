// Who publishes and who subscribes what, by wire subject (11.4), and what a send reaches.
import type {
  LocusType,
  PublicationInfo,
  SubscriptionInfo,
  TopicInfo,
  TypedFunction,
  TypedProgram,
} from "../semantics/index.ts";
import { patternCovers } from "../semantics/index.ts";
import { factsOf, type SendEvent } from "./body-facts.ts";

export interface Publisher {
  readonly locus: LocusType;
  readonly publication: PublicationInfo;
}

export interface Subscriber {
  readonly locus: LocusType;
  readonly subscription: SubscriptionInfo;
}

export class BusGraph {
  readonly program: TypedProgram;
  readonly publishers: readonly Publisher[];
  readonly subscribers: readonly Subscriber[];
  readonly #exact = new Map<string, Subscriber[]>();
  readonly #patterns: Subscriber[] = [];
  readonly #published: Subjects;
  readonly #subscribed: Subjects;

  constructor(program: TypedProgram) {
    this.program = program;
    this.publishers = program.loci.flatMap((locus) =>
      locus.publications.map((publication) => ({ locus, publication })),
    );
    this.subscribers = program.loci.flatMap((locus) =>
      locus.subscriptions.map((subscription) => ({ locus, subscription })),
    );
    this.#published = subjectsOf(this.publishers.map(({ publication }) => publication.subject));
    this.#subscribed = subjectsOf(this.subscribers.map(({ subscription }) => subscription.subject));
    for (const subscriber of this.subscribers) {
      const { subject } = subscriber.subscription;
      if (isPattern(subject)) this.#patterns.push(subscriber);
      else {
        const known = this.#exact.get(subject);
        if (known) known.push(subscriber);
        else this.#exact.set(subject, [subscriber]);
      }
    }
  }

  /** The registrations that a message on a subject can reach, wildcards included; of several types those of the send's own. */
  receivers(subject: string): readonly Subscriber[] {
    const exact = this.#exact.get(subject) ?? [];
    const wild = this.#patterns.filter(({ subscription }) => patternCovers(subscription.subject, subject));
    return wild.length === 0 ? exact : [...exact, ...wild];
  }

  /** Whether somebody can send on a subject, or on one of a pattern's. */
  isPublished(subject: string): boolean {
    return meetsAny(subject, this.#published);
  }

  isSubscribed(subject: string): boolean {
    return meetsAny(subject, this.#subscribed);
  }
}

/** Subjects, the patterns among them apart. */
interface Subjects {
  readonly exact: ReadonlySet<string>;
  readonly patterns: readonly string[];
}

function subjectsOf(all: readonly string[]): Subjects {
  return { exact: new Set(all), patterns: [...new Set(all.filter(isPattern))] };
}

function meetsAny(subject: string, { exact, patterns }: Subjects): boolean {
  if (exact.has(subject) || patterns.some((pattern) => meets(pattern, subject))) return true;
  return isPattern(subject) && [...exact].some((other) => meets(subject, other));
}

/** Sends of a body by themselves, callees not followed. */
export function sendsOf(fn: TypedFunction): readonly SendEvent[] {
  return factsOf(fn).events.filter((event) => event.kind === "send");
}

/** The wire subject of a send; undefined when it is computed. */
export function wireSubject({ send: { subject } }: SendEvent): string | undefined {
  if (subject.kind === "topic") return subject.topic.subject;
  return subject.kind === "literal" ? subject.text : undefined;
}

export function isPattern(subject: string): boolean {
  return subject === "**" || subject.endsWith(".**");
}

/** Whether two subjects, patterns or not, can be one. */
function meets(a: string, b: string): boolean {
  if (a === b) return true;
  if (isPattern(a) && patternCovers(a, isPattern(b) ? b.slice(0, -3) : b)) return true;
  return isPattern(b) && patternCovers(b, isPattern(a) ? a.slice(0, -3) : a);
}

/**
 * The topics whose sends inside one locus are calls of its own handlers (06 6.6): named by one `publish` and one `subscribe` of the whole program, without
 * key, policy or binding.
 */
export function directTopics({ loci, boundTopics }: TypedProgram): ReadonlySet<TopicInfo> {
  const counts = new Map<TopicInfo, { publishes: number; subscribes: number }>();
  const count = (topic: TopicInfo | undefined, kind: "publishes" | "subscribes") => {
    if (!topic) return;
    const known = counts.get(topic) ?? { publishes: 0, subscribes: 0 };
    known[kind]++;
    counts.set(topic, known);
  };
  for (const { publications, subscriptions } of loci) {
    for (const { topic } of publications) count(topic, "publishes");
    for (const { topic } of subscriptions) count(topic, "subscribes");
  }
  const direct = new Set<TopicInfo>();
  for (const [topic, { publishes, subscribes }] of counts) {
    const isPlain = topic.keyField === undefined && topic.onUnmatched === "swallow" && !boundTopics.has(topic);
    if (publishes === 1 && subscribes === 1 && isPlain) direct.add(topic);
  }
  return direct;
}
