// The quick list of known traps (reference 01 12.4), reserved words (2.5), recovery (12.3) and depth.
import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../compiler/source/index.ts";
import { parseFile } from "../../../compiler/syntax/index.ts";
import { errorsOf, lexErrorsOf, placed } from "./support.ts";

/** Place, message and help of the first error in a text, in one line. */
function firstError(text: string): string {
  const { diagnostics } = parseFile(new SourceFile("test.hl", text));
  const [first] = diagnostics;
  if (!first) return "no error";
  return first.help === undefined ? placed(first) : `${placed(first)} -- ${first.help}`;
}

const body = (text: string) => `fn main() {\n    ${text}\n}\n`;

describe("known traps", () => {
  test.each([
    [body("let x = 1\n\n    let y = 2;"), "4:5 expected `;`, found `let` -- line 2 ends without its `;`"],
    [body("let run = 1;"), "2:9 `run` is reserved and cannot name a variable; rename it"],
    [body("let x;"), "2:10 expected `=`, found `;` -- a `let` needs `= value`"],
    [
      body("if ready { }"),
      "3:1 expected the body's `{`, found `}` -- a name directly before `{ }` or `{ name: .. }` reads as a literal; put the condition in parentheses",
    ],
    [
      body("while busy { } x();"),
      "2:20 expected the body's `{`, found `x` -- a name directly before `{ }` or `{ name: .. }` reads as a literal; put the condition in parentheses",
    ],
    [
      body("for x in xs { } x();"),
      "2:21 expected the body's `{`, found `x` -- a name directly before `{ }` or `{ name: .. }` reads as a literal; put the iterated expression in parentheses",
    ],
    [
      body("match x { } y();"),
      "2:17 expected the body's `{`, found `y` -- a name directly before `{ }` or `{ name: .. }` reads as a literal; put the scrutinee in parentheses",
    ],
    [body("if a { b(); };"), "2:18 expected a statement, found `;` -- a statement that ends with a block takes no `;`"],
    [body("x++;"), "2:7 expected an expression, found `+` -- there is no `++`; write `x += 1;`"],
    [
      body("let z = a > 0 ? 1 : 2;"),
      "2:19 expected `;`, found `?` -- there is no `?` operator; use `if`/`else`, or `or` for fallible calls",
    ],
    [
      body("let z = x as Int;"),
      "2:15 expected `;`, found `as` -- there are no casts with `as`; write `Int(x)` or `Float(x)`",
    ],
    [
      body("match n { -1 -> a() }"),
      "2:15 expected a pattern, found `-` -- there are no negative patterns; use a guard: `n if n == -1 -> ..`",
    ],
    [
      body("match n { 1 -> { } 2 -> { } }"),
      "2:24 expected `}`, found `2` -- arms are separated by `,`, also after a block",
    ],
    [
      body("match n { 1 -> return 2 }"),
      "2:20 expected an expression, found `return` -- the body of an arm is an expression; statements stand in braces: `-> { .. }`",
    ],
    [
      body("match n { 1 -> let y = 2 }"),
      "2:20 expected an expression, found `let` -- the body of an arm is an expression; statements stand in braces: `-> { .. }`",
    ],
    [
      body("match n { 1 -> x = 2 }"),
      "2:22 expected `}`, found `=` -- the body of an arm is an expression; statements stand in braces: `-> { .. }`",
    ],
    [
      body("match n { 1 -> T <- v }"),
      "2:22 expected `}`, found `<-` -- the body of an arm is an expression; statements stand in braces: `-> { .. }`",
    ],
    [
      body("match n { 1 -> fail e }"),
      "2:25 expected `}`, found `e` -- the body of an arm is an expression; statements stand in braces: `-> { .. }`",
    ],
    [
      body("match n { 1 -> (), _ -> a() }"),
      "2:21 expected an expression, found `)` -- `()` is a type, not a value; an arm that does nothing is `-> { }`",
    ],
    [
      body("match n { 1 | 2 -> { } }"),
      "2:17 expected `->`, found `|` -- a pattern has no alternatives; write one arm for each",
    ],
    [body("let p = P { x };"), "2:15 expected `;`, found `{` -- fields are written `name: value`, separated by `,`"],
    [
      body("let p = P { x: 1; };"),
      "2:21 expected `}`, found `;` -- fields are written `name: value`, separated by `,`",
    ],
    ["type T { a: Int, b: Int; }", "1:16 expected `;`, found `,` -- fields end with `;`"],
    ["fn f(a: Int,) { }", "1:13 expected a parameter, found `)` -- no trailing comma here"],
    [body("g(1,);"), "2:9 expected an argument, found `)` -- no trailing comma here"],
    ['import "x";', "1:11 expected `as`, found `;` -- an import needs `as name`"],
    [
      "fn f() fallible(E) -> Int { }",
      "1:20 expected the fn's body, found `->` -- `fallible(..)` comes after the result type",
    ],
    [
      "locus A : schedule pinned { }",
      "1:11 expected `serves`, `tier` or `projection`, found `schedule` -- placement belongs to the main locus's `placement` block",
    ],
    [
      "locus L { locus M { } }",
      "1:11 expected a member of the locus, found `locus` -- a `locus` is declared at the top level",
    ],
    [body('let s = r"x";'), "2:14 expected `;`, found a string"],
    [body('let s = """x""";'), "2:15 expected `;`, found a string"],
    [body("let d = 5 s;"), "2:15 expected `;`, found `s`"],
    [body("let d = 1.5s;"), "2:16 expected `;`, found `s`"],
    [body("let d = 0xFFu64;"), "2:17 expected `;`, found `u64`"],
    ["fn main() { T <- v }", "1:20 expected `;`, found `}` -- a send ends with `;`, even before `}`"],
    [
      body("drain(c);"),
      "2:5 expected a statement, found `drain` -- `drain` is no statement; use `bubble`, `restart` or `quarantine`",
    ],
    [
      body("let z = a<-b;"),
      "2:14 expected `;`, found `<-` -- `<-` sends; a comparison with a negative needs a space: `a < -b`",
    ],
    [
      body("println(t.0.1);"),
      "2:15 expected a member name, found `0.1` -- write `(t.0).1` to reach into a nested tuple",
    ],
    [body("let u = ();"), "2:14 expected an expression, found `)` -- `()` is a type, not a value"],
    [body("a = b = c;"), "2:11 expected `;`, found `=` -- an assignment is a statement, not a value"],
    [
      body("apply(fn(n: Int) -> Int { return n; });"),
      "2:11 expected an expression, found `fn` -- there are no function literals; declare a `fn` and use its name",
    ],
    [
      body("if a() { 1 } else { 2 } + 3;"),
      "2:29 expected a statement, found `+` -- a statement ends at its block; to go on, put the `if`, `match` or block in parentheses",
    ],
    [body("fail x;"), "2:10 expected `;`, found `x` -- `fail` is a statement only inside a `fallible` fn"],
    [
      body("for i in 0..f() or 3 { }"),
      "2:21 expected `{`, found `or` -- a range takes no `or`; parenthesise the bound: `0..(f() or 3)`",
    ],
    [
      body("let a = f() or raise + 1;"),
      "2:26 expected `;`, found `+` -- nothing follows `or raise`; put it in parentheses",
    ],
    [body("a ~~ b;"), "2:7 expected `;`, found `~~` -- `~~` belongs to a closure's assertion"],
    ["const N = 4;", "1:9 expected `:`, found `=` -- a const needs its type: `const N: Int = ..;`"],
  ])("%j says %s (01 12.4, 01 12.1)", (text, expected) => {
    expect(firstError(text)).toBe(expected);
  });

  test("lexical traps (01 12.4, 01 12.2)", () => {
    expect(lexErrorsOf(body('println(f"{}");'))).toEqual([
      "2:15 empty interpolation; write `{{}}` for braces in the text",
    ]);
    expect(lexErrorsOf(body('println(f"a } b");'))).toEqual(["2:17 a lone `}` in an f-string; write `}}`"]);
    expect(lexErrorsOf(body("let c = 'x';"))[0]).toMatch(/^2:13 `'` starts nothing/);
  });

  test("a file with lexical errors is not parsed, and all of them are reported (01 12.3)", () => {
    expect(
      errorsOf('fn main() {\n    let a = 1\n    let s = "\\q";\n    let t = 0x;\n}').map((e) => e.split(" ", 1)[0]),
    ).toEqual(["3:14", "4:13"]);
  });
});

