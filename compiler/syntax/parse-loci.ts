// Loci and perspectives (01 7.3, 7.4).
// biome-ignore format: a table reads best in rows
import type {
  BirthCheckDecl, BusBlock, CapacityBlock, ContractBlock, Decorator, FunctionDecl, HookName, LifecycleDecl, LocusDecl, LocusHeader, LocusMember,
  ModeDecl, Name, OnFailureDecl, Param, ParamField, ParamsBlock, PerspectiveDecl, PublishDecl, Subject, SubscribeDecl,
} from "./ast.ts";
import { parseClaimsBlock } from "./parse-claims.ts";
import { parseClosure } from "./parse-closures.ts";
import { parseConst, parseFunction, parseParams } from "./parse-declarations.ts";
import { checkFunctionDecorators, parseDecorators, parseOptionalGated } from "./parse-decorators.ts";
import { parseBindings, parsePlacement, parseTopology } from "./parse-deployment.ts";
import { parseExpr, parsePathExpr } from "./parse-expressions.ts";
import { parseBlock } from "./parse-statements.ts";
import { parseTypeDecl } from "./parse-type-declarations.ts";
import { expectOneOf, parseCount, takeInt, takeString } from "./parse-leaves.ts";
import { parseGenerics, parsePath, parseResult, parseType } from "./parse-types.ts";
import type { Parser } from "./parser.ts";
import { K, type TokenKind } from "./tokens.ts";

/** From the `locus` on; `start` is where its decorators or `main` begin. */
export function parseLocus(p: Parser, decorators: readonly Decorator[], start: number, isMain: boolean): LocusDecl {
  p.advance();
  const name = p.expectName("a locus");
  const generics = parseGenerics(p);
  const headers: LocusHeader[] = [];
  if (p.eat(K[":"])) {
    do headers.push(parseHeader(p));
    while (p.eat(K[","]));
  }
  p.expect(K["{"]);
  const members: LocusMember[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) members.push(parseMember(p, isMain));
  p.expect(K["}"]);
  return { kind: "locus", name, isMain, decorators, generics, headers, members, span: p.spanFrom(start) };
}

function parseHeader(p: Parser): LocusHeader {
  const { start } = p;
  if (p.eatWord("serves")) {
    const path = parsePath(p, "a perspective");
    return { kind: "serves", path, span: p.spanFrom(start) };
  }
  if (p.eat(K.tier)) {
    const value = takeInt(p);
    return { kind: "tier", value, span: p.spanFrom(start) };
  }
  if (p.eat(K.projection)) return parseProjection(p, start);
  p.failExpected(
    "`serves`, `tier` or `projection`",
    p.atWord("schedule")
      ? "placement belongs to the main locus's `placement` block"
      : "an interface is satisfied by having its methods; it is not named here",
  );
  return { kind: "tier", value: 0n, span: p.spanHere() };
}

const COMMITMENTS: ReadonlySet<string> = new Set(["fixed_cell", "shared_slab", "spillover", "summary_only"]);

function parseProjection(p: Parser, start: number): LocusHeader {
  const { kind } = p;
  if (kind === K.rich || kind === K.chunked) {
    p.advance();
    return { kind: "projection", projection: kind === K.rich ? "rich" : "chunked", span: p.spanFrom(start) };
  }
  if (!p.eat(K.recognition)) p.failExpected("`rich`, `chunked` or `recognition`");
  p.expect(K["("]);
  p.expectWord("cap");
  p.expect(K["="]);
  const cap = parseCount(p, "the cap", 0n);
  p.expect(K[","]);
  const submode = p.expectName("a commitment");
  if (!COMMITMENTS.has(submode.text)) {
    const known = [...COMMITMENTS].map((word) => `\`${word}\``).join(", ");
    p.fail("E0115", `expected one of ${known}, found \`${submode.text}\``, undefined, submode.span);
  }
  p.expect(K[")"]);
  return {
    kind: "projection",
    projection: "recognition",
    cap,
    submode,
    span: p.spanFrom(start),
  };
}

// biome-ignore format: a table reads best in rows
const HOOKS: ReadonlyMap<TokenKind, HookName> = new Map([
  [K.birth, "birth"], [K.accept, "accept"], [K.release, "release"], [K.run, "run"], [K.drain, "drain"], [K.dissolve, "dissolve"],
]);

