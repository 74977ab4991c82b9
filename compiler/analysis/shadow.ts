// Which findings may come of what an error hides (11.2.4): a call that was not understood, an entry of the bus that is lost.
import type { TypedProgram } from "../semantics/index.ts";
import type { Diagnostic, Span } from "../source/index.ts";
import { isWithin } from "./names.ts";

/** Findings that speak of the whole bus: an entry or a topic with an error may be what they miss. */
const BUS_FINDINGS: ReadonlySet<string> = new Set(["W1101", "W1104", "E1107", "E1108"]);

/** Of two declarations of a name the second is lost, with all that it says of the bus. */
const DUPLICATE_NAME = "E0208";

export class Shadow {
  /** Functions with an error in them. */
  readonly #functions: readonly Span[];
  readonly #isOverBus: boolean;

  constructor({ functions, loci, topics }: TypedProgram, errors: readonly Diagnostic[]) {
    const places = errors.flatMap(({ severity, span }) => (severity === "error" && span ? [span] : []));
    const holdsError = (outer: Span) => places.some((place) => isWithin(place, outer));
    this.#functions = functions.map(({ span }) => span).filter(holdsError);
    const entries = loci.flatMap(({ decl }) => decl.members.filter(({ kind }) => kind === "bus"));
    const bus = [...entries.map(({ span }) => span), ...topics.map(({ declarationSpan }) => declarationSpan)];
    this.#isOverBus = bus.some(holdsError) || errors.some(({ code }) => code === DUPLICATE_NAME);
  }

  covers({ code, severity, span }: Diagnostic): boolean {
    if (BUS_FINDINGS.has(code) && this.#isOverBus) return true;
    return severity === "warning" && span !== undefined && this.#functions.some((fn) => isWithin(span, fn));
  }
}
