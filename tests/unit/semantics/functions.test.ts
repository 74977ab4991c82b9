import { describe, expect, test } from "vitest";
import { findings, findingsInMain } from "./support.ts";

describe("calls (04 2)", () => {
  const declarations = "fn area(w: Int, h: Int = 2) -> Int { return w * h; }";

  test.each([
    ["area()", "2:21 E0401 `area` takes 1 to 2 arguments, got 0"],
    ["area(1, 2, 3)", "2:21 E0401 `area` takes 1 to 2 arguments, got 3"],
    ['area(1, "x")', "2:21 E0401 argument 2 of `area`: expected `Int`, got `String`"],
  ])("%s stands at the callee's name", (call, finding) => {
    expect(findingsInMain(`println(${call});`, declarations)).toEqual([finding]);
  });

  test("a missing argument's default is evaluated in the caller's scope", () => {
    const source =
      "const K: Int = 1;\nfn f(n: Int = K) -> Int { return n; }\nfn main() { println(f()); let K = true; println(f()); }";
    expect(findings(source)).toEqual(["2:15 E0304 expected `Int`, got `Bool`"]);
  });

  test("a local shadows a function when called", () => {
    expect(findingsInMain("let area = 3; println(area(1));", declarations)).toEqual([
      "2:35 E0402 `area` is `Int`, not a function",
    ]);
  });
});

describe("missing return (04 2.1.3)", () => {
  test.each([
    ["a tail value", "1"],
    ["an if with else", "if a { return 1; } else { return 2; }"],
    ["a tail if", "if a { 1 } else { 2 }"],
    ["while true", "while true { }"],
    ["a match whose arms leave", "match a { true -> { return 1; }, _ -> { return 2; }, }"],
    ["a bare block", "{ return 1; }"],
    ["exit", "std::process::exit(1);"],
  ])("the end is not reached after %s", (_, body) => {
    expect(findings(`fn f(a: Bool) -> Int { ${body} } fn main() { println(f(true)); }`)).toEqual([]);
  });

  test.each([
    ["an if without else", "if a { return 1; }"],
    ["a loop that breaks", "while true { break; }"],
    ["a loop", "while a { return 1; }"],
    ["one branch with a tail", "if a { return 1; } else { 2 }"],
  ])("it is after %s", (_, body) => {
    expect(findings(`fn f(a: Bool) -> Int { ${body} } fn main() { println(f(true)); }`)).toEqual([
      "1:4 E0405 `f` can end without returning an `Int`",
    ]);
  });
});

describe("or (04 11)", () => {
  const declarations =
    "type Bad { code: Int; } fn get(n: Int) -> Int fallible(Bad) { fail Bad { code: n }; } fn save() fallible(Bad) { fail Bad { code: 1 }; }";

  test.each([
    ["println(get(1) or 0, get(2) or err.code, get(3) or get(4) or 5);"],
    ["let x = get(1) or { let c = err.code; c + 1 };"],
    ["let x = get(1) or { return; };"],
    ["for i in 0..3 { let x = get(i) or { continue; }; }"],
    ["let x = get(1) or { std::process::exit(2); };"],
    ['save() or discard; save() or println(err.code); save() or { }; get(1) or println("no"); get(2) or raise;'],
  ])("%s", (body) => {
    expect(findingsInMain(body, declarations)).toEqual([]);
  });

  test.each([
    [
      "let x = get(1);",
      "2:21 E0415 `get` can fail (Bad) and this call says nothing about it: add `or raise`, `or <value>` or `or handler(err)`",
    ],
    [
      "let x = 1 + get(1) or 2;",
      "2:25 E0415 `get` can fail (Bad) and this call says nothing about it: add `or raise`, `or <value>` or `or handler(err)`",
    ],
    ['let x = get(1) or "x";', "2:21 E0417 fallback is `String`, expected `Int`"],
    [
      "let x = get(1) or discard;",
      "2:31 E0417 `or discard` needs a call without a value; use `or <value>` for an `Int`",
    ],
    ["let x = get(1) or { if true { return; } };", "2:21 E0417 the fallback block neither leaves nor has a value"],
    ["let x = get(1) or fail 3;", "2:31 E0419 `or fail` is only legal in a fallible function"],
    ["let x = 1 or 2;", "2:21 E0416 not a fallible call; remove the `or`"],
    ["println(err);", "2:21 E0302 unknown name `err`"],
  ])("%s is refused", (body, finding) => {
    expect(findingsInMain(body, declarations)).toEqual([finding]);
  });

  test("a handler that fails raises out of a function with its payload, and nowhere else", () => {
    const retry = "fn retry(b: Bad) -> Int fallible(Bad) { return get(b.code) or raise; }";
    expect(
      findings(
        `${declarations} ${retry} fn via() -> Int fallible(Bad) { return get(1) or retry(err); } fn main() { via() or 0; }`,
      ),
    ).toEqual([]);
    expect(findingsInMain("let x = get(1) or retry(err);", `${declarations} ${retry}`)).toEqual([
      "2:21 E0418 the handler's failure (Bad) has nowhere to go: this function cannot fail; write `or (.. or raise)`",
    ]);
  });
});

