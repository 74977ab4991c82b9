// `hale run --record` and `hale replay` (reference 06b): programs that behave differently from run to run repeat the recorded one.
// HALE_TEST_REPLAYS=100 repeats each recording 100 times; 5 without.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { until } from "./support/harness.ts";
import { realTool, scratch, useScratch } from "./support/scratch.ts";

const programs = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../replay");
const names = readdirSync(programs).map((name) => path.basename(name, ".hl"));
const REPLAYS = Number(process.env["HALE_TEST_REPLAYS"] ?? 5);
const LIVE = "--allow-live-effects";
const SERVED = /^hale replay: journal served fully — 0 divergences, \d+ consumes$/m;

vi.setConfig({ testTimeout: 600_000 });

// A build beside the tests would make another toolchain of it, between a recording and its replay.
useScratch(realTool, { define: { __HALE_TOOLCHAIN__: '"tests"' } });

function copyProgram(name: string): string {
  copyFileSync(path.join(programs, `${name}.hl`), path.join(scratch.tree, `${name}.hl`));
  return `${name}.hl`;
}

const full = { LOTUS_OBS_RECORD_ENV: "full", REPLAYED: "as it was" };

test.each(names)(
  `%s: ${REPLAYS} replays of a recording print what it printed, with its exit status, and the last one matches it (06b 6b.3, 06b 6b.4.1, 06b 6b.4.2, 06b 6b.4.3, 06b 6b.4.4, 06b 6b.4.5, 06b 6b.5.9, 06b 6b.9.6, 06b 6b.9.7, 06b 6b.9.8; 100 times with HALE_TEST_REPLAYS=100)`,
  async (name) => {
    const source = copyProgram(name);
    const recorded = await scratch.hale(["run", "--record", "a.halerec", source, "one"], { env: full });
    expect(recorded.stdout).not.toBe("");
    for (let round = 1; round < REPLAYS; round++) {
      const replayed = await scratch.hale(["replay", "a.halerec", source, LIVE]);
      expect({ code: replayed.code, stdout: replayed.stdout }).toEqual({
        code: recorded.code,
        stdout: recorded.stdout,
      });
      expect(replayed.stderr).toMatch(SERVED);
    }
    const last = await scratch.hale(["replay", "--diff", LIVE, "a.halerec", source]);
    expect(last.code).toBe(recorded.code);
    expect(last.stdout.slice(0, recorded.stdout.length)).toBe(recorded.stdout);
    expect(last.stdout.slice(recorded.stdout.length)).toMatch(/^replay matches the recording \(\d+ ring records\)/);
    expect(scratch.leftFiles()).toEqual([]);
  },
  600_000,
);

test("a recorded run is an ordinary one; a built program is recorded, too (06b 6b.4)", async () => {
  copyProgram("failing_test");
  const { code, stdout, stderr } = await scratch.hale(["run", "--record", "a.halerec", "failing_test.hl"]);
  expect({ code, lines: stdout.split("\n").slice(0, 1) }).toEqual({ code: 1, lines: ["ASSERTION FAILED: ticks"] });
  expect(stderr).toMatch(/^ {2}at .*failing_test\.hl:\d+:\d+$/m);
  await scratch.hale(["build", "failing_test.hl"]);
  const built = spawn(path.join(scratch.tree, "failing_test"), {
    env: { LOTUS_OBS_RECORD: path.join(scratch.tree, "b.halerec") },
  });
  await new Promise((resolve) => built.once("exit", resolve));
  const again = await scratch.hale(["replay", "b.halerec", "failing_test.hl", LIVE]);
  expect(again).toMatchObject({ code: 1, stdout: expect.stringMatching(/^ASSERTION FAILED: ticks\n/) });
  expect(again.stderr).toMatch(SERVED);
});

