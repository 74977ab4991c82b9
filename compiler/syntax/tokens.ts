import type { SourceFile } from "../source/index.ts";
import type { WordTable } from "./words.ts";

/** Token kinds by spelling (01 section 5 and 2.2). A reserved word's kind is `FIRST_RESERVED` plus its place in `RESERVED_WORDS`. */
// biome-ignore format: a table reads best in rows
export const K = {
  eof: 0, ident: 1, int: 2, float: 3, decimal: 4, quantity: 5, string: 6, fstring: 7, bytes: 8, backtick: 9,
  "..=": 10, "==": 11, "!=": 12, "<=": 13, ">=": 14, "&&": 15, "||": 16, "<<": 17, ">>": 18,
  "+=": 19, "-=": 20, "*=": 21, "/=": 22, "%=": 23, "&=": 24, "|=": 25, "^=": 26,
  "~~": 27, "->": 28, "<-": 29, "=>": 30, "::": 31, "..": 32, "??": 33,
  "+": 34, "-": 35, "*": 36, "/": 37, "%": 38, "=": 39, "<": 40, ">": 41, "!": 42, "&": 43, "|": 44, "^": 45,
  "~": 46, "?": 47, ":": 48, ";": 49, ",": 50, ".": 51, "{": 52, "}": 53, "(": 54, ")": 55, "[": 56, "]": 57,
  "@": 58, "#": 59, "$": 60,
  accept: 64, as_parent_for: 65, async: 66, await: 67, birth: 68, break: 69, bubble: 70, bulk: 71, bus: 72,
  capacity: 73, chunked: 74, closure: 75, const: 76, consume: 77, continue: 78, contract: 79, dissolve: 80,
  drain: 81, else: 82, epoch: 83, export: 84, expose: 85, false: 86, fn: 87, for: 88, harmonic: 89, if: 90,
  impl: 91, import: 92, in: 93, indexed_by: 94, inferred: 95, interface: 96, let: 97, locus: 98, macro: 99,
  match: 100, module: 101, mut: 102, nil: 103, of: 104, on: 105, on_failure: 106, params: 107,
  persists_through: 108, perspective: 109, projection: 110, publish: 111, quarantine: 112, recognition: 113,
  release: 114, reorganize: 115, resets_on: 116, resets_per_epoch: 117, resolution: 118, restart: 119,
  restart_in_place: 120, return: 121, rich: 122, run: 123, self: 124, serialize_as: 125, stable_when: 126,
  subscribe: 127, terminate: 128, tier: 129, trait: 130, true: 131, type: 132, where: 133, while: 134, yield: 135,
} as const;

/** A kind of token: one of the numbers of `K`. */
export type TokenKind = number;

export const FIRST_RESERVED = K.accept;

/** All spellings, indexed by kind. */
const SPELLINGS: readonly string[] = buildSpellings();

/** The reserved words in the order of their kinds. */
export const RESERVED_WORDS: readonly string[] = SPELLINGS.slice(FIRST_RESERVED);

/** `1` for the reserved words that may name a member (01 2.4), indexed by kind. */
// biome-ignore format: a table reads best in rows
const MEMBER_WORDS: Uint8Array = flags(
  K.bulk, K.harmonic, K.resolution, K.closure, K.locus, K.params, K.contract, K.bus, K.capacity, K.tier, K.projection,
  K.perspective, K.type, K.birth, K.accept, K.release, K.run, K.drain, K.dissolve, K.in,
);

/** `1` for the binary-operator tokens of the formatter (02 section 4), indexed by kind. */
// biome-ignore format: a table reads best in rows
export const BINARY_OPERATORS: Uint8Array = flags(
  K["+"], K["-"], K["*"], K["/"], K["%"], K["="], K["=="], K["!="], K["<"], K[">"], K["<="], K[">="], K["&&"], K["||"], K["&"], K["|"],
  K["^"], K["<<"], K[">>"], K["<-"], K["+="], K["-="], K["*="], K["/="], K["%="], K["&="], K["|="], K["^="], K["~~"], K["->"], K["=>"],
);

