// Threads and child processes: the parts that cannot be written as functions, since both sides return from one call.
import type { ModulePlan } from "../plan.ts";
import { signalStackBytes, spareStackBytes, threadStackBytes, threadGuardBytes, ThreadOffset } from "../threads.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, rmReg } from "../x64/encodings.ts";
import { Register as R } from "../x64/registers.ts";
import { Stub } from "./stub.ts";

const System = {
  mmap: 9,
  mprotect: 10,
  munmap: 11,
  sigprocmask: 14,
  clone: 56,
  exit: 60,
  sigaltstack: 131,
  exitGroup: 231,
} as const;
/** CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS */
const threadFlags = 0xd_0f00;
/** CLONE_VM | CLONE_VFORK | SIGCHLD */
const vforkFlags = 0x4100 | 17;
/** MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK */
const stackMapping = 0x2 | 0x20 | 0x4000 | 0x2_0000;
const Mask = { block: 0, set: 2 } as const;
/** SIGINT and SIGTERM: only the main thread takes them. */
const terminationSignals = (1 << 1) | (1 << 14);
/** The child of a vfork runs this far below its parent's stack pointer. */
const childStackDistance = 4096;
const notImplemented = -38;

/** One mapping for each thread: guard, stack, signal stack, spare stack, thread block. */
function threadLayout(plan: ModulePlan) {
  const signalStack = threadGuardBytes + threadStackBytes;
  const spareStackTop = signalStack + signalStackBytes + spareStackBytes;
  return {
    stackTop: signalStack,
    signalStack,
    spareStackTop,
    block: spareStackTop,
    size: (spareStackTop + plan.threadBytes + 4095) & -4096,
  };
}

/** (argument) -> 0 or a negated errno. The thread calls `entry(argument)` and ends when that returns. */
export function threadStart(plan: ModulePlan, entry: number | undefined): Stub {
  const s = new Stub();
  if (entry === undefined) {
    s.set(R.rax, notImplemented, -1);
    s.ret();
    return s;
  }
  const layout = threadLayout(plan);
  const failed = s.label();
  const child = s.label();
  const done = s.label();
  s.asm.push(R.rbx);
  s.asm.push(R.rbp);
  s.immediate("sub", R.rsp, 16);
  s.move(R.rbx, R.rax);
  s.set(R.rdi, 0);
  s.set(R.rsi, layout.size);
  s.set(R.rdx, 3);
  s.set(R.r10, stackMapping);
  s.set(R.r8, -1, -1);
  s.set(R.r9, 0);
  s.syscall(System.mmap);
  s.asm.regReg(rmReg.test, 1, R.rax, R.rax);
  s.jumpIf(Condition.sign, done);
  s.move(R.rbp, R.rax);
  s.move(R.rdi, R.rbp);
  s.set(R.rsi, threadGuardBytes);
  s.set(R.rdx, 0);
  s.syscall(System.mprotect);
  fillBlock(s, plan, layout);
  // The mask waits in the frame; the child inherits the one with the termination signals blocked.
  s.asm.setAddress(R.rsp, -1, 0, 8, false);
  s.asm.storeImm(8, terminationSignals);
  s.set(R.rdi, Mask.block);
  s.lea(R.rsi, R.rsp, 8);
  s.lea(R.rdx, R.rsp, 0);
  s.set(R.r10, 8);
  s.syscall(System.sigprocmask);
  s.set(R.rdi, threadFlags);
  s.lea(R.rsi, R.rbp, layout.stackTop);
  s.set(R.rdx, 0);
  s.set(R.r10, 0);
  s.lea(R.r8, R.rbp, layout.block);
  s.syscall(System.clone);
  s.asm.regReg(rmReg.test, 1, R.rax, R.rax);
  s.jumpIf(Condition.equal, child);
  s.store(R.rsp, 8, R.rax);
  s.set(R.rdi, Mask.set);
  s.lea(R.rsi, R.rsp, 0);
  s.set(R.rdx, 0);
  s.set(R.r10, 8);
  s.syscall(System.sigprocmask);
  s.load(R.rax, R.rsp, 8);
  s.asm.regReg(rmReg.test, 1, R.rax, R.rax);
  s.jumpIf(Condition.sign, failed);
  s.set(R.rax, 0);
  s.bind(done);
  s.immediate("add", R.rsp, 16);
  s.asm.pop(R.rbp);
  s.asm.pop(R.rbx);
  s.ret();
  s.bind(failed);
  s.move(R.rdi, R.rbp);
  s.set(R.rsi, layout.size);
  s.syscall(System.munmap);
  s.load(R.rax, R.rsp, 8);
  s.jump(done);
  s.bind(child);
  runThread(s, layout, entry);
  return s;
}

