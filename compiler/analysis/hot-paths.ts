// Work that a hot path should not do (11.8): advisories everywhere, errors in an `@hot` function.
import type { LocusType, Place, TypedFunction, TypedStmt } from "../semantics/index.ts";
import { walkBlock } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import { isAllocatingReceive } from "./allocating-receives.ts";
import { type Event, factsOf } from "./body-facts.ts";
import type { Findings } from "./findings.ts";
import { functionName, locusName } from "./names.ts";

export function isHot(fn: TypedFunction): boolean {
  return fn.decorators.some(({ name }) => name === "hot");
}

/** The findings of one function: errors when it is `@hot`. */
export function findHotPathWork(fn: TypedFunction, findings: Findings): void {
  const hot = isHot(fn);
  const report = (span: Span, message: string) =>
    hot
      ? findings.error("E1110", span, `\`${functionName(fn)}\` is \`@hot\`: ${message}`)
      : findings.warn("W1110", span, message);
  for (const event of factsOf(fn).events) {
    if (!event.loop && !fn.isHandler) continue;
    const when = event.loop ? "on every iteration" : "for every message";
    const message = repeatedWork(event, when) ?? (hot ? copiedView(event) : undefined);
    if (message)
      report(event.kind === "call" && event.boundBy && buildsLocus(event) ? event.boundBy : event.span, message);
  }
  if (hot)
    for (const span of wholeReplacements(fn))
      report(span, "this replaces a whole record: assign the members that change");
}

function repeatedWork(event: Event, when: string): string | undefined {
  if (event.kind === "literal") {
    const { locus } = event.literal;
    if (!isJudged(locus) || (event.isBare && locus.subscriptions.length === 0)) return undefined;
    return `\`${locusName(locus)}\` is created ${when}: hoist it to a field, or use a bare statement`;
  }
  if (event.kind !== "call") return undefined;
  if (buildsLocus(event) && event.boundBy)
    return `this makes a locus ${when}: hoist it to a field, or call it without binding the result`;
  return event.loop && isAllocatingReceive(event)
    ? "this receives into a new buffer on every iteration: use `recv_into` with one builder"
    : undefined;
}

/** The program's own loci, and the library's builder of bytes. */
function isJudged(locus: LocusType): boolean {
  return !locus.isStd || locus.displayName === "std::bytes::BytesBuilder";
}

/** A call of a free function of the program that is declared to return a locus. */
function buildsLocus(event: Event): boolean {
  if (event.kind !== "call" || event.call.callee.kind !== "function") return false;
  const { function: fn } = event.call.callee;
  return !fn.span.file.isStd && fn.result.kind === "locus";
}

/** `.snapshot()` and `.finish()` copy what a view would show. */
function copiedView(event: Event): string | undefined {
  if (event.kind !== "call" || event.call.callee.kind !== "method") return undefined;
  const { name } = event.call.callee.function;
  const method = name.slice(name.lastIndexOf(".") + 1);
  return method === "snapshot" || method === "finish" ? `\`.${method}()\` copies the buffer: use a view` : undefined;
}

// ---------------------------------------------------------------- whole replacements

/** `self.f = T { .. }` inside loops and handlers. */
function wholeReplacements(fn: TypedFunction): Span[] {
  const found: Span[] = [];
  const collect = (block: Parameters<typeof walkBlock>[0], isRepeated: boolean): void => {
    walkBlock(block, {
      statement: (statement) => {
        if (isRepeated && isReplacement(statement)) found.push(statement.value.span);
        if (isRepeated || !isLoop(statement)) return undefined;
        collect(statement.body, true);
        return false;
      },
    });
  };
  collect(fn.body, fn.isHandler);
  return found;
}

function isLoop(statement: TypedStmt): statement is TypedStmt & { readonly kind: "while" | "for-each" | "for-range" } {
  return statement.kind === "while" || statement.kind === "for-each" || statement.kind === "for-range";
}

function isReplacement(statement: TypedStmt): statement is TypedStmt & { readonly kind: "assign" } {
  return statement.kind === "assign" && statement.value.kind === "record" && isFieldOfSelf(statement.place);
}

function isFieldOfSelf(place: Place): boolean {
  return place.kind === "field" && place.base.kind === "self";
}
