// `@no_panic` (11.10): no trap in the function's own body, by its looks. Calls are not followed.
import type { OrDisposition, TypedBlock, TypedExpr, TypedFunction, TypedStmt } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import type { Findings } from "./findings.ts";
import { functionName } from "./names.ts";

export function checkNoPanic(fn: TypedFunction, findings: Findings): void {
  if (!fn.decorators.some(({ name }) => name === "no_panic")) return;
  const trap = trapInBlock(fn.body);
  if (!trap) return;
  findings.error("E1104", fn.nameSpan, `\`${functionName(fn)}\` is \`@no_panic\` but ${trap.what}`);
  findings.error(
    "E1104",
    trap.span,
    "the trap is here: handle the failure (a substitute, `or discard`, `or handler(err)`)",
  );
}

interface Trap {
  readonly span: Span;
  readonly what: string;
}

/** Looked for in `let`, expression and `return` statements, the block's value, `then` blocks and loop bodies. */
function trapInBlock(block: TypedBlock | undefined): Trap | undefined {
  if (!block) return undefined;
  for (const statement of block.statements) {
    const trap = trapInStatement(statement);
    if (trap) return trap;
  }
  return block.tail && trapInExpr(block.tail);
}

function trapInStatement(statement: TypedStmt): Trap | undefined {
  switch (statement.kind) {
    case "violate":
      return { span: statement.span, what: "violates a closure" };
    case "let":
    case "let-tuple":
      return trapInExpr(statement.value);
    case "expr":
      return trapInExpr(statement.expr);
    case "return":
      return statement.value && trapInExpr(statement.value);
    case "while":
      return trapInExpr(statement.condition) ?? trapInBlock(statement.body);
    case "for-range":
    case "for-each":
      return trapInBlock(statement.body);
    case "block":
      return trapInBlock(statement.block);
    default:
      return undefined;
  }
}

function trapInExpr(expr: TypedExpr): Trap | undefined {
  switch (expr.kind) {
    case "index":
      return { span: expr.span, what: "reads an element that may not be there" };
    case "or":
      return trapInExpr(expr.operand) ?? trapInDisposition(expr.disposition);
    case "if":
      return trapInExpr(expr.condition) ?? trapInBlock(expr.then);
    case "match":
      return undefined;
    case "block":
      return trapInBlock(expr.block);
    default:
      return first(partsOf(expr));
  }
}

function trapInDisposition(disposition: OrDisposition): Trap | undefined {
  if (disposition.kind === "raise") return { span: disposition.span, what: "passes a failure on with `or raise`" };
  return disposition.kind === "value" ? trapInExpr(disposition.value) : undefined;
}

function first(parts: readonly (TypedExpr | undefined)[]): Trap | undefined {
  for (const part of parts) {
    const trap = part && trapInExpr(part);
    if (trap) return trap;
  }
  return undefined;
}

/** The operands of an expression without branches. */
function partsOf(expr: TypedExpr): readonly (TypedExpr | undefined)[] {
  switch (expr.kind) {
    case "field":
    case "element":
      return [expr.receiver];
    case "slice":
      return [expr.receiver, expr.low, expr.high];
    case "record":
    case "locus":
      return expr.fields;
    case "variant":
      return expr.payload;
    case "tuple":
      return expr.members;
    case "array":
      return expr.elements;
    case "repeat":
      return [expr.value];
    case "negate":
    case "not":
    case "complement":
    case "convert":
    case "to-text":
      return [expr.operand];
    case "binary":
    case "and":
    case "or-else":
      return [expr.left, expr.right];
    case "concat":
      return expr.parts;
    case "call":
      return "receiver" in expr.callee ? [expr.callee.receiver, ...expr.args] : expr.args;
    case "builtin":
    case "print":
      return expr.args;
    default:
      return [];
  }
}
