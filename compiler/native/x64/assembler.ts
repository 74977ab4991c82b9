// Writes x86-64 instructions into a growing buffer. Registers are numbers as in registers.ts; a memory operand is set first, then used by the `…Mem` methods.
import {
  type Condition,
  type Encoding,
  type ImmediateGroup,
  immediateGroup,
  type ShiftGroup,
  shiftGroup,
  type unary,
} from "./encodings.ts";
import type { Register } from "./registers.ts";

/** What a 32-bit field in the code refers to; the linker fills the field in. All but `absolute` are relative to the end of the instruction. */
export const FixupKind = {
  /** A block of the function under construction (jumps). */
  block: 0,
  /** A defined or imported function, by index. */
  function: 1,
  /** A stub, by number. */
  stub: 2,
  /** An offset in the read-only pool. */
  readOnly: 3,
  /** An offset in the data segment. */
  data: 4,
  /** The tables for backtraces. */
  tables: 5,
} as const;
export type FixupKind = (typeof FixupKind)[keyof typeof FixupKind];

const RipRelative = 1;
const ThreadRelative = 2;
const BaseIndex = 0;

export class Assembler {
  /** Small at first: each of the many stubs has an assembler of its own. */
  bytes: Uint8Array = new Uint8Array(512);
  position = 0;
  /** Quadruples: position of the field, kind, target, distance from the field to the end of its instruction. */
  fixups: number[] = [];

  private memoryKind = BaseIndex;
  private base = -1;
  private index = -1;
  private scale = 0;
  private displacement = 0;
  private narrowAddress = false;
  private fixupKind: FixupKind = FixupKind.block;
  private fixupTarget = 0;

  reset(): void {
    this.position = 0;
    this.fixups.length = 0;
  }

  // -- memory operands

  /** [base + index << scale + displacement]; -1 for no register. `narrow`: the sum is taken modulo 2^32. */
  setAddress(base: Register, index: Register, scale: number, displacement: number, narrow: boolean): void {
    this.memoryKind = BaseIndex;
    this.base = base;
    this.index = index;
    this.scale = scale;
    this.displacement = displacement;
    this.narrowAddress = narrow;
  }

  /** A place in the image, addressed relative to the instruction pointer. */
  setImageAddress(kind: FixupKind, target: number): void {
    this.memoryKind = RipRelative;
    this.fixupKind = kind;
    this.fixupTarget = target;
  }

  /** A place in the thread block. */
  setThreadAddress(displacement: number): void {
    this.memoryKind = ThreadRelative;
    this.displacement = displacement;
  }

  // -- instructions with a table entry

  /** `op reg, rm` with two registers; `wide` 1 for 64-bit operands. */
  regReg(code: Encoding, wide: number, reg: Register, rm: Register, byteRegisters = false): void {
    this.reserve();
    const prefix = code >>> 16;
    if (prefix !== 0) this.bytes[this.position++] = prefix;
    const rex = (wide << 3) | ((reg & 8) >>> 1) | ((rm & 8) >>> 3);
    if (rex !== 0 || (byteRegisters && ((reg & 15) > 3 || (rm & 15) > 3))) this.bytes[this.position++] = 0x40 | rex;
    this.opcode(code);
    this.bytes[this.position++] = 0xc0 | ((reg & 7) << 3) | (rm & 7);
  }

  /** `op reg, mem` (or `op mem, reg`) on the operand set last. `trailing`: bytes of immediate that follow. */
  regMem(code: Encoding, wide: number, reg: Register, byteRegister = false, trailing = 0): void {
    this.reserve();
    if (this.memoryKind === ThreadRelative) this.bytes[this.position++] = 0x64;
    else if (this.memoryKind === BaseIndex && this.narrowAddress) this.bytes[this.position++] = 0x67;
    const prefix = code >>> 16;
    if (prefix !== 0) this.bytes[this.position++] = prefix;
    let rex = (wide << 3) | ((reg & 8) >>> 1);
    if (this.memoryKind === BaseIndex) {
      if (this.base >= 0) rex |= (this.base & 8) >>> 3;
      if (this.index >= 0) rex |= (this.index & 8) >>> 2;
    }
    if (rex !== 0 || (byteRegister && (reg & 15) > 3)) this.bytes[this.position++] = 0x40 | rex;
    this.opcode(code);
    this.memoryOperand(reg & 7, trailing);
  }

