// The pieces of machine code that every image brings along, by number.

/** Stubs called from compiled code under our own convention, unless said otherwise. */
export const Stub = {
  /** (pages) -> old size or -1. */
  memoryGrow: 0,
  /** (destination, source, length). */
  memoryCopy: 1,
  /** (destination, value, length). */
  memoryFill: 2,
  /** (destination, source, length, segment). */
  memoryInit: 3,
  /** (segment). */
  dataDrop: 4,
  /** (destination, source, length, destination table, source table). */
  tableCopy: 5,
  /** (index, value, length, table). */
  tableFill: 6,
  /** (destination, source, length, segment, table). */
  tableInit: 7,
  /** (segment). */
  elementDrop: 8,
  /** (value, pages, table) -> old size or -1. */
  tableGrow: 9,
  /** (address, expected, timeout): address includes the offset as i64. */
  atomicWait32: 10,
  atomicWait64: 11,
  /** (address, count). */
  atomicNotify: 12,
  /** Starts a thread: see runtime/linux. */
  threadStart: 13,
  spawn: 14,
  /** Restores the registers after a signal handler; jumped to by the kernel. */
  signalReturn: 15,
  entry: 16,
  signalHandler: 17,
  /** (kind, pc, frame) in rdi, rsi, rdx: reports and ends the process; jumped to. */
  trapReport: 18,
  /** (value, kind): writes a result of wasm-exec. */
  printValue: 19,
  /** A system call that a watched signal keeps from blocking; arguments by our own convention. */
  interruptibleSyscall: 20,
  /** (address of the flag) */
  watchSignals: 21,
  /** The handler of watched signals. */
  terminationHandler: 22,
  /** The handler of the real-time signals: a death by one of them is not told from success by every parent. */
  killedHandler: 23,
  /** () -> whether the processor has the SHA extensions. */
  hasSha256: 24,
  /** (state, first block, number of blocks, constants): addresses in linear memory. */
  sha256Blocks: 25,
  /** The first of one stub for each trap kind, called from the place of the trap. */
  traps: 26,
} as const;

export const trapStubCount = 12;
export const stubCount = Stub.traps + trapStubCount;
