// Text of Floats (reference 03 19.2, 19.4): C's %g with six digits and %.Nf, exactly.
import { describe, expect, test } from "vitest";
import { Guest } from "./guest.ts";

const guest = new Guest();
const general = (value: number) => guest.text(() => guest.call("text_float", value));
const fixed = (value: number, precision: number) => guest.text(() => guest.call("text_fixed", value, precision));

describe("a Float's text", () => {
  test.each<[number, string]>([
    [1, "1"],
    [2.5, "2.5"],
    [0.1 + 0.2, "0.3"],
    [2 / 3, "0.666667"],
    [Math.PI, "3.14159"],
    [12345.678, "12345.7"],
    [0.00012345678, "0.000123457"],
    [-0, "-0"],
    [0, "0"],
    [100000, "100000"],
    [999999, "999999"],
    [999999.5, "1e+06"],
    [1000000, "1e+06"],
    [1234567, "1.23457e+06"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e100, "1e+100"],
    [Infinity, "inf"],
    [-Infinity, "-inf"],
    [NaN, "nan"],
    [-1.5, "-1.5"],
    [123456, "123456"],
    [0.5, "0.5"],
    [1e-300, "1e-300"],
    [Number.MAX_VALUE, "1.79769e+308"],
    [Number.MIN_VALUE, "4.94066e-324"],
    [2.2250738585072014e-308, "2.22507e-308"],
    [9.9999949e22, "9.99999e+22"],
    [9.9999951e22, "1e+23"],
    [99999.95, "99999.9"],
    [999999.4999999999, "999999"],
    [1e22, "1e+22"],
    [1e23, "1e+23"],
  ])("%f is %s", (value, text) => {
    expect(general(value)).toBe(text);
  });

  test("a NaN shows its sign bit", () => {
    guest.view.setBigUint64(guest.global("result_area").value, 0xfff8000000000000n, true);
    expect(general(guest.view.getFloat64(guest.global("result_area").value, true))).toMatch(/^-?nan$/);
  });

  test("exact ties go to even", () => {
    // Each is exactly between two numbers of six digits.
    expect([100000.5, 100001.5, 12345.25, 12345.75, 1000005, 1000015, 0.5 + 2 ** -7 * 2 ** -13].map(general)).toEqual([
      "100000",
      "100002",
      "12345.2",
      "12345.8",
      "1e+06",
      "1.00002e+06",
      "0.500001",
    ]);
  });

  test("random numbers of every magnitude", () => {
    for (const value of samples(200_000))
      if (general(value) !== percentG(value))
        expect(`${value}: ${general(value)}`).toBe(`${value}: ${percentG(value)}`);
  });
});

describe("a Float with a precision", () => {
  test.each<[number, number, string]>([
    [2 / 3, 4, "0.6667"],
    [9.5, 0, "10"],
    [8.5, 0, "8"],
    [0.5, 0, "0"],
    [1.5, 0, "2"],
    [2.5, 0, "2"],
    [-0.5, 0, "-0"],
    [0.125, 2, "0.12"],
    [0.375, 2, "0.38"],
    [1e22, 2, "10000000000000000000000.00"],
    [1e23, 1, "99999999999999991611392.0"],
    [0.1, 17, "0.10000000000000001"],
    [1, 17, "1.00000000000000000"],
    [123456789.12345679, 17, "123456789.12345679104328156"],
    [0, 3, "0.000"],
    [-0, 2, "-0.00"],
    [-0.001, 2, "-0.00"],
    [5e-324, 17, "0.00000000000000000"],
    [1.005, 2, "1.00"],
    [Infinity, 2, "inf"],
    [NaN, 2, "nan"],
    [999999.9999, 2, "1000000.00"],
    [0.999, 2, "1.00"],
    [9.995, 2, "9.99"],
  ])("%f with %i digits is %s", (value, precision, text) => {
    expect(fixed(value, precision)).toBe(text);
  });

  test("the largest number", () => {
    expect(fixed(Number.MAX_VALUE, 3)).toBe(`${BigInt(Number.MAX_VALUE)}.000`);
  });

  test("random numbers and precisions", () => {
    let precision = 0;
    for (const value of samples(100_000)) {
      precision = (precision + 1) % 18;
      const found = fixed(value, precision);
      if (found !== percentF(value, precision))
        expect(`${value} ${precision}: ${found}`).toBe(`${value} ${precision}: ${percentF(value, precision)}`);
    }
  });
});

