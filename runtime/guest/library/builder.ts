// std::bytes::BytesBuilder and the views into it.
//
// Builder cell: +0 i32 text (a Bytes cell whose room may exceed its length; 0: empty), +4 i32 room for bytes in it, +8 i64 changes so far,
// +16 i32 1 when finished. The text is copied before a change when somebody else holds it, so whoever kept it (a snapshot, a view, a function's
// result made from a view) never sees it change.
// View cell: +0 i32 text (counted), +4 i32 builder (counted, or 0 for a view of a literal), +8 i64 the builder's changes at that time, +16 i32 1 for a
// StringView. The null pointer reads as an empty view.
import { alloc, count_down, free, isUnique, release, retain } from "../memory";
import { stale_view } from "../panic";
import { text_string } from "../text";
import { BYTES, bytesFrom, findByte, lengthOf, newBytes } from "./cell";
import { swapped, writeLittle } from "./bytes";
import { owned } from "./str";

const BUILDER_SIZE: usize = 24;
const TEXT: usize = 0;
const ROOM: usize = 4;
const CHANGES: usize = 8;
const DEAD: usize = 16;

const VIEW_SIZE: usize = 24;
const VIEW_TEXT: usize = 0;
const VIEW_BUILDER: usize = 4;
const VIEW_STAMP: usize = 8;
const VIEW_IS_TEXT: usize = 16;

export function __builder_new(capacity: i64): i64 {
  const builder = alloc(BUILDER_SIZE);
  // A hint beyond 1 MiB is left to growth.
  if (capacity > 0) reserve(builder, min<i64>(capacity, 1 << 20) as i32);
  return builder as i64;
}

/** The builder's locus is gone; views that still exist keep the cell. */
export function __builder_free(h: i64): void {
  if (h != 0) releaseBuilder(h as usize);
}

export function __builder_dead(h: i64): bool {
  return load<i32>((h as usize) + DEAD) != 0;
}

export function __builder_len(h: i64): i64 {
  return lengthOf(textOf(h as usize));
}

export function __builder_append(h: i64, chunk: usize): void {
  appendBytes(h as usize, chunk + BYTES, lengthOf(chunk));
}

export function __builder_append_str(h: i64, s: usize): void {
  appendBytes(h as usize, s + BYTES, lengthOf(s));
}

/** `src[lo..hi]`, a range the caller has checked. */
export function __builder_append_slice(h: i64, src: usize, lo: i64, hi: i64): void {
  appendBytes(h as usize, src + BYTES + (lo as usize), (hi - lo) as i32);
}

export function __builder_append_le(h: i64, width: i64, n: i64): void {
  writeLittle(extend(h as usize, width as i32), width as i32, n);
}

export function __builder_append_be(h: i64, width: i64, n: i64): void {
  writeLittle(extend(h as usize, width as i32), width as i32, swapped(n, width as i32));
}

export function __builder_append_zeros(h: i64, n: i64): void {
  const count = checkedSize(n);
  if (count > 0) memory.fill(extend(h as usize, count), 0, count);
}

/** Adds `src[i] ^ key[i % 4]`; `key[j]` is byte j of the number from the low end. */
export function __builder_xor_mask(h: i64, src: usize, key: i64): void {
  const length = lengthOf(src);
  if (length == 0) return;
  retain(src); // `src` may be a view of this very builder
  const target = extend(h as usize, length);
  const word: u64 = ((key as u32) as u64) * 0x0000000100000001;
  let i: usize = 0;
  for (; i + 8 <= (length as usize); i += 8) store<u64>(target + i, load<u64>(src + BYTES + i) ^ word);
  for (; i < (length as usize); i++) store<u8>(target + i, load<u8>(src + BYTES + i) ^ ((word >> (((i & 3) as u64) * 8)) as u8));
  release(src);
}

export function __builder_shift_front(h: i64, n: i64): void {
  const builder = h as usize;
  const text = textOf(builder);
  const length = lengthOf(text);
  if (n <= 0 || __builder_dead(h)) return;
  changed(builder);
  if (n >= (length as i64)) {
    empty(builder);
    return;
  }
  const rest = length - (n as i32);
  if (isShared(text)) {
    replaceText(builder, bytesFrom(text + BYTES + (n as usize), rest), rest);
    return;
  }
  memory.copy(text + BYTES, text + BYTES + (n as usize), rest);
  store<i32>(text, rest);
}

export function __builder_clear(h: i64): void {
  if (__builder_dead(h)) return;
  changed(h as usize);
  empty(h as usize);
}

/** The content, which the builder copies when it changes. */
export function __builder_snapshot(h: i64): usize {
  const text = textOf(h as usize);
  if (lengthOf(text) == 0) return 0;
  retain(text);
  return text;
}

/** `__builder_snapshot` for text that was built of Strings. */
export function __builder_text(h: i64): usize {
  return __builder_snapshot(h);
}

export function __builder_finish(h: i64): usize {
  const builder = h as usize;
  const text = textOf(builder);
  changed(builder);
  store<i32>(builder + DEAD, 1);
  store<usize>(builder + TEXT, 0);
  store<i32>(builder + ROOM, 0);
  return text;
}

export function __builder_view(h: i64): usize {
  const text = textOf(h as usize);
  retain(text);
  return newView(text, h as usize, false);
}

