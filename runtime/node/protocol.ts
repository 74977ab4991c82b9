// What the launcher's main thread and the threads of the program share.
//
// A thread of the program asks the main thread by a message and sleeps on its mailbox until the answer is there. Everything that needs no event
// loop the threads do themselves, through Node's synchronous calls.

/** A host call by its import name, and its arguments; bytes are copies. */
export type Request = readonly [call: string, ...args: Argument[]];
export type Argument = number | bigint | Uint8Array;

/** What a thread is started with. */
export interface ThreadData {
  readonly control: SharedArrayBuffer;
  readonly mailbox: SharedArrayBuffer;
  /** What the program sees as its arguments, the program itself first. */
  readonly args: readonly string[];
}

/** The first message to a thread. */
export interface StartMessage {
  readonly module: WebAssembly.Module;
  /** The memory of a program that may have threads; missing when the module has its own. */
  readonly memory: WebAssembly.Memory | undefined;
  /** For the first thread `undefined`; for another one the argument of its `hale_thread`. */
  readonly argument: number | undefined;
  /** The bytes that `module` was compiled from: a backtrace looks places up in them. */
  readonly bytes: Uint8Array;
}

// -- control: one for the process

/** Counts the termination signals that came while the program watches for them; sleepers wait on it. */
export const SIGNAL_COUNT = 0;
/** Number of the last such signal. */
export const SIGNAL_NUMBER = 1;
/** Address of the program's flag, 0 when it does not watch. */
export const SIGNAL_FLAG = 2;
/** 1 once standard input is read by the main thread. */
export const STDIN_SERVED = 3;
const CONTROL_WORDS = 16;

/** Descriptors of files whose position is kept here: Node reads and writes at positions but cannot seek. */
const POSITIONS = 16384;

/** Kinds of descriptors. */
export const STREAM = 0;
export const FILE = 1;
export const APPENDED_FILE = 2;

export interface Control {
  readonly words: Int32Array;
  readonly kinds: Uint8Array;
  readonly positions: BigInt64Array;
}

export function newControlBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL_WORDS * 4 + POSITIONS * 9);
}

export function controlOf(buffer: SharedArrayBuffer): Control {
  return {
    words: new Int32Array(buffer, 0, CONTROL_WORDS),
    positions: new BigInt64Array(buffer, CONTROL_WORDS * 4, POSITIONS),
    kinds: new Uint8Array(buffer, CONTROL_WORDS * 4 + POSITIONS * 8, POSITIONS),
  };
}

// -- mailbox: one a thread

/** 1 while a request waits for its answer. */
export const STATE = 0;
/** Bytes of the answer's data. */
export const DATA_LENGTH = 1;
const DATA_START = 16;
/** Bytes of data that one answer can carry. */
export const DATA_CAPACITY = 65536;

export interface Mailbox {
  readonly words: Int32Array;
  /** The result, one element. */
  readonly result: BigInt64Array;
  readonly data: Uint8Array;
}

export function newMailboxBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(DATA_START + DATA_CAPACITY);
}

export function mailboxOf(buffer: SharedArrayBuffer): Mailbox {
  return {
    words: new Int32Array(buffer, 0, 2),
    result: new BigInt64Array(buffer, 8, 1),
    data: new Uint8Array(buffer, DATA_START, DATA_CAPACITY),
  };
}

/** Descriptors from here on are the main thread's: pipes, sockets. Below are the operating system's. */
export const FIRST_SERVED_DESCRIPTOR = 1 << 20;
