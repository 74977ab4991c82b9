// The names in claims: what they stand for, or why the claim says nothing (11b.3, "Operand errors").
import type { LocusType, TopicInfo, TypedFunction } from "../../semantics/index.ts";
import { nearestName, type Span } from "../../source/index.ts";
import type { EffectClass, Name, Path } from "../../syntax/index.ts";
import type { BusGraph } from "../bus-graph.ts";
import { type ClassSet, classSpan } from "../classes.ts";
import type { Effects } from "../effects.ts";
import type { Findings } from "../findings.ts";
import { pathOf, topicAt } from "../seeds.ts";
import type { Group, GroupTable } from "./groups.ts";
import type { Clause } from "./law-book.ts";

export type Verdict = "holds" | "violated" | "uncertified" | "invalid";

/** All that judging one claim needs. */
export class Court {
  readonly effects: Effects;
  readonly bus: BusGraph;
  readonly groups: GroupTable;
  readonly findings: Findings;

  constructor(effects: Effects, bus: BusGraph, groups: GroupTable, findings: Findings) {
    this.effects = effects;
    this.bus = bus;
    this.groups = groups;
    this.findings = findings;
  }

  // ------------------------------------------------------------ verdicts

  invalid(clause: Clause, span: Span, why: string): "invalid" {
    this.findings.error("E1121", span, `claim \`${clause.name}\` says nothing: ${why}`);
    return "invalid";
  }

  /** A bare name that nothing declares. */
  #unbound(clause: Clause, span: Span, why: string): void {
    this.findings.unbound("E1121", span, `claim \`${clause.name}\` says nothing: ${why}`);
  }

  violated(clause: Clause, what: string): "violated" {
    this.findings.error("E1122", clause.named.name.span, `claim \`${clause.name}\` violated: ${what}`);
    return "violated";
  }

  /** Where a violation shows; places in the library have none. */
  evidence(clause: Clause, span: Span, what: string): void {
    if (!span.file.isStd) this.findings.error("E1122", span, `claim \`${clause.name}\`: ${what}`);
  }

  uncertified(clause: Clause, why: string): "uncertified" {
    this.findings.error("E1123", clause.named.name.span, `claim \`${clause.name}\` cannot be certified: ${why}`);
    return "uncertified";
  }

  // ------------------------------------------------------------ operands

  /** The group of that name; undefined: reported. */
  group(clause: Clause, name: Name): Group | undefined {
    const found = this.groups.find(clause.seed, name.text);
    if (!found) {
      const near = this.groups.nearest(clause.seed, name);
      this.#unbound(
        clause,
        name.span,
        `no group \`${name.text}\` is declared${near === undefined ? "" : `; did you mean \`${near}\`?`}`,
      );
      return undefined;
    }
    if (!found.isBroken) return found;
    // What is wrong with it is reported there, or is a name that is left alone.
    this.#unbound(clause, name.span, `group \`${name.text}\` is not sound`);
    return undefined;
  }

  /** A group with something to walk from or to. An empty one that says so is walked, too. */
  walkable(clause: Clause, name: Name): Group | undefined {
    const group = this.group(clause, name);
    if (!group || group.functions.size > 0) return group;
    if (group.loci.length + group.freeFunctions.length === 0) return group;
    this.invalid(clause, name.span, `the members of \`${name.text}\` have no functions`);
    return undefined;
  }

  topic(clause: Clause, path: Path): TopicInfo | undefined {
    for (const seed of clause.topicSeeds) {
      const found = topicAt(seed, path);
      if (found) return found;
    }
    const near = nearestName(
      pathOf(path),
      clause.topicSeeds.flatMap((seed) => [...seed.topics.keys()]),
    );
    const why = `no topic \`${pathOf(path)}\` is declared${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
    if (path.segments.length === 1) this.#unbound(clause, path.span, why);
    else this.invalid(clause, path.span, why);
    return undefined;
  }

  effectClass(clause: Clause, effect: EffectClass): ClassSet | undefined {
    const resolved = this.effects.classes.resolve(effect.name.text, effect.argument?.text);
    if ("set" in resolved) return resolved.set;
    if (resolved.isUnbound) this.#unbound(clause, classSpan(effect), resolved.problem);
    else this.invalid(clause, classSpan(effect), resolved.problem);
    return undefined;
  }
}

/** The place of a function's locus, or its own. */
export function declarationOf(fn: TypedFunction): { readonly span: Span; readonly locus: LocusType | undefined } {
  return { span: fn.self?.span ?? fn.nameSpan, locus: fn.self };
}
