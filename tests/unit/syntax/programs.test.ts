// The parser on whole programs: those that must parse, those that must not, and damaged ones.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../compiler/source/index.ts";
import { parseFile } from "../../../compiler/syntax/index.ts";
import { header, hlFiles } from "./programs.ts";
import { placed } from "./support.ts";

const programs = hlFiles();

describe("conformance programs", () => {
  test("those that compile parse without errors", () => {
    const accepted = programs.filter((file) => ["run", "panic", "finding"].includes(header(file, "expect") ?? "run"));
    expect(accepted.length).toBeGreaterThan(1500);
    const failures = accepted.flatMap((file) =>
      parseFile(file).diagnostics.map((item) => `${file.path}: ${placed(item)}`),
    );
    expect(failures).toEqual([]);
  });

  test("those that the parser rejects are rejected at the line they name (01 12)", () => {
    const rejected = programs.filter((file) => header(file, "expect") === "reject");
    const wrong: string[] = [];
    let count = 0;
    for (const file of rejected) {
      const places = parseFile(file).diagnostics.map(placed);
      if (places.length === 0) continue;
      count++;
      const line = Number.parseInt(header(file, "at") ?? "", 10);
      if (!places.some((place) => Number.parseInt(place, 10) === line))
        wrong.push(`${file.path}: ${places.join(" | ")}, want line ${line}`);
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(150);
  });
});

describe("no input breaks the parser", () => {
  const spans = (text: string) => {
    const { diagnostics } = parseFile(new SourceFile("test.hl", text));
    for (const { span, message } of diagnostics) {
      expect(message).not.toBe("");
      expect(
        span && span.start >= 0 && span.start <= text.length && span.end >= span.start,
        `${message} in ${JSON.stringify(text)}`,
      ).toBe(true);
    }
  };

  test("random text", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), spans), { numRuns: 3000 });
    const ascii = fc.string({
      unit: fc.constantFrom(..."{}()[]<>=+-*/.:;,\"'`\\@#$!&|~^%? \nafbdnx01_"),
      maxLength: 60,
    });
    fc.assert(fc.property(ascii, spans), { numRuns: 5000 });
  });

  test("damaged programs: pieces removed, doubled, swapped, cut", () => {
    const mutation = fc.record({
      program: fc.nat({ max: programs.length - 1 }),
      other: fc.nat({ max: programs.length - 1 }),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.integer({ min: 0, max: 40 }),
      way: fc.constantFrom("remove", "double", "cut", "splice", "insert"),
      text: fc.constantFrom(
        "{",
        "}",
        "(",
        ")",
        ";",
        '"',
        'f"{',
        "`",
        "/*",
        "fn",
        "locus",
        "@",
        "::",
        "->",
        "<",
        "\\",
        "match",
        "if",
      ),
    });
    fc.assert(
      fc.property(mutation, ({ program, other, at, length, way, text }) => {
        const source = programs[program]?.text ?? "";
        const from = Math.floor(at * source.length);
        const piece = source.slice(from, from + length);
        const [before, after] = [source.slice(0, from), source.slice(from + length)];
        const damaged = {
          remove: before + after,
          double: before + piece + piece + after,
          cut: before,
          splice: before + (programs[other]?.text.slice(from, from + length) ?? "") + after,
          insert: before + text + source.slice(from),
        };
        spans(damaged[way]);
      }),
      { numRuns: 4000 },
    );
  });
});
