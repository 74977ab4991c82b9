// `bus { .. }` of a locus: what it hears and what it may send (06 6.3, 6.9, 6.10).
import type { Expr, LocusDecl, PublishDecl, Subject, SubscribeDecl, TypeExpr } from "../syntax/index.ts";
import { nearestName } from "../source/index.ts";
import type { Context, Env } from "./context.ts";
import type { Mismatch } from "./conversions.ts";
import { findBare, isUnboundIgnored, pathText, resolveQualified } from "./lookup.ts";
import { valueType } from "./resolve-types.ts";
import { initialiserOf, memberName } from "./signatures.ts";
import { describeSymbol } from "./symbols.ts";
import { topicInfo, requirePayload } from "./topics.ts";
import { INT, isPoison, POISON } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedFunction } from "./typed.ts";
import type { LocusType, PublicationInfo, SubscriptionInfo, TopicInfo, Type } from "./types.ts";

/** Fills in a locus's subscriptions and publications. */
export function declareBus(cx: Context, type: LocusType, decl: LocusDecl, env: Env): void {
  const subscriptions: SubscriptionInfo[] = [];
  const publications: PublicationInfo[] = [];
  for (const member of decl.members) {
    if (member.kind !== "bus") continue;
    for (const edge of member.members) {
      const channel = resolveChannel(cx, env, edge);
      if (!channel) continue;
      if (edge.kind === "publish") publications.push({ ...channel, span: edge.span });
      else {
        const subscription = subscribe(cx, type, env, edge, channel);
        if (subscription) subscriptions.push(subscription);
      }
    }
  }
  type.subscriptions = subscriptions;
  type.publications = publications;
}

interface Channel {
  readonly subject: string;
  readonly topic: TopicInfo | undefined;
  readonly payload: Type;
}

function resolveChannel(cx: Context, env: Env, edge: SubscribeDecl | PublishDecl): Channel | undefined {
  const { subject, ofType } = edge;
  if (subject.kind === "literal") return literalChannel(cx, env, subject, ofType);
  const topic = resolveTopicPath(cx, env, subject);
  if (!topic) return undefined;
  if (ofType) cx.error("E0705", ofType.span, `\`${topic.name}\` states its payload itself; leave out \`of type\``);
  return { subject: topic.subject, topic, payload: topic.payload };
}

function literalChannel(
  cx: Context,
  env: Env,
  subject: Subject & { readonly kind: "literal" },
  ofType: TypeExpr | undefined,
): Channel | undefined {
  if (!ofType) {
    cx.error("E0705", subject.span, `a literal subject needs its payload: \`"${subject.text}" .. of type T\``);
    return { subject: subject.text, topic: undefined, payload: POISON };
  }
  const payload = valueType(cx, env, ofType);
  if (!isPoison(payload)) requirePayload(cx, payload, ofType.span);
  const earlier = cx.literalSubjects.get(subject.text);
  if (!earlier) cx.literalSubjects.set(subject.text, { payload, span: subject.span });
  else if (earlier.payload !== payload && !isPoison(payload) && !isPoison(earlier.payload)) {
    cx.error(
      "E0705",
      subject.span,
      `"${subject.text}" carries \`${typeText(earlier.payload)}\` elsewhere, here \`${typeText(payload)}\``,
      {
        related: [{ span: earlier.span, note: "the other site" }],
      },
    );
  }
  return { subject: subject.text, topic: undefined, payload };
}

/** The topic that a path names; undefined: reported. */
export function resolveTopicPath(
  cx: Context,
  env: Env,
  { path, span }: Subject & { readonly kind: "topic" },
): TopicInfo | undefined {
  const [first, second] = path.segments;
  if (!first) return undefined;
  if (second) {
    const meaning = resolveQualified(cx, env, path, "name");
    if (meaning.kind === "unknown") return undefined;
    if (meaning.kind === "symbol" && meaning.symbol.kind === "topic" && meaning.rest.length === 0)
      return topicInfo(cx, meaning.symbol);
    cx.error("E0702", span, `\`${pathText(path)}\` is not a topic`);
    return undefined;
  }
  const symbol = findBare(cx, env.scope, first.text);
  if (symbol?.kind === "topic") return topicInfo(cx, symbol);
  if (symbol) cx.error("E0702", span, `\`${first.text}\` is ${describeSymbol(symbol)}, not a topic`);
  else if (!isUnboundIgnored(cx, env)) {
    const topics = [...env.scope.symbols.values()]
      .filter((candidate) => candidate.kind === "topic")
      .map((candidate) => candidate.name);
    const near = nearestName(first.text, topics);
    cx.error("E0702", span, `unknown topic \`${first.text}\``, {
      help: near === undefined ? undefined : `did you mean \`${near}\`?`,
    });
  }
  return undefined;
}

