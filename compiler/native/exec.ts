// Any module as a program that calls some of its exports and prints what they return: for tests, and for `wasm-exec`.
import type { Export, FuncType, ValueType, WasmModule } from "../wasm/index.ts";
import { compileNative } from "./compile-native.ts";
import type { Bits } from "./exec-values.ts";
import { NativeUnsupportedError } from "./plan.ts";
import { spectestFunctions, spectestGlobals, withSpectest } from "./spectest.ts";
import type { Invocation } from "./stubs/entry.ts";
import { missingFeature } from "./supported.ts";

/** A call of an exported function, or the reading of an exported global. */
export interface ExportCall {
  readonly name: string;
  readonly args: readonly Bits[];
}

export interface ExecOptions {
  /** Go on with the next call after a trap, which is then reported on stdout. */
  readonly resumeAfterTraps: boolean;
  /** Imported functions that print their arguments, by `module.name`. The functions of `spectest` do nothing. */
  readonly printingImports?: ReadonlySet<string>;
  /** Further imported functions that do nothing. */
  readonly ignoredImports?: readonly string[];
}

/**
 * Compiles a module to an executable that makes the calls in order. Each result is a line: `i32:-5`, `i64:7`, `f32:0x3f800000` (the bits),
 * `funcref:null`, `externref:3`.
 * @throws NativeUnsupportedError for an unknown export or import, and for what the back end does not have
 */
export function compileCalls(module: WasmModule, calls: readonly ExportCall[], options: ExecOptions): Uint8Array {
  const missing = missingFeature(module);
  if (missing !== undefined) throw new NativeUnsupportedError(`not supported yet: ${missing}`);
  const ignoredImports = new Set([...spectestFunctions, ...(options.ignoredImports ?? [])]);
  const linked = withReaders(withSpectest(module), calls);
  refuseUnknownImports(linked);
  const invocations: Invocation[] = calls.map(({ name, args }) => {
    const index = functionFor(linked, name);
    return { functionIndex: index, type: typeOfFunction(linked, index), args };
  });
  const printing = options.printingImports === undefined ? {} : { printingImports: options.printingImports };
  return compileNative(linked, {
    invocations,
    importedGlobals: spectestGlobals,
    ignoredImports,
    resumeAfterTraps: options.resumeAfterTraps,
    ...printing,
  });
}

/** Functions and globals are looked up where they are used; a memory or a table would be made up silently. */
function refuseUnknownImports(module: WasmModule): void {
  for (const { module: from, name, description } of module.imports) {
    if (from !== "spectest" && (description.kind === "memory" || description.kind === "table"))
      throw new NativeUnsupportedError(`unknown import ${from}.${name}`);
  }
}

/** The parameters and results of a call by the name of its export; those of a global are its value. */
export function typeOfExport(module: WasmModule, name: string): FuncType {
  const entry = callableExport(module, name);
  return entry.kind === "global"
    ? { params: [], results: [typeOfGlobal(module, entry.index)] }
    : typeOfFunction(module, entry.index);
}

function callableExport(module: WasmModule, name: string): Export {
  const entry = module.exports.find((candidate) => candidate.name === name);
  if (entry?.kind === "function" || entry?.kind === "global") return entry;
  throw new NativeUnsupportedError(
    entry === undefined ? `no exported function "${name}"` : `the export "${name}" is a ${entry.kind}, no function`,
  );
}

function typeOfFunction(module: WasmModule, index: number): FuncType {
  const imports = module.imports.flatMap(({ description }) => (description.kind === "function" ? [description] : []));
  const type = imports[index]?.type ?? module.functions[index - imports.length]?.type;
  const found = type === undefined ? undefined : module.types[type];
  if (found === undefined) throw new NativeUnsupportedError(`unknown function ${index}`);
  return found;
}

function typeOfGlobal(module: WasmModule, index: number): ValueType {
  const imports = module.imports.flatMap(({ description }) => (description.kind === "global" ? [description] : []));
  const type = imports[index]?.type ?? module.globals[index - imports.length]?.type;
  if (type === undefined) throw new NativeUnsupportedError(`unknown global ${index}`);
  return type;
}

/** The module with a function appended for each exported global that is read; exports of those names lead to the functions. */
function withReaders(module: WasmModule, calls: readonly ExportCall[]): WasmModule {
  const names = new Set(calls.map(({ name }) => name));
  const globals = module.exports.filter((entry) => entry.kind === "global" && names.has(entry.name));
  if (globals.length === 0) return module;
  const imported = module.imports.filter(({ description }) => description.kind === "function").length;
  const first = imported + module.functions.length;
  const readers = globals.map(({ index }, position) => ({
    name: `global ${index}`,
    type: module.types.length + position,
    locals: [],
    code: Uint8Array.of(0x23, ...leb(index), 0x0b),
  }));
  return {
    ...module,
    types: [...module.types, ...globals.map(({ index }) => ({ params: [], results: [typeOfGlobal(module, index)] }))],
    functions: [...module.functions, ...readers],
    exports: [
      ...globals.map(({ name }, position): Export => ({ name, kind: "function", index: first + position })),
      ...module.exports,
    ],
  };
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}

function functionFor(module: WasmModule, name: string): number {
  return callableExport(module, name).index;
}
