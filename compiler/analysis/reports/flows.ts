// `--flows` (11.14): which locus types end when their `run()` does, and the `release` clauses that make it so (05 5.11).
import type { LocusType, TypedProgram } from "../../semantics/index.ts";
import { locusName } from "../names.ts";

export function flows({ loci }: TypedProgram): string {
  const clauses = new Map<LocusType, LocusType[]>();
  for (const locus of loci) {
    if (locus.releases) clauses.set(locus.releases, [...(clauses.get(locus.releases) ?? []), locus]);
  }
  if (clauses.size === 0) return "flows: none: no locus declares `release`\n";
  const lines = [...clauses].map(([flow, holders]) => {
    const places = holders.map((holder) => {
      const span = holder.hooks.release?.nameSpan ?? holder.span;
      const { line, column } = span.file.positionAt(span.start);
      return `    release in ${locusName(holder)} at ${span.file.path}:${line}:${column}`;
    });
    return [`  ${locusName(flow)} is released when its run() ends`, ...places].join("\n");
  });
  return `flows: ${clauses.size} locus type(s)\n${lines.sort().join("\n")}\n`;
}
