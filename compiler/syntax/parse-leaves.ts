// Single tokens that many rules read: counts, strings, one word of several.
import type { IntLit } from "./ast.ts";
import { decodeInt, decodeText } from "./literals.ts";
import type { Parser } from "./parser.ts";
import { K } from "./tokens.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** An integer literal of at least `least`; anything else is refused at its place. */
export function parseCount(p: Parser, what: string, least: 0n | 1n): IntLit {
  const span = p.spanHere();
  const value = p.kind === K.int ? decodeInt(p.text) : -1n;
  if (value < least) {
    p.fail("E0112", `${what} must be ${least === 1n ? "a positive" : "a non-negative"} integer literal`);
  }
  p.advance();
  return { kind: "int", value, span };
}

/** An integer literal's value; 0 when none stands here. */
export function takeInt(p: Parser): bigint {
  const value = p.kind === K.int ? decodeInt(p.text) : 0n;
  if (p.kind !== K.int) p.failExpected("an integer");
  p.advance();
  return value;
}

/** A string literal's value; "" when none stands here. */
export function takeString(p: Parser, expected = "a string"): string {
  const { text } = p;
  const value = p.kind === K.string ? decoder.decode(decodeText(text, 1, text.length - 1, "string")) : "";
  if (p.kind !== K.string) p.failExpected(expected);
  p.advance();
  return value;
}

/** One of the given words, as an identifier. */
export function expectOneOf<Word extends string>(p: Parser, words: readonly [Word, ...Word[]]): Word {
  const word = p.kind === K.ident ? words.find((candidate) => p.atWord(candidate)) : undefined;
  if (word === undefined) p.failExpected(words.map((candidate) => `\`${candidate}\``).join(" or "));
  else p.advance();
  return word ?? words[0];
}
