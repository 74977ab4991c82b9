// Lengths of Huffman codes, for deflate and zstd.

/** Most symbols of an alphabet. */
const SYMBOLS: usize = 288;
/** Bytes of working memory that `codeLengths` needs. */
export const HUFFMAN_SCRATCH: usize = SYMBOLS * 8 + 256;

/**
 * Lengths of a code over `n` symbols with these counts, none above `limit`: the lengths of minimum redundancy (Moffat and Katajainen 1995, in place), then
 * those beyond the limit shortened at the cost of others until the code fits. The code is complete, except for a single symbol.
 */
export function codeLengths(counts: usize, n: i32, limit: i32, lengths: usize, scratch: usize): void {
  const sorted = scratch; // u32 weights, rising; then u32 symbols in the same order; then i32 numbers of lengths
  const order = sorted + SYMBOLS * 4;
  memory.fill(lengths, 0, n);
  const used = sortByCount(counts, n, sorted, order);
  if (used == 0) return;
  if (used == 1) {
    store<u8>(lengths + load<u32>(order), 1);
    return;
  }
  minimumRedundancy(sorted, used);
  const numbers = order + SYMBOLS * 4;
  memory.fill(numbers, 0, 64 * 4);
  for (let i: i32 = 0; i < used; i++) count(numbers, min<i32>(load<i32>(sorted + ((i as usize) << 2)), 63));
  limitLengths(numbers, limit);
  // The rarest symbols come first and get the longest codes.
  let i: i32 = 0;
  for (let length = limit; length > 0; length--) {
    for (let k = load<u32>(numbers + ((length as usize) << 2)); k > 0; k--) store<u8>(lengths + load<u32>(order + ((i++ as usize) << 2)), length as u8);
  }
}

function sortByCount(counts: usize, n: i32, sorted: usize, order: usize): i32 {
  let used: i32 = 0;
  for (let s: i32 = 0; s < n; s++) {
    const weight = load<u32>(counts + ((s as usize) << 2));
    if (weight == 0) continue;
    let at = used++;
    while (at > 0 && load<u32>(sorted + (((at - 1) as usize) << 2)) > weight) {
      store<u32>(sorted + ((at as usize) << 2), load<u32>(sorted + (((at - 1) as usize) << 2)));
      store<u32>(order + ((at as usize) << 2), load<u32>(order + (((at - 1) as usize) << 2)));
      at--;
    }
    store<u32>(sorted + ((at as usize) << 2), weight);
    store<u32>(order + ((at as usize) << 2), s as u32);
  }
  return used;
}

/** One more of a symbol. */
// @ts-ignore: decorator
@inline
export function count(counts: usize, symbol: i32): void {
  const at = counts + ((symbol as usize) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

// @ts-ignore: decorator
@inline
function word(base: usize, index: i32): u32 {
  return load<u32>(base + ((index as usize) << 2));
}

// @ts-ignore: decorator
@inline
function setWord(base: usize, index: i32, value: u32): void {
  store<u32>(base + ((index as usize) << 2), value);
}

/** Turns rising weights into the lengths of their codes, in place. */
function minimumRedundancy(a: usize, n: i32): void {
  // Left to right: combine the two lightest; combined nodes point to their parents.
  setWord(a, 0, word(a, 0) + word(a, 1));
  let root: i32 = 0;
  let leaf: i32 = 2;
  for (let next: i32 = 1; next < n - 1; next++) {
    if (leaf >= n || word(a, root) < word(a, leaf)) {
      setWord(a, next, word(a, root));
      setWord(a, root++, next as u32);
    } else {
      setWord(a, next, word(a, leaf++));
    }
    if (leaf >= n || (root < next && word(a, root) < word(a, leaf))) {
      setWord(a, next, word(a, next) + word(a, root));
      setWord(a, root++, next as u32);
    } else {
      setWord(a, next, word(a, next) + word(a, leaf++));
    }
  }
  // Right to left: depths of the inner nodes.
  setWord(a, n - 2, 0);
  for (let next = n - 3; next >= 0; next--) setWord(a, next, word(a, word(a, next) as i32) + 1);
  // Depths of the leaves.
  let available: i32 = 1;
  let used: i32 = 0;
  let depth: u32 = 0;
  root = n - 2;
  let next = n - 1;
  while (available > 0) {
    while (root >= 0 && word(a, root) == depth) {
      used++;
      root--;
    }
    while (available > used) {
      setWord(a, next--, depth);
      available--;
    }
    available = 2 * used;
    depth++;
    used = 0;
  }
}

/** Moves the codes longer than `limit` to it and repairs the sum of Kraft by lengthening shorter ones. */
function limitLengths(numbers: usize, limit: i32): void {
  for (let length = limit + 1; length < 64; length++) setWord(numbers, limit, word(numbers, limit) + word(numbers, length));
  let sum: u32 = 0;
  for (let length: i32 = 1; length <= limit; length++) sum += word(numbers, length) << ((limit - length) as u32);
  while (sum > 1 << (limit as u32)) {
    setWord(numbers, limit, word(numbers, limit) - 1);
    for (let length = limit - 1; length > 0; length--) {
      if (word(numbers, length) == 0) continue;
      setWord(numbers, length, word(numbers, length) - 1);
      setWord(numbers, length + 1, word(numbers, length + 1) + 2);
      break;
    }
    sum--;
  }
}
