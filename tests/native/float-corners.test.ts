// Every float operation on every pair of corner values, against V8: the results' bits, NaNs made one, go into a sum that must be the same.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInV8, runNatively, Workplace } from "./support/compare.ts";
import { wat } from "./support/wat.ts";

let place: Workplace;
beforeAll(() => {
  place = new Workplace();
});
afterAll(() => place.close());

/** Values at the edges of formats, of integer ranges, of rounding. */
function corners(double: boolean): number[] {
  const positive = [
    0,
    1,
    0.5,
    1.5,
    2.5,
    3.5,
    0.49999999999999994,
    1e-10,
    1e10,
    7,
    0.1,
    3.141592653589793,
    Infinity,
    8388607.5,
    8388608,
    16777216,
    16777217,
    4503599627370495.5,
    4503599627370496,
    9007199254740992,
    2147483647,
    2147483648,
    2147483649,
    2147483647.5,
    4294967295,
    4294967296,
    4294967295.9,
    9223372036854774784,
    9223372036854775808,
    18446744073709549568,
    18446744073709551616,
    2 ** -149,
    2 ** -126,
    2 ** -127,
    3.4028234663852886e38,
    3.4028235677973366e38,
    1.1754943508222873e-38,
  ];
  if (double) positive.push(5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308, 1e308);
  return [...positive, ...positive.map((value) => -value), Number.NaN];
}

