// Blocks and statements (reference 01 7.5, 9).
import { describe, expect, test } from "vitest";
import { bodyShape, declaration, errorPlaces, errorsOf, showBlock } from "./support.ts";

describe("statements", () => {
  test.each([
    ["let x = 1;", "{(let x 1)}"],
    ["let mut x: Int = 1;", "{(let mut x : Int 1)}"],
    ["let (a, b,) = t;", "{(let (a b) t)}"],
    ["let (a) = t;", "{(let (a) t)}"],
    ["let x = if a { 1 } else { 2 };", "{(let x (if a {=> 1} {=> 2}))}"],
    ["x = 1; x += 2; x ^= 3;", "{(= x 1); (+= x 2); (^= x 3)}"],
    ["self.n = 1; self[0].a.0 = 2; a[i][j].run = 3;", "{(= self.n 1); (= self[0].a.0 2); (= a[i][j].run 3)}"],
    ["while a() { b(); }", "{(while (call a) {(call b)})}"],
    ["for _ in 0..3 { b(); break; continue; }", "{(for _ (.. 0 3) {(call b); (break); (continue)})}"],
    ["return; return a;", "{(return); (return a)}"],
    ["yield; terminate;", "{(yield); (terminate)}"],
    ["{ a; }", "{{(a)}}".replace("(a)", "a")],
    ["restart(c); restart_in_place(c, 1);", "{(restart c); (restart_in_place c 1)}"],
    [
      "quarantine(c) for 5s; reorganize(); bubble(e) until t;",
      "{(quarantine c for 5s); (reorganize); (bubble e until t)}",
    ],
    ["violate over; violate over with a + 1;", "{(violate over); (violate over (+ a 1))}"],
    ["violate(x); let violate = 1;", "{(call violate x); (let violate 1)}"],
    ["reperspective self.p as m::Fast;", "{(reperspective p m::Fast)}"],
    ['T <- v; "s" <- P { x: 1 };', '{(<- T v); (<- "s" (P { x:1 }))}'],
    ["T <- f() or raise;", "{(<- T (call f) or :raise)}"],
    ["T <- (f() or 1);", "{(<- T (paren (or (call f) 1)))}"],
    ["T.write(n) { w => w.set(1); } T.write(n) { w => 1 };", "{(write T n w {(call w.set 1)}); (write T n w {=> 1})}"],
    ["Worker { n: 1 };", "{(Worker { n:1 })}"],
    ["Worker { n: 1 }", "{=> (Worker { n:1 })}"],
    ["(if a { 1 } else { 2 }) + 3;", "{(+ (paren (if a {=> 1} {=> 2})) 3)}"],
    ["let fail = 1; fail + 1", "{(let fail 1); => (+ fail 1)}"],
  ])("%s (01 7.5)", (text, shape) => {
    expect(bodyShape(text)).toBe(shape);
  });

  test("`fail` is a statement inside a fallible fn only (01 7.5, 01 3)", () => {
    const { body } = declaration(
      "fn f() fallible(E) { if a() { fail E { }; } { fail x + 1; } let y = fail; 1 }",
      "function",
    );
    expect(body && showBlock(body)).toBe("{(if (call a) {(fail (E { }))}); {(fail (+ x 1))}; (let y fail); => 1}");
    expect(errorsOf("fn f() { fail x; }")).toEqual(["1:15 expected `;`, found `x`"]);
    expect(errorPlaces("fn f() fallible(E) { fail x }")).toEqual(["1:29"]);
    expect(errorPlaces("fn f() fallible(E) { 1 } fn g() { fail x; }")).toEqual(["1:40"]);
    expect(errorPlaces("locus L { fn f() fallible(E) { fail x; } run { fail x; } }")).toEqual(["1:53"]);
  });
});

