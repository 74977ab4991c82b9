import type { Expr, Stmt } from "../syntax/index.ts";
import type { Body } from "./body.ts";
import { droppedContents } from "./control.ts";
import { convertTo } from "./conversions.ts";
import { checkExpr, checkValue, requireAddressed, withoutParens } from "./expressions.ts";
import { collectionSource } from "./forms.ts";
import { loopBody } from "./statements.ts";
import { INT, isPoison, POISON } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { Local, TypedBlock, TypedExpr, TypedStmt } from "./typed.ts";
import type { Type } from "./types.ts";

type ForStmt = Stmt & { readonly kind: "for" };

export function checkFor(body: Body, statement: ForStmt): TypedStmt | undefined {
  const source = withoutParens(statement.source);
  if (source.kind === "range") return forRange(body, statement, source);
  const walked = loopSource(body, source);
  const { local, block } = loop(body, statement, walked?.element ?? POISON);
  return walked && { kind: "for-each", local, source: walked.value, body: block, span: statement.span };
}

function forRange(body: Body, statement: ForStmt, range: Expr & { readonly kind: "range" }): TypedStmt {
  const low = bound(body, range.low);
  const high = bound(body, range.high);
  const { local, block } = loop(body, statement, INT);
  return { kind: "for-range", local, low, high, inclusive: range.inclusive, body: block, span: statement.span };
}

function bound(body: Body, expr: Expr): TypedExpr {
  const value = checkValue(body, expr);
  const converted = convertTo(body.cx, value, INT, "argument");
  if (converted) return converted;
  body.cx.error("E0323", value.span, `range bounds must be Int, got \`${typeText(value.type)}\``);
  return value;
}

function loop(
  body: Body,
  { variable, body: block }: ForStmt,
  type: Type,
): { readonly local: Local | undefined; readonly block: TypedBlock } {
  return body.scoped(() => {
    const local: Local | undefined =
      variable.text === "_"
        ? undefined
        : body.declare({ name: variable.text, type, mutable: false, kind: "loop", span: variable.span });
    return { local, block: loopBody(body, () => body.scoped(() => droppedContents(body, block))) };
  });
}

/** What a `for` can walk, with the type of its elements (04 8.3). */
function loopSource(body: Body, source: Expr): { readonly value: TypedExpr; readonly element: Type } | undefined {
  const collection = collectionSource(body, source);
  if (collection) return collection === "reported" ? undefined : collection;
  const value = checkExpr(body, source);
  if (requireAddressed(body, value)) return undefined;
  const { type } = value;
  if (type.kind === "array" || type.kind === "bounded") return { value, element: type.element };
  if (type.kind === "children") return { value, element: type.child };
  if (!isPoison(type))
    body.cx.error("E0413", value.span, `cannot iterate over \`${typeText(type)}\``, { help: iterationHelp(type) });
  return undefined;
}

function iterationHelp(type: Type): string | undefined {
  if (type === INT) return "`for i in 0..n` counts";
  if (type.kind === "locus" && type.form?.form === "vec") return "walk its `.items`";
  if (type.kind === "locus" && (type.form?.form === "hashmap" || type.form?.form === "set"))
    return "walk its `.entries`";
  return undefined;
}
