// Which functions write no memory that a caller could be borrowing from. Calls of these need no extra counts on borrowed arguments.
import type { TypedBlock, TypedExpr, TypedFunction, TypedProgram, TypedStmt } from "../semantics/index.ts";
import { visitExpr, visitStmt } from "../semantics/index.ts";

const quiet = new WeakSet<TypedFunction>();

/** Functions of the runtime in a program whose jobs may park in them. */
const parking = new WeakSet<TypedFunction>();

/** Whether a call of the function leaves fields and elements of others as they are. False for functions that `findQuietFunctions` has not seen. */
export function isQuiet(fn: TypedFunction): boolean {
  return fn.foreign !== undefined ? !parking.has(fn) : quiet.has(fn);
}

/** Judges all functions of a program: not quiet is what writes, or calls what does. */
export function findQuietFunctions(program: TypedProgram): void {
  if (program.loci.some((locus) => locus.placements.some(({ asyncIo }) => asyncIo)))
    for (const fn of program.functions) if (fn.foreign !== undefined) parking.add(fn);
  // Queued messages are delivered at the ends of functions, and handlers may do anything. What is placed lets others run where it waits: the jobs of its pool,
  // a parent that hears of a failure.
  if (program.loci.some((locus) => locus.subscriptions.length > 0 || locus.placements.length > 0)) return;
  const callers = new Map<TypedFunction, TypedFunction[]>();
  const loud: TypedFunction[] = [];
  const judged = program.functions.filter((fn) => fn.body);
  for (const fn of judged) {
    const found = inspect(fn);
    if (found.writes) loud.push(fn);
    for (const callee of found.callees) {
      const list = callers.get(callee);
      if (list) list.push(fn);
      else callers.set(callee, [fn]);
    }
  }
  const isLoud = new Set(loud);
  for (let fn = loud.pop(); fn; fn = loud.pop()) {
    for (const caller of callers.get(fn) ?? []) {
      if (isLoud.has(caller)) continue;
      isLoud.add(caller);
      loud.push(caller);
    }
  }
  for (const fn of judged) if (!isLoud.has(fn)) quiet.add(fn);
}

function inspect(fn: TypedFunction): { readonly writes: boolean; readonly callees: ReadonlySet<TypedFunction> } {
  const callees = new Set<TypedFunction>();
  let writes = fn.self !== undefined && fn.role !== "method" && fn.role !== "mode" && fn.role !== "initialiser";
  const expr = (node: TypedExpr): void => {
    if (expressionWrites(node, callees)) writes = true;
    visitExpr(node, visitor);
  };
  const block = (node: TypedBlock): void => {
    for (const stmt of node.statements) {
      if (statementWrites(stmt)) writes = true;
      visitStmt(stmt, visitor);
    }
    if (node.tail) expr(node.tail);
  };
  const visitor = { expr, block };
  if (fn.body) block(fn.body);
  return { writes, callees };
}

function statementWrites(stmt: TypedStmt): boolean {
  switch (stmt.kind) {
    case "assign":
    case "update":
      return stmt.place.kind !== "local";
    case "send":
    case "yield":
    case "terminate":
    case "violate":
    case "recovery":
    case "reperspective":
      return true;
    default:
      return false;
  }
}

function expressionWrites(expr: TypedExpr, callees: Set<TypedFunction>): boolean {
  switch (expr.kind) {
    case "const":
      callees.add(expr.function);
      return false;
    case "call":
      if (expr.callee.kind !== "function" && expr.callee.kind !== "method") return true;
      if (expr.callee.function.foreign === undefined) {
        if (!expr.callee.function.body) return true;
        callees.add(expr.callee.function);
      }
      return false;
    case "builtin":
      return (
        (expr.name.startsWith("bounded-") && expr.name !== "bounded-at" && expr.name !== "bounded-count") ||
        expr.name === "check_closures"
      );
    case "chain":
      return expr.chain.terminal.target !== undefined;
    case "locus":
      return true;
    default:
      return false;
  }
}
