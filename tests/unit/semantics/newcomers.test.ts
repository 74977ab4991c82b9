// Mistakes of people new to the language: one error each, at its place, and how to write it instead (08 5.1, 01 12.4).
import { describe, expect, test } from "vitest";
import { renderDiagnostic } from "../../../compiler/index.ts";
import { check } from "./support.ts";

/** `line:column message | help` of each finding. */
function told(source: string): string[] {
  return check(source).diagnostics.map(({ span, message, help }) => {
    const at = span?.file.positionAt(span.start);
    return `${at?.line}:${at?.column} ${message}${help === undefined ? "" : ` | ${help}`}`;
  });
}

describe("words of other languages", () => {
  test.each([
    [
      "type P { x: Int; } impl P { }",
      "1:20 expected a declaration, found `impl` | methods belong to a `locus Name { .. }`; functions of a record take it as a parameter",
    ],
    [
      "let g = 5;",
      "1:1 expected a declaration, found `let` | a value of the whole program is `const NAME: Type = value;`",
    ],
    [
      "locus L { fn run() { } }",
      "1:14 `run` is reserved and cannot name a fn; rename it | a hook of a locus stands without `fn`: `run() { .. }`",
    ],
    [
      "locus L { init() { } }",
      "1:11 expected a member of the locus, found `init` | a method is `fn name() { .. }`; the hooks are birth, accept, release, run, drain and dissolve",
    ],
    [
      "@form(vec) locus V { heap items of Int; }",
      "1:22 expected a member of the locus, found `heap` | cells stand in a block: `capacity { heap items of T; }`",
    ],
    [
      "type P { x: Int; fn m() { } }",
      "1:18 `fn` is reserved and cannot name a field; rename it | a record has no methods; a `locus` has, and a function may take the record",
    ],
    [
      "fn main() { assert_eq(1, 1); }",
      "1:13 unknown name `assert_eq` | `std::test::assert_eq_int(actual, expected, message)` compares; for text `assert_eq_str`",
    ],
    [
      "fn main() { let x = None; }",
      "1:21 unknown name `None` | a generic's variant is written with its instance: `Option_Int::Some(value)`, `Option_Int::None`",
    ],
    [
      "fn main() { let x = Ok(1); }",
      "1:21 unknown name `Ok` | a function that can fail is `fallible(E)`: it `return`s its value or `fail`s",
    ],
    ['fn main() { std::fs::read_file("x"); }', "1:13 unknown stdlib namespace `std::fs`; did you mean `std::io::fs`?"],
    ["function f() { }", "1:1 expected a declaration, found `function` | a function is `fn name() { .. }`"],
    ["struct P { x: Int; }", "1:1 expected a declaration, found `struct` | a record is `type Name { field: T; }`"],
    ["enum E { A, B }", "1:1 expected a declaration, found `enum` | an enum is `type Name = enum { A, B(Int), };`"],
    [
      "import std::test;",
      '1:8 expected the import\'s path, a string, found `std` | an import is `import "path" as name;`; the standard library needs none',
    ],
    ["pub fn f() { }", "1:1 expected a declaration, found `pub` | there is no visibility: leave `pub` out"],
    [
      "fn y() : Int { }",
      "1:8 expected the fn's body, found `:` | a result type stands behind `->`: `fn f() -> Int { .. }`",
    ],
    ["fn w(a Int) { }", "1:8 expected `:`, found `Int` | a parameter is `name: Type`"],
    ["fn f() { }\n}\nfn g() { }", "2:1 expected a declaration, found `}` | there is one `}` too many above"],
    [
      "fn f() {\n if true {\n}\nfn main() { }",
      "4:1 expected a statement, found `fn` | a `fn` cannot stand inside another one; is a `}` missing above?",
    ],
  ])("%s", (source, finding) => expect(told(source)).toEqual([finding]));

  test.each([
    [
      "var x = 1;",
      "1:17 expected `;`, found `x` | a variable is `let x = ..;`, or `let mut x = ..;` to assign it again",
    ],
    ["x := 3;", "1:15 expected `;`, found `:` | a variable is `let x = ..;`"],
    ["let y = a++;", "1:23 expected an expression, found `+` | there is no `++`; write `x += 1;`"],
    ["let w = a ** 2;", "1:24 expected an expression, found `*` | there is no `**`; use `std::math::pow`, or multiply"],
    ["let v = a and b;", "1:23 expected `;`, found `and` | the operator is `&&`"],
    ["let u = not a;", "1:25 expected `;`, found `a` | the operator is `!`"],
    ["let t = new P();", "1:25 expected `;`, found `P` | a value is made by its literal: `Name { field: value }`"],
    [
      "let g = |x| x + 1;",
      "1:21 expected an expression, found `|` | there are no lambdas; declare a `fn` and use its name",
    ],
    ["let y = f(2)!;", "1:25 expected `;`, found `!` | a failure is handled with `or`: `f() or raise`"],
    ['throw "x";', "1:19 expected `;`, found a string | a `fallible` fn fails with `fail value;`"],
    ["try { f(); }", "1:17 expected `;`, found `{` | a failure is handled at the call: `f() or handler(err)`"],
    ["loop { f(); }", "1:18 expected `;`, found `{` | write `while true { .. }`"],
    ["if a { f(); } elif b { f(); }", "1:32 expected `;`, found `b` | write `else if`"],
    ["if a = 3 { f(); }", "1:18 expected `{`, found `=` | `=` assigns and is no expression; equality is `==`"],
    [
      "for (i = 0) { }",
      "1:17 expected the name of a loop variable, found `(` | a loop is `for i in 0..n { .. }`, or `while condition { .. }`",
    ],
    [
      "match a { 1 -> f(), else -> f() }",
      "1:33 expected a pattern, found `else` | the arm for everything else is `_ -> ..`",
    ],
    ["match a { 1 -> f(), run -> f() }", "1:33 `run` is reserved and cannot name a pattern's variable; rename it"],
    [
      "match a { E::A(on) -> f(on), _ -> g() }",
      "1:28 `on` is reserved and cannot name a pattern's variable; rename it",
    ],
    ["for i in 0..9 step 2 { }", "1:27 expected `{`, found `step` | a range has no step; count with `while`"],
    [
      "let q = P { x: 1, ..p };",
      "1:31 expected the name of a field, found `..` | there is no spread; write every field, or give it a default in its type",
    ],
    ["f(a: 1);", "1:16 expected `)`, found `:` | arguments have no names; they stand in the parameters' order"],
    ["match a { 1 => f() }", "1:25 expected `->`, found `=>` | an arm is `pattern -> value`"],
    ["let x = 1\n println(x);", "2:2 expected `;`, found `println` | line 1 ends without its `;`"],
  ])("%s", (body, finding) => expect(told(`fn main() { ${body} }`)).toEqual([finding])); // prettier-ignore
});

