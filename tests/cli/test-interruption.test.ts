// Runs that are ended early: nothing stays behind (reference 12 12.3.3, 12.4.8).
import { expect, test } from "vitest";
import { existsSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import { finished, until } from "./support/harness.ts";
import { fakeTool, scratch, useScratch } from "./support/scratch.ts";

useScratch(fakeTool);

function nothingIsLeft(): void {
  expect({ files: scratch.leftFiles(), processes: scratch.leftProcesses() }).toEqual({ files: [], processes: [] });
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const)(
  "%s: programs are ended, directories removed, what had finished is reported, status %i",
  async (signal, status) => {
    scratch.sh("a_test.hl", "exit 0");
    scratch.sh("b_test.hl", 'touch "$SCRATCH/b"; set -m; sleep 81 & sleep 80');
    scratch.sh("c_test.hl", 'until [ -e "$SCRATCH/b" ]; do sleep 0.01; done; exit 1');
    scratch.sh("d_test.hl", 'touch "$SCRATCH/d"; sleep 82');
    scratch.sh("e_test.hl", "exit 0");
    const child = scratch.start(["test", "-j", "2"]);
    const ended = finished(child);
    await until(() => existsSync(path.join(scratch.root, "d")), "d runs");
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect(stdout).toBe("ok   a_test.hl\nFAIL c_test.hl\n     (exited with code 1)\n\n1 passed, 1 failed, 3 not run\n");
    expect({ code, stderr }).toEqual({ code: status, stderr: "" });
    nothingIsLeft();
  },
);

test("an interrupted run's JSON is whole (12 12.4.8)", async () => {
  scratch.sh("a_test.hl", "exit 0");
  scratch.sh("b_test.hl", 'touch "$SCRATCH/b"; sleep 80');
  const child = scratch.start(["test", "--json"]);
  const ended = finished(child);
  await until(() => existsSync(path.join(scratch.root, "b")), "b runs");
  child.kill("SIGINT");
  const records: unknown[] = JSON.parse((await ended).stdout);
  expect(records.length).toBeLessThanOrEqual(1);
  nothingIsLeft();
});

test("programs may drain when the run is interrupted (12 12.3.3)", async () => {
  scratch.sh("a_test.hl", 'trap \'touch "$SCRATCH/drained"; exit 0\' TERM; touch "$SCRATCH/a"; sleep 80 & wait');
  const child = scratch.start(["test"]);
  const ended = finished(child);
  await until(() => existsSync(path.join(scratch.root, "a")), "a runs");
  child.kill("SIGINT");
  await ended;
  expect(existsSync(path.join(scratch.root, "drained"))).toBe(true);
  nothingIsLeft();
});

test("a program that ignores SIGTERM is killed after two seconds, at once by a second signal", async () => {
  scratch.sh("a_test.hl", 'trap \'touch "$SCRATCH/term"\' TERM; touch "$SCRATCH/a"; while :; do sleep 0.05; done');
  /** How many milliseconds pass from the first signal to the end. */
  const interrupted = async (signals: number): Promise<number> => {
    const child = scratch.start(["test"]);
    const ended = finished(child);
    await until(() => existsSync(path.join(scratch.root, "a")), "a runs");
    const started = Date.now();
    child.kill("SIGINT");
    await until(() => existsSync(path.join(scratch.root, "term")), "a was asked to end");
    if (signals > 1) child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    nothingIsLeft();
    for (const name of ["a", "term"]) rmSync(path.join(scratch.root, name));
    return Date.now() - started;
  };
  expect(await interrupted(1)).toBeGreaterThanOrEqual(1990);
  // A busy machine may take as long as the grace once, but not each time.
  const times: number[] = [];
  while (times.length < 10 && !times.some((time) => time < 1900)) times.push(await interrupted(2));
  expect(Math.min(...times)).toBeLessThan(1900);
});

test("interrupted fifty times at any moment (12 12.3.3, 12 12.4.8)", { timeout: 180_000 }, async () => {
  for (let i = 0; i < 12; i++) {
    scratch.sh(
      `t${i}_test.hl`,
      "set -m; sleep 83 >/dev/null &",
      'echo x > "$XDG_DATA_HOME/f"',
      `sleep 0.0${i % 5}; exit ${i % 2}`,
    );
  }
  for (let round = 0; round < 50; round++) {
    const child = scratch.start(["test", "-j3"]);
    const ended = finished(child);
    // From before the first line of the command until most tests are through.
    await new Promise((resolve) => setTimeout(resolve, round * 8));
    child.kill("SIGINT");
    const { code, signal } = await ended;
    // Before it could listen, the signal's default action ends it: then there is nothing to clean up.
    expect([130, 0, 1, null]).toContain(code);
    if (code === null) expect(signal).toBe("SIGINT");
    nothingIsLeft();
  }
});

test("a runner killed by SIGKILL leaves no process, and its directory to a later run (12 12.3.3)", async () => {
  scratch.sh(
    "slow/a_test.hl",
    'touch "$SCRATCH/a"; set -m; setsid sleep 84 & (trap "" TERM; exec sleep 85) & sleep 86',
  );
  scratch.sh("quick/b_test.hl", "exit 0");
  const child = scratch.start(["test", "slow"]);
  const ended = finished(child);
  await until(() => scratch.leftProcesses().filter((line) => line.includes("sleep 8")).length === 3, "three processes");
  child.kill("SIGKILL");
  child.stdout?.destroy();
  child.stderr?.destroy();
  await ended;
  const [directory = ""] = scratch.leftFiles();
  expect(directory).toMatch(/^hale-test-\d+-/);
  // Its programs go by themselves, its directory when it has been left alone for a minute.
  await until(() => scratch.leftProcesses().length === 0, "no process");
  expect(await scratch.hale(["test", "quick"])).toMatchObject({ code: 0, stderr: "" });
  expect(scratch.leftFiles()).toEqual([directory]);
  const then = Date.now() / 1000 - 90;
  utimesSync(path.join(scratch.tmp, directory), then, then);
  expect(await scratch.hale(["test", "quick"])).toMatchObject({ code: 0, stderr: "" });
  nothingIsLeft();
});

test("a bug of the runner itself: words and status 70, no program and no directory stays", async () => {
  scratch.sh("a_test.hl", 'set -m; sleep 87 & touch "$SCRATCH/up"; sleep 88');
  const boom = scratch.write(
    "boom.mjs",
    `import { existsSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
if (isMainThread) setInterval(() => { if (existsSync(process.env.SCRATCH + "/up")) throw new Error("boom"); }, 20);
`,
  );
  const { code, stderr } = await scratch.hale(["test"], { env: { NODE_OPTIONS: `--import "${boom}"` } });
  expect(code).toBe(70);
  expect(stderr).toMatch(/^hale: internal error: boom\nThis is a bug of the toolchain; [^\n]+\n$/);
  nothingIsLeft();
});
