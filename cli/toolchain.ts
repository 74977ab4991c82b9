// Where this toolchain is, and which one it is.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Set in bundles whose toolchain is to count as one and the same, whatever is built meanwhile. */
declare const __HALE_TOOLCHAIN__: string | undefined;

let identity: string | undefined;

/** Changes with every file that decides what a program compiles to: the bundles, the runtime modules, the standard library. */
export function toolchainIdentity(): string {
  identity ??= typeof __HALE_TOOLCHAIN__ === "string" ? __HALE_TOOLCHAIN__ : fingerprint(packageRoot());
  return identity;
}

/** The path of the `hale` command that runs now: what tests find in `HALE_BIN`. */
export function haleCommand(): string {
  const started = process.argv[1] ?? fileURLToPath(import.meta.url);
  try {
    return realpathSync.native(started);
  } catch {
    return started;
  }
}

/** The executable that starts tests and ends what they leave; undefined on systems that it is not made for. */
export function supervisorFile(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  supervisor ??= path.join(packageRoot(), "dist", "hale-supervisor");
  return supervisor;
}

let supervisor: string | undefined;

function packageRoot(): string {
  const start = path.dirname(fileURLToPath(import.meta.url));
  for (let directory = start; directory !== path.dirname(directory); directory = path.dirname(directory)) {
    const manifest = path.join(directory, "package.json");
    if (existsSync(manifest) && /"name":\s*"hale"/.test(readFileSync(manifest, "utf8"))) return directory;
  }
  return start;
}

/** Sizes and times are enough here: an installed package does not change, and a developer's build writes its files anew. */
function fingerprint(root: string): string {
  const hash = createHash("sha256");
  for (const part of ["package.json", "dist", "std"]) addFile(path.join(root, part), (line) => void hash.update(line));
  return hash.digest("hex");
}

function addFile(file: string, add: (line: string) => void): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) add(`${file}\0${stat.size}\0${stat.mtimeMs}\n`);
  else for (const name of readdirSync(file).sort()) addFile(path.join(file, name), add);
}
