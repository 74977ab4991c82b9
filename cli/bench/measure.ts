// Compiles one benchmark file with its driver, and runs it as often as it is asked for.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { loadCompiler } from "../compiler.ts";
import { complain } from "../output.ts";
import type { FoundFile } from "../source-files.ts";
import { defaultTarget } from "../targets.ts";
import { type Benchmark, benchmarksOf, driverText, inOwnText, type Measurement, parseLine } from "./driver.ts";

type Door = Awaited<ReturnType<typeof loadCompiler>>;

export interface Problem {
  readonly problem: string;
}

/** What a run of a file's benchmarks tells while it goes on. */
export interface RunEvents {
  /** A line that a benchmark printed. */
  readonly passThrough: (line: string) => void;
  readonly onResult: (measurement: Measurement) => void;
}

/** A file's benchmarks, compiled. */
export interface BenchProgram {
  readonly file: FoundFile;
  /** The file's text: its comments name equivalents in other languages. */
  readonly text: string;
  readonly names: readonly string[];
  /** Measures all, or one; answers why that ended early. */
  run(events: RunEvents, only?: string): Promise<Problem | undefined>;
}

/** @param directory where the executable goes; `filter`: only benchmarks whose name contains it */
export async function compileBenchmarks(
  door: Door,
  file: FoundFile,
  directory: string,
  filter: string,
): Promise<BenchProgram | Problem> {
  const read = door.readSource(file.canonical);
  if ("problem" in read) return { problem: `could not read ${file.shown}: ${read.problem.message}` };
  const { ast, diagnostics } = door.parseFile(read.file);
  if (diagnostics.length > 0) return { problem: diagnostics.map(door.renderDiagnostic).join("\n") };
  const all = benchmarksOf(ast);
  if ("problem" in all) return { problem: `${file.shown}: ${all.problem}` };
  const chosen = all.filter(({ name }) => name.includes(filter));
  const { text } = read.file;
  if (chosen.length === 0) return { file, text, names: [], run: async () => undefined };
  const mark = `hale-bench-${randomBytes(12).toString("hex")}`;
  const executable = await build(door, file, text, chosen, mark, directory);
  if (typeof executable !== "string") return executable;
  const run = (events: RunEvents, only?: string) => start(executable, only, { file, text, mark }, events);
  return { file, text, names: chosen.map(({ name }) => name), run };
}

async function build(
  door: Door,
  file: FoundFile,
  text: string,
  benchmarks: readonly Benchmark[],
  mark: string,
  directory: string,
): Promise<string | Problem> {
  const { program, diagnostics } = door.checkTarget(file.canonical, {
    mode: "program",
    appended: driverText(benchmarks, mark),
  });
  if (!program) {
    const errors = inOwnText(diagnostics, benchmarks, text).filter(({ severity }) => severity === "error");
    return { problem: errors.map(door.renderDiagnostic).join("\n") };
  }
  const compiled = await door.compile(program, { target: defaultTarget(), profile: "release" });
  const executable = path.join(directory, `${randomBytes(4).toString("hex")}-${path.basename(file.canonical, ".hl")}`);
  writeFileSync(executable, compiled.executable, { mode: 0o700 });
  return executable;
}

/** Whose lines a program's output is about. */
interface Origin {
  readonly file: FoundFile;
  readonly text: string;
  /** Begins the driver's own lines. */
  readonly mark: string;
}

function start(
  executable: string,
  only: string | undefined,
  { file, text, mark }: Origin,
  { passThrough, onResult }: RunEvents,
): Promise<Problem | undefined> {
  return new Promise((resolve) => {
    const [command, ...script] = defaultTarget() === "wasm" ? [process.execPath, executable] : [executable];
    const args = only === undefined ? script : [...script, only];
    const child = spawn(command ?? executable, args, { stdio: ["ignore", "pipe", "pipe"] });
    const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on("line", (line) => {
      const measurement = parseLine(line, mark);
      if (measurement) onResult(measurement);
      else if (line.trim() !== "") passThrough(line);
    });
    const complaints = createInterface({ input: child.stderr, crlfDelay: Number.POSITIVE_INFINITY });
    complaints.on("line", (line) => {
      if (!isDriverFrame(line, file, text)) complain(`${line}\n`);
    });
    child.once("error", (error) => resolve({ problem: `${file.shown}: could not start: ${error.message}` }));
    let ended: { readonly code: number | null; readonly signal: string | null } | undefined;
    let open = 2;
    const settle = () => {
      if (!ended || open > 0) return;
      const { code, signal } = ended;
      const how = signal === null ? `exited with code ${code}` : `terminated by signal ${signal}`;
      resolve(code === 0 ? undefined : { problem: `${file.shown}: ${how}` });
    };
    for (const stream of [lines, complaints])
      stream.once("close", () => {
        open--;
        settle();
      });
    child.once("exit", (code, signal) => {
      ended = { code, signal };
      settle();
    });
    // Nobody reads what it measures when this process is ended.
    const abandon = (): void => void child.kill("SIGKILL");
    process.once("exit", abandon);
    child.once("exit", () => process.off("exit", abandon));
  });
}

/** Whether a line of a panic names a place in the driver, behind the end of the user's own text: he has no such line. */
function isDriverFrame(line: string, { canonical }: FoundFile, text: string): boolean {
  const [, file, row] = /^ {2}(?:at|called from) (.+):(\d+):\d+$/.exec(line) ?? [];
  return file === canonical && Number(row) > text.replace(/\n$/, "").split("\n").length;
}
