// A thread of the program: instantiates the module and runs it. This file is the code of the launcher's workers.
import fs from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { backtraceLines } from "../program/backtrace.ts";
import { placesOf } from "../program/positions.ts";
import {
  SIGNAL_COUNT,
  SIGNAL_FLAG,
  SIGNAL_NUMBER,
  type StartMessage,
  type ThreadData,
  controlOf,
  mailboxOf,
} from "../protocol.ts";
import { panicMessage } from "./faults.ts";
import { fileCalls, guarded } from "./files.ts";
import { futexCalls } from "./futex.ts";
import { GuestMemory } from "./guest-memory.ts";
import { MainThread } from "./main-thread.ts";
import { servedCalls } from "./served.ts";
import { systemCalls } from "./system.ts";

/** Frames that a stack trace keeps: many belong to the runtime and are not shown. */
const TRACE_FRAMES = 100;
const STANDARD_ERROR = 2;

if (parentPort === null) throw new Error("not a worker");
const port = parentPort;
const data: ThreadData = workerData;
const control = controlOf(data.control);
const main = new MainThread(port, mailboxOf(data.mailbox));
const memory = new GuestMemory();
/** The stack trace of a trap; without one a backtrace tells where the program is now. */
let trace: string | undefined;

Error.stackTraceLimit = TRACE_FRAMES;
port.once("message", run);

function run(start: StartMessage): void {
  const { exports } = new WebAssembly.Instance(start.module, { host: hostOf(start) });
  const shared = start.memory ?? exports["memory"];
  if (!(shared instanceof WebAssembly.Memory)) throw new Error("the program exports no memory");
  memory.attach(shared);
  try {
    if (start.argument === undefined) call(exports, "hale_start");
    else call(exports, "hale_thread", start.argument);
  } catch (error) {
    const message = panicMessage(error);
    if (message === undefined || !(error instanceof Error)) throw error;
    trace = error.stack ?? "";
    call(exports, "hale_flush");
    writeError(`${message}\n${backtrace(start.bytes)}`);
    main.exit(1);
  }
  // The first thread ends the process; the others just end.
  port.close();
}

function call(exports: WebAssembly.Exports, name: string, ...args: number[]): void {
  const exported = exports[name];
  if (typeof exported !== "function") throw new Error(`the program does not export ${name}`);
  exported(...args);
}

/** The imports of module `host`. */
function hostOf({ memory: shared, bytes }: StartMessage): WebAssembly.ModuleImports {
  const calls: Record<string, (...args: never[]) => unknown> = {
    ...fileCalls(memory, main, control, { manyThreads: shared !== undefined }),
    ...systemCalls(memory, main, control, data.args),
    ...servedCalls(memory, main),
    ...futexCalls(memory, control),
    backtrace: () => writeError(backtrace(bytes)),
  };
  if (shared !== undefined) return { ...calls, memory: shared };
  return Object.fromEntries(Object.entries(calls).map(([name, perform]) => [name, withSignals(perform)]));
}

/** The main thread cannot reach a memory that is not shared: signals are noted in it when a host call returns. */
function withSignals(perform: (...args: never[]) => unknown): (...args: never[]) => unknown {
  let seen = 0;
  return (...args) => {
    const result = perform(...args);
    const count = control.words[SIGNAL_COUNT] ?? 0;
    if (count !== seen) {
      seen = count;
      const flag = (control.words[SIGNAL_FLAG] ?? 0) >>> 0;
      if (flag !== 0) memory.words[flag >>> 2] = control.words[SIGNAL_NUMBER] ?? 0;
    }
    return result;
  };
}

function backtrace(bytes: Uint8Array): string {
  return backtraceLines(trace ?? new Error().stack ?? "", placesOf(bytes));
}

function writeError(text: string): void {
  if (text !== "") guarded(() => fs.writeSync(STANDARD_ERROR, text));
}
