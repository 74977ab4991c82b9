// The body of the random-module suites: several files share it, so that they run side by side.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsOf, compareRuns, Workplace } from "./compare.ts";
import { createModuleGenerator, type ModuleGenerator, seededBytes } from "./random-module.ts";

/** What Binaryen may generate: everything that the back end has. NaNs become zero, since which NaN comes out is up to the engine. */
const flags = [
  "--disable-simd",
  "--disable-gc",
  "--disable-exception-handling",
  "--disable-tail-call",
  "--enable-threads",
  "--denan",
];
const batch = 50;
/** Milliseconds. Some modules never end, and say nothing. */
const MODULE_TIMEOUT = 2_000;

/** Modules in all suites together; `HALE_RANDOM_MODULES` asks for more or less (2,000 take about 5 minutes of processor time), `HALE_RANDOM_SEED` for other ones. */
const total = Number(process.env["HALE_RANDOM_MODULES"] ?? 300);
const firstSeed = Number(process.env["HALE_RANDOM_SEED"] ?? 0);

/** Compares the modules of one share of the seeds, `part` of `parts`. A failure names its seed. */
export function randomModules(part: number, parts: number): void {
  const share = Math.ceil(total / parts);
  const start = firstSeed + part * share;
  describe(`random modules, seeds ${start} to ${start + share - 1}: the same results as in V8`, () => {
    let generator: ModuleGenerator;
    let place: Workplace;
    beforeAll(async () => {
      generator = await createModuleGenerator(flags);
      place = new Workplace();
    });
    afterAll(() => {
      generator.close();
      place.close();
    });
    const batches = Array.from({ length: Math.ceil(share / batch) }, (_, index) => start + index * batch);
    it.each(batches)("from seed %i on", { timeout: 300_000 }, async (seed) => {
      let conclusive = 0;
      const last = Math.min(seed + batch, start + share);
      for (let current = seed; current < last; current++) {
        const bytes = await generator.generate(seededBytes(current, 200 + ((current * 37) % 4000)));
        expect(WebAssembly.validate(bytes), `the generator made an invalid module for seed ${current}`).toBe(true);
        // Lets the runner speak to this process: everything else here blocks it.
        await new Promise(setImmediate);
        const { native, v8 } = compareRuns(place, bytes, callsOf(bytes, current), MODULE_TIMEOUT);
        if (native.inconclusive !== undefined || v8.inconclusive !== undefined) continue;
        conclusive++;
        expect(native.lines, `seed ${current}`).toEqual(v8.lines);
      }
      // Runs that exhaust a stack say nothing, but they must stay rare.
      expect(conclusive).toBeGreaterThan((last - seed) * 0.8);
    });
  });
}
