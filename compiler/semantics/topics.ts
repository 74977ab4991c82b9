// Topics: typed channels with a wire subject (06 6.2).
import type { TopicDecl } from "../syntax/index.ts";
import { nearestName, type Span } from "../source/index.ts";
import { type Context, NO_GENERICS } from "./context.ts";
import { findBare } from "./lookup.ts";
import { valueType } from "./resolve-types.ts";
import { qualified, type TopicSymbol } from "./symbols.ts";
import { BOOL, BYTES, BYTES_VIEW, DECIMAL, DURATION, FLOAT, INT, isPoison, STRING, TIME } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TopicInfo, Type } from "./types.ts";

/** A declared topic; undefined: reported. */
export function topicInfo(cx: Context, symbol: TopicSymbol): TopicInfo | undefined {
  if (symbol.info === "bad") return undefined;
  if (symbol.info === "resolving") {
    cx.error("E0702", symbol.span, `topic \`${symbol.name}\` is its own ancestor`);
    symbol.info = "bad";
    return undefined;
  }
  if (symbol.info) return symbol.info;
  symbol.info = "resolving";
  const info = resolveTopic(cx, symbol);
  symbol.info = info ?? "bad";
  if (info) cx.topics.push(info);
  return info;
}

function resolveTopic(cx: Context, symbol: TopicSymbol): TopicInfo | undefined {
  const { decl } = symbol;
  const parent = decl.parent && parentOf(cx, symbol, decl.parent);
  if (decl.parent && !parent) return undefined;
  const payload = valueType(cx, { scope: symbol.scope, generics: NO_GENERICS }, decl.payload);
  if (!isPoison(payload)) requirePayload(cx, payload, decl.payload.span);
  const segment = decl.subject ? new TextDecoder().decode(decl.subject.value) : symbol.name;
  const keyField = keyOf(cx, decl, payload, parent);
  const onUnmatched = decl.onUnmatched ?? parent?.onUnmatched ?? "swallow";
  if (decl.onUnmatched && keyField === undefined)
    cx.error("E0703", symbol.span, "`on_unmatched` needs a `keyed_by` field");
  if ((decl.bounded === undefined) !== (decl.onFull === undefined))
    cx.error("E0703", symbol.span, "`bounded(N)` and `on_full: fail` go together");
  return {
    name: symbol.name,
    displayName: qualified(symbol.scope, symbol.name),
    subject: parent ? `${parent.subject}.${segment}` : segment,
    payload,
    keyField,
    onUnmatched,
    bounded: decl.bounded && Number(decl.bounded.value),
    span: symbol.span,
    declarationSpan: decl.span,
  };
}

function parentOf(cx: Context, symbol: TopicSymbol, name: NonNullable<TopicDecl["parent"]>): TopicInfo | undefined {
  const found = findBare(cx, symbol.scope, name.text);
  if (found?.kind === "topic") return topicInfo(cx, found);
  const topics = [...symbol.scope.symbols.values()]
    .filter((candidate) => candidate.kind === "topic")
    .map((candidate) => candidate.name);
  const near = nearestName(name.text, topics);
  cx.error("E0702", name.span, `unknown parent topic \`${name.text}\``, {
    help: near === undefined ? undefined : `did you mean \`${near}\`?`,
  });
  return undefined;
}

/** The field that keys the topic, its own or its parent's. */
function keyOf(cx: Context, decl: TopicDecl, payload: Type, parent: TopicInfo | undefined): number | undefined {
  const inherited =
    parent?.keyField === undefined || parent.payload.kind !== "record"
      ? undefined
      : parent.payload.fields[parent.keyField];
  const name = decl.keyedBy?.text ?? inherited?.name;
  if (name === undefined || isPoison(payload)) return undefined;
  const span = decl.keyedBy?.span ?? decl.name.span;
  const index = payload.kind === "record" ? payload.fields.findIndex((field) => field.name === name) : -1;
  const field = payload.kind === "record" ? payload.fields[index] : undefined;
  if (!field) {
    cx.error("E0703", span, `no field \`${name}\` on payload \`${typeText(payload)}\``);
    return undefined;
  }
  if (!isKeyType(field.type)) {
    cx.error("E0703", span, `\`${typeText(field.type)}\` cannot be a routing key`);
    return undefined;
  }
  if (inherited && field.type !== inherited.type && !isPoison(field.type)) {
    cx.error("E0703", span, `the key is \`${typeText(field.type)}\`, the parent's is \`${typeText(inherited.type)}\``);
  }
  return index;
}

function isKeyType(type: Type): boolean {
  if (
    [INT, BOOL, TIME, DURATION, DECIMAL, STRING].some((known) => known === type) ||
    isPoison(type) ||
    type.kind === "scalar"
  )
    return true;
  return type.kind === "enum" && type.variants.every((variant) => variant.payload.length === 0);
}

/** What travels on the bus: a record, an enum with data, a view of raw frames (06 6.2). */
export function requirePayload(cx: Context, type: Type, span: Span): void {
  const fits =
    type.kind === "record" ||
    type === BYTES_VIEW ||
    isPoison(type) ||
    (type.kind === "enum" && type.variants.some((variant) => variant.payload.length > 0));
  if (!fits) {
    cx.error(
      "E0704",
      span,
      `\`${typeText(type)}\` cannot be a payload; a payload is a record type, or an enum of which some variant carries data`,
    );
    return;
  }
  if (type.kind !== "record") return;
  const odd = type.fields.find((field) => !travels(field.type));
  if (odd)
    cx.error(
      "E0704",
      span,
      `\`${typeText(type)}\` cannot be a payload: field \`${odd.name}\` is \`${typeText(odd.type)}\``,
    );
}

function travels(type: Type, seen = new Set<Type>()): boolean {
  // A record that contains itself is reported where it is declared.
  if (seen.has(type)) return true;
  seen.add(type);
  const all = (parts: readonly Type[]) => parts.every((part) => travels(part, seen));
  switch (type.kind) {
    case "primitive":
      return [INT, FLOAT, BOOL, DECIMAL, DURATION, TIME, STRING, BYTES].some((known) => known === type);
    case "record":
      return all(type.fields.map((field) => field.type));
    case "enum":
      return all(type.variants.flatMap((variant) => variant.payload));
    case "tuple":
      return all(type.members);
    case "array":
    case "bounded":
      return travels(type.element, seen);
    case "scalar":
    case "error":
      return true;
    default:
      return false;
  }
}

/** Two topics may not share a wire subject; a `fallback` topic needs someone to fall back on (06 6.2). */
export function checkTopics(cx: Context): void {
  const owners = new Map<string, TopicInfo>();
  for (const topic of cx.topics) {
    const earlier = owners.get(topic.subject);
    if (earlier) {
      cx.error(
        "E0702",
        earlier.span,
        `topics \`${earlier.name}\` and \`${topic.name}\` have the same wire subject "${topic.subject}"`,
        {
          related: [{ span: topic.span, note: "the other topic" }],
        },
      );
    } else owners.set(topic.subject, topic);
    if (topic.onUnmatched === "fallback" && !cx.fallbackTopics.has(topic)) {
      cx.error("E0703", topic.span, `\`${topic.name}\` falls back, but no subscriber says \`where key == _\``);
    }
  }
}
