import { print } from "../../output.ts";
import type { OrderedReporter, TestResult } from "../events.ts";

/** One array on one line, one record a file in order; each record is written as soon as it is known (reference 12 12.4.2). */
export function jsonReporter(options: { readonly timing: boolean }): OrderedReporter {
  let separator = "[";
  return {
    result(result) {
      print(separator + JSON.stringify(record(result, options.timing)));
      separator = ",";
    },
    end() {
      print(separator === "[" ? "[]\n" : "]\n");
    },
  };
}

/** The published keys in their order, then ours. */
function record(result: TestResult, timing: boolean): Record<string, unknown> {
  const { test, failure, leaked } = result;
  const at = failure?.backtrace?.frames[0];
  return {
    file: test.canonical,
    status: failure ? "fail" : "pass",
    ...(failure && { message: failure.message }),
    elapsed_ms: Math.round(result.compileMs + result.runMs),
    ...(failure && { reason: failure.reason }),
    ...(at && { location: { file: at.file, line: at.line, col: at.column } }),
    ...(leaked.length > 0 && { leaked: leaked.map(({ pid, command }) => ({ pid, command })) }),
    ...(timing && {
      compile_ms: Math.round(result.compileMs),
      run_ms: Math.round(result.runMs),
      cached: result.cached,
    }),
  };
}
