// Random programs give the output that their generator works out itself, and leave no cell behind (03 15, 04 7, 04 9, 04 11).
// HALE_EVALUATED=5000 says how many; the suite runs 60.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { evaluatedProgram } from "./support/evaluated-program.ts";
import { outcomeOf } from "./support/programs.ts";

const count = Number(process.env["HALE_EVALUATED"] ?? 60);
const first = Number(process.env["HALE_EVALUATED_FIRST"] ?? 1);
const directory = mkdtempSync(path.join(tmpdir(), "hale-evaluated-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test(`${count} evaluated programs`, { timeout: 180_000 + count * 1000 }, async () => {
  const file = path.join(directory, "program.hl");
  let run = 0;
  for (let seed = first; seed < first + count; seed++) {
    const program = evaluatedProgram(seed);
    if (!program) continue;
    writeFileSync(file, program.source);
    const { stdout, stderr, status } = await outcomeOf(file, "native");
    expect({ seed, stdout, stderr, status }).toEqual({ seed, stdout: program.output, stderr: "", status: 0 });
    run++;
  }
  expect(run).toBeGreaterThan(count / 2);
});
