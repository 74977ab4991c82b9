import type { CodeInfo } from "./entry.ts";

/** Lexer and parser (reference 01). */
export const SYNTAX_CODES = {
  E0001: {
    title: "Unexpected character",
    explanation:
      "This character starts no token. Strings stand between double quotes; there are no character literals.",
    example: "fn main() { let c = 'x'; }",
  },
  E0002: {
    title: "Non-ASCII character outside text",
    explanation: "Outside strings and comments only ASCII is allowed.",
    example: "fn main() { let größe = 1; }",
  },
  E0003: {
    title: "Byte-order mark",
    explanation: "A source file is UTF-8 without a byte-order mark. Save it without one.",
    example: "\ufefffn main() { }",
  },
  E0004: {
    title: "Integer literal too large",
    explanation: "A decimal literal is at most 9223372036854775807; a literal with a base has at most 64 bits.",
    example: "fn main() { println(9223372036854775808); }",
  },
  E0005: {
    title: "No digits after the base",
    explanation: "`0x`, `0o` and `0b` are followed by digits of that base.",
    example: "fn main() { println(0x); }",
  },
  E0006: {
    title: "Unterminated string",
    explanation: "A string, f-string or bytes literal ends with a double quote.",
    example: 'fn main() { println("open); }',
  },
  E0007: {
    title: "Unknown escape",
    explanation: 'The escapes are `\\n \\t \\r \\\\ \\" \\0 \\xNN`; in an f-string also `\\{` and `\\}`.',
    example: 'fn main() { println("\\q"); }',
  },
  E0008: {
    title: "Unclosed interpolation",
    explanation: "An interpolation of an f-string ends with the `}` that balances its `{`.",
    example: 'fn main() { println(f"{1 + 2"); }',
  },
  E0009: {
    title: "Lone closing brace in an f-string",
    explanation: "A brace of the text is written twice: `}}`.",
    example: 'fn main() { println(f"a } b"); }',
  },
  E0010: {
    title: "Empty interpolation",
    explanation: "An interpolation holds one expression; braces of the text are written `{{` and `}}`.",
    example: 'fn main() { println(f"{}"); }',
  },
  E0011: {
    title: "Unterminated Time literal",
    explanation: "A Time literal stands between two backticks.",
    example: "fn main() { println(`2024-01-01T00:00:00Z); }",
  },
  E0012: {
    title: "F-strings nested too deep",
    explanation: "Give the inner texts names with `let`.",
    example: `fn main() { println(${'f"{'.repeat(40)}1${'}"'.repeat(40)}); }`,
  },
  E0101: {
    title: "Unexpected token",
    explanation: "The grammar does not go on like this here; the message says what could stand instead.",
    example: "fn main() { let x = 1 let y = 2; }",
  },
  E0102: {
    title: "Reserved word as a name",
    explanation: "The word belongs to the language; choose another name.",
    example: "fn main() { let run = 1; }",
  },
  E0103: {
    title: "Nesting too deep",
    explanation: "Blocks and expressions nest up to a fixed depth; name parts with `let` or move them to functions.",
    example: `fn main() { println(${"(".repeat(2000)}1${")".repeat(2000)}); }`,
  },
  E0104: {
    title: "Not assignable",
    explanation: "A target is a `mut` variable, a field or an element, reached from a variable or `self`.",
    example: "fn f() -> Int { return 1; } fn main() { f() = 2; }",
  },
  E0105: {
    title: "Declaration in the wrong place",
    explanation:
      "`placement`, `bindings`, `topology` and `claims` belong to the main locus; a `target` stands at the top level.",
    example: "locus A { placement { } }",
  },
  E0106: {
    title: "Topic without payload",
    explanation: "Every topic says what travels on it: `payload: Type;`.",
    example: "topic T { } fn main() { }",
  },
  E0107: {
    title: "Import after a declaration",
    explanation: "Imports stand before every other declaration of their file.",
    example: 'fn main() { } import "x" as x;',
  },
  E0108: {
    title: "Decorator before the wrong declaration",
    explanation: "Some decorators belong before a `fn`, others before a `locus`.",
    example: "@sealed fn main() { }",
  },
  E0109: {
    title: "Unknown decorator",
    explanation: "The name after `@` is none of the language's decorators.",
    example: "@inline fn main() { }",
  },
  E0110: {
    title: "Given twice",
    explanation: "This part may stand once.",
    example: "type P { n: Int; } topic T { payload: P; payload: P; } fn main() { }",
  },
  E0111: {
    title: "Bad format spec",
    explanation: "A spec is `[[fill]align][width][.precision][x|X]`.",
    example: 'fn main() { println(f"{1:zz}"); }',
  },
  E0112: {
    title: "Integer literal expected",
    explanation: "This number must be a literal, of the size the message says.",
    example: "fn main() { let n = 3; let a = [0; n]; }",
  },
  E0113: {
    title: "Effect or domain declared again",
    explanation: "Built-in effects cannot be declared; a domain is declared once, and names each member once.",
    example: "effect syscall; fn main() { }",
  },
  E0114: {
    title: "Unknown domain",
    explanation: "An effect family needs its `domain` earlier in the same file.",
    example: "effect db(tables); fn main() { }",
  },
  E0115: {
    title: "Unexpected word",
    explanation: "Only certain words may stand here; the message lists them.",
    example: "@locality(L9) locus A { } fn main() { }",
  },
} as const satisfies Record<string, CodeInfo>;
