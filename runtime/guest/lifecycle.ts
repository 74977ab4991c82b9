// The life of an instance from the last of its params to its teardown (reference 05 5.3, 5.5, 5.11; restarts: 05b 5b.9).
import { BIRTH_EPOCH, DISSOLVE_EPOCH, DURATION_EPOCH, TICK_EPOCH, settle, takeRestart } from "./failure";
import { endElsewhere } from "./placed";
import { joinForMain, unwatch } from "./process";
import { KIND, PINNED, strand } from "./strand";
import { makeReady, makeReadyToRun, unsubscribe } from "./subscriptions";
import {
  ACCEPT, ACCEPTED, BIRTH, BORN, CHECK, CHECKED, CHILD, CHILDREN, CONSTRUCTING, DECLARES_RUN, DISSOLVE, DISSOLVED, DRAIN, DRAINED, ENDED, ENDING, EPOCHS, FAILED, FEATURES, FIELDS,
  FLOW, HAS_END, HELD, HOME, IN_BIRTH, IN_RUN, KEPT, LINKS, MAIN, OWNER, OWN_THREAD, QUARANTINED, READY, REGISTERED, RELEASE, RUN, STATEMENT, SUBSCRIBE, TERMINATED, WATCHES,
  CHECKED_BODIES, clearDirect, clearFlags, fieldsEnd, flagsOf, hold, letGo, locus_release, ownedChild, popBirth, popEnding, pushBirth, pushEnding, setFlags,
} from "./locus"; // prettier-ignore

/** All params are set: settle, accept, registration, birth, readiness, run and what follows it. */
export function locus_start(instance: usize): void {
  register(instance);
  live(instance);
}

/** The steps before the birth. */
export function register(instance: usize): void {
  clearFlags(instance, CONSTRUCTING);
  settle(instance);
  if (flagsOf(instance) & ACCEPTED) accept(instance);
  subscribe(instance);
}

function subscribe(instance: usize): void {
  const descriptor = load<usize>(instance);
  const body = load<u32>(descriptor, SUBSCRIBE);
  if (body == 0) return;
  setFlags(instance, load<i32>(descriptor, EPOCHS) == 0 ? REGISTERED : REGISTERED | CHECKED_BODIES);
  call_indirect<void>(body, instance);
}

/** A locus that a pool's worker has built: its params are settled there. */
export function buildPooled(instance: usize): void {
  clearFlags(instance, CONSTRUCTING);
  settle(instance);
}

/** The life of a locus placed on a pool, from where its literal stands: born here, its run() is the pool's next job, and what was sent to it comes behind. */
export function locus_start_pooled(instance: usize): void {
  pushBirth(instance);
  subscribe(instance);
  live(instance);
  popBirth();
}

/** The job that runs an instance of a pool. */
export function runPosted(instance: usize): void {
  if (!(flagsOf(instance) & (ENDED | QUARANTINED)) && runNow(instance)) live(instance);
  locus_release(instance);
}

/** Birth and run, again after each restart that is taken. */
export function live(instance: usize): void {
  const descriptor = load<usize>(instance);
  setFlags(instance, BORN);
  do {
    setFlags(instance, IN_BIRTH);
    body(instance, load<u32>(descriptor, BIRTH));
    check(instance, descriptor, BIRTH_EPOCH);
    clearFlags(instance, IN_BIRTH);
    if (flagsOf(instance) & HELD) return;
  } while (takeRestart(instance) || runAgain(instance));
}

/** The held failures of a birth have been handled and it was not restarted: life goes on, unless a handler has put another one in its place. */
export function liveOn(instance: usize): void {
  clearFlags(instance, HELD);
  if (!(flagsOf(instance) & ENDED) && runAgain(instance)) live(instance);
}

/** Readiness, run and what follows it; true when a restart is to follow. */
function runAgain(instance: usize): bool {
  if (isPosted(instance)) {
    if (flagsOf(instance) & QUARANTINED) {
      makeReady(instance);
    } else {
      hold(instance);
      makeReadyToRun(instance, runPosted.index);
    }
    return false;
  }
  makeReady(instance);
  if (flagsOf(instance) & QUARANTINED) return false;
  return runNow(instance);
}

/** On a pool the run() of what outlives its frame is a job (06 6.12). A restart runs where it stands. */
function isPosted(instance: usize): bool {
  if (!(flagsOf(instance) & (KEPT | ACCEPTED)) || flagsOf(instance) & READY) return false;
  const home = load<usize>(instance, HOME);
  return home != 0 && load<i32>(home, KIND) != PINNED && load<u32>(load<usize>(instance), RUN) != 0;
}

