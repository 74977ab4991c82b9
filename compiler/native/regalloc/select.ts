// Instruction selection: for each operation, which operands are folded into it, what its operands need (register, memory, a fixed register) and where its
// result appears. The emitter (emit/) relies on exactly these choices.
import type { FunctionIr } from "../ir/function-ir.ts";
import { LoadKind, MachineType, Op, operationCount, operationTraits, rawOffset, Trait } from "../ir/operations.ts";
import { immediateOf } from "../ir/simplify.ts";
import { memoryBase } from "../plan.ts";
import { floatArguments, integerArguments, Register, syscallArguments } from "../x64/registers.ts";
import { UseKind } from "./intervals.ts";
import type { Liveness } from "./liveness.ts";

export type Selector = (liveness: Liveness, value: number, position: number) => void;

/** By operation. */
export const selectors: (Selector | undefined)[] = new Array<Selector | undefined>(operationCount).fill(undefined);

function on(selector: Selector, ...ops: Op[]): void {
  for (const op of ops) selectors[op] = selector;
}

// -- ways of using an operand; `position` is 4i

/** Read at the start of the instruction, from a register or memory. */
function early(l: Liveness, value: number, position: number): void {
  l.use(value, position, UseKind.better, position + 1);
}

function earlyRegister(l: Liveness, value: number, position: number): void {
  l.use(value, position, UseKind.must, position + 1);
}

/** Stays in place while the result is written: never in the register of the result. */
function late(l: Liveness, value: number, position: number): void {
  l.use(value, position + 2, UseKind.better, position + 3);
}

function lateRegister(l: Liveness, value: number, position: number): void {
  l.use(value, position + 2, UseKind.must, position + 3);
}

/** Stays in place while the operands in fixed registers are set up. */
function whileFixed(l: Liveness, value: number, position: number): void {
  l.use(value, position, UseKind.better, position + 2);
}

/** Moved to a fixed register. */
function moved(l: Liveness, value: number, position: number, register: Register): void {
  l.use(value, position, UseKind.none, position + 1);
  if (l.ir.op[value] !== Op.Const && l.selection.hintRegister[value] === -1) l.selection.hintRegister[value] = register;
}

function result(l: Liveness, value: number, position: number): void {
  l.define(value, position + 2, UseKind.must);
}

/** Arrives in a fixed register and is moved away. */
function resultFrom(l: Liveness, value: number, position: number, register: Register): void {
  l.define(value, position + 3, UseKind.none);
  if (l.selection.hintRegister[value] === -1) l.selection.hintRegister[value] = register;
}

function hint(l: Liveness, value: number, from: number): void {
  if (l.ir.op[from] !== Op.Const) l.selection.hintFrom[value] = from;
}

function fix(l: Liveness, position: number, ...registers: Register[]): void {
  for (const register of registers) l.selection.fixed[register]?.push(position);
}

// -- folding

/** Whether `value` can be computed as part of `user` alone. */
function isFoldable(l: Liveness, value: number, user: number): boolean {
  return l.selection.counts[value] === 1 && l.ir.block[value] === l.ir.block[user] && l.selection.folded[value] === 0;
}

function fold(l: Liveness, value: number): void {
  l.selection.folded[value] = 1;
}

/** No barrier stands between a value and its later user (which may be one itself). */
function isUndisturbed(ir: FunctionIr, value: number, user: number): boolean {
  const own = ((operationTraits[ir.opOf(user)] ?? 0) & Trait.barrier) !== 0 ? 1 : 0;
  return (ir.epoch[user] ?? 0) - own === (ir.epoch[value] ?? 0);
}

/** A load of the full width that `user` can take as its memory operand. */
function isFoldableLoad(l: Liveness, value: number, user: number, type: MachineType): boolean {
  const { ir } = l;
  if (
    ir.op[value] !== Op.Load ||
    ir.type[value] !== type ||
    !isFoldable(l, value, user) ||
    !isUndisturbed(ir, value, user)
  )
    return false;
  const bytes = ir.immOf(value) & LoadKind.bytes;
  return bytes === (type === MachineType.i64 || type === MachineType.f64 ? 8 : 4);
}

