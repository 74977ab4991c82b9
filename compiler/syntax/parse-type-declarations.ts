// `type` in its four forms, and units (01 7.2, 7.12).
import type {
  AliasDecl,
  EnumDecl,
  Expr,
  GenericParam,
  Name,
  RecordDecl,
  RecordField,
  ScalarDecl,
  UnitDecl,
  UnitFactor,
  UnitMeasure,
  VariantDecl,
} from "./ast.ts";
import { decodeInt, splitQuantity } from "./literals.ts";
import { parseExpr } from "./parse-expressions.ts";
import { parseGenerics, parseType, parseTypeList, startsType } from "./parse-types.ts";
import type { Parser } from "./parser.ts";
import { K } from "./tokens.ts";

export function parseTypeDecl(p: Parser): RecordDecl | EnumDecl | AliasDecl | ScalarDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a type");
  const angle = p.pos;
  const generics = parseGenerics(p);
  if (p.kind !== K["="]) return parseRecord(p, name, generics, start);
  if (p.peekWord(1, "enum")) return parseEnum(p, name, generics, start);
  if (generics.length > 0) p.fail("E0101", "an alias takes no type parameters", undefined, p.spanOf(angle));
  p.advance();
  return parseAliasOrScalar(p, name, start);
}

function parseRecord(p: Parser, name: Name, generics: readonly GenericParam[], start: number): RecordDecl {
  const fields: RecordField[] = [];
  p.expect(K["{"]);
  while (p.kind !== K["}"] && p.kind !== K.eof) fields.push(parseField(p));
  p.expect(K["}"]);
  return { kind: "record", name, generics, fields, span: p.spanFrom(start) };
}

function parseField(p: Parser): RecordField {
  const { start } = p;
  if (p.kind === K[";"]) p.failExpected("a field");
  const name = p.expectMember("a field");
  p.expect(K[":"]);
  const type = parseType(p);
  const defaultValue = p.eat(K["="]) ? parseExpr(p) : undefined;
  const tagSpan = p.kind === K.backtick ? p.spanHere() : undefined;
  const tag = tagSpan && p.text.slice(1, -1);
  if (tagSpan) p.advance();
  p.expect(K[";"], p.kind === K[","] ? "fields end with `;`" : undefined);
  return {
    name,
    type,
    ...(defaultValue && { defaultValue }),
    ...(tagSpan && tag !== undefined && { tag, tagSpan }),
    span: p.spanFrom(start),
  };
}

function parseEnum(p: Parser, name: Name, generics: readonly GenericParam[], start: number): EnumDecl {
  p.advance();
  p.advance();
  p.expect(K["{"]);
  const variants: VariantDecl[] = [];
  while (p.kind !== K["}"] && !p.failed) {
    const variantStart = p.start;
    const variant = p.expectName("a variant");
    const payload = p.kind === K["("] ? parseTypeList(p, K["("], K[")"]) : [];
    variants.push({ name: variant, payload, span: p.spanFrom(variantStart) });
    if (!p.eat(K[","])) break;
  }
  p.expect(K["}"]);
  p.expect(K[";"]);
  return { kind: "enum", name, generics, variants, span: p.spanFrom(start) };
}

/** After the `=`: `T;`, or a scalar with its form word, denomination and clauses. */
function parseAliasOrScalar(p: Parser, name: Name, start: number): AliasDecl | ScalarDecl {
  const form = scalarForm(p);
  if (form) p.advance();
  const base = parseType(p);
  const denomination = p.eat(K.in) ? parseMeasure(p) : undefined;
  if (!form && !denomination && p.eat(K[";"])) return { kind: "alias", name, target: base, span: p.spanFrom(start) };
  const hasClauses = p.kind === K["{"];
  const clauses = hasClauses ? parseScalarClauses(p) : {};
  if (!p.eat(K[";"]) && !hasClauses) p.failExpected("`;`");
  return {
    kind: "scalar",
    name,
    ...(form && { form }),
    base,
    ...(denomination && { denomination }),
    ...clauses,
    span: p.spanFrom(start),
  };
}

