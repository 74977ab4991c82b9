// Messages that nobody receives, told on standard error when the environment asks for it (reference 06 6.8.4, 6.9).
import { isOneInEnvironment } from "./environment-number";
import { allocateUncounted, freeUncounted } from "./memory";
import { writeAll } from "./output";

/** `LOTUS_BUS_LOG_DROP=1`, `LOTUS_BUS_LOG_UNMATCHED=1`: -1 until this thread has looked. */
let logsDrops: i32 = -1;
let logsUnmatched: i32 = -1;

/** A message was sent and nobody subscribes to its subject. */
export function logDrop(subject: usize): void {
  if (logsDrops < 0) {
    const name = memory.data<u8>([76, 79, 84, 85, 83, 95, 66, 85, 83, 95, 76, 79, 71, 95, 68, 82, 79, 80]); // LOTUS_BUS_LOG_DROP
    logsDrops = i32(isOneInEnvironment(name, 18));
  }
  if (logsDrops != 0) log(subject, " was dropped: nobody subscribes to it\n");
}

/** A message was sent and nobody subscribes to its key. */
export function logUnmatched(subject: usize): void {
  if (logsUnmatched < 0) {
    const name = memory.data<u8>([76, 79, 84, 85, 83, 95, 66, 85, 83, 95, 76, 79, 71, 95, 85, 78, 77, 65, 84, 67, 72, 69, 68]); // LOTUS_BUS_LOG_UNMATCHED
    logsUnmatched = i32(isOneInEnvironment(name, 23));
  }
  if (logsUnmatched != 0) log(subject, " matched no subscription's key\n");
}

/** The thread's text buffer may be in use: a send may stand in a body that makes a text. */
function log(subject: usize, what: string): void {
  const length = load<u32>(subject) as usize;
  const line = allocateUncounted(length + 80);
  let end = put(line, "hale: a message on `");
  memory.copy(end, subject + 4, length);
  end = put(end + length, "`");
  end = put(end, what);
  writeAll(2, line, end - line);
  freeUncounted(line);
}

function put(to: usize, words: string): usize {
  const from = changetype<usize>(words);
  const letters = load<u32>(from - 4) >> 1;
  for (let i: usize = 0; i < letters; i++) store<u8>(to + i, load<u8>(from + (i << 1)));
  return to + letters;
}
