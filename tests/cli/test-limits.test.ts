// Programs that misbehave: the runner survives, reports and cleans up (reference 12 12.3.5 and .6).
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { untilAsleep } from "./support/harness.ts";
import { fakeTool, scratch, useScratch } from "./support/scratch.ts";

useScratch(fakeTool, { leavesNothing: true });

test("at the timeout a program may drain, and fails all the same (12 12.3.5, 08 11.12)", async () => {
  scratch.sh("a_test.hl", "trap 'echo drained; exit 0' TERM; echo begun", "sleep 60 & wait");
  scratch.sh("b_test.hl", "exit 0");
  const { stdout, stderr, code } = await scratch.hale(["test", "--timeout", "5s"]);
  expect(stdout).toBe(
    "FAIL a_test.hl\n     begun\n     drained\n     (timed out after 5s)\nok   b_test.hl\n\n1 passed, 1 failed\n",
  );
  expect({ stderr, code }).toEqual({ stderr: "", code: 1 });
});

test("two seconds after the timeout every process of the session is killed, also those that ignore SIGTERM (12 12.3.5)", async () => {
  scratch.sh("a_test.hl", "trap '' TERM HUP INT", "set -m; (sleep 61) & (trap '' TERM; sleep 62) &", "sleep 60");
  const started = Date.now();
  const [record] = JSON.parse((await scratch.hale(["test", "--timeout=2s", "--json"])).stdout);
  expect(record).toMatchObject({ status: "fail", message: "(timed out after 2s)", reason: "timeout" });
  expect(Date.now() - started).toBeGreaterThan(4000);
  expect(Date.now() - started).toBeLessThan(55_000);
});

test("a stopped program is ended by the timeout", async () => {
  scratch.sh("a_test.hl", "kill -STOP $$; sleep 60");
  const { stdout } = await scratch.hale(["test", "--timeout", "200ms"]);
  expect(stdout).toBe("FAIL a_test.hl\n     (timed out after 200ms)\n\n0 passed, 1 failed\n");
});

test("a program that ends while the runner is busy compiling another has not timed out", async () => {
  scratch.sh("a_test.hl", "exit 0");
  scratch.sh("b_test.hl", "# slow 4000", "exit 0");
  const { stdout } = await scratch.hale(["test", "-j2", "--timeout", "3s", "--no-cache"]);
  expect(stdout).toBe("ok   a_test.hl\nok   b_test.hl\n\n2 passed, 0 failed\n");
});

test.each([["0"], ["1h"], ["1000h"], ["90.5s"], ["1m30s"]])(
  "--timeout %s lets a quick test pass (12 12.3.5)",
  async (limit) => {
    scratch.sh("a_test.hl", "exit 0");
    expect(await scratch.hale(["test", "--timeout", limit])).toMatchObject({ code: 0, stderr: "" });
  },
);

test("what lives on when a test has ended is named and killed, and does not fail it (12 12.3.5)", async () => {
  scratch.sh(
    "a_test.hl",
    "set -m",
    "sleep 71 >/dev/null 2>&1 &",
    "a=$!",
    "(trap '' TERM INT HUP; exec sleep 72) &",
    "b=$!",
    untilAsleep("a", "b"),
    "exit 0",
  );
  const { stdout, stderr, code } = await scratch.hale(["test"]);
  expect(stdout).toBe("ok   a_test.hl\n\n1 passed, 0 failed\n");
  const lines = stderr.split("\n").slice(0, -1);
  expect(lines.map((line) => line.replace(/\d+ (?=sleep)/, "PID "))).toEqual([
    "hale test: a_test.hl: left running: PID sleep 71",
    "hale test: a_test.hl: left running: PID sleep 72",
  ]);
  expect(code).toBe(0);
  const [record] = JSON.parse((await scratch.hale(["test", "--json"])).stdout);
  expect(record).toMatchObject({ status: "pass", leaked: [{ command: "sleep 71" }, { command: "sleep 72" }] });
  expect(Object.keys(record)).toEqual(["file", "status", "elapsed_ms", "leaked"]);
});

