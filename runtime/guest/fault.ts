// How the process ends before its time: the one place that writes a panic. No memory is allocated on this path.
import * as host from "./host";
import { hale_flush, writeAll } from "./output";

export const OUT_OF_MEMORY: i32 = 0;

export function panicMessage(message: i32): void {
  hale_flush();
  host.exit(1);
}
