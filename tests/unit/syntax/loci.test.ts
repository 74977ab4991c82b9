// Loci, perspectives and the main locus's blocks (reference 01 7.3, 7.4, 7.9, 7.14).
import { describe, expect, test } from "vitest";
import type { LocusMember } from "../../../compiler/syntax/index.ts";
import { declaration, errorPlaces, errorsOf, showBlock, showExpr, showType } from "./support.ts";

/** The members of `main locus L { <text> }`, all of one kind. */
function members<Kind extends LocusMember["kind"]>(text: string, kind: Kind): Extract<LocusMember, { kind: Kind }>[] {
  const locus = declaration(`main locus L { ${text} }`, "locus");
  return locus.members.map((member) => {
    expect(member.kind).toBe(kind);
    return member as Extract<LocusMember, { kind: Kind }>;
  });
}

describe("heads", () => {
  test("generics and headers (01 7.3)", () => {
    const locus = declaration(
      "locus L<T> : serves m::P, tier 2, projection rich, projection recognition(cap = 8, spillover) { }",
      "locus",
    );
    expect(locus).toMatchObject({
      isMain: false,
      generics: [{ name: { text: "T" } }],
      headers: [
        { kind: "serves" },
        { kind: "tier", value: 2n },
        { kind: "projection", projection: "rich" },
        { kind: "projection", projection: "recognition", cap: { value: 8n }, submode: { text: "spillover" } },
      ],
    });
    expect(declaration("main locus L: tier 1 { }", "locus")).toMatchObject({ isMain: true });
  });

  test.each([
    ["locus L : schedule pinned { }", "1:11"],
    ["locus L : { }", "1:11"],
    ["locus L : tier x { }", "1:16"],
    ["locus L : projection recognition { }", "1:34"],
    ["locus L : projection recognition(cap = 8, spillover()) { }", "1:52"],
    ["locus L : projection recognition(cap = 8, other) { }", "1:43"],
    ["locus L : projection sparse { }", "1:22"],
  ])("%s is refused at %s (01 7.3)", (text, place) => {
    expect(errorPlaces(text)).toEqual([place]);
  });
});