function parseMember(p: Parser, isMain: boolean): LocusMember {
  const { start } = p;
  switch (p.kind) {
    case K["@"]:
      return parseDecoratedMember(p);
    case K.fn:
      return parseFunction(p, [], start, "body");
    case K.params:
      return parseParamsBlock(p);
    case K.contract:
      return parseContract(p);
    case K.bus:
      return parseBus(p);
    case K.capacity:
      return parseCapacity(p);
    case K.on_failure:
      return parseOnFailure(p);
    case K.closure:
      return parseClosure(p);
    case K.type:
      return parseTypeDecl(p);
    case K.const:
      return parseConst(p);
    case K.ident:
      return parseWordMember(p, isMain);
    default: {
      const hook = HOOKS.get(p.kind);
      return hook ? parseHook(p, hook, false, start) : noMember(p);
    }
  }
}

/** Contract decorators before a method, or `@unbounded` before a hook. */
function parseDecoratedMember(p: Parser): LocusMember {
  const { start } = p;
  const decorators = parseDecorators(p);
  const [first, ...others] = decorators;
  const hook = HOOKS.get(p.kind);
  if (hook && first?.name === "unbounded" && others.length === 0) return parseHook(p, hook, true, start);
  if (p.kind !== K.fn) p.fail("E0108", `expected \`fn\` after the decorator, found ${p.describe()}`);
  checkFunctionDecorators(p, decorators, "member");
  return parseFunction(p, decorators, start, "body");
}

/** The members that contextual words open. */
function parseWordMember(p: Parser, isMain: boolean): LocusMember {
  const word = p.tokens.wordOf(p.pos);
  switch (word) {
    case "mode":
      return parseMode(p);
    case "birth_check":
      return parseBirthCheck(p);
    case "bindings":
    case "placement":
    case "topology":
    case "claims": {
      const opensBlock = p.peek(1) === K["{"];
      if (opensBlock && !isMain)
        p.report("E0105", p.spanHere(), `\`${word}\` belongs to the main locus`, "write it in the `main locus`");
      if (word === "bindings") return parseBindings(p);
      if (word === "placement") return parsePlacement(p);
      return word === "topology" ? parseTopology(p) : parseClaimsBlock(p);
    }
    default:
      return noMember(p);
  }
}

function noMember(p: Parser): LocusMember {
  const help =
    p.kind === K.locus || p.kind === K.interface
      ? `a \`${p.text}\` is declared at the top level`
      : p.kind === K[";"]
        ? "a member takes no `;` after its block"
        : p.kind === K.ident && p.peek(1) === K[":"]
          ? "fields stand in a block: `params { name: T = value; }`"
          : p.atWord("heap") || p.atWord("pool")
            ? "cells stand in a block: `capacity { heap items of T; }`"
            : p.kind === K.ident && p.peek(1) === K["("]
              ? "a method is `fn name() { .. }`; the hooks are birth, accept, release, run, drain and dissolve"
              : undefined;
  p.failExpected("a member of the locus", help);
  return { kind: "params", fields: [], span: p.spanHere() };
}

function parseParamsBlock(p: Parser): ParamsBlock {
  const { start } = p;
  p.advance();
  p.expect(K["{"]);
  const fields: ParamField[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) fields.push(parseParamField(p));
  p.expect(K["}"]);
  return { kind: "params", fields, span: p.spanFrom(start) };
}

function parseParamField(p: Parser): ParamField {
  const { start } = p;
  const name = p.expectName("a params field");
  let inferred = p.kind === K[";"];
  const type = p.kind === K[":"] && p.peek(1) !== K.inferred ? takeType(p) : undefined;
  const defaultValue = p.eat(K["="]) ? parseExpr(p) : undefined;
  if (!defaultValue && p.eat(K[":"])) {
    p.expect(K.inferred);
    inferred = true;
  }
  p.expect(K[";"], p.kind === K[","] ? "params end with `;`" : undefined);
  return { name, ...(type && { type }), inferred, ...(defaultValue && { defaultValue }), span: p.spanFrom(start) };
}

function takeType(p: Parser): ReturnType<typeof parseType> {
  p.advance();
  return parseType(p);
}

type ContractItem = ContractBlock["items"][number];

function parseContract(p: Parser): ContractBlock {
  const { start } = p;
  p.advance();
  if (p.eat(K[":"])) {
    p.expect(K.inferred);
    p.expect(K[";"]);
    return { kind: "contract", inferred: true, items: [], span: p.spanFrom(start) };
  }
  p.expect(K["{"]);
  const items: ContractItem[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) items.push(parseContractItem(p));
  p.expect(K["}"]);
  return { kind: "contract", inferred: false, items, span: p.spanFrom(start) };
}