/** Run and what follows it; true when a restart is to follow. */
function runNow(instance: usize): bool {
  const descriptor = load<usize>(instance);
  setFlags(instance, IN_RUN);
  body(instance, load<u32>(descriptor, RUN));
  const features = load<i32>(descriptor, FEATURES);
  if (flagsOf(instance) & OWN_THREAD) {
    // The checks after the run of a locus with its own thread may ask for a restart too (05b 5b.9).
    if (!(features & FLOW) && !(flagsOf(instance) & (TERMINATED | FAILED)) && features & DECLARES_RUN) checkAfterBody(instance);
    clearFlags(instance, IN_RUN);
    if (takeRestart(instance)) return true;
  } else {
    clearFlags(instance, IN_RUN);
    if (takeRestart(instance)) return true;
  }
  const flags = flagsOf(instance);
  if ((features & FLOW) | (flags & TERMINATED)) endEarly(instance);
  else if (flags & FAILED) stop(instance);
  else if (features & DECLARES_RUN && !(flags & OWN_THREAD)) checkAfterBody(instance);
  return false;
}

/** A run or a handler of an instance has returned: its tick, then its duration closures, if it goes on living. */
export function checkAfterBody(instance: usize): void {
  if (flagsOf(instance) & ENDED) return;
  const descriptor = load<usize>(instance);
  check(instance, descriptor, TICK_EPOCH);
  check(instance, descriptor, DURATION_EPOCH);
}

/** A failed instance's own run or handler has returned: it hears nothing more, and what nothing else would reclaim ends (05b 5b.10). */
export function stop(instance: usize): void {
  hearNothingMore(instance);
  const flags = flagsOf(instance);
  if (flags & (ACCEPTED | STATEMENT) && !(flags & QUARANTINED)) endEarly(instance);
}

function hearNothingMore(instance: usize): void {
  clearDirect(instance);
  unsubscribe(instance);
}

/** The end of a flow or of an instance that terminated, before its owner's time. */
export function endEarly(instance: usize): void {
  if (flagsOf(instance) & (ENDED | ENDING)) return;
  pushEnding(instance);
  setFlags(instance, ENDING);
  // What is queued for one that terminated is dropped (05 5.11), also when the end of its drain() delivers.
  if (flagsOf(instance) & TERMINATED) hearNothingMore(instance);
  drain(instance);
  release(instance);
  dissolve(instance);
  if (flagsOf(instance) & CHILD) leaveChildren(load<usize>(instance, OWNER), instance);
  popEnding(instance);
}

/**
 * The teardown of an instance at its owner's time. Each step is done at most once, and steps that a failed assertion cut off are resumed. One whose construction was in
 * progress is not born: the fields that were complete end, in reverse order (05b 5b.13).
 */
export function endLocus(instance: usize): void {
  const flags = flagsOf(instance);
  if (flags & ENDED) return;
  if (load<usize>(instance, HOME) != strand() && endElsewhere(instance)) return;
  if (!(flags & BORN)) {
    if (load<i32>(load<usize>(instance), FEATURES) & MAIN) joinForMain(instance);
    abandon(instance);
    return;
  }
  if (load<i32>(load<usize>(instance), FEATURES) & MAIN && !(flags & DRAINED)) joinForMain(instance);
  drain(instance);
  dissolve(instance);
}

/** The same for a leaf. */
export function endLeafLocus(instance: usize): void {
  const flags = flagsOf(instance);
  if (flags & ENDED) return;
  const descriptor = load<usize>(instance);
  if (flags & BORN && load<i32>(descriptor, FEATURES) & HAS_END) {
    if (!(flags & DRAINED)) {
      setFlags(instance, DRAINED);
      body(instance, load<u32>(descriptor, DRAIN));
    }
    if (!(flagsOf(instance) & DISSOLVED)) {
      setFlags(instance, DISSOLVED);
      body(instance, load<u32>(descriptor, DISSOLVE));
    }
  }
  setFlags(instance, ENDED);
}

/** A leaf that executed `terminate` in its run() ends then. */
export function locus_after_run(instance: usize): void {
  if (flagsOf(instance) & TERMINATED) endEarly(instance);
}

export function locus_end(instance: usize): void {
  endLocus(instance);
}

/** Drains from the leaves to the root. */
function drain(instance: usize): void {
  if (flagsOf(instance) & (DRAINED | ENDED)) return;
  setFlags(instance, ENDING);
  const descriptor = load<usize>(instance);
  const fields = load<usize>(descriptor, FIELDS);
  if (fields != 0) {
    for (let at = fields + 4, end = fieldsEnd(fields); at < end; at += 8) {
      const child = ownedChild(instance, at);
      if (child != 0) drainField(child);
    }
  }
  setFlags(instance, DRAINED);
  body(instance, load<u32>(descriptor, DRAIN));
}

