import { describe, expect, test } from "vitest";
import { check, findings, findingsInMain } from "./support.ts";

describe("conversions (03 16)", () => {
  test("Int becomes Float in annotated lets, arguments, results, operands and record fields", () => {
    const source = `
      type M { ratio: Float; half: Float = 1; }
      fn half(x: Float, y: Float = 2) -> Float { return x / 2; }
      fn one() -> Float { 1 }
      const K: Float = 3;
      fn main() { let f: Float = 3; let m = M { ratio: 4 }; println(half(5), f + 1, m.ratio, one(), K); let mut g = 1.5; g += 2; }`;
    expect(findings(source)).toEqual([]);
  });

  test.each([
    ["an assignment", "let mut x = 1.0; x = 2;", "2:34 E0304 expected `Float`, got `Int`"],
    ["an array element", "let a = [1, 2.5];", "2:21 E0309 array elements must have one type: found `Int` and `Float`"],
    ["an annotated array", "let a: [Float; 2] = [1, 2];", "2:33 E0304 expected `[Float; 2]`, got `[Int; 2]`"],
    ["a tuple member", "let t: (Float, Int) = (1, 2);", "2:35 E0304 expected `(Float, Int)`, got `(Int, Int)`"],
    ["a branch", "let x = if true { 1 } else { 2.5 };", "2:21 E0409 branches differ: `Int` and `Float`"],
    ["an arm", "let x = match 1 { 1 -> 1, _ -> 2.5 };", "2:21 E0411 arms differ: `Int` and `Float`"],
  ])("it does not at %s", (_, body, finding) => {
    expect(findingsInMain(body)).toEqual([finding]);
  });

  test("a locus literal's param does not widen, its default does (05 5.2)", () => {
    expect(findingsInMain("let l = L { f: 2 };", "locus L { params { f: Float = 1; } }")).toEqual([
      "2:28 E0304 locus `L`: field `f` expects `Float`, got `Int`",
    ]);
  });
});

describe("names", () => {
  test("unknown ones come with the nearest visible name", () => {
    const { diagnostics } = check("fn main() { let counter = 1; println(cuonter); }");
    expect(diagnostics.map(({ message, help }) => `${message} | ${help}`)).toEqual([
      "unknown name `cuonter` | did you mean `counter`?",
    ]);
  });

  test("a let does not see its own name, and shadows from there on (04 4)", () => {
    expect(findingsInMain('let x = 1; let x = "a" + x; println(len(x));')).toEqual([]);
    expect(findingsInMain("println(later); let later = 1;")).toEqual(["2:21 E0302 unknown name `later`"]);
  });

  test("one report for a name, none for what follows from it", () => {
    expect(
      findingsInMain(
        "let a = missing + 1; let b: String = a; println(a.x, b[0..a], f(a));",
        "fn f(n: Int) -> Int { return n; }",
      ),
    ).toEqual(["2:21 E0302 unknown name `missing`"]);
  });

  test("several faults are reported in one run, in order of place", () => {
    expect(findingsInMain('let a: Int = "x"; let b = nope; if 1 { } let c = true + 1;')).toEqual([
      "2:26 E0304 expected `Int`, got `String`",
      "2:39 E0302 unknown name `nope`",
      "2:48 E0408 a condition must be Bool, got `Int`",
      "2:62 E0310 cannot apply `+` to `Bool` and `Int`",
    ]);
  });

  test("a bare name in a pattern binds, constants included (04 7.2)", () => {
    expect(findingsInMain("match 2 { K -> println(K), }", "const K: Int = 3;")).toEqual([]);
  });
});

describe("records (03 12.1)", () => {
  test("defaults are looked up where the literal stands: a local shadows what they mention", () => {
    const source = `
      const STEP: Int = 7;
      type P { x: Int = STEP; }
      fn ok() { let STEP = 1; println(P { }.x); }
      fn main() { let STEP = "text"; println(P { }.x); }`;
    expect(findings(source)).toEqual(["3:25 E0304 expected `Int`, got `String`"]);
  });

  test("a misspelled field is one report", () => {
    expect(findingsInMain("let p = P { naem: 1 };", "type P { name: Int; }")).toEqual([
      "2:25 E0306 `P` has no field `naem`",
    ]);
  });

  test("all missing fields are one report, at the literal", () => {
    expect(findingsInMain("let p = P { y: 1 };", "type P { x: Int; y: Int; z: Int; }")).toEqual([
      "2:21 E0305 fields `x`, `z` of `P` are missing",
    ]);
  });

  test("a record cannot contain itself", () => {
    expect(findings("type A { b: B; }\ntype B { a: A; }\nfn main() { }")).toEqual([
      "1:10 E0319 `A` contains itself through `b`: no value of it could ever be built",
      "2:10 E0319 `B` contains itself through `a`: no value of it could ever be built",
    ]);
  });

  test("what has no text is named by its path", () => {
    expect(
      findingsInMain("let o = O { i: I { f: g } }; println(o);", "type I { f: fn(); } type O { i: I; } fn g() { }"),
    ).toEqual(["2:50 E0311 cannot print `O`: `i.f` is `fn()`, which has no text"]);
  });
});

