// The finished module: the runtime with the program's parts appended, nothing renumbered; runtime functions that nothing reaches are empty.
import {
  type DataSegment,
  type ElementSegment,
  type Export,
  referencesOf,
  type WasmFunction,
  type WasmGlobal,
  type WasmModule,
} from "../wasm/index.ts";
import type { AddedFunction, ProgramContext } from "./program-context.ts";
import type { RuntimeModule } from "./runtime-module.ts";

/** What the hosts call by name; memory, table and globals stay too. */
const HOST_EXPORTS = ["hale_start", "hale_flush", "hale_trap", "hale_child"];

/** Only in programs that start threads: everything it reaches is kept. */
const THREAD_ENTRY = "hale_thread";

const unreachableCode = Uint8Array.of(0x00, 0x0b);

/** Puts the module together. `main` is the program's `hale_main`. */
export function assemble(program: ProgramContext, main: AddedFunction): WasmModule {
  const { runtime } = program;
  const { module } = runtime;
  const mainEntry = program.tableIndexOf(main.index);
  const exports = hostExports(program, runtime);
  const roots = new Set(program.usedRuntimeFunctions);
  for (const entry of exports) if (entry.kind === "function") roots.add(entry.index);
  const reached = reachedFunctions(program, roots);
  const functions = module.functions.map(
    (fn, position): WasmFunction =>
      reached.has(runtime.importedFunctions + position)
        ? fn
        : { name: "", type: fn.type, locals: [], code: unreachableCode },
  );
  for (const added of program.added) functions.push(finished(added));
  return {
    types: program.types,
    imports: module.imports,
    functions,
    tables: [withRoom(module, runtime.tableSize + program.tableEntries.length)],
    memories: module.memories.map((memory) => ({
      ...memory,
      minimum: Math.max(memory.minimum, Math.ceil(program.data.end / 65536)),
      shared: program.sharesMemory,
    })),
    globals: patchedGlobals(program, mainEntry),
    exports: [...exports, { name: "hale_main", kind: "function", index: main.index }],
    elements: [...module.elements, ...programElements(program)],
    data: [...usedData(runtime, reached), ...programData(program)],
    files: program.files,
  };
}

function finished(added: AddedFunction): WasmFunction {
  if (!added.finished) throw new Error(`${added.name} has no code`);
  const { code, locals, positions } = added.finished;
  return { name: added.name, type: added.type, locals, code, positions };
}

function hostExports(program: ProgramContext, runtime: RuntimeModule): Export[] {
  const { module } = runtime;
  const exports: Export[] = module.exports.filter((entry) => entry.kind !== "function");
  const names = program.loci.startsThreads(program.program) ? [...HOST_EXPORTS, THREAD_ENTRY] : HOST_EXPORTS;
  for (const name of names)
    if (runtime.hasFunction(name)) exports.push({ name, kind: "function", index: runtime.functionNamed(name) });
  return exports;
}

/** The functions that can run when `roots` do. Those in the runtime's table are jobs that threads leave each other. */
function reachedFunctions(program: ProgramContext, roots: ReadonlySet<number>): ReadonlySet<number> {
  const { runtime } = program;
  const reached = new Set<number>();
  const queue: number[] = [];
  const add = (index: number) => {
    if (index < runtime.functionCount && !reached.has(index)) {
      reached.add(index);
      queue.push(index);
    }
  };
  for (const index of roots) add(index);
  if (program.loci.startsThreads(program.program)) for (const index of runtime.tableFunctions) add(index);
  for (let index = queue.pop(); index !== undefined; index = queue.pop())
    for (const callee of runtime.calleesOf(index)) add(callee);
  return reached;
}

/** The runtime's static data, the pieces of objects that no reached function has an address in left empty. (No object holds addresses of others.) */
function usedData(runtime: RuntimeModule, reached: ReadonlySet<number>): DataSegment[] {
  const used = new Set<number>();
  for (const index of reached) for (const object of runtime.objectsOf(index)) used.add(object);
  for (const global of runtime.module.globals)
    for (const object of runtime.objectsIn(referencesOf(global.init).numbers)) used.add(object);
  return runtime.module.data.map((segment) => {
    const [start = 0] = segment.offset ? referencesOf(segment.offset).numbers : [];
    return used.has(runtime.objectAt(start)) ? segment : { ...segment, bytes: noBytes };
  });
}

const noBytes = new Uint8Array(0);

function withRoom(module: WasmModule, size: number): WasmModule["tables"][number] {
  const [table] = module.tables;
  if (!table) throw new Error("the runtime has no table");
  return { element: table.element, limits: { minimum: size, maximum: size, shared: false } };
}

function patchedGlobals(program: ProgramContext, mainEntry: number): WasmGlobal[] {
  const { runtime } = program;
  const values = new Map([
    [runtime.globalNamed("heap_start"), program.data.end],
    [runtime.globalNamed("main_entry"), mainEntry],
    [runtime.globalNamed("program_identity"), program.identity],
  ]);
  return runtime.module.globals.map((global, position) => {
    const value = values.get(runtime.importedGlobals + position);
    return value === undefined ? global : { ...global, init: constant(0x41, value) };
  });
}

function programElements(program: ProgramContext): ElementSegment[] {
  if (program.tableEntries.length === 0) return [];
  return [
    {
      mode: "active",
      table: 0,
      offset: constant(0x41, program.runtime.tableSize),
      element: 0x70,
      init: program.tableEntries.map((index) => constant(0xd2, index)),
    },
  ];
}

function programData(program: ProgramContext): DataSegment[] {
  const { bytes, start } = program.data;
  return bytes.length === 0 ? [] : [{ mode: "active", offset: constant(0x41, start), bytes: bytes.slice() }];
}

/** A constant expression: `i32.const` (signed) or `ref.func` (unsigned). */
function constant(opcode: 0x41 | 0xd2, value: number): Uint8Array {
  const bytes = [opcode as number];
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const isLast = opcode === 0x41 ? rest === 0 && low < 0x40 : rest === 0;
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) break;
  }
  bytes.push(0x0b);
  return Uint8Array.from(bytes);
}
