// Declarations of a file (reference 01 7.1, 7.8, 7.13, 11).
import { describe, expect, test } from "vitest";
import { declaration, errorPlaces, errorsOf, parsed, showExpr, showType } from "./support.ts";

describe("files", () => {
  test("imports, declarations, stray semicolons (01 7.1)", () => {
    const ast = parsed('import "a/b" as b; import "./c" as c;;; fn f() { };; const N: Int = 1;');
    expect(ast.imports.map(({ path, alias }) => [path, alias.text])).toEqual([
      ["a/b", "b"],
      ["./c", "c"],
    ]);
    expect(ast.declarations.map(({ kind }) => kind)).toEqual(["function", "const"]);
    expect(parsed("").declarations).toEqual([]);
  });

  test.each([
    ['import "x";', "1:11"],
    ["import x as y;", "1:8"],
    ['import "x" as y', "1:16"],
    ['; import "x" as y;', "1:3"],
    ['fn f() { } import "x" as y;', "1:12"],
    ['module m { import "x" as y; }', "1:12"],
    ["module m { ; }", "1:12"],
    ["module m { target t { } }", "1:12"],
    ["let n = 4;", "1:1"],
    ["pub fn f() { }", "1:1"],
    ["f();", "1:1"],
    ["const N = 4;", "1:9"],
    ["const N: Int;", "1:13"],
    ["use x;", "1:1"],
    ["domain = { a };", "1:1"],
    ["unit = 3;", "1:1"],
  ])("%s is refused at %s (01 7.1, 01 7.13, 01 11.2)", (text, place) => {
    expect(errorPlaces(text)).toEqual([place]);
  });

  test("the end of the file is its last position (01 12.1)", () => {
    expect(errorsOf("fn f() {")).toEqual(["1:9 expected `}`, found the end of the file"]);
    expect(errorsOf("fn f() {\n")).toEqual(["2:1 expected `}`, found the end of the file"]);
  });
});

describe("functions", () => {
  test("every part (01 7.1)", () => {
    const fn = declaration(
      "@hot @budget(alloc_per_call = 0, db(*) = 2, publish = 1) fn f<T, U: Numeric>(a: T, @secret b: Int = 1 + 2) -> [U] fallible(m::E) { a }",
      "function",
    );
    expect(fn.generics.map(({ name }) => name.text)).toEqual(["T", "U"]);
    expect(
      fn.params.map((p) => [p.name.text, showType(p.type), p.defaultValue && showExpr(p.defaultValue), p.secret]),
    ).toEqual([
      ["a", "T", undefined, false],
      ["b", "Int", "(+ 1 2)", true],
    ]);
    expect(fn.result && showType(fn.result)).toBe("(array U)");
    expect(fn.fallible && showType(fn.fallible)).toBe("m::E");
    expect(fn.decorators).toMatchObject([
      { name: "hot" },
      {
        name: "budget",
        entries: [
          { effect: { name: { text: "alloc_per_call" } }, limit: 0n },
          { effect: { name: { text: "db" }, argument: { text: "*" } }, limit: 2n },
          { effect: { name: { text: "publish" } }, limit: 1n },
        ],
      },
    ]);
    expect(fn.span.start).toBe(0);
  });

  test("foreign and exported functions (01 7.1)", () => {
    expect(declaration('@ffi("c") fn f(a: Int) -> Int;', "function")).toMatchObject({
      decorators: [{ name: "ffi", library: "c" }],
    });
    expect(declaration('@ffi("c") fn f();', "function").body).toBeUndefined();
    expect(declaration("@export fn f() { }", "function")).toMatchObject({ decorators: [{ name: "export" }] });
  });

  test("a name that calls always mean otherwise is the checker's business (01 11.1)", () => {
    expect(errorsOf("fn println() { } fn min() { }")).toEqual([]);
  });

  test.each([
    ["fn f(a: Int,) { }", "1:13"],
    ["fn f(mut a: Int) { }", "1:6"],
    ["fn f(self) { }", "1:6"],
    ["fn f(a) { }", "1:7"],
    ["fn f() fallible(E) -> Int { }", "1:20"],
    ["fn f() -> Int;", "1:14"],
    ["fn f<>() { }", "1:6"],
    ["fn f<T,>() { }", "1:8"],
    ["fn f();", "1:7"],
    ["fn run() { }", "1:4"],
    ["fn f(type: Int) { }", "1:6"],
    ['@ffi("rust") fn f();', "1:6"],
    ['@ffi("c") fn f() { }', "1:18"],
    ['@ffi("c") fn f<T>();', "1:15"],
    ['@ffi("c") fn f() fallible(E);', "1:18"],
    ['@hot @ffi("c") fn f();', "1:6"],
    ['@ffi("c") @hot fn f();', "1:11"],
    ["@export @hot fn f() { }", "1:9"],
  ])("%s is refused at %s (01 7.1)", (text, place) => {
    expect(errorPlaces(text)).toEqual([place]);
  });
});

