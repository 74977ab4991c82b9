// What surrounds a test: directories, environment, streams (reference 12 12.3.3 and .4, 08 11.7 to .11).
import { expect, test } from "vitest";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { finished, until } from "./support/harness.ts";
import { fakeTool, scratch, script, useScratch } from "./support/scratch.ts";

useScratch(fakeTool);

const passes = { code: 0, stdout: "ok   a_test.hl\n\n1 passed, 0 failed\n", stderr: "" };

test.each(["000", "077", "777"])(
  "every directory of a run is 0700 under umask %s (12 12.3.3, 08 11.11)",
  async (umask) => {
    scratch.js(
      "a_test.hl",
      "const { readFileSync, statSync } = require('fs'); const { dirname } = require('path');",
      "const { HALE_VAULT_DIR: vault, XDG_DATA_HOME: habitat, TMPDIR } = process.env;",
      "const own = dirname(__filename);",
      "for (const d of [vault, habitat, own, dirname(own)]) {",
      "  if ((statSync(d).mode & 0o7777) !== 0o700) console.log(d, statSync(d).mode.toString(8));",
      "}",
      "const run = dirname(own).slice(TMPDIR.length + 1);",
      "const parentOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1];",
      "if (run !== `hale-test-${parentOf(process.ppid)}-` + run.split('-')[3] || run.split('-').length !== 4) console.log(run);",
      "if (!habitat.startsWith(vault + '/')) console.log(habitat);",
    );
    const command = `umask ${umask}; exec "${process.execPath}" "${script}" test`;
    const { status, stdout } = spawnSync("sh", ["-c", command], {
      cwd: scratch.tree,
      env: {
        PATH: process.env["PATH"],
        TMPDIR: scratch.tmp,
        XDG_CACHE_HOME: path.join(scratch.cache, umask),
        HOME: scratch.root,
      },
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: passes.stdout });
    expect(scratch.leftFiles()).toEqual([]);
  },
);

test("environment, directory, arguments and stdin (08 11.7)", async () => {
  scratch.js(
    "a_test.hl",
    "const { readFileSync } = require('fs');",
    "const problems = [];",
    "if (process.env.HALE_VAULT_ADDR !== undefined) problems.push('HALE_VAULT_ADDR');",
    "if (process.env.KEPT !== 'yes') problems.push('KEPT');",
    "if (process.env.HALE_VAULT_DIR === '/outer') problems.push('HALE_VAULT_DIR');",
    `if (process.env.HALE_BIN !== ${JSON.stringify(script)}) problems.push(process.env.HALE_BIN);`,
    `if (process.cwd() !== ${JSON.stringify(scratch.tree)}) problems.push(process.cwd());`,
    "if (process.argv.length !== 2) problems.push('arguments');",
    "if (readFileSync(0).length !== 0) problems.push('stdin');",
    "if (problems.length) console.log(problems.join());",
  );
  const env = { HALE_VAULT_ADDR: "http://vault", HALE_VAULT_DIR: "/outer", XDG_DATA_HOME: "/outer", KEPT: "yes" };
  expect(await scratch.hale(["test"], { env })).toMatchObject(passes);
});

test("HALE_BIN is left as it is when it is set (08 11.7)", async () => {
  scratch.sh("a_test.hl", '[ "$HALE_BIN" = /my/hale ] || echo "$HALE_BIN"');
  expect(await scratch.hale(["test"], { env: { HALE_BIN: "/my/hale" } })).toMatchObject(passes);
});

test("two tests that write the same names do not see each other (12 12.3.4)", async () => {
  for (const name of ["a", "b", "c", "d"]) {
    scratch.sh(
      `${name}_test.hl`,
      '[ -e "$HALE_VAULT_DIR/token" ] && echo "token of another"',
      '[ -e "$XDG_DATA_HOME/state" ] && echo "state of another"',
      `echo ${name} > "$HALE_VAULT_DIR/token"; echo ${name} > "$XDG_DATA_HOME/state"; sleep 0.1`,
      `[ "$(cat "$HALE_VAULT_DIR/token" "$XDG_DATA_HOME/state")" = "${name}\n${name}" ] || echo mixed`,
    );
  }
  for (const jobs of ["1", "4"])
    expect(await scratch.hale(["test", "-j", jobs])).toMatchObject({ code: 0, stderr: "" });
});

