// Which bodies are "pure computation" (reference 06 6.5): they cannot have sent anything, so their ends are no drain points. The test is syntactic and part of the language.
import type { Place, Type, TypedBlock, TypedExpr, TypedFunction, TypedStmt } from "../../semantics/index.ts";

/** Answers for all functions of a program; calls among pure functions are followed (greatest fixpoint). */
export class Purity {
  readonly #verdicts = new Map<TypedFunction, boolean>();

  /** Whether the body of the function is pure computation and binds no locus. */
  isPure(fn: TypedFunction): boolean {
    const known = this.#verdicts.get(fn);
    if (known !== undefined) return known;
    const group = this.#callsOf(fn);
    // Assume that all are pure, then take out those that are not until nothing changes.
    const pure = new Set(group);
    for (let changed = true; changed; ) {
      changed = false;
      for (const candidate of pure) {
        if (this.#bodyIsPure(candidate, pure)) continue;
        pure.delete(candidate);
        changed = true;
      }
    }
    for (const member of group) this.#verdicts.set(member, pure.has(member));
    return pure.has(fn);
  }

  /** The functions whose verdict is open and that the function reaches through calls that purity follows, itself included. */
  #callsOf(fn: TypedFunction): Set<TypedFunction> {
    const group = new Set<TypedFunction>([fn]);
    for (const member of group) {
      const collect = (callee: TypedFunction) => {
        if (!this.#verdicts.has(callee)) group.add(callee);
        return true;
      };
      if (member.body) blockIsPure(member.body, collect);
    }
    return group;
  }

  #bodyIsPure(fn: TypedFunction, assumed: ReadonlySet<TypedFunction>): boolean {
    if (fn.foreign !== undefined) return true;
    if (!fn.body || fn.fallible || (fn.self && !mayBeResult(fn.result))) return false;
    return blockIsPure(fn.body, (callee) => this.#verdicts.get(callee) ?? assumed.has(callee));
  }
}

/** Answers whether a called function is pure. */
type IsPure = (callee: TypedFunction) => boolean;

function blockIsPure(block: TypedBlock, isPure: IsPure): boolean {
  return (
    block.statements.every((stmt) => statementIsPure(stmt, isPure)) &&
    (block.tail === undefined || exprIsPure(block.tail, isPure))
  );
}

function statementIsPure(stmt: TypedStmt, isPure: IsPure): boolean {
  switch (stmt.kind) {
    case "let":
      return stmt.local !== undefined && !isHandle(stmt.local.type) && exprIsPure(stmt.value, isPure);
    case "expr":
      return exprIsPure(stmt.expr, isPure);
    case "return":
      return stmt.value === undefined || exprIsPure(stmt.value, isPure);
    case "while":
      return exprIsPure(stmt.condition, isPure) && blockIsPure(stmt.body, isPure);
    case "block":
      return blockIsPure(stmt.block, isPure);
    case "break":
    case "continue":
      return true;
    case "assign":
      return isPlainTarget(stmt.place) && exprIsPure(stmt.value, isPure);
    case "update":
      return stmt.operation !== "concat" && isPlainTarget(stmt.place) && exprIsPure(stmt.value, isPure);
    default:
      return false;
  }
}

/** A bare local, or a field of `self` that holds a small value. */
function isPlainTarget(place: Place): boolean {
  if (place.kind === "local") return true;
  return place.kind === "field" && place.base.kind === "self" && isSmall(place.type);
}

function exprIsPure(expr: TypedExpr, isPure: IsPure): boolean {
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
      return true;
    case "field":
    case "element":
    case "draining":
      return exprIsPure(expr.receiver, isPure);
    case "index":
      return exprIsPure(expr.receiver, isPure) && exprIsPure(expr.index, isPure);
    case "negate":
    case "not":
    case "complement":
      return exprIsPure(expr.operand, isPure);
    case "and":
    case "or-else":
      return exprIsPure(expr.left, isPure) && exprIsPure(expr.right, isPure);
    case "binary":
      if (expr.operation === "concat") return false;
      if (expr.operation === "add" && !(isVisiblyNumeric(expr.left) && isVisiblyNumeric(expr.right))) return false;
      return exprIsPure(expr.left, isPure) && exprIsPure(expr.right, isPure);
    case "if":
      return (
        exprIsPure(expr.condition, isPure) &&
        blockIsPure(expr.then, isPure) &&
        (!expr.otherwise || blockIsPure(expr.otherwise, isPure))
      );
    case "block":
      return blockIsPure(expr.block, isPure);
    case "convert":
      return isImplicit(expr) && exprIsPure(expr.operand, isPure);
    case "call":
      return callIsPure(expr, isPure);
    default:
      return false;
  }
}

function callIsPure(expr: TypedExpr & { readonly kind: "call" }, isPure: IsPure): boolean {
  const { callee } = expr;
  // A call through a variable is not followed, and counts as pure.
  if (callee.kind === "indirect")
    return callee.value.kind === "local" && expr.args.every((arg) => exprIsPure(arg, isPure));
  const follows = callee.kind === "function" || (callee.kind === "method" && callee.receiver.kind === "self");
  if (!follows || expr.fallible || !isPure(callee.function)) return false;
  return expr.args.every((arg) => exprIsPure(arg, isPure));
}

/** A widening that nobody wrote covers the same text as its operand. */
function isImplicit(expr: TypedExpr & { readonly kind: "convert" }): boolean {
  return expr.span.start === expr.operand.span.start && expr.span.end === expr.operand.span.end;
}

/** An operand of `+` whose type stands in plain view: a number, a variable, a field of `self` or of a record variable, or made of such. */
function isVisiblyNumeric(expr: TypedExpr): boolean {
  switch (expr.kind) {
    case "int":
    case "float":
    case "decimal":
    case "duration":
    case "local":
    case "call":
    case "negate":
    case "complement":
    case "if":
    case "block":
      return true;
    case "field":
      return expr.receiver.kind === "self" || expr.receiver.kind === "local";
    case "binary":
      return expr.operation !== "add" || (isVisiblyNumeric(expr.left) && isVisiblyNumeric(expr.right));
    case "convert":
      return isVisiblyNumeric(expr.operand);
    default:
      return false;
  }
}

function isHandle(type: Type): boolean {
  return type.kind === "locus" || type.kind === "interface" || type.kind === "perspective";
}

function isSmall(type: Type): boolean {
  return type.kind === "primitive" && ["Int", "Uint", "Float", "Bool", "Duration"].includes(type.name);
}

/** The results that a pure method may have. */
function mayBeResult(type: Type): boolean {
  return isSmall(type) || (type.kind === "primitive" && type.name === "()");
}
