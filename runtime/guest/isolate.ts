// Values that go to another thread share no cell with the one they come from: counts are not atomic.
import { allocDirty, heap_start, isUnique, release } from "./memory";

/** A String or Bytes of its own with the same content. */
export function text_isolate(text: usize): usize {
  if (text < heap_start) return text;
  const size = 4 + load<u32>(text);
  const copy = allocDirty(size);
  memory.copy(copy, text, size);
  return copy;
}

/** The same text in a cell that nobody else has: the caller's own, if it is that already. Uses the caller's reference up. */
export function text_alone(text: usize): usize {
  if (text < heap_start || isUnique(text)) return text;
  const copy = text_isolate(text);
  release(text);
  return copy;
}
