// How much memory the params of each locus take, against the caches of a processor (11.14). An estimate: references count as what refers, not as what it refers to.
import type { LocusType, Type, TypedProgram } from "../../semantics/index.ts";
import type { Span } from "../../source/index.ts";
import { locusName } from "../names.ts";

export interface LocusSize {
  readonly locus: string;
  /** Bytes of its params. */
  readonly bytes: number;
  /** The cache that `@locality` says it fits into, as written. */
  readonly level: string | undefined;
  readonly span: Span;
}

/** The loci of the program, in order of their names. */
export function localityOf(program: TypedProgram): LocusSize[] {
  return program.loci
    .filter(({ isStd }) => !isStd)
    .map((locus) => ({
      locus: locusName(locus),
      bytes: locus.fields.reduce((sum, { type }) => sum + sizeOf(type), 0),
      level: levelOf(locus),
      span: locus.span,
    }))
    .sort((a, b) => (a.locus < b.locus ? -1 : a.locus > b.locus ? 1 : 0));
}

function levelOf({ decl }: LocusType): string | undefined {
  for (const decorator of decl.decorators) if (decorator.name === "locality") return decorator.level.text;
  return undefined;
}

const WORD = 8;

function sizeOf(type: Type): number {
  switch (type.kind) {
    case "array":
      return (type.length ?? 0) * sizeOf(type.element);
    case "bounded":
      return WORD + type.capacity * sizeOf(type.element);
    case "record":
      return type.fields.reduce((sum, field) => sum + sizeOf(field.type), 0);
    case "tuple":
      return type.members.reduce((sum, member) => sum + sizeOf(member), 0);
    case "enum":
      return (
        WORD + Math.max(0, ...type.variants.map(({ payload }) => payload.reduce((sum, part) => sum + sizeOf(part), 0)))
      );
    default:
      return type.kind === "primitive" && type.name === "Decimal" ? 2 * WORD : WORD;
  }
}
