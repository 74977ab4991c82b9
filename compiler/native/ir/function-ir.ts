// One function in SSA form, as parallel arrays. A value is the index of its instruction; instructions stand in block order.
import { MachineType, Op, operationTraits, Trait } from "./operations.ts";

const initialCapacity = 1024;
/** Entries of the tables for value numbering; a power of two. */
const numberedValues = 512;

export class FunctionIr {
  count = 0;
  op: Uint8Array = new Uint8Array(initialCapacity);
  type: Uint8Array = new Uint8Array(initialCapacity);
  a: Int32Array = new Int32Array(initialCapacity);
  b: Int32Array = new Int32Array(initialCapacity);
  c: Int32Array = new Int32Array(initialCapacity);
  imm: Int32Array = new Int32Array(initialCapacity);
  imm2: Int32Array = new Int32Array(initialCapacity);
  /** Offset in the function's WebAssembly code. */
  origin: Int32Array = new Int32Array(initialCapacity);
  /** Grows at every barrier: two values with the same epoch have none between them. */
  epoch: Int32Array = new Int32Array(initialCapacity);
  block: Int32Array = new Int32Array(initialCapacity);
  private capacity = initialCapacity;
  private currentEpoch = 0;
  currentOrigin = 0;

  /** Recent values and constants by a hash of their operation. */
  private numbered: Int32Array = new Int32Array(numberedValues).fill(-1);
  private constants: Int32Array = new Int32Array(numberedValues).fill(-1);

  /** Signed remainders by powers of two: the dividend and the power less one, by value. */
  readonly maskedRemainders = new Map<number, { readonly dividend: number; readonly mask: bigint }>();

  /** Argument lists. */
  extra: number[] = [];

  // -- blocks, in code order; each holds the instructions from its start to the next block's
  blockCount = 0;
  blockStart: number[] = [];
  blockDepth: number[] = [];
  /** Incoming edges. */
  blockEdges: number[][] = [];
  phiCount: number[] = [];

  // -- edges; arguments in `extra`, one for each phi of the target
  edgeCount = 0;
  edgeFrom: number[] = [];
  edgeTo: number[] = [];
  edgeArguments: number[] = [];

  // -- loops, outer before inner: header block and the last block that jumps back to it
  loopHeader: number[] = [];
  loopLast: number[] = [];
  loopParent: number[] = [];

  hasCalls = false;

  reset(): void {
    this.count = 0;
    this.currentEpoch = 0;
    this.currentOrigin = 0;
    this.constants.fill(-1);
    this.maskedRemainders.clear();
    this.extra.length = 0;
    this.blockCount = 0;
    this.blockStart.length = 0;
    this.blockDepth.length = 0;
    this.blockEdges.length = 0;
    this.phiCount.length = 0;
    this.edgeCount = 0;
    this.edgeFrom.length = 0;
    this.edgeTo.length = 0;
    this.edgeArguments.length = 0;
    this.loopHeader.length = 0;
    this.loopLast.length = 0;
    this.loopParent.length = 0;
    this.hasCalls = false;
  }

  /** Appends an instruction to the current block and returns its value; a pure one that the block has already is not added again. */
  add(op: Op, type: MachineType, a = 0, b = 0, c = 0, imm = 0, imm2 = 0): number {
    if (op > Op.Result && op <= Op.Reinterpret && ((operationTraits[op] ?? 0) & Trait.barrier) === 0) {
      const known = this.find(op, type, a, b, c, imm, imm2);
      if (known >= 0) return known;
    }
    return this.append(op, type, a, b, c, imm, imm2);
  }

  /** A recent instruction of the current block with these operands, or -1. Otherwise the next one is remembered. */
  private find(op: Op, type: MachineType, a: number, b: number, c: number, imm: number, imm2: number): number {
    let hash =
      Math.imul(a, 0x9e37_79b1) ^ Math.imul(b, 0x85eb_ca6b) ^ Math.imul(imm, 0xc2b2_ae35) ^ (op << 3) ^ (c << 9) ^ imm2;
    hash = (hash ^ (hash >>> 15)) & (numberedValues - 1);
    const known = this.numbered[hash] ?? -1;
    this.numbered[hash] = this.count;
    if (known < 0 || known >= this.count || this.block[known] !== this.blockCount - 1) return -1;
    const same =
      this.op[known] === op &&
      this.type[known] === type &&
      this.a[known] === a &&
      this.b[known] === b &&
      this.c[known] === c;
    if (!same || this.imm[known] !== imm || this.imm2[known] !== imm2) return -1;
    this.numbered[hash] = known;
    return known;
  }

