// Locus instances: their cells, and who owns them (reference 05 5.4).
//
// An instance is a counted cell:
//
//   0   i32 descriptor (static, below)
//   4   i32 flags (below)
//   8   i32 parent: whose on_failure hears it (counted; 0: nobody)
//   12  i32 owner: the instance that accepted it, holds it in a field, or in whose body the frame lies that owns it (not counted; 0: a free function)
//   16  i32 restarts so far
//   20  i32 strand that it lives on (`strand.ts`; 0: the main thread's)
//   24  the params' leaves; behind them what the type needs besides, at offsets that the descriptor tells
//
// The owner holds one count of the cell. It *ends* the instance (`lifecycle.ts`) and then *lets go* of it: the instance gives up the handles that it only
// borrowed, so that no ring of counts survives, and the count goes down. Who still has a handle reads the fields of an ended instance.
//
// Frames keep what they own on the thread's *owned stack*, in order of instantiation; a frame remembers the height at its entry and ends what lies above at its exit.
// An instance under construction lies there too, so that a failed assertion, which never returns, finds all there is to end.
import { alloc, allocateUncounted, count_down, free, freeUncounted } from "./memory";
import { bus_drain } from "./bus";
import { endLeafLocus, endLocus } from "./lifecycle";
import { watch } from "./process";
import { strand } from "./strand";
import { manyThreads } from "./thread";

// -- the instance
export const DESCRIPTOR: usize = 0;
export const FLAGS: usize = 4;
export const PARENT: usize = 8;
export const OWNER: usize = 12;
export const RESTARTS: usize = 16;
export const HOME: usize = 20;

// -- its flags
/** Params are being set. */
export const CONSTRUCTING: i32 = 1;
/** Returned by a function: nobody owns it until the consumer takes it. */
export const TRANSIT: i32 = 2;
/** It violated, or a birth_check fired, and no restart has cleared that. */
export const FAILED: i32 = 4;
/** It executed `terminate`. */
export const TERMINATED: i32 = 8;
export const QUARANTINED: i32 = 16;
/** Its birth is over: messages may reach it. */
export const READY: i32 = 32;
/** Steps of its teardown that have begun. */
export const DRAINED: i32 = 64;
export const CHECKED: i32 = 128;
export const DISSOLVED: i32 = 256;
/** Its teardown is complete. */
export const ENDED: i32 = 512;
/** Its owner accepted it. */
export const ACCEPTED: i32 = 1024;
/** A statement literal: nothing else reclaims it. */
export const STATEMENT: i32 = 2048;
/** Which of its bodies is running. */
export const IN_BIRTH: i32 = 4096;
export const IN_RUN: i32 = 8192;
/** Asked for by the handler that is running. */
export const RESTART: i32 = 32768;
export const IN_PLACE: i32 = 65536;
/** Its birth failed while its parent was being constructed: run() waits for the handler. */
export const HELD: i32 = 131072;
/** Its subscriptions are active. */
export const REGISTERED: i32 = 262144;
/** Its owner has let go of it. */
export const LET_GO: i32 = 524288;
/** Its life has begun: it has a teardown. */
export const BORN: i32 = 1048576;
/** It is in the list of its owner's accepted children. */
export const CHILD: i32 = 2097152;
/** Its owner is a field, or it is returned: on a pool its run() is a job of its own. */
export const KEPT: i32 = 4194304;
/** It has a thread of its own. */
export const OWN_THREAD: i32 = 8388608;
/** As `READY`, in a run that is neither recorded nor replayed: a send may be a call. */
export const DIRECT: i32 = 16777216;
/** A body of its teardown is running, or an end before its owner's time: nothing else ends it early. */
export const ENDING: i32 = 33554432;
/** It has closures that are checked when a handler has run. */
export const CHECKED_BODIES: i32 = 67108864;

