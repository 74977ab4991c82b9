// Perspectives: contracts with one swappable implementation (05 5.15).
import type { LocusDecl, Stmt, SubscribeDecl, PublishDecl, PerspectiveDecl } from "../syntax/index.ts";
import type { Body } from "./body.ts";
import type { Context, Env } from "./context.ts";
import { whyDifferent } from "./conversions.ts";
import { reachLocus } from "./loci.ts";
import { findTypeName, typeOfSymbol } from "./resolve-types.ts";
import { describeSymbol } from "./symbols.ts";
import { pathText } from "./lookup.ts";
import { typeText } from "./type-text.ts";
import type { TypedStmt } from "./typed.ts";
import type { LocusType, PerspectiveType } from "./types.ts";
import { fieldType } from "./untyped-fields.ts";

/** The perspectives in a locus's header. */
export function declareServes(cx: Context, type: LocusType, decl: LocusDecl, env: Env): void {
  const serves: PerspectiveType[] = [];
  for (const header of decl.headers) {
    if (header.kind !== "serves") continue;
    const found = findTypeName(cx, env, header.path);
    if (!found) continue;
    const perspective =
      "symbol" in found && found.symbol.kind === "perspective" ? typeOfSymbol(cx, found.symbol, []) : undefined;
    if (perspective?.kind !== "perspective" || !("symbol" in found) || found.symbol.kind !== "perspective") {
      const what = "symbol" in found ? describeSymbol(found.symbol) : "a type";
      cx.error("E0517", header.path.span, `\`${pathText(header.path)}\` is ${what}, not a perspective`);
      continue;
    }
    serves.push(perspective);
    const contract = found.symbol.decl;
    cx.afterDeclarations.push(() => checkServes(cx, type, header.path.span, perspective, contract));
  }
  type.serves = serves;
}

function checkServes(
  cx: Context,
  type: LocusType,
  span: LocusDecl["span"],
  perspective: PerspectiveType,
  contract: PerspectiveDecl,
): void {
  for (const wanted of perspective.methods) {
    const method = type.methods.get(wanted.name);
    const why = method?.role === "method" ? whyDifferent(method, wanted) : `missing fn \`${wanted.name}\``;
    if (why !== undefined)
      cx.error("E0516", span, `\`${typeText(type)}\` does not serve \`${perspective.displayName}\`: ${why}`);
  }
  const edges = contract.members.flatMap((member) => (member.kind === "bus" ? member.members : []));
  for (const edge of edges) {
    if (hasEdge(type, edge)) continue;
    const subject = edge.subject.kind === "literal" ? `"${edge.subject.text}"` : pathText(edge.subject.path);
    cx.error(
      "E0516",
      span,
      `\`${typeText(type)}\` does not serve \`${perspective.displayName}\`: missing \`${edge.kind} ${subject}\``,
    );
  }
}

function hasEdge(type: LocusType, edge: SubscribeDecl | PublishDecl): boolean {
  const own = edge.kind === "subscribe" ? type.subscriptions : type.publications;
  const { subject } = edge;
  if (subject.kind === "literal")
    return own.some((candidate) => !candidate.topic && candidate.subject === subject.text);
  const name = subject.path.segments.at(-1)?.text;
  return own.some((candidate) => candidate.topic?.name === name);
}

export function checkReperspective(
  body: Body,
  statement: Stmt & { readonly kind: "reperspective" },
): TypedStmt | undefined {
  const { cx, self } = body;
  if (!self) {
    cx.error("E0519", statement.span, "`reperspective` is only valid inside a locus");
    return undefined;
  }
  const field = self.fields.find((candidate) => candidate.name === statement.field.text);
  const perspective = field && fieldType(cx, field);
  if (!field || perspective?.kind !== "perspective") {
    cx.error(
      "E0519",
      statement.field.span,
      `\`${statement.field.text}\` is no perspective-typed param of \`${typeText(self)}\``,
    );
    return undefined;
  }
  const found = findTypeName(cx, body.env, statement.implementation);
  const implementation = found && ("type" in found ? found.type : typeOfSymbol(cx, found.symbol, []));
  if (!implementation) return undefined;
  if (implementation.kind !== "locus" || !implementation.serves.includes(perspective)) {
    cx.error(
      "E0519",
      statement.implementation.span,
      `\`${pathText(statement.implementation)}\` does not serve \`${perspective.displayName}\``,
    );
    return undefined;
  }
  const other = cx.loci.find((locus) => locus.serves.includes(perspective) && !sameParams(cx, locus, implementation));
  if (other) {
    cx.error(
      "E0519",
      statement.span,
      `\`${typeText(other)}\` and \`${typeText(implementation)}\` serve \`${perspective.displayName}\` with different params; a swap keeps the state`,
    );
    return undefined;
  }
  reachLocus(cx, implementation);
  for (const method of implementation.methods.values()) cx.reach(method);
  return { kind: "reperspective", field, implementation, span: statement.span };
}

function sameParams(cx: Context, a: LocusType, b: LocusType): boolean {
  return (
    a.fields.length === b.fields.length &&
    a.fields.every((field, i) => {
      const other = b.fields[i];
      return other?.name === field.name && fieldType(cx, other) === fieldType(cx, field);
    })
  ); // prettier-ignore
}
