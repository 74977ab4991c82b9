// Deployment blocks of the main locus (01 7.9, 7.14).
import type {
  Affinity,
  BindingEntry,
  BindingsBlock,
  CoreSet,
  FieldInit,
  IntLit,
  Name,
  Path,
  PlacementBlock,
  PlacementEntry,
  TopologyBlock,
} from "./ast.ts";
import { parseRequires } from "./parse-decorators.ts";
import { parseExpr, parseLiteralBody, parsePathExpr } from "./parse-expressions.ts";
import { expectOneOf, parseCount, takeInt, takeString } from "./parse-leaves.ts";
import type { Parser } from "./parser.ts";
import { K } from "./tokens.ts";

export function parsePlacement(p: Parser): PlacementBlock {
  const { start } = p;
  p.advance();
  p.expect(K["{"]);
  const entries: PlacementEntry[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) entries.push(parsePlacementEntry(p));
  p.expect(K["}"]);
  return { kind: "placement", entries, span: p.spanFrom(start) };
}

function parsePlacementEntry(p: Parser): PlacementEntry {
  const { start } = p;
  const field = p.expectName("a field");
  p.expect(K[":"]);
  const place = expectOneOf(p, ["cooperative", "pinned"]);
  const attributes = p.eat(K["("]) ? parsePlaceAttributes(p, place) : {};
  const constraints = parseConstraints(p, ["async_io"]);
  p.expect(K[";"]);
  return { field, place, ...attributes, constraints, span: p.spanFrom(start) };
}

type PlaceAttributes = { pool?: Name; replicas?: IntLit; affinity?: Affinity };

/** Everything between the parentheses: at most one affinity and one `pool` or `replicas`. */
function parsePlaceAttributes(p: Parser, place: "cooperative" | "pinned"): PlaceAttributes {
  const attributes: PlaceAttributes = {};
  const own = place === "cooperative" ? "pool" : "replicas";
  do {
    const word = p.kind === K.ident ? p.tokens.wordOf(p.pos) : "";
    const isAffinity = word === "core" || word === "node" || word === "cores" || word === "l3";
    if (word !== own && !isAffinity) p.failExpected(`\`${own}\`, \`core\`, \`cores\`, \`node\` or \`l3\``);
    if (isAffinity && attributes.affinity) p.fail("E0110", "an entry has at most one affinity");
    if (word === own && (attributes.pool || attributes.replicas)) p.fail("E0110", `\`${own}\` is given twice`);
    p.advance();
    p.expect(K["="]);
    if (word === "pool") attributes.pool = p.expectName("a pool");
    else if (word === "replicas") attributes.replicas = parseCount(p, "the number of replicas", 0n);
    else attributes.affinity = parseAffinity(p, word);
  } while (p.eat(K[","]) && p.kind !== K[")"]);
  p.expect(K[")"]);
  return attributes;
}

function parseAffinity(p: Parser, word: string): Affinity {
  if (word === "cores") return { kind: "cores", cores: parseCores(p) };
  if (word === "l3") return { kind: "l3", name: p.expectName("a cache group") };
  return { kind: word === "core" ? "core" : "node", value: takeInt(p) };
}

/** `0..4`, `0..=3` or `{0, 2}` */
function parseCores(p: Parser): CoreSet {
  if (p.eat(K["{"])) {
    const cores: bigint[] = [];
    do cores.push(takeInt(p));
    while (p.eat(K[","]) && p.kind !== K["}"]);
    p.expect(K["}"]);
    return { kind: "set", cores };
  }
  const low = takeInt(p);
  const inclusive = p.kind === K["..="];
  if (!inclusive && p.kind !== K[".."]) p.failExpected("`..`", "`cores` takes a range `0..4` or a set `{0, 2}`");
  p.advance();
  return { kind: "range", low, high: takeInt(p), inclusive };
}

