// Programs under the Node launcher: real processes, every host call.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, closeSync, constants, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageNodeExecutable } from "../../runtime/node/index.ts";
import { Cursor, customSection } from "../../runtime/node/program/sections.ts";
import { type Programs, buildPrograms, run as runProgram, start } from "./programs.ts";

let programs: Programs;
beforeAll(async () => {
  programs = await buildPrograms();
});
afterAll(() => programs.remove());

/** Runs a program to its end under the launcher. */
const run = (program: string, args: readonly string[], input = "", environment = {}) =>
  runProgram([programs.launcher, program, ...args], input, environment);

/** Runs a scenario in both forms of the program: a memory of its own, and a shared one. */
async function both(...args: string[]): Promise<string> {
  const plain = await run(programs.plain, args);
  expect(await run(programs.shared, args)).toEqual(plain);
  expect([plain.end, plain.stderr]).toEqual([0, ""]);
  return plain.stdout;
}

const lines = (...expected: string[]) => `${expected.join("\n")}\n`;

describe("a program's surroundings", () => {
  test("output and exit status", async () => {
    expect(await run(programs.plain, ["hello"])).toEqual({ end: 7, stdout: "hello\n", stderr: "" });
    expect(await run(programs.plain, ["unfinished"])).toEqual({ end: 0, stdout: "no line feed", stderr: "" });
  });

  test("arguments", async () => {
    expect(await both("arguments", "a b", "ä", "")).toBe(lines("count 5", "arguments", "a b", "ä", "", "beyond -22"));
  });

  test("environment, directory, process, randomness", async () => {
    const outcome = await run(programs.plain, ["environment"], "", { LAUNCHER_TEST: "välue" });
    expect(outcome.stdout).toBe(lines("välue", "missing -2", "listed 1", "cwd 1", "pid 1", "rss 1", "random 100"));
  });

  test("clocks and sleep", async () => {
    expect(await both("clocks", String(Date.now()))).toBe(lines("wall 1", "forward 1"));
    expect(await both("sleep")).toBe(lines("slept 1"));
  });

  test("memory that has grown", async () => {
    expect(await both("grow")).toBe("grown\n");
  });
});

describe("faults", () => {
  test("a panic flushes standard output", async () => {
    const panic = { end: 1, stdout: "before ", stderr: "Hale panic: index 7 out of range for length 3\n" };
    expect(await run(programs.plain, ["panic"])).toEqual(panic);
  });

  test.each([
    ["overflow", "stack overflow"],
    ["divide", "division by zero"],
    ["wild", "internal error, memory access out of bounds"],
  ])("the trap of %s", async (scenario, message) => {
    const outcome = await run(programs.plain, [scenario]);
    expect(outcome).toEqual({ end: 1, stdout: "", stderr: `Hale panic: ${message}\n` });
  });

  test("a hundred thousand calls deep is no fault", async () => {
    expect(await both("depth")).toBe("");
  });

  test("the place and the frames, for panics and for traps", async () => {
    const file = path.join(programs.directory, "placed.wasm");
    writeFileSync(file, withPositions(readFileSync(programs.plain), "/panic"));
    const { stderr } = await run(file, ["panic"]);
    expect(stderr).toMatch(
      /^Hale panic: index 7 out of range for length 3\n {2}at lib\/x\.hl:300:7\n( {2}called from lib\/x\.hl:300:7\n){2,3}$/,
    );
    writeFileSync(file, withPositions(readFileSync(programs.plain), "/overflow"));
    const overflow = (await run(file, ["overflow"])).stderr.split("\n");
    expect(overflow.slice(0, 3)).toEqual([
      "Hale panic: stack overflow",
      "  at lib/x.hl:300:7",
      "  called from lib/x.hl:300:7",
    ]);
    expect(overflow.slice(-2)).toEqual(["  ...", ""]);
  });
});

