// Claims (11b): the sentences over the assembled program, and their verdicts.
import type { BusGraph } from "../bus-graph.ts";
import type { Effects } from "../effects.ts";
import type { Findings } from "../findings.ts";
import { GroupTable } from "./groups.ts";
import { type Clause, type Demanded, type LawBook, readLaws } from "./law-book.ts";
import { Court, type Verdict } from "./operands.ts";
import { judgeForbid, judgeOnlyEdges } from "./reach.ts";
import { judgeAttributed, judgeBound, judgeCount, judgeCover, judgeEdge, judgeSealed } from "./requirements.ts";

export { type Clause, closuresOf, type Demanded } from "./law-book.ts";

export interface Judgement {
  readonly clause: Clause;
  readonly verdict: Verdict;
}

/** Resolves the groups of a program; what is wrong with them is reported. */
export function resolveGroups(effects: Effects, findings: Findings): GroupTable {
  return new GroupTable(effects.program, findings);
}

/** Judges every claim that the program is under, in the order of declaration. */
export function judgeClaims(
  effects: Effects,
  bus: BusGraph,
  groups: GroupTable,
  demanded: readonly Demanded[],
  findings: Findings,
): readonly Judgement[] {
  const book: LawBook = readLaws(effects.program, demanded, findings);
  const court = new Court(effects, bus, groups, findings);
  return book.clauses.map((clause) => ({ clause, verdict: judge(court, clause) }));
}

function judge(court: Court, clause: Clause): Verdict {
  const { claim } = clause.named;
  switch (claim.kind) {
    case "forbid-reaches":
      return judgeForbid(court, clause, claim);
    case "only-edges":
      return judgeOnlyEdges(court, clause, claim);
    case "bound":
      return judgeBound(court, clause, claim);
    case "require-edge":
      return judgeEdge(court, clause, claim);
    case "require-sealed":
      return judgeSealed(court, clause, claim);
    case "require-attributed":
      return judgeAttributed(court, clause, claim);
    case "cover":
      return judgeCover(court, clause, claim);
    case "count":
      return judgeCount(court, clause, claim);
  }
}
