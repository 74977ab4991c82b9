// Puts the image together: addresses for everything, fix-ups, segments, the ELF file.
import type { WasmModule } from "../wasm/index.ts";
import { dataImage, elementsFit, referenceBits } from "./data-image.ts";
import type { ReadOnlyPool } from "./emit/read-only-pool.ts";
import { headersSize, type Section, type Segment, SegmentFlags, type SymbolEntry, writeElf } from "./elf.ts";
import { TrapKind } from "./ir/operations.ts";
import { type MemoryPiece, memoryPieces } from "./memory-image.ts";
import { imageBase, memoryBase, type ModulePlan } from "./plan.ts";
import { backtraceTables, type CodeEntry } from "./places.ts";
import { Stub } from "./stubs/table.ts";
import { type Text, type TextFunction, writeInt32 } from "./text.ts";
import { FixupKind } from "./x64/assembler.ts";

const pageBytes = 4096;
const wasmPageBytes = 65536;

export interface ImageParts {
  readonly plan: ModulePlan;
  readonly text: Text;
  readonly pool: ReadOnlyPool;
  /** Imports first. */
  readonly functions: readonly TextFunction[];
  /** By stub number; missing ones are not used. */
  readonly stubs: readonly (TextFunction | undefined)[];
}

/** The trap that instantiating the module ends in, if any: elements are placed before data. */
export function instantiationFailure(plan: ModulePlan): TrapKind | undefined {
  if (!elementsFit(plan)) return TrapKind.tableBounds;
  return memoryPieces(plan) === undefined ? TrapKind.memoryBounds : undefined;
}

export function linkImage(parts: ImageParts): Uint8Array {
  const { plan, text, pool } = parts;
  const memory = memorySegments(plan, memoryPieces(plan) ?? []);
  const headers = headersSize(memory.length + 2);
  const poolOffset = (headers + 15) & -16;
  const textOffset = (poolOffset + pool.byteLength + 63) & -64;
  const extra = new ReadOnlyBlob((textOffset + text.length + 15) & -16);
  const textAddress = imageBase + BigInt(textOffset);
  const functionAddress = (index: number) => textAddress + BigInt(parts.functions[index]?.start ?? 0);
  // The data segment's address depends on the size of what it places in the read-only part: that part is bounded first.
  const tablesOffset = usesTables(text) ? extra.place(backtraceTables(plan.module, codeEntries(parts), textOffset)) : 0;
  const readOnlyBound = extra.end + 8 + readOnlyBytes(plan.module);
  const dataOffset = (readOnlyBound + pageBytes - 1) & -pageBytes;
  const dataAddress = imageBase + BigInt(dataOffset);
  const data = dataImage(plan, {
    data: dataAddress,
    functionAddress,
    placeReadOnly: (bytes) => imageBase + BigInt(extra.place(bytes)),
  });
  const image = new Uint8Array(extra.end);
  image.set(poolBytes(parts, textAddress, imageBase + BigInt(poolOffset)), poolOffset);
  image.set(text.bytes.subarray(0, text.length), textOffset);
  extra.copyTo(image);
  applyFixups(image, textOffset, parts, { poolOffset, dataOffset, tablesOffset });
  const segments: Segment[] = [
    ...memory,
    { address: imageBase, bytes: image, memoryBytes: image.length, flags: SegmentFlags.read | SegmentFlags.execute },
    {
      address: dataAddress,
      bytes: data.bytes,
      memoryBytes: data.memoryBytes,
      flags: SegmentFlags.read | SegmentFlags.write,
    },
  ];
  const sections = sectionsOf(memory.length, textOffset, text.length, textAddress, dataAddress, data.bytes.length);
  const entry = textAddress + BigInt(parts.stubs[Stub.entry]?.start ?? 0);
  return writeElf(entry, segments, memory.length, sections, symbolsOf(parts, textAddress));
}

/** Bytes that do not change, behind the code. */
class ReadOnlyBlob {
  readonly start: number;
  end: number;
  private readonly parts: { readonly offset: number; readonly bytes: Uint8Array }[] = [];

  constructor(start: number) {
    this.start = start;
    this.end = start;
  }

  place(bytes: Uint8Array): number {
    const offset = (this.end + 7) & -8;
    this.parts.push({ offset, bytes });
    this.end = offset + bytes.length;
    return offset;
  }

  copyTo(image: Uint8Array): void {
    for (const { offset, bytes } of this.parts) image.set(bytes, offset);
  }
}

function usesTables({ fixups }: Text): boolean {
  for (let index = 0; index < fixups.length; index += 4) if (fixups[index + 1] === FixupKind.tables) return true;
  return false;
}

/** Stubs whose frames nothing is around: the process's and a thread's first. */
const outermostStubs: ReadonlySet<number> = new Set([Stub.entry, Stub.threadStart, Stub.spawn]);

