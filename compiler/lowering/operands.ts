// Evaluating several operands one after the other so that each is still good when all are there.
import type { TypedExpr } from "../semantics/index.ts";
import { pushExpr } from "./expressions.ts";
import { Fact, factsOf } from "./facts.ts";
import type { FunctionContext } from "./function-context.ts";
import type { Hold } from "./holds.ts";
import { layoutOf } from "./layout.ts";
import { type Guard, guardPushed, keepPushed, releaseStored, settle } from "./values.ts";

/** What has to be released when borrowed operands have been used. */
export interface Borrowed {
  release(): void;
}

/**
 * Pushes operands that their user borrows. An operand that something later could invalidate is made an own one.
 * @param useWrites the user of the operands may write memory
 */
export function pushBorrowed(fn: FunctionContext, exprs: readonly TypedExpr[], useWrites: boolean): Borrowed {
  const guards: (() => void)[] = [];
  const behind = factsBehind(exprs);
  for (const [position, expr] of exprs.entries()) {
    const hold = pushExpr(fn, expr, "any");
    const guard = guardBorrowed(fn, expr, hold, (behind[position] ?? 0) | (useWrites ? Fact.writes : 0));
    if (guard) guards.push(guard);
  }
  return {
    release: () => {
      for (let at = guards.length - 1; at >= 0; at--) guards[at]?.();
    },
  };
}

/** Makes sure that the operand on the stack survives what is still to happen; answers what to do when it has been used. */
export function guardBorrowed(
  fn: FunctionContext,
  expr: TypedExpr,
  hold: Hold,
  later: number,
): (() => void) | undefined {
  if (hold === "plain" || hold === "stable") return undefined;
  const endangered = (later & endangering(hold)) !== 0;
  if (hold !== "owned" && !endangered) return undefined;
  keepPushed(fn, expr.type, hold);
  const layout = layoutOf(expr.type);
  const guard = guardPushed(fn, layout);
  return () => {
    releaseStored(fn, guard.storage, layout);
    settle(fn, guard);
  };
}

/** The facts that end a borrow. A variable may lie in memory, so an assignment to one endangers what was read from there. */
export function endangering(hold: Hold): number {
  if (hold === "memory") return Fact.writes | Fact.assigns;
  return hold === "local" ? Fact.assigns : 0;
}

/** Pushes operands that their user takes over. */
export function pushOwned(fn: FunctionContext, exprs: readonly TypedExpr[]): void {
  const guards: Guard[] = [];
  const behind = factsBehind(exprs);
  for (const [position, expr] of exprs.entries()) {
    pushExpr(fn, expr, "own");
    const layout = layoutOf(expr.type);
    if (layout.counted && ((behind[position] ?? 0) & Fact.leaves) !== 0) guards.push(guardPushed(fn, layout));
  }
  for (let at = guards.length - 1; at >= 0; at--) {
    const guard = guards[at];
    if (guard) settle(fn, guard);
  }
}

/** What evaluating these operands may do. */
export function factsOfAll(exprs: readonly TypedExpr[]): number {
  let facts = 0;
  for (const expr of exprs) facts |= factsOf(expr);
  return facts;
}

/** For each operand, what evaluating those behind it may do. */
export function factsBehind(exprs: readonly TypedExpr[]): readonly number[] {
  const facts = new Array<number>(exprs.length).fill(0);
  for (let at = exprs.length - 2; at >= 0; at--) {
    const next = exprs[at + 1];
    facts[at] = (facts[at + 1] ?? 0) | (next ? factsOf(next) : 0);
  }
  return facts;
}
