// Integer arithmetic.
import { MachineType, Op, TrapKind } from "../ir/operations.ts";
import { immediateOf } from "../ir/simplify.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, type ShiftGroup, unary } from "../x64/encodings.ts";
import { type Register, Register as R, scratchInteger } from "../x64/registers.ts";
import type { Emitter } from "./emitter.ts";
import type { OperationEmitter } from "./emitters.ts";
import { isRegister } from "./locations.ts";

export const integerEmitters = new Map<Op, OperationEmitter>([
  [Op.Add, emitAdd],
  [Op.Sub, emitSub],
  [Op.Mul, emitMul],
  [Op.And, emitAnd],
  [Op.Or, (e, value, position) => emitCommutative(e, value, position, "or")],
  [Op.Xor, (e, value, position) => emitCommutative(e, value, position, "xor")],
  [Op.Shl, (e, value, position) => emitShift(e, value, position, "shl")],
  [Op.ShrS, (e, value, position) => emitShift(e, value, position, "sar")],
  [Op.ShrU, (e, value, position) => emitShift(e, value, position, "shr")],
  [Op.Rotl, (e, value, position) => emitShift(e, value, position, "rol")],
  [Op.Rotr, (e, value, position) => emitShift(e, value, position, "ror")],
  [Op.DivS, emitSignedDivision],
  [Op.RemS, emitSignedDivision],
  [Op.DivU, emitUnsignedDivision],
  [Op.RemU, emitUnsignedDivision],
  [Op.MulHighS, (e, value, position) => emitMulHigh(e, value, position, unary.imul)],
  [Op.MulHighU, (e, value, position) => emitMulHigh(e, value, position, unary.mul)],
  [Op.Clz, emitClz],
  [Op.Ctz, emitCtz],
  [
    Op.Popcnt,
    (e, value, position) => e.operate(regRm.popcnt, e.isWide(value), e.result(value), e.ir.aOf(value), position),
  ],
  [Op.SignExtend, emitSignExtend],
  [Op.Wrap, (e, value, position) => e.operate(regRm.mov, 0, e.result(value), e.ir.aOf(value), position)],
]);

/** Puts an operand into the result's register, 32 or 64 bits as the operation has. */
function bring(e: Emitter, target: Register, value: number, operand: number, position: number): void {
  const location = e.where(operand, position);
  if (location === target) return;
  if (isRegister(location)) e.asm.regReg(regRm.mov, e.isWide(value), target, location);
  else e.move(target, location, operand);
}

/** The register of an operand, or -1 when it is elsewhere or folded. */
function registerOf(e: Emitter, operand: number, position: number): Register {
  if (e.selection.folded[operand] === 1) return -1;
  const location = e.where(operand, position);
  return isRegister(location) ? location : -1;
}

function emitAdd(e: Emitter, value: number, position: number): void {
  const { asm, ir, selection } = e;
  const target = e.result(value);
  const wide = e.isWide(value);
  if ((selection.index[value] ?? -1) >= 0) {
    e.setAccess(value, position);
    asm.regMem(regRm.lea, wide, target);
    return;
  }
  const a = ir.aOf(value);
  const b = ir.bOf(value);
  const left = registerOf(e, a, position);
  const immediate = immediateOf(ir, b);
  if (immediate !== undefined) {
    if (left >= 0 && left !== target) {
      asm.setAddress(left, -1, 0, immediate, false);
      asm.regMem(regRm.lea, wide, target);
      return;
    }
    bring(e, target, value, a, position);
    asm.immReg("add", wide, target, immediate);
    return;
  }
  const right = registerOf(e, b, position);
  if (left >= 0 && right >= 0 && left !== target && right !== target) {
    asm.setAddress(left, right, 0, 0, false);
    asm.regMem(regRm.lea, wide, target);
    return;
  }
  emitCommutative(e, value, position, "add");
}

/** target = a op b for an operation that may swap its operands. */
function emitCommutative(e: Emitter, value: number, position: number, group: "add" | "and" | "or" | "xor"): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const wide = e.isWide(value);
  let a = ir.aOf(value);
  let b = ir.bOf(value);
  const immediate = immediateOf(ir, b);
  if (immediate !== undefined) {
    bring(e, target, value, a, position);
    asm.immReg(group, wide, target, immediate);
    return;
  }
  if (registerOf(e, b, position) === target && registerOf(e, a, position) !== target) {
    a = b;
    b = ir.aOf(value);
  }
  bring(e, target, value, a, position);
  e.operate(regRm[group], wide, target, b, position);
}

