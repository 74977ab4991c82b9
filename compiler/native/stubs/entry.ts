// Where the process starts: stack, thread block, fault handlers, then the module's start function and what the image is for.
import type { FuncType } from "../../wasm/index.ts";
import { ValueType } from "../../wasm/index.ts";
import type { TrapKind } from "../ir/operations.ts";
import { type ModulePlan, SupportOffset } from "../plan.ts";
import { ArgumentPlaces } from "../regalloc/select.ts";
import { mainStackBytes, mainStackTop, signalStackBytes } from "../threads.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, rmReg, unary } from "../x64/encodings.ts";
import { type Register, Register as R } from "../x64/registers.ts";
import { Stub } from "./stub.ts";
import { Stub as StubNumber } from "./table.ts";

const System = { write: 1, mmap: 9, sigaction: 13, sigaltstack: 131, archPrctl: 158, exitGroup: 231 } as const;
const archSetFs = 0x1002;
const Signal = { bus: 7, segmentation: 11, pipe: 13, fileSize: 25 } as const;
/** SA_SIGINFO | SA_ONSTACK | SA_RESTORER */
const handlerFlags = 0x4 | 0x0800_0000 | 0x0400_0000;
/** MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE */
const stackMapping = 0x2 | 0x20 | 0x4000 | 0x2_0000 | 0x10_0000;

/** One call of an exported function, with the bits of its arguments as low and high halves. */
export interface Invocation {
  readonly functionIndex: number;
  readonly type: FuncType;
  readonly args: readonly (readonly [low: number, high: number])[];
}

export interface EntryPlan {
  /** The instantiation fails with this trap. */
  readonly failure: TrapKind | undefined;
  readonly start: number | undefined;
  /** A program's main function; an i32 result is the exit status. */
  readonly main: { readonly functionIndex: number; readonly type: FuncType } | undefined;
  readonly invocations: readonly Invocation[];
  /** A trap in one invocation does not keep the next from being called. */
  readonly resumeAfterTraps: boolean;
  readonly ignoreBrokenPipes: boolean;
  /** Offset in the data segment of the alternate signal stack. */
  readonly signalStackOffset: number;
}

export function entryStub(plan: ModulePlan, entry: EntryPlan): Stub {
  const s = new Stub();
  s.storeData(plan.supportOffset + SupportOffset.initialStack, R.rsp);
  mapStack(s);
  s.set(R.rdi, archSetFs);
  s.dataAddress(R.rsi, 0);
  s.syscall(System.archPrctl);
  installHandlers(s, entry);
  if (entry.failure !== undefined) s.asm.call(FixupKind.stub, StubNumber.traps + entry.failure);
  if (entry.start !== undefined) s.asm.call(FixupKind.function, entry.start);
  for (const invocation of entry.invocations) {
    const next = entry.resumeAfterTraps ? s.label() : -1;
    if (next >= 0) setResume(s, plan, next);
    emitInvocation(s, invocation);
    if (next >= 0) s.bind(next);
  }
  if (entry.main !== undefined) {
    s.asm.call(FixupKind.function, entry.main.functionIndex);
    if (entry.main.type.results.length > 0) s.move(R.rdi, R.rax);
    else s.set(R.rdi, 0);
  } else if (entry.resumeAfterTraps) s.loadData(R.rdi, plan.supportOffset + SupportOffset.trapping);
  else s.set(R.rdi, 0);
  s.syscall(System.exitGroup);
  return s;
}

function mapStack(s: Stub): void {
  const bottom = mainStackTop - mainStackBytes;
  const failed = s.label();
  s.set(R.rdi, bottom | 0, Math.floor(bottom / 2 ** 32));
  s.set(R.rsi, mainStackBytes);
  s.set(R.rdx, 3);
  s.set(R.r10, stackMapping);
  s.set(R.r8, -1, -1);
  s.set(R.r9, 0);
  s.syscall(System.mmap);
  s.compare(R.rax, R.rdi);
  s.jumpIf(Condition.notEqual, failed);
  s.lea(R.rsp, R.rax, mainStackBytes);
  s.bind(failed);
}

