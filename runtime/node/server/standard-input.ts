// Standard input once the main thread reads it: when the program waits for it with a time limit, or has several threads.
import type { ReadStream } from "node:tty";
import { errno } from "../errno.ts";
import { type Changed, type Descriptor, WOULD_BLOCK, type WouldBlock } from "./descriptor.ts";

export class StandardInput implements Descriptor {
  nonblocking = false;
  readTimeout = 0;
  writeTimeout = 0;
  readonly #stream: NodeJS.ReadStream & Partial<ReadStream>;
  #ended = false;

  constructor(changed: Changed) {
    this.#stream = process.stdin;
    this.#stream.on("readable", changed);
    const end = () => {
      this.#ended = true;
      changed();
    };
    this.#stream.on("end", end);
    this.#stream.on("error", end);
    this.#stream.on("close", end);
  }

  read(most: number): Uint8Array | WouldBlock {
    const available = Math.min(most, this.#stream.readableLength);
    const chunk: unknown = available > 0 ? this.#stream.read(available) : null;
    if (chunk instanceof Uint8Array) return chunk;
    this.#stream.read(0);
    return this.#ended ? new Uint8Array(0) : WOULD_BLOCK;
  }

  write(): number {
    return errno("EBADF");
  }

  readable(): boolean {
    // At the end of the input, `read` on an empty stream makes it say so.
    if (this.#stream.readableLength === 0 && !this.#ended) this.#stream.read(0);
    return this.#stream.readableLength > 0 || this.#ended;
  }

  writable(): boolean {
    return false;
  }

  hungUp(): boolean {
    return this.#ended;
  }

  failed(): boolean {
    return false;
  }

  close(): void {
    this.#stream.destroy();
  }
}
