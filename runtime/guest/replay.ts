// The recording that a run repeats (reference 06b 6b.5): it is read whole, and its entries are chained into lists, one a consumer and purpose. What does not fit is counted;
// the run goes on (06b 6b.5, "Replay degrades, it never stops").
import * as host from "./host";
import { writeAll } from "./output";
import { ANSWER, CHANGE, CONSUME, INPUT, PRINT, ROOM, SEND, STEP, replayVariable } from "./recording";
import { reserve } from "./store";
import { textRoom } from "./text-buffer";

const SIZE: usize = 0;
const ENTRY_KIND: usize = 4;
export const ENTRY_CONSUMER: usize = 6;
export const LINK: usize = 8;

const HEADER_SIZE: usize = 96;
const PATH_MAX: i32 = 4096;

/** Lists by consumer and purpose: two i32 each, first and last. Consumers have numbers below this; pinned ones start at 64. */
const MOST_CONSUMERS: usize = 256;
export const DELIVERIES: usize = 0;
export const INPUTS: usize = 1;
export const ROOMS: usize = 2;
export const SENT: usize = 3;
export const ANSWERS: usize = 4;
const PURPOSES: usize = 5;
const lists: usize = memory.data(4, 4);

/** Lists of the whole process: prints, changes of the lists of subscriptions. */
export const nextPrint: usize = memory.data(8, 8);
export const nextChange: usize = memory.data(8, 8);

/** Counts of what did not fit; i64 each, by kind. The first eight are inputs (`journal.ts`). */
const counts: usize = memory.data(160, 8);
export const DELIVERY_ORDER: i32 = 8;
export const UNCONSUMED_INPUT: i32 = 9;
export const UNCONSUMED_DELIVERY: i32 = 10;
export const UNEXPECTED_DELIVERY: i32 = 11;
export const ASYNC_SCHEDULE: i32 = 12;
export const UNCONSUMED_STEP: i32 = 13;
export const LIVE_FALLBACK: i32 = 14;
export const CONSUMED: i32 = 15;
/** A count that nobody reads. */
export const NOTHING: i32 = 16;

export function count(kind: i32, by: i64): void {
  atomic.add<i64>(counts + ((kind as usize) << 3), by);
}

/** The recording ends before the run did: 1. */
const truncated: usize = memory.data(4, 4);

/** Whether the recording ends before the run did. */
export function isTruncated(): bool {
  return load<i32>(truncated) != 0;
}

/** Whether something has not fit so far. */
export function hasDiverged(): bool {
  for (let kind = 0; kind <= DELIVERY_ORDER; kind++) if (load<i64>(counts + ((kind as usize) << 3)) != 0) return true;
  return load<i64>(counts + ((UNEXPECTED_DELIVERY as usize) << 3)) != 0 || load<i64>(counts + ((ASYNC_SCHEDULE as usize) << 3)) != 0;
}

/** Reads the recording. The tool has judged it before; what cannot be read here is an empty one. */
export function loadReplay(): void {
  store<usize>(lists, reserve(MOST_CONSUMERS * PURPOSES * 8));
  const path = reserve(PATH_MAX);
  const length = host.env(replayVariable(), 12, path, PATH_MAX);
  const file = length > PATH_MAX ? -1 : host.open(path, length, 0, 0);
  if (file < 0) return;
  const size = host.seek(file, 0, 2) as usize;
  host.seek(file, 0, 0);
  const start = reserve(size + 16);
  let have: usize = 0;
  while (have < size) {
    const got = host.read(file, start + have, min<usize>(size - have, 0x40000000) as i32);
    if (got <= 0) break;
    have += got;
  }
  host.close(file);
  chain(start, start + have);
}

export function kindOf(entry: usize): i32 {
  return load<u16>(entry, ENTRY_KIND);
}

function listOf(consumer: u32, purpose: usize): usize {
  return load<usize>(lists) + (consumer * PURPOSES + purpose) * 8;
}

function chain(start: usize, end: usize): void {
  let at = start + HEADER_SIZE;
  for (;;) {
    if (at + 16 > end) {
      store<i32>(truncated, 1);
      return;
    }
    if (load<u64>(at) == 0x30444e45454c4148) return; // HALEEND0
    const size = load<u32>(at, SIZE);
    if (size < 16 || at + size > end) {
      store<i32>(truncated, 1);
      return;
    }
    const consumer = load<u16>(at, ENTRY_CONSUMER) as u32;
    const kind = kindOf(at);
    if (consumer < MOST_CONSUMERS) {
      if (kind == CONSUME || kind == STEP) {
        append(listOf(consumer, DELIVERIES), at);
        count(kind == STEP ? UNCONSUMED_STEP : UNCONSUMED_DELIVERY, 1);
      } else if (kind == INPUT) {
        append(listOf(consumer, INPUTS), at);
        count(UNCONSUMED_INPUT, 1);
      } else if (kind == ROOM) {
        append(listOf(consumer, ROOMS), at);
      } else if (kind == SEND) {
        append(listOf(consumer, SENT), at);
      } else if (kind == ANSWER) {
        append(listOf(consumer, ANSWERS), at);
      }
    }
    if (kind == PRINT) append(nextPrint, at);
    else if (kind == CHANGE) append(nextChange, at);
    at += size;
  }
}

/** `list`: addresses of the first entry and of the last. */
function append(list: usize, entry: usize): void {
  store<usize>(entry, 0, LINK);
  const last = load<usize>(list, 4);
  if (last == 0) store<usize>(list, entry);
  else store<usize>(last, entry, LINK);
  store<usize>(list, entry, 4);
}

/** Takes a list away from those that nobody has come for. */
export function claim(consumer: u32, purpose: usize): usize {
  if (consumer >= MOST_CONSUMERS) return 0;
  const list = listOf(consumer, purpose);
  const first = load<usize>(list);
  store<usize>(list, 0);
  return first;
}

/** Puts a list's next entry into `field` in the place of the one that has been served. */
export function advance(field: usize, unconsumed: i32): void {
  store<usize>(field, load<usize>(load<usize>(field), LINK));
  count(unconsumed, -1);
}

/** At the end of the run: what is left over, and the file that the tool reads, the counts one after the other. */
export function replayEnd(): void {
  const name = memory.data<u8>([72, 65, 76, 69, 95, 82, 69, 80, 76, 65, 89, 95, 67, 79, 85, 78, 84, 83]); // HALE_REPLAY_COUNTS
  const path = textRoom(PATH_MAX);
  const length = host.env(name, 18, path, PATH_MAX);
  if (length <= 0 || length > PATH_MAX) return;
  const file = host.open(path, length, 0x241, 0x180);
  if (file >= 0) writeAll(file, counts, 160);
}
