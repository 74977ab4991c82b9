// Runs a benchmark of the toolchain: `node bench/run.mjs NAME` for bench/NAME.bench.ts.
import { rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const name = process.argv[2];
if (name === undefined) {
  console.error("usage: node bench/run.mjs NAME");
  process.exit(2);
}
// In the benchmark's own directory, so that its relative addresses hold.
const bundle = path.join(root, `bench/.${name}.${process.pid}.mjs`);
try {
  await build({
    absWorkingDir: root,
    entryPoints: [`bench/${name}.bench.ts`],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.17",
    packages: "external",
    outfile: bundle,
    logLevel: "warning",
  });
  await import(pathToFileURL(bundle).href);
} finally {
  await rm(bundle, { force: true });
}
