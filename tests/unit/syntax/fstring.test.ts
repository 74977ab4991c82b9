// F-strings (reference 01 4.7).
import { describe, expect, test } from "vitest";
import { errorsOf, exprShape, lexErrorsOf } from "./support.ts";

/** The errors of `f"<text>"`, the second line of a program, whose text starts at column 15. */
function problems(text: string): string[] {
  return errorsOf(`fn main() {\n    println(f"${text}");\n}\n`);
}

describe("literal text", () => {
  test("escapes and doubled braces (01 4.7.2)", () => {
    expect(exprShape('f"a\\n\\x41\\{b\\}{{c}}"')).toBe(`(f ${JSON.stringify("a\nA{b}{c}")})`);
    expect(exprShape('f""')).toBe("(f)");
    expect(exprShape('f"{{{a}}}"')).toBe('(f "{" (a) "}")');
  });

  test("a lone closing brace (01 4.7.2, 01 12.4)", () => {
    expect(lexErrorsOf('f"a } b"')).toEqual(["1:5 a lone `}` in an f-string; write `}}`"]);
  });

  test("a space before the quote makes two tokens (01 4.7.1)", () => {
    expect(errorsOf('fn main() { f "x"; F"y"; }')).toEqual(["1:15 expected `;`, found a string"]);
  });
});

describe("interpolations", () => {
  test.each([
    ['f"{a}"', "(f (a))"],
    ['f"x{ a + 1 }y"', '(f "x" ((+ a 1)) "y")'],
    ['f"{if a { "b" } else { "c" }}"', '(f ((if a {=> "b"} {=> "c"})))'],
    ['f"{f() or 0}"', "(f ((or (call f) 0)))"],
    ['f"{P { x: 1 }.x}"', "(f ((P { x:1 }).x))"],
    ['f"{a\n+\nb}"', "(f ((+ a b)))"],
    ['f"{a}{b}"', "(f (a) (b))"],
    ['f"{b"}"}"', "(f ((bytes 7d)))"],
    ['f"{a // }"', undefined],
  ])("%s (01 4.7.4)", (text, shape) => {
    if (shape !== undefined) expect(exprShape(text)).toBe(shape);
    else expect(lexErrorsOf(text)).toEqual([]);
  });

  test("bare and escaped quotes are the same (01 4.7.3)", () => {
    const shape = '(f ((call lower "A")))';
    expect(exprShape('f"{lower("A")}"')).toBe(shape);
    expect(exprShape('f"{lower(\\"A\\")}"')).toBe(shape);
  });

  test("braces and escapes inside quotes (01 4.7.3)", () => {
    expect(exprShape('f"{g("}{")}"')).toBe('(f ((call g "}{")))');
    expect(exprShape('f"{g("a\\n\\\\")}"')).toBe(`(f ((call g ${JSON.stringify("a\n\\")})))`);
    expect(exprShape('f"{g(\\"a\\\\nb\\")}"')).toBe(`(f ((call g ${JSON.stringify("a\\nb")})))`);
    expect(exprShape('f"{P \\{ x: 1 \\}.x}"')).toBe("(f ((P { x:1 }).x))");
  });

  test("nested f-strings, bare and escaped (01 4.7.4)", () => {
    expect(exprShape('f"{f"{f"{x}"}"}"')).toBe("(f ((f ((f (x))))))");
    expect(exprShape('f"{f\\"<{x:>3}>\\"}"')).toBe('(f ((f "<" (x {"align":">","width":3}) ">")))');
  });

  test("empty ones are refused at the brace (01 4.7.4, 01 12.4)", () => {
    expect(problems("a {} b{ }")).toEqual([
      expect.stringMatching(/^2:17 empty interpolation/),
      expect.stringMatching(/^2:21 empty interpolation/),
    ]);
  });

  test("a backslash outside quotes (01 4.7.3)", () => {
    expect(problems("{a \\n}")).toEqual(["2:18 a backslash inside an interpolation, outside quotes"]);
  });

  test("an unclosed one (01 12.2)", () => {
    expect(problems("a {n")).toEqual(["2:17 this interpolation is not closed; a `}` is missing"]);
  });

  test("exactly one expression (01 4.7.4)", () => {
    expect(problems("{a a}")).toEqual(["2:18 expected the end of the interpolation, found `a`"]);
    expect(problems("{a;}")).toEqual(["2:17 expected the end of the interpolation, found `;`"]);
    expect(problems("{a +}")).toEqual(["2:19 expected an expression, found the end of the interpolation"]);
    expect(problems("{:4}")).toEqual(["2:16 expected an expression, found the end of the interpolation"]);
  });

  test("errors stand on the interpolation's own line, escapes counted (01 4.7.6)", () => {
    expect(problems("one\n {a\n b}")).toEqual(["4:2 expected the end of the interpolation, found `b`"]);
    expect(problems('{g(\\"x\\") + }')).toEqual(["2:26 expected an expression, found the end of the interpolation"]);
    expect(problems('{g(\\"x\\", $)}')).toEqual(["2:25 expected an expression, found `$`"]);
    expect(lexErrorsOf('f"{g(\\"x\\", \')}"')).toEqual([expect.stringContaining("1:13 `'` starts nothing")]);
  });
});

describe("format specs", () => {
  test.each([
    ["{n:6}", { width: 6 }],
    ["{n:<6}", { align: "<", width: 6 }],
    ["{n:0>6}", { fill: "0", align: ">", width: 6 }],
    ["{n:*^6}", { fill: "*", align: "^", width: 6 }],
    ["{n:<<6}", { fill: "<", align: "<", width: 6 }],
    ["{n:\u00f6>6}", { fill: "\u00f6", align: ">", width: 6 }],
    ["{n: >6}", { fill: " ", align: ">", width: 6 }],
    ["{n:x}", { hex: "x" }],
    ["{n:08X}", { width: 8, hex: "X" }],
    ["{r:.3}", { precision: 3 }],
    ["{r:10.17}", { width: 10, precision: 17 }],
  ])("%s (01 4.7.7)", (text, format) => {
    const name = text[1];
    expect(exprShape(`f"${text}"`)).toBe(`(f (${name} ${JSON.stringify(format)}))`);
  });

  test("the last colon outside brackets and quotes, and not of `::` (01 4.7.7)", () => {
    expect(exprShape('f"{a::b}"')).toBe("(f (a::b))");
    expect(exprShape('f"{a::b:4}"')).toBe('(f (a::b {"width":4}))');
    expect(exprShape('f"{g(":4")}"')).toBe('(f ((call g ":4")))');
    expect(exprShape('f"{P { x: 4 }}"')).toBe("(f ((P { x:4 })))");
    expect(exprShape('f"{`2026-05-08T12:00:00Z`}"')).toBe("(f (`2026-05-08T12:00:00Z`))");
    expect(exprShape('f"{a:}"')).toBe("(f (a))");
  });

  test.each(["zz", ".", "8q", "2.2x", " 6", "-6", ">>>", "0x4"])("the spec %j is refused (01 4.7.7)", (spec) => {
    expect(problems(`{a:${spec}}`)).toEqual([`2:18 unknown format spec \`${spec}\``]);
  });

  test("a precision is at most 17 (01 4.7.7)", () => {
    expect(problems("{a:.18}")).toEqual(["2:18 a precision is at most 17"]);
  });
});
