// How values lie in wasm locals and in memory (decision 4 of ARCHITECTURE.md, docs/runtime-abi.md "Values as leaves").
import type { ArrayType, BoundedType, EnumType, LocusType, Type } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";

/** A value of more leaves than this lives in a cell of its own and is passed as the cell's address. */
const MAXIMAL_LEAVES = 16;

/** Where an instance's fields begin; the header before them is described in docs/runtime-abi.md. */
export const LOCUS_HEADER_SIZE = 24;

/** Offset of the first element in the cell of a `bounded[T; N]`; the count (i32) is at 0. */
export const BOUNDED_ELEMENTS = 8;

/**
 * What a counted leaf refers to. `text`: an immutable cell without references (String, Bytes). `cell`: a cell with a layout that the compiler knows: an array, a bounded
 * buffer, or the box of a big record, tuple or enum. `view`: a view cell. `handle`: a locus instance of any type.
 */
export type Reference =
  | { readonly kind: "text" }
  | { readonly kind: "view" }
  | { readonly kind: "handle" }
  | { readonly kind: "cell"; readonly type: Type };

export interface Leaf {
  readonly wasm: ValueType;
  /** Missing when the leaf is a plain number. */
  readonly reference: Reference | undefined;
}

/** One member of a composite value: a record's field, a tuple's member. */
export interface Part {
  readonly type: Type;
  readonly layout: Layout;
  /** Position of the part's first leaf among the composite's leaves. */
  readonly firstLeaf: number;
  /** Byte offset of the part in memory. */
  readonly offset: number;
}

/** Leaves one after the other, in locals and in memory. */
export interface Layout {
  readonly leaves: readonly Leaf[];
  /** Byte offset of each leaf in memory. */
  readonly offsets: readonly number[];
  readonly size: number;
  readonly alignment: number;
  /** Some leaf is counted. */
  readonly counted: boolean;
  /** Of a boxed value (its only leaf is the address of a cell): the layout of the cell. */
  readonly box: Layout | undefined;
  /** Fields or members; of a boxed value: see `box`. */
  readonly parts: readonly Part[];
  /** Of an enum: for each variant and payload value the leaf (of `leaves`, or of `box.leaves`) that holds each of its leaves. Leaf 0 is the variant's index. */
  readonly payloads: readonly (readonly (readonly number[])[])[];
}

export const textReference: Reference = { kind: "text" };
export const handleReference: Reference = { kind: "handle" };
const viewReference: Reference = { kind: "view" };

const i32Leaf: Leaf = { wasm: ValueType.i32, reference: undefined };
const i64Leaf: Leaf = { wasm: ValueType.i64, reference: undefined };
const f64Leaf: Leaf = { wasm: ValueType.f64, reference: undefined };

const layouts = new WeakMap<Type, Layout>();
const inProgress = new Set<Type>();

/** The layout of values of `type`. */
export function layoutOf(type: Type): Layout {
  const known = layouts.get(type);
  if (known) return known;
  if (inProgress.has(type)) return flat([{ wasm: ValueType.i32, reference: { kind: "cell", type } }]);
  inProgress.add(type);
  const layout = computeLayout(type);
  inProgress.delete(type);
  layouts.set(type, layout);
  return layout;
}

/** The leaves of values of `type`. */
export function leavesOf(type: Type): readonly Leaf[] {
  return layoutOf(type).leaves;
}

function computeLayout(type: Type): Layout {
  switch (type.kind) {
    case "primitive":
      return primitiveLayout(type.name);
    case "scalar":
      return layoutOf(type.base);
    case "tuple":
      return composite(type, type.members);
    case "record":
      return composite(
        type,
        type.fields.map((field) => field.type),
      );
    case "enum":
      return enumLayout(type);
    case "array":
    case "bounded":
      return flat([{ wasm: ValueType.i32, reference: { kind: "cell", type } }]);
    case "function":
    case "cell":
      return flat([i32Leaf]);
    case "interface":
      return flat([{ wasm: ValueType.i32, reference: handleReference }, i32Leaf]);
    case "locus":
    case "perspective":
      return flat([{ wasm: ValueType.i32, reference: handleReference }]);
    case "children":
    case "error":
      return flat([]);
    default:
      return type satisfies never;
  }
}

function primitiveLayout(name: string): Layout {
  switch (name) {
    case "Int":
    case "Duration":
    case "Time":
    case "Uint":
      return flat([i64Leaf]);
    case "Float":
      return flat([f64Leaf]);
    case "Bool":
      return flat([i32Leaf]);
    case "Decimal":
      return flat([i64Leaf, i64Leaf]);
    case "String":
    case "Bytes":
    case "BytesMut":
      return flat([{ wasm: ValueType.i32, reference: textReference }]);
    case "StringView":
    case "BytesView":
      return flat([{ wasm: ValueType.i32, reference: viewReference }]);
    default:
      return flat([]);
  }
}

