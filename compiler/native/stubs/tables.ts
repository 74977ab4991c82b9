// table.grow, table.fill, table.copy, table.init. Arguments in rax, rdi, rsi, rdx, r8. Table descriptors: address, size (4 bytes), capacity (4 bytes).
import { TrapKind } from "../ir/operations.ts";
import type { ModulePlan } from "../plan.ts";
import { Condition, regRm, rmReg } from "../x64/encodings.ts";
import { type Register, Register as R } from "../x64/registers.ts";
import { trapStub } from "./memory.ts";
import { Stub } from "./stub.ts";

/** target = address of the descriptor whose number is in `number` (destroyed). */
function descriptor(s: Stub, offset: number, target: Register, number: Register): void {
  s.asm.shiftImm("shl", 1, number, 4);
  s.dataAddress(target, offset);
  s.add(target, number);
}

/** Traps when start + length passes the 32-bit limit at [descriptor + 8]. Uses r9, r11. */
function checkSpan(s: Stub, start: Register, length: Register, table: Register): void {
  s.asm.setAddress(table, -1, 0, 8, false);
  s.asm.regMem(regRm.mov, 0, R.r11);
  s.lea(R.r9, start, 0, length);
  s.compare(R.r9, R.r11);
  trapStub(s, TrapKind.tableBounds, Condition.above);
}

/** (value, count, table) -> old size or -1. */
export function tableGrow(plan: ModulePlan): Stub {
  const s = new Stub();
  const fail = s.label();
  descriptor(s, plan.tableDescriptorsOffset, R.r10, R.rsi);
  s.asm.setAddress(R.r10, -1, 0, 8, false);
  s.asm.regMem(regRm.mov, 0, R.rdx);
  s.lea(R.r9, R.rdx, 0, R.rdi);
  s.asm.setAddress(R.r10, -1, 0, 12, false);
  s.asm.regMem(regRm.mov, 0, R.r8);
  s.compare(R.r9, R.r8);
  s.jumpIf(Condition.above, fail);
  s.asm.setAddress(R.r10, -1, 0, 8, false);
  s.asm.regMem(rmReg.mov, 0, R.r9);
  s.move(R.rcx, R.rdi);
  s.load(R.r10, R.r10);
  s.lea(R.rdi, R.r10, 0, R.rdx, 3);
  s.asm.raw(0xf3, 0x48, 0xab);
  s.asm.regReg(regRm.mov, 0, R.rax, R.rdx);
  s.ret();
  s.bind(fail);
  s.set(R.rax, -1);
  s.ret();
  return s;
}

/** (index, value, count, table). */
export function tableFill(plan: ModulePlan): Stub {
  const s = new Stub();
  descriptor(s, plan.tableDescriptorsOffset, R.r10, R.rdx);
  checkSpan(s, R.rax, R.rsi, R.r10);
  s.load(R.r10, R.r10);
  s.lea(R.r10, R.r10, 0, R.rax, 3);
  s.move(R.rax, R.rdi);
  s.move(R.rdi, R.r10);
  s.move(R.rcx, R.rsi);
  s.asm.raw(0xf3, 0x48, 0xab);
  s.ret();
  return s;
}

/** (destination, source, count, destination table, source table). */
export function tableCopy(plan: ModulePlan): Stub {
  const s = new Stub();
  descriptor(s, plan.tableDescriptorsOffset, R.r10, R.r8);
  checkSpan(s, R.rdi, R.rsi, R.r10);
  s.load(R.r10, R.r10);
  s.lea(R.rdi, R.r10, 0, R.rdi, 3);
  descriptor(s, plan.tableDescriptorsOffset, R.r10, R.rdx);
  checkSpan(s, R.rax, R.rsi, R.r10);
  s.load(R.r10, R.r10);
  s.lea(R.rax, R.r10, 0, R.rax, 3);
  copyEntries(s);
  return s;
}

/** (destination, source, count, segment, table). */
export function tableInit(plan: ModulePlan): Stub {
  const s = new Stub();
  descriptor(s, plan.elementSegmentsOffset, R.r10, R.rdx);
  checkSpan(s, R.rdi, R.rsi, R.r10);
  s.load(R.r10, R.r10);
  s.lea(R.rdi, R.r10, 0, R.rdi, 3);
  descriptor(s, plan.tableDescriptorsOffset, R.r10, R.r8);
  checkSpan(s, R.rax, R.rsi, R.r10);
  s.load(R.r10, R.r10);
  s.lea(R.rax, R.r10, 0, R.rax, 3);
  copyEntries(s);
  return s;
}

/** Moves rsi entries of 8 bytes from rdi to rax, which may overlap. */
function copyEntries(s: Stub): void {
  const backward = s.label();
  s.move(R.rcx, R.rsi);
  s.move(R.rsi, R.rdi);
  s.move(R.rdi, R.rax);
  s.compare(R.rdi, R.rsi);
  s.jumpIf(Condition.above, backward);
  s.asm.raw(0xf3, 0x48, 0xa5);
  s.ret();
  s.bind(backward);
  s.lea(R.rsi, R.rsi, -8, R.rcx, 3);
  s.lea(R.rdi, R.rdi, -8, R.rcx, 3);
  // std; rep movsq; cld
  s.asm.raw(0xfd, 0xf3, 0x48, 0xa5, 0xfc);
  s.ret();
}
