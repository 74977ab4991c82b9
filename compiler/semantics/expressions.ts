import type { Expr } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, fallibleOf, poison } from "./body.ts";
import { checkCall } from "./calls.ts";
import { checkChain } from "./chains.ts";
import { blockExpression, checkIf, checkMatch } from "./control.ts";
import { assign } from "./conversions.ts";
import { checkAggregate } from "./closures.ts";
import { valuelessHelp } from "./flow.ts";
import { checkFString, checkTime } from "./texts.ts";
import { checkElement, checkIndex, checkMember } from "./members.ts";
import { checkPath } from "./names.ts";
import { checkBinary, checkUnary } from "./operators.ts";
import { checkOr } from "./or.ts";
import { checkLiteral } from "./literals.ts";
import { quantityLiteral } from "./quantities.ts";
import { integerLiteral } from "./scalars.ts";
import { BOOL, BYTES, DECIMAL, FLOAT, isPoison, STRING, UNIT } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr } from "./typed.ts";
import type { ArrayType, Type } from "./types.ts";

/** An expression that gives a value: a bare fallible call and a call without result are refused. `expected` guides literals; it converts nothing. */
export function checkValue(body: Body, expr: Expr, expected?: Type): TypedExpr {
  return requireValue(body, checkExpr(body, expr, expected));
}

export function requireValue(body: Body, value: TypedExpr): TypedExpr {
  if (requireAddressed(body, value)) return poison(value.span);
  if (value.type.kind === "children") {
    body.cx.error(
      "E0513",
      value.span,
      "`self.children` is not a value; walk it with `for`, or read its `count` and `is_empty`",
    );
    return poison(value.span);
  }
  if (value.type !== UNIT) return value;
  const isBlock = value.kind === "block";
  body.cx.error("E0318", value.span, isBlock ? "this block has no value" : "this call has no value", {
    help: isBlock ? valuelessHelp(value.block) : undefined,
  });
  return poison(value.span);
}

/** Refuses a call that can fail and stands outside `or` (04 10.1); true if it was one. */
export function requireAddressed(body: Body, value: TypedExpr): boolean {
  const payload = fallibleOf(value);
  if (!payload) return false;
  const ways =
    value.type === UNIT
      ? "`or raise`, `or discard` or `or handler(err)`"
      : "`or raise`, `or <value>` or `or handler(err)`";
  const isNarrowing =
    value.kind === "call" && value.callee.kind === "function" && body.cx.narrowings.has(value.callee.function);
  const what = isNarrowing
    ? `this makes a \`${typeText(value.type)}\` and can fail`
    : `\`${calleeName(value)}\` can fail`;
  body.cx.error(
    "E0415",
    value.span,
    `${what} (${typeText(payload)}) and this ${isNarrowing ? "conversion" : "call"} says nothing about it: add ${ways}`,
  );
  return true;
}

/** The name that messages give the called thing. */
export function calleeName(value: TypedExpr): string {
  if (value.kind === "builtin") return value.name.replace(/^(bounded|array)-/, "");
  if (value.kind === "chain") return value.chain.terminal.kind;
  if (value.kind !== "call") return "this";
  const { callee } = value;
  switch (callee.kind) {
    case "function":
      return callee.function.name;
    case "method":
      return callee.function.name.slice(callee.function.name.lastIndexOf(".") + 1);
    case "interface":
      return callee.interface.methods[callee.method]?.name ?? "this";
    case "perspective":
      return callee.perspective.methods[callee.method]?.name ?? "this";
    case "indirect":
      return "this function value";
    case "form":
      return callee.operation;
  }
}

