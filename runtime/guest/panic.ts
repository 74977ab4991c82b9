// The messages of faults and of ends that the language defines. None of these functions returns.
import { faultBegin, faultByte, faultEnd, faultInt, faultText, faultWords } from "./fault";

/** An array index out of range. */
export function panic_index(index: i64, length: i64): void {
  faultBegin();
  faultWords("Hale panic: index ");
  faultInt(index);
  faultWords(" out of range for length ");
  faultInt(length);
  faultEnd();
}

/** A division or modulo by zero. */
export function panic_division(): void {
  panicWith("Hale panic: division by zero");
}

/** The least Int divided by -1. */
export function panic_overflow(): void {
  panicWith("Hale panic: integer overflow in a division");
}

export function panic_stack(): void {
  panicWith("Hale panic: stack overflow");
}

export function panic_memory(): void {
  panicWith("Hale panic: out of memory");
}

/** A fault of the machine that the language has no name for: a bug of the toolchain. */
export function panic_trap(): void {
  panicWith("Hale panic: internal error, illegal operation");
}

/** A fault that the compiler words. */
export function panic_text(words: usize): void {
  faultBegin();
  faultWords("Hale panic: ");
  faultText(words);
  faultEnd();
}

/** A failure that nobody addressed; `type` is the name of its record. */
export function panic_unhandled(type: usize): void {
  faultBegin();
  faultWords("Hale panic: unhandled ");
  faultText(type);
  faultWords(" escaping main locus");
  faultEnd();
}

/** A view was read after its builder changed (03 21.3). `stamp` and `current` are the builder's change counts. */
export function stale_view(isText: bool, stamp: i64, current: i64): void {
  faultBegin();
  faultWords("violation: ");
  if (isText) faultWords("StringView");
  else faultWords("BytesView");
  faultWords(" read after source BytesBuilder mutated (stamped_epoch=");
  faultInt(stamp);
  faultWords(", current=");
  faultInt(current);
  faultWords(
    "). The view's source buffer changed between view() and read; the aliased data is no longer the same bytes you observed at view-creation time.",
  );
  faultWords(" v1 has no borrow checker, so this is enforced at runtime ");
  // An em dash, in UTF-8.
  faultByte(0xe2);
  faultByte(0x80);
  faultByte(0x94);
  faultWords(" restructure to either snapshot() before the mutation or take view() after the mutation completes.");
  faultEnd();
}

function panicWith(words: string): void {
  faultBegin();
  faultWords(words);
  faultEnd();
}
