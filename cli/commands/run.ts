import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Arguments } from "../arguments.ts";
import { RUN } from "../catalog.ts";
import { refusedByEnvironment } from "../checking/deployment.ts";
import { CompileCache } from "../compile-cache.ts";
import { compileOutcome } from "../compile-outcome.ts";
import { type Compile, compileProgram } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { commandUsage } from "../help.ts";
import { complain } from "../output.ts";
import { preparation } from "../prepare.ts";
import { createPrivateDirectory, noPrivateDirectory, type PrivateDirectory } from "../private-directory.ts";
import { rejectionText } from "../rejection.ts";
import { onTermination, statusOfSignal } from "../signals.ts";
import { startProgram, statusOf } from "../start-program.ts";
import { targetOf } from "../targets.ts";
import { canonicalPath } from "../source-files.ts";

/** Where a program looks for whether it is recorded (reference 06b 6b.4). */
const RECORD_VARIABLE = "LOTUS_OBS_RECORD";

/** `hale run` (reference 08 10). `compile` is the compiler; the command's own tests bring another. */
export async function run(
  given: Arguments<keyof typeof RUN.flags>,
  compile: Compile = compileProgram,
): Promise<number> {
  const [source, ...programArguments] = given.operands;
  if (source === undefined) return refuse(`hale run needs a target (a .hl file or a directory)\n${commandUsage(RUN)}`);
  const target = targetOf(given.value("target"));
  if (typeof target === "object") return refuse(`hale run: ${target.problem}\n`);
  if (!existsSync(source)) return fault(`not a file or directory: ${source}\n`);
  const refused = await refusedByEnvironment("hale run", source, given.value("env"));
  if (refused !== undefined) return refused;
  const directory = openDirectory();
  if ("problem" in directory) return fault(`hale run: ${directory.problem}\n`);
  let program: ChildProcess | undefined;
  // Until there is a program a signal ends the command; then the terminal's signals are the program's business.
  const termination = onTermination((signal) => {
    // Only the optimiser lets a signal be seen while it works.
    if (program === undefined && given.has("release")) process.exit(statusOfSignal(signal));
    if (signal === "SIGTERM" || signal === "SIGHUP") program?.kill(signal);
  });
  const cache = given.has("noCache") ? undefined : CompileCache.open();
  const canonical = canonicalPath(source);
  const executable = path.join(directory.path, path.basename(canonical, ".hl"));
  const mode = { target, profile: given.has("release") ? "release" : "dev", advisories: true } as const;
  const prepared = await preparation((path, to) => compileOutcome(compile, path, to), cache)(
    canonical,
    executable,
    mode,
  );
  const interrupted = await afterPendingSignals(termination.status);
  if (interrupted !== undefined) return finish(directory, interrupted);
  if (prepared.kind !== "ready") return finish(directory, fault(rejectionText("hale run", source, prepared)));
  if (prepared.warnings !== "") complain(`${prepared.warnings}\n`);
  const record = given.value("record");
  const environment = record === undefined ? {} : { [RECORD_VARIABLE]: path.resolve(record) };
  const ended = await startProgram(prepared.command, programArguments, environment, (child) => {
    program = child;
  });
  const status = finish(directory, statusOf("hale run", ended));
  await cache?.prune();
  return status;
}

function refuse(text: string): number {
  complain(text);
  return EXIT.usage;
}

function fault(text: string): number {
  complain(text);
  return EXIT.fault;
}

function finish(directory: PrivateDirectory, status: number): number {
  directory.remove();
  return status;
}

function openDirectory(): PrivateDirectory | { readonly problem: string } {
  try {
    return createPrivateDirectory("run");
  } catch (error) {
    return { problem: noPrivateDirectory(error) };
  }
}

/** Compiling keeps this thread busy; a signal that came meanwhile is seen when the event loop has gone all the way round. */
async function afterPendingSignals(status: () => number | undefined): Promise<number | undefined> {
  await setImmediate();
  await setImmediate();
  return status();
}