describe("members", () => {
  test("params (01 7.3)", () => {
    const [block] = members("params { a: Int; b: Int = 1; c = 2; d: inferred; e; f: Int: inferred; }", "params");
    expect(
      block?.fields.map((f) => [
        f.name.text,
        f.type && showType(f.type),
        f.defaultValue && showExpr(f.defaultValue),
        f.inferred,
      ]),
    ).toEqual([
      ["a", "Int", undefined, false],
      ["b", "Int", "1", false],
      ["c", undefined, "2", false],
      ["d", undefined, undefined, true],
      ["e", undefined, undefined, true],
      ["f", "Int", undefined, true],
    ]);
  });

  test("contracts (01 7.3)", () => {
    const [written, inferred] = members(
      "contract { expose a: Int; consume bulk: fn(Int) -> Int; @gated(role: r) expose inferred; } contract: inferred;",
      "contract",
    );
    expect(written?.items).toMatchObject([
      { direction: "expose", name: { text: "a" } },
      { direction: "consume", name: { text: "bulk" } },
      { direction: "expose", gated: { text: "r" } },
    ]);
    expect(inferred).toMatchObject({ inferred: true, items: [] });
  });

  test("the bus (01 7.3)", () => {
    const [bus] = members(
      `bus {
        subscribe T as on_t; subscribe "a.b" as on_s of type Int bounded(4, drop_old) where key == self.k + 1;
        subscribe m::T as on_m where key == _; subscribe T as on_r where key == replica; subscribe T as on_v where key == replica.x;
        publish T; @gated(role: r) publish "x" of type [Int] as out;
      }`,
      "bus",
    );
    expect(bus?.members).toMatchObject([
      { kind: "subscribe", subject: { kind: "topic" }, handler: { text: "on_t" } },
      {
        subject: { kind: "literal", text: "a.b" },
        ofType: { kind: "named" },
        bounded: { capacity: { value: 4n }, policy: "drop_old" },
        key: { kind: "value" },
      },
      { subject: { kind: "topic", path: { segments: [{ text: "m" }, { text: "T" }] } }, key: { kind: "any" } },
      { key: { kind: "replica" } },
      { key: { kind: "value", value: { kind: "member" } } },
      { kind: "publish" },
      { kind: "publish", ofType: { kind: "array" }, alias: { text: "out" }, gated: { text: "r" } },
    ]);
  });

  test("capacity (01 7.3)", () => {
    const [block] = members("capacity { pool a of Int; heap b of m::T indexed_by id as_parent_for C; }", "capacity");
    expect(block?.slots).toMatchObject([
      { kind: "pool", name: { text: "a" } },
      { kind: "heap", name: { text: "b" }, indexedBy: { text: "id" }, asParentFor: { text: "C" } },
    ]);
  });

  test("hooks with and without parentheses (01 7.3)", () => {
    const hooks = members(
      "birth { } accept(c: C) { } release { } @unbounded run() -> Int { 1 } drain { } dissolve() { }",
      "lifecycle",
    );
    expect(hooks.map(({ hook, params, unbounded, body }) => [hook, params.length, unbounded, showBlock(body)])).toEqual(
      [
        ["birth", 0, false, "{}"],
        ["accept", 1, false, "{}"],
        ["release", 0, false, "{}"],
        ["run", 0, true, "{=> 1}"],
        ["drain", 0, false, "{}"],
        ["dissolve", 0, false, "{}"],
      ],
    );
    expect(
      members("mode bulk { } mode harmonic(a: Int) -> Int { a } mode resolution { }", "mode").map(({ mode }) => mode),
    ).toEqual(["bulk", "harmonic", "resolution"]);
    expect(
      members("on_failure { } on_failure(c: C, v: V) { }", "on_failure").map(({ params }) => params.length),
    ).toEqual([0, 2]);
  });

  test("closures (01 7.3)", () => {
    const [full, bare] = members(
      `closure a {
        sum(self.x) ~~ self.y within 1; epoch tick; epoch duration(5s); epoch birth; persists_through(restart, quarantine, other);
        resets_on(dissolve, restart_in_place); resets_per_epoch(n, m); captures: p, q;
      }
      closure b { captures: x; epoch explicit; }`,
      "closure",
    );
    expect(
      full?.assertion && [
        showExpr(full.assertion.left),
        showExpr(full.assertion.right),
        showExpr(full.assertion.tolerance),
      ],
    ).toEqual(["(sum self.x)", "self.y", "1"]);
    expect(
      full?.clauses.map((clause) => (clause.kind === "epoch" ? clause.epoch : clause.names.map(({ text }) => text))),
    ).toEqual([
      "tick",
      "duration",
      "birth",
      ["restart", "quarantine", "other"],
      ["dissolve", "restart_in_place"],
      ["n", "m"],
      ["p", "q"],
    ]);
    expect(bare?.assertion).toBeUndefined();
    expect(members("closure a { x approx y within z; }", "closure")[0]?.assertion).toBeDefined();
  });

  test("birth checks (01 7.3)", () => {
    expect(
      members("birth_check { self.n > 0 } -> violate a; birth_check { x } -> violate b(self.n);", "birth_check"),
    ).toMatchObject([{ closure: { text: "a" } }, { closure: { text: "b" }, payload: { kind: "member" } }]);
  });

  test("types and consts are the checker's to refuse (01 11.2)", () => {
    expect(errorsOf("locus L { type T { } const N: Int = 1; }")).toEqual([]);
  });

  test.each([
    ["locus M { }", "1:11"],
    ["interface I { }", "1:11"],
    ["topic T { }", "1:11"],
    ["module m { }", "1:11"],
    ['import "x" as y;', "1:11"],
    ["run { };", "1:18"],
    ["x: Int;", "1:11"],
    ["params { run: Int = 1; }", "1:20"],
    ["params { a: Int }", "1:27"],
    ["params { a: Int, b: Int; }", "1:26"],
    ["contract { a: Int; }", "1:22"],
    ["contract { expose run: Int; }", "1:29"],
    ["bus { subscribe T; }", "1:28"],
    ["bus { subscribe T as t where key == 1 bounded(1, drop_new); }", "1:49"],
    ["bus { subscribe T as t bounded(1, drop); }", "1:45"],
    ["bus { subscribe T as t where key == _ + 1; }", "1:49"],
    ["bus { publish T as a of type Int; }", "1:32"],
    ["bus { emit T; }", "1:17"],
    ["capacity { pool a of Int as_parent_for C indexed_by id; }", "1:52"],
    ["capacity { slab a of Int; }", "1:22"],
    ["run() fallible(E) { }", "1:17"],
    ["mode fast { }", "1:16"],
    ["closure a { epoch tick; x ~~ y within z; }", "1:35"],
    ["closure a { x == y; }", "1:29"],
    ["closure a { x ~~ y; }", "1:29"],
    ["closure a { epoch never; }", "1:29"],
    ["birth_check { x } -> violate;", "1:39"],
    ["let x = 1;", "1:11"],
  ])("%s is refused at %s (01 7.3)", (text, place) => {
    expect(errorPlaces(`locus L { ${text} }`)).toEqual([place]);
  });

  test.each(["bindings", "placement", "topology", "claims"])(
    "`%s` belongs to the main locus (01 11.2, 01 12.2)",
    (word) => {
      expect(errorsOf(`locus L { ${word} { } run { } }`)).toEqual([`1:11 \`${word}\` belongs to the main locus`]);
      expect(errorsOf(`main locus L { ${word} { } run { } }`)).toEqual([]);
    },
  );
});

