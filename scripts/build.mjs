// Builds the package: the guest runtime and the bundles in dist/. Runs offline with the development dependencies installed.
// `node scripts/build.mjs [guest] [launcher] [cli]`: some steps, or all. Only a whole build keeps V8's byte code of the compiler.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildGuest, writeAtomically } from "./build-guest.mjs";
import { BUNDLE, buildLauncher } from "./build-launcher.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const dist = path.join(root, "dist");

const COMMON = { ...BUNDLE, format: "esm" };

/** The command line tool. Commands are imported lazily, each becomes a chunk; npm packages stay outside the bundle. */
async function buildCli() {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: { cli: "cli/main.ts", "code-cache": "cli/code-cache.ts" },
    outdir: dist,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    packages: "external",
    define: { ...COMMON.define, __HALE_PRECOMPILED__: "true" },
    metafile: true,
  });
  await removeOldChunks(new Set(Object.keys(metafile.outputs)));
}

/** The compiler as one script, for which V8 can keep the byte code. */
async function buildCompiler() {
  const compiler = await build({
    ...COMMON,
    entryPoints: ["compiler/index.ts"],
    format: "cjs",
    packages: "external",
    define: { ...COMMON.define, "import.meta.url": "__moduleUrl" },
    banner: { js: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
    write: false,
    outdir: dist,
  });
  await writeAtomically(path.join(dist, "compiler.cjs"), compiler.outputFiles[0].contents);
}

/** What the machine code of the runtime is bound to: the sources of the native back end and of what it reads. */
async function nativeId() {
  const hash = createHash("sha256");
  for (const room of ["compiler/native", "compiler/wasm"]) {
    const names = (await readdir(path.join(root, room), { recursive: true })).filter((name) => name.endsWith(".ts"));
    for (const name of names.sort()) hash.update(`${name}\0`).update(await readFile(path.join(root, room, name)));
  }
  return hash.digest("hex").slice(0, 32);
}

/**
 * Puts the machine code of its functions into `runtime-linux.wasm`, so that programs do not compile them again. The compiler that will use the code makes it.
 * Without it (a runtime built alone, by build-guest.mjs) everything works, only slower.
 */
async function compileRuntime() {
  const file = path.join(dist, "runtime-linux.wasm");
  const compiler = path.join(dist, "compiler.cjs");
  if (!existsSync(file) || !existsSync(compiler)) return;
  const { withNativeCode } = createRequire(import.meta.url)(compiler);
  await writeAtomically(file, withNativeCode(await readFile(file)));
}

/** The executable that starts tests: see runtime/linux/supervisor.ts. */
async function linkSupervisor() {
  const file = path.join(dist, "supervisor.wasm");
  const compiler = path.join(dist, "compiler.cjs");
  if (!existsSync(file) || !existsSync(compiler)) return;
  const { nativeProgram } = createRequire(import.meta.url)(compiler);
  const executable = path.join(dist, "hale-supervisor");
  await writeAtomically(executable, nativeProgram(await readFile(file), "hale_supervise"), 0o755);
}

/** Compiles some examples and keeps the byte code that V8 has made meanwhile. Without it everything works, only slower. */
function cacheCode() {
  const examples = ["errors", "messages", "collections", "lifecycle"].map((name) => `examples/${name}_test.hl`);
  const { status } = spawnSync(process.execPath, [path.join(dist, "code-cache.js"), ...examples], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) console.error("build: no code cache");
}

/** Chunks are named after their content: those of earlier builds stay behind. */
async function removeOldChunks(current) {
  const chunks = path.join(dist, "chunks");
  if (!existsSync(chunks)) return;
  for (const name of await readdir(chunks)) {
    if (!current.has(`dist/chunks/${name}`)) await rm(path.join(chunks, name), { force: true });
  }
}

const STEPS = {
  guest: { source: "runtime/guest/index.ts", run: () => buildGuest() },
  launcher: {
    source: "runtime/node/launcher.ts",
    run: () => buildLauncher(path.join(dist, "launcher.js"), COMMON.define),
  },
  cli: { source: "cli/main.ts", run: () => Promise.all([buildCli(), buildCompiler()]) },
};

/** Builds the named steps, all without names. One that fails does not keep the others from being built. */
async function buildSteps(names) {
  const chosen = names.length === 0 ? Object.keys(STEPS) : names;
  const results = await Promise.allSettled(chosen.map((name) => runStep(name)));
  for (const result of results) {
    if (result.status === "fulfilled") continue;
    console.error(`build: ${result.reason instanceof Error ? result.reason.message : result.reason}`);
    process.exitCode = 1;
  }
  await compileRuntime();
  await linkSupervisor();
  if (names.length === 0) cacheCode();
}

/** Rooms are filled one after another: a source that is not there yet is left out, one that exists must build. */
async function runStep(name) {
  const step = STEPS[name];
  if (step === undefined) throw new Error(`no step "${name}"; there are ${Object.keys(STEPS).join(", ")}`);
  if (existsSync(path.join(root, step.source))) await step.run();
  else console.log(`build: ${step.source} does not exist yet, left out`);
}

await mkdir(dist, { recursive: true });
const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
COMMON.define = {
  __HALE_VERSION__: JSON.stringify(version),
  __HALE_NATIVE_ID__: JSON.stringify(await nativeId()),
};
await buildSteps(process.argv.slice(2));
