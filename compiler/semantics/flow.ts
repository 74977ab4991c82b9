// Which ends of a body can be reached (04 2.1.3).
import type { TypedBlock, TypedExpr, TypedStmt } from "./typed.ts";
import { NEVER } from "./type-table.ts";

/** What the last statement of a block without value shows that its writer meant (04 6.6). */
export function valuelessHelp(block: TypedBlock): string | undefined {
  const last = block.statements.at(-1);
  if (last?.kind === "block")
    return "a block at the end of a block is a statement: bind its value with `let` and end with the name";
  if (last?.kind !== "expr") return undefined;
  return last.expr.kind === "match"
    ? "a `match` at the end of a block is a statement: write `let r = match .. { .. }; r`"
    : "leave out the last `;` to give the value";
}

/** Whether control never comes to the end of these statements. */
export function alwaysLeaves(statements: readonly TypedStmt[]): boolean {
  return statements.some(statementLeaves);
}

function statementLeaves(statement: TypedStmt): boolean {
  switch (statement.kind) {
    case "return":
    case "fail":
    case "break":
    case "continue":
    case "terminate":
    case "violate":
      return true;
    case "recovery":
      return statement.action === "bubble";
    case "expr":
      return expressionLeaves(statement.expr);
    case "let":
    case "let-tuple":
      return statement.value.type === NEVER;
    case "block":
      return alwaysLeaves(statement.block.statements);
    case "while":
      return statement.condition.kind === "bool" && statement.condition.value && !breaksOut(statement.body.statements);
    default:
      return false;
  }
}

function expressionLeaves(expr: TypedExpr): boolean {
  if (expr.type === NEVER) return true;
  switch (expr.kind) {
    case "if":
      return (
        expr.otherwise !== undefined && alwaysLeaves(expr.then.statements) && alwaysLeaves(expr.otherwise.statements)
      );
    case "match":
      return expr.arms.length > 0 && expr.arms.every((arm) => expressionLeaves(arm.body));
    case "block":
      return alwaysLeaves(expr.block.statements);
    default:
      return false;
  }
}

/** Whether a `break` in these statements ends the loop around them. */
function breaksOut(statements: readonly TypedStmt[]): boolean {
  return statements.some((statement) => {
    switch (statement.kind) {
      case "break":
        return true;
      case "block":
        return breaksOut(statement.block.statements);
      case "expr":
      case "let":
      case "let-tuple":
      case "return":
      case "assign":
      case "update": {
        const value = statement.kind === "expr" ? statement.expr : statement.value;
        return value !== undefined && breaksOutOfExpression(value);
      }
      default:
        return false;
    }
  });
}

function breaksOutOfExpression(expr: TypedExpr): boolean {
  const inBlock = (block: TypedBlock | undefined) =>
    block !== undefined &&
    (breaksOut(block.statements) || (block.tail !== undefined && breaksOutOfExpression(block.tail)));
  switch (expr.kind) {
    case "if":
      return inBlock(expr.then) || inBlock(expr.otherwise);
    case "match":
      return expr.arms.some((arm) => breaksOutOfExpression(arm.body));
    case "block":
      return inBlock(expr.block);
    case "or": {
      const { disposition } = expr;
      return disposition.kind === "value" && breaksOutOfExpression(disposition.value);
    }
    default:
      return false;
  }
}

/** Whether a block gives no value because its last statement is a call that does not return; such a branch fits any type. */
export function neverGives(block: TypedBlock): boolean {
  const last = block.statements.at(-1);
  return last?.kind === "expr" && last.expr.type === NEVER && last.expr.kind === "call";
}

/** Whether a fallback block's last statement leaves (04 11: a leave inside an `if` is not enough). */
export function lastLeaves(block: TypedBlock): boolean {
  const last = block.statements.at(-1);
  if (!last) return false;
  if (last.kind === "expr") return last.expr.type === NEVER && last.expr.kind === "call";
  return (
    ["return", "fail", "break", "continue", "terminate", "violate"].includes(last.kind) ||
    (last.kind === "recovery" && last.action === "bubble")
  );
}
