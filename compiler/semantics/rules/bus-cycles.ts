// Direct sends that always come back (06 6.6, 11.4): a locus that would call its own handlers without end.
import type { Span } from "../../source/index.ts";
import type { Context } from "../context.ts";
import { typeText } from "../type-text.ts";
import type { TypedBlock, TypedFunction } from "../typed.ts";
import type { LocusType, TopicInfo } from "../types.ts";
import { ownLoci } from "./program-loci.ts";

interface DirectSend {
  readonly topic: TopicInfo;
  readonly span: Span;
  readonly handler: TypedFunction;
}

export function checkBusCycles(cx: Context): void {
  const edges = countEdges(cx.loci);
  for (const locus of ownLoci(cx)) {
    const sends = new Map<TypedFunction, DirectSend[]>();
    for (const { handler } of locus.subscriptions)
      sends.set(handler, unconditionalSends(cx, locus, edges, handler.body));
    reportCycles(cx, locus, sends);
  }
}

/** How many declarations of the whole program publish and subscribe a topic by name. */
function countEdges(loci: readonly LocusType[]): ReadonlyMap<TopicInfo, { publishes: number; subscribes: number }> {
  const edges = new Map<TopicInfo, { publishes: number; subscribes: number }>();
  const count = (topic: TopicInfo | undefined, kind: "publishes" | "subscribes") => {
    if (!topic) return;
    const known = edges.get(topic) ?? { publishes: 0, subscribes: 0 };
    known[kind]++;
    edges.set(topic, known);
  };
  for (const { publications, subscriptions } of loci) {
    for (const { topic } of publications) count(topic, "publishes");
    for (const { topic } of subscriptions) count(topic, "subscribes");
  }
  return edges;
}

/** Sends outside any condition or loop that are calls of this locus's own handlers. */
function unconditionalSends(
  cx: Context,
  locus: LocusType,
  edges: ReturnType<typeof countEdges>,
  block: TypedBlock | undefined,
): DirectSend[] {
  return (block?.statements ?? []).flatMap((statement): DirectSend[] => {
    if (statement.kind === "block") return unconditionalSends(cx, locus, edges, statement.block);
    if (statement.kind !== "send" || statement.subject.kind !== "topic") return [];
    const { topic } = statement.subject;
    const counts = edges.get(topic);
    const isDirect =
      counts?.publishes === 1 &&
      counts.subscribes === 1 &&
      topic.keyField === undefined &&
      topic.onUnmatched === "swallow" &&
      !cx.boundTopics.has(topic);
    const handler = locus.subscriptions.find((subscription) => subscription.topic === topic)?.handler;
    return isDirect && handler ? [{ topic, span: statement.span, handler }] : [];
  });
}

function reportCycles(cx: Context, locus: LocusType, sends: ReadonlyMap<TypedFunction, readonly DirectSend[]>): void {
  const done = new Set<TypedFunction>();
  const path: { readonly fn: TypedFunction; readonly send: DirectSend }[] = [];
  const visit = (fn: TypedFunction): void => {
    const at = path.findIndex((step) => step.fn === fn);
    const first = path[at];
    if (first) {
      cx.error(
        "E0716",
        first.send.span,
        `locus \`${typeText(locus)}\` re-enters itself through \`${first.send.topic.name}\` without end: break the cycle or guard the send`,
      );
      return;
    }
    if (done.has(fn)) return;
    for (const send of sends.get(fn) ?? []) {
      path.push({ fn, send });
      visit(send.handler);
      path.pop();
    }
    done.add(fn);
  };
  for (const fn of sends.keys()) visit(fn);
}
