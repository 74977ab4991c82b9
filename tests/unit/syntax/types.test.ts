// Types and type declarations (reference 01 7.2, 7.12).
import { describe, expect, test } from "vitest";
import { declaration, errorPlaces, exprShape, showExpr, showType, typeShape } from "./support.ts";

describe("types", () => {
  test.each([
    ["Int", "Int"],
    ["a::b::type", "a::b::type"],
    ["Box<Int>", "(Box Int)"],
    ["Box<Box<Int>>", "(Box (Box Int))"],
    ["Box<Box<Box<Int>>>", "(Box (Box (Box Int)))"],
    ["Box<Box<Int> >", "(Box (Box Int))"],
    ["m::Map<String, [Int]>", "(m::Map String (array Int))"],
    ["[Int]", "(array Int)"],
    ["[Int; 4]", "(array Int 4)"],
    ["[Int; N + 1]", "(array Int (+ N 1))"],
    ["(Int)", "Int"],
    ["()", "(tuple)"],
    ["(Int, String)", "(tuple Int String)"],
    ["fn()", "(fn)"],
    ["fn(Int, Int) -> Int", "(fn Int Int -> Int)"],
    ["fn() -> fn() -> Int", "(fn -> (fn -> Int))"],
    ["bounded[Int; 4]", "(bounded Int 4)"],
    ["bounded", "bounded"],
    ["perspective(m::P)", "(perspective m::P)"],
    ["rich<Int>", "(rich Int)"],
    ["chunked<Box<Int>>", "(chunked (Box Int))"],
    ["recognition<Int>", "(recognition Int)"],
  ])("%s is %s (01 7.2, 01 9.3, 01 9.13)", (text, shape) => {
    expect(typeShape(text)).toBe(shape);
  });

  test.each([
    ["Int<Int>", "1:23"],
    ["Int?", "1:23"],
    ["Box<>", "1:24"],
    ["Box<Int,>", "1:28"],
    ["(Int,)", "1:25"],
    ["fn(n: Int)", "1:24"],
    ["bounded[Int; n]", "1:33"],
    ["bounded[Int; 0]", "1:33"],
    ["perspective", "1:32"],
    ["&Int", "1:20"],
    ["Box<Int", "1:28"],
  ])("%s is refused at %s (01 7.2)", (text, place) => {
    expect(errorPlaces(`fn main() { let x: ${text} = 1; }`)).toEqual([place]);
  });

  test("`>=` is one token (01 5.4)", () => {
    expect(errorPlaces("fn main() { let b: Box<Int>= c; }")).toEqual(["1:27"]);
    expect(exprShape("a<b, c> d".split(",")[0] ?? "")).toBe("(< a b)");
  });
});

describe("type declarations", () => {
  test("records: fields, defaults, tags, member words (01 7.2, 01 2.4, 01 9.12)", () => {
    const { generics, fields } = declaration(
      'type R<T, U: Numeric> { run: Int; in: T = 3 `json:"n"`; tag: String `x`; }',
      "record",
    );
    expect(generics.map(({ name, bound }) => [name.text, bound && showType(bound)])).toEqual([
      ["T", undefined],
      ["U", "Numeric"],
    ]);
    expect(
      fields.map(({ name, defaultValue, tag }) => [name.text, defaultValue && showExpr(defaultValue), tag]),
    ).toEqual([
      ["run", undefined, undefined],
      ["in", "3", 'json:"n"'],
      ["tag", undefined, "x"],
    ]);
  });

  test("enums (01 7.2)", () => {
    const { variants, generics } = declaration("type E<T> = enum { A, B(T, (Int, Int)), C(), };", "enum");
    expect(generics).toHaveLength(1);
    expect(variants.map(({ name, payload }) => [name.text, ...payload.map(showType)])).toEqual([
      ["A"],
      ["B", "T", "(tuple Int Int)"],
      ["C"],
    ]);
    expect(declaration("type E = enum { };", "enum").variants).toEqual([]);
  });

  test("aliases (01 7.2)", () => {
    expect(showType(declaration("type A = fn(Int) -> [Int];", "alias").target)).toBe("(fn Int -> (array Int))");
    expect(showType(declaration("type A = quantity;", "alias").target)).toBe("quantity");
    expect(showType(declaration("type A = point::P;", "alias").target)).toBe("point::P");
  });

  test.each([
    ["type A<T> = Int;", "1:7"],
    ["type A = Int", "1:13"],
    ["type E = enum { A }", "1:20"],
    ["type E = enum { A { x: Int } };", "1:19"],
    ["type E = enum;", "1:14"],
    ["type P { x: Int, y: Int; }", "1:16"],
    ["type P { x: Int; ; }", "1:18"],
    ["type P { x: Int;; }", "1:17"],
    ["type P { x: Int `t` = 3; }", "1:21"],
    ["type P { match: Int; }", "1:10"],
    ["type 3 { }", "1:6"],
  ])("%s is refused at %s (01 7.2)", (text, place) => {
    expect(errorPlaces(text)).toEqual([place]);
  });
});

