// What the commands leave on a disk that takes nothing more: what was there before, and no parts of anything.
import { afterEach, beforeEach, expect, test } from "vitest";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { realTool, scratch, useScratch } from "./support/scratch.ts";

/** Of the disk. Directories and empty files fit when it is full, not one byte does. */
const DISK_BYTES = 65536;

let disk: string;
let isMounted = false;
useScratch(realTool);
beforeEach(({ skip }) => {
  disk = path.join(scratch.root, "disk");
  mkdirSync(disk);
  // Only root may mount.
  isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", disk]).status === 0;
  if (!isMounted) skip();
});
afterEach(() => {
  if (isMounted) spawnSync("umount", [disk]);
});

const SOUND = 'fn main() {\n    println("hi");\n}\n';

/** Takes the room that is left. */
function fill(): void {
  const filler = path.join(disk, "filler");
  expect(() => writeFileSync(filler, Buffer.alloc(2 * DISK_BYTES))).toThrow("ENOSPC");
}

test("the compile cache keeps no parts", async () => {
  scratch.write("a.hl", SOUND);
  const env = { XDG_CACHE_HOME: disk };
  const cold = await scratch.hale(["run", "a.hl"], { env });
  expect(cold).toMatchObject({ code: 0, stdout: "hi\n", stderr: "" });
  const objects = path.join(disk, "hale/objects");
  const before = readdirSync(objects);
  fill();
  scratch.write("b.hl", SOUND.replace("hi", "ho"));
  expect(await scratch.hale(["run", "b.hl"], { env })).toMatchObject({ code: 0, stdout: "ho\n", stderr: "" });
  expect(readdirSync(objects)).toEqual(before);
});

test("doc -o and --dump-topology leave the file that was there", async () => {
  scratch.write("a.hl", SOUND);
  const file = path.join(disk, "old");
  writeFileSync(file, "old text");
  fill();
  const failed = { code: 1, stderr: `hale doc: could not write ${file}: no space left on device\n` };
  expect(await scratch.hale(["doc", "--stdlib", "-o", file])).toMatchObject(failed);
  expect((await scratch.hale(["check", `--dump-topology=${file}`, "a.hl"])).stderr).toContain(
    `could not write ${file}: no space left on device\n`,
  );
  expect(readFileSync(file, "utf8")).toBe("old text");
  expect(readdirSync(disk).sort()).toEqual(["filler", "old"]);
});

test("init leaves no empty file that the next one would keep", async () => {
  fill();
  const app = path.join(disk, "app");
  expect(await scratch.hale(["init", app])).toMatchObject({
    code: 1,
    stderr: `hale init: could not create ${app}/hale.toml: no space left on device\n`,
  });
  expect(readdirSync(app)).toEqual([]);
});