function installHandlers(s: Stub, entry: EntryPlan): void {
  // stack_t: address, flags, size.
  s.dataAddress(R.rax, entry.signalStackOffset);
  s.asm.setAddress(R.rsp, -1, 0, -8, false);
  s.asm.storeImm(8, signalStackBytes);
  s.asm.setAddress(R.rsp, -1, 0, -16, false);
  s.asm.storeImm(8, 0);
  s.store(R.rsp, -24, R.rax);
  s.lea(R.rdi, R.rsp, -24);
  s.set(R.rsi, 0);
  s.syscall(System.sigaltstack);
  // struct sigaction: handler, flags, restorer, mask.
  s.asm.setAddress(R.rsp, -1, 0, -8, false);
  s.asm.storeImm(8, 0);
  s.asm.setImageAddress(FixupKind.stub, StubNumber.signalReturn);
  s.asm.regMem(regRm.lea, 1, R.rax);
  s.store(R.rsp, -16, R.rax);
  s.asm.setAddress(R.rsp, -1, 0, -24, false);
  s.asm.storeImm(8, handlerFlags);
  s.asm.setImageAddress(FixupKind.stub, StubNumber.signalHandler);
  s.asm.regMem(regRm.lea, 1, R.rax);
  s.store(R.rsp, -32, R.rax);
  setAction(s, Signal.segmentation);
  setAction(s, Signal.bus);
  if (!entry.ignoreBrokenPipes) return;
  installKilledHandler(s);
  s.asm.setAddress(R.rsp, -1, 0, -32, false);
  s.asm.storeImm(8, 1);
  setAction(s, Signal.pipe);
  // A file at its size limit: the write fails, like one on a full disk.
  setAction(s, Signal.fileSize);
}

/** SIGRTMIN, as the kernel counts, to SIGRTMAX. */
const realTimeSignals = { first: 32, last: 64 } as const;

function installKilledHandler(s: Stub): void {
  const again = s.label();
  s.asm.setImageAddress(FixupKind.stub, StubNumber.killedHandler);
  s.asm.regMem(regRm.lea, 1, R.rax);
  s.store(R.rsp, -32, R.rax);
  s.set(R.rbx, realTimeSignals.first);
  s.bind(again);
  s.move(R.rdi, R.rbx);
  s.lea(R.rsi, R.rsp, -32);
  s.set(R.rdx, 0);
  s.set(R.r10, 8);
  s.syscall(System.sigaction);
  s.immediate("add", R.rbx, 1);
  s.immediate("cmp", R.rbx, realTimeSignals.last);
  s.jumpIf(Condition.belowEqual, again);
}

function setAction(s: Stub, signal: number): void {
  s.set(R.rdi, signal);
  s.lea(R.rsi, R.rsp, -32);
  s.set(R.rdx, 0);
  s.set(R.r10, 8);
  s.syscall(System.sigaction);
}

// -- calls with printed results

/** A trap from here on goes on at `label`. The address of a label is that of the end of a call around it. */
function setResume(s: Stub, plan: ModulePlan, label: number): void {
  const { asm } = s;
  s.storeData(plan.supportOffset + SupportOffset.resumeStack, R.rsp);
  const over = s.label();
  asm.call(FixupKind.block, over);
  s.jump(label);
  s.bind(over);
  asm.pop(R.rax);
  s.storeData(plan.supportOffset + SupportOffset.resumeAddress, R.rax);
}

/** An imported function that writes its arguments, one to a line. */
export function printingFunction(type: FuncType): Stub {
  const s = new Stub();
  const { asm } = s;
  const places = new ArgumentPlaces();
  const parameters = type.params.map((param) => placeOf(places, param));
  s.immediate("sub", R.rsp, 8 * parameters.length);
  parameters.forEach(({ register, word }, index) => {
    if (register >= 16) {
      asm.setAddress(R.rsp, -1, 0, 8 * index, false);
      asm.regMem(rmReg.movsd, 0, register);
    } else if (register < 0) {
      s.load(R.r11, R.rsp, 8 * (parameters.length + 1 + word));
      s.store(R.rsp, 8 * index, R.r11);
    } else s.store(R.rsp, 8 * index, register);
  });
  type.params.forEach((param, index) => {
    s.load(R.rax, R.rsp, 8 * index);
    s.set(R.rdi, printKinds[param] ?? 0);
    asm.call(FixupKind.stub, StubNumber.printValue);
  });
  s.immediate("add", R.rsp, 8 * parameters.length);
  s.ret();
  return s;
}

