// Instructions of WebAssembly, construct by construct, compiled to machine code and run. Expected values are from the specification.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/compare.ts";
import { call, callModule, wat } from "./support/wat.ts";
import type { WasmModule } from "../../compiler/wasm/index.ts";

let place: Workplace;
beforeAll(() => {
  place = new Workplace();
});
afterAll(() => place.close());

/** One function `f` with these parameters and result. */
function f(signature: string, body: string, rest = ""): Uint8Array {
  return wat(`(module ${rest} (func (export "f") ${signature} ${body}))`);
}

function binary(type: string, operation: string): Uint8Array {
  return f(`(param ${type} ${type}) (result ${type})`, `(${type}.${operation} (local.get 0) (local.get 1))`);
}

describe("integer division", () => {
  it("truncates toward zero, and the remainder has the dividend's sign", () => {
    expect(call(place, binary("i32", "div_s"), "f -7 2", "f 7 -2", "f -7 -2")).toEqual(["i32:-3", "i32:-3", "i32:3"]);
    expect(call(place, binary("i32", "rem_s"), "f -7 2", "f 7 -2", "f -7 -2")).toEqual(["i32:-1", "i32:1", "i32:-1"]);
  });
  it("by zero traps, of the least number by -1 overflows, its remainder is 0", () => {
    for (const [type, least] of [
      ["i32", "-2147483648"],
      ["i64", "-9223372036854775808"],
    ] as const) {
      expect(call(place, binary(type, "div_s"), "f 1 0", `f ${least} -1`, "f 5 -1")).toEqual([
        "trap: integer divide by zero",
        "trap: integer overflow",
        `${type}:-5`,
      ]);
      expect(call(place, binary(type, "rem_s"), "f 1 0", `f ${least} -1`, "f 5 -1")).toEqual([
        "trap: integer divide by zero",
        `${type}:0`,
        `${type}:0`,
      ]);
      expect(call(place, binary(type, "div_u"), "f 1 0", `f ${least} -1`)).toEqual([
        "trap: integer divide by zero",
        `${type}:0`,
      ]);
      expect(call(place, binary(type, "rem_u"), "f 1 0", "f -1 10")).toEqual([
        "trap: integer divide by zero",
        `${type}:5`,
      ]);
    }
  });
  it("traps although its result is dropped", () => {
    expect(call(place, f("(param i32)", "(drop (i32.div_u (i32.const 1) (local.get 0)))"), "f 1", "f 0")).toEqual([
      "trap: integer divide by zero",
    ]);
  });
  it("by the constant -1 overflows for the least number only", () => {
    const byMinusOne = f("(param i64) (result i64)", "(i64.div_s (local.get 0) (i64.const -1))");
    expect(call(place, byMinusOne, "f 7", "f -9223372036854775808")).toEqual(["i64:-7", "trap: integer overflow"]);
  });
});

describe("division by constants is exact", () => {
  const divisors = [
    2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 25, 60, 100, 125, 625, 641, 1000, 1024, 3600, 65537, 1000000, 1000003, 86400000,
    2147483647, -2, -3, -7, -10, -1000, -2147483648,
  ];
  const edges = [
    "0",
    "1",
    "2",
    "6",
    "7",
    "9",
    "10",
    "99",
    "100",
    "999",
    "1000",
    "65535",
    "65536",
    "1000000",
    "2147483646",
    "2147483647",
  ];
  const values32 = [...edges, ...edges.map((text) => `-${text}`), "-2147483648", "4294967295"];
  const values64 = [
    ...values32,
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775806",
    "-1000000000000000003",
    "18446744073709551615",
    "18446744073709551557",
  ];

  it.each([
    ["i32", 32, values32],
    ["i64", 64, values64],
  ] as const)("%s", (type, bits, values) => {
    const operations = ["div_s", "rem_s", "div_u", "rem_u"] as const;
    const functions = divisors.flatMap((divisor) =>
      operations.map(
        (operation) =>
          `(func (export "${operation}/${divisor}") (param ${type}) (result ${type}) (${type}.${operation} (local.get 0) (${type}.const ${divisor})))`,
      ),
    );
    const calls: string[] = [];
    const expected: string[] = [];
    for (const divisor of divisors) {
      for (const operation of operations) {
        for (const text of values) {
          const unsigned = operation.endsWith("u");
          const wrapTo = unsigned ? BigInt.asUintN : BigInt.asIntN;
          const a = wrapTo(bits, BigInt(text));
          const b = wrapTo(bits, BigInt(divisor));
          calls.push(`${operation}/${divisor} ${text}`);
          expected.push(`${type}:${BigInt.asIntN(bits, operation.startsWith("div") ? a / b : a % b)}`);
        }
      }
    }
    expect(call(place, wat(`(module ${functions.join(" ")})`), ...calls)).toEqual(expected);
  });
});

