// Hale programs from source to report: what the command line promises of compiled tests (reference 12, 05b 5b.13).
import { expect, test } from "vitest";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { until } from "./support/harness.ts";
import { realTool, scratch, useScratch } from "./support/scratch.ts";

useScratch(realTool, { leavesNothing: true });

const lines = (...each: string[]): string => `${each.join("\n")}\n`;

test("the sample of 12.4.1 (12 12.4.1, 08 11.13)", async () => {
  scratch.write("tests/arith_test.hl", 'fn main() { std::test::assert_eq_int(2 + 2, 4, "sum"); }\n');
  scratch.write(
    "tests/io_test.hl",
    lines(
      "// 1",
      "// 2",
      "// 3",
      "// 4",
      "",
      "fn main() {",
      '    std::test::assert_eq_int(6 * 7 - 1, 42, "product");',
      "}",
    ),
  );
  expect(await scratch.hale(["test", "tests"])).toMatchObject({
    code: 1,
    stdout: lines(
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
    ),
    stderr: "",
  });
});

test("every assertion's text, and strings as they are (12 12.2.3, 08 11.16, 08 11.17)", async () => {
  scratch.write("a_test.hl", 'fn main() { std::test::assert(1 < 2, "x"); std::test::assert(2 < 1, "order"); }\n');
  scratch.write("b_test.hl", 'fn main() { std::test::assert_eq_str("ho", "hi", "greeting"); }\n');
  scratch.write("c_test.hl", 'fn main() { std::test::assert_near(1.5, 1.0, 0.25, "near"); }\n');
  const records: { message: string; reason: string }[] = JSON.parse((await scratch.hale(["test", "--json"])).stdout);
  expect(records.map(({ message }) => message)).toEqual([
    "ASSERTION FAILED: order\n  (1 earlier assertion(s) passed)\n(exited with code 1)",
    'ASSERTION FAILED: greeting\n  expected: "hi"\n  actual:   "ho"\n  (0 earlier assertion(s) passed)\n(exited with code 1)',
    "ASSERTION FAILED: near\n  expected: 1\n  actual:   1.5\n  tolerance: 0.25\n  (0 earlier assertion(s) passed)\n(exited with code 1)",
  ]);
  expect(records.map(({ reason }) => reason)).toEqual(["assertion", "assertion", "assertion"]);
});

test("a helper's failure is shown with its caller, and tears down what was alive (12 12.2.4, 08 11.18, 05b 5b.13)", async () => {
  scratch.write(
    "a_test.hl",
    lines(
      'locus Guard { params { what: String = ""; } dissolve() { eprintln("clean ", self.what); } }',
      "fn check(n: Int) {",
      '    let inner = Guard { what: "inner" };',
      '    std::test::assert(n > 0, "n is positive");',
      "}",
      "fn main() {",
      '    let a = Guard { what: "a" };',
      "    check(-1);",
      '    eprintln("not reached");',
      "}",
    ),
  );
  const { stdout } = await scratch.hale(["test"]);
  expect(stdout).toBe(
    lines(
      "FAIL a_test.hl",
      "     ASSERTION FAILED: n is positive",
      "       (0 earlier assertion(s) passed)",
      "     (exited with code 1)",
      "     at a_test.hl:4:5",
      '       4 |     std::test::assert(n > 0, "n is positive");',
      "     called from a_test.hl:8:5",
      "       8 |     check(-1);",
      "     stderr:",
      "       clean inner",
      "       clean a",
      "",
      "0 passed, 1 failed",
    ),
  );
});

test("a test that fails while it owns a child process and a directory leaves neither (05b 5b.13)", async () => {
  const example = readFileSync(path.join(import.meta.dirname, "../../examples/server_guard_test.hl"), "utf8");
  const failing = example
    .replace('"welcome\\n", "the page it serves"', '"goodbye\\n", "the page it serves"')
    .replace('std::env::var("XDG_DATA_HOME")', `"${scratch.root}/tree"`);
  expect(failing).not.toBe(example);
  scratch.write("server_test.hl", failing);
  const { stdout, stderr } = await scratch.hale(["test"]);
  expect(stdout).toContain("     ASSERTION FAILED: the page it serves\n");
  // Its own dissolve() has stopped it: nothing was left for the runner to end.
  expect(stderr).toBe("");
  const { stdout: listing } = await scratch.hale(["test", "--list", "."]);
  expect(listing).toBe("./server_test.hl\n");
  expect(readFileSyncOrMissing(path.join(scratch.tree, "site/index.txt"))).toBe("missing");
});

