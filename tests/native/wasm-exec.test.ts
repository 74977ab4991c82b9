// The door for modules from elsewhere: `npm run wasm-exec`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ValueType } from "../../compiler/wasm/index.ts";
import { parseArgument, readableResult } from "../../compiler/native/index.ts";
import { wat } from "./support/wat.ts";

const script = path.resolve(import.meta.dirname, "../../scripts/wasm-exec.mjs");
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), "wasm-exec-test-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function exec(bytes: Uint8Array, ...args: readonly string[]) {
  const file = path.join(directory, "module.wasm");
  writeFileSync(file, bytes);
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, file, ...args], { encoding: "utf8" });
  return { stdout, stderr, status };
}

const empty = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

describe("wasm-exec", () => {
  it("prints results; a trap is named on stderr, status 1", () => {
    const module =
      wat(`(module (func (export "div") (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
      (func (export "many") (param f32) (result f32 i64) (local.get 0) (i64.const -1)))`);
    expect(exec(module, "div", "-7", "2")).toEqual({ stdout: "i32:-3\n", stderr: "", status: 0 });
    expect(exec(module, "many", "0x1.8p-3")).toEqual({ stdout: "f32:0.1875\ni64:-1\n", stderr: "", status: 0 });
    expect(exec(module, "div", "1", "0")).toEqual({ stdout: "", stderr: "trap: integer divide by zero\n", status: 1 });
  });

  it("makes several calls in one instance, and reads exported globals", () => {
    const module =
      wat(`(module (global $g (export "g") (mut i32) (i32.const 41)) (func (export "next") (global.set $g (i32.add (global.get $g) (i32.const 1))))
      (func (export "fail") unreachable))`);
    const { stdout, status } = exec(module, "g", "--then", "next", "--then", "fail", "--then", "g");
    expect({ stdout, status }).toEqual({ stdout: "i32:41\ntrap: unreachable\ni32:42\n", status: 1 });
  });

  it("knows the official suite's host module, with its real sizes, and refuses other imports", () => {
    const module =
      wat(`(module (import "spectest" "memory" (memory 1)) (import "spectest" "table" (table 0 funcref)) (import "spectest" "print_i32" (func $p (param i32)))
      (import "spectest" "global_i64" (global $g i64))
      (func (export "sizes") (result i32 i32 i32 i64) (call $p (i32.const 1)) (memory.size) (memory.grow (i32.const 2)) (table.size 0) (global.get $g)))`);
    expect(exec(module, "sizes").stdout).toBe("i32:1\ni32:-1\ni32:10\ni64:666\n");
    const refused = (text: string) => exec(wat(`(module ${text})`));
    expect(refused('(import "env" "x" (func))')).toEqual({
      stdout: "",
      stderr: "wasm-exec: unknown import env.x\n",
      status: 2,
    });
    expect(refused('(import "env" "x" (memory 1))').stderr).toBe("wasm-exec: unknown import env.x\n");
    expect(refused('(import "spectest" "memory" (memory 2))').stderr).toContain("incompatible import type");
    expect(refused('(import "spectest" "global_i32" (global i64))').stderr).toContain("incompatible import type");
  });

  it("says what is malformed, invalid, or not supported yet", () => {
    expect(exec(Uint8Array.of(0, 0x61, 0x73, 0x6d, 2, 0, 0, 0))).toMatchObject({ status: 2 });
    // A function without result leaves an i32.
    const invalid = [...empty, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 6, 1, 4, 0, 0x41, 0, 0x0b];
    const { stderr, status } = exec(Uint8Array.from(invalid));
    expect({ invalid: stderr.startsWith("wasm-exec: invalid module: "), status }).toEqual({ invalid: true, status: 2 });
    // v128.const, drop
    const simd = [
      ...empty,
      1,
      4,
      1,
      0x60,
      0,
      0,
      3,
      2,
      1,
      0,
      10,
      23,
      1,
      21,
      0,
      0xfd,
      0x0c,
      ...new Array(16).fill(0),
      0x1a,
      0x0b,
    ];
    expect(exec(Uint8Array.from(simd))).toEqual({
      stdout: "",
      stderr: "wasm-exec: not supported yet: SIMD\n",
      status: 3,
    });
    const twoMemories = [...empty, 5, 5, 2, 0, 1, 0, 1];
    expect(exec(Uint8Array.from(twoMemories)).stderr).toBe("wasm-exec: not supported yet: several memories\n");
  });

  it("--help tells how values are written", () => {
    const { stdout, status } = spawnSync(process.execPath, [script, "--help"], { encoding: "utf8" });
    expect(status).toBe(0);
    for (const word of ["Arguments", "Results", "integer divide by zero", "nan:0x200000", "spectest"])
      expect(stdout).toContain(word);
  });
});

describe("values as text", () => {
  const round = (type: ValueType, text: string) => parseArgument(type, text).map((half) => half >>> 0);
  it("a float is the nearest one, rounded once", () => {
    // Just above the middle of 1 and the next float32: by way of a float64 it would be a tie.
    expect(round(ValueType.f32, "1.00000005960464477540")).toEqual([0x3f80_0001, 0]);
    expect(round(ValueType.f32, "1.000000059604644775390625")).toEqual([0x3f80_0000, 0]);
    expect(round(ValueType.f32, "0x1.0000010000001p0")).toEqual([0x3f80_0001, 0]);
    expect(round(ValueType.f32, "1e-45")).toEqual([1, 0]);
    expect(round(ValueType.f32, "3.4028235677973367e38")).toEqual([0x7f80_0000, 0]);
    expect(round(ValueType.f32, "3.4028235677973366e38")).toEqual([0x7f7f_ffff, 0]);
    for (const text of ["5e-324", "0.1", "-123.456e-7", "1.7976931348623157e308", "2.2250738585072011e-308"]) {
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, Number(text), true);
      expect(round(ValueType.f64, text), text).toEqual([view.getUint32(0, true), view.getUint32(4, true)]);
    }
  });
  it("NaNs have payloads and signs, bits are bits", () => {
    expect(round(ValueType.f32, "nan")).toEqual([0x7fc0_0000, 0]);
    expect(round(ValueType.f32, "-nan:0x200000")).toEqual([0xffa0_0000, 0]);
    expect(round(ValueType.f64, "nan:canonical")).toEqual([0, 0x7ff8_0000]);
    expect(round(ValueType.f32, "0x3fc00000")).toEqual([0x3fc0_0000, 0]);
    expect(round(ValueType.f32, "-inf")).toEqual([0xff80_0000, 0]);
    expect(
      ["f32:0x3fc00000", "f64:0xfff8000000000000", "f64:0x8000000000000000", "i32:-1"].map(readableResult),
    ).toEqual(["f32:1.5", "f64:-nan:0x8000000000000", "f64:-0", "i32:-1"]);
  });
  it("what is no value is refused", () => {
    for (const [type, text] of [
      [ValueType.i32, "4294967296"],
      [ValueType.i32, "1.5"],
      [ValueType.i64, "x"],
      [ValueType.f32, ""],
      [ValueType.f64, "1.5.2"],
      [ValueType.funcref, "3"],
    ] as const)
      expect(() => parseArgument(type, text), text).toThrow();
  });
});
