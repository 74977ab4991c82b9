// The source line under a diagnostic: of a long one, a part that shows what is marked (08 5.1; 11 11.1, text form).
import { describe, expect, test } from "vitest";
import { renderDiagnostic, SourceFile } from "../../../compiler/source/index.ts";

const WIDTH = 160;

/** Renders a diagnostic about `marked` in the line `before + marked + after`; answers the two lines of the snippet. */
function snippet(before: string, marked: string, after: string, end = "\n"): readonly [string, string] {
  const lead = `first é 𝄞${end}`;
  const text = `${lead}${before}${marked}${after}${end}last${end}`;
  const start = lead.length + before.length;
  const span = { file: new SourceFile("/a.hl", text), start, end: start + marked.length };
  const [, line = "", carets = "", ...more] = renderDiagnostic({
    code: "E0001",
    severity: "error",
    kind: "type error",
    message: "m",
    span,
  }).split("\n");
  expect(more).toEqual([]);
  return [line, carets];
}

const count = (text: string) => [...text].length;

/** Holds what a snippet owes its reader, whatever the line. */
function requireAligned(before: string, marked: string, after: string, end: string): void {
  const whole = [...before, ...marked, ...after];
  const [line, carets] = snippet(before, marked, after, end);
  const [, lead = "", shown = "", rest = ""] = /^ {4}(…?)(.*?)(…?)$/su.exec(line) ?? [];
  const column = carets.indexOf("^");
  // As many characters stand before the carets as before the mark, a tab under each tab.
  const first = count(before) - (column - 4 - lead.length);
  const last = first + Math.min(WIDTH, whole.length);
  expect(shown).toBe(whole.slice(first, last).join(""));
  expect([lead !== "", rest !== ""]).toEqual([first > 0, last < whole.length]);
  expect(carets.slice(0, column)).toBe([...line].slice(0, column).join("").replaceAll(/[^\t]/gu, " "));
  // All that is marked is there, or as much as fits.
  const underlined = carets.length - column;
  const visible = last - count(before);
  expect(Math.min(visible, underlined)).toBeGreaterThanOrEqual(Math.min(WIDTH, count(marked)));
  expect(underlined).toBeLessThanOrEqual(Math.max(1, visible));
  expect(underlined).toBeGreaterThan(0);
}

describe("a long line shows what is marked", () => {
  const alphabets = {
    ascii: "abcdefg",
    accents: "éèêëáà",
    wide: "漢字仮名交",
    "two units": "𝄞😀𝔸",
    tabs: "\ta\tb\tc",
    mixed: "a\té漢𝄞b",
  };
  const lengths = [0, 1, 59, 60, 61, 99, 100, 101, 159, 160, 161, 200, 500];
  const fill = (alphabet: string, length: number) => {
    const characters = [...alphabet];
    return Array.from({ length }, (_, i) => characters[i % characters.length]).join("");
  };
  for (const [name, alphabet] of Object.entries(alphabets))
    for (const end of ["\n", "\r\n"])
      test(`${name}, lines ending with ${JSON.stringify(end)}`, () => {
        for (const before of lengths)
          for (const marked of lengths)
            for (const after of lengths) {
              const parts = [before, marked, after].map((length) => fill(alphabet, length));
              const [a = "", b = "", c = ""] = parts;
              if (/\S/.test(a + b + c)) requireAligned(a, b, c, end);
            }
      });
});

test("a line of 160 characters is shown whole, however many units they take", () => {
  const [line, carets] = snippet("𝄞".repeat(100), "abc", "𝄞".repeat(57));
  expect(line).toBe(`    ${"𝄞".repeat(100)}abc${"𝄞".repeat(57)}`);
  expect(carets).toBe(`    ${" ".repeat(100)}^^^`);
});

test("sixty characters stand before the mark, fewer when the mark needs the room", () => {
  const [line, carets] = snippet("b".repeat(300), "m", "a".repeat(300));
  expect(line).toBe(`    …${"b".repeat(60)}m${"a".repeat(99)}…`);
  expect(carets).toBe(`     ${" ".repeat(60)}^`);
  const [long, under] = snippet("b".repeat(300), "m".repeat(150), "a".repeat(300));
  expect(long).toBe(`    …${"b".repeat(10)}${"m".repeat(150)}…`);
  expect(under).toBe(`     ${" ".repeat(10)}${"^".repeat(150)}`);
});

test("a mark that is longer than what is shown is shown from its start", () => {
  const [line, carets] = snippet("b".repeat(300), "m".repeat(400), "");
  expect(line).toBe(`    …${"m".repeat(160)}…`);
  expect(carets).toBe(`     ${"^".repeat(160)}`);
});

test("at the end of a line the part before it fills the room", () => {
  const [line, carets] = snippet("b".repeat(300), "m", "", "\r\n");
  expect(line).toBe(`    …${"b".repeat(159)}m`);
  expect(carets).toBe(`     ${" ".repeat(159)}^`);
});

test("a mark over several lines is underlined to the end of the first", () => {
  for (const end of ["\n", "\r\n"]) {
    const [line, carets] = snippet("b".repeat(300), `mm${end}mmm`, "", end);
    expect(line).toBe(`    …${"b".repeat(158)}mm`);
    expect(carets).toBe(`     ${" ".repeat(158)}^^`);
  }
});

test("a mark behind the last character of a line stands behind it", () => {
  for (const end of ["\n", "\r\n"]) {
    expect(snippet("b".repeat(200), end, "", end)).toEqual([`    …${"b".repeat(160)}`, `     ${" ".repeat(160)}^`]);
    expect(snippet("bb", end, "", end)).toEqual(["    bb", "      ^"]);
  }
});
