// Ownership under random programs: nothing is freed twice, used after it was freed, or left alive, whatever way out is taken.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { outcomeOf } from "../../support/programs.ts";
import { randomProgram } from "../../support/random-program.ts";

const directory = mkdtempSync(path.join(tmpdir(), "hale-random-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIRST = Number(process.env["HALE_RANDOM_SEED"] ?? 1);

test.concurrent.each(Array.from({ length: 24 }, (_, at) => FIRST + at))("seed %i", async (seed) => {
  const file = path.join(directory, `seed${seed}.hl`);
  writeFileSync(file, randomProgram(seed));
  const { stderr } = await outcomeOf(file, "wasm");
  expect(stderr).toBe("");
});
