// SHA-256 by the processor's own instructions (Intel SDM, SHA extensions). The guest asks whether there are any before it relies on them.
import { memoryBase } from "../plan.ts";
import { Condition, type Encoding, rmReg, sse } from "../x64/encodings.ts";
import { type Register, Register as R } from "../x64/registers.ts";
import { Stub } from "./stub.ts";

/** CPUID leaf 7, EBX. */
const shaBit = 1 << 29;
const extendedFeatures = 7;

/** () -> 1 when the processor has the SHA extensions, else 0. */
export function hasSha256(): Stub {
  const s = new Stub();
  const none = s.label();
  s.asm.push(R.rbx);
  s.set(R.r8, 0);
  s.set(R.rax, 0);
  cpuid(s);
  s.immediate("cmp", R.rax, extendedFeatures);
  s.jumpIf(Condition.below, none);
  s.set(R.rax, extendedFeatures);
  s.set(R.rcx, 0);
  cpuid(s);
  s.asm.testImm(0, R.rbx, shaBit);
  s.jumpIf(Condition.equal, none);
  s.set(R.r8, 1);
  s.bind(none);
  s.move(R.rax, R.r8);
  s.asm.pop(R.rbx);
  s.ret();
  return s;
}

function cpuid(s: Stub): void {
  s.asm.raw(0x0f, 0xa2);
}

/** The first four words of the next four rounds and the constants: the implicit operand of sha256rnds2. */
const message = R.xmm0;
/** The state as the instructions want it: words a, b, e, f and c, d, g, h. */
const abef = R.xmm1;
const cdgh = R.xmm2;
/** Sixteen words of the schedule, in turns. */
const words: readonly Register[] = [R.xmm3, R.xmm4, R.xmm5, R.xmm6];
const spare = R.xmm7;
const byteOrder = R.xmm8;
const abefBefore = R.xmm9;
const cdghBefore = R.xmm10;

/** (state, first block, number of blocks, the 64 constants): takes the blocks into the state. All are addresses in linear memory. */
export function sha256Blocks(): Stub {
  const s = new Stub();
  const again = s.label();
  const done = s.label();
  for (const address of [R.rax, R.rdi, R.rdx]) s.immediate("add", address, memoryBase);
  setByteOrder(s);
  loadState(s);
  s.bind(again);
  s.asm.regReg(rmReg.test, 0, R.rsi, R.rsi);
  s.jumpIf(Condition.equal, done);
  copy(s, abefBefore, abef);
  copy(s, cdghBefore, cdgh);
  for (const [i, word] of words.entries()) {
    load(s, word, R.rdi, i * 16);
    apply(s, sse.pshufb, word, byteOrder);
  }
  for (let group = 0; group < 16; group++) fourRounds(s, group);
  apply(s, sse.paddd, abef, abefBefore);
  apply(s, sse.paddd, cdgh, cdghBefore);
  s.immediate("add", R.rdi, 64);
  s.asm.immReg("sub", 0, R.rsi, 1);
  s.jump(again);
  s.bind(done);
  storeState(s);
  s.ret();
  return s;
}

function fourRounds(s: Stub, group: number): void {
  const at = (i: number) => words[i & 3] ?? spare;
  load(s, message, R.rdx, group * 16);
  apply(s, sse.paddd, message, at(group));
  apply(s, sse.sha256rnds2, cdgh, abef);
  if (group >= 3 && group <= 14) {
    copy(s, spare, at(group));
    apply(s, sse.palignr, spare, at(group - 1), 4);
    apply(s, sse.paddd, at(group + 1), spare);
    apply(s, sse.sha256msg2, at(group + 1), at(group));
  }
  apply(s, sse.pshufd, message, message, 0x0e);
  apply(s, sse.sha256rnds2, abef, cdgh);
  if (group >= 1 && group <= 12) apply(s, sse.sha256msg1, at(group - 1), at(group));
}

/** byteOrder = the shuffle that turns the bytes of each word round. */
function setByteOrder(s: Stub): void {
  s.set(R.r8, 0x0001_0203, 0x0405_0607);
  wide(s, sse.movd, byteOrder, R.r8);
  s.set(R.r8, 0x0809_0a0b, 0x0c0d_0e0f);
  wide(s, sse.pinsr, byteOrder, R.r8);
  s.asm.raw(1);
}

function loadState(s: Stub): void {
  load(s, spare, R.rax, 0);
  load(s, cdgh, R.rax, 16);
  apply(s, sse.pshufd, spare, spare, 0xb1);
  apply(s, sse.pshufd, cdgh, cdgh, 0x1b);
  copy(s, abef, spare);
  apply(s, sse.palignr, abef, cdgh, 8);
  apply(s, sse.pblendw, cdgh, spare, 0xf0);
}

function storeState(s: Stub): void {
  apply(s, sse.pshufd, spare, abef, 0x1b);
  apply(s, sse.pshufd, cdgh, cdgh, 0xb1);
  copy(s, abef, spare);
  apply(s, sse.pblendw, abef, cdgh, 0xf0);
  apply(s, sse.palignr, cdgh, spare, 8);
  store(s, R.rax, 0, abef);
  store(s, R.rax, 16, cdgh);
}

/** target = code(target, source), with an immediate byte where the instruction takes one. */
function apply(s: Stub, code: Encoding, target: Register, source: Register, immediate?: number): void {
  s.asm.regReg(code, 0, target, source);
  if (immediate !== undefined) s.asm.raw(immediate);
}

function wide(s: Stub, code: Encoding, target: Register, source: Register): void {
  s.asm.regReg(code, 1, target, source);
}

function copy(s: Stub, target: Register, source: Register): void {
  apply(s, sse.movdqa, target, source);
}

function load(s: Stub, target: Register, base: Register, displacement: number): void {
  s.asm.setAddress(base, -1, 0, displacement, false);
  s.asm.regMem(sse.movdqu, 0, target);
}

function store(s: Stub, base: Register, displacement: number, source: Register): void {
  s.asm.setAddress(base, -1, 0, displacement, false);
  s.asm.regMem(sse.movdquTo, 0, source);
}
