// Element chains (reference 01 section 10).
import { describe, expect, test } from "vitest";
import { exprShape } from "./support.ts";

describe("recognised", () => {
  test.each([
    ["xs.filter(it > 1).count()", "(chain xs (filter (> it 1)) (count))"],
    ["a.b().map(it + 1).filter(it > 1).take(2).skip(1).first()", undefined],
    ["a.b().filter(it > 1).take(2).skip(1).first()", "(chain (call a.b) (filter (> it 1)) (take 2) (skip 1) (first))"],
    ["xs.map(it * 2).sum()", "(chain xs (map (* it 2)) (sum))"],
    ["xs.map(it * 2).sum(10)", "(chain xs (map (* it 2)) (sum 10))"],
    ["xs.filter(it.ok).into(ys)", "(chain xs (filter it.ok) (into ys))"],
    ["xs.enumerate().any(idx > 1)", "(chain xs (enumerate) (any (> idx 1)))"],
    ["xs.filter(it > 1).any()", "(chain xs (filter (> it 1)) (any))"],
    ["xs.filter(it > 1).min()", "(chain xs (filter (> it 1)) (min))"],
    ["xs.any(it > 1)", "(chain xs (any (> it 1)))"],
    ["xs.all(it > 1)", "(chain xs (all (> it 1)))"],
    ["xs.find(it.id == 3)", "(chain xs (find (== it.id 3)))"],
    ["xs.max(it.n)", "(chain xs (max it.n))"],
    ['xs.any(f"{it}" == "a")', '(chain xs (any (== (f (it)) "a")))'],
    ["xs.sort_into(ys)", "(chain xs (sort_into ys))"],
    ["xs.sort_into(ys, a)", "(chain xs (sort_into ys a))"],
    ["xs.reverse_into(ys)", "(chain xs (reverse_into ys))"],
    ["xs.group_count_into(ys, it.k)", "(chain xs (group_count_into ys it.k))"],
    ["xs.each { f(it); }", "(chain xs (each {(call f it)}))"],
    ["xs.filter(it > 1).each { f(it); }", "(chain xs (filter (> it 1)) (each {(call f it)}))"],
    ["m.entries.filter(it.k > 1).count()", "(chain m.entries (filter (> it.k 1)) (count))"],
    ["xs.filter(ys.any(it > 1)).count() + 1", "(+ (chain xs (filter (chain ys (any (> it 1)))) (count)) 1)"],
  ])("%s (01 10.1, 01 10.2)", (text, shape) => {
    if (shape) expect(exprShape(text)).toBe(shape);
    else expect(exprShape(text)).not.toContain("chain");
  });
});

describe("ordinary calls", () => {
  test.each([
    ["xs.count()", "(call xs.count)"],
    ["xs.sum()", "(call xs.sum)"],
    ["xs.first()", "(call xs.first)"],
    ["xs.into(ys)", "(call xs.into ys)"],
    ["xs.any(x > 1)", "(call xs.any (> x 1))"],
    ["xs.any(a.it)", "(call xs.any a.it)"],
    ["xs.min(P { it: 1 })", "(call xs.min (P { it:1 }))"],
    ["xs.find(3)", "(call xs.find 3)"],
    ["xs.filter(it > 1)", "(call xs.filter (> it 1))"],
    ["xs.filter(a, it).count()", "(call (call xs.filter a it).count)"],
    ["xs.filter(it).count(1)", "(call (call xs.filter it).count 1)"],
    ["xs.enumerate(1).count()", "(call (call xs.enumerate 1).count)"],
    ["xs.map(it).first()", "(call (call xs.map it).first)"],
    ["xs.map(it).find(it > 1)", "(call (call xs.map it).find (> it 1))"],
    ["xs.map(it).max()", "(call (call xs.map it).max)"],
    ["xs.enumerate().min(idx)", "(call (call xs.enumerate).min idx)"],
    ["(xs.filter(it > 1)).count()", "(call (paren (call xs.filter (> it 1))).count)"],
    ["xs.sort_into(a, b, c)", "(call xs.sort_into a b c)"],
    ["xs.any(it, 1)", "(call xs.any it 1)"],
  ])("%s (01 10.2, 01 10.3)", (text, shape) => {
    expect(exprShape(text)).toBe(shape);
  });

  test("`it` in an earlier argument does not count for a later call", () => {
    expect(exprShape("g(it).any(3)")).toBe("(call (call g it).any 3)");
  });
});