/** Takes a memory operand or a plain one; `needs` says how a plain one is used. An operand in memory must survive until the result is written. */
function operandOrLoad(
  l: Liveness,
  operand: number,
  user: number,
  position: number,
  type: MachineType,
  needs: typeof early,
  write: boolean,
): void {
  if (isFoldableLoad(l, operand, user, type)) {
    fold(l, operand);
    selectAddress(l, operand, position, write ? lateRegister : earlyRegister);
  } else needs(l, operand, position);
}

/** An operand of which only the low 32 bits are read. */
function stripWrap(l: Liveness, value: number): number {
  let operand = value;
  while (l.ir.op[operand] === Op.Wrap) {
    const source = l.ir.aOf(operand);
    drop(l, operand);
    keep(l, source);
    operand = source;
  }
  return operand;
}

function keep(l: Liveness, value: number): void {
  l.selection.counts[value] = (l.selection.counts[value] ?? 0) + 1;
}

function drop(l: Liveness, value: number): void {
  l.selection.counts[value] = (l.selection.counts[value] ?? 0) - 1;
}

// -- addresses

/**
 * Decides the address form of an access and uses its registers. Without an offset the sum may be taken modulo 2^32, as the address is: linear memory ends before
 * an address plus its base passes 2^32, so an address that wraps meets unmapped memory.
 */
export function selectAddress(l: Liveness, access: number, position: number, needs: typeof early): void {
  const { ir, selection } = l;
  const address = ir.aOf(access);
  const offset = ir.imm2Of(access);
  if (offset === rawOffset) {
    selection.base[access] = address;
    selection.displacement[access] = 0;
    needs(l, address, position);
    return;
  }
  if (ir.op[address] === Op.Const) {
    selection.displacement[access] = (ir.immOf(address) >>> 0) + offset + memoryBase;
    return;
  }
  selection.base[access] = address;
  selection.displacement[access] = offset + memoryBase;
  if (offset === 0) foldSum(l, access, address);
  const base = selection.base[access] ?? -1;
  const index = selection.index[access] ?? -1;
  if (base >= 0) needs(l, base, position);
  if (index >= 0) needs(l, index, position);
}

/** Spreads an i32 sum over base, index << scale and displacement of `access`. */
function foldSum(l: Liveness, access: number, sum: number): void {
  const { ir, selection } = l;
  let rest = sum;
  if (
    ir.op[rest] === Op.Add &&
    ir.type[rest] === MachineType.i32 &&
    ir.op[ir.bOf(rest)] === Op.Const &&
    isFoldable(l, rest, access)
  ) {
    selection.displacement[access] = ((selection.displacement[access] ?? 0) + ir.immOf(ir.bOf(rest))) | 0;
    fold(l, rest);
    rest = ir.aOf(rest);
    selection.narrow[access] = 1;
  }
  selection.base[access] = rest;
  if (ir.type[rest] === MachineType.i32 && isFoldable(l, rest, access)) {
    if (ir.op[rest] === Op.Add && ir.op[ir.bOf(rest)] !== Op.Const && ir.op[ir.aOf(rest)] !== Op.Const) {
      fold(l, rest);
      splitSum(l, access, rest);
      selection.narrow[access] = 1;
    } else if (shiftOf(l, rest, access) >= 0) {
      takeShift(l, access, rest);
      selection.base[access] = -1;
      selection.narrow[access] = 1;
    }
  }
  const base = selection.base[access] ?? -1;
  const index = selection.index[access] ?? -1;
  if (base >= 0 && (selection.narrow[access] === 1 || ir.op[base] === Op.Wrap)) {
    selection.narrow[access] = 1;
    selection.base[access] = stripWrap(l, base);
  }
  if (index >= 0) selection.index[access] = stripWrap(l, index);
}

