// What relates a locus to others, once every locus has its members; and what a construction reaches.
import type { LocusDecl } from "../syntax/ast.ts";
import type { Context, Env } from "./context.ts";
import type { LocusType } from "./types.ts";

export function finishLocus(cx: Context, type: LocusType, decl: LocusDecl, env: Env): void {
  void decl;
  void env;
  cx.loci.push(type);
}

/** A literal builds an instance: its hooks, initialisers and handlers run. Methods are reached by their calls. */
export function reachLocus(cx: Context, type: LocusType): void {
  for (const hook of Object.values(type.hooks)) cx.reach(hook);
}
