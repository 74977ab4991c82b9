import type { Pattern } from "../syntax/index.ts";
import type { Body } from "./body.ts";
import { checkExpr } from "./expressions.ts";
import { pathText, resolveQualified } from "./lookup.ts";
import { enumOf, instanceHelp, reportUnknownVariant } from "./names.ts";
import { BOOL, isPoison, isText, POISON, STRING } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedArm, TypedPattern } from "./typed.ts";
import type { EnumType, Type } from "./types.ts";

const ANY: TypedPattern = { kind: "any" };

/** A pattern against a value of `type`; its names are bound in the current scope. */
export function bindPattern(body: Body, pattern: Pattern, type: Type, isNested = false): TypedPattern {
  switch (pattern.kind) {
    case "wildcard":
      return ANY;
    case "binding":
      return {
        kind: "bind",
        local: body.declare({ name: pattern.name.text, type, mutable: false, kind: "pattern", span: pattern.span }),
      };
    case "value":
      return valuePattern(body, pattern, type);
    case "tuple":
      if (isNested) return refuseNested(body, pattern);
      return tuplePattern(body, pattern, type);
    case "variant":
      if (isNested) return refuseNested(body, pattern);
      return variantPattern(body, pattern, type);
  }
}

function refuseNested(body: Body, pattern: Pattern): TypedPattern {
  body.cx.error("E0412", pattern.span, "nested patterns are not supported; bind a name and match again");
  bindPoison(body, pattern);
  return ANY;
}

/** Binds the names of a pattern that was reported. */
function bindPoison(body: Body, pattern: Pattern): void {
  if (pattern.kind === "binding")
    body.declare({ name: pattern.name.text, type: POISON, mutable: false, kind: "pattern", span: pattern.span });
  const parts = pattern.kind === "tuple" ? pattern.members : pattern.kind === "variant" ? (pattern.payload ?? []) : [];
  for (const part of parts) bindPoison(body, part);
}

function valuePattern(body: Body, pattern: Pattern & { readonly kind: "value" }, type: Type): TypedPattern {
  const value = checkExpr(body, pattern.value, type.kind === "scalar" ? type : undefined);
  const fits = value.type === type || isPoison(type) || isPoison(value.type) || (isText(type) && value.type === STRING);
  if (fits) return { kind: "value", value };
  body.cx.error(
    "E0412",
    pattern.span,
    `the pattern is \`${typeText(value.type)}\`, the value is \`${typeText(type)}\``,
  );
  return ANY;
}

function tuplePattern(body: Body, pattern: Pattern & { readonly kind: "tuple" }, type: Type): TypedPattern {
  if (type.kind !== "tuple" || type.members.length !== pattern.members.length) {
    if (!isPoison(type))
      body.cx.error(
        "E0412",
        pattern.span,
        `a pattern of ${pattern.members.length} parts does not fit \`${typeText(type)}\``,
      );
    bindPoison(body, pattern);
    return ANY;
  }
  return {
    kind: "tuple",
    members: pattern.members.map((member, i) => bindPattern(body, member, type.members[i] ?? POISON, true)),
  };
}

function variantPattern(body: Body, pattern: Pattern & { readonly kind: "variant" }, type: Type): TypedPattern {
  const made = constructorOf(body, pattern, type);
  if (!made) {
    bindPoison(body, pattern);
    return ANY;
  }
  const { enumeration, index } = made;
  const payload = enumeration.variants[index]?.payload ?? [];
  const written = pattern.payload;
  if (written && written.length !== payload.length) {
    body.cx.error(
      "E0412",
      pattern.span,
      `\`${pathText(pattern.path)}\` has ${payload.length} payload value${payload.length === 1 ? "" : "s"}, the pattern ${written.length}`,
    );
    bindPoison(body, pattern);
    return ANY;
  }
  const parts = (written ?? payload.map((): undefined => undefined)).map((part, i) =>
    part ? bindPattern(body, part, payload[i] ?? POISON, true) : ANY,
  );
  return { kind: "variant", enum: enumeration, index, payload: parts };
}

function constructorOf(
  body: Body,
  pattern: Pattern & { readonly kind: "variant" },
  type: Type,
): { readonly enumeration: EnumType; readonly index: number } | undefined {
  const { path, span } = pattern;
  if (path.segments.length < 2) {
    body.cx.error(
      "E0412",
      span,
      `a variant is written with its enum: \`${type.kind === "enum" ? writtenName(type) : "Enum"}::${pathText(path)}(..)\``,
    );
    return undefined;
  }
  const meaning = resolveQualified(body.cx, body.env, path, "name");
  if (meaning.kind === "unknown") return undefined;
  const enumeration = enumOf(body, meaning, type);
  const [variant, beyond] = meaning.rest;
  if (!enumeration || !variant || beyond) {
    body.cx.error("E0412", span, `\`${pathText(path)}\` is no variant of an enum`, { help: instanceHelp(meaning) });
    return undefined;
  }
  if (isPoison(type)) return undefined;
  if (enumeration !== type) {
    body.cx.error(
      "E0412",
      span,
      `the pattern is of enum \`${typeText(enumeration)}\`, the value is \`${typeText(type)}\``,
    );
    return undefined;
  }
  const index = enumeration.variants.findIndex((candidate) => candidate.name === variant.text);
  if (index >= 0) return { enumeration, index };
  reportUnknownVariant(body, enumeration, span, variant.text);
  return undefined;
}

/** An instance of a generic enum is written with its joined name, another one as messages show it. */
function writtenName(type: EnumType): string {
  const shown = typeText(type);
  return shown.includes("<") ? type.name : shown;
}

/** What an exhaustive match would still need; undefined if nothing (04 7.5). An empty list asks for a catch-all. */
export function missingCases(type: Type, arms: readonly TypedArm[]): readonly string[] | undefined {
  const unguarded = arms.filter((arm) => arm.guard === undefined);
  if (unguarded.some(({ pattern }) => pattern.kind === "any" || pattern.kind === "bind")) return undefined;
  if (type === BOOL) {
    const missing = [true, false].filter(
      (value) =>
        !unguarded.some(
          ({ pattern }) => pattern.kind === "value" && pattern.value.kind === "bool" && pattern.value.value === value,
        ),
    );
    return missing.length === 0 ? undefined : missing.map(String);
  }
  if (type.kind === "enum") {
    const covered = new Set(unguarded.flatMap(({ pattern }) => (pattern.kind === "variant" ? [pattern.index] : [])));
    const missing = type.variants
      .filter((_, i) => !covered.has(i))
      .map((variant) => `${typeText(type)}::${variant.name}`);
    return missing.length === 0 ? undefined : missing;
  }
  return [];
}