/** a + b, either of which may be shifted left by up to 3. */
function splitSum(l: Liveness, target: number, sum: number): void {
  const { ir, selection } = l;
  const a = ir.aOf(sum);
  const b = ir.bOf(sum);
  if (ir.type[b] === ir.type[sum] && shiftOf(l, b, target) >= 0) {
    takeShift(l, target, b);
    selection.base[target] = a;
  } else if (ir.type[a] === ir.type[sum] && shiftOf(l, a, target) >= 0) {
    takeShift(l, target, a);
    selection.base[target] = b;
  } else {
    selection.base[target] = a;
    selection.index[target] = b;
    selection.scale[target] = 0;
  }
}

/** The count of a foldable left shift by 1 to 3, else -1. */
function shiftOf(l: Liveness, value: number, user: number): number {
  const { ir } = l;
  if (ir.op[value] !== Op.Shl || ir.op[ir.bOf(value)] !== Op.Const || !isFoldable(l, value, user)) return -1;
  const count = ir.immOf(ir.bOf(value)) & (ir.type[value] === MachineType.i64 ? 63 : 31);
  return count >= 1 && count <= 3 && ir.op[ir.aOf(value)] !== Op.Const ? count : -1;
}

function takeShift(l: Liveness, target: number, shift: number): void {
  l.selection.scale[target] = shiftOf(l, shift, target);
  l.selection.index[target] = l.ir.aOf(shift);
  fold(l, shift);
}

// -- integers

function stripOperands(l: Liveness, value: number): void {
  if (l.ir.type[value] !== MachineType.i32) return;
  l.ir.a[value] = stripWrap(l, l.ir.aOf(value));
  l.ir.b[value] = stripWrap(l, l.ir.bOf(value));
}

on(
  (l, value, position) => {
    const { ir } = l;
    result(l, value, position);
    stripOperands(l, value);
    if (ir.op[value] === Op.Add && selectScaledSum(l, value, position)) return;
    if (
      ir.op[ir.bOf(value)] !== Op.Const &&
      !isFoldableLoad(l, ir.bOf(value), value, ir.typeOf(value)) &&
      isFoldableLoad(l, ir.aOf(value), value, ir.typeOf(value))
    ) {
      const a = ir.aOf(value);
      ir.a[value] = ir.bOf(value);
      ir.b[value] = a;
    }
    hint(l, value, ir.aOf(value));
    early(l, ir.aOf(value), position);
    operandOrLoad(l, ir.bOf(value), value, position, ir.typeOf(value), early, true);
  },
  Op.Add,
  Op.And,
  Op.Or,
  Op.Xor,
  Op.Mul,
);

/** a + (b << 1..3) as LEA. */
function selectScaledSum(l: Liveness, value: number, position: number): boolean {
  const { ir, selection } = l;
  const a = ir.aOf(value);
  const b = ir.bOf(value);
  const type = ir.typeOf(value);
  const fits = (shift: number, other: number) =>
    ir.type[shift] === type && shiftOf(l, shift, value) >= 0 && ir.op[other] !== Op.Const;
  if (!fits(b, a) && !fits(a, b)) return false;
  splitSum(l, value, value);
  selection.displacement[value] = 0;
  earlyRegister(l, selection.base[value] ?? 0, position);
  earlyRegister(l, selection.index[value] ?? 0, position);
  return true;
}

on((l, value, position) => {
  const { ir } = l;
  result(l, value, position);
  stripOperands(l, value);
  hint(l, value, ir.aOf(value));
  early(l, ir.aOf(value), position);
  operandOrLoad(l, ir.bOf(value), value, position, ir.typeOf(value), early, true);
}, Op.Sub);

