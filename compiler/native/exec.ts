// Any module as a program that calls some of its exports and prints what they return: for tests, and for `wasm-exec`.
import { type FuncType, type Import, ValueType, type WasmModule } from "../wasm/index.ts";
import { compileNative } from "./compile-native.ts";
import { NativeUnsupportedError } from "./plan.ts";
import type { Invocation } from "./stubs/entry.ts";

/** The halves of a value's bits. */
export type Bits = readonly [low: number, high: number];

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

/** The globals of the official test suite's host module. */
export const spectestGlobals: ReadonlyMap<string, { readonly low: number; readonly high: number }> = new Map([
  ["spectest.global_i32", { low: 666, high: 0 }],
  ["spectest.global_i64", { low: 666, high: 0 }],
  ["spectest.global_f32", bitsOf("f32", 666.6)],
  ["spectest.global_f64", bitsOf("f64", 666.6)],
]);

const spectestFunctions = [
  "print",
  "print_i32",
  "print_i64",
  "print_f32",
  "print_f64",
  "print_i32_f32",
  "print_f64_f64",
];
const spectestNames = spectestFunctions.map((name) => `spectest.${name}`);

function bitsOf(type: "f32" | "f64", value: number): { readonly low: number; readonly high: number } {
  const view = new DataView(new ArrayBuffer(8));
  if (type === "f32") view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  return { low: view.getInt32(0, true), high: view.getInt32(4, true) };
}

/**
 * Compiles a module to an executable that makes the calls in order. Each result is a line: `i32:-5`, `i64:7`, `f32:0x3f800000` (the bits),
 * `funcref:null`, `externref:3`.
 * @throws NativeUnsupportedError for an unknown export, and whatever compileNative refuses
 */
export function compileCalls(module: WasmModule, calls: readonly ExportCall[], options: ExecOptions): Uint8Array {
  const invocations: Invocation[] = calls.map(({ name, args }) => {
    const index = exportedFunction(module, name);
    return { functionIndex: index, type: typeOfFunction(module, index), args };
  });
  const printing = options.printingImports === undefined ? {} : { printingImports: options.printingImports };
  const ignoredImports = new Set([...spectestNames, ...(options.ignoredImports ?? [])]);
  return compileNative(module, {
    invocations,
    importedGlobals: spectestGlobals,
    ignoredImports,
    resumeAfterTraps: options.resumeAfterTraps,
    ...printing,
  });
}

function exportedFunction(module: WasmModule, name: string): number {
  const entry = module.exports.find((candidate) => candidate.name === name && candidate.kind === "function");
  if (entry === undefined) throw new NativeUnsupportedError(`no exported function "${name}"`);
  return entry.index;
}

/** The type of a function by its index. */
export function typeOfFunction(module: WasmModule, index: number): FuncType {
  const imports = module.imports.filter((entry: Import) => entry.description.kind === "function");
  const imported = imports[index]?.description;
  const type = imported?.kind === "function" ? imported.type : module.functions[index - imports.length]?.type;
  const found = type === undefined ? undefined : module.types[type];
  if (found === undefined) throw new NativeUnsupportedError(`unknown function ${index}`);
  return found;
}

/** The type of an exported function. */
export function typeOfExport(module: WasmModule, name: string): FuncType {
  return typeOfFunction(module, exportedFunction(module, name));
}

/**
 * Reads an argument: integers in decimal or hexadecimal; floats as decimal numbers, `inf`, `nan`, `nan:0x...` (payload), or their bits as `0x...`; references as
 * `null` or a number. A prefix like `i32:` is allowed.
 */
export function parseArgument(type: ValueType, text: string): Bits {
  const bare = text.replace(/^(i32|i64|f32|f64|externref|funcref):/, "");
  switch (type) {
    case ValueType.i32:
    case ValueType.i64:
      return halves(integer(bare));
    case ValueType.f32:
    case ValueType.f64:
      return floatBits(type === ValueType.f64, bare);
    case ValueType.externref:
      return bare === "null" ? [0, 0] : halves(integer(bare) + 1n);
    default:
      if (bare === "null") return [0, 0];
      throw new NativeUnsupportedError(`cannot pass "${text}"`);
  }
}

function integer(text: string): bigint {
  const clean = text.replaceAll("_", "");
  try {
    return clean.startsWith("-") ? -BigInt(clean.slice(1)) : BigInt(clean);
  } catch {
    throw new NativeUnsupportedError(`"${text}" is not an integer`);
  }
}

function halves(value: bigint): Bits {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
}

function floatBits(double: boolean, text: string): Bits {
  if (/^0x[0-9a-f_]+$/i.test(text)) return halves(integer(text));
  const match = /^([+-]?)(nan|inf(?:inity)?)(?::(canonical|arithmetic|0x[0-9a-f_]+))?$/i.exec(text);
  const view = new DataView(new ArrayBuffer(8));
  if (match === null) {
    const value = Number(text.replaceAll("_", ""));
    if (Number.isNaN(value)) throw new NativeUnsupportedError(`"${text}" is not a number`);
    const { low, high } = bitsOf(double ? "f64" : "f32", value);
    return [low, high];
  }
  const [, sign, kind = "", payload] = match;
  const width = double ? 52n : 23n;
  const exponent = (double ? 0x7ffn : 0xffn) << width;
  const quiet = 1n << (width - 1n);
  const fraction = /^inf/i.test(kind) ? 0n : payload?.startsWith("0x") ? integer(payload) : quiet;
  const signBit = sign === "-" ? 1n << (double ? 63n : 31n) : 0n;
  view.setBigUint64(0, signBit | exponent | fraction, true);
  return [view.getInt32(0, true), view.getInt32(4, true)];
}

/** Turns a result line's float bits into a number: `f64:0x3ff8000000000000` -> `f64:1.5`. Other lines stay. */
export function readableResult(line: string): string {
  const match = /^f(32|64):0x([0-9a-f]+)$/.exec(line);
  if (match === null) return line;
  const double = match[1] === "64";
  const bits = BigInt(`0x${match[2] ?? "0"}`);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, true);
  const value = double ? view.getFloat64(0, true) : view.getFloat32(0, true);
  if (!Number.isNaN(value)) return `f${match[1]}:${numberText(value)}`;
  const width = double ? 52n : 23n;
  const payload = bits & ((1n << width) - 1n);
  const negative = bits >> (double ? 63n : 31n) === 1n;
  return `f${match[1]}:${negative ? "-" : ""}nan:0x${payload.toString(16)}`;
}

function numberText(value: number): string {
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  return Object.is(value, -0) ? "-0" : String(value);
}