function parseContractItem(p: Parser): ContractItem {
  const { start } = p;
  const gated = parseOptionalGated(p);
  const direction = p.kind === K.consume ? "consume" : "expose";
  if (p.kind !== K.expose && p.kind !== K.consume) p.failExpected("`expose` or `consume`");
  p.advance();
  if (p.eat(K.inferred)) {
    p.expect(K[";"]);
    return { direction, ...(gated && { gated }), span: p.spanFrom(start) };
  }
  const isMode = p.kind === K.bulk || p.kind === K.harmonic || p.kind === K.resolution;
  const name = isMode ? p.takeName() : p.expectName("a contract member");
  p.expect(K[":"]);
  const type = parseType(p);
  p.expect(K[";"]);
  return { direction, name, type, ...(gated && { gated }), span: p.spanFrom(start) };
}

function parseBus(p: Parser): BusBlock {
  const { start } = p;
  p.advance();
  p.expect(K["{"]);
  const members: (SubscribeDecl | PublishDecl)[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) {
    const memberStart = p.start;
    if (p.kind === K.subscribe) members.push(parseSubscribe(p));
    else {
      const gated = parseOptionalGated(p);
      if (p.kind !== K.publish) p.failExpected(gated ? "`publish`" : "`subscribe` or `publish`");
      members.push(parsePublish(p, gated, memberStart));
    }
  }
  p.expect(K["}"]);
  return { kind: "bus", members, span: p.spanFrom(start) };
}

function parseSubscribe(p: Parser): SubscribeDecl {
  const { start } = p;
  p.advance();
  const subject = parseSubject(p);
  if (!p.eatWord("as")) p.failExpected("`as`", "a subscription names its handler: `subscribe T as on_t;`");
  const handler = p.expectName("a handler");
  const ofType = parseOfType(p);
  const bounded = parseSubscribeBound(p);
  const key = p.eat(K.where) ? parseKeyFilter(p) : undefined;
  p.expect(K[";"]);
  return {
    kind: "subscribe",
    subject,
    handler,
    ...(ofType && { ofType }),
    ...(bounded && { bounded }),
    ...(key && { key }),
    span: p.spanFrom(start),
  };
}

function parseSubscribeBound(p: Parser): SubscribeDecl["bounded"] {
  const { start } = p;
  if (!p.eatWord("bounded")) return undefined;
  p.expect(K["("]);
  const capacity = parseCount(p, "the bound of a subscription", 0n);
  p.expect(K[","]);
  const policy = expectOneOf(p, ["drop_new", "drop_old"]);
  p.expect(K[")"]);
  return { capacity, policy, span: p.spanFrom(start) };
}

/** `key == _`, `key == replica` or `key == expr` */
function parseKeyFilter(p: Parser): NonNullable<SubscribeDecl["key"]> {
  const { start } = p;
  p.expectWord("key");
  p.expect(K["=="]);
  if (p.eatWord("_")) return { kind: "any", span: p.spanFrom(start) };
  if (p.atWord("replica") && p.peek(1) === K[";"]) {
    p.advance();
    return { kind: "replica", span: p.spanFrom(start) };
  }
  const value = parseExpr(p);
  return { kind: "value", value, span: p.spanFrom(start) };
}

function parsePublish(p: Parser, gated: Name | undefined, start: number): PublishDecl {
  p.advance();
  const subject = parseSubject(p);
  const ofType = parseOfType(p);
  const alias = p.eatWord("as") ? p.expectName("an alias") : undefined;
  p.expect(K[";"]);
  return {
    kind: "publish",
    subject,
    ...(ofType && { ofType }),
    ...(alias && { alias }),
    ...(gated && { gated }),
    span: p.spanFrom(start),
  };
}

function parseOfType(p: Parser): ReturnType<typeof parseType> | undefined {
  if (!p.eat(K.of)) return undefined;
  p.expect(K.type);
  return parseType(p);
}

function parseSubject(p: Parser): Subject {
  const span = p.spanHere();
  if (p.kind !== K.string) return { kind: "topic", path: parsePathExpr(p), span: p.spanFrom(span.start) };
  return { kind: "literal", text: takeString(p), span };
}

type Slot = CapacityBlock["slots"][number];