function readFileSyncOrMissing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "missing";
  }
}

test("children that nobody stops are named and ended (12 12.3.5)", async () => {
  scratch.write(
    "a_test.hl",
    lines(
      "fn main() {",
      `    let c = std::process::spawn("sh\\n-c\\ntrap '' TERM INT; exec sleep 91") or raise;`,
      '    std::test::assert(c.pid > 0, "spawned");',
      '    while (std::io::fs::read_file(f"/proc/{c.pid}/comm") or "") != "sleep\\n" { std::time::sleep(5ms); }',
      "}",
    ),
  );
  const { stdout, stderr } = await scratch.hale(["test"]);
  expect(stdout).toBe("ok   a_test.hl\n\n1 passed, 0 failed\n");
  expect(stderr).toMatch(/^hale test: a_test\.hl: left running: \d+ sleep 91\n$/);
});

test("a program that reads draining dissolves at the timeout (12 12.3.5, 05b 5b.15)", async () => {
  scratch.write(
    "a_test.hl",
    lines(
      "locus Pump {",
      "    run() { while !self.draining { std::time::sleep(10ms); } }",
      '    dissolve() { eprintln("pump gone"); }',
      "}",
      "fn main() { Pump { }; }",
    ),
  );
  const { stdout } = await scratch.hale(["test", "--timeout", "5s"]);
  expect(stdout).toBe(
    "FAIL a_test.hl\n     (timed out after 5s)\n     stderr:\n       pump gone\n\n0 passed, 1 failed\n",
  );
});

test("endless loops, endless sleeps, endless recursion (12 12.2.2, 12 12.3.5)", async () => {
  scratch.write("loop_test.hl", "fn main() { let mut n = 0; while true { n += 1; } }\n");
  scratch.write("sleep_test.hl", "fn main() { std::time::sleep(1h); }\n");
  scratch.write(
    "stack_test.hl",
    "fn down(n: Int) -> Int { return down(n + 1) + 1; }\nfn main() { let n = down(0); }\n",
  );
  const { stdout } = await scratch.hale(["test", "--timeout", "6s"]);
  expect(stdout).toMatch(
    /^FAIL loop_test\.hl\n {5}\(timed out after 6s\)\nFAIL sleep_test\.hl\n {5}\(timed out after 6s\)\nFAIL stack_test\.hl\n/,
  );
  expect(stdout).toContain("Hale panic: stack overflow");
});

test.runIf(process.platform === "linux" && process.arch === "x64")(
  "a compiled test killed from outside fails, by whatever signal (12 12.3.2)",
  async () => {
    for (const [name, signal] of Object.entries({ a: "SEGV", b: "BUS", c: "ABRT", d: "34", e: "40", f: "64" }))
      scratch.write(
        `${name}_test.hl`,
        `fn main() { let _ = std::process::run(f"sh\n-c\nkill -${signal} {std::process::pid()}") or raise; std::time::sleep(60s); }\n`,
      );
    expect(await scratch.hale(["test"])).toMatchObject({
      code: 1,
      stdout: lines(
        "FAIL a_test.hl",
        "     (terminated by signal SIGSEGV)",
        "FAIL b_test.hl",
        "     (terminated by signal SIGBUS)",
        "FAIL c_test.hl",
        "     (terminated by signal SIGABRT)",
        "FAIL d_test.hl",
        "     (exited with code 162)",
        "FAIL e_test.hl",
        "     (exited with code 168)",
        "FAIL f_test.hl",
        "     (exited with code 192)",
        "",
        "0 passed, 6 failed",
      ),
    });
  },
);

test("sources that are no programs: each a clear line, and the rest runs (12 12.2.2, 08 11.9, 08 1.7)", async () => {
  scratch.write("a_test.hl", new Uint8Array([0x66, 0x6e, 0x0a, 0xff, 0xfe]));
  scratch.write("b_test.hl", "fn helper() { }\n");
  scratch.write("c_test.hl", "");
  scratch.write("d_test.hl", "(".repeat(100_000));
  scratch.write("e_test.hl", `import "nowhere" as n;\nfn main() { }\n`);
  scratch.write("f_test.hl", 'fn main() { std::test::assert(true, "x"); }\n');
  scratch.write("g_test.hl", `fn main() { }\n${"// a line of five megabytes of comment\n".repeat(140_000)}`);
  const { stdout, stderr, code } = await scratch.hale(["test"]);
  const summary = stdout.split("\n").filter((line) => /^(ok|FAIL) /.test(line));
  expect(summary).toEqual([
    "FAIL a_test.hl",
    "FAIL b_test.hl",
    "FAIL c_test.hl",
    "FAIL d_test.hl",
    "FAIL e_test.hl",
    "ok   f_test.hl",
    "ok   g_test.hl",
  ]);
  expect(stdout).toContain("     could not read a_test.hl: not valid UTF-8 (line 2)\n");
  expect(stdout.match(/program has no fn main\(\)/g)?.length).toBe(2);
  expect(stdout).toContain('could not resolve import "nowhere"');
  expect(stdout).not.toMatch(/internal error|\.ts:|node:/);
  expect({ stderr, code }).toEqual({ stderr: "", code: 1 });
});

