// Between integers and floats.
import { ConvertFlags, MachineType, Op, TrapKind, TruncateFlags } from "../ir/operations.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, rmReg } from "../x64/encodings.ts";
import { type Register, scratchFloat, scratchInteger } from "../x64/registers.ts";
import type { Emitter } from "./emitter.ts";
import type { OperationEmitter } from "./emitters.ts";
import { isMemory, isRegister } from "./locations.ts";

export const conversionEmitters = new Map<Op, OperationEmitter>([
  [Op.Truncate, emitTruncate],
  [Op.Convert, emitConvert],
  [Op.Reinterpret, emitReinterpret],
]);

interface Truncation {
  readonly double: boolean;
  readonly signed: boolean;
  readonly saturating: boolean;
  readonly wide: boolean;
  readonly source: Register;
  readonly target: Register;
}

function emitTruncate(e: Emitter, value: number, position: number): void {
  const flags = e.ir.immOf(value);
  const truncation: Truncation = {
    double: (flags & TruncateFlags.fromDouble) !== 0,
    signed: (flags & TruncateFlags.signed) !== 0,
    saturating: (flags & TruncateFlags.saturating) !== 0,
    wide: e.ir.type[value] === MachineType.i64,
    source: e.register(e.ir.aOf(value), position),
    target: e.result(value),
  };
  if (truncation.wide && !truncation.signed) truncateToUnsigned64(e, truncation);
  else if (truncation.wide) truncateToSigned64(e, truncation);
  else truncateTo32(e, truncation);
}

function truncateCode(t: Truncation): number {
  return t.double ? regRm.cvttsd2si : regRm.cvttss2si;
}

function compareCode(t: Truncation): number {
  return t.double ? regRm.ucomisd : regRm.ucomiss;
}

/** Converts to 64 bits and sees whether the number fits 32; NaN and what does not fit 64 bits give -2^63, which does not. */
function truncateTo32(e: Emitter, t: Truncation): void {
  const { asm } = e;
  asm.regReg(truncateCode(t), 1, t.target, t.source);
  if (t.signed) asm.regReg(regRm.movsxd, 1, scratchInteger, t.target);
  else asm.regReg(regRm.mov, 0, scratchInteger, t.target);
  asm.regReg(regRm.cmp, 1, scratchInteger, t.target);
  const done = e.newLabel();
  const outside = e.coldPath(() => {
    if (t.saturating) {
      saturate(e, t, t.signed ? [0x8000_0000 | 0, 0] : [0, 0], t.signed ? [0x7fff_ffff, 0] : [-1, 0]);
      asm.jump(FixupKind.block, done);
    } else trapOutside(e, t);
  });
  asm.jumpIf(Condition.notEqual, FixupKind.block, outside);
  // The upper half goes, the sign's copies with it.
  asm.regReg(regRm.mov, 0, t.target, t.target);
  e.bind(done);
}

/** -2^63 is both the sign of failure and a possible result. */
function truncateToSigned64(e: Emitter, t: Truncation): void {
  const { asm } = e;
  asm.regReg(truncateCode(t), 1, t.target, t.source);
  asm.immReg("cmp", 1, t.target, 1);
  const done = e.newLabel();
  const suspicious = e.coldPath(() => {
    if (t.saturating) {
      saturate(e, t, [0, 0x8000_0000 | 0], [-1, 0x7fff_ffff]);
      asm.jump(FixupKind.block, done);
      return;
    }
    asm.setImageAddress(FixupKind.readOnly, t.double ? e.pool.double(-(2 ** 63)) : e.pool.float(-(2 ** 63)));
    asm.regMem(compareCode(t), 0, t.source);
    asm.jumpIf(Condition.parity, FixupKind.block, e.trapLabel(TrapKind.invalidConversion));
    asm.jumpIf(Condition.equal, FixupKind.block, done);
    asm.jump(FixupKind.block, e.trapLabel(TrapKind.integerOverflow));
  });
  asm.jumpIf(Condition.overflow, FixupKind.block, suspicious);
  e.bind(done);
}

