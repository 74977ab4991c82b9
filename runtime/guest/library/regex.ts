// std::regex: patterns become a nondeterministic automaton, which is run on all paths at once (Thompson 1968; Russ Cox, "Regular expression matching can
// be simple and fast"): the time is linear in text times pattern.
//
// A program is a cell: +0 i32 number of nodes, +4 i32 first node, +8 the nodes of 12 bytes each (i32 kind, i32 next, i32 other next or byte or
// class), behind them the classes of 32 bytes, one bit a byte.
import { alloc, free } from "../memory";
import { BYTES, lengthOf } from "./cell";

const BYTE: i32 = 0;
const ANY: i32 = 1;
const CLASS: i32 = 2;
const SPLIT: i32 = 3;
/** Goes on without a byte. */
const EMPTY: i32 = 4;
const MATCH: i32 = 5;

const NODES: usize = 8;
const NODE_SIZE: usize = 12;
const NEXT: usize = 4;
const OTHER: usize = 8;
const CLASS_SIZE: usize = 32;
/** Characters, classes, groups and operators in a pattern. */
const MOST_ELEMENTS: i32 = 250;

// The pattern that is being read.
let at: usize = 0;
let stop: usize = 0;
let elements: i32 = 0;
let invalid: bool = false;
let program: usize = 0;
let nodeCount: i32 = 0;
let nextClass: usize = 0;

// A fragment: its first node, and the `next` fields that still lead nowhere, linked through themselves by address.
let first: i32 = 0;
let dangling: usize = 0;

/** The program of a pattern, or 0 when it is not well formed. */
export function __regex_compile(pattern: usize): i64 {
  at = pattern + BYTES;
  const length = lengthOf(pattern);
  stop = at + length;
  // Beyond the limit nothing is read; every element makes at most two nodes and one class.
  const room = (min(length, MOST_ELEMENTS) + 2) as usize;
  program = alloc(NODES + room * 2 * NODE_SIZE + room * CLASS_SIZE);
  nextClass = program + NODES + room * 2 * NODE_SIZE;
  nodeCount = 0;
  elements = 0;
  invalid = false;
  readAlternatives();
  if (at < stop) invalid = true; // a `)` without `(`
  if (invalid) {
    free(program);
    return 0;
  }
  patch(dangling, node(MATCH, 0));
  store<i32>(program, nodeCount);
  store<i32>(program, first, 4);
  return program as i64;
}

export function __regex_free(compiled: i64): void {
  free(compiled as usize);
}

// -- reading a pattern

function node(kind: i32, other: i32): i32 {
  const address = nodeAt(program, nodeCount);
  store<i32>(address, kind);
  store<i32>(address, other, OTHER);
  return nodeCount++;
}

// @ts-ignore: decorator
@inline
function nodeAt(compiled: usize, index: i32): usize {
  return compiled + NODES + (index as usize) * NODE_SIZE;
}

/** Makes all fields of a list lead to a node. */
function patch(list: usize, target: i32): void {
  while (list != 0) {
    const following = load<usize>(list);
    store<i32>(list, target);
    list = following;
  }
}

/** One list behind the other. */
function appended(list: usize, more: usize): usize {
  if (list == 0) return more;
  let last = list;
  while (load<usize>(last) != 0) last = load<usize>(last);
  store<usize>(last, more);
  return list;
}

/** The current fragment becomes a single node whose `next` is open. */
function single(kind: i32, other: i32): void {
  first = node(kind, other);
  dangling = nodeAt(program, first) + NEXT;
  store<usize>(dangling, 0);
}

function countElement(): void {
  if (++elements > MOST_ELEMENTS) {
    invalid = true;
    at = stop;
  }
}

