// Programs that are almost right: the suite's own ones with tokens, statements and types exchanged. Most are refused by the checker, not by the grammar.

/** A program as its tokens; each carries the blanks and comments before it. */
export interface Tokens {
  readonly texts: readonly string[];
  readonly gaps: readonly string[];
}

const TOKEN =
  /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+|[fb]?"(?:\\[\s\S]|[^"\\])*"|`[^`]*`|[A-Za-z_]\w*|\d+(?:\.\d+)?\w*|\.\.=|[=!<>]=|&&|\|\||<<|>>|[-+*/%&|^]=|->|<-|=>|::|\.\.|~~|[\s\S]/g;

export function tokensOf(text: string): Tokens {
  const texts: string[] = [];
  const gaps: string[] = [];
  let gap = "";
  for (const [piece] of text.matchAll(TOKEN)) {
    if (/^(?:\s|\/\/|\/\*)/.test(piece)) gap += piece;
    else {
      texts.push(piece);
      gaps.push(gap);
      gap = "";
    }
  }
  return { texts, gaps };
}

/** The numbers 0 to below 2^32 of one seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A whole number from 0 to below `limit`; 0 when that is 0. */
  below(limit: number): number {
    return limit === 0 ? 0 : this.next() % limit;
  }

  of<T>(items: readonly T[], otherwise: T): T {
    return items[this.below(items.length)] ?? otherwise;
  }
}

interface Edited {
  texts: string[];
  gaps: string[];
}

type Mutation = (program: Edited, dice: Dice, other: Tokens) => void;

const MUTATIONS: readonly Mutation[] = [
  exchangeName,
  exchangeName,
  exchangeName,
  exchangeType,
  exchangeType,
  exchangeOperand,
  exchangeOperand,
  exchangeOperator,
  exchangeOperator,
  dropToken,
  doubleToken,
  swapNeighbours,
  dropStatement,
  moveStatement,
  moveStatement,
  borrowStatement,
  exchangeGroups,
  exchangeGroups,
  wrapOperand,
  wrapOperand,
  insertWord,
  cutOff,
];

/** The program `seed` of a corpus: one of its texts with one to three changes. */
export function mutatedProgram(corpus: readonly Tokens[], seed: number): string {
  const dice = new Dice(seed);
  for (let i = 0; i < 4; i++) dice.next();
  const nothing: Tokens = { texts: [], gaps: [] };
  const original = dice.of(corpus, nothing);
  const program: Edited = { texts: [...original.texts], gaps: [...original.gaps] };
  const changes = 1 + dice.below(3);
  for (let i = 0; i < changes; i++) dice.of(MUTATIONS, dropToken)(program, dice, dice.of(corpus, nothing));
  return program.texts.map((text, i) => (program.gaps[i] ?? "") + text).join("");
}

const TYPES = [
  "Int", "Float", "Decimal", "String", "Bool", "Time", "Duration", "Bytes", "BytesView", "StringView", "()", "[Int; 2]", "(Int, String)", "fn(Int) -> Int",
  "bounded[Int; 3]", "Option<Int>", "[String; 3]", "Uint", "Result<Int, String>",
]; // biome-ignore format: a table reads best in rows
const OPERANDS = [
  "0", "1", "9223372036854775807", "1.5", "2d", "true", '"a"', 'b"\\xff"', "5s", "`2024-01-01T00:00:00Z`", "self", "[1, 2]", '(1, "b")', "err", "it", "nil",
  "0 - 1", "len", "main", "println(1)", '{ 1 }', 'f"{1}{"x"}"', "[0; 3]", "Option_Int::Some(1)", "to_string(1)", "1 / 0", "if true { 1 } else { 2 }",
  "match 1 { _ -> 2 }", "std::str::upper(\"a\")", "std::env::args_count()",
]; // biome-ignore format: a table reads best in rows
const OPERATORS = [
  "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "..", "..=", "or", "=", "+=", "-=", "<-", ".", "::", "->", ",",
]; // biome-ignore format: a table reads best in rows
const WORDS = [
  "mut", "return", "break;", "continue;", "fail 1;", "or raise", "or discard", "or fail 1", "fallible(String)", "yield;", "terminate;", "let x = 1;", "{", "}", "(", ")",
  "@hot", "@unbounded", "main", "else", "if true", "where key == 1", "println();", "for i in 0..2", "while false", "run() { }", "birth() { }", "dissolve() { }", "drain() { }",
  "accept(c: Int) { }", "params { x: Int; }", "capacity { pool p of Int; }", "bus { }", "contract { }", ": tier 1", "of type Int", "type T { a: Int; }", "self.", "-",
]; // biome-ignore format: a table reads best in rows

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

function isTypeName(text: string): boolean {
  return /^[A-Z]\w*$/.test(text);
}

function isKeyword(text: string): boolean {
  return /^(?:fn|let|mut|type|return|if|else|match|for|while|in|or|locus|main|const|params|fail|fallible|true|false|enum|run|birth|bus|topic)$/.test(
    text,
  );
}

