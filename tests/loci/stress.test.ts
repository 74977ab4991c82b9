// Threads under load (reference 06 6.10, 6.12, 6.14; 05b 5b.9): nothing that the rules promise is lost, nothing hangs, no cell stays behind (the leak report is on).
// HALE_STRESS=1 runs the long version: 500 shutdowns at random moments, and ten times the messages.
import { describe, expect, test } from "vitest";
import { build, run } from "./build.ts";

const isLong = process.env["HALE_STRESS"] === "1";
const SHUTDOWNS = isLong ? 500 : 60;
const SCALE = isLong ? 10 : 1;

/** Eight pinned producers send 1,000,000 messages, with text in them, to four pools, which answer to the main thread with what they have seen. */
function crowd(perProducer: number): string {
  const names = [0, 1, 2, 3, 4, 5, 6, 7];
  return `
type Parcel { from: Int; n: Int; note: String; }
type Receipt { pool: Int; seen: Int; sum: Int; broken: Int; }
topic Parcels { payload: Parcel; keyed_by from; }
topic Receipts { payload: Receipt; }
locus Producer {
    params { id: Int = 0; }
    bus { publish Parcels; }
    run() {
        let mut i = 0;
        while i < ${perProducer} { Parcels <- Parcel { from: self.id % 4, n: i, note: f"{self.id}:{i}" }; i = i + 1; }
    }
}
locus Sorter {
    params { id: Int = 0; seen: Int = 0; sum: Int = 0; broken: Int = 0; low: Int = -1; high: Int = -1; }
    bus { subscribe Parcels as on_parcel where key == self.id; publish Receipts; }
    fn on_parcel(p: Parcel) {
        self.seen = self.seen + 1;
        self.sum = self.sum + p.n;
        // Two producers send to each pool; what each sends comes in order.
        if std::str::starts_with(p.note, f"{self.id}:") {
            if p.n != self.low + 1 { self.broken = self.broken + 1; }
            self.low = p.n;
        } else {
            if p.n != self.high + 1 { self.broken = self.broken + 1; }
            self.high = p.n;
        }
        if self.seen == ${2 * perProducer} { Receipts <- Receipt { pool: self.id, seen: self.seen, sum: self.sum, broken: self.broken }; }
    }
}
locus Desk {
    params { seen: Int = 0; sum: Int = 0; broken: Int = 0; }
    bus { subscribe Receipts as on_receipt; }
    fn on_receipt(r: Receipt) { self.seen = self.seen + r.seen; self.sum = self.sum + r.sum; self.broken = self.broken + r.broken; }
    dissolve() { println(self.seen, " ", self.sum, " ", self.broken); }
}
main locus App {
    params {
        desk: Desk = Desk { };
        ${[0, 1, 2, 3].map((id) => `s${id}: Sorter = Sorter { id: ${id} };`).join(" ")}
        ${names.map((id) => `p${id}: Producer = Producer { id: ${id} };`).join(" ")}
    }
    placement {
        ${[0, 1, 2, 3].map((id) => `s${id}: cooperative(pool = w${id});`).join(" ")}
        ${names.map((id) => `p${id}: pinned;`).join(" ")}
    }
}
fn main() { App { }; }
`;
}

/** Bounded topics at their limit, between threads and within one: \`or wait\` loses nothing, \`or discard\` only what finds no room, and no queue is ever longer. */
const BOUNDED = `
type Item { n: Int; text: String; }
topic Sure { payload: Item; bounded(3); on_full: fail; }
topic Perhaps { payload: Item; bounded(2); on_full: fail; }
locus Slow {
    params { sure: Int = 0; perhaps: Int = 0; }
    bus { subscribe Sure as on_sure; subscribe Perhaps as on_perhaps; }
    fn on_sure(i: Item) { self.sure = self.sure + i.n; }
    fn on_perhaps(i: Item) { self.perhaps = self.perhaps + 1; }
    dissolve() { println("slow ", self.sure, " ", self.perhaps <= ${20000 * 3}); }
}
locus Near {
    params { sure: Int = 0; }
    bus { subscribe Sure as on_sure; }
    fn on_sure(i: Item) { self.sure = self.sure + i.n; }
    dissolve() { println("near ", self.sure); }
}
locus Sender {
    bus { publish Sure; publish Perhaps; }
    run() {
        let mut i = 0;
        while i < ${20000} {
            Sure <- Item { n: 1, text: f"item {i}" } or wait;
            Perhaps <- Item { n: 1, text: f"item {i}" } or discard;
            i = i + 1;
        }
    }
}
main locus App {
    params { near: Near = Near { }; slow: Slow = Slow { }; a: Sender = Sender { }; b: Sender = Sender { }; c: Sender = Sender { }; }
    placement { slow: pinned; a: pinned; b: cooperative(pool = work); c: pinned; }
    run() { while self.near.sure < ${20000 * 3} { std::time::sleep(2ms); } }
}
fn main() { App { }; }
`;

