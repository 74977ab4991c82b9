/** The words of one file, each stored once: the lexer numbers identifiers and finds reserved words with one probe. */
export class WordTable {
  readonly #texts: string[];
  #hashes: Int32Array;
  /** Open addressing; 0 is empty, otherwise a word's number plus 1. */
  #slots: Int32Array;

  /** A table that holds `seed`'s words under the same numbers, or an empty one. */
  constructor(seed?: WordTable) {
    this.#texts = seed ? seed.#texts.slice() : [];
    this.#hashes = seed ? seed.#hashes.slice() : new Int32Array(256);
    this.#slots = seed ? seed.#slots.slice() : new Int32Array(1024);
  }

  textOf(id: number): string {
    return this.#texts[id] ?? "";
  }

  /** The number of the word `text.slice(start, end)`, whose `hash` is `hashOf` of it. */
  idOf(text: string, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = spread(hash) & mask;
    for (let found = slots[slot] ?? 0; found !== 0; found = slots[slot] ?? 0) {
      if (this.#hashes[found - 1] === hash && sameText(this.#texts[found - 1] ?? "", text, start, end))
        return found - 1;
      slot = (slot + 1) & mask;
    }
    return this.#add(text.slice(start, end), hash, slot);
  }

  #add(word: string, hash: number, slot: number): number {
    const id = this.#texts.length;
    this.#texts.push(word);
    if (id >= this.#hashes.length) {
      const hashes = new Int32Array(this.#hashes.length * 2);
      hashes.set(this.#hashes);
      this.#hashes = hashes;
    }
    this.#hashes[id] = hash;
    this.#slots[slot] = id + 1;
    if (id * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#texts.length; id++) {
      let slot = spread(this.#hashes[id] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}

/** One step of a word's hash; start from 0 and feed every character code. */
export function hashStep(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

export function hashOf(word: string): number {
  let hash = 0;
  for (let i = 0; i < word.length; i++) hash = hashStep(hash, word.charCodeAt(i));
  return hash;
}

function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}

function sameText(word: string, text: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let i = 0; i < word.length; i++) {
    if (word.charCodeAt(i) !== text.charCodeAt(start + i)) return false;
  }
  return true;
}

/** Effect classes that every program has (01 7.11). */
// biome-ignore format: a table reads best in rows
export const BUILT_IN_EFFECTS: ReadonlySet<string> = new Set([
  "syscall", "block", "time", "entropy", "env", "ffi", "publish", "spawn", "recursion", "alloc", "secret_use",
]);
