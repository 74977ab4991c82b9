// A loop of each allocating construct holds resident memory flat: what one round allocates, the next one finds again (03 15, 04 7, 04 11).
// HALE_FLAT=10000000 says how many rounds; the suite runs 300,000, of which a leaked cell of 16 bytes a round would show as 4.8 MB.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkTarget, compile } from "../../compiler/index.ts";

const allRounds = Number(process.env["HALE_FLAT"] ?? 300_000);
/** Pages that the process may touch for the first time late, whatever the rounds do. */
const SLACK_KB = 512;

const source = fileURLToPath(new URL("flat-memory.hl", import.meta.url));
const constructs = [...readFileSync(source, "utf8").matchAll(/^ {8}"(\w+)" -> /gm)].map(([, name = ""]) => name);
const directory = mkdtempSync(path.join(tmpdir(), "hale-flat-"));
const file = path.join(directory, "flat");

beforeAll(async () => {
  const { program, diagnostics } = checkTarget(source, { mode: "program" });
  if (!program) throw new Error(diagnostics.map((finding) => finding.message).join("; "));
  const { executable } = await compile(program, { target: "native", profile: "dev" });
  if (!executable) throw new Error("flat-memory.hl is not compiled");
  writeFileSync(file, executable, { mode: 0o700 });
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe(`${allRounds} rounds`, () => {
  test("the program names its constructs", () => expect(constructs.length).toBe(15));

  test.each(constructs)("of %s", { timeout: 180_000 + allRounds / 100 }, async (construct) => {
    if (construct === "kept") expect(await growth(construct, 300_000), "KB").toBeGreaterThan(SLACK_KB * 20);
    else expect(await growth(construct, allRounds), "KB").toBeLessThan(SLACK_KB);
  });
});

/** By how many KB the peak of resident memory rises between a tenth of the rounds and their end. */
async function growth(construct: string, rounds: number): Promise<number> {
  const child = spawn(file, [construct, String(rounds)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // The program stops after a tenth of its rounds and at its end, and goes on when it is sent a line.
  expect((await lines.next()).value).toBe("warm");
  const warm = residentPeak(child);
  child.stdin.write("\n");
  expect((await lines.next()).value).toMatch(/^done /);
  const grown = residentPeak(child) - warm;
  child.stdin.end("\n");
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  return grown;
}

/** The most memory that the process ever held, in KB (proc(5), VmHWM). */
function residentPeak({ pid }: ChildProcess): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
