// Groups of declarations (11b.2) and what they stand for in claims.
import type { LocusType, TypedFunction, TypedProgram, TypedSeed } from "../../semantics/index.ts";
import { nearestName } from "../../source/index.ts";
import type { GroupDecl, Name } from "../../syntax/index.ts";
import type { Findings } from "../findings.ts";
import { pathOf } from "../seeds.ts";

export interface Group {
  readonly name: string;
  readonly decl: GroupDecl;
  readonly loci: readonly LocusType[];
  /** Free functions that are members. */
  readonly freeFunctions: readonly TypedFunction[];
  /** Everything a claim walks from or to: methods, hooks and modes of the loci, and the free functions. */
  readonly functions: ReadonlySet<TypedFunction>;
  /** A member failed, the name is taken twice, or it is empty without saying so: no claim over it means anything. */
  readonly isBroken: boolean;
}

/** The groups of one program by the seed that declares them. */
export class GroupTable {
  readonly #groups = new Map<TypedSeed, ReadonlyMap<string, Group>>();

  constructor(program: TypedProgram, findings: Findings) {
    for (const seed of program.seeds) this.#groups.set(seed, groupsOf(seed, findings));
  }

  find(seed: TypedSeed, name: string): Group | undefined {
    return this.#groups.get(seed)?.get(name);
  }

  nearest(seed: TypedSeed, { text }: Name): string | undefined {
    return nearestName(text, this.#groups.get(seed)?.keys() ?? []);
  }

  of(seed: TypedSeed): readonly Group[] {
    return [...(this.#groups.get(seed)?.values() ?? [])];
  }
}

function groupsOf(seed: TypedSeed, findings: Findings): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const decl of seed.laws) {
    if (decl.kind !== "group") continue;
    const name = decl.name.text;
    const earlier = groups.get(name);
    if (earlier) {
      const related = [{ span: earlier.decl.name.span, note: "previous declaration" }];
      findings.error("E1120", decl.name.span, `group \`${name}\` is declared twice`, related);
      groups.set(name, { ...earlier, isBroken: true });
    } else groups.set(name, resolveGroup(seed, decl, findings));
  }
  return groups;
}

function resolveGroup(seed: TypedSeed, decl: GroupDecl, findings: Findings): Group {
  const loci: LocusType[] = [];
  const freeFunctions: TypedFunction[] = [];
  let isBroken = false;
  for (const member of decl.members) {
    const found = resolveMember(seed, member, findings);
    if (!found) isBroken = true;
    loci.push(...(found?.loci ?? []));
    freeFunctions.push(...(found?.functions ?? []));
  }
  const name = decl.name.text;
  if (!isBroken && !decl.mayBeEmpty && loci.length + freeFunctions.length === 0) {
    isBroken = true;
    findings.error("E1120", decl.span, `group \`${name}\` has no members: name some, or say \`may_be_empty\``);
  }
  const functions = new Set([...loci.flatMap(functionsOf), ...freeFunctions]);
  return { name, decl, loci, freeFunctions, functions, isBroken };
}

interface Members {
  readonly loci: readonly LocusType[];
  readonly functions: readonly TypedFunction[];
}

/** What a member names; undefined: reported. */
function resolveMember(
  seed: TypedSeed,
  { path, wildcard }: GroupDecl["members"][number],
  findings: Findings,
): Members | undefined {
  const [first, second, third] = path.segments;
  if (!first) return undefined;
  const written = `${pathOf(path)}${wildcard ? "::*" : ""}`;
  const fail = (message: string) => {
    findings.error("E1120", path.span, message);
    return undefined;
  };
  if (third || (wildcard && second))
    return fail(`\`${written}\`: a member is \`Name\`, \`alias::Name\` or \`alias::*\``);
  if (!second && !wildcard) {
    const members = membersNamed(seed, first);
    if (!members) findings.unbound("E1120", path.span, unknownMember(seed, first, ""));
    return members;
  }
  const imported = seed.imports.get(first.text);
  if (!imported) {
    const near = nearestName(first.text, seed.imports.keys());
    return fail(
      `\`${written}\`: nothing is imported as \`${first.text}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`,
    );
  }
  if (!second) return { loci: [...imported.loci.values()].flat(), functions: [...imported.functions.values()].flat() };
  return membersNamed(imported, second) ?? fail(unknownMember(imported, second, `${first.text}::`));
}

function membersNamed(seed: TypedSeed, { text }: Name): Members | undefined {
  const loci = seed.loci.get(text);
  const functions = seed.functions.get(text);
  return loci || functions ? { loci: loci ?? [], functions: functions ?? [] } : undefined;
}

function unknownMember(seed: TypedSeed, { text }: Name, prefix: string): string {
  const near = nearestName(text, [...seed.loci.keys(), ...seed.functions.keys()]);
  return `\`${prefix}${text}\` is no locus and no free fn${near === undefined ? "" : `; did you mean \`${prefix}${near}\`?`}`;
}

/** A locus stands for all its methods, hooks and modes (11b.2, "Projection"). */
export function functionsOf(locus: LocusType): TypedFunction[] {
  return [...locus.methods.values(), ...Object.values(locus.hooks), ...locus.onFailure];
}