test("a process that is about to end is not left running", async () => {
  scratch.sh("a_test.hl", "sleep 0.03 & exit 0");
  // A busy machine may hold it up once, but not each time.
  let outcome = await scratch.hale(["test"]);
  for (let tries = 1; outcome.stderr !== "" && tries < 10; tries++) outcome = await scratch.hale(["test"]);
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
});

test("a process that has left the session is found all the same", async () => {
  scratch.sh("a_test.hl", `setsid sleep 73 & a=$!; ${untilAsleep("a")}; exit 0`);
  scratch.sh("b_test.hl", "sleep 0.5");
  const { stdout, stderr, code } = await scratch.hale(["test", "-j2"]);
  expect(stdout).toBe("ok   a_test.hl\nok   b_test.hl\n\n2 passed, 0 failed\n");
  expect(stderr).toMatch(/^hale test: a_test\.hl: left running: \d+ sleep 73\n$/);
  expect(code).toBe(0);
});

test("three hundred grandchildren in process groups of their own, ignoring signals (12 12.3.5)", async () => {
  scratch.sh(
    "a_test.hl",
    "set -m",
    "i=0; while [ $i -lt 300 ]; do (trap '' TERM INT HUP; exec sleep 74) >/dev/null 2>&1 & i=$((i+1)); done",
    "exit 0",
  );
  const [record] = JSON.parse((await scratch.hale(["test", "--json"])).stdout);
  expect(record.status).toBe("pass");
  expect(record.leaked.length).toBe(300);
});

test("a chain of processes that are reborn in new process groups is outrun", async () => {
  scratch.js(
    "a_test.hl",
    "const { spawn } = require('child_process');",
    "const link = 'set -m; exec 2>/dev/null; sleep 0.001; echo >>$SCRATCH/beats; sh -c \"$L\" & exit 0';",
    "for (let i = 0; i < 4; i++) spawn('sh', ['-c', link], { env: { ...process.env, L: link }, stdio: 'ignore' }).unref();",
    "const isBeating = () => require('fs').existsSync(process.env.SCRATCH + '/beats');",
    "setInterval(() => { if (isBeating()) process.exit(0); }, 1000);",
  );
  const { stdout, code } = await scratch.hale(["test"]);
  expect({ stdout, code }).toEqual({ stdout: "ok   a_test.hl\n\n1 passed, 0 failed\n", code: 0 });
  const beats = (): number => statSync(path.join(scratch.root, "beats")).size;
  const before = beats();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(beats()).toBe(before);
  rmSync(path.join(scratch.root, "beats"));
});

test.runIf(process.platform === "linux" && process.arch === "x64")(
  "a daemon that has left the session and dropped its environment is named and ended",
  async () => {
    const pidFile = path.join(scratch.root, "pid");
    scratch.sh(
      "a_test.hl",
      `env -i setsid sh -c 'echo $$ >${pidFile}; exec sleep 78' >/dev/null 2>&1 &`,
      `until [ -s ${pidFile} ]; do :; done; a=$(cat ${pidFile}); ${untilAsleep("a")}`,
    );
    const { stdout, stderr } = await scratch.hale(["test"]);
    expect(stdout).toBe("ok   a_test.hl\n\n1 passed, 0 failed\n");
    expect(stderr).toMatch(/^hale test: a_test\.hl: left running: \d+ sleep 78\n$/);
    expect(existsSync(`/proc/${readFileSync(pidFile, "utf8").trim()}`)).toBe(false);
    rmSync(pidFile);
  },
);

test.runIf(process.platform === "linux" && process.arch === "x64")(
  "a test that kills its parent is ended and fails",
  { repeats: 3 },
  async () => {
    scratch.sh("a_test.hl", `sleep 79 & a=$!; ${untilAsleep("a")}; kill -KILL $PPID; sleep 80`);
    scratch.sh("b_test.hl", "exit 0");
    const { stdout, stderr, code } = await scratch.hale(["test"]);
    expect(stdout).toBe("FAIL a_test.hl\n     (terminated by signal SIGKILL)\nok   b_test.hl\n\n1 passed, 1 failed\n");
    // The program itself dies with its supervisor; what it had started is looked for and ended.
    expect(stderr).toMatch(/^hale test: a_test\.hl: left running: \d+ sleep 79$/m);
    expect(code).toBe(1);
  },
);

