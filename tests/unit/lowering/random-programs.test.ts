// Ownership under random programs: nothing is freed twice, used after it was freed, or left alive, whatever way out is taken. HALE_RANDOM_SEED=n
// starts from another program.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { outcomeOf } from "../../support/programs.ts";
import { randomProgram } from "../../support/random-program.ts";

const directory = mkdtempSync(path.join(tmpdir(), "hale-random-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIRST = Number(process.env["HALE_RANDOM_SEED"] ?? 1);
const seeds = Array.from({ length: 20 }, (_, at) => FIRST + at);

test.concurrent.each(seeds)("seed %i: both targets agree and leave nothing alive", async (seed) => {
  const file = path.join(directory, `seed${seed}.hl`);
  writeFileSync(file, randomProgram(seed));
  const native = await outcomeOf(file, "native");
  expect(native.stderr).toBe("");
  expect(await outcomeOf(file, "wasm")).toEqual(native);
});
