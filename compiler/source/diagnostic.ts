import type { Span } from "./span.ts";

export type Severity = "error" | "warning";

/** The words that stand before the message (08 5.1 rule 2). */
export type DiagnosticKind = "lex error" | "parse error" | "type error" | "codegen error" | "io error" | "warning";

export interface RelatedNote {
  readonly span: Span;
  readonly note: string;
}

/** One finding, complete enough to explain itself in text and in JSON. */
export interface Diagnostic {
  readonly kind: DiagnosticKind;
  readonly severity: Severity;
  /** Stable identifier, `E0301` style: phase digit pair, then number; the key of its page in docs/diagnostics.md. */
  readonly code: string;
  readonly message: string;
  /** Missing only for `io error`, which names `path` instead. */
  readonly span?: Span;
  readonly path?: string;
  readonly related?: readonly RelatedNote[];
  /** What to write instead. */
  readonly help?: string;
}

/** Collects findings; each (position, message) pair is kept once. */
export class DiagnosticBag {
  readonly #items: Diagnostic[] = [];
  readonly #seen = new Set<string>();

  add(diagnostic: Diagnostic): void {
    const key = keyOf(diagnostic);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#items.push(diagnostic);
  }

  addAll(diagnostics: Iterable<Diagnostic>): void {
    for (const diagnostic of diagnostics) this.add(diagnostic);
  }

  get size(): number {
    return this.#items.length;
  }

  /** Forgets what was added after the bag had this size. */
  truncate(size: number): void {
    for (const dropped of this.#items.splice(size)) this.#seen.delete(keyOf(dropped));
  }

  get items(): readonly Diagnostic[] {
    return this.#items;
  }

  get hasErrors(): boolean {
    return this.#items.some((item) => item.severity === "error");
  }
}

function keyOf({ span, path, message }: Diagnostic): string {
  return `${span?.file.path ?? path ?? ""}:${span?.start ?? 0}:${message}`;
}
