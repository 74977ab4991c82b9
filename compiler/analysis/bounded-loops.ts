// Loops whose rounds are bounded by what is written (11.6): `for` over two literals, and `while` with a counter that only goes up to a constant.
import type { Local, TypedExpr, TypedFunction, TypedStmt } from "../semantics/index.ts";
import { walkBlock } from "../semantics/index.ts";

type LoopStmt = TypedStmt & { readonly kind: "while" | "for-range" };

export function isBoundedLoop(loop: LoopStmt, fn: TypedFunction): boolean {
  if (loop.kind === "for-range") return isLiteral(loop.low) && isLiteral(loop.high);
  const { condition } = loop;
  if (condition.kind !== "binary" || (condition.operation !== "less" && condition.operation !== "less-equal"))
    return false;
  return condition.left.kind === "local" && isConstant(condition.right) && countersOf(fn).has(condition.left.local);
}

function isLiteral(expr: TypedExpr): boolean {
  return expr.kind === "int" || (expr.kind === "negate" && expr.operand.kind === "int");
}

/** Literals, constants, and `+ - *` of such. */
function isConstant(expr: TypedExpr): boolean {
  if (isLiteral(expr)) return true;
  if (expr.kind === "const") return expr.function.body?.tail !== undefined && isConstant(expr.function.body.tail);
  if (expr.kind !== "binary" || !["add", "subtract", "multiply"].includes(expr.operation)) return false;
  return isConstant(expr.left) && isConstant(expr.right);
}

const known = new WeakMap<TypedFunction, ReadonlySet<Local>>();

/** Locals that start with an integer literal and are changed only by `v = v + k` or `v += k`, k a positive literal. */
function countersOf(fn: TypedFunction): ReadonlySet<Local> {
  const earlier = known.get(fn);
  if (earlier) return earlier;
  const counters = new Set<Local>();
  const others = new Set<Local>();
  walkBlock(fn.body, {
    statement: (statement) => {
      if (statement.kind === "let" && statement.local && isLiteral(statement.value)) counters.add(statement.local);
      if ((statement.kind === "assign" || statement.kind === "update") && statement.place.kind === "local") {
        if (!isStep(statement, statement.place.local)) others.add(statement.place.local);
      }
      return undefined;
    },
  });
  for (const local of others) counters.delete(local);
  known.set(fn, counters);
  return counters;
}

function isStep(statement: TypedStmt & { readonly kind: "assign" | "update" }, local: Local): boolean {
  const { value } = statement;
  if (statement.kind === "update") return statement.operation === "add" && isPositive(value);
  if (value.kind !== "binary" || value.operation !== "add") return false;
  return value.left.kind === "local" && value.left.local === local && isPositive(value.right);
}

function isPositive(expr: TypedExpr): boolean {
  return expr.kind === "int" && expr.value > 0n;
}
