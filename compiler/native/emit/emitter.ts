// Emits the machine code of one function from its SSA form and the places that the allocator gave its values.
import type { FunctionIr } from "../ir/function-ir.ts";
import { LoadKind, MachineType, Op, operationTraits, Trait, type TrapKind } from "../ir/operations.ts";
import { trapsAlone } from "../ir/uses.ts";
import type { ModulePlan } from "../plan.ts";
import { type Intervals, nil } from "../regalloc/intervals.ts";
import type { Selection } from "../regalloc/selection.ts";
import { Stub } from "../stubs/table.ts";
import { Assembler, FixupKind } from "../x64/assembler.ts";
import { regRm, rmReg } from "../x64/encodings.ts";
import { Register, scratchFloat, scratchInteger } from "../x64/registers.ts";
import { emitters } from "./emitters.ts";
import type { Frame } from "./frame.ts";
import type { BlockLayout } from "./layout.ts";
import { isConstant, isMemory, isRegister, type Location } from "./locations.ts";
import { ParallelMove } from "./parallel-move.ts";
import type { ReadOnlyPool } from "./read-only-pool.ts";
import type { Resolution } from "./resolution.ts";

/** A piece of code off the straight path, emitted after the function's blocks. */
export interface ColdPath {
  readonly label: number;
  readonly origin: number;
  readonly emit: () => void;
}

export class Emitter {
  readonly asm = new Assembler();
  readonly plan: ModulePlan;
  readonly ir: FunctionIr;
  readonly selection: Selection;
  readonly intervals: Intervals;
  readonly pool: ReadOnlyPool;
  readonly resolution: Resolution;
  readonly moves = new ParallelMove();
  frame: Frame;
  /** Code position of each label; blocks come first. */
  labels: number[] = [];
  /** Labels of innermost loops, which are aligned. */
  alignedLabels: readonly number[] = [];
  /** Pairs (code position, origin): from there on code comes from that place. */
  lines: number[] = [];
  /** Jump tables: pool offset and labels. */
  tables: { readonly offset: number; readonly labels: readonly number[] }[] = [];
  private cold: ColdPath[] = [];
  private trapLabels = new Map<number, number>();
  /** Set while flags are in use: moves must not clear registers by XOR. */
  keepFlags = false;
  /** The block emitted next, or -1. */
  nextBlock = -1;
  currentOrigin = -1;

  constructor(
    plan: ModulePlan,
    ir: FunctionIr,
    selection: Selection,
    intervals: Intervals,
    pool: ReadOnlyPool,
    resolution: Resolution,
    frame: Frame,
  ) {
    this.plan = plan;
    this.ir = ir;
    this.selection = selection;
    this.intervals = intervals;
    this.pool = pool;
    this.resolution = resolution;
    this.frame = frame;
  }

  /** Emits the whole function into `asm`. */
  run({ order, loopTops }: BlockLayout): void {
    const { ir } = this;
    this.asm.reset();
    this.labels = new Array<number>(ir.blockCount).fill(-1);
    this.alignedLabels = [...loopTops];
    this.lines.length = 0;
    this.tables.length = 0;
    this.cold.length = 0;
    this.trapLabels.clear();
    this.currentOrigin = -1;
    this.frame.prologue(this);
    order.forEach((block, at) => {
      this.nextBlock = order[at + 1] ?? -1;
      this.block(block);
    });
    this.nextBlock = -1;
    for (let path = this.cold.shift(); path !== undefined; path = this.cold.shift()) {
      this.bind(path.label);
      this.at(path.origin);
      path.emit();
    }
    for (const label of loopTops)
      if ((this.labels[label] ?? -1) < 0) throw new Error(`loop top ${label} is not in the code`);
  }

  private block(block: number): void {
    const { ir, selection, resolution } = this;
    this.bind(block);
    const start = ir.startOf(block);
    const end = ir.blockEnd(block);
    if (block === 0) this.enter();
    resolution.enterBlock(4 * start);
    const phis = ir.phiCount[block] ?? 0;
    for (let phi = start; phi < start + phis; phi++) this.storeAtDefinition(phi);
    for (let value = start + phis; value < end; value++) {
      resolution.emitMovesBefore(this, 4 * value);
      if (selection.folded[value] !== 0) continue;
      const op = ir.opOf(value);
      if (op === Op.Const || op === Op.Result || op === Op.Param) continue;
      if (
        selection.counts[value] === 0 &&
        ((operationTraits[op] ?? 0) & Trait.effect) === 0 &&
        !trapsAlone(ir, op, value)
      )
        continue;
      this.at(ir.origin[value] ?? 0);
      emitters[op]?.(this, value, 4 * value);
      if (op < Op.Jump && op !== Op.Call && op !== Op.CallIndirect && op !== Op.CallStub) this.storeAtDefinition(value);
    }
  }

