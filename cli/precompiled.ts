// The compiler as one script, `dist/compiler.cjs`, with the byte code that V8 made of it when the package was built: loading it and running its
// functions for the first time is what a short command spends most of its time on.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { constants, Script } from "node:vm";

type Door = typeof import("../compiler/index.ts");

interface Precompiled {
  readonly door: Door;
  readonly script: Script;
  readonly cacheFile: string;
  readonly sourceHash: Buffer;
}

/** Length of the SHA-256 of the source, which a cache file begins with: V8 itself compares lengths of sources only. */
const HASH_BYTES = 32;

/** Defined by the package's build: a bundle made for anything else has its own compiler. */
declare const __HALE_PRECOMPILED__: true | undefined;

/** The compiler out of the package's script; undefined where there is none. */
export function loadPrecompiled(): Door | undefined {
  return load()?.door;
}

/** Writes the code cache: the byte code of all functions that have run in this process so far. Other V8 versions and flags ignore it. */
export async function writeCodeCache(exercise: (door: Door) => Promise<void>): Promise<void> {
  const loaded = load();
  if (!loaded) throw new Error("compiler.cjs is missing; run the build");
  await exercise(loaded.door);
  const temporary = `${loaded.cacheFile}.${process.pid}`;
  writeFileSync(temporary, Buffer.concat([loaded.sourceHash, loaded.script.createCachedData()]));
  renameSync(temporary, loaded.cacheFile);
}

function load(): Precompiled | undefined {
  const file = locate();
  if (file === undefined) return undefined;
  const source = readFileSync(file);
  const sourceHash = createHash("sha256").update(source).digest();
  const cacheFile = file.replace(/\.cjs$/, ".cache");
  const cachedData = readCache(cacheFile, sourceHash);
  const script = new Script(`(function (exports, require, module, __filename) {${source.toString("utf8")}\n})`, {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module: { exports: unknown } = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file);
  return { door: module.exports as Door, script, cacheFile, sourceHash };
}

/** Beside the running bundle, or above its chunk. */
function locate(): string | undefined {
  if (typeof __HALE_PRECOMPILED__ === "undefined") return undefined;
  const here = path.dirname(fileURLToPath(import.meta.url));
  return [here, path.dirname(here)]
    .map((directory) => path.join(directory, "compiler.cjs"))
    .find((file) => existsSync(file));
}

function readCache(file: string, sourceHash: Buffer): Buffer | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return bytes.subarray(0, HASH_BYTES).equals(sourceHash) ? bytes.subarray(HASH_BYTES) : undefined;
}
