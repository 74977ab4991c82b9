// Which claims a program is under (11b.3, 11b.6, 11b.7): those of its main locus, of the constitutions that it adopts, and of the libraries it imports.
import type { LocusType, TypedProgram, TypedSeed } from "../../semantics/index.ts";
import { nearestName } from "../../source/index.ts";
import type { ClaimsDecl, ConstitutionDecl, NamedClaim, Name } from "../../syntax/index.ts";
import type { Findings } from "../findings.ts";
import { textOf } from "../names.ts";

/** One claim and where its names are looked up. */
export interface Clause {
  /** `name`, or `alias::name` for a library's. */
  readonly name: string;
  readonly named: NamedClaim;
  /** Whose groups and aliases the claim names. */
  readonly seed: TypedSeed;
  /** Where topics are looked up, in this order. */
  readonly topicSeeds: readonly TypedSeed[];
  readonly constitution: string | undefined;
}

export interface LawBook {
  readonly clauses: readonly Clause[];
  /** Names of the constitutions that the entry adopts, bases included. */
  readonly adopted: readonly string[];
}

interface Declared {
  readonly decl: ConstitutionDecl;
  readonly seed: TypedSeed;
}

/** A constitution that the deployment adds to what the main locus adopts, and who asks for it (11b.8). */
export interface Demanded {
  readonly name: string;
  readonly by: string;
}

export function readLaws(program: TypedProgram, demanded: readonly Demanded[], findings: Findings): LawBook {
  return new Reader(program, findings).read(demanded);
}

class Reader {
  readonly #program: TypedProgram;
  readonly #findings: Findings;
  readonly #constitutions = new Map<string, Declared>();
  readonly #clauses: Clause[] = [];
  readonly #adopted = new Set<string>();
  /** Names of the world's claims, with the first of each. */
  readonly #taken = new Map<string, Clause>();

  constructor(program: TypedProgram, findings: Findings) {
    this.#program = program;
    this.#findings = findings;
  }

  read(demanded: readonly Demanded[]): LawBook {
    this.#declareConstitutions();
    const [root, ...imported] = this.#program.seeds;
    if (root) this.#readRoot(root, demanded);
    // What libraries claim is judged again in every world that is closed over them (11b.6.2).
    if (root && mainLocusOf(root)) for (const seed of imported) this.#readLibrary(seed, `${seed.prefix}::`);
    return { clauses: this.#clauses, adopted: [...this.#adopted] };
  }

  #declareConstitutions(): void {
    for (const seed of this.#program.seeds) {
      for (const decl of seed.laws) {
        if (decl.kind !== "constitution") continue;
        const name = decl.name.text;
        const earlier = this.#constitutions.get(name);
        if (!earlier) this.#constitutions.set(name, { decl, seed });
        else {
          const related = [{ span: earlier.decl.name.span, note: "previous declaration" }];
          this.#findings.error("E1124", decl.name.span, `constitution \`${name}\` is declared twice`, related);
        }
      }
    }
    for (const { decl } of this.#constitutions.values()) for (const base of decl.bases) this.#find(base);
  }

  #find(name: Name): Declared | undefined {
    const found = this.#constitutions.get(name.text);
    if (found) return found;
    const near = nearestName(name.text, this.#constitutions.keys());
    const help = near === undefined ? "" : `; did you mean \`${near}\`?`;
    this.#findings.unbound("E1124", name.span, `no constitution \`${name.text}\` is declared${help}`);
    return undefined;
  }

  // ------------------------------------------------------------ the target

  #readRoot(root: TypedSeed, demanded: readonly Demanded[]): void {
    const main = mainLocusOf(root);
    if (!main) {
      this.#readLibrary(root, "");
      return;
    }
    this.#refuseTopLevel(root);
    const blocks = claimsOf(main);
    for (const { claims } of blocks)
      for (const named of claims)
        this.#addWorldClause({ name: named.name.text, named, seed: root, topicSeeds: [root], constitution: undefined });
    for (const { adopts } of blocks) for (const name of adopts) this.#adopt(this.#find(name), root);
    for (const { name, by } of demanded) {
      const found = this.#constitutions.get(name);
      if (found) this.#adopt(found, root);
      else this.#findings.error("E1124", main.span, `no constitution \`${name}\` is declared; ${by} asks for it`);
    }
  }

