// Expressions, precedence and disambiguation (reference 01 7.6, 7.7, 8, 9).
import { describe, expect, test } from "vitest";
import { bodyShape, errorPlaces, exprShape } from "./support.ts";

describe("precedence", () => {
  test.each([
    ["a + b * c", "(+ a (* b c))"],
    ["a - b - c", "(- (- a b) c)"],
    ["a / b % c", "(% (/ a b) c)"],
    ["a << b + c", "(<< a (+ b c))"],
    ["a & b << c", "(& a (<< b c))"],
    ["a ^ b & c", "(^ a (& b c))"],
    ["a | b ^ c", "(| a (^ b c))"],
    ["a < b | c", "(< a (| b c))"],
    ["a & m == 0", "(== (& a m) 0)"],
    ["a < b == c", "(== (< a b) c)"],
    ["a == b < c", "(== a (< b c))"],
    ["a < b < c", "(< a (< b c))"],
    ["a == b == c != d", "(== a (== b (!= c d)))"],
    ["a < b + c < d", "(< a (< (+ b c) d))"],
    ["a && b == c || d", "(|| (&& a (== b c)) d)"],
    ["a || b && c || d", "(|| (|| a (&& b c)) d)"],
    ["-x.y", "(- x.y)"],
    ["-a * b", "(* (- a) b)"],
    ["!f() or false", "(or (! (call f)) false)"],
    ["- -!~a", "(- (- (! (~ a))))"],
    ["a--b", "(- a (- b))"],
    ["0..n + 1", "(.. 0 (+ n 1))"],
    ["a..=b", "(..= a b)"],
    ["a > b >> c", "(> a (>> b c))"],
    ["1 + 2 * 3 - 4 == 5 && x | y < z", "(&& (== (- (+ 1 (* 2 3)) 4) 5) (< (| x y) z))"],
  ])("%s is %s (01 8)", (text, shape) => {
    expect(exprShape(text)).toBe(shape);
  });
});

describe("postfix and primaries", () => {
  test.each([
    ["a.b.0[c](d)(e, f)", "(call (call a.b.0[c] d) e f)"],
    ["(t.0).1", "(paren t.0).1"],
    ["a.type.run", "a.type.run"],
    ["a::b::type(1)", "(call a::b::type 1)"],
    ["f()::x", "(call f)::x"],
    ["self::x", "self::x"],
    ["self.n", "self.n"],
    ["(a)", "(paren a)"],
    ["(a,)", "(tuple a)"],
    ["(a, b,)", "(tuple a b)"],
    ["[]", "(array)"],
    ["[a, b,]", "(array a b)"],
    ["[[0; 2]; 0x10]", "(repeat (repeat 0 2) 16)"],
    ["a[0..n]", "a[(.. 0 n)]"],
    ["P { }", "(P { })"],
    ["m::P { x: 1, type: 2, }", "(m::P { x:1 type:2 })"],
    ["{ a; b }", "{a; => b}"],
    ["sum(a + 1)", "(sum (+ a 1))"],
    ["prod(a)", "(prod a)"],
    ["xs.sum()", "(call xs.sum)"],
    ["sum", "sum"],
    ["true && false", "(&& true false)"],
    ["nil", "nil"],
    ["or + 1", "(+ or 1)"],
    ["bounded + fail", "(+ bounded fail)"],
    ["a.each(b)", "(call a.each b)"],
    ["api::serve(1, as: x, receivers: { A: a, m::B: b })", "(call api::serve 1)"],
  ])("%s (01 7.6, 01 9.8)", (text, shape) => {
    expect(exprShape(text)).toBe(shape);
  });

  test.each([
    ["()", "1:22"],
    ["[v; n]", "1:25"],
    ["[v; -1]", "1:25"],
    ["g(1,)", "1:25"],
    ["sum(a, b)", "1:26"],
    ["+a", "1:21"],
    ["*a", "1:21"],
    ["(a = b)", "1:24"],
    ["P { x }", "1:23"],
    ["P { x: 1; y: 2 }", "1:29"],
    ["Box<Int> { v: 1 }", "1:33"],
    ["t.0.1", "1:23"],
    ["a.match", "1:23"],
    ["a.self", "1:23"],
    ["a ~~ b", "1:23"],
    ["a <- b", "1:23"],
    ["a ?? b", "1:23"],
    ["a as Int", "1:23"],
    ["a..b..c", "1:25"],
    ["f(a: 1)", "1:24"],
    ["api::serve(bound: 1, bound: 2)", "1:42"],
    ["api::serve(other: 1)", "1:32"],
    ["api::serve(bound: 1, 2)", "1:42"],
  ])("%s is refused at %s (01 7.6)", (text, place) => {
    expect(errorPlaces(`fn main() { let x = ${text}; }`)).toEqual([place]);
  });
});

