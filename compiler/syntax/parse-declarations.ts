// Top-level declarations (01 7.1, 7.13): the choice by the first word, and the common kinds.
import type {
  ConstDecl,
  Declaration,
  Decorator,
  FunctionDecl,
  InterfaceDecl,
  ModuleDecl,
  Param,
  TopicDecl,
  TypeExpr,
} from "./ast.ts";
import { checkFunctionDecorators, checkLocusDecorators, parseDecorators } from "./parse-decorators.ts";
import { parseClaimsBlock, parseConstitution, parseGroup } from "./parse-claims.ts";
import { parseExpr, parseLiteral } from "./parse-expressions.ts";
import { parseApi, parseDomain, parseEffect, parseRingLayout, parseRole, parseTarget } from "./parse-far.ts";
import { parseLocus, parsePerspective } from "./parse-loci.ts";
import { parseBlock } from "./parse-statements.ts";
import { parseTypeDecl, parseUnit } from "./parse-type-declarations.ts";
import { expectOneOf, parseCount } from "./parse-leaves.ts";
import { noType, parseGenerics, parseResult, parseType } from "./parse-types.ts";
import type { Parser } from "./parser.ts";
import { K } from "./tokens.ts";

/** The declaration that starts at the cursor. */
export function parseDeclaration(p: Parser): Declaration {
  const { start } = p;
  const decorators = parseDecorators(p);
  switch (p.kind) {
    case K.fn:
      checkFunctionDecorators(p, decorators, "free");
      return parseFunction(p, decorators, start, decorators.some(({ name }) => name === "ffi") ? "signature" : "body");
    case K.locus:
      checkLocusDecorators(p, decorators);
      return parseLocus(p, decorators, start, false);
    default:
      if (p.atWord("main") && p.peek(1) === K.locus) {
        checkLocusDecorators(p, decorators);
        p.advance();
        return parseLocus(p, decorators, start, true);
      }
      if (decorators.length > 0)
        p.fail("E0108", `expected \`fn\` or \`locus\` after the decorator, found ${p.describe()}`);
      return parsePlainDeclaration(p);
  }
}

/** A declaration that takes no decorators. */
function parsePlainDeclaration(p: Parser): Declaration {
  switch (p.kind) {
    case K.type:
      return parseTypeDecl(p);
    case K.const:
      return parseConst(p);
    case K.interface:
      return parseInterface(p);
    case K.perspective:
      return parsePerspective(p);
    case K.module:
      return parseModule(p);
    default:
      return parseWordDeclaration(p) ?? noDeclaration(p);
  }
}

/** The declarations that contextual words open (01 3). */
function parseWordDeclaration(p: Parser): Declaration | undefined {
  if (p.kind !== K.ident) return undefined;
  const named = p.peek(1) === K.ident;
  switch (p.tokens.wordOf(p.pos)) {
    case "topic":
      return parseTopic(p);
    case "group":
      return parseGroup(p);
    case "claims":
      return parseClaimsBlock(p);
    case "constitution":
      return parseConstitution(p);
    case "ring_layout":
      return parseRingLayout(p);
    case "target":
      return parseTarget(p);
    case "domain":
      return named ? parseDomain(p) : undefined;
    case "effect":
      return named ? parseEffect(p) : undefined;
    case "role":
      return named ? parseRole(p) : undefined;
    case "api":
      return named && p.peek(2) === K["{"] ? parseApi(p) : undefined;
    case "unit":
      return named && (p.peek(2) === K["="] || p.peek(2) === K[";"]) ? parseUnit(p) : undefined;
    default:
      return undefined;
  }
}

function noDeclaration(p: Parser): Declaration {
  const help = p.kind === K[";"] ? "a stray `;` is allowed only between the declarations of a file" : undefined;
  p.failExpected("a declaration", help);
  return {
    kind: "const",
    name: { text: "", span: p.spanHere() },
    type: noType(p),
    value: { kind: "nil", span: p.spanHere() },
    span: p.spanHere(),
  };
}

export type FunctionForm = "body" | "signature" | "either";

/** `fn name<T>(..) -> R fallible(E) { .. }` from the `fn` on; `start` is where its decorators begin. */
export function parseFunction(
  p: Parser,
  decorators: readonly Decorator[],
  start: number,
  form: FunctionForm,
): FunctionDecl {
  const isForeign = form === "signature" && decorators.length > 0;
  p.expect(K.fn);
  // `std::process::run`: behind `::` the word is no keyword, so the library may declare it.
  const name = p.file.isStd ? p.expectMember("a fn") : p.expectName("a fn");
  const generics = isForeign ? [] : parseGenerics(p);
  const params = parseParams(p);
  const result = parseResult(p);
  const fallible = isForeign ? undefined : parseFallible(p);
  const body = parseFunctionBody(p, form, fallible !== undefined);
  // biome-ignore format: a table reads best in rows
  return {
    kind: "function", name, decorators, generics, params, ...(result && { result }), ...(fallible && { fallible }), ...(body && { body }),
    span: p.spanFrom(start),
  };
}