  /** Parameters go from where the caller put them to where they are wanted. */
  private enter(): void {
    const { ir, selection, moves } = this;
    const parameters: number[] = [];
    for (let value = 0; value < ir.count && ir.op[value] === Op.Param; value++) {
      if (selection.counts[value] === 0) continue;
      parameters.push(value);
      moves.add(this.frame.parameterPlaces[ir.immOf(value)] ?? 0, this.whereDefined(value), value);
    }
    moves.emit(this);
    for (const value of parameters) this.storeAtDefinition(value);
  }

  /** Code from here on comes from this place in the function's WebAssembly code. */
  at(origin: number): void {
    if (origin === this.currentOrigin) return;
    this.currentOrigin = origin;
    this.lines.push(this.asm.position, origin);
  }

  // -- labels and cold paths

  newLabel(): number {
    this.labels.push(-1);
    return this.labels.length - 1;
  }

  bind(label: number): void {
    this.labels[label] = this.asm.position;
  }

  /** A label for code emitted at the end of the function. */
  coldPath(emit: () => void): number {
    const label = this.newLabel();
    this.cold.push({ label, origin: this.currentOrigin, emit });
    return label;
  }

  /** A label that ends in a trap for the current instruction; one for each kind and place. */
  trapLabel(kind: TrapKind): number {
    const key = this.currentOrigin * 16 + kind;
    let label = this.trapLabels.get(key);
    if (label === undefined) {
      label = this.coldPath(() => this.trap(kind));
      this.trapLabels.set(key, label);
    }
    return label;
  }

  /** The trap's stub is called, not jumped to: the return address tells the place. */
  trap(kind: TrapKind): void {
    this.asm.call(FixupKind.stub, Stub.traps + kind);
  }

  // -- places

  /** Where a value is at a position; constants are where they are used. */
  where(value: number, position: number): Location {
    if (this.ir.op[value] === Op.Const) return ~value;
    const { intervals } = this;
    const child = intervals.siblingOf(value) === nil ? value : intervals.childAt(value, position);
    return this.placeOf(child, value);
  }

  whereDefined(value: number): Location {
    return this.placeOf(value, value);
  }

  private placeOf(interval: number, value: number): Location {
    const place = this.intervals.placeOf(interval);
    return place >= 0 ? place : this.frame.slotOf(value);
  }

  /** The register in which a value appears. */
  result(value: number): Register {
    return this.intervals.placeOf(value);
  }

  isWide(value: number): number {
    return this.ir.type[value] === MachineType.i64 ? 1 : 0;
  }

  scratchFor(value: number): Register {
    return this.ir.isFloat(value) ? scratchFloat : scratchInteger;
  }

  /** A value that is in its slot later is stored as soon as it appears. */
  storeAtDefinition(value: number): void {
    const { intervals } = this;
    const place = intervals.placeOf(value);
    if (place < 0 || !this.frame.isStored(value)) return;
    this.move(this.frame.slotOf(value), place, value);
  }

  /** Makes a place in a frame the assembler's memory operand. */
  setMemory(location: Location): void {
    this.asm.setAddress(Register.rsp, -1, 0, this.frame.displacementOf(location), false);
  }

  /** Makes the address of an access (see selectAddress) the assembler's memory operand. */
  setAccess(access: number, position: number): void {
    const { selection } = this;
    const base = selection.base[access] ?? -1;
    const index = selection.index[access] ?? -1;
    this.asm.setAddress(
      base < 0 ? -1 : this.register(base, position),
      index < 0 ? -1 : this.register(index, position),
      selection.scale[access] ?? 0,
      selection.displacement[access] ?? 0,
      selection.narrow[access] === 1,
    );
  }

  /** A register that holds the value: its own, or the scratch register after a load. */
  register(value: number, position: number): Register {
    const location = this.where(value, position);
    if (isRegister(location)) return location;
    const scratch = this.scratchFor(value);
    this.move(scratch, location, value);
    return scratch;
  }

