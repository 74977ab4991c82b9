/** Calls that always mean the built-in; no free function may have these names (01 11.1). */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set([
  "sum",
  "prod",
  "min",
  "max",
  "abs",
  "to_string",
  "Int",
  "Float",
  "len",
  "starts_with",
  "contains",
  "print",
  "println",
  "eprint",
  "eprintln",
  "check_closures",
  "__fmt",
]); // prettier-ignore

/** Operations on bounded buffers: built-in unless a function of the program takes the call (07 10.10). */
export const BOUNDED_OPERATIONS: ReadonlySet<string> = new Set(["push", "at", "set", "count", "clear", "truncate"]);
