// Hale programs as processes of their own, against what the machine has: other processes, files, sockets.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Target, checkTarget, compile } from "../../compiler/index.ts";

export interface Ended {
  readonly status: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly input?: string;
  /** Milliseconds until the process is killed. */
  readonly limit?: number;
}

/** A directory for the programs of one test file, and the processes that it has started. */
export class World {
  readonly root = mkdtempSync(path.join(tmpdir(), "hale-world-"));
  readonly #running = new Set<ChildProcess>();

  /** Compiles `programs/NAME.hl` and returns the executable's path. */
  async program(name: string, target: Target = "native"): Promise<string> {
    const source = fileURLToPath(new URL(`programs/${name}.hl`, import.meta.url));
    const { program, diagnostics } = checkTarget(source, { mode: "program" });
    const words = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
    if (program === undefined || words.length > 0) throw new Error(`${name} is refused: ${words.join("; ")}`);
    const { executable } = await compile(program, { target, profile: "dev" });
    if (executable === undefined) throw new Error(`${name} is not compiled`);
    const file = path.join(this.root, `${name}-${target}`);
    writeFileSync(file, executable, { mode: 0o700 });
    return file;
  }

  start(file: string, args: readonly string[], options: Options = {}): ChildProcess {
    const child = spawn(file, args, {
      cwd: options.cwd ?? this.root,
      env: { PATH: process.env["PATH"], HALE_DEBUG: "leaks", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#running.add(child);
    child.once("close", () => this.#running.delete(child));
    child.stdin?.on("error", () => undefined);
    if (options.input !== undefined) child.stdin?.end(options.input);
    return child;
  }

  /** Runs a program to its end. */
  run(file: string, args: readonly string[], options: Options = {}): Promise<Ended> {
    return ended(this.start(file, args, { input: "", ...options }), options.limit);
  }

  /** The same through a shell: `script` has the words in `$@`. */
  shell(script: string, args: readonly string[], options: Options = {}): Promise<Ended> {
    return this.run("sh", ["-c", script, "sh", ...args], options);
  }

  remove(): void {
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function ended(child: ChildProcess, limit = 120_000): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), limit);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({
        status: signal ?? code,
        stdout: Buffer.concat(out).toString("latin1"),
        stderr: Buffer.concat(err).toString("latin1"),
      });
    });
  });
}

/** Resolves once the process has printed `text`. */
export function printed(child: ChildProcess, text: string): Promise<void> {
  let seen = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString("latin1");
      if (seen.includes(text)) resolve();
    });
    child.once("close", () => reject(new Error(`ended without ${JSON.stringify(text)}: ${JSON.stringify(seen)}`)));
  });
}

/** A port that nobody listens on, for a server that is about to start. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const port = portOf(server.address());
      server.close(() => resolve(port));
    });
  });
}

export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