describe("match (04 7)", () => {
  const declarations = "type E = enum { A, B(Int), C(Int, String), };";

  test.each([
    ["E::A -> 1, E::B(1) -> 2, E::C(_, _) -> 3"],
    ["E::A -> 1, other -> 2"],
    ["E::A -> 1, E::B -> 2, E::C(a, b) if a > 1 -> 3, E::C -> 4"],
  ])("%s is exhaustive", (arms) => {
    expect(findingsInMain(`println(match E::A { ${arms} });`, declarations)).toEqual([]);
  });

  test.each([
    ["E::A -> 1, E::B(n) if n > 1 -> 2, E::C -> 3", "2:21 E0410 match is not exhaustive: `E::B` is missing"],
    ["E::A -> 1, E::B(a, b) -> 2, _ -> 3", "2:45 E0412 `E::B` has 1 payload value, the pattern 2"],
    ["E::D -> 1, _ -> 3", "2:34 E0313 `E` has no variant `D`"],
    ['E::A -> 1, _ -> "x"', "2:21 E0411 arms differ: `Int` and `String`"],
  ])("%s is refused", (arms, finding) => {
    expect(findingsInMain(`println(match E::A { ${arms} });`, declarations)).toEqual([finding]);
  });

  test("without a scrutinee it needs an else", () => {
    expect(findingsInMain("println(match { 1 < 2 -> 1 });")).toEqual([
      "2:21 E0410 match is not exhaustive: an `else` arm is missing",
    ]);
  });
});

describe("main (04 1)", () => {
  test("an exit code may be returned without being declared; a tail is none", () => {
    expect(findings("fn main() { if true { return 3; } }")).toEqual([]);
    expect(findings("fn main() -> Int { }")).toEqual([]);
    expect(findings('fn main() { return "x"; }')).toEqual([
      "1:20 E0404 `main` returns an exit code, an Int, not `String`",
    ]);
  });

  test("return of a value in a unit function (04 2.1.1)", () => {
    expect(findings("fn f() { return 3; } fn main() { f(); }")).toEqual([]);
    expect(findings("fn f() -> () { return 3; } fn main() { f(); }")).toEqual([
      "1:16 E0404 `-> ()` returns no value; write `return;`",
    ]);
  });
});

describe("the library (09 1)", () => {
  test.each([
    ['std::str::len("a")', "2:21 E0902 there is no `std::str::len`; use `len(s)`"],
    ['std::string::length("a")', "2:21 E0901 there is no `std::string::length`; use `len(s)`"],
    ["std::math::min(1, 2)", "2:21 E0902 there is no `std::math::min`; use `min(a, b)`"],
    ['std::str::uper("a")', "2:21 E0902 unknown stdlib function `std::str::uper` - did you mean `std::str::upper`?"],
    ['std::sttr::upper("a")', "2:21 E0901 unknown stdlib namespace `std::sttr`; did you mean `std::str`?"],
    ['std::str::__str_upper("a")', "2:21 E0902 unknown stdlib function `std::str::__str_upper`"],
    ['"a".len()', "2:21 E0308 no method `len` on `String`"],
  ])("%s", (call, finding) => {
    expect(findingsInMain(`println(${call});`)).toEqual([finding]);
  });

  test("errors about the type of an argument of a generic function of the library stand at the argument, once", () => {
    const declarations = `@form(vec) locus Ints { capacity { heap xs of Int; } } type R { headers: String; }
      locus Like { fn push(s: String) { } fn len() -> Int { return 0; } fn get(i: Int) -> String { return ""; } }`;
    const wordsOf = (name: string, got: string): string =>
      `E0401 \`std::${name}\` needs a \`@form(vec)\` locus of String, got \`${got}\``;
    const refused = (call: string): string[] =>
      findingsInMain(call, declarations).map((finding) => finding.replace(/^\S+ /, ""));
    expect(findingsInMain('let v = Ints { }; std::str::split_into("a,b", ",", v);', declarations)).toEqual([
      expect.stringMatching(/^2:64 E0401 /),
    ]);
    expect(refused('std::str::split_into("a", ",", Ints { });')).toEqual([wordsOf("str::split_into", "Ints")]);
    expect(refused('std::str::split_into("a", ",", Like { });')).toEqual([wordsOf("str::split_into", "Like")]);
    expect(refused('std::text::tokenize_words_into("a", Like { });')).toEqual([
      wordsOf("text::tokenize_words_into", "Like"),
    ]);
    expect(refused('println(std::str::join(Like { }, ","));')).toEqual([wordsOf("str::join", "Like")]);
    expect(refused('println(std::http::header(R { headers: "A: b" }, "a"));')).toEqual([
      "E0401 `std::http::header` needs a `std::http::Request` or a `std::http::Response`, got `R`",
    ]);
    expect(refused('std::io::udp::set_multicast_loop(3, "yes") or raise;')).toEqual([
      "E0401 `std::io::udp::set_multicast_loop` needs a Bool or an Int, got `String`",
    ]);
  });

  test("a program's own error record replaces the library's, with its fields", () => {
    const own = "type ParseError { kind: String; input: String; more: Int = 0; }";
    expect(findingsInMain('println(std::str::parse_int("x") or err.more);', own)).toEqual([]);
    expect(
      findings('type ParseError { kind: String; }\nfn main() { println(std::str::parse_int("x") or 0); }'),
    ).toEqual([
      "1:6 E0904 type `ParseError` replaces the standard one but has no field `input: String`; add it or rename the type",
    ]);
    expect(
      findings("type ParseError { kind: Int; }\nfn main() { let p = ParseError { kind: 1 }; println(p.kind); }"),
    ).toEqual([]);
  });
});