test("tests see neither each other's vaults nor their neighbours' names (12 12.1.2, 12 12.3.4, 08 11.7)", async () => {
  scratch.write("main.hl", "fn helper() -> Int { return 1; }\nfn main() { }\n");
  for (const name of ["main", "other"]) {
    scratch.write(
      `${name}_test.hl`,
      lines(
        `fn helper() -> String { return "${name}"; }`,
        "fn main() {",
        '    let token = std::env::var("HALE_VAULT_DIR") + "/token";',
        '    std::test::assert(!std::io::fs::file_exists(token), "no secret of another test");',
        "    std::io::fs::write_file(token, helper()) or raise;",
        "    std::time::sleep(100ms);",
        `    std::test::assert_eq_str(std::io::fs::read_file(token) or "", "${name}", "the own secret");`,
        "}",
      ),
    );
  }
  expect(await scratch.hale(["test", "-j2"])).toMatchObject({
    code: 0,
    stdout: "ok   main_test.hl\nok   other_test.hl\n\n2 passed, 0 failed\n",
  });
});

test("a change of a library is seen by the next run, and an unchanged run is the same (12 12.1.2, 08 11.6)", async () => {
  scratch.write("lib/one.hl", "fn one() -> Int { return 1; }\n");
  scratch.write("a_test.hl", 'import "lib" as lib;\nfn main() { std::test::assert_eq_int(lib::one(), 1, "one"); }\n');
  const cached = async (): Promise<unknown> =>
    JSON.parse((await scratch.hale(["test", "--json", "--timing"])).stdout)[0];
  expect(await cached()).toMatchObject({ status: "pass", cached: false });
  expect(await cached()).toMatchObject({ status: "pass", cached: true });
  scratch.write("lib/one.hl", "fn one() -> Int { return 2; }\n");
  expect(await cached()).toMatchObject({ status: "fail", cached: false });
  scratch.write("lib/one.hl", "fn one() -> Int { return 1; }\n");
  scratch.write("lib.hl", "fn one() -> Int { return 3; }\n");
  expect(await cached()).toMatchObject({
    status: "fail",
    cached: false,
    message: expect.stringContaining("actual:   3"),
  });
});

test("init makes a project that passes check and test and runs (08 15, 12 12.1.3, 08 11.19)", async () => {
  await scratch.hale(["init", "app"]);
  expect(await scratch.hale(["test", "app"])).toMatchObject({
    code: 0,
    stdout: "ok   app/tests/main_test.hl\n\n1 passed, 0 failed\n",
  });
  expect(await scratch.hale(["run", "app"])).toMatchObject({ code: 0, stdout: "Hello, world!\n", stderr: "" });
});

test("a built program runs by itself (08 9.1)", async () => {
  scratch.write("app/main.hl", 'fn main() -> Int { println("hi ", std::env::arg(1)); return 7; }\n');
  expect(await scratch.hale(["build", "app"])).toMatchObject({ code: 0, stdout: "", stderr: "built: app/app\n" });
  expect(await scratch.hale(["build", "app/main.hl", "-o", "prog"])).toMatchObject({
    code: 0,
    stderr: "built: prog\n",
  });
  const { spawnSync } = await import("node:child_process");
  for (const program of ["app/app", "prog"]) {
    const { status, stdout } = spawnSync(path.join(scratch.tree, program), ["you"], { encoding: "utf8", cwd: "/" });
    expect({ status, stdout }).toEqual({ status: 7, stdout: "hi you\n" });
  }
});

