// Names in value position: locals, constants, function values, enum variants.
import type { Expr, Name, Path } from "../syntax/index.ts";
import { nearestName, type Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { checkValue } from "./expressions.ts";
import { assign } from "./conversions.ts";
import { joinedAs } from "./joined-names.ts";
import { findBare, isUnboundIgnored, type PathMeaning, pathText, resolveQualified } from "./lookup.ts";
import { BUILT_IN_NAMES } from "./builtin-names.ts";
import { constOf, functionOf } from "./signatures.ts";
import { describeSymbol, type DeclaredSymbol } from "./symbols.ts";
import { typeOfSymbol } from "./resolve-types.ts";
import { isPoison, POISON } from "./type-table.ts";
import { listText, typeText } from "./type-text.ts";
import type { TypedExpr } from "./typed.ts";
import type { EnumType, Type } from "./types.ts";

export function checkPath(body: Body, path: Path, expected?: Type): TypedExpr {
  const [first, second] = path.segments;
  if (!first) return poison(path.span);
  if (second) return checkQualified(body, path, expected);
  const local = body.lookup(first.text);
  if (local)
    return isPoison(local.type) ? poison(path.span) : { kind: "local", local, type: local.type, span: path.span };
  const symbol = findBare(body.cx, body.env.scope, first.text);
  if (symbol) return valueOfSymbol(body, symbol, path);
  reportUnknownName(body, first);
  return poison(path.span);
}

/** "unknown name", with the nearest visible one. */
export function reportUnknownName(body: Body, name: Name): void {
  const { cx, env } = body;
  if (isUnboundIgnored(cx, env) && !body.hadName(name.text)) return;
  if (BUILT_IN_NAMES.has(name.text)) {
    cx.error("E0302", name.span, `\`${name.text}\` is a built-in and no value; call it`);
    return;
  }
  const hint = NAME_HINTS.get(name.text) ?? memberHint(body, name.text) ?? variantHint(body, name.text);
  const ended = body.hadName(name.text) ? "its block has ended" : undefined;
  const isOneOfMany = ++cx.unknownNames > MOST_SUGGESTIONS;
  const visible = isOneOfMany ? [] : [...body.localNames(), ...env.scope.symbols.keys(), ...CALLABLE];
  const near = nearestName(name.text, visible);
  cx.error("E0302", name.span, `unknown name \`${name.text}\``, {
    help: hint ?? ended ?? (near === undefined ? undefined : `did you mean \`${near}\`?`),
  });
}

/** Of so many unknown names the nearest is looked for; it costs a walk over all that are visible. */
const MOST_SUGGESTIONS = 200;

/** The built-in functions, for the nearest name. */
const CALLABLE = [...BUILT_IN_NAMES].filter((name) => /^[a-z]/.test(name));

/** A bare name of the own locus's field or method. */
function memberHint(body: Body, name: string): string | undefined {
  const { cx, self } = body;
  if (!self || self.fields.every((field) => field.name !== name)) {
    return self?.methods.has(name) || (self && cx.genericMethods.get(self)?.has(name))
      ? `a method is called through its locus: \`self.${name}(..)\``
      : undefined;
  }
  return `a field is reached through its locus: \`self.${name}\``;
}

/** A variant without its enum (03 12.3.7). */
function variantHint({ env }: Body, name: string): string | undefined {
  for (const symbol of env.scope.symbols.values()) {
    if (symbol.kind !== "enum" || symbol.decl.generics.length > 0) continue;
    if (symbol.decl.variants.some((variant) => variant.name.text === name))
      return `a variant is written with its enum: \`${symbol.name}::${name}\``;
  }
  return undefined;
}

const NAME_HINTS: ReadonlyMap<string, string> = new Map([
  ["String", "`to_string(x)` makes text"],
  ["assert", "`std::test::assert(cond, message)` is the assertion"],
  ...["assert_eq", "assertEqual", "assert_equal"].map(
    (word) =>
      [word, "`std::test::assert_eq_int(actual, expected, message)` compares; for text `assert_eq_str`"] as const,
  ),
  ...["Some", "None"].map(
    (word) =>
      [
        word,
        "a generic's variant is written with its instance: `Option_Int::Some(value)`, `Option_Int::None`",
      ] as const,
  ),
  ...["Ok", "Err"].map(
    (word) => [word, "a function that can fail is `fallible(E)`: it `return`s its value or `fail`s"] as const,
  ),
  ["null", "there is no null; use an enum such as `Option<T>`"],
  ["this", "the current locus is `self`"],
  ["err", "`err` is the payload, on the right of `or` only"],
  ["range", "a loop counts with `for i in 0..n { .. }`"],
  ["length", "`len(x)` measures"],
  ["size", "`len(x)` measures"],
  ["str", "`to_string(x)` makes text"],
  ["int", "`Int(x)` converts a Float; `std::str::parse_int(s) or ..` reads text"],
  ["float", "`Float(x)` converts an Int; `std::str::parse_float(s) or ..` reads text"],
  ["printf", 'f-strings format: `println(f"{x:.2}")`'],
  ["input", "`std::io::stdin::read_line()` reads a line"],
  ["it", "`it` is the element inside the arguments of a chain, `xs.filter(it > 0).count()`"],
  ["idx", "`idx` is the number of the element, behind `enumerate()` in a chain"],
  ["format", 'f-strings format: `f"{x:.2}"`'],
  ["panic", "`std::process::exit(1)` ends the process; errors are `fail`ed"],
  ["exit", "`std::process::exit(code)` ends the process"],
  ["sqrt", "`std::math::sqrt(x)`"],
  ["sleep", "`std::time::sleep(d)`"],
]);

function valueOfSymbol(body: Body, symbol: DeclaredSymbol, path: Path): TypedExpr {
  const { cx } = body;
  const { span } = path;
  switch (symbol.kind) {
    case "const": {
      const fn = constOf(cx, symbol);
      cx.reach(fn);
      if (body.fn.role === "const") {
        const reads = cx.constReads.get(body.fn) ?? new Set();
        cx.constReads.set(body.fn, reads.add(fn));
      }
      return { kind: "const", function: fn, type: fn.result, span };
    }
    case "function":
      return functionValue(body, symbol, path);
    case "topic":
      cx.error(
        "E0701",
        span,
        `\`${pathText(path)}\` is a topic; it can only stand in subscribe, publish or the left side of a send`,
      );
      return poison(span);
    default: {
      const variant = symbol.kind === "enum" ? symbol.decl.variants[0]?.name.text : undefined;
      const help = variant === undefined ? undefined : `a variant is written \`${pathText(path)}::${variant}\``;
      cx.error("E0302", span, `\`${pathText(path)}\` is ${describeSymbol(symbol)}, not a value`, { help });
      return poison(span);
    }
  }
}

function functionValue(body: Body, symbol: DeclaredSymbol & { readonly kind: "function" }, path: Path): TypedExpr {
  const { cx } = body;
  const name = pathText(path);
  if (symbol.decl.generics.length > 0) {
    cx.error("E0425", path.span, `\`${name}\` is generic and cannot be a value`, {
      help: `a call takes no type arguments, they follow from what it is given: \`${name}(..)\``,
    });
    return poison(path.span);
  }
  if (symbol.scope.kind === "library" && body.env.scope.kind !== "library") {
    cx.error(
      "E0425",
      path.span,
      `\`${name}\` is a library function and cannot be a value; wrap it in a fn of your own`,
    );
    return poison(path.span);
  }
  const fn = functionOf(cx, symbol);
  if (fn.fallible) {
    cx.error("E0425", path.span, `\`${name}\` can fail; a function value has no error channel`);
    return poison(path.span);
  }
  cx.reach(fn);
  const type = cx.types.function(
    fn.params.map((param) => param.type),
    fn.result,
  );
  return { kind: "function", function: fn, type, span: path.span };
}

function checkQualified(body: Body, path: Path, expected: Type | undefined): TypedExpr {
  const meaning = resolveQualified(body.cx, body.env, path, "name");
  if (meaning.kind === "unknown") return poison(path.span);
  const enumeration = enumOf(body, meaning, expected);
  const [variant, beyond] = meaning.rest;
  if (variant && enumeration && !beyond) return variantValue(body, enumeration, path, variant, undefined);
  if (meaning.rest.length === 0 && meaning.kind === "symbol") return valueOfSymbol(body, meaning.symbol, path);
  body.cx.error("E0302", path.span, `\`${pathText(path)}\` is no value`, { help: instanceHelp(meaning) });
  return poison(path.span);
}

/** For `Opt::None` of a generic enum (03 12.4.4). */
export function instanceHelp(meaning: PathMeaning): string | undefined {
  if (meaning.kind !== "symbol" || meaning.symbol.kind !== "enum" || meaning.symbol.decl.generics.length === 0)
    return undefined;
  const { name } = meaning.symbol;
  const [variant] = meaning.rest;
  const example = [name, ...meaning.symbol.decl.generics.map(() => "Int")].join("_");
  return `\`${name}\` is generic: write the instance's name, such as \`${example}::${variant?.text ?? "V"}\``;
}

/** The enum that a path's head names; a generic one needs its joined name (03 12.4.4). */
export function enumOf(
  body: Body,
  meaning:
    | { readonly kind: "symbol"; readonly symbol: DeclaredSymbol }
    | { readonly kind: "type"; readonly type: Type },
  expected: Type | undefined,
): EnumType | undefined {
  if (meaning.kind === "type") {
    const type = joinedAs(body.cx, meaning.type, expected);
    return type.kind === "enum" ? type : undefined;
  }
  const { symbol } = meaning;
  if (symbol.kind !== "enum" && symbol.kind !== "alias") return undefined;
  if (symbol.kind === "enum" && symbol.decl.generics.length > 0) return undefined;
  const type = typeOfSymbol(body.cx, symbol, []);
  return type.kind === "enum" ? type : undefined;
}

/** `E::V` or `E::V(args)`. */
export function variantValue(
  body: Body,
  type: EnumType,
  path: Path,
  name: Name,
  args: readonly Expr[] | undefined,
): TypedExpr {
  const { cx } = body;
  const index = type.variants.findIndex((variant) => variant.name === name.text);
  const variant = type.variants[index];
  if (!variant) {
    reportUnknownVariant(body, type, path.span, name.text);
    for (const arg of args ?? []) checkValue(body, arg);
    return poison(path.span);
  }
  const given = args ?? [];
  const values = given.map((arg, i) => checkValue(body, arg, variant.payload[i]));
  if (values.length !== variant.payload.length) {
    const wants =
      variant.payload.length === 0
        ? "no payload"
        : `${variant.payload.length} payload value${variant.payload.length === 1 ? "" : "s"}`;
    cx.error("E0313", path.span, `\`${type.displayName}::${variant.name}\` takes ${wants}, got ${values.length}`);
    return poison(path.span);
  }
  const payload = values.map((value, i) =>
    assign(body, value, variant.payload[i] ?? POISON, "store", {
      code: "E0313",
      span: path.span,
      message: (expected, got) =>
        `payload ${i + 1} of \`${type.displayName}::${variant.name}\`: expected \`${expected}\`, got \`${got}\``,
    }),
  );
  return { kind: "variant", enum: type, index, payload, type, span: path.span };
}

export function reportUnknownVariant(body: Body, type: EnumType, span: Span, name: string): void {
  const names = type.variants.map((variant) => variant.name);
  const near = nearestName(name, names);
  const help =
    near === undefined ? `its variants are ${listText(names)}` : `did you mean \`${typeText(type)}::${near}\`?`;
  body.cx.error("E0313", span, `\`${typeText(type)}\` has no variant \`${name}\``, { help });
}
