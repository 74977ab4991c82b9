// `WasmModule` -> the bytes of a module in the core format, with names and the position table (docs/runtime-abi.md) on request.
import type {
  DataSegment,
  ElementSegment,
  Export,
  FuncType,
  Import,
  Limits,
  ValueType,
  WasmFunction,
  WasmGlobal,
  WasmModule,
} from "./module.ts";
import { sections } from "./sections.ts";

export interface EncodeOptions {
  /** Writes function names (section `name`). */
  readonly names: boolean;
  /** Writes where code comes from (section `hale.positions`). */
  readonly positions: boolean;
}

const POSITION_VERSION = 1;
const KINDS = { function: 0, table: 1, memory: 2, global: 3 } as const;

/** The bytes of a module. */
export function encodeModule(
  module: WasmModule,
  options: EncodeOptions = { names: true, positions: true },
): Uint8Array {
  const out = new ByteWriter(estimate(module));
  out.bytes(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  vectorSection(out, sections.type, module.types, writeFuncType);
  vectorSection(out, sections.import, module.imports, writeImport);
  vectorSection(out, sections.function, module.functions, (to, fn) => to.unsigned(fn.type));
  vectorSection(out, sections.table, module.tables, (to, table) => {
    to.byte(table.element);
    writeLimits(to, table.limits);
  });
  vectorSection(out, sections.memory, module.memories, writeLimits);
  vectorSection(out, sections.global, module.globals, writeGlobal);
  vectorSection(out, sections.export, module.exports, writeExport);
  const { start } = module;
  if (start !== undefined) section(out, sections.start, (to) => to.unsigned(start));
  vectorSection(out, sections.element, module.elements, writeElements);
  if (module.data.some((segment) => segment.mode === "passive"))
    section(out, sections.dataCount, (to) => to.unsigned(module.data.length));
  vectorSection(out, sections.code, module.functions, writeCode);
  vectorSection(out, sections.data, module.data, writeData);
  if (options.names) writeNames(out, module);
  if (options.positions) writePositions(out, module);
  return out.finish();
}

function estimate(module: WasmModule): number {
  let size = 4096;
  for (const fn of module.functions) size += fn.code.length + 48;
  for (const segment of module.data) size += segment.bytes.length + 16;
  return size;
}

function section(out: ByteWriter, id: number, write: (to: ByteWriter) => void): void {
  out.byte(id);
  out.sized(write);
}

function vectorSection<T>(
  out: ByteWriter,
  id: number,
  items: readonly T[],
  write: (to: ByteWriter, item: T) => void,
): void {
  if (items.length === 0) return;
  section(out, id, (to) => {
    to.unsigned(items.length);
    for (const item of items) write(to, item);
  });
}

function writeFuncType(to: ByteWriter, type: FuncType): void {
  to.byte(0x60);
  to.unsigned(type.params.length);
  for (const param of type.params) to.byte(param);
  to.unsigned(type.results.length);
  for (const result of type.results) to.byte(result);
}

function writeImport(to: ByteWriter, { module, name, description }: Import): void {
  to.name(module);
  to.name(name);
  to.byte(KINDS[description.kind]);
  switch (description.kind) {
    case "function":
      to.unsigned(description.type);
      return;
    case "table":
      to.byte(description.element);
      writeLimits(to, description.limits);
      return;
    case "memory":
      writeLimits(to, description.limits);
      return;
    case "global":
      to.byte(description.type);
      to.byte(description.mutable ? 1 : 0);
      return;
    default:
      description satisfies never;
  }
}

function writeLimits(to: ByteWriter, limits: Limits): void {
  to.byte((limits.maximum === undefined ? 0 : 1) | (limits.shared ? 2 : 0));
  to.unsigned(limits.minimum);
  if (limits.maximum !== undefined) to.unsigned(limits.maximum);
}

function writeGlobal(to: ByteWriter, global: WasmGlobal): void {
  to.byte(global.type);
  to.byte(global.mutable ? 1 : 0);
  to.bytes(global.init);
}

function writeExport(to: ByteWriter, entry: Export): void {
  to.name(entry.name);
  to.byte(KINDS[entry.kind]);
  to.unsigned(entry.index);
}

function writeElements(to: ByteWriter, segment: ElementSegment): void {
  // Kinds 4 to 7: initialisers are expressions.
  const flags = segment.mode === "active" ? 6 : segment.mode === "passive" ? 5 : 7;
  to.unsigned(flags);
  if (segment.mode === "active") {
    to.unsigned(segment.table);
    to.bytes(segment.offset ?? Uint8Array.of(0x41, 0, 0x0b));
  }
  to.byte(segment.element);
  to.unsigned(segment.init.length);
  for (const init of segment.init) to.bytes(init);
}

function writeCode(to: ByteWriter, fn: WasmFunction): void {
  to.sized((body) => {
    writeLocals(body, fn.locals);
    body.bytes(fn.code);
  });
}

/** Runs of one type are written as one entry. */
function writeLocals(to: ByteWriter, locals: readonly ValueType[]): void {
  let runs = 0;
  for (let at = 0; at < locals.length; at++) if (locals[at] !== locals[at - 1]) runs++;
  to.unsigned(runs);
  for (let at = 0; at < locals.length; ) {
    const type = locals[at] ?? 0;
    let end = at + 1;
    while (locals[end] === type) end++;
    to.unsigned(end - at);
    to.byte(type);
    at = end;
  }
}

function writeData(to: ByteWriter, segment: DataSegment): void {
  to.unsigned(segment.mode === "active" ? 0 : 1);
  if (segment.offset) to.bytes(segment.offset);
  to.unsigned(segment.bytes.length);
  to.bytes(segment.bytes);
}

function importedFunctions(module: WasmModule): number {
  return module.imports.filter((entry) => entry.description.kind === "function").length;
}

function writeNames(out: ByteWriter, module: WasmModule): void {
  const first = importedFunctions(module);
  const named = module.functions
    .map((fn, position) => ({ index: first + position, name: fn.name }))
    .filter(({ name }) => name !== "");
  section(out, sections.custom, (to) => {
    to.name("name");
    to.byte(1);
    to.sized((part) => {
      part.unsigned(named.length);
      for (const { index, name } of named) {
        part.unsigned(index);
        part.name(name);
      }
    });
  });
}

function writePositions(out: ByteWriter, module: WasmModule): void {
  const first = importedFunctions(module);
  const placed = module.functions
    .map((fn, position) => ({ index: first + position, positions: fn.positions }))
    .filter(({ positions }) => positions && positions.length > 0);
  section(out, sections.custom, (to) => {
    to.name("hale.positions");
    to.unsigned(POSITION_VERSION);
    to.unsigned(module.files.length);
    for (const file of module.files) to.name(file);
    to.unsigned(placed.length);
    let before = -1;
    for (const { index, positions } of placed) {
      to.unsigned(index - before - 1);
      before = index;
      if (positions) writeFunctionPositions(to, positions);
    }
  });
}

function writeFunctionPositions(to: ByteWriter, positions: Int32Array): void {
  to.unsigned(positions.length / 3);
  let offset = 0;
  let file = 0;
  let line = 0;
  for (let at = 0; at < positions.length; at += 3) {
    const [nextOffset = 0, nextFile = 0, place = 0] = positions.subarray(at, at + 3);
    to.unsigned(nextOffset - offset);
    to.signed(nextFile - file);
    to.signed((place >>> 12) - line);
    to.unsigned(place & 4095);
    offset = nextOffset;
    file = nextFile;
    line = place >>> 12;
  }
}

const textEncoder = new TextEncoder();

/** A growing array of bytes. */
class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  bytes(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  unsigned(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  signed(value: number): void {
    let rest = value;
    while (rest < -64 || rest > 63) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.byte(rest & 0x7f);
  }

  name(text: string): void {
    const encoded = textEncoder.encode(text);
    this.unsigned(encoded.length);
    this.bytes(encoded);
  }

  /** What `write` writes, behind its size. The size takes as few bytes as it can: the content is moved down when it is known. */
  sized(write: (to: ByteWriter) => void): void {
    const start = this.#length;
    const widest = 5;
    this.#reserve(widest);
    this.#length += widest;
    write(this);
    const end = this.#length;
    const size = end - start - widest;
    this.#length = start;
    this.unsigned(size);
    this.#bytes.copyWithin(this.#length, start + widest, end);
    this.#length += size;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(this.#bytes.length * 2 + count);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