/** Whether a token of this kind may be a member name (01 2.4). */
export function isMemberName(kind: TokenKind): boolean {
  return kind === K.ident || MEMBER_WORDS[kind] === 1;
}

/** Whether the kind is one of the reserved words. */
export function isReserved(kind: TokenKind): boolean {
  return kind >= FIRST_RESERVED;
}

/** The fixed spelling of a punctuation or reserved kind; "" for kinds whose text varies. */
export function spellingOf(kind: TokenKind): string {
  return kind <= K.backtick ? "" : (SPELLINGS[kind] ?? "");
}

/** A set of kinds as a table: `1` at each given kind. */
export function flags(...kinds: readonly TokenKind[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const kind of kinds) table[kind] = 1;
  return table;
}

function buildSpellings(): string[] {
  const spellings: string[] = [];
  for (const [spelling, kind] of Object.entries(K)) spellings[kind] = spelling;
  return spellings;
}

/** One piece of an f-string: literal text, or an interpolation whose tokens start at `first` of `tokens` and end with an `eof` token. */
export type FStringPiece =
  | { readonly kind: "text"; readonly start: number; readonly end: number }
  | {
      readonly kind: "expr";
      /** Offsets of `{` and of what follows `}` in the text of the f-string's own list. */
      readonly start: number;
      readonly end: number;
      readonly tokens: TokenList;
      first: number;
      /** The text after the last top-level `:`, in `tokens.text`; missing without a `:`. */
      readonly spec?: { readonly start: number; readonly end: number };
    };

/**
 * The tokens of one text, as parallel arrays: `kinds[i]`, and offsets `starts[i]` to `ends[i]` into `text`.
 * Offsets are UTF-16 offsets of the source file, except in lists with an `offsets` map: those hold the tokens of
 * interpolations written with escapes (`f"{g(\"a\")}"`), whose text exists nowhere in the file.
 */
export class TokenList {
  readonly file: SourceFile;
  readonly text: string;
  /** `offsets[i]` is the place in the file of offset `i` of `text`. */
  readonly offsets: Int32Array | undefined;
  readonly words: WordTable;
  readonly fstrings: (readonly FStringPiece[])[] = [];
  kinds: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
  /** For words: their number in `words`. For f-strings: their place in `fstrings`. */
  values: Int32Array;
  count = 0;

  constructor(file: SourceFile, text: string, offsets: Int32Array | undefined, words: WordTable, capacity: number) {
    this.file = file;
    this.text = text;
    this.offsets = offsets;
    this.words = words;
    this.kinds = new Uint8Array(capacity);
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
    this.values = new Int32Array(capacity);
  }

  push(kind: TokenKind, start: number, end: number, value: number): void {
    const index = this.count;
    if (index === this.kinds.length) this.#grow();
    this.kinds[index] = kind;
    this.starts[index] = start;
    this.ends[index] = end;
    this.values[index] = value;
    this.count = index + 1;
  }

  /** The token's source text as this list's text spells it. */
  textOf(index: number): string {
    return this.text.slice(this.starts[index] ?? 0, this.ends[index] ?? 0);
  }

  /** The text of an identifier or reserved word: equal words are one string object per file. */
  wordOf(index: number): string {
    return this.words.textOf(this.values[index] ?? 0);
  }

  /** The place in the file of an offset of this list's text. */
  toSource(offset: number): number {
    return this.offsets ? (this.offsets[offset] ?? this.file.text.length) : offset;
  }

  #grow(): void {
    const capacity = this.kinds.length * 2 + 16;
    const kinds = new Uint8Array(capacity);
    kinds.set(this.kinds);
    this.kinds = kinds;
    this.starts = grown(this.starts, capacity);
    this.ends = grown(this.ends, capacity);
    this.values = grown(this.values, capacity);
  }
}

function grown(array: Int32Array, capacity: number): Int32Array {
  const result = new Int32Array(capacity);
  result.set(array);
  return result;
}