on(
  (l, value, position) => {
    const { ir } = l;
    const count = ir.bOf(value);
    if (ir.type[value] === MachineType.i32) ir.a[value] = stripWrap(l, ir.aOf(value));
    hint(l, value, ir.aOf(value));
    result(l, value, position);
    if (ir.op[count] === Op.Const) {
      early(l, ir.aOf(value), position);
      return;
    }
    ir.b[value] = stripWrap(l, count);
    fix(l, position, Register.rcx);
    moved(l, ir.bOf(value), position, Register.rcx);
    whileFixed(l, ir.aOf(value), position);
  },
  Op.Shl,
  Op.ShrS,
  Op.ShrU,
  Op.Rotl,
  Op.Rotr,
);

on(
  (l, value, position) => {
    const { ir } = l;
    const op = ir.opOf(value);
    resultFrom(l, value, position, op === Op.DivS || op === Op.DivU ? Register.rax : Register.rdx);
    fix(l, position, Register.rax, Register.rdx);
    moved(l, ir.aOf(value), position, Register.rax);
    // The check for -1 and zero reads it again when the operands are in place.
    l.use(ir.bOf(value), position, UseKind.must, position + 2);
  },
  Op.DivS,
  Op.DivU,
  Op.RemS,
  Op.RemU,
);

on(
  (l, value, position) => {
    const { ir } = l;
    resultFrom(l, value, position, Register.rdx);
    fix(l, position, Register.rax, Register.rdx);
    moved(l, ir.bOf(value), position, Register.rax);
    whileFixed(l, ir.aOf(value), position);
  },
  Op.MulHighS,
  Op.MulHighU,
);

on(
  (l, value, position) => {
    result(l, value, position);
    if (l.ir.type[value] === MachineType.i32) l.ir.a[value] = stripWrap(l, l.ir.aOf(value));
    operandOrLoad(l, l.ir.aOf(value), value, position, l.ir.typeOf(value), early, false);
  },
  Op.Clz,
  Op.Ctz,
  Op.Popcnt,
);

on((l, value, position) => {
  const { ir } = l;
  result(l, value, position);
  ir.a[value] = stripWrap(l, ir.aOf(value));
  const source = ir.aOf(value);
  if (
    ir.op[source] === Op.Load &&
    isFoldable(l, source, value) &&
    isUndisturbed(ir, source, value) &&
    (ir.immOf(source) & LoadKind.bytes) * 8 === ir.imm[value]
  ) {
    fold(l, source);
    selectAddress(l, source, position, earlyRegister);
    return;
  }
  hint(l, value, source);
  early(l, source, position);
}, Op.SignExtend);

on((l, value, position) => {
  result(l, value, position);
  hint(l, value, l.ir.aOf(value));
  early(l, l.ir.aOf(value), position);
}, Op.Wrap);

// -- comparisons

/** The operands of an integer or float comparison that `user` (itself, a branch or a select) evaluates. */
function selectComparison(l: Liveness, comparison: number, user: number, position: number): void {
  const { ir } = l;
  if (ir.op[comparison] === Op.FloatCompare) {
    selectFloatComparison(l, comparison, user, position);
    return;
  }
  const type = ir.imm2[comparison] === 1 ? MachineType.i64 : MachineType.i32;
  if (type === MachineType.i32) {
    ir.a[comparison] = stripWrap(l, ir.aOf(comparison));
    ir.b[comparison] = stripWrap(l, ir.bOf(comparison));
  }
  const a = ir.aOf(comparison);
  const b = ir.bOf(comparison);
  if (
    ir.op[b] === Op.Const &&
    ir.imm[b] === 0 &&
    ir.imm2[b] === 0 &&
    ir.op[a] === Op.And &&
    ir.type[a] === type &&
    isFoldable(l, a, user)
  ) {
    fold(l, a);
    if (type === MachineType.i32) stripOperands(l, a);
    early(l, ir.aOf(a), position);
    early(l, ir.bOf(a), position);
    return;
  }
  if (isFoldableLoad(l, a, user, type) && (ir.op[b] !== Op.Const || immediateOf(ir, b) !== undefined)) {
    fold(l, a);
    selectAddress(l, a, position, earlyRegister);
    if (ir.op[b] !== Op.Const) earlyRegister(l, b, position);
    return;
  }
  early(l, a, position);
  operandOrLoad(l, b, user, position, type, early, false);
}

