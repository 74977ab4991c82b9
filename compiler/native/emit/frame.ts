// The stack frame of one function, from low to high addresses: outgoing area, spill slots, saved registers, return address, then the caller's outgoing area.
// rsp does not move between prologue and epilogue.
import type { FuncType } from "../../wasm/index.ts";
import type { FunctionIr } from "../ir/function-ir.ts";
import { Op, TrapKind } from "../ir/operations.ts";
import { machineTypeOf } from "../plan.ts";
import { inMemory, type Intervals, nil } from "../regalloc/intervals.ts";
import { ArgumentPlaces } from "../regalloc/select.ts";
import type { Selection } from "../regalloc/selection.ts";
import { Stub } from "../stubs/table.ts";
import { ThreadOffset } from "../threads.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm } from "../x64/encodings.ts";
import { calleeSavedIntegers, type Register, Register as R, scratchInteger } from "../x64/registers.ts";
import type { Emitter } from "./emitter.ts";
import { incomingBase, type Location, outgoingBase, slotBase } from "./locations.ts";

/** Frames larger than this check the stack limit, since they could step over the guard pages. */
const unguardedFrame = 1 << 15;

export class Frame {
  /** Where the parameters arrive. */
  parameterPlaces: Location[] = [];
  /** The spill slot of each value that has one. */
  private slots = new Map<number, Location>();
  private slotCount = 0;
  private outgoingWords = 0;
  private saved: Register[] = [];
  /** Bytes between rsp and the saved registers. */
  private bytes = 0;

  /** Lays the frame out once every interval has its place. */
  layOut(ir: FunctionIr, selection: Selection, intervals: Intervals, type: FuncType, usedCalleeSaved: number): void {
    this.parameterPlaces = [];
    const places = new ArgumentPlaces();
    for (const param of type.params) {
      const register = places.next(machineTypeOf(param) >= 2);
      this.parameterPlaces.push(register >= 0 ? register : incomingBase + places.words - 1);
    }
    this.saved = calleeSavedIntegers.filter((register) => (usedCalleeSaved >>> register) & 1);
    this.outgoingWords = selection.outgoingWords;
    this.assignSlots(ir, intervals);
    this.bytes = (this.outgoingWords + this.slotCount) * 8;
  }

  /** Values in memory get slots in order of their starts; a slot is used again when the value in it has ended. */
  private assignSlots(ir: FunctionIr, intervals: Intervals): void {
    this.slots.clear();
    const ends: number[] = [];
    for (let value = 0; value < ir.count; value++) {
      if (!isSpilled(intervals, value)) continue;
      const parameter = ir.op[value] === Op.Param ? (this.parameterPlaces[ir.immOf(value)] ?? 0) : 0;
      if (parameter >= incomingBase) {
        this.slots.set(value, parameter);
        continue;
      }
      const start = intervals.start(value);
      let slot = 0;
      while (slot < ends.length && (ends[slot] ?? 0) > start) slot++;
      ends[slot] = lastEnd(intervals, value);
      this.slots.set(value, slotBase + slot);
    }
    this.slotCount = ends.length;
  }

  /** All bytes from rsp to the return address. */
  get size(): number {
    return this.bytes + this.saved.length * 8;
  }

  slotOf(value: number): Location {
    const slot = this.slots.get(value);
    if (slot === undefined) throw new Error(`value ${value} has no slot`);
    return slot;
  }

  /** Whether the value must be stored to its slot where it is defined. */
  isStored(value: number): boolean {
    return (this.slots.get(value) ?? incomingBase) < incomingBase;
  }

  displacementOf(location: Location): number {
    if (location >= outgoingBase) return (location - outgoingBase) * 8;
    if (location >= incomingBase) return this.size + 8 + (location - incomingBase) * 8;
    return (this.outgoingWords + location - slotBase) * 8;
  }

  prologue(emitter: Emitter): void {
    const { asm } = emitter;
    if (this.bytes > unguardedFrame) {
      asm.setAddress(R.rsp, -1, 0, -this.bytes, false);
      asm.regMem(regRm.lea, 1, scratchInteger);
      asm.setThreadAddress(ThreadOffset.stackLimit);
      asm.regMem(regRm.cmp, 1, scratchInteger);
      asm.jumpIf(Condition.below, FixupKind.stub, stackExhaustedStub);
    }
    for (const register of this.saved) asm.push(register);
    if (this.bytes > 0) asm.immReg("sub", 1, R.rsp, this.bytes);
  }

  epilogue(emitter: Emitter): void {
    const { asm } = emitter;
    if (this.bytes > 0) asm.immReg("add", 1, R.rsp, this.bytes);
    for (let index = this.saved.length - 1; index >= 0; index--) asm.pop(this.saved[index] ?? 0);
    asm.raw(0xc3);
  }
}

const stackExhaustedStub = Stub.traps + TrapKind.stackExhausted;

function isSpilled(intervals: Intervals, value: number): boolean {
  if (intervals.isEmpty(value)) return false;
  for (let child = value; child !== nil; child = intervals.siblingOf(child))
    if (intervals.placeOf(child) === inMemory) return true;
  return false;
}

function lastEnd(intervals: Intervals, value: number): number {
  let last = value;
  for (let child = value; child !== nil; child = intervals.siblingOf(child))
    if (!intervals.isEmpty(child)) last = child;
  return intervals.end(last);
}
