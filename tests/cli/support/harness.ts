// Real command lines in a scratch world of their own: a source tree, a TMPDIR and a cache that nothing else uses, so that what a command
// leaves behind can be seen.
import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/**
 * A bundle of `entry` (path from the root of the repository) that Node can start: the sources as they are now, with what `npm run build`
 * has made of the runtime. It lies in a package of its own, which other users can read wherever the repository is; only the release
 * optimiser is the repository's.
 */
export async function bundle(
  entry: string,
  define: Record<string, string> = {},
): Promise<{ script: string; remove(): void }> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "hale-package-")));
  chmodSync(root, 0o755);
  const dist = path.join(root, "dist");
  await build({
    absWorkingDir: repository,
    entryPoints: { main: entry },
    outdir: dist,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20.17",
    packages: "external",
    logLevel: "warning",
    define: { __HALE_VERSION__: '"0.0.0-test"', ...define },
  });
  for (const asset of ["runtime.wasm", "runtime-linux.wasm", "launcher.js", "hale-supervisor"]) {
    const file = path.join(repository, "dist", asset);
    if (existsSync(file)) copyFileSync(file, path.join(dist, asset));
  }
  copyFileSync(path.join(repository, "package.json"), path.join(root, "package.json"));
  cpSync(path.join(repository, "std"), path.join(root, "std"), { recursive: true });
  for (const name of packagesOfUsers()) {
    const place = path.join(root, name);
    mkdirSync(path.dirname(place), { recursive: true });
    if (name === "node_modules/binaryen") symlinkSync(path.join(repository, name), place);
    else cpSync(path.join(repository, name), place, { recursive: true });
  }
  return { script: path.join(dist, "main.js"), remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** The directories of the packages that an installed tool has, from the root. */
function packagesOfUsers(): string[] {
  const lock: { packages: Record<string, { dev?: boolean }> } = JSON.parse(
    readFileSync(path.join(repository, "package-lock.json"), "utf8"),
  );
  return Object.entries(lock.packages).flatMap(([name, { dev }]) => (name !== "" && !dev ? [name] : []));
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Lines of sh that wait until the processes whose numbers are in these variables have become `sleep`. */
export function untilAsleep(...variables: string[]): string {
  return variables.map((name) => `until grep -qx sleep "/proc/$${name}/comm"; do :; done`).join("; ");
}

export class Scratch {
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "hale-scratch-")));
  readonly tree = this.#directory("tree");
  readonly tmp = this.#directory("tmp");
  readonly cache = this.#directory("cache");
  readonly #script: string;

  constructor(script: string) {
    this.#script = script;
  }

  #directory(name: string): string {
    const directory = path.join(this.root, name);
    mkdirSync(directory);
    chmodSync(directory, 0o777);
    return directory;
  }

  /** Writes a file of the source tree and returns its path. */
  write(name: string, text: string | Uint8Array): string {
    const file = path.join(this.tree, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** A source for the compiler of `fake-hale.ts`: an sh script. */
  sh(name: string, ...lines: string[]): string {
    return this.write(name, `#!/bin/sh\n${lines.join("\n")}\n`);
  }

  /** A source for the compiler of `fake-hale.ts`: a JavaScript program. */
  js(name: string, ...lines: string[]): string {
    return this.write(name, `#!${process.execPath}\n${lines.join("\n")}\n`);
  }

  start(args: readonly string[], options: { env?: Record<string, string>; uid?: number } = {}): ChildProcess {
    const { env, uid } = options;
    return spawn(process.execPath, [this.#script, ...args], {
      cwd: this.tree,
      env: {
        PATH: process.env["PATH"],
        HOME: this.root,
        TMPDIR: this.tmp,
        XDG_CACHE_HOME: this.cache,
        SCRATCH: this.root,
        ...env,
      },
      ...(uid !== undefined && { uid, gid: uid }),
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  hale(args: readonly string[], options: { env?: Record<string, string>; uid?: number } = {}): Promise<Finished> {
    return finished(this.start(args, options));
  }

  /** Names of what is left in TMPDIR. */
  leftFiles(): string[] {
    return readdirSync(this.tmp);
  }

  /** Command lines of live processes that were started from this scratch world. */
  leftProcesses(): string[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(`SCRATCH=${this.root}\0`)) return [];
          if (/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return [];
          return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
        } catch {
          return [];
        }
      });
  }

  remove(): void {
    // Whatever a failing test has left: the machine is not to suffer from it.
    for (const line of this.leftProcesses()) {
      try {
        process.kill(Number.parseInt(line, 10), "SIGKILL");
      } catch {}
    }
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function finished(child: ChildProcess): Promise<Finished> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      resolve({
        code,
        signal,
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: Buffer.concat(err).toString("utf8"),
      });
    });
  });
}

/** Polls until `condition` holds; throws when it does not for a long time. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`still not: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