// -- the descriptor of a locus type, i32 each; "body": a table index, 0 when there is nothing to run
export const TYPE_ID: usize = 0;
/** String: the type's name as declared. */
export const NAME: usize = 4;
export const SIZE: usize = 8;
/** Body (self): gives back what the fields hold; the cell is freed next. */
export const DROP: usize = 12;
/** Address of: i32 count, then for each field that can own (i32 offset of the handle, i32 offset of its "owned" byte), in declaration order. */
export const FIELDS: usize = 16;
export const BIRTH: usize = 20;
export const RUN: usize = 24;
export const DRAIN: usize = 28;
export const DISSOLVE: usize = 32;
/** Bodies (self, child). */
export const ACCEPT: usize = 36;
export const RELEASE: usize = 40;
/** Body (self, epoch): checks the closures of that epoch (`failure.ts`). */
export const CHECK: usize = 44;
/** Set of the epochs that CHECK knows, 1 << epoch. */
export const EPOCHS: usize = 48;
/** Address of: i32 count, then for each on_failure (i32 child's TYPE_ID, i32 table index). */
export const HANDLERS: usize = 52;
/** Body (self): gives up the handles that the fields borrow. */
export const SCRAP: usize = 56;
/** Set of the features below. */
export const FEATURES: usize = 60;
/** Offset of: i32 first child, i32 last child, i32 number of children; 0: accepts nothing. */
export const CHILDREN: usize = 64;
/** Offset of: i32 next sibling, i32 previous sibling; 0: never accepted. */
export const LINKS: usize = 68;
/** Descriptor of the accepted type, or 0. */
export const ACCEPTS: usize = 72;
/** Address of: i32 count, then for each accumulator (i32 offset, i32 size, i32 set of the recoveries that it persists through). */
export const ACCUMULATORS: usize = 76;
/** Body (self): the params' built values again. */
export const RESTORE: usize = 80;
/** Body (self): makes the subscriptions active. */
export const SUBSCRIBE: usize = 84;
/** Offset and number of the subscription nodes (`bus.ts`). */
export const NODES: usize = 88;
export const NODE_COUNT: usize = 92;

// -- features
/** Some `release` of the program names the type: it ends with its run(). */
export const FLOW: i32 = 1;
export const MAIN: i32 = 2;
/** It declares a run(), if only an empty one. */
export const DECLARES_RUN: i32 = 4;
/** Its own code reads `draining`. */
export const WATCHES: i32 = 8;
/** No owned fields, no children, never a child itself, no subscriptions, no closures, no flow: its end is its drain() and its dissolve(), if it has them. */
export const LEAF: i32 = 16;
/** It has a drain() or a dissolve(). */
export const HAS_END: i32 = 32;

/**
 * The stack's memory, its size, and its height in bytes. An entry is an instance; bit 1 says that `main`'s frame owns it, bit 0 that it only ends out of turn and somebody
 * else owns it.
 */
let stack: usize = 0;
let capacity: usize = 0;
/** Height of the owned stack. */
export let owned_height: usize = 0;
const BY_MAIN: usize = 2;
const OUT_OF_TURN: usize = 1;
const INSTANCE: usize = ~3;
/** Given to `locus_new` and `own_take` with the flags: the frame is `main`'s. */
const FOR_MAIN: i32 = i32.MIN_VALUE;

/** A new instance of the type, its params still to be set, on the owned stack. */
export function locus_new(descriptor: usize, parent: usize, owner: usize, flags: i32): usize {
  const instance = alloc(load<u32>(descriptor, SIZE));
  store<u32>(instance, descriptor as u32);
  store<i32>(instance, (flags & ~FOR_MAIN) | CONSTRUCTING, FLAGS);
  store<u32>(instance, parent as u32, PARENT);
  store<u32>(instance, owner as u32, OWNER);
  store<usize>(instance, strand(), HOME);
  locus_retain(parent);
  push(instance | (flags < 0 ? BY_MAIN : 0));
  if (load<i32>(descriptor, FEATURES) & WATCHES) watch();
  return instance;
}