function parseFunctionBody(p: Parser, form: FunctionForm, isFallible: boolean): FunctionDecl["body"] {
  const bodyless = form === "signature" || ((form === "either" || p.openBraces > 0) && p.kind === K[";"]);
  if (bodyless) {
    p.expect(K[";"]);
    return undefined;
  }
  if (p.kind !== K["{"])
    p.failExpected(
      "the fn's body",
      p.kind === K["->"] && isFallible ? "`fallible(..)` comes after the result type" : undefined,
    );
  p.fallible = isFallible;
  const body = parseBlock(p);
  p.fallible = false;
  return body;
}

/** `fallible(E)`, or undefined when none is written. */
export function parseFallible(p: Parser): TypeExpr | undefined {
  if (!p.eatWord("fallible")) return undefined;
  p.expect(K["("]);
  const type = parseType(p);
  p.expect(K[")"]);
  return type;
}

export function parseParams(p: Parser): readonly Param[] {
  const params: Param[] = [];
  p.expect(K["("]);
  if (p.kind !== K[")"]) {
    do {
      if (p.kind === K[")"]) p.failExpected("a parameter", "no trailing comma here");
      params.push(parseParam(p));
    } while (p.eat(K[","]));
  }
  p.expect(K[")"]);
  return params;
}

function parseParam(p: Parser): Param {
  const { start } = p;
  const secret = p.eat(K["@"]);
  if (secret) p.expectWord("secret");
  if (p.kind === K.mut || p.kind === K.self) p.failExpected("a parameter's name", `a parameter has no \`${p.text}\``);
  const name = p.expectName("a parameter");
  p.expect(K[":"]);
  const type = parseType(p);
  const defaultValue = p.eat(K["="]) ? parseExpr(p) : undefined;
  return { name, type, ...(defaultValue && { defaultValue }), secret, span: p.spanFrom(start) };
}

export function parseConst(p: Parser): ConstDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a const");
  p.expect(K[":"], "a const needs its type: `const N: Int = ..;`");
  const type = parseType(p);
  p.expect(K["="]);
  const value = parseExpr(p);
  p.expect(K[";"]);
  return { kind: "const", name, type, value, span: p.spanFrom(start) };
}

function parseInterface(p: Parser): InterfaceDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("an interface");
  p.expect(K["{"]);
  const methods: FunctionDecl[] = [];
  while (p.kind === K.fn) methods.push(parseInterfaceMethod(p));
  p.expect(K["}"]);
  return { kind: "interface", name, methods, span: p.spanFrom(start) };
}

function parseInterfaceMethod(p: Parser): FunctionDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a method");
  const params = parseParams(p);
  const result = parseResult(p);
  const fallible = parseFallible(p);
  p.expect(K[";"]);
  return {
    kind: "function",
    name,
    decorators: [],
    generics: [],
    params,
    ...(result && { result }),
    ...(fallible && { fallible }),
    span: p.spanFrom(start),
  };
}

function parseModule(p: Parser): ModuleDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a module");
  const outer = p.enter();
  p.expect(K["{"]);
  const declarations: Declaration[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) {
    if (p.atWord("target")) p.fail("E0105", "a `target` is declared at the top level, not in a module");
    declarations.push(parseDeclaration(p));
  }
  p.expect(K["}"]);
  p.leave(outer);
  return { kind: "module", name, declarations, span: p.spanFrom(start) };
}

type TopicParts = { -readonly [Key in keyof TopicDecl]?: TopicDecl[Key] };

function parseTopic(p: Parser): TopicDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a topic");
  const parent = p.eat(K[":"]) ? p.expectName("a topic") : undefined;
  p.expect(K["{"]);
  const parts: TopicParts = {};
  const seen = new Set<string>();
  while (p.kind === K.ident) {
    const field = p.tokens.wordOf(p.pos);
    if (seen.has(field)) p.fail("E0110", `\`${field}\` is given twice`);
    seen.add(field);
    parseTopicField(p, field, parts);
  }
  p.expect(K["}"]);
  const { payload = noType(p), ...fields } = parts;
  if (!parts.payload) p.report("E0106", name.span, "a topic needs a `payload: Type;`");
  return { ...fields, kind: "topic", name, ...(parent && { parent }), payload, span: p.spanFrom(start) };
}

function parseTopicField(p: Parser, field: string, parts: TopicParts): void {
  p.advance();
  switch (field) {
    case "payload":
      p.expect(K[":"]);
      parts.payload = parseType(p);
      break;
    case "subject": {
      p.expect(K[":"]);
      const literal = p.kind === K.string ? parseLiteral(p) : undefined;
      if (literal?.kind === "string") parts.subject = literal;
      else p.failExpected("a string");
      break;
    }
    case "keyed_by":
      parts.keyedBy = p.expectName("a field");
      break;
    case "on_unmatched":
      p.expect(K[":"]);
      parts.onUnmatched = expectOneOf(p, ["swallow", "fail", "fallback"]);
      break;
    case "bounded":
      p.expect(K["("]);
      parts.bounded = parseCount(p, "the bound of a topic", 1n);
      p.expect(K[")"]);
      break;
    case "on_full":
      p.expect(K[":"]);
      parts.onFull = expectOneOf(p, ["fail"]);
      break;
    default:
      p.moveTo(p.pos - 1);
      p.failExpected("a topic's field (`payload`, `subject`, `keyed_by`, `on_unmatched`, `bounded`, `on_full`)");
  }
  p.expect(K[";"]);
}
