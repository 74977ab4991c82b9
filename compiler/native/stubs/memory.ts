// memory.grow, memory.copy, memory.fill, memory.init, data.drop. Arguments as our convention has them: rax, rdi, rsi, rdx. None of these touches the stack.
import { TrapKind } from "../ir/operations.ts";
import { memoryBase, type ModulePlan } from "../plan.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, rmReg } from "../x64/encodings.ts";
import { type Register, Register as R } from "../x64/registers.ts";
import { Stub } from "./stub.ts";
import { Stub as StubNumber } from "./table.ts";

const mapFixedAnonymousPrivate = 0x10 | 0x20 | 0x02;
const readWrite = 3;
const systemMmap = 9;

/** Copies and fills from this length on use the string instructions. */
const stringThreshold = 1024;

export function trapStub(stub: Stub, kind: TrapKind, condition: Condition): void {
  stub.asm.jumpIf(condition, FixupKind.stub, StubNumber.traps + kind);
}

/** (pages) -> old size or -1. The new pages are mapped where the address space is kept free for them, so memory never moves. */
export function memoryGrow(plan: ModulePlan): Stub {
  const s = new Stub();
  const { memory } = plan;
  const fail = s.label();
  const again = s.label();
  const done = s.label();
  s.move(R.r8, R.rax);
  s.bind(again);
  s.asm.setImageAddress(FixupKind.data, plan.memoryPagesOffset);
  s.asm.regMem(regRm.mov, 0, R.rax);
  s.asm.regReg(regRm.mov, 0, R.r9, R.rax);
  s.add(R.r9, R.r8);
  s.immediate("cmp", R.r9, memory?.maximum ?? 0);
  s.jumpIf(Condition.above, fail);
  s.asm.regReg(rmReg.test, 0, R.r8, R.r8);
  s.jumpIf(Condition.equal, done);
  s.asm.raw(0xf0);
  s.asm.setImageAddress(FixupKind.data, plan.memoryPagesOffset);
  s.asm.regMem(rmReg.cmpxchg, 0, R.r9);
  s.jumpIf(Condition.notEqual, again);
  // mmap(base + old, pages, ...); the old size waits in the red zone.
  s.store(R.rsp, -8, R.rax);
  s.store(R.rsp, -16, R.r8);
  s.move(R.rdi, R.rax);
  s.asm.shiftImm("shl", 1, R.rdi, 16);
  s.immediate("add", R.rdi, memoryBase);
  s.move(R.rsi, R.r8);
  s.asm.shiftImm("shl", 1, R.rsi, 16);
  s.set(R.rdx, readWrite);
  s.set(R.r10, mapFixedAnonymousPrivate);
  s.set(R.r8, -1, -1);
  s.set(R.r9, 0);
  s.syscall(systemMmap);
  s.asm.regReg(rmReg.test, 1, R.rax, R.rax);
  s.load(R.rax, R.rsp, -8);
  const failedMap = s.label();
  s.jumpIf(Condition.sign, failedMap);
  s.bind(done);
  s.ret();
  // The size goes back, unless another thread has grown memory meanwhile.
  s.bind(failedMap);
  s.load(R.r8, R.rsp, -16);
  s.asm.unaryReg([0xf7, 3], 0, R.r8);
  s.asm.raw(0xf0);
  s.asm.setImageAddress(FixupKind.data, plan.memoryPagesOffset);
  s.asm.regMem(rmReg.add, 0, R.r8);
  s.bind(fail);
  s.set(R.rax, -1);
  s.ret();
  return s;
}

/** target = size of memory in bytes. */
function memoryBytes(s: Stub, plan: ModulePlan, target: Register): void {
  s.asm.setImageAddress(FixupKind.data, plan.memoryPagesOffset);
  s.asm.regMem(regRm.mov, 0, target);
  s.asm.shiftImm("shl", 1, target, 16);
}

