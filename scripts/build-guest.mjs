// Compiles the guest runtime (AssemblyScript, `runtime/guest`) to `dist/runtime.wasm`, and with the Linux host interface
// (`runtime/linux/host.ts`) in place of the imported one to `dist/runtime-linux.wasm`; and the supervisor of tests (`runtime/linux/supervisor.ts`).
import { mkdir, readFile, readdir, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";

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
  "--initialMemory",
  "2",
  "--maximumMemory",
  "65536",
  // Function names: panics, profiles and the symbols of native programs show them.
  "--debug",
];

/** Which host interface goes into which module; `host: undefined` leaves the calls imports. The exports of `entries` are the module's. */
const FLAVOURS = [
  { output: "runtime.wasm", importModule: "host", host: undefined, entries: ["runtime/guest/index.ts"] },
  {
    output: "runtime-linux.wasm",
    importModule: "sys",
    host: path.join(root, "runtime/linux/host.ts"),
    entries: ["runtime/guest/index.ts", "runtime/linux/entries.ts"],
  },
  { output: "supervisor.wasm", importModule: "sys", host: undefined, entries: ["runtime/linux/supervisor.ts"] },
];

/**
 * Builds the runtime's flavours. Each takes seconds, and the AssemblyScript compiler keeps global state, so every one gets a thread.
 * Throws with the compiler's messages when the sources are wrong.
 */
export async function buildGuest() {
  await mkdir(path.join(root, "dist"), { recursive: true });
  await Promise.all(FLAVOURS.map(({ output }) => compileInThread(output)));
}

function compileInThread(output) {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: { flavour: output } });
    thread.on("error", reject);
    thread.on("exit", resolve);
  });
}

/** The bytes of the flavour that is written to `output`, its static data from `staticBase` on. Once a thread. Throws with the compiler's messages. */
async function compileFlavour(output, staticBase = STATIC_BASE) {
  const { importModule, host, entries } = FLAVOURS.find((flavour) => flavour.output === output);
  const asc = (await import("assemblyscript/asc")).default;
  const outputs = new Map();
  const messages = [];
  const objects = [];
  const collect = {
    write: (text) => {
      messages.push(typeof text === "string" ? text : Buffer.from(text).toString());
      return true;
    },
  };
  const { error } = await asc.main([...entries, "--outFile", output, "--memoryBase", String(staticBase), ...OPTIONS], {
    stdout: collect,
    stderr: collect,
    readFile: (name, baseDir) => readSource(name, baseDir, host),
    writeFile: (name, contents) => {
      outputs.set(name, contents);
    },
    listFiles: () => [],
    transforms: [KeepAbiExports, recorder(objects)],
  });
  if (error) throw new Error(`${output}: ${error.message}\n${messages.join("")}`);
  const binary = withObjects(outputs.get(output), objects);
  checkImports(binary, importModule, output);
  return binary;
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

/**
 * Notes where each static object (text, table) lies, before the optimiser splits them at runs of zeros and drops the zeros:
 * pairs of address and size. A program keeps all pieces of an object or none.
 */
function recorder(objects) {
  return class RecordObjects {
    afterCompile(module) {
      const count = module.getNumDataSegments();
      for (let index = 0; index < count; index++) {
        const { offset, data } = module.getDataSegmentInfo(module.getDataSegmentByIndex(index));
        objects.push([offset, data.byteLength]);
      }
    }
  };
}

/** The module with the custom section `hale.objects`: for each object two 32-bit numbers, address and size in bytes. */
function withObjects(binary, objects) {
  const name = Buffer.from("hale.objects");
  const table = Buffer.from(Uint32Array.from(objects.flat()).buffer);
  const content = Buffer.concat([unsignedLeb(name.length), name, table]);
  return Buffer.concat([binary, Buffer.of(0), unsignedLeb(content.length), content]);
}

function unsignedLeb(number) {
  const bytes = [];
  for (let rest = number; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.of(...bytes, rest);
    bytes.push((rest & 0x7f) | 0x80);
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

/** Another process may read the file while it is built: it sees the old one or the new one. */
export async function writeAtomically(file, contents, mode = 0o644) {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, contents, { mode });
  await rename(temporary, file);
}

/** Whether a source is younger than what was built from it. */
async function isStale() {
  const times = FLAVOURS.map(({ output }) => modificationTime(path.join(root, "dist", output)));
  const built = Math.min(...(await Promise.all(times)));
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

if (!isMainThread) {
  const output = workerData?.flavour;
  if (output !== undefined) await writeAtomically(path.join(root, "dist", output), await compileFlavour(output));
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(process.argv.slice(2));
}

/** `--if-stale` is for tests, which must not run against an older runtime than the sources'; `--linux-at <address> <file>` builds one flavour at another place. */
async function runCommand([option, address, file]) {
  if (option === "--linux-at") await writeFile(file, await compileFlavour("runtime-linux.wasm", Number(address)));
  else if (option !== "--if-stale" || (await isStale())) await buildGuest();
}