/** Its hooks may reach the holder, and assign the field anew. A handler that it runs until it dissolves may end it. */
function drainField(child: usize): void {
  const wasEnding = flagsOf(child) & ENDING;
  hold(child);
  drain(child);
  if (!wasEnding) clearFlags(child, ENDING);
  locus_release(child);
}

/** Closures, dissolve(), the end of the subscriptions, owned fields, accepted children. */
function dissolve(instance: usize): void {
  const descriptor = load<usize>(instance);
  const flags = flagsOf(instance);
  if (flags & ENDED) return;
  setFlags(instance, ENDING);
  if (!(flags & CHECKED)) {
    setFlags(instance, CHECKED);
    check(instance, descriptor, DISSOLVE_EPOCH);
  }
  if (!(flags & DISSOLVED)) {
    setFlags(instance, DISSOLVED);
    body(instance, load<u32>(descriptor, DISSOLVE));
  }
  hearNothingMore(instance);
  const fields = load<usize>(descriptor, FIELDS);
  if (fields != 0) {
    for (let at = fields + 4, end = fieldsEnd(fields); at < end; at += 8) {
      const child = ownedChild(instance, at);
      if (child != 0) dissolveField(instance, at, child);
    }
  }
  const children = load<u32>(descriptor, CHILDREN);
  if (children != 0) {
    for (let child = load<usize>(instance + children); child != 0; child = load<usize>(instance + children)) {
      endLocus(child);
      leaveChildren(instance, child);
    }
  }
  if (!(flagsOf(instance) & ENDED) && load<i32>(descriptor, FEATURES) & WATCHES) unwatch();
  setFlags(instance, ENDED);
}

/** A handler of its failure may assign the field anew: that instance ends too. */
function dissolveField(holder: usize, at: usize, child: usize): void {
  hold(child);
  dissolve(child);
  locus_release(child);
  for (let other = ownedChild(holder, at); other != child && other != 0 && !(flagsOf(other) & ENDED); other = ownedChild(holder, at)) endLocus(other);
}

function abandon(instance: usize): void {
  const fields = load<usize>(load<usize>(instance), FIELDS);
  if (fields != 0) {
    for (let at = fieldsEnd(fields) - 8; at > fields; at -= 8) {
      const child = ownedChild(instance, at);
      if (child != 0) endLocus(child);
    }
  }
  if (load<i32>(load<usize>(instance), FEATURES) & WATCHES) unwatch();
  setFlags(instance, ENDED);
}

/** The owner's `release`, between the drain and the dissolve of a flow that it accepted. */
function release(instance: usize): void {
  if (!(flagsOf(instance) & CHILD)) return;
  const owner = load<usize>(instance, OWNER);
  const hook = load<u32>(load<usize>(owner), RELEASE);
  if (hook != 0) call_indirect<void>(hook, owner, instance);
}

function accept(instance: usize): void {
  const owner = load<usize>(instance, OWNER);
  const descriptor = load<usize>(owner);
  const hook = load<u32>(descriptor, ACCEPT);
  if (hook != 0) call_indirect<void>(hook, owner, instance);
  const list = owner + load<u32>(descriptor, CHILDREN);
  const links = instance + load<u32>(load<usize>(instance), LINKS);
  const last = load<usize>(list, 4);
  hold(instance);
  setFlags(instance, CHILD);
  store<u32>(links, 0);
  store<usize>(links, last, 4);
  if (last == 0) store<usize>(list, instance);
  else store<usize>(last + load<u32>(load<usize>(last), LINKS), instance);
  store<usize>(list, instance, 4);
  store<i32>(list, load<i32>(list, 8) + 1, 8);
}

function leaveChildren(owner: usize, instance: usize): void {
  const list = owner + load<u32>(load<usize>(owner), CHILDREN);
  const links = load<u32>(load<usize>(instance), LINKS);
  const next = load<usize>(instance + links);
  const previous = load<usize>(instance + links, 4);
  if (previous == 0) store<usize>(list, next);
  else store<usize>(previous + links, next);
  if (next == 0) store<usize>(list, previous, 4);
  else store<usize>(next + links, previous, 4);
  store<i32>(list, load<i32>(list, 8) - 1, 8);
  clearFlags(instance, CHILD);
  letGo(instance);
}

// @ts-ignore: decorator
@inline
function body(instance: usize, index: u32): void {
  if (index != 0) call_indirect<void>(index, instance);
}

// @ts-ignore: decorator
@inline
function check(instance: usize, descriptor: usize, epoch: i32): void {
  if (load<i32>(descriptor, EPOCHS) & (1 << epoch)) call_indirect<void>(load<u32>(descriptor, CHECK), instance, epoch);
}
