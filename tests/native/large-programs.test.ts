// As deep as the parser lets a program be, and as wide as generators write them: no compiler's stack ends, and what is wide is compiled in proportion.
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compilerAlone } from "./support/compile-alone.ts";

let compiler: Awaited<ReturnType<typeof compilerAlone>>;
/** What a program takes that does nothing. */
let base = 0;
beforeAll(async () => {
  compiler = await compilerAlone();
  base = statSync((await compiler.compile("empty", "fn main() { println(1); }\n")).executable).size;
});
afterAll(() => compiler.remove());

const times = (count: number, text: (i: number) => string) => Array.from({ length: count }, (_, i) => text(i)).join("");

/** A function of \`n\` whose loops, each with a text of its own, hold the expression. */
const nested = (loop: (i: number) => string, value: string) =>
  `@form(vec)
locus Nums { capacity { heap items of Int; } }
fn f(n: Int) -> Int {
    let v = Nums { };
    v.push(1);
    let mut r = 0;
    ${times(395, (i) => `${loop(i)} { let t${i} = to_string(n); `)} r = ${value}; ${"}".repeat(395)}
    return r;
}
fn main() { println(f(3)); }\n`;

const sum = `n${" + 1".repeat(590)}`;
const ifs = (count: number) => `${times(count, (i) => `if n == ${i} { ${i} } else `)} { -1 }`;
const flat = (body: string) => `fn f(n: Int) -> Int { ${body} }\nfn main() { println(f(3)); }\n`;

test.each([
  ["else_if_statements", flat(`${times(985, (i) => `if n == ${i} { return ${i}; } else `)} { return -1; }`), "3"],
  ["else_if_values", flat(`let x = ${ifs(985)}; return x;`), "3"],
  ["a_sum", flat(`return n${" + 1".repeat(985)};`), "988"],
  ["a_sum_in_ranges", nested((i) => `for i${i} in 0..1`, sum), "593"],
  ["a_sum_in_arrays", nested((i) => `for i${i} in [1]`, sum), "593"],
  ["a_sum_in_forms", nested((i) => `for i${i} in v.items`, sum), "593"],
  ["else_ifs_in_forms", nested((i) => `for i${i} in v.items`, ifs(590)), "3"],
])("%s of the greatest depth", async (name, source, output) => {
  const { executable } = await compiler.compile(name, source);
  const { stdout } = await promisify(execFile)(executable);
  expect(stdout).toBe(`${output}\n`);
});

const wide: readonly (readonly [string, number, (count: number) => string, (count: number) => string])[] = [
  [
    "arms",
    5000,
    (count) => flat(`return match n { ${times(count, (i) => `${i + 1} -> ${2 * i}, `)} _ -> -1 };`),
    () => "4",
  ],
  [
    "variants",
    5000,
    (count) => `type E = enum { ${times(count, (i) => `V${i}(String), `)} };
fn f(e: E) -> String { return match e { ${times(count, (i) => `E::V${i}(s) -> s + "${i}", `)} }; }
fn main() { println(f(E::V${count - 1}("v"))); }\n`,
    (count) => `v${count - 1}`,
  ],
  [
    "constants",
    10_000,
    (count) =>
      `const C0: Int = 7;\n${times(count, (i) => `const C${i + 1}: Int = C${i} + 1;\n`)}fn main() { println(C${count}); }\n`,
    (count) => String(count + 7),
  ],
  [
    "fields",
    3000,
    (count) =>
      `locus L {\n    params { ${times(count, (i) => `f${i}: String = to_string(${i}); `)} }\n    fn last() -> String { return self.f${count - 1}; }\n}
fn main() { let l = L { f0: "x" }; println(l.f0, l.last()); }\n`,
    (count) => `x${count - 1}`,
  ],
  [
    "elements",
    10_000,
    (count) => `fn main() { let a = [${times(count, (i) => `"s${i}", `)}]; println(a[${count - 1}]); }\n`,
    (count) => `s${count - 1}`,
  ],
  [
    "pieces",
    10_000,
    (count) => `fn main() { let n = 1; let a = f"${times(count, () => "é {n} ")}"; println(len(a)); }\n`,
    (count) => String(5 * count),
  ],
  [
    "characters",
    1_000_000,
    (count) => `fn main() { let a = "${"x".repeat(count)}"; println(len(a)); }\n`,
    (count) => String(count),
  ],
];

test.each(wide)("%s: twice as many take twice the room", async (name, count, source, output) => {
  const half = await compiler.compile(`half_${name}`, source(count / 2));
  const whole = await compiler.compile(`whole_${name}`, source(count));
  expect((await promisify(execFile)(whole.executable)).stdout).toBe(`${output(count)}\n`);
  const once = statSync(half.executable).size - base;
  expect((statSync(whole.executable).size - base) / once).toBeLessThan(2.3);
  // The compiler itself takes most of both; what grew with the square would show.
  expect(whole.kibibytes).toBeLessThan(2 * half.kibibytes);
});