/** The same for a type that needs no `locus_start`: generated code calls its hooks itself. */
export function locus_new_leaf(descriptor: usize, parent: usize, owner: usize, flags: i32): usize {
  const instance = alloc(load<u32>(descriptor, SIZE));
  store<u32>(instance, descriptor as u32);
  store<i32>(instance, flags & ~FOR_MAIN, FLAGS);
  if (parent != 0) {
    store<u32>(instance, parent as u32, PARENT);
    store<u32>(instance, owner as u32, OWNER);
    hold(parent);
  }
  push(instance | (flags < 0 ? BY_MAIN : 0));
  return instance;
}

/** The instance is complete and stays with the frame: its place in the order of instantiation is now. */
export function locus_to_frame(instance: usize): void {
  if ((load<usize>(stack + owned_height - 4) & INSTANCE) != instance) toTop(positionOf(instance, 0));
}

/** The instance is complete and passes to a field of its owner (or, accepted, to its owner's children): the frame forgets it. */
export function locus_to_owner(instance: usize): void {
  take(positionOf(instance, 0));
}

/** The instance is complete and passes to whoever consumes the value. */
export function locus_to_transit(instance: usize): void {
  setFlags(instance, TRANSIT);
  take(positionOf(instance, 0));
}

/** A statement by itself: the instance ends now. */
export function locus_to_nobody(instance: usize): void {
  endLocus(instance);
  take(positionOf(instance, 0));
  letGo(instance);
}

/** The frame consumes the result of a call: when nobody owns it, the frame does from now on, and the answer is 1. */
export function own_take(instance: usize, owner: usize, flags: i32): i32 {
  if (instance == 0 || !(flagsOf(instance) & TRANSIT)) return 0;
  clearFlags(instance, TRANSIT);
  store<u32>(instance, owner as u32, OWNER);
  hold(instance);
  push(instance | (flags < 0 ? BY_MAIN : 0));
  return 1;
}

/** A field consumes a value: 1 when nobody owned it, so that the field does from now on. */
export function own_take_field(instance: usize, holder: usize): i32 {
  if (instance == 0 || !(flagsOf(instance) & TRANSIT)) return 0;
  clearFlags(instance, TRANSIT);
  store<u32>(instance, holder as u32, OWNER);
  return 1;
}

/**
 * A field is assigned anew: the instance it owns ends now. The handle stays until the new one is stored. What the teardown runs may assign the field too: that instance ends
 * as well.
 */
export function own_end_field(holder: usize, handle: usize, owned: usize): void {
  while (load<u8>(holder + owned) != 0) {
    const instance = load<usize>(holder + handle);
    hold(instance);
    endLocus(instance);
    if (load<usize>(holder + handle) == instance) {
      store<u8>(holder + owned, 0);
      scrap(instance);
    }
    locus_release(instance);
  }
}

/** A loop reaches a site again: the instance that was built there before ends, if it is still the frame's. */
export function own_end(instance: usize): void {
  if (instance == 0) return;
  endLocus(instance);
  take(positionOf(instance, 0));
  letGo(instance);
}

/**
 * A frame returns the instance: when it is the frame's own it goes to the caller, and the frame ends the rest. Returns the height down to which it must end.
 * Until the caller takes it, the instance keeps a place below that height.
 */
export function own_keep(instance: usize, mark: usize): usize {
  const at = positionOf(instance, mark);
  if (at == NOWHERE) return mark;
  const entry = load<usize>(stack + at);
  memory.copy(stack + mark + 4, stack + mark, at - mark);
  store<usize>(stack + mark, entry);
  return mark + 4;
}

/** After `own_exit` down to the height that `own_keep` told: the instance is on its way. `mark`: the height at the frame's entry. */
export function own_hand_over(instance: usize, mark: usize): void {
  if (owned_height == mark) return;
  owned_height = mark;
  setFlags(instance, TRANSIT);
  // The value that is returned has a count of its own; the frame's goes.
  locus_release(instance);
}