function emitAnd(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const b = ir.bOf(value);
  const low = ir.op[b] === Op.Const ? ir.immOf(b) : 0;
  const high = ir.imm2Of(b);
  const narrowed = ir.op[b] === Op.Const && (ir.type[value] === MachineType.i32 || high === 0);
  if (narrowed && (low === 0xff || low === 0xffff)) {
    const code = low === 0xff ? regRm.movzx8 : regRm.movzx16;
    const location = e.where(ir.aOf(value), position);
    if (isRegister(location)) asm.regReg(code, 0, target, location, low === 0xff);
    else {
      e.setMemory(location);
      asm.regMem(code, 0, target);
    }
    return;
  }
  if (narrowed && ir.type[value] === MachineType.i64) {
    // A mask without upper half: a 32-bit operation clears the rest.
    e.operate(regRm.mov, 0, target, ir.aOf(value), position);
    if (low !== -1) asm.immReg("and", 0, target, low);
    return;
  }
  emitCommutative(e, value, position, "and");
}

function emitSub(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const wide = e.isWide(value);
  const a = ir.aOf(value);
  const b = ir.bOf(value);
  const immediate = immediateOf(ir, b);
  if (immediate !== undefined) {
    bring(e, target, value, a, position);
    asm.immReg("sub", wide, target, immediate);
    return;
  }
  const left = e.where(a, position);
  if (registerOf(e, b, position) === target && left !== target) {
    asm.unaryReg(unary.neg, wide, target);
    const zero = ir.op[a] === Op.Const && ir.imm[a] === 0 && ir.imm2[a] === 0;
    if (zero) return;
    const constant = immediateOf(ir, a);
    if (constant !== undefined) asm.immReg("add", wide, target, constant);
    else e.operate(regRm.add, wide, target, a, position);
    return;
  }
  bring(e, target, value, a, position);
  e.operate(regRm.sub, wide, target, b, position);
}

function emitMul(e: Emitter, value: number, position: number): void {
  const { ir } = e;
  const target = e.result(value);
  const wide = e.isWide(value);
  let a = ir.aOf(value);
  let b = ir.bOf(value);
  const immediate = immediateOf(ir, b);
  if (immediate !== undefined) {
    emitMulImmediate(e, value, position, immediate);
    return;
  }
  if (registerOf(e, b, position) === target && registerOf(e, a, position) !== target) {
    a = b;
    b = ir.aOf(value);
  }
  bring(e, target, value, a, position);
  e.operate(regRm.imul, wide, target, b, position);
}

/** Small factors are LEA's: 3, 5 and 9. */
function emitMulImmediate(e: Emitter, value: number, position: number, factor: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const wide = e.isWide(value);
  const a = ir.aOf(value);
  const scale = factor === 3 ? 1 : factor === 5 ? 2 : factor === 9 ? 3 : 0;
  const source = registerOf(e, a, position);
  if (scale > 0 && source >= 0) {
    asm.setAddress(source, source, scale, 0, false);
    asm.regMem(regRm.lea, wide, target);
  } else if (source >= 0) asm.multiplyImm(wide, target, source, factor);
  else {
    bring(e, target, value, a, position);
    asm.multiplyImm(wide, target, target, factor);
  }
}

function emitShift(e: Emitter, value: number, position: number, group: ShiftGroup): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const wide = e.isWide(value);
  const count = ir.bOf(value);
  if (ir.op[count] === Op.Const) {
    const amount = ir.immOf(count) & (wide ? 63 : 31);
    const source = registerOf(e, ir.aOf(value), position);
    if (group === "shl" && amount === 1 && source >= 0 && source !== target) {
      asm.setAddress(source, source, 0, 0, false);
      asm.regMem(regRm.lea, wide, target);
      return;
    }
    bring(e, target, value, ir.aOf(value), position);
    if (amount !== 0) asm.shiftImm(group, wide, target, amount);
    else if (wide === 0) asm.regReg(regRm.mov, 0, target, target);
    return;
  }
  e.move(R.rcx, e.where(count, position), count);
  bring(e, target, value, ir.aOf(value), position);
  asm.shiftCl(group, wide, target);
  // A 32-bit shift by zero leaves the register as it is: the upper half is clean already.
}

