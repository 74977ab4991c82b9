// A cursor over the bytes of a module.

/** The bytes are not a WebAssembly module that this compiler reads; the message says what and at which byte. */
export class WasmFormatError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(`${message} at byte ${offset}`);
    this.name = "WasmFormatError";
    this.offset = offset;
  }
}

const textDecoder = new TextDecoder("utf-8", { fatal: true });

/** Reads LEB128 numbers, vectors and names. Every read is bounds-checked. */
export class ByteReader {
  readonly bytes: Uint8Array;
  position: number;
  readonly end: number;

  constructor(bytes: Uint8Array, position = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
  }

  get done(): boolean {
    return this.position >= this.end;
  }

  fail(message: string): never {
    throw new WasmFormatError(message, this.position);
  }

  byte(): number {
    const value = this.position < this.end ? this.bytes[this.position] : undefined;
    if (value === undefined) return this.fail("unexpected end");
    this.position++;
    return value;
  }

  take(length: number): Uint8Array {
    if (length > this.end - this.position) this.fail("unexpected end");
    const part = this.bytes.subarray(this.position, this.position + length);
    this.position += length;
    return part;
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  u32(): number {
    let result = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (shift === 28 && byte > 0x0f) this.fail("integer too large");
        return result >>> 0;
      }
    }
    return this.fail("integer representation too long");
  }

  /** A signed LEB128 number of at most 33 bits. */
  s33(): number {
    let result = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return byte & 0x40 ? result - 2 ** (shift + 7) : result;
    }
    return this.fail("integer representation too long");
  }

  /** Skips a LEB128 number of at most `bits` bits. */
  skipLeb(bits: number): void {
    const most = Math.ceil(bits / 7);
    for (let count = 0; count < most; count++) if (this.byte() < 0x80) return;
    this.fail("integer representation too long");
  }

  name(): string {
    const bytes = this.take(this.u32());
    try {
      return textDecoder.decode(bytes);
    } catch {
      return this.fail("malformed UTF-8 encoding");
    }
  }

  vector<T>(read: () => T): T[] {
    const count = this.u32();
    if (count > this.end - this.position) this.fail("length out of bounds");
    const items: T[] = [];
    for (let index = 0; index < count; index++) items.push(read());
    return items;
  }
}
