/** What a program wrote to one of its streams, as far as it was kept. */
export interface Captured {
  /** UTF-8, with U+FFFD for bytes that are none. */
  readonly text: string;
  /** Bytes written in all. */
  readonly total: number;
  /** Bytes that were read and thrown away. */
  readonly dropped: number;
}

/** How much of a stream is kept (reference 12 12.3.6). */
export const CAPTURE_LIMIT = 1024 * 1024;

/** Keeps the beginning of a stream and counts the rest, so that a program that floods its output costs no memory. */
export class Capture {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #total = 0;

  constructor(limit = CAPTURE_LIMIT) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = this.#limit - this.#kept;
    if (room <= 0) return;
    // A copy: a slice would keep its whole 64 KiB buffer alive.
    const part = Buffer.from(chunk.subarray(0, room));
    this.#chunks.push(part);
    this.#kept += part.length;
  }

  get total(): number {
    return this.#total;
  }

  finish(): Captured {
    let bytes = Buffer.concat(this.#chunks);
    if (this.#total > bytes.length) bytes = bytes.subarray(0, wholeCharacters(bytes));
    return { text: bytes.toString("utf8"), total: this.#total, dropped: this.#total - bytes.length };
  }
}

/** The length of `bytes` without a UTF-8 sequence that the cut has left incomplete at its end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
