// Where a locus literal, or a call that may hand out a locus, stands: that decides who owns the instance (reference 05 5.4).
import type {
  LocusType,
  OrDisposition,
  TypedBlock,
  TypedExpr,
  TypedFunction,
  TypedStmt,
  Type,
} from "../../semantics/index.ts";
import { visitExpr, visitPlace, visitStmt } from "../../semantics/index.ts";

type Literal = TypedExpr & { readonly kind: "locus" };

export type Position =
  /** The frame owns the instance. `loops`: control may come here again, and then the instance of the time before ends. */
  | { readonly kind: "frame"; readonly loops: boolean }
  /** A statement by itself. */
  | { readonly kind: "statement"; readonly loops: boolean }
  /** The value of a field of this literal, or (undefined) of the instance whose default this is. */
  | { readonly kind: "field"; readonly holder: Literal | undefined }
  /** Assigned to a field of a live instance. */
  | { readonly kind: "assigned" };

/** The positions in one function's body. */
export class Positions {
  readonly #positions = new Map<TypedExpr, Position>();
  /** Sends that lie in the initialiser of a `let`: never calls (06 6.6). */
  readonly #insideLet = new Set<TypedStmt>();
  #loops = 0;
  #lets = 0;
  /** Some literal or call of the body may leave an instance with the frame. */
  ownsInstances = false;

  constructor(fn: TypedFunction) {
    if (!fn.body) return;
    const isFieldDefault = fn.role === "initialiser" && canHoldLocus(fn.result);
    for (const stmt of fn.body.statements) this.#statement(stmt);
    if (fn.body.tail) this.#value(fn.body.tail, isFieldDefault ? { kind: "field", holder: undefined } : this.#frame());
  }

  /** Where the literal or call stands. */
  of(expr: TypedExpr): Position {
    return this.#positions.get(expr) ?? { kind: "frame", loops: true };
  }

  isInsideLet(stmt: TypedStmt): boolean {
    return this.#insideLet.has(stmt);
  }

  #frame(): Position {
    return { kind: "frame", loops: this.#loops > 0 };
  }

  #block(block: TypedBlock): void {
    for (const stmt of block.statements) this.#statement(stmt);
    if (block.tail) this.#value(block.tail, this.#frame());
  }

  #loop(body: () => void): void {
    this.#loops++;
    body();
    this.#loops--;
  }

  #statement(stmt: TypedStmt): void {
    switch (stmt.kind) {
      case "expr":
        if (stmt.expr.kind === "locus") this.#value(stmt.expr, { kind: "statement", loops: this.#loops > 0 });
        else this.#value(stmt.expr, this.#frame());
        return;
      case "let":
      case "let-tuple":
        this.#lets++;
        this.#value(stmt.value, this.#frame());
        this.#lets--;
        return;
      case "assign":
        visitPlace(stmt.place, this.#visitor);
        // A variable that is bound again keeps all its instances until the frame's exit (05 5.4 rule 8).
        this.#value(
          stmt.value,
          stmt.place.kind === "field" && stmt.place.base.type.kind === "locus" && canHoldLocus(stmt.place.type)
            ? { kind: "assigned" }
            : { kind: "frame", loops: false },
        );
        return;
      case "return":
        if (stmt.value) this.#value(stmt.value, { kind: "frame", loops: false });
        return;
      case "while":
        this.#loop(() => visitStmt(stmt, this.#visitor));
        return;
      case "for-range":
        this.#value(stmt.low, this.#frame());
        this.#value(stmt.high, this.#frame());
        this.#loop(() => this.#block(stmt.body));
        return;
      case "for-each":
        this.#value(stmt.source, this.#frame());
        this.#loop(() => this.#block(stmt.body));
        return;
      case "send":
        if (this.#lets > 0) this.#insideLet.add(stmt);
        visitStmt(stmt, this.#visitor);
        return;
      default:
        visitStmt(stmt, this.#visitor);
    }
  }

  readonly #visitor = {
    expr: (expr: TypedExpr) => this.#value(expr, this.#frame()),
    block: (block: TypedBlock) => this.#block(block),
  };

  /** An expression whose value goes to `position`. */
  #value(expr: TypedExpr, position: Position): void {
    switch (expr.kind) {
      case "locus":
        this.#place(expr, position);
        for (const [index, value] of expr.fields.entries()) {
          const field = expr.locus.fields[index];
          if (value)
            this.#value(value, field && canHoldLocus(field.type) ? { kind: "field", holder: expr } : this.#frame());
        }
        return;
      case "call":
        if (canHoldLocus(expr.type)) this.#place(expr, position);
        visitExpr(expr, this.#visitor);
        return;
      case "convert":
        if (canHoldLocus(expr.type)) {
          this.#value(expr.operand, position);
          return;
        }
        visitExpr(expr, this.#visitor);
        return;
      case "if":
        this.#value(expr.condition, this.#frame());
        this.#branch(expr.then, position);
        if (expr.otherwise) this.#branch(expr.otherwise, position);
        return;
      case "block":
        this.#branch(expr.block, position);
        return;
      case "match":
        this.#value(expr.scrutinee, this.#frame());
        for (const arm of expr.arms) {
          if (arm.guard) this.#value(arm.guard, this.#frame());
          this.#value(arm.body, position);
        }
        return;
      case "or":
        this.#value(expr.operand, position);
        this.#disposition(expr.disposition, position);
        return;
      case "chain":
        this.#loop(() => visitExpr(expr, this.#visitor));
        return;
      default:
        visitExpr(expr, this.#visitor);
    }
  }

  #branch(block: TypedBlock, position: Position): void {
    for (const stmt of block.statements) this.#statement(stmt);
    if (block.tail) this.#value(block.tail, position);
  }

  #disposition(disposition: OrDisposition, position: Position): void {
    if (disposition.kind === "value") this.#value(disposition.value, position);
    else if (disposition.kind === "fail") this.#value(disposition.value, this.#frame());
  }

  #place(expr: TypedExpr, position: Position): void {
    this.#positions.set(expr, position);
    if (position.kind !== "field" && position.kind !== "assigned") this.ownsInstances = true;
  }
}

/** Types whose values are handles of instances. */
export function canHoldLocus(type: Type): boolean {
  return type.kind === "locus" || type.kind === "interface" || type.kind === "perspective";
}

/** The fields of a locus that can own an instance. */
export function ownableFields(locus: LocusType): readonly number[] {
  return locus.fields.flatMap((field, index) => (canHoldLocus(field.type) ? [index] : []));
}