  private opcode(code: Encoding): void {
    const map = (code >>> 8) & 0xff;
    if (map !== 0) {
      this.bytes[this.position++] = 0x0f;
      if (map === 2) this.bytes[this.position++] = 0x38;
      else if (map === 3) this.bytes[this.position++] = 0x3a;
    }
    this.bytes[this.position++] = code & 0xff;
  }

  /** ModRM, SIB and displacement. */
  private memoryOperand(field: number, trailing: number): void {
    const bytes = this.bytes;
    if (this.memoryKind === RipRelative) {
      bytes[this.position++] = (field << 3) | 5;
      this.fixups.push(this.position, this.fixupKind, this.fixupTarget, 4 + trailing);
      this.int32(0);
      return;
    }
    if (this.memoryKind === ThreadRelative || (this.base < 0 && this.index < 0)) {
      bytes[this.position++] = (field << 3) | 4;
      bytes[this.position++] = 0x25;
      this.int32(this.displacement);
      return;
    }
    const displacement = this.displacement;
    if (this.base < 0) {
      bytes[this.position++] = (field << 3) | 4;
      bytes[this.position++] = (this.scale << 6) | ((this.index & 7) << 3) | 5;
      this.int32(displacement);
      return;
    }
    const base = this.base & 7;
    const mode = displacement === 0 && base !== 5 ? 0 : displacement >= -128 && displacement <= 127 ? 0x40 : 0x80;
    if (this.index >= 0) {
      bytes[this.position++] = mode | (field << 3) | 4;
      bytes[this.position++] = (this.scale << 6) | ((this.index & 7) << 3) | base;
    } else if (base === 4) {
      bytes[this.position++] = mode | (field << 3) | 4;
      bytes[this.position++] = 0x24;
    } else {
      bytes[this.position++] = mode | (field << 3) | base;
    }
    if (mode === 0x40) bytes[this.position++] = displacement;
    else if (mode === 0x80) this.int32(displacement);
  }

  // -- groups

  unaryReg([opcode, digit]: (typeof unary)[keyof typeof unary], wide: number, rm: Register): void {
    this.regReg(opcode, wide, digit, rm);
  }

  unaryMem([opcode, digit]: (typeof unary)[keyof typeof unary], wide: number): void {
    this.regMem(opcode, wide, digit);
  }

  /** add, or, and, sub, xor, cmp with a signed 32-bit immediate. */
  immReg(group: ImmediateGroup, wide: number, rm: Register, value: number): void {
    const digit = immediateGroup[group];
    if (value >= -128 && value <= 127) {
      this.regReg(0x83, wide, digit, rm);
      this.bytes[this.position++] = value;
    } else {
      this.regReg(0x81, wide, digit, rm);
      this.int32(value);
    }
  }

  immMem(group: ImmediateGroup, wide: number, value: number): void {
    const digit = immediateGroup[group];
    if (value >= -128 && value <= 127) {
      this.regMem(0x83, wide, digit, false, 1);
      this.bytes[this.position++] = value;
    } else {
      this.regMem(0x81, wide, digit, false, 4);
      this.int32(value);
    }
  }

  testImm(wide: number, rm: Register, value: number): void {
    if (wide === 0 && value >= 0 && value <= 127 && (rm & 15) <= 3) {
      this.regReg(0xf6, 0, 0, rm);
      this.bytes[this.position++] = value;
      return;
    }
    this.regReg(0xf7, wide, 0, rm);
    this.int32(value);
  }

  shiftImm(group: ShiftGroup, wide: number, rm: Register, count: number): void {
    if (count === 1) {
      this.regReg(0xd1, wide, shiftGroup[group], rm);
      return;
    }
    this.regReg(0xc1, wide, shiftGroup[group], rm);
    this.bytes[this.position++] = count;
  }

  /** Shifts by CL. */
  shiftCl(group: ShiftGroup, wide: number, rm: Register): void {
    this.regReg(0xd3, wide, shiftGroup[group], rm);
  }

