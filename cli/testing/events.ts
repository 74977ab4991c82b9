// What happens in a run, as values. The scheduler emits them in order of time; reports only consume them.
import type { FoundFile } from "../source-files.ts";
import type { Captured } from "./capture.ts";
import type { Leak } from "./execute.ts";
import type { Failure } from "./outcome.ts";

/** One file to compile and run. */
export type TestFile = FoundFile;

export interface TestResult {
  readonly test: TestFile;
  /** Missing for a pass. */
  readonly failure?: Failure;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly leaked: readonly Leak[];
  readonly compileMs: number;
  readonly runMs: number;
  /** The executable came from the compile cache. */
  readonly cached: boolean;
  /** Where the vault stays, when it was to be kept. */
  readonly keptVault?: string;
}

export type TestEvent =
  | { readonly kind: "started"; readonly index: number; readonly test: TestFile }
  | { readonly kind: "finished"; readonly index: number; readonly result: TestResult };

export interface RunSummary {
  readonly passed: number;
  readonly failed: number;
  /** Of the failed ones: files that the operating system would not let be read. */
  readonly unreadable: number;
  /** Never started, or interrupted. */
  readonly notRun: number;
  /** Of tests that were interrupted, and so have no result. */
  readonly keptVaults: readonly { readonly test: TestFile; readonly vault: string }[];
}

/** A consumer of a run. `begin` comes first and `end` last. */
export interface Reporter {
  begin?(tests: readonly TestFile[]): void;
  event?(event: TestEvent): void;
  end?(summary: RunSummary): void;
}

/** A reporter that sees every result exactly once, in order of the files, each as soon as all before it are there. */
export interface OrderedReporter {
  result(result: TestResult): void;
  end?(summary: RunSummary): void;
}

/** Holds results back until those before them have come; at the end what is missing is passed over. */
export function inOrder(reporters: readonly OrderedReporter[]): Reporter {
  const waiting = new Map<number, TestResult>();
  let next = 0;
  const deliver = (index: number): boolean => {
    const result = waiting.get(index);
    if (!result) return false;
    waiting.delete(index);
    for (const reporter of reporters) reporter.result(result);
    return true;
  };
  return {
    event(event) {
      if (event.kind !== "finished") return;
      waiting.set(event.index, event.result);
      while (deliver(next)) next++;
    },
    end(summary) {
      for (const index of [...waiting.keys()].sort((a, b) => a - b)) deliver(index);
      for (const reporter of reporters) reporter.end?.(summary);
    },
  };
}
