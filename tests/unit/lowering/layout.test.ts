import { expect, test } from "vitest";
import { SourceFile } from "../../../compiler/source/index.ts";
import type { EnumType, RecordType, Type } from "../../../compiler/semantics/index.ts";
import { cellSizeOf, layoutOf, leavesOf, strideOf } from "../../../compiler/lowering/layout.ts";
import { ValueType } from "../../../compiler/wasm/index.ts";

const { i32, i64, f64 } = ValueType;
const span = { file: new SourceFile("t.hl", ""), start: 0, end: 0 };
const primitive = (name: "Int" | "Float" | "Bool" | "String" | "Decimal" | "()"): Type => ({ kind: "primitive", name });
const int = primitive("Int");
const bool = primitive("Bool");
const string = primitive("String");

function record(name: string, ...types: Type[]): RecordType {
  const fields = types.map((type, at) => ({ name: `f${at}`, type, span, hasDefault: false }));
  return { kind: "record", name, displayName: name, span, fields };
}

function enumeration(...payloads: Type[][]): EnumType {
  return {
    kind: "enum",
    name: "E",
    displayName: "E",
    span,
    variants: payloads.map((payload, at) => ({ name: `V${at}`, payload })),
  };
}

const wasmOf = (type: Type) => leavesOf(type).map((leaf) => leaf.wasm);

test("scalars are one leaf, a Decimal two, unit none", () => {
  expect(wasmOf(int)).toEqual([i64]);
  expect(wasmOf(primitive("Float"))).toEqual([f64]);
  expect(wasmOf(bool)).toEqual([i32]);
  expect(wasmOf(primitive("Decimal"))).toEqual([i64, i64]);
  expect(wasmOf(primitive("()"))).toEqual([]);
});

test("a record has the leaves of its fields, each part aligned as a value of its own", () => {
  const inner = record("Inner", bool, int);
  const layout = layoutOf(record("Outer", bool, inner, string));
  expect(layout.leaves.map((leaf) => leaf.wasm)).toEqual([i32, i32, i64, i32]);
  expect(layout.offsets).toEqual([0, 8, 16, 24]);
  expect(layout.parts.map((part) => part.offset)).toEqual([0, 8, 24]);
  expect(layout.size).toBe(32);
});

test("a record of more than sixteen leaves is one counted leaf to a cell", () => {
  const small = layoutOf(record("Small", ...Array<Type>(16).fill(int)));
  const big = layoutOf(record("Big", ...Array<Type>(17).fill(int)));
  expect(small.box).toBeUndefined();
  expect(small.counted).toBe(false);
  expect(big.leaves).toHaveLength(1);
  expect(big.leaves[0]?.reference?.kind).toBe("cell");
  expect(big.box?.size).toBe(17 * 8);
});

test("variants share slots of one type and kind of reference", () => {
  const layout = layoutOf(enumeration([], [int], [string, int], [string, string], [bool]));
  // The index; Int; the two Strings; Bool, which is no String.
  expect(layout.leaves.map((leaf) => [leaf.wasm, leaf.reference?.kind])).toEqual([
    [i32, undefined],
    [i64, undefined],
    [i32, "text"],
    [i32, "text"],
    [i32, undefined],
  ]);
  expect(layout.payloads).toEqual([[], [[1]], [[2], [1]], [[2], [3]], [[4]]]);
});

test("an array is one leaf to a cell of its elements", () => {
  const array: Type = { kind: "array", element: record("R", bool, int), length: 3 };
  expect(wasmOf(array)).toEqual([i32]);
  expect(strideOf(array)).toBe(16);
  expect(cellSizeOf(array)).toBe(48);
  expect(cellSizeOf({ kind: "bounded", element: int, capacity: 4 })).toBe(8 + 32);
});

test("an interface value is a handle and a dispatch table", () => {
  const leaves = leavesOf({ kind: "interface", name: "I", displayName: "I", span, methods: [] });
  expect(leaves.map((leaf) => leaf.reference?.kind)).toEqual(["handle", undefined]);
});
