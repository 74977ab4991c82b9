// What a program takes from the system (11.14): threads, pools, subjects, places that open descriptors.
import type { TypedProgram } from "../../semantics/index.ts";
import { walkBlock } from "../../semantics/index.ts";
import { opensDescriptor } from "../resource-leaks.ts";

export interface ResourceBudget {
  /** OS threads of pinned fields; `replicas = K` counts K. */
  readonly pinned_threads: number;
  /** Cooperative pools other than `main`. */
  readonly cooperative_pools: number;
  readonly bus_subjects: number;
  readonly fd_open_sites: number;
}

export function resourceBudget(program: TypedProgram): ResourceBudget & { readonly pools: readonly string[] } {
  const main = program.loci.find((locus) => locus.isMain);
  const placements = main?.placements ?? [];
  const pinned = placements.filter(({ place }) => place === "pinned");
  const pools = new Set(
    placements.flatMap(({ place, pool }) =>
      place === "pinned" || pool === undefined || pool === "main" ? [] : [pool],
    ),
  );
  const subjects = new Set<string>(program.topics.map((topic) => topic.subject));
  for (const locus of program.loci) {
    if (locus.isStd) continue;
    for (const { subject } of [...locus.publications, ...locus.subscriptions]) subjects.add(subject);
  }
  return {
    pinned_threads: pinned.reduce((sum, { replicas }) => sum + (replicas ?? 1), 0),
    cooperative_pools: pools.size,
    bus_subjects: subjects.size,
    fd_open_sites: openingSites(program),
    pools: [...pools].sort(),
  };
}

function openingSites({ functions }: TypedProgram): number {
  const sites = new Set<string>();
  for (const fn of functions) {
    if (fn.span.file.isStd) continue;
    walkBlock(fn.body, {
      expr: (expr) => {
        if (opensDescriptor(expr)) sites.add(`${expr.span.file.path}:${expr.span.start}`);
        return undefined;
      },
    });
  }
  return sites.size;
}