/** Less-than forms are evaluated as greater-than with swapped operands: the first one needs a register. */
function selectFloatComparison(l: Liveness, comparison: number, user: number, position: number): void {
  const { ir } = l;
  const type = ir.imm2[comparison] === 1 ? MachineType.f64 : MachineType.f32;
  const condition = ir.immOf(comparison);
  const swapped = condition === 2 || condition === 4;
  const first = swapped ? ir.bOf(comparison) : ir.aOf(comparison);
  const second = swapped ? ir.aOf(comparison) : ir.bOf(comparison);
  earlyRegister(l, first, position);
  operandOrLoad(l, second, user, position, type, early, false);
}

/** A condition: a comparison or a mask folded into its user, or any i32. */
function selectCondition(l: Liveness, condition: number, user: number, position: number): void {
  const { ir } = l;
  const op = ir.op[condition];
  if (op === Op.And && ir.type[condition] === MachineType.i32 && isFoldable(l, condition, user)) {
    fold(l, condition);
    stripOperands(l, condition);
    early(l, ir.aOf(condition), position);
    early(l, ir.bOf(condition), position);
    return;
  }
  if ((op === Op.Compare || op === Op.FloatCompare) && isFoldable(l, condition, user)) {
    fold(l, condition);
    selectComparison(l, condition, user, position);
  } else early(l, condition, position);
}

on(
  (l, value, position) => {
    result(l, value, position);
    selectComparison(l, value, value, position);
  },
  Op.Compare,
  Op.FloatCompare,
);

on((l, value, position) => {
  const { ir } = l;
  result(l, value, position);
  hint(l, value, ir.aOf(value));
  early(l, ir.aOf(value), position);
  early(l, ir.bOf(value), position);
  selectCondition(l, ir.cOf(value), value, position);
}, Op.Select);

// -- floats

on(
  (l, value, position) => {
    const { ir } = l;
    const commutative = ir.op[value] === Op.FAdd || ir.op[value] === Op.FMul;
    result(l, value, position);
    if (
      commutative &&
      (ir.op[ir.aOf(value)] === Op.Const || isFoldableLoad(l, ir.aOf(value), value, ir.typeOf(value)))
    ) {
      const a = ir.aOf(value);
      ir.a[value] = ir.bOf(value);
      ir.b[value] = a;
    }
    hint(l, value, ir.aOf(value));
    early(l, ir.aOf(value), position);
    operandOrLoad(l, ir.bOf(value), value, position, ir.typeOf(value), commutative ? early : late, true);
  },
  Op.FAdd,
  Op.FSub,
  Op.FMul,
  Op.FDiv,
);

on(
  (l, value, position) => {
    result(l, value, position);
    hint(l, value, l.ir.aOf(value));
    early(l, l.ir.aOf(value), position);
    lateRegister(l, l.ir.bOf(value), position);
  },
  Op.FMin,
  Op.FMax,
);

on((l, value, position) => {
  result(l, value, position);
  hint(l, value, l.ir.aOf(value));
  early(l, l.ir.aOf(value), position);
  early(l, l.ir.bOf(value), position);
}, Op.FCopysign);

on(
  (l, value, position) => {
    result(l, value, position);
    hint(l, value, l.ir.aOf(value));
    early(l, l.ir.aOf(value), position);
  },
  Op.FAbs,
  Op.FNeg,
);

on(
  (l, value, position) => {
    const { ir } = l;
    const source =
      ir.op[value] === Op.Demote ? MachineType.f64 : ir.op[value] === Op.Promote ? MachineType.f32 : ir.typeOf(value);
    result(l, value, position);
    operandOrLoad(l, ir.aOf(value), value, position, source, early, false);
  },
  Op.FSqrt,
  Op.FRound,
  Op.Demote,
  Op.Promote,
);

