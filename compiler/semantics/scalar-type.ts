// Scalar types of reference 03b from their declarations: identities, ranges, quantities, points.
import type { Expr, ScalarDecl } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Context, NO_GENERICS } from "./context.ts";
import { withoutParens } from "./expressions.ts";
import { resolveType } from "./resolve-types.ts";
import { over, type Ratio, sameRatio } from "./ratio.ts";
import { qualified, type ScalarSymbol } from "./symbols.ts";
import { DURATION, INT, isPoison, TIME } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { Measure, ScalarType, Type } from "./types.ts";
import { TIME_COMPONENT, type UnitSize } from "./units.ts";

/** The type of a scalar's declaration; undefined: reported. */
export function scalarType(cx: Context, symbol: ScalarSymbol): ScalarType | undefined {
  if (symbol.type === "bad") return undefined;
  if (symbol.type === "resolving") {
    cx.error("E0319", symbol.span, `\`${symbol.name}\` stands on itself`);
    symbol.type = "bad";
    return undefined;
  }
  if (symbol.type) return symbol.type;
  symbol.type = "resolving";
  const base = resolveType(cx, { scope: symbol.scope, generics: NO_GENERICS }, symbol.decl.base);
  const type = isPoison(base) ? undefined : declare(cx, symbol, base);
  // A cycle found on the way has marked the symbol already.
  symbol.type = type ?? "bad";
  return type;
}

function declare(cx: Context, symbol: ScalarSymbol, base: Type): ScalarType | undefined {
  const { decl } = symbol;
  const isMeasured =
    decl.form === "quantity" ||
    decl.form === "point" ||
    decl.denomination !== undefined ||
    decl.round !== undefined ||
    decl.origin !== undefined;
  if (decl.form === "distinct") return identity(cx, symbol, base);
  return isMeasured ? measured(cx, symbol, base) : range(cx, symbol, base);
}

function make(symbol: ScalarSymbol, form: ScalarType["form"], base: Type, parts: Partial<ScalarType> = {}): ScalarType {
  return {
    kind: "scalar",
    name: symbol.name,
    displayName: qualified(symbol.scope, symbol.name),
    form,
    base,
    span: symbol.span,
    ...parts,
  };
}

// ---------------------------------------------------------------- identities and ranges

function identity(cx: Context, symbol: ScalarSymbol, base: Type): ScalarType | undefined {
  const { decl, span } = symbol;
  if (base !== INT) return refuse(cx, span, `an identity is over Int, not \`${typeText(base)}\``);
  if (decl.denomination || decl.round || decl.origin)
    return refuse(cx, span, "an identity has no unit; it takes only `range:`");
  if (!decl.range) return make(symbol, "distinct", INT);
  const bounds = boundsOf(cx, symbol, decl.range);
  return bounds && make(symbol, "distinct", INT, { range: bounds });
}

function range(cx: Context, symbol: ScalarSymbol, base: Type): ScalarType | undefined {
  const { decl, span } = symbol;
  const isRange = base === INT || (base.kind === "scalar" && base.form === "range");
  if (!isRange) return refuse(cx, span, `a range is over Int or a range, not \`${typeText(base)}\``);
  if (!decl.range) return refuse(cx, span, "this type needs `range: lo..hi`");
  const bounds = boundsOf(cx, symbol, decl.range);
  if (!bounds) return undefined;
  const outer = base.kind === "scalar" ? base.range : undefined;
  if (outer && (bounds.low < outer.low || bounds.high > outer.high)) {
    return refuse(cx, span, `the range leaves \`${typeText(base)}\` (${outer.low}..${outer.high})`);
  }
  return make(symbol, "range", base, { range: bounds });
}

function refuse(cx: Context, span: Span, message: string): undefined {
  cx.error("E0324", span, message);
  return undefined;
}

