// A pipe. Node has no pipe(2): this one lives in the main thread and is joined to the streams of the children that it is given to.
import type { Readable, Writable } from "node:stream";
import { errno } from "../errno.ts";
import { ByteQueue } from "./byte-queue.ts";
import { type Changed, type Descriptor, type Pending, WOULD_BLOCK, type WouldBlock } from "./descriptor.ts";

const CAPACITY = 65536;

export class Pipe {
  /** What the program wrote and nobody has read. */
  readonly #bytes = new ByteQueue();
  /** The output of children. It stays in the streams until somebody reads, so that a child whose output nobody wants stops as it would at a full pipe. */
  readonly #sources = new Set<Readable>();
  readonly #changed: Changed;
  /** Bytes that are on their way into a child. */
  #inFlight = 0;
  #readers = 0;
  #writers = 0;
  #sink: Writable | undefined;

  constructor(changed: Changed) {
    this.#changed = changed;
  }

  /** How many bytes can be read at once. */
  get size(): number {
    let size = this.#bytes.size;
    for (const source of this.#sources) size += source.readableLength;
    return size;
  }

  /** Nobody can write any more. What was written is still to be read. */
  get ended(): boolean {
    return this.#writers === 0;
  }

  get broken(): boolean {
    return this.#readers === 0;
  }

  get full(): boolean {
    return this.size + this.#inFlight >= CAPACITY;
  }

  get free(): number {
    return Math.max(0, CAPACITY - this.size - this.#inFlight);
  }

  /** Nothing waits inside, neither to be read nor to be taken by a child. */
  get flushed(): boolean {
    return this.#sink === undefined ? this.size <= CAPACITY : this.size + this.#inFlight === 0;
  }

  openReader(): void {
    this.#readers++;
  }

  openWriter(): void {
    this.#writers++;
  }

  closeReader(): void {
    this.#readers--;
    this.#changed();
  }

  closeWriter(): void {
    this.#writers--;
    this.#pump();
    this.#changed();
  }

  /** A child writes into the pipe. */
  attachSource(stream: Readable): void {
    this.openWriter();
    this.#sources.add(stream);
    stream.on("readable", () => {
      sayEnd(stream);
      this.#pump();
      this.#changed();
    });
    stream.on("error", () => undefined);
    stream.once("close", () => {
      this.#sources.delete(stream);
      this.closeWriter();
    });
  }

  /** A child reads from the pipe. */
  attachSink(stream: Writable): void {
    this.openReader();
    this.#sink = stream;
    stream.on("error", () => undefined);
    stream.once("close", () => this.#detachSink());
    this.#pump();
  }

  /** The child takes no more. */
  #detachSink(): void {
    if (this.#sink === undefined) return;
    this.#sink = undefined;
    this.closeReader();
  }

  push(chunk: Uint8Array): void {
    this.#bytes.push(chunk);
    this.#pump();
    this.#changed();
  }

  /** The first `most` bytes, fewer when there are not so many. */
  take(most: number): Uint8Array {
    const parts = [this.#bytes.take(most)];
    let left = most - (parts[0]?.length ?? 0);
    for (const source of this.#sources) {
      const length = Math.min(left, source.readableLength);
      const part: unknown = length > 0 ? source.read(length) : null;
      sayEnd(source);
      if (!(part instanceof Uint8Array)) continue;
      parts.push(part);
      left -= part.length;
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  #pump(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    while (this.size > 0 && !sink.writableNeedDrain) {
      const chunk = this.take(CAPACITY);
      this.#inFlight += chunk.length;
      sink.write(chunk, (error) => {
        this.#inFlight -= chunk.length;
        if (error) {
          sink.destroy();
          this.#detachSink();
        }
        this.#pump();
        this.#changed();
      });
    }
    if (this.size === 0 && this.#writers === 0 && !sink.writableEnded) sink.end();
  }
}

/** A stream says that it has ended only when it is read while it is empty: who takes its last byte must ask once more. */
function sayEnd(stream: Readable): void {
  if (stream.readableLength === 0) stream.read(0);
}

/** The program's end for reading. */
export class PipeReader implements Descriptor {
  nonblocking = false;
  readTimeout = 0;
  writeTimeout = 0;
  readonly pipe: Pipe;

  constructor(pipe: Pipe) {
    this.pipe = pipe;
    pipe.openReader();
  }

  read(most: number): Uint8Array | WouldBlock {
    if (this.pipe.size > 0) return this.pipe.take(most);
    return this.pipe.ended ? new Uint8Array(0) : WOULD_BLOCK;
  }

  write(): number {
    return errno("EBADF");
  }

  readable(): boolean {
    return this.pipe.size > 0;
  }

  writable(): boolean {
    return false;
  }

  hungUp(): boolean {
    return this.pipe.ended;
  }

  failed(): boolean {
    return false;
  }

  close(): void {
    this.pipe.closeReader();
  }
}

/** The program's end for writing. */
export class PipeWriter implements Descriptor {
  nonblocking = false;
  readTimeout = 0;
  writeTimeout = 0;
  readonly pipe: Pipe;

  constructor(pipe: Pipe) {
    this.pipe = pipe;
    pipe.openWriter();
  }

  read(): number {
    return errno("EBADF");
  }

  write(bytes: Uint8Array, all: boolean): number | WouldBlock | Pending {
    if (this.pipe.broken) return errno("EPIPE");
    if (!all) {
      const part = bytes.subarray(0, this.pipe.free);
      if (part.length === 0) return WOULD_BLOCK;
      this.pipe.push(part);
      return part.length;
    }
    this.pipe.push(bytes);
    return () => {
      if (this.pipe.broken) return errno("EPIPE");
      return this.pipe.flushed ? bytes.length : WOULD_BLOCK;
    };
  }

  readable(): boolean {
    return false;
  }

  writable(): boolean {
    return !this.pipe.full;
  }

  hungUp(): boolean {
    return false;
  }

  failed(): boolean {
    return this.pipe.broken;
  }

  close(): void {
    this.pipe.closeWriter();
  }
}
