// A fast cursor over the code bytes of one (valid) function body.
import { type Immediates, opcodes } from "../../wasm/index.ts";

/** Kinds of immediates as small numbers, by opcode byte; prefixed instructions are looked up in their own tables. */
const kindNumbers: Readonly<Record<Immediates, number>> = {
  none: 0,
  block: 1,
  label: 2,
  labels: 3,
  function: 2,
  "type table": 4,
  types: 5,
  local: 2,
  global: 2,
  table: 2,
  "table table": 4,
  element: 2,
  "element table": 4,
  data: 2,
  "data memory": 4,
  memory: 2,
  "memory memory": 4,
  "memory access": 4,
  i32: 2,
  i64: 2,
  f32: 6,
  f64: 7,
  "reference type": 2,
  byte: 8,
};

const plainKinds = new Uint8Array(256);
const miscKinds = new Uint8Array(256);
const atomicKinds = new Uint8Array(256);
for (const entry of Object.values(opcodes)) {
  const table = entry.code < 256 ? plainKinds : entry.code >> 8 === 0xfc ? miscKinds : atomicKinds;
  table[entry.code & 255] = kindNumbers[entry.immediates];
}

const noBytes = new Uint8Array(0);

export class CodeReader {
  bytes: Uint8Array = noBytes;
  position = 0;
  /** Halves of the number read last by `s64`. */
  low = 0;
  high = 0;

  open(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.position = 0;
  }

  byte(): number {
    return this.bytes[this.position++] ?? 0;
  }

  u32(): number {
    let byte = this.bytes[this.position++] ?? 0;
    if (byte < 0x80) return byte;
    let result = byte & 0x7f;
    for (let shift = 7; ; shift += 7) {
      byte = this.bytes[this.position++] ?? 0;
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return result >>> 0;
    }
  }

  s32(): number {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.position++] ?? 0;
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return shift < 25 && (byte & 0x40) !== 0 ? result | (-1 << (shift + 7)) : result;
    }
  }

  /** Reads into `low` and `high`. */
  s64(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.position++] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        if ((byte & 0x40) !== 0) {
          const used = shift + 7;
          if (used < 32) {
            low |= -1 << used;
            high = -1;
          } else if (used < 64) high |= -1 << (used - 32);
        }
        this.low = low;
        this.high = high;
        return;
      }
    }
  }

  bits32(): number {
    const bytes = this.bytes;
    const at = this.position;
    this.position = at + 4;
    return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
  }

  skipLeb(): void {
    while ((this.bytes[this.position++] ?? 0) >= 0x80);
  }

  /** Moves past the immediates of an instruction whose opcode byte has just been read. */
  skipImmediates(opcode: number): void {
    let kind = plainKinds[opcode];
    if (opcode >= 0xfc) {
      const number = this.u32();
      kind = (opcode === 0xfc ? miscKinds : atomicKinds)[number];
    }
    switch (kind) {
      case 0:
        return;
      case 1:
      case 2:
        this.skipLeb();
        return;
      case 3: {
        const count = this.u32();
        for (let index = 0; index <= count; index++) this.skipLeb();
        return;
      }
      case 4:
        this.skipLeb();
        this.skipLeb();
        return;
      case 5: {
        const count = this.u32();
        this.position += count;
        return;
      }
      case 6:
        this.position += 4;
        return;
      case 7:
        this.position += 8;
        return;
      default:
        this.position++;
    }
  }
}
