// Linear memory, globals, tables, atomics.
import { AtomicOperation, LoadKind, MachineType, Op, TrapKind, rawOffset } from "../ir/operations.ts";
import { memoryBase } from "../plan.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, rmReg, unary } from "../x64/encodings.ts";
import { type Register, Register as R, scratchInteger } from "../x64/registers.ts";
import type { Emitter } from "./emitter.ts";
import type { OperationEmitter } from "./emitters.ts";

export const memoryEmitters = new Map<Op, OperationEmitter>([
  [Op.Load, emitLoad],
  [Op.Store, emitStore],
  [
    Op.AtomicLoad,
    (e, value, position) => {
      checkAlignment(e, value, position);
      emitLoad(e, value, position);
    },
  ],
  [
    Op.AtomicStore,
    (e, value, position) => {
      checkAlignment(e, value, position);
      emitStore(e, value, position);
      emitFence(e);
    },
  ],
  [Op.AtomicRmw, emitAtomicRmw],
  [Op.AtomicCompareExchange, emitCompareExchange],
  [Op.Fence, emitFence],
  [Op.GlobalGet, emitGlobalGet],
  [Op.GlobalSet, emitGlobalSet],
  [
    Op.MemorySize,
    (e, value) => {
      e.asm.setImageAddress(FixupKind.data, e.plan.memoryPagesOffset);
      e.asm.regMem(regRm.mov, 0, e.result(value));
    },
  ],
  [Op.TableGet, emitTableGet],
  [Op.TableSet, emitTableSet],
  [Op.TableSize, emitTableSize],
  [
    Op.RefFunc,
    (e, value) => {
      e.asm.setImageAddress(FixupKind.readOnly, e.pool.functionReference(e.ir.immOf(value)));
      e.asm.regMem(regRm.mov, 1, e.result(value));
    },
  ],
]);

function emitLoad(e: Emitter, value: number, position: number): void {
  e.setAccess(value, position);
  e.loadMemory(e.result(value), e.ir.immOf(value), e.ir.typeOf(value));
}

function emitStore(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const bytes = ir.immOf(value) & LoadKind.bytes;
  const operand = ir.bOf(value);
  if (ir.op[operand] === Op.Const) {
    const low = ir.immOf(operand);
    if (bytes < 8 || ir.imm2[operand] === low >> 31) {
      e.setAccess(value, position);
      asm.storeImm(bytes, low);
      return;
    }
    asm.moveImm(scratchInteger, low, ir.imm2Of(operand));
    e.setAccess(value, position);
    asm.regMem(rmReg.mov, 1, scratchInteger);
    return;
  }
  const register = e.register(operand, position);
  e.setAccess(value, position);
  storeRegister(e, register, bytes);
}

function storeRegister(e: Emitter, register: Register, bytes: number): void {
  const { asm } = e;
  if (register >= 16) asm.regMem(bytes === 4 ? rmReg.movss : rmReg.movsd, 0, register);
  else if (bytes === 1) asm.regMem(rmReg.mov8, 0, register, true);
  else if (bytes === 2) asm.regMem(operandSize16 | rmReg.mov, 0, register);
  else asm.regMem(rmReg.mov, bytes === 8 ? 1 : 0, register);
}

/** The operand-size prefix, as an encoding's mandatory prefix. */
const operandSize16 = 0x66 << 16;

// -- atomics

/** Atomic accesses trap on an address that their size does not divide. */
function checkAlignment(e: Emitter, value: number, position: number): void {
  const { asm, ir, selection } = e;
  const bytes = ir.immOf(value) & LoadKind.bytes;
  if (bytes === 1) return;
  const base = selection.base[value] ?? -1;
  const offset = ir.imm2Of(value);
  if (
    base >= 0 &&
    (selection.index[value] ?? -1) < 0 &&
    (offset === rawOffset || (offset & (bytes - 1)) === 0) &&
    selection.displacement[value] === offset + memoryBase
  ) {
    asm.testImm(0, e.register(base, position), bytes - 1);
  } else {
    e.setAccess(value, position);
    asm.regMem(regRm.lea, 0, scratchInteger);
    asm.testImm(0, scratchInteger, bytes - 1);
  }
  asm.jumpIf(Condition.notEqual, FixupKind.block, e.trapLabel(TrapKind.unalignedAtomic));
}

