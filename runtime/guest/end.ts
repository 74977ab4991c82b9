// The way out: every end of the process that the program itself brings about passes here.
import * as host from "./host";
import { hale_flush } from "./output";
import { recordingEnd } from "./recording";

const terminalIsRaw: usize = memory.data(4, 4);

/** Switches the terminal's raw mode; every end of the process gives it back. */
export function setRawTerminal(on: bool): void {
  store<i32>(terminalIsRaw, i32(on));
  host.ttyRaw(i32(on));
}

/** Flushes standard output, gives the terminal back as it was, and ends the process. */
export function endProcess(status: i32): void {
  hale_flush();
  if (load<i32>(terminalIsRaw) != 0) host.ttyRaw(0);
  recordingEnd();
  host.exit(status & 0xff);
}