/** `where a, b`, each one of the known words; nothing without `where`. */
function parseConstraints(p: Parser, known: readonly string[]): readonly Name[] {
  const constraints: Name[] = [];
  if (!p.eat(K.where)) return constraints;
  do {
    const name = p.expectName("a constraint");
    if (!known.includes(name.text))
      p.fail(
        "E0115",
        `unknown constraint \`${name.text}\`; known: ${known.map((word) => `\`${word}\``).join(", ")}`,
        undefined,
        name.span,
      );
    constraints.push(name);
  } while (p.eat(K[","]));
  return constraints;
}

export function parseTopology(p: Parser): TopologyBlock {
  const { start } = p;
  p.advance();
  p.expect(K["{"]);
  const items: TopologyBlock["items"][number][] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) items.push(parseTopologyItem(p));
  p.expect(K["}"]);
  return { kind: "topology", items, span: p.spanFrom(start) };
}

function parseTopologyItem(p: Parser): TopologyBlock["items"][number] {
  const { start } = p;
  if (p.eatWord("reserve")) {
    p.expectWord("cores");
    const cores = parseCores(p);
    p.expect(K[";"]);
    return { kind: "reserve", cores, span: p.spanFrom(start) };
  }
  if (!p.eatWord("node")) p.failExpected("`reserve` or `node`");
  const index = takeInt(p);
  const groups: { name: Name; cores: CoreSet }[] = [];
  p.expect(K["{"]);
  while (p.kind !== K["}"] && p.kind !== K.eof) {
    p.expectWord("l3");
    const name = p.expectName("a cache group");
    p.expect(K["{"]);
    p.expectWord("cores");
    groups.push({ name, cores: parseCores(p) });
    p.expect(K[";"]);
    p.expect(K["}"]);
  }
  p.expect(K["}"]);
  return { kind: "node", index, groups, span: p.spanFrom(start) };
}

export function parseBindings(p: Parser): BindingsBlock {
  const { start } = p;
  p.advance();
  p.expect(K["{"]);
  const entries: BindingEntry[] = [];
  while (p.kind !== K["}"] && p.kind !== K.eof) entries.push(parseBinding(p));
  p.expect(K["}"]);
  return { kind: "bindings", entries, span: p.spanFrom(start) };
}

const BINDING_CONSTRAINTS = ["intra_process", "intra_machine", "cross_machine", "zero_copy"];

function parseBinding(p: Parser): BindingEntry {
  const { start } = p;
  const topic = parsePathExpr(p);
  p.expect(K[":"]);
  if (p.kind === K.self) return parseHub(p, topic, start);
  const isUnix = p.atWord("unix") && p.peek(1) === K["("];
  if (isUnix && topic.segments.length === 1 && topic.segments[0]?.text === "api") return parseApiEntry(p, start);
  if (isUnix || (p.atWord("shm_ring") && p.peek(1) === K["("])) return parseTransport(p, topic, start);
  const adapter = parsePathExpr(p);
  if (!/^[A-Z]/.test(adapter.segments.at(-1)?.text ?? "")) {
    p.fail(
      "E0115",
      "expected `unix(..)`, `shm_ring(..)` or an adapter's literal, whose name starts with a capital letter",
      undefined,
      adapter.span,
    );
  }
  const fields = parseLiteralBody(p);
  return { kind: "adapter", topic, adapter, fields, ...parseBindingEnd(p), span: p.spanFrom(start) };
}

type Codec = { readonly path: Path; readonly fields: readonly FieldInit[] };

/** `codec(..)? where ..? ;` */
function parseBindingEnd(p: Parser): { codec?: Codec; constraints: readonly Name[] } {
  let codec: Codec | undefined;
  if (p.eatWord("codec")) {
    p.expect(K["("]);
    const path = parsePathExpr(p);
    codec = { path, fields: parseLiteralBody(p) };
    p.expect(K[")"]);
  }
  const constraints = parseConstraints(p, BINDING_CONSTRAINTS);
  p.expect(K[";"]);
  return { ...(codec && { codec }), constraints };
}

/** `unix("path", role: listen)` or `shm_ring("name", slot_count: 8, on_overflow: drop)` */
function parseTransport(p: Parser, topic: Path, start: number): BindingEntry {
  const head = p.takeName();
  const transport = head.text === "unix" ? "unix" : "shm_ring";
  p.expect(K["("]);
  const address = takeString(p);
  const options: { name: Name; value: string }[] = [];
  while (p.eat(K[","])) options.push(parseTransportOption(p, transport));
  p.expect(K[")"]);
  if (transport === "shm_ring" && !options.some(({ name }) => name.text === "on_overflow")) {
    p.fail("E0115", "`shm_ring` must state `on_overflow: block`, `drop` or `fail`", undefined, head.span);
  }
  return { kind: "transport", topic, transport, address, options, ...parseBindingEnd(p), span: p.spanFrom(start) };
}

function parseTransportOption(p: Parser, transport: "unix" | "shm_ring"): { name: Name; value: string } {
  const known = transport === "unix" ? ["role"] : ["slot_count", "buffer_size", "layout", "on_overflow"];
  if (p.kind !== K.ident || !known.includes(p.tokens.wordOf(p.pos)))
    p.failExpected(known.map((word) => `\`${word}\``).join(", "));
  const name = p.takeName();
  p.expect(K[":"]);
  switch (name.text) {
    case "role":
      return { name, value: expectOneOf(p, ["listen", "connect"]) };
    case "on_overflow":
      return { name, value: expectOneOf(p, ["block", "drop", "fail"]) };
    case "layout":
      return { name, value: p.expectName("a ring layout").text };
    default:
      return { name, value: parseCount(p, `\`${name.text}\``, 1n).value.toString() };
  }
}