describe("shifts and bits", () => {
  it("counts are taken modulo the width", () => {
    expect(call(place, binary("i32", "shl"), "f 1 33", "f 1 32", "f -1 31")).toEqual([
      "i32:2",
      "i32:1",
      "i32:-2147483648",
    ]);
    expect(call(place, binary("i64", "shr_s"), "f -8 65", "f -8 1")).toEqual(["i64:-4", "i64:-4"]);
    expect(call(place, binary("i64", "rotl"), "f 1 64", "f 0x8000000000000001 1")).toEqual(["i64:1", "i64:3"]);
    expect(call(place, binary("i32", "rotr"), "f 1 1", "f 1 33")).toEqual(["i32:-2147483648", "i32:-2147483648"]);
  });
  it("clz, ctz and popcnt know zero", () => {
    const bits = (type: string, operation: string) =>
      f(`(param ${type}) (result ${type})`, `(${type}.${operation} (local.get 0))`);
    expect(call(place, bits("i32", "clz"), "f 0", "f 1", "f -1", "f 0x8000")).toEqual([
      "i32:32",
      "i32:31",
      "i32:0",
      "i32:16",
    ]);
    expect(call(place, bits("i64", "clz"), "f 0", "f 1", "f -1")).toEqual(["i64:64", "i64:63", "i64:0"]);
    expect(call(place, bits("i32", "ctz"), "f 0", "f 8", "f -2147483648")).toEqual(["i32:32", "i32:3", "i32:31"]);
    expect(call(place, bits("i64", "ctz"), "f 0", "f -9223372036854775808")).toEqual(["i64:64", "i64:63"]);
    expect(call(place, bits("i64", "popcnt"), "f -1", "f 0")).toEqual(["i64:64", "i64:0"]);
  });
  it("a variable count may be any parameter, and the value too", () => {
    const many = f(
      "(param i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)",
      "(i32.add (i32.shl (local.get 3) (local.get 3)) (i32.shl (local.get 8) (i32.shr_u (local.get 6) (i32.rotl (local.get 0) (local.get 7)))))",
    );
    expect(call(place, many, "f 1 2 3 4 5 6 64 1 9")).toEqual([`i32:${(4 << 4) + (9 << (64 >> 2))}`]);
  });
});

describe("conversions between widths", () => {
  it("an i32 has no upper half, however it came about", () => {
    const wrapped = f("(param i64) (result i64)", "(i64.extend_i32_u (i32.wrap_i64 (local.get 0)))");
    expect(call(place, wrapped, "f -1", "f 0x123456789")).toEqual(["i64:4294967295", "i64:591751049"]);
    const sum = f(
      "(param i64 i32) (result i64)",
      "(i64.extend_i32_u (i32.add (i32.wrap_i64 (local.get 0)) (local.get 1)))",
    );
    expect(call(place, sum, "f -1 1", "f 0xffffffff00000005 -6")).toEqual(["i64:0", "i64:4294967295"]);
    const shifted = f(
      "(param i64 i32) (result i64)",
      "(i64.extend_i32_u (i32.shl (i32.wrap_i64 (local.get 0)) (local.get 1)))",
    );
    expect(call(place, shifted, "f 0xabcdef0180000001 0", "f 0xabcdef0180000001 1")).toEqual([
      "i64:2147483649",
      "i64:2",
    ]);
  });
  it("sign extension", () => {
    const extend = (type: string, operation: string) =>
      f(`(param ${type}) (result ${type})`, `(${type}.${operation} (local.get 0))`);
    expect(call(place, extend("i32", "extend8_s"), "f 0x180", "f 0x17f")).toEqual(["i32:-128", "i32:127"]);
    expect(call(place, extend("i64", "extend32_s"), "f 0x180000000", "f 0x7fffffff")).toEqual([
      "i64:-2147483648",
      "i64:2147483647",
    ]);
  });
});

