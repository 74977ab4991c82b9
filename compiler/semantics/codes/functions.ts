import type { CodeInfo } from "./entry.ts";

/** Functions, control flow, value errors (reference 04). */
export const FUNCTION_CODES = {
  E0401: {
    title: "Arguments",
    explanation:
      "The call gives the wrong number of arguments, or one of the wrong type. Reported at the callee's name.",
    example: "fn area(w: Int, h: Int) -> Int { return w * h; } fn main() { println(area(3)); }",
  },
  E0402: {
    title: "Not a function",
    explanation: "Only functions, methods and values of function type can be called.",
    example: "fn main() { let n = 3; println(n(1)); }",
  },
  E0403: {
    title: "Name of a built-in",
    explanation: "Calls of this name always mean the built-in; a free function needs another name.",
    example: "fn abs(n: Int) -> Int { return n; } fn main() { }",
  },
  E0404: {
    title: "Result of the wrong type",
    explanation: "What is returned must be assignable to the declared result.",
    example: 'fn name() -> Int { return "x"; } fn main() { }',
  },
  E0405: {
    title: "Missing return",
    explanation: "A function with a result ends every path with `return`, `fail` or a tail value.",
    example: "fn sign(n: Int) -> Int { if n > 0 { return 1; } } fn main() { }",
  },
  E0406: {
    title: "Not mutable",
    explanation: "Only `let mut` names can be assigned again. Fields and elements can be assigned through any name.",
    example: "fn main() { let x = 1; x = 2; }",
  },
  E0407: {
    title: "Value not used",
    explanation: "A statement does something: a call, an assignment, a construction.",
    example: "fn main() { let x = 1; x + 1; }",
  },
  E0408: {
    title: "Condition that is no Bool",
    explanation: "Conditions and guards are Bool; there is no truthiness.",
    example: 'fn main() { let n = 1; if n { println("yes"); } }',
  },
  E0409: {
    title: "if as a value",
    explanation: "It needs an `else`, and every branch gives a value of one type.",
    example: "fn main() { let x = if true { 1 } else { 2.5 }; }",
  },
  E0410: {
    title: "Match not exhaustive",
    explanation: "Every value needs an arm. Guarded arms do not count; `_ -> ..` covers the rest.",
    example: "fn main() { match 3 { 1 -> println(1), } }",
  },
  E0411: {
    title: "Arms of different types",
    explanation: "The arms of a `match` that is a value give one type.",
    example: 'fn main() { let x = match 1 { 1 -> 2, _ -> "b" }; }',
  },
  E0412: {
    title: "Pattern",
    explanation: "The pattern does not fit the value's type, or nests deeper than a pattern may.",
    example: 'fn main() { match 3 { "a" -> println(1), _ -> println(2) } }',
  },
  E0413: {
    title: "Not iterable",
    explanation: "`for` walks ranges, arrays, bounded fields, `.items`, `.entries` and `self.children`.",
    example: 'fn main() { for c in "text" { println(c); } }',
  },
  E0414: {
    title: "Outside a loop",
    explanation: "`break` and `continue` act on the innermost loop around them.",
    example: "fn main() { break; }",
  },
  E0415: {
    title: "Failure not addressed",
    explanation: "A call that can fail stands on the left of an `or`, which says what happens then.",
    example: 'fn f() -> Int fallible(String) { fail "no"; } fn main() { let x = f(); }',
  },
  E0416: {
    title: "or on what cannot fail",
    explanation: "Remove the `or`. A fallback that can fail itself needs its own: `or (g(err) or raise)`.",
    example: "fn f() -> Int { return 1; } fn main() { println(f() or 2); }",
  },
  E0417: {
    title: "Fallback",
    explanation: "What stands after `or` gives the call's type, or leaves.",
    example: 'fn f() -> Int fallible(String) { fail "no"; } fn main() { println(f() or "x"); }',
  },
  E0418: {
    title: "Failure of another type",
    explanation: "`or raise` hands on the same payload. Translate it: `or fail Other { .. }`.",
    example:
      'fn f() fallible(String) { fail "no"; } fn g() fallible(Int) { f() or raise; } fn main() { g() or discard; }',
  },
  E0419: {
    title: "fail",
    explanation: "`fail` stands in a fallible function and gives its payload type.",
    example: "fn f() fallible(String) { fail 3; } fn main() { f() or discard; }",
  },
  E0420: {
    title: "Fallible handler",
    explanation: "A bus handler cannot fail: nobody could receive the error.",
    example:
      'type N { n: Int; } locus L { bus { subscribe "n" as h of type N; } fn h(n: N) fallible(Int) { fail 1; } } fn main() { }',
  },
  E0421: {
    title: "Parameter without default behind one with",
    explanation: "Only a trailing run of parameters may have defaults.",
    example: "fn f(a: Int = 1, b: Int) { } fn main() { }",
  },
  E0422: {
    title: "self outside a locus",
    explanation: "`self` is the current instance in the bodies of a locus.",
    example: "fn main() { println(self.n); }",
  },
  E0424: {
    title: "Not an assignment target",
    explanation: "Tuple members, characters of Strings and read-only members cannot be assigned.",
    example: "fn main() { let t = (1, 2); t.0 = 3; }",
  },
  E0425: {
    title: "Function as a value",
    explanation: "A value is the name of a free function that is not generic, cannot fail and is the program's own.",
    example: "fn id<T>(x: T) -> T { return x; } fn main() { let f = id; }",
  },
} as const satisfies Record<string, CodeInfo>;