test("build: flags on either side, flags that exclude each other, flags to come, HALE_DEV, HALE_TIME (08 9.3, 08 9.4, 08 9.5)", async () => {
  scratch.write("good.hl", 'fn main() { println("good"); }\n');
  const build = (args: string[], env: Record<string, string> = {}) => scratch.hale(["build", ...args], { env });
  for (const args of [
    ["good.hl", "--dev", "-o", "a"],
    ["--dev", "-o", "b", "good.hl"],
    ["--out=c", "good.hl"],
  ])
    expect(await build(args)).toMatchObject({ code: 0, stdout: "", stderr: expect.stringMatching(/^built: [abc]\n$/) });
  for (const name of ["a", "b", "c"]) expect(spawnSync(path.join(scratch.tree, name)).stdout.toString()).toBe("good\n");
  expect(await build(["good.hl"], { HALE_TIME: "1" })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^built: good\ntime: \d+ ms, (?:compiled|from the compile cache)\n$/),
  });
  expect(await build(["--release", "good.hl"], { HALE_DEV: "1" })).toMatchObject({
    code: 2,
    stderr: "hale build: --dev and --release exclude each other\n",
  });
  for (const flag of ["--target-cpu", "--link", "--csrc", "--wrap-main", "--api"])
    expect(await build(["good.hl", flag])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(`^hale build: not supported yet: ${flag}\n`),
    });
  expect((await build(["good.hl", "--frob"])).stderr).toMatch(/^unknown `hale build` flag: --frob\n/);
  expect(await build([])).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Usage:\n {2}hale build /) });
});

test("a signal while the optimiser works ends build and run, and leaves nothing (08 9, 08 10)", async () => {
  scratch.write("good.hl", 'fn main() { println("good"); }\n');
  for (const command of ["build", "run"]) {
    const child = scratch.start([command, "--release", "--no-cache", "good.hl"]);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await until(() => scratch.leftFiles().some((name) => name.startsWith("hale-build-")), "the optimiser works");
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    await until(() => scratch.leftProcesses().length === 0, "no process is left");
    expect(scratch.leftFiles()).toEqual([]);
    expect(readdirSync(scratch.tree)).toEqual(["good.hl"]);
  }
}, 60_000);

test("a test is an ordinary program: fn main or a main locus, registered nowhere (12 12.1.1)", async () => {
  scratch.write("a_test.hl", 'fn main() { std::test::assert(true, "a"); }\n');
  scratch.write("b_test.hl", 'main locus App { run() { std::test::assert_eq_int(1, 2, "b"); } }\n');
  scratch.write("c_test.hl", "fn helper() { }\n");
  const { code, stdout } = await scratch.hale(["test"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ok {3}a_test\.hl\nFAIL b_test\.hl\n {5}ASSERTION FAILED: b\n/);
  expect(stdout).toContain("program has no fn main()");
  expect(stdout).toMatch(/\n\n1 passed, 2 failed\n$/);
});

test("build: a pipe or a device is not replaced by the executable (08 9.1)", async () => {
  scratch.write("good.hl", "fn main() { }\n");
  const { execFileSync } = await import("node:child_process");
  const { lstatSync } = await import("node:fs");
  const pipe = path.join(scratch.tree, "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(await scratch.hale(["build", "good.hl", "-o", "pipe"])).toMatchObject({
    code: 1,
    stderr: "hale build: could not write pipe: pipe is not a regular file\n",
  });
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test("build: errors leave no file, directories are no place for one (08 9.2, 08 9.1)", async () => {
  scratch.write("bad.hl", 'fn main() { let n: Int = "x"; }\n');
  scratch.write("good.hl", "fn main() { }\n");
  scratch.write("lib.hl", "fn f() { }\n");
  scratch.write("d/x.txt", "");
  expect((await scratch.hale(["build", "bad.hl"])).code).toBe(1);
  expect(await scratch.hale(["build", "good.hl", "-o", "d"])).toMatchObject({
    code: 1,
    stderr: "hale build: could not write d: d is a directory\n",
  });
  expect(await scratch.hale(["build", "good.hl", "-o", "no/such/x"])).toMatchObject({ code: 1 });
  expect(await scratch.hale(["build", "good.hl", "-o", "lib.hl"])).toMatchObject({
    code: 1,
    stderr: "hale build: could not write lib.hl: lib.hl is a Hale source\n",
  });
  expect((await scratch.hale(["build", "good.hl", "-o", ""])).stderr).toBe(
    "hale build: could not write : no file name\n",
  );
  expect(await scratch.hale(["build", "d"])).toMatchObject({ code: 1, stderr: "no .hl files in d\n" });
  expect((await scratch.hale(["build", "lib.hl"])).stderr).toContain("program has no fn main()");
  const { readdirSync } = await import("node:fs");
  expect(readdirSync(scratch.tree).sort()).toEqual(["bad.hl", "d", "good.hl", "lib.hl"]);
});
