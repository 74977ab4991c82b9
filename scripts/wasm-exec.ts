// `wasm-exec module.wasm export args...`: compiles any WebAssembly module to a native executable that calls an export, runs it, and prints the results.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import {
  compileCalls,
  type ExportCall,
  missingFeature,
  NativeUnsupportedError,
  parseArgument,
  readableResult,
  typeOfExport,
} from "../compiler/native/index.ts";
import { decodeModule, WasmFormatError, type WasmModule } from "../compiler/wasm/index.ts";

const help = `usage: wasm-exec [--bits] [--output FILE] MODULE [EXPORT ARGUMENT... [--then EXPORT ARGUMENT...]...]

Compiles a WebAssembly module to a native executable, instantiates it, calls EXPORT and prints its results. (\`npm run -s wasm-exec -- ...\`
keeps npm's own lines away.) Without EXPORT the module is only instantiated. The name of an exported global reads the global.

Arguments
  i32, i64    decimal or 0x hexadecimal, signed or unsigned: -1, 4294967295, 0xffffffff
  f32, f64    a number: 1.5, -0, 1e-45, 0x1.8p-3, inf, -inf, nan, -nan, nan:0x200000 (payload), nan:canonical, nan:arithmetic;
              or the bits: 0x3fc00000 (0x with digits only: no sign, no point, no p)
  externref   null, or a number that stands for an external reference
  funcref     null
  Each may have its type in front: i32:7, f64:0x7ff8000000000000.

Results, one line each on stdout
  i32:-5  i64:7   signed decimal
  f32:1.5         the shortest decimal that is the same float64 (f32:0.10000000149011612), -0, inf, -inf, nan:0x400000, -nan:0x400000
  externref:3  externref:null  funcref:func  funcref:null
  --bits prints floats as their bits instead: f32:0x3fc00000, f64:0x3ff8000000000000.

Traps
  "trap: NAME" on stderr, status 1. The names are the official test suite's: unreachable, integer divide by zero, integer overflow,
  invalid conversion to integer, out of bounds memory access, out of bounds table access, undefined element, uninitialized element,
  indirect call type mismatch, call stack exhausted, unaligned atomic, expected shared memory.
  With --then, the calls are made one after the other in the same instance, and the trap of a call is a line on stdout in the place of
  its results; the status is 1 when any call trapped.

Imports
  spectest: the functions print, print_i32, print_i64, print_f32, print_f64, print_i32_f32, print_f64_f64 (they do nothing), global_i32,
  global_i64, global_f32, global_f64 (666, 666.6), table (10 to 20 funcref), memory (1 to 2 pages), shared_memory. Others are refused.

Status
  0  done
  1  a trap
  2  wrong arguments, a malformed or invalid module, an unknown export or import: "wasm-exec: ..." on stderr
  3  something that there is no native code for: "wasm-exec: not supported yet: ..." (SIMD, several memories, 64-bit addresses, tail calls,
     typed function references, exception handling, garbage collection)

--output FILE keeps the executable and does not run it.
`;

interface Command {
  readonly bits: boolean;
  readonly output: string | undefined;
  readonly module: string;
  /** Export and arguments of each call. */
  readonly calls: readonly (readonly string[])[];
}

function parseCommand(args: readonly string[]): Command | "help" | undefined {
  const rest = [...args];
  let bits = false;
  let output: string | undefined;
  for (;;) {
    if (rest[0] === "--help" || rest[0] === "-h") return "help";
    if (rest[0] === "--bits") bits = true;
    else if (rest[0] === "--output") {
      rest.shift();
      output = rest[0];
    } else break;
    rest.shift();
  }
  const module = rest.shift();
  if (module === undefined || module.startsWith("--")) return undefined;
  const calls: string[][] = [];
  for (const word of rest.length > 0 ? ["--then", ...rest] : []) {
    if (word === "--then") calls.push([]);
    else calls[calls.length - 1]?.push(word);
  }
  return { bits, output, module, calls };
}

function exportCall(module: WasmModule, [name = "", ...texts]: readonly string[]): ExportCall {
  const { params } = typeOfExport(module, name);
  if (params.length !== texts.length)
    throw new NativeUnsupportedError(`"${name}" takes ${params.length} arguments, not ${texts.length}`);
  return { name, args: params.map((type, index) => parseArgument(type, texts[index] ?? "")) };
}

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2));
  if (command === "help") {
    process.stdout.write(help);
    return 0;
  }
  if (command === undefined) {
    process.stderr.write(help);
    return 2;
  }
  let executable: Uint8Array;
  try {
    executable = compileCommand(command);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const expected = error instanceof NativeUnsupportedError || error instanceof WasmFormatError;
    if (!expected && !isSystemError(error)) throw error;
    process.stderr.write(`wasm-exec: ${message}\n`);
    return message.startsWith("not supported yet") ? 3 : 2;
  }
  if (command.output !== undefined) {
    writeFileSync(command.output, executable, { mode: 0o755 });
    return 0;
  }
  return run(executable, command.bits);
}

function compileCommand(command: Command): Uint8Array {
  const bytes = readFileSync(command.module);
  const module = decodeModule(bytes);
  const missing = missingFeature(module);
  if (missing !== undefined) throw new NativeUnsupportedError(`not supported yet: ${missing}`);
  // The back end takes valid modules only; whether one from elsewhere is valid, V8 tells.
  const mistake = invalidity(bytes);
  if (mistake !== undefined) throw new NativeUnsupportedError(`invalid module: ${mistake}`);
  const calls = command.calls.map((words) => exportCall(module, words));
  return compileCalls(module, calls, { resumeAfterTraps: calls.length > 1 });
}

function invalidity(bytes: Uint8Array): string | undefined {
  const mistake = compileError(bytes);
  if (mistake?.includes("not allowed in constant expressions") !== true) return mistake;
  // Node 20 knows arithmetic in constant expressions by a flag only.
  setFlagsFromString("--experimental-wasm-extended-const");
  return compileError(bytes);
}

function compileError(bytes: Uint8Array): string | undefined {
  try {
    new WebAssembly.Module(bytes);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace("WebAssembly.Module(): ", "") : String(error);
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

async function run(executable: Uint8Array, bits: boolean): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), "wasm-exec-"));
  try {
    const file = path.join(directory, "program");
    writeFileSync(file, executable, { mode: 0o755 });
    const child = spawn(file, { stdio: ["inherit", "pipe", "inherit"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, name) => resolve([code, name]));
    });
    const lines = Buffer.concat(chunks).toString("latin1").split("\n");
    process.stdout.write((bits ? lines : lines.map(readableResult)).join("\n"));
    if (signal !== null) process.stderr.write(`wasm-exec: ended by ${signal}\n`);
    return status ?? 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

process.exitCode = await main();