  #adopt(declared: Declared | undefined, root: TypedSeed, path: readonly string[] = []): void {
    const name = declared?.decl.name.text;
    if (!declared || name === undefined || this.#adopted.has(name)) return;
    for (const base of declared.decl.bases) {
      if (base.text === name || path.includes(base.text)) {
        this.#findings.error("E1124", base.span, `constitution \`${name}\` extends itself through \`${base.text}\``);
        continue;
      }
      this.#adopt(this.#constitutions.get(base.text), root, [...path, name]);
    }
    this.#adopted.add(name);
    const seed = mainLocusOf(declared.seed) ? declared.seed : root;
    for (const named of declared.decl.claims) {
      this.#addWorldClause({
        name: named.name.text,
        named,
        seed,
        topicSeeds: [declared.seed, root],
        constitution: name,
      });
    }
  }

  #addWorldClause(clause: Clause): void {
    const earlier = this.#taken.get(clause.name);
    if (earlier) {
      const related = [{ span: earlier.named.name.span, note: "previous claim" }];
      const from = clause.constitution === undefined ? "" : ` (constitution \`${clause.constitution}\`)`;
      this.#findings.error("E1124", clause.named.name.span, `claim \`${clause.name}\` is named twice${from}`, related);
    } else this.#taken.set(clause.name, clause);
    this.#clauses.push(clause);
  }

  // ------------------------------------------------------------ libraries

  /** Top-level claims of a seed without a main locus; those in the main locus of an imported one travel, too. */
  #readLibrary(seed: TypedSeed, prefix: string): void {
    const main = mainLocusOf(seed);
    if (main) this.#refuseTopLevel(seed);
    const taken = new Map<string, NamedClaim>();
    for (const block of main ? claimsOf(main) : seed.laws) {
      if (block.kind !== "claims") continue;
      if (!main) {
        for (const name of block.adopts)
          this.#findings.error("E1124", name.span, "a library adopts nothing: `adopt` belongs in a main locus");
      }
      for (const named of block.claims) {
        const earlier = taken.get(named.name.text);
        if (earlier) {
          const related = [{ span: earlier.name.span, note: "previous claim" }];
          this.#findings.error("E1124", named.name.span, `claim \`${named.name.text}\` is named twice`, related);
        } else taken.set(named.name.text, named);
        this.#clauses.push({
          name: prefix + named.name.text,
          named,
          seed,
          topicSeeds: [seed],
          constitution: undefined,
        });
      }
    }
  }

  #refuseTopLevel(seed: TypedSeed): void {
    for (const law of seed.laws) {
      if (law.kind === "claims")
        this.#findings.error("E1124", law.span, "this seed has a main locus: write its claims there");
    }
  }
}

/** Each constitution's closure as text, its clauses sorted and its bases' closures with them: one text is one law, whatever the imports are called. */
export function closuresOf({ seeds }: TypedProgram): ReadonlyMap<string, string> {
  const decls = new Map<string, ConstitutionDecl>();
  for (const { laws } of seeds)
    for (const law of laws) if (law.kind === "constitution" && !decls.has(law.name.text)) decls.set(law.name.text, law);
  const closures = new Map<string, string>();
  const closure = (name: string, above: readonly string[]): string => {
    const known = closures.get(name);
    if (known !== undefined) return known;
    const decl = decls.get(name);
    if (!decl || above.includes(name)) return "";
    const clauses = decl.claims.map((named) => textOf(named.span).replaceAll(/\s+/g, " "));
    const bases = [...new Set(decl.bases.map((base) => base.text))].map(
      (base) => `{${closure(base, [...above, name])}}`,
    );
    const text = [...clauses.sort(), ...bases.sort()].join("\n");
    closures.set(name, text);
    return text;
  };
  for (const name of decls.keys()) closure(name, []);
  return closures;
}

/** The main locus that a seed declares, the entry or not. */
export function mainLocusOf(seed: TypedSeed): LocusType | undefined {
  for (const instances of seed.loci.values()) {
    const main = instances.find((locus) => locus.decl.isMain);
    if (main) return main;
  }
  return undefined;
}

function claimsOf(main: LocusType): readonly ClaimsDecl[] {
  return main.decl.members.filter((member): member is ClaimsDecl => member.kind === "claims");
}
