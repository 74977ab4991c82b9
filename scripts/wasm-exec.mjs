// Runs scripts/wasm-exec.ts, bundled into dist when its sources are younger than the bundle.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const bundle = path.join(root, "dist/wasm-exec.js");

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function youngestSource() {
  let youngest = modified(path.join(root, "scripts/wasm-exec.ts"));
  for (const room of ["compiler/native", "compiler/wasm"]) {
    for (const name of readdirSync(path.join(root, room), { recursive: true })) {
      if (name.endsWith(".ts")) youngest = Math.max(youngest, modified(path.join(root, room, name)));
    }
  }
  return youngest;
}

if (youngestSource() > modified(bundle)) {
  const { build } = await import("esbuild");
  const { mkdir, rename } = await import("node:fs/promises");
  await mkdir(path.dirname(bundle), { recursive: true });
  // Under a name of its own first: several may start at once.
  const temporary = `${bundle}.${process.pid}`;
  await build({
    absWorkingDir: root,
    entryPoints: ["scripts/wasm-exec.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.17",
    packages: "external",
    outfile: temporary,
    logLevel: "warning",
  });
  await rename(temporary, bundle);
}
await import(pathToFileURL(bundle).href);
