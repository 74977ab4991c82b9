// Registers and our own calling convention.
//
// General registers are 0..15 by their encoding, XMM registers 16..31.
// rsp is the stack; r11 and xmm15 are scratch for the emitter (large constants, memory-to-memory moves) and never allocated.
// Arguments and results use the same sequences; what does not fit goes to the outgoing area at the caller's [rsp], arguments and results each from its start.
// rbx, rbp, r12-r15 are preserved by calls, everything else is not. FS addresses the thread block (globals, stack limit).

export const Register = {
  rax: 0,
  rcx: 1,
  rdx: 2,
  rbx: 3,
  rsp: 4,
  rbp: 5,
  rsi: 6,
  rdi: 7,
  r8: 8,
  r9: 9,
  r10: 10,
  r11: 11,
  r12: 12,
  r13: 13,
  r14: 14,
  r15: 15,
  xmm0: 16,
  xmm1: 17,
  xmm2: 18,
  xmm3: 19,
  xmm4: 20,
  xmm5: 21,
  xmm6: 22,
  xmm7: 23,
  xmm8: 24,
  xmm9: 25,
  xmm10: 26,
  xmm11: 27,
  xmm12: 28,
  xmm13: 29,
  xmm14: 30,
  xmm15: 31,
} as const;
export type Register = number;

export const scratchInteger: Register = Register.r11;
export const scratchFloat: Register = Register.xmm15;

/** Integer arguments, and integer results, in this order. rcx carries the table index of an indirect call. */
export const integerArguments: readonly Register[] = [
  Register.rax,
  Register.rdi,
  Register.rsi,
  Register.rdx,
  Register.r8,
  Register.r9,
  Register.r10,
];

/** Float arguments, and float results, in this order. */
export const floatArguments: readonly Register[] = [
  Register.xmm0,
  Register.xmm1,
  Register.xmm2,
  Register.xmm3,
  Register.xmm4,
  Register.xmm5,
  Register.xmm6,
  Register.xmm7,
];

/** In the order in which the allocator prefers them. */
export const callerSavedIntegers: readonly Register[] = [
  Register.rax,
  Register.rdi,
  Register.rsi,
  Register.rdx,
  Register.r8,
  Register.r9,
  Register.r10,
  Register.rcx,
];
export const calleeSavedIntegers: readonly Register[] = [
  Register.rbx,
  Register.rbp,
  Register.r12,
  Register.r13,
  Register.r14,
  Register.r15,
];

export const allocatableFloats: readonly Register[] = Array.from({ length: 15 }, (_, index) => Register.xmm0 + index);

export const calleeSavedMask: number = maskOf(calleeSavedIntegers);

/** Number, then the six arguments of a system call. */
export const syscallArguments: readonly Register[] = [
  Register.rax,
  Register.rdi,
  Register.rsi,
  Register.rdx,
  Register.r10,
  Register.r8,
  Register.r9,
];

export function maskOf(registers: readonly Register[]): number {
  let mask = 0;
  for (const register of registers) mask |= 1 << register;
  return mask;
}
