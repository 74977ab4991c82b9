// The send statement (06 6.4).
import type { Disposition, Expr, Stmt } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import type { Body } from "./body.ts";
import { isWildcard, patternCovers } from "./bus-declaration.ts";
import { assign } from "./conversions.ts";
import { checkValue, withoutParens } from "./expressions.ts";
import { injectedError } from "./injected.ts";
import { findBare, resolveQualified } from "./lookup.ts";
import { failWith } from "./or.ts";
import { dropped } from "./statements.ts";
import { topicInfo } from "./topics.ts";
import { isPoison, isText, POISON, UNIT } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { Local, OrDisposition, TypedExpr, TypedStmt } from "./typed.ts";
import type { LocusType, PublicationInfo, TopicInfo, Type } from "./types.ts";

type SendStmt = Stmt & { readonly kind: "send" };
type SendSubject = (TypedStmt & { readonly kind: "send" })["subject"];

export function checkSend(body: Body, statement: SendStmt): TypedStmt | undefined {
  const { self } = body;
  if (!self) {
    body.cx.error("E0708", statement.span, "a bus send needs an enclosing locus; call a method of a locus that sends");
    checkValue(body, statement.value);
    return undefined;
  }
  const target = subjectOf(body, self, statement.subject);
  const value = checkValue(body, statement.value, target?.payload);
  if (!target) return undefined;
  const payload = assign(body, value, target.payload, "store");
  const topic = topicBehind(body, target.subject);
  const clause = isPoison(value.type) ? undefined : sendClause(body, statement, topic);
  return {
    kind: "send",
    subject: target.subject,
    payload,
    or: clause?.or,
    errorLocal: clause?.errorLocal,
    span: statement.span,
  };
}

/** The topic whose rules a send obeys: also a literal subject that is a topic's wire subject. */
function topicBehind(body: Body, subject: SendSubject): TopicInfo | undefined {
  if (subject.kind === "topic") return subject.topic;
  return subject.kind === "literal" ? body.cx.topics.find((topic) => topic.subject === subject.text) : undefined;
}

interface Target {
  readonly subject: SendSubject;
  readonly payload: Type;
}

function subjectOf(body: Body, self: LocusType, expr: Expr): Target | undefined {
  const inner = withoutParens(expr);
  if (inner.kind === "string") return literalTarget(body, self, new TextDecoder().decode(inner.value), inner.span);
  if (inner.kind === "path") {
    const topic = topicOf(body, inner);
    if (topic === "reported") return undefined;
    if (topic) return topicTarget(body, self, topic, inner.span);
  }
  return computedTarget(body, self, checkValue(body, expr));
}

/** The topic that a bare or qualified name means here; undefined: it is a value. */
function topicOf(body: Body, expr: Expr & { readonly kind: "path" }): TopicInfo | "reported" | undefined {
  const { cx } = body;
  const [first, second] = expr.path.segments;
  if (!first) return undefined;
  if (!second) {
    if (body.lookup(first.text)) return undefined;
    const symbol = findBare(cx, body.env.scope, first.text);
    return symbol?.kind === "topic" ? (topicInfo(cx, symbol) ?? "reported") : undefined;
  }
  if (first.text === "std") return undefined;
  const meaning = resolveQualified(cx, body.env, expr.path, "name");
  if (meaning.kind === "unknown") return "reported";
  return meaning.kind === "symbol" && meaning.symbol.kind === "topic"
    ? (topicInfo(cx, meaning.symbol) ?? "reported")
    : undefined;
}

function topicTarget(body: Body, self: LocusType, topic: TopicInfo, span: Span): Target | undefined {
  if (!self.publications.some((publication) => publication.topic === topic)) {
    body.cx.error("E0709", span, `\`${typeText(self)}\` does not declare \`publish ${topic.name};\` in its bus block`);
    return undefined;
  }
  return { subject: { kind: "topic", topic }, payload: topic.payload };
}

function literalTarget(body: Body, self: LocusType, text: string, span: Span): Target | undefined {
  const literal = self.publications.filter((publication) => !publication.topic);
  const covering =
    literal.find(({ subject }) => subject === text) ??
    literal.find(({ subject }) => isWildcard(subject) && patternCovers(subject, text));
  if (covering) return { subject: { kind: "literal", text }, payload: covering.payload };
  const byTopic = self.publications.find((publication) => publication.topic?.subject === text);
  const help = byTopic?.topic ? `it publishes the topic: send with \`${byTopic.topic.name} <- ..\`` : undefined;
  body.cx.error(
    "E0709",
    span,
    `\`${typeText(self)}\` does not declare \`publish "${text}" of type ..;\` in its bus block`,
    { help },
  );
  return undefined;
}

