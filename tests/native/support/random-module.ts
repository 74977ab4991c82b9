// Random valid modules from Binaryen's generator (`wasm-opt --translate-to-fuzz`), made in this process: the tool's own program text is run again and again
// with its WebAssembly compiled once, since starting a process for each module takes a hundred times longer.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import vm from "node:vm";

const require = createRequire(import.meta.url);

/** Bytes from a seed: the generator's input decides everything about the module. */
export function seededBytes(seed: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = (seed ^ 0x9e37_79b9) >>> 0;
  for (let index = 0; index < length; index++) {
    // xorshift32 over a Weyl sequence
    state = (state + 0x9e37_79b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    bytes[index] = (mixed ^ (mixed >>> 16)) & 255;
  }
  return bytes;
}

export interface ModuleGenerator {
  /** The bytes of the module that `input` stands for. */
  generate(input: Uint8Array): Promise<Uint8Array>;
  close(): void;
}

/** `flags`: further options of wasm-opt. */
export async function createModuleGenerator(flags: readonly string[]): Promise<ModuleGenerator> {
  const file = path.join(path.dirname(require.resolve("binaryen/package.json")), "bin", "wasm-opt");
  const text = readFileSync(file, "utf8").replace(/^#!.*\n/, "");
  const binary = embeddedBinary(text);
  const compiled = await WebAssembly.compile(binary.bytes);
  const source = `${text.slice(0, binary.start)}''${text.slice(binary.end)}`;
  const run = vm.runInThisContext(`(function (Module, require, process, module, __dirname) {${source}\n})`, {
    filename: "wasm-opt",
  });
  const directory = mkdtempSync(path.join(tmpdir(), "hale-random-"));
  const input = path.join(directory, "input");
  const output = path.join(directory, "output.wasm");
  return {
    generate: async (bytes) => {
      writeFileSync(input, bytes);
      await runTool(run, compiled, [input, "-ttf", "-o", output, ...flags]);
      return readFileSync(output);
    },
    close: () => rmSync(directory, { recursive: true }),
  };
}

/** The tool carries its WebAssembly as a string with a byte in each character. */
function embeddedBinary(text: string): { readonly bytes: Uint8Array; readonly start: number; readonly end: number } {
  const marker = "return binaryDecode(";
  const start = text.indexOf(marker) + marker.length;
  let end = start + 1;
  while (text[end] !== "'") end += text[end] === "\\" ? 2 : 1;
  end++;
  const decoded: string = vm.runInThisContext(text.slice(start, end));
  const bytes = new Uint8Array(decoded.length);
  // The tool's own decoding: the characters hold the bytes shifted and inverted above 8 bits.
  for (let index = 0; index < decoded.length; index++) {
    const character = decoded.charCodeAt(index);
    bytes[index] = (~character >> 8) & character;
  }
  return { bytes, start, end };
}

type Tool = (module: object, require: NodeJS.Require, process: object, own: object, directory: string) => void;

function runTool(run: Tool, compiled: WebAssembly.Module, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const messages: string[] = [];
    const module = {
      arguments: [...args],
      instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => {
        receive(new WebAssembly.Instance(compiled, imports));
      },
      print: (line: string) => messages.push(line),
      printErr: (line: string) => messages.push(line),
      onAbort: (reason: unknown) => reject(new Error(`wasm-opt: ${String(reason)}\n${messages.join("\n")}`)),
      postRun: [() => resolve()],
      onExit: (status: number) =>
        status === 0 ? resolve() : reject(new Error(`wasm-opt ended with ${status}\n${messages.join("\n")}`)),
    };
    const process = Object.create(globalThis.process, {
      argv: { value: ["node", "wasm-opt", ...args] },
      exitCode: { value: 0, writable: true },
      on: { value: () => {} },
    });
    run(module, require, process, {}, "/");
  });
}