// ---------------------------------------------------------------- subscriptions

function subscribe(
  cx: Context,
  type: LocusType,
  env: Env,
  decl: SubscribeDecl,
  channel: Channel,
): SubscriptionInfo | undefined {
  const handler = handlerOf(cx, type, decl, channel.payload);
  if (!handler) return undefined;
  handler.isHandler = true;
  const key = decl.key && subscriptionKey(cx, type, env, decl.key, channel.topic);
  if (decl.bounded && decl.bounded.capacity.value < 1n)
    cx.error("E0705", decl.bounded.capacity.span, "`bounded` needs a positive integer");
  const bounded = decl.bounded && { capacity: Number(decl.bounded.capacity.value), policy: decl.bounded.policy };
  return { ...channel, handler, ...(bounded ? { bounded } : {}), ...(key ? { key } : {}), span: decl.span };
}

function handlerOf(cx: Context, type: LocusType, decl: SubscribeDecl, payload: Type): TypedFunction | undefined {
  const name = decl.handler.text;
  const handler = type.methods.get(name);
  if (cx.genericMethods.get(type)?.has(name)) {
    cx.error("E0706", decl.handler.span, `\`${name}\` has type parameters; a handler has none`);
    return undefined;
  }
  if (handler?.role !== "method") {
    const near = nearestName(name, cx.methodNames(type));
    cx.error("E0706", decl.handler.span, `\`${typeText(type)}\` has no fn \`${name}\` to handle this subject`, {
      help: near === undefined ? undefined : `did you mean \`${near}\`?`,
    });
    return undefined;
  }
  if (handler.fallible) {
    cx.error("E0420", decl.span, "a bus handler cannot be fallible: nobody could receive the error");
    return undefined;
  }
  const [param, second] = handler.params;
  if (!param || second) {
    cx.error("E0706", handler.nameSpan, `handler \`${name}\` must take exactly one parameter, the payload`);
    return undefined;
  }
  if (param.type !== payload && !isPoison(param.type) && !isPoison(payload)) {
    cx.error(
      "E0706",
      param.span,
      `handler \`${name}\` takes \`${typeText(param.type)}\`, the payload is \`${typeText(payload)}\``,
    );
    return undefined;
  }
  return handler;
}

/** `where key == ..` (06 6.9). */
function subscriptionKey(
  cx: Context,
  type: LocusType,
  env: Env,
  key: NonNullable<SubscribeDecl["key"]>,
  topic: TopicInfo | undefined,
): SubscriptionInfo["key"] {
  const keyType =
    topic?.keyField === undefined || topic.payload.kind !== "record"
      ? undefined
      : topic.payload.fields[topic.keyField]?.type;
  if (!topic || !keyType) {
    cx.error("E0707", key.span, "`where key` needs a topic with `keyed_by`");
    return undefined;
  }
  switch (key.kind) {
    case "any":
      cx.fallbackTopics.add(topic);
      if (topic.onUnmatched !== "fallback")
        cx.error("E0707", key.span, `\`_\` needs \`on_unmatched: fallback\` on \`${topic.name}\``);
      return { kind: "any" };
    case "replica":
      if (keyType !== INT && keyType.kind !== "scalar")
        cx.error("E0707", key.span, `\`replica\` is an Int, the key is \`${typeText(keyType)}\``);
      return { kind: "replica" };
    case "value":
      return { kind: "value", value: keyFunction(cx, type, env, key.value, keyType) };
  }
}

function keyFunction(cx: Context, type: LocusType, env: Env, expr: Expr, keyType: Type): TypedFunction {
  const mismatch: Mismatch = {
    code: "E0707",
    message: (expected, got) => `the key is \`${expected}\`, this is \`${got}\``,
  };
  return initialiserOf(cx, env, { name: memberName(type, "key"), self: type, result: keyType, expr, mismatch });
}

// ---------------------------------------------------------------- patterns

/** Whether a wildcard covers a subject (06 6.3): `log.**` covers `log` and what starts with `log.`. */
export function patternCovers(pattern: string, subject: string): boolean {
  if (pattern === "**") return true;
  if (!pattern.endsWith(".**")) return false;
  const stem = pattern.slice(0, -3);
  return subject === stem || subject.startsWith(`${stem}.`);
}

export function isWildcard(subject: string): boolean {
  return subject.endsWith("**");
}