type ThreadLayout = ReturnType<typeof threadLayout>;

/** The globals start as the image has them. */
function fillBlock(s: Stub, plan: ModulePlan, layout: ThreadLayout): void {
  s.dataAddress(R.rsi, plan.threadTemplateOffset);
  s.lea(R.rdi, R.rbp, layout.block);
  s.set(R.rcx, plan.threadBytes / 8);
  s.asm.raw(0xf3, 0x48, 0xa5);
  s.lea(R.rax, R.rbp, layout.block);
  s.store(R.rax, ThreadOffset.self, R.rax);
  s.lea(R.rcx, R.rbp, threadGuardBytes);
  s.store(R.rax, ThreadOffset.stackLimit, R.rcx);
  s.lea(R.rcx, R.rbp, layout.spareStackTop);
  s.store(R.rax, ThreadOffset.spareStackTop, R.rcx);
}

/** On the new stack; rbx: argument, rbp: mapping. At the end nothing of the mapping is in use but this code, which needs no stack. */
function runThread(s: Stub, layout: ThreadLayout, entry: number): void {
  s.immediate("sub", R.rsp, 24);
  s.lea(R.rax, R.rbp, layout.signalStack);
  s.store(R.rsp, 0, R.rax);
  s.asm.setAddress(R.rsp, -1, 0, 8, false);
  s.asm.storeImm(8, 0);
  s.asm.setAddress(R.rsp, -1, 0, 16, false);
  s.asm.storeImm(8, signalStackBytes);
  s.lea(R.rdi, R.rsp, 0);
  s.set(R.rsi, 0);
  s.syscall(System.sigaltstack);
  s.asm.regReg(regRm.mov, 0, R.rax, R.rbx);
  s.asm.call(FixupKind.function, entry);
  s.set(R.rax, -1, -1);
  s.store(R.rsp, 0, R.rax);
  s.set(R.rdi, Mask.block);
  s.lea(R.rsi, R.rsp, 0);
  s.set(R.rdx, 0);
  s.set(R.r10, 8);
  s.syscall(System.sigprocmask);
  s.move(R.rdi, R.rbp);
  s.set(R.rsi, layout.size);
  s.syscall(System.munmap);
  s.set(R.rdi, 0);
  s.syscall(System.exit);
}

/** (argument) -> pid or a negated errno. The child calls `entry(argument)`, which does not return. */
export function spawnChild(entry: number | undefined): Stub {
  const s = new Stub();
  if (entry === undefined) {
    s.set(R.rax, notImplemented, -1);
    s.ret();
    return s;
  }
  const child = s.label();
  s.asm.push(R.rbx);
  s.move(R.rbx, R.rax);
  s.set(R.rdi, vforkFlags);
  s.lea(R.rsi, R.rsp, -childStackDistance);
  s.set(R.rdx, 0);
  s.set(R.r10, 0);
  s.set(R.r8, 0);
  s.syscall(System.clone);
  s.asm.regReg(rmReg.test, 1, R.rax, R.rax);
  s.jumpIf(Condition.equal, child);
  s.asm.pop(R.rbx);
  s.ret();
  s.bind(child);
  s.asm.regReg(regRm.mov, 0, R.rax, R.rbx);
  s.asm.call(FixupKind.function, entry);
  s.set(R.rdi, 127);
  s.syscall(System.exitGroup);
  return s;
}
