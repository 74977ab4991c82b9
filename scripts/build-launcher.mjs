// Builds the launcher of wasm programs. `node scripts/build-launcher.mjs <file>` writes it there: tests must not change the package that other tests use.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeAtomically } from "./build-guest.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** What all bundles have in common. */
export const BUNDLE = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.17",
  legalComments: "none",
  logLevel: "warning",
};

const OPTIONS = {
  ...BUNDLE,
  write: false,
  minifySyntax: true,
  minifyWhitespace: true,
  format: "cjs",
  outdir: path.join(root, "dist"),
};

/**
 * One self-contained file: `hale build --target wasm` copies it into its output. It must run as a module (here) and as
 * a script (a program's executable has no extension), so it takes Node's own modules by a call that both have.
 * `define` holds what a whole build gives its bundles.
 */
export async function buildLauncher(file, define = {}) {
  const thread = await build({ ...OPTIONS, define, entryPoints: ["runtime/node/worker/thread.ts"] });
  const launcher = await build({
    ...OPTIONS,
    define: { ...define, __HALE_THREAD_CODE__: JSON.stringify(thread.outputFiles[0].text) },
    banner: { js: "var require = process.getBuiltinModule;" },
    entryPoints: ["runtime/node/launcher.ts"],
  });
  await writeAtomically(file, launcher.outputFiles[0].contents);
}

const [, script, output] = process.argv;
if (script === fileURLToPath(import.meta.url) && output !== undefined) await buildLauncher(path.resolve(output));
