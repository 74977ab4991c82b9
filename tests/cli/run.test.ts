// `hale run` as a place to run in: streams, status, signals, cleaning up (reference 08 10).
import { expect, test } from "vitest";
import { existsSync, readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { finished, until } from "./support/harness.ts";
import { fakeTool, scratch, script, useScratch } from "./support/scratch.ts";

useScratch(fakeTool, { leavesNothing: true });

const inScratch = (name: string) => path.join(scratch.root, name);

test("arguments after the target, stdin, streams, environment, directory and status are the program's (08 10.1, 08 10.2, 08 10.4)", () => {
  scratch.js(
    "main.hl",
    "console.log(JSON.stringify(process.argv.slice(2)), process.cwd(), process.env.MINE);",
    "console.error(require('fs').readFileSync(0, 'utf8'));",
    "process.exit(42);",
  );
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [script, "run", "--no-cache", "main.hl", "-j", "--no-cache", "--", "--help", "a b"],
    {
      cwd: scratch.tree,
      input: "from stdin",
      encoding: "utf8",
      env: { ...process.env, TMPDIR: scratch.tmp, MINE: "x" },
    },
  );
  expect(status).toBe(42);
  expect(stdout).toBe(`["-j","--no-cache","--","--help","a b"] ${scratch.tree} x\n`);
  expect(stderr).toBe("from stdin\n");
});

test("the program lies in a private directory that goes with it (08 10.2, 12 12.3.3)", async () => {
  scratch.js(
    "main.hl",
    "const d = require('path').dirname(__filename); console.log(d, (require('fs').statSync(d).mode & 0o777).toString(8));",
  );
  const { stdout } = await scratch.hale(["run", "main.hl"]);
  expect(stdout).toMatch(new RegExp(`^${scratch.tmp}/hale-run-\\d+-[a-z0-9]+ 700\n$`));
});

test("a death by signal is told, and the status is 128 and its number (08 10.4, 04 18.2)", async () => {
  scratch.sh("main.hl", "kill -SEGV $$");
  expect(await scratch.hale(["run", "main.hl"])).toMatchObject({
    code: 139,
    stdout: "",
    stderr: "hale run: the program was killed by SIGSEGV (signal 11)\n",
  });
});

test.each(["SIGTERM", "SIGHUP"] as const)("%s is passed on to the program (08 10.5)", async (signal) => {
  scratch.sh(
    "main.hl",
    `trap 'echo drained; exit 5' ${signal.slice(3)}; touch "$SCRATCH/up"; while :; do sleep 0.02; done`,
  );
  const child = scratch.start(["run", "main.hl"]);
  const ended = finished(child);
  await until(() => existsSync(inScratch("up")), "up");
  child.kill(signal);
  expect(await ended).toMatchObject({ code: 5, stdout: "drained\n", stderr: "" });
});

test("SIGINT is left to the program (08 10.5)", async () => {
  scratch.sh("main.hl", 'touch "$SCRATCH/up"; until [ -e "$SCRATCH/go" ]; do sleep 0.02; done; exit 6');
  const child = scratch.start(["run", "main.hl"]);
  const ended = finished(child);
  await until(() => existsSync(inScratch("up")), "up");
  child.kill("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 100));
  scratch.write("../go", "");
  expect((await ended).code).toBe(6);
});

test("a signal while compiling ends the command and nothing runs", async () => {
  scratch.sh("main.hl", "# slow 3000", 'touch "$SCRATCH/ran"');
  const child = scratch.start(["run", "main.hl"], { env: { FAKE_COMPILE_LOG: inScratch("log") } });
  const ended = finished(child);
  await until(() => existsSync(inScratch("log")), "compiling");
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  expect(existsSync(inScratch("ran"))).toBe(false);
});

test("a program with errors does not run: the findings, status 1 (08 10.3)", async () => {
  const file = scratch.sh("main.hl", "# reject no such name", "echo ran");
  expect(await scratch.hale(["run", "main.hl"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `${file}:2:1: type error: no such name\n    # reject no such name\n    ^^^^^^^^\n`,
  });
});

test("no target, no such target (08 10, 08 1)", async () => {
  expect((await scratch.hale(["run"])).code).toBe(2);
  expect(await scratch.hale(["run", "gone.hl"])).toMatchObject({
    code: 1,
    stderr: "not a file or directory: gone.hl\n",
  });
});

test("a warm run does not load the compiler", async () => {
  scratch.sh("main.hl", "exit 0");
  const log = inScratch("log");
  for (let i = 0; i < 3; i++) await scratch.hale(["run", "main.hl"], { env: { FAKE_COMPILE_LOG: log } });
  expect(readFileSync(log, "utf8")).toBe("main.hl\n");
});
