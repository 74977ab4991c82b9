// Quiet handlers (reference 06 6.7): those that may run at the send, since only the receiver's numbers could tell.
import type { Place, Type, TypedBlock, TypedExpr, TypedFunction, TypedStmt } from "../../semantics/index.ts";

/** Whether a payload is a record of numbers, Bools, Durations and enums without data. */
export function isFlatPayload(type: Type): boolean {
  return type.kind === "record" && type.fields.every((field) => isFlatField(field.type));
}

function isFlatField(type: Type): boolean {
  if (type.kind === "enum") return type.variants.every((variant) => variant.payload.length === 0);
  if (type.kind === "scalar") return isFlatField(type.base);
  return type.kind === "primitive" && ["Int", "Uint", "Float", "Bool", "Decimal", "Duration"].includes(type.name);
}

/** Whether a handler only computes with its payload's fields and the receiver's own. */
export function isQuietHandler(handler: TypedFunction): boolean {
  return handler.body !== undefined && isQuietBlock(handler.body);
}

function isQuietBlock(block: TypedBlock): boolean {
  return block.statements.every(isQuietStatement) && (block.tail === undefined || isQuietExpr(block.tail));
}

function isQuietStatement(stmt: TypedStmt): boolean {
  switch (stmt.kind) {
    case "let":
      return stmt.local !== undefined && isQuietExpr(stmt.value);
    case "assign":
    case "update":
      return (
        isQuietTarget(stmt.place) &&
        isQuietExpr(stmt.value) &&
        !(stmt.kind === "update" && ["divide", "remainder", "concat"].includes(stmt.operation))
      );
    case "expr":
      return (stmt.expr.kind === "if" || stmt.expr.kind === "block") && isQuietExpr(stmt.expr);
    case "while":
      return isQuietExpr(stmt.condition) && isQuietBlock(stmt.body);
    case "block":
      return isQuietBlock(stmt.block);
    case "return":
      return stmt.value === undefined || isQuietExpr(stmt.value);
    case "break":
    case "continue":
      return true;
    default:
      return false;
  }
}

/** `self.f`, `self.f.g` ...; or a local. */
function isQuietTarget(place: Place): boolean {
  if (place.kind === "local") return true;
  return place.kind === "field" && isFieldPath(place.base, "self");
}

function isFieldPath(expr: TypedExpr, root: "self" | "local"): boolean {
  return expr.kind === root || (expr.kind === "field" && isFieldPath(expr.receiver, root));
}

function isQuietExpr(expr: TypedExpr): boolean {
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
      return true;
    case "local":
      return expr.local.kind !== "param";
    case "field":
      return isFieldPath(expr, "self") || isFieldPath(expr, "local");
    case "variant":
      return expr.payload.length === 0;
    case "negate":
    case "not":
    case "complement":
      return isQuietExpr(expr.operand);
    case "and":
    case "or-else":
      return isQuietExpr(expr.left) && isQuietExpr(expr.right);
    case "binary":
      return (
        !["divide", "remainder", "concat"].includes(expr.operation) && isQuietExpr(expr.left) && isQuietExpr(expr.right)
      );
    case "if":
      return (
        isQuietExpr(expr.condition) && isQuietBlock(expr.then) && (!expr.otherwise || isQuietBlock(expr.otherwise))
      );
    case "block":
      return isQuietBlock(expr.block);
    case "convert":
      return expr.conversion === "int-to-float" && isQuietExpr(expr.operand);
    default:
      return false;
  }
}
