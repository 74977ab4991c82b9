// `wasm-exec module.wasm export args...`: compiles any WebAssembly module to a native executable that calls an export, runs it, and prints the results.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  compileCalls,
  type ExportCall,
  NativeUnsupportedError,
  parseArgument,
  readableResult,
  typeOfExport,
} from "../compiler/native/index.ts";
import { decodeModule, WasmFormatError, type WasmModule } from "../compiler/wasm/index.ts";

const usage = `usage: wasm-exec [--bits] [--output FILE] MODULE [EXPORT ARGUMENT... [--then EXPORT ARGUMENT...]...]

Each result is a line: i32:-5, i64:7, f32:1.5, f64:nan:0x8000000000000, funcref:null, externref:3; --bits shows floats as their bits (f32:0x3fc00000).
Float arguments are numbers, inf, nan, nan:0x..., or their bits (0x3fc00000). References are null or a number (externref).
A trap is reported on stderr as "trap: NAME", status 1. With --then, calls are made one after the other in the same instance, and a trap is
reported on stdout in its place. --output FILE keeps the executable and does not run it.
`;

interface Command {
  readonly bits: boolean;
  readonly output: string | undefined;
  readonly module: string;
  /** Export and arguments of each call. */
  readonly calls: readonly (readonly string[])[];
}

function parseCommand(args: readonly string[]): Command | undefined {
  const rest = [...args];
  let bits = false;
  let output: string | undefined;
  for (;;) {
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
  if (command === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  let executable: Uint8Array;
  try {
    const module = decodeModule(readFileSync(command.module));
    const calls = command.calls.map((words) => exportCall(module, words));
    executable = compileCalls(module, calls, { resumeAfterTraps: calls.length > 1 });
  } catch (error) {
    if (!(error instanceof NativeUnsupportedError || error instanceof WasmFormatError)) throw error;
    process.stderr.write(`wasm-exec: ${error.message}\n`);
    return 2;
  }
  if (command.output !== undefined) {
    writeFileSync(command.output, executable, { mode: 0o755 });
    return 0;
  }
  return run(executable, command.bits);
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
