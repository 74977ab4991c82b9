// From the engine's stack trace to the lines under a panic (reference 12 12.2.4).
import type { PlaceLookup } from "./positions.ts";

/** Frames that are shown; an exhausted stack has a hundred thousand. */
const MOST_LINES = 30;

/** `  at file:line:col` for the innermost frame of the program's code, `  called from ..` for those around it; frames without a place are left out. */
export function backtraceLines(stack: string, placeOf: PlaceLookup): string {
  const lines: string[] = [];
  // `at name (wasm://wasm/0123abcd:wasm-function[12]:0x3f2)`
  for (const [, index, offset] of stack.matchAll(/wasm-function\[(\d+)\]:0x([0-9a-f]+)/g)) {
    const place = placeOf(Number(index), Number.parseInt(offset ?? "", 16));
    if (place === undefined) continue;
    if (lines.length === MOST_LINES) {
      lines.push("  ...");
      break;
    }
    lines.push(`  ${lines.length === 0 ? "at" : "called from"} ${place.file}:${place.line}:${place.column}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}
