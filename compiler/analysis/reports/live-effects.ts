// What a program does to the world outside that a replay would do again (06b 6b.5).
import type { TypedProgram } from "../../semantics/index.ts";
import { builtIn, NONE, UNKNOWN } from "../classes.ts";
import { Effects } from "../effects.ts";

/** Which of `ffi`, `syscall` and `unclassified` some function of the program can reach, called or not; sorted. */
export function liveEffects(program: TypedProgram): string[] {
  const effects = new Effects(program);
  let reached = NONE;
  for (const fn of program.functions) {
    if (!fn.span.file.isStd) reached |= effects.reached(fn) | effects.carried(fn);
  }
  const classes = [
    ["ffi", builtIn("ffi")],
    ["syscall", builtIn("syscall")],
    ["unclassified", UNKNOWN],
  ] as const;
  return classes.filter(([, set]) => (reached & set) !== NONE).map(([name]) => name);
}
