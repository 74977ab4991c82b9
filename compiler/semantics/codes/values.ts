import type { CodeInfo } from "./entry.ts";

/** Names, types and values (reference 03, 03b). */
export const VALUE_CODES = {
  E0301: {
    title: "Unknown type",
    explanation: "No type of this name is declared in the seed, built in, or a type parameter here.",
    example: "fn f(x: Strng) { } fn main() { }",
  },
  E0302: {
    title: "Unknown name",
    explanation:
      "A name is visible from its `let` to the end of its block; functions and constants everywhere in their seed.",
    example: "fn main() { println(totl); }",
  },
  E0303: {
    title: "Already declared",
    explanation: "Fields of a record, variants of an enum and methods of an interface have different names.",
    example: "type P { x: Int; x: Int; } fn main() { }",
  },
  E0304: {
    title: "Wrong type",
    explanation:
      "The value is not assignable to the type that is expected here. Int becomes Float only where reference 03 16 lists it.",
    example: 'fn main() { let n: Int = "four"; }',
  },
  E0305: {
    title: "Missing field",
    explanation: "A literal gives every field that has no default.",
    example: "type P { x: Int; y: Int; } fn main() { let p = P { x: 1 }; }",
  },
  E0306: {
    title: "Unknown field in a literal",
    explanation: "The type declares no field of this name.",
    example: "type P { x: Int; } fn main() { let p = P { x: 1, z: 2 }; }",
  },
  E0307: {
    title: "Not a record type",
    explanation: "Literals build records and loci, under their declared names: not aliases, enums or interfaces.",
    example: "type A { x: Int; } type B = A; fn main() { let b = B { x: 1 }; }",
  },
  E0308: {
    title: "No such field or method",
    explanation: "The value's type has no member of this name.",
    example: "type P { x: Int; } fn main() { let p = P { x: 1 }; println(p.z); }",
  },
  E0309: {
    title: "Array elements",
    explanation: "An array has at least one element, and all have one type.",
    example: "fn main() { let a = [1, 2.5]; }",
  },
  E0310: {
    title: "Operator on wrong types",
    explanation:
      "Reference 03 17 lists the operands of each operator. Nothing but Int beside Float converts by itself.",
    example: "fn main() { println(1 + true); }",
  },
  E0311: {
    title: "No text form",
    explanation: "Bytes, functions, loci, interfaces and what contains them cannot be printed or made into text.",
    example: 'fn main() { println(b"x"); }',
  },
  E0312: {
    title: "Interface not satisfied",
    explanation:
      "A locus satisfies an interface when it has every method with the same parameters, result and failure.",
    example: "interface Area { fn area() -> Int; } locus Dot { } fn main() { let a: Area = Dot { }; }",
  },
  E0313: {
    title: "Enum value",
    explanation: "The enum has no such variant, or the variant takes another payload.",
    example: "type E = enum { A, B(Int), }; fn main() { let e = E::C; }",
  },
  E0314: {
    title: "Tuple shape",
    explanation: "A tuple has two members or more; `let (a, b) = t;` needs a tuple of just as many.",
    example: "fn main() { let (a, b) = (1, 2, 3); }",
  },
  E0315: {
    title: "Type arguments",
    explanation: "The type arguments of a generic cannot be told from here, or their number is wrong.",
    example: "type Box<T> { v: T; } fn main() { let b = Box { v: 1 }; }",
  },
  E0316: {
    title: "Format spec of the wrong type",
    explanation: "A precision goes with Float and Decimal, `x` and `X` with Int.",
    example: 'fn main() { println(f"{true:.2}"); }',
  },
  E0317: {
    title: "Cast",
    explanation: "`Int(x)` converts a Float, `Float(x)` an Int. Other conversions are functions of the library.",
    example: 'fn main() { println(Int("4")); }',
  },
  E0318: {
    title: "No value",
    explanation: "A call without a result, and a block without a tail, cannot be used as a value.",
    example: "fn f() { } fn main() { let x = f(); }",
  },
  E0319: {
    title: "Depends on itself",
    explanation: "A constant, alias, record or enum may not need itself.",
    example: "const A: Int = B; const B: Int = A; fn main() { }",
  },
  E0320: {
    title: "Bad literal",
    explanation:
      "The unit is not declared, the instant does not exist or is not UTC, or the value is beyond the Int range.",
    example: "fn main() { println(`2024-13-01T00:00:00Z`); }",
  },
  E0321: {
    title: "Type not allowed here",
    explanation: "Unit has no values, records and enums hold no loci, and array lengths are positive literals.",
    example: "locus L { } type R { l: L; } fn main() { }",
  },
  E0322: {
    title: "Bound",
    explanation: "The type argument is outside the parameter's bound, or the bound does not exist.",
    example: 'fn twice<T: Numeric>(x: T) -> T { return x + x; } fn main() { println(twice("a")); }',
  },
  E0323: {
    title: "Range",
    explanation: "A range stands in `for`, in a String index and in `range:`; its bounds are Int.",
    example: "fn main() { let r = 0..3; }",
  },
  E0324: {
    title: "Scalar declaration",
    explanation:
      "Identities, ranges, quantities and points are declared over Int or one another, as reference 03b says.",
    example: "type Weight = distinct Float; fn main() { }",
  },
  E0325: {
    title: "Scalar value",
    explanation: "The value is outside the type, or the operation or conversion does not exist between these types.",
    example: "type Byte = Int { range: 0..256; } fn main() { let b: Byte = 256; }",
  },
  E0327: {
    title: "Indexing",
    explanation: "Arrays are indexed by an Int, Strings by a range; nothing else is indexed.",
    example: 'fn main() { let s = "abc"; println(s[0]); }',
  },
  E0328: {
    title: "Unit declaration",
    explanation: "A unit is declared once, and the statements about units agree.",
    example: "unit cent; unit cent; fn main() { }",
  },
  E0329: {
    title: "Chain of types too long",
    explanation:
      "Type declarations of which each has the next one in it may form a chain of some 300; make it shallower.",
    example: `${Array.from({ length: 500 }, (_, i) => `type T${i} { next: T${i + 1}; } `).join("")}type T500 { n: Int; } fn main() { }`,
  },
} as const satisfies Record<string, CodeInfo>;
