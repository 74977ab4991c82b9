// Mutated programs end in a diagnostic or in a valid module: never in an exception, never in a hang. HALE_FUZZ=100000 says how many.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const count = Number(process.env["HALE_FUZZ"] ?? 3000);
const script = fileURLToPath(new URL("../scripts/fuzz.mjs", import.meta.url));

test(`${count} mutated programs (08 6.5)`, { timeout: 180_000 + count * 400 }, async () => {
  const child = spawn(process.execPath, [script, "--count", String(count)], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  expect(output).toMatch(new RegExp(`^${count} programs, \\d+ accepted, 0 broke the compiler\\n$`));
  expect(status).toBe(0);
});
