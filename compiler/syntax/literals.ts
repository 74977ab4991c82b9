// Escapes and the values of literal tokens (01 section 4). The lexer validates, the parser decodes.

/** What a literal's text allows: `braces` adds `\{` and `\}` and doubled braces, `bytes` lets `\xNN` go up to `ff`. */
export type LiteralText = "string" | "braces" | "bytes";

const BACKSLASH = 0x5c;
const encoder = new TextEncoder();

/** The length of the escape that starts with the backslash at `at` (2 or 4), or 0 when it is none. */
export function escapeLength(text: string, at: number, form: LiteralText): 0 | 2 | 4 {
  switch (text[at + 1]) {
    // biome-ignore format: a table reads best in rows
    case "n":
    case "t":
    case "r":
    case "\\":
    case '"':
    case "0":
      return 2;
    // biome-ignore format: a table reads best in rows
    case "{":
    case "}":
      return form === "braces" ? 2 : 0;
    case "x": {
      const value = hexByte(text, at + 2);
      return value < 0 || (value > 0x7f && form !== "bytes") ? 0 : 4;
    }
    default:
      return 0;
  }
}

/** Says what is wrong with the escape at `at`, for which `escapeLength` gave 0. */
export function escapeProblem(text: string, at: number, form: LiteralText): string {
  const next = text[at + 1] ?? "";
  if (next === "x") {
    const value = hexByte(text, at + 2);
    if (value < 0) return "`\\x` needs two hex digits";
    return `\`${text.slice(at, at + 4)}\` is not ASCII; \`\\xNN\` goes up to \`\\x7f\` in a String`;
  }
  if (next === "" || next === "\n" || next === "\r") return "a backslash at the end of a line is no escape";
  const character = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
  const known = form === "braces" ? '`\\n \\t \\r \\\\ \\" \\0 \\xNN \\{ \\}`' : '`\\n \\t \\r \\\\ \\" \\0 \\xNN`';
  return `unknown escape \`\\${character}\`; the escapes are ${known}`;
}

/** The bytes of a validated literal's text, escapes resolved. */
export function decodeText(text: string, start: number, end: number, form: LiteralText): Uint8Array {
  const raw = text.slice(start, end);
  if (!raw.includes("\\") && (form !== "braces" || !/[{}]/.test(raw))) return utf8(raw);
  return form === "bytes" ? decodeBytes(raw) : utf8(resolveEscapes(raw, form));
}

/** UTF-8 of a string. */
export function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return encoder.encode(text);
    bytes[i] = code;
  }
  return bytes;
}

/** The value of an integer literal, as the signed 64-bit Int it stands for. */
export function decodeInt(text: string): bigint {
  if (text.length <= 15 && isPlainDigits(text)) return BigInt(Number(text));
  const digits = text.replaceAll("_", "");
  return BigInt.asIntN(64, BigInt(/^0[xob]/i.test(digits) ? digits.toLowerCase() : digits));
}

/** Magnitude and unit name of a quantity literal's text. */
export function splitQuantity(text: string): { magnitude: bigint; unit: string } {
  let at = 0;
  while (isDigitOrUnderscore(text.charCodeAt(at))) at++;
  return { magnitude: decodeInt(text.slice(0, at)), unit: text.slice(at) };
}

export function decodeFloat(text: string): number {
  return Number(text.replaceAll("_", ""));
}

const DECIMAL_DIGITS = 9;
/** 10^128 is a multiple of 2^128: in 128 bits a larger shift gives the same value. */
const MAX_SHIFT = 128;

/** The count of 10^-9 that a Decimal literal's text (with its `d`) stands for; further fraction digits are cut (03 7.1). */
export function decodeDecimal(text: string): bigint {
  const plain = text.slice(0, -1).replaceAll("_", "");
  const [mantissa = "", exponentText = "0"] = plain.split(/[eE]/);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const exponent = Math.max(-1e6, Math.min(1e6, Number(exponentText)));
  const shift = exponent - fraction.length + DECIMAL_DIGITS;
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return BigInt.asIntN(128, digits * 10n ** BigInt(Math.min(shift, MAX_SHIFT)));
  const cut = -shift;
  return cut > whole.length + fraction.length ? 0n : BigInt.asIntN(128, digits / 10n ** BigInt(cut));
}

function isPlainDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

function isDigitOrUnderscore(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x5f;
}

function hexByte(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at));
  const low = hexDigit(text.charCodeAt(at + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** The value of a hex digit's character code, -1 for any other. */
export function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function resolveEscapes(raw: string, form: LiteralText): string {
  let result = "";
  let copied = 0;
  for (let i = 0; i < raw.length; i++) {
    const code = raw.charCodeAt(i);
    if (code === BACKSLASH) {
      result += raw.slice(copied, i) + escapedCharacter(raw, i);
      i += raw[i + 1] === "x" ? 3 : 1;
      copied = i + 1;
    } else if (form === "braces" && (code === 0x7b || code === 0x7d)) {
      result += raw.slice(copied, i + 1);
      i += 1;
      copied = i + 1;
    }
  }
  return result + raw.slice(copied);
}

function escapedCharacter(raw: string, at: number): string {
  const letter = raw[at + 1] ?? "";
  switch (letter) {
    case "n":
      return "\n";
    case "t":
      return "\t";
    case "r":
      return "\r";
    case "0":
      return "\0";
    case "x":
      return String.fromCharCode(hexByte(raw, at + 2));
    default:
      return letter;
  }
}

function decodeBytes(raw: string): Uint8Array {
  const bytes: number[] = [];
  for (let i = 0; i < raw.length; ) {
    if (raw.charCodeAt(i) === BACKSLASH) {
      bytes.push(escapedCharacter(raw, i).charCodeAt(0));
      i += raw[i + 1] === "x" ? 4 : 2;
    } else {
      const character = String.fromCodePoint(raw.codePointAt(i) ?? 0);
      bytes.push(...utf8(character));
      i += character.length;
    }
  }
  return Uint8Array.from(bytes);
}
