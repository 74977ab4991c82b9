import type { CodeInfo } from "./entry.ts";

/** Bus and placement (reference 06). */
export const BUS_CODES = {
  E0701: {
    title: "Topic as a value or type",
    explanation: "A topic stands in `subscribe`, `publish` and on the left of a send; values have its payload's type.",
    example: "type N { n: Int; } topic T { payload: N; } fn main() { let t = T; }",
  },
  E0702: {
    title: "Topic",
    explanation: "The topic does not exist, is its own ancestor, or has another topic's wire subject.",
    example: 'type N { n: Int; } topic A { payload: N; } topic B { payload: N; subject: "A"; } fn main() { }',
  },
  E0703: {
    title: "Key and policies of a topic",
    explanation:
      "The key is a scalar field of the payload; `on_unmatched` needs a key; `bounded` and `on_full` go together.",
    example: "type N { n: Int; } topic T { payload: N; keyed_by m; } fn main() { }",
  },
  E0704: {
    title: "Payload",
    explanation: "A payload is a record of data, or an enum of which some variant carries data.",
    example: "topic T { payload: Int; } fn main() { }",
  },
  E0705: {
    title: "Edge of the bus",
    explanation: "A literal subject states its payload, the same everywhere; a topic states its own.",
    example: 'type N { n: Int; } locus A { bus { publish "n"; } } fn main() { }',
  },
  E0706: {
    title: "Handler",
    explanation: "It is a fn of the same locus with one parameter of the payload's type.",
    example: 'type N { n: Int; } locus A { bus { subscribe "n" as h of type N; } fn h(x: Int) { } } fn main() { }',
  },
  E0707: {
    title: "Key filter",
    explanation: "`where key == ..` needs a keyed topic and a value of the key's type; `_` a `fallback` topic.",
    example:
      "type N { n: Int; } topic T { payload: N; } locus A { bus { subscribe T as h where key == 1; } fn h(n: N) { } } fn main() { }",
  },
  E0708: {
    title: "Send outside a locus",
    explanation: "Only bodies of a locus send. From a free function call a method that does.",
    example: "type N { n: Int; } topic T { payload: N; } fn main() { T <- N { n: 1 }; }",
  },
  E0709: {
    title: "Send that is not declared",
    explanation: "The locus declares `publish` of the topic, of the literal subject or of a wildcard that covers it.",
    example: "type N { n: Int; } topic T { payload: N; } locus A { run() { T <- N { n: 1 }; } } fn main() { }",
  },
  E0710: {
    title: "or of a send",
    explanation: "A send that can fail says what happens then; one that cannot takes no `or`.",
    example:
      "type N { n: Int; } topic T { payload: N; } locus A { bus { publish T; } run() { T <- N { n: 1 } or discard; } } fn main() { }",
  },
  E0711: {
    title: "Placement entry",
    explanation: "It names a locus-typed param of the main locus, each once.",
    example: "main locus A { params { n: Int = 0; } placement { m: pinned; } } fn main() { }",
  },
  E0712: {
    title: "Affinity, pool or topology",
    explanation: "Cores, nodes, pools and `async_io` fit together as reference 06 6.11 says.",
    example:
      "locus B { } main locus A { params { b: B = B { }; } placement { b: pinned(cores = 4..4); } } fn main() { }",
  },
  E0713: {
    title: "Cannot be placed like this",
    explanation:
      "A placed field is built by a literal; a pinned locus neither accepts nor audits at birth or dissolve.",
    example:
      "locus C { } locus B { accept(c: C) { } } main locus A { params { b: B = B { }; } placement { b: pinned; } } fn main() { }",
  },
  E0714: {
    title: "Bound twice",
    explanation: "A topic has one transport.",
    example:
      'type N { n: Int; } topic T { payload: N; } main locus A { bindings { T: unix("/a", role: listen); T: unix("/b", role: listen); } } fn main() { }',
  },
  E0715: {
    title: "Call across threads",
    explanation: "Methods run on their instance's thread. Send a message over the bus.",
    example:
      "locus B { fn f() -> Int { return 1; } } main locus A { params { b: B = B { }; } placement { b: pinned; } run() { println(self.b.f()); } }",
  },
  E0716: {
    title: "Direct send that always comes back",
    explanation:
      "The topic is delivered by a call, and the handler sends it again without a condition: it would recurse forever.",
    example:
      "type N { n: Int; } topic T { payload: N; } locus A { bus { publish T; subscribe T as h; } fn h(n: N) { T <- n; } } fn main() { A { }; }",
  },
} as const satisfies Record<string, CodeInfo>;
