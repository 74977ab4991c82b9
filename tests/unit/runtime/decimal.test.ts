// Decimals: exact arithmetic on 128-bit counts of 10^-9 and their texts (reference 03 section 7, 19.4; 09 section 8).
import { describe, expect, test } from "vitest";
import { Guest, words } from "./guest.ts";

const guest = new Guest();
const UNIT = 10n ** 9n;
const LIMIT = 2n ** 127n;

/** `1.5` as its count of 10^-9. */
function count(text: string): bigint {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const magnitude = BigInt(whole) * UNIT + BigInt(fraction.padEnd(9, "0"));
  return text.startsWith("-") ? -magnitude : magnitude;
}

function operate(name: string, a: bigint, b: bigint): bigint {
  guest.call(name, ...words(a), ...words(b));
  const area = guest.global("result_area").value;
  return BigInt.asIntN(128, guest.view.getBigUint64(area, true) | (guest.view.getBigUint64(area + 8, true) << 64n));
}

const text = (value: bigint) => guest.text(() => guest.call("text_decimal", ...words(value)));
const fixed = (value: bigint, precision: number) =>
  guest.text(() => guest.call("text_decimal_fixed", ...words(value), precision));

describe("text", () => {
  test.each([
    ["1.50", "1.5"],
    ["100", "100"],
    ["-0.5", "-0.5"],
    ["0.000000001", "0.000000001"],
    ["-0", "0"],
    ["0", "0"],
    ["123456789012.000000010", "123456789012.00000001"],
    ["170141183460469231731687303715.884105727", "170141183460469231731687303715.884105727"],
    ["18446744073.709551616", "18446744073.709551616"],
    ["-100000000000000000000", "-100000000000000000000"],
  ])("of %s is %s", (value, expected) => {
    expect(text(count(value))).toBe(expected);
  });

  test("of the least number", () => {
    expect(text(-LIMIT)).toBe("-170141183460469231731687303715.884105728");
  });

  test.each([
    ["2.345", 2, "2.35"],
    ["2.345", 1, "2.3"],
    ["12.5", 2, "12.50"],
    ["12.5", 0, "13"],
    ["1.005", 2, "1.01"],
    ["-3.14159", 3, "-3.142"],
    ["-0.004", 2, "0.00"],
    ["7", 17, "7.00000000000000000"],
    ["7", 9, "7.000000000"],
    ["-0.5", 0, "-1"],
    ["99.995", 2, "100.00"],
    ["12345678901234567890.5", 0, "12345678901234567891"],
    ["18446744073.709551615", 8, "18446744073.70955162"],
  ])("of %s with %i digits is %s", (value, precision, expected) => {
    expect(fixed(count(value), precision)).toBe(expected);
  });
});

describe("arithmetic", () => {
  test.each([
    ["decimal_divide", "1", "3", "0.333333333"],
    ["decimal_divide", "-2", "3", "-0.666666666"],
    ["decimal_remainder", "7.5", "2", "1.5"],
    ["decimal_remainder", "-7.5", "2", "-1.5"],
    ["decimal_remainder", "7.5", "-2", "1.5"],
    ["decimal_multiply", "1.1", "1.1", "1.21"],
    ["decimal_multiply", "0.00001", "-0.00001", "0"],
    ["decimal_multiply", "0.333333333", "3", "0.999999999"],
  ])("%s %s %s is %s", (name, a, b, expected) => {
    expect(text(operate(name, count(a), count(b)))).toBe(expected);
  });

  test("division by zero is a fault", () => {
    for (const name of ["decimal_divide", "decimal_remainder"]) {
      const fresh = new Guest();
      expect(fresh.exits(() => fresh.call(name, 1n, 0n, 0n, 0n))).toBe(1);
      expect(fresh.output(2)).toBe("Hale panic: division by zero\n");
    }
  });

  test("random operands of every length", () => {
    for (const [a, b] of pairs(20_000)) {
      expectEqual(operate("decimal_multiply", a, b), BigInt.asIntN(128, (a * b) / UNIT), a, b);
      if (b === 0n) continue;
      expectEqual(operate("decimal_divide", a, b), BigInt.asIntN(128, (a * UNIT) / b), a, b);
      expectEqual(operate("decimal_remainder", a, b), a % b, a, b);
    }
  });

  test("the estimate of a quotient's word that is one too high", () => {
    // Knuth's test of step D6: the divisor's second word makes the guess fail.
    const a = 0x7fffffff_80000000_00000000_00000000n;
    const b = 0x00000000_80000000_00000000_00000001n;
    expect(operate("decimal_divide", a, b)).toBe(BigInt.asIntN(128, (a * UNIT) / b));
    expect(operate("decimal_remainder", a, b)).toBe(a % b);
  });
});

describe("nearest Float", () => {
  const toFloat = (value: bigint) => guest.call("decimal_to_float", ...words(value));
  test.each([
    "0",
    "1.5",
    "0.1",
    "-0.1",
    "123456789.987654321",
    "0.000000001",
    "9007199254740993",
    "9007199254740992.999999999",
    "9007199254740993.000000001",
  ])("of %s", (value) => {
    expect(toFloat(count(value))).toBe(Number(value));
  });

  test("of random numbers", () => {
    for (const [a] of pairs(5_000)) expectEqual(toFloat(a), Number(text(a)), a, 0n);
  });
});

function expectEqual(found: bigint | number, expected: bigint | number, a: bigint, b: bigint): void {
  if (found !== expected) expect(`${a}, ${b}: ${found}`).toBe(`${a}, ${b}: ${expected}`);
}

/** Pairs of numbers of 1 to 127 bits with both signs; the same in every run. */
function* pairs(total: number): Generator<[bigint, bigint]> {
  let state = 1n;
  const next = () => (state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn);
  const number = () => {
    const bits = next() >> 33n;
    const wide = (next() << 64n) | (next() ^ (next() >> 32n));
    const value = wide & ((1n << (1n + (bits % 127n))) - 1n);
    // Some of them with long runs of ones or zeros.
    const shaped =
      bits % 5n === 0n
        ? value | (0xffffffffn << (bits % 90n))
        : bits % 5n === 1n
          ? value & ~(0xffffffffn << (bits % 90n))
          : value;
    const cut = BigInt.asUintN(127, shaped);
    return (bits & 64n) !== 0n ? -cut : cut;
  };
  for (let i = 0; i < total; i++) yield [number(), number()];
}
