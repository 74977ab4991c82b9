// What a parse error says to those who bring the habits of another language: from the words around the error to the way Hale writes it.
import { K, type TokenKind } from "./tokens.ts";
import type { Parser } from "./parser.ts";

/** Words that start a declaration, a statement or an operand elsewhere, and what stands there in Hale. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...["function", "func", "fun", "def", "proc", "sub"].map(
    (word) => [word, "a function is `fn name() { .. }`"] as const,
  ),
  ...["struct", "record", "data"].map((word) => [word, "a record is `type Name { field: T; }`"] as const),
  ["class", "a record is `type Name { field: T; }`, state with methods is `locus Name { .. }`"],
  ["enum", "an enum is `type Name = enum { A, B(Int), };`"],
  ...["pub", "public", "private", "protected", "static", "extern"].map(
    (word) => [word, `there is no visibility: leave \`${word}\` out`] as const,
  ),
  ...["use", "include", "require", "using", "from"].map(
    (word) => [word, 'an import is `import "path" as name;`; the standard library needs none'] as const,
  ),
  ...["var", "val", "auto", "int", "float", "double", "string", "bool", "char", "long"].map(
    (word) => [word, "a variable is `let x = ..;`, or `let mut x = ..;` to assign it again"] as const,
  ),
  ["and", "the operator is `&&`"],
  ["not", "the operator is `!`"],
  ["is", "the operator is `==`"],
  ["new", "a value is made by its literal: `Name { field: value }`"],
  ...["try", "catch", "except"].map(
    (word) => [word, "a failure is handled at the call: `f() or handler(err)`"] as const,
  ),
  ["throw", "a `fallible` fn fails with `fail value;`"],
  ...["elif", "elseif", "elsif"].map((word) => [word, "write `else if`"] as const),
  ["loop", "write `while true { .. }`"],
  ["do", "there is no `do`; write `while true { .. if done { break; } }`"],
  ...["switch", "case"].map((word) => [word, "write `match value { pattern -> result, _ -> other }`"] as const),
  ["unless", "write `if !condition { .. }`"],
  ...["print", "println", "echo", "printf"].map((word) => [word, "printing is a call: `println(..)`"] as const),
]);

/** Statements that people write behind `or`. */
const LEAVES: ReadonlySet<TokenKind> = new Set([K.return, K.break, K.continue]);

/** Statements that people write behind the `->` of an arm. */
const ARM_STATEMENTS: ReadonlySet<TokenKind> = new Set([
  ...LEAVES,
  ...[K.let, K.while, K.for, K.yield, K.terminate],
  ...[K.restart, K.restart_in_place, K.quarantine, K.reorganize, K.bubble],
]);
const STATEMENT_OPERATORS: ReadonlySet<TokenKind> = new Set([
  K["<-"],
  ...[K["="], K["+="], K["-="], K["*="], K["/="], K["%="], K["&="], K["|="], K["^="]],
]);
const ARM_HINT = "the body of an arm is an expression; statements stand in braces: `-> { .. }`";

/** What to say when neither a `,` nor the `}` of the `match` follows an arm. */
export function armHint(p: Parser): string {
  return STATEMENT_OPERATORS.has(p.kind) || p.peekWord(-1, "fail") || p.peekWord(-1, "violate")
    ? ARM_HINT
    : "arms are separated by `,`, also after a block";
}

