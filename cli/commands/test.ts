import { existsSync } from "node:fs";
import { isatty } from "node:tty";
import type { Target } from "../../compiler/index.ts";
import { CompileCache } from "../compile-cache.ts";
import { type Compile, compileProgram } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { complain, print, stdoutProblem, visible, whenStdoutFails } from "../output.ts";
import { noPrivateDirectory, removeAbandoned } from "../private-directory.ts";
import { onTermination, statusOfSignal } from "../signals.ts";
import type { Discovery } from "../source-files.ts";
import { targetOf } from "../targets.ts";
import { adaptivePreparation } from "../testing/compile-adaptively.ts";
import { discoverTests } from "../testing/discover.ts";
import { inOrder, type OrderedReporter, type Reporter, type RunSummary } from "../testing/events.ts";
import { Interruption } from "../testing/interruption.ts";
import { jobsOf, type TestArguments, type TimeLimit, timeLimitOf } from "../testing/options.ts";
import { jsonReporter } from "../testing/report/json.ts";
import { junitReporter } from "../testing/report/junit.ts";
import { progressLine } from "../testing/report/progress.ts";
import { noticeReporter, textReporter } from "../testing/report/text.ts";
import { timingReporter } from "../testing/report/timing.ts";
import { RunDirectory } from "../testing/sandbox.ts";
import { runTests } from "../testing/schedule.ts";
import { haleCommand } from "../toolchain.ts";

/** `hale test` (reference 12, 08 11). `compile` is the compiler; the runner's own tests bring another. */
export async function test(given: TestArguments, compile: Compile = compileProgram): Promise<number> {
  const jobs = jobsOf(given, process.env);
  if (typeof jobs === "object") return refuse(jobs.problem);
  const limit = timeLimitOf(given);
  if ("problem" in limit) return refuse(limit.problem);
  const target = targetOf(given.value("target"));
  if (typeof target === "object") return refuse(target.problem);
  const missing = given.operands.find((operand) => !existsSync(operand));
  if (missing !== undefined) return refuse(`not a file or directory: ${missing}`);
  const found = discoverTests(given.operands, given.value("run"));
  for (const problem of found.problems) complain(`hale test: ${problem}\n`);
  if (given.has("list")) return list(found, given);
  return run(found, given, { jobs, limit, target }, compile);
}

interface Options {
  readonly jobs: number;
  readonly limit: TimeLimit;
  readonly target: Target;
}

function refuse(problem: string): number {
  complain(`hale test: ${problem}\n`);
  return EXIT.usage;
}

function list({ files, problems }: Discovery, given: TestArguments): number {
  if (given.has("json")) print(`${JSON.stringify(files.map((file) => file.canonical))}\n`);
  else print(files.map((file) => `${visible(file.shown)}\n`).join(""));
  return problems.length > 0 ? EXIT.usage : EXIT.success;
}

async function run(found: Discovery, given: TestArguments, options: Options, compile: Compile): Promise<number> {
  let isReportLost = false;
  const reporters = reportersFor(found, given, () => {
    isReportLost = true;
  });
  if ("problem" in reporters) return refuse(reporters.problem);
  const interruption = new Interruption();
  // Before anything exists that a signal could leave behind.
  const termination = onTermination(() => interruption.ask());
  whenStdoutFails(() => interruption.ask());
  const cache = given.has("noCache") ? undefined : CompileCache.open();
  const directory = openDirectory();
  if ("problem" in directory) return refuse(directory.problem);
  const running = runTests(
    {
      tests: found.files,
      jobs: options.jobs,
      failFast: given.has("failFast"),
      timeoutMs: options.limit.milliseconds,
      timeoutText: options.limit.text,
      mode: { target: options.target, profile: "dev" },
      directory,
      prepare: adaptivePreparation(compile, cache, { jobs: options.jobs, total: found.files.length }),
      interruption,
    },
    reporters,
  );
  // Clearing up after others comes when the first tests are on their way.
  setImmediate(removeAbandoned);
  const summary = await running;
  const strays = directory.remove();
  for (const reporter of reporters) reporter.end?.(summary);
  for (const { pid, command } of strays) complain(`hale test: left running: ${pid} ${visible(command)}\n`);
  // A test that was killed may have been a runner itself.
  removeAbandoned();
  await cache?.prune();
  return termination.status() ?? exitStatus(summary, isReportLost || found.problems.length > 0);
}

function openDirectory(): RunDirectory | { readonly problem: string } {
  try {
    return new RunDirectory(haleCommand());
  } catch (error) {
    return { problem: noPrivateDirectory(error) };
  }
}

/** `isIncomplete`: a path could not be read, or a report not be written. */
function exitStatus({ failed, unreadable }: RunSummary, isIncomplete: boolean): number {
  if (stdoutProblem() === "EPIPE") return statusOfSignal("SIGPIPE");
  if (isIncomplete || unreadable > 0) return EXIT.usage;
  return failed > 0 ? EXIT.fault : EXIT.success;
}

/** The consumers of the run that the flags and the terminal ask for. */
function reportersFor(
  { files }: Discovery,
  given: TestArguments,
  onLostReport: () => void,
): Reporter[] | { readonly problem: string } {
  const json = given.has("json");
  const decorated = !json && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
  const ordered: OrderedReporter[] = [];
  const junitFile = given.value("junit");
  if (junitFile !== undefined) {
    const junit = junitReporter(junitFile, onLostReport);
    if ("problem" in junit) return { problem: `could not write ${junitFile}: ${junit.problem}` };
    ordered.push(junit);
  }
  ordered.push(noticeReporter);
  if (json) ordered.push(jsonReporter({ timing: given.has("timing") }));
  else if (files.length === 0) ordered.push(nothingFound(given));
  else ordered.push(textReporter({ colour: decorated && isatty(1), verbose: given.has("verbose") }));
  if (given.has("timing") && !json) ordered.push(timingReporter());
  if (!decorated || !isatty(2)) return [inOrder(ordered)];
  const progress = progressLine(process.stderr.columns || 80);
  return [progress.reporter, inOrder([{ result: progress.hide }, ...ordered])];
}

/** `` no `_test.hl` files found under a, b ``. */
function nothingFound(given: TestArguments): OrderedReporter {
  const filter = given.value("run");
  const matching = filter === undefined ? "found" : `matching \`${filter}\``;
  const targets = given.operands.length > 0 ? given.operands.join(", ") : ".";
  return {
    result() {},
    end: () => print(`no \`_test.hl\` files ${matching} under ${targets}\n`),
  };
}
