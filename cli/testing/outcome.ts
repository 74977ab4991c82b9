// From what a program did to what the report says of it (reference 12 12.2, 08 11.8 and .9).
import type { Execution } from "./execute.ts";
import { type Backtrace, findBacktrace } from "./backtrace.ts";

export type FailureReason = "assertion" | "exit" | "signal" | "stdout" | "compile" | "timeout" | "runner";

export interface Failure {
  readonly reason: FailureReason;
  /** The published text: what the test printed and how it ended. */
  readonly message: string;
  /** Where it failed: as the program told on stderr, or its first error. */
  readonly backtrace?: Backtrace;
  /** The operating system would not let the file be read. */
  readonly unreadable?: boolean;
}

/** Undefined for a pass. `timeoutText` is the limit as the user wrote it. */
export function judge(execution: Execution, timeoutText: string): Failure | undefined {
  const { exit, stdout, stderr } = execution;
  if (exit.kind === "not-started") return { reason: "runner", message: `could not start the test: ${exit.message}` };
  const said = stdout.text.trimEnd();
  const dropped = stdout.dropped > 0 ? `(${stdout.dropped} bytes of stdout dropped)` : "";
  const failure = (reason: FailureReason, ...lines: string[]): Failure => {
    const backtrace = findBacktrace(stderr.text);
    const message = lines.filter((line) => line !== "").join("\n");
    return backtrace ? { reason, message, backtrace } : { reason, message };
  };
  if (execution.timedOut) return failure("timeout", said, dropped, `(timed out after ${timeoutText})`);
  if (exit.kind === "signaled") return failure("signal", said, dropped, `(terminated by signal ${exit.signal})`);
  if (exit.code !== 0) {
    const asserted = exit.code === 1 && /^ASSERTION FAILED: /m.test(stdout.text);
    return failure(asserted ? "assertion" : "exit", said, dropped, `(exited with code ${exit.code})`);
  }
  if (stdout.total === 0) return undefined;
  const { message, ...rest } = failure("stdout", said, dropped);
  return { ...rest, message: `test exited 0 but produced stdout (a passing test must be silent):\n${message}` };
}