function boundsOf(cx: Context, symbol: ScalarSymbol, expr: Expr): NonNullable<ScalarType["range"]> | undefined {
  const inner = withoutParens(expr);
  const low = inner.kind === "range" ? integer(inner.low) : undefined;
  const high = inner.kind === "range" ? integer(inner.high) : undefined;
  if (inner.kind !== "range" || low === undefined || high === undefined)
    return refuse(cx, symbol.span, "the bounds of `range:` are integer literals");
  const end = inner.inclusive ? high + 1n : high;
  return low < end ? { low, high: end } : refuse(cx, symbol.span, "the range is empty");
}

/** An integer literal, a minus allowed. */
export function integer(expr: Expr): bigint | undefined {
  const inner = withoutParens(expr);
  if (inner.kind === "int") return inner.value;
  const negated = inner.kind === "unary" && inner.operator === "-" ? withoutParens(inner.operand) : undefined;
  return negated?.kind === "int" ? -negated.value : undefined;
}

/** Whether a scalar widens to a type without a word: a range to its base (03b 2.2). */
export function widensTo(type: ScalarType, target: Type): boolean {
  for (let base: Type = type; base.kind === "scalar" && base.form === "range"; ) {
    base = base.base;
    if (base === target) return true;
  }
  return false;
}

// ---------------------------------------------------------------- quantities and points

const POLICIES = ["floor", "ceil", "trunc", "half_even", "half_up"] as const;
export type Policy = (typeof POLICIES)[number];

export function policyNamed(name: string): Policy | undefined {
  return POLICIES.find((policy) => policy === name);
}

function measured(cx: Context, symbol: ScalarSymbol, base: Type): ScalarType | undefined {
  const { decl, span } = symbol;
  if (decl.range) return refuse(cx, span, "`range:` goes with an identity or an Int");
  const policy = decl.round && policyNamed(decl.round.text);
  if (decl.round && !policy)
    return refuse(cx, span, `unknown policy \`${decl.round.text}\`; policies are ${POLICIES.join(", ")}`);
  const stated = decl.denomination && cx.units.measure(cx, decl.denomination);
  if (decl.denomination && !stated) return undefined;
  if (decl.form === "point" || pointMeasure(base)) return point(cx, symbol, base, stated, policy);
  if (decl.origin) return refuse(cx, span, "`origin:` goes with a point");
  return quantity(cx, symbol, base, stated, policy);
}

function quantity(
  cx: Context,
  symbol: ScalarSymbol,
  base: Type,
  stated: UnitSize | undefined,
  policy: Policy | undefined,
): ScalarType | undefined {
  const { decl, span } = symbol;
  const parent = measureOf(base);
  if (base !== INT && !parent)
    return refuse(cx, span, `a quantity is over Int or a quantity, not \`${typeText(base)}\``);
  if (base === INT && decl.form !== "quantity") return refuse(cx, span, "`Int in ..` needs the word `quantity`");
  if (base === INT && !stated) return refuse(cx, span, "a quantity needs its unit: `quantity Int in ..`");
  const component = parent?.component ?? stated?.component ?? "";
  if (stated && stated.component !== component) return refuse(cx, span, "the unit belongs to another quantity");
  const isPrincipal = base === INT && policy === undefined;
  if (isPrincipal && component === TIME_COMPONENT) return refuse(cx, span, "`Duration` is the quantity of time");
  if (isPrincipal && cx.quantities.has(component))
    return refuse(cx, span, `\`${cx.quantities.get(component)?.name ?? ""}\` is the quantity of this unit already`);
  const denomination = stated?.size ?? parent?.denomination;
  if (!denomination) return undefined;
  const type = make(symbol, "quantity", INT, { measure: { component, denomination, policy, origin: undefined } });
  if (isPrincipal) cx.quantities.set(component, type);
  return type;
}