describe("floats", () => {
  it("NaN: a quiet one keeps its payload, a signalling one is made quiet, canonical in gives canonical out", () => {
    expect(call(place, binary("f32", "add"), "f nan:0x200000 1", "f nan:canonical 1", "f 1 -nan:canonical")).toEqual([
      "f32:0x7fe00000",
      "f32:0x7fc00000",
      "f32:0xffc00000",
    ]);
    expect(call(place, binary("f64", "mul"), "f nan:0x4000000000000 1")).toEqual(["f64:0x7ffc000000000000"]);
    const [zeroByZero] = call(place, binary("f32", "div"), "f 0 0");
    expect(["f32:0x7fc00000", "f32:0xffc00000"]).toContain(zeroByZero);
  });
  it("neg, abs and copysign touch nothing but the sign, of a signalling NaN too", () => {
    const unary = (type: string, operation: string) =>
      f(`(param ${type}) (result ${type})`, `(${type}.${operation} (local.get 0))`);
    expect(call(place, unary("f32", "neg"), "f nan:0x1", "f 0", "f -inf")).toEqual([
      "f32:0xff800001",
      "f32:0x80000000",
      "f32:0x7f800000",
    ]);
    expect(call(place, unary("f64", "abs"), "f -nan:0x1", "f -0")).toEqual([
      "f64:0x7ff0000000000001",
      "f64:0x0000000000000000",
    ]);
    expect(call(place, binary("f32", "copysign"), "f nan:0x1 -1", "f -2 3")).toEqual([
      "f32:0xff800001",
      "f32:0x40000000",
    ]);
  });
  it("min and max order zeros by sign and pass NaN on", () => {
    expect(call(place, binary("f64", "min"), "f 0 -0", "f -0 0", "f nan 1", "f 1 nan", "f -inf 3")).toEqual([
      "f64:0x8000000000000000",
      "f64:0x8000000000000000",
      "f64:0x7ff8000000000000",
      "f64:0x7ff8000000000000",
      "f64:0xfff0000000000000",
    ]);
    expect(call(place, binary("f32", "max"), "f 0 -0", "f -0 0", "f -0 -0")).toEqual([
      "f32:0x00000000",
      "f32:0x00000000",
      "f32:0x80000000",
    ]);
  });
  it("nearest rounds to even and keeps the sign of zero", () => {
    const nearest = f("(param f64) (result f64)", "(f64.nearest (local.get 0))");
    expect(call(place, nearest, "f 0.5", "f 1.5", "f -0.5", "f 4503599627370497.5")).toEqual([
      "f64:0x0000000000000000",
      "f64:0x4000000000000000",
      "f64:0x8000000000000000",
      "f64:0x4330000000000002",
    ]);
  });
  it("every comparison is false for NaN but ne", () => {
    for (const [operation, value] of [
      ["eq", 0],
      ["ne", 1],
      ["lt", 0],
      ["gt", 0],
      ["le", 0],
      ["ge", 0],
    ] as const) {
      const compare = f("(param f64 f64) (result i32)", `(f64.${operation} (local.get 0) (local.get 1))`);
      expect(call(place, compare, "f nan 1", "f 1 nan", "f nan nan")).toEqual([
        `i32:${value}`,
        `i32:${value}`,
        `i32:${value}`,
      ]);
      const branch = f(
        "(param f64 f64) (result i32)",
        `(if (result i32) (f64.${operation} (local.get 0) (local.get 1)) (then (i32.const 1)) (else (i32.const 0)))`,
      );
      expect(call(place, branch, "f nan 1", "f 2 2", "f 1 2", "f 2 1")).toEqual(
        [
          value,
          ["eq", "le", "ge"].includes(operation) ? 1 : 0,
          ["ne", "lt", "le"].includes(operation) ? 1 : 0,
          ["ne", "gt", "ge"].includes(operation) ? 1 : 0,
        ].map((bit) => `i32:${bit}`),
      );
      const select = f(
        "(param f64 f64) (result f64)",
        `(select (local.get 0) (local.get 1) (f64.${operation} (local.get 0) (local.get 1)))`,
      );
      expect(call(place, select, "f 7 nan")).toEqual([
        value === 1 ? "f64:0x401c000000000000" : "f64:0x7ff8000000000000",
      ]);
    }
  });
});

