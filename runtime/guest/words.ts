/** Copies an element, slot or node of a form: a multiple of 8 bytes, mostly a few. */
// @ts-ignore: decorator
@inline
export function copyWords(to: usize, from: usize, size: usize): void {
  if (size > 64) memory.copy(to, from, size);
  else for (let i: usize = 0; i < size; i += 8) store<u64>(to + i, load<u64>(from + i));
}
