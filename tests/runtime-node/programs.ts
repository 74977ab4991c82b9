// Builds the test program and runs it under the launcher.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const node = (args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd: root });

const root = fileURLToPath(new URL("../../", import.meta.url));

const OPTIONS =
  "--runtime stub --use abort= -O1 --noAssert --enable threads --memoryBase 1024 --exportTable --debug --initialMemory 4 --maximumMemory 65536";

export interface Programs {
  readonly directory: string;
  /** Built from the sources as they are now; the package keeps its own, which other tests use meanwhile. */
  readonly launcher: string;
  /** With a memory of its own. */
  readonly plain: string;
  /** With a shared memory, for threads. */
  readonly shared: string;
  remove(): void;
}

/** Compiles the program in both forms, and the launcher. Never blocks for long: vitest would take this process for dead. */
export async function buildPrograms(): Promise<Programs> {
  const directory = mkdtempSync(path.join(tmpdir(), "hale-launcher-"));
  const launcher = path.join(directory, "launcher.mjs");
  await node(["scripts/build-launcher.mjs", launcher]);
  const [plain, shared] = [path.join(directory, "plain.wasm"), path.join(directory, "shared.wasm")];
  await compile(plain);
  await compile(shared, "--sharedMemory");
  return { directory, launcher, plain, shared, remove: () => rmSync(directory, { recursive: true }) };
}

async function compile(output: string, ...more: string[]): Promise<void> {
  const compiler = path.join(root, "node_modules/assemblyscript/bin/asc.js");
  const source = "tests/runtime-node/guest/program.ts";
  // asc takes paths relative to where it runs.
  const outFile = path.relative(root, output);
  await node([compiler, source, "--outFile", outFile, ...OPTIONS.split(" "), ...more]);
}

export interface Outcome {
  /** The exit status, or the signal's name. */
  readonly end: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly outcome: Promise<Outcome>;
  /** Resolves once standard output contains the text. */
  printed(text: string): Promise<void>;
  /** Resolves once no thread of the program has anything to do: it sleeps or waits. */
  quiet(): Promise<void>;
}

/** Starts `command` with an open standard input. */
export function start(command: readonly string[], environment: Record<string, string> = {}): Running {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { stdio: "pipe", env: { ...process.env, ...environment } });
  let stdout = "";
  let stderr = "";
  let notify = () => {};
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    notify();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on("error", () => {});
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ end: code ?? signal ?? "unknown", stdout, stderr }));
  });
  const printed = (text: string) =>
    new Promise<void>((resolve) => {
      notify = () => {
        if (stdout.includes(text)) resolve();
      };
      notify();
    });
  const quiet = async () => {
    for (let looks = 0; looks < 5; looks = isAsleep(child.pid) ? looks + 1 : 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  return { process: child, outcome, printed, quiet };
}

/** Whether every thread of the process waits for something; one that only lacks a processor does not. */
function isAsleep(pid: number | undefined): boolean {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.every((thread) => / S /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1")));
}

/** Runs a program (launcher, module and arguments) to its end with the given standard input. */
export function run(program: readonly string[], input = "", environment = {}): Promise<Outcome> {
  const running = start([process.execPath, ...program], environment);
  running.process.stdin?.end(input);
  return running.outcome;
}
