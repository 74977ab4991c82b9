import { decodeFloat, decodeInt, splitQuantity } from "./literals.ts";
import { isReserved, K, spellingOf, type TokenList } from "./tokens.ts";

/** Names of the punctuation tokens by spelling. */
// biome-ignore format: a table reads best in rows
const PUNCTUATION: Readonly<Record<string, string>> = {
  "..=": "DotDotEq", "==": "EqEq", "!=": "NotEq", "<=": "LtEq", ">=": "GtEq", "&&": "AndAnd", "||": "OrOr", "<<": "Shl", ">>": "Shr",
  "+=": "PlusEq", "-=": "MinusEq", "*=": "StarEq", "/=": "SlashEq", "%=": "PercentEq", "&=": "AndEq", "|=": "OrEq", "^=": "CaretEq",
  "~~": "TildeTilde", "->": "Arrow", "<-": "LArrow", "=>": "FatArrow", "::": "ColonColon", "..": "DotDot", "??": "QuestionQuestion",
  "+": "Plus", "-": "Minus", "*": "Star", "/": "Slash", "%": "Percent", "=": "Eq", "<": "Lt", ">": "Gt", "!": "Bang", "&": "And", "|": "Or",
  "^": "Caret", "~": "Tilde", "?": "Question", ":": "Colon", ";": "Semi", ",": "Comma", ".": "Dot", "{": "LBrace", "}": "RBrace",
  "(": "LParen", ")": "RParen", "[": "LBracket", "]": "RBracket", "@": "At", "#": "Hash", $: "Dollar",
};

/** A token as `hale lex` prints it: `Fn`, `Ident("f")`, `Int(3)`, `LParen` (08 section 15). Strings and the like show their source text. */
export function describeToken(tokens: TokenList, index: number): string {
  const kind = tokens.kinds[index] ?? K.eof;
  const text = tokens.textOf(index).replaceAll("\r", "\\r").replaceAll("\n", "\\n");
  switch (kind) {
    case K.eof:
      return "Eof";
    case K.ident:
      return `Ident(${JSON.stringify(text)})`;
    case K.int:
      return `Int(${decodeInt(text)})`;
    case K.float:
      return `Float(${decodeFloat(text)})`;
    case K.decimal:
      return `Decimal(${text.slice(0, -1)})`;
    case K.quantity: {
      const { magnitude, unit } = splitQuantity(text);
      return `Quantity(${magnitude}, ${JSON.stringify(unit)})`;
    }
    case K.string:
      return `String(${text})`;
    case K.fstring:
      return `FString(${text})`;
    case K.bytes:
      return `Bytes(${text})`;
    case K.backtick:
      return `Backtick(${text})`;
    default:
      return isReserved(kind) ? camelCase(spellingOf(kind)) : (PUNCTUATION[spellingOf(kind)] ?? spellingOf(kind));
  }
}

/** `on_failure` to `OnFailure` */
function camelCase(word: string): string {
  return word.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
