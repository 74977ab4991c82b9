// `@supervised`: nobody in the tree is without a failure policy (05 5.17).
import type { Context } from "../context.ts";
import { listText, typeText } from "../type-text.ts";
import type { LocusType } from "../types.ts";
import { ownLoci } from "./program-loci.ts";

export function checkSupervision(cx: Context): void {
  for (const locus of ownLoci(cx)) {
    const decorators = cx.locusOrigins.get(locus)?.symbol.decl.decorators ?? [];
    if (!decorators.some((decorator) => decorator.name === "supervised")) continue;
    const gaps = new Set<LocusType>();
    collect(locus, false, gaps, new Set());
    if (gaps.size > 0)
      cx.error(
        "E0524",
        locus.span,
        `\`${typeText(locus)}\` subtree has loci with no failure policy: ${listText([...gaps].map(typeText))}`,
      );
  }
}

/** Holders of children without an `on_failure` on themselves or above. */
function collect(locus: LocusType, isCovered: boolean, gaps: Set<LocusType>, seen: Set<LocusType>): void {
  if (seen.has(locus)) return;
  seen.add(locus);
  const covered = isCovered || locus.onFailure.length > 0;
  const children = locus.fields.flatMap((field) => (field.type.kind === "locus" ? [field.type] : []));
  if (!covered && children.length > 0) gaps.add(locus);
  for (const child of children) collect(child, covered, gaps, seen);
}