/** Pinned loci whose run violates again and again, while messages come: restarts up to their bound, quarantine after it; a sibling's messages all arrive. */
const FAILING = `
type Beat { n: Int; }
topic Beats { payload: Beat; }
locus Shaky {
    params { runs: Int = 0; heard: Int = 0; }
    closure fuse { captures: runs; epoch inline; }
    bus { subscribe Beats as on_beat; }
    fn on_beat(b: Beat) { self.heard = self.heard + b.n; }
    run() { self.runs = self.runs + 1; std::time::sleep(1ms); violate fuse; }
    dissolve() { println("shaky ran ", self.runs); }
}
locus Steady {
    params { heard: Int = 0; }
    bus { subscribe Beats as on_beat; }
    fn on_beat(b: Beat) { self.heard = self.heard + b.n; }
    dissolve() { println("steady heard ", self.heard); }
}
locus Drum { bus { publish Beats; } run() { for i in 0..20000 { Beats <- Beat { n: 1 }; } } }
main locus App {
    params { steady: Steady = Steady { }; x: Shaky = Shaky { }; y: Shaky = Shaky { }; d: Drum = Drum { }; e: Drum = Drum { }; failures: Int = 0; }
    placement { steady: cooperative(pool = calm); x: pinned; y: pinned; d: pinned; e: pinned; }
    on_failure(s: Shaky, v: ClosureViolation) { self.failures = self.failures + 1; restart(s) for 5; }
    run() { while self.failures < 12 { std::time::sleep(1ms); } }
    dissolve() { println("failures ", self.failures); }
}
fn main() { App { }; }
`;

/** Everything at once, until a signal comes. */
const BUSY = `
type Work { n: Int; text: String; }
type Done { n: Int; }
topic Works { payload: Work; }
topic Tight { payload: Done; bounded(2); on_full: fail; }
topic Dones { payload: Done; }
locus Maker {
    bus { publish Works; publish Tight; }
    run() {
        let mut i = 0;
        while !self.draining { Works <- Work { n: i, text: f"work {i}" }; Tight <- Done { n: i } or discard; i = i + 1; if i % 64 == 0 { std::time::sleep(1ms); } }
    }
}
locus Pooled {
    params { last: String = ""; }
    bus { subscribe Works as on_work; publish Dones; }
    fn on_work(w: Work) { self.last = w.text; Dones <- Done { n: 1 }; }
    dissolve() { println("pooled ends"); }
}
locus Napper {
    bus { subscribe Works as on_work; publish Dones; }
    fn on_work(w: Work) { let t = w.text + "!"; if w.n % 50 == 0 { std::time::sleep(1ms); } Dones <- Done { n: len(t) }; }
}
locus Counter {
    params { n: Int = 0; tight: Int = 0; }
    bus { subscribe Dones as on_done; subscribe Tight as on_tight; }
    fn on_done(d: Done) { self.n = self.n + d.n; }
    fn on_tight(d: Done) { self.tight = self.tight + 1; }
    dissolve() { println("counter ends"); }
}
main locus App {
    params { c: Counter = Counter { }; p: Pooled = Pooled { }; q: Napper = Napper { }; a: Maker = Maker { }; b: Maker = Maker { }; }
    placement { p: cooperative(pool = work); q: cooperative(pool = io) where async_io; a: pinned; b: pinned; }
    run() { println("up"); while !self.draining { std::time::sleep(5ms); } }
    dissolve() { println("app ends"); }
}
fn main() { App { }; println("bye"); }
`;

describe("threads under load", () => {
  const perProducer = 125_000 * SCALE;
  test(`${8 * perProducer} messages of 8 pinned producers to 4 pools (06 6.12.2, 06b 6b.1.5; HALE_STRESS=1: 10 times as many)`, async () => {
    const { stdout, stderr, status } = await run(await build(crowd(perProducer)));
    const sum = (8 * (perProducer * (perProducer - 1))) / 2;
    expect({ stdout, stderr, status }).toEqual({ stdout: `${8 * perProducer} ${sum} 0\n`, stderr: "", status: 0 });
  });

  test("bounded topics at their limit (06 6.10)", async () => {
    const outcome = await run(await build(BOUNDED));
    expect(outcome).toEqual({ stdout: "slow 60000 true\nnear 60000\n", stderr: "", status: 0 });
  });

  test("restarts and quarantine while messages come (05b 5b.9, 05b 5b.10)", async () => {
    const executable = await build(FAILING);
    for (let i = 0; i < 5 * SCALE; i++) {
      const { stdout, stderr, status } = await run(executable);
      const lines = stdout
        .split("\n")
        .sort()
        .filter((line) => line !== "");
      const wanted = ["failures 12", "shaky ran 6", "shaky ran 6", "steady heard 40000"];
      expect({ lines, stderr, status }).toEqual({ lines: wanted, stderr: "", status: 0 });
    }
  });

  test(`SIGTERM at ${SHUTDOWNS} random moments (05b 5b.15; HALE_STRESS=1: 500)`, {
    timeout: 180_000 + SHUTDOWNS * 2000,
  }, async () => {
    const executable = await build(BUSY);
    const ends = (terminateAfter: number) => run(executable, "native", { terminateAfter });
    for (let i = 0; i < SHUTDOWNS; i += 2) {
      const moments = [20 + Math.random() * 80, 20 + Math.random() * 80];
      for (const [at, { stdout, stderr, status }] of (await Promise.all(moments.map(ends))).entries()) {
        // Before the program has got as far as `draining`, the signal kills it.
        if (status === 143 && stdout === "") continue;
        const outcome = { stdout, stderr, status, after: moments[at] };
        expect(outcome).toMatchObject({
          stdout: "up\napp ends\ncounter ends\npooled ends\nbye\n",
          stderr: "",
          status: 0,
        });
      }
    }
  });
});