/** A subject that is known only at run time: some wildcard of the locus must license it. */
function computedTarget(body: Body, self: LocusType, value: TypedExpr): Target | undefined {
  if (isPoison(value.type)) return undefined;
  if (!isText(value.type)) {
    body.cx.error("E0709", value.span, `a subject is a topic or a String, not \`${typeText(value.type)}\``);
    return undefined;
  }
  const wildcards = self.publications.filter(
    (publication): publication is PublicationInfo => !publication.topic && isWildcard(publication.subject),
  );
  const [first] = wildcards;
  if (!first) {
    body.cx.error(
      "E0709",
      value.span,
      'a computed subject needs a wildcard `publish "a.**" of type ..;` in this locus',
    );
    return undefined;
  }
  const patterns = wildcards.filter(({ payload }) => payload === first.payload).map(({ subject }) => subject);
  return { subject: { kind: "computed", value, patterns }, payload: first.payload };
}

// ---------------------------------------------------------------- or

interface Clause {
  readonly or: OrDisposition;
  readonly errorLocal: Local | undefined;
}

/** What is said about a send that can fail, and nothing about one that cannot (06 6.4.5, 6.9, 6.10). */
function sendClause(body: Body, statement: SendStmt, topic: TopicInfo | undefined): Clause | undefined {
  const { cx } = body;
  const fails = failureOf(topic);
  const disposition = statement.or;
  if (!disposition) {
    if (fails && topic)
      cx.error("E0710", statement.span, `a send to \`${topic.name}\` can fail: add ${CLAUSES[fails]}`);
    return undefined;
  }
  if (disposition.kind === "wait") {
    if (fails === "full" || (topic && cx.boundTopics.has(topic)))
      return { or: { kind: "wait", span: disposition.span }, errorLocal: undefined };
    const why =
      fails === "either"
        ? "`or wait` says nothing about a key that nobody has: `or raise` or `or discard`"
        : "`or wait` needs a topic with `on_full: fail`, or one bound to a transport";
    cx.error("E0710", disposition.span, why);
    return undefined;
  }
  if (!fails) {
    cx.error("E0710", disposition.span, "`or` is only legal on a send that can fail");
    return undefined;
  }
  return failureClause(body, disposition, fails);
}

/** How a send to a topic can fail: nobody has the key, a subscriber has no room, or both. */
type SendFailure = "unmatched" | "full" | "either";

/** What a send that can fail may say of it. */
const CLAUSES: Readonly<Record<SendFailure, string>> = {
  unmatched: "`or raise`, `or discard` or `or handler(err)`",
  full: "`or raise`, `or discard` or `or wait`",
  either: "`or raise` or `or discard`",
};

function failureOf(topic: TopicInfo | undefined): SendFailure | undefined {
  if (topic?.onUnmatched === "fail") return topic.bounded === undefined ? "unmatched" : "either";
  return topic?.bounded === undefined ? undefined : "full";
}

function failureClause(body: Body, disposition: Disposition, fails: SendFailure): Clause | undefined {
  const { span } = disposition;
  const error = fails === "full" ? POISON : injectedError(body.cx, "BusUnmatchedKey");
  const errorLocal: Local = { name: "err", type: error, mutable: false, kind: "error", span };
  if (disposition.kind !== "fail" && disposition.kind !== "value") {
    const unhandledName = fails === "full" ? "BusFull" : "BusUnmatchedKey";
    return {
      or: disposition.kind === "raise" ? { kind: "raise", unhandledName, span } : { kind: "discard", span },
      errorLocal,
    };
  }
  if (fails !== "unmatched") {
    body.cx.error("E0710", span, `a send to a bounded topic takes ${CLAUSES[fails]}`);
    return undefined;
  }
  return body.scoped((): Clause => {
    body.declare(errorLocal);
    if (disposition.kind === "fail") return { or: failWith(body, disposition.value, span), errorLocal };
    const statements = dropped(body, disposition.value, "tail");
    return {
      or: {
        kind: "value",
        value: { kind: "block", block: { statements, tail: undefined, span }, type: UNIT, span },
        span,
      },
      errorLocal,
    };
  });
}