describe("decorators", () => {
  test("of a locus (01 7.8)", () => {
    const locus = declaration(
      '@form(hashmap, cap = 8 + 1, key = id) @locality(L2) @bounded @sealed @supervised @export @phase_effects(run: {time, "x"}, birth: {}) @effects(depends: {a::b db(*)}) locus L { }',
      "locus",
    );
    expect(locus.decorators).toMatchObject([
      { name: "form", form: { text: "hashmap" }, options: [{ name: { text: "cap" } }, { name: { text: "key" } }] },
      { name: "locality", level: { text: "L2" } },
      { name: "bounded" },
      { name: "sealed" },
      { name: "supervised" },
      { name: "export" },
      {
        name: "phase_effects",
        entries: [
          { key: { text: "run" }, set: [{ kind: "path" }, { kind: "string", value: "x" }] },
          { key: { text: "birth" }, set: [] },
        ],
      },
      {
        name: "effects",
        entries: [{ key: { text: "depends" }, set: [{ kind: "path" }, { kind: "path", argument: { text: "*" } }] }],
      },
    ]);
  });

  test("of a fn (01 7.8)", () => {
    const fn = declaration(
      "@unbounded @no_ffi @no_panic @deterministic @gated(role: admin) @effects(none: {time}, publish: {publish}) @rpc(requires: [a, b,]) @rpc fn f() { }",
      "function",
    );
    expect(fn.decorators.map(({ name }) => name)).toEqual([
      "unbounded",
      "no_ffi",
      "no_panic",
      "deterministic",
      "gated",
      "effects",
      "rpc",
      "rpc",
    ]);
  });

  test.each([
    ["@fast fn f() { }", "1:1"],
    ["@hot @fast fn f() { }", "1:6"],
    ["@hot type P { }", "1:6"],
    ["@form(vec) const N: Int = 1;", "1:12"],
    ["@sealed topic T { payload: Int; }", "1:9"],
    ["@hot locus L { }", "1:6"],
    ["@hot main locus L { }", "1:6"],
    ["@form(vec) fn f() { }", "1:12"],
    ["@effects(depends: {a}) fn f() { }", "1:10"],
    ["@effects(none: {a}) locus L { }", "1:21"],
    ["@effects(none: {a}, depends: {b}) fn f() { }", "1:21"],
    ["@effects(depends: {b}, none: {a}) locus L { }", "1:24"],
    ["@effects(other: {a}) fn f() { }", "1:10"],
    ["@no_ffi @no_ffi fn f() { }", "1:9"],
    ["@budget(db = 1) @budget(dc = 2) fn f() { }", "1:17"],
    ["@budget(db = 1, db = 2) fn f() { }", "1:17"],
    ["@budget(alloc = 1) fn f() { }", "1:9"],
    ["@hot @hot fn f() { }", "1:6"],
    ["@unbounded @unbounded fn f() { }", "1:12"],
    ["@form(vec) @form(vec) locus L { }", "1:12"],
    ["@locality(L4) locus L { }", "1:11"],
    ["@budget(db = 1,) fn f() { }", "1:16"],
    ["@budget(db = x) fn f() { }", "1:14"],
    ["@ fn f() { }", "1:1"],
    ["@hot", "1:5"],
    ["@effects(is: {a} fn f() { }", "1:18"],
    ["@phase_effects(accept: {}) locus L { }", "1:16"],
  ])("%s is refused at %s (01 7.8, 01 12.2)", (text, place) => {
    expect(errorPlaces(text)).toEqual([place]);
  });

  test.each([
    ["locus L { @unbounded run { } @hot @no_block fn f() { } }", undefined],
    ["locus L { @unbounded @unbounded run { } }", "1:22"],
    ["locus L { @hot run { } }", "1:16"],
    ["locus L { @sealed fn f() { } }", "1:19"],
    ["locus L { @export fn f() { } }", "1:11"],
    ["locus L { @unbounded mode bulk { } }", "1:22"],
  ])("in a locus: %s (01 7.8)", (text, place) => {
    expect(errorPlaces(text)).toEqual(place === undefined ? [] : [place]);
  });
});