test("what sends nothing and reads nothing has a recording, too; an old file is replaced at once (06b 6b.8.3, 06b 6b.9.9)", async () => {
  scratch.write("quiet.hl", "fn main() { }\n");
  scratch.write("a.halerec", "something else");
  await scratch.hale(["run", "--record", "a.halerec", "quiet.hl"]);
  const bytes = readFileSync(path.join(scratch.tree, "a.halerec"));
  expect({
    length: bytes.length,
    magic: bytes.toString("latin1", 0, 8),
    end: bytes.toString("latin1", 96, 104),
  }).toEqual({
    length: 112,
    magic: "HALEREC0",
    end: "HALEEND0",
  });
  expect(await scratch.hale(["replay", "a.halerec", "quiet.hl"])).toMatchObject({
    code: 0,
    stderr: "hale replay: journal served fully — 0 divergences, 0 consumes\n",
  });
});

test("what cannot be recorded ends with 74 or 70 (06b 6b.4)", async () => {
  const source = copyProgram("pinned_senders");
  expect(await scratch.hale(["run", "--record", "nowhere/a.halerec", source])).toMatchObject({
    code: 74,
    stdout: "",
    stderr: expect.stringContaining("LOTUS_OBS_RECORD"),
  });
  const rings = await scratch.hale(["run", "--record", "a.halerec", source], { env: { LOTUS_OBS_RINGS: "2" } });
  expect(rings).toMatchObject({ code: 70, stderr: expect.stringContaining("LOTUS_OBS_RINGS") });
});

test("values of the environment are kept back unless asked for: a divergence with a name (06b 6b.4, 06b 6b.5.8, 06b 6b.8.4)", async () => {
  scratch.write(
    "env.hl",
    'fn main() { println(std::env::var("SECRET"), std::env::var("NONE"), std::env::var_exists("SECRET")); }\n',
  );
  await scratch.hale(["run", "--record", "a.halerec", "env.hl"], { env: { SECRET: "hush-hush" } });
  expect(readFileSync(path.join(scratch.tree, "a.halerec")).includes("hush")).toBe(false);
  const replayed = await scratch.hale(["replay", "--diff", "a.halerec", "env.hl", LIVE], { env: { SECRET: "other" } });
  expect(replayed).toMatchObject({ code: 1, stdout: "othertrue\n" });
  expect(replayed.stderr).toContain("withholds env VALUES");
  expect(replayed.stderr).toContain(
    "hale replay: 1 divergence from the recorded history:\n  env.var                1\n",
  );
  expect(replayed.stderr).toContain("replay DIVERGED: 1 runtime divergence (see the summary above)\n");
});

test("--diff tells the first difference (06b 6b.6, 06b 6b.6.1)", async () => {
  scratch.write(
    "file.hl",
    `type Line { n: Int; }
topic Lines { payload: Line; }
locus Sink { bus { subscribe Lines as on_line; } fn on_line(l: Line) { println(l.n); } }
locus Source {
    bus { publish Lines; }
    run() {
        let text = std::io::fs::read_file("count.txt") or "";
        for i in 0..len(text) { Lines <- Line { n: i }; }
    }
}
main locus App { params { s: Sink = Sink { }; o: Source = Source { }; } }
fn main() { App { }; }
`,
  );
  scratch.write("count.txt", "xxxx");
  await scratch.hale(["run", "--record", "a.halerec", "file.hl"]);
  expect((await scratch.hale(["replay", "--diff", "a.halerec", "file.hl", LIVE])).code).toBe(0);
  scratch.write("count.txt", "xxx");
  const less = await scratch.hale(["replay", "--diff", "--json", "a.halerec", "file.hl", LIVE]);
  expect(less.code).toBe(1);
  expect(less.stderr).toMatch(/^replay DIVERGED: .*divergence/m);
  expect(less.stdout).toMatch(/^\{"result":"diverged","reason":".*"\}$/m);
  expect((await scratch.hale(["replay", "a.halerec", "file.hl", LIVE])).stdout).toBe("0\n1\n2\n");
  scratch.write("count.txt", "xxxxx");
  expect(await scratch.hale(["replay", "--diff", "a.halerec", "file.hl", LIVE])).toMatchObject({ code: 1 });
});

