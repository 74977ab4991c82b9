// The constants that code refers to: float bits, masks, references to functions, jump tables. One pool for the whole image.
export type PoolContent =
  | { readonly kind: "mask" }
  | { readonly kind: "constant"; readonly low: number; readonly high: number }
  | { readonly kind: "function"; readonly index: number };

export class ReadOnlyPool {
  private words: number[] = [];
  private readonly byBits = new Map<string, number>();
  /** Offsets of 8-byte entries that hold a reference to a function, with the function. */
  readonly functionReferences: [offset: number, index: number][] = [];
  private readonly references = new Map<number, number>();
  /** Offsets of 4-byte entries that hold the distance from the table's start to a place in the text, filled in by the linker. */
  readonly jumps: [offset: number, table: number, textOffset: number][] = [];

  /** Masks of 16 bytes stand first, aligned. */
  readonly absoluteMask32: number;
  readonly absoluteMask64: number;
  readonly signMask32: number;
  readonly signMask64: number;

  constructor() {
    this.absoluteMask32 = this.vector(0x7fff_ffff, 0x7fff_ffff);
    this.absoluteMask64 = this.vector(-1, 0x7fff_ffff);
    this.signMask32 = this.vector(-0x8000_0000, -0x8000_0000);
    this.signMask64 = this.vector(0, -0x8000_0000);
  }

  private vector(low: number, high: number): number {
    this.words.push(low, high, low, high);
    return (this.words.length - 4) * 4;
  }

  get byteLength(): number {
    return this.words.length * 4;
  }

  /** The offset of 8 bytes (aligned) with these bits. */
  bits64(low: number, high: number): number {
    const key = `${low},${high}`;
    let offset = this.byBits.get(key);
    if (offset === undefined) {
      if (this.words.length % 2 !== 0) this.words.push(0);
      offset = this.byteLength;
      this.words.push(low, high);
      this.byBits.set(key, offset);
    }
    return offset;
  }

  /** The offset of a number as a double. */
  double(value: number): number {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value, true);
    return this.bits64(view.getInt32(0, true), view.getInt32(4, true));
  }

  /** The offset of a number as a float (followed by four bytes of zero). */
  float(value: number): number {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, value, true);
    return this.bits64(view.getInt32(0, true), 0);
  }

  functionReference(index: number): number {
    let offset = this.references.get(index);
    if (offset === undefined) {
      if (this.words.length % 2 !== 0) this.words.push(0);
      offset = this.byteLength;
      this.words.push(0, 0);
      this.references.set(index, offset);
      this.functionReferences.push([offset, index]);
    }
    return offset;
  }

  /** What an entry, other than a jump table, is for. */
  contentAt(offset: number): PoolContent {
    if (offset < 4 * maskBytes) return { kind: "mask" };
    const reference = this.functionReferences.find(([place]) => place === offset);
    if (reference !== undefined) return { kind: "function", index: reference[1] };
    return { kind: "constant", low: this.words[offset / 4] ?? 0, high: this.words[offset / 4 + 1] ?? 0 };
  }

  /** Room for a jump table of `count` entries; returns its offset. */
  jumpTable(count: number): number {
    const offset = this.byteLength;
    for (let index = 0; index < count; index++) this.words.push(0);
    return offset;
  }

  /** Texts of Latin letters in records of a fixed size (a multiple of 4), a byte with the length first; returns the offset of the first record. */
  records(texts: readonly string[], size: number): number {
    const offset = this.byteLength;
    for (const text of texts) {
      const bytes = Buffer.alloc(size);
      bytes[0] = text.length;
      bytes.write(text, 1, "latin1");
      for (let at = 0; at < size; at += 4) this.words.push(bytes.readInt32LE(at));
    }
    return offset;
  }

  toBytes(): Uint8Array {
    return new Uint8Array(Int32Array.from(this.words).buffer);
  }
}

/** Each of the masks at the start. */
const maskBytes = 16;