/** A frame ends what it owns, the latest first. */
export function own_exit(mark: usize): void {
  while (owned_height > mark) endTop();
}

/** The same at an exit that delivers messages: after each instance too. */
export function own_exit_draining(mark: usize): void {
  while (owned_height > mark) {
    endTop();
    bus_drain();
  }
}

/** One more reference to an instance, which threads may count at the same time. */
// @ts-ignore: decorator
@inline
export function hold(instance: usize): void {
  if (manyThreads()) atomic.add<i32>(instance - 8, 1);
  else store<i32>(instance - 8, load<i32>(instance - 8) + 1);
}

/** The same for generated code, whose handle may be that of no instance. */
export function locus_retain(instance: usize): void {
  if (instance != 0) hold(instance);
}

/** One reference less to an instance; the last one gives its memory back. */
export function locus_release(instance: usize): void {
  if (manyThreads()) {
    if (instance == 0 || atomic.sub<i32>(instance - 8, 1) != 1) return;
  } else if (!count_down(instance)) return;
  const drop = load<u32>(load<usize>(instance), DROP);
  if (drop != 0) call_indirect<void>(drop, instance);
  free(instance);
}

/** Where a child of this type goes that is built in a body of `builder`: the nearest instance in the tree of owners that accepts it, or 0. */
export function locus_acceptor(builder: usize, descriptor: usize): usize {
  while (builder != 0 && load<usize>(load<usize>(builder), ACCEPTS) != descriptor) builder = load<usize>(builder, OWNER);
  return builder;
}

/** The owner has ended the instance and lets go of it. */
export function letGo(instance: usize): void {
  scrap(instance);
  locus_release(instance);
}

/** The instance gives up its parent and the handles it borrows; so do the instances in the fields that it owns. */
export function scrap(instance: usize): void {
  const flags = flagsOf(instance);
  if (flags & LET_GO) return;
  store<i32>(instance, flags | LET_GO, FLAGS);
  const descriptor = load<usize>(instance);
  const fields = load<usize>(descriptor, FIELDS);
  if (fields != 0) {
    for (let at = fields + 4, end = fieldsEnd(fields); at < end; at += 8) {
      const child = ownedChild(instance, at);
      if (child != 0) scrap(child);
    }
  }
  const body = load<u32>(descriptor, SCRAP);
  if (body != 0) call_indirect<void>(body, instance);
  const parent = load<usize>(instance, PARENT);
  if (parent != 0) {
    store<usize>(instance, 0, PARENT);
    locus_release(parent);
  }
}

/** End of a FIELDS table. */
// @ts-ignore: decorator
@inline
export function fieldsEnd(fields: usize): usize {
  return fields + 4 + (load<u32>(fields) << 3);
}

/** The instance in the field at this entry of a FIELDS table, if the holder owns it, else 0. */
// @ts-ignore: decorator
@inline
export function ownedChild(instance: usize, entry: usize): usize {
  return load<u8>(instance + load<u32>(entry, 4)) != 0 ? load<usize>(instance + load<u32>(entry)) : 0;
}

// @ts-ignore: decorator
@inline
export function flagsOf(instance: usize): i32 {
  return load<i32>(instance, FLAGS);
}

// @ts-ignore: decorator
@inline
export function setFlags(instance: usize, flags: i32): void {
  store<i32>(instance, load<i32>(instance, FLAGS) | flags, FLAGS);
}

// @ts-ignore: decorator
@inline
export function clearFlags(instance: usize, flags: i32): void {
  store<i32>(instance, load<i32>(instance, FLAGS) & ~flags, FLAGS);
}

/** A send that is a call meets nobody any more. */
// @ts-ignore: decorator
@inline
export function clearDirect(instance: usize): void {
  clearFlags(instance, DIRECT);
}

