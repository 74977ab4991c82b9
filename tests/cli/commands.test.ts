// The command line in general, and the commands that need no program to run (reference 08 6 to 9, 13, 15; 02 1).
import { expect, test } from "vitest";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { COMMANDS } from "../../cli/catalog.ts";
import { realTool, scratch, script, useScratch } from "./support/scratch.ts";

useScratch(realTool);

const SOUND = 'fn main() {\n    println("hi");\n}\n';
const BROKEN = 'fn main() {\n    let n: Int = "four";\n}\n';

test("no arguments: usage on stderr, status 2; asked for: on stdout, status 0 (08 6.2)", async () => {
  const none = await scratch.hale([]);
  expect(none).toMatchObject({ code: 2, stdout: "" });
  for (const word of ["--help", "-h", "help"]) {
    expect(await scratch.hale([word])).toMatchObject({ code: 0, stderr: "", stdout: none.stderr });
  }
  const listed = none.stderr.split("\n").map((line) => line.replace(/ +/g, " "));
  for (const { name, summary } of COMMANDS) expect(listed).toContain(` ${name} ${summary}`);
});

test.each(["--version", "-V", "version"])("%s", async (word) => {
  expect(await scratch.hale([word])).toMatchObject({ code: 0, stdout: "hale 0.0.0-test\n", stderr: "" });
});

test("-h where a flag may stand is the command's page too, and one letter suggests no other", async () => {
  const page = await scratch.hale(["test", "--help"]);
  expect(await scratch.hale(["test", "tests", "-h"])).toEqual(page);
  expect((await scratch.hale(["test", "-v"])).stderr).toMatch(/^hale test: unknown flag `-v`\n\nUsage:\n/);
});

test("an unknown command: its name, a suggestion, the usage, status 2 (08 6.2)", async () => {
  const { code, stdout, stderr } = await scratch.hale(["chekc", "x"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^unknown command: chekc\n {2}did you mean `check`\?\n\nhale - the Hale toolchain\n/);
  expect((await scratch.hale(["frobnicate"])).stderr).toMatch(
    /^unknown command: frobnicate\n\nhale - the Hale toolchain\n/,
  );
});

test.each(COMMANDS.map(({ name }) => name))("hale %s --help (08 6.3)", async (name) => {
  const page = await scratch.hale([name, "--help"]);
  expect(page).toMatchObject({ code: 0, stderr: "" });
  expect(page.stdout).toMatch(new RegExp(`^hale ${name} - .*\n\nUsage:\n  hale ${name}`));
  expect(await scratch.hale([name, "-h"])).toEqual(page);
  expect(await scratch.hale(["help", name])).toEqual(page);
});

test("a flag that is nearly right is suggested (08 6.1)", async () => {
  expect(await scratch.hale(["test", "--jsno"])).toMatchObject({
    code: 2,
    stderr: "hale test: unknown flag `--jsno`\n  did you mean `--json`?\n",
  });
  expect(await scratch.hale(["check", "--wrkspace=3", "x"])).toMatchObject({
    code: 2,
    stderr: "unknown flag for `hale check`: --wrkspace=3\n  did you mean `--workspace`?\n",
  });
});

test.each([
  [["test", "no/such"], "hale test: not a file or directory: no/such\n"],
  [["test", "-j", "many"], "hale test: -j takes a positive integer, got `many`\n"],
  [["test", "--target", "arm"], "hale test: unknown target `arm`; there are native, wasm\n"],
  [["check"], "hale check needs a target (a .hl file or a seed directory).\n"],
  [["verify"], "hale verify needs a target (a .hl file or a seed directory).\n"],
  [["check", "a", "b"], "hale check takes ONE target, got 2: a b\n"],
  [["build", "a", "b"], "hale build takes one target, got 2: a b\n"],
])(
  "usage errors go to stderr with status 2: %j (08 6.1, 08 6.4, 08 7.1, 08 9.3, 08 11.5, 12 12.3.2)",
  async (args, stderr) => {
    expect(await scratch.hale(args)).toMatchObject({ code: 2, stdout: "", stderr });
  },
);

test("a full disk on stdout is told", () => {
  const { status, stderr } = spawnSync("sh", ["-c", `"${process.execPath}" "${script}" --help > /dev/full`], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: "hale: could not write to stdout: ENOSPC\n" });
});

