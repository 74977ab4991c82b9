// Text: f-strings, Time literals, and which types have a text form (03 19).
import type { FormatSpec, FStringPart } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { checkValue, untilZero } from "./expressions.ts";
import { quantitySuffix } from "./scalar-type.ts";
import {
  BOOL,
  DECIMAL,
  DURATION,
  FLOAT,
  INT,
  isPoison,
  isText,
  NEVER,
  STRING,
  STRING_VIEW,
  TIME,
} from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TextFormat, TypedExpr } from "./typed.ts";
import type { ScalarType, Type } from "./types.ts";

export function checkFString(body: Body, parts: readonly FStringPart[], span: Span): TypedExpr {
  const texts: TypedExpr[] = [];
  for (const part of parts) {
    if (part.kind === "text") texts.push({ kind: "string", value: untilZero(part.value), type: STRING, span });
    else texts.push(interpolation(body, checkValue(body, part.expr), part.format));
  }
  const [only] = texts;
  if (!only) return { kind: "string", value: new Uint8Array(), type: STRING, span };
  return {
    kind: "concat",
    parts: texts,
    isTemplate: parts.some((part) => part.kind === "expr"),
    sums: [],
    type: STRING,
    span,
  };
}

function interpolation(body: Body, value: TypedExpr, format: FormatSpec | undefined): TypedExpr {
  if (!requirePrintable(body, value)) return poison(value.span);
  if (!format) return toText(body, value);
  const { type, span } = value;
  if (format.precision !== undefined && type !== FLOAT && type !== DECIMAL && !isPoison(type)) {
    body.cx.error("E0316", span, `precision needs a Float or Decimal, this is \`${typeText(type)}\``);
  }
  if (format.hex !== undefined && type !== INT && !isPoison(type))
    body.cx.error("E0316", span, `hexadecimal needs an Int, this is \`${typeText(type)}\``);
  const operand = type.kind === "scalar" && type.form === "quantity" ? quantityText(body, value, type) : value;
  return { kind: "to-text", operand, format: textFormat(type, format), type: STRING, span };
}

function textFormat(type: Type, format: FormatSpec): TextFormat {
  const isNumber = type === INT || type === FLOAT || type === DECIMAL || type === DURATION || type.kind === "scalar";
  return {
    fill: format.fill ?? " ",
    align: format.align ?? (isNumber ? ">" : "<"),
    width: format.width ?? 0,
    precision: format.precision,
    hex: format.hex,
  };
}

/** The text of a printable value; a String is its own text. */
export function toText(body: Body, value: TypedExpr): TypedExpr {
  if (value.type.kind === "scalar" && value.type.form === "quantity") return quantityText(body, value, value.type);
  if (value.type === STRING || isPoison(value.type)) return value;
  if (value.type === STRING_VIEW)
    return { kind: "convert", conversion: "view", operand: value, type: STRING, span: value.span };
  return { kind: "to-text", operand: value, format: undefined, type: STRING, span: value.span };
}

/** A quantity on its own: its count and what it counts (03b 4.5). */
function quantityText(body: Body, value: TypedExpr, type: ScalarType): TypedExpr {
  const { span } = value;
  const count: TypedExpr = {
    kind: "to-text",
    operand: { kind: "convert", conversion: "scalar", operand: value, type: INT, span },
    format: undefined,
    type: STRING,
    span,
  };
  const suffix: TypedExpr = {
    kind: "string",
    value: new TextEncoder().encode(quantitySuffix(body.cx, type)),
    type: STRING,
    span,
  };
  return { kind: "concat", parts: [count, suffix], isTemplate: false, sums: [], type: STRING, span };
}

