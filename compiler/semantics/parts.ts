// Visiting the direct parts of typed nodes, in order of evaluation as written.
import type { OrDisposition, Place, TypedBlock, TypedChain, TypedExpr, TypedStmt } from "./typed.ts";

export interface PartVisitor {
  expr(expr: TypedExpr): void;
  block(block: TypedBlock): void;
}

/** The expressions and blocks directly in a statement. */
export function visitStmt(stmt: TypedStmt, visitor: PartVisitor): void {
  switch (stmt.kind) {
    case "let":
    case "let-tuple":
    case "fail":
      visitor.expr(stmt.value);
      return;
    case "assign":
    case "update":
      visitPlace(stmt.place, visitor);
      visitor.expr(stmt.value);
      return;
    case "expr":
      visitor.expr(stmt.expr);
      return;
    case "while":
      visitor.expr(stmt.condition);
      visitor.block(stmt.body);
      return;
    case "for-range":
      visitor.expr(stmt.low);
      visitor.expr(stmt.high);
      visitor.block(stmt.body);
      return;
    case "for-each":
      visitor.expr(stmt.source);
      visitor.block(stmt.body);
      return;
    case "return":
      if (stmt.value) visitor.expr(stmt.value);
      return;
    case "block":
      visitor.block(stmt.block);
      return;
    case "send":
      if (stmt.subject.kind === "computed") visitor.expr(stmt.subject.value);
      visitor.expr(stmt.payload);
      if (stmt.or) visitDisposition(stmt.or, visitor);
      return;
    case "violate":
      if (stmt.payload) visitor.expr(stmt.payload);
      return;
    case "recovery":
      visitor.expr(stmt.argument);
      if (stmt.limit) visitor.expr(stmt.limit);
      return;
    case "break":
    case "continue":
    case "yield":
    case "terminate":
    case "reperspective":
      return;
    default:
      stmt satisfies never;
  }
}

/** The expressions in a place: the base, the indices. */
export function visitPlace(place: Place, visitor: PartVisitor): void {
  if (place.kind === "local") return;
  visitor.expr(place.base);
  if (place.kind === "element") visitor.expr(place.index);
}

/** The expressions and blocks directly in an expression. */
export function visitExpr(expr: TypedExpr, visitor: PartVisitor): void {
  switch (expr.kind) {
    case "int":
    case "float":
    case "bool":
    case "decimal":
    case "duration":
    case "time":
    case "string":
    case "bytes":
    case "unit":
    case "local":
    case "self":
    case "const":
    case "function":
    case "empty-bounded":
    case "accumulator":
      return;
    case "field":
    case "element":
    case "draining":
    case "children":
      visitor.expr(expr.receiver);
      return;
    case "index":
      visitor.expr(expr.receiver);
      visitor.expr(expr.index);
      return;
    case "slice":
      visitor.expr(expr.receiver);
      visitor.expr(expr.low);
      visitor.expr(expr.high);
      return;
    case "record":
      visitAll(expr.fields, visitor);
      return;
    case "locus":
      visitAll(expr.fields, visitor);
      return;
    case "variant":
      visitAll(expr.payload, visitor);
      return;
    case "tuple":
      visitAll(expr.members, visitor);
      return;
    case "array":
      visitAll(expr.elements, visitor);
      return;
    case "repeat":
      visitor.expr(expr.value);
      return;
    case "negate":
    case "not":
    case "complement":
    case "convert":
    case "to-text":
      visitor.expr(expr.operand);
      return;
    case "binary":
    case "and":
    case "or-else":
      visitor.expr(expr.left);
      visitor.expr(expr.right);
      return;
    case "concat":
      visitAll(expr.parts, visitor);
      return;
    case "if":
      visitor.expr(expr.condition);
      visitor.block(expr.then);
      if (expr.otherwise) visitor.block(expr.otherwise);
      return;
    case "match":
      visitor.expr(expr.scrutinee);
      for (const arm of expr.arms) {
        if (arm.guard) visitor.expr(arm.guard);
        visitor.expr(arm.body);
      }
      return;
    case "block":
      visitor.block(expr.block);
      return;
    case "call":
      if (expr.callee.kind === "indirect") visitor.expr(expr.callee.value);
      else if (expr.callee.kind !== "function") visitor.expr(expr.callee.receiver);
      visitAll(expr.args, visitor);
      return;
    case "or":
      visitor.expr(expr.operand);
      visitDisposition(expr.disposition, visitor);
      return;
    case "builtin":
    case "print":
      visitAll(expr.args, visitor);
      return;
    case "chain":
      visitChain(expr.chain, visitor);
      return;
    default:
      expr satisfies never;
  }
}

function visitDisposition(disposition: OrDisposition, visitor: PartVisitor): void {
  if (disposition.kind === "fail" || disposition.kind === "value") visitor.expr(disposition.value);
}

function visitChain(chain: TypedChain, visitor: PartVisitor): void {
  visitor.expr(chain.source);
  for (const stage of chain.stages) {
    if (stage.kind === "filter") visitor.expr(stage.condition);
    else if (stage.kind === "map") visitor.expr(stage.value);
    else if (stage.kind !== "enumerate") visitor.expr(stage.count);
  }
  visitAll(chain.terminal.args, visitor);
  if (chain.terminal.target) visitor.expr(chain.terminal.target);
  if (chain.terminal.body) visitor.block(chain.terminal.body);
}

function visitAll(exprs: readonly (TypedExpr | undefined)[], visitor: PartVisitor): void {
  for (const expr of exprs) if (expr) visitor.expr(expr);
}