describe("generics (03 12.4)", () => {
  test("instances have joined names, also nested ones, also with underscores", () => {
    const source = `
      type Box<T> { v: T; }
      type Two_part { n: Int; }
      fn main() {
        let a: Box<Box<Int>> = Box_Box_Int { v: Box_Int { v: 1 } };
        let b = Box_Two_part { v: Two_part { n: 2 } };
        println(a.v.v, b.v.n);
      }`;
    expect(findings(source)).toEqual([]);
  });

  test("a body is checked for each use, and its errors stand in it", () => {
    const source =
      'fn add<T>(a: T, b: T) -> T { return a + b; }\nfn main() { println(add(1, 2), add("a", "b"), add(true, false)); }';
    expect(findings(source)).toEqual(["1:37 E0310 cannot apply `+` to `Bool` and `Bool`"]);
  });

  test("a default of a type parameter's field is checked only where it is used", () => {
    const declarations = "type Pair<A, B> { a: A = 0; b: B = false; }";
    expect(
      findingsInMain('let p: Pair<Int, Bool> = Pair { }; let q: Pair<String, Bool> = Pair { a: "x" };', declarations),
    ).toEqual([]);
  });

  test("instances without end are refused", () => {
    const source =
      "type Box<T> { v: T; }\nfn grow<T>(x: T, n: Int) { let b: Box<T> = Box { v: x }; if n > 0 { grow(b, n - 1); } }\nfn main() { grow(1, 3); }";
    expect(findings(source)).toEqual(["2:69 E0315 `grow` would need instances without end"]);
  });
});

describe("identities and ranges (03b)", () => {
  const declarations = "type Id = distinct Int; type Byte = Int { range: 0..256; } type Nib = Byte { range: 0..16; }";

  test("literals become one where it is expected", () => {
    expect(findingsInMain("let i: Id = 3; let b: Byte = 255; println(i == 4, b < 300, b + 1);", declarations)).toEqual(
      [],
    );
  });

  test.each([
    ["a literal outside", "let b: Byte = 256;", "2:27 E0325 256 is outside `Byte` (0..256)"],
    [
      "arithmetic of an identity",
      "let i: Id = 1; println(i + 1);",
      "2:36 E0325 `Id` is an identity; it has no arithmetic",
    ],
    ["a silent narrowing", "let mut b: Byte = 1; b += 1;", "2:39 E0304 `+=` would make `Int` of a `Byte`"],
    [
      "a narrowing without or",
      "let n = 3; let b = Byte(n);",
      "2:32 E0415 this makes a `Byte` and can fail (RangeError) and this conversion says nothing about it: add `or raise`, `or <value>` or `or handler(err)`",
    ],
    [
      "a total conversion with or",
      "let n: Nib = 3; let b = Byte(n) or 0;",
      "2:37 E0416 not a fallible call; remove the `or`",
    ],
    ["another family", "let i: Id = 1; let b = Byte(i) or 0;", "2:36 E0325 `Byte(..)` does not convert an `Id`"],
    [
      "a policy of quantities",
      "let n = 3; let b = Byte(n) or floor;",
      "2:43 E0325 `floor` does not apply here; this conversion takes `clamp`, `wrap`",
    ],
  ])("%s is refused", (_, body, finding) => {
    expect(findingsInMain(body, declarations)).toEqual([finding]);
  });
});

describe("quantities (03b 4)", () => {
  const declarations =
    "unit cent; unit USD = 100 cent; unit bp = 1/10000; type Money = quantity Int in cent; type Cash = Money { round: floor; } type Ratio = quantity Int in bp;";

  test("literals count in their quantity; denominations meet", () => {
    expect(
      findingsInMain(
        "let m = 3USD + 5cent; let r = m * 3bp; let c: Cash = r; println(m, r, c, m / 1cent, m > 2USD);",
        declarations,
      ),
    ).toEqual([]);
  });

  test("a conversion that may leave a remainder says what becomes of it", () => {
    expect(findingsInMain("let r = 3USD * 3bp; let m: Money = r;", declarations)).toEqual([
      "2:48 E0325 `Money` from `Money in 1/10000 cent` divides: say what happens to the remainder, `Money(..) or floor`",
    ]);
  });

  test.each([
    ["3USD + 4ms", "2:21 E0310 cannot apply `+` to `Money` and `Duration`"],
    ["3USD + 4", "2:21 E0310 cannot apply `+` to `Money` and `Int`"],
    ["3USD * 4USD", "2:21 E0310 cannot apply `*` to `Money` and `Money`"],
  ])("%s is refused", (text, finding) => {
    expect(findingsInMain(`println(${text});`, declarations)).toEqual([finding]);
  });

  test("units that contradict each other are refused", () => {
    expect(
      findings("unit a;\nunit b = 2 a;\nunit b2 = 4 a;\nunit c = 2 b;\nunit d = 1 b2;\nunit d2 = 2 d;\nfn main() { }"),
    ).toEqual([]);
    expect(findings("unit a = 2 b;\nunit b = 3 a;\nfn main() { }")).toEqual([
      "2:1 E0328 this contradicts what is said about `b` elsewhere",
    ]);
  });
});
