// A program in the caller's place: its streams, directory and process group. `hale run` and `hale replay` start theirs so.
import { type ChildProcess, spawn } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { EXIT } from "./exit-status.ts";
import { complain, systemMessage } from "./output.ts";
import type { Executable } from "./prepare.ts";
import { removeAbandoned } from "./private-directory.ts";
import { signalNumber, statusOfSignal } from "./signals.ts";

export type Ended = { readonly code: number } | { readonly signal: NodeJS.Signals } | { readonly problem: string };

/** Runs the program with the caller's environment and `environment` besides; `started` is called when it runs. */
export function startProgram(
  { file, args }: Executable,
  more: readonly string[],
  environment: Readonly<Record<string, string>>,
  started: (child: ChildProcess) => void,
): Promise<Ended> {
  return new Promise((resolve) => {
    try {
      const env = { ...process.env, ...environment };
      const child = spawn(file, [...args, ...more], { stdio: "inherit", env });
      child.once("spawn", () => {
        started(child);
        // Clearing up after killed runs is nobody's hurry.
        void setImmediate().then(removeAbandoned);
      });
      child.once("error", (error) => resolve({ problem: systemMessage(error) }));
      child.once("exit", (code, signal) => resolve(signal === null ? { code: code ?? 0 } : { signal }));
    } catch (error) {
      resolve({ problem: systemMessage(error) });
    }
  });
}

/** The status to end with; tells on stderr when the program did not end by itself. */
export function statusOf(command: string, ended: Ended): number {
  if ("code" in ended) return ended.code;
  if ("problem" in ended) {
    complain(`${command}: could not start the program: ${ended.problem}\n`);
    return EXIT.fault;
  }
  const { signal } = ended;
  complain(`${command}: the program was killed by ${signal} (signal ${signalNumber(signal)})\n`);
  return statusOfSignal(signal);
}