function codeEntries({ plan, functions, stubs }: ImageParts): CodeEntry[] {
  const imports = plan.importedFunctions.length;
  const entries: CodeEntry[] = [];
  // Emptied functions share their code.
  const known = new Set<TextFunction>();
  functions.forEach((code, index) => {
    if (!known.has(code)) entries.push({ code, source: plan.module.functions[index - imports], outermost: false });
    known.add(code);
  });
  stubs.forEach((code, number) => {
    if (code !== undefined) entries.push({ code, source: undefined, outermost: outermostStubs.has(number) });
  });
  return entries;
}

/** At least the size of what dataImage places in the read-only part. */
function readOnlyBytes(module: WasmModule): number {
  let bytes = 0;
  for (const segment of module.data) if (segment.mode === "passive") bytes += segment.bytes.length + 8;
  for (const segment of module.elements) if (segment.mode === "passive") bytes += 8 * segment.init.length + 8;
  return bytes;
}

/** Initialised pieces with the zero pages behind them, from address 0 of linear memory to its initial size. */
function memorySegments(plan: ModulePlan, pieces: readonly MemoryPiece[]): Segment[] {
  const size = (plan.memory?.minimum ?? 0) * wasmPageBytes;
  const flags = SegmentFlags.read | SegmentFlags.write;
  const segments: Segment[] = [];
  const first = pieces[0]?.start ?? size;
  if (first > 0) segments.push({ address: BigInt(memoryBase), bytes: new Uint8Array(0), memoryBytes: first, flags });
  pieces.forEach((piece, index) => {
    const end = pieces[index + 1]?.start ?? size;
    segments.push({
      address: BigInt(memoryBase + piece.start),
      bytes: piece.bytes,
      memoryBytes: end - piece.start,
      flags,
    });
  });
  return segments;
}

function applyFixups(
  image: Uint8Array,
  textOffset: number,
  parts: ImageParts,
  offsets: { readonly poolOffset: number; readonly dataOffset: number; readonly tablesOffset: number },
): void {
  const { fixups } = parts.text;
  for (let index = 0; index < fixups.length; index += 4) {
    const field = textOffset + (fixups[index] ?? 0);
    const number = fixups[index + 2] ?? 0;
    let target: number;
    switch (fixups[index + 1]) {
      case FixupKind.function:
        target = textOffset + (parts.functions[number]?.start ?? 0);
        break;
      case FixupKind.stub: {
        const stub = parts.stubs[number];
        if (stub === undefined) throw new Error(`stub ${number} is missing`);
        target = textOffset + stub.start;
        break;
      }
      case FixupKind.tables:
        target = offsets.tablesOffset;
        break;
      case FixupKind.readOnly:
        target = offsets.poolOffset + number;
        break;
      default:
        target = offsets.dataOffset + number;
    }
    writeInt32(image, field, target - field - (fixups[index + 3] ?? 0));
  }
}

function poolBytes({ plan, text, pool, functions }: ImageParts, textAddress: bigint, poolAddress: bigint): Uint8Array {
  const bytes = pool.toBytes();
  const view = new DataView(bytes.buffer);
  for (const [offset, index] of pool.functionReferences) {
    view.setBigUint64(offset, referenceBits(plan, index, textAddress + BigInt(functions[index]?.start ?? 0)), true);
  }
  const { jumpEntries } = text;
  const distance = Number(textAddress - poolAddress);
  for (let index = 0; index < jumpEntries.length; index += 3) {
    const table = jumpEntries[index] ?? 0;
    writeInt32(bytes, table + 4 * (jumpEntries[index + 1] ?? 0), distance + (jumpEntries[index + 2] ?? 0) - table);
  }
  return bytes;
}

function sectionsOf(
  imageSegment: number,
  textOffset: number,
  textBytes: number,
  textAddress: bigint,
  dataAddress: bigint,
  dataBytes: number,
): Section[] {
  const common = { link: 0, info: 0, entrySize: 0, alignment: 16, type: 1 };
  return [
    {
      ...common,
      name: ".text",
      flags: 6,
      address: textAddress,
      content: { segment: imageSegment, offset: textOffset, size: textBytes },
    },
    {
      ...common,
      name: ".data",
      flags: 3,
      address: dataAddress,
      content: { segment: imageSegment + 1, offset: 0, size: dataBytes },
    },
  ];
}

function symbolsOf({ plan, functions, stubs }: ImageParts, textAddress: bigint): SymbolEntry[] {
  const symbols: SymbolEntry[] = [];
  const imports = plan.importedFunctions.length;
  const add = (name: string, entry: TextFunction) => {
    symbols.push({ name, address: textAddress + BigInt(entry.start), size: entry.end - entry.start });
  };
  const known = new Set<TextFunction>();
  functions.forEach((entry, index) => {
    if (known.has(entry)) return;
    known.add(entry);
    const imported = plan.importedFunctions[index];
    add(
      imported
        ? `${imported.module}.${imported.name}`
        : plan.module.functions[index - imports]?.name || `function ${index}`,
      entry,
    );
  });
  for (const [name, number] of Object.entries(Stub)) {
    const entry = stubs[number];
    if (entry !== undefined) add(`(${name})`, entry);
  }
  return symbols;
}
