// `if` and `match` (01 7.6, 7.7).
import type { Block, Expr, IfExpr, MatchArm, MatchExpr, Pattern } from "./ast.ts";
import { armHint } from "./habits.ts";
import { parseExpr, parseLiteral } from "./parse-expressions.ts";
import { parseBlock } from "./parse-statements.ts";
import { parsePath } from "./parse-types.ts";
import type { Parser } from "./parser.ts";
import { flags, isReserved, K } from "./tokens.ts";

/** `if c { } else if d { } else { }`: the branches are read in a loop and nested from the last one outwards. */
export function parseIf(p: Parser): IfExpr {
  const outer = p.enter();
  const branches: { start: number; condition: Expr; then: Block }[] = [];
  let otherwise: Block | undefined;
  while (p.kind === K.if) {
    const { start } = p;
    p.advance();
    const condition = parseExpr(p);
    expectBody(p, "the condition");
    branches.push({ start, condition, then: parseBlock(p) });
    p.setHeight(branches.length);
    if (!p.eat(K.else)) break;
    if (p.kind === K.if) continue;
    otherwise = parseBlock(p);
    // An `if` behind the last block is the next statement.
    break;
  }
  p.leave(outer, branches.length - 1);
  return nestBranches(p, branches, otherwise);
}

function nestBranches(
  p: Parser,
  branches: readonly { start: number; condition: Expr; then: Block }[],
  last: Block | undefined,
): IfExpr {
  let otherwise: Block | IfExpr | undefined = last;
  for (const { start, condition, then } of branches.toReversed()) {
    otherwise = { kind: "if", condition, then, ...(otherwise && { otherwise }), span: p.spanFrom(start) };
  }
  return otherwise?.kind === "if"
    ? otherwise
    : { kind: "if", condition: { kind: "nil", span: p.spanHere() }, then: emptyBlock(p), span: p.spanHere() };
}

function emptyBlock(p: Parser): Block {
  return { kind: "block", statements: [], span: p.spanHere() };
}

/** Checks for the `{` of a body after a condition, a scrutinee or an iterated expression, and names the trap of 01 9.1. */
export function expectBody(p: Parser, what: string): void {
  if (p.kind === K["{"] || p.failed) return;
  if (p.afterLiteral !== p.pos) {
    if (p.atWord("or")) p.failExpected("`{`", "a range takes no `or`; parenthesise the bound: `0..(f() or 3)`");
    else p.failExpected("`{`");
    return;
  }
  p.failExpected(
    "the body's `{`",
    `a name directly before \`{ }\` or \`{ name: .. }\` reads as a literal; put ${what} in parentheses`,
  );
}

export function parseMatch(p: Parser): MatchExpr {
  const { start } = p;
  const keywordSpan = p.spanHere();
  p.advance();
  const outer = p.enter();
  const conditional = p.kind === K["{"];
  const scrutinee = conditional ? undefined : parseExpr(p);
  if (!conditional) expectBody(p, "the scrutinee");
  p.expect(K["{"]);
  const arms: MatchArm[] = [];
  while (p.kind !== K["}"] && !p.failed) {
    arms.push(conditional ? parseConditionArm(p) : parsePatternArm(p));
    if (!p.eat(K[","])) break;
  }
  p.expect(K["}"], p.kind === K["}"] ? undefined : armHint(p));
  p.leave(outer);
  return { kind: "match", keywordSpan, ...(scrutinee && { scrutinee }), arms, span: p.spanFrom(start) };
}

function parseConditionArm(p: Parser): MatchArm {
  const { start } = p;
  const guard = p.eat(K.else) ? undefined : parseExpr(p);
  p.expect(K["->"]);
  const body = parseArmBody(p);
  return { ...(guard && { guard }), body, span: p.spanFrom(start) };
}

function parsePatternArm(p: Parser): MatchArm {
  const { start } = p;
  const pattern = parsePattern(p);
  const guard = p.eat(K.if) ? parseExpr(p) : undefined;
  p.expect(K["->"], p.kind === K["|"] ? "a pattern has no alternatives; write one arm for each" : undefined);
  const body = parseArmBody(p);
  return { pattern, ...(guard && { guard }), body, span: p.spanFrom(start) };
}

/** A body that starts with `{` is a block and ends at its `}`; an expression may be followed by one `;`. */
function parseArmBody(p: Parser): Expr {
  if (p.kind === K["{"]) {
    const block = parseBlock(p);
    return { kind: "block", block, span: block.span };
  }
  const body = parseExpr(p);
  p.eat(K[";"]);
  return body;
}

const LITERAL_PATTERNS = flags(K.int, K.float, K.decimal, K.quantity, K.string, K.true, K.false, K.nil);

export function parsePattern(p: Parser): Pattern {
  const { start } = p;
  if (LITERAL_PATTERNS[p.kind] === 1) {
    const value = parseLiteral(p);
    if (value) return { kind: "value", value, span: value.span };
  }
  if (p.kind === K["("]) {
    const members = parsePatternList(p);
    return { kind: "tuple", members, span: p.spanFrom(start) };
  }
  if (p.kind !== K.ident && !p.atReportedWord() && !isMisnamed(p)) {
    failPattern(p);
    return { kind: "wildcard", span: p.spanHere() };
  }
  if (p.atWord("_")) {
    p.advance();
    return { kind: "wildcard", span: p.spanFrom(start) };
  }
  const path = parsePath(p, "a pattern's variable");
  const [name] = path.segments;
  const payload = p.kind === K["("] ? parsePatternList(p) : undefined;
  if (path.segments.length === 1 && name && !payload) return { kind: "binding", name, span: name.span };
  return { kind: "variant", path, ...(payload && { payload }), span: p.spanFrom(start) };
}

/** A reserved word that stands as the whole of a pattern: it was meant as a name. */
function isMisnamed(p: Parser): boolean {
  return isReserved(p.kind) && p.kind !== K.else && NAME_ENDS[p.peek(1)] === 1;
}

const NAME_ENDS = flags(K["->"], K[","], K[")"], K.if);

function failPattern(p: Parser): void {
  if (p.kind === K.else) p.failExpected("a pattern", "the arm for everything else is `_ -> ..`");
  else if (p.kind === K["-"])
    p.failExpected("a pattern", "there are no negative patterns; use a guard: `n if n == -1 -> ..`");
  else p.failExpected("a pattern");
}

function parsePatternList(p: Parser): readonly Pattern[] {
  const patterns: Pattern[] = [];
  p.expect(K["("]);
  const outer = p.enter();
  if (p.kind !== K[")"]) {
    do {
      if (p.kind === K[")"]) p.failExpected("a pattern", "no trailing comma here");
      patterns.push(parsePattern(p));
    } while (p.eat(K[","]));
  }
  p.leave(outer);
  p.expect(K[")"]);
  return patterns;
}