/** `lock or dword [rsp], 0`: orders as MFENCE does, in half the time. */
function emitFence(e: Emitter): void {
  e.asm.raw(0xf0, 0x83, 0x0c, 0x24, 0x00);
}

/** `lock op mem, reg` for 1, 2, 4 or 8 bytes; `narrow` is the encoding of the byte form. */
function locked(
  e: Emitter,
  value: number,
  position: number,
  code: number,
  narrow: number,
  register: Register,
  bytes: number,
): void {
  const { asm } = e;
  asm.raw(0xf0);
  e.setAccess(value, position);
  if (bytes === 1) asm.regMem(narrow, 0, register, true);
  else if (bytes === 2) asm.regMem(operandSize16 | code, 0, register);
  else asm.regMem(code, bytes === 8 ? 1 : 0, register);
}

/** Clears what a narrow access left in the upper part of a register. */
function zeroExtend(e: Emitter, register: Register, bytes: number): void {
  if (bytes === 1) e.asm.regReg(regRm.movzx8, 0, register, register, true);
  else if (bytes === 2) e.asm.regReg(regRm.movzx16, 0, register, register);
  else if (bytes === 4) e.asm.regReg(regRm.mov, 0, register, register);
}

function emitAtomicRmw(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const bytes = ir.immOf(value) & LoadKind.bytes;
  const operation = ir.immOf(value) >> 8;
  checkAlignment(e, value, position);
  if (operation >= AtomicOperation.and && operation <= AtomicOperation.xor) {
    emitAtomicLoop(e, value, position, operation, bytes);
    return;
  }
  const operand = ir.bOf(value);
  const target = e.result(value);
  e.move(target, e.where(operand, position), operand);
  if (operation === AtomicOperation.sub) asm.unaryReg(unary.neg, 1, target);
  if (operation === AtomicOperation.xchg) locked(e, value, position, rmReg.xchg, rmReg.xchg8, target, bytes);
  else locked(e, value, position, rmReg.xadd, rmReg.xadd8, target, bytes);
  zeroExtend(e, target, bytes);
}

/** and, or, xor: no instruction gives the old value back, so a loop of CMPXCHG. */
function emitAtomicLoop(e: Emitter, value: number, position: number, operation: number, bytes: number): void {
  const { asm, ir } = e;
  const code = operation === AtomicOperation.and ? regRm.and : operation === AtomicOperation.or ? regRm.or : regRm.xor;
  const operand = ir.bOf(value);
  e.setAccess(value, position);
  e.loadMemory(R.rax, bytes, MachineType.i64);
  const again = asm.position;
  if (ir.op[operand] === Op.Const) {
    asm.moveImm(scratchInteger, ir.immOf(operand), ir.imm2Of(operand));
    asm.regReg(code, 1, scratchInteger, R.rax);
  } else {
    asm.regReg(regRm.mov, 1, scratchInteger, R.rax);
    e.operate(code, 1, scratchInteger, operand, position);
  }
  locked(e, value, position, rmReg.cmpxchg, rmReg.cmpxchg8, scratchInteger, bytes);
  asm.backIf(Condition.notEqual, again);
  zeroExtend(e, R.rax, bytes);
  e.move(e.whereDefined(value), R.rax, value);
}

/** Of a narrow access only the low bytes of the expected value count. */
function emitCompareExchange(e: Emitter, value: number, position: number): void {
  const { ir } = e;
  const bytes = ir.immOf(value) & LoadKind.bytes;
  checkAlignment(e, value, position);
  e.move(R.rax, e.where(ir.bOf(value), position), ir.bOf(value));
  const replacement = e.register(ir.cOf(value), position);
  locked(e, value, position, rmReg.cmpxchg, rmReg.cmpxchg8, replacement, bytes);
  zeroExtend(e, R.rax, bytes);
  e.move(e.whereDefined(value), R.rax, value);
}

