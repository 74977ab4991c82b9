// Runs a module natively and in V8 and gives both accounts in the same words.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Bits, compileCalls, type ExportCall } from "../../../compiler/native/index.ts";
import { decodeModule, ValueType, type WasmModule } from "../../../compiler/wasm/index.ts";

export interface Account {
  readonly lines: readonly string[];
  /** Set when the run says nothing about the code: the engine's own stack limit was met, or time ran out. */
  readonly inconclusive?: string;
}

/** A directory for executables; remove it with `close`. */
export class Workplace {
  readonly directory = mkdtempSync(path.join(tmpdir(), "hale-native-"));
  private count = 0;

  /** Writes an executable and runs it. */
  run(
    executable: Uint8Array,
    timeout = 30_000,
  ): {
    readonly stdout: string;
    readonly stderr: string;
    readonly status: number | null;
    readonly signal: string | null;
  } {
    const file = path.join(this.directory, `program-${this.count++}`);
    writeFileSync(file, executable);
    chmodSync(file, 0o755);
    const { stdout, stderr, status, signal } = spawnSync(file, { encoding: "latin1", timeout, maxBuffer: 1 << 28 });
    rmSync(file);
    return { stdout, stderr, status, signal };
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Imports that print, in both engines. */
const loggers = new Set(["log-i32", "log-i64", "log-f32", "log-f64"].map((name) => `fuzzing-support.${name}`));

/** Imports that do nothing, in both engines. */
const ignoredImports = ["call-export", "call-export-catch", "call-ref", "call-ref-catch", "sleep", "throw"].map(
  (name) => `fuzzing-support.${name}`,
);

/** `timeout` in milliseconds; a module that takes longer says nothing. */
export function runNatively(
  place: Workplace,
  bytes: Uint8Array,
  calls: readonly ExportCall[],
  timeout?: number,
): Account {
  const module = decodeModule(bytes);
  const executable = compileCalls(module, calls, { resumeAfterTraps: true, printingImports: loggers, ignoredImports });
  const { stdout, stderr, status, signal } = place.run(executable, timeout);
  if (signal === "SIGTERM") return { lines: [], inconclusive: "native: time ran out" };
  const lines = stdout.split("\n").slice(0, -1).map(canonical);
  if (signal !== null || (status !== 0 && status !== 1) || stderr !== "")
    lines.push(`signal ${signal} status ${status} ${stderr}`);
  if (lines.includes("trap: call stack exhausted")) return { lines, inconclusive: "native: stack exhausted" };
  return { lines };
}

/** NaNs are not told apart: which one comes out is up to the engine. */
function canonical(line: string): string {
  const match = /^f(32|64):0x([0-9a-f]+)$/.exec(line);
  if (match === null) return line;
  const bits = BigInt(`0x${match[2]}`);
  const [exponent, fraction] =
    match[1] === "64" ? [0x7ff0000000000000n, 0x000fffffffffffffn] : [0x7f800000n, 0x007fffffn];
  return (bits & exponent) === exponent && (bits & fraction) !== 0n ? `f${match[1]}:nan` : line;
}

const view = new DataView(new ArrayBuffer(8));

function resultLine(type: ValueType, value: unknown): string {
  switch (type) {
    case ValueType.i32:
      return `i32:${value}`;
    case ValueType.i64:
      return `i64:${value}`;
    case ValueType.f32:
      view.setFloat32(0, Number(value), true);
      return canonical(`f32:0x${view.getUint32(0, true).toString(16).padStart(8, "0")}`);
    case ValueType.f64:
      view.setFloat64(0, Number(value), true);
      return canonical(`f64:0x${view.getBigUint64(0, true).toString(16).padStart(16, "0")}`);
    case ValueType.externref:
      return value === null ? "externref:null" : `externref:${value}`;
    default:
      return value === null ? "funcref:null" : "funcref:func";
  }
}

function jsValue(type: ValueType, [low, high]: Bits): unknown {
  view.setInt32(0, low, true);
  view.setInt32(4, high, true);
  switch (type) {
    case ValueType.i32:
      return low;
    case ValueType.i64:
      return view.getBigInt64(0, true);
    case ValueType.f32:
      return view.getFloat32(0, true);
    case ValueType.f64:
      return view.getFloat64(0, true);
    default:
      return low === 0 ? null : low - 1;
  }
}

/** V8's messages in the words of the official test suite. */
const trapWords: readonly (readonly [RegExp, string])[] = [
  [/unreachable/, "unreachable"],
  [/divide by zero|remainder by zero/, "integer divide by zero"],
  [/divide result unrepresentable/, "integer overflow"],
  [/float unrepresentable/, "invalid conversion"],
  [/memory access out of bounds/, "out of bounds memory access"],
  [/table index is out of bounds/, "undefined element"],
  [/table (access )?out of bounds|segment out of bounds|element segment/, "out of bounds table access"],
  [/null function or function signature mismatch|signature mismatch/, "indirect call"],
  [/operation does not support unaligned/, "unaligned atomic"],
  [/Atomics.wait cannot be called/, "expected shared memory"],
];

/** Some traps V8 does not tell apart. */
function coarse(trap: string): string {
  if (/^trap: (invalid conversion to integer|integer overflow)$/.test(trap)) return "trap: conversion or overflow";
  if (/^trap: (indirect call type mismatch|uninitialized element)$/.test(trap)) return "trap: indirect call";
  // Which of the two comes first for an access that is both is not said.
  if (trap === "trap: unaligned atomic") return "trap: out of bounds memory access";
  return trap;
}

export function runInV8(bytes: Uint8Array, calls: readonly ExportCall[]): Account {
  const module = decodeModule(bytes);
  const lines: string[] = [];
  const imports: Record<string, Record<string, unknown>> = {};
  for (const entry of module.imports) {
    const group = imports[entry.module] ?? {};
    imports[entry.module] = group;
    if (entry.description.kind !== "function") continue;
    const type = module.types[entry.description.type];
    group[entry.name] = loggers.has(`${entry.module}.${entry.name}`)
      ? (...values: unknown[]) => {
          values.forEach((value, index) => lines.push(resultLine(type?.params[index] ?? ValueType.i32, value)));
        }
      : () => 0;
  }
  let instance: WebAssembly.Instance;
  try {
    instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports as WebAssembly.Imports);
  } catch (error) {
    return { lines, inconclusive: `V8: no instance: ${String(error)}` };
  }
  for (const { name, args } of calls) {
    const type = exportType(module, name);
    const callable = instance.exports[name];
    if (typeof callable !== "function") throw new Error(`${name} is no function`);
    try {
      const result: unknown = Reflect.apply(
        callable,
        undefined,
        args.map((arg, index) => jsValue(type.params[index] ?? ValueType.i32, arg)),
      );
      const results = type.results.length > 1 ? Array.from(result as Iterable<unknown>) : [result];
      type.results.forEach((resultType, index) => lines.push(resultLine(resultType, results[index])));
    } catch (error) {
      if (error instanceof RangeError) return { lines, inconclusive: "V8: stack exhausted" };
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      const words = trapWords.find(([pattern]) => pattern.test(error.message));
      const trap =
        words?.[1] === "invalid conversion"
          ? "trap: conversion or overflow"
          : words?.[1] === "integer overflow"
            ? "trap: conversion or overflow"
            : `trap: ${words?.[1] ?? error.message}`;
      lines.push(trap);
    }
  }
  return { lines };
}

function exportType(module: WasmModule, name: string) {
  const entry = module.exports.find((candidate) => candidate.name === name && candidate.kind === "function");
  const imports = module.imports.filter(({ description }) => description.kind === "function");
  const imported = imports[entry?.index ?? 0]?.description;
  const index =
    imported?.kind === "function" ? imported.type : module.functions[(entry?.index ?? 0) - imports.length]?.type;
  const type = module.types[index ?? 0];
  if (type === undefined) throw new Error(`no type for ${name}`);
  return type;
}

/** Both accounts, with the traps in the words that both can give. */
export function compareRuns(
  place: Workplace,
  bytes: Uint8Array,
  calls: readonly ExportCall[],
  timeout?: number,
): { readonly native: Account; readonly v8: Account } {
  const native = runNatively(place, bytes, calls, timeout);
  // What takes long natively (recursion without end, for the most part) takes long in V8, too, and nothing would end it there.
  if (native.inconclusive !== undefined) return { native, v8: native };
  const v8 = runInV8(bytes, calls);
  return { native: { ...native, lines: native.lines.map(coarse) }, v8: { ...v8, lines: v8.lines.map(coarse) } };
}

const interesting: readonly Bits[] = [
  [0, 0],
  [1, 0],
  [-1, -1],
  [-0x8000_0000, -1],
  [0x7fff_ffff, 0x7fff_ffff],
  [0, -0x8000_0000],
  [7, 3],
  [0x3f80_0000, 0x3ff0_0000],
  [-559038737, 0x4059_0000],
  [65536, 1],
];

/** Some calls of every exported function, by a seed. */
export function callsOf(bytes: Uint8Array, seed: number): ExportCall[] {
  const module = decodeModule(bytes);
  const calls: ExportCall[] = [];
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return interesting[(state >>> 16) % interesting.length] ?? [0, 0];
  };
  for (const entry of module.exports) {
    if (entry.kind !== "function") continue;
    const { params } = exportType(module, entry.name);
    const rounds = params.length === 0 ? 1 : 3;
    for (let round = 0; round < rounds; round++) {
      calls.push({
        name: entry.name,
        args: params.map((type) => (type === ValueType.funcref || type === ValueType.externref ? [0, 0] : next())),
      });
    }
  }
  return calls;
}

export function hasObjdump(): boolean {
  try {
    execFileSync("objdump", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