test("--diff tells public events that differ where nothing is queued (06b 6b.6.3)", async () => {
  scratch.write(
    "direct.hl",
    `type Line { n: Int; }
topic Lines { payload: Line; }
locus Pair {
    params { seen: Int = 0; }
    bus { publish Lines; subscribe Lines as on_line; }
    fn on_line(l: Line) { self.seen += l.n; }
    run() {
        for i in 0..len(std::io::fs::read_file("count.txt") or "") { Lines <- Line { n: i }; }
        println(self.seen);
    }
}
fn main() { Pair { }; }
`,
  );
  scratch.write("count.txt", "xxxx");
  await scratch.hale(["run", "--record", "a.halerec", "direct.hl"]);
  expect(await scratch.hale(["replay", "--diff", "a.halerec", "direct.hl", LIVE])).toMatchObject({ code: 0 });
  scratch.write("count.txt", "xxxxxx");
  expect(await scratch.hale(["replay", "--diff", "a.halerec", "direct.hl", LIVE])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("replay DIVERGED: consumer 1: 8 public bus events recorded, 12 replayed\n"),
  });
});

test("a killed run leaves a truncated recording, which is replayed on request (06b 6b.5.3)", async () => {
  scratch.write(
    "long.hl",
    `fn main() {
    for i in 0..40 {
        println(i, " ", std::rand::next_int(1000));
        std::time::sleep(10ms);
        // However late the kill comes: the program is still there.
        while i == 20 && !std::io::fs::file_exists("go") { std::time::sleep(10ms); }
    }
}
`,
  );
  const child = scratch.start(["run", "--record", "a.halerec", "long.hl"]);
  let printed = "";
  child.stdout?.on("data", (data: Buffer) => {
    printed += data.toString();
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  await until(() => /^10 /m.test(printed), "ten lines");
  // The program itself, not the command that waits for it.
  const [pid = ""] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
  expect(Number(pid)).toBeGreaterThan(1);
  process.kill(Number(pid), "SIGKILL");
  await ended;
  scratch.write("go", "");
  const refused = await scratch.hale(["replay", "a.halerec", "long.hl", LIVE]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/truncated.*--allow-truncated/);
  const replayed = await scratch.hale(["replay", "--diff", "a.halerec", "long.hl", LIVE, "--allow-truncated"]);
  expect(replayed.code).toBe(0);
  expect(replayed.stdout.startsWith(printed.split("\n").slice(0, 10).join("\n"))).toBe(true);
  expect(replayed.stderr).toMatch(/past the end of the truncated recording ran live/);
});

test("a delivery that is recorded for a time that does not come is given up, and the run ends (06b 6b.5, 'Replay degrades, it never stops')", async () => {
  copyProgram("pools");
  const recorded = await scratch.hale(["run", "--record", "a.halerec", "pools.hl", "one"], { env: full });
  const bytes = readFileSync(path.join(scratch.tree, "a.halerec"));
  // The occasion of each delivery of a pool's worker, 24 bytes into its entry, moves out of reach.
  let moved = 0;
  for (let at = 96; at + 16 < bytes.length; at += bytes.readUInt32LE(at)) {
    const isConsume = bytes.readUInt16LE(at + 4) === 1;
    const consumer = bytes.readUInt16LE(at + 6);
    if (isConsume && consumer >= 16 && consumer < 64) moved = bytes.writeUInt8(1, at + 24 + 6);
  }
  expect(moved).toBeGreaterThan(0);
  // As of a recording that was written into a pipe: without the sum over its bytes.
  bytes.fill(0, 24, 32);
  writeFileSync(path.join(scratch.tree, "b.halerec"), bytes);
  const { code, stderr } = await scratch.hale(["replay", "b.halerec", "pools.hl", LIVE]);
  expect(code).toBe(recorded.code);
  expect(stderr).toMatch(/^ {2}delivery-order +\d+$/m);
});

test("refusals in their order (06b 6b.5, 06b 6b.5.4, 06b 6b.5.6, 06b 6b.5.7, 06b 6b.9.4, 06b 6b.9.5)", async () => {
  const source = copyProgram("one_thread");
  await scratch.hale(["run", "--record", "a.halerec", source]);
  const stderrOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await scratch.hale(["replay", ...args]);
    expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
    return stderr;
  };
  const bytes = readFileSync(path.join(scratch.tree, "a.halerec"));
  expect(await stderrOf("nowhere", source)).toContain("could not read nowhere");
  expect(await stderrOf(source, source)).toContain("is not a hale recording");
  symlinkSync("a.halerec", path.join(scratch.tree, "link"));
  expect(await stderrOf("link", source)).toContain("symbolic link");
  writeFileSync(path.join(scratch.tree, "gap"), Buffer.concat([bytes.subarray(0, 96), bytes.subarray(136)]));
  expect(await stderrOf("gap", source)).toContain("broken");
  writeFileSync(path.join(scratch.tree, "short"), bytes.subarray(0, 96));
  expect(await stderrOf("short", source)).toContain("truncated");
  const newer = Buffer.from(bytes);
  newer.writeUInt16LE(7, 8);
  writeFileSync(path.join(scratch.tree, "newer"), newer);
  expect(await stderrOf("newer", source)).toContain("newer format");
  expect(await stderrOf("a.halerec", source)).toContain(
    "this program can reach the live world during re-execution ({syscall})",
  );
  // Another program: live effects are asked for first, then the shape, then the sources.
  scratch.write("other.hl", "fn main() { println(1); }\n");
  expect(await stderrOf("a.halerec", "other.hl")).toContain("live world");
  expect(await stderrOf("a.halerec", "other.hl", LIVE, "--allow-unverified-model")).toContain("shape");
  scratch.write(source, `${readFileSync(path.join(scratch.tree, source), "utf8")}// more\n`);
  expect(await stderrOf("a.halerec", source, LIVE)).toContain("different build inputs");
  const accepted = await scratch.hale(["replay", "a.halerec", source, LIVE, "--allow-unverified-model"]);
  expect(accepted).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("warning: the recording was made from different build inputs"),
  });
  expect(await stderrOf("a.halerec", ".", LIVE)).toContain("is a directory");
  scratch.write("wrong.hl", "fn main() { let x: Int = true; }\n");
  expect(await stderrOf("a.halerec", "wrong.hl", LIVE)).toContain("type error");
});

