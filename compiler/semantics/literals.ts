// `Name { field: value }`: records and loci.
import type { Expr, FieldInit, Path } from "../syntax/index.ts";
import { nearestName } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { assign } from "./conversions.ts";
import { checkValue } from "./expressions.ts";
import { reachLocus } from "./loci.ts";
import { findBare, isUnboundIgnored, pathText, resolveQualified } from "./lookup.ts";
import { findJoined, joinedAs } from "./joined-names.ts";
import { genericsOf, typeOfSymbol } from "./resolve-types.ts";
import { describeSymbol, isTypeSymbol, type DeclaredSymbol } from "./symbols.ts";
import { isPoison } from "./type-table.ts";
import { listText, typeText } from "./type-text.ts";
import type { TypedExpr } from "./typed.ts";
import type { FieldInfo, LocusField, LocusType, RecordType, Type } from "./types.ts";
import { fieldType } from "./untyped-fields.ts";

type LiteralExpr = Expr & { readonly kind: "literal" };

export function checkLiteral(body: Body, expr: LiteralExpr, expected: Type | undefined): TypedExpr {
  const type = literalType(body, expr, expected);
  if (type?.kind === "record") return recordLiteral(body, expr, type);
  if (type?.kind === "locus") return locusLiteral(body, expr, type);
  for (const field of expr.fields) checkValue(body, field.value);
  return poison(expr.span);
}

/** The record or locus type that a literal builds; undefined: reported. */
function literalType(body: Body, expr: LiteralExpr, expected: Type | undefined): RecordType | LocusType | undefined {
  const { cx } = body;
  const [first, second] = expr.path.segments;
  if (!first) return undefined;
  const own = second ? undefined : body.env.generics.get(first.text);
  const meaning = second ? resolveQualified(cx, body.env, expr.path, "type") : undefined;
  if (meaning?.kind === "unknown") return undefined;
  if (meaning && meaning.rest.length > 0) {
    cx.error("E0307", expr.span, `\`${pathText(expr.path)}\` is not a record type`);
    return undefined;
  }
  const symbol =
    meaning?.kind === "symbol" ? meaning.symbol : second ? undefined : findBare(cx, body.env.scope, first.text);
  const joined = meaning?.kind === "type" ? meaning.type : symbol ? undefined : findJoined(cx, body.env, first.text);
  const type =
    own ??
    (joined ? joinedAs(cx, joined, expected) : undefined) ??
    (symbol ? typeFromSymbol(body, expr, symbol, expected) : undefined);
  if (type?.kind === "record" || type?.kind === "locus") return type;
  if (type && !isPoison(type)) cx.error("E0307", expr.span, `\`${pathText(expr.path)}\` is not a record type`);
  if (!type && !symbol) reportUnknownLiteral(body, expr.path);
  return undefined;
}

function reportUnknownLiteral(body: Body, path: Path): void {
  if (isUnboundIgnored(body.cx, body.env)) return;
  const name = pathText(path);
  const near = nearestName(
    name,
    [...body.env.scope.symbols.values()].filter(isTypeSymbol).map((symbol) => symbol.name),
  );
  body.cx.error("E0301", path.span, `unknown type \`${name}\` in literal`, {
    help: near === undefined ? undefined : `did you mean \`${near}\`?`,
  });
}

function typeFromSymbol(
  body: Body,
  expr: LiteralExpr,
  symbol: DeclaredSymbol,
  expected: Type | undefined,
): Type | undefined {
  const { cx } = body;
  const name = pathText(expr.path);
  if (symbol.kind === "alias") {
    const target = typeOfSymbol(cx, symbol, []);
    const help = target.kind === "record" || target.kind === "locus" ? `; write \`${target.name} { .. }\`` : "";
    cx.error("E0307", expr.span, `\`${name}\` is an alias${help}`);
    return undefined;
  }
  if (symbol.kind !== "record" && symbol.kind !== "locus") {
    cx.error("E0307", expr.span, `\`${name}\` is ${describeSymbol(symbol)}, not a record type or a locus`);
    return undefined;
  }
  if (symbol.name === "ClosureViolation" && symbol.scope === cx.librarySeeds.get("prelude")) {
    cx.error("E0307", expr.span, "`ClosureViolation` cannot be written as a literal");
    return undefined;
  }
  if (genericsOf(symbol).length === 0) return typeOfSymbol(cx, symbol, []);
  if (expected && isPoison(expected)) return undefined;
  const origin =
    expected?.kind === "record"
      ? cx.recordOrigins.get(expected)
      : expected?.kind === "locus"
        ? cx.locusOrigins.get(expected)
        : undefined;
  if (expected && origin?.symbol === symbol) return expected;
  const generics = genericsOf(symbol).map((generic) => generic.name.text);
  cx.error(
    "E0315",
    expr.span,
    `cannot infer ${listText(generics)} for \`${name}\`; annotate the type or write \`${name}${"_Int".repeat(generics.length)} { .. }\``,
  );
  return undefined;
}

// ---------------------------------------------------------------- records

