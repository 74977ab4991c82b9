// Number tokens: where they end and what they are (01 4.1 to 4.4).
import { hexDigit } from "./literals.ts";
import { K, type TokenKind } from "./tokens.ts";

export interface ScannedNumber {
  readonly kind: TokenKind;
  readonly end: number;
  /** What is wrong with it, if anything. */
  readonly problem?: "too large" | "over 64 bits" | "no digits";
}

const MAX_INT = 9223372036854775807n;
const MAX_BITS = 0xffff_ffff_ffff_ffffn;

/** The number token that starts with the digit at `start`. */
export function scanNumber(text: string, start: number): ScannedNumber {
  if (text.charCodeAt(start) === 0x30) {
    const radix = radixOf(text.charCodeAt(start + 1));
    if (radix !== 0) return scanRadix(text, start, radix);
  }
  const whole = skipDigits(text, start + 1);
  let end = whole;
  if (text.charCodeAt(end) === 0x2e && isDigit(text.charCodeAt(end + 1))) end = skipDigits(text, end + 2);
  end = skipExponent(text, end);
  if (text.charCodeAt(end) === 0x64 && !isWordPart(text.charCodeAt(end + 1))) return { kind: K.decimal, end: end + 1 };
  if (end > whole) return { kind: K.float, end };
  const kind = isLetter(text.charCodeAt(end)) ? K.quantity : K.int;
  if (kind === K.quantity) while (isWordPart(text.charCodeAt(end))) end++;
  return fitsInt(text, start, whole) ? { kind, end } : { kind, end, problem: "too large" };
}

function scanRadix(text: string, start: number, radix: number): ScannedNumber {
  let end = start + 2;
  let digits = 0;
  for (; ; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x5f) continue;
    const digit = hexDigit(code);
    if (digit < 0 || digit >= radix) break;
    digits++;
  }
  if (digits === 0) return { kind: K.int, end, problem: "no digits" };
  const value = BigInt(text.slice(start, end).toLowerCase().replaceAll("_", ""));
  return value > MAX_BITS ? { kind: K.int, end, problem: "over 64 bits" } : { kind: K.int, end };
}

function radixOf(code: number): number {
  switch (code | 0x20) {
    case 0x78:
      return 16;
    case 0x6f:
      return 8;
    case 0x62:
      return 2;
    default:
      return 0;
  }
}

function fitsInt(text: string, start: number, end: number): boolean {
  return end - start <= 18 || BigInt(text.slice(start, end).replaceAll("_", "")) <= MAX_INT;
}

function skipDigits(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end)) || text.charCodeAt(end) === 0x5f) end++;
  return end;
}

/** The end of the exponent at `at`, or `at` when none stands there. */
function skipExponent(text: string, at: number): number {
  if ((text.charCodeAt(at) | 0x20) !== 0x65) return at;
  const sign = text.charCodeAt(at + 1);
  let end = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
  if (!isDigit(text.charCodeAt(end))) return at;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isWordPart(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 0x5f;
}
