// Calls without a path that are part of the language (03 20).
import type { Expr, Name } from "../syntax/index.ts";
import { type Body, poison } from "./body.ts";
import { type CallExpr, checkArguments, giveUp } from "./calls.ts";
import { checkAccumulator } from "./closures.ts";
import { convertTo, toFloat } from "./conversions.ts";
import { checkValue } from "./expressions.ts";
import { asNumber, toInt } from "./scalars.ts";
import { requirePrintable, toText } from "./texts.ts";
import {
  BOOL,
  BYTES,
  BYTES_MUT,
  BYTES_VIEW,
  FLOAT,
  INT,
  isNumeric,
  isPoison,
  isText,
  STRING,
  UNIT,
} from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { BuiltinName, TypedExpr } from "./typed.ts";
import type { Type } from "./types.ts";

export function builtinCall(body: Body, expr: CallExpr, name: Name): TypedExpr {
  switch (name.text) {
    case "print":
    case "println":
    case "eprint":
    case "eprintln":
      return printCall(body, expr, name.text);
    case "to_string":
      return unary(body, expr, name, (value) =>
        requirePrintable(body, value, value.span) ? { ...toText(body, value), span: expr.span } : poison(expr.span),
      );
    case "len":
      return unary(body, expr, name, (value) =>
        hasLength(value.type) ? builtin("len", [value], INT, expr) : undefined,
      );
    case "abs":
      return unary(body, expr, name, (given) => {
        const value = asNumber(given);
        return isNumeric(value.type) ? builtin("abs", [value], value.type, expr) : undefined;
      });
    case "Int":
      return unary(body, expr, name, (value) => toInt(value, expr.span) ?? refuseCast(body, value, expr, "Int"));
    case "Float":
      return unary(body, expr, name, (value) => castToFloat(body, value, expr));
    case "min":
    case "max":
      return minMax(body, expr, name, name.text);
    case "starts_with":
    case "contains": {
      const args = checkArguments(body, { name: name.text, params: [STRING, STRING], span: name.span }, expr.args);
      return args ? builtin(name.text, args, BOOL, expr) : poison(expr.span);
    }
    case "check_closures":
      return checkClosuresCall(body, expr, name);
    case "sum":
    case "prod":
      return checkAccumulator(body, expr, name);
    default:
      body.cx.error("E0302", name.span, `\`${name.text}\` cannot be called`);
      return giveUp(body, expr);
  }
}

function builtin(name: BuiltinName, args: readonly TypedExpr[], type: Type, expr: CallExpr): TypedExpr {
  return { kind: "builtin", name, args, fallible: undefined, type, span: expr.span };
}

function printCall(body: Body, expr: CallExpr, name: "print" | "println" | "eprint" | "eprintln"): TypedExpr {
  const args = expr.args.map((arg) => {
    const value = checkValue(body, arg);
    if (!requirePrintable(body, value, value.span)) return poison(value.span);
    warnForgottenInterpolation(body, arg);
    return value.type.kind === "scalar" ? toText(body, value) : value;
  });
  const stream = name.startsWith("e") ? "stderr" : "stdout";
  return { kind: "print", stream, newline: name.endsWith("ln"), args, type: UNIT, span: expr.span };
}

/** A printed plain string that mentions `{name}` of a visible binding was meant as an f-string (03 20.4). */
function warnForgottenInterpolation(body: Body, arg: Expr): void {
  if (arg.kind !== "string") return;
  const text = new TextDecoder().decode(arg.value);
  for (const [, name] of text.matchAll(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g)) {
    if (name === undefined || !body.lookup(name)) continue;
    body.cx.warn("W0301", arg.span, `\`{${name}}\` is plain text here; did you mean f"..."?`);
    return;
  }
}

/** A built-in of one argument; `make` answers undefined for a type that it does not take. */
function unary(body: Body, expr: CallExpr, name: Name, make: (value: TypedExpr) => TypedExpr | undefined): TypedExpr {
  const [arg, second] = expr.args;
  if (!arg || second) {
    body.cx.error("E0401", name.span, `\`${name.text}\` takes 1 argument, got ${expr.args.length}`);
    return giveUp(body, expr);
  }
  const value = checkValue(body, arg);
  if (isPoison(value.type)) return poison(expr.span);
  const made = make(value);
  if (made) return made;
  body.cx.error("E0401", name.span, `\`${name.text}\` does not take a \`${typeText(value.type)}\``, {
    help: unaryHelp(name.text, value.type),
  });
  return poison(expr.span);
}

function unaryHelp(name: string, type: Type): string | undefined {
  if (name !== "len") return undefined;
  if (type.kind === "locus") return "a collection's length is its method `len()`";
  if (type.kind === "bounded") return "the live elements of a bounded field are counted by `count(f)`";
  return undefined;
}

function hasLength(type: Type): boolean {
  return isText(type) || type === BYTES || type === BYTES_VIEW || type === BYTES_MUT || type.kind === "array";
}

function refuseCast(body: Body, value: TypedExpr, expr: CallExpr, to: "Int" | "Float"): TypedExpr {
  const source = to === "Int" ? "a Float" : "an Int";
  const help: Record<string, string> = {
    String:
      to === "Int"
        ? "`std::str::parse_int(..) or ..` reads a number"
        : "`std::str::parse_float(..) or ..` reads a number",
    Decimal: to === "Int" ? "`std::decimal::to_int(..)`" : "`std::decimal::to_float(..)`",
    Duration: "divide by a Duration: `d / 1ms`",
    Bool: "use `if`",
  };
  body.cx.error("E0317", expr.span, `\`${to}(..)\` converts ${source}, not \`${typeText(value.type)}\``, {
    help: help[typeText(value.type)],
  });
  return poison(expr.span);
}

function castToFloat(body: Body, value: TypedExpr, expr: CallExpr): TypedExpr {
  if (value.type === FLOAT) return value;
  return value.type === INT ? toFloat(value) : refuseCast(body, value, expr, "Float");
}

function minMax(body: Body, expr: CallExpr, name: Name, operation: "min" | "max"): TypedExpr {
  const values = expr.args.map((arg) => asNumber(checkValue(body, arg)));
  const [a, b, third] = values;
  if (!a || !b || third) {
    body.cx.error("E0401", name.span, `\`${name.text}\` takes 2 arguments, got ${values.length}`);
    return poison(expr.span);
  }
  if (isPoison(a.type) || isPoison(b.type)) return poison(expr.span);
  const same = convertTo(body.cx, b, a.type, "store");
  if (same && isNumeric(a.type)) return builtin(operation, [a, same], a.type, expr);
  body.cx.error(
    "E0401",
    name.span,
    `\`${name.text}\` takes two Int, Float, Decimal or Duration, got \`${typeText(a.type)}\` and \`${typeText(b.type)}\``,
  );
  return poison(expr.span);
}

function checkClosuresCall(body: Body, expr: CallExpr, name: Name): TypedExpr {
  if (!body.self) body.cx.error("E0606", name.span, "`check_closures()` is only valid inside a locus");
  if (expr.args.length > 0)
    body.cx.error("E0401", name.span, `\`check_closures\` takes 0 arguments, got ${expr.args.length}`);
  return builtin("check_closures", [], UNIT, expr);
}
