// What lowering makes of whole programs, as modules: always valid, and no larger than what the entry reaches.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { checkTarget } from "../../../compiler/index.ts";
import { lowerProgram } from "../../../compiler/lowering/index.ts";
import { encodeModule, type WasmModule } from "../../../compiler/wasm/index.ts";
import { isRun, programsBelow } from "../../support/programs.ts";
import { randomProgram } from "../../support/random-program.ts";

const runtime = readFileSync(new URL("../../../dist/runtime.wasm", import.meta.url));
const scratch = mkdtempSync(path.join(tmpdir(), "hale-modules-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function lowered(target: string): WasmModule {
  const { program, diagnostics } = checkTarget(target, { mode: "program" });
  if (!program) throw new Error(`${target}: ${diagnostics.map(({ message }) => message).join("; ")}`);
  return lowerProgram(program, runtime);
}

function loweredText(text: string): WasmModule {
  const file = path.join(scratch, "program.hl");
  writeFileSync(file, text);
  return lowered(file);
}

/** Why the engine refuses a module; "" when it does not. */
function problemOf(module: WasmModule): string {
  try {
    new WebAssembly.Module(encodeModule(module));
    return "";
  } catch (error) {
    return String(error);
  }
}

const namesOf = (module: WasmModule) => module.functions.map((fn) => fn.name).filter((name) => name !== "");

// A part of them: all run on both targets elsewhere, and an engine that refused one would be seen there.
test("programs of the suites become valid modules", { timeout: 300_000 }, async () => {
  const roots = ["../../language", "../../conformance"].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const programs = roots.flatMap((root) => programsBelow(root)).filter(isRun);
  const sample = programs.filter((_, at) => at % 4 === 0);
  for (const { name, target } of sample) {
    expect(problemOf(lowered(target)), name).toBe("");
    // Lets the runner speak to this process: everything else here blocks it.
    await setImmediate();
  }
});

test("random programs become valid modules", async () => {
  for (let seed = 1000; seed < 1060; seed++) {
    expect(problemOf(loweredText(randomProgram(seed))), `seed ${seed}`).toBe("");
    await setImmediate();
  }
});

test("only what the entry reaches is written", () => {
  const module = loweredText(`
    fn used() -> Int { return 1; }
    fn unused() -> Int { return used(); }
    fn main() { let n = used(); }
  `);
  expect(namesOf(module)).toContain("used");
  expect(namesOf(module)).not.toContain("unused");
});

test("functions of the runtime that nothing reaches are empty and nameless", () => {
  const quiet = loweredText("fn main() { }");
  const printing = loweredText("fn main() { println(1.5); }");
  const size = (module: WasmModule) => encodeModule(module).length;
  expect(namesOf(quiet).some((name) => name.includes("text_float"))).toBe(false);
  expect(namesOf(printing).some((name) => name.includes("text_float"))).toBe(true);
  expect(size(quiet)).toBeLessThan(size(printing));
});

test("equal literals share their bytes", () => {
  const once = loweredText(`fn main() { println("a rather long text that stands once"); }`);
  const often = loweredText(`fn main() { ${`println("a rather long text that stands once");`.repeat(20)} }`);
  const dataOf = (module: WasmModule) => module.data.reduce((sum, segment) => sum + segment.bytes.length, 0);
  expect(dataOf(often)).toBe(dataOf(once));
});

test("calls and faults know their place in the source", () => {
  const module = loweredText("fn f(n: Int) -> Int { return 10 / n; }\nfn main() {\n    let n =\n        f(0);\n}\n");
  const main = module.functions.find((fn) => fn.name === "main");
  const places = main?.positions ? [...main.positions].filter((_, at) => at % 3 === 2) : [];
  expect(places.map((place) => [place >>> 12, place & 4095])).toContainEqual([4, 9]);
  expect(module.files.some((file) => file.endsWith("program.hl"))).toBe(true);
});

test("a record that a callee writes through is passed as one address, any other as its leaves", () => {
  const module = loweredText(`
    type P { a: Int; b: Float; s: String; }
    fn reads(p: P) -> Int { return p.a; }
    fn writes(p: P) { p.a = 1; }
    fn hands_on(p: P) { writes(p); }
    fn main() { let p = P { a: 1, b: 2.0, s: "" }; writes(p); hands_on(p); println(reads(p)); }
  `);
  const parametersOf = (name: string) => {
    const fn = module.functions.find((candidate) => candidate.name === name);
    return fn && module.types[fn.type]?.params.length;
  };
  expect([parametersOf("reads"), parametersOf("writes"), parametersOf("hands_on")]).toEqual([3, 1, 1]);
});

test("a text that grows in its place has a place too, as memory may run out there", () => {
  const source = 'fn main() {\n    let mut text = "x";\n    text = text + "y";\n    text += "z";\n}\n';
  const main = loweredText(source).functions.find(({ name }) => name === "main");
  const places = main?.positions ? [...main.positions].filter((_, at) => at % 3 === 2) : [];
  expect(places).toEqual(expect.arrayContaining([3 * 4096 + 5, 4 * 4096 + 5]));
});
