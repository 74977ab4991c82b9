// How fast a program is checked: seeds of 10,000, 20,000 and 40,000 lines, in files of some 1,000 lines, the analyses of `hale check` included.
// `node bench/run.mjs check`. The aim: 20,000 lines in less than half a second when warm, and a time that grows as the lines do.
// Processor time, of all threads, is shown beside the time on the clock: on a busy machine it tells more.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Bench } from "tinybench";
import { checkTarget } from "../compiler/index.ts";

const SIZES = [10_000, 20_000, 40_000];
const FILE_LINES = 1_000;
const root = mkdtempSync(path.join(tmpdir(), "hale-bench-check-"));

const bench = new Bench({ time: 4000, warmupTime: 4000, warmupIterations: 5, iterations: 5 });
const lines = new Map<string, number>();
const cpu = new Map<string, number[]>();
for (const size of SIZES) {
  const directory = mkdtempSync(path.join(root, "seed-"));
  const name = `${size} lines`;
  lines.set(name, writeSeed(directory, size));
  const { diagnostics } = checkTarget(directory, { mode: "program", analyses: { advisories: true } });
  if (diagnostics.length > 0) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const used: number[] = [];
  cpu.set(name, used);
  bench.add(name, () => {
    const before = process.cpuUsage();
    checkTarget(directory, { mode: "program", analyses: { advisories: true } });
    const { user, system } = process.cpuUsage(before);
    used.push((user + system) / 1000);
  });
}
await bench.run();
rmSync(root, { recursive: true, force: true });
console.table(
  bench.tasks.map(({ name, result }) => {
    const milliseconds = "latency" in result ? result.latency.p50 : Number.NaN;
    const count = lines.get(name) ?? Number.NaN;
    const used = median(cpu.get(name) ?? []);
    return {
      lines: count,
      "ms (median)": milliseconds.toFixed(0),
      "CPU ms (median)": used.toFixed(0),
      "lines per CPU ms": (count / used).toFixed(0),
    };
  }),
);

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Writes a seed of at least `size` lines; answers how many it has. */
function writeSeed(directory: string, size: number): number {
  let written = 0;
  let unit = 0;
  const calls: string[] = [];
  for (let file = 0; written < size; file++) {
    let text = "";
    let inFile = 0;
    while (inFile < FILE_LINES && written + inFile < size) {
      const part = account(unit);
      text += part;
      inFile += part.split("\n").length - 1;
      calls.push(`    total += report${unit}(${unit});`);
      unit++;
    }
    writeFileSync(path.join(directory, `part${file}.hl`), text);
    written += inFile;
  }
  const main = ["fn main() {", "    let mut total = 0;", ...calls, "    println(total);", "}", ""].join("\n");
  writeFileSync(path.join(directory, "zz_main.hl"), main);
  return written + calls.length + 4;
}

