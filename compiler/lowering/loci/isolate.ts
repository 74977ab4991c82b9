// Copies that share no cell with their original: for values that go to another thread.
import type { Type } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { copyFunction, dropFunction, forEachContent } from "../cells.ts";
import { FunctionContext } from "../function-context.ts";
import { layoutOf, type Layout } from "../layout.ts";
import type { AddedFunction, ProgramContext } from "../program-context.ts";
import type { LocalsStorage, Storage } from "../storage.ts";
import { countPushed, localAt, pushLeaf, retainFunction } from "../values.ts";

const { i32 } = ValueType;

/** `(address) -> ()`: the value there, copied byte by byte, gets cells of its own; undefined when it has none. */
export function isolateFunction(program: ProgramContext, type: Type): AddedFunction | undefined {
  const layout = layoutOf(type);
  if (!layout.counted) return undefined;
  return program.helper("isolate", type, () =>
    program.addFunction("isolate", [i32], [], (added) => {
      const fn = new FunctionContext(program, undefined, [i32]);
      isolateLeaves(fn, 0, layout);
      added.finished = fn.code.finish();
    }),
  );
}

/** Pushes an own copy of a stored value that shares no cell with it. */
export function pushIsolated(fn: FunctionContext, storage: Storage, layout: Layout): void {
  for (const [position, { reference }] of layout.leaves.entries()) {
    pushLeaf(fn, storage, layout, position);
    if (reference?.kind === "text") fn.code.call(fn.program.runtimeFunction("text_isolate"));
    else if (reference?.kind === "cell") fn.code.call(isolateCellFunction(fn.program, reference.type));
    else if (reference) {
      fn.code.call(fn.program.runtimeFunction("share_counts"));
      countPushed(fn, reference, false);
    }
  }
}

/** Exchanges the cells of an owned value for such as nobody else has. */
export function isolateOwned(fn: FunctionContext, storage: LocalsStorage, layout: Layout): void {
  const { code, program } = fn;
  for (const [position, { reference }] of layout.leaves.entries()) {
    if (reference?.kind !== "text" && reference?.kind !== "cell") continue;
    const leaf = localAt(storage, position);
    code.get(leaf);
    if (reference.kind === "text") code.call(program.runtimeFunction("text_alone"));
    else {
      code.call(isolateCellFunction(program, reference.type));
      code.get(leaf);
      code.call(dropFunction(program, reference.type));
    }
    code.set(leaf);
  }
}

function isolateLeaves(fn: FunctionContext, base: number, layout: Layout): void {
  const { code, program } = fn;
  for (const [position, { reference }] of layout.leaves.entries()) {
    if (!reference) continue;
    const memory = { kind: "memory", base, offset: 0 } as const;
    if (reference.kind === "handle" || reference.kind === "view") {
      code.call(program.runtimeFunction("share_counts"));
      pushLeaf(fn, memory, layout, position);
      code.call(retainFunction(program, reference));
      continue;
    }
    code.get(base);
    pushLeaf(fn, memory, layout, position);
    code.call(
      reference.kind === "text"
        ? program.runtimeFunction("text_isolate")
        : isolateCellFunction(program, reference.type),
    );
    code.store(i32, layout.offsets[position] ?? 0);
  }
}

/** `(cell) -> cell`: a copy all of whose cells are its own. */
function isolateCellFunction(program: ProgramContext, type: Type): number {
  return program.helper("isolate cell", type, () =>
    program.addFunction("isolate cell", [i32], [i32], (added) => {
      const fn = new FunctionContext(program, undefined, [i32]);
      const { code } = fn;
      const copy = code.local(i32);
      // A slot that the variant of an enum does not use.
      code.get(0);
      code.op("i32.eqz");
      code.if();
      code.i32(0);
      code.return();
      code.end();
      code.get(0);
      code.call(copyFunction(program, type));
      code.set(copy);
      const content = type.kind === "array" || type.kind === "bounded" ? layoutOf(type.element) : layoutOf(type).box;
      if (content?.counted) forEachContent(fn, type, copy, (base) => replaceLeaves(fn, base, content));
      code.get(copy);
      added.finished = code.finish();
    }),
  ).index;
}

/** The references of a counted copy are exchanged for copies of their own. */
function replaceLeaves(fn: FunctionContext, base: number, layout: Layout): void {
  const { code, program } = fn;
  for (const [position, { reference }] of layout.leaves.entries()) {
    if (reference?.kind !== "text" && reference?.kind !== "cell") continue;
    const memory = { kind: "memory", base, offset: 0 } as const;
    const old = fn.temp(i32);
    pushLeaf(fn, memory, layout, position);
    code.set(old);
    code.get(base);
    code.get(old);
    code.call(
      reference.kind === "text"
        ? program.runtimeFunction("text_isolate")
        : isolateCellFunction(program, reference.type),
    );
    code.store(i32, layout.offsets[position] ?? 0);
    code.get(old);
    code.call(reference.kind === "text" ? program.runtimeFunction("release") : dropFunction(program, reference.type));
    fn.freeTemp(old);
  }
}
