// Memory stays flat while collections are filled and emptied (churn.hl): resident pages, not counts, so that what the allocator keeps is seen too.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { checkTarget, compile } from "../../../compiler/index.ts";

/** A quarter of a megabyte. */
const PAGES = 64;

test("no form of collection grows in two hundred rounds of churn", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "hale-churn-"));
  try {
    const { program, diagnostics } = checkTarget(path.join(import.meta.dirname, "churn.hl"), { mode: "program" });
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const { executable } = program ? await compile(program, { target: "native", profile: "dev" }) : {};
    if (!executable) throw new Error("not compiled");
    writeFileSync(path.join(directory, "churn"), executable, { mode: 0o700 });
    const env = { ...process.env, HALE_DEBUG: "leaks" };
    // Another status than 0 is an error.
    const { stdout, stderr } = await promisify(execFile)(path.join(directory, "churn"), { env });
    expect(stderr).toBe("");
    const growth = stdout.trim().split("\n").map(Number);
    expect(growth).toHaveLength(6);
    expect(growth.filter((pages) => pages > PAGES)).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
