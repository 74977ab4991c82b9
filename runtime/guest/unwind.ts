// What follows a failed assertion (05b 5b.13).
import { unwind } from "./process";

/** Called on the failing frame after the report was printed. On the first thread, and in the teardown of a pinned locus, it does not return. */
export function afterFailedAssertion(): void {
  unwind();
}
