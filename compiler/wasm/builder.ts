import { ValueType } from "./module.ts";
import { type OpcodeName, opcodes as table } from "./opcodes.ts";

/** Names of the instructions whose bytes are the opcode alone. */
export type PlainOpcode = {
  [Name in OpcodeName]: (typeof table)[Name]["immediates"] extends "none" ? Name : never;
}[OpcodeName];

/** Names of loads and stores. */
export type MemoryOpcode = {
  [Name in OpcodeName]: (typeof table)[Name]["immediates"] extends "memory access" ? Name : never;
}[OpcodeName];

/** What a block leaves on the stack: nothing, one value, or the index of a function type. */
export type BlockType = "none" | ValueType | { readonly typeIndex: number };

/** An open block: the branch target `br` takes. Depths are computed when the branch is written. */
export interface Label {
  readonly depth: number;
  readonly kind: "block" | "loop" | "if";
  /** Something branches to it. */
  used: boolean;
  /** For an `if` whose `else` has begun: the first arm's end is out of reach. */
  firstArmDead: boolean | undefined;
}

const EMPTY_BLOCK = 0x40;

function endIsDead(label: Label, lastArmDead: boolean): boolean {
  if (!lastArmDead) return false;
  if (label.kind === "loop") return true;
  if (label.used) return false;
  return label.kind === "block" || label.firstArmDead === true;
}

/**
 * Writes the code bytes of one function. Instructions after an unconditional branch are left out until the block ends, so
 * the code holds no unreachable instructions but the `end`s. Locals are numbered from 0, parameters first.
 */
export class CodeBuilder {
  #bytes = new Uint8Array(256);
  #length = 0;
  readonly #locals: ValueType[] = [];
  readonly #parameterCount: number;
  readonly #open: Label[] = [];
  /** Open blocks that started in unreachable code: they are not written at all. */
  #deadBlocks = 0;
  #dead = false;
  readonly #positions: number[] = [];

  constructor(parameters: readonly ValueType[]) {
    this.#locals.push(...parameters);
    this.#parameterCount = parameters.length;
  }

  /** True after an unconditional branch: what is written now has no effect. */
  get isDead(): boolean {
    return this.#dead;
  }

  /** Number of code bytes so far. */
  get offset(): number {
    return this.#length;
  }

  /** A new local of `type`. */
  local(type: ValueType): number {
    this.#locals.push(type);
    return this.#locals.length - 1;
  }

  typeOfLocal(index: number): ValueType {
    const type = this.#locals[index];
    if (type === undefined) throw new Error(`no local ${index}`);
    return type;
  }

  // -- constants and variables

