import type { Context } from "../context.ts";
import type { LocusType } from "../types.ts";

/** The loci that the program's seeds declare, the library's left out. */
export function ownLoci(cx: Context): readonly LocusType[] {
  return cx.loci.filter((locus) => !locus.isStd);
}
