// `contract { expose ..; consume ..; }` (05 5.12).
import type { ContractBlock, LocusDecl, Name } from "../syntax/index.ts";
import type { Context, Env } from "./context.ts";
import { resolveType } from "./resolve-types.ts";
import { isPoison } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { LocusType, Type } from "./types.ts";
import { fieldType } from "./untyped-fields.ts";

const MODES: ReadonlySet<string> = new Set(["bulk", "harmonic", "resolution"]);

/** Checks what a locus says it exposes, and what it asks of its children. */
export function checkContract(cx: Context, type: LocusType, decl: LocusDecl, env: Env): void {
  for (const member of decl.members) {
    if (member.kind !== "contract") continue;
    for (const item of member.items) {
      if (!item.name || !item.type) continue;
      const declared = resolveType(cx, env, item.type);
      if (item.direction === "expose") checkExpose(cx, type, item.name, declared);
      else checkConsume(cx, type, item, item.name, declared);
    }
  }
}

/** The type that a locus offers under a name: a field's, a mode's or a method's. */
function offered(cx: Context, type: LocusType, name: string): Type | undefined {
  const field = type.fields.find((candidate) => candidate.name === name);
  return field ? fieldType(cx, field) : type.methods.get(name)?.result;
}

function checkExpose(cx: Context, type: LocusType, name: Name, declared: Type): void {
  const found = offered(cx, type, name.text);
  if (!found) {
    const what = MODES.has(name.text)
      ? `\`${typeText(type)}\` exposes mode \`${name.text}\` but does not declare it`
      : `\`${typeText(type)}\` exposes \`${name.text}\`, but it has no field, mode or method of that name`;
    cx.error("E0515", name.span, `contract: ${what}`);
    return;
  }
  if (found !== declared && !isPoison(found) && !isPoison(declared)) {
    cx.error(
      "E0515",
      name.span,
      `contract: \`${typeText(type)}\` exposes \`${name.text}: ${typeText(declared)}\`, declared ${typeText(found)}`,
    );
  }
  if (type.isSealed && type.fields.some((field) => field.name === name.text))
    cx.error("E0515", name.span, `a sealed locus cannot expose \`${name.text}\``);
}

function checkConsume(
  cx: Context,
  type: LocusType,
  item: ContractBlock["items"][number],
  name: Name,
  declared: Type,
): void {
  const child = type.accepts;
  if (!child) {
    cx.error("E0515", item.span, `contract: \`${typeText(type)}\` consumes \`${name.text}\` but accepts no children`);
    return;
  }
  const contract = cx.locusOrigins.get(child)?.symbol.decl.members.filter((member) => member.kind === "contract") ?? [];
  const exposes = contract.some(
    (block) =>
      block.inferred ||
      block.items.some((other) => other.direction === "expose" && (!other.name || other.name.text === name.text)),
  );
  const found = offered(cx, child, name.text);
  if (!exposes || !found) {
    cx.error("E0515", item.span, `contract: \`${typeText(child)}\` does not expose \`${name.text}\``);
    return;
  }
  if (found !== declared && !isPoison(found) && !isPoison(declared)) {
    cx.error(
      "E0515",
      item.span,
      `contract: \`${typeText(child)}\` exposes \`${name.text}: ${typeText(found)}\`, consumed as \`${typeText(declared)}\``,
    );
  }
}
