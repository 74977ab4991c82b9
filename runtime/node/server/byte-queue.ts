// Bytes that have come and wait to be read.

export class ByteQueue {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** The first `most` bytes, fewer when there are not so many: a read takes what several writes brought. */
  take(most: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let first = this.#chunks[0]; first !== undefined && length < most; first = this.#chunks[0]) {
      const part = first.subarray(0, most - length);
      parts.push(part);
      length += part.length;
      if (part.length === first.length) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(part.length);
    }
    this.#size -= length;
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }
}
