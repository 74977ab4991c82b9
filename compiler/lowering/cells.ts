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
  const size = type.kind === "array" || type.kind === "bounded" ? cellSizeOf(type) : contentOf(type).size;
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