  i32(value: number): void {
    if (this.#dead) return;
    this.#byte(0x41);
    this.#signed(value | 0);
  }

  i64(value: bigint): void {
    if (this.#dead) return;
    this.#byte(0x42);
    this.#signedBig(BigInt.asIntN(64, value));
  }

  f64(value: number): void {
    if (this.#dead) return;
    this.#byte(0x44);
    this.#reserve(8);
    const view = new DataView(this.#bytes.buffer);
    // The bits of a NaN in JavaScript are unspecified; in the program it is the positive quiet one.
    if (Number.isNaN(value)) view.setBigUint64(this.#length, 0x7ff8000000000000n, true);
    else view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** The zero of a value type. */
  zero(type: ValueType): void {
    switch (type) {
      case ValueType.i32:
        this.i32(0);
        return;
      case ValueType.i64:
        this.i64(0n);
        return;
      case ValueType.f64:
        this.f64(0);
        return;
      default:
        throw new Error(`no zero of type ${type}`);
    }
  }

  get(local: number): void {
    this.#withIndex(0x20, local);
  }

  set(local: number): void {
    this.#withIndex(0x21, local);
  }

  tee(local: number): void {
    this.#withIndex(0x22, local);
  }

  globalGet(index: number): void {
    this.#withIndex(0x23, index);
  }

  globalSet(index: number): void {
    this.#withIndex(0x24, index);
  }

  // -- instructions

  op(name: PlainOpcode): void {
    if (this.#dead) return;
    this.#opcode(table[name].code);
  }

  /** A load or store at the address on the stack plus `offset`; aligned to the access's own size. */
  memory(name: MemoryOpcode, offset: number): void {
    if (this.#dead) return;
    const { code, accessBytes } = table[name];
    this.#opcode(code);
    this.#unsigned(31 - Math.clz32(accessBytes));
    this.#unsigned(offset);
  }

  /** Loads a whole value of `type`. */
  load(type: ValueType, offset: number): void {
    this.memory(type === ValueType.i32 ? "i32.load" : type === ValueType.i64 ? "i64.load" : "f64.load", offset);
  }

  /** Stores a whole value of `type`. */
  store(type: ValueType, offset: number): void {
    this.memory(type === ValueType.i32 ? "i32.store" : type === ValueType.i64 ? "i64.store" : "f64.store", offset);
  }

  memoryCopy(): void {
    if (this.#dead) return;
    this.#opcode(table["memory.copy"].code);
    this.#byte(0);
    this.#byte(0);
  }

  memoryFill(): void {
    if (this.#dead) return;
    this.#opcode(table["memory.fill"].code);
    this.#byte(0);
  }

  call(functionIndex: number): void {
    this.#withIndex(0x10, functionIndex);
  }

  /** Calls through table 0; the table index is on the stack. */
  callIndirect(typeIndex: number): void {
    if (this.#dead) return;
    this.#byte(0x11);
    this.#unsigned(typeIndex);
    this.#byte(0);
  }

  return(): void {
    if (this.#dead) return;
    this.#byte(0x0f);
    this.#dead = true;
  }

  unreachable(): void {
    if (this.#dead) return;
    this.#byte(0x00);
    this.#dead = true;
  }

  // -- structure

  block(type: BlockType = "none"): Label {
    return this.#begin(0x02, "block", type);
  }

  loop(type: BlockType = "none"): Label {
    return this.#begin(0x03, "loop", type);
  }

  if(type: BlockType = "none"): Label {
    return this.#begin(0x04, "if", type);
  }

  else(): void {
    if (this.#deadBlocks > 0) return;
    const label = this.#open[this.#open.length - 1];
    if (label?.kind !== "if") throw new Error("else without if");
    this.#byte(0x05);
    label.firstArmDead = this.#dead;
    this.#dead = false;
  }

  /** Closes the innermost block. When nothing reaches its end, what follows is unreachable too. */
  end(): void {
    if (this.#deadBlocks > 0) {
      this.#deadBlocks--;
      return;
    }
    const label = this.#open.pop();
    if (label === undefined) throw new Error("no open block");
    this.#byte(0x0b);
    const lastArmDead = this.#dead;
    this.#dead = false;
    if (endIsDead(label, lastArmDead)) this.unreachable();
  }

  br(label: Label): void {
    if (this.#dead) return;
    this.#byte(0x0c);
    this.#branch(label);
    this.#dead = true;
  }

  brIf(label: Label): void {
    if (this.#dead) return;
    this.#byte(0x0d);
    this.#branch(label);
  }

  /** `br_table`: label number = the i32 on the stack; `fallback` when there is none. */
  brTable(labels: readonly Label[], fallback: Label): void {
    if (this.#dead) return;
    this.#byte(0x0e);
    this.#unsigned(labels.length);
    for (const label of labels) this.#branch(label);
    this.#branch(fallback);
    this.#dead = true;
  }

  /** From here on code comes from this place: file index and `line * 4096 + column` (module.ts, `positions`). */
  position(file: number, lineAndColumn: number): void {
    if (this.#dead) return;
    const positions = this.#positions;
    const count = positions.length;
    if (count > 0 && positions[count - 2] === file && positions[count - 1] === lineAndColumn) return;
    if (count > 0 && positions[count - 3] === this.#length) {
      positions[count - 2] = file;
      positions[count - 1] = lineAndColumn;
    } else positions.push(this.#length, file, lineAndColumn);
  }

  /** The code so far, without a closing `end`. */
  written(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /**
   * Closes the function: the code with its last `end`, the types of its own locals, the positions.
   * @param prologue code to put before everything, branch-free towards the outside
   */
  finish(prologue: Uint8Array = new Uint8Array(0)): {
    readonly code: Uint8Array;
    readonly locals: readonly ValueType[];
    readonly positions: Int32Array;
  } {
    if (this.#open.length !== 0 || this.#deadBlocks !== 0) throw new Error("a block is still open");
    this.#byte(0x0b);
    const code = new Uint8Array(prologue.length + this.#length);
    code.set(prologue);
    code.set(this.#bytes.subarray(0, this.#length), prologue.length);
    const positions = Int32Array.from(this.#positions);
    for (let at = 0; at < positions.length; at += 3) positions[at] = (positions[at] ?? 0) + prologue.length;
    return { code, locals: this.#locals.slice(this.#parameterCount), positions };
  }

  #begin(opcode: number, kind: Label["kind"], type: BlockType): Label {
    const label: Label = { depth: this.#open.length + 1, kind, used: false, firstArmDead: undefined };
    if (this.#dead) {
      this.#deadBlocks++;
      return label;
    }
    this.#byte(opcode);
    if (type === "none") this.#byte(EMPTY_BLOCK);
    else if (typeof type === "number") this.#byte(type);
    else this.#signed(type.typeIndex);
    this.#open.push(label);
    return label;
  }

  #branch(label: Label): void {
    label.used = true;
    this.#unsigned(this.#open.length - label.depth);
  }

  #withIndex(opcode: number, index: number): void {
    if (this.#dead) return;
    this.#byte(opcode);
    this.#unsigned(index);
  }

  #opcode(code: number): void {
    if (code > 0xff) {
      this.#byte(code >> 8);
      this.#unsigned(code & 0xff);
    } else this.#byte(code);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(this.#bytes.length * 2 + count);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  #byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #unsigned(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#byte(rest);
  }

  #signed(value: number): void {
    let rest = value;
    while (rest < -64 || rest > 63) {
      this.#byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.#byte(rest & 0x7f);
  }

  #signedBig(value: bigint): void {
    if (value >= -0x80000000n && value <= 0x7fffffffn) {
      this.#signed(Number(value));
      return;
    }
    let rest = value;
    while (rest < -64n || rest > 63n) {
      this.#byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#byte(Number(rest & 0x7fn));
  }
}
