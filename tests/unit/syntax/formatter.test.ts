// The canonical layout (reference 02).
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../compiler/source/index.ts";
import { formatSource, lex } from "../../../compiler/syntax/index.ts";
import { randomProgram } from "../../support/random-program.ts";
import { hlFiles } from "./programs.ts";

const PROGRAMS = Number(process.env["HALE_TEST_FORMATTED"] ?? 300);

/** The texts of the tokens. */
function wordsOf(text: string): string[] {
  const list = lex(new SourceFile("test.hl", text)).tokens;
  return Array.from({ length: list.count }, (_, index) => list.textOf(index));
}

/** The same tokens with other blanks, line feeds and comments between them. */
function scattered(text: string, seed: number): string {
  const list = lex(new SourceFile("test.hl", text)).tokens;
  const gaps = [" ", " ", " ", "  ", "\n", "\n\n\n", "\t", " // c  \n", " /* d */ ", " /* e\n  f */\n"];
  let state = (seed * 2654435761) >>> 0;
  let out = "";
  for (let index = 0; index < list.count; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    out += list.textOf(index) + (gaps[state % gaps.length] ?? " ");
  }
  return out;
}

function formatted(text: string): string {
  const result = formatSource(new SourceFile("test.hl", text));
  if (!("text" in result)) throw new Error(JSON.stringify(result));
  return result.text;
}

const layouts = path.join(import.meta.dirname, "layouts");

describe("examples (02 4, 02 5, 02 6, 02 7, 02 8)", () => {
  const names = readdirSync(layouts).flatMap((name) => /^(.*)\.before\.hl$/.exec(name)?.[1] ?? []);

  test.each(names)("%s", (name) => {
    const before = readFileSync(path.join(layouts, `${name}.before.hl`), "utf8");
    const after = readFileSync(path.join(layouts, `${name}.after.hl`), "utf8");
    expect(formatted(before)).toBe(after);
    expect(formatted(after)).toBe(after);
  });
});

describe("spacing (02 5)", () => {
  test.each([
    ["a.release(c)", "a.release (c)"],
    ["a.type(x)", "a.type (x)"],
    ["d.in (s)", "d.in(s)"],
    ["err.closure+1", "err.closure + 1"],
    ["t.run -1", "t.run - 1"],
    ["bubble(e);", "bubble (e);"],
    ["persists_through(quarantine);", "persists_through (quarantine);"],
    ["run (x){}", "run(x) { }"],
    ["locus A:serves P,tier 1{", "locus A : serves P, tier 1 {"],
    ["locus A :tier 1{", "locus A: tier 1 {"],
    ["f(- 1,! a)", "f(-1, !a)"],
    ["a- -b", "a - -b"],
    ["f(- - a)", "f(--a)"],
    ["! ! a", "!!a"],
    ["rich<Int>", "rich < Int >"],
    ["Box<Int>=a", "Box < Int >= a"],
    ["Box<a::b,[Int;4]>x", "Box<a::b, [Int; 4]> x"],
    ["f<T>(x)", "f<T>(x)"],
    ["m<T>{", "m<T> {"],
    ["a<b", "a < b"],
    ["x<y>>z", "x < y >> z"],
    ["a as b or c", "a as b or c"],
    ['"s"[0]', '"s" [0]'],
    ["x [0] (1)", "x[0](1)"],
    ["if(a){}else{}", "if (a) { } else { }"],
    ["@form( vec ) @hot fn f(){}", "@form(vec) @hot fn f() { }"],
    ["a ?? b ? c", "a?? b? c"],
    ["# x $ y", "#x $y"],
  ])("%s becomes %s", (before, after) => {
    expect(formatted(before)).toBe(`${after}\n`);
  });

  test.each(["~ ~a", "Box<Box<Int> >", ". .", ": : a", "! = a", "t.0 .1", "? ?", "- > a", ".. = a", ": ::"])(
    "a space that keeps two tokens apart stays: %s (02 2.1)",
    (text) => {
      const tokens = (source: string) => {
        const list = lex(new SourceFile("test.hl", source)).tokens;
        return Array.from({ length: list.count }, (_, index) => list.textOf(index));
      };
      expect(tokens(formatted(text))).toEqual(tokens(text));
    },
  );
});