describe("what a declaration lacks", () => {
  test.each([
    ["fn g() fallible { }", "1:17 expected `(`, found `{` | name what it fails with: `fallible(String)`"],
    [
      "fn h() -> Int throws E { }",
      "1:15 expected the fn's body, found `throws` | an error type stands behind the result: `-> T fallible(E)`",
    ],
    [
      "locus S : Shape { }",
      "1:11 expected `serves`, `tier` or `projection`, found `Shape` | an interface is satisfied by having its methods; it is not named here",
    ],
    [
      "locus C { count: Int = 0; }",
      "1:11 expected a member of the locus, found `count` | fields stand in a block: `params { name: T = value; }`",
    ],
    [
      "type O { v: Int?; }",
      "1:16 expected `;`, found `?` | there is no optional type: `Option<T>` has `Some(T)` and `None`",
    ],
    [
      "fn f(m: HashMap<Int, Int>) { } fn main() { }",
      "1:9 unknown type `HashMap` | a map is a locus: `@form(hashmap) locus M { capacity { pool entries of T indexed_by key; } }`",
    ],
    ["fn f(n: int) { } fn main() { }", "1:9 unknown type `int` | Hale's name for it is `Int`"],
    [
      "fn f(n: Int) -> Int { match n { 1 -> 2, _ -> 3 } } fn main() { f(1); }",
      "1:4 `f` can end without returning an `Int` | a `match` at the end is a statement: write `return match .. { .. };`",
    ],
    [
      "fn f(n: Int) -> Int { if n > 1 { 5 } } fn main() { f(1); }",
      "1:4 `f` can end without returning an `Int` | the `if` at the end is no value: `else` is missing, or a branch does not end in a value",
    ],
    [
      "fn g(n: Int) -> Int { n } fn f(n: Int) -> Int { g(n); } fn main() { f(1); }",
      "1:30 `f` can end without returning an `Int` | leave out the last `;` to give the value, or write `return ..;`",
    ],
    [
      "fn main() { let c = 'abc'; }",
      "1:21 `'` starts nothing: strings are written with `\"`, and there are no character literals",
    ],
  ])("%s", (source, finding) => expect(told(source)).toEqual([finding])); // prettier-ignore
});