function parseCapacity(p: Parser): CapacityBlock {
  const { start } = p;
  p.advance();
  p.expect(K["{"]);
  const slots: Slot[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) slots.push(parseSlot(p));
  p.expect(K["}"]);
  return { kind: "capacity", slots, span: p.spanFrom(start) };
}

function parseSlot(p: Parser): Slot {
  const { start } = p;
  const kind = expectOneOf(p, ["pool", "heap"]);
  const name = p.expectName("a slot");
  p.expect(K.of);
  const of = parseType(p);
  const indexedBy = p.eat(K.indexed_by) ? p.expectName("a field") : undefined;
  const asParentFor = p.eat(K.as_parent_for) ? p.expectName("a locus") : undefined;
  p.expect(K[";"]);
  return {
    kind,
    name,
    of,
    ...(indexedBy && { indexedBy }),
    ...(asParentFor && { asParentFor }),
    span: p.spanFrom(start),
  };
}

/** A parameter list that may be left out with its parentheses. */
function parseOptionalParams(p: Parser): readonly Param[] {
  return p.kind === K["("] ? parseParams(p) : [];
}

function parseHook(p: Parser, hook: HookName, unbounded: boolean, start: number): LifecycleDecl {
  const nameSpan = p.spanHere();
  p.advance();
  const params = parseOptionalParams(p);
  const result = parseResult(p);
  const body = parseBlock(p);
  return {
    kind: "lifecycle",
    hook,
    nameSpan,
    unbounded,
    params,
    ...(result && { result }),
    body,
    span: p.spanFrom(start),
  };
}

function parseMode(p: Parser): ModeDecl {
  const { start } = p;
  p.advance();
  const nameSpan = p.spanHere();
  const mode = p.kind === K.harmonic ? "harmonic" : p.kind === K.resolution ? "resolution" : "bulk";
  if (mode === "bulk" && p.kind !== K.bulk) p.failExpected("`bulk`, `harmonic` or `resolution`");
  p.advance();
  const params = parseOptionalParams(p);
  const result = parseResult(p);
  const body = parseBlock(p);
  return { kind: "mode", mode, nameSpan, params, ...(result && { result }), body, span: p.spanFrom(start) };
}

function parseOnFailure(p: Parser): OnFailureDecl {
  const { start } = p;
  const nameSpan = p.spanHere();
  p.advance();
  const params = parseOptionalParams(p);
  const body = parseBlock(p);
  return { kind: "on_failure", params, body, nameSpan, span: p.spanFrom(start) };
}

/** `birth_check { condition } -> violate closure(payload);` */
function parseBirthCheck(p: Parser): BirthCheckDecl {
  const { start } = p;
  p.advance();
  p.expect(K["{"]);
  const condition = parseExpr(p);
  p.expect(K["}"]);
  p.expect(K["->"]);
  p.expectWord("violate");
  const closure = p.expectName("a closure");
  const payload = p.eat(K["("]) ? parseExpr(p) : undefined;
  if (payload) p.expect(K[")"]);
  p.expect(K[";"]);
  return { kind: "birth_check", condition, closure, ...(payload && { payload }), span: p.spanFrom(start) };
}

export function parsePerspective(p: Parser): PerspectiveDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a perspective");
  const generics = parseGenerics(p);
  p.expect(K["{"]);
  const members: PerspectiveDecl["members"][number][] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) members.push(parsePerspectiveMember(p));
  p.expect(K["}"]);
  return { kind: "perspective", name, generics, members, span: p.spanFrom(start) };
}

function parsePerspectiveMember(p: Parser): PerspectiveDecl["members"][number] {
  const { start } = p;
  switch (p.kind) {
    case K.params:
      return parseParamsBlock(p);
    case K.bus:
      return parseBus(p);
    case K.stable_when: {
      p.advance();
      const body = parseBlock(p);
      return { kind: "stable_when", body, span: p.spanFrom(start) };
    }
    case K.serialize_as: {
      p.advance();
      const type = parseType(p);
      p.expect(K[";"]);
      return { kind: "serialize_as", type, span: p.spanFrom(start) };
    }
    default:
      return parseContractFunction(p);
  }
}

function parseContractFunction(p: Parser): FunctionDecl {
  const { start } = p;
  const role = parseOptionalGated(p);
  const decorators: Decorator[] = role ? [{ name: "gated", role, span: p.spanFrom(start) }] : [];
  if (p.kind !== K.fn) p.failExpected(role ? "`fn`" : "a member of the perspective");
  return parseFunction(p, decorators, start, "either");
}
