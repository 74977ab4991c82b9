// Every integer operator on every pair of edge operands, with operands in registers, as constants on either side, in a condition: as V8 has it. So that few
// executables are needed, a module holds many functions.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ExportCall, parseArgument, typeOfExport } from "../../compiler/native/index.ts";
import { decodeModule } from "../../compiler/wasm/index.ts";
import { compareRuns, Workplace } from "./support/compare.ts";
import { wat } from "./support/wat.ts";

let place: Workplace;
beforeAll(() => {
  place = new Workplace();
});
afterAll(() => place.close());

/** Makes the calls, `name arg arg`, natively and in V8. */
function expectAgreement(text: string, calls: readonly string[]): void {
  const bytes = wat(text);
  const module = decodeModule(bytes);
  const parsed = calls.map((call): ExportCall => {
    const [name = "", ...args] = call.split(" ");
    const { params } = typeOfExport(module, name);
    return { name, args: params.map((type, index) => parseArgument(type, args[index] ?? "")) };
  });
  const { native, v8 } = compareRuns(place, bytes, parsed);
  expect(v8.inconclusive).toBeUndefined();
  const differing = native.lines.findIndex((line, index) => line !== v8.lines[index]);
  expect({ at: differing, line: native.lines[differing] }).toEqual({ at: -1, line: undefined });
  expect(native.lines.length).toBe(v8.lines.length);
}

const edges = {
  i32: ["0", "1", "-1", "2", "7", "-7", "31", "32", "33", "127", "128", "255", "65536", "0x7fffffff", "0x80000000"],
  i64: ["0", "1", "-1", "7", "-7", "31", "63", "64", "128", "0x7fffffff", "0x80000000", "0xffffffff", "0x100000000"],
};
edges.i32.push("0x80000001", "0xabcd9876", "0x55555555");
edges.i64.push("0x7fffffffffffffff", "0x8000000000000000", "0x8000000000000001", "0xabcd1234ef567809");

const arithmetic = "add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr".split(" ");
const comparisons = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u".split(" ");

describe.each(["i32", "i64"] as const)("%s", (type) => {
  const values = edges[type];
  it.each([...arithmetic, ...comparisons])("%s", (operation) => {
    const result = comparisons.includes(operation) ? "i32" : type;
    const apply = (left: string, right: string) => `(${type}.${operation} ${left} ${right})`;
    const first = "(local.get 0)";
    const truth = (value: string) => (result === "i32" ? value : `(i64.ne ${value} (i64.const 0))`);
    const functions = [
      `(func (export "both") (param ${type} ${type}) (result ${result}) ${apply(first, "(local.get 1)")})`,
      `(func (export "flipped") (param ${type} ${type}) (result ${result}) ${apply("(local.get 1)", first)})`,
      `(func (export "same") (param ${type}) (result ${result}) ${apply(first, first)})`,
    ];
    const calls = values.flatMap((a) => [
      `same ${a}`,
      ...values.flatMap((b) => [`both ${a} ${b}`, `flipped ${a} ${b}`]),
    ]);
    values.forEach((value, index) => {
      const constant = `(${type}.const ${value})`;
      const other = `(${type}.const ${values[(index * 7 + 3) % values.length]})`;
      functions.push(
        `(func (export "right${index}") (param ${type}) (result ${result}) ${apply(first, constant)})`,
        `(func (export "left${index}") (param ${type}) (result ${result}) ${apply(constant, first)})`,
        `(func (export "folded${index}") (result ${result}) ${apply(constant, other)})`,
        `(func (export "if${index}") (param ${type}) (result i32) (if (result i32) ${truth(apply(first, constant))} (then (i32.const 1)) (else (i32.const 2))))`,
        `(func (export "select${index}") (param ${type}) (result i32) (select (i32.const 5) (i32.const 6) (i32.eqz ${truth(apply(constant, first))})))`,
      );
      calls.push(`folded${index}`);
      for (const kind of ["right", "left", "if", "select"])
        calls.push(...values.map((argument) => `${kind}${index} ${argument}`));
    });
    expectAgreement(`(module ${functions.join("\n")})`, calls);
  });
});

