// Native programs are made without a C compiler, assembler or linker: with a PATH that holds nothing but Node, the command line builds, tests and runs, and all
// that it starts is Node itself and the programs that it has made.
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { bundle, Scratch } from "../cli/support/harness.ts";

let real: Awaited<ReturnType<typeof bundle>>;
let scratch: Scratch;
let env: Record<string, string>;
let log: string;
beforeAll(async () => {
  real = await bundle("cli/main.ts");
});
afterAll(() => real.remove());
beforeEach(() => {
  scratch = new Scratch(real.script);
  const bin = path.join(scratch.root, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, path.join(bin, "node"));
  log = path.join(scratch.root, "started");
  const hook = scratch.write(
    "hook.cjs",
    `const { ChildProcess } = require("node:child_process");
const { appendFileSync } = require("node:fs");
const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (options) {
  appendFileSync(${JSON.stringify(log)}, options.file + "\\n");
  return spawn.call(this, options);
};
`,
  );
  env = { PATH: bin, HALE_CACHE: "off", NODE_OPTIONS: `--require=${hook}` };
});
afterEach(() => scratch.remove());

const hello = 'fn main() { println("hello"); }\n';

/** What the command line has started, other than Node and what lies in the scratch world. */
function foreign(): string[] {
  const started = readFileSync(log, "utf8").trimEnd().split("\n");
  return started.filter(
    (file) => file !== process.execPath && !file.startsWith(scratch.root) && path.basename(file) !== "hale-supervisor",
  );
}

test("hale build, dev and release: the executable runs by itself", async () => {
  const source = scratch.write("hello.hl", hello);
  for (const profile of [[], ["--release"]]) {
    const output = path.join(scratch.tree, "hello");
    expect(await scratch.hale(["build", source, "-o", output, ...profile], { env })).toMatchObject({ code: 0 });
    const { stdout, status } = spawnSync(output, { env: {}, encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: "hello\n", status: 0 });
    // ELF, with no program interpreter (PT_INTERP) to load libraries.
    const bytes = readFileSync(output);
    expect(bytes.subarray(0, 4).toString("latin1")).toBe("\x7fELF");
    const headers = Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => bytes.readUInt32LE(64 + 56 * index));
    expect(headers).not.toContain(3);
  }
  expect(foreign()).toEqual([]);
});

test("hale run and hale test", async () => {
  const source = scratch.write("hello.hl", hello);
  expect(await scratch.hale(["run", source], { env })).toMatchObject({ code: 0, stdout: "hello\n" });
  scratch.write("sum_test.hl", 'fn main() { std::test::assert_eq_int(2 + 2, 4, "sum"); }\n');
  expect(await scratch.hale(["test", "sum_test.hl"], { env })).toMatchObject({ code: 0 });
  expect(foreign()).toEqual([]);
});