describe("perspectives", () => {
  test("members (01 7.4)", () => {
    const { members: found } = declaration(
      "perspective P<T> { params { n: Int = 1; } bus { publish T; } stable_when { true } serialize_as [Int]; fn a(); @gated(role: r) fn b() -> Int { 1 } fn c() fallible(E); fn d() fallible(E) { fail x; } }",
      "perspective",
    );
    expect(found.map(({ kind }) => kind)).toEqual([
      "params",
      "bus",
      "stable_when",
      "serialize_as",
      "function",
      "function",
      "function",
      "function",
    ]);
    expect(errorPlaces("perspective P { run { } }")).toEqual(["1:17"]);
    expect(errorPlaces("perspective P { @hot fn f(); }")).toEqual(["1:18"]);
  });
});

describe("deployment", () => {
  test("placement (01 7.9)", () => {
    const [block] = members(
      `placement {
        a: cooperative; b: cooperative(pool = io) where async_io; c: pinned(core = 2, replicas = 3,); d: pinned(cores = 0..=3);
        e: pinned(cores = {0, 2,}); f: cooperative(l3 = big, pool = p); g: pinned(node = 1);
      }`,
      "placement",
    );
    expect(block?.entries).toMatchObject([
      { field: { text: "a" }, place: "cooperative", constraints: [] },
      { pool: { text: "io" }, constraints: [{ text: "async_io" }] },
      { place: "pinned", affinity: { kind: "core", value: 2n }, replicas: { value: 3n } },
      { affinity: { kind: "cores", cores: { kind: "range", low: 0n, high: 3n, inclusive: true } } },
      { affinity: { kind: "cores", cores: { kind: "set", cores: [0n, 2n] } } },
      { affinity: { kind: "l3", name: { text: "big" } }, pool: { text: "p" } },
      { affinity: { kind: "node", value: 1n } },
    ]);
  });

  test("topology (01 7.9)", () => {
    const [block] = members(
      "topology { reserve cores 0..2; node 0 { l3 a { cores 2..4; } l3 b { cores {4}; } } }",
      "topology",
    );
    expect(block?.items).toMatchObject([
      { kind: "reserve" },
      { kind: "node", index: 0n, groups: [{ name: { text: "a" } }, {}] },
    ]);
  });

  test("bindings (01 7.9, 01 7.14)", () => {
    const [block] = members(
      `bindings {
        T: unix("/tmp/s", role: listen) codec(Json { }) where intra_machine, zero_copy;
        m::U: shm_ring("r", slot_count: 8, buffer_size: 0x100, layout: lay, on_overflow: drop);
        V: net::Tcp { port: 1 };
        W: self.hub, requires: [a, b], bound: 4, on_full: drop;
        api: unix(self.path, mode: 6), http("h", 80, principals: p), serve: [A, B,];
      }`,
      "bindings",
    );
    expect(block?.entries).toMatchObject([
      {
        kind: "transport",
        transport: "unix",
        address: "/tmp/s",
        options: [{ value: "listen" }],
        codec: {},
        constraints: [{}, {}],
      },
      {
        kind: "transport",
        transport: "shm_ring",
        options: [{ value: "8" }, { value: "256" }, { value: "lay" }, { value: "drop" }],
      },
      { kind: "adapter", fields: [{ name: { text: "port" } }] },
      { kind: "hub", field: { text: "hub" }, options: [{ value: "a b" }, { value: "4" }, { value: "drop" }] },
      { kind: "api" },
    ]);
  });

  test.each([
    ["placement { a: pinned(); }", "1:38"],
    ["placement { a: cooperative(pool = p, pool = q); }", "1:53"],
    ["placement { a: pinned(core = 1, node = 2); }", "1:48"],
    ["placement { a: pinned(cores = 3); }", "1:47"],
    ["placement { a: pinned(pool = p); }", "1:38"],
    ["placement { a: cooperative where fast; }", "1:49"],
    ["placement { a: threads; }", "1:31"],
    ['bindings { T: shm_ring("r", slot_count: 8); }', "1:30"],
    ['bindings { T: shm_ring("r", slot_count: 0, on_overflow: drop); }', "1:56"],
    ['bindings { T: tcp("r"); }', "1:30"],
    ["bindings { T: net::tcp { }; }", "1:30"],
    ['bindings { T: unix("s") where remote; }', "1:46"],
    ["topology { core 1; }", "1:27"],
  ])("%s is refused at %s (01 7.9, 01 12.2)", (text, place) => {
    expect(errorPlaces(`main locus L { ${text} }`)).toEqual([place]);
  });
});