describe("topics, interfaces, modules", () => {
  test("topics (01 7.1)", () => {
    expect(
      declaration(
        'topic T: Base { payload: [Int]; subject: "s"; keyed_by id; on_unmatched: fallback; bounded(8); on_full: fail; }',
        "topic",
      ),
    ).toMatchObject({
      parent: { text: "Base" },
      payload: { kind: "array" },
      subject: { kind: "string" },
      keyedBy: { text: "id" },
      onUnmatched: "fallback",
      bounded: { value: 8n },
      onFull: "fail",
    });
  });

  test.each([
    ["topic T { }", "1:7"],
    ['topic T { subject: "s"; }', "1:7"],
    ["topic T { payload: Int; payload: Int; }", "1:25"],
    ["topic T { payload: Int; other: 1; }", "1:25"],
    ["topic T { payload: Int; bounded(0); }", "1:33"],
    ["topic T { payload: Int; on_full: drop; }", "1:34"],
    ["topic T { payload: Int; subject: s; }", "1:34"],
    ["topic T { payload: Int }", "1:24"],
  ])("%s is refused at %s (01 7.1, 01 12.2)", (text, place) => {
    expect(errorPlaces(text)).toEqual([place]);
  });

  test("interfaces (01 7.1)", () => {
    const { methods } = declaration("interface I { fn len() -> Int; fn get(i: Int) -> T fallible(E); }", "interface");
    expect(methods.map(({ name, fallible }) => [name.text, fallible && showType(fallible)])).toEqual([
      ["len", undefined],
      ["get", "E"],
    ]);
    expect(errorPlaces("interface I { fn f() { } }")).toEqual(["1:22"]);
    expect(errorPlaces("interface I<T> { }")).toEqual(["1:12"]);
    expect(errorPlaces("interface I { x: Int; }")).toEqual(["1:15"]);
  });

  test("modules nest (01 7.1)", () => {
    const { declarations } = declaration(
      "module a { module b { const N: Int = 1; } fn f() { } topic T { payload: Int; } }",
      "module",
    );
    expect(declarations.map(({ kind }) => kind)).toEqual(["module", "function", "topic"]);
  });
});

test("contextual words are ordinary names elsewhere (01 3, 01 2.3)", () => {
  parsed(`
    fn topic(target: Int, group: Int, claims: Int) -> Int { let role = target; let api = role; let unit = api; unit }
    fn main() { let effect = 1; let domain = 2; let main = 3; let serves = 4; let mode = 5; let key = 6; let each = 7; }
    type quantity { enum: Int; payload: Int; within: Int; as: Int; }
    fn raise(discard: Int, wait: Int) { let until = discard; let with = until; let tick = with; topic(1, 2, 3); }
    locus placement { params { bindings: Int = 1; bounded: Int = 2; } fn pool() { self.bindings = 3; } }
  `);
});