describe("float to integer", () => {
  const truncate = (name: string, from: string, to: string) =>
    f(`(param ${from}) (result ${to})`, `(${to}.${name} (local.get 0))`);
  it("traps for NaN and for what does not fit, exactly at the edges", () => {
    const nan = "trap: invalid conversion to integer";
    const overflow = "trap: integer overflow";
    expect(
      call(
        place,
        truncate("trunc_f64_s", "f64", "i32"),
        "f nan",
        "f 2147483647.9",
        "f 2147483648",
        "f -2147483648.9",
        "f -2147483649",
        "f inf",
      ),
    ).toEqual([nan, "i32:2147483647", overflow, "i32:-2147483648", overflow, overflow]);
    expect(
      call(place, truncate("trunc_f64_u", "f64", "i32"), "f -0.9", "f -1", "f 4294967295.9", "f 4294967296", "f nan"),
    ).toEqual(["i32:0", overflow, "i32:-1", overflow, nan]);
    expect(
      call(
        place,
        truncate("trunc_f32_s", "f32", "i32"),
        "f -2147483648",
        "f -2147483904",
        "f 2147483520",
        "f 2147483648",
      ),
    ).toEqual(["i32:-2147483648", overflow, "i32:2147483520", overflow]);
    expect(
      call(
        place,
        truncate("trunc_f64_s", "f64", "i64"),
        "f -9223372036854775808",
        "f -9223372036854777856",
        "f 9223372036854774784",
        "f 9223372036854775808",
        "f nan",
      ),
    ).toEqual(["i64:-9223372036854775808", overflow, "i64:9223372036854774784", overflow, nan]);
    expect(
      call(
        place,
        truncate("trunc_f64_u", "f64", "i64"),
        "f 9223372036854775808",
        "f 18446744073709549568",
        "f 18446744073709551616",
        "f -0.9",
        "f -1",
        "f nan",
        "f -inf",
      ),
    ).toEqual(["i64:-9223372036854775808", "i64:-2048", overflow, "i64:0", overflow, nan, overflow]);
  });
  it("saturates", () => {
    expect(call(place, truncate("trunc_sat_f64_s", "f64", "i32"), "f nan", "f 1e10", "f -1e10", "f -1.9")).toEqual([
      "i32:0",
      "i32:2147483647",
      "i32:-2147483648",
      "i32:-1",
    ]);
    expect(call(place, truncate("trunc_sat_f32_u", "f32", "i32"), "f nan", "f 1e10", "f -1", "f 1.9")).toEqual([
      "i32:0",
      "i32:-1",
      "i32:0",
      "i32:1",
    ]);
    expect(call(place, truncate("trunc_sat_f32_s", "f32", "i64"), "f nan", "f inf", "f -inf", "f -3.5")).toEqual([
      "i64:0",
      "i64:9223372036854775807",
      "i64:-9223372036854775808",
      "i64:-3",
    ]);
    expect(
      call(place, truncate("trunc_sat_f64_u", "f64", "i64"), "f nan", "f inf", "f -inf", "f 9223372036854775809"),
    ).toEqual(["i64:0", "i64:-1", "i64:0", "i64:-9223372036854775808"]);
  });
  it("unsigned 64-bit integers round correctly on the way back", () => {
    const convert = f("(param i64) (result f64)", "(f64.convert_i64_u (local.get 0))");
    expect(call(place, convert, "f 9007199254740993", "f -1", "f 0x8000000000000400", "f 0x8000000000000401")).toEqual([
      "f64:0x4340000000000000",
      "f64:0x43f0000000000000",
      "f64:0x43e0000000000000",
      "f64:0x43e0000000000001",
    ]);
    const single = f("(param i64) (result f32)", "(f32.convert_i64_u (local.get 0))");
    expect(call(place, single, "f 0x8000008000000001", "f 0x8000008000000000", "f 16777217")).toEqual([
      "f32:0x5f000001",
      "f32:0x5f000000",
      "f32:0x4b800000",
    ]);
  });
});

