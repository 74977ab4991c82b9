// Tokens, comments and literals (reference 01 sections 1 to 5).
import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../compiler/source/index.ts";
import { describeToken, lex } from "../../../compiler/syntax/index.ts";
import { exprShape, lexErrorsOf } from "./support.ts";

/** The tokens of a text, as `hale lex` names them, without the final `Eof`. */
function names(text: string): string[] {
  const { tokens, diagnostics } = lex(new SourceFile("test.hl", text));
  expect(diagnostics).toEqual([]);
  return Array.from({ length: tokens.count - 1 }, (_, index) => describeToken(tokens, index));
}

/** The source texts of the tokens. */
function texts(text: string): string[] {
  const { tokens, diagnostics } = lex(new SourceFile("test.hl", text));
  expect(diagnostics).toEqual([]);
  return Array.from({ length: tokens.count - 1 }, (_, index) => tokens.textOf(index));
}

describe("source text", () => {
  test("a byte-order mark is refused (01 1.1)", () => {
    expect(lexErrorsOf("\ufefffn main() { }")).toEqual(["1:1 a byte-order mark; save the file without it"]);
  });

  test("non-ASCII text is refused at its character, outside literals and comments (01 1.2, 01 1.4)", () => {
    expect(lexErrorsOf("let gr\u00f6\u00dfe = 1; // \u00f6\n\u{1f600}")).toEqual([
      "1:7 `\u00f6\u00df`: only ASCII is allowed outside literals and comments",
      "2:1 `\u{1f600}`: only ASCII is allowed outside literals and comments",
    ]);
    expect(texts('"\u00f6" /* \u00f6 */ b"\u00f6" f"\u00f6"')).toEqual(['"\u00f6"', 'b"\u00f6"', 'f"\u00f6"']);
  });

  test("columns count characters, not UTF-16 units (01 12.1)", () => {
    expect(lexErrorsOf('"\u{1f600}\u{1f600}" \\')).toEqual(["1:6 a backslash has no meaning outside a literal"]);
  });

  test("whitespace is space, tab, carriage return, line feed (01 1.3)", () => {
    expect(texts("a \t\r\n b")).toEqual(["a", "b"]);
    expect(lexErrorsOf("a\fb\vc\u00a0d").map((error) => error.split(" ", 1)[0])).toEqual(["1:2", "1:4", "1:6"]);
  });

  test("comments do not nest, and an open block comment runs to the end (01 1.4)", () => {
    expect(texts("a // b\nc /* d /* e */ f /* g")).toEqual(["a", "c", "f"]);
    expect(texts("a/**/b//")).toEqual(["a", "b"]);
  });

  test("comment marks inside literals are text (01 1.6)", () => {
    expect(texts('"//" b"/*" `//` f"// {a} /*"')).toEqual(['"//"', 'b"/*"', "`//`", 'f"// {a} /*"']);
  });
});

describe("words", () => {
  test("identifiers (01 2.1)", () => {
    expect(names("a _ _9 aB_c9 Fn")).toEqual([
      'Ident("a")',
      'Ident("_")',
      'Ident("_9")',
      'Ident("aB_c9")',
      'Ident("Fn")',
    ]);
  });

  test("reserved words (01 2.2)", () => {
    expect(names("fn on_failure self as_parent_for yield restart_in_place")).toEqual([
      "Fn",
      "OnFailure",
      "Self",
      "AsParentFor",
      "Yield",
      "RestartInPlace",
    ]);
  });

  test("contextual words and type names are identifiers (01 2.3)", () => {
    for (const word of ["as", "or", "fail", "Int", "pub", "loop", "each", "topic", "main", "enum", "it"]) {
      expect(names(word)).toEqual([`Ident(${JSON.stringify(word)})`]);
    }
  });
});