// -- globals and tables

function globalOf(e: Emitter, value: number): { readonly offset: number; readonly type: MachineType } {
  const global = e.plan.globals[e.ir.immOf(value)];
  if (global === undefined) throw new Error("unknown global");
  return global;
}

function emitGlobalGet(e: Emitter, value: number): void {
  const { offset, type } = globalOf(e, value);
  const target = e.result(value);
  e.asm.setThreadAddress(offset);
  if (target >= 16) e.asm.regMem(type === MachineType.f32 ? regRm.movss : regRm.movsd, 0, target);
  else e.asm.regMem(regRm.mov, type === MachineType.i64 ? 1 : 0, target);
}

function emitGlobalSet(e: Emitter, value: number, position: number): void {
  const { offset, type } = globalOf(e, value);
  const operand = e.ir.aOf(value);
  const { asm, ir } = e;
  if (
    ir.op[operand] === Op.Const &&
    (type === MachineType.i32 || type === MachineType.f32 || ir.imm2[operand] === ir.immOf(operand) >> 31)
  ) {
    asm.setThreadAddress(offset);
    asm.storeImm(type === MachineType.i32 || type === MachineType.f32 ? 4 : 8, ir.immOf(operand));
    return;
  }
  const register = e.register(operand, position);
  asm.setThreadAddress(offset);
  if (register >= 16) asm.regMem(type === MachineType.f32 ? rmReg.movss : rmReg.movsd, 0, register);
  else asm.regMem(rmReg.mov, type === MachineType.i64 ? 1 : 0, register);
}

function tableOf(e: Emitter, value: number) {
  const table = e.plan.tables[e.ir.immOf(value)];
  if (table === undefined) throw new Error("unknown table");
  return table;
}

/** Checks the index and makes the entry the memory operand. A constant index is in r11 with its table: see `entryAt`. */
function checkIndex(e: Emitter, value: number, position: number): Register {
  const { asm, ir } = e;
  const table = tableOf(e, value);
  const index = e.register(ir.aOf(value), position);
  if (table.fixedSize !== undefined) asm.immReg("cmp", 0, index, table.fixedSize);
  else {
    asm.setImageAddress(FixupKind.data, table.sizeOffset);
    asm.regMem(regRm.cmp, 0, index);
  }
  asm.jumpIf(Condition.aboveEqual, FixupKind.block, e.trapLabel(TrapKind.tableBounds));
  return index;
}

/** Makes the entry the memory operand of the next instruction. */
function setEntry(e: Emitter, value: number, index: Register): void {
  const { asm, ir } = e;
  const table = tableOf(e, value);
  if (index === scratchInteger) {
    asm.setImageAddress(FixupKind.data, table.offset + 8 * (ir.immOf(ir.aOf(value)) >>> 0));
    return;
  }
  asm.setImageAddress(FixupKind.data, table.offset);
  asm.regMem(regRm.lea, 1, scratchInteger);
  asm.setAddress(scratchInteger, index, 3, 0, false);
}

function emitTableGet(e: Emitter, value: number, position: number): void {
  const index = checkIndex(e, value, position);
  setEntry(e, value, index);
  e.asm.regMem(regRm.mov, 1, e.result(value));
}

function emitTableSet(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const operand = ir.bOf(value);
  const index = checkIndex(e, value, position);
  if (ir.op[operand] === Op.Const) {
    // The only constant reference is null.
    setEntry(e, value, index);
    asm.storeImm(8, 0);
    return;
  }
  const register = e.register(operand, position);
  setEntry(e, value, index);
  asm.regMem(rmReg.mov, 1, register);
}

function emitTableSize(e: Emitter, value: number): void {
  const table = tableOf(e, value);
  const target = e.result(value);
  if (table.fixedSize !== undefined) {
    e.asm.moveImm(target, table.fixedSize, 0);
    return;
  }
  e.asm.setImageAddress(FixupKind.data, table.sizeOffset);
  e.asm.regMem(regRm.mov, 0, target);
}
