// Folding and strength reduction while the form is built: each function adds an instruction or returns a value that does the same for less.
import { Condition } from "../x64/encodings.ts";
import type { FunctionIr } from "./function-ir.ts";
import { MachineType, Op, operationTraits, Trait } from "./operations.ts";

const swappedConditions: readonly number[] = swapped();

function swapped(): number[] {
  const table = Array.from({ length: 16 }, (_, condition) => condition);
  const pair = (left: number, right: number) => {
    table[left] = right;
    table[right] = left;
  };
  pair(Condition.less, Condition.greater);
  pair(Condition.lessEqual, Condition.greaterEqual);
  pair(Condition.below, Condition.above);
  pair(Condition.belowEqual, Condition.aboveEqual);
  return table;
}

function bigOf(ir: FunctionIr, value: number): bigint {
  return (BigInt(ir.imm2Of(value)) << 32n) | BigInt(ir.immOf(value) >>> 0);
}

function constantBig(ir: FunctionIr, value: bigint): number {
  return ir.constant(MachineType.i64, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}

/** An i32 constant. */
export function constant32(ir: FunctionIr, value: number): number {
  return ir.constant(MachineType.i32, value | 0, 0);
}

/** The constant's number when it fits a signed 32-bit immediate of an operation of its width, else undefined. */
export function immediateOf(ir: FunctionIr, value: number): number | undefined {
  if (ir.op[value] !== Op.Const) return undefined;
  const low = ir.immOf(value);
  if (ir.typeOf(value) === MachineType.i32) return low;
  return ir.imm2Of(value) === low >> 31 ? low : undefined;
}

/** Integer binary operations; division goes through division.ts first. */
export function binary(ir: FunctionIr, op: Op, type: MachineType, left: number, right: number): number {
  let a = left;
  let b = right;
  if (ir.op[a] === Op.Const) {
    if (ir.op[b] === Op.Const) {
      const folded = type === MachineType.i32 ? fold32(op, ir.immOf(a), ir.immOf(b)) : undefined;
      if (folded !== undefined) return constant32(ir, folded);
      const wide = type === MachineType.i64 ? fold64(op, bigOf(ir, a), bigOf(ir, b)) : undefined;
      if (wide !== undefined) return constantBig(ir, wide);
    } else if (((operationTraits[op] ?? 0) & Trait.commutative) !== 0) {
      a = right;
      b = left;
    }
  }
  if (ir.op[b] === Op.Const) {
    const simpler = withConstant(ir, op, type, a, b);
    if (simpler !== undefined) return simpler;
  } else if (ir.op[a] === Op.Compare && ir.op[b] === Op.Compare && (op === Op.And || op === Op.Or)) {
    const joined = joinComparisons(ir, op, a, b);
    if (joined !== undefined) return joined;
  }
  return ir.add(op, type, a, b);
}

/**
 * Two comparisons of one i32 with constants as one: `x <= high & x >= low` (unsigned) is `x - low <= high - low`; `x == a | x == b` for constants that differ in
 * one bit is a comparison without that bit.
 */
function joinComparisons(ir: FunctionIr, op: Op, a: number, b: number): number | undefined {
  const value = ir.aOf(a);
  if (
    ir.aOf(b) !== value ||
    ir.imm2[a] !== 0 ||
    ir.imm2[b] !== 0 ||
    ir.op[ir.bOf(a)] !== Op.Const ||
    ir.op[ir.bOf(b)] !== Op.Const
  )
    return undefined;
  const first = ir.immOf(ir.bOf(a));
  const second = ir.immOf(ir.bOf(b));
  if (op === Op.Or) {
    const difference = first ^ second;
    if (ir.imm[a] !== Condition.equal || ir.imm[b] !== Condition.equal || powerOfTwo(difference, 0) < 0)
      return undefined;
    return compare(
      ir,
      Condition.equal,
      0,
      binary(ir, Op.And, MachineType.i32, value, constant32(ir, ~difference)),
      constant32(ir, first & ~difference),
    );
  }
  const left = boundOf(ir.immOf(a), first);
  const right = boundOf(ir.immOf(b), second);
  if (left === undefined || right === undefined || left.signed !== right.signed || left.isLow === right.isLow)
    return undefined;
  const low = left.isLow ? left.limit : right.limit;
  const high = left.isLow ? right.limit : left.limit;
  if (low > high) return undefined;
  return compare(
    ir,
    Condition.belowEqual,
    0,
    binary(ir, Op.Add, MachineType.i32, value, constant32(ir, -low | 0)),
    constant32(ir, high - low),
  );
}

interface Bound {
  readonly signed: boolean;
  readonly isLow: boolean;
  /** Inclusive. */
  readonly limit: number;
}

/** The bound that a comparison with a constant sets, if any number keeps it. */
function boundOf(condition: number, constant: number): Bound | undefined {
  const unsigned = constant >>> 0;
  switch (condition) {
    case Condition.aboveEqual:
      return { signed: false, isLow: true, limit: unsigned };
    case Condition.above:
      return unsigned === 0xffff_ffff ? undefined : { signed: false, isLow: true, limit: unsigned + 1 };
    case Condition.belowEqual:
      return { signed: false, isLow: false, limit: unsigned };
    case Condition.below:
      return unsigned === 0 ? undefined : { signed: false, isLow: false, limit: unsigned - 1 };
    case Condition.greaterEqual:
      return { signed: true, isLow: true, limit: constant };
    case Condition.greater:
      return constant === 0x7fff_ffff ? undefined : { signed: true, isLow: true, limit: constant + 1 };
    case Condition.lessEqual:
      return { signed: true, isLow: false, limit: constant };
    case Condition.less:
      return constant === -0x8000_0000 ? undefined : { signed: true, isLow: false, limit: constant - 1 };
    default:
      return undefined;
  }
}

function fold32(op: Op, a: number, b: number): number | undefined {
  switch (op) {
    case Op.Add:
      return (a + b) | 0;
    case Op.Sub:
      return (a - b) | 0;
    case Op.Mul:
      return Math.imul(a, b);
    case Op.And:
      return a & b;
    case Op.Or:
      return a | b;
    case Op.Xor:
      return a ^ b;
    case Op.Shl:
      return a << b;
    case Op.ShrS:
      return a >> b;
    case Op.ShrU:
      return (a >>> b) | 0;
    case Op.Rotl:
      return (a << (b & 31)) | (b & 31 ? a >>> (32 - (b & 31)) : 0);
    case Op.Rotr:
      return (a >>> (b & 31)) | (b & 31 ? a << (32 - (b & 31)) : 0);
    default:
      return undefined;
  }
}

function fold64(op: Op, a: bigint, b: bigint): bigint | undefined {
  const unsigned = BigInt.asUintN(64, a);
  const count = b & 63n;
  switch (op) {
    case Op.Add:
      return a + b;
    case Op.Sub:
      return a - b;
    case Op.Mul:
      return a * b;
    case Op.And:
      return a & b;
    case Op.Or:
      return a | b;
    case Op.Xor:
      return a ^ b;
    case Op.Shl:
      return a << count;
    case Op.ShrS:
      return a >> count;
    case Op.ShrU:
      return unsigned >> count;
    case Op.Rotl:
      return (unsigned << count) | (unsigned >> (64n - count));
    case Op.Rotr:
      return (unsigned >> count) | (unsigned << (64n - count));
    default:
      return undefined;
  }
}

/** `a op constant`, simplified; undefined when there is nothing to gain. */
function withConstant(ir: FunctionIr, op: Op, type: MachineType, a: number, b: number): number | undefined {
  const low = ir.immOf(b);
  const zero = low === 0 && ir.imm2Of(b) === 0;
  switch (op) {
    case Op.Add:
    case Op.Sub:
      return zero ? a : addConstant(ir, op, type, a, b);
    case Op.Or:
    case Op.Xor:
      return zero ? a : undefined;
    case Op.And:
      if (zero) return b;
      return low === -1 && (type === MachineType.i32 || ir.imm2Of(b) === -1) ? a : undefined;
    case Op.Mul:
      return multiply(ir, type, a, b);
    case Op.Shl:
    case Op.ShrS:
    case Op.ShrU:
      return shiftConstant(ir, op, type, a, low & (type === MachineType.i64 ? 63 : 31));
    case Op.Rotl:
    case Op.Rotr:
      return (low & (type === MachineType.i64 ? 63 : 31)) === 0 ? a : undefined;
    default:
      return undefined;
  }
}

/** Turns subtraction of a constant into addition, and merges chains of additions. */
function addConstant(ir: FunctionIr, op: Op, type: MachineType, a: number, b: number): number | undefined {
  if (type === MachineType.i32) {
    const value = op === Op.Sub ? -ir.immOf(b) | 0 : ir.immOf(b);
    if (ir.op[a] === Op.Add && ir.type[a] === type && ir.op[ir.bOf(a)] === Op.Const) {
      return binary(ir, Op.Add, type, ir.aOf(a), constant32(ir, ir.immOf(ir.bOf(a)) + value));
    }
    return op === Op.Sub ? ir.add(Op.Add, type, a, constant32(ir, value)) : undefined;
  }
  const inner = ir.op[a] === Op.Add && ir.type[a] === type && ir.op[ir.bOf(a)] === Op.Const;
  if (op === Op.Add && !inner) return undefined;
  const value = op === Op.Sub ? -bigOf(ir, b) : bigOf(ir, b);
  if (inner) return binary(ir, Op.Add, type, ir.aOf(a), constantBig(ir, bigOf(ir, ir.bOf(a)) + value));
  return ir.add(Op.Add, type, a, constantBig(ir, value));
}

function shiftConstant(ir: FunctionIr, op: Op, type: MachineType, a: number, count: number): number | undefined {
  if (count === 0) return a;
  if (ir.op[a] === op && ir.type[a] === type && ir.op[ir.bOf(a)] === Op.Const && op !== Op.ShrS) {
    const limit = type === MachineType.i64 ? 64 : 32;
    const total = (ir.immOf(ir.bOf(a)) & (limit - 1)) + count;
    if (total < limit) return ir.add(op, type, ir.aOf(a), constant32(ir, total));
  }
  return undefined;
}

/** Multiplication by 0, 1, -1 and powers of two. */
function multiply(ir: FunctionIr, type: MachineType, a: number, b: number): number | undefined {
  const low = ir.immOf(b);
  const high = type === MachineType.i64 ? ir.imm2Of(b) : low >> 31;
  if (low === 0 && (type === MachineType.i32 || high === 0)) return b;
  if (low === 1 && (type === MachineType.i32 || high === 0)) return a;
  if (low === -1 && high === -1) return ir.add(Op.Sub, type, ir.constant(type, 0, 0), a);
  const power = powerOfTwo(low, type === MachineType.i64 ? ir.imm2Of(b) : 0);
  return power > 0 ? ir.add(Op.Shl, type, a, constant32(ir, power)) : undefined;
}

/** The exponent when the constant is a power of two, else -1. */
export function powerOfTwo(low: number, high: number): number {
  if (high === 0 && low !== 0 && (low & (low - 1)) === 0) return 31 - Math.clz32(low);
  if (low === 0 && high !== 0 && (high & (high - 1)) === 0) return 63 - Math.clz32(high);
  return -1;
}

function compareConstants(condition: number, a: bigint, b: bigint): boolean {
  const unsignedA = BigInt.asUintN(64, a);
  const unsignedB = BigInt.asUintN(64, b);
  switch (condition) {
    case Condition.equal:
      return a === b;
    case Condition.notEqual:
      return a !== b;
    case Condition.less:
      return a < b;
    case Condition.lessEqual:
      return a <= b;
    case Condition.greater:
      return a > b;
    case Condition.greaterEqual:
      return a >= b;
    case Condition.below:
      return unsignedA < unsignedB;
    case Condition.belowEqual:
      return unsignedA <= unsignedB;
    case Condition.above:
      return unsignedA > unsignedB;
    default:
      return unsignedA >= unsignedB;
  }
}

/** Integer comparison; `wide` 1 for i64 operands. */
export function compare(ir: FunctionIr, condition: number, wide: number, left: number, right: number): number {
  const leftConstant = ir.op[left] === Op.Const;
  const rightConstant = ir.op[right] === Op.Const;
  if (leftConstant && rightConstant) {
    const a = wide ? bigOf(ir, left) : BigInt(ir.immOf(left));
    const b = wide ? bigOf(ir, right) : BigInt(ir.immOf(right));
    return constant32(ir, compareConstants(condition, a, b) ? 1 : 0);
  }
  if (leftConstant) return compare(ir, swappedConditions[condition] ?? condition, wide, right, left);
  if (
    rightConstant &&
    ir.immOf(right) === 0 &&
    ir.imm2Of(right) === 0 &&
    (condition === Condition.equal || condition === Condition.notEqual)
  ) {
    const truth = testOfTruth(ir, condition, left);
    if (truth !== undefined) return truth;
    const remainder = ir.maskedRemainders.get(left);
    if (remainder !== undefined) {
      const type = wide ? MachineType.i64 : MachineType.i32;
      const mask = wide ? constantBig(ir, remainder.mask) : constant32(ir, Number(BigInt.asIntN(32, remainder.mask)));
      return compare(ir, condition, wide, binary(ir, Op.And, type, remainder.dividend, mask), right);
    }
  }
  return ir.add(Op.Compare, MachineType.i32, left, right, 0, condition, wide);
}

/** `comparison == 0` is the opposite comparison, `comparison != 0` the comparison. Floats have no opposite (NaN). */
function testOfTruth(ir: FunctionIr, condition: number, value: number): number | undefined {
  const op = ir.op[value];
  if (op !== Op.Compare && op !== Op.FloatCompare) return undefined;
  if (condition === Condition.notEqual) return value;
  if (op === Op.FloatCompare) return undefined;
  return ir.add(Op.Compare, MachineType.i32, ir.aOf(value), ir.bOf(value), 0, ir.immOf(value) ^ 1, ir.imm2Of(value));
}

/** A condition without the tests against zero around it. */
export function truthOf(ir: FunctionIr, condition: number): { readonly value: number; readonly negated: boolean } {
  let value = condition;
  let negated = false;
  while (ir.op[value] === Op.Compare && ir.imm2[value] === 0) {
    const right = ir.bOf(value);
    const kind = ir.immOf(value);
    if (ir.op[right] !== Op.Const || ir.imm[right] !== 0 || (kind !== Condition.equal && kind !== Condition.notEqual))
      break;
    const inner = ir.opOf(ir.aOf(value));
    if (inner !== Op.Compare && inner !== Op.FloatCompare) break;
    if (kind === Condition.equal) negated = !negated;
    value = ir.aOf(value);
  }
  return { value, negated };
}

/** i32 -> i64 without sign: the register already holds it. */
export function extendUnsigned(ir: FunctionIr, value: number): number {
  return ir.op[value] === Op.Const ? ir.constant(MachineType.i64, ir.immOf(value), 0) : value;
}

export function signExtend(ir: FunctionIr, type: MachineType, value: number, bits: number): number {
  if (ir.op[value] === Op.Const) {
    const low = (ir.immOf(value) << (32 - bits)) >> (32 - bits);
    return ir.constant(type, low, type === MachineType.i64 ? low >> 31 : 0);
  }
  return ir.add(Op.SignExtend, type, value, 0, 0, bits);
}

export function wrap(ir: FunctionIr, value: number): number {
  if (ir.op[value] === Op.Const) return constant32(ir, ir.immOf(value));
  if (ir.typeOf(value) === MachineType.i32) return value;
  if (ir.op[value] === Op.SignExtend && ir.imm[value] === 32) {
    const source = ir.aOf(value);
    return ir.typeOf(source) === MachineType.i32 ? source : ir.add(Op.Wrap, MachineType.i32, source);
  }
  return ir.add(Op.Wrap, MachineType.i32, value);
}
