// Consumers (reference 06b 6b.4): what a recording and a replay know of each strand. Their numbers are the same in every run: 1 the main thread, 16 upwards pools in order of
// their start, 64 upwards pinned loci. Nothing here runs but in a run that is recorded or replayed.
import { numberFromEnvironment } from "./environment-number";
import { setPrintOrder } from "./output";
import { orderPrint } from "./print-order";
import { ANSWERS, DELIVERIES, INPUTS, ROOMS, SENT, claim, loadReplay } from "./replay";
import { refuse } from "./recording";
import { reserve } from "./store";
import { CONSUMER, KIND, PINNED, strand, strandBlock } from "./strand";
import { isReplaying } from "./thread";

export const NUMBER: usize = 0;
/** i64: messages sent so far. */
export const SENDS: usize = 8;
/** i64: number of the occasion for deliveries (`schedule.ts`). */
export const OCCASION: usize = 16;
/** Occasions that one has begun inside another. */
export const DEPTH: usize = 24;
/** Of a replay: the entries that come next: deliveries, inputs, room, sends, answers. */
export const NEXT_DELIVERY: usize = 28;
export const NEXT_INPUT: usize = 32;
export const NEXT_ROOM: usize = 36;
export const NEXT_SEND: usize = 40;
export const NEXT_ANSWER: usize = 44;
/** Room for two numbers, the argument and the result of a read. */
export const NUMBERS: usize = 48;
/** i64: sleeps, yields and waits for room so far. */
export const SLEEPS: usize = 64;
const SIZE: usize = 72;

const MAIN_NUMBER: i32 = 1;
const FIRST_POOL: i32 = 16;
const FIRST_PINNED: i32 = 64;
const MOST: i64 = 64;

const pools: usize = memory.data(4, 4);
const pinned: usize = memory.data(4, 4);

/** The consumer of the running thread. */
export function consumer(): usize {
  const block = strandBlock(strand());
  const known = load<usize>(block, CONSUMER);
  return known != 0 ? known : newConsumer(block, MAIN_NUMBER);
}

/** A strand is there: pools and pinned loci are started by the main thread one after the other. */
export function enrol(own: usize): void {
  consumer();
  setPrintOrder(orderPrint.index);
  const isPinned = load<i32>(own, KIND) == PINNED;
  const counter = isPinned ? pinned : pools;
  const count = load<i32>(counter);
  store<i32>(counter, count + 1);
  newConsumer(own, (isPinned ? FIRST_PINNED : FIRST_POOL) + count);
}

function newConsumer(block: usize, number: i32): usize {
  if (1 + load<i32>(pools) + load<i32>(pinned) > (mostRings() as i32)) refuse(70, 4);
  const fresh = reserve(SIZE);
  store<i32>(fresh, number);
  if (isReplaying()) {
    if (number == MAIN_NUMBER) loadReplay();
    store<usize>(fresh, claim(number, DELIVERIES), NEXT_DELIVERY);
    store<usize>(fresh, claim(number, INPUTS), NEXT_INPUT);
    store<usize>(fresh, claim(number, ROOMS), NEXT_ROOM);
    store<usize>(fresh, claim(number, SENT), NEXT_SEND);
    store<usize>(fresh, claim(number, ANSWERS), NEXT_ANSWER);
  }
  store<usize>(block, fresh, CONSUMER);
  return fresh;
}

function mostRings(): i64 {
  const name = memory.data<u8>([76, 79, 84, 85, 83, 95, 79, 66, 83, 95, 82, 73, 78, 71, 83]); // LOTUS_OBS_RINGS
  return min(numberFromEnvironment(name, 15, MOST), MOST);
}
