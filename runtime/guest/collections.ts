// Storage of `@form` loci (reference 07): a block of 32 bytes inside the instance (FORM_STORAGE_SIZE in compiler/lowering/forms), elements in
// cells of their own. The lowering stores and drops the elements' leaves; what is here only finds, places and moves them as raw bytes.
//
// The block: +0 address of the elements' cell (0 before the first), +4 number of elements, +8 capacity in elements or slots, +24 a lock (hashmap and set,
// in programs with threads). By form:
//   vec          elements one behind the other
//   ring_buffer  +12 position of the oldest
//   hashmap, set slots of 8 bytes (i32 used, u32 hash of the key) and the element; +12 slots that were given up (lock-free tables); +16 and +20: index and slot of the entry read last by position
//   lru_cache    nodes of 8 bytes (i32 newer, i32 older) and the element; +12 index table (i32 node + 1, open addressing),
//                +16 its size, +20 most recent node + 1, +24 least recent node + 1
//
// Keys are passed as an i64: the Int itself, or the address of a String when `text` is 1.
import { lock, unlock } from "./lock";
import { alloc, allocDirty, capacityOf, free } from "./memory";
import { panic_memory } from "./panic";
import { string_equal } from "./string";
import { copyWords } from "./words";

const DATA: usize = 0;
const LENGTH: usize = 4;
const CAPACITY: usize = 8;
const HEAD: usize = 12;
const READ_INDEX: usize = 16;
const READ_SLOT: usize = 20;
const LOCK: usize = 24;
const TABLE: usize = 12;
const TABLE_SIZE: usize = 16;
const NEWEST: usize = 20;
const OLDEST: usize = 24;
/** In a used slot. */
const HASH: usize = 4;
/** What a slot's first word says: free (0), used, or given up and free only when the table grows. */
const USED: i32 = 1;
const GIVEN_UP: i32 = 2;
const REMOVED: usize = 12;
/** Bytes of a slot or node before its element. */
const LINKS: usize = 8;

/** One call at a time, whatever thread it comes from (reference 07 9.3). */
export function form_lock(form: usize): void {
  lock(form + LOCK);
}

export function form_unlock(form: usize): void {
  unlock(form + LOCK);
}

// -- vec

/** The address for a new last element, counted already; its bytes are garbage. */
export function vec_push_slot(form: usize, stride: usize): usize {
  const length = load<u32>(form, LENGTH);
  if (length == load<u32>(form, CAPACITY)) growElements(form, stride, length < 4 ? 4 : length * 2);
  store<u32>(form, length + 1, LENGTH);
  return load<usize>(form) + length * stride;
}

/** The address of the last element, which no longer counts; 0 when there is none. */
export function vec_pop_slot(form: usize, stride: usize): usize {
  const length = load<u32>(form, LENGTH);
  if (length == 0) return 0;
  store<u32>(form, length - 1, LENGTH);
  return load<usize>(form) + (length - 1) * stride;
}

/** Reverses the elements in place. */
export function vec_reverse(form: usize, stride: usize): void {
  const length = load<u32>(form, LENGTH);
  if (length < 2) return;
  let low = load<usize>(form);
  let high = low + (length - 1) * stride;
  while (low < high) {
    for (let i: usize = 0; i < stride; i += 8) {
      const word = load<u64>(low + i);
      store<u64>(low + i, load<u64>(high + i));
      store<u64>(high + i, word);
    }
    low += stride;
    high -= stride;
  }
}

// -- ring_buffer

/** The address for a new last element, counted already; 0 when `limit` elements are there. */
export function ring_push_slot(form: usize, stride: usize, limit: u32): usize {
  const length = load<u32>(form, LENGTH);
  if (length == limit) return 0;
  if (length == load<u32>(form, CAPACITY)) growRing(form, stride, limit);
  store<u32>(form, length + 1, LENGTH);
  const capacity = load<u32>(form, CAPACITY);
  let at = load<u32>(form, HEAD) + length;
  if (at >= capacity) at -= capacity;
  return load<usize>(form) + at * stride;
}