describe("integers", () => {
  test.each([
    ["0", "0"],
    ["007", "7"],
    ["1_000", "1000"],
    ["1__0", "10"],
    ["1_", "1"],
    ["9223372036854775807", "9223372036854775807"],
    ["123456789012345678", "123456789012345678"],
    ["0xff", "255"],
    ["0XFF_", "255"],
    ["0x_f", "15"],
    ["0o17", "15"],
    ["0B1_01", "5"],
    ["0x7fff_ffff_ffff_ffff", "9223372036854775807"],
    ["0x8000000000000000", "-9223372036854775808"],
    ["0xFFFF_FFFF_FFFF_FFFF", "-1"],
  ])("%s is %s (01 4.1.1, 01 4.1.2)", (text, value) => {
    expect(exprShape(text)).toBe(value);
  });

  test("a character that is no digit of the base ends the literal (01 4.1.2)", () => {
    expect(names("0b12 0o78")).toEqual(["Int(1)", "Int(2)", "Int(7)", "Int(8)"]);
  });

  test("out of range or without digits (01 4.1.1, 01 4.1.2)", () => {
    expect(lexErrorsOf("9223372036854775808")).toEqual([
      "1:1 this integer is above the largest Int, 9223372036854775807",
    ]);
    expect(lexErrorsOf("-9223372036854775808")).toEqual([
      "1:2 this integer is above the largest Int, 9223372036854775807",
    ]);
    expect(lexErrorsOf("9223372036854775808s")).toEqual([
      "1:1 this integer is above the largest Int, 9223372036854775807",
    ]);
    expect(lexErrorsOf("0x1_0000_0000_0000_0000")).toEqual(["1:1 this literal needs more than 64 bits"]);
    expect(lexErrorsOf("0x")).toEqual(["1:1 no digits after `0x`"]);
    expect(lexErrorsOf("0b2")).toEqual(["1:1 no digits after `0b`"]);
  });

  test("no suffixes (01 4.1.3)", () => {
    expect(texts("0xFFu64")).toEqual(["0xFF", "u64"]);
  });
});

describe("other numbers", () => {
  test.each([
    ["1.5", "1.5"],
    ["1_0.2_5", "10.25"],
    ["1e5", "100000"],
    ["1E+2", "100"],
    ["1.5e-1", "0.15"],
    ["1e999", "Infinity"],
  ])("the Float %s is %s (01 4.2)", (text, value) => {
    expect(exprShape(text)).toBe(value);
  });

  test("what is not a Float (01 4.2)", () => {
    expect(texts("1.")).toEqual(["1", "."]);
    expect(texts(".5")).toEqual([".", "5"]);
    expect(texts("1..2")).toEqual(["1", "..", "2"]);
    expect(names("1e")).toEqual(['Quantity(1, "e")']);
    expect(names("1e+")).toEqual(['Quantity(1, "e")', "Plus"]);
    expect(texts("1e5_0")).toEqual(["1e5", "_0"]);
    expect(texts("1.5s")).toEqual(["1.5", "s"]);
  });

  test.each([
    ["1.50d", "1500000000e-9"],
    ["3d", "3000000000e-9"],
    ["1_000.25d", "1000250000000e-9"],
    ["1e3d", "1000000000000e-9"],
    ["15e-1d", "1500000000e-9"],
    ["1.0000000019d", "1000000001e-9"],
    ["1e-10d", "0e-9"],
    ["0.000000001d", "1e-9"],
  ])("the Decimal %s counts %s (01 4.3)", (text, value) => {
    expect(exprShape(text)).toBe(value);
  });

  test("a `d` with more letters is a unit (01 4.3)", () => {
    expect(names("1day 1d_ 1d2")).toEqual(['Quantity(1, "day")', 'Quantity(1, "d_")', 'Quantity(1, "d2")']);
    expect(names("1.5d2")).toEqual(["Float(1.5)", 'Ident("d2")']);
  });

  test("quantities take one magnitude and one name (01 4.4.1, 01 4.4.3)", () => {
    expect(names("500ms 1_250_000USD 1h30m 007s")).toEqual([
      'Quantity(500, "ms")',
      'Quantity(1250000, "USD")',
      'Quantity(1, "h30m")',
      'Quantity(7, "s")',
    ]);
    expect(names("5 s")).toEqual(["Int(5)", 'Ident("s")']);
  });
});