describe("memory", () => {
  const memory = "(memory 1 3)";
  it("accesses of every width at any alignment, at the last byte and one further", () => {
    const load = f(
      "(param i32) (result i64)",
      "(i64.load (local.get 0))",
      `${memory} (data (i32.const 65528) "\\01\\02\\03\\04\\05\\06\\07\\88")`,
    );
    expect(call(place, load, "f 65528", "f 65527", "f 65529", "f -1")).toEqual([
      `i64:${BigInt.asIntN(64, 0x8807060504030201n)}`,
      `i64:${0x0706050403020100n}`,
      "trap: out of bounds memory access",
      "trap: out of bounds memory access",
    ]);
    const narrow = f(
      "(param i32) (result i32)",
      "(i32.add (i32.load8_s (local.get 0)) (i32.load8_u (local.get 0)))",
      `${memory} (data (i32.const 65535) "\\80")`,
    );
    expect(call(place, narrow, "f 65535", "f 65536")).toEqual(["i32:0", "trap: out of bounds memory access"]);
  });
  it("address and offset are added without wrapping", () => {
    const far = f("(param i32) (result i32)", "(i32.load offset=4294967295 (local.get 0))", memory);
    expect(call(place, far, "f 0", "f 1", "f -1")).toEqual(Array(3).fill("trap: out of bounds memory access"));
    const near = f("(param i32) (result i32)", "(i32.load offset=16 (local.get 0))", memory);
    expect(call(place, near, "f -16", "f -1", "f 65516")).toEqual([
      "trap: out of bounds memory access",
      "trap: out of bounds memory access",
      "i32:0",
    ]);
  });
  it("an address computed in 32 bits wraps before it is used", () => {
    const sum = f(
      "(param i32 i32) (result i32)",
      "(i32.load8_u (i32.add (local.get 0) (i32.shl (local.get 1) (i32.const 2))))",
      `${memory} (data (i32.const 4) "\\2a")`,
    );
    expect(call(place, sum, "f 0 1", "f -4 2", "f 4 0x40000000", "f 8 -1", "f -1 0")).toEqual([
      "i32:42",
      "i32:42",
      "i32:42",
      "i32:42",
      "trap: out of bounds memory access",
    ]);
    const constant = f(
      "(param i32) (result i32)",
      "(i32.load8_u (i32.add (local.get 0) (i32.const -12)))",
      `${memory} (data (i32.const 4) "\\2a")`,
    );
    expect(call(place, constant, "f 16", "f 4")).toEqual(["i32:42", "trap: out of bounds memory access"]);
  });
  it("a store that does not fit writes nothing", () => {
    const store = wat(`(module ${memory}
      (func (export "store") (param i32) (i64.store (local.get 0) (i64.const 0x1122334455667788)))
      (func (export "load") (param i32) (result i32) (i32.load (local.get 0))))`);
    expect(call(place, store, "store 65529", "load 65532", "store 65528", "load 65532")).toEqual([
      "trap: out of bounds memory access",
      "i32:0",
      "i32:287454020",
    ]);
  });
  it("grows in place up to its maximum", () => {
    const grow = wat(`(module ${memory} (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
      (func (export "size") (result i32) (memory.size)) (func (export "touch") (param i32) (result i32) (i32.store (local.get 0) (i32.const 7)) (i32.load (local.get 0))))`);
    expect(
      call(
        place,
        grow,
        "touch 65536",
        "grow 1",
        "touch 65536",
        "grow 2",
        "grow 0",
        "grow 1",
        "touch 196604",
        "size",
        "grow -1",
      ),
    ).toEqual([
      "trap: out of bounds memory access",
      "i32:1",
      "i32:7",
      "i32:-1",
      "i32:2",
      "i32:2",
      "i32:7",
      "i32:3",
      "i32:-1",
    ]);
  });
  it("copies and fills overlapping pieces of every length, and checks bounds first", () => {
    const bulk = wat(`(module ${memory}
      (func (export "fill") (param i32 i32 i32) (memory.fill (local.get 0) (local.get 1) (local.get 2)))
      (func (export "copy") (param i32 i32 i32) (memory.copy (local.get 0) (local.get 1) (local.get 2)))
      (func (export "sequence") (param i32) (local i32)
        (loop $l (i32.store8 (local.get 1) (i32.mul (local.get 1) (i32.const 7))) (br_if $l (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (local.get 0)))))
      (func (export "hash") (param i32) (result i32) (local i32 i32)
        (loop $l (local.set 2 (i32.add (i32.mul (local.get 2) (i32.const 31)) (i32.load8_u (local.get 1))))
          (br_if $l (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (local.get 0)))) (local.get 2)))`);
    const lengths = [
      0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 200, 1023, 1024, 1025, 3000,
    ];
    const image = new Uint8Array(8192);
    const expected: string[] = [];
    const calls: string[] = [];
    const hash = () => {
      let value = 0;
      for (const byte of image) value = (Math.imul(value, 31) + byte) | 0;
      expected.push(`i32:${value}`);
      calls.push("hash 8192");
    };
    for (const length of lengths) {
      for (const distance of [-40, -1, 0, 1, 3, 64, 2000]) {
        calls.push("sequence 8192", `copy ${3000 + distance} 3000 ${length}`);
        image.forEach((_, index) => {
          image[index] = index * 7;
        });
        image.copyWithin(3000 + distance, 3000, 3000 + length);
        hash();
      }
      calls.push(`fill 100 ${length} ${length}`);
      image.fill(length, 100, 100 + length);
      hash();
    }
    expect(call(place, bulk, ...calls)).toEqual(expected);
    const outside = "trap: out of bounds memory access";
    expect(
      call(
        place,
        bulk,
        "copy 65535 0 2",
        "copy 0 65535 2",
        "fill 65536 1 1",
        "fill 65536 1 0",
        "copy 65536 65536 0",
        "copy -1 0 1",
        "fill 65537 0 0",
      ),
    ).toEqual([outside, outside, outside, outside, outside]);
  });
  it("data segments: active ones are gone, passive ones until they are dropped", () => {
    const segments = wat(`(module ${memory} (data $active (i32.const 8) "abc") (data $passive "wxyz")
      (func (export "init") (param i32 i32 i32) (memory.init $passive (local.get 0) (local.get 1) (local.get 2)))
      (func (export "again") (memory.init $active (i32.const 0) (i32.const 0) (i32.const 1)))
      (func (export "nothing") (memory.init $active (i32.const 0) (i32.const 0) (i32.const 0)))
      (func (export "drop") (data.drop $passive)) (func (export "load") (param i32) (result i32) (i32.load8_u (local.get 0))))`);
    const outside = "trap: out of bounds memory access";
    expect(
      call(
        place,
        segments,
        "load 9",
        "init 20 1 3",
        "load 22",
        "init 20 1 4",
        "init 65535 0 2",
        "again",
        "nothing",
        "drop",
        "init 0 0 1",
        "init 0 0 0",
      ),
    ).toEqual(["i32:98", "i32:122", outside, outside, outside, outside]);
  });
});