describe("reserved words as names (01 2.4, 01 2.5)", () => {
  test.each([
    [
      "fn rate(yield: Float) -> Float { total * (1.0 + yield) }",
      "1:9 `yield` is reserved and cannot name a parameter; rename it",
    ],
    ["type R { id: Int; epoch: Int; }", "1:19 `epoch` is reserved and cannot name a field; rename it"],
    ["locus L { params { run: Int = 1; } }", "1:20 `run` is reserved and cannot name a params field; rename it"],
    ["const match: Int = 1;", "1:7 `match` is reserved and cannot name a const; rename it"],
    ["topic bus { payload: Int; }", "1:7 `bus` is reserved and cannot name a topic; rename it"],
    ["fn f() { for in in xs { g(); } }", "1:14 `in` is reserved and cannot name a loop variable; rename it"],
    ["type run { x: Int; }", "1:6 `run` is reserved and cannot name a type; rename it"],
    ['import "x" as type;', "1:15 `type` is reserved and cannot name an import; rename it"],
    ["fn f() { let (a, mut) = t; }", "1:18 `mut` is reserved and cannot name a variable; rename it"],
    ["locus tier { fn f() { } }", "1:7 `tier` is reserved and cannot name a locus; rename it"],
    ["fn f() { std::restart::x(); }", "1:15 `restart` is reserved and cannot name a path segment; rename it"],
  ])("%s", (text, expected) => {
    expect(errorsOf(text)).toEqual([expected]);
  });

  test("reported once, at the first place, and not where it is used later", () => {
    const text = `
type Rec { epoch: Int; }
fn f(yield: Int, epoch: Int) -> Int {
    let match = yield + epoch;
    let r = Rec { epoch: epoch };
    epoch = r.epoch;
    yield = match;
    return match;
}
`;
    expect(errorsOf(text)).toEqual([
      "2:12 `epoch` is reserved and cannot name a field; rename it",
      "3:6 `yield` is reserved and cannot name a parameter; rename it",
      "4:9 `match` is reserved and cannot name a variable; rename it",
    ]);
  });

  test("member words are names after `.`, `::`, in type fields and literals (01 2.4)", () => {
    expect(
      errorsOf(
        "type T { run: Int; in: Int; } fn f(t: T) -> Int { let u = m::T { run: 1, in: 2 }; t.run + t.in + a::type::closure() }",
      ),
    ).toEqual([]);
  });
});