function data(values: readonly number[], double: boolean): string {
  const bytes = Buffer.alloc(values.length * (double ? 8 : 4));
  values.forEach((value, index) =>
    double ? bytes.writeDoubleLE(value, index * 8) : bytes.writeFloatLE(value, index * 4),
  );
  return [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
}

const header = (type: "f32" | "f64") =>
  `(memory 1) (data (i32.const 0) "${data(corners(type === "f64"), type === "f64")}")`;

/** A function that sums up an i64 expression `bits` over all pairs (a, b) of corner values. */
function overPairs(name: string, type: "f32" | "f64", bits: string): string {
  const size = type === "f64" ? 8 : 4;
  const end = corners(type === "f64").length * size;
  return `(func (export "${name}") (result i64) (local $i i32) (local $j i32) (local $a ${type}) (local $b ${type}) (local $r ${type}) (local $h i64)
    (loop $outer (local.set $j (i32.const 0)) (local.set $a (${type}.load (local.get $i)))
      (loop $inner (local.set $b (${type}.load (local.get $j)))
        (local.set $h (i64.add (i64.rotl (local.get $h) (i64.const 5)) (i64.mul ${bits} (i64.const 0x9e3779b97f4a7c15))))
        (br_if $inner (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const ${size}))) (i32.const ${end}))))
      (br_if $outer (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const ${size}))) (i32.const ${end}))))
    (local.get $h))`;
}

/** The bits of a float expression as i64, all NaNs alike. */
function bitsOf(type: "f32" | "f64", expression: string): string {
  const bits =
    type === "f64" ? "(i64.reinterpret_f64 (local.get $r))" : "(i64.extend_i32_u (i32.reinterpret_f32 (local.get $r)))";
  return `(block (result i64) (local.set $r ${expression}) (select (i64.const -1) ${bits} (${type}.ne (local.get $r) (local.get $r))))`;
}

function compare(text: string, names: readonly string[]): void {
  const bytes = wat(text);
  const calls = names.map((name) => ({ name, args: [] }));
  const native = runNatively(place, bytes, calls).lines;
  expect(native).toHaveLength(names.length);
  expect(Object.fromEntries(names.map((name, index) => [name, native[index]]))).toEqual(
    Object.fromEntries(names.map((name, index) => [name, runInV8(bytes, calls).lines[index]])),
  );
}

describe.each(["f32", "f64"] as const)("%s", (type) => {
  it("arithmetic, min, max and copysign on every pair", () => {
    const names = ["add", "sub", "mul", "div", "min", "max", "copysign"];
    compare(
      `(module ${header(type)} ${names.map((name) => overPairs(name, type, bitsOf(type, `(${type}.${name} (local.get $a) (local.get $b))`))).join("\n")})`,
      names,
    );
  });
  it("comparisons on every pair: as a value, in a branch, in a select", () => {
    const names = ["eq", "ne", "lt", "gt", "le", "ge"];
    const functions = names.flatMap((name) => {
      const condition = `(${type}.${name} (local.get $a) (local.get $b))`;
      return [
        overPairs(name, type, `(i64.extend_i32_u ${condition})`),
        overPairs(`${name}-branch`, type, `(if (result i64) ${condition} (then (i64.const 3)) (else (i64.const 5)))`),
        overPairs(`${name}-select`, type, bitsOf(type, `(select (local.get $a) (local.get $b) ${condition})`)),
        overPairs(
          `${name}-not`,
          type,
          `(if (result i64) (i32.eqz ${condition}) (then (i64.const 3)) (else (i64.const 5)))`,
        ),
        overPairs(
          `${name}-and`,
          type,
          `(if (result i64) (i32.and ${condition} (${type}.lt (local.get $b) (${type}.const 2))) (then (i64.const 3)) (else (i64.const 5)))`,
        ),
        overPairs(
          `${name}-or`,
          type,
          `(if (result i64) (i32.or ${condition} (${type}.eq (local.get $b) (${type}.const 1))) (then (i64.const 3)) (else (i64.const 5)))`,
        ),
      ];
    });
    compare(
      `(module ${header(type)} ${functions.join("\n")})`,
      names.flatMap((name) => [name, `${name}-branch`, `${name}-select`, `${name}-not`, `${name}-and`, `${name}-or`]),
    );
  });
  it("rounding, roots, signs", () => {
    const names = ["abs", "neg", "sqrt", "ceil", "floor", "trunc", "nearest"];
    compare(
      `(module ${header(type)} ${names.map((name) => overPairs(name, type, bitsOf(type, `(${type}.${name} (local.get $a))`))).join("\n")})`,
      names,
    );
  });
  it("to integers with saturation, and to the other format", () => {
    const names = ["i32.trunc_sat", "i64.trunc_sat"].flatMap((name) => [`${name}_${type}_s`, `${name}_${type}_u`]);
    const functions = names.map((name) =>
      overPairs(
        name,
        type,
        name.startsWith("i32") ? `(i64.extend_i32_u (${name} (local.get $a)))` : `(${name} (local.get $a))`,
      ),
    );
    const other =
      type === "f64"
        ? bitsOf("f64", "(f64.promote_f32 (f32.demote_f64 (local.get $a)))")
        : bitsOf("f32", "(f32.demote_f64 (f64.promote_f32 (local.get $a)))");
    compare(`(module ${header(type)} ${functions.join("\n")} ${overPairs("other", type, other)})`, [...names, "other"]);
  });
  it("constants to integers with saturation", () => {
    const values = ["0", "-0", "1.5", "-1.5", "3e9", "-3e9", "1e19", "-1e19", "1e30", "-1e30", "inf", "-inf", "nan"];
    const functions = ["i32.trunc_sat", "i64.trunc_sat"].flatMap((name) =>
      ["s", "u"].flatMap((sign) =>
        values.map((value) => {
          const result = name.slice(0, 3);
          const full = `${name}_${type}_${sign}`;
          return { name: `${full} ${value}`, text: `(result ${result}) (${full} (${type}.const ${value}))` };
        }),
      ),
    );
    compare(
      `(module ${functions.map(({ name, text }) => `(func (export "${name}") ${text})`).join("\n")})`,
      functions.map(({ name }) => name),
    );
  });
  it("from integers, signed and unsigned, of both widths", () => {
    const names = ["i32_s", "i32_u", "i64_s", "i64_u"].map((name) => `${type}.convert_${name}`);
    const bits =
      type === "f64"
        ? "(i64.reinterpret_f64 (local.get $a))"
        : "(i64.mul (i64.extend_i32_u (i32.reinterpret_f32 (local.get $a))) (i64.const 0x100000001))";
    const functions = names.map((name) =>
      overPairs(
        name,
        type,
        bitsOf(
          type,
          name.includes("i32")
            ? `(${name} (i32.wrap_i64 ${bits}))`
            : `(${name} (i64.sub ${bits} (i64.extend_i32_u (local.get $j))))`,
        ),
      ),
    );
    compare(`(module ${header(type)} ${functions.join("\n")})`, names);
  });
});
