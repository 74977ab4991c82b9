// The machine code of the image: functions one after the other, with what is still to be filled in.
import { type Assembler, FixupKind } from "./x64/assembler.ts";

/** Code with its labels, as an emitter or a stub leaves it. */
export interface CodeUnit {
  readonly asm: Assembler;
  /** Position of each label that fixups of kind `block` refer to. */
  readonly labels: readonly number[];
  readonly alignedLabels: readonly number[];
  /** Pairs (code position, origin). */
  readonly lines: readonly number[];
  /** Jump tables: pool offset and labels. */
  readonly tables: readonly { readonly offset: number; readonly labels: readonly number[] }[];
}

/** Where one function's code ended up. */
export interface TextFunction {
  readonly start: number;
  readonly end: number;
  readonly frameBytes: number;
  /** Pairs (code offset in the text, origin in the WebAssembly code), ascending. */
  readonly lines: readonly number[];
}

export class Text {
  /** Where functions start: cache lines cost room and save time. */
  private readonly alignment: 16 | 64;
  bytes: Uint8Array = new Uint8Array(1 << 16);
  length = 0;
  /** Quadruples: position in the text, kind, target, distance from the field to the end of its instruction. */
  readonly fixups: number[] = [];
  /** Entries of jump tables: pool offset of the table, number of the entry, position in the text. */
  readonly jumpEntries: number[] = [];

  constructor(alignment: 16 | 64 = 16) {
    this.alignment = alignment;
  }

  align(boundary: number): void {
    const end = (this.length + boundary - 1) & -boundary;
    this.reserve(boundary);
    writePadding(this.bytes, this.length, end - this.length);
    this.length = end;
  }

  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    larger.set(this.bytes);
    this.bytes = larger;
  }

  /**
   * Appends a unit: jumps that reach get their short forms, jumps to the next instruction go, loop heads are aligned. One pass: a jump is short when
   * it would be so even if no other jump shrank, and all padding were needed.
   */
  append(unit: CodeUnit, frameBytes: number): TextFunction {
    this.align(this.alignment);
    const start = this.length;
    const { asm, labels } = unit;
    const { fixups } = asm;
    this.reserve(asm.position + 16 * unit.alignedLabels.length + 64);
    const shapes = jumpShapes(asm.bytes, fixups, labels, unit.alignedLabels);
    const layout = new Relocation();
    const aligned = new Set(unit.alignedLabels.map((label) => labels[label] ?? 0));
    // Events in code order: jumps and aligned labels.
    const alignments = [...aligned].sort((left, right) => left - right);
    let nextAlignment = 0;
    let from = 0;
    const copyTo = (to: number) => {
      while (nextAlignment < alignments.length && (alignments[nextAlignment] ?? 0) <= to) {
        const at = alignments[nextAlignment++] ?? 0;
        this.copy(asm.bytes, from, at);
        from = at;
        const padding = -this.length & 15;
        writePadding(this.bytes, this.length, padding);
        this.length += padding;
        layout.shift(at, this.length - start - at);
      }
      this.copy(asm.bytes, from, to);
      from = to;
    };
    const jumps: number[] = [];
    for (let index = 0; index < fixups.length; index += 4) {
      const field = fixups[index] ?? 0;
      if (fixups[index + 1] !== FixupKind.block) continue;
      const shape = shapes[index >> 2] ?? 0;
      const conditional = isConditional(asm.bytes, field);
      const opcodeAt = conditional ? field - 2 : field - 1;
      copyTo(opcodeAt);
      if (shape === JumpShape.short) {
        this.bytes[this.length++] = conditional ? 0x70 | ((asm.bytes[field - 1] ?? 0) & 15) : 0xeb;
        jumps.push(this.length++, fixups[index + 2] ?? 0, 1);
      } else if (shape === JumpShape.long) {
        if (conditional) this.bytes[this.length++] = 0x0f;
        this.bytes[this.length++] = asm.bytes[field - 1] ?? 0;
        jumps.push(this.length, fixups[index + 2] ?? 0, 4);
        this.length += 4;
      }
      from = field + 4;
      layout.shift(field + 4, this.length - start - (field + 4));
    }
    copyTo(asm.position);
    this.finishJumps(start, jumps, labels, layout);
    for (let index = 0; index < fixups.length; index += 4) {
      if (fixups[index + 1] === FixupKind.block) continue;
      this.fixups.push(
        start + layout.map(fixups[index] ?? 0),
        fixups[index + 1] ?? 0,
        fixups[index + 2] ?? 0,
        fixups[index + 3] ?? 0,
      );
    }
    for (const table of unit.tables) {
      table.labels.forEach((label, entry) =>
        this.jumpEntries.push(table.offset, entry, start + layout.map(labels[label] ?? 0)),
      );
    }
    const lines = unit.lines.map((entry, index) => (index % 2 === 0 ? start + layout.map(entry) : entry));
    return { start, end: this.length, frameBytes, lines };
  }

  /** Appends finished machine code; its fix-ups are the caller's. */
  appendCode(code: Uint8Array, frameBytes: number): TextFunction {
    this.align(this.alignment);
    const start = this.length;
    this.reserve(code.length);
    this.bytes.set(code, start);
    this.length = start + code.length;
    return { start, end: this.length, frameBytes, lines: [] };
  }

  private copy(bytes: Uint8Array, from: number, to: number): void {
    if (to - from > 32) this.bytes.set(bytes.subarray(from, to), this.length);
    else for (let at = from; at < to; at++) this.bytes[this.length + at - from] = bytes[at] ?? 0;
    this.length += to - from;
  }

  private finishJumps(start: number, jumps: readonly number[], labels: readonly number[], layout: Relocation): void {
    for (let index = 0; index < jumps.length; index += 3) {
      const field = jumps[index] ?? 0;
      const size = jumps[index + 2] ?? 0;
      const distance = start + layout.map(labels[jumps[index + 1] ?? 0] ?? 0) - (field + size);
      if (size === 1) this.bytes[field] = distance;
      else writeInt32(this.bytes, field, distance);
    }
  }
}

