// Generated helpers that drop and copy cells whose layout the compiler knows: arrays, bounded buffers, boxes.
import type { Type } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { FunctionContext } from "./function-context.ts";
import { cellSizeOf, elementsOffset, type Layout, layoutOf, strideOf } from "./layout.ts";
import type { AddedFunction, ProgramContext } from "./program-context.ts";
import { pushLeaf, releaseStored, retainFunction } from "./values.ts";

const i32 = ValueType.i32;

/** The index of `(cell) -> ()`: one reference less; the last one drops what the cell refers to and frees it. */
export function dropFunction(program: ProgramContext, type: Type): number {
  if (!contentOf(type).counted) return program.runtimeFunction("release");
  return program.helper("drop", type, () =>
    program.addFunction(`drop ${nameOf(type)}`, [i32], [], (added) => writeDrop(program, type, added)),
  ).index;
}

/** The index of `(cell) -> cell`: a new cell with an own copy of everything in it. */
export function copyFunction(program: ProgramContext, type: Type): number {
  return program.helper("copy", type, () =>
    program.addFunction(`copy ${nameOf(type)}`, [i32], [i32], (added) => writeCopy(program, type, added)),
  ).index;
}

/** What lies in a cell: of an array or bounded buffer the layout of one element. */
function contentOf(type: Type): Layout {
  if (type.kind === "array" || type.kind === "bounded") return layoutOf(type.element);
  const { box } = layoutOf(type);
  if (!box) throw new Error(`${type.kind} has no cell`);
  return box;
}

function sizeOfCell(type: Type): number {
  return type.kind === "array" || type.kind === "bounded" ? cellSizeOf(type) : contentOf(type).size;
}

function writeDrop(program: ProgramContext, type: Type, added: AddedFunction): void {
  const fn = new FunctionContext(program, undefined, [i32]);
  const { code } = fn;
  const cell = 0;
  code.get(cell);
  code.call(program.runtimeFunction("count_down"));
  code.if();
  forEachContent(fn, type, cell, (base) => releaseStored(fn, { kind: "memory", base, offset: 0 }, contentOf(type)));
  code.get(cell);
  code.call(program.runtimeFunction("free"));
  code.end();
  added.finished = code.finish();
}

function writeCopy(program: ProgramContext, type: Type, added: AddedFunction): void {
  const fn = new FunctionContext(program, undefined, [i32]);
  const { code } = fn;
  const cell = 0;
  const copy = code.local(i32);
  code.get(cell);
  code.op("i32.eqz");
  code.if();
  code.i32(0);
  code.return();
  code.end();
  const size = sizeOfCell(type);
  code.i32(size);
  code.call(program.runtimeFunction("alloc"));
  code.tee(copy);
  code.get(cell);
  code.i32(size);
  code.memoryCopy();
  if (contentOf(type).counted) forEachContent(fn, type, copy, (base) => ownInPlace(fn, base, contentOf(type)));
  code.get(copy);
  added.finished = code.finish();
}

/**
 * The index of `(old, fresh) -> cell`: a record's place whose box (or a bounded field whose cell) is `old` is given the value in `fresh`, and keeps its cell,
 * because a parameter may be that record (03 15.4). Both are used up; what is answered goes into the place.
 */
export function replaceFunction(program: ProgramContext, type: Type): number {
  return program.helper("replace", type, () =>
    program.addFunction(`replace ${nameOf(type)}`, [i32, i32], [i32], (added) => writeReplace(program, type, added)),
  ).index;
}

