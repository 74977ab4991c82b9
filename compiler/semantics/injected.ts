// The error records that every program has (09 2).
import type { Context } from "./context.ts";
import { findInjected } from "./lookup.ts";
import { recordType } from "./nominal.ts";
import { POISON } from "./type-table.ts";
import type { Type } from "./types.ts";

export type InjectedError =
  | "IoError" | "ParseError" | "IndexError" | "KeyError" | "EmptyError" | "CapacityError" | "ClosureViolation" | "BusUnmatchedKey" | "RangeError"
  | "InexactError" | "JsonError"; // prettier-ignore

/** The record that the language itself fails with: the program's own declaration of the name, if it has one. */
export function injectedError(cx: Context, name: InjectedError): Type {
  const symbol = findInjected(cx, name);
  if (symbol?.kind !== "record") return POISON;
  cx.producedErrors.add(name);
  return recordType(cx, symbol, []);
}