/** Floats of random bits, and short decimals, which have many near-ties. The same in every run. */
function* samples(count: number): Generator<number> {
  let state = 0x9e3779b97f4a7c15n;
  const next = () => (state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn);
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < count; i++) {
    const bits = next();
    const kind = i % 4;
    if (kind === 0) view.setBigUint64(0, bits ^ (bits >> 29n));
    // Numbers between 2^-40 and 2^70, whose low bits may be zero.
    else if (kind === 1)
      view.setBigUint64(
        0,
        ((983n + ((bits >> 40n) % 110n)) << 52n) |
          ((next() >> 12n) & (-1n << ((bits >> 20n) % 52n)) & 0xfffffffffffffn),
      );
    else if (kind === 2) view.setFloat64(0, Number(bits >> 40n) / 2 ** Number((bits >> 8n) % 24n));
    else view.setFloat64(0, Number(bits >> 34n) / 10 ** Number((bits >> 8n) % 12n));
    const value = view.getFloat64(0);
    if (!Number.isNaN(value)) yield value;
  }
}

/** %g: `toPrecision` rounds exactly, but ties away from zero; ties are found and rounded in big integers. */
function percentG(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0`;
  const { numerator, denominator } = fraction(Math.abs(value));
  // A first guess of the exponent, then corrected.
  let exponent = Math.floor(Math.log10(Math.abs(value)));
  if (below(numerator, denominator, exponent)) exponent--;
  if (!below(numerator, denominator, exponent + 1)) exponent++;
  let digits = rounded(numerator, denominator, 5 - exponent);
  if (digits === 1_000_000n) {
    digits = 100_000n;
    exponent++;
  }
  const text = digits.toString();
  if (exponent < -4 || exponent >= 6) {
    const tail = text.slice(1).replace(/0+$/, "");
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${text[0]}${tail === "" ? "" : `.${tail}`}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  const padded = exponent < 0 ? "0".repeat(-exponent) + text : text;
  const point = exponent < 0 ? 1 : exponent + 1;
  const tail = padded.slice(point).replace(/0+$/, "");
  return `${sign}${padded.slice(0, point)}${tail === "" ? "" : `.${tail}`}`;
}

function percentF(value: number, precision: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const { numerator, denominator } = fraction(Math.abs(value));
  const text = rounded(numerator, denominator, precision)
    .toString()
    .padStart(precision + 1, "0");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return sign + (precision === 0 ? text : `${text.slice(0, -precision)}.${text.slice(-precision)}`);
}

/** A Float as the exact quotient of two integers. */
function fraction(value: number): { numerator: bigint; denominator: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const mantissa = (bits & 0xfffffffffffffn) | (biased === 0 ? 0n : 1n << 52n);
  const exponent = Math.max(biased, 1) - 1075;
  return exponent >= 0
    ? { numerator: mantissa << BigInt(exponent), denominator: 1n }
    : { numerator: mantissa, denominator: 1n << BigInt(-exponent) };
}

/** Whether the quotient is below 10^exponent. */
function below(numerator: bigint, denominator: bigint, exponent: number): boolean {
  return exponent >= 0
    ? numerator < denominator * 10n ** BigInt(exponent)
    : numerator * 10n ** BigInt(-exponent) < denominator;
}

/** The quotient times 10^places, rounded to even. */
function rounded(numerator: bigint, denominator: bigint, places: number): bigint {
  const top = places >= 0 ? numerator * 10n ** BigInt(places) : numerator;
  const bottom = places >= 0 ? denominator : denominator * 10n ** BigInt(-places);
  const quotient = top / bottom;
  const twice = (top % bottom) * 2n;
  return twice > bottom || (twice === bottom && quotient % 2n === 1n) ? quotient + 1n : quotient;
}
