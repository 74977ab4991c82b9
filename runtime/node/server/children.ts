// Child processes with the semantics of fork, exec and waitpid (std::process).
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { errno, errnoOf } from "../errno.ts";
import { type Changed, WOULD_BLOCK, type WouldBlock } from "./descriptor.ts";
import type { Pipe } from "./pipe.ts";
import { afterATurn } from "./requests.ts";

/** Where a child's stream comes from: /dev/null, a descriptor of the operating system, the program's end of a pipe. */
export type ChildStream = "null" | number | Pipe;

interface Child {
  /** -1 while it runs; else the exit code, or the negated number of the signal that ended it. */
  status: number | undefined;
}

/** Stands for a process that could not be executed; above every real process id. */
const FIRST_INVENTED_PID = 1 << 30;

/** Exit code of a program that cannot be executed. */
const NOT_EXECUTABLE = 127;

export class Children {
  readonly #children = new Map<number, Child>();
  readonly #changed: Changed;
  #inventedPid = FIRST_INVENTED_PID;

  constructor(changed: Changed) {
    this.#changed = changed;
  }

  /** Starts a program in a process group of its own; answers with its pid or a negated errno. */
  spawn(argv: readonly string[], streams: readonly ChildStream[], answer: (result: number) => void): void {
    const [file = "", ...args] = argv;
    let process: ChildProcess;
    try {
      process = spawn(file, args, { stdio: streams.map(stdioOf) as StdioOptions, detached: true });
    } catch (error) {
      // Names that Node refuses to look for.
      answer(this.#notStarted(error));
      return;
    }
    join(process, streams);
    const { pid } = process;
    if (pid === undefined) {
      process.once("error", (error) => answer(this.#notStarted(error)));
      return;
    }
    const child: Child = { status: undefined };
    this.#children.set(pid, child);
    process.on("error", () => undefined);
    process.once("exit", (code, signal) => {
      // What the child wrote last lies in its streams still: they are read in the next turns of the event loop.
      afterATurn(() => this.#end(child, code, signal));
    });
    answer(pid);
  }

  /** The status of a child that has ended, which is forgotten by that. */
  wait(pid: number): { pid: number; status: number } | number | WouldBlock {
    const child = this.#children.get(pid);
    if (child === undefined) return errno("ECHILD");
    if (child.status === undefined) return WOULD_BLOCK;
    this.#children.delete(pid);
    return { pid, status: child.status };
  }

  /** kill(2); a child that has ended and was not waited for can be sent signals like any process. */
  kill(pid: number, signal: number): number {
    const own = this.#children.get(Math.abs(pid));
    if (own !== undefined && (own.status !== undefined || Math.abs(pid) >= FIRST_INVENTED_PID)) return 0;
    try {
      process.kill(pid, signal);
      return 0;
    } catch (error) {
      return errnoOf(error);
    }
  }

  #notStarted(error: unknown): number {
    const number = errnoOf(error);
    // No process could be made; everything else is found out by the new process, after the fork.
    if (number === errno("EAGAIN") || number === errno("ENOMEM") || number === errno("EMFILE")) return number;
    const pid = this.#inventedPid++;
    this.#children.set(pid, { status: NOT_EXECUTABLE });
    return pid;
  }

  #end(child: Child, code: number | null, signal: NodeJS.Signals | null): void {
    child.status = signal === null ? (code ?? 0) : -constants.signals[signal];
    this.#changed();
  }
}

function stdioOf(stream: ChildStream): "ignore" | "pipe" | number {
  if (stream === "null") return "ignore";
  return typeof stream === "number" ? stream : "pipe";
}

/** Connects the child's ends to the program's pipes. */
function join(process: ChildProcess, streams: readonly ChildStream[]): void {
  streams.forEach((stream, index) => {
    if (typeof stream !== "object") return;
    const end = process.stdio[index];
    if (end === null || end === undefined) return;
    if (index === 0) stream.attachSink(end as Writable);
    else stream.attachSource(end as Readable);
  });
}
