// The bus as the whole program declares it (reference 06): which subjects are published, who may hear them, and which sends are calls.
import type {
  LocusField,
  LocusType,
  SubscriptionInfo,
  TopicInfo,
  Type,
  TypedProgram,
  TypedStmt,
} from "../../semantics/index.ts";
import { isFlatPayload, isQuietHandler } from "./quiet.ts";

type Send = TypedStmt & { readonly kind: "send" };

/** One published subject, or (`subject` undefined) all computed ones of a payload type. */
export interface Channel {
  readonly subject: string | undefined;
  readonly payload: Type;
  /** Of the topic that travels under this subject. */
  readonly keyField: number | undefined;
  readonly bound: number | undefined;
  /** A message that no key matches is a failure of its send. */
  readonly mustMatch: boolean;
  /** Handlers run at the send (06 6.7). */
  readonly isQuiet: boolean;
}

/** How the sends of a topic that are written in `sender` reach their one receiver. */
export interface DirectTopic {
  readonly sender: LocusType;
  readonly receiver: LocusType;
  readonly subscription: SubscriptionInfo;
  /** The sender's field with the receiver; undefined: the sender itself. */
  readonly field: LocusField | undefined;
}

/** Patterns of the library: what they cover is never quiet. */
const LIBRARY_PATTERNS: readonly string[] = ["log.**"];

export class BusGraph {
  readonly #program: TypedProgram;
  readonly #channels = new Map<string, Map<Type, Channel>>();
  readonly #direct = new Map<TopicInfo, DirectTopic>();
  readonly #patterns: readonly string[];
  /** Some locus of the program subscribes. */
  readonly hasSubscribers: boolean;

  constructor(program: TypedProgram) {
    this.#program = program;
    const patterns = [...LIBRARY_PATTERNS];
    for (const locus of program.loci) {
      for (const { subject } of [...locus.subscriptions, ...locus.publications])
        if (isPattern(subject)) patterns.push(subject);
    }
    this.#patterns = patterns;
    this.hasSubscribers = program.loci.some((locus) => locus.subscriptions.length > 0);
    for (const topic of program.topics) {
      const direct = directTopic(program, topic);
      if (direct) this.#direct.set(topic, direct);
    }
  }

  /** The channel of a send with a topic or a literal subject. */
  channelOf(send: Send): Channel {
    if (send.subject.kind === "topic") return this.#channel(send.subject.topic.subject, send.subject.topic.payload);
    if (send.subject.kind === "literal") return this.#channel(send.subject.text, send.payload.type);
    return this.#channel(undefined, send.payload.type);
  }

  /** The same for a topic. */
  channelOfTopic(topic: TopicInfo): Channel {
    return this.#channel(topic.subject, topic.payload);
  }

