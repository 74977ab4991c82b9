// Going through all functions of loci and of the program.
import type { LocusType, TypedBlock, TypedExpr, TypedFunction, TypedStmt } from "../../semantics/index.ts";
import { visitExpr, visitStmt } from "../../semantics/index.ts";

/** Everything of a locus that has a body: hooks, methods, handlers of failures, defaults, closures. */
export function membersOf(locus: LocusType): readonly TypedFunction[] {
  const members: TypedFunction[] = [...locus.methods.values(), ...locus.onFailure];
  const { birth, run, drain, dissolve, accept, release } = locus.hooks;
  for (const hook of [birth, run, drain, dissolve, accept, release]) if (hook) members.push(hook);
  for (const field of locus.fields) if (field.defaultValue) members.push(field.defaultValue);
  for (const closure of locus.closures) {
    if (closure.assertion) members.push(closure.assertion.left, closure.assertion.right, closure.assertion.tolerance);
    if (closure.period) members.push(closure.period);
  }
  for (const check of locus.birthChecks) {
    members.push(check.condition);
    if (check.payload) members.push(check.payload);
  }
  for (const subscription of locus.subscriptions)
    if (subscription.key?.kind === "value") members.push(subscription.key.value);
  return members;
}

/** Whether some expression or statement of the body satisfies a condition. */
export function someNode(
  fn: TypedFunction,
  isIt: { readonly expr?: (expr: TypedExpr) => boolean; readonly stmt?: (stmt: TypedStmt) => boolean },
): boolean {
  let found = false;
  const expr = (node: TypedExpr): void => {
    if (found || isIt.expr?.(node)) found = true;
    else visitExpr(node, visitor);
  };
  const block = (node: TypedBlock): void => {
    for (const stmt of node.statements) {
      if (found || isIt.stmt?.(stmt)) found = true;
      else visitStmt(stmt, visitor);
    }
    if (node.tail && !found) expr(node.tail);
  };
  const visitor = { expr, block };
  if (fn.body) block(fn.body);
  return found;
}

/** Visits every statement of the body, nested ones too. */
export function forEachStatement(fn: TypedFunction, visit: (stmt: TypedStmt) => void): void {
  someNode(fn, {
    stmt: (stmt) => {
      visit(stmt);
      return false;
    },
  });
}