/** Keeps an instance on the owned stack while it is torn down out of turn, so that a failed assertion finds it. */
export function pushEnding(instance: usize): void {
  hold(instance);
  push(instance | OUT_OF_TURN);
}

export function popEnding(instance: usize): void {
  owned_height -= 4;
  locus_release(instance);
}

/**
 * Keeps an instance that a pool's worker has built on this thread's owned stack during its birth: a failed assertion finds it there, and ends it as what `main` owns, when
 * the pools have been joined.
 */
export function pushBirth(instance: usize): void {
  push(instance | BY_MAIN);
}

export function popBirth(): void {
  owned_height -= 4;
}

/** Where the owned stack lies. */
export function ownedStack(): usize {
  return stack;
}

/** At the end of a thread: gives the owned stack's memory back. */
export function releaseStack(): void {
  if (capacity != 0) freeUncounted(stack);
  capacity = 0;
}

/** Ends what other frames than `main`'s own, the latest first. */
export function endAboveMain(): void {
  while (owned_height > 0 && !(load<usize>(stack + owned_height - 4) & BY_MAIN)) endTop();
}

/** Ends the instance on top of the stack. It stays there until that is done: a failed assertion in its dissolve() resumes. */
function endTop(): void {
  const entry = load<usize>(stack + owned_height - 4);
  const instance = entry & INSTANCE;
  if (load<i32>(load<usize>(instance), FEATURES) & LEAF && !(entry & OUT_OF_TURN)) return endLeaf(instance);
  const isChild = flagsOf(instance) & CHILD;
  // An accepted child whose construction was cut off ends with its acceptor.
  if (!isChild) endLocus(instance);
  owned_height -= 4;
  if (isChild || entry & OUT_OF_TURN) locus_release(instance);
  else letGo(instance);
}

function endLeaf(instance: usize): void {
  endLeafLocus(instance);
  owned_height -= 4;
  letGoLeaf(instance);
}

/** The owner lets go of a leaf. */
function letGoLeaf(instance: usize): void {
  const descriptor = load<usize>(instance);
  const parent = load<usize>(instance, PARENT);
  const body = load<u32>(descriptor, SCRAP);
  if (load<i32>(instance - 8) == 1) {
    // Nobody else has it, so nobody else can count it.
    const drop = load<u32>(descriptor, DROP);
    if (drop != 0) call_indirect<void>(drop, instance);
    free(instance);
  } else {
    store<usize>(instance, 0, PARENT);
    if (body != 0) call_indirect<void>(body, instance);
    locus_release(instance);
  }
  if (parent != 0) locus_release(parent);
}

const NOWHERE: usize = -1;

/** Where the instance lies on the stack, not below `mark`. */
function positionOf(instance: usize, mark: usize): usize {
  let at = owned_height;
  while (at > mark) {
    at -= 4;
    if ((load<usize>(stack + at) & INSTANCE) == instance) return at;
  }
  return NOWHERE;
}

function take(at: usize): void {
  if (at == NOWHERE) return;
  owned_height -= 4;
  if (at != owned_height) memory.copy(stack + at, stack + at + 4, owned_height - at);
}

function toTop(at: usize): void {
  const entry = load<usize>(stack + at);
  memory.copy(stack + at, stack + at + 4, owned_height - 4 - at);
  store<usize>(stack + owned_height - 4, entry);
}

// @ts-ignore: decorator
@inline
function push(entry: usize): void {
  if (owned_height == capacity) grow();
  store<usize>(stack + owned_height, entry);
  owned_height += 4;
}

function grow(): void {
  const wider = capacity == 0 ? 1024 : capacity << 1;
  const memoryForIt = allocateUncounted(wider);
  if (capacity != 0) {
    memory.copy(memoryForIt, stack, capacity);
    freeUncounted(stack);
  }
  stack = memoryForIt;
  capacity = wider;
}
