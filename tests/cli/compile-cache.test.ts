// What is compiled again and what is not (decision 11 of ARCHITECTURE.md).
import { expect, test } from "vitest";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fakeTool, scratch, useScratch } from "./support/scratch.ts";

useScratch(fakeTool);

/** Runs `hale test` and returns the names of the files that were compiled. */
async function compiled(args: readonly string[] = [], env: Record<string, string> = {}): Promise<string[]> {
  const log = path.join(scratch.root, "log");
  rmSync(log, { force: true });
  const { code, stderr } = await scratch.hale(["test", ...args], { env: { FAKE_COMPILE_LOG: log, ...env } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n").sort() : [];
}

const objects = (): string[] => readdirSync(path.join(scratch.cache, "hale/objects"));

test("an unchanged file is compiled once; a changed one again; the old text is found again", async () => {
  scratch.sh("a_test.hl", "exit 0");
  const b = scratch.sh("b_test.hl", "exit 0");
  expect(await compiled()).toEqual(["a_test.hl", "b_test.hl"]);
  expect(await compiled()).toEqual([]);
  const { mtimeMs } = statSync(b);
  scratch.sh("b_test.hl", "true  ");
  // Same size, same time: contents decide.
  utimesSync(b, mtimeMs / 1000, mtimeMs / 1000);
  expect(await compiled()).toEqual(["b_test.hl"]);
  utimesSync(b, 1, 1);
  expect(await compiled()).toEqual([]);
});

test("a changed import, and a new file beside it, count", async () => {
  scratch.sh("a_test.hl", "# import lib/one.hl");
  scratch.sh("b_test.hl", "exit 0");
  const library = scratch.write("lib/one.hl", "exit 0\n");
  await compiled();
  expect(await compiled()).toEqual([]);
  writeFileSync(library, "true; exit 0\n");
  expect(await compiled()).toEqual(["a_test.hl"]);
  scratch.write("lib/two.hl", "");
  expect(await compiled()).toEqual(["a_test.hl"]);
  scratch.write("lib/notes.txt", "");
  expect(await compiled()).toEqual([]);
  rmSync(path.join(scratch.tree, "lib/two.hl"));
  expect(await compiled()).toEqual(["a_test.hl"]);
});

test("--no-cache and HALE_CACHE=off neither read nor fill it", async () => {
  scratch.sh("a_test.hl", "exit 0");
  expect(await compiled(["--no-cache"])).toEqual(["a_test.hl"]);
  expect(await compiled([], { HALE_CACHE: "off" })).toEqual(["a_test.hl"]);
  expect(existsSync(path.join(scratch.cache, "hale"))).toBe(false);
  await compiled();
  expect(await compiled(["--no-cache"])).toEqual(["a_test.hl"]);
  expect(await compiled([], { HALE_CACHE: "off" })).toEqual(["a_test.hl"]);
  expect(await compiled()).toEqual([]);
});

test("targets do not share objects", async () => {
  scratch.write("a_test.hl", `#!${process.execPath}\nprocess.exit(0);\n`);
  expect(await compiled()).toEqual(["a_test.hl"]);
  expect(await compiled(["--target", "wasm"])).toEqual(["a_test.hl"]);
  expect(await compiled(["--target", "wasm"])).toEqual([]);
  expect(objects().length).toBe(2);
});

test("the cache is the user's alone, and a run leaves no temporary files in it", async () => {
  scratch.sh("a_test.hl", "exit 0");
  await compiled();
  const root = path.join(scratch.cache, "hale");
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(readdirSync(root, { recursive: true }).filter((name) => String(name).includes("tmp"))).toEqual([]);
  chmodSync(root, 0o755);
  await compiled();
  expect(statSync(root).mode & 0o777).toBe(0o700);
});

test("a test cannot change what the next run gets", async () => {
  scratch.sh("a_test.hl", 'echo "exit 9" > "$0"');
  await compiled();
  expect(await compiled()).toEqual([]);
});

test("damaged and missing objects, broken entries: compiled again", async () => {
  scratch.sh("a_test.hl", "exit 0");
  await compiled();
  const [object = ""] = objects();
  const file = path.join(scratch.cache, "hale/objects", object);
  truncateSync(file, 3);
  expect(await compiled()).toEqual(["a_test.hl"]);
  rmSync(file);
  expect(await compiled()).toEqual(["a_test.hl"]);
  const entries = path.join(scratch.cache, "hale/entries");
  for (const name of readdirSync(entries)) writeFileSync(path.join(entries, name), "{");
  expect(await compiled()).toEqual(["a_test.hl"]);
  for (const name of readdirSync(entries)) writeFileSync(path.join(entries, name), '{"reads":5}');
  expect(await compiled()).toEqual(["a_test.hl"]);
  expect(await compiled()).toEqual([]);
});

test("without a place for a cache everything works", async () => {
  scratch.sh("a_test.hl", "exit 0");
  writeFileSync(path.join(scratch.root, "file"), "");
  expect(await compiled([], { XDG_CACHE_HOME: path.join(scratch.root, "file") })).toEqual(["a_test.hl"]);
  expect(await compiled([], { XDG_CACHE_HOME: path.join(scratch.root, "file") })).toEqual(["a_test.hl"]);
});

test("what has not been used for two weeks is pruned, at most once a day", async () => {
  scratch.sh("a_test.hl", "exit 0");
  scratch.sh("b_test.hl", "exit 0");
  await compiled();
  const root = path.join(scratch.cache, "hale");
  const old = Date.now() / 1000 - 15 * 24 * 3600;
  const age = (part: string): void => {
    for (const name of readdirSync(path.join(root, part))) utimesSync(path.join(root, part, name), old, old);
  };
  age("objects");
  age("entries");
  expect(await compiled(["a_test.hl"])).toEqual([]);
  expect(objects().length).toBe(2);
  utimesSync(path.join(root, "pruned"), old, old);
  await compiled(["a_test.hl"]);
  expect(objects().length).toBe(1);
  age("entries");
  expect(await compiled(["a_test.hl"])).toEqual([]);
  expect(existsSync(path.join(root, "pruned.lock"))).toBe(false);
});

test("runs at the same time share one cache", async () => {
  for (let i = 0; i < 10; i++) scratch.sh(`t${i}_test.hl`, "exit 0");
  const runs = await Promise.all(Array.from({ length: 4 }, () => scratch.hale(["test"])));
  expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(4).fill({ code: 0, stderr: "" }));
  expect(await compiled()).toEqual([]);
});