/** The address of the oldest element, which no longer counts; 0 when there is none. */
export function ring_pop_slot(form: usize, stride: usize): usize {
  const length = load<u32>(form, LENGTH);
  if (length == 0) return 0;
  const head = load<u32>(form, HEAD);
  const next = head + 1;
  store<u32>(form, next == load<u32>(form, CAPACITY) ? 0 : next, HEAD);
  store<u32>(form, length - 1, LENGTH);
  return load<usize>(form) + head * stride;
}

/** Full ring of fewer than `limit` places: a larger cell, the oldest element first. */
function growRing(form: usize, stride: usize, limit: u32): void {
  const length = load<u32>(form, LENGTH);
  const head = load<u32>(form, HEAD);
  const old = load<usize>(form);
  const capacity = length < 8 ? min(limit, 16) : min(limit, length * 2);
  const data = allocDirty(bytesFor(capacity, stride));
  const firstPart = (length - head) * stride;
  memory.copy(data, old + head * stride, firstPart);
  memory.copy(data + firstPart, old, head * stride);
  if (old != 0) free(old);
  store<usize>(form, data);
  store<u32>(form, capacity, CAPACITY);
  store<u32>(form, 0, HEAD);
}

// -- hashmap and set: linear probing in table order, which programs can see (reference 07 section 5)

/** The address of the element with this key, or 0. */
export function map_find(form: usize, key: i64, stride: usize, keyOffset: usize, text: i32): usize {
  const capacity = load<u32>(form, CAPACITY);
  if (capacity == 0) return 0;
  const slot = slotOf(load<usize>(form), capacity, key, hashOf(key, text), stride, keyOffset, text);
  return load<i32>(slot) != 0 ? slot + LINKS : 0;
}

/**
 * The place of the element with this key, made when it is not there: its address, plus 1 when it is new and its bytes are garbage. Grows first when a further entry would fill more than
 * 7 of 10 slots, also when the key turns out to be there.
 */
export function map_place(form: usize, key: i64, stride: usize, keyOffset: usize, text: i32): usize {
  const length = load<u32>(form, LENGTH);
  const capacity = load<u32>(form, CAPACITY);
  if (capacity == 0) resizeMap(form, 8, stride, 0);
  else if (((length as u64) + 1) * 10 > (capacity as u64) * 7) resizeMap(form, capacity * 2, stride, 0);
  const hash = hashOf(key, text);
  const slot = slotOf(load<usize>(form), load<u32>(form, CAPACITY), key, hash, stride, keyOffset, text);
  if (load<i32>(slot) != 0) return slot + LINKS;
  store<i32>(slot, 1);
  store<u32>(slot, hash, HASH);
  store<u32>(form, length + 1, LENGTH);
  store<i32>(form, -1, READ_INDEX);
  return slot + LINKS + 1;
}

/** Takes the entry at `element` (an address that `map_find` gave) out; its contents are the caller's. Later entries of the run move back. */
export function map_remove(form: usize, element: usize, stride: usize): void {
  const data = load<usize>(form);
  const mask = load<u32>(form, CAPACITY) - 1;
  const whole = stride + LINKS;
  let hole = ((element - LINKS - data) / whole) as u32;
  store<i32>(data + hole * whole, 0);
  store<u32>(form, load<u32>(form, LENGTH) - 1, LENGTH);
  store<i32>(form, -1, READ_INDEX);
  let at = hole;
  while (true) {
    at = (at + 1) & mask;
    const slot = data + at * whole;
    if (load<i32>(slot) == 0) return;
    const natural = load<u32>(slot, HASH) & mask;
    if (((hole - natural) & mask) < ((at - natural) & mask)) {
      copyWords(data + hole * whole, slot, whole);
      store<i32>(slot, 0);
      hole = at;
    }
  }
}

/** The number of the first used slot at or behind `from`, or -1. */
export function map_next(form: usize, from: i32, stride: usize): i32 {
  const capacity = load<i32>(form, CAPACITY);
  const data = load<usize>(form);
  for (let at = from; at < capacity; at++) {
    if (load<i32>(data + (at as usize) * (stride + LINKS)) == USED) return at;
  }
  return -1;
}