describe("control", () => {
  it("br_table carries values to blocks of any depth", () => {
    const table = f(
      "(param i32) (result i32)",
      `(block $c (result i32) (i32.add (i32.const 1) (block $b (result i32) (i32.add (i32.const 10)
      (block $a (result i32) (br_table $a $b $c $a $b $c $a (i32.const 100) (local.get 0)))))))`,
    );
    expect(call(place, table, "f 0", "f 1", "f 2", "f 3", "f 4", "f 5", "f 6", "f -1")).toEqual([
      "i32:111",
      "i32:101",
      "i32:100",
      "i32:111",
      "i32:101",
      "i32:100",
      "i32:111",
      "i32:111",
    ]);
  });
  it("loops, blocks and ifs take parameters", () => {
    // By hand, since Binaryen turns parameters of blocks into locals. (loop (param i32 i64) (result i64): counts down and adds up.
    const loop = [
      0x20, 0, 0x42, 0, 0x03, 1, 0x21, 2, 0x21, 1, 0x20, 1, 0x41, 1, 0x6b, 0x20, 2, 0x20, 1, 0xad, 0x7c, 0x20, 1, 0x41,
      1, 0x4a, 0x0d, 0, 0x21, 2, 0x1a, 0x20, 2, 0x0b, 0x0b,
    ];
    expect(callModule(place, byHand(loop), "f 1", "f 4", "f 100")).toEqual(["i64:1", "i64:10", "i64:5050"]);
    // (block (param i32 i64) (result i64): br out of it with one value when the i32 is 7.
    const block = [
      0x20, 0, 0x42, 5, 0x02, 1, 0x21, 2, 0x21, 1, 0x20, 2, 0x20, 1, 0x41, 7, 0x46, 0x0d, 0, 0x42, 1, 0x7c, 0x0b, 0x0b,
    ];
    expect(callModule(place, byHand(block), "f 7", "f 8")).toEqual(["i64:5", "i64:6"]);
    // (if (param i32 i64) (result i64): the sum, or the i64 alone.
    const branch = [
      0x20, 0, 0x42, 40, 0x20, 0, 0x04, 1, 0x21, 2, 0xac, 0x20, 2, 0x7c, 0x05, 0x21, 2, 0x1a, 0x20, 2, 0x0b, 0x0b,
    ];
    expect(callModule(place, byHand(branch), "f 2", "f 0", "f -3")).toEqual(["i64:42", "i64:40", "i64:37"]);
  });
  it("many parameters and results, in registers and in memory", () => {
    const types = [
      "i32",
      "f64",
      "i64",
      "f32",
      "i32",
      "i64",
      "f64",
      "i32",
      "i64",
      "i32",
      "i64",
      "f32",
      "f64",
      "i32",
      "i64",
      "i32",
      "f64",
      "f64",
      "f64",
      "f64",
      "f64",
      "f64",
      "f64",
    ];
    const signature = `(param ${types.join(" ")}) (result ${types.toReversed().join(" ")})`;
    const reversed = types.map((_, index) => `(local.get ${types.length - 1 - index})`).join(" ");
    const module = wat(`(module (func $turn ${signature} ${reversed})
      (func (export "f") (param ${types.join(" ")}) (result ${types.toReversed().join(" ")}) (call $turn ${types.map((_, index) => `(local.get ${index})`).join(" ")})))`);
    const expected = types
      .map((type, index) =>
        type === "f32"
          ? `f32:0x${floatBits(index)}`
          : type === "f64"
            ? `f64:0x${doubleBits(index)}`
            : `${type}:${index}`,
      )
      .toReversed();
    expect(call(place, module, `f ${types.map((_, index) => index).join(" ")}`)).toEqual(expected);
  });
  it("a swap of locals in a loop is a cycle of moves", () => {
    const swap = f(
      "(param i32 i64 i64 f64 f64) (result i64)",
      `(local i64 f64)
      (loop $l (local.set 5 (local.get 1)) (local.set 1 (local.get 2)) (local.set 2 (local.get 5))
        (local.set 6 (local.get 3)) (local.set 3 (local.get 4)) (local.set 4 (local.get 6))
        (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
      (i64.add (i64.mul (local.get 1) (i64.const 1000)) (i64.add (local.get 2) (i64.trunc_f64_s (f64.mul (local.get 3) (f64.const 1000000)))))`,
    );
    expect(call(place, swap, "f 1 3 4 5 6", "f 2 3 4 5 6")).toEqual(["i64:6004003", "i64:5003004"]);
  });
  it("unreachable code is no code", () => {
    const dead = f(
      "(param i32) (result i32)",
      `(block (result i32) (drop (br_if 0 (i32.const 5) (local.get 0))) (return (i32.const 6)) (i32.add (unreachable) (i32.const 1)))`,
    );
    expect(call(place, dead, "f 1", "f 0")).toEqual(["i32:5", "i32:6"]);
  });
  it("a loop that cannot run any more leaves no trace", () => {
    // The branch on the constant that one arm brings goes straight back to the head; what follows it is dead, a loop among it.
    const dead = f(
      "(param i32) (result i32)",
      `(local i32)
      (loop $l (if (i32.gt_u (local.get 1) (i32.const 5)) (then (return (local.get 1))))
        (local.set 1 (i32.add (local.get 1) (i32.const 1)))
        (br_if $l (if (result i32) (local.get 0) (then (i32.const 129)) (else (i32.const 1))))
        (loop $m (br_if $m (local.get 0))))
      (i32.const 77)`,
    );
    expect(call(place, dead, "f 0", "f 1")).toEqual(["i32:6", "i32:6"]);
  });
  it("the stack runs out with a trap, and the instance goes on", () => {
    const deep = wat(
      `(module (func $r (export "r") (param i64) (result i64) (i64.add (local.get 0) (call $r (i64.add (local.get 0) (i64.const 1))))) (func (export "g") (result i32) (i32.const 9)))`,
    );
    expect(call(place, deep, "r 0", "g", "r 0", "g")).toEqual([
      "trap: call stack exhausted",
      "i32:9",
      "trap: call stack exhausted",
      "i32:9",
    ]);
  });
  it("a start function runs first; a trap in it ends the instance", () => {
    const start = wat(
      `(module (global $g (mut i32) (i32.const 1)) (func $s (global.set $g (i32.const 5))) (start $s) (func (export "g") (result i32) (global.get $g)))`,
    );
    expect(call(place, start, "g")).toEqual(["i32:5"]);
  });
});

