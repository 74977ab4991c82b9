// Visiting typed trees.
import type { OrDisposition, Place, TypedBlock, TypedExpr, TypedStmt } from "./typed.ts";

/** What to do at each node, before its parts; `false` leaves the parts out. */
export interface TreeVisitor {
  readonly expr?: (expr: TypedExpr) => boolean | undefined;
  readonly statement?: (statement: TypedStmt) => boolean | undefined;
}

export function walkBlock(block: TypedBlock | undefined, visitor: TreeVisitor): void {
  if (!block) return;
  for (const statement of block.statements) walkStatement(statement, visitor);
  if (block.tail) walkExpr(block.tail, visitor);
}

export function walkStatement(statement: TypedStmt, visitor: TreeVisitor): void {
  if (visitor.statement?.(statement) === false) return;
  switch (statement.kind) {
    case "let":
    case "let-tuple":
    case "fail":
      walkExpr(statement.value, visitor);
      return;
    case "assign":
    case "update":
      walkPlace(statement.place, visitor);
      walkExpr(statement.value, visitor);
      return;
    case "expr":
      walkExpr(statement.expr, visitor);
      return;
    case "while":
      walkExpr(statement.condition, visitor);
      walkBlock(statement.body, visitor);
      return;
    case "for-range":
      walkExpr(statement.low, visitor);
      walkExpr(statement.high, visitor);
      walkBlock(statement.body, visitor);
      return;
    case "for-each":
      walkExpr(statement.source, visitor);
      walkBlock(statement.body, visitor);
      return;
    case "return":
      if (statement.value) walkExpr(statement.value, visitor);
      return;
    case "block":
      walkBlock(statement.block, visitor);
      return;
    case "send":
      if (statement.subject.kind === "computed") walkExpr(statement.subject.value, visitor);
      walkExpr(statement.payload, visitor);
      if (statement.or) walkDisposition(statement.or, visitor);
      return;
    case "violate":
      if (statement.payload) walkExpr(statement.payload, visitor);
      return;
    case "recovery":
      walkExpr(statement.argument, visitor);
      if (statement.limit) walkExpr(statement.limit, visitor);
      return;
    case "break":
    case "continue":
    case "yield":
    case "terminate":
    case "reperspective":
      return;
  }
}

function walkPlace(place: Place, visitor: TreeVisitor): void {
  if (place.kind === "local") return;
  walkExpr(place.base, visitor);
  if (place.kind === "element") walkExpr(place.index, visitor);
}

function walkDisposition(disposition: OrDisposition, visitor: TreeVisitor): void {
  if (disposition.kind === "fail" || disposition.kind === "value") walkExpr(disposition.value, visitor);
}

export function walkExpr(expr: TypedExpr, visitor: TreeVisitor): void {
  if (visitor.expr?.(expr) === false) return;
  const all = (parts: readonly (TypedExpr | undefined)[]) => {
    for (const part of parts) if (part) walkExpr(part, visitor);
  };
  switch (expr.kind) {
    case "field":
    case "element":
    case "draining":
    case "children":
      walkExpr(expr.receiver, visitor);
      return;
    case "index":
      all([expr.receiver, expr.index]);
      return;
    case "slice":
      all([expr.receiver, expr.low, expr.high]);
      return;
    case "record":
    case "locus":
      all(expr.fields);
      return;
    case "variant":
      all(expr.payload);
      return;
    case "tuple":
      all(expr.members);
      return;
    case "array":
      all(expr.elements);
      return;
    case "repeat":
      walkExpr(expr.value, visitor);
      return;
    case "negate":
    case "not":
    case "complement":
    case "convert":
    case "to-text":
      walkExpr(expr.operand, visitor);
      return;
    case "binary":
    case "and":
    case "or-else":
      all([expr.left, expr.right]);
      return;
    case "concat":
      all(expr.parts);
      return;
    case "if":
      walkExpr(expr.condition, visitor);
      walkBlock(expr.then, visitor);
      walkBlock(expr.otherwise, visitor);
      return;
    case "match":
      walkExpr(expr.scrutinee, visitor);
      for (const arm of expr.arms) all([arm.guard, arm.body]);
      return;
    case "block":
      walkBlock(expr.block, visitor);
      return;
    case "call":
      if ("receiver" in expr.callee) walkExpr(expr.callee.receiver, visitor);
      else if (expr.callee.kind === "indirect") walkExpr(expr.callee.value, visitor);
      all(expr.args);
      return;
    case "or":
      walkExpr(expr.operand, visitor);
      walkDisposition(expr.disposition, visitor);
      return;
    case "builtin":
    case "print":
      all(expr.args);
      return;
    case "chain": {
      const { source, stages, terminal } = expr.chain;
      walkExpr(source, visitor);
      for (const stage of stages) {
        if (stage.kind === "filter") walkExpr(stage.condition, visitor);
        else if (stage.kind === "map") walkExpr(stage.value, visitor);
        else if (stage.kind !== "enumerate") walkExpr(stage.count, visitor);
      }
      all([terminal.target, ...terminal.args]);
      walkBlock(terminal.body, visitor);
      return;
    }
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
  }
}
