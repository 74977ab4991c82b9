// From a trap to its report, and signals that are traps.
import { TrapKind, trapNames } from "../ir/operations.ts";
import type { ReadOnlyPool } from "../emit/read-only-pool.ts";
import { type ModulePlan, SupportOffset } from "../plan.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, rmReg, unary } from "../x64/encodings.ts";
import { type Register, Register as R } from "../x64/registers.ts";
import { ThreadOffset } from "../threads.ts";
import { dieBySignal } from "./raise.ts";
import { Stub } from "./stub.ts";
import { Stub as StubNumber, trapStubCount } from "./table.ts";

const systemWrite = 1;
const systemExitGroup = 231;
const systemSignalReturn = 15;
const messageBytes = 48;

/** Called from the place of the trap: passes (kind, return address, rsp of the frame) to the report in rdi, rsi, rdx. */
export function trapEntry(kind: TrapKind): Stub {
  const s = new Stub();
  s.asm.pop(R.rsi);
  s.move(R.rdx, R.rsp);
  s.set(R.rdi, kind);
  s.asm.jump(FixupKind.stub, StubNumber.trapReport);
  return s;
}

/** Writes `trap: name` to stderr and ends the process with 1; with `resume` to stdout, and goes on with the next invocation. */
export function plainTrapReport(plan: ModulePlan, pool: ReadOnlyPool, resume: boolean): Stub {
  const s = new Stub();
  const messages = pool.records(
    trapNames.slice(0, trapStubCount).map((name) => `trap: ${name}\n`),
    messageBytes,
  );
  s.asm.multiplyImm(1, R.rdi, R.rdi, messageBytes);
  s.asm.setImageAddress(FixupKind.readOnly, messages);
  s.asm.regMem(regRm.lea, 1, R.rsi);
  s.add(R.rsi, R.rdi);
  s.asm.setAddress(R.rsi, -1, 0, 0, false);
  s.asm.regMem(regRm.movzx8, 0, R.rdx);
  s.immediate("add", R.rsi, 1);
  s.set(R.rdi, resume ? 1 : 2);
  s.syscall(systemWrite);
  s.set(R.rdi, 1);
  if (!resume) {
    s.syscall(systemExitGroup);
    return s;
  }
  s.storeData(plan.supportOffset + SupportOffset.trapping, R.rdi);
  s.loadData(R.rsp, plan.supportOffset + SupportOffset.resumeStack);
  s.loadData(R.rax, plan.supportOffset + SupportOffset.resumeAddress);
  s.asm.unaryReg(unary.jmp, 0, R.rax);
  return s;
}

/** Calls `flush` (unless it trapped itself) and `report(kind, pc, frame)`; ends the process with 1. */
export function hostedTrapReport(plan: ModulePlan, flush: number | undefined, report: number): Stub {
  const s = new Stub();
  s.move(R.rbx, R.rdi);
  s.move(R.rbp, R.rsi);
  s.move(R.r12, R.rdx);
  if (flush !== undefined) {
    const again = s.label();
    s.set(R.rax, 1);
    s.asm.setImageAddress(FixupKind.data, plan.supportOffset + SupportOffset.trapping);
    s.asm.regMem(rmReg.xchg, 1, R.rax);
    s.asm.regReg(rmReg.test, 0, R.rax, R.rax);
    s.jumpIf(Condition.notEqual, again);
    s.asm.call(FixupKind.function, flush);
    s.bind(again);
  }
  s.move(R.rax, R.rbx);
  s.move(R.rdi, R.rbp);
  s.move(R.rsi, R.r12);
  s.asm.call(FixupKind.function, report);
  s.set(R.rdi, 1);
  s.syscall(systemExitGroup);
  return s;
}

export function signalReturn(): Stub {
  const s = new Stub();
  s.syscall(systemSignalReturn);
  return s;
}

/** Registers in the ucontext that a handler gets in rdx. */
const Context = { rdi: 104, rsi: 112, rdx: 136, rsp: 160, rip: 168 } as const;
/** Nothing but linear memory and what surrounds it is below this address. */
const linearMemoryEnd = 0x3_0000_0000;
/** How far below the stack limit a fault still counts as stack overflow; frames beyond check the limit themselves. */
const guardBytes = 1 << 20;

/** (signal): ends the process with the status that a shell gives a death by it. */
export function killedHandler(): Stub {
  const s = new Stub();
  s.immediate("add", R.rdi, 128);
  s.syscall(systemExitGroup);
  return s;
}

/** A fault's siginfo has a positive code at this place; of a signal that was sent, it is 0 or negative. */
const signalCode = 8;

/** SIGSEGV and SIGBUS: resumes at the trap report, for a stack overflow on the thread's spare stack. The place counts as a return address, so it is one further. */
export function faultHandler(): Stub {
  const s = new Stub();
  const memory = s.label();
  const resume = s.label();
  const sent = s.label();
  s.asm.setAddress(R.rsi, -1, 0, signalCode, false);
  s.asm.immMem("cmp", 0, 0);
  s.jumpIf(Condition.lessEqual, sent);
  const context = (register: Register, at: number) => s.store(R.rdx, at, register);
  s.load(R.rcx, R.rdx, Context.rsp);
  context(R.rcx, Context.rdx);
  s.load(R.rcx, R.rdx, Context.rip);
  s.immediate("add", R.rcx, 1);
  context(R.rcx, Context.rsi);
  s.load(R.rax, R.rsi, 16);
  s.set(R.r8, 0, linearMemoryEnd / 2 ** 32);
  s.compare(R.rax, R.r8);
  s.jumpIf(Condition.below, memory);
  s.asm.setThreadAddress(ThreadOffset.stackLimit);
  s.asm.regMem(regRm.mov, 1, R.r9);
  s.lea(R.r10, R.r9, 4096);
  s.compare(R.rax, R.r10);
  s.jumpIf(Condition.above, memory);
  s.lea(R.r10, R.r9, -guardBytes);
  s.compare(R.rax, R.r10);
  s.jumpIf(Condition.below, memory);
  s.asm.setThreadAddress(ThreadOffset.spareStackTop);
  s.asm.regMem(regRm.mov, 1, R.rcx);
  context(R.rcx, Context.rsp);
  s.set(R.rcx, TrapKind.stackExhausted);
  s.jump(resume);
  s.bind(memory);
  s.set(R.rcx, TrapKind.memoryBounds);
  s.bind(resume);
  context(R.rcx, Context.rdi);
  s.asm.setImageAddress(FixupKind.stub, StubNumber.trapReport);
  s.asm.regMem(regRm.lea, 1, R.rax);
  context(R.rax, Context.rip);
  s.ret();
  s.bind(sent);
  dieBySignal(s);
  s.ret();
  return s;
}
