// The tables for backtraces: from an address in the code to its function, the size of the frame and the place in the sources. Format: runtime/linux/backtrace.ts.
import type { WasmFunction, WasmModule } from "../wasm/index.ts";
import type { TextFunction } from "./text.ts";

/** A stretch of code with its frame; `source` when it has places. */
export interface CodeEntry {
  readonly code: TextFunction;
  readonly source: WasmFunction | undefined;
  /** No frame is around this one. */
  readonly outermost: boolean;
}

const columnBits = 4096;

/** `textOffset`: start of the code relative to the image's base. */
export function backtraceTables(module: WasmModule, entries: readonly CodeEntry[], textOffset: number): Uint8Array {
  const sorted = [...entries].sort((left, right) => left.code.start - right.code.start);
  const head = 8 + 12 * (sorted.length + 1) + 8 * module.files.length;
  const writer = new ByteWriter();
  const places = sorted.map(({ code, source }) => {
    if (source?.positions === undefined || source.positions.length === 0) return 0;
    const offset = head + writer.length;
    writePlaces(writer, code, source.positions);
    return offset;
  });
  const names = module.files.map((name) => {
    const bytes = Buffer.from(name);
    const offset = head + writer.length;
    for (const byte of bytes) writer.byte(byte);
    return [offset, bytes.length] as const;
  });
  const bytes = new Uint8Array(head + writer.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, sorted.length, true);
  view.setInt32(4, module.files.length, true);
  sorted.forEach(({ code, outermost }, index) => {
    const at = 8 + 12 * index;
    view.setInt32(at, textOffset + code.start, true);
    view.setInt32(at + 4, outermost ? -1 : code.frameBytes, true);
    view.setInt32(at + 8, places[index] ?? 0, true);
  });
  const end = 8 + 12 * sorted.length;
  view.setInt32(end, textOffset + (sorted[sorted.length - 1]?.code.end ?? 0), true);
  names.forEach(([offset, length], index) => {
    view.setInt32(end + 12 + 8 * index, offset, true);
    view.setInt32(end + 16 + 8 * index, length, true);
  });
  bytes.set(writer.toBytes(), head);
  return bytes;
}

/** One entry for each change of place along the code. */
function writePlaces(writer: ByteWriter, code: TextFunction, positions: Int32Array): void {
  let at = code.start;
  let file = 0;
  let line = 0;
  let last = -1;
  const { lines } = code;
  for (let index = 0; index < lines.length; index += 2) {
    const place = placeAt(positions, lines[index + 1] ?? 0);
    if (place === last) continue;
    last = place;
    const codeOffset = lines[index] ?? 0;
    const placeFile = place < 0 ? file : (positions[place + 1] ?? 0);
    const packed = place < 0 ? 0 : (positions[place + 2] ?? 0);
    const placeLine = Math.floor(packed / columnBits);
    writer.unsigned(codeOffset - at + 1);
    writer.signed(placeFile - file);
    writer.signed(placeLine - line);
    writer.unsigned(packed % columnBits);
    at = codeOffset;
    file = placeFile;
    line = placeLine;
  }
  writer.unsigned(0);
}

/** The index of the triple that holds at an offset in the WebAssembly code, or -1. */
function placeAt(positions: Int32Array, origin: number): number {
  let low = 0;
  let high = positions.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[3 * middle] ?? 0) <= origin) low = middle + 1;
    else high = middle;
  }
  return 3 * (low - 1) < 0 ? -1 : 3 * (low - 1);
}

class ByteWriter {
  private bytes: number[] = [];

  get length(): number {
    return this.bytes.length;
  }

  byte(value: number): void {
    this.bytes.push(value);
  }

  unsigned(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.bytes.push(rest);
  }

  signed(value: number): void {
    this.unsigned((value << 1) ^ (value >> 31));
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}
