// Closures: a locus's self-audits (01 7.3).
import type { ClosureClause, ClosureDecl, Name } from "./ast.ts";
import { parseExpr } from "./parse-expressions.ts";
import type { Parser } from "./parser.ts";
import { flags, K } from "./tokens.ts";

export function parseClosure(p: Parser): ClosureDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a closure");
  p.expect(K["{"]);
  const assertion = startsClause(p) || p.kind === K["}"] ? undefined : parseAssertion(p);
  const clauses: ClosureClause[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) clauses.push(parseClause(p));
  p.expect(K["}"]);
  return { kind: "closure", name, ...(assertion && { assertion }), clauses, span: p.spanFrom(start) };
}

const CLAUSE_WORDS = flags(K.epoch, K.persists_through, K.resets_on, K.resets_per_epoch);

function startsClause(p: Parser): boolean {
  return CLAUSE_WORDS[p.kind] === 1 || p.atWord("captures");
}

/** `left ~~ right within tolerance;` */
function parseAssertion(p: Parser): NonNullable<ClosureDecl["assertion"]> {
  const { start } = p;
  const left = parseExpr(p);
  if (!p.eat(K["~~"]) && !p.eatWord("approx")) p.failExpected("`~~`");
  const right = parseExpr(p);
  p.expectWord("within");
  const tolerance = parseExpr(p);
  p.expect(K[";"]);
  return { left, right, tolerance, span: p.spanFrom(start) };
}

function parseClause(p: Parser): ClosureClause {
  const { start, kind } = p;
  if (!startsClause(p)) p.failExpected("a clause of the closure");
  p.advance();
  switch (kind) {
    case K.epoch:
      return parseEpoch(p, start);
    case K.persists_through:
    case K.resets_on: {
      const names = parseNames(p, EVENTS);
      p.expect(K[";"]);
      return { kind: kind === K.resets_on ? "resets_on" : "persists_through", names, span: p.spanFrom(start) };
    }
    case K.resets_per_epoch: {
      const names = parseNames(p, PLAIN);
      p.expect(K[";"]);
      return { kind: "resets_per_epoch", names, span: p.spanFrom(start) };
    }
    default: {
      const names: Name[] = [];
      p.expect(K[":"]);
      do names.push(p.expectName("a field"));
      while (p.eat(K[","]));
      p.expect(K[";"]);
      return { kind: "captures", names, span: p.spanFrom(start) };
    }
  }
}

const PLAIN = flags();
/** The reserved words that name events. */
const EVENTS = flags(K.restart, K.restart_in_place, K.quarantine, K.dissolve);

/** `(a, b)`, names or the given reserved words. */
function parseNames(p: Parser, words: Uint8Array): readonly Name[] {
  const names: Name[] = [];
  p.expect(K["("]);
  if (p.kind !== K[")"]) {
    do names.push(words[p.kind] === 1 ? p.takeName() : p.expectName("an event"));
    while (p.eat(K[","]));
  }
  p.expect(K[")"]);
  return names;
}

function parseEpoch(p: Parser, start: number): ClosureClause {
  if (p.eatWord("duration")) {
    p.expect(K["("]);
    const period = parseExpr(p);
    p.expect(K[")"]);
    p.expect(K[";"]);
    return { kind: "epoch", epoch: "duration", period, span: p.spanFrom(start) };
  }
  const epoch = epochName(p);
  if (epoch === undefined) p.failExpected("`tick`, `explicit`, `inline`, `birth`, `dissolve` or `duration(..)`");
  p.advance();
  p.expect(K[";"]);
  return { kind: "epoch", epoch: epoch ?? "tick", span: p.spanFrom(start) };
}

function epochName(p: Parser): "tick" | "explicit" | "inline" | "birth" | "dissolve" | undefined {
  if (p.kind === K.birth) return "birth";
  if (p.kind === K.dissolve) return "dissolve";
  return (["tick", "explicit", "inline"] as const).find((word) => p.atWord(word));
}
