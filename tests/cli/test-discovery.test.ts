// Which files `hale test` runs, on friendly and on hostile trees (reference 12 12.3.1, 08 11.1 to .5).
import { expect, test } from "vitest";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fakeTool, scratch, useScratch } from "./support/scratch.ts";

useScratch(fakeTool);

/** Permissions mean nothing to root: such tests run the command as nobody. */
const nobody = process.getuid?.() === 0 ? { uid: 65534 } : {};

async function list(...args: string[]): Promise<string[]> {
  const { stdout, stderr, code } = await scratch.hale(["test", "--list", ...args]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return stdout.split("\n").slice(0, -1);
}

test("a directory is searched recursively, sorted by bytes, without vendor, node_modules and dot names (08 11.1, 12 12.3.1)", async () => {
  const names = [
    "b_test.hl",
    "B_test.hl",
    "a/z_test.hl",
    "a.b/y_test.hl",
    "é_test.hl",
    "z/_test.hl",
    "_test.hl",
    "\u{10000}_test.hl",
    "\uffee_test.hl",
  ];
  for (const name of names) scratch.sh(name, "exit 0");
  for (const name of [
    "vendor/v_test.hl",
    "a/node_modules/n_test.hl",
    ".git/g_test.hl",
    "a/.x/h_test.hl",
    "main.hl",
    "a_test.txt",
  ]) {
    scratch.sh(name, "exit 0");
  }
  const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(await list()).toEqual(sorted);
  expect(sorted.indexOf("\uffee_test.hl")).toBeLessThan(sorted.indexOf("\u{10000}_test.hl"));
});

test("the spelling of the command line is kept (08 11.13)", async () => {
  scratch.sh("sub/a_test.hl", "exit 0");
  expect(await list(".")).toEqual(["./sub/a_test.hl"]);
  expect(await list("sub/")).toEqual(["sub/a_test.hl"]);
  expect(await list("./sub/../sub")).toEqual(["./sub/../sub/a_test.hl"]);
  expect(await list(`${scratch.tree}/sub`)).toEqual([`${scratch.tree}/sub/a_test.hl`]);
});

test("a file is taken whatever its name, and a directory given is searched whatever its name (08 11.1)", async () => {
  scratch.sh("vendor/v_test.hl", "exit 0");
  scratch.sh("plain.hl", "exit 0");
  expect(await list("plain.hl", "vendor")).toEqual(["plain.hl", "vendor/v_test.hl"]);
});

test("-run keeps paths that contain the text, in every spelling of the flag (08 11.2)", async () => {
  for (const name of ["http/a_test.hl", "http/b_test.hl", "io/http_test.hl", "io/x_test.hl"])
    scratch.sh(name, "exit 0");
  const expected = ["http/a_test.hl", "http/b_test.hl", "io/http_test.hl"];
  for (const flags of [["-run", "http"], ["--run", "http"], ["-run=http"], ["--run=http"]]) {
    expect(await list(...flags)).toEqual(expected);
  }
  expect(await list("-run", "./io/", ".")).toEqual(["./io/http_test.hl", "./io/x_test.hl"]);
  expect(await list("-run", "-")).toEqual([]);
});

test("two spellings of one file run once (12 12.3.1)", async () => {
  scratch.sh("sub/a_test.hl", "exit 0");
  symlinkSync("sub/a_test.hl", path.join(scratch.tree, "other_test.hl"));
  expect(await list("sub", "./sub", "sub/a_test.hl")).toEqual(["./sub/a_test.hl"]);
  expect(await list()).toEqual(["sub/a_test.hl"]);
  expect(await list("other_test.hl")).toEqual(["other_test.hl"]);
});

test("symbolic links to directories are entered once per real directory, so cycles end (12 12.3.1)", async () => {
  scratch.sh("real/a_test.hl", "exit 0");
  symlinkSync("real", path.join(scratch.tree, "alias"));
  symlinkSync("..", path.join(scratch.tree, "real/up"));
  symlinkSync(".", path.join(scratch.tree, "real/self"));
  symlinkSync("loop", path.join(scratch.tree, "loop"));
  symlinkSync("nowhere", path.join(scratch.tree, "dangling"));
  const outside = path.join(scratch.root, "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "o_test.hl"), "#!/bin/sh\n");
  symlinkSync(outside, path.join(scratch.tree, "linked"));
  expect(await list()).toEqual(["linked/o_test.hl", "real/a_test.hl"]);
});

test("what only looks like a test is told, and the rest runs (12 12.3.1, 12 12.4.8)", async () => {
  scratch.sh("good_test.hl", "exit 0");
  mkdirSync(path.join(scratch.tree, "dir_test.hl"));
  scratch.sh("dir_test.hl/inner_test.hl", "exit 0");
  spawnSync("mkfifo", [path.join(scratch.tree, "pipe_test.hl")]);
  symlinkSync("gone.hl", path.join(scratch.tree, "gone_test.hl"));
  symlinkSync("self_test.hl", path.join(scratch.tree, "self_test.hl"));
  const { stdout, stderr, code } = await scratch.hale(["test"]);
  expect(stdout).toBe("ok   dir_test.hl/inner_test.hl\nok   good_test.hl\n\n2 passed, 0 failed\n");
  expect(stderr.split("\n").sort()).toEqual([
    "",
    "hale test: could not read gone_test.hl: no such file or directory",
    "hale test: could not read pipe_test.hl: not a regular file",
    "hale test: could not read self_test.hl: too many symbolic links encountered",
  ]);
  expect(code).toBe(2);
});

test("directories and files that may not be read are told, and the rest runs (12 12.3.1, 12 12.4.8, 08 11.9)", async () => {
  scratch.sh("good_test.hl", "exit 0");
  scratch.sh("closed/a_test.hl", "exit 0");
  chmodSync(path.join(scratch.tree, "closed"), 0o311);
  const secret = scratch.sh("secret_test.hl", "exit 0");
  chmodSync(secret, 0);
  chmodSync(scratch.root, 0o755);
  const { stdout, stderr, code } = await scratch.hale(["test"], nobody);
  expect(stdout).toBe(
    "ok   good_test.hl\nFAIL secret_test.hl\n     could not read secret_test.hl: permission denied\n\n1 passed, 1 failed\n",
  );
  expect(stderr).toBe(
    "hale test: could not read closed: permission denied\nhale test: could not read secret_test.hl: permission denied\n",
  );
  expect(code).toBe(2);
  chmodSync(path.join(scratch.tree, "closed"), 0o755);
});

test("names with spaces, quotes, newlines and escapes stay on their line, and JSON has them as they are", async () => {
  const names = [
    "a b_test.hl",
    'it\'s "quoted"_test.hl',
    "new\nline_test.hl",
    "red\u001b[31m_test.hl",
    "$(touch x)_test.hl",
    "-j_test.hl",
  ];
  for (const name of names) scratch.sh(name, "exit 0");
  const { stdout, code } = await scratch.hale(["test"]);
  expect(stdout).toBe(
    [
      "ok   $(touch x)_test.hl",
      "ok   -j_test.hl",
      "ok   a b_test.hl",
      'ok   it\'s "quoted"_test.hl',
      "ok   new\\nline_test.hl",
      "ok   red\\x1b[31m_test.hl",
      "",
      "6 passed, 0 failed",
      "",
    ].join("\n"),
  );
  expect(code).toBe(0);
  const records: { file: string }[] = JSON.parse((await scratch.hale(["test", "--json"])).stdout);
  expect(records.map(({ file }) => path.basename(file)).sort()).toEqual([...names].sort());
  expect(await list("--", "-j_test.hl")).toEqual(["-j_test.hl"]);
});

test("a name that is not UTF-8 is told", async () => {
  scratch.sh("good_test.hl", "exit 0");
  writeFileSync(
    Buffer.concat([Buffer.from(`${scratch.tree}/bad`), Buffer.from([0xff]), Buffer.from("_test.hl")]),
    "#!/bin/sh\n",
  );
  const { stdout, stderr, code } = await scratch.hale(["test"]);
  expect(stdout).toBe("ok   good_test.hl\n\n1 passed, 0 failed\n");
  expect(stderr).toBe("hale test: could not read bad\ufffd_test.hl: the name is not valid UTF-8\n");
  expect(code).toBe(2);
});

test("JSON names files by their canonical path (12 12.4.2, 08 11.15)", async () => {
  const file = scratch.sh("sub/a_test.hl", "exit 0");
  symlinkSync("sub", path.join(scratch.tree, "link"));
  const [record] = JSON.parse((await scratch.hale(["test", "--json", "./link/../link/a_test.hl"])).stdout);
  expect(record.file).toBe(file);
});
