// Groups, claims and constitutions (01 7.10).
import type { Claim, ClaimsDecl, ClaimSet, ConstitutionDecl, GroupDecl, NamedClaim, Name, Path } from "./ast.ts";
import { parseEffectClass } from "./parse-decorators.ts";
import { expectOneOf, takeInt } from "./parse-leaves.ts";
import type { Parser } from "./parser.ts";
import { flags, K } from "./tokens.ts";

/** `group name = { a::b, lib::* } may_be_empty;` */
export function parseGroup(p: Parser): GroupDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a group");
  p.expect(K["="]);
  p.expect(K["{"]);
  const members: { path: Path; wildcard: boolean }[] = [];
  while (p.kind !== K["}"] && !p.failed) {
    members.push(parseGroupMember(p));
    if (!p.eat(K[","])) break;
  }
  p.expect(K["}"]);
  const mayBeEmpty = p.eatWord("may_be_empty");
  p.expect(K[";"]);
  return { kind: "group", name, members, mayBeEmpty, span: p.spanFrom(start) };
}

function parseGroupMember(p: Parser): { path: Path; wildcard: boolean } {
  const { start } = p;
  const segments = [p.expectName("a member")];
  while (p.kind === K["::"] && p.peek(1) !== K["*"]) {
    p.advance();
    segments.push(p.expectName("a member"));
  }
  const path = { segments, span: p.spanFrom(start) };
  const wildcard = p.eat(K["::"]);
  if (wildcard) p.expect(K["*"]);
  return { path, wildcard };
}

/** `claims { .. }`, at the top level or in the main locus. */
export function parseClaimsBlock(p: Parser): ClaimsDecl {
  const { start } = p;
  p.advance();
  p.expect(K["{"]);
  const adopts: Name[] = [];
  const claims: NamedClaim[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) {
    if (p.atWord("adopt") && p.peek(1) !== K[":"]) {
      p.advance();
      adopts.push(p.expectName("a constitution"));
      p.expect(K[";"]);
    } else claims.push(parseNamedClaim(p));
  }
  p.expect(K["}"]);
  return { kind: "claims", adopts, claims, span: p.spanFrom(start) };
}

/** `constitution name extends a, b { .. }` */
export function parseConstitution(p: Parser): ConstitutionDecl {
  const { start } = p;
  p.advance();
  const name = p.expectName("a constitution");
  const bases: Name[] = [];
  if (p.eatWord("extends")) {
    do bases.push(p.expectName("a constitution"));
    while (p.eat(K[","]));
  }
  p.expect(K["{"]);
  const claims: NamedClaim[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) {
    if (p.atWord("adopt")) p.failExpected("a claim", "`adopt` belongs in a `claims` block; use `extends`");
    claims.push(parseNamedClaim(p));
  }
  p.expect(K["}"]);
  return { kind: "constitution", name, bases, claims, span: p.spanFrom(start) };
}

function parseNamedClaim(p: Parser): NamedClaim {
  const { start } = p;
  const name = p.expectName("a claim");
  p.expect(K[":"]);
  const claim = parseClaim(p);
  p.expect(K[";"]);
  return { name, claim, span: p.spanFrom(start) };
}

function parseClaim(p: Parser): Claim {
  switch (expectOneOf(p, ["forbid", "only", "bound", "require", "cover", "count"])) {
    case "forbid":
      return parseForbid(p);
    case "only":
      return parseOnlyEdges(p);
    case "bound": {
      const effect = parseEffectClass(p);
      p.expect(K["<="]);
      const limit = takeInt(p);
      p.expect(K.on);
      p.expectWord("paths");
      p.expectWord("from");
      return { kind: "bound", effect, limit, from: p.expectName("a group") };
    }
    case "require":
      return parseRequire(p);
    case "cover":
      return parseCover(p);
    case "count":
      return parseCountClaim(p);
  }
}

const PHASES = flags(K.birth, K.accept, K.release, K.run, K.drain, K.dissolve, K.bulk, K.harmonic, K.resolution);