function recordLiteral(body: Body, expr: LiteralExpr, type: RecordType): TypedExpr {
  const given = initialisers(body, expr, type, type.fields);
  const fields: TypedExpr[] = [];
  const missing: string[] = [];
  for (const field of type.fields) {
    const init = given.get(field.name);
    if (field.type.kind === "bounded") {
      if (init) body.cx.error("E0807", init.span, "a bounded field starts empty; change it with push/set/clear");
      fields.push({ kind: "empty-bounded", type: field.type, span: expr.span });
    } else if (init) {
      fields.push(
        assign(body, checkValue(body, init.value, field.type), field.type, "value", fieldMismatch(type, field)),
      );
    } else {
      const value = defaultOf(body, expr, type, field);
      if (value) fields.push(value);
      else missing.push(field.name);
    }
  }
  // A misspelled field is unknown and missing: one report.
  if (missing.length > 0 && unknownFields(expr, type.fields) >= missing.length) return poison(expr.span);
  if (missing.length > 0) {
    const what =
      missing.length === 1
        ? `field \`${missing[0]}\` of \`${typeText(type)}\` is missing`
        : `fields ${listText(missing)} of \`${typeText(type)}\` are missing`;
    body.cx.error("E0305", expr.span, what);
    return poison(expr.span);
  }
  return { kind: "record", fields, type, span: expr.span };
}

function unknownFields(expr: LiteralExpr, fields: readonly { readonly name: string }[]): number {
  return expr.fields.filter((init) => !fields.some((field) => field.name === init.name.text)).length;
}

function fieldMismatch(type: RecordType | LocusType, field: { readonly name: string }) {
  return {
    message: (expected: string, got: string) =>
      `field \`${field.name}\` of \`${typeText(type)}\`: expected \`${expected}\`, got \`${got}\``,
  };
}

/** A field's default, checked and placed where the literal stands (03 12.1.4). */
function defaultOf(body: Body, expr: LiteralExpr, type: RecordType, field: FieldInfo): TypedExpr | undefined {
  if (isPoison(field.type)) return poison(expr.span);
  const origin = body.cx.recordOrigins.get(type);
  const decl = origin?.symbol.decl.fields.find((candidate) => candidate.name.text === field.name);
  if (!origin || !decl?.defaultValue) return undefined;
  const { defaultValue } = decl;
  return body.expandDefault(origin.env, expr.span, () =>
    assign(body, checkValue(body, defaultValue, field.type), field.type, "default"),
  );
}

/** The literal's initialisers by field; of two for one field the last counts. Unknown fields are reported, their values checked. */
function initialisers(
  body: Body,
  expr: LiteralExpr,
  type: RecordType | LocusType,
  fields: readonly { readonly name: string }[],
): Map<string, FieldInit> {
  const given = new Map<string, FieldInit>();
  for (const init of expr.fields) {
    const name = init.name.text;
    if (fields.some((field) => field.name === name)) {
      const earlier = given.get(name);
      if (earlier) checkValue(body, earlier.value);
      given.set(name, init);
      continue;
    }
    const near = nearestName(
      name,
      fields.map((field) => field.name),
    );
    const what = type.kind === "locus" ? `locus \`${typeText(type)}\`` : `\`${typeText(type)}\``;
    body.cx.error("E0306", init.span, `${what} has no field \`${name}\``, {
      help: near === undefined ? undefined : `did you mean \`${near}\`?`,
    });
    checkValue(body, init.value);
  }
  return given;
}

// ---------------------------------------------------------------- loci

function locusLiteral(body: Body, expr: LiteralExpr, type: LocusType): TypedExpr {
  const { cx } = body;
  const given = initialisers(body, expr, type, type.fields);
  const missing: string[] = [];
  const fields = type.fields.map((field): TypedExpr | undefined => {
    const init = given.get(field.name);
    if (init) return locusField(body, type, field, init);
    if (field.defaultValue) cx.reach(field.defaultValue);
    else if (!isOptional(body, field)) missing.push(field.name);
    else return allDefaultRecord(body, expr, field);
    return undefined;
  });
  if (unknownFields(expr, type.fields) < missing.length)
    for (const name of missing) cx.error("E0305", expr.span, `locus \`${typeText(type)}\`: missing field \`${name}\``);
  reachLocus(cx, type);
  return { kind: "locus", locus: type, fields, type, span: expr.span };
}

/** A record field that was left out takes its type's defaults (05 5.2.1). */
function allDefaultRecord(body: Body, expr: LiteralExpr, field: LocusField): TypedExpr | undefined {
  const type = fieldType(body.cx, field);
  return type.kind === "record" ? recordLiteral(body, { ...expr, fields: [] }, type) : undefined;
}

function locusField(body: Body, type: LocusType, field: LocusField, init: FieldInit): TypedExpr {
  const wanted = fieldType(body.cx, field);
  if (wanted.kind === "bounded") {
    body.cx.error("E0807", init.span, "bounded fields start empty; use push");
    return poison(init.span);
  }
  const expected = isPoison(wanted) && body.cx.untypedFields.has(field) ? undefined : wanted;
  const value = checkValue(body, init.value, expected);
  if (!expected) {
    settleByUse(body, field, value);
    return value;
  }
  const message = (want: string, got: string) =>
    `locus \`${typeText(type)}\`: field \`${field.name}\` expects \`${want}\`, got \`${got}\``;
  return assign(body, value, wanted, "store", { message });
}

/** `n: inferred;` takes the type of the first literal that gives it. */
function settleByUse(body: Body, field: LocusField, value: TypedExpr): void {
  if (isPoison(value.type)) return;
  field.type = value.type;
  body.cx.untypedFields.delete(field);
}

/** Whether a field may be left out though it has no default of its own (05 5.2.1). */
function isOptional(body: Body, field: LocusField): boolean {
  const type = fieldType(body.cx, field);
  if (type.kind === "bounded") return true;
  if (isPoison(type) && !body.cx.untypedFields.has(field)) return true;
  if (type.kind !== "record" || !hasAllDefaults(type)) return false;
  field.implicitDefault = true;
  return true;
}

function hasAllDefaults(type: RecordType): boolean {
  return type.fields.every((field) => field.hasDefault || field.type.kind === "bounded");
}
