import { describe, expect, test } from "vitest";
import { findingsInMain } from "./support.ts";

const declarations = `@form(vec) locus Ints { capacity { heap xs of Int; } }
  type Row { id: Int; n: Int; } @form(hashmap) locus Rows { capacity { pool rs of Row indexed_by id; } }
  @form(set) locus Set { capacity { pool rs of Row indexed_by id; } }`;

describe("forms (07)", () => {
  test("methods have the cell's types; fallible ones need their or", () => {
    expect(
      findingsInMain(
        "let v = Ints { }; v.push(1); println(v.get(0) or 0, v.len()); let m = Rows { }; m.bump(3); m.set(Row { id: 1, n: 2 }); println((m.get(1) or raise).n);",
        declarations,
      ),
    ).toEqual([]);
  });

  test.each([
    ['let v = Ints { }; v.push("x");', "2:33 E0401 argument 1 of `push`: expected `Int`, got `String`"],
    [
      "let v = Ints { }; let x = v.get(0);",
      "2:39 E0415 `get` can fail (IndexError) and this call says nothing about it: add `or raise`, `or <value>` or `or handler(err)`",
    ],
    ["let v = Ints { }; v.push(1) or raise;", "2:31 E0416 not a fallible call; remove the `or`"],
    ["let v = Ints { }; println(v[0]);", "2:39 E0327 a form locus cannot be indexed; use `.get(i)`"],
    ["let v = Ints { }; for x in v { }", "2:40 E0413 cannot iterate over `Ints`"],
    [
      "let v = Ints { }; println(v);",
      "2:39 E0311 cannot print a value of type `Ints`; a locus cannot be printed, print its fields",
    ],
    ["let s = Set { }; println(s.has(1));", "2:38 E0804 @form(set) locus `Set` has no method `has`"],
  ])("%s is refused", (body, finding) => {
    const source = body.startsWith("let v = Ints { }; for")
      ? body.replace("{ }", "{ }").replace("v { }", "v { println(1); }")
      : body;
    expect(findingsInMain(source, declarations)).toEqual([finding]);
  });
});

describe("element chains (07 12)", () => {
  test("stages change the element; terminals have their types", () => {
    const body = `let v = Ints { };
      let n: Int = v.filter(it > 1).map(it * 2).count();
      let f: Float = v.map(it * 0.5).sum(0.0);
      let s: String = v.filter(true).sum("");
      let b: Bool = v.any(it == 3);
      let first: Int = v.filter(it > 1).first() or 0;
      v.enumerate().filter(idx % 2 == 0).each { println(idx, it); }
      let w = Ints { }; v.sort_into(w); v.skip(1).into(w); v.take(2).reverse_into(w);
      let t = Rows { }; v.group_count_into(t, it % 3);
      println(n, f, s, b, first, [1, 2].map(it + 1).sum(), t.entries.map(it.n).sum());`;
    expect(findingsInMain(body.replaceAll("\n", " "), declarations)).toEqual([]);
  });

  test.each([
    ["println(it);", "2:21 E0302 unknown name `it`"],
    ["let v = Ints { }; println(v.filter(it).count());", "2:48 E0408 a condition must be Bool, got `Int`"],
    [
      "let v = Ints { }; println(v.filter(it > 1).first());",
      "2:39 E0415 `first` can fail (IndexError) and this call says nothing about it: add `or raise`, `or <value>` or `or handler(err)`",
    ],
    ["let s = Set { }; println(s.filter(it.id > 1).count());", "2:38 E0806 `Set` is not a chain source"],
    ["let v = Ints { }; v.map(it * 0.5).into(v);", "2:52 E0806 `into` pushes `Float` to a vec of `Int`"],
  ])("%s is refused", (body, finding) => {
    expect(findingsInMain(body, declarations)).toEqual([finding]);
  });
});

describe("bounded (07 10)", () => {
  const bounded = "type B { xs: bounded[Int; 3]; }";

  test("operations are calls on a place; a local of the name steps aside", () => {
    expect(
      findingsInMain(
        "let b = B { }; push(b.xs, 1) or raise; let at = 3; println(at, at(b.xs, 0) or 0, count(b.xs), b.xs.get(0) or 0);",
        bounded,
      ),
    ).toEqual([]);
  });

  test("a function of the program with another first parameter takes its own calls", () => {
    expect(
      findingsInMain(
        'println(push("a", 3)); let b = B { }; push(b.xs, 1) or raise;',
        `${bounded} fn push(s: String, n: Int) -> String { return s + n; }`,
      ),
    ).toEqual([]);
  });

  test.each([
    ["let b = B { xs: [1] };", "2:25 E0807 a bounded field starts empty; change it with push/set/clear"],
    [
      "let b = B { }; push(b.xs, 1);",
      "2:28 E0415 `push` can fail (CapacityError) and this call says nothing about it: add `or raise`, `or discard` or `or handler(err)`",
    ],
    ['let b = B { }; push(b.xs, "x") or raise;', "2:28 E0401 argument 2 of `push`: expected `Int`, got `String`"],
  ])("%s is refused", (body, finding) => {
    expect(findingsInMain(body, bounded)).toEqual([finding]);
  });
});
