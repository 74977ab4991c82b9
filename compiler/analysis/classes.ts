// Effect classes (11.9, 11.11): built-in ones, declared atomic ones, families over a domain, compositions. A set of classes is a bigint of bits.
import { nearestName, type Span } from "../source/index.ts";
import type { DomainDecl, EffectClass, EffectDecl } from "../syntax/index.ts";
import type { TypedProgram } from "../semantics/index.ts";
import type { Findings } from "./findings.ts";

export type ClassSet = bigint;

/** In the order of the manifest (11.14) where it has them. */
const BUILT_IN = [
  "syscall",
  "block",
  "publish",
  "time",
  "entropy",
  "env",
  "alloc",
  "secret_use",
  "ffi",
  "spawn",
  "recursion",
] as const;

export type BuiltInClass = (typeof BUILT_IN)[number];

const bitOf = new Map<string, ClassSet>(BUILT_IN.map((name, i) => [name, 1n << BigInt(i)]));

/** A built-in class as a set of one. */
export function builtIn(name: BuiltInClass): ClassSet {
  return bitOf.get(name) ?? 0n;
}

export const NONE: ClassSet = 0n;
export const ALL_BUILT_IN: ClassSet = (1n << BigInt(BUILT_IN.length)) - 1n;

// Facts that travel along calls like classes, and that no program can name.

/** A call whose target is not known: it may do anything. */
export const UNKNOWN: ClassSet = 1n << 11n;
/** A blocking library function other than `sleep` (11.5). */
export const BLOCKING: ClassSet = 1n << 12n;
/** A blocking library function that holds the thread of an `async_io` pool, too. */
export const STALLING: ClassSet = 1n << 13n;

const FIRST_USER_BIT = 14;

/** Why a class cannot be used. `isUnbound`: nothing declares it. */
interface Unusable {
  readonly problem: string;
  readonly isUnbound?: boolean;
}

export type Resolved = { readonly set: ClassSet } | Unusable;

/** The classes of one program. Classes are shared across seeds by name (11.11.4). */
export class EffectClasses {
  /** Declared atomic classes and family members, in order of declaration: what `only:` forbids beside the built-in ones. */
  readonly atomic: ReadonlyMap<string, ClassSet>;
  /** Every declared atomic class. */
  readonly allDeclared: ClassSet;
  readonly #bits = new Map<string, ClassSet>();
  readonly #composed = new Map<string, EffectDecl>();
  readonly #families = new Map<string, readonly string[]>();
  readonly #resolving = new Set<string>();

  constructor(program: TypedProgram) {
    const atomic = new Map<string, ClassSet>();
    const add = (name: string) => {
      if (atomic.has(name)) return;
      atomic.set(name, 1n << BigInt(FIRST_USER_BIT + atomic.size));
    };
    for (const { laws } of program.seeds) {
      const domains = new Map<string, DomainDecl>();
      for (const law of laws) {
        if (law.kind === "domain") domains.set(law.name.text, law);
        if (law.kind !== "effect") continue;
        const name = law.name.text;
        if (law.parts) this.#composed.set(name, law);
        else if (law.domain) {
          const members = domains.get(law.domain.text)?.members.map((member) => member.text) ?? [];
          this.#families.set(name, members);
          for (const member of members) add(`${name}(${member})`);
        } else add(name);
      }
    }
    this.atomic = atomic;
    this.allDeclared = [...atomic.values()].reduce((set, bit) => set | bit, NONE);
    for (const [name, bit] of [...bitOf, ...atomic]) this.#bits.set(name, bit);
  }

  /** What a class written as `c`, `k(x)` or `k(*)` stands for. */
  resolve(name: string, argument?: string): Resolved {
    const members = this.#families.get(name);
    if (members) return this.#familyMember(name, members, argument);
    const bit = this.#bits.get(name);
    if (argument !== undefined) {
      const isUnbound = bit === undefined && !this.#composed.has(name);
      return { problem: `\`${name}\` is no family of classes${this.#suggest(name)}`, isUnbound };
    }
    if (bit !== undefined) return { set: bit };
    const composed = this.#composed.get(name);
    return composed
      ? this.#compose(composed)
      : { problem: `class \`${name}\` is never declared${this.#suggest(name)}`, isUnbound: true };
  }

  #familyMember(name: string, members: readonly string[], argument: string | undefined): Resolved {
    if (argument === undefined)
      return {
        problem: `\`${name}\` is a family: write \`${name}(*)\` or one of ${members.map((m) => `\`${name}(${m})\``).join(", ")}`,
      };
    const chosen = argument === "*" ? members : members.filter((member) => member === argument);
    if (chosen.length === 0 && argument !== "*") {
      const near = nearestName(argument, members);
      return {
        problem: `class \`${name}(${argument})\` is never declared${near === undefined ? "" : `; did you mean \`${name}(${near})\`?`}`,
      };
    }
    return { set: chosen.reduce((set, member) => set | (this.#bits.get(`${name}(${member})`) ?? NONE), NONE) };
  }

  #compose(decl: EffectDecl): Resolved {
    const name = decl.name.text;
    if (this.#resolving.has(name)) return { problem: `class \`${name}\` is made of itself` };
    this.#resolving.add(name);
    let set = NONE;
    let problem: Unusable | undefined;
    for (const part of decl.parts ?? []) {
      const resolved = this.resolve(part.name.text, part.argument?.text);
      if ("problem" in resolved) problem ??= resolved;
      else set |= resolved.set;
    }
    this.#resolving.delete(name);
    return problem ?? { set };
  }

  #suggest(name: string): string {
    const near = nearestName(name, [...this.#bits.keys(), ...this.#composed.keys(), ...this.#families.keys()]);
    return near === undefined ? "" : `; did you mean \`${near}\`?`;
  }

  /** The names of a set's classes, built-in ones first, then in order of declaration. */
  namesIn(set: ClassSet): string[] {
    return [...this.#bits].flatMap(([name, bit]) => ((set & bit) !== NONE ? [name] : []));
  }
}

/** Reports classes that a seed declares twice, and compositions that name what is not declared, or themselves. */
export function checkDeclaredClasses(program: TypedProgram, classes: EffectClasses, findings: Findings): void {
  for (const { laws } of program.seeds) {
    const declared = new Map<string, Span>();
    for (const law of laws) {
      if (law.kind !== "effect") continue;
      const { text, span } = law.name;
      const earlier = declared.get(text);
      if (earlier)
        findings.error("E1102", span, `class \`${text}\` is declared twice`, [
          { span: earlier, note: "previous declaration" },
        ]);
      declared.set(text, earlier ?? span);
      if (!law.parts || earlier) continue;
      const resolved = classes.resolve(law.name.text);
      if ("problem" in resolved) reportClass(resolved, law.name.span, findings);
    }
  }
}

/** Reports a class that cannot be used. */
export function reportClass({ problem, isUnbound }: Unusable, span: Span, findings: Findings): void {
  if (isUnbound) findings.unbound("E1102", span, problem);
  else findings.error("E1102", span, problem);
}

/** A class as written in a claim or a budget. */
export function classText({ name, argument }: EffectClass): string {
  return argument ? `${name.text}(${argument.text})` : name.text;
}

/** The place of a class as written. */
export function classSpan({ name, argument }: EffectClass): Span {
  return argument ? { ...name.span, end: argument.span.end } : name.span;
}
