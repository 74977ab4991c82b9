// Effects, domains, targets, roles, ring layouts and service surfaces (01 7.11, 7.14).
import type {
  ApiDecl,
  DomainDecl,
  EffectClass,
  EffectDecl,
  Name,
  RingLayoutDecl,
  RoleDecl,
  TargetDecl,
} from "./ast.ts";
import { parseEffectClass, parseRequires } from "./parse-decorators.ts";
import { takeInt } from "./parse-leaves.ts";
import type { Parser } from "./parser.ts";
import { isMemberName, K } from "./tokens.ts";
import { BUILT_IN_EFFECTS } from "./words.ts";

/** `effect e;`, `effect e(domain);` or `effect e = { a, b };` */
export function parseEffect(p: Parser): EffectDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("an effect");
  if (BUILT_IN_EFFECTS.has(name.text))
    p.report("E0113", name.span, `\`${name.text}\` is a built-in effect and cannot be declared again`);
  if (p.eat(K["("])) {
    const domain = p.expectName("a domain");
    if (!p.domains.has(domain.text))
      p.report("E0114", domain.span, `no \`domain ${domain.text}\` is declared above in this file`);
    p.expect(K[")"]);
    p.expect(K[";"]);
    countClasses(p, start, p.domains.get(domain.text) ?? 0);
    return { kind: "effect", name, domain, span: p.spanFrom(start) };
  }
  const parts = p.eat(K["="]) ? parseParts(p) : undefined;
  p.expect(K[";"]);
  if (!parts) countClasses(p, start, 1);
  return { kind: "effect", name, ...(parts && { parts }), span: p.spanFrom(start) };
}

/** How many atomic classes a program may declare, families expanded (11.11.1). */
const MOST_CLASSES = 54;

/** Reports the declaration at `start` when it is the one that exceeds the number of classes. */
function countClasses(p: Parser, start: number, added: number): void {
  const before = p.classes;
  p.classes += added;
  if (before > MOST_CLASSES || p.classes <= MOST_CLASSES) return;
  p.report("E0114", p.spanFrom(start), `a program has at most ${MOST_CLASSES} effect classes, this makes ${p.classes}`);
}

function parseParts(p: Parser): readonly EffectClass[] {
  const parts: EffectClass[] = [];
  p.expect(K["{"]);
  while (p.kind !== K["}"] && !p.failed) {
    parts.push(parseEffectClass(p));
    p.eat(K[","]);
  }
  p.expect(K["}"]);
  return parts;
}

/** `domain d = { a, b };` */
export function parseDomain(p: Parser): DomainDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a domain");
  if (p.domains.has(name.text)) p.report("E0113", name.span, `the domain \`${name.text}\` is declared twice`);
  p.expect(K["="]);
  p.expect(K["{"]);
  const members: Name[] = [];
  do {
    const member = p.expectName("a domain's member");
    if (members.some(({ text }) => text === member.text))
      p.report("E0113", member.span, `the domain \`${name.text}\` has \`${member.text}\` twice`);
    members.push(member);
    p.eat(K[","]);
  } while (p.kind !== K["}"] && !p.failed);
  p.expect(K["}"]);
  p.expect(K[";"]);
  p.domains.set(name.text, members.length);
  return { kind: "domain", name, members, span: p.spanFrom(start) };
}

/** `target t { fs.read, net }` */
export function parseTarget(p: Parser): TargetDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a target");
  p.expect(K["{"]);
  const capabilities: Name[][] = [];
  while (p.kind !== K["}"] && !p.failed) {
    const capability = [p.expectName("a capability")];
    while (p.eat(K["."])) capability.push(p.expectName("a capability"));
    capabilities.push(capability);
    if (!p.eat(K[","])) break;
  }
  p.expect(K["}"]);
  return { kind: "target", name, capabilities, span: p.spanFrom(start) };
}

/** `role r includes a, b;` */
export function parseRole(p: Parser): RoleDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a role");
  const includes: Name[] = [];
  if (p.eatWord("includes")) {
    do includes.push(p.expectName("a role"));
    while (p.eat(K[","]));
  }
  p.expect(K[";"]);
  return { kind: "role", name, includes, span: p.spanFrom(start) };
}

export function parseRingLayout(p: Parser): RingLayoutDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a ring layout");
  p.expect(K["{"]);
  while (p.kind !== K["}"] && p.kind !== K.eof) parseRingMember(p);
  p.expect(K["}"]);
  return { kind: "ring_layout", name, span: p.spanFrom(start) };
}

function parseRingMember(p: Parser): void {
  const word = p.kind === K.ident ? p.tokens.wordOf(p.pos) : "";
  const next = p.peek(1);
  if ((word === "magic" || word === "data_at") && next === K.int && p.peek(2) === K[";"]) {
    p.advance();
    p.advance();
    p.advance();
  } else if (word === "overflow" && isMemberName(next) && p.peek(2) === K[";"]) {
    p.advance();
    p.advance();
    p.advance();
  } else if (word === "cursor" && (next === K["{"] || p.peek(2) === K["{"])) {
    p.advance();
    if (p.kind !== K["{"]) p.expectName("a cursor");
    parseRingAttributes(p);
  } else if (word === "framing" && p.peek(2) === K["{"]) {
    p.advance();
    p.expectMember("a framing");
    parseRingAttributes(p);
  } else parseRingField(p);
}

/** `name 4 at 8: type;` */
function parseRingField(p: Parser): void {
  p.expectMember("a ring field");
  p.eat(K.int);
  p.expectWord("at");
  takeInt(p);
  p.expect(K[":"]);
  p.expectMember("a type");
  p.expect(K[";"]);
}

function parseRingAttributes(p: Parser): void {
  p.expect(K["{"]);
  while (p.kind !== K["}"] && p.kind !== K.eof) {
    p.expectMember("an attribute");
    if (!p.eat(K.int)) p.expectMember("a value");
    p.expect(K[";"]);
  }
  p.expect(K["}"]);
}

/** `api A { rpc Path::method requires: [..]; }` */
export function parseApi(p: Parser): ApiDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("an api");
  p.expect(K["{"]);
  while (p.kind !== K["}"] && p.kind !== K.eof) {
    p.expectWord("rpc");
    p.expectName("a locus");
    do {
      p.expect(K["::"]);
      p.expectMember("a method");
    } while (p.kind === K["::"]);
    if (p.atWord("requires")) parseRequires(p);
    p.expect(K[";"]);
  }
  p.expect(K["}"]);
  return { kind: "api", name, span: p.spanFrom(start) };
}