function isOperand(text: string): boolean {
  return /^[\w"`]|^[fb]"/.test(text);
}

/** Places of the tokens that `which` accepts. */
function places(program: Edited, which: (text: string) => boolean): number[] {
  const found: number[] = [];
  for (const [i, text] of program.texts.entries()) if (which(text)) found.push(i);
  return found;
}

/** A name becomes another one of the same case, most often. */
function exchangeName(program: Edited, dice: Dice): void {
  const names = places(program, isName);
  const to = dice.of(names, 0);
  const isType = isTypeName(program.texts[to] ?? "");
  const from =
    dice.below(6) === 0
      ? names
      : names.filter((at) => isTypeName(program.texts[at] ?? "") === isType && !isKeyword(program.texts[at] ?? ""));
  program.texts[to] = program.texts[dice.of(from, to)] ?? "x";
}

function exchangeType(program: Edited, dice: Dice): void {
  const named = places(program, isTypeName);
  program.texts[dice.of(named, 0)] =
    dice.below(3) === 0 ? (program.texts[dice.of(named, 0)] ?? "Int") : dice.of(TYPES, "Int");
}

function exchangeOperand(program: Edited, dice: Dice): void {
  program.texts[dice.of(places(program, isOperand), 0)] = dice.of(OPERANDS, "0");
}

function exchangeOperator(program: Edited, dice: Dice): void {
  const binary = places(program, (text) => /^(?:[-+*/%&|^]=?|<<|>>|[<>=!]=|[<>]|&&|\|\||or|\.\.=?)$/.test(text));
  const any = places(program, (text) => !isOperand(text));
  program.texts[dice.of(dice.below(4) === 0 ? any : binary, 0)] = dice.of(OPERATORS, "+");
}

function dropToken(program: Edited, dice: Dice): void {
  remove(program, dice.below(program.texts.length), 1);
}

function doubleToken(program: Edited, dice: Dice): void {
  const at = dice.below(program.texts.length);
  insert(program, at, [program.texts[at] ?? ""]);
}

function swapNeighbours(program: Edited, dice: Dice): void {
  const at = dice.below(program.texts.length - 1);
  const [left, right] = [program.texts[at] ?? "", program.texts[at + 1] ?? ""];
  program.texts[at] = right;
  program.texts[at + 1] = left;
}

function dropStatement(program: Edited, dice: Dice): void {
  const { from, length } = statement(program.texts, dice);
  remove(program, from, length);
}

function moveStatement(program: Edited, dice: Dice): void {
  const { from, length } = statement(program.texts, dice);
  const moved = program.texts.slice(from, from + length);
  if (dice.below(2) === 0) remove(program, from, length);
  insert(program, afterStatement(program.texts, dice), moved);
}

function borrowStatement(program: Edited, dice: Dice, other: Tokens): void {
  const { from, length } = statement(other.texts, dice);
  insert(program, afterStatement(program.texts, dice), other.texts.slice(from, from + length));
}

/** Puts the inside of one pair of brackets into another pair of the same kind. */
function exchangeGroups(program: Edited, dice: Dice): void {
  const kind = dice.of(["(", "(", "{", "["], "(");
  const opening = places(program, (text) => text === kind);
  const [from, to] = [dice.of(opening, 0), dice.of(opening, 0)];
  const inside = program.texts.slice(from + 1, closing(program.texts, from));
  const end = closing(program.texts, to);
  if (inside.length > 400) return;
  remove(program, to + 1, end - to - 1);
  insert(program, to + 1, inside);
}

function wrapOperand(program: Edited, dice: Dice): void {
  const at = dice.of(places(program, isOperand), 0);
  const text = program.texts[at] ?? "x";
  const [before, after] = dice.of(
    [
      ["(", ")"], ["[", "]"], ["-", ""], ["!", ""], ["", "or 0"], ["(", "or raise)"], ["", ".x"], ["", ".0"], ["", "[0]"], ["", "()"], ["to_string(", ")"], ["{", "}"],
      ["(", ", 1)"], ["if true {", "} else { 0 }"], ["match", "{ x -> x }"], ["f\"{", "}\""], ["", "as x"], ["Some(", ")"], ["", "{ }"], ["", ".get(0) or 1"], ["", ".each { it; }"],
    ] as const,
    ["(", ")"] as const,
  ); // biome-ignore format: a table reads best in rows
  program.texts[at] = `${before} ${text} ${after}`;
}

function insertWord(program: Edited, dice: Dice): void {
  insert(program, dice.below(2) === 0 ? afterStatement(program.texts, dice) : dice.below(program.texts.length), [
    dice.of(WORDS, ";"),
  ]);
}

function cutOff(program: Edited, dice: Dice): void {
  if (dice.below(8) === 0) remove(program, dice.below(program.texts.length), program.texts.length);
}

/** A run of tokens between two ends of statements or declarations. */
function statement(texts: readonly string[], dice: Dice): { from: number; length: number } {
  const from = afterStatement(texts, dice);
  let depth = 0;
  let at = from;
  for (; at < texts.length; at++) {
    const text = texts[at] ?? "";
    if (text === "{" || text === "(" || text === "[") depth++;
    if (text === "}" || text === ")" || text === "]") depth--;
    if (depth < 0) break;
    if (depth === 0 && (text === ";" || text === "}")) return { from, length: at - from + 1 };
  }
  return { from, length: at - from };
}

function afterStatement(texts: readonly string[], dice: Dice): number {
  const start = dice.below(texts.length);
  for (let at = start; at < texts.length; at++) {
    const text = texts[at];
    if (text === ";" || text === "{" || text === "}") return at + 1;
  }
  return 0;
}

/** The bracket that closes the one at `open`. */
function closing(texts: readonly string[], open: number): number {
  let depth = 0;
  for (let at = open; at < texts.length; at++) {
    const text = texts[at] ?? "";
    if (text === "(" || text === "{" || text === "[") depth++;
    if (text === ")" || text === "}" || text === "]") depth--;
    if (depth === 0) return at;
  }
  return texts.length;
}

function remove(program: Edited, at: number, count: number): void {
  program.texts.splice(at, count);
  program.gaps.splice(at, count);
}

function insert(program: Edited, at: number, texts: readonly string[]): void {
  program.texts.splice(at, 0, ...texts);
  program.gaps.splice(at, 0, ...texts.map(() => " "));
}