/** Frame: the outgoing area, then the results. */
function emitInvocation(s: Stub, { functionIndex, type, args }: Invocation): void {
  const { asm } = s;
  const places = new ArgumentPlaces();
  const results = type.results.map((result) => placeOf(places, result));
  let words = places.words;
  places.reset();
  const parameterTypes = type.params;
  const parameters = parameterTypes.map((param) => placeOf(places, param));
  words = Math.max(words, places.words);
  const frame = 8 * (words + results.length);
  s.immediate("sub", R.rsp, frame);
  parameters.forEach(({ register, word }, index) => {
    const [low, bits] = args[index] ?? [0, 0];
    const parameterType = parameterTypes[index];
    // Narrow values have clean upper halves everywhere.
    const high = parameterType === ValueType.i32 || parameterType === ValueType.f32 ? 0 : bits;
    const target = register >= 16 || register < 0 ? R.r11 : register;
    s.set(target, low, high);
    if (register >= 16) asm.regReg(regRm.movd, 1, register, R.r11);
    else if (register < 0) s.store(R.rsp, 8 * word, R.r11);
  });
  asm.call(FixupKind.function, functionIndex);
  results.forEach(({ register, word }, index) => {
    let source = register;
    if (register >= 16) {
      source = R.r11;
      asm.regReg(rmReg.movd, 1, register, R.r11);
    } else if (register < 0) {
      source = R.r11;
      s.load(R.r11, R.rsp, 8 * word);
    }
    s.store(R.rsp, 8 * (words + index), source);
  });
  type.results.forEach((result, index) => {
    s.load(R.rax, R.rsp, 8 * (words + index));
    s.set(R.rdi, printKinds[result] ?? 0);
    asm.call(FixupKind.stub, StubNumber.printValue);
  });
  s.immediate("add", R.rsp, frame);
}

function placeOf(places: ArgumentPlaces, type: ValueType): { readonly register: Register; readonly word: number } {
  const register = places.next(type === ValueType.f32 || type === ValueType.f64);
  return { register, word: places.words - 1 };
}

const PrintKind = { i32: 0, i64: 1, f32: 2, f64: 3, funcref: 4, externref: 5 } as const;
const printKinds: Readonly<Record<number, number>> = {
  [ValueType.i32]: PrintKind.i32,
  [ValueType.i64]: PrintKind.i64,
  [ValueType.f32]: PrintKind.f32,
  [ValueType.f64]: PrintKind.f64,
  [ValueType.funcref]: PrintKind.funcref,
  [ValueType.externref]: PrintKind.externref,
};

/** The halves of up to 8 bytes of text. */
function halves(text: string): readonly [number, number] {
  const bytes = Buffer.alloc(8);
  bytes.write(text, "latin1");
  return [bytes.readInt32LE(0), bytes.readInt32LE(4)];
}

/** (value, kind): writes one line: `i32:-5`, `f64:0x3ff0000000000000`, `funcref:null`, `externref:7`. The text grows downwards from the end of a buffer. */
export function printValue(): Stub {
  const s = new Stub();
  const float = s.label();
  const reference = s.label();
  const nullReference = s.label();
  const decimal = s.label();
  const unsigned = s.label();
  const extern = s.label();
  const finish = s.label();
  // rsi: where the text begins; rbx: its end.
  s.asm.push(R.rbx);
  s.immediate("sub", R.rsp, 64);
  s.lea(R.rbx, R.rsp, 64);
  s.lea(R.rsi, R.rsp, 63);
  s.asm.setAddress(R.rsi, -1, 0, 0, false);
  s.asm.storeImm(1, 0x0a);
  s.move(R.r8, R.rdi);
  s.immediate("cmp", R.r8, PrintKind.f32);
  s.jumpIf(Condition.above, float);
  s.jumpIf(Condition.equal, float);
  s.immediate("cmp", R.r8, PrintKind.i32);
  s.jumpIf(Condition.notEqual, decimal);
  s.asm.regReg(regRm.movsxd, 1, R.rax, R.rax);
  s.bind(decimal);
  s.move(R.r9, R.rax);
  s.asm.regReg(rmReg.test, 1, R.rax, R.rax);
  s.jumpIf(Condition.noSign, unsigned);
  s.asm.unaryReg(unary.neg, 1, R.rax);
  s.bind(unsigned);
  printDecimal(s);
  s.asm.regReg(rmReg.test, 1, R.r9, R.r9);
  const positive = s.label();
  s.jumpIf(Condition.noSign, positive);
  prepend(s, "-");
  s.bind(positive);
  prefixByKind(
    s,
    [
      [PrintKind.i32, "i32:"],
      [PrintKind.i64, "i64:"],
    ],
    finish,
  );
  prepend(s, "externref:");
  s.jump(finish);
  s.bind(float);
  s.immediate("cmp", R.r8, PrintKind.f64);
  s.jumpIf(Condition.above, reference);
  printHexadecimal(s);
  prepend(s, "0x");
  prefixByKind(
    s,
    [
      [PrintKind.f32, "f32:"],
      [PrintKind.f64, "f64:"],
    ],
    finish,
  );
  s.bind(reference);
  s.asm.regReg(rmReg.test, 1, R.rax, R.rax);
  s.jumpIf(Condition.equal, nullReference);
  s.immediate("cmp", R.r8, PrintKind.externref);
  s.jumpIf(Condition.equal, extern);
  prepend(s, "funcref:func");
  s.jump(finish);
  s.bind(extern);
  // External references are numbers plus one.
  s.immediate("sub", R.rax, 1);
  s.jump(decimal);
  s.bind(nullReference);
  prepend(s, "null");
  prefixByKind(s, [[PrintKind.funcref, "funcref:"]], finish);
  prepend(s, "externref:");
  s.bind(finish);
  s.set(R.rdi, 1);
  s.move(R.rdx, R.rbx);
  s.asm.regReg(regRm.sub, 1, R.rdx, R.rsi);
  s.syscall(System.write);
  s.immediate("add", R.rsp, 64);
  s.asm.pop(R.rbx);
  s.ret();
  return s;
}

