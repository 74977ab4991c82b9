// The program's linear memory as the host calls see it.

export class GuestMemory {
  #memory: WebAssembly.Memory | undefined;
  #bytes = Buffer.alloc(0);
  #words = new Int32Array(0);

  /** The calls are made before the memory is there: an instance that brings its own needs them first. */
  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  /** All of it. Growing replaces the buffer, so the view is only good until the program runs again. */
  get bytes(): Buffer {
    if (this.#bytes.buffer !== this.#buffer) this.#bytes = Buffer.from(this.#buffer);
    return this.#bytes;
  }

  /** All of it, for atomic operations; `address >>> 2` is the index. */
  get words(): Int32Array {
    if (this.#words.buffer !== this.#buffer) this.#words = new Int32Array(this.#buffer);
    return this.#words;
  }

  /** A copy of `length` bytes at an address. */
  copy(address: number, length: number): Buffer {
    const start = address >>> 0;
    // Memory that threads share may not be handed to most of Node's calls.
    return Buffer.from(Uint8Array.prototype.slice.call(this.bytes, start, start + length));
  }

  text(address: number, length: number): string {
    return this.copy(address, length).toString();
  }

  /** Stores at most `capacity` bytes at an address and returns how many there are in all. */
  put(address: number, capacity: number, bytes: Uint8Array): number {
    this.bytes.set(bytes.subarray(0, Math.max(0, capacity)), address >>> 0);
    return bytes.length;
  }

  view(address: number, length: number): DataView {
    return new DataView(this.#buffer, address >>> 0, length);
  }

  get #buffer(): ArrayBuffer {
    if (this.#memory === undefined) throw new Error("the program runs before it has a memory");
    return this.#memory.buffer;
  }
}
