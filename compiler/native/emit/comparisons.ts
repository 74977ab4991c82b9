// Comparisons and what is made of their flags: a 0 or 1, a conditional move, a branch.
import { FloatCondition, MachineType, Op } from "../ir/operations.ts";
import { immediateOf } from "../ir/simplify.ts";
import { Condition, regRm, rmReg } from "../x64/encodings.ts";
import { type Register, scratchInteger } from "../x64/registers.ts";
import type { Emitter } from "./emitter.ts";
import { isMemory, isRegister } from "./locations.ts";

/** Conditions beyond the processor's: float equality needs two flags, since UCOMIS sets "equal" for unordered operands too. */
export const floatEqual = 16;
export const floatNotEqual = 17;

/** Sets the flags for a condition (a comparison folded into its user, or any value) and returns the condition code that says "true". */
export function emitCondition(e: Emitter, value: number, position: number): Condition {
  const { ir } = e;
  if (e.selection.folded[value] === 1) {
    if (ir.op[value] !== Op.And) return emitComparison(e, value, position);
    emitTest(e, value, 0, position);
    return Condition.notEqual;
  }
  const location = e.where(value, position);
  if (isRegister(location)) e.asm.regReg(rmReg.test, 0, location, location);
  else if (isMemory(location)) {
    e.setMemory(location);
    e.asm.immMem("cmp", 0, 0);
  } else {
    e.asm.moveImm(scratchInteger, ir.immOf(value), 0);
    e.asm.regReg(rmReg.test, 0, scratchInteger, scratchInteger);
  }
  return Condition.notEqual;
}

export function negated(condition: Condition): Condition {
  return condition ^ 1;
}

/** Sets the flags for a comparison and returns its condition code. */
export function emitComparison(e: Emitter, comparison: number, position: number): Condition {
  const { ir } = e;
  if (ir.op[comparison] === Op.FloatCompare) return emitFloatComparison(e, comparison, position);
  const wide = ir.imm2Of(comparison);
  const a = ir.aOf(comparison);
  if (ir.op[a] === Op.And && e.selection.folded[a] === 1) emitTest(e, a, wide, position);
  else emitCompare(e, a, ir.bOf(comparison), wide, position);
  return ir.immOf(comparison);
}

function emitCompare(e: Emitter, a: number, b: number, wide: number, position: number): void {
  const { asm, ir } = e;
  const immediate = immediateOf(ir, b);
  if (e.selection.folded[a] === 1) {
    e.setAccess(a, position);
    if (immediate !== undefined) asm.immMem("cmp", wide, immediate);
    else asm.regMem(rmReg.cmp, wide, e.register(b, position));
    return;
  }
  const left = e.where(a, position);
  if (immediate !== undefined) {
    if (isMemory(left)) {
      e.setMemory(left);
      asm.immMem("cmp", wide, immediate);
      return;
    }
    const register = e.register(a, position);
    if (immediate === 0) asm.regReg(rmReg.test, wide, register, register);
    else asm.immReg("cmp", wide, register, immediate);
    return;
  }
  if (isRegister(left)) {
    e.operate(regRm.cmp, wide, left, b, position);
    return;
  }
  const right = e.selection.folded[b] === 1 ? -1 : e.where(b, position);
  if (isMemory(left) && (isRegister(right) || ir.op[b] === Op.Const)) {
    const register = e.register(b, position);
    e.setMemory(left);
    asm.regMem(rmReg.cmp, wide, register);
    return;
  }
  e.operate(regRm.cmp, wide, e.register(a, position), b, position);
}

function emitTest(e: Emitter, and: number, wide: number, position: number): void {
  const { asm, ir } = e;
  const a = ir.aOf(and);
  const b = ir.bOf(and);
  const low = ir.immOf(b);
  const immediate =
    ir.op[b] !== Op.Const ? undefined : wide === 1 && ir.imm2[b] === 0 && low >= 0 ? low : immediateOf(ir, b);
  if (immediate !== undefined) {
    const register = e.register(a, position);
    // With a small positive mask the upper half does not count.
    asm.testImm(immediate >= 0 ? 0 : wide, register, immediate);
    return;
  }
  const left = e.where(a, position);
  const right = e.where(b, position);
  if (isRegister(left)) {
    testWith(e, left, b, wide, position);
    return;
  }
  if (isRegister(right)) {
    testWith(e, right, a, wide, position);
    return;
  }
  e.move(scratchInteger, left, a);
  if (isMemory(right)) {
    e.setMemory(right);
    asm.regMem(rmReg.test, wide, scratchInteger);
  } else {
    // A wide constant: the memory operand is the other one.
    asm.moveImm(scratchInteger, low, ir.imm2Of(b));
    e.setMemory(left);
    asm.regMem(rmReg.test, wide, scratchInteger);
  }
}