function writeReplace(program: ProgramContext, type: Type, added: AddedFunction): void {
  const fn = new FunctionContext(program, undefined, [i32, i32]);
  const { code } = fn;
  const [old, fresh] = [0, 1];
  for (const cell of [old, fresh]) {
    code.get(cell);
    code.call(program.runtimeFunction("is_changeable"));
  }
  code.op("i32.and");
  code.op("i32.eqz");
  code.if();
  code.get(old);
  code.call(dropFunction(program, type));
  code.get(fresh);
  code.return();
  code.end();
  code.get(fresh);
  code.call(program.runtimeFunction("is_unique"));
  code.op("i32.eqz");
  code.if();
  const copy = code.local(i32);
  code.get(fresh);
  code.call(copyFunction(program, type));
  code.set(copy);
  code.get(fresh);
  code.call(dropFunction(program, type));
  code.get(copy);
  code.set(fresh);
  code.end();
  // Cells in the cell stay where they are, too: exchanged twice.
  for (const { type: inner, offset } of replacedCells(type)) {
    const kept = code.local(i32);
    code.get(old);
    code.load(i32, offset);
    code.get(fresh);
    code.load(i32, offset);
    code.call(replaceFunction(program, inner));
    code.set(kept);
    code.get(old);
    code.i32(0);
    code.store(i32, offset);
    code.get(fresh);
    code.get(kept);
    code.store(i32, offset);
  }
  // A cell without references is copied over; what the others held goes last, because dropping it may run into the place.
  const isPlain = type.kind === "record" && !contentOf(type).counted;
  code.get(old);
  code.get(fresh);
  code.i32(type.kind === "bounded" ? strideOf(type) : sizeOfCell(type));
  if (isPlain) code.memoryCopy();
  else code.call(program.runtimeFunction(type.kind === "bounded" ? "exchange_buffers" : "exchange_cells"));
  code.get(fresh);
  code.call(isPlain ? program.runtimeFunction("free") : dropFunction(program, type));
  code.get(old);
  added.finished = code.finish();
}

/** A cell that a record has for a part of itself: its leaf, and its offset in memory. */
interface PartCell {
  readonly type: Type;
  readonly leaf: number;
  readonly offset: number;
}

function replacedCells(type: Type): readonly PartCell[] {
  return type.kind === "record" ? cellsOfParts(layoutOf(type), 0, 0) : [];
}

/** The cells that belong to a value of this type and stay when it is replaced: the box of a record, bounded buffers, those of records inside. */
export function ownCells(type: Type, leaf = 0, offset = 0): readonly PartCell[] {
  if (type.kind === "bounded" || (type.kind === "record" && layoutOf(type).box)) return [{ type, leaf, offset }];
  return type.kind === "record" ? cellsOfParts(layoutOf(type), leaf, offset) : [];
}

function cellsOfParts(layout: Layout, leaf: number, offset: number): readonly PartCell[] {
  return (layout.box ?? layout).parts.flatMap((part) =>
    ownCells(part.type, leaf + part.firstLeaf, offset + part.offset),
  );
}

/** Counts (or copies) the references of a value that was copied byte by byte. */
function ownInPlace(fn: FunctionContext, base: number, layout: Layout): void {
  for (const [position, { reference }] of layout.leaves.entries()) {
    if (!reference) continue;
    const storage = { kind: "memory", base, offset: 0 } as const;
    if (reference.kind === "cell") {
      fn.code.get(base);
      pushLeaf(fn, storage, layout, position);
      fn.code.call(copyFunction(fn.program, reference.type));
      fn.code.store(i32, layout.offsets[position] ?? 0);
    } else {
      pushLeaf(fn, storage, layout, position);
      fn.code.call(retainFunction(fn.program, reference));
    }
  }
}

/** Runs `visit` with the address of each value in a cell: every live element, or the one content of a box. */
export function forEachContent(fn: FunctionContext, type: Type, cell: number, visit: (base: number) => void): void {
  if (type.kind !== "array" && type.kind !== "bounded") {
    visit(cell);
    return;
  }
  const { code } = fn;
  const at = code.local(i32);
  const end = code.local(i32);
  code.get(cell);
  code.i32(elementsOffset(type));
  code.op("i32.add");
  code.tee(at);
  if (type.kind === "bounded") {
    code.get(cell);
    code.load(i32, 0);
    code.i32(strideOf(type));
    code.op("i32.mul");
  } else code.i32(cellSizeOf(type));
  code.op("i32.add");
  code.set(end);
  const exit = code.block();
  const next = code.loop();
  code.get(at);
  code.get(end);
  code.op("i32.ge_u");
  code.brIf(exit);
  visit(at);
  code.get(at);
  code.i32(strideOf(type));
  code.op("i32.add");
  code.set(at);
  code.br(next);
  code.end();
  code.end();
}

function nameOf(type: Type): string {
  if (type.kind === "record" || type.kind === "enum") return type.name;
  if (type.kind === "array" || type.kind === "bounded") return `[${nameOf(type.element)}]`;
  return type.kind === "primitive" ? type.name : type.kind;
}
