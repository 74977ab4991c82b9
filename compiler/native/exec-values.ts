// Values of WebAssembly as text: the arguments that `wasm-exec` takes and the results that it shows.
import { ValueType } from "../wasm/index.ts";
import { NativeUnsupportedError } from "./plan.ts";

/** The halves of a value's bits. */
export type Bits = readonly [low: number, high: number];

/**
 * Reads an argument: integers in decimal or hexadecimal; floats as numbers (decimal, or hexadecimal with a point or `p`), `inf`, `nan`, `nan:0x...`
 * (payload), or their bits as `0x...`; references as `null` or a number. A prefix like `i32:` is allowed.
 * @throws NativeUnsupportedError for what is no value of the type
 */
export function parseArgument(type: ValueType, text: string): Bits {
  const bare = text.replace(/^(i32|i64|f32|f64|externref|funcref):/, "");
  switch (type) {
    case ValueType.i32:
      return halves(integerWithin(32n, bare));
    case ValueType.i64:
      return halves(integerWithin(64n, bare));
    case ValueType.f32:
      return halves(floatBits(single, bare));
    case ValueType.f64:
      return halves(floatBits(double, bare));
    case ValueType.externref:
      return bare === "null" ? [0, 0] : halves(integer(bare) + 1n);
    default:
      if (bare === "null") return [0, 0];
      throw new NativeUnsupportedError(`cannot pass "${text}"`);
  }
}

/** Turns a result line's float bits into a number: `f64:0x3ff8000000000000` -> `f64:1.5`. Other lines stay. */
export function readableResult(line: string): string {
  const match = /^f(32|64):0x([0-9a-f]+)$/.exec(line);
  if (match === null) return line;
  const format = match[1] === "64" ? double : single;
  const bits = BigInt(`0x${match[2] ?? "0"}`);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, true);
  const value = format === double ? view.getFloat64(0, true) : view.getFloat32(0, true);
  if (!Number.isNaN(value)) return `f${match[1]}:${numberText(value)}`;
  const payload = bits & ((1n << format.fractionBits) - 1n);
  const negative = bits >> format.signBit === 1n;
  return `f${match[1]}:${negative ? "-" : ""}nan:0x${payload.toString(16)}`;
}

function numberText(value: number): string {
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  return Object.is(value, -0) ? "-0" : String(value);
}

function halves(value: bigint): Bits {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
}

function integer(text: string): bigint {
  const clean = text.replaceAll("_", "");
  if (!/^[+-]?(\d+|0x[0-9a-f]+)$/i.test(clean)) throw new NativeUnsupportedError(`"${text}" is not an integer`);
  return /^[+-]/.test(clean) ? BigInt(clean.slice(1)) * (clean.startsWith("-") ? -1n : 1n) : BigInt(clean);
}

/** Signed and unsigned spellings are both allowed. */
function integerWithin(bits: bigint, text: string): bigint {
  const value = integer(text);
  if (value < -(1n << (bits - 1n)) || value >= 1n << bits)
    throw new NativeUnsupportedError(`"${text}" does not fit in ${bits} bits`);
  return value;
}

/** A binary format of IEEE 754. */
interface FloatFormat {
  readonly fractionBits: bigint;
  readonly signBit: bigint;
  readonly exponentMask: bigint;
  /** The exponent of the least bit of the smallest number. */
  readonly leastExponent: bigint;
}

const single: FloatFormat = { fractionBits: 23n, signBit: 31n, exponentMask: 0xffn, leastExponent: -149n };
const double: FloatFormat = { fractionBits: 52n, signBit: 63n, exponentMask: 0x7ffn, leastExponent: -1074n };

function floatBits(format: FloatFormat, text: string): bigint {
  const clean = text.replaceAll("_", "").toLowerCase();
  if (/^0x[0-9a-f]+$/.test(clean)) {
    if (BigInt(clean) >> (format.signBit + 1n) !== 0n) throw new NativeUnsupportedError(`"${text}" has too many bits`);
    return BigInt(clean);
  }
  const match = /^([+-]?)(.+)$/.exec(clean);
  const sign = match?.[1] === "-" ? 1n << format.signBit : 0n;
  const magnitude = specialBits(format, match?.[2] ?? "") ?? numberBits(format, match?.[2] ?? "");
  if (magnitude === undefined) throw new NativeUnsupportedError(`"${text}" is not a number`);
  return sign | magnitude;
}

/** Infinity and NaN: `nan` alone, `nan:canonical` and `nan:arithmetic` are the canonical one. */
function specialBits(format: FloatFormat, text: string): bigint | undefined {
  const exponent = format.exponentMask << format.fractionBits;
  if (text === "inf" || text === "infinity") return exponent;
  const payload = /^nan(?::(canonical|arithmetic|0x[0-9a-f]+))?$/.exec(text);
  if (payload === null) return undefined;
  const [, kind] = payload;
  return exponent | (kind?.startsWith("0x") === true ? BigInt(kind) : 1n << (format.fractionBits - 1n));
}

/** More than this, and the number is zero or infinite in every format. */
const exponentBound = 20_000;

function numberBits(format: FloatFormat, text: string): bigint | undefined {
  const decimal = /^(\d*)\.?(\d*)(?:e([+-]?\d+))?$/.exec(text);
  const hexadecimal = /^0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?$/.exec(text);
  const [, whole = "", fraction = "", power = "0"] = decimal ?? hexadecimal ?? [];
  const digits = whole + fraction;
  if (digits === "") return undefined;
  const exponent = BigInt(Math.max(-exponentBound, Math.min(exponentBound, Number(power))));
  const places = BigInt(fraction.length);
  return decimal !== null
    ? roundedQuotient(format, BigInt(digits), 10n, exponent - places)
    : roundedQuotient(format, BigInt(`0x${digits}`), 2n, exponent - 4n * places);
}

/** The format's number nearest to `digits * base ** exponent`, ties to even: exact, since a float32 must not be rounded by way of a float64. */
function roundedQuotient(format: FloatFormat, digits: bigint, base: bigint, exponent: bigint): bigint {
  if (digits === 0n) return 0n;
  const numerator = exponent > 0n ? digits * base ** exponent : digits;
  const denominator = exponent < 0n ? base ** -exponent : 1n;
  const scaled = (shift: bigint) =>
    shift >= 0n ? ([numerator << shift, denominator] as const) : ([numerator, denominator << -shift] as const);
  const precision = format.fractionBits + 1n;
  let shift = precision - bitLength(numerator) + bitLength(denominator);
  if (shift > -format.leastExponent) shift = -format.leastExponent;
  let [dividend, divisor] = scaled(shift);
  if (bitLength(dividend / divisor) > precision) [dividend, divisor] = scaled(--shift);
  let quotient = dividend / divisor;
  const twiceRest = 2n * (dividend % divisor);
  if (twiceRest > divisor || (twiceRest === divisor && (quotient & 1n) === 1n)) quotient++;
  // The leading bit of a normal number adds one to the exponent field, and so does a carry.
  const bits = ((-shift - format.leastExponent) << format.fractionBits) + quotient;
  const infinity = format.exponentMask << format.fractionBits;
  if (bits > infinity) return infinity;
  return bits;
}

function bitLength(value: bigint): bigint {
  return BigInt(value.toString(2).length);
}