test("HALE_TEST_KEEP_VAULT=1 keeps vault and data directory outside the run's directory and says where (12 12.3.4, 08 11.10, 08 17)", async () => {
  scratch.sh("a_test.hl", 'echo secret > "$HALE_VAULT_DIR/token"; echo data > "$XDG_DATA_HOME/state"');
  scratch.sh("b_test.hl", 'echo other > "$HALE_VAULT_DIR/token"; exit 1');
  const { stderr } = await scratch.hale(["test"], { env: { HALE_TEST_KEEP_VAULT: "1" } });
  const lines = stderr
    .trimEnd()
    .split("\n")
    .map((line) => /^hale test: (\S+)'s vault is kept at (.+)$/.exec(line));
  expect(lines.map((match) => match?.[1])).toEqual(["a_test.hl", "b_test.hl"]);
  const [vault = "", other = ""] = lines.map((match) => match?.[2]);
  expect(readFileSync(path.join(vault, "token"), "utf8")).toBe("secret\n");
  expect(readFileSync(path.join(vault, "data/state"), "utf8")).toBe("data\n");
  expect(readFileSync(path.join(other, "token"), "utf8")).toBe("other\n");
  expect(scratch.leftFiles().filter((name) => name.startsWith("hale-test-"))).toEqual([]);
});

test("with HALE_TEST_KEEP_VAULT=1 an interrupted test's vault is told, too, and one of a test that never ran does not stay (12 12.3.4, 08 11.10)", async () => {
  const env = { HALE_TEST_KEEP_VAULT: "1" };
  scratch.sh("a_test.hl", "# reject no program");
  expect((await scratch.hale(["test"], { env })).stderr).toBe("");
  expect(scratch.leftFiles()).toEqual([]);
  scratch.sh("b_test.hl", 'echo state > "$XDG_DATA_HOME/state"', "sleep 60");
  const child = scratch.start(["test", "-j1"], { env });
  const run = finished(child);
  const vaults = () =>
    scratch
      .leftFiles()
      .filter((name) => name.startsWith("hale-vault-"))
      .map((name) => path.join(scratch.tmp, name, "1"));
  await until(() => vaults().some((vault) => existsSync(path.join(vault, "data/state"))), "the test runs");
  child.kill("SIGINT");
  const [vault = ""] = vaults();
  expect(await run).toMatchObject({ code: 130, stderr: `hale test: b_test.hl's vault is kept at ${vault}\n` });
  expect(readFileSync(path.join(vault, "data/state"), "utf8")).toBe("state\n");
  expect(readdirSync(path.dirname(vault))).toEqual(["1"]);
});

test("a vault is removed also when permissions are taken away and paths grow longer than a path may be (08 11.10)", async () => {
  scratch.js(
    "a_test.hl",
    "const fs = require('fs');",
    "process.chdir(process.env.XDG_DATA_HOME);",
    "fs.mkdirSync('closed/in', { recursive: true }); fs.writeFileSync('closed/in/f', ''); fs.chmodSync('closed/in', 0); fs.chmodSync('closed', 0);",
    "fs.symlinkSync(process.env.SCRATCH + '/tree', 'out');",
    "for (let i = 0; i < 40; i++) { const d = 'd'.repeat(200); fs.mkdirSync(d); process.chdir(d); }",
  );
  const nobody = process.getuid?.() === 0 ? { uid: 65534 } : {};
  spawnSync("chmod", ["755", scratch.root]);
  expect(await scratch.hale(["test"], nobody)).toMatchObject(passes);
  expect(scratch.leftFiles()).toEqual([]);
  expect(existsSync(path.join(scratch.tree, "a_test.hl"))).toBe(true);
});

test("TMPDIR that is no place for directories is told", async () => {
  scratch.sh("a_test.hl", "exit 0");
  const { code, stderr } = await scratch.hale(["test"], { env: { TMPDIR: "/no/such/place" } });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "hale test: could not make a private directory in /no/such/place (TMPDIR): no such file or directory\n",
  });
});

/** A directory as a run with this pid would have left it, last touched so many seconds ago. */
function abandoned(name: string, secondsAgo: number): void {
  const directory = path.join(scratch.tmp, name);
  mkdirSync(path.join(directory, "0"), { recursive: true });
  const then = Date.now() / 1000 - secondsAgo;
  utimesSync(directory, then, then);
}

test("directories of dead runs go once they are a minute old; nothing else does (12 12.3.3)", async () => {
  scratch.sh("a_test.hl", "exit 0");
  const { pid: dead = 0 } = spawnSync("true");
  for (const kind of ["test", "run", "replay"]) abandoned(`hale-${kind}-${dead}-abc123`, 120);
  abandoned(`hale-test-${dead}-young1`, 10);
  abandoned(`hale-test-${process.pid}-alive1`, 120);
  abandoned(`hale-other-${dead}-abc123`, 120);
  abandoned(`hale-test-${dead}-abc123-x`, 120);
  const target = path.join(scratch.root, "precious");
  mkdirSync(target);
  symlinkSync(target, path.join(scratch.tmp, `hale-test-${dead}-link12`));
  expect(await scratch.hale(["test"])).toMatchObject(passes);
  const kept = [
    `hale-other-${dead}-abc123`,
    `hale-test-${dead}-abc123-x`,
    `hale-test-${dead}-link12`,
    `hale-test-${dead}-young1`,
    `hale-test-${process.pid}-alive1`,
  ];
  expect(scratch.leftFiles().sort()).toEqual(kept.sort());
  expect(existsSync(target)).toBe(true);
});

test.runIf(process.getuid?.() === 0)("directories of other users stay", async () => {
  scratch.sh("a_test.hl", "exit 0");
  const { pid: dead = 0 } = spawnSync("true");
  abandoned(`hale-test-${dead}-abc123`, 120);
  spawnSync("chown", ["12345", path.join(scratch.tmp, `hale-test-${dead}-abc123`)]);
  await scratch.hale(["test"]);
  expect(scratch.leftFiles()).toEqual([`hale-test-${dead}-abc123`]);
});

test("the source tree is never written to (08 11.11)", async () => {
  scratch.sh("sub/a_test.hl", "exit 0");
  scratch.sh("sub/b_test.hl", "exit 1");
  await scratch.hale(["test"]);
  expect(readdirSync(scratch.tree, { recursive: true }).sort()).toEqual(["sub", "sub/a_test.hl", "sub/b_test.hl"]);
});

test("a TMPDIR that vanishes during the run is not worth a stack trace", async () => {
  scratch.sh("a_test.hl", 'touch "$SCRATCH/started"; sleep 1');
  const child = scratch.start(["test"]);
  const ended = finished(child);
  await until(() => existsSync(path.join(scratch.root, "started")), "started");
  rmSync(scratch.tmp, { recursive: true });
  expect(await ended).toMatchObject(passes);
  mkdirSync(scratch.tmp);
});
