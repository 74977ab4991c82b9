// The host module of the official test suite, `spectest`: what a module may import from it.
import { type ImportDescription, type Limits, ValueType, type WasmModule } from "../wasm/index.ts";
import { NativeUnsupportedError } from "./plan.ts";

const { i32, i64, f32, f64 } = ValueType;

/** The functions do nothing. */
const functions: Readonly<Record<string, readonly ValueType[]>> = {
  print: [],
  print_i32: [i32],
  print_i64: [i64],
  print_f32: [f32],
  print_f64: [f64],
  print_i32_f32: [i32, f32],
  print_f64_f64: [f64, f64],
};

export const spectestFunctions: readonly string[] = Object.keys(functions).map((name) => `spectest.${name}`);

function global(type: ValueType, value: number | bigint) {
  const view = new DataView(new ArrayBuffer(8));
  if (typeof value === "bigint") view.setBigInt64(0, value, true);
  else if (type === i32) view.setInt32(0, value, true);
  else if (type === f32) view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  return { type, low: view.getInt32(0, true), high: view.getInt32(4, true) };
}

const globals: Readonly<Record<string, ReturnType<typeof global>>> = {
  global_i32: global(i32, 666),
  global_i64: global(i64, 666n),
  global_f32: global(f32, 666.6),
  global_f64: global(f64, 666.6),
};

export const spectestGlobals = new Map(Object.entries(globals).map(([name, value]) => [`spectest.${name}`, value]));

const table = { element: ValueType.funcref, limits: { minimum: 10, maximum: 20, shared: false } };
const memories: Readonly<Record<string, Limits>> = {
  memory: { minimum: 1, maximum: 2, shared: false },
  shared_memory: { minimum: 1, maximum: 2, shared: true },
};

/**
 * The module with the real sizes of the memory and the table that it imports. Modules other than `spectest` are left to the caller.
 * @throws NativeUnsupportedError for an import that `spectest` does not have, or has with another type
 */
export function withSpectest(module: WasmModule): WasmModule {
  const imports = module.imports.map((entry) => {
    if (entry.module !== "spectest") return entry;
    const description = provided(entry.name, entry.description, module);
    const name = `${entry.module}.${entry.name}`;
    if (description === undefined) throw new NativeUnsupportedError(`unknown import ${name}`);
    if (description === "incompatible") throw new NativeUnsupportedError(`incompatible import type for ${name}`);
    return { ...entry, description };
  });
  return { ...module, imports };
}

function provided(
  name: string,
  wanted: ImportDescription,
  module: WasmModule,
): ImportDescription | "incompatible" | undefined {
  const params = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const value = Object.hasOwn(globals, name) ? globals[name] : undefined;
  const memory = Object.hasOwn(memories, name) ? memories[name] : undefined;
  if (params === undefined && value === undefined && memory === undefined && name !== "table") return undefined;
  switch (wanted.kind) {
    case "function": {
      const type = module.types[wanted.type];
      const fits = params !== undefined && type?.params.join() === params.join() && type.results.length === 0;
      return fits ? wanted : "incompatible";
    }
    case "global":
      return value?.type === wanted.type && !wanted.mutable ? wanted : "incompatible";
    case "memory":
      return memory !== undefined && fitsLimits(memory, wanted.limits)
        ? { kind: "memory", limits: memory }
        : "incompatible";
    case "table":
      return name === "table" && wanted.element === table.element && fitsLimits(table.limits, wanted.limits)
        ? { kind: "table", ...table }
        : "incompatible";
  }
}

function fitsLimits(actual: Limits, wanted: Limits): boolean {
  if (actual.shared !== wanted.shared || actual.minimum < wanted.minimum) return false;
  return wanted.maximum === undefined || (actual.maximum ?? Infinity) <= wanted.maximum;
}