test("a full stream that somebody made non-blocking is waited for", async () => {
  const fifo = path.join(programs.directory, "fifo");
  execFileSync("mkfifo", [fifo]);
  const writeEnd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  const readEnd = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const child = spawn(process.execPath, [programs.launcher, programs.plain, "echo"], {
    stdio: ["pipe", writeEnd, "inherit"],
  });
  const input = "0123456789abcdef".repeat(20_000);
  child.stdin?.end(input);
  const ended = new Promise((resolve) => child.on("close", resolve));
  let output = "";
  const chunk = Buffer.alloc(50_000);
  while (output.length < input.length) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    try {
      output += chunk.toString("latin1", 0, readSync(readEnd, chunk));
    } catch (error) {
      expect(error).toMatchObject({ code: "EAGAIN" });
    }
  }
  expect(output === input).toBe(true);
  await ended;
  closeSync(writeEnd);
  closeSync(readEnd);
});

test("files", async () => {
  const file = path.join(programs.directory, "file.txt");
  expect(await both("files", file)).toBe(
    lines(
      ...["created 1", "written 11", "seek 6", "read 5", "world", "end 0", "back 6", "size 11", "negative -22"],
      ...["truncated 0", "closed 0", "again -9", "stat 0", "bytes 8", "mode 420", "missing -2", "directory 1"],
      ...["not-seekable -29", "entries 1"],
    ),
  );
  expect(readFileSync(file, "utf8")).toBe("hello W!");
});

describe("standard input", () => {
  test("a megabyte is copied", async () => {
    const input = "0123456789abcdef".repeat(65536);
    for (const program of [programs.plain, programs.shared]) {
      const outcome = await run(program, ["echo"], input);
      expect(outcome.stdout === input && outcome.stderr === "").toBe(true);
    }
  });

  test("waiting for it with a time limit", async () => {
    const running = start([process.execPath, programs.launcher, programs.plain, "poll-input"]);
    await running.printed("ready\n");
    running.process.stdin?.write("abcdef");
    running.process.stdin?.end();
    const expected = lines("nothing 0", "ready", "something 1", "read 3", "abc", "rest 3", "end 0");
    expect(await running.outcome).toEqual({ end: 0, stdout: expected, stderr: "" });
  });

  test("a reader that goes away is an error of the write, not the end", async () => {
    const running = start([process.execPath, programs.launcher, programs.plain, "broken-pipe"]);
    await running.printed("pipe -32\n");
    running.process.stdout?.destroy();
    running.process.stdin?.end("x");
    const { end, stderr } = await running.outcome;
    expect([end, stderr]).toEqual([5, "x"]);
  });
});

describe("children", () => {
  test("output, status, signals, a program that does not exist", async () => {
    expect(await both("child")).toBe(
      lines(
        ...["started 1", "waited 1", "status 3", "out", "end 0", "twice -10", "running 0", "kill 0", "signal -9"],
        ...["gone -3", "ghost 127"],
      ),
    );
  });

  test("a pipeline with more than a pipe holds", async () => {
    expect(await both("children")).toBe(lines("bytes 318890", "status 0"));
  });

  test("writing to one and reading from it without blocking", async () => {
    expect(await both("filter")).toBe(lines("empty -11", "timeout 0", "written 5", "ready 1", "SHOUT", "end 0"));
  });
});

describe("sockets", () => {
  test("streams", async () => {
    expect(await both("tcp")).toBe(
      lines(
        ...["listen 0", "connect 0", "accepted 1", "sent 4", "received 4", "end 0", "empty -11", "timeout -11"],
        ...["closed 0", "refused -111", "bad-address -22", "resolved 1"],
      ),
    );
  });

  test("datagrams", async () => {
    expect(await both("udp")).toBe(lines("bind 0", "sent 8", "received 8", "datagram127.0.0.1:"));
  });
});