  /** imul reg, rm, imm. */
  multiplyImm(wide: number, reg: Register, rm: Register, value: number): void {
    if (value >= -128 && value <= 127) {
      this.regReg(0x6b, wide, reg, rm);
      this.bytes[this.position++] = value;
    } else {
      this.regReg(0x69, wide, reg, rm);
      this.int32(value);
    }
  }

  /** The shortest move of a 64-bit constant (given as two halves) that leaves the flags alone. */
  moveImm(reg: Register, low: number, high: number): void {
    this.reserve();
    if (high === 0) {
      if (reg & 8) this.bytes[this.position++] = 0x41;
      this.bytes[this.position++] = 0xb8 | (reg & 7);
      this.int32(low);
    } else if (high === -1 && low < 0) {
      this.regReg(0xc7, 1, 0, reg);
      this.int32(low);
    } else {
      this.bytes[this.position++] = 0x48 | ((reg & 8) >>> 3);
      this.bytes[this.position++] = 0xb8 | (reg & 7);
      this.int32(low);
      this.int32(high);
    }
  }

  /** mov mem, imm: 1, 2, 4 bytes, or 8 with a sign-extended 32-bit immediate. */
  storeImm(size: number, value: number): void {
    this.reserve();
    if (size === 2) this.bytes[this.position++] = 0x66;
    this.regMem(size === 1 ? 0xc6 : 0xc7, size === 8 ? 1 : 0, 0, false, size === 1 ? 1 : size === 2 ? 2 : 4);
    if (size === 1) this.bytes[this.position++] = value;
    else if (size === 2) {
      this.bytes[this.position++] = value;
      this.bytes[this.position++] = value >> 8;
    } else this.int32(value);
  }

  setCondition(condition: Condition, rm: Register): void {
    this.regReg(0x190 | condition, 0, 0, rm, true);
  }

  push(reg: Register): void {
    this.reserve();
    if (reg & 8) this.bytes[this.position++] = 0x41;
    this.bytes[this.position++] = 0x50 | (reg & 7);
  }

  pop(reg: Register): void {
    this.reserve();
    if (reg & 8) this.bytes[this.position++] = 0x41;
    this.bytes[this.position++] = 0x58 | (reg & 7);
  }

  /** Single bytes of instructions without operands (ret, syscall, fences, prefixes). */
  raw(...values: number[]): void {
    this.reserve();
    for (const value of values) this.bytes[this.position++] = value;
  }

  // -- control

  jump(kind: FixupKind, target: number): void {
    this.reserve();
    this.bytes[this.position++] = 0xe9;
    this.fixups.push(this.position, kind, target, 4);
    this.int32(0);
  }

  jumpIf(condition: Condition, kind: FixupKind, target: number): void {
    this.reserve();
    this.bytes[this.position++] = 0x0f;
    this.bytes[this.position++] = 0x80 | condition;
    this.fixups.push(this.position, kind, target, 4);
    this.int32(0);
  }

  call(kind: FixupKind, target: number): void {
    this.reserve();
    this.bytes[this.position++] = 0xe8;
    this.fixups.push(this.position, kind, target, 4);
    this.int32(0);
  }

  /** A short forward jump within one instruction's expansion: returns the mark for `land`. */
  skipIf(condition: Condition): number {
    this.reserve();
    this.bytes[this.position++] = 0x70 | condition;
    this.bytes[this.position++] = 0;
    return this.position;
  }

  skip(): number {
    this.reserve();
    this.bytes[this.position++] = 0xeb;
    this.bytes[this.position++] = 0;
    return this.position;
  }

  land(mark: number): void {
    this.bytes[mark - 1] = this.position - mark;
  }

  /** A short backward jump to a position within one instruction's expansion. */
  backIf(condition: Condition, target: number): void {
    this.reserve();
    this.bytes[this.position++] = 0x70 | condition;
    this.bytes[this.position] = target - (this.position + 1);
    this.position++;
  }

  int32(value: number): void {
    const bytes = this.bytes;
    bytes[this.position++] = value;
    bytes[this.position++] = value >> 8;
    bytes[this.position++] = value >> 16;
    bytes[this.position++] = value >> 24;
  }

  /** Room for one more instruction with its prefixes. */
  private reserve(): void {
    if (this.position + 64 <= this.bytes.length) return;
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