  /** `op reg, operand` where the operand is a register, memory, a folded load or a float constant. Integer constants must have been dealt with. */
  operate(code: number, wide: number, reg: Register, value: number, position: number): void {
    const { asm, ir } = this;
    if (this.selection.folded[value] === 1) {
      this.setAccess(value, position);
      asm.regMem(code, wide, reg);
      return;
    }
    const location = this.where(value, position);
    if (isRegister(location)) {
      asm.regReg(code, wide, reg, location);
      return;
    }
    if (isMemory(location)) {
      this.setMemory(location);
      asm.regMem(code, wide, reg);
      return;
    }
    if (ir.isFloat(value)) {
      this.setFloatConstant(value);
      asm.regMem(code, wide, reg);
      return;
    }
    asm.moveImm(scratchInteger, ir.immOf(value), ir.imm2Of(value));
    asm.regReg(code, wide, reg, scratchInteger);
  }

  setFloatConstant(value: number): void {
    this.asm.setImageAddress(FixupKind.readOnly, this.pool.bits64(this.ir.immOf(value), this.ir.imm2Of(value)));
  }

  // -- moves

  /** Moves a value between two places; `value` tells its type. May change the flags, unless `keepFlags` is set. */
  move(target: Location, source: Location, value: number): void {
    if (target === source) return;
    const { asm } = this;
    if (isConstant(source)) {
      this.moveConstant(target, ~source);
      return;
    }
    const type = this.ir.typeOf(value);
    if (isRegister(target)) {
      if (isRegister(source)) this.moveRegisters(target, source, type);
      else {
        this.setMemory(source);
        if (target < 16) asm.regMem(regRm.mov, type === MachineType.i64 ? 1 : 0, target);
        else asm.regMem(type === MachineType.f32 ? regRm.movss : regRm.movsd, 0, target);
      }
      return;
    }
    let register = source;
    if (!isRegister(source)) {
      this.setMemory(source);
      asm.regMem(regRm.mov, 1, scratchInteger);
      register = scratchInteger;
    }
    this.setMemory(target);
    if (register < 16) asm.regMem(rmReg.mov, 1, register);
    else asm.regMem(type === MachineType.f32 ? rmReg.movss : rmReg.movsd, 0, register);
  }

  /** Integers may pass through an XMM register when a cycle of moves is broken. */
  private moveRegisters(target: Register, source: Register, type: MachineType): void {
    const { asm } = this;
    if (target < 16) {
      if (source < 16) asm.regReg(regRm.mov, type === MachineType.i64 ? 1 : 0, target, source);
      else asm.regReg(rmReg.movd, 1, source, target);
    } else if (source < 16) asm.regReg(regRm.movd, 1, target, source);
    else asm.regReg(regRm.movaps, 0, target, source);
  }

  private moveConstant(target: Location, constant: number): void {
    const { asm, ir } = this;
    const low = ir.immOf(constant);
    const high = ir.imm2Of(constant);
    if (isRegister(target)) {
      if (target < 16) {
        if (low === 0 && high === 0 && !this.keepFlags) asm.regReg(regRm.xor, 0, target, target);
        else asm.moveImm(target, low, high);
      } else if (low === 0 && high === 0) asm.regReg(regRm.xorps, 0, target, target);
      else {
        this.setFloatConstant(constant);
        asm.regMem(ir.type[constant] === MachineType.f32 ? regRm.movss : regRm.movsd, 0, target);
      }
      return;
    }
    if (high === low >> 31) {
      this.setMemory(target);
      asm.storeImm(8, low);
      return;
    }
    asm.moveImm(scratchInteger, low, high);
    this.setMemory(target);
    asm.regMem(rmReg.mov, 1, scratchInteger);
  }

  /** A load into a register: widths and signs by the LoadKind, floats by the register. The address must be set. */
  loadMemory(register: Register, kind: number, type: MachineType): void {
    const { asm } = this;
    const bytes = kind & LoadKind.bytes;
    const signed = (kind & LoadKind.signed) !== 0;
    const wide = type === MachineType.i64 && signed ? 1 : 0;
    if (register >= 16) asm.regMem(bytes === 4 ? regRm.movss : regRm.movsd, 0, register);
    else if (bytes === 8) asm.regMem(regRm.mov, 1, register);
    else if (bytes === 4) asm.regMem(wide ? regRm.movsxd : regRm.mov, wide, register);
    else if (bytes === 2) asm.regMem(signed ? regRm.movsx16 : regRm.movzx16, wide, register);
    else asm.regMem(signed ? regRm.movsx8 : regRm.movzx8, wide, register);
  }
}
