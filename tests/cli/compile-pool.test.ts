// Compiler threads give what the compiler gives on the main thread.
import { expect, test } from "vitest";
import { scratch, useScratch } from "./support/scratch.ts";

useScratch("tests/cli/support/pool-entry.ts");

test("more programs than threads: each has its outcome, and the process ends by itself", async () => {
  const good = Array.from({ length: 8 }, (_, index) =>
    scratch.write(`t${index}_test.hl`, `fn main() { println("${index}"); }\n`),
  );
  const bad = scratch.write("bad_test.hl", 'fn main() {\n    let n: Int = "x";\n}\n');
  const bytes = scratch.write("bytes_test.hl", new Uint8Array([0xff]));
  const { code, stdout, stderr } = await scratch.hale([...good, bad, bytes]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const outcomes = JSON.parse(stdout);
  for (const [index, source] of good.entries()) {
    expect(outcomes[index]).toMatchObject({
      kind: "compiled",
      warnings: "",
      reads: [[source, expect.stringMatching(/^[0-9a-f]{64}$/)]],
    });
    expect(outcomes[index].executable).toBeGreaterThan(1000);
  }
  expect(outcomes[8]).toMatchObject({ kind: "rejected", location: { file: bad, line: 2, column: 18 } });
  expect(outcomes[9]).toMatchObject({ kind: "unreadable", cause: "content" });
});