  private append(op: Op, type: MachineType, a: number, b: number, c: number, imm: number, imm2: number): number {
    const value = this.count;
    if (value === this.capacity) this.grow();
    this.count = value + 1;
    this.op[value] = op;
    this.type[value] = type;
    this.a[value] = a;
    this.b[value] = b;
    this.c[value] = c;
    this.imm[value] = imm;
    this.imm2[value] = imm2;
    this.origin[value] = this.currentOrigin;
    this.block[value] = this.blockCount - 1;
    if (((operationTraits[op] ?? 0) & Trait.barrier) !== 0) this.currentEpoch++;
    this.epoch[value] = this.currentEpoch;
    return value;
  }

  /** Constants are never computed, so one for the whole function does. */
  constant(type: MachineType, low: number, high: number): number {
    let hash = Math.imul(low, 0x9e37_79b1) ^ Math.imul(high, 0x85eb_ca6b) ^ type;
    hash = (hash ^ (hash >>> 15)) & (numberedValues - 1);
    const known = this.constants[hash] ?? -1;
    if (known >= 0 && this.imm[known] === low && this.imm2[known] === high && this.type[known] === type) return known;
    const value = this.append(Op.Const, type, 0, 0, 0, low, high);
    this.constants[hash] = value;
    return value;
  }

  isConstant(value: number): boolean {
    return this.op[value] === Op.Const;
  }

  opOf(value: number): Op {
    return this.op[value] ?? 0;
  }

  typeOf(value: number): MachineType {
    return this.type[value] ?? 0;
  }

  aOf(value: number): number {
    return this.a[value] ?? 0;
  }

  bOf(value: number): number {
    return this.b[value] ?? 0;
  }

  cOf(value: number): number {
    return this.c[value] ?? 0;
  }

  immOf(value: number): number {
    return this.imm[value] ?? 0;
  }

  imm2Of(value: number): number {
    return this.imm2[value] ?? 0;
  }

  blockOf(value: number): number {
    return this.block[value] ?? 0;
  }

  extraAt(index: number): number {
    return this.extra[index] ?? 0;
  }

  /** The first instruction of a block. */
  startOf(block: number): number {
    return this.blockStart[block] ?? this.count;
  }

  startBlock(depth: number): number {
    this.blockStart.push(this.count);
    this.blockDepth.push(depth);
    this.blockEdges.push([]);
    this.phiCount.push(0);
    this.currentEpoch++;
    return this.blockCount++;
  }

  /** The end of a block's instructions (exclusive). */
  blockEnd(block: number): number {
    return this.blockStart[block + 1] ?? this.count;
  }

  terminatorOf(block: number): number {
    return this.blockEnd(block) - 1;
  }

  /** The edges out of a block, through `visit`. */
  forEachSuccessor(block: number, visit: (edge: number) => void): void {
    const last = this.terminatorOf(block);
    switch (this.op[last]) {
      case Op.Jump:
        visit(this.aOf(last));
        return;
      case Op.Branch:
        visit(this.bOf(last));
        visit(this.cOf(last));
        return;
      case Op.Switch: {
        const start = this.bOf(last);
        const end = start + this.cOf(last);
        for (let index = start; index < end; index++) visit(this.extraAt(index));
        return;
      }
      default:
    }
  }

  /** An edge from the current block; the target may be given later by `aimEdge`. */
  addEdge(): number {
    this.edgeFrom.push(this.blockCount - 1);
    this.edgeTo.push(-1);
    this.edgeArguments.push(0);
    return this.edgeCount++;
  }

  aimEdge(edge: number, to: number): void {
    this.edgeTo[edge] = to;
    this.blockEdges[to]?.push(edge);
  }

  isFloat(value: number): boolean {
    const type = this.type[value];
    return type === MachineType.f32 || type === MachineType.f64;
  }

  private grow(): void {
    this.capacity *= 2;
    this.op = enlargeBytes(this.op, this.capacity);
    this.type = enlargeBytes(this.type, this.capacity);
    this.a = enlarge(this.a, this.capacity);
    this.b = enlarge(this.b, this.capacity);
    this.c = enlarge(this.c, this.capacity);
    this.imm = enlarge(this.imm, this.capacity);
    this.imm2 = enlarge(this.imm2, this.capacity);
    this.origin = enlarge(this.origin, this.capacity);
    this.epoch = enlarge(this.epoch, this.capacity);
    this.block = enlarge(this.block, this.capacity);
  }
}

export function enlarge(array: Int32Array, capacity: number): Int32Array {
  const larger = new Int32Array(capacity);
  larger.set(array);
  return larger;
}

function enlargeBytes(array: Uint8Array, capacity: number): Uint8Array {
  const larger = new Uint8Array(capacity);
  larger.set(array);
  return larger;
}
