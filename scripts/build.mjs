// Builds the package: the guest runtime and the bundles in dist/. Runs offline with the development dependencies installed.
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildGuest } from "./build-guest.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const dist = path.join(root, "dist");

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.17",
  legalComments: "none",
  logLevel: "warning",
};

/** The command line tool. Commands are imported lazily, each becomes a chunk; npm packages stay outside the bundle. */
async function buildCli() {
  await build({
    ...COMMON,
    entryPoints: { cli: "cli/main.ts" },
    outdir: dist,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    packages: "external",
  });
}

/** The launcher of wasm programs, one self-contained file: `hale build --target wasm` copies it into its output. */
async function buildLauncher() {
  await build({
    ...COMMON,
    entryPoints: { launcher: "runtime/node/launcher.ts" },
    outdir: dist,
    minifySyntax: true,
    minifyWhitespace: true,
  });
}

/** Runs `step` when its source is there. Rooms are filled one after another; a source that exists must build. */
async function buildWhenPresent(source, step) {
  if (existsSync(path.join(root, source))) await step();
  else console.log(`build: ${source} does not exist yet, left out`);
}

await mkdir(dist, { recursive: true });
const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
COMMON.define = { __HALE_VERSION__: JSON.stringify(version) };
await Promise.all([
  buildGuest(),
  buildWhenPresent("cli/main.ts", buildCli),
  buildWhenPresent("runtime/node/launcher.ts", buildLauncher),
]);