function prefixByKind(s: Stub, choices: readonly (readonly [number, string])[], done: number): void {
  for (const [kind, text] of choices) {
    const other = s.label();
    s.immediate("cmp", R.r8, kind);
    s.jumpIf(Condition.notEqual, other);
    prepend(s, text);
    s.jump(done);
    s.bind(other);
  }
}

/** Puts text before what is there, in pieces of at most 8 bytes. */
function prepend(s: Stub, text: string): void {
  for (let end = text.length; end > 0; ) {
    const start = Math.max(0, end - 8);
    const piece = text.slice(start, end);
    s.immediate("sub", R.rsi, piece.length);
    const [low, high] = halves(piece);
    s.set(R.r11, low, high);
    for (let at = 0; at < piece.length; at++) {
      s.asm.setAddress(R.rsi, -1, 0, at, false);
      s.asm.regMem(rmReg.mov8, 0, R.r11, true);
      if (at + 1 < piece.length) s.asm.shiftImm("shr", 1, R.r11, 8);
    }
    end = start;
  }
}

function printDecimal(s: Stub): void {
  const loop = s.label();
  s.set(R.rcx, 10);
  s.bind(loop);
  s.asm.regReg(regRm.xor, 0, R.rdx, R.rdx);
  s.asm.unaryReg(unary.div, 1, R.rcx);
  s.immediate("add", R.rdx, 0x30);
  s.immediate("sub", R.rsi, 1);
  s.asm.setAddress(R.rsi, -1, 0, 0, false);
  s.asm.regMem(rmReg.mov8, 0, R.rdx, true);
  s.asm.regReg(rmReg.test, 1, R.rax, R.rax);
  s.jumpIf(Condition.notEqual, loop);
}

/** 8 digits for f32, 16 for f64. */
function printHexadecimal(s: Stub): void {
  const loop = s.label();
  const digit = s.label();
  const single = s.label();
  s.set(R.rcx, 8);
  s.immediate("cmp", R.r8, PrintKind.f32);
  s.jumpIf(Condition.equal, single);
  s.set(R.rcx, 16);
  s.bind(single);
  s.bind(loop);
  s.move(R.rdx, R.rax);
  s.immediate("and", R.rdx, 15);
  s.immediate("add", R.rdx, 0x30);
  s.immediate("cmp", R.rdx, 0x39);
  s.jumpIf(Condition.belowEqual, digit);
  s.immediate("add", R.rdx, 0x27);
  s.bind(digit);
  s.immediate("sub", R.rsi, 1);
  s.asm.setAddress(R.rsi, -1, 0, 0, false);
  s.asm.regMem(rmReg.mov8, 0, R.rdx, true);
  s.asm.shiftImm("shr", 1, R.rax, 4);
  s.immediate("sub", R.rcx, 1);
  s.jumpIf(Condition.notEqual, loop);
}