describe("failures", () => {
  const declared = 'fn f(n: Int) -> Int fallible(String) { if n < 0 { fail "neg"; } return n; }';
  test.each([
    [
      "let r = f(1) or { println(err) };",
      "2:21 fallback is `()`, expected `Int` | end it with a value, or leave with `return`, `fail`, `break` or `continue`",
    ],
    [
      "let r = f(1) or println(err);",
      "2:21 fallback is `()`, expected `Int` | end it with a value, or leave with `return`, `fail`, `break` or `continue`",
    ],
    ["let r = f(1) or return;", "2:29 expected an expression, found `return` | leave in a block: `or { return; }`"],
    ["if true or false { println(1); }", "2:16 not a fallible call; remove the `or` | the logical operator is `||`"],
    ["println(err);", "2:21 unknown name `err` | `err` is the payload, on the right of `or` only"],
    [
      "let r = f(1)?;",
      "2:25 expected `;`, found `?` | there is no `?` operator; use `if`/`else`, or `or` for fallible calls",
    ],
  ])("%s", (body, finding) => expect(told(`${declared}\nfn main() { ${body} }`)).toEqual([finding])); // prettier-ignore

  test("a fallback that does not fit is reported where the `or` expression starts (04 11.9)", () => {
    expect(
      told(`${declared}\nfn main() {\n    let r = f(1) or {\n        println(err);\n        println("x")\n    };\n}`),
    ).toEqual([
      "3:13 fallback is `()`, expected `Int` | end it with a value, or leave with `return`, `fail`, `break` or `continue`",
    ]); // prettier-ignore
  });
});