/** rdx:rax / b. Division by zero and the quotient that does not fit trap. Division by -1 goes without the instruction, which faults for the least number. */
function emitSignedDivision(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const wide = e.isWide(value);
  const b = ir.bOf(value);
  const remainder = ir.op[value] === Op.RemS;
  const divisor = divisorRegister(e, value, position);
  if (ir.op[b] !== Op.Const) {
    asm.regReg(0x85, wide, divisor, divisor);
    asm.jumpIf(Condition.equal, FixupKind.block, e.trapLabel(TrapKind.divideByZero));
  } else if (ir.imm[b] === 0 && ir.imm2[b] === 0) {
    e.trap(TrapKind.divideByZero);
    return;
  }
  const done = e.newLabel();
  const byMinusOne = e.coldPath(() => {
    if (remainder) asm.regReg(regRm.xor, 0, R.rdx, R.rdx);
    else {
      asm.unaryReg(unary.neg, wide, R.rax);
      asm.jumpIf(Condition.overflow, FixupKind.block, e.trapLabel(TrapKind.integerOverflow));
    }
    asm.jump(FixupKind.block, done);
  });
  asm.immReg("cmp", wide, divisor, -1);
  asm.jumpIf(Condition.equal, FixupKind.block, byMinusOne);
  if (wide) asm.raw(0x48, 0x99);
  else asm.raw(0x99);
  asm.unaryReg(unary.idiv, wide, divisor);
  e.bind(done);
  e.move(e.whereDefined(value), remainder ? R.rdx : R.rax, value);
}

/** Sets up rax and returns the register of the divisor (r11 for a constant). */
function divisorRegister(e: Emitter, value: number, position: number): Register {
  const { ir } = e;
  e.move(R.rax, e.where(ir.aOf(value), position), ir.aOf(value));
  return e.register(ir.bOf(value), position);
}

function emitUnsignedDivision(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const wide = e.isWide(value);
  const divisor = divisorRegister(e, value, position);
  if (ir.op[ir.bOf(value)] !== Op.Const) {
    asm.regReg(0x85, wide, divisor, divisor);
    asm.jumpIf(Condition.equal, FixupKind.block, e.trapLabel(TrapKind.divideByZero));
  } else if (ir.imm[ir.bOf(value)] === 0 && ir.imm2[ir.bOf(value)] === 0) {
    e.trap(TrapKind.divideByZero);
    return;
  }
  asm.regReg(regRm.xor, 0, R.rdx, R.rdx);
  asm.unaryReg(unary.div, wide, divisor);
  e.move(e.whereDefined(value), ir.op[value] === Op.RemU ? R.rdx : R.rax, value);
}

function emitMulHigh(e: Emitter, value: number, position: number, operation: (typeof unary)["mul" | "imul"]): void {
  const { asm, ir } = e;
  const a = ir.aOf(value);
  e.move(R.rax, e.where(ir.bOf(value), position), ir.bOf(value));
  const location = e.where(a, position);
  if (isRegister(location)) asm.unaryReg(operation, 1, location);
  else asm.unaryReg(operation, 1, e.register(a, position));
  e.move(e.whereDefined(value), R.rdx, value);
}

/** BSR leaves its target undefined for zero: the result for zero is put in by CMOV. */
function emitClz(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const wide = e.isWide(value);
  e.operate(regRm.bsr, wide, target, ir.aOf(value), position);
  asm.moveImm(scratchInteger, wide ? 127 : 63, 0);
  asm.regReg(0x140 | Condition.equal, wide, target, scratchInteger);
  asm.immReg("xor", wide, target, wide ? 63 : 31);
}

function emitCtz(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const wide = e.isWide(value);
  e.operate(regRm.bsf, wide, target, ir.aOf(value), position);
  asm.moveImm(scratchInteger, wide ? 64 : 32, 0);
  asm.regReg(0x140 | Condition.equal, wide, target, scratchInteger);
}

function emitSignExtend(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const bits = ir.immOf(value);
  const source = ir.aOf(value);
  const wide = e.isWide(value);
  const code = bits === 8 ? regRm.movsx8 : bits === 16 ? regRm.movsx16 : regRm.movsxd;
  if (e.selection.folded[source] === 1) e.setAccess(source, position);
  else {
    const location = e.where(source, position);
    if (isRegister(location)) {
      asm.regReg(code, wide, target, location, bits === 8);
      return;
    }
    e.setMemory(location);
  }
  asm.regMem(code, wide, target);
}
