// Only what a program reaches is compiled into it: hello world does not grow when the library does.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkTarget, compile } from "../../../compiler/index.ts";

const LARGEST_HELLO = 64 * 1024;

/** A native executable and the names in its symbol table that are the library's. */
async function built(source: string): Promise<{ readonly size: number; readonly library: readonly string[] }> {
  const directory = mkdtempSync(path.join(tmpdir(), "hale-reached-"));
  try {
    const file = path.join(directory, "program.hl");
    writeFileSync(file, source);
    const { program } = checkTarget(file, { mode: "program" });
    const { executable } = program ? await compile(program, { target: "native", profile: "dev" }) : {};
    if (!executable) throw new Error("not compiled");
    const names = Buffer.from(executable)
      .toString("latin1")
      .matchAll(/runtime\/guest\/library\/[\w/]+|std::[\w:]+/g);
    return { size: executable.length, library: [...new Set([...names].map(([name]) => name))].sort() };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test("hello world has no function of the library, and is small", async () => {
  const hello = await built('fn main() { println("hello"); }');
  expect(hello.library).toEqual([]);
  expect(hello.size).toBeLessThan(LARGEST_HELLO);
});

test("a digest brings the digests along, and nothing of compression or JSON", async () => {
  const { library } = await built('fn main() { println(len(std::crypto::sha256(b"abc"))); }');
  expect(library).toContain("runtime/guest/library/hash/__crypto_sha256");
  expect(library.filter((name) => /inflate|deflate|zstd|json|regex|p256|socket/.test(name))).toEqual([]);
});
