// Assignments: what can stand on the left, and the value that goes there.
import type { AssignOperator, AssignStmt, BinaryOperator } from "../syntax/index.ts";
import type { Body } from "./body.ts";
import { assign } from "./conversions.ts";
import { checkValue, withoutParens } from "./expressions.ts";
import { requireFieldAssignable } from "./ownership.ts";
import { binary, OPERATIONS } from "./operators.ts";
import { measuredUpdate } from "./quantities.ts";
import { isMeasured } from "./scalars.ts";
import { isPoison, STRING } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { BinaryOperation, Place, TypedExpr, TypedStmt } from "./typed.ts";
import type { Type } from "./types.ts";

export function checkAssign(body: Body, statement: AssignStmt): TypedStmt | undefined {
  const { span } = statement;
  const place = placeOf(body, statement);
  if (!place) {
    checkValue(body, statement.value);
    return undefined;
  }
  if (statement.operator === "=") {
    const value = checkValue(body, statement.value, place.type);
    requireFieldAssignable(body, place, value, statement.value);
    return { kind: "assign", place, value: assign(body, value, place.type, "store"), span };
  }
  return checkUpdate(body, statement, place);
}

/** The place that an assignment's target names; undefined: reported. */
function placeOf(body: Body, statement: AssignStmt): Place | undefined {
  const { cx } = body;
  const target = withoutParens(statement.target);
  const { span } = target;
  if (target.kind === "path") {
    const name = target.path.segments.length === 1 ? target.path.segments[0]?.text : undefined;
    const local = name === undefined ? undefined : body.lookup(name);
    if (local) {
      if (!local.mutable && !isPoison(local.type)) {
        const help =
          local.kind === "let"
            ? `declare it with \`let mut ${local.name}\``
            : `copy it first: \`let mut ${local.name} = ${local.name};\``;
        cx.error("E0406", statement.span, `\`${local.name}\` is not mutable; ${help}`);
      }
      return { kind: "local", local, type: local.type, span };
    }
  }
  const read = checkValue(body, target);
  if (isPoison(read.type)) return undefined;
  return placeFromRead(body, statement, read);
}

function placeFromRead(body: Body, statement: AssignStmt, read: TypedExpr): Place | undefined {
  const { cx } = body;
  const { type, span } = read;
  switch (read.kind) {
    case "field":
      if (type.kind === "bounded")
        cx.error("E0807", statement.span, "a bounded field starts empty; change it with push/set/clear");
      return { kind: "field", base: read.receiver, field: read.field, index: read.index, type, span };
    case "index":
      return { kind: "element", base: read.receiver, index: read.index, type, span };
    case "element":
      cx.error("E0424", statement.span, "a tuple member cannot be assigned; build a new tuple");
      return undefined;
    case "const":
      cx.error("E0406", statement.span, `\`${read.function.name}\` is a constant and cannot be assigned`);
      return undefined;
    case "slice":
      cx.error("E0424", statement.span, "a String is immutable; build a new one");
      return undefined;
    case "draining":
    case "children":
      cx.error("E0424", statement.span, "this member is read-only");
      return undefined;
    default:
      cx.error("E0424", statement.span, "this cannot be assigned");
      return undefined;
  }
}

// ---------------------------------------------------------------- op=

function checkUpdate(body: Body, statement: AssignStmt, place: Place): TypedStmt | undefined {
  const operator = operatorOf(statement.operator);
  const target: TypedExpr = { kind: "unit", type: place.type, span: place.span };
  const expected = isMeasured(place.type) ? place.type : undefined;
  const value = checkValue(body, statement.value, expected);
  if (isPoison(value.type) || isPoison(place.type)) return undefined;
  if (place.type === STRING && operator === "+") {
    const text = assign(body, value, STRING, "argument");
    return { kind: "update", place, operation: "concat", value: text, span: statement.span };
  }
  if (isMeasured(place.type)) return measuredPlace(body, statement, place, operator, value);
  const combined = binary(body, operator, target, value, statement.span);
  if (isPoison(combined.type)) return undefined;
  const converted = updateValue(combined, target, place.type);
  if (converted) return { kind: "update", place, ...converted, span: statement.span };
  body.cx.error(
    "E0304",
    statement.value.span,
    `\`${statement.operator}\` would make \`${typeText(combined.type)}\` of a \`${typeText(place.type)}\``,
  );
  return undefined;
}

function measuredPlace(
  body: Body,
  statement: AssignStmt,
  place: Place,
  operator: Exclude<BinaryOperator, "&&" | "||">,
  value: TypedExpr,
): TypedStmt | undefined {
  const converted = measuredUpdate(body.cx, operator, value, place.type);
  if (converted)
    return { kind: "update", place, operation: OPERATIONS[operator], value: converted, span: statement.span };
  body.cx.error(
    "E0325",
    value.span,
    `cannot apply \`${statement.operator}\` to \`${typeText(place.type)}\` and \`${typeText(value.type)}\``,
  );
  return undefined;
}

/** The operation on the place and the value beside it, when the result has the place's type. */
function updateValue(
  combined: TypedExpr,
  target: TypedExpr,
  type: Type,
): { readonly operation: BinaryOperation; readonly value: TypedExpr } | undefined {
  if (combined.kind !== "binary" || combined.type !== type || combined.left !== target) return undefined;
  return { operation: combined.operation, value: combined.right };
}

function operatorOf(operator: AssignOperator): Exclude<BinaryOperator, "&&" | "||"> {
  const operators: Record<Exclude<AssignOperator, "=">, Exclude<BinaryOperator, "&&" | "||">> = {
    "+=": "+",
    "-=": "-",
    "*=": "*",
    "/=": "/",
    "%=": "%",
    "&=": "&",
    "|=": "|",
    "^=": "^",
  }; // prettier-ignore
  return operator === "=" ? "+" : operators[operator];
}