on(
  (l, value, position) => {
    result(l, value, position);
    early(l, l.ir.aOf(value), position);
  },
  Op.Convert,
  Op.Reinterpret,
);

on((l, value, position) => {
  result(l, value, position);
  earlyRegister(l, l.ir.aOf(value), position);
}, Op.Truncate);

// -- memory

on(
  (l, value, position) => {
    result(l, value, position);
    selectAddress(l, value, position, earlyRegister);
  },
  Op.Load,
  Op.AtomicLoad,
);

on(
  (l, value, position) => {
    const { ir } = l;
    const bytes = ir.immOf(value) & LoadKind.bytes;
    if (bytes <= 4) ir.b[value] = stripNarrow(l, ir.bOf(value), bytes);
    selectAddress(l, value, position, earlyRegister);
    earlyRegister(l, ir.bOf(value), position);
  },
  Op.Store,
  Op.AtomicStore,
);

/** What a store of few bytes reads anyway: masks and extensions of the value are dropped. */
function stripNarrow(l: Liveness, value: number, bytes: number): number {
  const { ir } = l;
  let operand = stripWrap(l, value);
  for (;;) {
    const op = ir.op[operand];
    const mask = op === Op.And && ir.op[ir.bOf(operand)] === Op.Const ? ir.immOf(ir.bOf(operand)) : 0;
    const covered = bytes < 4 ? (1 << (bytes * 8)) - 1 : -1;
    const passes =
      (op === Op.And && (mask & covered) === covered) || (op === Op.SignExtend && ir.immOf(operand) >= bytes * 8);
    if (!passes) return operand;
    const source = ir.aOf(operand);
    drop(l, operand);
    keep(l, source);
    operand = stripWrap(l, source);
  }
}

on((l, value, position) => {
  // cmpxchg loops need rax for the old value; xadd and xchg work in the result's register.
  const { ir } = l;
  const operation = ir.immOf(value) >> 8;
  if (operation >= 2 && operation <= 4) {
    resultFrom(l, value, position, Register.rax);
    fix(l, position, Register.rax);
    selectAddress(l, value, position, lateRegister);
    late(l, ir.bOf(value), position);
    return;
  }
  result(l, value, position);
  selectAddress(l, value, position, lateRegister);
  early(l, ir.bOf(value), position);
}, Op.AtomicRmw);

on((l, value, position) => {
  const { ir } = l;
  resultFrom(l, value, position, Register.rax);
  fix(l, position, Register.rax);
  moved(l, ir.bOf(value), position, Register.rax);
  selectAddress(l, value, position, lateRegister);
  lateRegister(l, ir.cOf(value), position);
}, Op.AtomicCompareExchange);

on(() => {}, Op.Fence, Op.Jump, Op.Trap);
on(
  (l, value, position) => result(l, value, position),
  Op.GlobalGet,
  Op.MemorySize,
  Op.TableSize,
  Op.RefFunc,
  Op.SystemValue,
);
on((l, value, position) => earlyRegister(l, l.ir.aOf(value), position), Op.GlobalSet);
on((l, value, position) => {
  result(l, value, position);
  earlyRegister(l, l.ir.aOf(value), position);
}, Op.TableGet);
on((l, value, position) => {
  earlyRegister(l, l.ir.aOf(value), position);
  earlyRegister(l, l.ir.bOf(value), position);
}, Op.TableSet);

// -- calls and the ends of blocks

/** Assigns argument or result registers in order; calls `visit` with the register, or -1 and the word of the outgoing area. */
export class ArgumentPlaces {
  private integers = 0;
  private floats = 0;
  words = 0;

  reset(): void {
    this.integers = 0;
    this.floats = 0;
    this.words = 0;
  }

  /** The register of the next argument, or -1: then it is in word `words - 1`. */
  next(isFloat: boolean): Register {
    const register = isFloat ? floatArguments[this.floats++] : integerArguments[this.integers++];
    if (register !== undefined) return register;
    this.words++;
    return -1;
  }
}