/** A hint for `expected .., found ..` at the current token, or undefined. */
export function habitHint(p: Parser, expected: string): string | undefined {
  const unended = unendedLine(p, expected);
  if (unended !== undefined) return unended;
  const here = p.kind === K.ident ? WORDS.get(p.tokens.wordOf(p.pos)) : undefined;
  if (expected === "a declaration") return declarationHint(p) ?? here;
  if (expected === "the import's path, a string") return WORDS.get("use");
  if (expected === "`in`" && p.kind === K[","]) return "a loop has one variable; `enumerate()` in a chain counts";
  if (expected === "`(`" && p.peekWord(-1, "fallible")) return "name what it fails with: `fallible(String)`";
  if (p.kind === K["?"]) return "there is no optional type: `Option<T>` has `Some(T)` and `None`";
  if (p.kind === K.ident && p.atWord("throws")) return "an error type stands behind the result: `-> T fallible(E)`";
  if (p.peekWord(-1, "fail")) return "`fail value;` is a statement of its own, in a `fallible` fn";
  if (p.peekWord(-1, "or") && LEAVES.has(p.kind)) return `leave in a block: \`or { ${p.text}; }\``;
  if (expected === "an expression" && p.peek(-1) === K["->"] && ARM_STATEMENTS.has(p.kind)) return ARM_HINT;
  if (expected === "`->`" && (p.kind === K["=>"] || p.kind === K[":"])) return "an arm is `pattern -> value`";
  if (expected === "the fn's body" && p.kind !== K[";"])
    return "a result type stands behind `->`: `fn f() -> Int { .. }`";
  if (expected === "`{`" && p.kind === K["="]) return "`=` assigns and is no expression; equality is `==`";
  if (expected === "`{`" && (p.atWord("step") || p.atWord("by"))) return "a range has no step; count with `while`";
  if (expected === "the name of a field" && p.kind === K[".."])
    return "there is no spread; write every field, or give it a default in its type";
  if (expected === "`)`" && p.kind === K[":"] && isArgument(p))
    return "arguments have no names; they stand in the parameters' order";
  if (expected === "`:`" && p.kind === K.ident) return "a parameter is `name: Type`";
  if (expected === "the name of a loop variable")
    return "a loop is `for i in 0..n { .. }`, or `while condition { .. }`";
  if (expected === "an expression" && p.kind === K["|"]) return "there are no lambdas; declare a `fn` and use its name";
  if ((expected === "`;`" || expected === "`)`") && p.kind === K["=>"])
    return "there are no lambdas; declare a `fn` and use its name";
  if (expected === "`;`" && p.kind === K["!"]) return "a failure is handled with `or`: `f() or raise`";
  if (expected === "`;`" && p.kind === K[":"] && p.peek(1) === K["="]) return "a variable is `let x = ..;`";
  if (p.peekWord(-2, "or") && p.peekWord(-1, "raise")) return "nothing follows `or raise`; put it in parentheses";
  const before = p.tokens.kinds[p.pos - 1] === K.ident ? WORDS.get(p.tokens.wordOf(p.pos - 1)) : undefined;
  return here ?? before ?? earlierWord(p);
}

function declarationHint(p: Parser): string | undefined {
  if (p.kind === K["}"]) return "there is one `}` too many above";
  if (p.kind === K.impl) return "methods belong to a `locus Name { .. }`; functions of a record take it as a parameter";
  return p.kind === K.let ? "a value of the whole program is `const NAME: Type = value;`" : undefined;
}

/** What was meant, where a reserved word stands as the name of `what`. */
export function reservedNameHint(word: string, what: string): string | undefined {
  if (what === "a fn" && HOOK_WORDS.has(word)) return `a hook of a locus stands without \`fn\`: \`${word}() { .. }\``;
  if (what === "a field" && word === "fn")
    return "a record has no methods; a `locus` has, and a function may take the record";
  return undefined;
}

const HOOK_WORDS: ReadonlySet<string> = new Set(["birth", "accept", "release", "run", "drain", "dissolve"]);

/** `f(a: 1)` or `f(1, b: 2)`: what stands before the `:` is a call's argument. */
function isArgument({ tokens, pos }: Parser): boolean {
  const before = tokens.kinds[pos - 2];
  return before === K[","] || (before === K["("] && tokens.kinds[pos - 3] === K.ident);
}

/** `if a { .. } elif b { .. }`: the word stands one before the token that cannot go on. */
function earlierWord(p: Parser): string | undefined {
  const at = p.itemStart;
  if (at < 0 || at >= p.pos || p.pos - at > 3 || p.tokens.kinds[at] !== K.ident) return undefined;
  return WORDS.get(p.tokens.wordOf(at));
}

/** A missing `;` is noticed at the next token, which is often on another line (01 12.1). */
function unendedLine(p: Parser, expected: string): string | undefined {
  const end = p.tokens.ends[p.pos - 1];
  if (expected !== "`;`" || end === undefined || p.tokens.offsets !== undefined) return undefined;
  const { line } = p.file.positionAt(end);
  return line < p.file.positionAt(p.start).line ? `line ${line} ends without its \`;\`` : undefined;
}
