// The process entry.
import { test_failed } from "./assertions";
import { endProcess } from "./end";
import { leakStatus } from "./leaks";
import { recordingBegin } from "./recording";
import { firstThread } from "./thread";

/** Table index of the program's `hale_main`; the compiler sets it. */
export let main_entry: u32 = 0;

export { program_identity } from "./recording";

/** Runs the program from its first to its last moment; does not return. */
export function hale_start(): void {
  firstThread();
  recordingBegin();
  const status = call_indirect<i32>(main_entry);
  endProcess(leakStatus(test_failed() ? 1 : status));
}