/** Leaves in order, each aligned to its size. */
function flat(leaves: readonly Leaf[], payloads: Layout["payloads"] = []): Layout {
  const offsets: number[] = [];
  let size = 0;
  let alignment = 1;
  for (const leaf of leaves) {
    const bytes = sizeOf(leaf.wasm);
    size = roundUp(size, bytes);
    offsets.push(size);
    size += bytes;
    alignment = Math.max(alignment, bytes);
  }
  return {
    leaves,
    offsets,
    size: roundUp(size, alignment),
    alignment,
    counted: leaves.some((leaf) => leaf.reference),
    box: undefined,
    parts: [],
    payloads,
  };
}

function composite(type: Type, members: readonly Type[]): Layout {
  const content = sequence(members, 0);
  return content.leaves.length > MAXIMAL_LEAVES ? boxed(type, content) : content;
}

function boxed(type: Type, content: Layout): Layout {
  return {
    ...flat([{ wasm: ValueType.i32, reference: { kind: "cell", type } }]),
    box: content,
    payloads: content.payloads,
  };
}

/** Parts in order, each aligned as a value of its own, so that the address of a part is the address of such a value. */
function sequence(members: readonly Type[], start: number): Layout {
  const leaves: Leaf[] = [];
  const offsets: number[] = [];
  const parts: Part[] = [];
  let size = start;
  let alignment = start > 0 ? 8 : 1;
  for (const type of members) {
    const layout = layoutOf(type);
    size = roundUp(size, layout.alignment);
    parts.push({ type, layout, firstLeaf: leaves.length, offset: size });
    for (const offset of layout.offsets) offsets.push(size + offset);
    leaves.push(...layout.leaves);
    size += layout.size;
    alignment = Math.max(alignment, layout.alignment);
  }
  return {
    leaves,
    offsets,
    size: roundUp(size, alignment),
    alignment,
    counted: leaves.some((leaf) => leaf.reference),
    box: undefined,
    parts,
    payloads: [],
  };
}

function enumLayout(type: EnumType): Layout {
  const leaves: Leaf[] = [i32Leaf];
  const payloads = type.variants.map((variant) => {
    const taken = new Set<number>();
    return variant.payload.map((payload) => leavesOf(payload).map((leaf) => takeSlot(leaves, taken, leaf)));
  });
  const content = flat(leaves, payloads);
  return leaves.length > MAXIMAL_LEAVES ? boxed(type, content) : content;
}

/** The first slot that this variant has not used and that holds such leaves; a new one if there is none. */
function takeSlot(slots: Leaf[], taken: Set<number>, leaf: Leaf): number {
  for (let slot = 1; slot < slots.length; slot++) {
    const candidate = slots[slot];
    if (
      candidate &&
      !taken.has(slot) &&
      candidate.wasm === leaf.wasm &&
      sameReference(candidate.reference, leaf.reference)
    ) {
      taken.add(slot);
      return slot;
    }
  }
  slots.push(leaf);
  taken.add(slots.length - 1);
  return slots.length - 1;
}

function sameReference(a: Reference | undefined, b: Reference | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === "cell" && b.kind === "cell") return a.type === b.type;
  return a.kind === b.kind;
}

const locusLayouts = new WeakMap<LocusType, Layout>();

/** An instance's cell: header, then the fields. `parts[i]` is field i. */
export function locusLayout(locus: LocusType): Layout {
  let layout = locusLayouts.get(locus);
  if (!layout) {
    layout = sequence(
      locus.fields.map((field) => field.type),
      LOCUS_HEADER_SIZE,
    );
    locusLayouts.set(locus, layout);
  }
  return layout;
}

/** Bytes from one element to the next in the cell of an array or bounded buffer. */
export function strideOf(type: ArrayType | BoundedType): number {
  const { size, alignment } = layoutOf(type.element);
  return roundUp(size, alignment);
}

/** Offset of element 0 in the cell of an array or bounded buffer. */
export function elementsOffset(type: ArrayType | BoundedType): number {
  return type.kind === "bounded" ? BOUNDED_ELEMENTS : 0;
}

/** Size in bytes of the cell of an array or bounded buffer. */
export function cellSizeOf(type: ArrayType | BoundedType): number {
  const count = type.kind === "bounded" ? type.capacity : (type.length ?? 0);
  return elementsOffset(type) + count * strideOf(type);
}

/** Bytes of a value of this wasm type. */
export function sizeOf(type: ValueType): number {
  return type === ValueType.i64 || type === ValueType.f64 ? 8 : 4;
}

function roundUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
