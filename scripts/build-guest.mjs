// Compiles the guest runtime (AssemblyScript, `runtime/guest`) to `dist/runtime.wasm`, and with the Linux host interface
// (`runtime/linux/host.ts`) in place of the imported one to `dist/runtime-linux.wasm`.
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** The first address of static data. Below it: 64 zero bytes (a null pointer reads as an empty String) and the first thread's block (`thread.ts`). */
const STATIC_BASE = 1024;

const OPTIONS = [
  "--runtime",
  "stub",
  "-O3",
  "--noAssert",
  "--uncheckedBehavior",
  "always",
  "--enable",
  "threads",
  "--use",
  "abort=",
  "--exportTable",
  "--memoryBase",
  String(STATIC_BASE),
  "--initialMemory",
  "2",
  "--maximumMemory",
  "65536",
  // Function names: panics, profiles and the symbols of native programs show them.
  "--debug",
];

/**
 * Builds every flavour whose host interface exists, in parallel with nothing: the AssemblyScript compiler keeps global state.
 * Throws with the compiler's messages when the sources are wrong.
 */
export async function buildGuest(log = console.log) {
  const asc = (await import("assemblyscript/asc")).default;
  await mkdir(path.join(root, "dist"), { recursive: true });
  await compileFlavour(asc, "runtime.wasm", undefined);
  const linuxHost = path.join(root, "runtime/linux/host.ts");
  if (existsSync(linuxHost)) await compileFlavour(asc, "runtime-linux.wasm", linuxHost);
  else log("build: runtime/linux/host.ts does not exist yet, runtime-linux.wasm is left out");
}

async function compileFlavour(asc, outputName, hostFile) {
  const outputs = new Map();
  const messages = [];
  const collect = {
    write: (text) => {
      messages.push(typeof text === "string" ? text : Buffer.from(text).toString());
      return true;
    },
  };
  const { error } = await asc.main(["runtime/guest/index.ts", "--outFile", outputName, ...OPTIONS], {
    stdout: collect,
    stderr: collect,
    readFile: (name, baseDir) => readSource(name, baseDir, hostFile),
    writeFile: (name, contents) => {
      outputs.set(name, contents);
    },
    listFiles: () => [],
    transforms: [KeepAbiExports],
  });
  if (error) throw new Error(`${outputName}: ${error.message}\n${messages.join("")}`);
  const binary = outputs.get(outputName);
  checkImports(binary, hostFile === undefined ? "host" : "sys", outputName);
  await writeAtomically(path.join(root, "dist", outputName), binary);
}

/** Exports in snake_case are the ABI; those in camelCase only serve other guest files, and the optimiser may inline and drop them. */
class KeepAbiExports {
  afterCompile(module) {
    const names = Array.from(
      { length: module.getNumExports() },
      (_, index) => this.binaryen.getExportInfo(module.getExportByIndex(index)).name,
    );
    for (const name of names) if (!/^[a-z0-9_]+$/.test(name)) module.removeExport(name);
  }
}

/** Serves the sources; `runtime/guest/host` is read from `hostFile` when the flavour has one of its own. */
async function readSource(name, baseDir, hostFile) {
  const file = path.resolve(root, baseDir ?? ".", name);
  const source = hostFile !== undefined && file === path.join(root, "runtime/guest/host.ts") ? hostFile : file;
  try {
    return await readFile(source, "utf8");
  } catch {
    return null;
  }
}

/** A stray import (`env.abort`, a managed object's helper) would only be noticed when a program is started. */
function checkImports(binary, allowedModule, outputName) {
  const module = new WebAssembly.Module(binary);
  const stray = WebAssembly.Module.imports(module).filter((entry) => entry.module !== allowedModule);
  if (stray.length > 0)
    throw new Error(
      `${outputName}: unexpected imports ${stray.map((entry) => `${entry.module}.${entry.name}`).join(", ")}`,
    );
}

/** Colleagues and test runs may read the file while it is built: they see the old one or the new one. */
export async function writeAtomically(file, contents) {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, contents);
  await rename(temporary, file);
}

/** Whether a source is younger than what was built from it. */
async function isStale() {
  const times = [await modificationTime(path.join(root, "dist/runtime.wasm"))];
  if (existsSync(path.join(root, "runtime/linux/host.ts")))
    times.push(await modificationTime(path.join(root, "dist/runtime-linux.wasm")));
  const built = Math.min(...times);
  for (const room of ["runtime/guest", "runtime/linux"]) {
    for (const name of await readdir(path.join(root, room), { recursive: true })) {
      if (name.endsWith(".ts") && (await modificationTime(path.join(root, room, name))) > built) return true;
    }
  }
  return false;
}

async function modificationTime(file) {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return 0;
  }
}

// `--if-stale`: for tests, which must not run against an older runtime than the sources'.
if (process.argv[1] === fileURLToPath(import.meta.url) && (!process.argv.includes("--if-stale") || (await isStale())))
  await buildGuest();
