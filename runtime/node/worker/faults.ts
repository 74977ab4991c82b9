// Traps of the engine become the language's panics (04 17).

/** The line of a panic for what a module threw; `undefined` when that was no trap. */
export function panicMessage(error: unknown): string | undefined {
  if (error instanceof RangeError) return "Hale panic: stack overflow";
  if (!(error instanceof WebAssembly.RuntimeError)) return undefined;
  if (/divide|remainder/.test(error.message)) return "Hale panic: division by zero";
  return `Hale panic: internal error, ${error.message}`;
}