function point(
  cx: Context,
  symbol: ScalarSymbol,
  base: Type,
  stated: UnitSize | undefined,
  policy: Policy | undefined,
): ScalarType | undefined {
  const { decl, span } = symbol;
  const parent = pointMeasure(base) ?? measureOf(base);
  if (!parent) return refuse(cx, span, `a point is over a quantity, not \`${typeText(base)}\``);
  if (stated && stated.component !== parent.component) return refuse(cx, span, "the unit belongs to another quantity");
  const origin = decl.origin && originOf(cx, symbol, decl.origin, parent.component);
  if (decl.origin && !origin) return undefined;
  const measure: Measure = {
    component: parent.component,
    denomination: stated?.size ?? parent.denomination,
    policy: policy ?? (stated ? undefined : parent.policy),
    origin: origin ?? parent.origin ?? { n: 0n, d: 1n },
  };
  return make(symbol, "point", INT, { measure });
}

/** How far a point's zero lies from the quantity's, in the component's base. */
function originOf(
  cx: Context,
  symbol: ScalarSymbol,
  origin: NonNullable<ScalarDecl["origin"]>,
  component: string,
): { readonly n: bigint; readonly d: bigint } | undefined {
  const { magnitude, unit, span } = origin.measure;
  const size = cx.units.find(unit);
  if (!size) {
    cx.units.reportUnknown(cx, unit, span);
    return undefined;
  }
  if (size.component !== component) return refuse(cx, symbol.span, "the origin is of another quantity");
  const n = size.size.n * magnitude;
  return { n: origin.negative ? -n : n, d: size.size.d };
}

const DURATION_MEASURE: Measure = {
  component: TIME_COMPONENT,
  denomination: { n: 1n, d: 1n },
  policy: undefined,
  origin: undefined,
};
const TIME_MEASURE: Measure = { ...DURATION_MEASURE, origin: { n: 0n, d: 1n } };

/** What a quantity counts; Duration is one. */
export function measureOf(type: Type): Measure | undefined {
  if (type === DURATION) return DURATION_MEASURE;
  return type.kind === "scalar" && type.form === "quantity" ? type.measure : undefined;
}

/** What a point counts and from where; Time is one. */
export function pointMeasure(
  type: Type,
): (Measure & { readonly origin: { readonly n: bigint; readonly d: bigint } }) | undefined {
  const measure =
    type === TIME ? TIME_MEASURE : type.kind === "scalar" && type.form === "point" ? type.measure : undefined;
  return measure?.origin ? { ...measure, origin: measure.origin } : undefined;
}

/** The quantity of a component counted in a denomination, without a policy: a declared one, or one made for it. */
export function quantityAt(cx: Context, component: string, denomination: Ratio): Type {
  const principal: Type | undefined = component === TIME_COMPONENT ? DURATION : cx.quantities.get(component);
  const own = principal && measureOf(principal);
  if (!principal || !own) return INT;
  if (sameRatio(own.denomination, denomination)) return principal;
  const key = `${component} ${denomination.n}/${denomination.d}`;
  const known = cx.madeQuantities.get(key);
  if (known) return known;
  const name = `${typeText(principal)} in ${denominationText(cx, component, own.denomination, denomination)}`;
  const span = principal.kind === "scalar" ? principal.span : cx.libraryStart;
  const made: ScalarType = {
    kind: "scalar",
    name,
    displayName: name,
    form: "quantity",
    base: INT,
    measure: { component, denomination, policy: undefined, origin: undefined },
    span,
  };
  cx.madeQuantities.set(key, made);
  return made;
}

function denominationText(cx: Context, component: string, own: Ratio, denomination: Ratio): string {
  const unit = cx.units.named(component, denomination);
  if (unit !== undefined) return unit;
  const basis = cx.units.named(component, own) ?? component;
  const { n, d } = over(denomination, own);
  return d === 1n ? `${n} ${basis}` : `${n}/${d} ${basis}`;
}

/** What follows a quantity's count in its text (03b 4.5). */
export function quantitySuffix(cx: Context, type: ScalarType): string {
  if (!type.measure) return "";
  const unit = cx.units.named(type.measure.component, type.measure.denomination);
  return unit ?? ` ${type.name}`;
}