/** `Topic: self.field, requires: [..], bound: 4, on_full: word;` */
function parseHub(p: Parser, topic: Path, start: number): BindingEntry {
  p.advance();
  p.expect(K["."]);
  const field = p.expectName("a field");
  const options: { name: Name; value: string }[] = [];
  while (p.eat(K[","])) {
    const span = p.spanHere();
    if (p.atWord("requires")) {
      const roles = parseRequires(p);
      options.push({ name: { text: "requires", span }, value: roles.map(({ text }) => text).join(" ") });
      continue;
    }
    const option = expectOneOf(p, ["bound", "on_full"]);
    p.expect(K[":"]);
    const value = option === "bound" ? takeInt(p).toString() : p.expectName("a policy").text;
    options.push({ name: { text: option, span }, value });
  }
  p.expect(K[";"]);
  return { kind: "hub", topic, field, options, span: p.spanFrom(start) };
}

/** `api: unix(expr, name: expr), http(..), serve: [..];` */
function parseApiEntry(p: Parser, start: number): BindingEntry {
  p.advance();
  p.expect(K["("]);
  parseExpr(p);
  while (p.eat(K[","])) {
    p.expectName("an option");
    p.expect(K[":"]);
    parseExpr(p);
  }
  p.expect(K[")"]);
  while (p.eat(K[","])) parseApiClause(p);
  p.expect(K[";"]);
  return { kind: "api", span: p.spanFrom(start) };
}

function parseApiClause(p: Parser): void {
  if (expectOneOf(p, ["http", "serve"]) === "serve") {
    p.expect(K[":"]);
    p.expect(K["["]);
    while (p.kind === K.ident) {
      p.advance();
      if (!p.eat(K[","])) break;
    }
    p.expect(K["]"]);
    return;
  }
  p.expect(K["("]);
  parseExpr(p);
  p.expect(K[","]);
  parseExpr(p);
  if (p.eat(K[","]) && p.eatWord("principals")) {
    p.expect(K[":"]);
    parseExpr(p);
    p.eat(K[","]);
  }
  p.expect(K[")"]);
}