/** The address of the element in slot `slot`. */
export function map_element(form: usize, slot: i32, stride: usize): usize {
  return load<usize>(form) + (slot as usize) * (stride + LINKS) + LINKS;
}

/** The address of entry number `index` in table order, or 0. Reading entry after entry costs one walk in all. */
export function map_entry(form: usize, index: i64, stride: usize): usize {
  if (index < 0 || index >= load<u32>(form, LENGTH)) return 0;
  let at = 0;
  let slot = -1;
  const known = load<i32>(form, READ_INDEX);
  if (load<i32>(form, READ_SLOT) > 0 && known >= 0 && (known as i64) <= index) {
    at = known;
    slot = load<i32>(form, READ_SLOT) - 1;
  } else slot = map_next(form, 0, stride);
  while ((at as i64) < index) {
    slot = map_next(form, slot + 1, stride);
    at++;
  }
  store<i32>(form, at, READ_INDEX);
  store<i32>(form, slot + 1, READ_SLOT);
  return map_element(form, slot, stride);
}

/** The slot that holds the key, or the free one where it would go. The table is never full. */
function slotOf(data: usize, capacity: u32, key: i64, hash: u32, stride: usize, keyOffset: usize, text: i32): usize {
  const mask = capacity - 1;
  const whole = stride + LINKS;
  let at = hash & mask;
  while (true) {
    const slot = data + at * whole;
    const state = load<i32>(slot);
    if (state == 0) return slot;
    if (load<u32>(slot, HASH) == hash && state == USED && sameKey(slot + LINKS + keyOffset, key, text)) return slot;
    at = (at + 1) & mask;
  }
}

/** A larger table with the same entries; answers where the one in slot `watched` is now. */
function resizeMap(form: usize, capacity: u32, stride: usize, watched: usize): usize {
  let found: usize = 0;
  const old = load<usize>(form);
  const oldCapacity = load<u32>(form, CAPACITY);
  const whole = stride + LINKS;
  const data = alloc(bytesFor(capacity, whole));
  const mask = capacity - 1;
  for (let i: u32 = 0; i < oldCapacity; i++) {
    const slot = old + i * whole;
    if (load<i32>(slot) != USED) continue;
    let at = load<u32>(slot, HASH) & mask;
    while (load<i32>(data + at * whole) != 0) at = (at + 1) & mask;
    copyWords(data + at * whole, slot, whole);
    if (slot == watched) found = data + at * whole;
  }
  if (old != 0) free(old);
  store<usize>(form, data);
  store<u32>(form, capacity, CAPACITY);
  store<i32>(form, -1, READ_INDEX);
  return found;
}

// -- hashmap and set with `sync = lockfree, cap = N`: the table begins with N slots, grows behind an insert, and does not reuse slots before that (reference 07 9.5)

/** As `map_place`; `first`: the slots to begin with, a power of two. */
export function free_place(form: usize, key: i64, stride: usize, keyOffset: usize, text: i32, first: u32): usize {
  if (load<u32>(form, CAPACITY) == 0) resizeMap(form, first, stride, 0);
  const hash = hashOf(key, text);
  const slot = slotOf(load<usize>(form), load<u32>(form, CAPACITY), key, hash, stride, keyOffset, text);
  if (load<i32>(slot) != 0) return slot + LINKS;
  store<i32>(slot, USED);
  store<u32>(slot, hash, HASH);
  const length = load<u32>(form, LENGTH) + 1;
  store<u32>(form, length, LENGTH);
  store<i32>(form, -1, READ_INDEX);
  const capacity = load<u32>(form, CAPACITY);
  if (((length as u64) + load<u32>(form, REMOVED)) * 10 <= (capacity as u64) * 6) return slot + LINKS + 1;
  const moved = resizeMap(form, capacity * 2, stride, slot);
  store<u32>(form, 0, REMOVED);
  return moved + LINKS + 1;
}

