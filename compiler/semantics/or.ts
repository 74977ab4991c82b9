// `or`: what is said about a call that can fail (04 11).
import type { Disposition, Expr } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, fallibleOf, poison } from "./body.ts";
import { droppedContents, finishValueBlock } from "./control.ts";
import { assign, convertTo } from "./conversions.ts";
import { checkExpr, checkValue, requireValue, withoutParens } from "./expressions.ts";
import { lastLeaves } from "./flow.ts";
import { narrowingWord, tolerantDivision } from "./quantities.ts";
import { checkStatements, dropped } from "./statements.ts";
import { BOOL, isPoison, NEVER, POISON, UNIT } from "./type-table.ts";
import { typeText, withArticle } from "./type-text.ts";
import type { Local, OrDisposition, TypedExpr } from "./typed.ts";
import type { Type } from "./types.ts";

type OrExpr = Expr & { readonly kind: "or" };
type Position = "value" | "statement";

/** `operand or ..`. In statement position the node's type is unit: the operand's value and the fallback's are dropped. */
export function checkOr(body: Body, expr: OrExpr, expected: Type | undefined, position: Position): TypedExpr {
  const operand = tolerantDivision(body, expr) ?? checkExpr(body, expr.operand, expected);
  const error = fallibleOf(operand);
  if (!error) return refuseInfallible(body, expr, operand, position);
  const narrowed = expr.disposition.kind === "value" ? narrowingWord(body, operand, expr.disposition.value) : undefined;
  if (narrowed) return narrowed;
  const errorLocal: Local = { name: "err", type: error, mutable: false, kind: "error", span: expr.disposition.span };
  const disposition = checkDisposition(body, expr, { operand, error, errorLocal, position });
  if (!disposition) return poison(expr.span);
  const type = position === "statement" ? UNIT : operand.type;
  return { kind: "or", operand, error, errorLocal, disposition, type, span: expr.span };
}

function refuseInfallible(body: Body, expr: OrExpr, operand: TypedExpr, position: Position): TypedExpr {
  if (!isPoison(operand.type)) {
    const help = operand.type === BOOL ? "the logical operator is `||`" : undefined;
    body.cx.error("E0416", expr.span, "not a fallible call; remove the `or`", { help });
  }
  const errorLocal: Local = { name: "err", type: POISON, mutable: false, kind: "error", span: expr.disposition.span };
  checkDisposition(body, expr, { operand: poison(operand.span), error: POISON, errorLocal, position });
  return poison(expr.span);
}

interface Failure {
  readonly operand: TypedExpr;
  readonly error: Type;
  readonly errorLocal: Local;
  readonly position: Position;
}

function checkDisposition(body: Body, expr: OrExpr, failure: Failure): OrDisposition | undefined {
  const { disposition, span } = expr;
  switch (disposition.kind) {
    case "raise":
      return raise(body, failure.error, disposition.span, span);
    case "discard":
      if (failure.operand.type !== UNIT && !isPoison(failure.operand.type)) {
        body.cx.error(
          "E0417",
          disposition.span,
          `\`or discard\` needs a call without a value; use \`or <value>\` for ${withArticle(failure.operand.type)}`,
        );
      }
      return { kind: "discard", span: disposition.span };
    case "wait":
      body.cx.error("E0417", disposition.span, "`or wait` follows only a bus send");
      return undefined;
    case "fail":
      return body.scoped(() => {
        body.declare(failure.errorLocal);
        return failWith(body, disposition.value, disposition.span);
      });
    case "value":
      return substitute(body, disposition, failure, span);
  }
}

/** `or raise`: the same payload goes to the caller, or ends the process where the function cannot fail (04 11.10, 14). */
export function raise(body: Body, error: Type, span: Span, whole: Span): OrDisposition {
  const { fallible } = body;
  if (fallible && fallible !== error && !isPoison(error) && !isPoison(fallible)) {
    const want = typeText(fallible);
    body.cx.error("E0418", whole, `cannot raise \`${typeText(error)}\` from a function that fails with \`${want}\``, {
      help: `use \`or fail ${fallible.kind === "record" ? `${want} { .. }` : "<value>"}\``,
    });
  }
  return { kind: "raise", unhandledName: fallible ? undefined : payloadName(error), span };
}

/** The payload's name in "Hale panic: unhandled .. escaping main locus". */
function payloadName(error: Type): string {
  return "name" in error ? error.name : typeText(error);
}

/** `or fail e`, with `err` in scope. */
export function failWith(body: Body, expr: Expr, span: Span): OrDisposition {
  const value = checkValue(body, expr, body.fallible);
  if (body.fallible)
    return { kind: "fail", value: assign(body, value, body.fallible, "store", { code: "E0419" }), span };
  body.cx.error("E0419", span, "`or fail` is only legal in a fallible function");
  return { kind: "fail", value, span };
}

