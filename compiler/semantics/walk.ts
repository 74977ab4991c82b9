// Visiting whole typed trees.
import { type PartVisitor, visitExpr, visitStmt } from "./parts.ts";
import type { TypedBlock, TypedExpr, TypedStmt } from "./typed.ts";

/** What to do at each node, before its parts; `false` leaves the parts out. */
export interface TreeVisitor {
  readonly expr?: (expr: TypedExpr) => boolean | undefined;
  readonly statement?: (statement: TypedStmt) => boolean | undefined;
}

export function walkBlock(block: TypedBlock | undefined, visitor: TreeVisitor): void {
  if (block) new Walk(visitor).block(block);
}

export function walkExpr(expr: TypedExpr, visitor: TreeVisitor): void {
  new Walk(visitor).expr(expr);
}

class Walk implements PartVisitor {
  readonly #visitor: TreeVisitor;

  constructor(visitor: TreeVisitor) {
    this.#visitor = visitor;
  }

  expr(expr: TypedExpr): void {
    if (this.#visitor.expr?.(expr) !== false) visitExpr(expr, this);
  }

  block(block: TypedBlock): void {
    for (const statement of block.statements) {
      if (this.#visitor.statement?.(statement) !== false) visitStmt(statement, this);
    }
    if (block.tail) this.expr(block.tail);
  }
}