function scalarForm(p: Parser): "quantity" | "point" | "distinct" | undefined {
  if (p.kind !== K.ident || !startsType(p, 1)) return undefined;
  const word = p.tokens.wordOf(p.pos);
  return word === "quantity" || word === "point" || word === "distinct" ? word : undefined;
}

type ScalarClauses = { range?: Expr; round?: Name; origin?: { negative: boolean; measure: UnitMeasure } };

function parseScalarClauses(p: Parser): ScalarClauses {
  const clauses: ScalarClauses = {};
  p.advance();
  while (p.kind === K.ident) {
    const clause = p.takeName();
    if (clause.text in clauses) p.fail("E0110", `\`${clause.text}\` is given twice`, undefined, clause.span);
    if (clause.text !== "range" && clause.text !== "round" && clause.text !== "origin") {
      p.fail("E0101", `expected \`range\`, \`round\` or \`origin\`, found \`${clause.text}\``, undefined, clause.span);
    }
    p.expect(K[":"]);
    if (clause.text === "range") clauses.range = parseRange(p);
    else if (clause.text === "round") clauses.round = p.expectName("a rounding mode");
    else clauses.origin = { negative: p.eat(K["-"]), measure: parseOrigin(p) };
    p.expect(K[";"]);
  }
  p.expect(K["}"]);
  return clauses;
}

function parseRange(p: Parser): Expr {
  const range = parseExpr(p);
  if (range.kind !== "range")
    p.fail("E0115", "`range` takes a range, `low..high` or `low..=high`", undefined, range.span);
  return range;
}

function parseOrigin(p: Parser): UnitMeasure {
  if (p.kind === K.ident) p.failExpected("a quantity");
  return parseMeasure(p);
}

/** `cents`, `100cents` or `100 cents` */
function parseMeasure(p: Parser): UnitMeasure {
  const { start } = p;
  if (p.kind === K.quantity) {
    const { magnitude, unit } = splitQuantity(p.text);
    p.advance();
    return { magnitude, unit, span: p.spanFrom(start) };
  }
  const magnitude = p.kind === K.int ? decodeInt(p.text) : 1n;
  p.eat(K.int);
  const unit = p.expectName("a unit");
  return { magnitude, unit: unit.text, span: p.spanFrom(start) };
}

/** `unit name;` or `unit name = factor;` */
export function parseUnit(p: Parser): UnitDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a unit");
  const factor = p.eat(K["="]) ? parseUnitFactor(p) : undefined;
  p.expect(K[";"]);
  return { kind: "unit", name, ...(factor && { factor }), span: p.spanFrom(start) };
}

/** `60s`, `1/100USD`, `3/2 cents`, `60` */
function parseUnitFactor(p: Parser): UnitFactor {
  if (p.kind === K.quantity) {
    const { magnitude, unit } = takeQuantity(p);
    return { numerator: magnitude, denominator: 1n, unit };
  }
  const numerator = takePositive(p);
  if (p.eat(K["/"])) {
    if (p.kind === K.quantity) {
      const { magnitude, unit } = takeQuantity(p);
      return { numerator, denominator: magnitude, unit };
    }
    const denominator = takePositive(p);
    return { numerator, denominator, ...(p.kind === K.ident && { unit: p.takeName() }) };
  }
  return { numerator, denominator: 1n, ...(p.kind === K.ident && { unit: p.takeName() }) };
}

function takeQuantity(p: Parser): { readonly magnitude: bigint; readonly unit: Name } {
  const { magnitude, unit } = splitQuantity(p.text);
  const span = p.spanHere();
  if (magnitude <= 0n) p.fail("E0112", "a unit's factor is positive");
  p.advance();
  return { magnitude, unit: { text: unit, span } };
}

function takePositive(p: Parser): bigint {
  const value = p.kind === K.int ? decodeInt(p.text) : 0n;
  if (p.kind !== K.int) p.failExpected("a number");
  else if (value <= 0n) p.fail("E0112", "a unit's factor is positive");
  p.advance();
  return value;
}
