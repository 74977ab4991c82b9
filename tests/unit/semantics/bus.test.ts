import { describe, expect, test } from "vitest";
import { findings } from "./support.ts";

const declarations =
  "type N { n: Int; s: String; } topic T { payload: N; } topic K { payload: N; keyed_by n; on_unmatched: fail; }";

describe("sends (06 6.4)", () => {
  test("a topic, a literal, a covered literal and a computed subject", () => {
    const source = `${declarations}
      locus A {
        bus { publish T; publish "a" of type N; publish "log.**" of type N; }
        fn f(s: String) {
          T <- N { n: 1, s: "" };
          "a" <- N { n: 1, s: "" };
          "log.x" <- N { n: 1, s: "" };
          ("log." + s) <- N { n: 1, s: "" };
        }
      }
      fn main() { }`;
    expect(findings(source)).toEqual([]);
  });

  test.each([
    [
      "an undeclared literal",
      '"b" <- N { n: 1, s: "" };',
      '1:160 E0709 `A` does not declare `publish "b" of type ..;` in its bus block',
    ],
    [
      "the wire subject of a topic",
      '"T" <- N { n: 1, s: "" };',
      '1:160 E0709 `A` does not declare `publish "T" of type ..;` in its bus block',
    ],
    ["another payload", "T <- 3;", "1:165 E0304 expected `N`, got `Int`"],
    [
      "an or that nothing asks for",
      'T <- N { n: 1, s: "" } or discard;',
      "1:186 E0710 `or` is only legal on a send that can fail",
    ],
    [
      "no or where one is asked for",
      'K <- N { n: 1, s: "" };',
      "1:160 E0710 a send to `K` can fail: add `or raise`, `or discard` or `or handler(err)`",
    ],
  ])("%s is refused", (_, send, finding) => {
    expect(
      findings(`${declarations} locus A { bus { publish T; publish K; } fn f() { ${send} } }\nfn main() { }`),
    ).toEqual([finding]);
  });

  test("err of an unmatched key", () => {
    expect(
      findings(
        `${declarations} locus A { bus { publish K; } fn f() { K <- N { n: 1, s: "" } or println(err.key_lo, err.subject); } }\nfn main() { }`,
      ),
    ).toEqual([]);
  });
});

describe("subscriptions (06 6.3, 6.9)", () => {
  test.each([
    ["no such fn", "subscribe T as g;", "E0706 `A` has no fn `g` to handle this subject"],
    ["of type with a topic", "subscribe T as h of type N;", "E0705 `T` states its payload itself; leave out `of type`"],
    ["a key without keyed_by", "subscribe T as h where key == 1;", "E0707 `where key` needs a topic with `keyed_by`"],
    ["a key of another type", 'subscribe K as h where key == "x";', "E0707 the key is `Int`, this is `String`"],
    [
      "a fallback of a topic that has none",
      "subscribe K as h where key == _;",
      "E0707 `_` needs `on_unmatched: fallback` on `K`",
    ],
  ])("%s is refused", (_, edge, finding) => {
    const found = findings(`${declarations} locus A { bus { ${edge} } fn h(n: N) { } }\nfn main() { }`);
    expect(found.map((text) => text.replace(/^\S+ /, ""))).toEqual([finding]);
  });

  test("one literal subject has one payload over the whole program", () => {
    expect(
      findings(
        'type A { n: Int; } type B { n: Int; }\nlocus X { bus { publish "s" of type A; } }\nlocus Y { bus { subscribe "s" as h of type B; } fn h(b: B) { } }\nfn main() { }',
      ),
    ).toEqual(['3:27 E0705 "s" carries `A` elsewhere, here `B`']);
  });
});

describe("direct sends (06 6.6)", () => {
  const spin = (send: string, extra = "") =>
    `${declarations} locus A { bus { publish T; subscribe T as h; } fn h(n: N) { ${send} } }\n${extra} fn main() { A { }; }`;

  test("a handler that always sends its own topic would recurse", () => {
    expect(findings(spin("T <- n;"))).toEqual([
      "1:171 E0716 locus `A` re-enters itself through `T` without end: break the cycle or guard the send",
    ]);
  });

  test("a guarded send, and a topic with a second subscriber, are fine", () => {
    expect(findings(spin("if n.n < 3 { T <- n; }"))).toEqual([]);
    expect(findings(spin("T <- n;", "locus B { bus { subscribe T as h; } fn h(n: N) { } }"))).toEqual([]);
  });
});