const places = new ArgumentPlaces();

function selectCall(l: Liveness, value: number, position: number): void {
  const { ir, selection } = l;
  const start = ir.aOf(value);
  const count = ir.bOf(value);
  l.selection.calls.push(position);
  places.reset();
  let results = value + 1;
  while (results < ir.count && ir.op[results] === Op.Result && ir.a[results] === value) {
    const register = places.next(ir.isFloat(results));
    if (selection.counts[results] !== 0) resultFrom(l, results, position, register);
    results++;
  }
  selection.outgoingWords = Math.max(selection.outgoingWords, places.words);
  places.reset();
  if (ir.op[value] === Op.CallIndirect) {
    ir.c[value] = stripWrap(l, ir.cOf(value));
    moved(l, ir.cOf(value), position, Register.rcx);
  }
  for (let index = start; index < start + count; index++) {
    const operand = ir.extraAt(index);
    moved(l, operand, position, places.next(ir.isFloat(operand)));
  }
  selection.outgoingWords = Math.max(selection.outgoingWords, places.words);
}

on(selectCall, Op.Call, Op.CallIndirect, Op.CallStub);
// Defined by their call.
on(() => {}, Op.Result, Op.Const);

on((l, value, position) => {
  const { ir } = l;
  l.selection.calls.push(position);
  resultFrom(l, value, position, Register.rax);
  for (let index = 0; index < ir.bOf(value); index++)
    moved(l, ir.extraAt(ir.aOf(value) + index), position, syscallArguments[index] ?? 0);
}, Op.Syscall);

on((l, value, position) => {
  const { ir } = l;
  places.reset();
  for (let index = ir.aOf(value); index < ir.aOf(value) + ir.bOf(value); index++) {
    const operand = ir.extraAt(index);
    moved(l, operand, position, places.next(ir.isFloat(operand)));
  }
}, Op.Return);

on((l, value, position) => selectTree(l, l.ir.aOf(value), value, position, 0), Op.Branch);

const deepestTree = 6;

/** A branch on `and` and `or` of comparisons becomes several jumps. */
function selectTree(l: Liveness, condition: number, user: number, position: number, depth: number): void {
  const { ir } = l;
  if (isJunction(l, condition, user, depth)) {
    fold(l, condition);
    selectTree(l, ir.bOf(condition), user, position, depth + 1);
    selectTree(l, ir.aOf(condition), user, position, depth + 1);
  } else selectCondition(l, condition, user, position);
}

/** `and` or `or` of two truth values that only it uses: comparisons or junctions again, down to a limit. */
function isJunction(l: Liveness, condition: number, user: number, depth: number): boolean {
  const { ir } = l;
  const op = ir.op[condition];
  if (
    (op !== Op.And && op !== Op.Or) ||
    depth >= deepestTree ||
    ir.type[condition] !== MachineType.i32 ||
    !isFoldable(l, condition, user)
  )
    return false;
  return isTruth(l, ir.aOf(condition), user, depth) && isTruth(l, ir.bOf(condition), user, depth);
}

function isTruth(l: Liveness, value: number, user: number, depth: number): boolean {
  const op = l.ir.op[value];
  if (op === Op.Compare || op === Op.FloatCompare) return isFoldable(l, value, user);
  return (op === Op.And || op === Op.Or) && isJunction(l, value, user, depth + 1);
}
on((l, value, position) => {
  // The emitter overwrites the index.
  l.ir.a[value] = stripWrap(l, l.ir.aOf(value));
  fix(l, position, Register.rcx);
  moved(l, l.ir.aOf(value), position, Register.rcx);
}, Op.Switch);

on((l, value) => {
  // All parameters arrive at once, before the first instruction.
  if (l.selection.counts[value] !== 0) l.define(value, 0, UseKind.none);
}, Op.Param);
