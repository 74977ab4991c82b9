// The compiler as one script with V8's byte code: it is the same compiler, and a code cache that does not fit is ignored.
import { beforeAll, expect, test } from "vitest";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { realTool, scratch, script, useScratch } from "./support/scratch.ts";

const dist = path.join(import.meta.dirname, "../../dist");

useScratch(realTool, { define: { __HALE_PRECOMPILED__: "true" } });
beforeAll(() => {
  copyFileSync(path.join(dist, "compiler.cjs"), inBundle("compiler.cjs"));
});

const inBundle = (name: string): string => path.join(path.dirname(script), name);

async function works(): Promise<void> {
  scratch.write("a.hl", 'fn main() {\n    let n: Int = "four";\n}\n');
  const { code, stderr } = await scratch.hale(["check", "a.hl"]);
  expect(stderr).toMatch(/a\.hl:2:18: type error: /);
  expect(code).toBe(1);
  scratch.write("b_test.hl", 'fn main() { std::test::assert(true, "x"); }\n');
  expect(await scratch.hale(["test"])).toMatchObject({
    code: 0,
    stdout: "ok   b_test.hl\n\n1 passed, 0 failed\n",
    stderr: "",
  });
}

test("with the cache of the build", async () => {
  const cache = path.join(dist, "compiler.cache");
  expect(existsSync(cache)).toBe(true);
  copyFileSync(cache, inBundle("compiler.cache"));
  await works();
});

test("with a cache of another source, a cut one, an empty one, none", async () => {
  const bytes = readFileSync(path.join(dist, "compiler.cache"));
  const foreign = Buffer.from(bytes);
  foreign.write("another source", 0);
  for (const each of [foreign, bytes.subarray(0, 1000), bytes.subarray(0, 32), Buffer.alloc(0)]) {
    writeFileSync(inBundle("compiler.cache"), each);
    await works();
  }
  rmSync(inBundle("compiler.cache"));
  await works();
});