export function writeInt32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >> 8;
  bytes[at + 2] = value >> 16;
  bytes[at + 3] = value >> 24;
}

const callOpcode = 0xe8;

function isConditional(bytes: Uint8Array, field: number): boolean {
  return bytes[field - 1] !== 0xe9 && bytes[field - 1] !== callOpcode;
}

const JumpShape = { short: 0, long: 1, none: 2 } as const;

function jumpShapes(
  bytes: Uint8Array,
  fixups: readonly number[],
  labels: readonly number[],
  alignedLabels: readonly number[],
): Uint8Array {
  const shapes = new Uint8Array(fixups.length >> 2);
  const aligned = alignedLabels.map((label) => labels[label] ?? 0).sort((left, right) => left - right);
  for (let index = 0; index < fixups.length; index += 4) {
    if (fixups[index + 1] !== FixupKind.block) continue;
    const end = (fixups[index] ?? 0) + 4;
    const target = labels[fixups[index + 2] ?? 0] ?? 0;
    const distance = target - end;
    if (bytes[end - 5] === callOpcode) {
      shapes[index >> 2] = JumpShape.long;
      continue;
    }
    if (distance === 0 && bytes[end - 5] === 0xe9 && !aligned.includes(target)) {
      shapes[index >> 2] = JumpShape.none;
      continue;
    }
    const padding =
      aligned.length === 0
        ? 0
        : 15 * aligned.filter((at) => at >= Math.min(end, target) && at <= Math.max(end, target)).length;
    shapes[index >> 2] = distance - padding >= -128 && distance + padding <= 127 ? JumpShape.short : JumpShape.long;
  }
  return shapes;
}

/** Maps positions in the emitted code to positions in the final code: shifts that hold from a position on. */
class Relocation {
  private readonly from: number[] = [0];
  private readonly by: number[] = [0];

  shift(from: number, by: number): void {
    if (this.from[this.from.length - 1] === from) this.by[this.by.length - 1] = by;
    else {
      this.from.push(from);
      this.by.push(by);
    }
  }

  map(position: number): number {
    let low = 0;
    let high = this.from.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.from[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return position + (this.by[low] ?? 0);
  }
}

/** NOPs of several bytes, as the manuals recommend. */
const nops: readonly (readonly number[])[] = [
  [],
  [0x90],
  [0x66, 0x90],
  [0x0f, 0x1f, 0x00],
  [0x0f, 0x1f, 0x40, 0x00],
  [0x0f, 0x1f, 0x44, 0x00, 0x00],
  [0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
  [0x0f, 0x1f, 0x80, 0, 0, 0, 0],
  [0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
];

function writePadding(bytes: Uint8Array, at: number, count: number): void {
  let position = at;
  let rest = count;
  while (rest > 0) {
    const size = Math.min(rest, nops.length - 1);
    for (const byte of nops[size] ?? []) bytes[position++] = byte;
    rest -= size;
  }
}
