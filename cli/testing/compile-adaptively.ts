import type { CompileCache } from "../compile-cache.ts";
import { type CompileOutcome, compileOutcome } from "../compile-outcome.ts";
import type { CompilePool } from "../compile-pool.ts";
import { type Compile, type CompileMode, compileProgram } from "../compiler.ts";
import { type PrepareExecutable, preparation } from "../prepare.ts";

export interface CompileLoad {
  /** How many programs may be compiled at once. */
  readonly jobs: number;
  /** How many will be asked for. */
  readonly total: number;
}

/** How many compilations tell what one costs. The first also pays for loading the compiler and is not counted. */
const SAMPLES = 4;

/** What is saved must be worth the threads, each of which has to load and to warm up the compiler. */
const WORTH_MS = 1000;

const MOST_THREADS = 8;

/** Preparation that compiles on this thread until what is left to do pays for threads of its own. */
export function adaptivePreparation(
  compile: Compile,
  cache: CompileCache | undefined,
  { jobs, total }: CompileLoad,
): PrepareExecutable {
  const threads = Math.min(jobs, MOST_THREADS);
  let pool: Promise<CompilePool> | undefined;
  let asked = 0;
  let compiled = 0;
  let spentMs = 0;
  const threadsPay = (): boolean => {
    // Another compiler than the real one cannot be loaded by a thread.
    if (threads < 2 || compiled <= SAMPLES || compile !== compileProgram) return false;
    const toCompile = (total - asked) * (compiled / asked);
    return toCompile * (spentMs / (compiled - 1)) * (1 - 1 / threads) > WORTH_MS;
  };
  const onSomeThread = async (source: string, mode: CompileMode): Promise<CompileOutcome> => {
    if (threadsPay()) pool ??= import("../compile-pool.ts").then(({ CompilePool }) => new CompilePool(threads));
    if (pool) return (await pool).compile(source, mode);
    const started = performance.now();
    const outcome = await compileOutcome(compile, source, mode);
    if (compiled++ > 0) spentMs += performance.now() - started;
    return outcome;
  };
  const prepare = preparation(onSomeThread, cache);
  return (source, destination, mode) => {
    asked++;
    return prepare(source, destination, mode);
  };
}
