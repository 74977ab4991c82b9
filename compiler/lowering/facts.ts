// What evaluating a node may do, as far as holding on to borrowed values is concerned. Computed once per node.
import type { BuiltinName, TypedBlock, TypedExpr, TypedStmt } from "../semantics/index.ts";
import { visitExpr, visitStmt } from "../semantics/index.ts";
import { isQuiet } from "./quiet-functions.ts";

/** Bits of a node's facts. */
export const Fact = {
  /** May write memory: a field or an element, directly or in a call. */
  writes: 1,
  /** Assigns to a variable. */
  assigns: 2,
  /** May leave: `return`, `fail`, a raised failure, `break` ... */
  leaves: 4,
} as const;

const known = new WeakMap<object, number>();

/** The facts of an expression and everything in it. */
export function factsOf(expr: TypedExpr): number {
  let facts = known.get(expr);
  if (facts === undefined) {
    facts = ownFacts(expr);
    visitExpr(expr, {
      expr: (part) => {
        facts = (facts ?? 0) | factsOf(part);
      },
      block: (block) => {
        facts = (facts ?? 0) | factsOfBlock(block);
      },
    });
    known.set(expr, facts);
  }
  return facts;
}

export function factsOfBlock(block: TypedBlock): number {
  let facts = known.get(block);
  if (facts === undefined) {
    facts = block.tail ? factsOf(block.tail) : 0;
    for (const stmt of block.statements) facts |= factsOfStmt(stmt);
    known.set(block, facts);
  }
  return facts;
}

export function factsOfStmt(stmt: TypedStmt): number {
  let facts = statementFacts(stmt);
  visitStmt(stmt, {
    expr: (part) => {
      facts |= factsOf(part);
    },
    block: (block) => {
      facts |= factsOfBlock(block);
    },
  });
  return facts;
}

function statementFacts(stmt: TypedStmt): number {
  switch (stmt.kind) {
    case "assign":
    case "update":
      // A variable may be a record in memory that something else refers to.
      return stmt.place.kind === "local" ? Fact.assigns : Fact.writes | Fact.assigns;
    case "return":
    case "fail":
    case "break":
    case "continue":
    case "terminate":
    case "violate":
      return Fact.leaves | Fact.writes;
    case "send":
    case "yield":
    case "recovery":
    case "reperspective":
      return Fact.writes | Fact.leaves;
    default:
      return 0;
  }
}

function isReading(name: BuiltinName): boolean {
  return (
    name !== "check_closures" && (!name.startsWith("bounded-") || name === "bounded-at" || name === "bounded-count")
  );
}

function ownFacts(expr: TypedExpr): number {
  switch (expr.kind) {
    case "call":
      return (expr.callee.kind === "function" || expr.callee.kind === "method") && isQuiet(expr.callee.function)
        ? 0
        : Fact.writes;
    case "builtin":
      return isReading(expr.name) ? 0 : Fact.writes;
    case "or":
      return expr.disposition.kind === "raise" || expr.disposition.kind === "fail" ? Fact.leaves : 0;
    case "const":
      return isQuiet(expr.function) ? 0 : Fact.writes;
    case "locus":
      return Fact.writes;
    case "chain":
      return expr.chain.terminal.target ? Fact.writes : 0;
    default:
      return 0;
  }
}
