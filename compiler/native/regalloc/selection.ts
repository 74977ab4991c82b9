// What selection decides about each instruction, read by the allocator and the emitter.
import { enlarge } from "../ir/function-ir.ts";

const initialCapacity = 1024;

export class Selection {
  private capacity = initialCapacity;
  counts: Int32Array = new Int32Array(initialCapacity);
  /** 1: computed as part of its only user. */
  folded: Uint8Array = new Uint8Array(initialCapacity);
  /** The address of a memory access, or the sum of an Add that becomes LEA: values or -1; see `narrow`. */
  base: Int32Array = new Int32Array(initialCapacity);
  index: Int32Array = new Int32Array(initialCapacity);
  scale: Uint8Array = new Uint8Array(initialCapacity);
  displacement: Int32Array = new Int32Array(initialCapacity);
  /** 1: the address is taken modulo 2^32. */
  narrow: Uint8Array = new Uint8Array(initialCapacity);
  /** A value whose register would suit as well, or -1: `hintFrom` is an operand, `hintTo` a phi that it flows into. */
  hintFrom: Int32Array = new Int32Array(initialCapacity);
  hintTo: Int32Array = new Int32Array(initialCapacity);
  /** A register that would suit, or -1. */
  hintRegister: Int32Array = new Int32Array(initialCapacity);

  /** Positions (4i) of the calls, ascending. */
  calls: number[] = [];
  /** For each register: positions (4i) of the instructions that use it in their own way, ascending. */
  fixed: number[][] = Array.from({ length: 32 }, () => []);
  /** Words of the outgoing area. */
  outgoingWords = 0;

  reset(values: number): void {
    if (this.capacity < values) this.grow(values);
    this.folded.fill(0, 0, values);
    this.base.fill(-1, 0, values);
    this.index.fill(-1, 0, values);
    this.scale.fill(0, 0, values);
    this.narrow.fill(0, 0, values);
    this.hintFrom.fill(-1, 0, values);
    this.hintTo.fill(-1, 0, values);
    this.hintRegister.fill(-1, 0, values);
    this.calls.length = 0;
    for (const list of this.fixed) list.length = 0;
    this.outgoingWords = 0;
  }

  private grow(values: number): void {
    while (this.capacity < values) this.capacity *= 2;
    const { capacity } = this;
    this.counts = enlarge(this.counts, capacity);
    this.base = enlarge(this.base, capacity);
    this.index = enlarge(this.index, capacity);
    this.displacement = enlarge(this.displacement, capacity);
    this.hintFrom = enlarge(this.hintFrom, capacity);
    this.hintTo = enlarge(this.hintTo, capacity);
    this.hintRegister = enlarge(this.hintRegister, capacity);
    this.folded = new Uint8Array(capacity);
    this.scale = new Uint8Array(capacity);
    this.narrow = new Uint8Array(capacity);
  }
}
