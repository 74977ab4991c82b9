// Literals and tables of the program: bytes behind the runtime's static data, below the heap, each content once.

export class StaticData {
  /** Address of the first byte. */
  readonly start: number;
  #bytes = new Uint8Array(1024);
  #length = 0;
  readonly #texts = new Map<string, number>();

  /** @param start the end of the runtime's static data; a multiple of 16 */
  constructor(start: number) {
    this.start = start;
  }

  /** The first address behind the data, a multiple of 16. */
  get end(): number {
    return (this.start + this.#length + 15) & -16;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Places a copy of `bytes` and returns its address. `alignment` is a power of two up to 16. */
  add(bytes: Uint8Array, alignment: number): number {
    const at = (this.#length + alignment - 1) & -alignment;
    this.#reserve(at + bytes.length);
    this.#bytes.set(bytes, at);
    this.#length = at + bytes.length;
    return this.start + at;
  }

  /** Fills in bytes of something that was added before. */
  overwrite(address: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, address - this.start);
  }

  /** The address of the String or Bytes value with this content (0 for the empty one). */
  text(content: Uint8Array): number {
    if (content.length === 0) return 0;
    const key = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1");
    let address = this.#texts.get(key);
    if (address === undefined) {
      const cell = new Uint8Array(4 + content.length);
      new DataView(cell.buffer).setInt32(0, content.length, true);
      cell.set(content, 4);
      address = this.add(cell, 4);
      this.#texts.set(key, address);
    }
    return address;
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
