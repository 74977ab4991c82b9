// Division and remainder by constants without a division instruction (Granlund & Montgomery 1994; Warren, Hacker's Delight, ch. 10).
import type { FunctionIr } from "./function-ir.ts";
import { MachineType, Op } from "./operations.ts";
import { binary, constant32, powerOfTwo, signExtend } from "./simplify.ts";

/** Integer division and remainder of any kind. */
export function divide(ir: FunctionIr, op: Op, type: MachineType, a: number, b: number): number {
  if (ir.op[b] !== Op.Const) return ir.add(op, type, a, b);
  const wide = type === MachineType.i64;
  const bits = wide ? 64 : 32;
  const raw = wide ? (BigInt(ir.imm2Of(b)) << 32n) | BigInt(ir.immOf(b) >>> 0) : BigInt(ir.immOf(b));
  const signed = op === Op.DivS || op === Op.RemS;
  const divisor = signed ? raw : BigInt.asUintN(bits, raw);
  const remainder = op === Op.RemS || op === Op.RemU;
  // Division by zero traps, and so may division by -1: both are left to the instruction.
  if (divisor === 0n || (divisor === -1n && !remainder)) return ir.add(op, type, a, b);
  if (divisor === 1n || divisor === -1n) return remainder ? ir.constant(type, 0, 0) : a;
  if (ir.op[a] === Op.Const) return foldConstants(ir, type, remainder, signed, a, divisor);
  const quotient = signed ? signedQuotient(ir, type, a, divisor) : unsignedQuotient(ir, type, a, divisor, remainder);
  if (quotient < 0) return ir.add(op, type, a, b);
  if (!remainder) return quotient;
  const power = powerOfTwo(ir.immOf(b), wide ? ir.imm2Of(b) : 0);
  if (power >= 0 && !signed) return quotient;
  const result = binary(ir, Op.Sub, type, a, binary(ir, Op.Mul, type, quotient, b));
  // Whether it is zero can be told without it: see compare.
  if (power >= 0) ir.maskedRemainders.set(result, { dividend: a, mask: divisor - 1n });
  return result;
}

function constantOf(ir: FunctionIr, type: MachineType, value: bigint): number {
  if (type === MachineType.i32) return constant32(ir, Number(BigInt.asIntN(32, value)));
  return ir.constant(type, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}

function foldConstants(
  ir: FunctionIr,
  type: MachineType,
  remainder: boolean,
  signed: boolean,
  a: number,
  divisor: bigint,
): number {
  const bits = type === MachineType.i64 ? 64 : 32;
  const raw = bits === 64 ? (BigInt(ir.imm2Of(a)) << 32n) | BigInt(ir.immOf(a) >>> 0) : BigInt(ir.immOf(a));
  const value = signed ? raw : BigInt.asUintN(bits, raw);
  return constantOf(ir, type, remainder ? value % divisor : value / divisor);
}

function exponentOf(divisor: bigint): number {
  return (divisor & (divisor - 1n)) === 0n ? divisor.toString(2).length - 1 : -1;
}

/** With `remainder` and a power of two the result is the remainder itself. */
function unsignedQuotient(ir: FunctionIr, type: MachineType, a: number, divisor: bigint, remainder: boolean): number {
  const power = exponentOf(divisor);
  if (power >= 0) {
    if (remainder) return binary(ir, Op.And, type, a, constantOf(ir, type, divisor - 1n));
    return binary(ir, Op.ShrU, type, a, constant32(ir, power));
  }
  const length = divisor.toString(2).length;
  if (type === MachineType.i32) {
    // m = floor(2^(32+s) / d) + 1 with s = length - 1; usable in 64 bits when m fits 32 bits and the error stays below 2^s.
    const shift = length - 1;
    const scaled = 1n << BigInt(32 + shift);
    const magic = scaled / divisor + 1n;
    if (magic < 1n << 32n && magic * divisor - scaled <= 1n << BigInt(shift)) {
      const product = ir.add(Op.Mul, MachineType.i64, a, constantOf(ir, MachineType.i64, magic));
      return narrow(ir, ir.add(Op.ShrU, MachineType.i64, product, constant32(ir, 32 + shift)));
    }
    // ceil(2^64 / d) is exact for every 32-bit dividend.
    return narrow(
      ir,
      ir.add(Op.MulHighU, MachineType.i64, a, constantOf(ir, MachineType.i64, (1n << 64n) / divisor + 1n)),
    );
  }
  const shift = length - 1;
  const scaled = 1n << BigInt(64 + shift);
  const magic = scaled / divisor + 1n;
  if (magic * divisor - scaled > 1n << BigInt(shift)) return -1;
  const high = ir.add(Op.MulHighU, type, a, constantOf(ir, type, magic));
  return binary(ir, Op.ShrU, type, high, constant32(ir, shift));
}

/** The value is known to fit 32 bits. */
function narrow(ir: FunctionIr, value: number): number {
  return ir.add(Op.Wrap, MachineType.i32, value);
}

function signedQuotient(ir: FunctionIr, type: MachineType, a: number, divisor: bigint): number {
  const bits = type === MachineType.i64 ? 64 : 32;
  const size = divisor < 0n ? -divisor : divisor;
  const power = exponentOf(size);
  const sign = binary(ir, Op.ShrS, type, a, constant32(ir, bits - 1));
  let quotient: number;
  if (power >= 0) {
    const bias = binary(ir, Op.ShrU, type, sign, constant32(ir, bits - power));
    quotient = binary(ir, Op.ShrS, type, binary(ir, Op.Add, type, a, bias), constant32(ir, power));
  } else {
    quotient = binary(ir, Op.Sub, type, signedHighProduct(ir, type, a, size), sign);
  }
  return divisor < 0n ? binary(ir, Op.Sub, type, constantOf(ir, type, 0n), quotient) : quotient;
}

/** floor(a / size) for the magic multiplier m = floor(2^(bits-1+l) / size) + 1, l = ceil(log2 size). */
function signedHighProduct(ir: FunctionIr, type: MachineType, a: number, size: bigint): number {
  const length = size.toString(2).length;
  if (type === MachineType.i32) {
    const magic = (1n << BigInt(31 + length)) / size + 1n;
    const product = ir.add(
      Op.Mul,
      MachineType.i64,
      signExtend(ir, MachineType.i64, a, 32),
      constantOf(ir, MachineType.i64, magic),
    );
    return narrow(ir, ir.add(Op.ShrS, MachineType.i64, product, constant32(ir, 31 + length)));
  }
  // m has 64 bits: as a signed number it is m - 2^64, so a is added back.
  const magic = (1n << BigInt(63 + length)) / size + 1n;
  const high = ir.add(Op.MulHighS, type, a, constantOf(ir, type, magic));
  const corrected = magic >= 1n << 63n ? ir.add(Op.Add, type, high, a) : high;
  return binary(ir, Op.ShrS, type, corrected, constant32(ir, length - 1));
}
