import { describe, expect, test } from "vitest";
import { checkFiles, type Files, show } from "../semantics/support.ts";

const messages = (files: Files, target = ".", mode: "program" | "seed" | "file" = "program") =>
  checkFiles(files, target, mode).diagnostics.map(show);

describe("paths of imports (08 2)", () => {
  test("the empty path is no path, and is told once (08 2.5)", () => {
    const files = { "main.hl": 'import "" as me; fn f() { } fn main() { me::f(); }', ".hl": "fn f() { }" };
    const { diagnostics } = checkFiles(files, "main.hl");
    expect(diagnostics.map(show)).toEqual(["1:8 E0205 the import names no path"]);
    expect(diagnostics[0]?.help).toBe('the library of this directory is `"."`');
  });
});

test("a literal of an imported generic is named, and helped, as it is written (08 3.2, 03 12.4.3)", () => {
  const files = {
    "lib.hl": "type Two<A, B> { n: Int; }",
    "main.hl": 'import "lib" as lib; fn main() { let a = lib::Two { n: 1 }; let b = lib::Two_Int_Int { n: 2 }; }',
  };
  expect(messages(files, "main.hl")).toEqual([
    "1:42 E0315 cannot infer `A`, `B` for `lib::Two`; annotate the type or write `lib::Two_Int_Int { .. }`",
  ]);
});

describe("names of any length", () => {
  test("a huge one is cut in the message, and parts of paths are not", () => {
    const name = "x".repeat(100_000);
    const part = "p".repeat(255);
    const files = { "main.hl": `import "${part}" as p; fn main() { }`, "b.hl": `fn f() { ${name}(); }` };
    const [missing] = checkFiles(files, "main.hl").diagnostics;
    const [unknown] = checkFiles(files, "b.hl").diagnostics;
    expect(missing?.message).toContain(`could not resolve import "${part}"`);
    expect(unknown?.message).toBe(`unknown name \`${"x".repeat(80)}…\``);
  });
});