/** Reports a value that has no text form; true if it has one (or was reported before). */
export function requirePrintable(body: Body, value: TypedExpr, at: Span = value.span): boolean {
  const obstacle = findUnprintable(value.type);
  if (!obstacle) return true;
  const { path, type } = obstacle;
  if (path === "")
    body.cx.error("E0311", at, `cannot print a value of type \`${typeText(type)}\`${unprintableHint(type)}`);
  else
    body.cx.error(
      "E0311",
      at,
      `cannot print \`${typeText(value.type)}\`: \`${path}\` is \`${typeText(type)}\`, which has no text${unprintableHint(type)}`,
    );
  return false;
}

function unprintableHint(type: Type): string {
  if (type.kind === "locus") return "; a locus cannot be printed, print its fields";
  if (type.kind === "primitive" && type.name === "Bytes") return "; use `std::bytes` to look into Bytes";
  return "";
}

interface Obstacle {
  readonly path: string;
  readonly type: Type;
}

/** The first part of a type that has no text form, with the path that leads to it. */
export function findUnprintable(type: Type, seen = new Set<Type>()): Obstacle | undefined {
  if (seen.has(type)) return undefined;
  seen.add(type);
  switch (type.kind) {
    case "primitive":
      return isText(type) || [INT, FLOAT, BOOL, DECIMAL, DURATION, TIME, NEVER].some((known) => known === type)
        ? undefined
        : { path: "", type };
    case "enum":
      return firstObstacle(
        type.variants.flatMap((variant) =>
          variant.payload.map((part) => [`${type.name}::${variant.name}`, part] as const),
        ),
        seen,
      );
    case "record":
      return firstObstacle(
        type.fields.map((field) => [field.name, field.type] as const),
        seen,
      );
    case "tuple":
      return firstObstacle(
        type.members.map((member, i) => [String(i), member] as const),
        seen,
      );
    case "array":
    case "bounded":
      return type.kind === "array" && type.length === undefined
        ? { path: "", type }
        : elementPrints(type.element)
          ? undefined
          : { path: "", type };
    case "scalar":
    case "error":
      return undefined;
    case "function":
    case "interface":
    case "perspective":
    case "locus":
    case "cell":
    case "children":
      return { path: "", type };
  }
}

function elementPrints(element: Type): boolean {
  return [INT, FLOAT, BOOL, DECIMAL, DURATION].some((type) => type === element) || isPoison(element);
}

function firstObstacle(parts: readonly (readonly [string, Type])[], seen: Set<Type>): Obstacle | undefined {
  for (const [name, type] of parts) {
    const inner = findUnprintable(type, seen);
    if (inner) return { path: inner.path === "" ? name : `${name}.${inner.path}`, type: inner.type };
  }
  return undefined;
}

// ---------------------------------------------------------------- Time

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z?$/;

export function checkTime(body: Body, text: string, span: Span): TypedExpr {
  const nanoseconds = parseInstant(text);
  const isInRange = nanoseconds !== undefined && BigInt.asIntN(64, nanoseconds) === nanoseconds;
  if (isInRange) return { kind: "time", nanoseconds, type: TIME, span };
  body.cx.error(
    "E0320",
    span,
    nanoseconds === undefined
      ? "a Time literal is UTC: YYYY-MM-DDTHH:MM:SS[.fraction][Z]"
      : "a Time is counted in 64 bits of nanoseconds: it lies between 1677-09-21T00:12:43.145224192Z and 2262-04-11T23:47:16.854775807Z",
  );
  return poison(span);
}

/** Nanoseconds since 1970 of an ISO-8601 UTC instant (01 4.5). */
export function parseInstant(text: string): bigint | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  if (
    year === undefined ||
    month === undefined ||
    day === undefined ||
    hour === undefined ||
    minute === undefined ||
    second === undefined
  )
    return undefined;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
  const seconds = BigInt(daysSince1970(year, month, day)) * 86_400n + BigInt(hour * 3600 + minute * 60 + second);
  return seconds * 1_000_000_000n + BigInt((match[7] ?? "").padEnd(9, "0"));
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar (Hinnant, "days_from_civil"). */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
