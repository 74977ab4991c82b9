import { describe, expect, test } from "vitest";
import { findings, findingsInMain } from "./support.ts";

describe("params (05 5.2)", () => {
  test("the four forms; a type comes from the default or from use", () => {
    const source = `
      type Opt { depth: Int = 3; name: String = "x"; }
      locus A { params { a: Int = 1; b: Int; c = "text"; d: inferred; o: Opt; xs: bounded[Int; 4]; } fn f() -> Int { return self.d + self.o.depth; } }
      fn main() { let x = A { b: 2, d: 4 }; println(x.a + x.b, x.c, x.f()); }`;
    expect(findings(source)).toEqual([]);
  });

  test("a default reads earlier params only, through nested literals too", () => {
    expect(
      findings(
        "locus B { params { n: Int = 0; } }\nlocus A { params { b: B = B { n: self.m }; m: Int = 1; } }\nfn main() { }",
      ),
    ).toEqual(["2:34 E0508 `self.m` is read before it is initialised"]);
  });

  test("a locus may not build itself through defaults, a factory included", () => {
    expect(findings("locus A { params { a: A = make(); } }\nfn make() -> A { return A { }; }\nfn main() { }")).toEqual([
      "1:20 E0508 `A` contains itself: A.a -> A",
    ]);
    expect(
      findings(
        "locus A { params { n: Int = 0; a: I = if self.n > 0 { A { } } else { B { } }; } fn f() { } }\nlocus B { fn f() { } }\ninterface I { fn f(); }\nfn main() { }",
      ),
    ).toEqual([]);
  });
});

describe("members (05 5.7)", () => {
  test("params are written through any handle, whole handles need mut", () => {
    expect(findingsInMain("let c = C { }; c.n = 5; c = C { };", "locus C { params { n: Int = 0; } }")).toEqual([
      "2:37 E0406 `c` is not mutable; declare it with `let mut c`",
    ]);
  });

  test("a near name is offered", () => {
    expect(
      findingsInMain(
        "let c = C { }; println(c.cuont); c.bmup();",
        "locus C { params { count: Int = 0; } fn bump() { } }",
      ),
    ).toEqual(["2:36 E0308 no field `cuont` on `C`", "2:46 E0308 locus `C` has no method `bmup`"]);
  });

  test("a sealed locus is closed to everyone else (05 5.17)", () => {
    const declarations =
      "@sealed locus S { params { key: Int = 1; } fn sign(o: S) -> Int { return self.key + o.key; } }";
    expect(findingsInMain("let s = S { key: 4 }; println(s.sign(s), s.key);", declarations)).toEqual([
      "2:54 E0518 `S` is sealed; its params are readable only from inside; call one of its methods: `sign`",
    ]);
  });
});

describe("borrows (05 5.10)", () => {
  const declarations =
    "locus P { params { n: Int = 0; } } locus H { params { p: P; } fn n() -> Int { return self.p.n; } }";

  test("a holder of the same frame may borrow from it", () => {
    expect(findingsInMain("let p = P { }; let h = H { p: p }; println(h.n());", declarations)).toEqual([]);
  });

  test("a returned holder may not keep what ends with the function", () => {
    expect(
      findings(
        `${declarations}\nfn mk() -> H { let p = P { }; let h = H { p: p }; return h; } fn main() { println(mk().n()); }`,
      ),
    ).toEqual([
      "2:46 E0526 `p` ends with this function but the holder outlives it; build it in the field, or copy its data in birth()",
    ]);
  });

  test("a parameter is judged at its callers", () => {
    const source = `${declarations}\nfn hold(p: P) -> H { return H { p: p }; }\nfn bad() -> H { let p = P { }; return hold(p); }\nfn main() { let p = P { }; let h = hold(p); println(h.n(), bad().n()); }`;
    expect(findings(source)).toEqual([
      "3:44 E0526 `p` ends with this function but the result that holds it outlives it; build it in the field, or copy its data in birth()",
    ]);
  });
});