describe("block values", () => {
  test.each([
    ["a", "{=> a}"],
    ["a; b", "{a; => b}"],
    ["if a { 1 } else { 2 }", "{=> (if a {=> 1} {=> 2})}"],
    ["if a { 1 } else if b { 2 } else { 3 }", "{=> (if a {=> 1} (if b {=> 2} {=> 3}))}"],
    ["if a { if b { 1 } else { 2 } } else { 3 }", "{=> (if a {=> (if b {=> 1} {=> 2})} {=> 3})}"],
    ["if a { 1 }", "{(if a {=> 1})}"],
    ["if a { 1; } else { 2 }", "{(if a {1} {=> 2})}"],
    ["if a { 1 } else { if b { 2 } }", "{(if a {=> 1} {(if b {=> 2})})}"],
    ["match n { 1 -> 2 }", "{(match n (1 -> 2))}"],
    ["{ 1 }", "{{=> 1}}"],
    ["if a { 1 } else { 2 } b", "{(if a {=> 1} {=> 2}); => b}"],
    ["xs.each { it }", "{(chain xs (each {=> it}))}"],
  ])("%s (01 7.5)", (text, shape) => {
    expect(bodyShape(text)).toBe(shape);
  });
});

describe("`.each { .. }` ends a statement (01 7.5, 01 9.14)", () => {
  test.each([
    ["xs.each { f(it); } g();", "{(chain xs (each {(call f it)})); (call g)}"],
    ["xs.each { f(it); }; g();", "{(chain xs (each {(call f it)})); (call g)}"],
    ["xs.each { f(it); } -a", "{(chain xs (each {(call f it)})); => (- a)}"],
    ["xs.each { f(it); } - a;", "{(- (chain xs (each {(call f it)})) a)}"],
    ["xs.each { ys.each { g(it); } } h();", "{(chain xs (each {(chain ys (each {(call g it)}))})); (call h)}"],
    ["xs.each { f(it); }.count(); g();", "{(call (chain xs (each {(call f it)})).count); (call g)}"],
    ["f(xs.each { g(it); });", "{(call f (chain xs (each {(call g it)})))}"],
    ["T <- xs.each { f(it); };", "{(<- T (chain xs (each {(call f it)})))}"],
  ])("%s", (text, shape) => {
    expect(bodyShape(text)).toBe(shape);
  });

  test("only when it leads the statement", () => {
    expect(errorPlaces("fn f() { -xs.each { g(it); } h(); }")).toEqual(["1:30"]);
    expect(errorPlaces("fn f() { let x = xs.each { g(it); } h(); }")).toEqual(["1:37"]);
  });
});

describe("refused statements", () => {
  test.each([
    ["let x;", "1:15"],
    ["let x: Int;", "1:20"],
    ["let (a, (b, c)) = t;", "1:18"],
    ["let P { x } = p;", "1:16"],
    ["let () = t;", "1:15"],
    ["let run = 1;", "1:14"],
    ["let x = 1 else { };", "1:20"],
    ["a = b = c;", "1:16"],
    ["self = a;", "1:15"],
    ["f() = 1;", "1:10"],
    ["f().x = 1;", "1:10"],
    ["3 = a;", "1:10"],
    ["m::x = 1;", "1:10"],
    ["(a) = 1;", "1:10"],
    ["a + b = 1;", "1:10"],
    ["a = b", "1:16"],
    ["x <<= 2;", "1:14"],
    ["x++;", "1:12"],
    ["if a { b(); };", "1:23"],
    ["while c() { };", "1:23"],
    ["match x { 1 -> 2 };", "1:28"],
    [";;", "1:10"],
    ["a;;", "1:12"],
    ["{ 1 } + 2;", "1:16"],
    ["if a { 1 } else { 2 } + 3;", "1:32"],
    ["match x { 1 -> 2 }.f();", "1:28"],
    ["return 1", "1:19"],
    ["break 1;", "1:16"],
    ["break", "1:16"],
    ["T <- v", "1:17"],
    ["drain(c);", "1:10"],
    ["dissolve(c);", "1:10"],
    ["fn g() { }", "1:10"],
    ["quarantine c;", "1:21"],
    ["reperspective self.p;", "1:30"],
    ["let z = a<-b;", "1:19"],
    ["return a or raise + 1;", "1:28"],
    ["type T { }", "1:10"],
    ["f(;", "1:12"],
    ["violate a b;", "1:18"],
  ])("%s is refused at %s (01 7.5)", (text, place) => {
    expect(errorPlaces(`fn f() { ${text} }`)).toEqual([place]);
  });
});
