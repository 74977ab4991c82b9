// Answers for failed children of other threads in sleeps that serve nothing and in waits for room, in a run that is recorded or replayed (reference 06b 6b.3). In which of them
// such a request is found is up to the other thread, so a recording tells of it, and a replay answers in the same one.
import { NEXT_ANSWER, NUMBER, SLEEPS, consumer } from "./consumers";
import { REQUEST_NUMBER, REQUEST_SENDER, answerNow, answerRequest, areRequests, begin, requestForThis, requestOf } from "./failure";
import * as host from "./host";
import { ANSWER, BODY, DETAIL, record } from "./recording";
import { DELIVERY_ORDER, NOTHING, advance, count, hasDiverged, isTruncated } from "./replay";
import { PATIENCE, ROUNDS } from "./schedule";
import { isJournaling, isRecording, isReplaying } from "./thread";

/** Between two looks for a request that a replay waits for. */
const PAUSE: i64 = 1_000_000;

/** This thread begins a sleep or a wait for room, or yields. */
export function countSleep(): void {
  const own = consumer();
  store<i64>(own, load<i64>(own, SLEEPS) + 1, SLEEPS);
}

/** `answerRequest` in such a sleep or wait, recorded or repeated where the run is. */
export function answerOthers(): bool {
  if (!isJournaling()) return answerRequest();
  if (isReplaying()) return repeatAnswers();
  const asked = areRequests() ? requestForThis() : 0;
  if (asked == 0 || !begin(asked)) return false;
  answerNoted(asked);
  return true;
}

function answerNoted(asked: usize): void {
  const own = consumer();
  if (isRecording()) record(ANSWER, load<i32>(own, NUMBER), load<u32>(asked, REQUEST_SENDER), load<i64>(asked, REQUEST_NUMBER), load<i64>(own, SLEEPS));
  answerNow(asked);
}

function repeatAnswers(): bool {
  const own = consumer();
  let answered = false;
  let entry = load<usize>(own, NEXT_ANSWER);
  while (entry != 0 && load<i64>(entry, BODY + 8) <= load<i64>(own, SLEEPS)) {
    advance(own + NEXT_ANSWER, NOTHING);
    const asked = awaitRequest(entry);
    if (asked != 0 && begin(asked)) {
      answerNoted(asked);
      answered = true;
    } else {
      count(DELIVERY_ORDER, 1);
    }
    entry = load<usize>(own, NEXT_ANSWER);
  }
  // The program is another one, or the recording was cut off: it goes on as it can.
  if (entry == 0 && (isTruncated() || hasDiverged()) && answerRequest()) answered = true;
  return answered;
}

/** The request that a recorded answer was for, or 0 when it does not come. */
function awaitRequest(entry: usize): usize {
  const end = host.clock(1) + PATIENCE;
  let asked = requestOf(load<u32>(entry, DETAIL), load<i64>(entry, BODY));
  for (let rounds = 0; asked == 0 && (rounds < ROUNDS || host.clock(1) < end); rounds++) {
    host.sleep(PAUSE);
    asked = requestOf(load<u32>(entry, DETAIL), load<i64>(entry, BODY));
  }
  return asked;
}
