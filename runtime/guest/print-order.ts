// The order of prints of several threads, in a run that is recorded or replayed: a replay's output is that of the recorded run.
import { NUMBER, consumer } from "./consumers";
import * as host from "./host";
import { lock, unlock } from "./lock";
import { PRINT, record } from "./recording";
import { ENTRY_CONSUMER, LINK, nextPrint } from "./replay";
import { isRecording, isReplaying } from "./thread";

const printLock: usize = memory.data(4, 4);
/** How long a replay waits for the print of another thread; after that the order is open. */
const PATIENCE: i64 = 1_000_000_000;
/** And how often it looks at least. */
const ROUNDS: i32 = 1000;
const PAUSE: i64 = 200_000;

/** The hook of `output.ts`: a print begins (1), when it is this thread's turn, or ends (0). */
export function orderPrint(begins: i32): void {
  if (begins != 0) beginPrint();
  else unlock(printLock);
}

function beginPrint(): void {
  const number = load<i32>(consumer(), NUMBER);
  if (isReplaying()) waitForTurn(number);
  else lock(printLock);
  if (isRecording()) record(PRINT, number, 0, 0, 0);
}

function waitForTurn(number: i32): void {
  const end = host.clock(1) + PATIENCE;
  for (let rounds = 0; ; rounds++) {
    lock(printLock);
    const entry = load<usize>(nextPrint);
    if (entry == 0) return;
    if (load<u16>(entry, ENTRY_CONSUMER) == (number as u16)) {
      store<usize>(nextPrint, load<usize>(entry, LINK));
      return;
    }
    if (rounds > ROUNDS && host.clock(1) > end) {
      store<usize>(nextPrint, 0);
      return;
    }
    unlock(printLock);
    host.sleep(PAUSE);
  }
}
