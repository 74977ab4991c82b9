// memory.atomic.wait32, wait64 and notify over futex(2). Addresses come as i64, offset included.
import { TrapKind } from "../ir/operations.ts";
import { memoryBase, type ModulePlan } from "../plan.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, rmReg, unary } from "../x64/encodings.ts";
import { Register as R } from "../x64/registers.ts";
import { trapStub } from "./memory.ts";
import { Stub } from "./stub.ts";
import { Stub as StubNumber } from "./table.ts";

const systemFutex = 202;
const futexWaitPrivate = 128;
const futexWakePrivate = 129;
const errorTimedOut = -110;
const errorAgain = -11;

/** Traps when the access leaves memory or is unaligned; then rax is a real address. Uses r8, r9. */
function checkAddress(s: Stub, plan: ModulePlan, bytes: number): void {
  s.asm.setImageAddress(FixupKind.data, plan.memoryPagesOffset);
  s.asm.regMem(regRm.mov, 0, R.r8);
  s.asm.shiftImm("shl", 1, R.r8, 16);
  s.asm.testImm(0, R.rax, bytes - 1);
  trapStub(s, TrapKind.unalignedAtomic, Condition.notEqual);
  s.lea(R.r9, R.rax, bytes);
  s.compare(R.r9, R.r8);
  trapStub(s, TrapKind.memoryBounds, Condition.above);
  s.immediate("add", R.rax, memoryBase);
}

/** (address, expected, timeout in ns or negative) -> 0 woken, 1 not equal, 2 timed out. Of 8 bytes the kernel watches the low four. */
export function atomicWait(plan: ModulePlan, bytes: 4 | 8): Stub {
  const s = new Stub();
  checkAddress(s, plan, bytes);
  if (plan.memory?.shared !== true) {
    s.asm.jump(FixupKind.stub, StubNumber.traps + TrapKind.notShared);
    return s;
  }
  const unequal = s.label();
  const endless = s.label();
  const timedOut = s.label();
  const wait = s.label();
  s.asm.setAddress(R.rax, -1, 0, 0, false);
  s.asm.regMem(rmReg.cmp, bytes === 8 ? 1 : 0, R.rdi);
  s.jumpIf(Condition.notEqual, unequal);
  s.move(R.r8, R.rax);
  s.asm.regReg(regRm.mov, 0, R.r9, R.rdi);
  s.set(R.r10, 0);
  s.asm.regReg(rmReg.test, 1, R.rsi, R.rsi);
  s.jumpIf(Condition.sign, endless);
  // struct timespec in the red zone.
  s.move(R.rax, R.rsi);
  s.asm.regReg(regRm.xor, 0, R.rdx, R.rdx);
  s.set(R.rcx, 1_000_000_000);
  s.asm.unaryReg(unary.div, 1, R.rcx);
  s.store(R.rsp, -16, R.rax);
  s.store(R.rsp, -8, R.rdx);
  s.lea(R.r10, R.rsp, -16);
  s.bind(endless);
  s.bind(wait);
  s.move(R.rdi, R.r8);
  s.set(R.rsi, futexWaitPrivate);
  s.move(R.rdx, R.r9);
  s.syscall(systemFutex);
  s.immediate("cmp", R.rax, errorTimedOut);
  s.jumpIf(Condition.equal, timedOut);
  s.immediate("cmp", R.rax, errorAgain);
  s.jumpIf(Condition.equal, unequal);
  s.set(R.rax, 0);
  s.ret();
  s.bind(unequal);
  s.set(R.rax, 1);
  s.ret();
  s.bind(timedOut);
  s.set(R.rax, 2);
  s.ret();
  return s;
}

/** (address, count) -> number of threads woken. */
export function atomicNotify(plan: ModulePlan): Stub {
  const s = new Stub();
  checkAddress(s, plan, 4);
  if (plan.memory?.shared !== true) {
    s.set(R.rax, 0);
    s.ret();
    return s;
  }
  const fits = s.label();
  s.asm.regReg(regRm.mov, 0, R.rdx, R.rdi);
  s.asm.regReg(rmReg.test, 0, R.rdx, R.rdx);
  s.jumpIf(Condition.noSign, fits);
  s.set(R.rdx, 0x7fff_ffff);
  s.bind(fits);
  s.move(R.rdi, R.rax);
  s.set(R.rsi, futexWakePrivate);
  s.syscall(systemFutex);
  s.ret();
  return s;
}
