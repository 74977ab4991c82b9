// Compiles one benchmark file with its driver and runs it.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { loadCompiler } from "../compiler.ts";
import type { FoundFile } from "../source-files.ts";
import { defaultTarget } from "../targets.ts";
import { type Benchmark, benchmarksOf, driverText, type Measurement, parseLine } from "./driver.ts";

type Door = Awaited<ReturnType<typeof loadCompiler>>;

/** What came of a file: its measurements, or why there are none. `text` is what its benchmarks printed. */
export type Measured = { readonly measurements: readonly Measurement[] } | { readonly problem: string };

export interface MeasureOptions {
  /** Only benchmarks whose name contains it. */
  readonly filter: string;
  /** Where the executable goes. */
  readonly directory: string;
  /** A line that a benchmark printed. */
  readonly passThrough: (line: string) => void;
  readonly onResult: (measurement: Measurement) => void;
}

export async function measureFile(door: Door, file: FoundFile, options: MeasureOptions): Promise<Measured> {
  const read = door.readSource(file.canonical);
  if ("problem" in read) return { problem: `could not read ${file.shown}: ${read.problem.message}` };
  const { ast, diagnostics } = door.parseFile(read.file);
  if (diagnostics.length > 0) return { problem: diagnostics.map(door.renderDiagnostic).join("\n") };
  const all = benchmarksOf(ast);
  if ("problem" in all) return { problem: `${file.shown}: ${all.problem}` };
  const chosen = all.filter(({ name }) => name.includes(options.filter));
  if (chosen.length === 0) return { measurements: [] };
  const mark = `hale-bench-${randomBytes(12).toString("hex")}`;
  const executable = await build(door, file, chosen, mark, options.directory);
  return typeof executable === "string" ? run(executable, file, mark, options) : executable;
}

async function build(
  door: Door,
  file: FoundFile,
  benchmarks: readonly Benchmark[],
  mark: string,
  directory: string,
): Promise<string | { readonly problem: string }> {
  const { program, diagnostics } = door.checkTarget(file.canonical, {
    mode: "program",
    appended: driverText(benchmarks, mark),
  });
  const errors = (list: typeof diagnostics) => ({
    problem: list
      .filter(({ severity }) => severity === "error")
      .map(door.renderDiagnostic)
      .join("\n"),
  }); // prettier-ignore
  if (!program) return errors(diagnostics);
  const compiled = await door.compile(program, { target: defaultTarget(), profile: "release" });
  if (!compiled.executable) return errors(compiled.diagnostics);
  const executable = path.join(directory, path.basename(file.canonical, ".hl"));
  writeFileSync(executable, compiled.executable, { mode: 0o700 });
  return executable;
}

function run(
  executable: string,
  file: FoundFile,
  mark: string,
  { passThrough, onResult }: MeasureOptions,
): Promise<Measured> {
  return new Promise((resolve) => {
    const [command, ...args] = defaultTarget() === "wasm" ? [process.execPath, executable] : [executable];
    const child = spawn(command ?? executable, args, { stdio: ["ignore", "pipe", "inherit"] });
    const measurements: Measurement[] = [];
    const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on("line", (line) => {
      const measurement = parseLine(line, mark);
      if (measurement) {
        measurements.push(measurement);
        onResult(measurement);
      } else if (line.trim() !== "") passThrough(line);
    });
    child.once("error", (error) => resolve({ problem: `${file.shown}: could not start: ${error.message}` }));
    let ended: { readonly code: number | null; readonly signal: string | null } | undefined;
    let drained = false;
    const settle = () => {
      if (!ended || !drained) return;
      if (ended.code === 0) resolve({ measurements });
      else
        resolve({
          problem: `${file.shown}: ${ended.signal === null ? `exited with code ${ended.code}` : `terminated by signal ${ended.signal}`}`,
        });
    };
    lines.once("close", () => {
      drained = true;
      settle();
    });
    child.once("exit", (code, signal) => {
      ended = { code, signal };
      settle();
    });
    const forward = (signal: NodeJS.Signals) => child.kill(signal);
    process.once("SIGINT", forward);
    process.once("SIGTERM", forward);
    child.once("exit", () => {
      process.off("SIGINT", forward);
      process.off("SIGTERM", forward);
    });
  });
}
