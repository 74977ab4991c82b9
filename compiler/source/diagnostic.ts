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

/** Collects findings; each (position, message) pair is kept once. Names of any length are given in words of a readable one. */
export class DiagnosticBag {
  readonly #items: Diagnostic[] = [];
  readonly #seen = new Set<string>();

  add(found: Diagnostic): void {
    const diagnostic = readable(found);
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

/** No part of a file's path is longer, so that paths stay as they are. */
const LONGEST_NAME = 255;
/** What is left of a longer name. */
const SHOWN_NAME = 80;

const HUGE_NAME = new RegExp(`[\\p{L}\\p{N}_]{${LONGEST_NAME + 1},}`, "gu");

function readable(diagnostic: Diagnostic): Diagnostic {
  const { message, related, help } = diagnostic;
  const texts = [message, help ?? "", ...(related ?? []).map(({ note }) => note)];
  if (texts.every((text) => text.length <= LONGEST_NAME)) return diagnostic;
  return {
    ...diagnostic,
    message: shortened(message),
    ...(help !== undefined && { help: shortened(help) }),
    ...(related && { related: related.map(({ span, note }) => ({ span, note: shortened(note) })) }),
  };
}

function shortened(text: string): string {
  return text.replace(HUGE_NAME, (name) => `${[...name].slice(0, SHOWN_NAME).join("")}…`);
}

function keyOf({ span, path, message }: Diagnostic): string {
  return `${span?.file.path ?? path ?? ""}:${span?.start ?? 0}:${message}`;
}