/** As `map_remove`. */
export function free_remove(form: usize, element: usize, stride: usize): void {
  store<i32>(element - LINKS, GIVEN_UP);
  store<u32>(form, load<u32>(form, LENGTH) - 1, LENGTH);
  store<u32>(form, load<u32>(form, REMOVED) + 1, REMOVED);
  store<i32>(form, -1, READ_INDEX);
}

// -- lru_cache

/** The address of the element with this key, or 0; its age does not change. */
export function lru_find(form: usize, key: i64, stride: usize, keyOffset: usize, text: i32): usize {
  if (load<usize>(form, TABLE) == 0) return 0;
  const node = load<u32>(entryOf(form, key, stride, keyOffset, text));
  return node != 0 ? nodeAt(form, node, stride) + LINKS : 0;
}

/** Makes the entry at `element` the most recent one. */
export function lru_touch(form: usize, element: usize, stride: usize): void {
  const node = ((element - LINKS - load<usize>(form)) / (stride + LINKS)) as u32 + 1;
  unlink(form, node, stride);
  linkNewest(form, node, stride);
}

/**
 * The place of the element with this key, made the most recent: its address, plus 1 when its bytes are garbage. Else the bytes are those of the entry it replaces: the
 * same key's, or the least recent one's when `limit` are there; the caller drops them.
 */
export function lru_place(form: usize, key: i64, stride: usize, keyOffset: usize, text: i32, limit: u32): usize {
  let length = load<u32>(form, LENGTH);
  if (length < limit && (length + 1) * 2 > load<u32>(form, TABLE_SIZE)) resizeTable(form, stride, keyOffset, text);
  const known = load<u32>(entryOf(form, key, stride, keyOffset, text));
  if (known != 0) {
    unlink(form, known, stride);
    linkNewest(form, known, stride);
    return nodeAt(form, known, stride) + LINKS;
  }
  let node: u32;
  let fresh: usize = 0;
  if (length == limit) {
    node = load<u32>(form, OLDEST);
    unlink(form, node, stride);
    forget(form, node, stride, keyOffset, text);
  } else {
    if (length == load<u32>(form, CAPACITY)) growElements(form, stride + LINKS, min(limit, length < 4 ? 4 : length * 2));
    node = ++length;
    store<u32>(form, length, LENGTH);
    fresh = 1;
  }
  store<u32>(entryOf(form, key, stride, keyOffset, text), node);
  linkNewest(form, node, stride);
  return nodeAt(form, node, stride) + LINKS + fresh;
}

/** Element number `index` in no particular order: for dropping them all. */
export function lru_element(form: usize, index: i32, stride: usize): usize {
  return load<usize>(form) + (index as usize) * (stride + LINKS) + LINKS;
}

/** Frees what the form holds besides the elements' own references. */
export function form_free(form: usize, isLru: i32): void {
  const data = load<usize>(form);
  if (data != 0) free(data);
  if (isLru && load<usize>(form, TABLE) != 0) free(load<usize>(form, TABLE));
  memory.fill(form, 0, 32);
}

// @ts-ignore: decorator
@inline
function nodeAt(form: usize, node: u32, stride: usize): usize {
  return load<usize>(form) + (node - 1) * (stride + LINKS);
}

/** The address of the table entry that holds the node with this key, or of the free one where it would go. */
function entryOf(form: usize, key: i64, stride: usize, keyOffset: usize, text: i32): usize {
  const table = load<usize>(form, TABLE);
  const mask = load<u32>(form, TABLE_SIZE) - 1;
  let at = hashOf(key, text) & mask;
  while (true) {
    const entry = table + (at << 2);
    const node = load<u32>(entry);
    if (node == 0 || sameKey(nodeAt(form, node, stride) + LINKS + keyOffset, key, text)) return entry;
    at = (at + 1) & mask;
  }
}

