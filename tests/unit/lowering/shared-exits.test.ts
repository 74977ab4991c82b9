// Functions with hundreds of values and a way out behind each: every way gives its result and leaves nothing alive, and the code grows in proportion.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkTarget, compile } from "../../../compiler/index.ts";
import { exitsKinds, exitsProgram } from "../../support/exits-program.ts";
import { outcomeOf } from "../../support/programs.ts";

const directory = mkdtempSync(path.join(tmpdir(), "hale-exits-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function written(name: string, source: string): string {
  const file = path.join(directory, `${name}.hl`);
  writeFileSync(file, source);
  return file;
}

// Few enough for each exit to release all itself, some in common, several rows.
test.each([10, 45, 150])("each of the ways out of functions of %i sections is taken", async (count) => {
  const { source, output } = exitsProgram(count);
  const file = written(`taken${count}`, source);
  const wanted = { status: 0, stdout: output, stderr: "" };
  expect(await outcomeOf(file, "native")).toEqual(wanted);
  expect(await outcomeOf(file, "wasm")).toEqual(wanted);
});

test("a panic behind many values ends what is alive", async () => {
  const exits = Array.from(
    { length: 50 },
    (_, i) => `    let t${i} = "t" + to_string(n); if n == ${i} { return t${i}; }\n`,
  );
  const file = written(
    "panic",
    `locus Tag { dissolve() { println("ended"); } }
fn last(texts: [String; 2], at: Int) -> String { return texts[at]; }
fn f(n: Int) -> String {\n    Tag { };\n    let tag = Tag { };\n${exits.join("")}    return last(["a", t0], n);\n}
fn main() { println(f(49)); println(f(60)); }\n`,
  );
  const native = await outcomeOf(file, "native");
  expect(native).toMatchObject({ status: 1, stdout: "ended\nended\nt49\nended\n" });
  expect(native.stderr).toContain("index 60 out of range for length 2");
  expect(await outcomeOf(file, "wasm")).toMatchObject({ status: 1, stdout: native.stdout });
});

test.each(exitsKinds)("%s: twice the sections take twice the code", async (kind) => {
  const sizes: number[] = [];
  for (const count of [0, 200, 400]) {
    const file = written(`${kind}${count}`, count === 0 ? "fn main() { }\n" : exitsProgram(count, [kind]).source);
    const { program, diagnostics } = checkTarget(file, { mode: "program" });
    if (!program) throw new Error(diagnostics.map(({ message }) => message).join("; "));
    sizes.push((await compile(program, { target: "native", profile: "dev" })).executable.length);
  }
  const [empty = 0, once = 0, twice = 0] = sizes;
  expect((twice - empty) / (once - empty)).toBeLessThan(2.3);
});
