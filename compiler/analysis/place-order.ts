import type { TypedProgram } from "../semantics/index.ts";
import type { SourceFile, Span } from "../source/index.ts";

/** Places of a program in the order of its files and lines; those of the library come last. */
export class PlaceOrder {
  readonly #files: ReadonlyMap<SourceFile, number>;

  constructor({ files }: TypedProgram) {
    this.#files = new Map(files.map((file, i) => [file, i]));
  }

  compare(a: Span, b: Span): number {
    return this.#rank(a) - this.#rank(b) || a.start - b.start;
  }

  first(spans: readonly Span[]): Span | undefined {
    return [...spans].sort((a, b) => this.compare(a, b))[0];
  }

  sorted<T>(items: readonly T[], placeOf: (item: T) => Span): T[] {
    return [...items].sort((a, b) => this.compare(placeOf(a), placeOf(b)));
  }

  #rank({ file }: Span): number {
    return this.#files.get(file) ?? this.#files.size;
  }
}
