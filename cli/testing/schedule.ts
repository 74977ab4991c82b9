import { setImmediate } from "node:timers/promises";
import path from "node:path";
import type { Rejection } from "../compile-outcome.ts";
import type { CompileMode } from "../compiler.ts";
import { systemMessage, visible } from "../output.ts";
import type { PrepareExecutable } from "../prepare.ts";
import { Capture } from "./capture.ts";
import type { Reporter, RunSummary, TestFile, TestResult } from "./events.ts";
import { execute } from "./execute.ts";
import type { Interruption } from "./interruption.ts";
import { type Failure, judge } from "./outcome.ts";
import type { RunDirectory, Sandbox } from "./sandbox.ts";

export interface RunPlan {
  readonly tests: readonly TestFile[];
  /** How many tests are compiled and run at once. */
  readonly jobs: number;
  readonly failFast: boolean;
  readonly timeoutMs: number | undefined;
  /** The limit as the user wrote it. */
  readonly timeoutText: string;
  readonly mode: CompileMode;
  readonly directory: RunDirectory;
  readonly prepare: PrepareExecutable;
  readonly interruption: Interruption;
}

/** Compiles and runs all tests of a plan, `jobs` at a time, and tells `reporters` what happens; their `end` is the caller's. */
export async function runTests(plan: RunPlan, reporters: readonly Reporter[]): Promise<RunSummary> {
  let next = 0;
  let passed = 0;
  let failed = 0;
  let unreadable = 0;
  const keptVaults: { readonly test: TestFile; readonly vault: string }[] = [];
  for (const reporter of reporters) reporter.begin?.(plan.tests);
  const tell: Required<Reporter>["event"] = (event) => {
    for (const reporter of reporters) reporter.event?.(event);
  };
  const worker = async (): Promise<void> => {
    for (;;) {
      // Signals, ends of processes and output come in between any two compilations.
      await setImmediate();
      if (plan.interruption.asked || (plan.failFast && failed > 0)) return;
      const index = next++;
      const test = plan.tests[index];
      if (!test) return;
      tell({ kind: "started", index, test });
      const result = await runTest(plan, index, test);
      if ("interrupted" in result) {
        if (result.keptVault !== undefined) keptVaults.push({ test, vault: result.keptVault });
        continue;
      }
      if (result.failure) failed++;
      else passed++;
      if (result.failure?.unreadable) unreadable++;
      tell({ kind: "finished", index, result });
    }
  };
  await Promise.all(Array.from({ length: Math.min(plan.jobs, plan.tests.length) }, worker));
  return { passed, failed, unreadable, notRun: plan.tests.length - passed - failed, keptVaults };
}

/** The run was interrupted before the test's end. */
interface Interrupted {
  readonly interrupted: true;
  /** Where its vault stays, when it was to be kept and the test had begun. */
  readonly keptVault?: string;
}

/** One test from source to result. */
async function runTest(plan: RunPlan, index: number, test: TestFile): Promise<TestResult | Interrupted> {
  const sandbox = openSandbox(plan, index, test);
  if ("problem" in sandbox) {
    const message = `could not make the test's directory: ${sandbox.problem}`;
    return withoutRun(test, { reason: "runner", message }, 0);
  }
  let hasRun = false;
  try {
    const started = performance.now();
    const prepared = await plan.prepare(test.canonical, sandbox.executable, plan.mode);
    const compileMs = performance.now() - started;
    if (plan.interruption.asked) return { interrupted: true };
    if (prepared.kind !== "ready") return withoutRun(test, compileFailure(test, prepared), compileMs);
    const { vault, env } = sandbox;
    const { older } = plan.directory;
    hasRun = true;
    const kept = plan.directory.keepsVaults ? { keptVault: vault } : {};
    const execution = await execute({ ...prepared.command, env }, { ...plan, vault, older });
    if (execution.interrupted) return { interrupted: true, ...kept };
    const failure = judge(execution, plan.timeoutText);
    return {
      test,
      ...(failure && { failure }),
      stdout: execution.stdout,
      stderr: execution.stderr,
      leaked: execution.leaked,
      compileMs,
      runMs: execution.elapsedMs,
      cached: prepared.cached,
      ...kept,
    };
  } finally {
    sandbox.remove(hasRun);
  }
}

function openSandbox({ directory }: RunPlan, index: number, test: TestFile): Sandbox | { readonly problem: string } {
  try {
    return directory.open(index, path.basename(test.canonical, ".hl"));
  } catch (error) {
    return { problem: systemMessage(error) };
  }
}

function compileFailure(test: TestFile, rejection: Rejection): Failure {
  switch (rejection.kind) {
    case "unreadable": {
      const message = `could not read ${visible(test.shown)}: ${rejection.message}`;
      return rejection.cause === "system"
        ? { reason: "runner", message, unreadable: true }
        : { reason: "compile", message };
    }
    case "no-sources":
      return { reason: "runner", message: `no .hl files in ${visible(test.shown)}` };
    case "unwritable":
      return { reason: "runner", message: `could not write ${rejection.file}: ${rejection.message}` };
    case "failed":
      return { reason: "runner", message: rejection.message };
    case "rejected": {
      const { text, location } = rejection;
      return { reason: "compile", message: text, ...(location && { backtrace: { frames: [location], rest: "" } }) };
    }
  }
}

function withoutRun(test: TestFile, failure: Failure, compileMs: number): TestResult {
  const nothing = new Capture().finish();
  return { test, failure, stdout: nothing, stderr: nothing, leaked: [], compileMs, runMs: 0, cached: false };
}
