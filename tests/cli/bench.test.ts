// `hale bench` (reference 08 12). Nothing here judges a time; programs are really compiled and run.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { compareSamples, spreadOf } from "../../cli/bench/statistics.ts";
import { bundle, Scratch } from "./support/harness.ts";

let real: Awaited<ReturnType<typeof bundle>>;
let scratch: Scratch;
beforeAll(async () => {
  real = await bundle("cli/main.ts");
});
afterAll(() => real.remove());
beforeEach(() => {
  scratch = new Scratch(real.script);
});
afterEach(() => scratch.remove());

const LINE = /^(bench_\w+) +(\d+) iters +(\d+) ns\/op {3}(\d+) allocs\/op$/;

test("benchmarks in order, with and without a fixture; text is passed through; nothing is left (08 12.2, 08 12.3, 08 12.5)", async () => {
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
  expect(lines.filter((line) => line === "said").length).toBe(11);
  const rows = lines.filter((line) => line !== "said").map((line) => LINE.exec(line) ?? [line]);
  expect(rows.map(([, name]) => name)).toEqual([
    "bench_empty",
    "bench_pairs",
    "bench_text",
    "bench_says",
    "bench_fails",
  ]);
  expect(rows.map(([, , iterations]) => Number(iterations) % 10 === 0 || iterations === "1")).not.toContain(false);
  expect(rows.map(([, , , , allocations]) => Number(allocations))).toEqual([0, 0, 1, 0, 0]);
  expect(rows.map(([line]) => line?.length)).toEqual(rows.map(() => 40 + 1 + 12 + 6 + 1 + 12 + 9 + 1 + 10));
  expect(scratch.leftFiles()).toEqual([]);
}, 60_000);

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
    { allocs_per_op: 0, file: "x_bench.hl", iters: 10, name: "bench_b", ns_per_op: expect.any(Number) },
  ]);
  expect(stdout).toMatch(/^\[\n {2}\{\n {4}"allocs_per_op": 0,\n {4}"file"/);
}, 60_000);

test.each([
  ["fn main() { }\n", "must not define main"],
  ["fn bench_a(x: Int, y: Int) { }\n", "takes 2 parameters"],
  ["fn bench_a(x: Int) { }\n", "there is no fn setup_a"],
])("%j is refused (08 12.2)", async (source, words) => {
  scratch.write("x_bench.hl", source);
  const { code, stderr, stdout } = await scratch.hale(["bench"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^hale bench: x_bench\.hl: /);
  expect(stderr).toContain(words);
});

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
  expect(stderr).toContain("Hale panic: division by zero");
  expect(stderr).toContain("hale bench: b_bench.hl: exited with code 1");
  expect(stdout).toMatch(/^bench_c /);
}, 60_000);

test("--save and --baseline: same code is the same, another file is told", async () => {
  scratch.write("x_bench.hl", "fn bench_a() { std::time::sleep(15ms); }\n");
  expect((await scratch.hale(["bench", "--save", "base.json"])).code).toBe(0);
  const again = await scratch.hale(["bench", "--baseline", "base.json"]);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).toMatch(/^bench_a: same /);
  expect(await scratch.hale(["bench", "--baseline", "x_bench.hl"])).toMatchObject({
    code: 2,
    stderr: "hale bench: x_bench.hl is not JSON\n",
  });
  expect((await scratch.hale(["bench", "--tolerance", "-3"])).code).toBe(2);
}, 60_000);

test("a difference counts when it is larger than the tolerance and none of chance", () => {
  const noise = (centre: number) => Array.from({ length: 20 }, (_, i) => centre * (1 + ((i * 7) % 20) / 400));
  expect(compareSamples(noise(100), noise(101), 0.1).verdict).toBe("same");
  expect(compareSamples(noise(100), noise(115), 0.1).verdict).toBe("slower");
  expect(compareSamples(noise(115), noise(100), 0.1).verdict).toBe("faster");
  const oneSpike = [...noise(100).slice(1), 900];
  expect(compareSamples(noise(100), oneSpike, 0.1).verdict).toBe("same");
  expect(spreadOf([5]).median).toBe(5);
});