/** Traps when start + length passes the limit; all are u32 in 64-bit registers. Uses r9. */
function checkSpan(s: Stub, start: Register, length: Register, limit: Register, kind: TrapKind): void {
  s.lea(R.r9, start, 0, length);
  s.compare(R.r9, limit);
  trapStub(s, kind, Condition.above);
}

/** (destination, source, length). */
export function memoryCopy(plan: ModulePlan): Stub {
  const s = new Stub();
  memoryBytes(s, plan, R.r8);
  checkSpan(s, R.rax, R.rsi, R.r8, TrapKind.memoryBounds);
  checkSpan(s, R.rdi, R.rsi, R.r8, TrapKind.memoryBounds);
  s.immediate("add", R.rax, memoryBase);
  s.immediate("add", R.rdi, memoryBase);
  emitCopy(s);
  return s;
}

/** (destination, source, length, segment). */
export function memoryInit(plan: ModulePlan): Stub {
  const s = new Stub();
  s.asm.shiftImm("shl", 1, R.rdx, 4);
  s.dataAddress(R.r10, plan.dataSegmentsOffset);
  s.add(R.r10, R.rdx);
  s.load(R.r8, R.r10, 8);
  checkSpan(s, R.rdi, R.rsi, R.r8, TrapKind.memoryBounds);
  memoryBytes(s, plan, R.r8);
  checkSpan(s, R.rax, R.rsi, R.r8, TrapKind.memoryBounds);
  s.immediate("add", R.rax, memoryBase);
  s.operate(regRm.add, R.rdi, R.r10);
  emitCopy(s);
  return s;
}

/** (segment), for data and element segments: nothing is left of it. */
export function dropSegment(offset: number): Stub {
  const s = new Stub();
  s.asm.shiftImm("shl", 1, R.rax, 4);
  s.dataAddress(R.r10, offset);
  s.asm.setAddress(R.r10, R.rax, 0, 8, false);
  s.asm.storeImm(8, 0);
  s.ret();
  return s;
}

function loadVector(s: Stub, target: Register, base: Register, displacement: number, index = -1): void {
  s.asm.setAddress(base, index, 0, displacement, false);
  s.asm.regMem(regRm.movups, 0, target);
}

function storeVector(s: Stub, base: Register, displacement: number, source: Register, index = -1): void {
  s.asm.setAddress(base, index, 0, displacement, false);
  s.asm.regMem(rmReg.movups, 0, source);
}