test.runIf(process.platform === "linux" && process.arch === "x64").each([
  ["once", "kill -STOP $PPID; sleep 60"],
  ["again and again", "trap '' TERM; while :; do kill -STOP $PPID 2>/dev/null; done"],
])("a test that stops its parent %s is ended by the timeout", async (_how, body) => {
  scratch.sh("a_test.hl", body);
  const { stdout } = await scratch.hale(["test", "--timeout", "200ms"]);
  expect(stdout).toBe("FAIL a_test.hl\n     (timed out after 200ms)\n\n0 passed, 1 failed\n");
});

test("a gigabyte on stdout: the first MiB is kept, the rest counted, the runner's memory stays small (12 12.3.6)", async () => {
  scratch.sh("a_test.hl", "yes 0123456789abcde | head -c 1073741824", "yes error | head -c 3000000 >&2", "exit 1");
  const child = scratch.start(["test", "--json"]);
  let peak = 0;
  const watch = setInterval(() => {
    try {
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0));
    } catch {}
  }, 20);
  let stdout = "";
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  clearInterval(watch);
  const [record] = JSON.parse(stdout);
  const lines: string[] = record.message.split("\n");
  expect(lines.slice(-2)).toEqual([`(${1073741824 - 1048576} bytes of stdout dropped)`, "(exited with code 1)"]);
  expect(lines.slice(0, -2).join("\n").length).toBe(1048575);
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(250_000);
});

test("output that is cut in the middle of a character stays text (12 12.3.6)", async () => {
  scratch.sh("a_test.hl", "printf x >&2; yes 'é' | tr -d '\\n' | head -c 2097152 >&2; exit 1");
  const { stdout } = await scratch.hale(["test"]);
  expect(stdout).not.toContain("\ufffd");
  expect(stdout).toMatch(/\n {7}\(1048578 bytes of stderr dropped\)\n/);
});

test("output is not lost when the program ends at once, nor mixed between tests (12 12.3.6)", async () => {
  for (const name of ["a", "b", "c", "d"]) scratch.sh(`${name}_test.hl`, `yes ${name} | head -c 500000; exit 1`);
  const { stdout } = await scratch.hale(["test", "-j4"]);
  for (const name of ["a", "b", "c", "d"]) {
    const block = stdout.slice(
      stdout.indexOf(`FAIL ${name}_test.hl\n`),
      stdout.indexOf("(exited", stdout.indexOf(`FAIL ${name}_`)),
    );
    expect(block.split("\n").filter((line) => line === `     ${name}`).length).toBe(250_000);
  }
  expect(stdout.split("\n").filter((line) => /^ {5}[a-d]$/.test(line)).length).toBe(1_000_000);
});

test("a program that kills its own process group (12 12.3.5)", async () => {
  scratch.sh("a_test.hl", "sh -c 'kill -9 -$PPID'; sleep 60");
  scratch.sh("b_test.hl", "kill -TERM 0; sleep 60");
  scratch.sh("c_test.hl", "exit 0");
  const { stdout } = await scratch.hale(["test"]);
  expect(stdout).toBe(
    "FAIL a_test.hl\n     (terminated by signal SIGKILL)\nFAIL b_test.hl\n     (terminated by signal SIGTERM)\nok   c_test.hl\n\n1 passed, 2 failed\n",
  );
});

test("a program that closes its streams and lives on is waited for", async () => {
  scratch.sh("a_test.hl", "exec >&- 2>&-; sleep 0.5; exit 7");
  const { stdout } = await scratch.hale(["test"]);
  expect(stdout).toBe("FAIL a_test.hl\n     (exited with code 7)\n\n0 passed, 1 failed\n");
});

test("a program that deletes its own sandbox", async () => {
  scratch.sh("a_test.hl", 'rm -rf "$(dirname "$(dirname "$HALE_VAULT_DIR")")"');
  scratch.sh("b_test.hl", "exit 0");
  const { stdout } = await scratch.hale(["test", "-j1"]);
  expect(stdout).toBe("ok   a_test.hl\nok   b_test.hl\n\n2 passed, 0 failed\n");
});
