// `unit` declarations: names with exact factors between them (03b 3).
import type { UnitDecl, UnitMeasure } from "../syntax/index.ts";
import { nearestName, type Span } from "../source/index.ts";
import type { Context } from "./context.ts";
import { ONE, over, type Ratio, ratio, sameRatio, times } from "./ratio.ts";

/** A unit as a multiple of its component's base. */
export interface UnitSize {
  /** The name that stands for the component: "1" for pure numbers, `ns` for time. */
  readonly component: string;
  readonly size: Ratio;
}

const TIME_UNITS: readonly (readonly [string, bigint])[] = [
  ["ns", 1n],
  ["us", 1000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["min", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
  ["day", 86_400_000_000_000n],
]; // prettier-ignore

/** The component of `Duration`, and that of pure numbers. */
export const TIME_COMPONENT = "ns";
export const NUMBERS = "1";

/** All units of a program; one namespace, whatever seed declares them. */
export class UnitTable {
  /** Each unit's parent in its component and its size in the parent's; roots stand for themselves. */
  readonly #links = new Map<string, { parent: string; size: Ratio }>();
  readonly #declared = new Map<string, Span>();

  constructor() {
    this.#links.set(NUMBERS, { parent: NUMBERS, size: ONE });
    for (const [name, size] of TIME_UNITS) this.#links.set(name, { parent: TIME_COMPONENT, size: ratio(size, 1n) });
  }

  get names(): readonly string[] {
    return [...this.#links.keys()].filter((name) => name !== NUMBERS);
  }

  /** Enters the program's declarations: names first, then what connects them. */
  declare(cx: Context, decls: readonly UnitDecl[]): void {
    for (const { name } of decls) {
      const earlier = this.#declared.get(name.text);
      if (earlier || this.#links.has(name.text)) {
        cx.error(
          "E0328",
          name.span,
          `unit \`${name.text}\` is already declared`,
          earlier ? { related: [{ span: earlier, note: "first declared" }] } : {},
        );
        continue;
      }
      this.#declared.set(name.text, name.span);
      this.#links.set(name.text, { parent: name.text, size: ONE });
    }
    for (const decl of decls) this.#connect(cx, decl);
  }

  /** A unit's size in its component; `m` is minutes unless the program declares it. */
  find(name: string): UnitSize | undefined {
    const known = this.#links.has(name) ? name : name === "m" ? "min" : undefined;
    return known === undefined ? undefined : this.#resolve(known);
  }

  /** The first unit of a component that has exactly this size. */
  named(component: string, size: Ratio): string | undefined {
    return this.names.find((name) => {
      const found = this.#resolve(name);
      return found.component === component && sameRatio(found.size, size);
    });
  }

  reportUnknown(cx: Context, name: string, span: Span): void {
    const near = nearestName(name, this.names);
    cx.error("E0320", span, `unknown unit \`${name}\``, {
      help: near === undefined ? undefined : `did you mean \`${near}\`?`,
    });
  }

  /** `60 s`, `cent`: a measure's size; undefined: reported. */
  measure(cx: Context, { magnitude, unit, span }: UnitMeasure): UnitSize | undefined {
    const found = this.find(unit);
    if (!found) {
      this.reportUnknown(cx, unit, span);
      return undefined;
    }
    return magnitude > 0n ? { component: found.component, size: times(found.size, ratio(magnitude, 1n)) } : found;
  }

  #connect(cx: Context, { name, factor, span }: UnitDecl): void {
    if (!factor || this.#declared.get(name.text) !== name.span) return;
    const { unit } = factor;
    const other = this.find(unit?.text ?? NUMBERS);
    if (!other) {
      if (unit) this.reportUnknown(cx, unit.text, unit.span);
      return;
    }
    const own = this.#resolve(name.text);
    const size = times(other.size, ratio(factor.numerator, factor.denominator));
    if (own.component === other.component) {
      if (!sameRatio(own.size, size))
        cx.error("E0328", span, `this contradicts what is said about \`${name.text}\` elsewhere`);
      return;
    }
    // One of \`own\` is \`size\` of the other component's base: its base is that divided by what one of \`own\` is in it.
    const isFixed = own.component === TIME_COMPONENT || own.component === NUMBERS;
    if (isFixed) this.#links.set(other.component, { parent: own.component, size: over(own.size, size) });
    else this.#links.set(own.component, { parent: other.component, size: over(size, own.size) });
  }

  #resolve(name: string): UnitSize {
    let size = ONE;
    let at = name;
    for (;;) {
      const link = this.#links.get(at);
      if (!link || link.parent === at) return { component: at, size };
      size = times(size, link.size);
      at = link.parent;
    }
  }
}