function readAlternatives(): void {
  readSequence();
  while (at < stop && load<u8>(at) == 0x7c) {
    at++;
    countElement();
    if (invalid) return;
    const leftFirst = first;
    const leftDangling = dangling;
    readSequence();
    if (invalid) return;
    const split = node(SPLIT, first);
    store<i32>(nodeAt(program, split), leftFirst, NEXT);
    first = split;
    dangling = appended(leftDangling, dangling);
  }
}

function readSequence(): void {
  let begun = false;
  let start: i32 = 0;
  let open: usize = 0;
  while (at < stop && load<u8>(at) != 0x7c && load<u8>(at) != 0x29) {
    countElement();
    if (invalid) return;
    readAtom();
    while (!invalid && at < stop && isPostfix(load<u8>(at))) {
      countElement();
      if (!invalid) applyPostfix(load<u8>(at++));
    }
    if (invalid) return;
    if (begun) {
      patch(open, first);
    } else {
      start = first;
      begun = true;
    }
    open = dangling;
  }
  if (!begun) {
    single(EMPTY, 0);
    return;
  }
  first = start;
  dangling = open;
}

function isPostfix(byte: u8): bool {
  return byte == 0x2a || byte == 0x2b || byte == 0x3f;
}

/** `*`, `+` or `?` behind the current fragment. */
function applyPostfix(operator: u8): void {
  const body = first;
  const split = node(SPLIT, body);
  const exit = nodeAt(program, split) + NEXT;
  store<usize>(exit, 0);
  if (operator == 0x3f) {
    dangling = appended(dangling, exit);
    first = split;
    return;
  }
  patch(dangling, split);
  dangling = exit;
  if (operator == 0x2a) first = split;
}

/** One byte, `.`, class or group. An operator with nothing before it stands for itself. */
function readAtom(): void {
  const byte = load<u8>(at++);
  if (byte == 0x28) {
    readAlternatives();
    if (at == stop) invalid = true;
    at++;
  } else if (byte == 0x5b) {
    readClass();
  } else if (byte == 0x2e) {
    single(ANY, 0);
  } else if (byte == 0x5c && at < stop) {
    single(BYTE, load<u8>(at++));
  } else {
    single(BYTE, byte);
  }
}

/** Behind the `[`. */
function readClass(): void {
  const bits = nextClass;
  nextClass += CLASS_SIZE;
  let negated = false;
  if (at < stop && load<u8>(at) == 0x5e) {
    negated = true;
    at++;
  }
  while (at < stop && load<u8>(at) != 0x5d) {
    let low = load<u8>(at++);
    if (low == 0x5c && at < stop) low = load<u8>(at++);
    let high = low;
    if (at + 1 < stop && load<u8>(at) == 0x2d && load<u8>(at + 1) != 0x5d) {
      high = load<u8>(at + 1);
      at += 2;
    }
    for (let b: u32 = low; b <= (high as u32); b++) store<u8>(bits + (b >> 3), (load<u8>(bits + (b >> 3)) as u32) | (1 << (b & 7)));
  }
  if (at == stop) {
    invalid = true;
    return;
  }
  at++;
  if (negated) for (let i: usize = 0; i < CLASS_SIZE; i++) store<u8>(bits + i, ~load<u8>(bits + i));
  single(CLASS, bits as i32);
}

// -- running

// Two lists of waiting nodes, each entry a node and where its match began; `marks` tells which nodes are in the list that is being built.
let lists: usize = 0;
let current: usize = 0;
let currentCount: i32 = 0;
let following: usize = 0;
let followingCount: i32 = 0;
let marks: usize = 0;
let stamp: i32 = 0;
let pending: usize = 0;

function beginRun(compiled: usize): void {
  const count = load<i32>(compiled) as usize;
  lists = alloc(count * 24 + 8);
  current = lists;
  following = lists + count * 8;
  marks = lists + count * 16;
  pending = marks + count * 4;
  currentCount = 0;
  followingCount = 0;
  stamp = 0;
}

