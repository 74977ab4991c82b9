// Watched signals: SIGINT and SIGTERM set a flag and keep the main thread from blocking.
import { type ModulePlan, SupportOffset } from "../plan.ts";
import { ThreadOffset } from "../threads.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, rmReg } from "../x64/encodings.ts";
import { Register as R } from "../x64/registers.ts";
import { dieBySignal } from "./raise.ts";
import { Stub } from "./stub.ts";
import { Stub as StubNumber } from "./table.ts";

const systemSigaction = 13;
/** SA_SIGINFO | SA_ONSTACK | SA_RESTORER | SA_RESETHAND (a second signal kills); without SA_RESTART, so that calls that block end. */
const handlerFlags = 0x4 | 0x0800_0000 | 0x0400_0000 | 0x8000_0000;
const interrupted = -4;
const contextRip = 168;

/** Where the critical stretch of the interruptible system call lies, from the start of its stub. */
interface CriticalStretch {
  readonly first: number;
  readonly systemCall: number;
  readonly exit: number;
}

/**
 * (number, six arguments) -> result. On the main thread a signal that came before the call, or comes between the check and the call, makes it return -EINTR: the handler
 * moves an instruction pointer within that stretch to the exit. (The technique of musl's cancellation points.) No jump in it may change its length later.
 */
export function interruptibleSyscall(plan: ModulePlan): { readonly stub: Stub; readonly stretch: CriticalStretch } {
  const s = new Stub();
  const { asm } = s;
  const pending = () => asm.setImageAddress(FixupKind.data, plan.supportOffset + SupportOffset.interrupted);
  s.move(R.rcx, R.r10);
  s.move(R.r10, R.r8);
  s.move(R.r8, R.r9);
  s.move(R.r9, R.rcx);
  s.dataAddress(R.rcx, 0);
  asm.setThreadAddress(ThreadOffset.self);
  asm.regMem(rmReg.cmp, 1, R.rcx);
  const mainThread = asm.skipIf(Condition.equal);
  asm.raw(0x0f, 0x05);
  s.ret();
  asm.land(mainThread);
  const first = asm.position;
  pending();
  asm.immMem("cmp", 0, 0);
  const before = asm.skipIf(Condition.notEqual);
  const systemCall = asm.position;
  asm.raw(0x0f, 0x05);
  s.immediate("cmp", R.rax, interrupted);
  const during = asm.skipIf(Condition.equal);
  s.ret();
  asm.land(before);
  const exit = asm.position;
  asm.land(during);
  pending();
  asm.storeImm(4, 0);
  s.set(R.rax, interrupted, -1);
  s.ret();
  return { stub: s, stretch: { first, systemCall, exit } };
}

/** (signal, info, context). The second signal ends the process as if nobody watched. The kernel restores every register afterwards. */
export function terminationHandler(plan: ModulePlan, { first, systemCall, exit }: CriticalStretch): Stub {
  const s = new Stub();
  const { asm } = s;
  const outside = s.label();
  const second = s.label();
  s.loadData(R.rax, plan.supportOffset + SupportOffset.signalFlag);
  asm.setAddress(R.rax, -1, 0, 0, false);
  asm.immMem("cmp", 0, 0);
  s.jumpIf(Condition.notEqual, second);
  asm.setAddress(R.rax, -1, 0, 0, false);
  asm.regMem(rmReg.mov, 0, R.rdi);
  asm.setImageAddress(FixupKind.data, plan.supportOffset + SupportOffset.interrupted);
  asm.storeImm(4, 1);
  s.load(R.r8, R.rdx, contextRip);
  asm.setImageAddress(FixupKind.stub, StubNumber.interruptibleSyscall);
  asm.regMem(regRm.lea, 1, R.r9);
  s.lea(R.r10, R.r9, first);
  s.compare(R.r8, R.r10);
  s.jumpIf(Condition.below, outside);
  s.lea(R.r10, R.r9, systemCall);
  s.compare(R.r8, R.r10);
  s.jumpIf(Condition.above, outside);
  s.lea(R.r10, R.r9, exit);
  s.store(R.rdx, contextRip, R.r10);
  s.bind(outside);
  s.ret();
  s.bind(second);
  dieBySignal(s);
  s.ret();
  return s;
}

/** (address of the flag) -> 0. */
export function watchSignals(plan: ModulePlan): Stub {
  const s = new Stub();
  const { asm } = s;
  s.storeData(plan.supportOffset + SupportOffset.signalFlag, R.rax);
  asm.setAddress(R.rsp, -1, 0, -8, false);
  asm.storeImm(8, 0);
  asm.setImageAddress(FixupKind.stub, StubNumber.signalReturn);
  asm.regMem(regRm.lea, 1, R.rax);
  s.store(R.rsp, -16, R.rax);
  asm.setAddress(R.rsp, -1, 0, -24, false);
  asm.storeImm(8, handlerFlags);
  asm.setImageAddress(FixupKind.stub, StubNumber.terminationHandler);
  asm.regMem(regRm.lea, 1, R.rax);
  s.store(R.rsp, -32, R.rax);
  for (const signal of [2, 15]) {
    s.set(R.rdi, signal);
    s.lea(R.rsi, R.rsp, -32);
    s.set(R.rdx, 0);
    s.set(R.r10, 8);
    s.syscall(systemSigaction);
  }
  s.set(R.rax, 0);
  s.ret();
  return s;
}
