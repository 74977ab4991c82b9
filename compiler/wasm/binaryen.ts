// The bridge to Binaryen, the optimiser of the release profile: the only place that knows it. Its program `wasm-opt`, which the package holds, is run by
// this Node in a process of its own: unlike the package's library, it takes in positions and gives them back.
import { type ChildProcess, execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { calleesOf } from "./callees.ts";
import { encodeModule } from "./encoder.ts";
import type { WasmFunction, WasmModule } from "./module.ts";
import { decodeWithSourceMap, sourceMapOf } from "./source-map.ts";

/** 0 to 4, as in `wasm-opt -O`. */
export type OptimiseLevel = 0 | 1 | 2 | 3 | 4;

const features = [
  "--mvp-features",
  "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int",
  "--enable-sign-ext",
  "--enable-bulk-memory",
  "--enable-bulk-memory-opt",
  "--enable-reference-types",
  "--enable-multivalue",
  "--enable-threads",
];

const run = promisify(execFile);

/**
 * The optimised module; functions keep their names and their positions.
 * @param isFault tells by the name which functions report a fault and end the program: the place of their call is the place of the fault
 * @throws Error when Binaryen cannot read the module, which is a bug of the lowering, or when there is no place for its files
 */
export async function optimise(
  module: WasmModule,
  level: OptimiseLevel,
  isFault: (name: string) => boolean,
): Promise<WasmModule> {
  // Named as the directories of runs are, so that one that is left behind goes like theirs.
  const directory = await mkdtemp(path.join(process.env["TMPDIR"] || tmpdir(), `hale-build-${process.pid}-`));
  let tool: ChildProcess | undefined;
  const abandon = (): void => {
    tool?.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  process.once("exit", abandon);
  try {
    const marked = withMarks(module, isFault);
    return withoutMarks(await runTool(marked, level, directory, (started) => (tool = started)));
  } finally {
    process.off("exit", abandon);
    await rm(directory, { recursive: true, force: true });
  }
}

async function runTool(
  module: WasmModule,
  level: OptimiseLevel,
  directory: string,
  started: (tool: ChildProcess) => void,
): Promise<WasmModule> {
  const [input, inputMap, output, outputMap] = ["in.wasm", "in.map", "out.wasm", "out.map"].map((name) =>
    path.join(directory, name),
  ) as [string, string, string, string];
  const bytes = encodeModule(module, { names: true, positions: false });
  await writeFile(input, bytes);
  await writeFile(inputMap, sourceMapOf(module, bytes));
  const tool = path.join(path.dirname(createRequire(import.meta.url).resolve("binaryen/package.json")), "bin/wasm-opt");
  const files = [input, "--input-source-map", inputMap, "--output", output, "--output-source-map", outputMap];
  const passes = [`--no-inline=${mark}*`, `-O${level}`, ...joining.map((pass) => `--skip-pass=${pass}`)];
  const running = run(process.execPath, [tool, "--debuginfo", ...files, ...features, ...passes]);
  started(running.child);
  await running;
  return decodeWithSourceMap(await readFile(output), await readFile(outputMap, "utf8"));
}

/** Passes that make one of equal pieces of code, for size: a panic in it would have the place of any of them. */
const joining = ["code-folding", "duplicate-function-elimination"];

/**
 * Begins the names of functions that are not inlined: those that report faults, and those without positions that call them. Inlined, their code would stand
 * where it has no place.
 */
const mark = "kept whole: ";

function withMarks(module: WasmModule, isFault: (name: string) => boolean): WasmModule {
  const imported = module.imports.filter(({ description }) => description.kind === "function").length;
  const faults = new Set(module.functions.flatMap(({ name }, index) => (isFault(name) ? [imported + index] : [])));
  const isKept = ({ code, positions }: WasmFunction, index: number) =>
    faults.has(imported + index) ||
    ((positions?.length ?? 0) === 0 && calleesOf(code).some((callee) => faults.has(callee)));
  return {
    ...module,
    functions: module.functions.map((entry, index) =>
      isKept(entry, index) ? { ...entry, name: `${mark}${entry.name}` } : entry,
    ),
  };
}

function withoutMarks(module: WasmModule): WasmModule {
  for (const entry of module.functions) if (entry.name.startsWith(mark)) entry.name = entry.name.slice(mark.length);
  return module;
}