describe("scalars and units", () => {
  test("forms, denominations, clauses (01 7.12)", () => {
    const usd = declaration(
      "type Usd = quantity Int in cent { round: floor; range: 0..100; origin: -5 cent; };",
      "scalar",
    );
    expect(usd).toMatchObject({
      form: "quantity",
      denomination: { magnitude: 1n, unit: "cent" },
      round: { text: "floor" },
      origin: { negative: true, measure: { magnitude: 5n, unit: "cent" } },
    });
    expect(usd.range && showExpr(usd.range)).toBe("(.. 0 100)");
    expect(declaration("type D = distinct Int;", "scalar")).toMatchObject({
      form: "distinct",
      base: { kind: "named" },
    });
    expect(declaration("type D = Int in 100ms;", "scalar")).toMatchObject({
      denomination: { magnitude: 100n, unit: "ms" },
    });
    expect(declaration("type D = Int in 100 ms;", "scalar")).toMatchObject({
      denomination: { magnitude: 100n, unit: "ms" },
    });
    const percent = declaration("type P = Int { range: 0..=100; }", "scalar");
    expect(percent.form).toBeUndefined();
    expect(percent.range && showExpr(percent.range)).toBe("(..= 0 100)");
  });

  test.each([
    ["unit USD;", undefined],
    ["unit min2 = 60s;", { numerator: 60n, denominator: 1n, unit: "s" }],
    ["unit c = 1/100USD;", { numerator: 1n, denominator: 100n, unit: "USD" }],
    ["unit c = 3/2 USD;", { numerator: 3n, denominator: 2n, unit: "USD" }],
    ["unit c = 3 USD;", { numerator: 3n, denominator: 1n, unit: "USD" }],
    ["unit c = 3;", { numerator: 3n, denominator: 1n }],
    ["unit c = 3/2;", { numerator: 3n, denominator: 2n }],
  ])("%s (01 7.12)", (text, factor) => {
    const found = declaration(text, "unit").factor;
    expect(found && { ...found, unit: found.unit?.text }).toEqual(factor);
  });

  test.each([
    ["type P = Int { range: 3; }", "1:23"],
    ["type P = Int { range: 0..1; range: 0..2; }", "1:29"],
    ["type P = Int { other: 1; }", "1:16"],
    ["type P = Int in cent", "1:21"],
    ["type P = Int { origin: cent; }", "1:24"],
    ["unit c = 0 s;", "1:10"],
    ["unit c = 0s;", "1:10"],
    ["unit c = s;", "1:10"],
    ["unit c = 1/0;", "1:12"],
  ])("%s is refused at %s (01 7.12)", (text, place) => {
    expect(errorPlaces(text)).toEqual([place]);
  });
});
