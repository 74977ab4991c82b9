// A hand-written piece of machine code: an assembler with labels.
import { Assembler, FixupKind } from "../x64/assembler.ts";
import { type Condition, type Encoding, regRm, rmReg, type ImmediateGroup } from "../x64/encodings.ts";
import type { Register } from "../x64/registers.ts";
import type { CodeUnit } from "../text.ts";

export class Stub implements CodeUnit {
  readonly asm = new Assembler();
  readonly labels: number[] = [];
  readonly alignedLabels: readonly number[] = [];
  readonly lines: readonly number[] = [];
  readonly tables = [];

  label(): number {
    this.labels.push(-1);
    return this.labels.length - 1;
  }

  bind(label: number): void {
    this.labels[label] = this.asm.position;
  }

  jumpIf(condition: Condition, label: number): void {
    this.asm.jumpIf(condition, FixupKind.block, label);
  }

  jump(label: number): void {
    this.asm.jump(FixupKind.block, label);
  }

  // -- 64-bit forms with a memory operand [base + displacement]

  load(target: Register, base: Register, displacement = 0, index = -1, scale = 0): void {
    this.asm.setAddress(base, index, scale, displacement, false);
    this.asm.regMem(regRm.mov, 1, target);
  }

  store(base: Register, displacement: number, source: Register): void {
    this.asm.setAddress(base, -1, 0, displacement, false);
    this.asm.regMem(rmReg.mov, 1, source);
  }

  lea(target: Register, base: Register, displacement = 0, index = -1, scale = 0): void {
    this.asm.setAddress(base, index, scale, displacement, false);
    this.asm.regMem(regRm.lea, 1, target);
  }

  operate(code: Encoding, target: Register, base: Register, displacement = 0, index = -1, scale = 0): void {
    this.asm.setAddress(base, index, scale, displacement, false);
    this.asm.regMem(code, 1, target);
  }

  /** The address of a place in the data segment. */
  dataAddress(target: Register, offset: number): void {
    this.asm.setImageAddress(FixupKind.data, offset);
    this.asm.regMem(regRm.lea, 1, target);
  }

  loadData(target: Register, offset: number): void {
    this.asm.setImageAddress(FixupKind.data, offset);
    this.asm.regMem(regRm.mov, 1, target);
  }

  storeData(offset: number, source: Register): void {
    this.asm.setImageAddress(FixupKind.data, offset);
    this.asm.regMem(rmReg.mov, 1, source);
  }

  move(target: Register, source: Register): void {
    this.asm.regReg(regRm.mov, 1, target, source);
  }

  add(target: Register, source: Register): void {
    this.asm.regReg(regRm.add, 1, target, source);
  }

  compare(left: Register, right: Register): void {
    this.asm.regReg(regRm.cmp, 1, left, right);
  }

  immediate(group: ImmediateGroup, target: Register, value: number): void {
    this.asm.immReg(group, 1, target, value);
  }

  set(target: Register, low: number, high = 0): void {
    this.asm.moveImm(target, low, high);
  }

  syscall(number: number): void {
    this.asm.moveImm(0, number, 0);
    this.asm.raw(0x0f, 0x05);
  }

  ret(): void {
    this.asm.raw(0xc3);
  }
}