describe("layout, rule by rule (02 3, 02 4, 02 6, 02 7)", () => {
  test("line breaks: none before the first item, one stays one, more become one blank line (02 3.1, 02 6.1, 02 6.2)", () => {
    expect(formatted("\n\na;\nb;\n\n\n\nc; {\n\n\nd;\n\n}")).toBe("a;\nb;\n\nc; {\n\n    d;\n\n}\n");
    expect(formatted("fn f() { }\nfn g() { }")).toBe("fn f() { }\nfn g() { }\n");
  });

  test("an item at the start of a line is indented, one on the same line is not (02 3.2, 02 3.3, 02 4.2)", () => {
    expect(formatted("{\na   b /* c */d   // e\n}")).toBe("{\n    a b /* c */ d // e\n}\n");
  });

  test("the end: no blanks, one line feed (02 3.4, 02 2.5)", () => {
    expect(formatted("a;  \r\n\t\r\n\n  ")).toBe("a;\n");
  });

  test("a closing bracket stands where the line stands that opened it; several of one line indent once (02 4.1)", () => {
    expect(formatted("f(g({\na\n}))\n}\nb")).toBe("f(g({\n    a\n}))\n}\nb\n");
  });

  test("what continues a line is one deeper, a comment never (02 4.2, 02 4.3)", () => {
    expect(formatted("let a =\n// c\nb\n+ c\n// d\n.e;")).toBe("let a =\n// c\n    b\n    + c\n// d\n    .e;\n");
  });

  test("lines of any length stay, and nothing is aligned or sorted (02 2.4)", () => {
    const long = `let x = ${Array.from({ length: 200 }, (_, i) => `a${i}`).join(" + ")};\n`;
    const text = `import "b" as b;\nimport "a" as a;\n${long}let longer = [1, 2,];\n`;
    expect(formatted(text)).toBe(text);
  });

  test("comments keep their text and their order (02 2.2, 02 7.1, 02 7.2, 02 7.3, 02 7.4)", () => {
    const before = "{\n//  one  \n\n\na;      // two\n/* three\n  kept  */\ng( /* four */)/* five */;\n      // six\n}";
    const after =
      "{\n    //  one\n\n    a; // two\n    /* three\n  kept  */\n    g( /* four */ ) /* five */ ;\n    // six\n}\n";
    expect(formatted(before)).toBe(after);
  });
});

describe("files (02 2)", () => {
  test.each([
    ["", "\n"],
    [" \r\n\t\n", "\n"],
    ["a\r\nb\r\n", "a\nb\n"],
    ["a", "a\n"],
    ["\n\n// c  \t\n\n\n", "// c\n"],
    ["// a\r\n// b", "// a\n// b\n"],
    ["a /* open  \n ", "a /* open\n"],
    ["/* a */b /* c */;", "/* a */ b /* c */ ;\n"],
    [")\n}\n]a", ")\n}\n] a\n"],
    ['"a\r\n b"  ;', '"a\r\n b";\n'],
  ])("%j becomes %j", (before, after) => {
    expect(formatted(before)).toBe(after);
  });

  test("a file that does not lex has no layout (02 1.6)", () => {
    const result = formatSource(new SourceFile("test.hl", "a 'b"));
    expect("lexErrors" in result && result.lexErrors).toHaveLength(1);
  });

  test("deep nesting stops indenting, not formatting (02 4)", () => {
    const text = formatted("{\n".repeat(5000));
    expect(text.split("\n")).toHaveLength(5001);
    expect(formatted(text)).toBe(text);
  });
});

/** Every `.hl` file of the project. */
function projectFiles(): SourceFile[] {
  const root = path.resolve(import.meta.dirname, "../../..");
  const others = ["std", "examples", "bench", "tests"].flatMap((room) =>
    readdirSync(path.join(root, room), { recursive: true, encoding: "utf8" }).map((name) =>
      path.join(root, room, name),
    ),
  );
  const own = others.filter((name) => name.endsWith(".hl") && !name.includes("/tests/conformance/"));
  return [...hlFiles(), ...own.map((name) => new SourceFile(name, readFileSync(name, "utf8")))];
}

describe("properties (02 2)", () => {
  test("every program of the project keeps its tokens and formats to itself (02 2.1, 02 2.3)", () => {
    const files = projectFiles();
    expect(files.length).toBeGreaterThan(3400);
    for (const file of files) {
      const result = formatSource(file);
      if ("lexErrors" in result) continue;
      expect(result, file.path).toHaveProperty("text");
      if ("text" in result) expect(formatted(result.text), file.path).toBe(result.text);
    }
  });

  test(`${PROGRAMS} generated programs, in the layout that they come in and in one of chance (10,000 of them with HALE_TEST_FORMATTED=10000)`, async () => {
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      // The runner hears of the test meanwhile.
      if (seed % 100 === 0) await setImmediate();
      const program = randomProgram(seed);
      for (const text of [program, scattered(program, seed)]) {
        // `formatSource` answers with an error when a token would change.
        const once = formatted(text);
        expect(formatted(once), `seed ${seed}`).toBe(once);
        expect(wordsOf(once), `seed ${seed}`).toEqual(wordsOf(text));
      }
    }
  }, 1_200_000);

  test("any mix of tokens, comments and blanks", () => {
    // biome-ignore format: a table reads best in rows
    const pieces = [
      "a", "serves", "or", "f", "b", "1", "0x1", "1.5", "3d", "5s", '"s"', 'f"{a}"', 'b"x"', "`t`", "..=", "==", "!=", "<=", ">=", "&&", "||",
      "<<", ">>", "+=", "-=", "*=", "~~", "->", "<-", "=>", "::", "..", "??", "+", "-", "*", "/", "=", "<", ">", "!", "&", "|", "^", "~", "?",
      ":", ";", ",", ".", "{", "}", "(", ")", "[", "]", "@", "#", "$", "self", "true", "run", "release", "in", "type", "fn", "// c\n", "/* c */", "/* c\n d */",
    ];
    const piece = fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(" ", " ", "\n", "\n\n", "  ", "\r\n", "\t", ""));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (items) => {
        const text = items.flat().join("");
        fc.pre(lex(new SourceFile("test.hl", text)).diagnostics.length === 0);
        const once = formatted(text);
        expect(formatted(once)).toBe(once);
        expect(once).not.toMatch(/[ \t]\n(?! d \*\/)|\n\n\n|^\n./);
      }),
      { numRuns: 2000 },
    );
  });
});