/** A module with `f: (i32) -> i64`, locals i32 and i64, and the block type (i32, i64) -> i64 as type 1. */
function byHand(code: readonly number[]): WasmModule {
  return {
    types: [
      { params: [0x7f], results: [0x7e] },
      { params: [0x7f, 0x7e], results: [0x7e] },
    ],
    imports: [],
    functions: [{ name: "f", type: 0, locals: [0x7f, 0x7e], code: Uint8Array.from(code) }],
    tables: [],
    memories: [],
    globals: [],
    exports: [{ name: "f", kind: "function", index: 0 }],
    elements: [],
    data: [],
    files: [],
  };
}

function floatBits(value: number): string {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint32(0).toString(16).padStart(8, "0");
}

function doubleBits(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

describe("tables and references", () => {
  it("indirect calls check index, null and type, equal types being one", () => {
    const indirect =
      wat(`(module (type $a (func (result i32))) (type $b (func (result i32))) (type $c (func (param i32) (result i32)))
      (table 4 4 funcref) (elem (i32.const 0) $one $id) (func $one (type $a) (i32.const 1)) (func $id (type $c) (local.get 0))
      (func (export "b") (param i32) (result i32) (call_indirect (type $b) (local.get 0)))
      (func (export "c") (param i32 i32) (result i32) (call_indirect (type $c) (local.get 0) (local.get 1))))`);
    expect(call(place, indirect, "b 0", "b 1", "b 2", "b 4", "b -1", "c 7 1", "c 7 0")).toEqual([
      "i32:1",
      "trap: indirect call type mismatch",
      "trap: uninitialized element",
      "trap: undefined element",
      "trap: undefined element",
      "i32:7",
      "trap: indirect call type mismatch",
    ]);
  });
  it("get, set, grow, fill, copy, init and drop", () => {
    const tables = wat(`(module (table $t 2 6 externref) (table $f 4 funcref) (elem $e func $g $h) (func $g) (func $h)
      (func (export "get") (param i32) (result externref) (table.get $t (local.get 0)))
      (func (export "set") (param i32 externref) (table.set $t (local.get 0) (local.get 1)))
      (func (export "grow") (param externref i32) (result i32) (table.grow $t (local.get 0) (local.get 1)))
      (func (export "size") (result i32) (table.size $t))
      (func (export "fill") (param i32 externref i32) (table.fill $t (local.get 0) (local.get 1) (local.get 2)))
      (func (export "copy") (param i32 i32 i32) (table.copy $t $t (local.get 0) (local.get 1) (local.get 2)))
      (func (export "init") (param i32 i32 i32) (table.init $f $e (local.get 0) (local.get 1) (local.get 2)))
      (func (export "drop") (elem.drop $e))
      (func (export "null") (param i32) (result i32) (ref.is_null (table.get $f (local.get 0)))))`);
    const outside = "trap: out of bounds table access";
    expect(
      call(
        place,
        tables,
        "get 0",
        "set 1 7",
        "get 1",
        "get 2",
        "set 2 1",
        "grow 5 3",
        "size",
        "get 4",
        "grow null 2",
        "fill 0 9 2",
        "get 1",
        "copy 2 0 3",
        "get 3",
        "copy 0 2 4",
        "init 1 0 2",
        "null 0",
        "null 2",
        "init 0 1 2",
        "drop",
        "init 0 0 1",
        "init 0 0 0",
      ),
    ).toEqual([
      "externref:null",
      "externref:7",
      outside,
      outside,
      "i32:2",
      "i32:5",
      "externref:5",
      "i32:-1",
      "externref:9",
      "externref:9",
      outside,
      "i32:1",
      "i32:0",
      outside,
      outside,
    ]);
  });
  it("globals hold references, and function references can be compared with null", () => {
    const references =
      wat(`(module (func $f (export "x")) (global $g (mut funcref) (ref.null func)) (elem declare func $f)
      (func (export "set") (global.set $g (ref.func $f))) (func (export "null") (result i32) (ref.is_null (global.get $g))) (func (export "get") (result funcref) (global.get $g)))`);
    expect(call(place, references, "null", "get", "set", "null", "get")).toEqual([
      "i32:1",
      "funcref:null",
      "i32:0",
      "funcref:func",
    ]);
  });
});

describe("imports of the official test suite's host module", () => {
  it("globals, memory, table and functions", () => {
    const imports =
      wat(`(module (import "spectest" "global_i32" (global $i i32)) (import "spectest" "global_f64" (global $d f64))
      (import "spectest" "memory" (memory 1 2)) (import "spectest" "table" (table 10 20 funcref)) (import "spectest" "print_i32" (func $p (param i32)))
      (func (export "i") (result i32) (call $p (i32.const 1)) (global.get $i)) (func (export "d") (result f64) (global.get $d)) (func (export "m") (result i32) (memory.grow (i32.const 1))))`);
    expect(call(place, imports, "i", "d", "m", "m")).toEqual([
      "i32:666",
      `f64:0x${doubleBits(666.6)}`,
      "i32:1",
      "i32:-1",
    ]);
  });
  it("others are refused by name", () => {
    expect(() => call(place, wat(`(module (import "env" "puts" (func)) (func (export "f")))`), "f")).toThrow(
      "unknown import env.puts",
    );
  });
});
