// The optimiser keeps places: a fault in a program of the release profile is reported with file, line and column, by both targets. Functions that were
// inlined have no frame of their own, so that callers may be missing.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTarget, compile, type Profile, type Target } from "../../compiler/index.ts";
import { decodeModule, encodeModule, type WasmModule } from "../../compiler/wasm/index.ts";
import { decodeWithSourceMap, sourceMapOf } from "../../compiler/wasm/source-map.ts";
import { wat } from "./support/wat.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), "hale-places-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Lines that differ in what happens, close to each other, so that a place that is off by one statement is seen. */
const program = `locus Box {
    params { n: Int = 3; }
    fn third(k: Int) -> Int {
        let parts = [10, 20, 30];
        let extra = k * 2;
        return parts[k] + extra;
    }
}

fn divided(a: Int, b: Int) -> Int {
    let scaled = a * 3;
    return scaled / b;
}

fn chain(n: Int, k: Int) -> Int {
    if n == 0 {
        let box = Box { };
        return box.third(k);
    }
    let below = chain(n - 1, k);
    return below + 1;
}

fn main() {
    let choice = std::env::arg(1);
    println(chain(2, 1), " ", divided(7, 2));
    if choice == "index" {
        println(chain(2, 7));
    }
    if choice == "division" {
        println(divided(7, 0));
    }
}
`;

async function built(profile: Profile, target: Target): Promise<(choice: string) => string> {
  const source = path.join(directory, "places.hl");
  writeFileSync(source, program);
  const { program: checked, diagnostics } = checkTarget(source, { mode: "program" });
  if (!checked) throw new Error(JSON.stringify(diagnostics));
  const { executable } = await compile(checked, { profile, target });
  const file = path.join(directory, `${profile}-${target}`);
  writeFileSync(file, executable ?? "");
  chmodSync(file, 0o755);
  return (choice) => {
    const { stdout, stderr } = spawnSync(file, [choice], { encoding: "utf8" });
    expect(stdout.startsWith("24 10\n")).toBe(true);
    return stderr.replaceAll(directory, ".");
  };
}

describe("places of faults", () => {
  it.each(["native", "wasm"] as const)("the release profile has them (%s)", async (target) => {
    const dev = await built("dev", target);
    const release = await built("release", target);
    for (const [choice, message, place] of [
      ["index", "index 7 out of range for length 3", "at ./places.hl:6:22"],
      ["division", "division by zero", "at ./places.hl:12:12"],
    ] as const) {
      const lines = release(choice).split("\n");
      expect(lines.slice(0, 2)).toEqual([`Hale panic: ${message}`, `  ${place}`]);
      const known = dev(choice).split("\n");
      expect(known.slice(0, 2)).toEqual(lines.slice(0, 2));
      // Callers may be left out, but none is made up.
      for (const line of lines.slice(2)) expect(known).toContain(line);
    }
  });
});

describe("source maps", () => {
  it("carry positions there and back", () => {
    const module: WasmModule = decodeModule(
      wat(`(module (func $a (result i32) (i32.add (i32.const 1) (i32.const 2))) (func $b (call $a) (drop)) (func $c))`),
    );
    const [a, b] = module.functions;
    module.files = ["x.hl", "y.hl"];
    if (a) a.positions = Int32Array.from([0, 1, 7 * 4096 + 12, 4, 0, 100_000 * 4096 + 4095]);
    if (b) b.positions = Int32Array.from([2, 0, 3 * 4096 + 1]);
    const bytes = encodeModule(module, { names: true, positions: false });
    const back = decodeWithSourceMap(bytes, sourceMapOf(module, bytes));
    expect(back.files).toEqual(module.files);
    expect(back.functions.map(({ positions }) => positions && [...positions])).toEqual([
      [0, 1, 7 * 4096 + 12, 4, 0, 100_000 * 4096 + 4095],
      // From nowhere up to the first place.
      [0, 0, 0, 2, 0, 3 * 4096 + 1],
      undefined,
    ]);
  });
});
