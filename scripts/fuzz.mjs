// Mutates the suite's programs and compiles them: every one ends in a diagnostic or in a valid module, in time, without an exception.
//   node scripts/fuzz.mjs [--count N] [--first SEED] [--keep DIR]     exit 1 when a program breaks the compiler; DIR (default: a temporary one) holds it
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
/** Programs of one child; a fresh one bounds what is kept in memory. */
const SLICE = 2000;
/** A program that takes so long hangs. */
const HANG_MS = 30_000;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000" },
    first: { type: "string", default: "1" },
    keep: { type: "string" },
  },
});
const first = Number(values.first);
const end = first + Number(values.count);
const scratch = values.keep ?? mkdtempSync(path.join(tmpdir(), "hale-fuzz-"));
mkdirSync(scratch, { recursive: true });
// In a directory of the package, where the library is found beside package.json.
const bundle = path.join(root, `dist/.fuzz.${process.pid}.mjs`);

const told = new Set();
let problems = 0;
let accepted = 0;
try {
  await build({
    absWorkingDir: root,
    entryPoints: ["tests/fuzz/compile-all.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.17",
    packages: "external",
    outfile: bundle,
    logLevel: "warning",
  });
  for (let from = first; from < end; ) from = await runSlice(from, Math.min(end, from + SLICE));
} finally {
  rmSync(bundle, { force: true });
  if (values.keep === undefined && problems === 0) rmSync(scratch, { recursive: true, force: true });
}
console.log(
  `${end - first} programs, ${accepted} accepted, ${problems} broke the compiler${problems > 0 ? ` (kept in ${scratch})` : ""}`,
);
process.exitCode = problems > 0 ? 1 : 0;

/** Answers the seed to go on with: the slice's end, or the one behind a program that hung or ended the child. */
function runSlice(from, to) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [bundle, root, scratch, String(from), String(to)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let seed = from;
    let isDone = false;
    let watchdog;
    const alive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => child.kill("SIGKILL"), HANG_MS);
    };
    alive();
    createInterface({ input: child.stdout }).on("line", (line) => {
      alive();
      const message = JSON.parse(line);
      if (message.done) {
        isDone = true;
        accepted += message.accepted;
      } else seed = message.seed;
      if (message.problem) tell(message.seed, message.problem);
    });
    child.on("close", (code, signal) => {
      clearTimeout(watchdog);
      if (!isDone) tell(seed, signal === "SIGKILL" ? `hangs (${HANG_MS} ms)` : `ended the compiler: ${signal ?? code}`);
      resolve(isDone ? to : seed + 1);
    });
  });
}

/** Problems of the same beginning are told once. */
function tell(seed, problem) {
  problems++;
  const gist = problem.split("\n").slice(0, 3).join("\n");
  if (!told.has(gist)) console.log(`seed ${seed}: ${problem}`);
  told.add(gist);
}