/** memmove(rax, rdi, rsi): real addresses and a length. Small sizes by overlapping moves from both ends, all loads before all stores. */
export function emitCopy(s: Stub): void {
  const large = s.label();
  const upTo16 = s.label();
  const upTo7 = s.label();
  const upTo3 = s.label();
  const upTo32 = s.label();
  const end = s.label();
  s.immediate("cmp", R.rsi, 16);
  s.jumpIf(Condition.below, upTo16);
  s.immediate("cmp", R.rsi, 32);
  s.jumpIf(Condition.belowEqual, upTo32);
  s.immediate("cmp", R.rsi, 64);
  s.jumpIf(Condition.above, large);
  loadVector(s, R.xmm0, R.rdi, 0);
  loadVector(s, R.xmm1, R.rdi, 16);
  loadVector(s, R.xmm2, R.rdi, -32, R.rsi);
  loadVector(s, R.xmm3, R.rdi, -16, R.rsi);
  storeVector(s, R.rax, 0, R.xmm0);
  storeVector(s, R.rax, 16, R.xmm1);
  storeVector(s, R.rax, -32, R.xmm2, R.rsi);
  storeVector(s, R.rax, -16, R.xmm3, R.rsi);
  s.ret();
  s.bind(upTo32);
  loadVector(s, R.xmm0, R.rdi, 0);
  loadVector(s, R.xmm1, R.rdi, -16, R.rsi);
  storeVector(s, R.rax, 0, R.xmm0);
  storeVector(s, R.rax, -16, R.xmm1, R.rsi);
  s.ret();
  s.bind(upTo16);
  s.immediate("cmp", R.rsi, 8);
  s.jumpIf(Condition.below, upTo7);
  s.load(R.rcx, R.rdi);
  s.load(R.rdx, R.rdi, -8, R.rsi);
  s.store(R.rax, 0, R.rcx);
  s.asm.setAddress(R.rax, R.rsi, 0, -8, false);
  s.asm.regMem(rmReg.mov, 1, R.rdx);
  s.ret();
  s.bind(upTo7);
  s.immediate("cmp", R.rsi, 4);
  s.jumpIf(Condition.below, upTo3);
  s.asm.setAddress(R.rdi, -1, 0, 0, false);
  s.asm.regMem(regRm.mov, 0, R.rcx);
  s.asm.setAddress(R.rdi, R.rsi, 0, -4, false);
  s.asm.regMem(regRm.mov, 0, R.rdx);
  s.asm.setAddress(R.rax, -1, 0, 0, false);
  s.asm.regMem(rmReg.mov, 0, R.rcx);
  s.asm.setAddress(R.rax, R.rsi, 0, -4, false);
  s.asm.regMem(rmReg.mov, 0, R.rdx);
  s.ret();
  s.bind(upTo3);
  copyUpTo3(s, end);
  s.bind(large);
  copyLarge(s);
  s.bind(end);
  s.ret();
}

/** First, middle and last byte; they coincide for short lengths. */
function copyUpTo3(s: Stub, end: number): void {
  s.asm.regReg(rmReg.test, 0, R.rsi, R.rsi);
  s.jumpIf(Condition.equal, end);
  s.move(R.r8, R.rsi);
  s.asm.shiftImm("shr", 1, R.r8, 1);
  const place = (base: Register, index: Register, displacement: number) =>
    s.asm.setAddress(base, index, 0, displacement, false);
  place(R.rdi, -1, 0);
  s.asm.regMem(regRm.movzx8, 0, R.rcx);
  place(R.rdi, R.r8, 0);
  s.asm.regMem(regRm.movzx8, 0, R.rdx);
  place(R.rdi, R.rsi, -1);
  s.asm.regMem(regRm.movzx8, 0, R.r9);
  place(R.rax, -1, 0);
  s.asm.regMem(rmReg.mov8, 0, R.rcx, true);
  place(R.rax, R.r8, 0);
  s.asm.regMem(rmReg.mov8, 0, R.rdx, true);
  place(R.rax, R.rsi, -1);
  s.asm.regMem(rmReg.mov8, 0, R.r9, true);
  s.ret();
}

/** More than 64 bytes. */
function copyLarge(s: Stub): void {
  const backward = s.label();
  const string = s.label();
  s.move(R.rcx, R.rax);
  s.asm.regReg(regRm.sub, 1, R.rcx, R.rdi);
  s.compare(R.rcx, R.rsi);
  s.jumpIf(Condition.below, backward);
  s.immediate("cmp", R.rsi, stringThreshold);
  s.jumpIf(Condition.aboveEqual, string);
  const forward = s.label();
  s.bind(forward);
  copyBlocks(s, true);
  s.bind(string);
  // A destination just below the source makes the string instruction crawl.
  s.move(R.rcx, R.rdi);
  s.asm.regReg(regRm.sub, 1, R.rcx, R.rax);
  s.immediate("cmp", R.rcx, 64);
  s.jumpIf(Condition.below, forward);
  s.move(R.rcx, R.rsi);
  s.move(R.rsi, R.rdi);
  s.move(R.rdi, R.rax);
  s.asm.raw(0xf3, 0xa4);
  s.ret();
  s.bind(backward);
  copyBlocks(s, false);
}