function testWith(e: Emitter, register: Register, other: number, wide: number, position: number): void {
  const location = e.where(other, position);
  if (isMemory(location)) {
    e.setMemory(location);
    e.asm.regMem(rmReg.test, wide, register);
  } else e.asm.regReg(rmReg.test, wide, e.register(other, position), register);
}

/** UCOMIS first, second: "above" and "above or equal" are false for NaN, so less-than forms swap their operands. */
function emitFloatComparison(e: Emitter, comparison: number, position: number): Condition {
  const { ir } = e;
  const condition = ir.immOf(comparison);
  const swapped = condition === FloatCondition.lt || condition === FloatCondition.le;
  const first = swapped ? ir.bOf(comparison) : ir.aOf(comparison);
  const second = swapped ? ir.aOf(comparison) : ir.bOf(comparison);
  e.operate(
    ir.imm2[comparison] === 1 ? regRm.ucomisd : regRm.ucomiss,
    0,
    e.register(first, position),
    second,
    position,
  );
  switch (condition) {
    case FloatCondition.eq:
      return floatEqual;
    case FloatCondition.ne:
      return floatNotEqual;
    case FloatCondition.lt:
    case FloatCondition.gt:
      return Condition.above;
    default:
      return Condition.aboveEqual;
  }
}

/** A comparison as a value. */
export function emitComparisonValue(e: Emitter, value: number, position: number): void {
  const { asm } = e;
  const target = e.result(value);
  const condition = emitComparison(e, value, position);
  if (condition >= floatEqual) {
    const equal = condition === floatEqual;
    asm.setCondition(equal ? Condition.noParity : Condition.parity, scratchInteger);
    asm.setCondition(equal ? Condition.equal : Condition.notEqual, target);
    asm.regReg(equal ? regRm.and : regRm.or, 0, target, scratchInteger);
  } else asm.setCondition(condition, target);
  asm.regReg(regRm.movzx8, 0, target, target, true);
}

/** c ? a : b. */
export function emitSelect(e: Emitter, value: number, position: number): void {
  const { ir } = e;
  const condition = emitCondition(e, ir.cOf(value), position);
  e.keepFlags = true;
  if (ir.isFloat(value)) selectByJump(e, value, position, condition);
  else selectByMove(e, value, position, condition);
  e.keepFlags = false;
}

function selectByMove(e: Emitter, value: number, position: number, condition: Condition): void {
  const { asm, ir } = e;
  const wide = ir.type[value] === MachineType.i64 ? 1 : 0;
  const target = e.result(value);
  let whenTrue = ir.aOf(value);
  let whenFalse = ir.bOf(value);
  let code = condition;
  if (
    e.where(whenTrue, position) === target ||
    (ir.op[whenTrue] === Op.Const && e.where(whenFalse, position) !== target)
  ) {
    [whenTrue, whenFalse] = [whenFalse, whenTrue];
    code = negated(code);
  }
  // Now the false side starts in the target, and only one side at most needs the scratch register.
  e.move(target, e.where(whenFalse, position), whenFalse);
  if (code < floatEqual) {
    e.operate(0x140 | code, wide, target, whenTrue, position);
    return;
  }
  if (code === floatNotEqual) {
    e.operate(0x140 | Condition.notEqual, wide, target, whenTrue, position);
    e.operate(0x140 | Condition.parity, wide, target, whenTrue, position);
    return;
  }
  // Equal and ordered: skip the move otherwise.
  const unequal = asm.skipIf(Condition.notEqual);
  const unordered = asm.skipIf(Condition.parity);
  e.move(target, e.where(whenTrue, position), whenTrue);
  asm.land(unequal);
  asm.land(unordered);
}

function selectByJump(e: Emitter, value: number, position: number, condition: Condition): void {
  const { asm, ir } = e;
  const target = e.result(value);
  let whenTrue = ir.aOf(value);
  let whenFalse = ir.bOf(value);
  let code = condition;
  if (e.where(whenFalse, position) === target) {
    [whenTrue, whenFalse] = [whenFalse, whenTrue];
    code = negated(code);
  }
  // The true side first; jump over the other one when the condition holds.
  e.move(target, e.where(whenTrue, position), whenTrue);
  if (code === floatEqual) {
    const unequal = asm.skipIf(Condition.notEqual);
    const ordered = asm.skipIf(Condition.noParity);
    asm.land(unequal);
    e.move(target, e.where(whenFalse, position), whenFalse);
    asm.land(ordered);
    return;
  }
  const first = asm.skipIf(code === floatNotEqual ? Condition.notEqual : code);
  const second = code === floatNotEqual ? asm.skipIf(Condition.parity) : first;
  e.move(target, e.where(whenFalse, position), whenFalse);
  asm.land(first);
  asm.land(second);
}