/** Takes a node out of the index table, whose later entries of the run move back. */
function forget(form: usize, node: u32, stride: usize, keyOffset: usize, text: i32): void {
  const table = load<usize>(form, TABLE);
  const mask = load<u32>(form, TABLE_SIZE) - 1;
  let hole = hashAt(nodeAt(form, node, stride) + LINKS + keyOffset, text) & mask;
  while (load<u32>(table + (hole << 2)) != node) hole = (hole + 1) & mask;
  store<u32>(table + (hole << 2), 0);
  let at = hole;
  while (true) {
    at = (at + 1) & mask;
    const other = load<u32>(table + (at << 2));
    if (other == 0) return;
    const natural = hashAt(nodeAt(form, other, stride) + LINKS + keyOffset, text) & mask;
    if (((hole - natural) & mask) < ((at - natural) & mask)) {
      store<u32>(table + (hole << 2), other);
      store<u32>(table + (at << 2), 0);
      hole = at;
    }
  }
}

function resizeTable(form: usize, stride: usize, keyOffset: usize, text: i32): void {
  const old = load<usize>(form, TABLE);
  const size = old == 0 ? 16 : load<u32>(form, TABLE_SIZE) * 2;
  const table = alloc(bytesFor(size, 4));
  const length = load<u32>(form, LENGTH);
  for (let node: u32 = 1; node <= length; node++) {
    let at = hashAt(nodeAt(form, node, stride) + LINKS + keyOffset, text) & (size - 1);
    while (load<u32>(table + (at << 2)) != 0) at = (at + 1) & (size - 1);
    store<u32>(table + (at << 2), node);
  }
  if (old != 0) free(old);
  store<usize>(form, table, TABLE);
  store<u32>(form, size, TABLE_SIZE);
}

function unlink(form: usize, node: u32, stride: usize): void {
  const at = nodeAt(form, node, stride);
  const newer = load<u32>(at);
  const older = load<u32>(at, 4);
  if (newer != 0) store<u32>(nodeAt(form, newer, stride), older, 4);
  else store<u32>(form, older, NEWEST);
  if (older != 0) store<u32>(nodeAt(form, older, stride), newer);
  else store<u32>(form, newer, OLDEST);
}

function linkNewest(form: usize, node: u32, stride: usize): void {
  const at = nodeAt(form, node, stride);
  const newest = load<u32>(form, NEWEST);
  store<u32>(at, 0);
  store<u32>(at, newest, 4);
  if (newest != 0) store<u32>(nodeAt(form, newest, stride), node);
  else store<u32>(form, node, OLDEST);
  store<u32>(form, node, NEWEST);
}

// -- shared

function growElements(form: usize, stride: usize, capacity: u32): void {
  const old = load<usize>(form);
  const data = allocDirty(bytesFor(capacity, stride));
  memory.copy(data, old, load<u32>(form, LENGTH) * stride);
  if (old != 0) free(old);
  store<usize>(form, data);
  store<u32>(form, max(capacity, (capacityOf(data) / stride) as u32), CAPACITY);
}

function bytesFor(count: u32, stride: usize): usize {
  const bytes = (count as u64) * stride;
  if (bytes > 0xfff00000) panic_memory();
  return bytes as usize;
}

// @ts-ignore: decorator
@inline
function hashOf(key: i64, text: i32): u32 {
  return text ? hashText(key as usize) : ((key as u64) * 0x9e3779b97f4a7c15) as u32;
}

// @ts-ignore: decorator
@inline
function hashAt(keyAddress: usize, text: i32): u32 {
  return text ? hashText(load<usize>(keyAddress)) : (load<u64>(keyAddress) * 0x9e3779b97f4a7c15) as u32;
}

// @ts-ignore: decorator
@inline
function sameKey(keyAddress: usize, key: i64, text: i32): bool {
  return text ? string_equal(load<usize>(keyAddress), key as usize) != 0 : load<i64>(keyAddress) == key;
}

/** The low half of the bytes' 64-bit FNV-1a: tables use no more. */
function hashText(text: usize): u32 {
  let hash: u64 = 0xcbf29ce484222325;
  const end = text + 4 + (load<u32>(text) as usize);
  for (let at = text + 4; at < end; at++) hash = (hash ^ load<u8>(at)) * 0x100000001b3;
  return hash as u32;
}