describe("recovery (01 12.3)", () => {
  test("goes on at the next declaration", () => {
    expect(
      errorsOf(
        "fn one() { let a = 1 return a; }\ntopic T { }\nfn two() { let b = ; }\nconst N = 4;\ntype P { x: Int }",
      ),
    ).toEqual([
      "1:22 expected `;`, found `return`",
      "3:20 expected an expression, found `;`",
      "4:9 expected `:`, found `=`",
      "5:17 expected `;`, found `}`",
    ]);
  });

  test("what follows inside a broken locus is no error of the file", () => {
    const text = `
@form(vec) locus L {
    params { a: Int = 1 }
    bus { subscribe T as t; }
    @hot fn ok() -> Int { return 1; }
    run() { if true { f(); } }
    fn broken() { let x = ; }
    placement { }
}
main locus M { placement { } fn g() { 1 + ; } topology { } }
interface I { fn a(x Int); fn b() -> Int; }
fn last() { a b }
`;
    expect(errorsOf(text)).toEqual([
      "3:25 expected `;`, found `}`",
      "7:27 expected an expression, found `;`",
      "10:43 expected an expression, found `;`",
      "11:22 expected `:`, found `Int`",
      "12:15 expected `;`, found `b`",
    ]);
  });

  test("a missing or an extra brace is one error", () => {
    expect(errorsOf("fn a() { if x() { y(); }\nfn b() { }\nlocus L { fn c() { } }")).toEqual([
      "2:1 expected a statement, found `fn`",
    ]);
    expect(errorsOf("locus L { fn a() { } }\n run { } }\nfn b() { 1 + ; }")).toEqual([
      "2:2 expected a declaration, found `run`",
      "3:14 expected an expression, found `;`",
    ]);
  });

  test("broken declarations are not in the tree", () => {
    const { ast } = parseFile(
      new SourceFile("test.hl", "fn a() { } fn b() { let } fn c() { } locus L { fn d( { } fn e() { } }"),
    );
    expect(ast.declarations.map((d) => "name" in d && d.name.text)).toEqual(["a", "c"]);
  });
});