/** What waits in `following` becomes current, and `following` empty. */
function turn(): void {
  const list = current;
  current = following;
  currentCount = followingCount;
  following = list;
  followingCount = 0;
  stamp++;
}

/** Adds a node, and all that it reaches without a byte, to `following`. */
function add(compiled: usize, index: i32, begin: i32): void {
  let height: usize = 0;
  store<i32>(pending, index);
  height = 1;
  while (height > 0) {
    height--;
    const top = load<i32>(pending + (height << 2));
    const mark = marks + ((top as usize) << 2);
    if (load<i32>(mark) == stamp) continue;
    store<i32>(mark, stamp);
    const address = nodeAt(compiled, top);
    const kind = load<i32>(address);
    if (kind == SPLIT || kind == EMPTY) {
      // Marked nodes are not expanded again, so each is pushed at most twice: the stack has room for all of them and one more.
      if (kind == SPLIT && load<i32>(marks + ((load<i32>(address, OTHER) as usize) << 2)) != stamp) store<i32>(pending + (height++ << 2), load<i32>(address, OTHER));
      if (load<i32>(marks + ((load<i32>(address, NEXT) as usize) << 2)) != stamp) store<i32>(pending + (height++ << 2), load<i32>(address, NEXT));
      continue;
    }
    const entry = following + ((followingCount++ as usize) << 3);
    store<i32>(entry, top);
    store<i32>(entry, begin, 4);
  }
}

// @ts-ignore: decorator
@inline
function takes(address: usize, byte: u8): bool {
  const kind = load<i32>(address);
  if (kind == BYTE) return (load<i32>(address, OTHER) as u8) == byte;
  if (kind == ANY) return true;
  return kind == CLASS && ((load<u8>((load<i32>(address, OTHER) as usize) + (byte >> 3)) >> (byte & 7)) & 1) != 0;
}

export function __regex_matches(compiled: i64, text: usize): bool {
  const automaton = compiled as usize;
  beginRun(automaton);
  stamp = 1;
  add(automaton, load<i32>(automaton, 4), 0);
  const length = lengthOf(text);
  for (let i: i32 = 0; i < length && followingCount > 0; i++) {
    turn();
    step(automaton, load<u8>(text + BYTES + i));
  }
  let found = false;
  for (let i: i32 = 0; i < followingCount; i++) found = found || load<i32>(nodeAt(automaton, load<i32>(following + ((i as usize) << 3)))) == MATCH;
  free(lists);
  return found;
}

function step(automaton: usize, byte: u8): void {
  for (let i: i32 = 0; i < currentCount; i++) {
    const entry = current + ((i as usize) << 3);
    const address = nodeAt(automaton, load<i32>(entry));
    if (takes(address, byte)) add(automaton, load<i32>(address, NEXT), load<i32>(entry, 4));
  }
}

/**
 * Offset of the leftmost match, or -1. Entries stay in order of their beginning, so a node that is reached twice keeps the earlier one; when one has
 * matched, only those that began before it are followed further.
 */
export function __regex_find(compiled: i64, text: usize): i64 {
  const automaton = compiled as usize;
  beginRun(automaton);
  const length = lengthOf(text);
  let best: i32 = -1;
  stamp = 1;
  for (let i: i32 = 0; ; i++) {
    if (best < 0) add(automaton, load<i32>(automaton, 4), i);
    for (let k: i32 = 0; k < followingCount; k++) {
      const entry = following + ((k as usize) << 3);
      if (load<i32>(nodeAt(automaton, load<i32>(entry))) != MATCH) continue;
      best = load<i32>(entry, 4);
      followingCount = k;
      while (followingCount > 0 && load<i32>(following + ((followingCount as usize) << 3) - 4) == best) followingCount--;
      break;
    }
    if (i == length || (best >= 0 && followingCount == 0)) break;
    turn();
    step(automaton, load<u8>(text + BYTES + i));
  }
  free(lists);
  return best;
}
