// The parser against the grammar itself (reference 01 7): both accept the same texts and stop at the same token.
import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SourceFile } from "../../../compiler/source/index.ts";
import { lex, parseFile } from "../../../compiler/syntax/index.ts";
import { Oracle, readGrammar } from "./peg.ts";
import { hlFiles } from "./programs.ts";

const grammar = readGrammar(readFileSync(path.join(import.meta.dirname, "grammar.ebnf"), "utf8"));

/** Errors that the grammar does not state: restrictions of the bullets under its blocks. */
const RESTRICTIONS: ReadonlySet<string> = new Set(
  "E0105 E0106 E0107 E0108 E0110 E0111 E0112 E0113 E0114 E0115".split(" "),
);

const programs = hlFiles().filter((file) => file.text.length < 4000 && lex(file).diagnostics.length === 0);

/** What the two say about a text, when they disagree. */
function disagreement(file: SourceFile): string | undefined {
  const { tokens, diagnostics: lexErrors } = lex(file);
  if (lexErrors.length > 0) return undefined;
  const oracle = new Oracle(grammar, tokens);
  const accepted = oracle.accepts("program");
  const { diagnostics } = parseFile(file);
  const [first] = diagnostics;
  const agree = accepted ? diagnostics.every(({ code }) => RESTRICTIONS.has(code)) : diagnostics.length > 0;
  if (!agree) {
    return `the grammar ${accepted ? "accepts" : "refuses"} this, the parser says ${first?.message ?? "nothing"}:\n${file.text}`;
  }
  if (first?.code !== "E0101" || !first.message.startsWith("expected `;`")) return undefined;
  const stop = tokens.toSource(tokens.starts[oracle.furthest] ?? 0);
  return stop === first.span?.start
    ? undefined
    : `the grammar stops at offset ${stop}, the parser at ${first.span?.start}:\n${file.text}`;
}

test("on every conformance program (01 6, 01 7)", () => {
  expect(programs.flatMap((file) => disagreement(file) ?? [])).toEqual([]);
});

test("on programs with tokens removed, doubled, swapped and inserted (01 7, 01 12.1)", () => {
  const texts = programs.map((file) => {
    const { tokens } = lex(file);
    return Array.from({ length: tokens.count - 1 }, (_, index) => tokens.textOf(index));
  });
  const edit = fc.record({
    way: fc.constantFrom("remove", "double", "replace", "insert", "splice"),
    at: fc.nat(),
    donor: fc.nat({ max: texts.length - 1 }),
    from: fc.nat(),
    length: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(fc.nat({ max: texts.length - 1 }), fc.array(edit, { minLength: 1, maxLength: 2 }), (program, edits) => {
      const items = [...(texts[program] ?? [])];
      for (const { way, at: place, donor, from, length } of edits) {
        const at = place % (items.length + 1);
        const others = texts[donor] ?? [];
        const piece = others.slice(from % (others.length + 1)).slice(0, length);
        if (way === "remove") items.splice(at, 1);
        else if (way === "double") items.splice(at, 0, ...items.slice(at, at + 1));
        else if (way === "replace") items.splice(at, 1, ...piece.slice(0, 1));
        else items.splice(at, way === "splice" ? length : 0, ...piece);
      }
      expect(disagreement(new SourceFile("test.hl", items.join(" ")))).toBeUndefined();
    }),
    { numRuns: 3000 },
  );
});
