import { describe, expect, test } from "vitest";
import {
  CodeBuilder,
  decodeModule,
  encodeModule,
  type FuncType,
  ValueType,
  type WasmModule,
} from "../../../compiler/wasm/index.ts";

const { i32, i64, f64 } = ValueType;

/** A module that exports one function, `f`, and its instance's `f`. */
function instance(type: FuncType, write: (code: CodeBuilder) => void): (...args: unknown[]) => unknown {
  const bytes = encodeModule(moduleOf(type, write));
  expect(WebAssembly.validate(bytes)).toBe(true);
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  if (typeof f !== "function") throw new Error("no function");
  return f as (...args: unknown[]) => unknown;
}

function moduleOf(type: FuncType, write: (code: CodeBuilder) => void): WasmModule {
  const code = new CodeBuilder(type.params);
  write(code);
  return {
    types: [type],
    imports: [],
    functions: [{ name: "f", type: 0, ...code.finish() }],
    tables: [],
    memories: [{ minimum: 1, shared: false }],
    globals: [],
    exports: [{ name: "f", kind: "function", index: 0 }],
    elements: [],
    data: [{ mode: "active", offset: Uint8Array.of(0x41, 8, 0x0b), bytes: Uint8Array.of(7) }],
    files: ["a.hl"],
  };
}

describe("constants", () => {
  test.each([0n, 63n, 64n, -64n, -65n, 2n ** 31n, -(2n ** 31n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
    "i64 %s",
    (value) => {
      expect(instance({ params: [], results: [i64] }, (code) => code.i64(value))()).toBe(value);
    },
  );

  test.each([0, 63, 64, -64, -65, 2 ** 31 - 1, -(2 ** 31)])("i32 %s", (value) => {
    expect(instance({ params: [], results: [i32] }, (code) => code.i32(value))()).toBe(value);
  });

  test.each([0, -0, 1.5, Number.MAX_VALUE, Number.POSITIVE_INFINITY])("f64 %s", (value) => {
    expect(instance({ params: [], results: [f64] }, (code) => code.f64(value))()).toBe(value);
  });
});

test("instructions after an unconditional branch are left out", () => {
  const f = instance({ params: [i32], results: [i32] }, (code) => {
    code.get(0);
    code.if();
    code.i32(1);
    code.return();
    code.i32(5);
    code.op("drop");
    code.block();
    code.call(99);
    code.end();
    code.else();
    code.i32(2);
    code.return();
    code.end();
    expect(code.isDead).toBe(true);
    code.i32(3);
  });
  expect([f(1), f(0)]).toEqual([1, 2]);
});

test("branches find their labels at any depth", () => {
  const f = instance({ params: [i32], results: [i32] }, (code) => {
    const out = code.block(i32);
    const again = code.loop();
    code.block();
    code.get(0);
    code.i32(-1);
    code.op("i32.add");
    code.tee(0);
    code.brIf(again);
    code.i32(42);
    code.br(out);
    code.end();
    code.end();
    code.end();
  });
  expect(f(5)).toBe(42);
});

test("a block that is branched to is alive at its end", () => {
  const f = instance({ params: [i32], results: [i32] }, (code) => {
    const out = code.block();
    code.get(0);
    code.brIf(out);
    code.i32(1);
    code.return();
    code.end();
    expect(code.isDead).toBe(false);
    code.i32(2);
  });
  expect([f(0), f(1)]).toEqual([1, 2]);
});

test("a module survives encoding and decoding", () => {
  const module = moduleOf({ params: [i32, f64], results: [i64] }, (code) => {
    code.local(i32);
    code.local(i32);
    code.local(f64);
    code.position(0, 4096 * 3 + 7);
    code.i64(1n);
  });
  const decoded = decodeModule(encodeModule(module));
  expect(decoded.types).toEqual(module.types);
  expect(decoded.exports).toEqual(module.exports);
  expect(decoded.data).toEqual(module.data);
  const [before, after] = [module.functions[0], decoded.functions[0]];
  expect(after?.name).toBe("f");
  expect(after?.locals).toEqual(before?.locals);
  expect(after && [...after.code]).toEqual(before && [...before.code]);
});

test("a prologue moves the positions", () => {
  const code = new CodeBuilder([]);
  code.op("nop");
  code.position(0, 4096);
  code.op("nop");
  const prologue = new CodeBuilder([]);
  prologue.op("nop");
  prologue.op("nop");
  const { code: bytes, positions } = code.finish(prologue.written());
  expect([...bytes]).toEqual([1, 1, 1, 1, 0x0b]);
  expect([...positions]).toEqual([3, 0, 4096]);
});