  /** The topics with keys or bounds whose subject a computed one may turn out to be: what reaches their subscribers is chosen by them, not by the subject alone. */
  topicsInReach(send: Send): readonly TopicInfo[] {
    const { subject, payload } = send;
    if (subject.kind !== "computed") return [];
    return this.#program.topics.filter(
      (topic) =>
        (topic.keyField !== undefined || topic.bounded !== undefined) &&
        topic.payload === payload.type &&
        subject.patterns.some((pattern) => covers(pattern, topic.subject)),
    );
  }

  /** Somebody subscribes to the topic's subject, spelled otherwise, with another payload. */
  isHeardAsAnother(topic: TopicInfo): boolean {
    return this.#program.loci.some((locus) =>
      locus.subscriptions.some((line) => line.payload !== topic.payload && covers(line.subject, topic.subject)),
    );
  }

  /** The topic is delivered by a call (06 6.6). */
  direct(topic: TopicInfo): DirectTopic | undefined {
    return this.#direct.get(topic);
  }

  /** The channels that a subscription hears among those that `published` names. */
  heardBy(subscription: SubscriptionInfo, published: Iterable<Channel>): readonly Channel[] {
    const heard: Channel[] = [];
    for (const channel of published) {
      if (channel.subject === undefined) heard.push(channel);
      else if (
        channel.payload === subscription.payload &&
        covers(subscription.subject, channel.subject) &&
        this.#counts(subscription, channel.subject)
      )
        heard.push(channel);
    }
    return heard;
  }

  /** A topic that is delivered by calls is heard by nobody who spells its subject otherwise. */
  #counts(subscription: SubscriptionInfo, subject: string): boolean {
    if (subscription.topic) return true;
    return ![...this.#direct.keys()].some((topic) => topic.subject === subject);
  }

  #channel(subject: string | undefined, payload: Type): Channel {
    const name = subject ?? "";
    const key = subject === undefined ? "computed" : `subject ${name}`;
    let ofSubject = this.#channels.get(key);
    if (!ofSubject) {
      ofSubject = new Map();
      this.#channels.set(key, ofSubject);
    }
    let channel = ofSubject.get(payload);
    if (!channel) {
      const topic =
        subject === undefined ? undefined : this.#program.topics.find((candidate) => candidate.subject === subject);
      channel = {
        subject,
        payload,
        keyField: topic?.keyField,
        bound: topic?.bounded,
        mustMatch: topic?.onUnmatched === "fail",
        isQuiet: subject !== undefined && topic?.keyField === undefined && this.#isQuiet(subject, payload),
      };
      ofSubject.set(payload, channel);
    }
    return channel;
  }

  #isQuiet(subject: string, payload: Type): boolean {
    if (!isFlatPayload(payload) || this.#patterns.some((pattern) => covers(pattern, subject))) return false;
    for (const locus of this.#program.loci) {
      const subscriptions = locus.subscriptions.filter((subscription) => subscription.subject === subject);
      const takesPart =
        subscriptions.length > 0 || locus.publications.some((publication) => publication.subject === subject);
      if (takesPart && isPlacedOffMain(this.#program, locus)) return false;
      if (!subscriptions.every((subscription) => isQuietHandler(subscription.handler))) return false;
    }
    return true;
  }
}

/** `base.**` or `**`. */
export function isPattern(subject: string): boolean {
  return subject === "**" || subject.endsWith(".**");
}

/** The part of a pattern before `.**`; empty for `**`. */
export function patternBase(pattern: string): string {
  return pattern.slice(0, Math.max(0, pattern.length - 3));
}

/** Whether a subject or pattern covers a subject. A pattern with stars elsewhere covers nothing but itself. */
function covers(own: string, subject: string): boolean {
  if (!isPattern(own)) return own === subject && !own.includes("*");
  const base = patternBase(own);
  return base === "" || subject === base || subject.startsWith(`${base}.`);
}

/** The first placement entry that mentions the type decides where its instances run. */
export function isPlacedOffMain(program: TypedProgram, locus: LocusType): boolean {
  for (const main of program.loci) {
    if (!main.isMain) continue;
    const entry = main.placements.find((placement) => placement.field.type === locus);
    if (entry) return isOffMain(entry);
  }
  return false;
}

/** Whether a placement moves a field to another thread. */
export function isOffMain(placement: LocusType["placements"][number]): boolean {
  return placement.place === "pinned" || (placement.pool !== undefined && placement.pool !== "main");
}

function directTopic(program: TypedProgram, topic: TopicInfo): DirectTopic | undefined {
  if (topic.keyField !== undefined || topic.onUnmatched !== "swallow") return undefined;
  const senders: LocusType[] = [];
  const receivers: { readonly locus: LocusType; readonly subscription: SubscriptionInfo }[] = [];
  for (const locus of program.loci) {
    for (const publication of locus.publications) if (publication.topic === topic) senders.push(locus);
    for (const subscription of locus.subscriptions)
      if (subscription.topic === topic) receivers.push({ locus, subscription });
  }
  const [sender, ...otherSenders] = senders;
  const [receiver, ...otherReceivers] = receivers;
  if (!sender || !receiver || otherSenders.length > 0 || otherReceivers.length > 0) return undefined;
  if (sender === receiver.locus)
    return { sender, receiver: receiver.locus, subscription: receiver.subscription, field: undefined };
  const fields = sender.fields.filter((candidate) => candidate.type === receiver.locus);
  const [field] = fields;
  if (!field || fields.length > 1) return undefined;
  const placement = sender.placements.find((candidate) => candidate.field === field);
  if (placement && isOffMain(placement)) return undefined;
  return { sender, receiver: receiver.locus, subscription: receiver.subscription, field };
}
