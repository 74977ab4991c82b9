import type { CodeInfo } from "./entry.ts";

/** Loci, failure and closures (reference 05, 05b). */
export const LOCUS_CODES = {
  E0501: {
    title: "Reserved member name",
    explanation: "`children`, `draining` and `k_max` exist on every locus.",
    example: "locus A { params { children: Int = 0; } } fn main() { }",
  },
  E0502: {
    title: "Member declared twice",
    explanation: "Params and methods of a locus have different names.",
    example: "locus A { params { n: Int = 0; n: Int = 1; } } fn main() { }",
  },
  E0503: {
    title: "Declaration inside a locus",
    explanation: "Types and constants stand at the top level.",
    example: "locus A { const K: Int = 1; } fn main() { }",
  },
  E0504: {
    title: "Hook declared twice",
    explanation: "Each lifecycle hook stands once.",
    example: "locus A { birth() { } birth() { } } fn main() { }",
  },
  E0505: {
    title: "Parameters of a hook",
    explanation: "`accept` and `release` take one child locus, the other hooks nothing.",
    example: "locus A { accept(n: Int) { } } fn main() { }",
  },
  E0506: {
    title: "Hook with a value",
    explanation: "Lifecycle bodies return nothing.",
    example: "locus A { birth() { return 1; } } fn main() { }",
  },
  E0507: {
    title: "Method returns a locus",
    explanation: "Return data, own the child as a field, or publish. Free functions and modes may return loci.",
    example: "locus B { } locus A { fn make() -> B { return B { }; } } fn main() { }",
  },
  E0508: {
    title: "Read before initialisation",
    explanation: "A default reads only earlier params of its locus, and may not construct the locus again.",
    example: "locus A { params { x: Int = self.y; y: Int = 1; } } fn main() { }",
  },
  E0509: {
    title: "Hook called",
    explanation: "Lifecycle hooks run by themselves and cannot be called.",
    example: "locus A { run() { } } fn main() { let a = A { }; a.run(); }",
  },
  E0510: {
    title: "Handle assigned to a locus field",
    explanation: "Its owner would be ambiguous. Assign a literal, accept the child, or change the field in place.",
    example: "locus B { } locus A { params { b: B = B { }; } fn set(b: B) { self.b = b; } } fn main() { }",
  },
  E0511: {
    title: "Projection",
    explanation: "`recognition` needs `(cap = N, fixed_cell)` or `(cap = N, shared_slab)`.",
    example: "locus A : projection recognition(cap = 0, fixed_cell) { } fn main() { }",
  },
  E0512: {
    title: "release without accept",
    explanation: "A locus releases the child type that it accepts.",
    example: "locus B { } locus A { release(b: B) { } } fn main() { }",
  },
  E0513: {
    title: "children",
    explanation:
      "`self.children` exists in a locus that accepts; it is walked by `for` and has `count` and `is_empty`.",
    example: "locus A { fn n() -> Int { return self.children.count; } } fn main() { }",
  },
  E0514: {
    title: "terminate outside a locus",
    explanation: "It ends the locus whose body it stands in.",
    example: "fn main() { terminate; }",
  },
  E0515: {
    title: "Contract",
    explanation: "What is exposed exists with that type; what is consumed is exposed by the accepted child.",
    example: "locus A { contract { expose n: Int; } } fn main() { }",
  },
  E0516: {
    title: "Perspective not served",
    explanation: "A locus that serves a perspective has all its functions and bus edges.",
    example: "perspective P { fn f() -> Int; } locus A : serves P { } fn main() { }",
  },
  E0517: {
    title: "Not a perspective",
    explanation: "`serves` and `perspective(..)` name a perspective; what goes into such a param serves it.",
    example: "locus B { } locus A : serves B { } fn main() { }",
  },
  E0518: {
    title: "Sealed",
    explanation: "Params of a sealed locus are readable only in its own bodies. Call one of its methods.",
    example:
      'locus Key { params { k: String = "s"; } } @sealed locus S { params { k: String = "s"; } } fn main() { let s = S { }; println(s.k); }',
  },
  E0519: {
    title: "reperspective",
    explanation:
      "It swaps the implementation behind a perspective-typed param of this locus by one that serves it, with the same params.",
    example: "locus B { } locus A { params { n: Int = 0; } fn f() { reperspective self.n as B; } } fn main() { }",
  },
  E0520: {
    title: "Capacity slot",
    explanation: "Slots have different names and hold data, not loci.",
    example: "locus B { } locus A { capacity { pool xs of B; } } fn main() { }",
  },
  E0521: {
    title: "Use of a slot or cell",
    explanation: "A pool has `acquire` and `release`, a heap `alloc` and `free`; cells go back to their own slot.",
    example: "locus A { capacity { pool xs of Int; } fn f() { let c = self.xs.alloc(); } } fn main() { }",
  },
  E0522: {
    title: "Nested long-running child",
    explanation:
      "A locus with a run of its own would wait for the runs of its params. Place the child in the main locus, or move its loop.",
    example:
      "locus B { run() { println(1); } } locus A { params { b: B = B { }; } run() { println(2); } } fn main() { }",
  },
  E0523: {
    title: "Subscriber built in a handler",
    explanation: "It would end with the handler. Let an ancestor accept it, or hold it in a field.",
    example:
      'type N { n: Int; } locus S { bus { subscribe "a" as h of type N; } fn h(n: N) { } } locus L { bus { subscribe "b" as h of type N; } fn h(n: N) { S { }; } } fn main() { }',
  },
  E0524: {
    title: "No failure policy",
    explanation: "Below `@supervised` every locus with children has an `on_failure`, itself or above it.",
    example: "locus C { } @supervised locus A { params { c: C = C { }; } } fn main() { }",
  },
  E0525: {
    title: "Child accepted on another thread",
    explanation: "It is born later, over there; only a statement of its own may build it.",
    example:
      "locus E { params { n: Int = 0; } } locus S { run() { let e = E { }; println(e.n); } } main locus App { params { s: S = S { }; } placement { s: pinned; } accept(e: E) { } }",
  },
  E0526: {
    title: "Borrow outlived by its holder",
    explanation: "The handle ends before the locus that keeps it. Build it in the field, or copy its data in birth().",
    example:
      "locus P { params { n: Int = 0; } } locus H { params { p: P; } fn n() -> Int { return self.p.n; } } fn mk() -> H { let p = P { }; return H { p: p }; } fn main() { println(mk().n()); }",
  },
  E0527: {
    title: "Type of a param not known",
    explanation: "`n: inferred;` takes its type from the first literal that gives it. Write the type instead.",
    example: "locus A { params { n: inferred; } fn f() -> Int { return self.n; } } fn main() { }",
  },
  E0601: {
    title: "Closure declared twice",
    explanation: "Closures of a locus have different names.",
    example: "locus A { closure c { epoch inline; } closure c { epoch inline; } } fn main() { }",
  },
  E0602: {
    title: "Shape of a closure",
    explanation: "One epoch at most; an assertion unless it is inline, and none if it is.",
    example: "locus A { closure c { epoch birth; } } fn main() { }",
  },
  E0603: {
    title: "Clause of a closure",
    explanation:
      "`captures` goes with inline closures, `resets_per_epoch` with `epoch duration(..)`; both name params.",
    example: "locus A { closure c { epoch inline; captures: missing; } } fn main() { }",
  },
  E0604: {
    title: "Assertion",
    explanation: "Both sides and the tolerance have one numeric type, and something of the locus stands in it.",
    example: "locus A { params { n: Int = 0; } closure c { self.n ~~ 1.5 within 1; } } fn main() { }",
  },
  E0605: {
    title: "Accumulator",
    explanation: "`sum(e)`, `count()` and `mean(e)` accumulate only in a closure's assertion; `prod` is not available.",
    example: "fn main() { println(sum(3)); }",
  },
  E0606: {
    title: "violate",
    explanation: "It names an inline closure of the locus whose body it stands in, and not in `on_failure`.",
    example: "locus A { fn f() { violate c; } } fn main() { }",
  },
  E0607: {
    title: "birth_check",
    explanation: "Its condition is a Bool.",
    example:
      "locus A { params { n: Int = 0; } closure c { epoch inline; } birth_check { self.n } -> violate c; } fn main() { }",
  },
  E0608: {
    title: "Recovery",
    explanation:
      "`restart`, `restart_in_place`, `quarantine` and `bubble` stand in `on_failure` and take its parameters.",
    example: "locus B { } locus A { fn f(b: B) { restart(b); } } fn main() { }",
  },
  E0609: {
    title: "on_failure",
    explanation: "It takes a child locus and a `ClosureViolation`; one handler per child type.",
    example: "locus A { on_failure(n: Int, v: ClosureViolation) { } } fn main() { }",
  },
  W0501: {
    title: "Fields behind an endless run are never born",
    explanation: "The field runs inline and its run cannot return. Put it last, or place it off the main pool.",
    example:
      'locus A { run() { while true { std::time::sleep(1s); } } } locus B { birth() { println("b"); } } main locus M { params { a: A = A { }; b: B = B { }; } }',
  },
  W0502: {
    title: "Accepted children pile up",
    explanation: "The locus accepts children, releases none and runs forever. Add a `release`.",
    example:
      "locus C { } locus A { accept(c: C) { } run() { while true { C { }; std::time::sleep(1s); } } } fn main() { A { }; }",
  },
} as const satisfies Record<string, CodeInfo>;
