import type { CodeInfo } from "./entry.ts";

/** Collections, the standard library, and what is not there yet (reference 07, 09). */
export const LIBRARY_CODES = {
  E0801: {
    title: "Form",
    explanation: "The forms are vec, hashmap, set, ring_buffer and lru_cache; each takes its own arguments.",
    example: "@form(list) locus A { capacity { heap xs of Int; } } fn main() { }",
  },
  E0802: {
    title: "Storage of a form",
    explanation: "A form has one slot of its kind, with cells it can hold, and gives its methods itself.",
    example: "@form(vec) locus A { capacity { pool xs of Int; } } fn main() { }",
  },
  E0803: {
    title: "Key of a form",
    explanation: "`indexed_by` names a field of type Int or String.",
    example: "type R { id: Float; } @form(hashmap) locus A { capacity { pool xs of R indexed_by id; } } fn main() { }",
  },
  E0804: {
    title: "No such method of a form",
    explanation: "The form does not give this method, or not for these cells.",
    example: "@form(vec) locus A { capacity { heap xs of Int; } } fn main() { let a = A { }; a.clear(); }",
  },
  E0805: {
    title: "items, entries",
    explanation: "`.items` of a vec and `.entries` of a hashmap or set stand in `for` and as a chain's source.",
    example: "@form(vec) locus A { capacity { heap xs of Int; } } fn main() { let a = A { }; let b = a.items; }",
  },
  E0806: {
    title: "Element chain",
    explanation: "The source, an argument or the target does not fit the chain.",
    example:
      "@form(vec) locus A { capacity { heap xs of Int; } } fn main() { let a = A { }; println(a.map(it * 0.5).sum()); }",
  },
  E0807: {
    title: "Bounded fields start empty",
    explanation: "They are changed with push, set, clear and truncate, and neither given nor assigned.",
    example: "type R { xs: bounded[Int; 3]; } fn main() { let r = R { xs: [1, 2, 3] }; }",
  },
  E0808: {
    title: "bounded type",
    explanation: "It is the type of a field, a param or a parameter, of scalars, Strings, Bytes or records.",
    example: "fn main() { let x: bounded[Int; 3] = 1; }",
  },
  E0901: {
    title: "Unknown namespace of the library",
    explanation: "`std` has no such namespace.",
    example: 'fn main() { std::strs::upper("a"); }',
  },
  E0902: {
    title: "Unknown item of the library",
    explanation: "The namespace exists and has no such function or type.",
    example: 'fn main() { println(std::str::parse_itn("4") or 0); }',
  },
  E0903: {
    title: "Library path without std",
    explanation: "Library paths are written out.",
    example: 'fn main() { println(str::upper("a")); }',
  },
  E0904: {
    title: "Replaced error record",
    explanation: "A program's own type of that name needs the fields that the language fills in.",
    example: 'type ParseError { code: Int; } fn main() { println(std::str::parse_int("4") or 0); }',
  },
  E0905: {
    title: "No JSON functions",
    explanation: "`from_json` and `to_json` exist for records with a `json:` tag and plain fields.",
    example: "type R { x: Int; } fn main() { println(R::to_json(R { x: 1 })); }",
  },
  E0906: {
    title: "Revealed secret",
    explanation:
      "What `reveal` gives is used in the statement that reveals it: sent, compared as a whole, or handed to an `@secret` parameter.",
    example:
      'locus G { params { c: std::secret::Credential = std::secret::Credential { env_var: "T" }; } fn f() { let t = self.c.reveal_text(); } } fn main() { G { }.f(); }',
  },
  E1001: {
    title: "Not supported yet",
    explanation: "The construct is part of the language and this toolchain cannot compile it yet.",
    example:
      'type N { n: Int; } topic T { payload: N; } main locus A { bindings { T: unix("/a", role: listen); } } fn main() { }',
  },
  W0301: {
    title: "Braces in a plain string",
    explanation: "Plain strings do not interpolate; put an `f` before the quote.",
    example: 'fn main() { let n = 1; println("{n}"); }',
  },
} as const satisfies Record<string, CodeInfo>;