test("a changed byte anywhere in a whole recording is told, and nothing is run (06b 6b.5.2, 06b 6b.8.1)", async () => {
  const source = copyProgram("bounded");
  await scratch.hale(["run", "--record", "a.halerec", source]);
  const whole = readFileSync(path.join(scratch.tree, "a.halerec"));
  const problemOf = async (bytes: Buffer) => {
    writeFileSync(path.join(scratch.tree, "b.halerec"), bytes);
    const { code, stdout, stderr } = await scratch.hale([
      "replay",
      "b.halerec",
      source,
      LIVE,
      "--allow-unverified-model",
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    return stderr;
  };
  const length = whole.length - 16;
  const places = [16, 24, 60, 90, ...Array.from({ length: 12 }, (_, i) => 100 + Math.floor((i * (length - 100)) / 12))];
  for (const at of places) {
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
    expect(await problemOf(bytes), `byte ${at}`).toMatch(/^hale replay: b\.halerec is (?:damaged|broken): /);
  }
  // What it sends is another number: an entry of the right form.
  const other = Buffer.from(whole);
  other.writeUInt8(other.readUInt8(length - 1) ^ 1, length - 1);
  expect(await problemOf(other)).toBe("hale replay: b.halerec is damaged: its bytes are not those that were written\n");
}, 60_000);

test("a program with a ring transport is refused, whatever is allowed (06b 6b.5.5)", async () => {
  scratch.write(
    "ring.hl",
    `type M { n: Int; }
topic T { payload: M; }
locus S { bus { subscribe T as h; } fn h(m: M) { } }
main locus App { params { s: S = S { }; } bindings { T: shm_ring("/x", slot_count: 8, on_overflow: drop); } }
fn main() { App { }; }
`,
  );
  const source = copyProgram("one_thread");
  await scratch.hale(["run", "--record", "a.halerec", source]);
  const { code, stdout, stderr } = await scratch.hale([
    "replay",
    "a.halerec",
    "ring.hl",
    LIVE,
    "--allow-unverified-model",
  ]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("ring.hl:4:");
});

test("a recording that is no file is told, and not waited for (06b 6b.5.2)", async () => {
  scratch.write("x.hl", "fn main() { }\n");
  execFileSync("mkfifo", [path.join(scratch.tree, "pipe.halerec")]);
  expect(await scratch.hale(["replay", "pipe.halerec", "x.hl"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "hale replay: could not read pipe.halerec: not a regular file\n",
  });
});

test("a recording whose entries are too short for what they hold is broken (06b 6b.5.2)", async () => {
  scratch.write("x.hl", "fn main() { }\n");
  expect(await scratch.hale(["run", "--record", "x.halerec", "x.hl"])).toMatchObject({ code: 0 });
  const header = readFileSync(path.join(scratch.tree, "x.halerec")).subarray(0, 96);
  const entry = (kind: number, ...body: number[]): Buffer => {
    const bytes = Buffer.alloc(16 + 4 * body.length);
    bytes.writeUInt32LE(bytes.length, 0);
    bytes.writeUInt16LE(kind, 4);
    body.forEach((word, index) => bytes.writeInt32LE(word, 16 + 4 * index));
    return bytes;
  };
  const broken = [1, 2, 3, 4, 6, 9, 10].map((kind) => entry(kind));
  broken.push(entry(6, 900, 0), entry(6, -1, 0), entry(4, 0, 900), entry(4, -1, 0));
  for (const bytes of broken) {
    writeFileSync(path.join(scratch.tree, "broken.halerec"), Buffer.concat([header, entry(99), bytes]));
    expect(await scratch.hale(["replay", "broken.halerec", "x.hl", "--allow-truncated"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "hale replay: broken.halerec is broken: the entry at byte 112 is too short for what it holds\n",
    });
  }
}, 60_000);

test("usage errors end with 2 (06b 6b.5.1)", async () => {
  const usage = async (...args: string[]) => {
    const { code, stdout, stderr } = await scratch.hale(["replay", ...args]);
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
    return stderr;
  };
  expect(await usage()).toContain("hale replay <recording> <program.hl>");
  expect(await usage("a.halerec")).toContain("hale replay <recording> <program.hl>");
  expect(await usage("--frob", "a", "b")).toContain("hale replay: unknown flag `--frob`");
  expect(await usage("a", "b", "c")).toContain("unexpected argument `c`");
  for (const at of ["0", "x", "1:", ":1", "1:0", "-1"])
    expect(await usage("a", "b", `--at=${at}`)).toContain("--at takes");
  expect(await usage("a", "b", "--feed", "--diff")).toContain("--feed goes with neither");
  expect(await usage("a", "b", "--json")).toContain("--json goes with --diff only");
  expect(await usage("a", "b", "--at", "3")).toContain("not supported yet: --at");
  expect(await usage("a", "b", "--feed")).toContain("not supported yet: --feed");
});

test("programs for Node are recorded and replayed in the same way", async () => {
  const source = copyProgram("pinned_senders");
  const recorded = await scratch.hale(["run", "--target", "wasm", "--record", "a.halerec", source]);
  const replayed = await scratch.hale(["replay", "--target", "wasm", "a.halerec", source, LIVE, "--diff"]);
  expect(replayed.code).toBe(0);
  expect(replayed.stdout.startsWith(recorded.stdout)).toBe(true);
  expect((await scratch.hale(["replay", "a.halerec", source, LIVE])).stderr).toContain("different build inputs");
});
