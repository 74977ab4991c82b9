// A module's functions, compiled ahead, in a module that extends it: the same results as when everything is compiled at once.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileNative, precompile, PrecompiledCode } from "../../compiler/native/index.ts";
import { decodeModule, type WasmModule } from "../../compiler/wasm/index.ts";
import { Workplace } from "./support/compare.ts";
import { wat } from "./support/wat.ts";

let place: Workplace;
beforeAll(() => {
  place = new Workplace();
});
afterAll(() => place.close());

/** Every kind of thing that code refers to: functions, tables and their sizes, globals, constants, masks, jump tables, memory, stubs. */
const base = `(module
  (type $nullary (func (result i32)))
  (memory 1 4) (table $t 3 3 funcref) (data (i32.const 64) "abcd")
  (global $counter (mut i32) (i32.const 5)) (global $patched (export "patched") i32 (i32.const 1)) (global $fixed i32 (i32.const 77))
  (elem (i32.const 0) $one $two)
  (func $one (result i32) (i32.const 1))
  (func $two (result i32) (i32.const 2))
  (func $indirect (export "indirect") (param i32) (result i32) (call_indirect (type $nullary) (local.get 0)))
  (func $switch (export "switch") (param i32) (result i32)
    (block (block (block (block (block (block (br_table 0 1 2 3 4 5 (local.get 0))) (return (i32.const 10))) (return (i32.const 11))) (return (i32.const 12)))
    (return (i32.const 13))) (return (i32.const 14))) (i32.const 15))
  (func $floats (export "floats") (param i32) (result i32)
    (i32.trunc_f64_s (f64.add (f64.abs (f64.neg (f64.convert_i32_s (local.get 0)))) (f64.add (f64.const 0.75) (f64.promote_f32 (f32.const 1.25))))))
  (func $globals (export "globals") (result i32)
    (global.set $counter (i32.add (global.get $counter) (i32.const 1)))
    (i32.add (i32.mul (global.get $counter) (i32.const 1000)) (i32.add (global.get $patched) (global.get $fixed))))
  (func $memory (export "memory") (result i32)
    (memory.copy (i32.const 128) (i32.const 64) (i32.const 4)) (i32.add (i32.load8_u (i32.const 131)) (i32.mul (memory.size) (i32.const 1000))))
  (func $loop (export "loop") (param i32) (result i32) (local i32)
    (loop (local.set 1 (i32.add (local.get 1) (local.get 0))) (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1))
)`;

/** As a program extends the runtime: functions, a type, table entries and data appended, one exported global with another value. */
function extended(module: WasmModule): WasmModule {
  const own = decodeModule(
    wat(`(module (func (export "main") (result i32) (i32.const 42)) (func (result i64) (i64.const 1)))`),
  );
  const index = module.functions.length;
  return {
    ...module,
    types: [...module.types, ...own.types],
    functions: [
      ...module.functions,
      ...own.functions.map((entry) => ({ ...entry, type: entry.type + module.types.length })),
    ],
    tables: module.tables.map((table) => ({ ...table, limits: { minimum: 300, maximum: 300, shared: false } })),
    globals: module.globals.map((global) =>
      // i32.const 9
      global.init[1] === 1 ? { ...global, init: Uint8Array.of(0x41, 9, 0x0b) } : global,
    ),
    elements: [
      ...module.elements,
      {
        mode: "active",
        table: 0,
        // i32.const 299
        offset: Uint8Array.of(0x41, 0xab, 0x02, 0x0b),
        element: 0x70,
        init: [Uint8Array.of(0xd2, index, 0x0b)],
      },
    ],
    data: [
      ...module.data,
      { mode: "active", offset: Uint8Array.of(0x41, 0x80, 0x10, 0x0b), bytes: new Uint8Array(100).fill(1) },
    ],
  };
}

describe("precompiled code", () => {
  const calls: readonly (readonly [name: string, args: readonly number[]])[] = [
    ["indirect", [0]],
    ["indirect", [1]],
    ["indirect", [2]],
    ["indirect", [299]],
    ["indirect", [300]],
    ...[0, 1, 2, 3, 4, 5, 6].map((n) => ["switch", [n]] as const),
    ["globals", []],
    ["globals", []],
    ["memory", []],
    ["loop", [10]],
    ["floats", [7]],
  ];

  function outputs(module: WasmModule, precompiled?: PrecompiledCode): string {
    const invocations = calls.map(([name, args]) => {
      const index = module.exports.find((entry) => entry.name === name)?.index ?? -1;
      const type = module.types[module.functions[index]?.type ?? -1];
      if (type === undefined) throw new Error(`no function ${name}`);
      return { functionIndex: index, type, args: args.map((value) => [value, 0] as const) };
    });
    const executable = compileNative(module, {
      invocations,
      resumeAfterTraps: true,
      ...(precompiled && { precompiled }),
    });
    return place.run(executable).stdout;
  }

  it("fits a module that extends the one it was made from", () => {
    const module = decodeModule(wat(base));
    const code = PrecompiledCode.read(precompile(module, "this compiler"), "this compiler");
    const program = extended(module);
    const expected =
      "1|2|trap: uninitialized element|42|trap: undefined element|10|11|12|13|14|15|15|6086|7086|1100|55|9|";
    expect(outputs(program, code).replaceAll("i32:", "").replaceAll("\n", "|")).toBe(expected);
    expect(outputs(program)).toBe(outputs(program, code));
  });

  it("of another compiler is not read", () => {
    const bytes = precompile(decodeModule(wat(base)), "this compiler");
    expect(PrecompiledCode.read(bytes, "another compiler")).toBeUndefined();
    expect(PrecompiledCode.read(new Uint8Array(0), "this compiler")).toBeUndefined();
  });

  it("is left aside for a function whose code has changed, and for a module of another shape", () => {
    const module = decodeModule(wat(base));
    const code = PrecompiledCode.read(precompile(module, "x"), "x");
    const changed = extended(module);
    const [first] = changed.functions;
    // nop, nop, i32.const 3
    if (first !== undefined) changed.functions[0] = { ...first, code: Uint8Array.of(0x01, 0x01, 0x41, 3, 0x0b) };
    expect(outputs(changed, code).startsWith("i32:3\ni32:2\n")).toBe(true);
    const other = extended(module);
    other.globals.push({ type: 0x7f, mutable: false, init: Uint8Array.of(0x41, 0, 0x0b) });
    expect(outputs(other, code)).toBe(outputs(other));
  });
});