describe("depth", () => {
  const DEEP = 100_000;
  const inMain = (text: string) => `fn main() { ${text} }`;
  const nest = (open: string, inner: string, close: string, count = DEEP) =>
    inMain(`let x = ${open.repeat(count)}${inner}${close.repeat(count)};`);

  test.each([
    ["parentheses", nest("(", "1", ")")],
    ["arrays", nest("[", "1", "]")],
    ["block expressions", nest("{", "1", "}")],
    ["blocks", inMain("{".repeat(DEEP) + "}".repeat(DEEP))],
    ["if statements", inMain("if a() {".repeat(DEEP) + "}".repeat(DEEP))],
    ["if conditions", nest("if ", "a()", " { 1 } else { 2 }")],
    ["else-if chains", inMain(`if a() { 1 } ${"else if a() { 1 } ".repeat(DEEP)}`)],
    ["match arms", nest("match a() { 1 -> ", "1", " }")],
    ["patterns", inMain(`match a() { ${"(".repeat(DEEP)}1${")".repeat(DEEP)} -> 1 }`)],
    ["calls", nest("f(", "1", ")")],
    ["indexes", nest("a[", "1", "]")],
    ["literals", nest("P { x: ", "1", " }")],
    ["unary operators", nest("-", "1", "")],
    ["additions", nest("1 + ", "1", "")],
    ["parenthesised additions", nest("1 + (", "1", ")")],
    ["comparisons", nest("a == ", "1", "")],
    ["members", nest("a.", "b", "")],
    ["calls of calls", nest("", "a", "()")],
    ["or chains", nest("a() or ", "1", "")],
    ["ranges", nest("(0..", "1", ")")],
    ["chains", nest("", "xs", ".filter(it)")],
    ["each", inMain("xs.each {".repeat(DEEP) + "}".repeat(DEEP))],
    ["tuple types", inMain(`let x: ${"(Int, ".repeat(DEEP)}Int${")".repeat(DEEP)} = 1;`)],
    ["generic types", inMain(`let x: ${"Box<".repeat(DEEP)}Int${">".repeat(DEEP)} = 1;`)],
    ["fn types", inMain(`let x: ${"fn() -> ".repeat(DEEP)}Int = 1;`)],
    ["modules", "module m { ".repeat(DEEP) + "}".repeat(DEEP)],
    ["f-strings", nest('f"{', "1", '}"', 1000)],
    ["a long left spine inside each parenthesis", nest("(", "a", ` + a + a + a + a)`, 390)],
  ])("%s end in one diagnostic (01 12)", (_, text) => {
    const errors = errorsOf(text);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/ nesting is too deep$/);
  });

  test("ordinary depths are accepted", () => {
    expect(errorsOf(nest("(", "1", ")", 200))).toEqual([]);
    expect(errorsOf(nest("a + ", "1", "", 900))).toEqual([]);
    expect(errorsOf(inMain("{".repeat(200) + "}".repeat(200)))).toEqual([]);
    expect(errorsOf(inMain(`if a() { } ${"else if a() { } ".repeat(900)}`))).toEqual([]);
    expect(errorsOf(inMain("f();".repeat(20_000)))).toEqual([]);
    expect(errorsOf(nest("", `[${"a + 1, ".repeat(20_000)}]`, "", 1))).toEqual([]);
  });

  test.each([
    ["closing braces", "}".repeat(DEEP)],
    ["at signs", "@".repeat(DEEP)],
    ["decorators", "@a(".repeat(DEEP)],
    ["fn words", "fn ".repeat(DEEP)],
    ["broken functions", "fn f( ".repeat(DEEP)],
    ["words", "a ".repeat(DEEP)],
  ])("%s do not hang the parser", (_, text) => {
    expect(errorsOf(text).length).toBeGreaterThan(0);
  });
});
