// The one table of diagnostic codes: what each stands for. docs/diagnostics.md is made from it.
import { BUS_CODES } from "./codes/bus.ts";
import type { CodeInfo } from "./codes/entry.ts";
import { FUNCTION_CODES } from "./codes/functions.ts";
import { ADVISORY_CODES, LAW_CODES } from "./codes/laws.ts";
import { LIBRARY_CODES } from "./codes/library.ts";
import { LOCUS_CODES } from "./codes/loci.ts";
import { PROGRAM_CODES } from "./codes/program.ts";
import { SYNTAX_CODES } from "./codes/syntax.ts";
import { VALUE_CODES } from "./codes/values.ts";

export type { CodeInfo };

export const CODES = {
  ...SYNTAX_CODES,
  ...PROGRAM_CODES,
  ...VALUE_CODES,
  ...FUNCTION_CODES,
  ...LOCUS_CODES,
  ...BUS_CODES,
  ...LIBRARY_CODES,
  ...LAW_CODES,
  ...ADVISORY_CODES,
};

export type Code = keyof typeof CODES;

const BY_CODE: ReadonlyMap<string, CodeInfo> = new Map(Object.entries(CODES));

/** What a diagnostic's code stands for; undefined for one of the reader of files. */
export function codeInfo(code: string): CodeInfo | undefined {
  return BY_CODE.get(code);
}
