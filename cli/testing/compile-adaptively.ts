import { type CompileOutcome, compileOutcome } from "../compile-outcome.ts";
import type { CompilePool } from "../compile-pool.ts";
import { type Compile, type CompileMode, compileProgram } from "../compiler.ts";

export interface CompileLoad {
  /** How many programs may be compiled at once. */
  readonly jobs: number;
  /** How many programs may still have to be compiled. */
  readonly left: () => number;
}

/** How many compilations tell what one costs. The first also pays for loading the compiler and is not counted. */
const SAMPLES = 4;

/** What is saved must be worth the threads, each of which has to load and warm up the compiler. */
const WORTH_MS = 1000;

const MOST_THREADS = 8;

/** Compiles on this thread until what is left to do pays for threads of its own. */
export function adaptiveCompiler(compile: Compile, { jobs, left }: CompileLoad) {
  let pool: Promise<CompilePool> | undefined;
  let count = 0;
  let spentMs = 0;
  return async (source: string, mode: CompileMode): Promise<CompileOutcome> => {
    if (pool) return (await pool).compile(source, mode);
    const started = performance.now();
    const outcome = await compileOutcome(compile, source, mode);
    if (count++ > 0) spentMs += performance.now() - started;
    const threads = Math.min(jobs, MOST_THREADS);
    // Another compiler than the real one cannot be loaded by a thread.
    if (threads > 1 && count > SAMPLES && compile === compileProgram) {
      const expectedMs = (spentMs / (count - 1)) * left();
      if (expectedMs * (1 - 1 / threads) > WORTH_MS) {
        pool ??= import("../compile-pool.ts").then(({ CompilePool }) => new CompilePool(threads));
      }
    }
    return outcome;
  };
}
