// Doc comments by position (reference 01 1.7, 08 14.4).
import { expect, test } from "vitest";
import { SourceFile } from "../../../compiler/source/index.ts";
import { docCommentOf, parseFile } from "../../../compiler/syntax/index.ts";

/** The doc comment of the last declaration of a text. */
function doc(text: string): string {
  const file = new SourceFile("test.hl", text);
  const declaration = parseFile(file).ast.declarations.at(-1);
  if (!declaration) throw new Error("no declaration");
  return docCommentOf(file, declaration.span.start);
}

test.each([
  ["/// Half.\n/// Rounds down.\nfn f() { }", "Half.\nRounds down."],
  ["///No space\n///  two\n///\n/// end  \nfn f() { }", "No space\n two\n\nend"],
  ["    /// indented\n    fn f() { }", "indented"],
  ["/// a\r\n/// b\r\nfn f() { }", "a\nb"],
  ["/// above\n@hot\n  @budget(alloc = 0)\nfn f() { }", "above"],
  ["/// lost\n\nfn f() { }", ""],
  ["/// lost\n// plain\nfn f() { }", ""],
  ["/** not one */\nfn f() { }", ""],
  ["/// first\nconst A: Int = 1;\nfn f() { }", ""],
  ["/// a\n\n/// b\nfn f() { }", "b"],
  ["//// four\nfn f() { }", "/ four"],
  ["fn f() { }", ""],
  ["/// x\nconst A: Int = 1; fn f() { }", "x"],
  ['/// of g\n@ffi("c") fn g();\nfn f() { }', ""],
  ["/// of f\n@hot @budget(publish = 1)\nfn f() { }", "of f"],
])("%j (08 14.4, 01 1.7)", (text, expected) => {
  expect(doc(text)).toBe(expected);
});

test("a long row of decorators that ends in something else is read at once", () => {
  const file = new SourceFile("a.hl", `/// Above.\n${"@a ".repeat(60)}// and a comment\nfn f() { }\n`);
  expect(docCommentOf(file, file.text.indexOf("fn"))).toBe("");
});