/** `reaches(a, b) via {..} during run avoiding c` */
function parseForbid(p: Parser): Claim {
  p.expectWord("reaches");
  p.expect(K["("]);
  const from = parseClaimSet(p);
  p.expect(K[","]);
  const to = parseClaimSet(p);
  p.expect(K[")"]);
  const via: ("calls" | "bus")[] = [];
  const avoiding: Name[] = [];
  let during: Name | undefined;
  for (;;) {
    if (p.eatWord("via")) parseVia(p, via);
    else if (p.eatWord("during")) during = PHASES[p.kind] === 1 ? p.takeName() : p.expectName("a phase");
    else if (p.eatWord("avoiding")) avoiding.push(p.expectName("a group"));
    else break;
  }
  return { kind: "forbid-reaches", from, to, via, ...(during && { during }), avoiding };
}

function parseVia(p: Parser, via: ("calls" | "bus")[]): void {
  p.expect(K["{"]);
  do {
    if (p.eat(K.bus)) via.push("bus");
    else {
      p.expectWord("calls");
      via.push("calls");
    }
  } while (p.eat(K[","]) && p.kind !== K["}"]);
  p.expect(K["}"]);
}

function parseClaimSet(p: Parser): ClaimSet {
  const { start } = p;
  if (p.atWord("effects") && p.peek(1) === K["("]) {
    p.advance();
    p.advance();
    const effect = parseEffectClass(p);
    p.expect(K[")"]);
    return { kind: "effects", effect, span: p.spanFrom(start) };
  }
  const name = p.expectName("a group");
  return { kind: "group", name, span: name.span };
}

/** `edges a -> b { publish T; subscribe U; }` */
function parseOnlyEdges(p: Parser): Claim {
  p.expectWord("edges");
  const from = p.expectName("a group");
  p.expect(K["->"]);
  const to = p.expectName("a group");
  p.expect(K["{"]);
  const edges: { direction: "publish" | "subscribe"; topic: Path }[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) {
    const direction = p.kind === K.publish ? "publish" : "subscribe";
    if (p.kind !== K.publish && p.kind !== K.subscribe) p.failExpected("`publish` or `subscribe`");
    p.advance();
    edges.push({ direction, topic: parseTopicRef(p) });
    p.expect(K[";"]);
  }
  p.expect(K["}"]);
  return { kind: "only-edges", from, to, edges };
}

function parseTopicRef(p: Parser): Path {
  const { start } = p;
  const segments = [p.expectName("a topic")];
  while (p.eat(K["::"])) segments.push(p.expectName("a topic"));
  return { segments, span: p.spanFrom(start) };
}

function parseRequire(p: Parser): Claim {
  const what = expectOneOf(p, ["subscribes", "publishes", "sealed", "attributed"]);
  p.expect(K["("]);
  if (what === "sealed" || what === "attributed") {
    p.expectWord("all");
    const isPublish = what === "attributed" && p.kind === K.publish;
    const name = isPublish ? p.takeName() : p.expectName("a group");
    p.expect(K[")"]);
    if (what === "sealed") return { kind: "require-sealed", group: name };
    return { kind: "require-attributed", what: isPublish ? "publish" : name };
  }
  p.expectWord("some");
  const group = p.expectName("a group");
  p.expect(K[","]);
  p.expectWord("topic");
  const topic = parseTopicRef(p);
  p.expect(K[")"]);
  return { kind: "require-edge", direction: what, group, topic };
}

/** `topic in seed(s): subscribed_by(some g)` */
function parseCover(p: Parser): Claim {
  p.expectWord("topic");
  p.expect(K.in);
  p.expectWord("seed");
  p.expect(K["("]);
  const seed = p.expectName("a seed");
  p.expect(K[")"]);
  p.expect(K[":"]);
  p.expectWord("subscribed_by");
  p.expect(K["("]);
  p.expectWord("some");
  const group = p.expectName("a group");
  p.expect(K[")"]);
  return { kind: "cover", seed, group };
}

/** `publishers(topic T) == 1` */
function parseCountClaim(p: Parser): Claim {
  const direction = expectOneOf(p, ["publishers", "subscribers"]);
  p.expect(K["("]);
  p.expectWord("topic");
  const topic = parseTopicRef(p);
  p.expect(K[")"]);
  const comparison = p.kind === K["<="] ? "<=" : p.kind === K[">="] ? ">=" : "==";
  if (comparison === "==" && p.kind !== K["=="]) p.failExpected("`==`, `<=` or `>=`");
  p.advance();
  return { kind: "count", direction, topic, comparison, limit: takeInt(p) };
}
