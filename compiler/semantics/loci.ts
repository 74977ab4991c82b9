// What relates a locus to others, once every locus has its members; and what a construction reaches.
import type { LifecycleDecl, LocusDecl, LocusHeader } from "../syntax/index.ts";
import { declareBus } from "./bus-declaration.ts";
import { declareClosures } from "./closures.ts";
import type { Context, Env } from "./context.ts";
import { checkContract } from "./contracts.ts";
import { checkHandlers } from "./failure.ts";
import { declareStorage } from "./form-declaration.ts";
import { declareServes } from "./perspectives.ts";
import { declareDeployment } from "./placement.ts";
import { typeText } from "./type-text.ts";
import type { LocusType } from "./types.ts";

/** Completes a locus whose members are resolved. */
export function finishLocus(cx: Context, type: LocusType, decl: LocusDecl, env: Env): void {
  cx.loci.push(type);
  for (const header of decl.headers) checkHeader(cx, header);
  declareStorage(cx, type, decl, env);
  declareServes(cx, type, decl, env);
  declareBus(cx, type, decl, env);
  declareClosures(cx, type, decl, env);
  checkHandlers(cx, type, decl);
  checkRelease(cx, type, decl);
  if (decl.isMain) declareDeployment(cx, type, decl, env);
  cx.afterDeclarations.push(() => checkContract(cx, type, decl, env));
}

function checkHeader(cx: Context, header: LocusHeader): void {
  if (header.kind !== "projection" || header.projection !== "recognition") return;
  const { cap, submode } = header;
  if (!cap || !submode) cx.error("E0511", header.span, "recognition needs (cap = N, fixed_cell or shared_slab)");
  else if (cap.value <= 0n) cx.error("E0511", cap.span, "cap must be a positive integer literal");
  else if (submode.text === "spillover" || submode.text === "summary_only") {
    cx.error(
      "E0511",
      submode.span,
      `recognition mode \`${submode.text}\` is not available; use fixed_cell or shared_slab`,
    );
  } else if (submode.text !== "fixed_cell" && submode.text !== "shared_slab") {
    cx.error("E0511", submode.span, `unknown recognition mode \`${submode.text}\`; use fixed_cell or shared_slab`);
  }
}

/** `release(c: T)` goes with `accept(c: T)` (05 5.6.3). */
function checkRelease(cx: Context, type: LocusType, decl: LocusDecl): void {
  if (!type.releases || type.accepts === type.releases) return;
  const release = decl.members.find(
    (member): member is LifecycleDecl => member.kind === "lifecycle" && member.hook === "release",
  );
  const child = typeText(type.releases);
  if (release) cx.error("E0512", release.nameSpan, `release(c: ${child}) has no matching accept(c: ${child})`);
}

/** A literal builds an instance: its hooks, closures and handlers run. Methods are reached by their calls. */
export function reachLocus(cx: Context, type: LocusType): void {
  if (cx.reachedLoci.has(type)) return;
  cx.reachedLoci.add(type);
  for (const hook of Object.values(type.hooks)) cx.reach(hook);
  for (const handler of type.onFailure) cx.reach(handler);
  for (const { handler, key } of type.subscriptions) {
    cx.reach(handler);
    if (key?.kind === "value") cx.reach(key.value);
  }
  for (const { assertion, period } of type.closures) {
    for (const part of assertion ? [assertion.left, assertion.right, assertion.tolerance] : []) cx.reach(part);
    if (period) cx.reach(period);
  }
  for (const { condition, payload } of type.birthChecks) {
    cx.reach(condition);
    if (payload) cx.reach(payload);
  }
  for (const perspective of type.serves) {
    for (const { name } of perspective.methods) {
      const method = type.methods.get(name);
      if (method) cx.reach(method);
    }
  }
}
