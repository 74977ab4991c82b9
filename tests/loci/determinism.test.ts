// A program on one pool prints the same bytes each time (reference 06 6.1.5): a cascade of 1,000 messages through three loci, with failures, flows and dissolves that send.
import { expect, test } from "vitest";
import { build, run } from "./build.ts";

/** HALE_DETERMINISM_RUNS=200 runs it that often under Node too. */
const NODE_RUNS = Number(process.env["HALE_DETERMINISM_RUNS"] ?? 10);
const NATIVE_RUNS = Math.max(NODE_RUNS, 200);

const CASCADE = `
type Step { n: Int; who: String; }
topic Steps { payload: Step; subject: "cascade.step"; }
topic Echoes { payload: Step; subject: "cascade.echo"; }
locus Flow { params { n: Int = 0; } run() { println("flow ", self.n); } dissolve() { println("flow gone ", self.n); } }
locus Link {
    params { name: String = ""; turn: Int = 0; sum: Int = 0; }
    closure low { self.sum ~~ 0 within 900000; epoch tick; }
    bus { subscribe Steps as on_step; publish Steps; publish Echoes; }
    fn on_step(s: Step) {
        self.sum = self.sum * 31 % 1000003 + s.n;
        println(self.name, " ", s.n, " from ", s.who, " ", self.sum);
        if s.n % 2 == self.turn && s.n < 1000 {
            if s.n % 3 != 0 { Steps <- Step { n: s.n + 1, who: self.name }; } else { Echoes <- Step { n: s.n, who: self.name + "'s echo" }; }
        }
    }
    dissolve() { println(self.name, " ends at ", self.sum); Echoes <- Step { n: 0, who: self.name }; }
}
locus Hall {
    params { heard: Int = 0; }
    accept(f: Flow) { }
    release(f: Flow) { self.heard = self.heard + f.n; }
    bus { subscribe Echoes as on_echo; publish Steps; }
    fn on_echo(e: Step) {
        println("echo ", e.n, " ", e.who);
        if e.n > 0 && e.n < 1000 { Flow { n: e.n }; Steps <- Step { n: e.n + 1, who: "hall" }; }
    }
    dissolve() { println("hall heard ", self.heard); }
}
locus Root {
    params { hall: Hall = Hall { }; a: Link = Link { name: "a" }; b: Link = Link { name: "b", turn: 1 }; left: Int = 1000; }
    on_failure(l: Link, v: ClosureViolation) { println(v.closure, " of ", l.name, " by ", v.diff); }
    bus { publish Steps; subscribe "cascade.**" as on_any of type Step; }
    fn on_any(s: Step) { self.left = self.left - 1; if self.left == 0 { println("a thousand"); } }
    run() { Steps <- Step { n: 1, who: "root" }; }
}
fn main() { Root { }; println("end"); }
`;

test(`${NATIVE_RUNS} runs natively and ${NODE_RUNS} under Node print the same bytes (06 6.1.5, 06b 6b.1.1, 06b 6b.1.2, 06b 6b.1.3; HALE_DETERMINISM_RUNS=200: 200 under Node)`, {
  timeout: 180_000 + NODE_RUNS * 4000 + NATIVE_RUNS * 1000,
}, async () => {
  const native = await build(CASCADE);
  const wasm = await build(CASCADE, "wasm");
  const first = await run(native);
  expect(first).toMatchObject({ status: 0, stderr: "" });
  expect(first.stdout.split("\n").length).toBeGreaterThan(1000);
  for (let i = 1; i < NATIVE_RUNS; i++) expect(await run(native)).toEqual(first);
  for (let i = 0; i < NODE_RUNS; i++) expect(await run(wasm, "wasm")).toEqual(first);
});

/** What comes from outside goes into values only: the clock, randomness and the environment. */
const INPUTS = `
type Fact { n: Int; value: String; }
topic Facts { payload: Fact; keyed_by n; }
locus Ear {
    params { n: Int = 0; }
    bus { subscribe Facts as on_fact where key == self.n; subscribe "note" as on_note of type Fact; publish "note" of type Fact; }
    fn on_fact(f: Fact) { println("ear ", self.n, " fact:", f.value); "note" <- Fact { n: f.n, value: f.value }; }
    fn on_note(f: Fact) { println("ear ", self.n, " note ", f.n, ":", f.value); }
    dissolve() { println("ear ", self.n, " ends"); }
}
locus Source {
    bus { publish Facts; }
    fn tell(n: Int, value: String) { Facts <- Fact { n: n, value: value }; }
    fn later(n: Int, value: String) -> Int { Facts <- Fact { n: n, value: value }; return n; }
    run() {
        for i in 0..20 {
            let sum = self.later(i % 2, std::env::var("INPUT")) + self.later(1, f"{std::rand::next_int(1000000)}");
            if i % 3 == 0 { self.tell(0, f"{std::time::monotonic_ns()}"); }
            if i % 5 == 0 { std::time::sleep(1ms); }
        }
    }
}
fn main() { Ear { n: 0 }; Ear { n: 1 }; Source { }; println("end:", std::time::now()); }
`;

test("other inputs give other values, in the same order of deliveries (06b 6b.1.4)", { timeout: 60_000 }, async () => {
  const program = await build(INPUTS);
  const inputs = ["", "x", "a long one"].flatMap((input) => [input, input]);
  const runs = await Promise.all(inputs.map((INPUT) => run(program, "native", { env: { INPUT } })));
  const orders = runs.map(({ stdout }) => stdout.replaceAll(/:.*/g, ""));
  expect(new Set(orders).size).toBe(1);
  expect(orders[0]?.split("\n").length).toBe(145);
  expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(inputs.length);
  for (const [index, { stdout, status, stderr }] of runs.entries()) {
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.includes(`fact:${inputs[index]}\n`)).toBe(true);
  }
});
