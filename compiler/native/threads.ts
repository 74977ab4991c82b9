// The thread block, which FS addresses: what every thread has of its own. The main thread's is the start of the data segment.

/** Offsets in the thread block; the globals follow at `threadHeaderBytes` (plan.ts). */
export const ThreadOffset = {
  /** The block's own address. */
  self: 0,
  /** The lowest usable address of the stack. */
  stackLimit: 8,
  /** Top of the small stack on which a stack overflow is reported. */
  spareStackTop: 16,
} as const;

/** The main thread's stack ends below the image; nothing is mapped between linear memory's reach and its lowest page. */
export const mainStackTop = 0x3_f000_0000;
export const mainStackBytes = 16 << 20;
export const threadStackBytes = 8 << 20;
export const threadGuardBytes = 64 << 10;
export const spareStackBytes = 64 << 10;
export const signalStackBytes = 16 << 10;