describe("names", () => {
  const declarations =
    "type P { name: String; } type C = enum { Red, Green, }; locus L { params { n: Int = 0; } fn up() { self.n += 1; } }";
  test.each([
    ["let count = 3; println(cuont);", "2:36 unknown name `cuont` | did you mean `count`?"],
    ["for i in range(10) { println(i); }", "2:22 unknown name `range` | a loop counts with `for i in 0..n { .. }`"],
    [
      "for i, x in [1] { println(x); }",
      "2:18 expected `in`, found `,` | a loop has one variable; `enumerate()` in a chain counts",
    ],
    ['println("a" * 3);', "2:21 cannot apply `*` to `String` and `Int` | `std::str::repeat(s, n)` repeats a text"],
    ["printn(1);", "2:13 unknown name `printn` | did you mean `print`?"],
    ['println(P { name: "a" }.nmae);', "2:21 no field `nmae` on `P` | did you mean `name`?"],
    ["L { }.upp();", "2:13 locus `L` has no method `upp` | did you mean `up`?"],
    ["let s: Strng = 1;", "2:20 unknown type `Strng` | did you mean `String`?"],
    ["println(Red);", "2:21 unknown name `Red` | a variant is written with its enum: `C::Red`"],
    ["println(C.Red);", "2:21 `C` is an enum, not a value | a variant is written `C::Red`"],
    ["println([1].length);", "2:21 no field `length` on `[Int; 1]` | use `len(a)`"],
    [
      "[1].push(2);",
      "2:13 no method `push` on `[Int; 1]` | an array has a fixed length; a list that grows is a `@form(vec)` locus",
    ],
    ['P { name: "a" }.show();', "2:13 no method `show` on `P` | records have no methods; call a function: `show(..)`"],
    [
      'std::str::char_at("x", 0);',
      "2:13 there is no `std::str::char_at`; use `s[i..i + 1]` or `std::str::byte_at(std::str::bytes_view(s), i)`",
    ],
    [
      'for l in std::str::lines("x") { }',
      '2:22 there is no `std::str::lines`; use `std::str::split_into(s, "\\n", target)`',
    ],
    ['std::env::get("A");', "2:13 there is no `std::env::get`; use `std::env::var(name)`"],
    [
      'std::io::fs::remove_dir("x");',
      "2:13 there is no `std::io::fs::remove_dir`; use `std::process::run(command, ..)`",
    ],
    [
      'std::json::parse_string("x");',
      "2:13 unknown stdlib function `std::json::parse_string` | it has `std::json::escape_string`, `std::json::unescape_string`, `std::json::obj_key_string`",
    ],
  ])("%s", (body, finding) => expect(told(`${declarations}\nfn main() { ${body} }`)).toEqual([finding])); // prettier-ignore

  test("a locus's own members need `self`", () => {
    expect(
      told("locus L {\n params { n: Int = 0; }\n fn g() { println(n); h(); }\n fn h() { }\n}\nfn main() { L { }; }"),
    ).toEqual([
      "3:19 unknown name `n` | a field is reached through its locus: `self.n`",
      "3:23 unknown name `h` | a method is called through its locus: `self.h(..)`",
    ]); // prettier-ignore
  });
});

describe("types", () => {
  const declarations = "fn f(a: Int, b: String) -> Int { return a; }";
  test.each([
    ["f(1);", "2:13 `f` takes 2 arguments, got 1 | its parameters are (a: Int, b: String)"],
    [
      'if 0 < 1 < 2 { f(1, ""); }',
      "2:16 cannot apply `<` to `Int` and `Bool` | comparisons do not chain; write `a < b && b < c`",
    ],
    ["let c = true & false;", "2:21 cannot apply `&` to `Bool` and `Bool` | `&` is for Ints; write `&&`"],
    [
      'let a = 1; if a == 1 & a == 2 { f(1, ""); }',
      "2:27 cannot apply `==` to `Int` and `Bool` | `&` and `|` bind tighter than comparisons; join conditions with `&&` and `||`",
    ],
    ["let x = 1; x = 2;", "2:24 `x` is not mutable; declare it with `let mut x`"],
    [
      'let t = if 1 > 2 { match 1 { 1 -> "a", _ -> "b" } } else { "c" };',
      "2:21 this branch has no value | a `match` at the end of a block is a statement: write `let r = match .. { .. }; r`",
    ],
    ['let t = { let a = 1; f(a, ""); };', "2:21 this block has no value | leave out the last `;` to give the value"],
    ["let x = if true { 1 };", "2:21 an `if` that gives a value needs an `else`"],
    ["let x: Int = 1d;", "2:26 expected `Int`, got `Decimal`"],
  ])("%s", (body, finding) => expect(told(`${declarations}\nfn main() { ${body} }`)).toEqual([finding])); // prettier-ignore

  test("a chain that ends in what cannot follow a map is one error", () => {
    const declared = "type P { id: Int; }\n@form(vec) locus Ps { capacity { heap items of P; } }";
    expect(
      told(`${declared}\nfn main() { let ps = Ps { };\n println(ps.filter(it.id > 1).map(it.id).first() or 0); }`),
    ).toEqual([
      "4:10 @form(vec) locus `Ps` has no method `filter` | a chain ends in `count()`, `sum()`, `any(..)`, `into(..)` and the like; `first`, `find`, `min` and `max` cannot follow a `map`",
    ]); // prettier-ignore
  });
});