describe("texts", () => {
  test("escapes of a string (01 4.6.1, 01 4.6.2)", () => {
    expect(exprShape('"a\\n\\t\\r\\\\\\"\\0\\x41\\x7f{}"')).toBe(JSON.stringify('a\n\t\r\\"\0A\x7f{}'));
    expect(exprShape('"one\ntwo \u00f6"')).toBe('"one\\ntwo \u00f6"');
  });

  test.each([
    ["\\'", "1:3"],
    ["\\u{41}", "1:3"],
    ["\\{", "1:3"],
    ["\\x80", "1:3"],
    ["\\x4 ", "1:3"],
    ["\\q", "1:3"],
    ["\\\n", "1:3"],
  ])("the escape %j is refused at its backslash (01 4.6.2, 01 12.2)", (sequence, place) => {
    expect(lexErrorsOf(`a"${sequence}"`)).toEqual([expect.stringContaining(`${place} `)]);
  });

  test("a bad escape does not hide the string's end (01 12.3)", () => {
    expect(lexErrorsOf('"\\q" "\\q" \\')).toHaveLength(3);
  });

  test("no raw, triple or single quotes (01 4.6.3)", () => {
    expect(texts('r"x"')).toEqual(["r", '"x"']);
    expect(texts('"""x"""')).toEqual(['""', '"x"', '""']);
    expect(lexErrorsOf("'x'").map((error) => error.split(" ", 1)[0])).toEqual(["1:1"]);
  });

  test("unterminated literals are refused at their opening quote (01 4.6.4, 01 4.5)", () => {
    expect(lexErrorsOf('a "bc\n')).toEqual(["1:3 unterminated string"]);
    expect(lexErrorsOf('a b"c')).toEqual(["1:4 unterminated bytes literal"]);
    expect(lexErrorsOf("a `b")).toEqual(["1:3 unterminated backtick literal"]);
    expect(lexErrorsOf('a f"b')).toEqual(["1:4 unterminated f-string"]);
    expect(lexErrorsOf('"a\\')).toHaveLength(2);
  });

  test("bytes (01 4.8)", () => {
    expect(exprShape('b"a\\xff\\n\u00f6"')).toBe("(bytes 61 ff 0a c3 b6)");
    expect(names('B"x"')).toEqual(['Ident("B")', 'String("x")']);
    expect(lexErrorsOf('b"\\q\\xfg"').map((error) => error.split(" ", 1)[0])).toEqual(["1:3", "1:5"]);
  });

  test("backtick text is raw (01 4.5)", () => {
    expect(exprShape('`a\\n"b`')).toBe('`a\\n"b`');
  });
});

describe("punctuation", () => {
  test("longest match (01 5.1)", () => {
    const spaced =
      "..= == != <= >= && || << >> += -= *= /= %= &= |= ^= ~~ -> <- => :: .. ?? + - * / % = < > ! & | ^ ~ ? : ; , . { } ( ) [ ] @ # $";
    expect(texts(spaced)).toEqual(spaced.split(" "));
    expect(texts("a..=b...=c")).toEqual(["a", "..=", "b", "..", ".", "=", "c"]);
    expect(texts("<<=>>=>&&=||=")).toEqual(["<<", "=>", ">=", ">", "&&", "=", "||", "="]);
    expect(texts("a<-b a--b a**b")).toEqual(["a", "<-", "b", "a", "-", "-", "b", "a", "*", "*", "b"]);
    expect(texts(":::~~~???")).toEqual(["::", ":", "~~", "~", "??", "?"]);
  });

  test("other bytes are lexical errors (01 5.1)", () => {
    expect(lexErrorsOf("a \\ b \x01 \x7f")).toEqual([
      "1:3 a backslash has no meaning outside a literal",
      "1:7 unexpected control character 0x01",
      "1:9 unexpected control character 0x7f",
    ]);
  });
});

test("tokens are named for `hale lex` (08 15)", () => {
  expect(names('fn f(a) { 1.5 2d "x\ny" f"{a}" b"z" `t` ..= -> ; }')).toEqual([
    "Fn",
    'Ident("f")',
    "LParen",
    'Ident("a")',
    "RParen",
    "LBrace",
    "Float(1.5)",
    "Decimal(2)",
    'String("x\\ny")',
    'FString(f"{a}")',
    'Bytes(b"z")',
    "Backtick(`t`)",
    "DotDotEq",
    "Arrow",
    "Semi",
    "RBrace",
  ]);
  const { tokens } = lex(new SourceFile("test.hl", ""));
  expect(describeToken(tokens, 0)).toBe("Eof");
});
