// The process entry.
import * as host from "./host";
import { hale_flush } from "./output";

/** Table index of the program's `hale_main`; the compiler sets it. */
export let main_entry: u32 = 0;

/** Runs the program from its first to its last moment; does not return. */
export function hale_start(): void {
  const status = call_indirect<i32>(main_entry);
  hale_flush();
  host.exit(status & 0xff);
}
