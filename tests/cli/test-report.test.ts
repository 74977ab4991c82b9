// What `hale test` says of what programs do (reference 12 12.2, 12.4; 08 11).
import { expect, test } from "vitest";
import { spawn, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fakeTool, scratch, script, useScratch } from "./support/scratch.ts";

useScratch(fakeTool);

test("the sample report of 12.4.1 (12 12.4.1)", async () => {
  scratch.sh("tests/arith_test.hl", "exit 0");
  const source = [
    "#!/bin/sh",
    "echo 'ASSERTION FAILED: product'",
    "echo '  expected: 42'",
    "echo '  actual:   41'",
    `echo '  (0 earlier assertion(s) passed)'; echo '  at ${scratch.tree}/tests/io_test.hl:7:5' >&2`,
    "exit 1",
    '    std::test::assert_eq_int(6 * 7 - 1, 42, "product");',
  ];
  scratch.write("tests/io_test.hl", `${source.join("\n")}\n`);
  const { stdout, stderr, code } = await scratch.hale(["test", "tests"]);
  expect(stdout).toBe(
    [
      "ok   tests/arith_test.hl",
      "FAIL tests/io_test.hl",
      "     ASSERTION FAILED: product",
      "       expected: 42",
      "       actual:   41",
      "       (0 earlier assertion(s) passed)",
      "     (exited with code 1)",
      "     at tests/io_test.hl:7:5",
      '       7 |     std::test::assert_eq_int(6 * 7 - 1, 42, "product");',
      "",
      "1 passed, 1 failed",
      "",
    ].join("\n"),
  );
  expect(stderr).toBe("");
  expect(code).toBe(1);
});

test("all passed: the count and status 0 (08 11.14, 12 12.2.1)", async () => {
  scratch.sh("a_test.hl", "echo 'only a diagnostic' >&2");
  scratch.sh("sub/b_test.hl", "exit 0");
  const { stdout, stderr, code } = await scratch.hale(["test"]);
  expect({ stdout, stderr, code }).toEqual({
    stdout: "ok   a_test.hl\nok   sub/b_test.hl\n\n2 passed, 0 failed\n",
    stderr: "",
    code: 0,
  });
});

test.each([
  ["an exit status", "echo partial; exit 3", "partial\n(exited with code 3)", "exit"],
  ["an exit status without output", "exit 9", "(exited with code 9)", "exit"],
  ["trailing white space goes", "printf 'a  \\n\\n \\n'; exit 2", "a\n(exited with code 2)", "exit"],
  ["a signal, by name", "kill -SEGV $$", "(terminated by signal SIGSEGV)", "signal"],
  ["an assertion", "echo 'ASSERTION FAILED: x'; exit 1", "ASSERTION FAILED: x\n(exited with code 1)", "assertion"],
  [
    "output with status 0",
    "echo hello",
    "test exited 0 but produced stdout (a passing test must be silent):\nhello",
    "stdout",
  ],
  [
    "white space with status 0",
    "echo",
    "test exited 0 but produced stdout (a passing test must be silent):\n",
    "stdout",
  ],
])("failure: %s (12 12.2.2, 08 11.8, 08 11.9, 12 12.4.2)", async (_name, body, message, reason) => {
  const file = scratch.sh("x_test.hl", body);
  const json = await scratch.hale(["test", "--json"]);
  const [record] = JSON.parse(json.stdout);
  expect(record).toMatchObject({ file, status: "fail", message, reason });
  expect(Object.keys(record)).toEqual(["file", "status", "message", "elapsed_ms", "reason"]);
  expect(Number.isInteger(record.elapsed_ms)).toBe(true);
  expect(json.code).toBe(1);
  const text = await scratch.hale(["test"]);
  const indented = message
    .split("\n")
    .map((line) => `     ${line}\n`)
    .join("");
  expect(text.stdout).toBe(`FAIL x_test.hl\n${indented}\n0 passed, 1 failed\n`);
});