/** Numbers from 2^63 on are converted less 2^63. */
function truncateToUnsigned64(e: Emitter, t: Truncation): void {
  const { asm } = e;
  asm.regReg(truncateCode(t), 1, t.target, t.source);
  asm.regReg(rmReg.test, 1, t.target, t.target);
  const done = e.newLabel();
  const large = e.coldPath(() => {
    asm.regReg(regRm.movaps, 0, scratchFloat, t.source);
    asm.setImageAddress(FixupKind.readOnly, t.double ? e.pool.double(2 ** 63) : e.pool.float(2 ** 63));
    asm.regMem(t.double ? regRm.subsd : regRm.subss, 0, scratchFloat);
    asm.regReg(truncateCode(t), 1, t.target, scratchFloat);
    asm.regReg(rmReg.test, 1, t.target, t.target);
    const outside = e.coldPath(() => {
      if (t.saturating) {
        saturate(e, t, [0, 0], [-1, -1]);
        asm.jump(FixupKind.block, done);
      } else trapOutside(e, t);
    });
    asm.jumpIf(Condition.sign, FixupKind.block, outside);
    // btc target, 63
    asm.regReg(0x1ba, 1, 7, t.target);
    asm.raw(63);
    asm.jump(FixupKind.block, done);
  });
  asm.jumpIf(Condition.sign, FixupKind.block, large);
  e.bind(done);
}

function trapOutside(e: Emitter, t: Truncation): void {
  const { asm } = e;
  asm.regReg(compareCode(t), 0, t.source, t.source);
  asm.jumpIf(Condition.parity, FixupKind.block, e.trapLabel(TrapKind.invalidConversion));
  asm.jump(FixupKind.block, e.trapLabel(TrapKind.integerOverflow));
}

/** NaN becomes 0, a negative number the least and any other the greatest result (halves of the bits). */
function saturate(
  e: Emitter,
  t: Truncation,
  least: readonly [number, number],
  greatest: readonly [number, number],
): void {
  const { asm } = e;
  asm.moveImm(t.target, 0, 0);
  // The source may be the scratch register (a constant): zero is compared with in memory.
  asm.setImageAddress(FixupKind.readOnly, t.double ? e.pool.double(0) : e.pool.float(0));
  asm.regMem(compareCode(t), 0, t.source);
  const unordered = asm.skipIf(Condition.parity);
  asm.moveImm(t.target, greatest[0], greatest[1]);
  const positive = asm.skipIf(Condition.above);
  asm.moveImm(t.target, least[0], least[1]);
  asm.land(unordered);
  asm.land(positive);
}

function emitConvert(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const flags = ir.immOf(value);
  const target = e.result(value);
  const code = ir.type[value] === MachineType.f64 ? regRm.cvtsi2sd : regRm.cvtsi2ss;
  const fromWide = (flags & ConvertFlags.fromWide) !== 0;
  const signed = (flags & ConvertFlags.signed) !== 0;
  asm.regReg(regRm.xorps, 0, target, target);
  const source = ir.aOf(value);
  if (signed && fromWide) {
    e.operate(code, 1, target, source, position);
    return;
  }
  if (signed) {
    e.operate(code, 0, target, source, position);
    return;
  }
  if (!fromWide) {
    // An i32 without sign is a positive 64-bit number.
    e.operate(code, 1, target, source, position);
    return;
  }
  const register = e.register(source, position);
  asm.regReg(rmReg.test, 1, register, register);
  const done = e.newLabel();
  const large = e.coldPath(() => {
    // Half of it, the lost bit kept for the rounding, then twice the result.
    if (register !== scratchInteger) asm.regReg(regRm.mov, 1, scratchInteger, register);
    asm.shiftImm("shr", 1, scratchInteger, 1);
    const even = asm.skipIf(Condition.aboveEqual);
    asm.immReg("or", 1, scratchInteger, 1);
    asm.land(even);
    asm.regReg(code, 1, target, scratchInteger);
    asm.regReg(ir.type[value] === MachineType.f64 ? regRm.addsd : regRm.addss, 0, target, target);
    asm.jump(FixupKind.block, done);
  });
  asm.jumpIf(Condition.sign, FixupKind.block, large);
  asm.regReg(code, 1, target, register);
  e.bind(done);
}

function emitReinterpret(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const target = e.result(value);
  const source = ir.aOf(value);
  const location = e.where(source, position);
  const wide = ir.type[value] === MachineType.i64 || ir.type[value] === MachineType.f64 ? 1 : 0;
  if (isMemory(location)) {
    e.setMemory(location);
    if (target < 16) asm.regMem(regRm.mov, wide, target);
    else asm.regMem(wide ? regRm.movsd : regRm.movss, 0, target);
    return;
  }
  if (!isRegister(location)) {
    // A constant has its bits at hand.
    if (target < 16) asm.moveImm(target, ir.immOf(source), ir.imm2Of(source));
    else {
      e.setFloatConstant(source);
      asm.regMem(wide ? regRm.movsd : regRm.movss, 0, target);
    }
    return;
  }
  if (target < 16) asm.regReg(rmReg.movd, wide, location, target);
  else asm.regReg(regRm.movd, wide, target, location);
}