/** Part `n` of a program as people write them: records, enums, a form, an interface with two loci, fallible functions, loops, a report. */
function account(n: number): string {
  return `// Accounts of branch ${n}.
type Entry${n} {
    id: Int;
    owner: String;
    balance: Decimal = 0d;
    opened: Time = \`2025-01-01T00:00:00Z\`;
    limits: [Int; 3] = [10, 20, 30];
}
type Move${n} = enum {
    Deposit(Int, Decimal),
    Withdraw(Int, Decimal),
    Rename(Int, String),
    Close(Int),
};
type Refused${n} {
    id: Int;
    why: String;
}
const FEE${n}: Decimal = 0.25d;
const NAMES${n}: [String; 4] = ["ann", "bob", "cy", "dee"];

@form(hashmap)
locus Ledger${n} {
    capacity { pool entries of Entry${n} indexed_by id; }
}

@form(vec)
locus Log${n} {
    capacity { heap lines of String; }
}

interface Policy${n} {
    fn fee(amount: Decimal) -> Decimal;
    fn allows(e: Entry${n}, amount: Decimal) -> Bool fallible(Refused${n});
}

locus Flat${n} {
    params { rate: Decimal = FEE${n}; }
    fn fee(amount: Decimal) -> Decimal {
        return self.rate;
    }
    fn allows(e: Entry${n}, amount: Decimal) -> Bool {
        return e.balance >= amount + self.rate;
    }
}

locus Scaled${n} {
    params { percent: Int = 3; asked: Int = 0; }
    fn fee(amount: Decimal) -> Decimal {
        return max(amount * 0.01d, FEE${n});
    }
    fn allows(e: Entry${n}, amount: Decimal) -> Bool fallible(Refused${n}) {
        self.asked += 1;
        if e.limits[self.percent % 3] < self.asked {
            fail Refused${n} { id: e.id, why: f"limit {e.limits[0]} of {e.owner}" };
        }
        return e.balance >= amount;
    }
}

locus Branch${n} {
    params {
        ledger: Ledger${n} = Ledger${n} { };
        log: Log${n} = Log${n} { };
        policy: Policy${n} = Flat${n} { };
        next: Int = 1;
    }
    fn open(owner: String, balance: Decimal = 0d) -> Int {
        let id = self.next;
        self.next += 1;
        self.ledger.set(Entry${n} { id: id, owner: owner, balance: balance });
        return id;
    }
    fn entry(id: Int) -> Entry${n} fallible(Refused${n}) {
        return self.ledger.get(id) or fail Refused${n} { id: id, why: "unknown" };
    }
    fn apply(move: Move${n}) -> Decimal fallible(Refused${n}) {
        match move {
            Move${n}::Deposit(id, amount) -> {
                let e = self.entry(id) or raise;
                e.balance += amount;
                self.ledger.set(e);
                return e.balance;
            },
            Move${n}::Withdraw(id, amount) -> {
                let e = self.entry(id) or raise;
                if !(self.policy.allows(e, amount) or raise) {
                    fail Refused${n} { id: id, why: "short of " + (amount - e.balance) };
                }
                e.balance -= amount + self.policy.fee(amount);
                self.ledger.set(e);
                return e.balance;
            },
            Move${n}::Rename(id, name) if len(name) > 0 -> {
                let e = self.entry(id) or raise;
                e.owner = std::str::upper(name[0..1]) + name[1..len(name)];
                self.ledger.set(e);
            },
            _ -> self.log.push("ignored " + move),
        }
        return 0d;
    }
}

fn moves${n}(count: Int) -> [Move${n}; 4] {
    let id = count % 4 + 1;
    return [
        Move${n}::Deposit(id, 10.5d),
        Move${n}::Withdraw(id, 3d),
        Move${n}::Rename(id, NAMES${n}[count % 4]),
        Move${n}::Close(id),
    ];
}

fn digits${n}(text: String) -> Int {
    let mut sum = 0;
    let mut i = 0;
    while i < len(text) {
        let c = text[i..i + 1];
        if c >= "0" && c <= "9" {
            sum += std::str::parse_int(c) or 0;
        } else if c == "," {
            i += 1;
            continue;
        }
        i += 1;
    }
    sum
}

fn pick${n}<T>(first: Bool, a: T, b: T) -> T {
    if first { return a; }
    return b;
}

fn report${n}(count: Int) -> Int {
    let branch = Branch${n} { };
    for name in NAMES${n} {
        let _ = branch.open(name, 100d);
    }
    branch.policy = Scaled${n} { percent: count };
    let mut refused = 0;
    for move in moves${n}(count) {
        let left = branch.apply(move) or {
            refused += 1;
            branch.log.push(f"{err.id}: {err.why}");
            continue;
        };
        branch.log.push(pick${n}(left > 50d, "rich", "poor") + left);
    }
    let wealthy = branch.ledger.entries.filter(it.balance > 99d).count();
    return wealthy * 100 + refused + digits${n}(f"{branch.log.len()},{count}");
}

`;
}
