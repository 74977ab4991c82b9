// A program keeps those static objects of the runtime that its code has an address in. That is exact only while every address in the
// runtime's code lies inside the object that it is meant for (an optimiser may fold `table - 8 * first` into one number): the runtime is
// built a second time at another place, and the numbers that moved with it are the addresses.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { RuntimeModule } from "../../../compiler/lowering/runtime-module.ts";
import { referencesOf } from "../../../compiler/wasm/index.ts";

const DISTANCE = 1 << 16;

test("every address in the runtime's code lies in a static object", { timeout: 300_000 }, async () => {
  const [here, there] = await Promise.all([runtimeAt(1024), runtimeAt(1024 + DISTANCE)]);
  expect(there.module.functions.length).toBe(here.module.functions.length);
  const stray: string[] = [];
  let addresses = 0;
  here.module.functions.forEach(({ name, code }, position) => {
    const { numbers: moved } = referencesOf(there.module.functions[position]?.code ?? new Uint8Array());
    const { numbers } = referencesOf(code);
    expect(moved.length, name).toBe(numbers.length);
    for (const [at, number] of numbers.entries()) {
      if (moved[at] === number) continue;
      addresses++;
      // The end of an object, where a loop over it stops, may be followed by padding.
      const isInside = here.objectAt(number) >= 0 || here.objectAt(number - 1) >= 0;
      if (moved[at] !== number + DISTANCE || !isInside) stray.push(`${name}: ${number}`);
    }
  });
  expect(addresses).toBeGreaterThan(100);
  expect(stray.filter((text) => !text.includes("/static_end:"))).toEqual([]);
});

async function runtimeAt(address: number): Promise<RuntimeModule> {
  const directory = mkdtempSync(path.join(tmpdir(), "hale-runtime-"));
  const file = path.join(directory, "runtime.wasm");
  const script = fileURLToPath(new URL("../../../scripts/build-guest.mjs", import.meta.url));
  try {
    await promisify(execFile)(process.execPath, [script, "--linux-at", String(address), file]);
    return new RuntimeModule(readFileSync(file));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