describe("seeds (08 1)", () => {
  test("the files of a directory form one scope, in any order (08 1.2)", () => {
    const files = {
      "b.hl": "fn main() { println(twice(K)); }",
      "a.hl": "const K: Int = 2; fn twice(n: Int) -> Int { return n * 2; }",
    };
    expect(messages(files)).toEqual([]);
  });

  test("a file as the target is a seed of its own (08 1.3)", () => {
    const files = { "main.hl": "fn main() { help(); }", "help.hl": "fn help() { }" };
    expect(messages(files, "main.hl")).toEqual(["1:13 E0302 unknown name `help`"]);
  });

  test("test and bench files stay out of their directory's seed (08 1.4, 1.5)", () => {
    const files = {
      "main.hl": "fn main() { }",
      "main_test.hl": "fn main() { nothing(); }",
      "main_bench.hl": "fn bench_x() { nothing(); }",
    };
    const checked = checkFiles(files, ".");
    expect(checked.diagnostics.map(show)).toEqual([]);
    expect(checked.excludedTests).toBe(1);
    expect(checked.ownFiles).toHaveLength(1);
  });

  test("a second declaration is refused at the later file, with a note at the first (08 1.6)", () => {
    const { diagnostics } = checkFiles({ "a.hl": "fn f() { }", "b.hl": "fn main() { }\nfn f() { }" }, ".");
    expect(diagnostics.map(show)).toEqual(["2:4 E0208 duplicate top-level name `f`"]);
    expect(diagnostics[0]?.related?.map(({ note, span }) => `${note} ${span.file.path.endsWith("a.hl")}`)).toEqual([
      "previous declaration true",
    ]);
  });

  test("one file of a larger seed: unbound bare names are left alone, the rest is judged (08 1.9)", () => {
    const files = {
      "a.hl": "fn f(x: Other) -> Int { let n: Int = help(x); return n + true; }",
      "b.hl": "type Other { }",
    };
    expect(messages(files, "a.hl", "file")).toEqual(["1:54 E0310 cannot apply `+` to `Int` and `Bool`"]);
  });

  test("one file of a larger seed: a name of a block that has ended is reported (08 1.9)", () => {
    const files = {
      "a.hl": "fn f() { if true { let inner = 1; println(inner); } println(inner, outer); }",
      "b.hl": "fn g() { }",
    };
    expect(messages(files, "a.hl", "file")).toEqual(["1:61 E0302 unknown name `inner`"]);
  });

  test("a lone file has no siblings: its unbound names are reported (08 1.9)", () => {
    expect(messages({ "a.hl": "fn f() { help(); }" }, "a.hl", "file")).toEqual(["1:10 E0302 unknown name `help`"]);
  });

  test("a program needs an entry, a library does not (08 1.7)", () => {
    expect(messages({ "a.hl": "fn f() { }" })).toEqual([
      "1:11 E0212 program has no fn main(): no `fn main` and no `main locus`",
    ]);
    expect(messages({ "a.hl": "fn f() { }" }, ".", "seed")).toEqual([]);
    expect(messages({ "a.hl": "main locus App { }" })).toEqual([]);
  });

  test("what is no seed is an io error", () => {
    expect(
      checkFiles({}, "gone.hl").diagnostics.map(({ kind, message }) => `${kind} ${message.replace(/: .*\//, ": ")}`),
    ).toEqual(["io error not a file or directory: gone.hl"]);
    expect(
      checkFiles({ "docs/a.txt": "" }, "docs").diagnostics.map(({ message }) => message.replace(/ \/.*\//, " ")),
    ).toEqual(["no .hl files in docs"]);
  });
});

describe("imports (08 2)", () => {
  test("a file before a directory, and the workspace root last (08 2.3)", () => {
    const files = {
      "hale.toml": "",
      "app/main.hl": 'import "lib" as lib; import "far" as far; fn main() { println(lib::x(), far::y()); }',
      "app/lib.hl": "fn x() -> Int { return 1; }",
      "app/lib/other.hl": "fn z() { }",
      "far/a.hl": "fn y() -> Int { return 2; }",
    };
    expect(messages(files, "app")).toEqual([]);
  });

  test("an unresolved import stands at the path, with what was tried (08 2.5)", () => {
    const [first] = checkFiles(
      { "main.hl": 'import "gone" as gone;\nfn main() { gone::f(); }' },
      "main.hl",
    ).diagnostics;
    expect(first && show(first).replaceAll(/\S*\/hale-check-[^/]*\//g, "/")).toBe(
      '1:8 E0205 could not resolve import "gone": tried /gone.hl, /gone/',
    );
  });

  test("main.hl of another directory stands for that directory's library (08 2.4)", () => {
    const files = {
      "app/main.hl": "fn helper() -> Int { return more(); } fn main() { }",
      "app/more.hl": "fn more() -> Int { return 3; }",
      "tests/app_test.hl": 'import "../app/main" as app; fn main() { println(app::helper()); }',
    };
    expect(messages(files, "tests/app_test.hl")).toEqual([]);
  });

  test("one library through two aliases and two seeds has one set of types (08 2.7)", () => {
    const files = {
      "main.hl":
        'import "lib" as a; import "lib" as b; import "user" as user; fn main() { let p: a::P = b::P { x: 1 }; println(user::get(p)); }',
      "lib/p.hl": "type P { x: Int; }",
      "user/u.hl": 'import "../lib" as geo; fn get(p: geo::P) -> Int { return p.x; }',
    };
    expect(messages(files, "main.hl")).toEqual([]);
  });

  test("seeds may import each other and themselves (08 2.7)", () => {
    const files = {
      "a/a.hl":
        'import "../b" as b; import "." as me; fn one() -> Int { return 1; } fn main() { println(b::two(), me::one()); }',
      "b/b.hl": 'import "../a" as a; fn two() -> Int { return a::one() + 1; }',
    };
    expect(messages(files, "a")).toEqual([]);
  });

  test("an alias belongs to its seed (08 2.9)", () => {
    const files = {
      "main.hl": 'import "lib" as lib;\nfn main() { deep::f(); }',
      "lib/l.hl": 'import "../deep" as deep; fn g() { deep::f(); }',
      "deep/d.hl": "fn f() { }",
    };
    expect(messages(files, "main.hl")).toEqual([
      "2:13 E0211 `deep` is an import of another seed (lib); import it here",
    ]);
  });

  test("one alias for two libraries is refused; the same import in two files is not (08 2.12)", () => {
    const files = {
      "a.hl": 'import "x" as x; fn main() { }',
      "b.hl": 'import "x" as x; import "y" as z;',
      "c.hl": 'import "x" as z;',
      "x/x.hl": "fn f() { }",
      "y/y.hl": "fn f() { }",
    };
    expect(messages(files)).toEqual(["1:15 E0206 alias `z` is already bound to another library"]);
  });

  test("a file taken alone and with its directory is refused at the single import (08 2.6)", () => {
    const files = {
      "main.hl": 'import "geo" as geo;\nimport "geo/point" as point;\nfn main() { }',
      "geo/point.hl": "type P { }",
    };
    expect(messages(files, "main.hl")).toEqual([
      "2:8 E0207 `point.hl` is already part of the library imported as `geo`; use `geo::name`",
    ]);
  });

  test("warnings about imported files are left out, errors are not (08 5.1.6)", () => {
    const lib = 'fn f() { let n = 1; println("{n}"); }';
    expect(messages({ "main.hl": 'import "lib" as lib; fn main() { lib::f(); }', "lib/l.hl": lib }, "main.hl")).toEqual(
      [],
    );
    expect(messages({ "main.hl": lib.replace("f()", "main()") }, "main.hl")).toHaveLength(1);
    expect(
      messages({ "main.hl": 'import "lib" as lib; fn main() { }', "lib/l.hl": "fn f() { x(); }" }, "main.hl"),
    ).toEqual(["1:10 E0302 unknown name `x`"]);
  });

  test("members of a library: unknown ones come with a near name (08 3.4)", () => {
    const { diagnostics } = checkFiles(
      { "main.hl": 'import "lib" as lib; fn main() { lib::dubble(1); }', "lib/l.hl": "fn double(n: Int) { }" },
      "main.hl",
    );
    expect(diagnostics.map((finding) => `${show(finding)} | ${finding.help}`)).toEqual([
      "1:34 E0210 `lib::dubble` is not declared by the library imported as `lib` | did you mean `lib::double`?",
    ]);
  });

  test("what is read is listed with the hash of its bytes", () => {
    const checked = checkFiles({ "main.hl": 'import "lib" as lib; fn main() { }', "lib.hl": "" }, "main.hl");
    expect(checked.reads.map((file) => file.replace(/.*\//, ""))).toEqual(["lib.hl", "main.hl"]);
    const [empty = ""] = checked.reads;
    expect(checked.hashOf(empty)).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });
});
