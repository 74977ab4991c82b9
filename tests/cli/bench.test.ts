// `hale bench` (reference 08 12). Nothing here judges a time; programs are really compiled and run.
import { spawn, spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { compareSamples, spreadOf } from "../../cli/bench/statistics.ts";
import { until } from "./support/harness.ts";
import { realTool, scratch, useScratch } from "./support/scratch.ts";

vi.setConfig({ testTimeout: 600_000 });

useScratch(realTool);

/** How often a benchmark was called: its batches have 1, 10, 100.. calls, and where the machine halts in the first, that may be the last. */
const callsUpTo = (iterations: number): number => (10 * iterations - 1) / 9;

/** Batches of a benchmark that sleeps for tens of milliseconds. */
const ONE_OR_TEN = /^(?:1|10)$/;

const LINE = /^(bench_\w+) +(\d+) iters +(\d+) ns\/op {3}(\d+) allocs\/op$/;

test("benchmarks in order, with and without a fixture; text is passed through; nothing is left; batches of 1, 10, .. (08 12.2, 08 12.3, 08 12.4, 08 12.5)", async () => {
  scratch.write(
    "x_bench.hl",
    `fn bench_empty() { }
fn helper() -> Int { return 3; }
fn setup_pairs() -> [Int; 4] { return [helper(); 4]; }
fn bench_pairs(xs: [Int; 4]) -> Int { return xs[0] + xs[3]; }
fn bench_text() -> Int { return len("n" + to_string(helper())); }
fn bench_says() { println("said"); std::time::sleep(30ms); }
fn bench_fails() -> Int fallible(String) { std::time::sleep(50ms); return 1; }
`,
  );
  const { code, stdout, stderr } = await scratch.hale(["bench"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  const rows = lines.filter((line) => line !== "said").map((line) => LINE.exec(line) ?? [line]);
  expect(rows.map(([, name]) => name)).toEqual([
    "bench_empty",
    "bench_pairs",
    "bench_text",
    "bench_says",
    "bench_fails",
  ]);
  expect(lines.filter((line) => line === "said").length).toBe(callsUpTo(Number(rows[3]?.[2])));
  expect(rows.map(([, , iterations]) => Number(iterations) % 10 === 0 || iterations === "1")).not.toContain(false);
  expect(rows.map(([, , , , allocations]) => Number(allocations))).toEqual([0, 0, 1, 0, 0]);
  expect(rows.map(([line]) => line?.length)).toEqual(rows.map(() => 40 + 1 + 12 + 6 + 1 + 12 + 9 + 1 + 10));
  expect(scratch.leftFiles()).toEqual([]);
});

test("TMPDIR that is no place for directories is told", async () => {
  scratch.write("x_bench.hl", "fn bench_a() { }\n");
  const { code, stderr } = await scratch.hale(["bench"], { env: { TMPDIR: "/no/such/place" } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "hale bench: could not make a private directory in /no/such/place (TMPDIR): no such file or directory\n",
  });
});

test("-run keeps names that contain the text, --json has sorted keys (08 12.6)", async () => {
  scratch.write("x_bench.hl", "fn bench_a() { std::time::sleep(20ms); }\nfn bench_b() { std::time::sleep(20ms); }\n");
  const { code, stdout } = await scratch.hale(["bench", "--json", "-run", "_b"]);
  expect(code).toBe(0);
  const records: unknown = JSON.parse(stdout);
  expect(records).toEqual([
    { allocs_per_op: 0, file: "x_bench.hl", iters: expect.any(Number), name: "bench_b", ns_per_op: expect.any(Number) },
  ]);
  expect(stdout).toMatch(/^\[\n {2}\{\n {4}"allocs_per_op": 0,\n {4}"file": "x_bench\.hl",\n {4}"iters": (?:1|10),\n/);
});

test.each([
  ["fn main() { }\n", "must not define main"],
  ["fn bench_a(x: Int, y: Int) { }\n", "takes 2 parameters"],
  ["fn bench_a(x: Int) { }\n", "there is no fn setup_a"],
  ["fn setup_a() { }\nfn bench_a(x: Int) { }\n", "setup_a makes the fixture of bench_a, but it returns nothing"],
  [
    "fn setup_a(n: Int) -> Int { return n; }\nfn bench_a(x: Int) { }\n",
    "setup_a makes the fixture of bench_a: it takes no",
  ],
])("%j is refused (08 12.2)", async (source, words) => {
  scratch.write("x_bench.hl", source);
  const { code, stderr, stdout } = await scratch.hale(["bench"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^hale bench: x_bench\.hl: /);
  expect(stderr).toContain(words);
});

test("a fixture of another type than the parameter is told in the user's own lines (08 12.3, 08 12.7)", async () => {
  const source = "type P { x: Int; }\nfn setup_a() -> Int { return 3; }\nfn bench_a(p: P) -> Int { return p.x; }\n";
  const file = scratch.write("x_bench.hl", source);
  expect(await scratch.hale(["bench"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: [
      `hale bench: ${file}:3:15: type error: bench_a takes \`P\`, but setup_a returns \`Int\``,
      "    fn bench_a(p: P) -> Int { return p.x; }",
      "                  ^",
      `    note: the fixture's type at ${file}:2:17`,
      "",
    ].join("\n"),
  });
});

test("a fixture may fail, and then it fails as a benchmark does (08 12.3, 08 12.7)", async () => {
  const setup = (body: string) =>
    `fn setup_a() -> Int fallible(String) { ${body} }\nfn bench_a(n: Int) { std::time::sleep(20ms * n); }\n`;
  scratch.write("x_bench.hl", setup("return 1;"));
  expect((await scratch.hale(["bench"])).stdout).toMatch(/^bench_a /);
  scratch.write("x_bench.hl", setup('fail "no fixture";'));
  const { code, stdout, stderr } = await scratch.hale(["bench"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("unhandled String");
});

test.each(["--save", "--plot"])("%s where nothing can be written is told before anything is measured", async (flag) => {
  scratch.write("loud_bench.hl", 'fn bench_loud() { println("measured"); }\n');
  expect(await scratch.hale(["bench", flag, "no/such/place.svg"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "hale bench: could not write no/such/place.svg: no such file or directory\n",
  });
});

test("--save to what is no file writes through it", async () => {
  scratch.write("x_bench.hl", "fn bench_a() { std::time::sleep(20ms); }\n");
  const pipe = path.join(scratch.tree, "pipe");
  spawnSync("mkfifo", [pipe]);
  const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "ignore"] });
  const read = text(reader.stdout);
  expect((await scratch.hale(["bench", "--save", "pipe"])).code).toBe(0);
  expect(JSON.parse(await read)).toMatchObject({ format: "hale-bench-1", benchmarks: [{ name: "bench_a" }] });
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  expect(readdirSync(scratch.tree).sort()).toEqual(["pipe", "x_bench.hl"]);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)(
  "%s at any moment ends the measuring with status %i and leaves nothing",
  async (signal, status) => {
    scratch.write("a_bench.hl", "fn bench_a() { std::time::sleep(30s); }\n");
    const moments = [
      // The optimiser is at work.
      () => scratch.leftFiles().some((name) => name.startsWith("hale-build-")),
      // The program runs.
      () => scratch.leftProcesses().some((line) => line.includes("hale-bench-")),
    ];
    for (const hasCome of moments) {
      const child = scratch.start(["bench"]);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      await until(hasCome, "the moment has come");
      child.kill(signal);
      expect(await ended).toBe(status);
      await until(() => scratch.leftProcesses().length === 0, "no process is left");
      expect(scratch.leftFiles()).toEqual([]);
    }
  },
  60_000,
);

test("missing targets, nothing found, unknown flags (08 12.1)", async () => {
  expect(await scratch.hale(["bench", "nowhere"])).toMatchObject({
    code: 1,
    stderr: "hale bench: nowhere not found\n",
  });
  expect(await scratch.hale(["bench"])).toMatchObject({ code: 1, stderr: "hale bench: no *_bench.hl files under .\n" });
  expect((await scratch.hale(["bench", "--frob"])).code).toBe(2);
});

test("a benchmark that panics or does not compile: message, status 1, the others are reported (08 12.7)", async () => {
  scratch.write("a_bench.hl", 'fn bench_a() { let n: Int = "four"; }\n');
  scratch.write("b_bench.hl", "fn zero() -> Int { return 0; }\nfn bench_b() -> Int { return 1 / zero(); }\n");
  scratch.write("c_bench.hl", "fn bench_c() { std::time::sleep(20ms); }\n");
  const { code, stdout, stderr } = await scratch.hale(["bench"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/a_bench\.hl:1:29: type error/);
  const place = `${scratch.tree}/b_bench.hl:2:30`;
  // Nothing of the driver, which stands behind the file's end.
  expect(stderr).toContain(`Hale panic: division by zero\n  at ${place}\nhale bench: b_bench.hl: exited with code 1\n`);
  expect(stdout).toMatch(/^bench_c /);
});

test("--save and --baseline: same code is the same, another file is told", async () => {
  scratch.write("x_bench.hl", "fn bench_a() { std::time::sleep(15ms); }\n");
  expect((await scratch.hale(["bench", "--save", "base.json"])).code).toBe(0);
  // What a sleep takes beside its time is the machine's: ten times as long is no regression here.
  const again = await scratch.hale(["bench", "--baseline", "base.json", "--tolerance", "900"]);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).toMatch(/^bench_a: same /);
  expect(await scratch.hale(["bench", "--baseline", "x_bench.hl"])).toMatchObject({
    code: 2,
    stderr: "hale bench: x_bench.hl is not JSON\n",
  });
  expect((await scratch.hale(["bench", "--tolerance", "-3"])).code).toBe(2);
});

test("what is measured may be nothing, a nanosecond, milliseconds, memory, text or a panic", async () => {
  scratch.write(
    "kinds_bench.hl",
    `type Point { x: Int; y: Int; }
locus Counter { params { n: Int = 0; } fn step() -> Int { self.n = self.n + 1; return self.n; } }
fn bench_empty() { }
fn setup_nanosecond() -> Int { return 3; }
fn bench_nanosecond(n: Int) -> Int { return n * 5 + 1; }
fn bench_ten_milliseconds() { std::time::sleep(10ms); }
fn bench_allocates() -> String { return "text " + to_string(12345678); }
fn bench_prints() { println("printed"); std::time::sleep(20ms); }
fn setup_fixture() -> [Int; 3] { return [1, 2, 3]; }
fn bench_fixture(xs: [Int; 3]) -> Int { return xs[0] + xs[2]; }
`,
  );
  scratch.write(
    "panic_bench.hl",
    `fn bench_before() { }
fn zero() -> Int { return 0; }
fn bench_panics() -> Int { return 7 / zero(); }
fn bench_behind() { }
`,
  );
  const { code, stdout, stderr } = await scratch.hale(["bench", "--json"]);
  const rows = new Map<string, { readonly iters: number; readonly ns: number; readonly allocs: number }>();
  const records: { name: string; iters: number; ns_per_op: number; allocs_per_op: number }[] = JSON.parse(stdout);
  for (const each of records)
    rows.set(each.name, { iters: each.iters, ns: each.ns_per_op, allocs: each.allocs_per_op });
  expect([...rows.keys()]).toEqual([
    "bench_empty",
    "bench_nanosecond",
    "bench_ten_milliseconds",
    "bench_allocates",
    "bench_prints",
    "bench_fixture",
    "bench_before",
  ]);
  for (const name of ["bench_empty", "bench_nanosecond", "bench_fixture"]) {
    expect(rows.get(name)).toMatchObject({ allocs: 0 });
    // However slow the machine is: calls of nothing are not calls of something.
    expect(rows.get(name)?.ns).toBeLessThan(1000);
    expect(rows.get(name)?.iters).toBeGreaterThanOrEqual(1_000_000);
  }
  expect(rows.get("bench_ten_milliseconds")).toMatchObject({ allocs: 0 });
  expect(String(rows.get("bench_ten_milliseconds")?.iters)).toMatch(ONE_OR_TEN);
  expect(rows.get("bench_ten_milliseconds")?.ns).toBeGreaterThanOrEqual(10_000_000);
  expect(rows.get("bench_allocates")).toMatchObject({ allocs: 1 });
  const prints = rows.get("bench_prints")?.iters ?? 0;
  expect(String(prints)).toMatch(ONE_OR_TEN);
  expect(stderr.split("\n").filter((line) => line === "printed").length).toBe(callsUpTo(prints));
  // The panic ends its file: what stands behind it is not measured, and the status tells.
  expect(stderr).toContain("Hale panic: division by zero");
  expect(stderr).toContain("hale bench: panic_bench.hl: exited with code 1");
  expect(code).toBe(1);
  expect(scratch.leftFiles()).toEqual([]);
});

/** A benchmark whose work is a chain of additions, none of which the optimiser can foresee. */
const work = (steps: number) => `fn setup_work() -> Int { return ${steps}; }
fn bench_work(steps: Int) -> Int {
    let mut sum = 1;
    let mut i = 0;
    while i < steps { sum = sum * 31 + i; i += 1; }
    return sum;
}
`;

const SAME = process.env["HALE_TEST_BENCH_SAME"];
const SLOWER = process.env["HALE_TEST_BENCH_SLOWER"];

/** Runs `hale bench --baseline` so many times; each gives the verdict. */
async function compares(times: number, verdict: RegExp, code: number, ...more: string[]): Promise<void> {
  for (let run = 0; run < times; run++) {
    const outcome = await scratch.hale(["bench", "--baseline", "base.json", ...more]);
    const { stderr } = outcome;
    expect({ run, code: outcome.code, stderr }).toMatchObject({ run, code, stderr: expect.stringMatching(verdict) });
  }
}

const NO_REGRESSION = /^bench_work: (?:same|faster) /;
const REGRESSION = /^bench_work: slower /;

// How fast a processor is changes with what else the machine does, by more than the tolerance: these differences are larger than that.
test("the same code is no regression, a hundred times the work is one", async () => {
  scratch.write("w_bench.hl", work(2000));
  expect((await scratch.hale(["bench", "--save", "base.json"])).code).toBe(0);
  await compares(2, NO_REGRESSION, 0, "--tolerance", "900");
  scratch.write("w_bench.hl", work(200_000));
  await compares(2, REGRESSION, 1, "--tolerance", "900");
  await compares(1, REGRESSION, 1);
});

test.skipIf(SAME === undefined && SLOWER === undefined)(
  "on a quiet machine: runs of the same code report no regression, runs of code that is 15% slower do (HALE_TEST_BENCH_SAME=50, HALE_TEST_BENCH_SLOWER=20)",
  async () => {
    scratch.write("w_bench.hl", work(2000));
    expect((await scratch.hale(["bench", "--save", "base.json"])).code).toBe(0);
    await compares(Number(SAME ?? 0), NO_REGRESSION, 0);
    scratch.write("w_bench.hl", work(2300));
    await compares(Number(SLOWER ?? 0), REGRESSION, 1);
  },
  3_000_000,
);

test("runs beside each other save to one file one after the other; the file remembers them; the picture shows both", async () => {
  scratch.write("x_bench.hl", "fn bench_a() { std::time::sleep(15ms); }\n");
  const saved = await Promise.all([1, 2, 3].map(() => scratch.hale(["bench", "--save", "base.json"])));
  expect(saved.map(({ code, stderr }) => ({ code, stderr }))).toEqual(saved.map(() => ({ code: 0, stderr: "" })));
  const file: {
    history: { at: string; medians: Record<string, number> }[];
    benchmarks: { samples: number[] }[];
  } = JSON.parse(readFileSync(path.join(scratch.tree, "base.json"), "utf8"));
  expect(file.history.length).toBe(3);
  for (const { medians } of file.history) expect(medians["x_bench.hl\nbench_a"]).toBeGreaterThanOrEqual(15_000_000);
  const plotting = ["bench", "--baseline", "base.json", "--tolerance", "900", "--plot", "p.svg"];
  expect((await scratch.hale(plotting)).code).toBe(0);
  const picture = readFileSync(path.join(scratch.tree, "p.svg"), "utf8");
  expect(picture).toMatch(
    /^<\?xml [\s\S]*<svg [\s\S]*bench_a[\s\S]*<polyline points="(?:[\d.]+,[\d.]+ ){2}[\d.]+,[\d.]+"[\s\S]*<\/svg>\n$/,
  );
  // Ten samples of each of three rounds, now and in the baseline; one where the machine halted.
  expect(String(picture.match(/<circle [^>]*fill="#0366d6"/g)?.length)).toMatch(/^(?:30|21|12|3)$/);
  expect(picture.match(/<circle [^>]*fill="#999"/g)?.length).toBe(file.benchmarks[0]?.samples.length);
  expect((await scratch.hale(["bench", "--plot", "p.html"])).code).toBe(0);
  expect(readFileSync(path.join(scratch.tree, "p.html"), "utf8")).toMatch(/^<!doctype html>\n[\s\S]*<svg /);
  expect((await scratch.hale(["bench", "--plot", "p.png"])).code).toBe(2);
  expect(readdirSync(scratch.tree).sort()).toEqual(["base.json", "p.html", "p.svg", "x_bench.hl"]);
});

const has = (command: string) => spawnSync(command, ["--version"]).error === undefined;
const compilers = { cc: has("cc"), go: has("go"), rustc: has("rustc") };

test(`--compare builds and runs what the file names (here: ${Object.entries(compilers)
  .map(([name, there]) => `${name} ${there ? "runs" : "is not there"}`)
  .join(", ")})`, async () => {
  scratch.write(
    "w_bench.hl",
    `// compare bench_work: w.c w.go sub/w.rs\n${work(1000)}fn bench_alone() { std::time::sleep(20ms); }\n`,
  );
  scratch.write(
    "w.c",
    `#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static long work(long steps) { unsigned long sum = 1; for (long i = 0; i < steps; i++) sum = sum * 31 + i; return sum; }
int main(int argc, char **argv) {
    long calls = atol(argv[1]);
    volatile long steps = 1000, result = 0;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < calls; i++) result = work(steps);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%ld\\n", (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec);
    return 0;
}
`,
  );
  scratch.write(
    "w.go",
    'package main\n\nimport (\n\t"fmt"\n\t"os"\n\t"strconv"\n\t"time"\n)\n\nvar result int\n\nfunc main() {\n\tcalls, _ := strconv.Atoi(os.Args[1])\n\tbegan := time.Now()\n\tfor i := 0; i < calls; i++ {\n\t\tsum := 1\n\t\tfor j := 0; j < 1000; j++ {\n\t\t\tsum = sum*31 + j\n\t\t}\n\t\tresult = sum\n\t}\n\tfmt.Println(time.Since(began).Nanoseconds())\n}\n',
  );
  scratch.write("sub/w.rs", "fn main() { this does not build }\n");
  const { code, stdout, stderr } = await scratch.hale(["bench", "--compare"], {
    env: { PATH: process.env["PATH"] ?? "", GOCACHE: `${scratch.root}/go` },
  });
  expect(code).toBe(0);
  const [heading, row, ...others] = stdout.split("\n\n")[1]?.trimEnd().split("\n") ?? [];
  expect(heading?.split(/\s{2,}| (?=hale\/)/)).toEqual([
    "benchmark",
    "hale ns/op",
    "c ns/op",
    "hale/c",
    "go ns/op",
    "hale/go",
    "rust ns/op",
    "hale/rust",
  ]);
  expect(others).toEqual([]);
  const [name, hale, c, , go, , rust] = row?.split(/\s+/) ?? [];
  expect(name).toBe("bench_work");
  expect(Number(hale)).toBeGreaterThan(100);
  if (compilers.cc) expect(Number(c)).toBeGreaterThan(100);
  if (compilers.go) expect(Number(go)).toBeGreaterThan(100);
  expect(rust).toBe("-");
  expect(stderr).toMatch(compilers.rustc ? /w\.rs does not build/ : /rustc is not there/);
});

test("a difference counts when it is larger than the tolerance and none of chance", () => {
  const noise = (centre: number) => Array.from({ length: 20 }, (_, i) => centre * (1 + ((i * 7) % 20) / 400));
  expect(compareSamples(noise(100), noise(101), 0.1).verdict).toBe("same");
  expect(compareSamples(noise(100), noise(115), 0.1).verdict).toBe("slower");
  expect(compareSamples(noise(115), noise(100), 0.1).verdict).toBe("faster");
  const oneSpike = [...noise(100).slice(1), 900];
  expect(compareSamples(noise(100), oneSpike, 0.1).verdict).toBe("same");
  const disturbed = noise(100).map((sample, index) => (index % 2 === 0 ? sample * 3 : sample));
  expect(compareSamples(noise(100), disturbed, 0.1).verdict).toBe("same");
  expect(
    compareSamples(
      disturbed,
      disturbed.map((sample) => sample * 1.15),
      0.1,
    ).verdict,
  ).toBe("slower");
  expect(spreadOf([5]).median).toBe(5);
});
