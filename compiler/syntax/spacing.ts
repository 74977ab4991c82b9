// One space or none between two tokens on one line (02 section 5).
import { punctuationAt } from "./punctuation.ts";
import {
  BINARY_OPERATORS,
  FIRST_RESERVED,
  flags,
  isReserved,
  K,
  spellingOf,
  type TokenKind,
  type TokenList,
} from "./tokens.ts";

/** How many tokens after a `<` its `>` may stand for the two to be generic angles. */
const ANGLE_REACH = 32;

// biome-ignore format: a table reads best in rows
const OPERAND_ENDS = flags(
  K.ident, K.int, K.float, K.decimal, K.quantity, K.string, K.fstring, K.bytes, K.backtick, K[")"], K["]"], K["}"], K.self, K.true,
  K.false, K.nil,
);
const ANGLE_CONTENT = flags(K.ident, K[","], K["::"], K["["], K["]"], K[";"], K.int);
const AFTER_ANGLE_TIGHT = flags(K[","], K[";"], K[")"], K["]"], K["("], K["["], K[">"]);
const TIGHT_BEFORE = flags(K[","], K[";"], K["."], K["::"], K[".."], K["..="], K[")"], K["]"], K["?"], K["??"]);
const TIGHT_AFTER = flags(K["."], K["::"], K[".."], K["..="], K["@"], K["#"], K["$"], K["("], K["["]);
/** What a `(` or `[` stands directly after. */
// biome-ignore format: a table reads best in rows
const HUGS_PARENTHESIS = flags(
  K.ident, K.self, K[")"], K["]"], K[">"], K.run, K.birth, K.accept, K.drain, K.dissolve, K.on_failure, K.bulk, K.harmonic,
  K.resolution, K.perspective,
);
const NUMBERS = flags(K.int, K.float, K.decimal, K.quantity);

/** Marks with 1 each `<` and `>` token that is a generic angle. */
export function genericAngles(tokens: TokenList): Uint8Array {
  const { kinds, count } = tokens;
  const angles = new Uint8Array(count);
  for (let index = 1; index < count; index++) {
    if (kinds[index] === K["<"] && kinds[index - 1] === K.ident) markAngles(kinds, angles, index);
  }
  return angles;
}

function markAngles(kinds: Uint8Array, angles: Uint8Array, open: number): void {
  let nested = 1;
  for (let at = open + 1; at <= open + ANGLE_REACH; at++) {
    const kind = kinds[at] ?? K.eof;
    if (kind === K["<"]) nested++;
    else if (kind === K[">"]) {
      nested--;
      if (nested === 0) {
        angles[open] = 1;
        for (let passed = open + 1; passed <= at; passed++) if (kinds[passed] === K[">"]) angles[passed] = 1;
        return;
      }
    } else if (ANGLE_CONTENT[kind] !== 1) return;
  }
}

/** Whether a space stands between the token at `index` and the one before it on the same line. */
export function spaceBetween(tokens: TokenList, angles: Uint8Array, index: number): boolean {
  return spaceByTable(tokens, angles, index) || wouldJoin(tokens, index);
}

function spaceByTable(tokens: TokenList, angles: Uint8Array, index: number): boolean {
  const { kinds } = tokens;
  const p = kinds[index - 1] ?? K.eof;
  const n = kinds[index] ?? K.eof;
  const isAngleAfter = angles[index] === 1;
  const isAngleBefore = angles[index - 1] === 1;
  if (isAngleAfter || (isAngleBefore && p === K["<"])) return false;
  if (isAngleBefore) return AFTER_ANGLE_TIGHT[n] !== 1;
  if (n === K[":"]) return kinds[index + 1] === K.ident && tokens.wordOf(index + 1) === "serves";
  if (TIGHT_BEFORE[n] === 1 || TIGHT_AFTER[p] === 1) return false;
  if (n === K["@"] || n === K["#"] || n === K["$"]) return true;
  const isSign = p === K["+"] || p === K["-"];
  const isPrefix = p === K["!"] || p === K["~"];
  if ((n === K["!"] || n === K["~"] || n === K["+"] || n === K["-"]) && !isOperandEnd(kinds, index - 1)) {
    return !isPrefix && !(isSign && !isOperandEnd(kinds, index - 2));
  }
  if (isPrefix) return false;
  if (isSign) return isOperandEnd(kinds, index - 2);
  if (BINARY_OPERATORS[p] === 1 || BINARY_OPERATORS[n] === 1) return true;
  if (n === K["("] || n === K["["]) return HUGS_PARENTHESIS[p] !== 1 && !(p === K.in && kinds[index - 2] === K["."]);
  return true;
}

/** An operand ends here: an identifier, a literal, a closing bracket, or a reserved word as a member name. */
function isOperandEnd(kinds: Uint8Array, index: number): boolean {
  const kind = kinds[index] ?? K.eof;
  return OPERAND_ENDS[kind] === 1 || (isReserved(kind) && kinds[index - 1] === K["."]);
}

/** Whether the two tokens, written without a space, would read as other ones: then the space stays (02 2.1). */
function wouldJoin(tokens: TokenList, index: number): boolean {
  const { kinds } = tokens;
  const p = kinds[index - 1] ?? K.eof;
  const n = kinds[index] ?? K.eof;
  // `t.0 .1`: without the space `0.1` is one number.
  if (p === K.int && n === K["."] && NUMBERS[kinds[index + 1] ?? K.eof] === 1) return true;
  return isPunctuation(p) && isPunctuation(n) && joins(p, n);
}

function isPunctuation(kind: TokenKind): boolean {
  return kind > K.backtick && kind < FIRST_RESERVED;
}

/** Memo of `joins`: 0 unknown, 1 no, 2 yes. */
const JOINS = new Uint8Array(FIRST_RESERVED * FIRST_RESERVED);

function joins(p: TokenKind, n: TokenKind): boolean {
  const slot = p * FIRST_RESERVED + n;
  const known = JOINS[slot] ?? 0;
  if (known !== 0) return known === 2;
  const text = spellingOf(p) + spellingOf(n);
  const result = punctuationAt(text, 0, text.charCodeAt(0)) !== p;
  JOINS[slot] = result ? 2 : 1;
  return result;
}