// ---------------------------------------------------------------- substitutes

/** `or e`, `or h(err)`, `or { .. }`: a value of the success type, or control that leaves. */
function substitute(
  body: Body,
  disposition: Disposition & { readonly kind: "value" },
  failure: Failure,
  whole: Span,
): OrDisposition | undefined {
  const success = failure.operand.type;
  const { span } = disposition;
  return body.scoped(() => {
    body.declare(failure.errorLocal);
    const inner = withoutParens(disposition.value);
    const drops = success === UNIT || failure.position === "statement";
    if (inner.kind === "block") return blockSubstitute(body, inner, drops, success, whole);
    if (drops && (inner.kind === "if" || inner.kind === "match" || inner.kind === "or")) {
      const statements = dropped(body, disposition.value, "tail");
      return {
        kind: "value",
        value: { kind: "block", block: { statements, tail: undefined, span }, type: UNIT, span },
        span,
      };
    }
    const made = checkExpr(body, disposition.value, drops ? undefined : success);
    const value = fallibleOf(made) ? raiseHandler(body, made, inner, whole) : made;
    if (!value) return undefined;
    if (drops || value.type === NEVER) return { kind: "value", value, span };
    return { kind: "value", value: fitting(body, value, success, whole), span };
  });
}

/** The fallback as a value of the success type; what does not fit is reported at the whole `or` expression (04 11.9). */
function fitting(body: Body, given: TypedExpr, success: Type, whole: Span): TypedExpr {
  if (given.type === UNIT && !fallibleOf(given)) {
    if (!isPoison(success))
      body.cx.error("E0417", whole, `fallback is \`()\`, expected \`${typeText(success)}\``, {
        help: "end it with a value, or leave with `return`, `fail`, `break` or `continue`",
      });
    return poison(given.span);
  }
  const value = requireValue(body, given);
  const converted = convertTo(body.cx, value, success, "store");
  if (converted) return converted;
  return assign(body, value, success, "store", {
    code: "E0417",
    span: whole,
    message: (expected, got) => `fallback is \`${got}\`, expected \`${expected}\``,
  });
}

function blockSubstitute(
  body: Body,
  expr: Expr & { readonly kind: "block" },
  drops: boolean,
  success: Type,
  whole: Span,
): OrDisposition {
  const { block, span } = expr;
  if (drops)
    return {
      kind: "value",
      value: { kind: "block", block: body.scoped(() => droppedContents(body, block)), type: UNIT, span },
      span,
    };
  const made = body.scoped(() => {
    const statements = checkStatements(body, block.statements);
    if (!block.tail)
      return {
        block: { statements, tail: undefined, span },
        type: lastLeaves({ statements, tail: undefined, span }) ? NEVER : UNIT,
      };
    return finishValueBlock(statements, fitting(body, checkExpr(body, block.tail, success), success, whole), span);
  });
  if (made.type === UNIT && !isPoison(success))
    body.cx.error("E0417", whole, "the fallback block neither leaves nor has a value");
  return { kind: "value", value: { kind: "block", block: made.block, type: made.type, span }, span };
}

/** `f() or h(err)` with a handler that can fail itself: its failure is raised, if it is the program's own and there is a place for it (04 11.5). */
function raiseHandler(body: Body, handler: TypedExpr, expr: Expr, whole: Span): TypedExpr | undefined {
  const { cx } = body;
  const error = fallibleOf(handler) ?? POISON;
  const isOwn = handler.kind === "call" && (whole.file.isStd || isProgramCallee(handler)) && expr.kind === "call";
  if (!isOwn) {
    cx.error("E0416", whole, `the fallback can fail (${typeText(error)}) itself; write \`or (.. or raise)\``);
    return undefined;
  }
  if (body.fallible !== error) {
    const why = body.fallible ? `this function fails with \`${typeText(body.fallible)}\`` : "this function cannot fail";
    cx.error(
      "E0418",
      whole,
      `the handler's failure (${typeText(error)}) has nowhere to go: ${why}; write \`or (.. or raise)\``,
    );
    return undefined;
  }
  const errorLocal: Local = { name: "err", type: error, mutable: false, kind: "error", span: handler.span };
  const disposition: OrDisposition = { kind: "raise", unhandledName: undefined, span: handler.span };
  return { kind: "or", operand: handler, error, errorLocal, disposition, type: handler.type, span: handler.span };
}

function isProgramCallee(call: TypedExpr & { readonly kind: "call" }): boolean {
  const { callee } = call;
  switch (callee.kind) {
    case "function":
    case "method":
      return !callee.function.span.file.isStd;
    case "interface":
    case "perspective":
      return true;
    case "indirect":
    case "form":
      return false;
  }
}