test("operations on a bounded buffer count it as their first argument (07 10)", () => {
  const declared = "type T { xs: bounded[Int; 3]; }\nfn main() { let t = T { };\n ";
  expect(told(`${declared}push(t.xs, "a") or raise; }`)).toEqual([
    "3:2 argument 2 of `push`: expected `Int`, got `String`",
  ]);
  expect(told(`${declared}count(t.xs, 1); }`)).toEqual([
    "3:2 `count` takes 1 argument, got 2 | its parameters are (bounded[Int; 3])",
  ]);
  expect(told(`${declared}t.xs.push(1); }`)).toEqual([
    "3:2 no method `push` on `bounded[Int; 3]` | write `push(..)` with the buffer as its first argument",
  ]);
});

test("an element that does not fit is one error, not one of the array too (03 12.2.2)", () => {
  const declared = "interface I { fn f() -> Int; }\nlocus A { fn f() -> Int { return 1; } }\nlocus B { }\n";
  expect(told(`${declared}fn main() { let xs: [I; 2] = [A { }, B { }]; println(len(xs)); }`)).toEqual([
    "4:38 locus `B` does not satisfy `I`: missing method `f`",
  ]);
});

test("what is wrong in a generic function for some types names the call (04 2.2.3)", () => {
  const source =
    "fn add<T>(a: T, b: T) -> T { return a + b; }\nfn main() { println(add(1, 2));\n println(add(true, false)); }";
  const [finding, ...others] = check(source).diagnostics;
  expect(others).toEqual([]);
  expect(finding && renderDiagnostic(finding)).toMatch(
    /1:37: type error: cannot apply `\+` to `Bool` and `Bool`\n(?:.*\n)*.*note: `add` is called at .*:3:10$/,
  );
});

test("a default that another meaning of a name makes wrong names the place that leaves the value out (03 12.1.4)", () => {
  const source = 'const B: Int = 3;\ntype P { x: Int = B; }\nfn main() { let B = "s";\n println(P { }.x); }';
  const [finding, ...others] = check(source).diagnostics;
  expect(others).toEqual([]);
  expect(finding && renderDiagnostic(finding)).toMatch(
    /2:19: type error: expected `Int`, got `String`\n(?:.*\n)*.*note: the default is used, .* at .*:4:10/,
  );
});

test("of a very long line the part around the caret is shown (08 5.1.1)", () => {
  const items = Array.from({ length: 2000 }, (_, i) => i).join(", ");
  const [finding] = check(`fn main() { let x = [${items}, oops, ${items}]; }`).diagnostics;
  const [, line = "", carets = ""] = finding ? renderDiagnostic(finding).split("\n") : [];
  expect(line.length).toBeLessThan(180);
  expect(line).toMatch(/^ {4}….*, oops, .*…$/);
  expect(carets).toBe(`${" ".repeat(line.indexOf("oops"))}^^^^`);
});

test("thousands of errors, on one line or beside thousands of names, take no time that grows with their product (08 5.1)", () => {
  const unknown = Array.from({ length: 3000 }, (_, i) => `println(helper_of_part_x${i});`).join(" ");
  const known = Array.from({ length: 3000 }, (_, i) => `fn helper_of_part_${i}() { }`).join("\n");
  const before = process.cpuUsage();
  const { diagnostics } = check(`${known}\nfn main() { ${unknown} }`);
  const rendered = diagnostics.map((finding) => renderDiagnostic(finding));
  const { user } = process.cpuUsage(before);
  expect(rendered.length).toBe(3000);
  expect(rendered[0]).toContain("did you mean `helper_of_part_0`?");
  expect(user / 1e6, "seconds").toBeLessThan(8);
});