/** The text up to the first zero byte; only text that has one is copied. */
export function __builder_text_view(h: i64): usize {
  const text = textOf(h as usize);
  const zero = findByte(text + BYTES, lengthOf(text), 0);
  if (zero >= 0) return newView(bytesFrom(text + BYTES, zero), h as usize, true);
  retain(text);
  return newView(text, h as usize, true);
}

// -- views

/** A view of a String or Bytes that no builder owns: the literal default of a field. */
export function view_of(text: usize, isText: i32): usize {
  retain(text);
  return newView(text, 0, isText != 0);
}

/** The String that a view shows, owned by the caller. Ends the process when its builder has changed since (reference 03 21.3). */
export function view_string(view: usize): usize {
  return owned(readView(view));
}

/** The Bytes that a view shows, owned by the caller. */
export function view_bytes(view: usize): usize {
  return owned(readView(view));
}

export function view_length(view: usize): i64 {
  return lengthOf(readView(view)) as i64;
}

/** Appends what a StringView shows to the thread's text. */
export function text_view(view: usize): void {
  text_string(readView(view));
}

export function release_view(view: usize): void {
  if (count_down(view) == 0) return;
  release(load<usize>(view + VIEW_TEXT));
  const builder = load<usize>(view + VIEW_BUILDER);
  if (builder != 0) releaseBuilder(builder);
  free(view);
}

function readView(view: usize): usize {
  const builder = load<usize>(view + VIEW_BUILDER);
  if (builder != 0 && load<i64>(view + VIEW_STAMP) != load<i64>(builder + CHANGES)) {
    stale_view(load<i32>(view + VIEW_IS_TEXT) != 0, load<i64>(view + VIEW_STAMP), load<i64>(builder + CHANGES));
  }
  return load<usize>(view + VIEW_TEXT);
}

function newView(ownedText: usize, builder: usize, isText: bool): usize {
  const view = alloc(VIEW_SIZE);
  store<i32>(view + VIEW_IS_TEXT, isText as i32);
  store<usize>(view + VIEW_TEXT, ownedText);
  if (builder != 0) {
    retain(builder);
    store<usize>(view + VIEW_BUILDER, builder);
    store<i64>(view + VIEW_STAMP, load<i64>(builder + CHANGES));
  }
  return view;
}

// -- the builder's text

// @ts-ignore: decorator
@inline
function textOf(builder: usize): usize {
  return load<usize>(builder + TEXT);
}

/** For other primitives (reads from descriptors): room for `count` more bytes, without a change yet. Returns where they go. */
export function reserveTail(h: i64, count: i32): usize {
  const builder = h as usize;
  const length = lengthOf(textOf(builder));
  reserve(builder, length + count);
  return textOf(builder) + BYTES + length;
}

/** After `reserveTail`: `count` bytes were written there. */
export function commitTail(h: i64, count: i32): void {
  if (count <= 0) return;
  const builder = h as usize;
  store<i32>(textOf(builder), lengthOf(textOf(builder)) + count);
  changed(builder);
}

export function appendBytes(builder: usize, source: usize, count: i32): void {
  if (count <= 0) return;
  const old = textOf(builder);
  if (source - old >= (BYTES + (lengthOf(old) as usize))) {
    memory.copy(extend(builder, count), source, count);
    return;
  }
  // A part of the builder's own text: that text must outlive the growth.
  retain(old);
  memory.copy(extend(builder, count), source, count);
  release(old);
}

/** Makes the text `count` bytes longer and returns the address of the new part. */
function extend(builder: usize, count: i32): usize {
  const length = lengthOf(textOf(builder));
  reserve(builder, length + count);
  const text = textOf(builder);
  store<i32>(text, length + count);
  changed(builder);
  return text + BYTES + length;
}

/** Afterwards the builder alone holds its text, with room for `wanted` bytes. */
function reserve(builder: usize, wanted: i32): void {
  if (wanted < 0) checkedSize(i64.MAX_VALUE);
  const text = textOf(builder);
  const room = load<i32>(builder + ROOM);
  if (wanted <= room && !isShared(text)) return;
  const length = lengthOf(text);
  const capacity = max(wanted <= room ? room : wanted + (wanted >> 1), 60);
  const grown = newBytes(capacity);
  memory.copy(grown + BYTES, text + BYTES, length);
  store<i32>(grown, length);
  replaceText(builder, grown, capacity);
}

function replaceText(builder: usize, text: usize, room: i32): void {
  release(textOf(builder));
  store<usize>(builder + TEXT, text);
  store<i32>(builder + ROOM, room);
}

function empty(builder: usize): void {
  const text = textOf(builder);
  if (isShared(text)) replaceText(builder, 0, 0);
  else if (text != 0) store<i32>(text, 0);
}

// @ts-ignore: decorator
@inline
function isShared(text: usize): bool {
  return text != 0 && !isUnique(text);
}

// @ts-ignore: decorator
@inline
function changed(builder: usize): void {
  store<i64>(builder + CHANGES, load<i64>(builder + CHANGES) + 1);
}

function releaseBuilder(builder: usize): void {
  if (count_down(builder) == 0) return;
  release(textOf(builder));
  free(builder);
}

/** Sizes of 2 GiB and more end in the allocator's report that memory is exhausted. */
function checkedSize(size: i64): i32 {
  if (size > 0x7ffffff0) alloc(usize.MAX_VALUE);
  return size as i32;
}
