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
