// `while true` loops that send without pause (11.4, "Back-pressure"), and subscribers under somebody's wildcard `publish` (11.4, "Wildcard payload").
import type { TypedBlock, TypedFunction, TypedStmt } from "../semantics/index.ts";
import { patternCovers, walkBlock } from "../semantics/index.ts";
import { type BusGraph, isPattern } from "./bus-graph.ts";
import { BLOCKING, NONE } from "./classes.ts";
import type { Effects } from "./effects.ts";
import type { Findings } from "./findings.ts";
import { isSleep } from "./library-effects.ts";
import { locusName } from "./names.ts";

export function findUnpacedSends(effects: Effects, functions: readonly TypedFunction[], findings: Findings): void {
  for (const fn of functions) {
    const locus = fn.self;
    if (!locus) continue;
    walkBlock(fn.body, {
      statement: (statement) => {
        if (!isEndless(statement)) return undefined;
        if (!sendsUnpaced(effects, statement.body)) return undefined;
        const what = `locus \`${locusName(locus)}\` sends in a \`while true\` without pacing`;
        findings.warn("W1103", statement.span, `${what}: sleep, yield, or leave`);
        return false;
      },
    });
  }
}

function isEndless(statement: TypedStmt): statement is TypedStmt & { readonly kind: "while" } {
  return statement.kind === "while" && statement.condition.kind === "bool" && statement.condition.value;
}

const FLOW: ReadonlySet<TypedStmt["kind"]> = new Set(["yield", "break", "return"]);

function sendsUnpaced(effects: Effects, body: TypedBlock): boolean {
  let sends = false;
  let isPaced = false;
  walkBlock(body, {
    statement: ({ kind }) => {
      sends ||= kind === "send";
      isPaced ||= FLOW.has(kind);
      return undefined;
    },
    expr: (expr) => {
      const callee = expr.kind === "call" && "function" in expr.callee ? expr.callee.function : undefined;
      if (callee?.span.file.isStd) isPaced ||= isSleep(callee) || (effects.reached(callee) & BLOCKING) !== NONE;
      return undefined;
    },
  });
  return sends && !isPaced;
}

export function findForeignPayloads({ publishers, subscribers }: BusGraph, findings: Findings): void {
  const wildcards = publishers.filter(({ publication }) => isPattern(publication.subject));
  for (const { locus, subscription } of subscribers) {
    const other = wildcards.find(
      ({ locus: publisher, publication }) =>
        publisher !== locus &&
        patternCovers(publication.subject, subscription.subject) &&
        publication.payload !== subscription.payload,
    );
    if (!other) continue;
    const { subject } = other.publication;
    const message = `\`${locusName(other.locus)}\` publishes "${subject}" with another payload: such a message would end the program here`;
    findings.warn("W1104", subscription.span, message, [
      { span: other.publication.span, note: "the wildcard publish" },
    ]);
  }
}