/** 32 bytes a round from one end; the last 32 bytes of the way are loaded before anything is overwritten. */
function copyBlocks(s: Stub, forward: boolean): void {
  const loop = s.label();
  const tail = forward ? R.rsi : -1;
  const displacement = forward ? -32 : 0;
  loadVector(s, R.xmm2, R.rdi, displacement, tail);
  loadVector(s, R.xmm3, R.rdi, displacement + 16, tail);
  // The place of the tail, kept in r8.
  s.lea(R.r8, R.rax, displacement, tail);
  if (!forward) {
    s.add(R.rax, R.rsi);
    s.add(R.rdi, R.rsi);
  }
  s.bind(loop);
  const at = forward ? 0 : -32;
  loadVector(s, R.xmm0, R.rdi, at);
  loadVector(s, R.xmm1, R.rdi, at + 16);
  storeVector(s, R.rax, at, R.xmm0);
  storeVector(s, R.rax, at + 16, R.xmm1);
  s.immediate("add", R.rdi, forward ? 32 : -32);
  s.immediate("add", R.rax, forward ? 32 : -32);
  s.immediate("sub", R.rsi, 32);
  s.immediate("cmp", R.rsi, 32);
  s.jumpIf(Condition.above, loop);
  storeVector(s, R.r8, 0, R.xmm2);
  storeVector(s, R.r8, 16, R.xmm3);
  s.ret();
}

/** (destination, value, length). */
export function memoryFill(plan: ModulePlan): Stub {
  const s = new Stub();
  memoryBytes(s, plan, R.r8);
  checkSpan(s, R.rax, R.rsi, R.r8, TrapKind.memoryBounds);
  s.immediate("add", R.rax, memoryBase);
  // The byte eight times over.
  s.asm.regReg(regRm.movzx8, 0, R.rcx, R.rdi, true);
  s.set(R.rdx, 0x0101_0101, 0x0101_0101);
  s.asm.regReg(regRm.imul, 1, R.rcx, R.rdx);
  const small = s.label();
  const tiny = s.label();
  const loop = s.label();
  const string = s.label();
  s.immediate("cmp", R.rsi, 16);
  s.jumpIf(Condition.below, small);
  s.immediate("cmp", R.rsi, stringThreshold);
  s.jumpIf(Condition.above, string);
  s.asm.regReg(regRm.movd, 1, R.xmm0, R.rcx);
  // movlhps xmm0, xmm0
  s.asm.regReg(0x116, 0, R.xmm0, R.xmm0);
  s.lea(R.r8, R.rax, -16, R.rsi);
  s.bind(loop);
  storeVector(s, R.rax, 0, R.xmm0);
  s.immediate("add", R.rax, 16);
  s.compare(R.rax, R.r8);
  s.jumpIf(Condition.below, loop);
  storeVector(s, R.r8, 0, R.xmm0);
  s.ret();
  s.bind(string);
  s.move(R.rdi, R.rax);
  s.move(R.rax, R.rcx);
  s.move(R.rcx, R.rsi);
  s.asm.raw(0xf3, 0xaa);
  s.ret();
  s.bind(small);
  s.immediate("cmp", R.rsi, 8);
  s.jumpIf(Condition.below, tiny);
  s.store(R.rax, 0, R.rcx);
  s.asm.setAddress(R.rax, R.rsi, 0, -8, false);
  s.asm.regMem(rmReg.mov, 1, R.rcx);
  s.ret();
  s.bind(tiny);
  fillTiny(s);
  return s;
}

function fillTiny(s: Stub): void {
  const loop = s.label();
  const end = s.label();
  s.bind(loop);
  s.immediate("sub", R.rsi, 1);
  s.jumpIf(Condition.below, end);
  s.asm.setAddress(R.rax, R.rsi, 0, 0, false);
  s.asm.regMem(rmReg.mov8, 0, R.rcx, true);
  s.jump(loop);
  s.bind(end);
  s.ret();
}
