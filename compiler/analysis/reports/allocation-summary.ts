// `--dump-alloc-summary` (11.14): per function the sites, loops and calls that the memory analyses see.
import type { TypedProgram } from "../../semantics/index.ts";
import { factsOf, type Loop } from "../body-facts.ts";
import { Effects } from "../effects.ts";
import { functionName } from "../names.ts";
import { PlaceOrder } from "../place-order.ts";

export function allocationSummary(program: TypedProgram): string {
  const effects = new Effects(program);
  const order = new PlaceOrder(program);
  const own = program.functions.filter((fn) => !fn.span.file.isStd && fn.role !== "initialiser" && fn.role !== "const");
  const lines: string[] = [];
  for (const fn of order.sorted(own, (each) => each.nameSpan)) {
    lines.push(functionName(fn));
    for (const event of factsOf(fn).events) {
      const { line, column } = event.span.file.positionAt(event.span.start);
      const place = `${line}:${column}${loopText(event.loop)}`;
      if (event.kind === "site") lines.push(`  site ${place} ${event.label} ${event.fate}`);
      if (event.kind !== "call") continue;
      const { functions, isUnknown } = effects.targetsOf(event, fn);
      const targets = isUnknown ? ["?"] : functions.map(functionName);
      if (targets.length > 0) lines.push(`  call ${place} ${targets.join(" | ")}`);
    }
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function loopText(loop: Loop | undefined): string {
  if (!loop) return "";
  let isUnbounded = false;
  for (let at: Loop | undefined = loop; at; at = at.outer) isUnbounded ||= !at.isBounded;
  return isUnbounded ? " in an unbounded loop" : " in a bounded loop";
}
