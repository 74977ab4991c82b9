// Reading the sections of a WebAssembly module, as far as the launcher needs to.

export const SECTION = { custom: 0, import: 2, memory: 5, code: 10, data: 11, dataCount: 12 } as const;

export interface Section {
  readonly id: number;
  /** Where the section's id stands. */
  readonly start: number;
  /** Where its payload starts and ends. */
  readonly payload: number;
  readonly end: number;
}

/** Reads numbers and names in the encoding of the core format. */
export class Cursor {
  readonly #bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes;
    this.position = position;
  }

  byte(): number {
    const value = this.#bytes[this.position];
    if (value === undefined) throw new RangeError("unexpected end");
    this.position++;
    return value;
  }

  /** An unsigned LEB128 number of up to 32 bits. */
  unsigned(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  /** A signed LEB128 number of up to 32 bits. */
  signed(): number {
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) return shift < 32 && (byte & 0x40) !== 0 ? value | (-1 << shift) : value;
    }
  }

  bytes(length: number): Uint8Array {
    if (this.position + length > this.#bytes.length) throw new RangeError("unexpected end");
    const part = this.#bytes.subarray(this.position, this.position + length);
    this.position += length;
    return part;
  }

  name(): string {
    return Buffer.from(this.bytes(this.unsigned())).toString();
  }
}

/** The sections of a module, in order. Throws a RangeError when the bytes are no module. */
export function sectionsOf(bytes: Uint8Array): Section[] {
  if (!isModule(bytes)) throw new RangeError("not a WebAssembly module");
  const sections: Section[] = [];
  const cursor = new Cursor(bytes, 8);
  while (cursor.position < bytes.length) {
    const start = cursor.position;
    const id = cursor.byte();
    const size = cursor.unsigned();
    const payload = cursor.position;
    cursor.bytes(size);
    sections.push({ id, start, payload, end: payload + size });
  }
  return sections;
}

/** Whether the bytes begin like a WebAssembly module of version 1. */
export function isModule(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 8)).equals(Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
}

/** The payload of the custom section with that name. */
export function customSection(bytes: Uint8Array, name: string): Uint8Array | undefined {
  for (const section of sectionsOf(bytes)) {
    if (section.id !== SECTION.custom) continue;
    const cursor = new Cursor(bytes, section.payload);
    if (cursor.name() === name) return bytes.subarray(cursor.position, section.end);
  }
  return undefined;
}

export function functionImportCount(bytes: Uint8Array): number {
  const section = sectionsOf(bytes).find(({ id }) => id === SECTION.import);
  if (section === undefined) return 0;
  const cursor = new Cursor(bytes, section.payload);
  let count = 0;
  for (let left = cursor.unsigned(); left > 0; left--) {
    cursor.name();
    cursor.name();
    if (skipImportDescription(cursor) === 0) count++;
  }
  return count;
}

/** Passes over an import's description and returns its kind. */
function skipImportDescription(cursor: Cursor): number {
  const kind = cursor.byte();
  switch (kind) {
    case 0: // function: type index
      cursor.unsigned();
      break;
    case 1: // table: element type, limits
      cursor.byte();
      readLimits(cursor);
      break;
    case 2: // memory
      readLimits(cursor);
      break;
    case 3: // global: type, mutability
      cursor.byte();
      cursor.byte();
      break;
    default:
      throw new RangeError(`unknown import kind ${kind}`);
  }
  return kind;
}

export interface Limits {
  readonly minimum: number;
  readonly maximum: number | undefined;
  readonly shared: boolean;
}

export function readLimits(cursor: Cursor): Limits {
  const flags = cursor.byte();
  const minimum = cursor.unsigned();
  return { minimum, maximum: (flags & 1) !== 0 ? cursor.unsigned() : undefined, shared: (flags & 2) !== 0 };
}

/** For each defined function where its instructions start, the local declarations passed. */
export function codeStarts(bytes: Uint8Array): number[] {
  const section = sectionsOf(bytes).find(({ id }) => id === SECTION.code);
  if (section === undefined) return [];
  const starts: number[] = [];
  const cursor = new Cursor(bytes, section.payload);
  for (let left = cursor.unsigned(); left > 0; left--) {
    const size = cursor.unsigned();
    const end = cursor.position + size;
    for (let groups = cursor.unsigned(); groups > 0; groups--) {
      cursor.unsigned();
      cursor.byte();
    }
    starts.push(cursor.position);
    cursor.position = end;
  }
  return starts;
}
