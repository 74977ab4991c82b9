// Where values live: wasm locals, or memory behind an address in a wasm local.
import type { Layout, Part } from "./layout.ts";

/** A value's leaves, one wasm local each. */
export interface LocalsStorage {
  readonly kind: "locals";
  readonly locals: readonly number[];
}

/** A value's leaves in memory at the address in the wasm local `base`, plus `offset`. */
export interface MemoryStorage {
  readonly kind: "memory";
  readonly base: number;
  readonly offset: number;
}

export type Storage = LocalsStorage | MemoryStorage;

/** The storage of a part of an unboxed value. */
export function partStorage(whole: Storage, part: Part): Storage {
  if (whole.kind === "memory") return { kind: "memory", base: whole.base, offset: whole.offset + part.offset };
  return { kind: "locals", locals: whole.locals.slice(part.firstLeaf, part.firstLeaf + part.layout.leaves.length) };
}

/** Part `index` of a composite. */
export function partOf(layout: Layout, index: number): Part {
  const part = (layout.box ?? layout).parts[index];
  if (!part) throw new Error(`no part ${index}`);
  return part;
}