test("a reader that goes away is no error", () => {
  const { stderr } = spawnSync("sh", ["-c", `"${process.execPath}" "${script}" test --help | head -1`], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
});

test("check: the count of files, excluded tests, findings, statuses (08 7.1, 08 7.2, 08 7.3, 08 7.4, 08 5.1.1)", async () => {
  scratch.write("app/main.hl", SOUND);
  scratch.write("app/more.hl", "fn more() -> Int { return 1; }\n");
  scratch.write("app/x_test.hl", SOUND);
  scratch.write("app/y_test.hl", BROKEN);
  const bad = scratch.write("bad.hl", BROKEN);
  expect(await scratch.hale(["check", "app"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "ok: 2 file(s) typechecked (2 test file(s) excluded)\n",
  });
  expect(await scratch.hale(["check", "app/main.hl"])).toMatchObject({
    code: 0,
    stderr: "ok: 1 file(s) typechecked\n",
  });
  const { code, stdout, stderr } = await scratch.hale(["check", "bad.hl"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    new RegExp(`^${bad}:2:18: type error: .+\n        let n: Int = "four";\n                     \\^{6}\n`),
  );
  expect(stderr).not.toContain("ok:");
});

test("check --json: one object a line on stdout and nothing else (08 5.2)", async () => {
  const bad = scratch.write("bad.hl", BROKEN);
  scratch.write("good.hl", SOUND);
  const { code, stdout, stderr } = await scratch.hale(["check", "--json", "bad.hl"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  const record = JSON.parse(stdout);
  expect(record).toMatchObject({ file: bad, line: 2, col: 18, severity: "error", kind: "type error" });
  expect(Object.keys(record)).toEqual(["file", "line", "col", "severity", "kind", "message"]);
  expect(await scratch.hale(["check", "good.hl", "--json"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

test("check and test name one file by the same string (08 5.1.3, 12 12.4.2)", async () => {
  mkdirSync(path.join(scratch.tree, "real"));
  scratch.write("real/x_test.hl", BROKEN);
  symlinkSync("real", path.join(scratch.tree, "link"));
  const checked = JSON.parse((await scratch.hale(["check", "--json", "link/x_test.hl"])).stdout);
  const [tested] = JSON.parse((await scratch.hale(["test", "--json", "./link/../link/x_test.hl"])).stdout);
  expect(tested.file).toBe(checked.file);
});

test("check: missing input (08 1, 08 5.2)", async () => {
  mkdirSync(path.join(scratch.tree, "empty"));
  expect(await scratch.hale(["check", "gone"])).toMatchObject({ code: 1, stderr: "not a file or directory: gone\n" });
  expect(await scratch.hale(["check", "empty"])).toMatchObject({ code: 1, stderr: "no .hl files in empty\n" });
  const { stdout } = await scratch.hale(["check", "gone", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ line: 0, col: 0, severity: "error", kind: "io error" });
});

test("directories that may not be read, and ones that may not be written (08 1, 08 5.2, 08 9.1, 08 14.1)", async () => {
  const nobody = process.getuid?.() === 0 ? { uid: 65534 } : {};
  chmodSync(scratch.root, 0o755);
  scratch.write("locked/a.hl", SOUND);
  const main = scratch.write("main.hl", 'import "locked" as l;\nfn main() { }\n');
  const locked = path.join(scratch.tree, "locked");
  chmodSync(locked, 0o000);
  const denied = `${locked}: io error: permission denied\n`;
  const asNobody = (...args: string[]) => scratch.hale(args, nobody);
  try {
    for (const command of ["check", "verify", "inputs"])
      expect(await asNobody(command, "locked")).toMatchObject({ code: 1, stdout: "", stderr: denied });
    expect((await asNobody("check", main)).stderr).toBe(denied);
    for (const command of ["run", "doc"])
      expect(await asNobody(command, "locked")).toMatchObject({
        code: 1,
        stderr: `hale ${command}: could not read locked: permission denied\n`,
      });
    scratch.write("one.hl", SOUND);
    chmodSync(scratch.tree, 0o555);
    expect(await asNobody("build", "one.hl")).toMatchObject({
      code: 1,
      stderr: "hale build: could not write one: permission denied\n",
    });
  } finally {
    for (const directory of [locked, scratch.tree]) chmodSync(directory, 0o755);
  }
});

test("verify: of a target that is not there only that is said (08 1, 08 8)", async () => {
  expect(await scratch.hale(["verify", "gone"])).toMatchObject({ code: 1, stderr: "not a file or directory: gone\n" });
});

test("verify counts files and findings (08 8)", async () => {
  scratch.write("main.hl", SOUND);
  scratch.write("bad.hl", BROKEN);
  expect(await scratch.hale(["verify", "main.hl"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "verified: 1 file(s), 0 findings\n",
  });
  const { code, stderr } = await scratch.hale(["verify", "bad.hl"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/\nverify: 1 finding\(s\) — the discipline gate fails on advisories too\n$/);
});

test("check --workspace: seeds before their tests, directories before what is below, all run, the greatest status (08 7.5, 08 7.6, 08 7.7, 08 7.8, 08 7.9, 08 1.5)", async () => {
  scratch.write("b/main.hl", SOUND);
  scratch.write("b/x_test.hl", SOUND);
  scratch.write("b/a/lib.hl", "fn one() -> Int { return 1; }\n");
  scratch.write("b.c/main.hl", SOUND);
  scratch.write("a_test.hl", SOUND);
  scratch.write("benches/x_bench.hl", "fn bench_x() { }\n");
  for (const name of ["vendor", "target", ".x", "node_modules"]) scratch.write(`${name}/main.hl`, BROKEN);
  const order = ["a_test.hl", "b", "b/x_test.hl", "b/a", "b.c"];
  const headers = (stdout: string): string[] => [...stdout.matchAll(/^=== (.*) ===$/gm)].map(([, name]) => name ?? "");
  const sound = await scratch.hale(["check", "--workspace"]);
  expect(headers(sound.stdout)).toEqual(order);
  expect(sound.stdout.endsWith("\n\nok: 3 seed(s) checked, 2 test file(s) checked\n")).toBe(true);
  expect(sound.code).toBe(0);
  scratch.write("b/a/lib.hl", BROKEN);
  scratch.write("main.hl", SOUND);
  const broken = await scratch.hale(["check", "--workspace", "."]);
  expect(headers(broken.stdout)).toEqual([".", ...order.map((name) => `./${name}`)]);
  expect(broken.stdout).not.toContain("ok:");
  expect(broken.stderr.endsWith("\n\n1 of 6 seed(s) failed:\n  ./b/a (exit 1)\n")).toBe(true);
  expect(broken.code).toBe(1);
  const json = await scratch.hale(["check", "--workspace", "--json"]);
  expect(
    json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).line),
  ).toEqual([2]);
  expect(json).toMatchObject({ code: 1, stderr: "" });
});

test("check --workspace: nothing there, too many directories (08 7.5, 08 7.7)", async () => {
  mkdirSync(path.join(scratch.tree, "empty"));
  expect(await scratch.hale(["check", "--workspace", "empty"])).toMatchObject({
    code: 2,
    stderr: "no seeds under empty\n",
  });
  expect((await scratch.hale(["check", "--workspace", "a", "b"])).code).toBe(2);
});

const CANONICAL = "fn f(a: Int) -> Int {\n    return a;\n}\n";
const UGLY = "fn f( a:Int )->Int{\nreturn a ;\n}\n";

test("fmt writes what changes, says so, and is then content (02 1.1, 02 1.2, 02 1.3, 08 13.1, 08 13.2)", async () => {
  scratch.write("src/a.hl", CANONICAL);
  const file = scratch.write("src/b_test.hl", UGLY);
  scratch.write("src/vendor/c.hl", UGLY);
  scratch.write("src/.d/e.hl", UGLY);
  scratch.write("src/notes.txt", UGLY);
  chmodSync(file, 0o640);
  expect(await scratch.hale(["fmt", "--check", "src"])).toMatchObject({
    code: 1,
    stdout: "src/b_test.hl\n",
    stderr: "",
  });
  expect(readFileSync(file, "utf8")).toBe(UGLY);
  expect(await scratch.hale(["fmt", "src"])).toMatchObject({
    code: 0,
    stdout: "formatted src/b_test.hl\n",
    stderr: "",
  });
  const text = readFileSync(file, "utf8");
  expect(text).not.toBe(UGLY);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(await scratch.hale(["fmt", "src"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(await scratch.hale(["fmt", "--check"])).toMatchObject({ code: 0, stdout: "" });
});

test("fmt of the current directory names files absolutely (02 1.1, 02 1.8)", async () => {
  const file = scratch.write("a.hl", UGLY);
  expect(await scratch.hale(["fmt", "--check"])).toMatchObject({ code: 1, stdout: `${file}\n` });
});

test("fmt --diff pairs lines by number and changes nothing (02 1.4, 08 13.3)", async () => {
  const file = scratch.write("a.hl", "fn f() { }\n\n\n\nconst  A: Int = 1;\n");
  const diff = "--- a.hl\n3: - \n3: + const A: Int = 1;\n5: - const  A: Int = 1;\n5: + \n";
  expect(await scratch.hale(["fmt", "--diff", "a.hl"])).toMatchObject({ code: 0, stdout: diff });
  expect(await scratch.hale(["fmt", "--diff", "--check", "a.hl"])).toMatchObject({ code: 1, stdout: `${diff}a.hl\n` });
  expect(readFileSync(file, "utf8")).toContain("const  A");
});

test("fmt: files that do not lex, paths that do not exist, other extensions (02 1.6, 02 1.7, 08 13.5)", async () => {
  const broken = scratch.write("bad.hl", 'fn f() { let s = "open');
  scratch.write("good.hl", UGLY);
  scratch.write("x.txt", UGLY);
  expect(await scratch.hale(["fmt", "bad.hl", "good.hl", "gone.hl", "x.txt"])).toMatchObject({
    code: 1,
    stdout: "formatted good.hl\n",
    stderr: "hale fmt: gone.hl not found\nhale fmt: bad.hl: does not lex — skipped\n",
  });
  expect(readFileSync(broken, "utf8")).toBe('fn f() { let s = "open');
  expect(await scratch.hale(["fmt", "gone"])).toMatchObject({ code: 0, stderr: "hale fmt: gone not found\n" });
  expect(await scratch.hale(["fmt", "-x"])).toMatchObject({ code: 2 });
});

test("fmt --stdin (02 1.5, 08 13.4)", () => {
  const fmt = (input: string) =>
    spawnSync(process.execPath, [script, "fmt", "--stdin", "ignored"], { input, encoding: "utf8" });
  expect(fmt("const  A: Int = 1;")).toMatchObject({ status: 0, stdout: "const A: Int = 1;\n", stderr: "" });
  const broken = fmt('"open');
  expect(broken).toMatchObject({ status: 1, stdout: "" });
  expect(broken.stderr).toMatch(/^hale fmt: <stdin>:1:1: lex error: /);
});

test("a symbolic link that leads to itself is no source (08 1.1)", async () => {
  scratch.write("d/main.hl", SOUND);
  symlinkSync("loop.hl", path.join(scratch.tree, "d/loop.hl"));
  expect(await scratch.hale(["check", "d"])).toMatchObject({ code: 0, stderr: "ok: 1 file(s) typechecked\n" });
  expect(await scratch.hale(["check", "d/loop.hl"])).toMatchObject({ code: 1 });
  expect((await scratch.hale(["check", `${"n".repeat(300)}.hl`])).code).toBe(1);
});

test("a named pipe in place of a source is told, and not waited for (08 1, 08 14.1, 08 15)", async () => {
  spawnSync("mkfifo", [path.join(scratch.tree, "pipe.hl")]);
  for (const command of ["lex", "parse", "doc", "fmt"]) {
    expect(await scratch.hale([command, "pipe.hl"])).toMatchObject({
      code: 1,
      stderr: `hale ${command}: could not read pipe.hl: not a regular file\n`,
    });
  }
  expect(await scratch.hale(["check", "pipe.hl"])).toMatchObject({
    code: 1,
    stderr: "not a file or directory: pipe.hl\n",
  });
  for (const command of ["run", "build"])
    expect(await scratch.hale([command, "pipe.hl"])).toMatchObject({
      code: 1,
      stderr: `hale ${command}: could not read pipe.hl: not a regular file\n`,
    });
  for (const target of ["pipe.hl", "gone"])
    expect(await scratch.hale(["inputs", target])).toMatchObject({
      code: 1,
      stderr: `not a file or directory: ${target}\n`,
    });
  // Of files with another name, `fmt` says nothing, whatever they are (02 1.1).
  expect(await scratch.hale(["fmt", "--check", "/dev/null"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(await scratch.hale(["lex", "."])).toMatchObject({
    code: 1,
    stderr: "hale lex: could not read .: is a directory\n",
  });
});

test("a hale.toml that is no file is told (11b 11b.8)", async () => {
  scratch.write("main.hl", SOUND);
  mkdirSync(path.join(scratch.tree, "hale.toml"));
  for (const flags of [["--matrix"], ["--env", "live"]]) {
    const { code, stderr } = await scratch.hale(["check", ...flags, "."]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `hale check: could not read ${scratch.tree}/hale.toml: not a regular file\n`,
    });
  }
});

test("lex: one token a line (08 15)", async () => {
  scratch.write("a.hl", "\n\nfn f() { }");
  expect(await scratch.hale(["lex", "a.hl"])).toMatchObject({
    code: 0,
    stdout: '   3:1   Fn\n   3:4   Ident("f")\n   3:5   LParen\n   3:6   RParen\n   3:8   LBrace\n   3:10  RBrace\n',
    stderr: "",
  });
  const bad = scratch.write("b.hl", '"open');
  const { code, stderr } = await scratch.hale(["lex", "b.hl"]);
  expect(code).toBe(1);
  expect(stderr.startsWith(`${realpathSync(bad)}:1:1: lex error: `)).toBe(true);
});

test("parse: a tree with kinds and places (08 15)", async () => {
  scratch.write("a.hl", 'import "x" as x;\nfn f() -> Int {\n    return 1 + 2;\n}\n');
  const { code, stdout } = await scratch.hale(["parse", "a.hl"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^function 2:1$/m);
  expect(stdout).toMatch(/^ +\d: return 3:5$/m);
  scratch.write("b.hl", "fn (");
  const broken = await scratch.hale(["parse", "b.hl"]);
  expect(broken.code).toBe(1);
  expect(broken.stderr.startsWith(`${realpathSync(scratch.tree)}/b.hl:1:`)).toBe(true);
});

test("init where no directory can be made says so, and ends", async () => {
  scratch.write("taken", "");
  expect(await scratch.hale(["init", "taken"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "hale init: could not create taken/hale.toml: taken is not a directory\n",
  });
  expect(await scratch.hale(["init", "/proc/nothing/here"])).toMatchObject({ code: 1, stdout: "" });
});

test("init creates what passes check and fmt, and keeps what is there (08 15)", async () => {
  const files = ["hale.toml", "main.hl", "tests/main_test.hl", ".gitignore", "ci.sh"];
  const first = await scratch.hale(["init", "app"]);
  expect(first.code).toBe(0);
  expect(first.stdout).toBe(
    `${files.map((name) => `created app/${name}\n`).join("")}\nNext:\n  cd app\n  hale run .\n  hale test\n  ./ci.sh\n`,
  );
  const second = await scratch.hale(["init", "app"]);
  expect(second.stdout).toContain("kept    app/main.hl (already exists)\n");
  expect((await scratch.hale(["check", "app"])).code).toBe(0);
  expect((await scratch.hale(["check", "app/tests/main_test.hl"])).code).toBe(0);
  expect(await scratch.hale(["fmt", "--check", "app"])).toMatchObject({ code: 0, stdout: "" });
  const hale = scratch.write("hale", `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
  chmodSync(hale, 0o755);
  const ci = spawnSync(path.join(scratch.tree, "app/ci.sh"), [], {
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      HOME: scratch.root,
      XDG_CACHE_HOME: scratch.cache,
      TMPDIR: scratch.tmp,
      HALE: hale,
    },
  });
  expect(ci.stderr).not.toContain("FAIL");
  expect({ status: ci.status, last: ci.stdout.trimEnd().split("\n").at(-1) }).toEqual({
    status: 0,
    last: "1 passed, 0 failed",
  });
});

test("inputs: every file that a build reads, canonical and sorted (08 15)", async () => {
  const main = scratch.write("app/main.hl", 'import "../lib" as lib;\nfn main() { println(lib::one()); }\n');
  const a = scratch.write("lib/a.hl", "fn one() -> Int { return 1; }\n");
  const b = scratch.write("lib/b.hl", "fn two() -> Int { return 2; }\n");
  scratch.write("lib/a_test.hl", SOUND);
  expect(await scratch.hale(["inputs", "app"])).toMatchObject({ code: 0, stdout: `${main}\n${a}\n${b}\n`, stderr: "" });
  expect((await scratch.hale(["inputs", "gone"])).code).toBe(1);
});

test("targets marks the default (08 15)", async () => {
  expect(await scratch.hale(["targets", "extra"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^hale targets: unexpected argument `extra`\n\nUsage:\n/),
  });
  const { code, stdout } = await scratch.hale(["targets"]);
  expect(code).toBe(0);
  expect(stdout.match(/\(default\)/g)?.length).toBe(1);
});

test("completions know every command and every flag", async () => {
  const names = COMMANDS.map(({ name }) => name);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await scratch.hale(["completions", shell]);
    expect(code).toBe(0);
    for (const name of [...names, "junit", "fail-fast", "no-cache"]) expect(stdout).toContain(name);
  }
  expect((await scratch.hale(["completions", "csh"])).code).toBe(2);
});

test("the bash completion works in bash", async () => {
  const script = path.join(scratch.root, "hale.bash");
  const { stdout } = await scratch.hale(["completions", "bash"]);
  scratch.write("../hale.bash", stdout);
  expect(existsSync(script)).toBe(true);
  const complete = (...words: string[]): string[] => {
    const line = words.map((word) => `"${word}"`).join(" ");
    const body = `source ${script}; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _hale 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", body], { encoding: "utf8" })
      .stdout.split("\n")
      .filter((word) => word !== "");
  };
  expect(complete("hale", "co")).toEqual(["completions"]);
  expect(complete("hale", "test", "--ti")).toEqual(["--timeout", "--timing"]);
  expect(complete("hale", "build", "--target", "n")).toEqual(["native"]);
  expect(complete("hale", "completions", "z")).toEqual(["zsh"]);
});

const isThere = (shell: string) => spawnSync(shell, ["-c", ":"]).error === undefined;

test.skipIf(!isThere("zsh"))(
  `the zsh completion is one that zsh can read${isThere("zsh") ? "" : " (skipped: zsh is not on this machine)"}`,
  async () => {
    const script = scratch.write("../_hale", (await scratch.hale(["completions", "zsh"])).stdout);
    const read = spawnSync("zsh", ["-n", script], { encoding: "utf8" });
    expect({ status: read.status, stderr: read.stderr }).toEqual({ status: 0, stderr: "" });
    // `_arguments` is given each command's flags: a double of it tells which.
    const body = `_describe() { print -l -- "\${(@P)2}" }; _arguments() { print -l -- "$@" }; compdef() { }; words=(hale test --); CURRENT=3; source ${script}`;
    expect(spawnSync("zsh", ["-fc", body], { encoding: "utf8" }).stdout).toMatch(/^--timeout\[/m);
  },
);

test.skipIf(!isThere("fish"))(
  `the fish completion works in fish${isThere("fish") ? "" : " (skipped: fish is not on this machine)"}`,
  async () => {
    const script = scratch.write("../hale.fish", (await scratch.hale(["completions", "fish"])).stdout);
    const fish = "fish";
    const complete = (line: string) =>
      spawnSync(fish, ["--no-config", "-c", `source ${script}; complete -C ${JSON.stringify(line)}`], {
        encoding: "utf8",
      })
        .stdout.split("\n")
        .map((word) => word.split("\t")[0])
        .filter((word) => word !== "");
    expect(complete("hale comp")).toEqual(["completions"]);
    expect(complete("hale test --ti").sort()).toEqual(["--timeout", "--timing"]);
    expect(complete("hale completions z")).toEqual(["zsh"]);
  },
);

test("build: how loci fit into caches is reported, warned of, and with --strict a failure (11 11.14)", async () => {
  const source = `@locality(L1) locus Table { params { cells: [Int; 5000]; name: String; } }
locus Pair { params { a: Int; b: Decimal; } }
locus Heap { params { cells: [[Int; 1000]; 100]; } }
fn main() { }
`;
  const file = scratch.write("app.hl", source);
  const warning = (line: string, bytes: number, level: string, limit: number) =>
    new RegExp(`app\\.hl:${line}: warning: the params of \`\\w+\` take about ${bytes} bytes; ${level} has ${limit}`);
  const plain = await scratch.hale(["build", "app.hl"]);
  expect(plain).toMatchObject({ code: 0, stdout: "" });
  expect(plain.stderr).toMatch(warning("1:21", 40008, "L1", 32768));
  const report = await scratch.hale(["build", "app.hl", "--locality-report", "--target-cache", "l2"]);
  expect(report.stdout).toBe(
    "Heap       800000 bytes  l3\nPair           24 bytes  l1\nTable       40008 bytes  l2  @locality(L1)\n",
  );
  expect(report.stderr).toMatch(warning("3:7", 800000, "L2", 524288));
  expect(report.code).toBe(0);
  const strict = await scratch.hale(["build", "app.hl", "--strict", "-o", "strict"]);
  expect(strict).toMatchObject({ code: 1, stderr: expect.stringContaining("--strict: 1 locus does not fit") });
  expect(existsSync(path.join(scratch.tree, "strict"))).toBe(false);
  expect((await scratch.hale(["build", "app.hl", "--target-cache", "l4"])).code).toBe(2);
  scratch.write("app.hl", source.replace("[Int; 5000]", "[Int; 50]"));
  expect(await scratch.hale(["build", "app.hl", "--strict", "--target-cache", "l3"])).toMatchObject({ code: 0 });
  expect(existsSync(file)).toBe(true);
});

test("the longest names that the system takes are formatted, built and reported to", async () => {
  const longest = (end: string): string => "x".repeat(255 - end.length) + end;
  const source = scratch.write(longest(".hl"), SOUND.replace(" {", "{"));
  expect(await scratch.hale(["fmt", source])).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(source, "utf8")).toBe(SOUND);
  const output = longest("");
  expect(await scratch.hale(["build", source, "-o", output])).toMatchObject({ code: 0, stderr: `built: ${output}\n` });
  expect(await scratch.hale(["doc", source, "-o", longest(".md")])).toMatchObject({ code: 0, stdout: "" });
});

test.each(["test", "test .", "check .", "verify --workspace", "run .", "build .", "fmt", "doc", "bench", "inputs ."])(
  "hale %s in a directory that has been removed says so, and is no success",
  (line) => {
    const gone = path.join(scratch.root, "gone");
    const commands = `mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" ${line}`;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", commands, "sh", gone, process.execPath, script], {
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: "",
      stderr: "hale: the current directory cannot be used: no such file or directory\n",
    });
  },
);

test.skipIf(process.getuid?.() !== 0)("files below a directory that may not be entered, from within", async () => {
  scratch.write("closed/in/a.hl", SOUND);
  const [closed, inside] = [path.join(scratch.tree, "closed"), path.join(scratch.tree, "closed/in")];
  for (const directory of [scratch.root, inside]) chmodSync(directory, 0o777);
  const output = path.join(scratch.tree, "a");
  const commands = [`check a.hl`, `build a.hl -o ${output}`, "run a.hl", "lex a.hl"];
  const lines = commands.map((line) => `"$2" "$3" ${line} >/dev/null; echo $?`);
  const asNobody = `cd "$1" && chmod 0 .. && exec setpriv --reuid 65534 --clear-groups sh -c '${lines.join("; ")}' sh "$@"`;
  const { stdout, stderr } = spawnSync("sh", ["-c", asNobody, "sh", inside, process.execPath, script], {
    encoding: "utf8",
    env: { ...process.env, HALE_CACHE: "off", TMPDIR: scratch.tmp },
  });
  chmodSync(closed, 0o755);
  expect(stderr).not.toContain("internal error");
  expect(stdout).toBe("1\n1\n1\n0\n");
});

test("a sibling of a million empty lines is read at once (08 1.9)", async () => {
  scratch.write("empty.hl", `${"\n".repeat(1_000_000)}fn main() { }\n`);
  scratch.write("a.hl", "fn main() { nowhere(); }\n");
  expect(await scratch.hale(["check", "a.hl"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("unknown name `nowhere`"),
  });
});
