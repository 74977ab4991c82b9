import type { Code } from "../semantics/index.ts";
import { type Diagnostic, DiagnosticBag, type RelatedNote, type Span } from "../source/index.ts";

/** Collects what the analyses find, in the order of the passes (reference 11 11.1). */
export class Findings {
  readonly #bag = new DiagnosticBag();
  /** One file of a larger seed is checked: what nothing declares may live in a sibling and is left alone (11.2.5). */
  readonly leavesUnbound: boolean;

  constructor(leavesUnbound = false) {
    this.leavesUnbound = leavesUnbound;
  }

  /** A bare name that nothing declares. */
  unbound(code: Code, span: Span, message: string): void {
    if (!this.leavesUnbound) this.error(code, span, message);
  }

  error(code: Code, span: Span, message: string, related?: readonly RelatedNote[]): void {
    this.#bag.add({ kind: "type error", severity: "error", code, message, span, ...(related ? { related } : {}) });
  }

  warn(code: Code, span: Span, message: string, related?: readonly RelatedNote[]): void {
    this.#bag.add({ kind: "warning", severity: "warning", code, message, span, ...(related ? { related } : {}) });
  }

  get items(): readonly Diagnostic[] {
    return this.#bag.items;
  }

  get hasErrors(): boolean {
    return this.#bag.hasErrors;
  }
}

/** Errors of the analyses that are no laws. */
const RULES: ReadonlySet<string> = new Set<Code>(["E1111", "E1112"]);

/** A broken law (effects, budgets, phases, claims) leaves a sound program: it still has a model (11.1). */
export function isLaw({ code }: Diagnostic): boolean {
  return code.startsWith("E11") && !RULES.has(code);
}
