// Runs a program for the wasm target: `node launcher.js program.wasm args..`, or the program's own executable, which is this file with the module in
// front (see package.ts). The program runs in a worker, so that its blocking calls leave this thread free to serve them.
import fs from "node:fs";
import { SHARE_ENV, Worker } from "node:worker_threads";
import { isModule } from "./program/sections.ts";
import { type SharedProgram, sharedProgram } from "./program/shared-module.ts";
import {
  type Request,
  type StartMessage,
  type ThreadData,
  controlOf,
  mailboxOf,
  newControlBuffer,
  newMailboxBuffer,
} from "./protocol.ts";
import type { Server } from "./server/server.ts";

/** The module in base64, in a packaged program. */
declare const haleProgram: string | undefined;
/** The text of the workers' code (worker/thread.ts, bundled); the build puts it in. */
declare const __HALE_THREAD_CODE__: string;

/** Stack of a thread of the program, in MiB. Recursion of half a million simple calls fits. */
const STACK_SIZE = 128;
const USAGE = 2;

const control = newControlBuffer();
const packaged = typeof haleProgram === "string";
const args = process.argv.slice(packaged ? 1 : 2);
const original = loadProgram();
const shared = sharedProgram(original);
const bytes = shared?.bytes ?? original;
const memory = shared === undefined ? undefined : filledMemory(shared);
let server: Promise<Server> | undefined;

// The worker starts up while the module is compiled here.
const first = startWorker();
const module = compile();
first.postMessage(startMessage(undefined));

function loadProgram(): Uint8Array {
  if (packaged) return Buffer.from(haleProgram ?? "", "base64");
  const [file] = args;
  if (file === undefined) return refuse("usage: node launcher.js <program.wasm> [argument ...]");
  try {
    const content = fs.readFileSync(file);
    return isModule(content) ? content : refuse(`${file}: not a WebAssembly module`);
  } catch (error) {
    return refuse(`${file}: ${error instanceof Error ? error.message : "cannot be read"}`);
  }
}

function compile(): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    return refuse(`the program is no valid WebAssembly: ${error instanceof Error ? error.message : ""}`);
  }
}

function refuse(message: string): never {
  fs.writeSync(2, `${message}\n`);
  process.exit(USAGE);
}

/** The memory of all threads, with the module's data in it. */
function filledMemory({ limits, segments }: SharedProgram): WebAssembly.Memory {
  const made = new WebAssembly.Memory({ initial: limits.minimum, maximum: limits.maximum ?? 65536, shared: true });
  const content = new Uint8Array(made.buffer);
  for (const segment of segments) content.set(segment.bytes, segment.address);
  return made;
}

/** Loaded when the program first asks for something: the modules of Node behind it take as long to load as a small program runs. */
function loadedServer(): Promise<Server> {
  server ??= import("./server/server.ts").then(({ Server }) => new Server(controlOf(control), { memory, startThread }));
  return server;
}

/** Ends the process. The terminal is given back as it was. */
function exit(status: number): void {
  if (server === undefined) process.exit(status);
  void server.then((loaded) => {
    loaded.close();
    process.exit(status);
  });
}

function startThread(argument: number): void {
  startWorker().postMessage(startMessage(argument));
}

function startMessage(argument: number | undefined): StartMessage {
  return { module, memory, argument, bytes };
}

function startWorker(): Worker {
  const mailboxBuffer = newMailboxBuffer();
  const mailbox = mailboxOf(mailboxBuffer);
  const data: ThreadData = { control, mailbox: mailboxBuffer, args };
  const worker = new Worker(__HALE_THREAD_CODE__, {
    eval: true,
    env: SHARE_ENV,
    execArgv: [],
    trackUnmanagedFds: false,
    workerData: data,
    resourceLimits: { stackSizeMb: STACK_SIZE },
  });
  worker.on("message", (request: Request) => {
    const [call, argument] = request;
    if (call === "exit") exit(Number(argument));
    else void loadedServer().then((loaded) => loaded.serve(mailbox, request));
  });
  worker.on("error", (error) => {
    fs.writeSync(2, `Hale panic: internal error, ${error.stack ?? error.message}\n`);
    process.exit(1);
  });
  return worker;
}
