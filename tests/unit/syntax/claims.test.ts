// Claims, effects, targets, roles, ring layouts, service surfaces (reference 01 7.10, 7.11, 7.14).
import { describe, expect, test } from "vitest";
import { declaration, errorPlaces, parsed } from "./support.ts";

test("groups (01 7.10)", () => {
  expect(declaration("group g = { A, m::B, lib::*, } may_be_empty;", "group")).toMatchObject({
    members: [{ wildcard: false }, { path: { segments: [{ text: "m" }, { text: "B" }] } }, { wildcard: true }],
    mayBeEmpty: true,
  });
  expect(declaration("group g = { };", "group")).toMatchObject({ members: [], mayBeEmpty: false });
});

test("every claim (01 7.10)", () => {
  const { adopts, claims } = declaration(
    `claims {
      adopt base;
      a: forbid reaches(g, effects(db(*))) via { calls, bus, } during run avoiding h avoiding i;
      b: forbid reaches(g, h);
      c: only edges g -> h { publish T; subscribe m::U; };
      d: bound alloc <= 3 on paths from g;
      e: require subscribes(some g, topic m::T);
      f: require sealed(all g);
      h: require attributed(all publish);
      i: require attributed(all cost);
      j: cover topic in seed(s): subscribed_by(some g);
      adopt: count publishers(topic T) == 1;
      k: count subscribers(topic T) >= 2;
    }`,
    "claims",
  );
  expect(adopts).toMatchObject([{ text: "base" }]);
  expect(claims.map(({ name, claim }) => [name.text, claim.kind])).toEqual([
    ["a", "forbid-reaches"],
    ["b", "forbid-reaches"],
    ["c", "only-edges"],
    ["d", "bound"],
    ["e", "require-edge"],
    ["f", "require-sealed"],
    ["h", "require-attributed"],
    ["i", "require-attributed"],
    ["j", "cover"],
    ["adopt", "count"],
    ["k", "count"],
  ]);
  expect(claims[0]?.claim).toMatchObject({
    via: ["calls", "bus"],
    during: { text: "run" },
    avoiding: [{ text: "h" }, { text: "i" }],
  });
  expect(claims[2]?.claim).toMatchObject({ edges: [{ direction: "publish" }, { direction: "subscribe" }] });
  expect(claims[6]?.claim).toMatchObject({ what: "publish" });
  expect(claims[10]?.claim).toMatchObject({ direction: "subscribers", comparison: ">=", limit: 2n });
});

test("constitutions (01 7.10)", () => {
  expect(declaration("constitution c extends a, b { x: require sealed(all g); }", "constitution")).toMatchObject({
    bases: [{ text: "a" }, { text: "b" }],
    claims: [{ name: { text: "x" } }],
  });
});

test("effects and domains (01 7.11)", () => {
  const { declarations } = parsed(
    "domain d = { a, b c, }; effect io; effect e(d); effect all = { alloc, e(a) e(*), io };",
  );
  expect(declarations).toMatchObject([
    { kind: "domain", members: [{ text: "a" }, { text: "b" }, { text: "c" }] },
    { kind: "effect" },
    { kind: "effect", domain: { text: "d" } },
    { kind: "effect", parts: [{}, { argument: { text: "a" } }, { argument: { text: "*" } }, {}] },
  ]);
});

test("targets, roles, ring layouts, service surfaces (01 7.11, 01 7.14)", () => {
  const { declarations } = parsed(`
    target wasm { fs.read, net, a.b.c, }
    role admin includes user, guest; role guest;
    ring_layout r { magic 1; data_at 64; overflow drop; cursor head { at 8; } cursor { run 1; } framing len { size 4; } a 4 at 0: u32; b at 8: type; }
    api A { rpc L::m; rpc m::L::run requires: [admin]; }
  `);
  expect(declarations.map(({ kind }) => kind)).toEqual(["target", "role", "role", "ring_layout", "api"]);
  expect(declarations[1]).toMatchObject({ includes: [{ text: "user" }, { text: "guest" }] });
});

describe("refusals", () => {
  test.each([
    ["group g = { A }", "1:16"],
    ["group g = { A B };", "1:15"],
    ["constitution c { adopt b; }", "1:18"],
    ["claims { a: allow x; }", "1:13"],
    ["claims { a: bound alloc < 3 on paths from g; }", "1:25"],
    ["claims { a: count publishers(topic T) != 1; }", "1:39"],
    ["claims { a: forbid reaches(g, h) via { }; }", "1:40"],
    ["effect alloc;", "1:8"],
    ["effect e(d);", "1:10"],
    ["domain d = { };", "1:14"],
    ["domain d = { a }; domain d = { b };", "1:26"],
    ["api A { fn f(); }", "1:9"],
    ["api A { rpc m; }", "1:14"],
    ["ring_layout r { magic; }", "1:22"],
    ["target t { a.; }", "1:14"],
  ])("%s is refused at %s (01 7.10, 01 7.11)", (text, place) => {
    expect(errorPlaces(text)).toEqual([place]);
  });
});