test("a compile error is a failure with the rendered finding, and its place in JSON (08 11.9, 12 12.4.2)", async () => {
  const file = scratch.sh("bad_test.hl", "# reject `n` is an Int; it cannot hold a String");
  scratch.sh("good_test.hl", "exit 0");
  const { stdout, code } = await scratch.hale(["test"]);
  expect(stdout).toBe(
    [
      "FAIL bad_test.hl",
      `     ${file}:2:1: type error: \`n\` is an Int; it cannot hold a String`,
      "         # reject `n` is an Int; it cannot hold a String",
      "         ^^^^^^^^",
      "ok   good_test.hl",
      "",
      "1 passed, 1 failed",
      "",
    ].join("\n"),
  );
  expect(code).toBe(1);
  const [record] = JSON.parse((await scratch.hale(["test", "--json"])).stdout);
  expect(record).toMatchObject({ status: "fail", reason: "compile", location: { file, line: 2, col: 1 } });
});

test("a bug of the compiler fails one test; the others run", async () => {
  scratch.sh("a_test.hl", "# crash impossible register");
  scratch.sh("b_test.hl", "exit 0");
  const { stdout, code } = await scratch.hale(["test"]);
  expect(stdout).toContain(
    "FAIL a_test.hl\n     internal error of the compiler: impossible register; please report it",
  );
  expect(stdout).toContain("ok   b_test.hl\n");
  expect(code).toBe(1);
});

test("an executable that the system will not start is a failure of its own kind (12 12.4.2)", async () => {
  scratch.write("x_test.hl", "#!/no/such/interpreter\n");
  const [record] = JSON.parse((await scratch.hale(["test", "--json"])).stdout);
  expect(record).toMatchObject({ reason: "runner", message: "could not start the test: no such file or directory" });
});

test("the callers of a failing helper are shown, innermost first, each with its line (12 12.2.4, 12 12.4.1)", async () => {
  const library = scratch.write("lib/check.hl", '// helpers\nfn positive(n: Int) { std::test::assert(n > 0, "n"); }\n');
  const source = (file: string): string[] => [
    "#!/bin/sh",
    `echo 'before' >&2; echo '  at ${library}:2:23' >&2; echo '  called from ${file}:4:1' >&2; echo 'after' >&2`,
    "echo 'ASSERTION FAILED: n'; exit 1",
    "check::positive(-1);",
  ];
  const file = path.join(scratch.tree, "x_test.hl");
  scratch.write("x_test.hl", source(file).join("\n"));
  const { stdout } = await scratch.hale(["test"]);
  expect(stdout).toBe(
    [
      "FAIL x_test.hl",
      "     ASSERTION FAILED: n",
      "     (exited with code 1)",
      "     at lib/check.hl:2:23",
      '       2 | fn positive(n: Int) { std::test::assert(n > 0, "n"); }',
      "     called from x_test.hl:4:1",
      "       4 | check::positive(-1);",
      "     stderr:",
      "       before",
      "       after",
      "",
      "0 passed, 1 failed",
      "",
    ].join("\n"),
  );
  const [record] = JSON.parse((await scratch.hale(["test", "--json"])).stdout);
  expect(record.location).toEqual({ file: library, line: 2, col: 23 });
  expect(record.message).toBe("ASSERTION FAILED: n\n(exited with code 1)");
});

test("--verbose shows what passing tests wrote (12 12.4.1)", async () => {
  scratch.sh("a_test.hl", "echo one >&2; echo two >&2");
  scratch.sh("b_test.hl", "exit 0");
  const { stdout } = await scratch.hale(["test", "--verbose"]);
  expect(stdout).toBe("ok   a_test.hl\n     stderr:\n       one\n       two\nok   b_test.hl\n\n2 passed, 0 failed\n");
});

test("--fail-fast starts nothing after a failure and counts the rest (12 12.4.6)", async () => {
  scratch.sh("a_test.hl", "exit 0");
  scratch.sh("b_test.hl", "exit 1");
  for (const name of ["c", "d", "e"]) scratch.sh(`${name}_test.hl`, `touch ran-${name}`);
  const { stdout, code } = await scratch.hale(["test", "--fail-fast", "-j1"]);
  expect(stdout).toBe("ok   a_test.hl\nFAIL b_test.hl\n     (exited with code 1)\n\n1 passed, 1 failed, 3 not run\n");
  expect(code).toBe(1);
});

