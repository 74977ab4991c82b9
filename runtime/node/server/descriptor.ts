// What the main thread keeps under a descriptor: pipes, sockets, standard input once it is polled.

/** Where a call that would have to wait stands: nothing to tell yet. */
export const WOULD_BLOCK = Symbol("would block");
export type WouldBlock = typeof WOULD_BLOCK;

export interface Descriptor {
  nonblocking: boolean;
  /** How long a read and a write may wait, in milliseconds; 0 for ever. */
  readTimeout: number;
  writeTimeout: number;
  /** At most `most` bytes; empty at the end; a negated errno. */
  read(most: number): Uint8Array | number | WouldBlock;
  /**
   * Takes bytes over, if `all` is false perhaps only the first ones. The result is a count or a negated errno; `undefined` from a call that has taken
   * all and must wait: `written` tells when.
   */
  write(bytes: Uint8Array, all: boolean): number | WouldBlock | Pending;
  readable(): boolean;
  writable(): boolean;
  /** The other side is gone. */
  hungUp(): boolean;
  failed(): boolean;
  close(): void;
}

/** Bytes on their way: asked again after every change until it has an answer. */
export type Pending = () => number | WouldBlock;

/** Tells the server that some descriptor or child changed, so that waiting calls are tried again. */
export type Changed = () => void;

export const POLLIN = 1;
export const POLLOUT = 4;
export const POLLERR = 8;
export const POLLHUP = 16;
export const POLLNVAL = 32;
