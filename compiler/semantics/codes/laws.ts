import type { CodeInfo } from "./entry.ts";

/** Laws over the whole program: effects, budgets, phases, claims (reference 11, 11b). Findings of the analyses. */
export const LAW_CODES = {
  E1101: {
    title: "Effect assertion",
    explanation:
      "The function reaches a class of effects that its decorator forbids. The message shows the way; the second error stands where the effect is.",
    example:
      "fn note(n: Int) -> Int { println(n); return n; } @no_syscall fn twice(n: Int) -> Int { return note(n) * 2; } fn main() { println(twice(1)); }",
  },
  E1102: {
    title: "Effect class",
    explanation:
      "A class is built in, declared with `effect`, or a member of a declared family; a composition may not contain itself.",
    example:
      "effect money; @effects(none: {mony}) fn quote(c: Int) -> Int { return c; } fn main() { println(quote(1)); }",
  },
  E1103: {
    title: "Contradicting decorators",
    explanation:
      "`@unbounded` lets a function allocate without bound; it cannot stand beside a contract that forbids allocation.",
    example: "@unbounded @hot fn work(n: Int) -> Int { return n; } fn main() { println(work(1)); }",
  },
  E1104: {
    title: "`@no_panic`",
    explanation: "The body contains `violate`, `or raise` or an index expression. Handle the failure in place.",
    example: "@no_panic fn first(a: [Int; 2]) -> Int { return a[0]; } fn main() { println(first([1, 2])); }",
  },
  E1105: {
    title: "Publish set",
    explanation: "The function, or something it calls, sends to a subject that `@effects(publish: ..)` does not name.",
    example:
      "type N { n: Int; } topic A { payload: N; } topic B { payload: N; } locus L { bus { publish A; publish B; } @effects(publish: {A}) fn f() { B <- N { n: 1 }; } } fn main() { L { }.f(); }",
  },
  E1106: {
    title: "Phase contract",
    explanation:
      "A phase of the locus does what its `@phase_effects` set does not list, or the set names no phase of it.",
    example: "@phase_effects(run: {}) locus L { run() { println(1); } } fn main() { L { }; }",
  },
  E1107: {
    title: "`causes`",
    explanation: "What the function's sends can set off is not in its set, or cannot be certified.",
    example:
      "type N { n: Int; } topic T { payload: N; } locus S { bus { subscribe T as on_t; } fn on_t(n: N) { println(n.n); } } locus P { bus { publish T; } @effects(causes: {}) fn go() { T <- N { n: 1 }; } } fn main() { S { }; P { }.go(); }",
  },
  E1108: {
    title: "`depends`",
    explanation: "A subject that the set does not name can influence the locus, or the set names no subject.",
    example:
      "type N { n: Int; } topic T { payload: N; } @effects(depends: {}) locus S { bus { subscribe T as on_t; } fn on_t(n: N) { println(n.n); } } fn main() { S { }; }",
  },
  E1109: {
    title: "Budget",
    explanation: "One call of the function costs more than its `@budget`, or its cost has no bound.",
    example:
      "type P { x: Int; } @budget(alloc_per_call = 0) fn make(x: Int) -> P { return P { x: x }; } fn main() { println(make(1).x); }",
  },
  E1110: {
    title: "`@hot`",
    explanation:
      "A hot function creates a locus, receives into a new buffer or replaces a whole record in a loop or handler. Hoist it, or change it in place.",
    example:
      "locus B { params { n: Int = 0; } } @hot fn work() { for i in 0..3 { let b = B { n: i }; } } fn main() { work(); }",
  },
  E1111: {
    title: "Dead receiver",
    explanation:
      "A subscriber shares its pool's thread with a `run()` that blocks: its messages wait. Pin it, or place it `where async_io`.",
    example:
      'type N { n: Int; } topic T { payload: N; } locus J { bus { subscribe T as on_t; } fn on_t(n: N) { println(n.n); } run() { let r = std::process::run("true") or raise; } } locus P { bus { publish T; } run() { T <- N { n: 1 }; } } main locus F { params { j: J = J { }; p: P = P { }; } placement { j: cooperative(pool = work); } } fn main() { F { }; }',
  },
  E1112: {
    title: "Secret that leaves",
    explanation:
      "With `--strict-secret`: a `@secret` parameter, or what is made of it, goes where nothing says that it stays secret.",
    example: 'fn login(@secret token: String) { keep(token); } fn keep(s: String) { } fn main() { login("t"); }',
  },
  E1120: {
    title: "Group",
    explanation:
      "A group is declared once, names loci and functions that exist, and is not empty unless it says `may_be_empty`.",
    example: "group g = { Nobody }; fn main() { }",
  },
  E1121: {
    title: "Claim that says nothing",
    explanation: "The claim names something that does not exist, or would hold whatever the program did.",
    example:
      "locus L { } group g = { L }; main locus A { claims { c: count publishers(topic T) == 1; } } fn main() { A { }; }",
  },
  E1122: {
    title: "Claim violated",
    explanation:
      "The program does what the claim forbids, or lacks what it requires. The errors after the first show the witness.",
    example:
      "locus L { fn f() { } } group g = { L }; main locus A { claims { c: require sealed(all g); } } fn main() { A { }; }",
  },
  E1123: {
    title: "Claim uncertified",
    explanation:
      "Something on the way is unknown (a call without a known target, a computed subject), so the claim cannot be judged.",
    example:
      "locus L { fn f(g: fn (Int) -> Int) -> Int { return g(1); } } locus M { fn h() { } } group a = { L }; group b = { M }; main locus A { claims { c: forbid reaches(a, b); } } fn main() { A { }; }",
  },
  E1124: {
    title: "Claims and constitutions",
    explanation:
      "Names of claims are one flat set; a constitution exists, is declared once and is no base of itself; top-level claims belong to seeds without a main locus.",
    example: "main locus A { claims { adopt Nothing; } } fn main() { A { }; }",
  },
} as const satisfies Record<string, CodeInfo>;

