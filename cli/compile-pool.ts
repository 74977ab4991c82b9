// Compiler threads for runs with many programs to compile. This module is also the program of its threads: it has to be imported
// dynamically, which makes it a chunk of its own in the bundle.
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { type CompileOutcome, compileOutcome } from "./compile-outcome.ts";
import { type CompileMode, compileProgram } from "./compiler.ts";

interface Request {
  readonly source: string;
  readonly mode: CompileMode;
}

interface Task extends Request {
  readonly resolve: (outcome: CompileOutcome) => void;
}

const ROLE = "hale-compiler";

/** Threads that compile, each one program at a time. Idle ones do not keep the process alive. */
export class CompilePool {
  readonly #waiting: Task[] = [];
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Task>();

  constructor(threads: number) {
    if (!isMainThread) throw new Error("compile-pool.ts has become part of another chunk");
    for (let count = 0; count < threads; count++) this.#start();
  }

  compile(source: string, mode: CompileMode): Promise<CompileOutcome> {
    return new Promise((resolve) => {
      this.#waiting.push({ source, mode, resolve });
      this.#assign();
    });
  }

  #start(): void {
    const worker = new Worker(new URL(import.meta.url), { workerData: ROLE });
    worker.unref();
    worker.on("message", (outcome: CompileOutcome) => {
      this.#busy.get(worker)?.resolve(outcome);
      this.#busy.delete(worker);
      this.#idle.push(worker);
      worker.unref();
      this.#assign();
    });
    worker.on("error", (error) => {
      // It ran out of memory: that costs its program the result, and another thread takes its place.
      this.#busy.get(worker)?.resolve({ kind: "failed", message: `internal error of the compiler: ${error.message}` });
      this.#busy.delete(worker);
      this.#start();
      this.#assign();
    });
    this.#idle.push(worker);
  }

  #assign(): void {
    for (let worker = this.#idle.pop(); worker; worker = this.#idle.pop()) {
      const task = this.#waiting.shift();
      if (!task) {
        this.#idle.push(worker);
        return;
      }
      this.#busy.set(worker, task);
      const request: Request = { source: task.source, mode: task.mode };
      worker.ref();
      worker.postMessage(request);
    }
  }
}

if (!isMainThread && workerData === ROLE) {
  parentPort?.on("message", async ({ source, mode }: Request) => {
    parentPort?.postMessage(await compileOutcome(compileProgram, source, mode));
  });
}