describe("operators in each other's company", () => {
  const pairs = [
    "(i32.shr_s (i32.shl (local.get 0) (i32.const 24)) (i32.const 24))",
    "(i32.mul (i32.div_s (local.get 0) (i32.const 6)) (i32.const 6))",
    "(i32.lt_s (i32.add (local.get 0) (i32.const 1)) (i32.add (local.get 1) (i32.const 1)))",
    "(i32.or (i32.eq (local.get 0) (i32.const 7)) (i32.eq (local.get 0) (i32.const -7)))",
    "(i32.and (i32.ge_s (local.get 0) (i32.const -7)) (i32.le_s (local.get 0) (i32.const 31)))",
    "(i32.and (i32.ge_u (local.get 0) (i32.const 1)) (i32.lt_u (local.get 0) (i32.const 33)))",
    "(i32.eqz (i32.and (local.get 0) (local.get 1)))",
    "(i32.ne (i32.and (local.get 0) (i32.const 0x80)) (i32.const 0))",
    "(i32.add (i32.add (local.get 0) (i32.shl (local.get 1) (i32.const 2))) (i32.const 1000))",
    "(i32.mul (local.get 0) (i32.const -5))",
    "(i32.wrap_i64 (i64.shr_u (i64.mul (i64.extend_i32_u (local.get 0)) (i64.extend_i32_s (local.get 1))) (i64.const 32)))",
    "(select (local.get 0) (local.get 1) (i32.lt_u (local.get 0) (local.get 1)))",
    "(if (result i32) (i32.and (i32.lt_s (local.get 0) (local.get 1)) (i32.gt_u (local.get 0) (i32.const 1))) (then (i32.const 1)) (else (i32.const 2)))",
    "(if (result i32) (i32.or (i32.lt_s (local.get 0) (local.get 1)) (i32.gt_u (local.get 0) (i32.const 1))) (then (i32.const 1)) (else (i32.const 2)))",
    "(i32.extend8_s (i32.add (local.get 0) (local.get 1)))",
    "(i32.and (i32.shr_u (local.get 0) (local.get 1)) (i32.const 255))",
  ];
  it("give what V8 gives", () => {
    const functions = pairs.map((body, index) => `(func (export "f${index}") (param i32 i32) (result i32) ${body})`);
    const calls = pairs.flatMap((_, index) => edges.i32.flatMap((a) => edges.i32.map((b) => `f${index} ${a} ${b}`)));
    expectAgreement(`(module ${functions.join("\n")})`, calls);
  });

  it("are evaluated from left to right, and the first trap counts", () => {
    expectAgreement(
      `(module (memory 1 1) (global $g (mut i32) (i32.const 0)) (table 4 funcref) (elem (i32.const 0) $a $b)
        (func $a (result i32) (i32.const 1)) (func $b (param i32) (result i32) (local.get 0))
        (func $t (param i32) (result i32) (global.set $g (i32.add (i32.mul (global.get $g) (i32.const 10)) (local.get 0))) (local.get 0))
        (func (export "g") (result i32) (local i32) (local.set 0 (global.get $g)) (global.set $g (i32.const 0)) (local.get 0))
        (func (export "order") (result i32) (i32.sub (call $t (i32.const 1)) (i32.mul (call $t (i32.const 2)) (call $t (i32.const 3)))))
        (func (export "select") (result i32) (select (call $t (i32.const 4)) (call $t (i32.const 5)) (call $t (i32.const 0))))
        (func (export "store") (i32.store (call $t (i32.const 8)) (call $t (i32.const 9))))
        (func (export "loadFirst") (param i32 i32) (result i32) (i32.add (i32.load (local.get 0)) (i32.div_s (i32.const 1) (local.get 1))))
        (func (export "divideFirst") (param i32 i32) (result i32) (i32.add (i32.div_s (i32.const 1) (local.get 1)) (i32.load (local.get 0))))
        (func (export "truncateFirst") (param i32 f32) (result i32) (i32.add (i32.trunc_f32_s (local.get 1)) (i32.load (local.get 0))))
        (func (export "dropped") (param i32) (drop (f64.load (local.get 0))))
        (func (export "droppedTruncation") (param f64) (drop (i64.trunc_f64_u (local.get 0))))
        (func (export "call") (param i32 i32) (result i32) (call_indirect (param i32) (result i32) (call $t (local.get 1)) (local.get 0)))
        (func (export "stores") (param i32) (i32.store (i32.const 100) (i32.const 5)) (i32.store (local.get 0) (i32.const 6)))
        (func (export "load") (param i32) (result i32) (i32.load (local.get 0)))
        (func (export "global") (result i32) (i32.add (global.get $g) (call $t (i32.const 6))))
        (func (export "tee") (param i32) (result i32) (i32.mul (i32.add (local.get 0) (local.tee 0 (i32.const 5))) (local.get 0))))`,
      (
        "order;g;select;g;store;g;load 8;loadFirst 0 1;loadFirst 0 0;loadFirst 65536 0;divideFirst 65536 0;divideFirst 65536 1;truncateFirst 65536 nan;" +
        "truncateFirst 65536 1;dropped 65528;dropped 65529;dropped -1;droppedTruncation nan;droppedTruncation -1;droppedTruncation -0.5;call 1 4;call 0 3;" +
        "call 3 2;call 4 1;g;stores 65533;load 100;global;global;g;tee 3"
      ).split(";"),
    );
  });
});