describe("threads (05 5.7.9)", () => {
  const db = "locus Db { params { n: Int = 0; } fn get() -> Int { return self.n; } }";

  test("a call on a field placed elsewhere is refused, a read is not", () => {
    const source = `${db}\nmain locus App { params { db: Db = Db { }; } placement { db: pinned; } run() { println(self.db.n, self.db.get()); } }`;
    expect(findings(source)).toEqual([
      "2:99 E0715 this `Db` runs on pinned db, the call on main; send a message over the bus",
    ]);
  });

  test("a field without placement lives with its holder", () => {
    const source = `${db}\nlocus W { params { db: Db = Db { }; } run() { println(self.db.get()); } }\nmain locus App { params { w: W = W { }; } placement { w: cooperative(pool = io); } }`;
    expect(findings(source)).toEqual([]);
  });

  test("a placed field is built by a literal, also where it is overridden", () => {
    const source = `${db}\nfn make() -> Db { return Db { }; }\nmain locus App { params { db: Db = Db { }; } placement { db: pinned; } }\nfn main() { App { db: make() }; }`;
    expect(findings(source)).toEqual([
      "4:23 E0713 `db` is placed: it needs a locus literal here, not a call, a name or a conditional",
    ]);
  });
});

describe("closures and failure (05b)", () => {
  test("an assertion has one numeric type and observes the locus", () => {
    expect(
      findings(
        "locus A { params { n: Int = 0; }\n closure a { self.n ~~ 0 within 1; }\n closure b { 1 ~~ 2 within 1; }\n closure c { self.n ~~ 0.5 within 1; }\n closure d { sum(self.n) ~~ count() within 1; epoch tick; } }\nfn main() { }",
      ),
    ).toEqual([
      "3:14 E0604 closure `b` compares two literals; it must observe the locus",
      "4:14 E0604 closure `c`: sides have types Int and Float; they must be one of Int, Float, Decimal, Duration",
    ]);
  });

  test("recovery takes the handler's own parameters", () => {
    expect(
      findings(
        "locus C { closure x { epoch inline; } }\nlocus A { params { c: C = C { }; }\n on_failure(c: C, v: ClosureViolation) { restart(self.c);\n quarantine(c);\n bubble(v); } }\nfn main() { }",
      ),
    ).toEqual(["3:50 E0608 `restart` takes the handler's own parameter `c`"]);
  });

  test("violate counts as leaving", () => {
    expect(findings("locus A { closure x { epoch inline; } fn f() -> Int { violate x; } }\nfn main() { }")).toEqual([]);
  });
});

describe("perspectives (05 5.15)", () => {
  const declarations =
    "perspective Rate { fn cost(n: Int) -> Int; } locus Flat : serves Rate { params { k: Int = 1; } fn cost(n: Int) -> Int { return n; } }";

  test("a holder takes what serves, and swaps it", () => {
    expect(
      findings(
        `${declarations} locus Shop { params { r: perspective(Rate) = Flat { }; } fn q() -> Int { reperspective self.r as Flat; return self.r.cost(2); } }\nfn main() { println(Shop { }.q()); }`,
      ),
    ).toEqual([]);
  });

  test("what does not serve is refused", () => {
    expect(
      findings(
        `${declarations} locus Odd { fn cost(n: Int) -> Int { return n; } }\nlocus Shop { params { r: perspective(Rate) = Odd { }; } }\nfn main() { }`,
      ),
    ).toEqual(["2:46 E0517 locus `Odd` does not serve `Rate`"]);
  });
});

describe("params of inferred type (05 5.2)", () => {
  test("a literal anywhere tells the type, also to bodies that were looked at before", () => {
    const source =
      "fn main() { let a = A { n: 4 }; println(a.f(), g(a)); }\nlocus A { params { n: inferred; } fn f() -> Int { return self.n + 1; } }\nfn g(a: A) -> String { return a.n; }";
    expect(findings(source)).toEqual(["3:31 E0404 return: expected `String`, got `Int`"]);
  });
});