describe("or", () => {
  test.each([
    ["a() + b() or 0", "(or (+ (call a) (call b)) 0)"],
    ["a() or 0 + 1", "(or (call a) (+ 0 1))"],
    ["a() or b() or c", "(or (call a) (or (call b) c))"],
    ["a() or raise", "(or (call a) :raise)"],
    ["a() or discard", "(or (call a) :discard)"],
    ["a() or wait", "(or (call a) :wait)"],
    ["a() or (raise)", "(or (call a) (paren raise))"],
    ["a() or fail b + 1", "(or (call a) (fail (+ b 1)))"],
    ["a() or { return; }", "(or (call a) {(return)})"],
    ["(a() or raise) + 1", "(+ (paren (or (call a) :raise)) 1)"],
    ["a() or 0..3", "(or (call a) (.. 0 3))"],
  ])("%s (01 7.6, 01 9.5)", (text, shape) => {
    expect(exprShape(text)).toBe(shape);
  });

  test("nothing follows `or raise`, and a range takes no `or` (01 7.6)", () => {
    expect(errorPlaces("fn main() { let x = a() or raise + 1; }")).toEqual(["1:34"]);
    expect(errorPlaces("fn main() { for i in 0..f() or 3 { g(); } }")).toEqual(["1:29"]);
  });
});

describe("branches as operands", () => {
  test.each([
    ["if a { 1 } else { 2 } + 3", "(+ (if a {=> 1} {=> 2}) 3)"],
    ["if a { 1 } else if b { 2 } else { 3 }", "(if a {=> 1} (if b {=> 2} {=> 3}))"],
    ["1 + match n { 1 -> 2, _ -> 3 }", "(+ 1 (match n (1 -> 2) (_ -> 3)))"],
    ["if if a { b } else { c } { 1 } else { 2 }", "(if (if a {=> b} {=> c}) {=> 1} {=> 2})"],
    ["if P { x: 1 } { 1 } else { 2 }", "(if (P { x:1 }) {=> 1} {=> 2})"],
  ])("%s (01 7.6)", (text, shape) => {
    expect(exprShape(text)).toBe(shape);
  });
});

describe("match", () => {
  test.each([
    ["match n { 1 -> a, 2.5 -> b, 1d -> c, 5s -> d, }", "(match n (1 -> a) (2.5 -> b) (1000000000e-9 -> c) (5s -> d))"],
    ['match n { "x" -> a, true -> b, nil -> c, _ -> d }', '(match n ("x" -> a) (true -> b) (nil -> c) (_ -> d))'],
    ["match n { (a, _) -> a, () -> 0, (b) -> b }", "(match n ((tuple a _) -> a) ((tuple) -> 0) ((tuple b) -> b))"],
    [
      "match n { x -> 1, m::X -> 2, X() -> 3, X(1, Y(y)) -> 4 }",
      "(match n (x -> 1) (m::X! -> 2) ((X) -> 3) ((X 1 (Y y)) -> 4))",
    ],
    ["match n { x if x == -1 -> { f(); }, _ -> g(); }", "(match n (x if (== x (- 1)) -> {(call f)}) (_ -> (call g)))"],
    ["match { a > 1 -> b, else -> c }", "(match (if (> a 1) -> b) (-> c))"],
    ["match ({ 1 }) { _ -> 2 }", "(match (paren {=> 1}) (_ -> 2))"],
    ["match n { }.x", undefined],
  ])("%s (01 7.7, 01 9.11)", (text, shape) => {
    if (shape === undefined) expect(errorPlaces(`fn main() { let x = ${text}; }`)).toEqual(["1:34"]);
    else expect(exprShape(text)).toBe(shape);
  });

  test.each([
    ["-1 -> a", "1:22"],
    ["1 | 2 -> a", "1:24"],
    ["1..2 -> a", "1:23"],
    ["P { x } -> a", "1:24"],
    ['b"x" -> a', "1:22"],
    ["`x` -> a", "1:22"],
    ['f"x" -> a', "1:22"],
    ["1 -> { } 2 -> { }", "1:31"],
    ["x @ 1 -> a", "1:24"],
    ["(a,) -> a", "1:25"],
    ["_(a) -> a", "1:23"],
    ["1 -> a;; 2 -> b", "1:29"],
  ])("the arm %s is refused at %s (01 7.7)", (arm, place) => {
    expect(errorPlaces(`fn f() { match n() { ${arm} } }`)).toEqual([place]);
  });
});

describe("literal or block", () => {
  test.each([
    ["if ready { step(); }", "(if ready {(call step)})"],
    ["if (ready) { }", "(if (paren ready) {})"],
    ["if self.ready { }", "(if self.ready {})"],
    ["if ready() { } else { }", "(if (call ready) {} {})"],
    ["if xs[0] { }", "(if xs[0] {})"],
    ["while a.b { }", "(while a.b {})"],
    ["for i in 0..(n) { }", "(for i (.. 0 (paren n)) {})"],
    ["if ready { x = 1; }", "(if ready {(= x 1)})"],
    ["if ready { x }", "(if ready {=> x})"],
  ])("%s (01 9.1)", (text, shape) => {
    expect(bodyShape(`${text} f();`)).toBe(`{${shape}; (call f)}`);
  });

  test.each([
    ["if ready { } f();", "1:26"],
    ["if ready { /* later */ } f();", "1:38"],
    ["while busy { } f();", "1:28"],
    ["for x in xs { } f();", "1:29"],
    ["for i in 0..n { } f();", "1:31"],
    ["if a == b { } f();", "1:27"],
    ["match v { } f();", "1:25"],
    ["if go { n: 1 } f();", "1:28"],
    ["if ready { } else { }", "1:26"],
  ])("%s is refused at %s (01 9.1, 01 1.5)", (text, place) => {
    expect(errorPlaces(`fn main() { ${text} }`)).toEqual([place]);
  });

  test("the case of the name does not matter (01 9.1)", () => {
    expect(exprShape("point { x: 1 }")).toBe("(point { x:1 })");
  });
});