/** Any expression, fallible calls and calls without value included: for `or`, statements and what judges these itself. */
export function checkExpr(body: Body, expr: Expr, expected?: Type): TypedExpr {
  const { span } = expr;
  switch (expr.kind) {
    case "int":
      return integerLiteral(body, expr.value, span, expected);
    case "float":
      return { kind: "float", value: expr.value, type: FLOAT, span };
    case "decimal":
      return { kind: "decimal", units: expr.units, type: DECIMAL, span };
    case "quantity":
      return quantityLiteral(body, expr, expected);
    case "string":
      return { kind: "string", value: untilZero(expr.value), type: STRING, span };
    case "bytes":
      return { kind: "bytes", value: expr.value, type: BYTES, span };
    case "fstring":
      return checkFString(body, expr.parts, span);
    case "time":
      return checkTime(body, expr.text, span);
    case "bool":
      return { kind: "bool", value: expr.value, type: BOOL, span };
    case "nil":
      body.cx.error("E0302", span, "there is no `nil` value", {
        help: "use a Bool, an enum such as `Option<T>`, or a fallible function",
      });
      return poison(span);
    case "self":
      return checkSelf(body, span);
    case "path":
      return checkPath(body, expr.path, expected);
    case "literal":
      return checkLiteral(body, expr, expected);
    case "tuple":
      return checkTuple(body, expr.members, span, expected);
    case "array":
      return checkArray(body, expr.elements, span, expected);
    case "repeat":
      return checkRepeat(body, expr, expected);
    case "block":
      return blockExpression(body, expr.block, expected);
    case "if":
      return checkIf(body, expr, expected);
    case "match":
      return checkMatch(body, expr, expected);
    case "unary":
      return checkUnary(body, expr, expected);
    case "binary":
      return checkBinary(body, expr, expected);
    case "range":
      body.cx.error("E0323", span, "a range is no value; it can stand in `for`, in a String index and in `range:`");
      return poison(span);
    case "or":
      return checkOr(body, expr, expected, "value");
    case "member":
      return checkMember(body, expr);
    case "element":
      return checkElement(body, expr);
    case "scope":
      checkValue(body, expr.receiver);
      body.cx.error("E0308", span, "`::` follows the name of an import, a type or a namespace");
      return poison(span);
    case "index":
      return checkIndex(body, expr);
    case "call":
      return checkCall(body, expr, expected);
    case "aggregate":
      return checkAggregate(body, expr);
    case "chain":
      return checkChain(body, expr);
    case "paren":
      return checkExpr(body, expr.inner, expected);
  }
}

/** Text with an embedded zero ends there (03 5.1). */
export function untilZero(bytes: Uint8Array): Uint8Array {
  const zero = bytes.indexOf(0);
  return zero < 0 ? bytes : bytes.subarray(0, zero);
}

function checkSelf(body: Body, span: Span): TypedExpr {
  if (body.self) return { kind: "self", type: body.self, span };
  body.cx.error("E0422", span, "`self` is only available in a locus");
  return poison(span);
}

/** The expression inside any parentheses. */
export function withoutParens(expr: Expr): Expr {
  let inner = expr;
  while (inner.kind === "paren") inner = inner.inner;
  return inner;
}

// ---------------------------------------------------------------- tuples, arrays

function checkTuple(body: Body, members: readonly Expr[], span: Span, expected: Type | undefined): TypedExpr {
  if (members.length < 2) {
    body.cx.error("E0314", span, "a tuple has two members or more");
    return poison(span);
  }
  const wanted =
    expected?.kind === "tuple" && expected.members.length === members.length ? expected.members : undefined;
  const values = members.map((member, i) => {
    const value = checkValue(body, member, wanted?.[i]);
    return convertElement(body, value, wanted?.[i]);
  });
  if (values.some((value) => isPoison(value.type))) return poison(span);
  return { kind: "tuple", members: values, type: body.cx.types.tuple(values.map((value) => value.type)), span };
}

/** With an expected interface (or a wider scalar) the element converts; other types are judged where the whole goes. */
function convertElement(body: Body, value: TypedExpr, wanted: Type | undefined): TypedExpr {
  if (!wanted || value.type === wanted) return value;
  if (wanted.kind !== "interface" && value.type.kind !== "scalar") return value;
  const made = assign(body, value, wanted, "store");
  return made.type === wanted ? made : poison(value.span);
}

function checkArray(body: Body, elements: readonly Expr[], span: Span, expected: Type | undefined): TypedExpr {
  const wanted = expected?.kind === "array" ? expected.element : undefined;
  if (elements.length === 0) {
    body.cx.error("E0309", span, "an array needs an element; `[v; N]` repeats one");
    return poison(span);
  }
  const values = elements.map((element) => convertElement(body, checkValue(body, element, wanted), wanted));
  const first = values.find((value) => !isPoison(value.type));
  if (!first || values.some((value) => isPoison(value.type))) return poison(span);
  const odd = values.find((value) => value.type !== first.type);
  if (odd) {
    body.cx.error(
      "E0309",
      span,
      `array elements must have one type: found \`${typeText(first.type)}\` and \`${typeText(odd.type)}\``,
    );
    return poison(span);
  }
  return { kind: "array", elements: values, type: arrayOf(body, first.type, values.length), span };
}

function checkRepeat(body: Body, expr: Expr & { readonly kind: "repeat" }, expected: Type | undefined): TypedExpr {
  const wanted = expected?.kind === "array" ? expected.element : undefined;
  const value = convertElement(body, checkValue(body, expr.value, wanted), wanted);
  const count = Number(expr.count.value);
  if (count < 1) {
    body.cx.error("E0309", expr.span, "an array has at least one element");
    return poison(expr.span);
  }
  if (isPoison(value.type)) return poison(expr.span);
  return { kind: "repeat", value, count, type: arrayOf(body, value.type, count), span: expr.span };
}

function arrayOf(body: Body, element: Type, length: number): ArrayType {
  return body.cx.types.array(element, length);
}
