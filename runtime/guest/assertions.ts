// The core of std::test (09 section 3): the count of passed assertions, the report of the first that fails, and the fact that one has failed.
import * as host from "./host";
import { lock, unlock } from "./lock";
import { printBytes } from "./output";
import { textByte, textBytes, textDigits, textLength, textReset, textStart, textWords } from "./text-buffer";
import { afterFailedAssertion } from "./unwind";

const passedCount: usize = memory.data(8, 8);
const failed: usize = memory.data(4, 4);
const assertionLock: usize = memory.data(4, 4);

export function __test_pass(): void {
  lock(assertionLock);
  if (!test_failed()) store<i64>(passedCount, load<i64>(passedCount) + 1);
  unlock(assertionLock);
}

/** The first failure ends the program (by the teardown of `unwind`); later ones do nothing. */
export function __test_fail(message: usize): void {
  if (!claimFailure()) return;
  beginReport(message);
  endReport();
}

/** As `__test_fail`, with the texts of what was expected and what was found; an empty `tolerance` is not shown. */
export function __test_fail_values(message: usize, expected: usize, actual: usize, tolerance: usize): void {
  if (!claimFailure()) return;
  beginReport(message);
  textWords("  expected: ");
  line(expected);
  textWords("  actual:   ");
  line(actual);
  if (load<i32>(tolerance) != 0) {
    textWords("  tolerance: ");
    line(tolerance);
  }
  endReport();
}

/** Whether an assertion of this process has failed: its exit status is 1 then. */
export function test_failed(): bool {
  return atomic.load<i32>(failed) != 0;
}

/** True for the one caller that may report. */
function claimFailure(): bool {
  lock(assertionLock);
  const first = !test_failed();
  atomic.store<i32>(failed, 1);
  unlock(assertionLock);
  return first;
}

function beginReport(message: usize): void {
  textReset();
  textWords("ASSERTION FAILED: ");
  line(message);
}

function endReport(): void {
  textWords("  (");
  textDigits(load<u64>(passedCount));
  textWords(" earlier assertion(s) passed)\n");
  printBytes(textStart(), textLength(), 1);
  host.backtrace();
  afterFailedAssertion();
}

function line(text: usize): void {
  textBytes(text + 4, load<u32>(text));
  textByte(10);
}
