// Functions of thousands of statements, each with a way out: compiling them takes memory in proportion, and they compute what short ones do.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "../cli/support/harness.ts";

let compiler: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  compiler = await bundle("compiler/index.ts");
});
const directory = mkdtempSync(path.join(tmpdir(), "hale-long-"));
afterAll(() => {
  compiler.remove();
  rmSync(directory, { recursive: true, force: true });
});

/** Every variable lives to the end, and two of three statements may leave: by `return`, and by a division by zero. The third is a loop. */
function programOf(statements: number): string {
  const lets = Array.from({ length: statements }, (_, i) =>
    i % 3 === 0
      ? `    let x${i} = n + ${i};\n    if x${i} == ${7 * statements} { return -x${i >> 1}; }\n`
      : i % 3 === 1
        ? `    let x${i} = (n * ${i}) / (n - ${i + statements});\n`
        : `    let mut x${i} = n;\n    while x${i} < 3 { x${i} += 1; }\n`,
  );
  const sum = Array.from({ length: statements }, (_, i) => `    sum += x${i};\n`);
  return `fn f(n: Int) -> Int {\n${lets.join("")}    let mut sum = 0;\n${sum.join("")}    return sum;\n}
fn main() { println(f(2), " ", f(${7 * statements - 1000}), " ", f(-5)); f(${statements + 4}); }\n`;
}

/** The same in JavaScript. */
function expected(statements: number, n: number): number {
  const values: number[] = [];
  for (let i = 0; i < statements; i++) {
    if (i % 3 === 0) values.push(n + i);
    else values.push(i % 3 === 1 ? Math.trunc((n * i) / (n - (i + statements))) : Math.max(n, 3));
    if (i % 3 === 0 && values[i] === 7 * statements) return -(values[i >> 1] ?? 0);
  }
  return values.reduce((a, b) => a + b, 0);
}

/** Compiles in a process of its own and tells the most memory that it took, in KiB. */
async function compiled(statements: number): Promise<{ readonly executable: string; readonly kibibytes: number }> {
  const source = path.join(directory, `f${statements}.hl`);
  const executable = path.join(directory, `f${statements}`);
  writeFileSync(source, programOf(statements));
  const door = pathToFileURL(compiler.script).href;
  const script = `import { writeFileSync } from "node:fs";
    const { checkTarget, compile } = await import(${JSON.stringify(door)});
    const { program } = checkTarget(${JSON.stringify(source)}, { mode: "program" });
    const { executable } = await compile(program, { target: "native", profile: "dev" });
    writeFileSync(${JSON.stringify(executable)}, executable, { mode: 0o700 });
    console.log(process.resourceUsage().maxRSS);`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  if (!/^\d+\n$/.test(stdout)) throw new Error(stdout + stderr);
  return { executable, kibibytes: Number(stdout) };
}

/** What a program that ends with status 1 has said. */
function panicking(executable: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) =>
    execFile(executable, (error, stdout, stderr) =>
      error?.code === 1 ? resolve({ stdout, stderr }) : reject(error ?? new Error("no panic")),
    ),
  );
}

test("four times the statements take less than twice the memory, and compute the same", async () => {
  const short = await compiled(1500);
  const long = await compiled(6000);
  // The compiler itself takes most of both; what grew with the square would show.
  expect(long.kibibytes).toBeLessThan(1.7 * short.kibibytes);
  for (const [statements, { executable }] of [[1500, short] as const, [6000, long] as const]) {
    const { stdout, stderr } = await panicking(executable);
    const results = [2, 7 * statements - 1000, -5].map((n) => expected(statements, n));
    expect(stdout).toBe(`${results.join(" ")}\n`);
    expect(stderr).toContain("division by zero");
  }
});