describe("signals", () => {
  test("end a program that does not watch for them", async () => {
    const running = start([process.execPath, programs.launcher, programs.plain, "poll-input"]);
    await running.printed("nothing 0\n");
    running.process.kill("SIGTERM");
    expect((await running.outcome).end).toBe("SIGTERM");
  });

  test("the first sets the flag and ends a sleep, the second ends the program", async () => {
    for (const program of [programs.plain, programs.shared]) {
      const running = start([process.execPath, programs.launcher, program, "signal"]);
      await running.printed("watching\n");
      // The sleep must have begun: one that begins after the signal lasts its full time.
      await running.quiet();
      running.process.kill("SIGINT");
      await running.printed("again\n");
      running.process.kill("SIGTERM");
      expect(await running.outcome).toEqual({
        end: "SIGTERM",
        stdout: lines("watching", "signal 2", "early 1", "again"),
        stderr: "",
      });
    }
  });

  test("reach a shared memory without a host call", async () => {
    const running = start([process.execPath, programs.launcher, programs.shared, "spin"]);
    await running.printed("watching\n");
    running.process.kill("SIGTERM");
    expect(await running.outcome).toEqual({ end: 0, stdout: lines("watching", "signal 15"), stderr: "" });
  });
});

describe("threads", () => {
  test("share memory, have globals of their own, wait for each other", async () => {
    const { end, stdout, stderr } = await run(programs.shared, ["threads"]);
    const [threads, rest] = [stdout.split("\n").slice(0, 3), stdout.split("\n").slice(3)];
    expect(threads.sort()).toEqual(["thread 11", "thread 21", "thread 31"]);
    expect([end, stderr, rest]).toEqual([0, "", ["counter 30000", "own 1", "timeout 2", "unequal 1", ""]]);
  });

  test("a panic in one ends the process", async () => {
    const panic = { end: 1, stdout: "before ", stderr: "Hale panic: index 7 out of range for length 3\n" };
    expect(await run(programs.shared, ["thread-panic"])).toEqual(panic);
  });
});

describe("the launcher", () => {
  test("makes an executable of a program", async () => {
    const file = path.join(programs.directory, "packaged");
    writeFileSync(file, packageNodeExecutable(readFileSync(programs.plain), readFileSync(programs.launcher, "utf8")));
    chmodSync(file, 0o755);
    const running = start([file, "arguments", "x"]);
    running.process.stdin?.end();
    expect(await running.outcome).toEqual({
      end: 0,
      stdout: lines("count 3", "arguments", "x", "beyond -22"),
      stderr: "",
    });
  });

  test("refuses what is no program", async () => {
    const file = path.join(programs.directory, "text.wasm");
    writeFileSync(file, "text");
    const missing = await run(path.join(programs.directory, "missing.wasm"), []);
    expect([missing.end, missing.stderr.includes("ENOENT")]).toEqual([2, true]);
    expect(await run(file, [])).toEqual({ end: 2, stdout: "", stderr: `${file}: not a WebAssembly module\n` });
  });
});

/** The module with a position table in which the code of one function, whose name ends like `suffix`, is at lib/x.hl:300:7. */
function withPositions(module: Uint8Array, suffix: string): Uint8Array {
  const index = functionIndex(module, suffix);
  expect(index).toBeLessThan(128);
  const name = [14, ...Buffer.from("hale.positions")];
  // Version, one file, one function with one entry; 300 takes two bytes.
  const table = [1, 1, 8, ...Buffer.from("lib/x.hl"), 1, index, 1, 0, 0, 0xac, 0x02, 7];
  return Buffer.concat([module, Buffer.from([0, name.length + table.length, ...name, ...table])]);
}

function functionIndex(module: Uint8Array, suffix: string): number {
  const section = customSection(module, "name");
  if (section === undefined) throw new Error("no names");
  const cursor = new Cursor(section);
  while (cursor.byte() !== 1) cursor.bytes(cursor.unsigned());
  cursor.unsigned();
  for (let left = cursor.unsigned(); left > 0; left--) {
    const index = cursor.unsigned();
    if (cursor.name().endsWith(suffix)) return index;
  }
  throw new Error(`no function ${suffix}`);
}
