/** Exit statuses of every command (reference 08 6.1); `run` gives the program's own. */
export const EXIT = {
  success: 0,
  /** The program or the input has a fault. */
  fault: 1,
  /** The command line cannot be taken, or a path of it cannot be read. */
  usage: 2,
  /** A bug of the toolchain (EX_SOFTWARE of sysexits.h). */
  internal: 70,
} as const;
