// Functions of thousands of statements, each with a way out: compiling them takes memory in proportion, and they compute what short ones do.
import { execFile } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compilerAlone } from "./support/compile-alone.ts";

let compiler: Awaited<ReturnType<typeof compilerAlone>>;
beforeAll(async () => {
  compiler = await compilerAlone();
});
afterAll(() => compiler.remove());

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

const compiled = (statements: number) => compiler.compile(`f${statements}`, programOf(statements));

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
