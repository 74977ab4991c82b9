// The error records that every program has (09 2).
import { type Context, NO_GENERICS } from "./context.ts";
import { findInjected } from "./lookup.ts";
import { recordType } from "./nominal.ts";
import { makeFunction } from "./signatures.ts";
import type { DeclaredSymbol, RecordSymbol } from "./symbols.ts";
import { INT, POISON, STRING } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { RecordType, Type } from "./types.ts";

export type InjectedError =
  | "IoError"
  | "ParseError"
  | "IndexError"
  | "KeyError"
  | "EmptyError"
  | "CapacityError"
  | "ClosureViolation"
  | "BusUnmatchedKey"
  | "RangeError"
  | "InexactError"
  | "JsonError"; // prettier-ignore

/** The record that the language itself fails with: the program's own declaration of the name, if it has one. */
export function injectedError(cx: Context, name: InjectedError): Type {
  const symbol = findInjected(cx, name);
  if (!symbol || !replacementFits(cx, symbol) || symbol.kind !== "record") return POISON;
  const type = recordType(cx, symbol, []);
  if (symbol.scope === cx.root) addFillers(cx, symbol, type);
  return type;
}

/** Further fields of the program's own record are filled with their defaults. */
function addFillers(cx: Context, symbol: RecordSymbol, type: RecordType): void {
  for (const field of type.fields) {
    if (field.filler || FIELDS[symbol.name]?.some(([name]) => name === field.name)) continue;
    const decl = symbol.decl.fields.find((candidate) => candidate.name.text === field.name);
    if (!decl?.defaultValue) continue;
    field.filler = makeFunction(cx, {
      name: `${symbol.name}.${field.name}`,
      role: "const",
      env: { scope: symbol.scope, generics: NO_GENERICS },
      params: [],
      result: decl.type,
      body: { kind: "value", expr: decl.defaultValue },
      span: decl.defaultValue.span,
      nameSpan: decl.name.span,
    });
    cx.reach(field.filler);
  }
}

/** Fields that the library's own code fills in; a program's replacement of such a record must have them (09 2.2). */
const FIELDS: Readonly<Record<string, readonly (readonly [string, Type])[]>> = {
  IoError: [
    ["kind", STRING],
    ["errno", INT],
    ["path", STRING],
  ],
  ParseError: [
    ["kind", STRING],
    ["input", STRING],
  ],
  IndexError: [
    ["kind", STRING],
    ["index", INT],
    ["len", INT],
  ],
  KeyError: [["kind", STRING]],
  EmptyError: [["kind", STRING]],
  CapacityError: [
    ["cap", INT],
    ["count", INT],
  ],
  CryptoError: [
    ["kind", STRING],
    ["detail", STRING],
  ],
  ClosureViolation: [
    ["locus", STRING],
    ["closure", STRING],
    ["diff", INT],
  ],
  BusUnmatchedKey: [
    ["subject", STRING],
    ["key_lo", INT],
    ["key_hi", INT],
  ],
  RangeError: [
    ["kind", STRING],
    ["value", INT],
    ["low", INT],
    ["high", INT],
  ],
  InexactError: [
    ["kind", STRING],
    ["value", INT],
    ["divisor", INT],
  ],
  JsonError: [
    ["kind", STRING],
    ["field", STRING],
  ],
}; // prettier-ignore

/** Judges the program's replacement of an injected record before something produces it; false: reported. */
export function replacementFits(cx: Context, symbol: DeclaredSymbol): boolean {
  const fields = FIELDS[symbol.name];
  if (!fields || symbol.scope !== cx.root) return true;
  const refuse = (why: string) => {
    cx.error(
      "E0904",
      symbol.span,
      `type \`${symbol.name}\` replaces the standard one but ${why}; add it or rename the type`,
    );
    return false;
  };
  const lacking = (field: readonly [string, Type]) => `has no field \`${field[0]}: ${typeText(field[1])}\``;
  const [first] = fields;
  if (symbol.kind !== "record") return refuse(first ? `${lacking(first)}: it is no record` : "is no record");
  const type = recordType(cx, symbol, []);
  const missing = fields.find(
    ([name, wanted]) => !type.fields.some((field) => field.name === name && field.type === wanted),
  );
  if (missing) return refuse(lacking(missing));
  const extra = type.fields.find((field) => !field.hasDefault && !fields.some(([name]) => name === field.name));
  return extra ? refuse(`its field \`${extra.name}\` has no default`) : true;
}
