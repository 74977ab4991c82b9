// Operators and punctuation (01 section 5): longest match.
import { FIRST_RESERVED, K, spellingOf, type TokenKind } from "./tokens.ts";

/** Lengths of the punctuation tokens, by kind. */
export const PUNCTUATION_LENGTHS = Uint8Array.from({ length: FIRST_RESERVED }, (_, kind) => spellingOf(kind).length);

/** The longest punctuation token at `at`, where `code` stands; 0 for a byte that starts none. */
export function punctuationAt(text: string, at: number, code: number): TokenKind {
  const next = text.charCodeAt(at + 1);
  switch (code) {
    case 0x2e: // .
      if (next !== 0x2e) return K["."];
      return text.charCodeAt(at + 2) === 0x3d ? K["..="] : K[".."];
    case 0x3d: // =
      return next === 0x3d ? K["=="] : next === 0x3e ? K["=>"] : K["="];
    case 0x3c: // <
      return next === 0x3d ? K["<="] : next === 0x3c ? K["<<"] : next === 0x2d ? K["<-"] : K["<"];
    case 0x3e: // >
      return next === 0x3d ? K[">="] : next === 0x3e ? K[">>"] : K[">"];
    case 0x2d: // -
      return next === 0x3d ? K["-="] : next === 0x3e ? K["->"] : K["-"];
    case 0x26: // &
      return next === 0x26 ? K["&&"] : next === 0x3d ? K["&="] : K["&"];
    case 0x7c: // |
      return next === 0x7c ? K["||"] : next === 0x3d ? K["|="] : K["|"];
    case 0x7e: // ~
      return next === 0x7e ? K["~~"] : K["~"];
    case 0x3a: // :
      return next === 0x3a ? K["::"] : K[":"];
    case 0x3f: // ?
      return next === 0x3f ? K["??"] : K["?"];
    default:
      return next === 0x3d ? (WITH_EQUALS[code] ?? 0) || (ALONE[code] ?? 0) : (ALONE[code] ?? 0);
  }
}

const ALONE = punctuationTable(["+", "*", "/", "%", "!", "^", ";", ",", "{", "}", "(", ")", "[", "]", "@", "#", "$"]);
const WITH_EQUALS = punctuationTable(["+=", "*=", "/=", "%=", "!=", "^="]);

/** Kinds by the first character of their spelling. */
function punctuationTable(spellings: readonly (keyof typeof K)[]): Uint8Array {
  const table = new Uint8Array(128);
  for (const spelling of spellings) table[spelling.charCodeAt(0)] = K[spelling];
  return table;
}