test("nothing found (08 11.4, 12 12.4.7)", async () => {
  scratch.write("sub/main.hl", "");
  scratch.write("other/x.hl", "");
  const none = async (...args: string[]): Promise<unknown> => {
    const { stdout, code } = await scratch.hale(["test", ...args]);
    return { stdout, code };
  };
  expect(await none("sub")).toEqual({ stdout: "no `_test.hl` files found under sub\n", code: 0 });
  expect(await none("sub", "other")).toEqual({ stdout: "no `_test.hl` files found under sub, other\n", code: 0 });
  expect(await none("sub", "-run", "io")).toEqual({ stdout: "no `_test.hl` files matching `io` under sub\n", code: 0 });
  expect(await none("--json")).toEqual({ stdout: "[]\n", code: 0 });
  expect(await none("--list")).toEqual({ stdout: "", code: 0 });
});

test("--timing ends with the figures and adds keys to JSON (12 12.4.4, 12 12.4.2)", async () => {
  scratch.sh("a_test.hl", "exit 0");
  const { stdout } = await scratch.hale(["test", "--timing"]);
  expect(stdout).toMatch(
    /^ok {3}a_test\.hl\n\n1 passed, 0 failed\n\ntiming:\n {2}p50 +\d+ ms\n {2}p90 +\d+ ms\n {2}p95 +\d+ ms\n {2}p99 +\d+ ms\n {2}average +\d+ ms\nslowest:\n +\d+ ms {2}a_test\.hl\ntotal:\n {2}compile +\d+ ms\n {2}run +\d+ ms\n$/,
  );
  const [record] = JSON.parse((await scratch.hale(["test", "--timing", "--json"])).stdout);
  expect(Object.keys(record)).toEqual(["file", "status", "elapsed_ms", "compile_ms", "run_ms", "cached"]);
});

test("--junit writes a whole file that holds what XML can (12 12.4.5)", async () => {
  scratch.sh("a_test.hl", "exit 0");
  scratch.sh("b_test.hl", "printf 'x <&\"\\001\\033[1m\\n'; echo err >&2; exit 4");
  const report = path.join(scratch.root, "report.xml");
  await scratch.hale(["test", "--junit", report]);
  const xml = readFileSync(report, "utf8");
  expect(xml).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites>\n {2}<testsuite name="hale test" tests="2" failures="1" errors="0" time="\d+\.\d{3}" *>\n/,
  );
  expect(xml).toMatch(/<testcase classname="hale" name="a_test\.hl" file="[^"]+" time="\d+\.\d{3}"\/>/);
  expect(xml).toContain(
    '<failure message="x &lt;&amp;&quot;\\x01\\x1b[1m" type="exit">x &lt;&amp;&quot;\\x01\\x1b[1m\n(exited with code 4)</failure>',
  );
  expect(xml).toContain("<system-out>x &lt;&amp;&quot;\\x01\\x1b[1m\n</system-out>");
  expect(xml).toContain("<system-err>err\n</system-err>");
  expect(xml.endsWith("    </testcase>\n  </testsuite>\n</testsuites>\n")).toBe(true);
});

test("--junit to what is no file writes through it, and to what a link leads to (12 12.4.5)", async () => {
  scratch.sh("a_test.hl", "exit 0");
  const pipe = path.join(scratch.root, "pipe");
  spawnSync("mkfifo", [pipe]);
  const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "ignore"] });
  const read = text(reader.stdout);
  expect((await scratch.hale(["test", "--junit", pipe])).code).toBe(0);
  expect(await read).toMatch(/^<\?xml[\s\S]*<\/testsuites>\n$/);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  const link = path.join(scratch.root, "link.xml");
  writeFileSync(path.join(scratch.root, "real.xml"), "old");
  symlinkSync("real.xml", link);
  await scratch.hale(["test", "--junit", link]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(path.join(scratch.root, "real.xml"), "utf8")).toContain("</testsuites>");
  expect(scratch.leftFiles()).toEqual([]);
});

