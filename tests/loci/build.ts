// Programs that a test writes itself: compiled once, run often.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { checkTarget, compile, type Target } from "../../compiler/index.ts";

export interface Run {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Milliseconds after which the program gets SIGTERM. */
  readonly terminateAfter?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const HANGS_AFTER_MS = 120_000;

const directory = mkdtempSync(path.join(tmpdir(), "hale-loci-"));
let programs = 0;

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Compiles a program in the dev profile; throws with what the checker says about one that is refused. Answers the executable's path. */
export async function build(source: string, target: Target = "native"): Promise<string> {
  const name = path.join(directory, `p${programs++}`);
  writeFileSync(`${name}.hl`, source);
  const checked = checkTarget(`${name}.hl`, { mode: "program" });
  const errors = checked.diagnostics.filter(({ severity }) => severity === "error");
  if (!checked.program || errors.length > 0) throw new Error(`refused: ${errors.map((e) => e.message).join("; ")}`);
  const { executable } = await compile(checked.program, { target, profile: "dev" });
  writeFileSync(name, executable, { mode: 0o700 });
  return name;
}

/** Runs an executable with the leak report on: cells alive at its end make the status 99. One that hangs is killed and has the status "hangs". */
export function run(executable: string, target: Target = "native", options: RunOptions = {}): Promise<Run> {
  const [file, args] = target === "wasm" ? [process.execPath, [executable]] : [executable, []];
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", HALE_DEBUG: "leaks", ...options.env },
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let hangs = false;
    child.stdout.on("data", (data: Buffer) => stdout.push(data));
    child.stderr.on("data", (data: Buffer) => stderr.push(data));
    const signal = setTimeout(() => child.kill("SIGTERM"), options.terminateAfter ?? HANGS_AFTER_MS * 2);
    const watchdog = setTimeout(() => {
      hangs = true;
      child.kill("SIGKILL");
    }, HANGS_AFTER_MS);
    child.on("close", (code, by) => {
      clearTimeout(signal);
      clearTimeout(watchdog);
      resolve({
        status: hangs ? "hangs" : (code ?? 128 + (by === null ? 0 : constants.signals[by])),
        stdout: Buffer.concat(stdout).toString("latin1"),
        stderr: Buffer.concat(stderr).toString("latin1"),
      });
    });
  });
}
