// Programs with a header that tells what must come of them: tests/conformance and tests/language.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { checkTarget, compile, type Diagnostic, type Target } from "../../compiler/index.ts";

export interface Program {
  /** Path below the root, without `.hl`. */
  readonly name: string;
  /** The file with the header. */
  readonly file: string;
  /** What is compiled: the file, or the directory of a program of several files. */
  readonly target: string;
  readonly outputFile: string;
}

/** What the header asks for; see tests/conformance/README.md. */
interface Expectation {
  readonly expect: string;
  readonly exit: number | undefined;
  readonly stderr: readonly string[];
  readonly line: number | undefined;
  /** `// error:` lines, `[FILE:]LINE:COLUMN CODE MESSAGE`: all that is found, in this order. */
  readonly errors: readonly string[];
  /** `// order: any`: the lines come from threads whose order the language leaves open. */
  readonly anyOrder: boolean;
}

export interface Outcome {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** When a program counts as hanging. */
const TIMEOUT_MS = 120_000;

/** Every program below `root`, in order of path: `.hl` files with a header, and directories whose `main.hl` has one. */
export function programsBelow(root: string, directory = root): Program[] {
  const found: Program[] = [];
  for (const entry of readdirSync(directory).sort()) {
    const file = path.join(directory, entry);
    const main = path.join(file, "main.hl");
    if (statSync(file).isDirectory()) {
      if (existsSync(main) && /^\/\/ expect:/m.test(readFileSync(main, "utf8"))) {
        found.push({
          name: path.relative(root, file),
          file: main,
          target: file,
          outputFile: path.join(file, "expected.out"),
        });
      } else found.push(...programsBelow(root, file));
    } else if (entry.endsWith(".hl")) {
      const stem = file.slice(0, -".hl".length);
      found.push({ name: path.relative(root, stem), file, target: file, outputFile: `${stem}.out` });
    }
  }
  return found;
}

/** Whether a program is run; the others are only checked. */
export function isRun(program: Program): boolean {
  return /^\/\/ expect: (?:run|panic)\b/m.test(readFileSync(program.file, "utf8"));
}

/** Compiles and runs a program (or has it refused) and answers what differs from its header; "" when nothing does. */
export async function verdictOf(program: Program, target: Target): Promise<string> {
  // Checking never waits: without a turn of the event loop, thousands of programs in a row would keep vitest from hearing of its tests.
  await setImmediate();
  const expected = expectationOf(readFileSync(program.file, "utf8"));
  const checked = checkTarget(program.target, { mode: "program" });
  const errors = checked.diagnostics.filter((finding) => finding.severity === "error");
  if (expected.expect === "reject") return refusalVerdict(program, errors, expected);
  if (expected.expect === "finding") return advisoryVerdict(program, expected);
  if (expected.expect === "findings") return findingsVerdict(program);
  if (!checked.program || errors.length > 0) return `refused: ${errors.map(describe).join("; ")}`;
  const { executable } = await compile(checked.program, { target, profile: "dev" });
  return runVerdict(program, expected, await execute(executable, target));
}

/** Compiles a program that must be accepted, and runs it. */
export async function outcomeOf(file: string, target: Target): Promise<Outcome> {
  await setImmediate();
  const checked = checkTarget(file, { mode: "program" });
  if (!checked.program) throw new Error(`${file} is refused: ${checked.diagnostics.map(describe).join("; ")}`);
  const { executable } = await compile(checked.program, { target, profile: "dev" });
  return execute(executable, target);
}

function expectationOf(text: string): Expectation {
  const lines = text
    .split("\n")
    .slice(0, 20)
    .filter((line) => line.startsWith("// "));
  const all = (key: string) =>
    lines.filter((line) => line.startsWith(`// ${key}: `)).map((line) => line.slice(key.length + 5).trim());
  const [expect = "run"] = all("expect");
  const [exit] = all("exit");
  const [line] = all("at");
  return {
    expect,
    exit: exit === undefined ? undefined : Number(exit),
    stderr: all("stderr"),
    line: line === undefined ? undefined : Number.parseInt(line, 10),
    errors: [...text.matchAll(/^\/\/ error: (.*)$/gm)].map(([, error = ""]) => error),
    anyOrder: all("order")[0] === "any",
  };
}

function refusalVerdict(program: Program, errors: readonly Diagnostic[], expected: Expectation): string {
  if (expected.errors.length > 0) {
    const found = errors.map((finding) => exactly(finding, path.dirname(program.file)));
    return found.join("\n") === expected.errors.join("\n")
      ? ""
      : `got\n${found.join("\n")}\nwant\n${expected.errors.join("\n")}`;
  }
  if (errors.length === 0) return `accepted, want an error at line ${expected.line}`;
  const isThere = errors.some((finding) => lineOf(finding) === expected.line);
  return expected.line === undefined || isThere
    ? ""
    : `want an error at line ${expected.line}, got ${errors.map(describe).join("; ")}`;
}

/** `check` accepts the program, and `verify` finds an advisory at the line. */
function advisoryVerdict(program: Program, expected: Expectation): string {
  const { diagnostics } = checkTarget(program.target, { mode: "seed", analyses: { advisories: true, survey: true } });
  const refused = diagnostics.filter(({ severity }) => severity === "error");
  if (refused.length > 0) return `refused: ${refused.map(describe).join("; ")}`;
  const isThere = diagnostics.some((finding) => expected.line === undefined || lineOf(finding) === expected.line);
  return isThere
    ? ""
    : `want an advisory at line ${expected.line}, got ${diagnostics.map(describe).join("; ") || "none"}`;
}

/** `verify` finds exactly what the `// finds:` lines say, place and code, in this order; `// flags:` name its flags. */
function findingsVerdict({ file, target }: Program): string {
  const text = readFileSync(file, "utf8");
  const wanted = [...text.matchAll(/^\/\/ finds: (.*)$/gm)].map(([, found = ""]) => found.trim());
  const flags = new Set(/^\/\/ flags: (.*)$/m.exec(text)?.[1]?.split(" "));
  const { diagnostics } = checkTarget(target, {
    mode: "seed",
    allowUnownedSubscribers: flags.has("--allow-unowned-subscriber"),
    analyses: {
      advisories: true,
      survey: !flags.has("--no-warn-unbounded-alloc"),
      resourceLeaks: flags.has("--warn-resource-leak"),
      strictSecrets: flags.has("--strict-secret"),
    },
  });
  const found = diagnostics.map((finding) => placeAndCode(finding, file));
  return found.join(", ") === wanted.join(", ")
    ? ""
    : `want ${wanted.join(", ") || "nothing"}; got ${diagnostics.map((finding) => `${placeAndCode(finding, file)} ${finding.message}`).join("; ") || "nothing"}`;
}

/** `line:column code`, `std code` for a place in the library, `file.hl:line:column code` for another file than the one with the header. */
function placeAndCode({ span, code }: Diagnostic, headed: string): string {
  if (!span || span.file.isStd) return `std ${code}`;
  const { line, column } = span.file.positionAt(span.start);
  const name = path.basename(span.file.path);
  return `${name === path.basename(headed) ? "" : `${name}:`}${line}:${column} ${code}`;
}

function runVerdict(program: Program, expected: Expectation, outcome: Outcome): string {
  const wanted = existsSync(program.outputFile) ? readFileSync(program.outputFile, "latin1") : "";
  const text = expected.anyOrder ? sortedLines : (output: string) => output;
  if (text(outcome.stdout) !== text(wanted))
    return `stdout is ${quote(outcome.stdout)}, want ${quote(wanted)}; stderr ${quote(outcome.stderr)}`;
  if (expected.exit !== undefined && outcome.status !== expected.exit)
    return `exit status ${outcome.status}, want ${expected.exit}; stderr ${quote(outcome.stderr)}`;
  for (const part of expected.stderr) {
    if (!outcome.stderr.includes(Buffer.from(part).toString("latin1")))
      return `stderr lacks ${quote(part)}: ${quote(outcome.stderr)}`;
  }
  return "";
}

function sortedLines(output: string): string {
  return output.split("\n").sort().join("\n");
}

/** Runs an executable in an empty directory of its own; cells alive at its end change its exit status (HALE_DEBUG=leaks). */
async function execute(executable: Uint8Array, target: Target): Promise<Outcome> {
  const directory = mkdtempSync(path.join(tmpdir(), "hale-program-"));
  try {
    const file = path.join(directory, ".program");
    writeFileSync(file, executable, { mode: 0o700 });
    return await (target === "wasm" ? start(process.execPath, [file], directory) : start(file, [], directory));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function start(file: string, args: readonly string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", HALE_DEBUG: "leaks" },
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (data: Buffer) => stdout.push(data));
    child.stderr.on("data", (data: Buffer) => stderr.push(data));
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    child.on("error", (error) => resolve({ status: String(error), stdout: "", stderr: "" }));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({
        status: code ?? shellStatus(signal),
        stdout: Buffer.concat(stdout).toString("latin1"),
        stderr: Buffer.concat(stderr).toString("latin1"),
      });
    });
  });
}

/** As a shell shows a death by signal. */
function shellStatus(signal: NodeJS.Signals | null): number | string {
  return signal === null ? "no status" : 128 + constants.signals[signal];
}

/** As `// error:` says it: the file is named when it is not the program's first. */
function exactly({ span, code, message }: Diagnostic, directory: string): string {
  if (!span) return `${code} ${message}`;
  const { line, column } = span.file.positionAt(span.start);
  const file = path.relative(directory, span.file.path);
  const isFirst = !file.includes("/") && (file === "main.hl" || !existsSync(path.join(directory, "main.hl")));
  return `${isFirst ? "" : `${file}:`}${line}:${column} ${code} ${message}`;
}

function lineOf(finding: Diagnostic): number | undefined {
  return finding.span?.file.positionAt(finding.span.start).line;
}

function describe(finding: Diagnostic): string {
  return `${lineOf(finding) ?? "?"}: ${finding.code} ${finding.message}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}...` : text);
}