test("--junit where nothing can be written is told before anything runs", async () => {
  scratch.sh("a_test.hl", "touch ran");
  const { stderr, stdout, code } = await scratch.hale(["test", "--junit", "no/such/dir/r.xml"]);
  expect({ stderr, stdout, code }).toEqual({
    stderr: "hale test: could not write no/such/dir/r.xml: no such file or directory\n",
    stdout: "",
    code: 2,
  });
  const { root } = scratch;
  expect(await scratch.hale(["test", "--junit", root])).toMatchObject({
    stderr: `hale test: could not write ${root}: ${root} is a directory\n`,
    stdout: "",
    code: 2,
  });
});

test("a JUnit report that is lost at the end is told, and no success (12 12.4.5)", async () => {
  scratch.sh("a_test.hl", 'rm -r "$SCRATCH/reports"');
  mkdirSync(path.join(scratch.root, "reports"));
  const report = path.join(scratch.root, "reports/r.xml");
  expect(await scratch.hale(["test", "--junit", report])).toMatchObject({
    stdout: "ok   a_test.hl\n\n1 passed, 0 failed\n",
    stderr: `hale test: could not write ${report}: no such file or directory\n`,
    code: 2,
  });
});

test("a reader that goes away ends the run quietly", async () => {
  scratch.sh("first_test.hl", "exit 0");
  for (let i = 0; i < 30; i++)
    scratch.sh(`t${i}_test.hl`, 'until [ -e "$SCRATCH/gone" ]; do sleep 0.02; done; sleep 0.05');
  const child = scratch.start(["test", "-j2"]);
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdout?.once("data", () => {
    child.stdout?.destroy();
    scratch.write("../gone", "");
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  expect({ code, stderr }).toEqual({ code: 141, stderr: "" });
  expect(scratch.leftFiles()).toEqual([]);
  expect(scratch.leftProcesses()).toEqual([]);
});

test("fifty files: byte-identical output at any -j (12 12.5, 12 12.4.1, 08 11.20, 06b 6b.1.6)", async () => {
  for (let i = 0; i < 50; i++) {
    // Later files end first, so that order is the runner's doing.
    scratch.sh(
      `s${i % 3}/t${i}_test.hl`,
      `sleep 0.0${(50 - i) % 7}`,
      i % 5 === 0 ? `echo fails ${i}; exit 2` : "exit 0",
    );
  }
  const outputs = await Promise.all(["1", "2", "8"].map((jobs) => scratch.hale(["test", "-j", jobs])));
  expect(new Set(outputs.map(({ stdout }) => stdout)).size).toBe(1);
  expect(outputs.map(({ code }) => code)).toEqual([1, 1, 1]);
  expect(outputs[0]?.stdout).toMatch(/\n\n40 passed, 10 failed\n$/);
});

const hasScript = spawnSync("script", ["--version"]).status === 0;

test.runIf(hasScript)(
  "on a terminal: colours and a line that counts; neither with NO_COLOR or --json (12 12.4.3)",
  () => {
    scratch.sh("a_test.hl", "sleep 0.4");
    scratch.sh("b_test.hl", "exit 1");
    const onTerminal = (args: string, env: Record<string, string> = {}): string =>
      spawnSync("script", ["-qec", `"${process.execPath}" "${script}" test -j1 ${args}`, "/dev/null"], {
        cwd: scratch.tree,
        env: { PATH: process.env["PATH"], TMPDIR: scratch.tmp, XDG_CACHE_HOME: scratch.cache, TERM: "xterm", ...env },
        encoding: "utf8",
      }).stdout.replaceAll("\r\n", "\n");
    const decorated = onTerminal("");
    expect(decorated).toContain("\r[0/2] a_test.hl\u001b[K");
    expect(decorated).toContain("\r\u001b[K\u001b[32mok\u001b[0m   a_test.hl\n");
    expect(decorated).toContain("\u001b[31mFAIL\u001b[0m b_test.hl\n");
    const plain = "ok   a_test.hl\nFAIL b_test.hl\n     (exited with code 1)\n\n1 passed, 1 failed\n";
    expect(onTerminal("", { NO_COLOR: "1" })).toBe(plain);
    expect(onTerminal("", { TERM: "dumb" })).toBe(plain);
    const json = onTerminal("--json");
    expect(JSON.parse(json)).toHaveLength(2);
    expect(json).not.toContain("\u001b");
  },
);