/** Advisories: only `hale verify` fails on them. */
export const ADVISORY_CODES = {
  W1101: {
    title: "Orphan subject",
    explanation: "A subject has one end only, or a topic neither: declare the other end, bind the topic, or remove it.",
    example: "type N { n: Int; } topic T { payload: N; } main locus A { run() { println(1); } } fn main() { A { }; }",
  },
  W1102: {
    title: "Bus cycle",
    explanation: "Handlers send in a ring. If nothing ends it, the program spins.",
    example:
      "type N { n: Int; } topic A { payload: N; } topic B { payload: N; } locus X { bus { subscribe A as on_a; publish B; } fn on_a(n: N) { B <- N { n: 1 }; } } locus Y { bus { subscribe B as on_b; publish A; } fn on_b(n: N) { A <- N { n: 1 }; } } fn main() { X { }; Y { }; }",
  },
  W1103: {
    title: "No back-pressure",
    explanation: "A `while true` sends without pause: sleep, yield, or leave the loop.",
    example:
      "type N { n: Int; } topic T { payload: N; } locus S { bus { subscribe T as on_t; } fn on_t(n: N) { println(n.n); } } locus P { bus { publish T; } run() { while true { T <- N { n: 1 }; } } } fn main() { S { }; P { }; }",
  },
  W1104: {
    title: "Wildcard over another payload",
    explanation:
      "A message of another locus's wildcard `publish` would reach this subscriber with another payload and end the program.",
    example:
      'type L { t: String; } type N { n: Int; } locus C { bus { subscribe "log.n" as on_n of type N; } fn on_n(n: N) { println(n.n); } } locus S { bus { publish "log.**" of type L; } } fn main() { C { }; S { }; }',
  },
  W1105: {
    title: "Blocking on a pool",
    explanation: "While `run()` blocks, nothing else of the pool runs. Pin the field, or place it `where async_io`.",
    example:
      'locus J { run() { let r = std::process::run("true") or raise; } } main locus F { params { j: J = J { }; } placement { j: cooperative(pool = work); } } fn main() { F { }; }',
  },
  W1106: {
    title: "Pool starvation",
    explanation: "Two `run()`s that never return share one thread: the second never starts.",
    example:
      "locus L { run() { while !self.draining { std::time::sleep(1s); } } } main locus R { params { a: L = L { }; b: L = L { }; } placement { a: cooperative(pool = w); b: cooperative(pool = w); } } fn main() { R { }; }",
  },
  W1107: {
    title: "Shared instance",
    explanation: "Two fields on different threads share an instance whose state nothing synchronizes.",
    example:
      "locus S { params { n: Int = 0; } fn add() { self.n = self.n + 1; } } locus A { params { s: S; } run() { self.s.add(); } } main locus M { params { s: S = S { }; a: A = A { s: self.s }; b: A = A { s: self.s }; } placement { a: pinned; b: pinned; } } fn main() { M { }; }",
  },
  W1108: {
    title: "Blocking handler on an `async_io` pool",
    explanation: "A call that does not park holds the pool's thread for everybody.",
    example:
      'locus S { fn go() { let r = std::process::run("true") or raise; } run() { self.go(); } } main locus A { params { s: S = S { }; } placement { s: cooperative(pool = io) where async_io; } } fn main() { A { }; }',
  },
  W1109: {
    title: "Allocation without bound",
    explanation:
      "What is allocated here piles up until the locus dissolves. Bound the loop, use a bounded form, change it in place, send it, or say `@unbounded`.",
    example: 'locus T { run() { while true { println("a" + "b"); std::time::sleep(1s); } } } fn main() { T { }; }',
  },
  W1110: {
    title: "Work in a hot path",
    explanation:
      "A locus, or a new buffer, is made in every round or for every message. Hoist it, or build it as a statement of its own.",
    example: "locus B { params { n: Int = 0; } } fn main() { for i in 0..3 { let b = B { n: i }; println(b.n); } }",
  },
  W1111: {
    title: "Descriptor leak",
    explanation: "With `--warn-resource-leak`: a descriptor is opened again and again and kept in `self`.",
    example:
      'locus L { params { fd: Int = -1; n: Int = 0; } fn go() { while self.n < 3 { self.n += 1; self.fd = std::io::udp::bind("h", 1) or -1; } } } fn main() { L { }.go(); }',
  },
  W1112: {
    title: "Secret in the open",
    explanation: "A `@secret` parameter is printed, sent or written.",
    example: 'fn login(@secret token: String) { println(token); } fn main() { login("t"); }',
  },
} as const satisfies Record<string, CodeInfo>;
