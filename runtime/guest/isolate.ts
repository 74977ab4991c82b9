// Values that go to another thread share no cell with the one they come from: counts are not atomic.
import { allocDirty, heap_start } from "./memory";

/** A String or Bytes of its own with the same content. */
export function text_isolate(text: usize): usize {
  if (text < heap_start) return text;
  const size = 4 + load<u32>(text);
  const copy = allocDirty(size);
  memory.copy(copy, text, size);
  return copy;
}
