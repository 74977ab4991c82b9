// Float arithmetic in SSE2 and SSE4.1.
import { MachineType, Op } from "../ir/operations.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm } from "../x64/encodings.ts";
import { type Register, scratchFloat } from "../x64/registers.ts";
import type { Emitter } from "./emitter.ts";
import type { OperationEmitter } from "./emitters.ts";
import { isRegister } from "./locations.ts";

export const floatEmitters = new Map<Op, OperationEmitter>([
  [Op.FAdd, (e, value, position) => emitArithmetic(e, value, position, regRm.addss, regRm.addsd)],
  [Op.FSub, (e, value, position) => emitArithmetic(e, value, position, regRm.subss, regRm.subsd)],
  [Op.FMul, (e, value, position) => emitArithmetic(e, value, position, regRm.mulss, regRm.mulsd)],
  [Op.FDiv, (e, value, position) => emitArithmetic(e, value, position, regRm.divss, regRm.divsd)],
  [Op.FMin, emitMinimum],
  [Op.FMax, emitMinimum],
  [Op.FCopysign, emitCopysign],
  [Op.FAbs, (e, value, position) => emitMasked(e, value, position, regRm.andps, false)],
  [Op.FNeg, (e, value, position) => emitMasked(e, value, position, regRm.xorps, true)],
  [Op.FSqrt, (e, value, position) => emitUnary(e, value, position, regRm.sqrtss, regRm.sqrtsd)],
  [Op.FRound, emitRound],
  [Op.Demote, (e, value, position) => emitUnary(e, value, position, regRm.cvtsd2ss, regRm.cvtsd2ss)],
  [Op.Promote, (e, value, position) => emitUnary(e, value, position, regRm.cvtss2sd, regRm.cvtss2sd)],
]);

function isDouble(e: Emitter, value: number): boolean {
  return e.ir.type[value] === MachineType.f64;
}

function bring(e: Emitter, target: Register, operand: number, position: number): void {
  e.move(target, e.where(operand, position), operand);
}

function emitArithmetic(e: Emitter, value: number, position: number, single: number, double: number): void {
  const { ir } = e;
  const target = e.result(value);
  let a = ir.aOf(value);
  let b = ir.bOf(value);
  // Only the commutative ones may find their second operand in the target (see select.ts).
  const second = e.selection.folded[b] === 1 ? -1 : e.where(b, position);
  if (second === target && e.where(a, position) !== target) {
    a = b;
    b = ir.aOf(value);
  }
  bring(e, target, a, position);
  e.operate(isDouble(e, value) ? double : single, 0, target, b, position);
}

/** The target is cleared first: these instructions keep its upper part and would wait for it. */
function emitUnary(e: Emitter, value: number, position: number, single: number, double: number): void {
  const target = e.result(value);
  breakDependency(e, value, position);
  e.operate(isDouble(e, value) ? double : single, 0, target, e.ir.aOf(value), position);
}

function breakDependency(e: Emitter, value: number, position: number): void {
  const target = e.result(value);
  const source = e.ir.aOf(value);
  if (e.selection.folded[source] !== 1 && e.where(source, position) === target) return;
  e.asm.regReg(regRm.xorps, 0, target, target);
}

function emitRound(e: Emitter, value: number, position: number): void {
  breakDependency(e, value, position);
  const { asm, ir } = e;
  const code = isDouble(e, value) ? regRm.roundsd : regRm.roundss;
  const source = ir.aOf(value);
  const location = e.selection.folded[source] === 1 ? -1 : e.where(source, position);
  if (location >= 0 && isRegister(location)) asm.regReg(code, 0, e.result(value), location);
  else {
    if (e.selection.folded[source] === 1) e.setAccess(source, position);
    else if (ir.op[source] === Op.Const) e.setFloatConstant(source);
    else e.setMemory(location);
    asm.regMem(code, 0, e.result(value), false, 1);
  }
  // Bit 3: no precision exception.
  asm.raw(ir.immOf(value) | 8);
}

function emitMasked(e: Emitter, value: number, position: number, code: number, sign: boolean): void {
  const target = e.result(value);
  bring(e, target, e.ir.aOf(value), position);
  setMask(e, isDouble(e, value), sign);
  e.asm.regMem(code, 0, target);
}

function setMask(e: Emitter, double: boolean, sign: boolean): void {
  const { pool } = e;
  const offset = sign
    ? double
      ? pool.signMask64
      : pool.signMask32
    : double
      ? pool.absoluteMask64
      : pool.absoluteMask32;
  e.asm.setImageAddress(FixupKind.readOnly, offset);
}

function emitCopysign(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const double = isDouble(e, value);
  bring(e, scratchFloat, ir.bOf(value), position);
  setMask(e, double, true);
  asm.regMem(regRm.andps, 0, scratchFloat);
  bring(e, target, ir.aOf(value), position);
  setMask(e, double, false);
  asm.regMem(regRm.andps, 0, target);
  asm.regReg(regRm.orps, 0, target, scratchFloat);
}

/** MINSD and MAXSD neither order zeros by sign nor pass NaN on from both sides: those cases go by other ways. */
function emitMinimum(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const double = isDouble(e, value);
  const minimum = ir.op[value] === Op.FMin;
  bring(e, target, ir.aOf(value), position);
  const other = e.register(ir.bOf(value), position);
  asm.regReg(double ? regRm.ucomisd : regRm.ucomiss, 0, target, other);
  const different = asm.skipIf(Condition.notEqual);
  const unordered = asm.skipIf(Condition.parity);
  asm.regReg(minimum ? regRm.orps : regRm.andps, 0, target, other);
  const equalDone = asm.skip();
  asm.land(unordered);
  asm.regReg(double ? regRm.addsd : regRm.addss, 0, target, other);
  const unorderedDone = asm.skip();
  asm.land(different);
  const [single32, double64] = minimum ? [regRm.minss, regRm.minsd] : [regRm.maxss, regRm.maxsd];
  asm.regReg(double ? double64 : single32, 0, target, other);
  asm.land(equalDone);
  asm.land(unorderedDone);
}
