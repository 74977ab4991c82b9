// What the launcher reads in a module: sections, the position table, a shared memory; and what a backtrace looks like.
import { describe, expect, test } from "vitest";
import { backtraceLines } from "../../../../runtime/node/program/backtrace.ts";
import { decodePositions, placesOf } from "../../../../runtime/node/program/positions.ts";
import {
  Cursor,
  codeStarts,
  functionImportCount,
  isModule,
  sectionsOf,
} from "../../../../runtime/node/program/sections.ts";
import { sharedProgram } from "../../../../runtime/node/program/shared-module.ts";

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const section = (id: number, ...content: number[]) => [id, content.length, ...content];
const named = (name: string, ...content: number[]) => section(0, name.length, ...Buffer.from(name), ...content);
const text = (value: string) => [value.length, ...Buffer.from(value)];

/** Two imports, one of them a function; two functions of three nops behind locals of one and of two groups. */
const MODULE = [
  ...HEADER,
  ...section(1, 1, 0x60, 0, 0),
  ...section(2, 2, ...text("host"), ...text("f"), 0, 0, ...text("host"), ...text("g"), 3, 0x7f, 0),
  ...section(3, 2, 0, 0),
  ...section(5, 1, 3, 2, 8),
  ...section(10, 2, 7, 1, 2, 0x7f, 1, 1, 1, 0x0b, 9, 2, 1, 0x7e, 3, 0x7f, 1, 1, 1, 0x0b),
  ...section(11, 2, 0, 0x41, 0x80, 8, 0x0b, 2, 5, 6, 0, 0x41, 16, 0x0b, 1, 9),
];

/** Function 1: line 3, from offset 2 line 10 of the other file; function 2: no place, from offset 1 line 4. */
const TABLE = [
  1,
  2,
  ...text("a.hl"),
  ...text("b/c.hl"),
  2,
  1,
  2,
  0,
  0,
  3,
  5,
  2,
  1,
  7,
  200,
  1,
  0,
  2,
  0,
  0,
  0,
  0,
  1,
  0,
  4,
  9,
];

describe("positions", () => {
  test("are decoded from differences", () => {
    expect(decodePositions(Uint8Array.from(TABLE))).toEqual(
      new Map([
        [
          1,
          [
            { offset: 0, file: "a.hl", line: 3, column: 5 },
            { offset: 2, file: "b/c.hl", line: 10, column: 200 },
          ],
        ],
        [
          2,
          [
            { offset: 0, file: "a.hl", line: 0, column: 0 },
            { offset: 1, file: "a.hl", line: 4, column: 9 },
          ],
        ],
      ]),
    );
  });

  test("are found by function and offset in the module", () => {
    const bytes = Uint8Array.from([...MODULE, ...named("hale.positions", ...TABLE)]);
    const [first = 0, second = 0] = codeStarts(bytes);
    expect([bytes[first], bytes[first - 1], bytes[second], bytes[second - 1]]).toEqual([1, 0x7f, 1, 0x7f]);
    const placeOf = placesOf(bytes);
    const line = (index: number, offset: number) => placeOf(index, offset)?.line;
    expect([line(1, first), line(1, first + 1), line(1, first + 2), line(1, first + 9)]).toEqual([3, 3, 10, 10]);
    expect([line(2, second), line(2, second + 1), line(0, first), line(3, first)]).toEqual([
      undefined,
      4,
      undefined,
      undefined,
    ]);
  });

  test("a module without a table, or with one of another version, has none", () => {
    expect(placesOf(Uint8Array.from(MODULE))(1, 60)).toBeUndefined();
    expect(placesOf(Uint8Array.from([...MODULE, ...named("hale.positions", 2, 0)]))(1, 60)).toBeUndefined();
  });
});

test("a backtrace shows the frames that have a place", () => {
  const stack = `Error
    at runtime/guest/panic/panic_index (wasm://wasm/0a1b:wasm-function[7]:0x10)
    at inner (wasm://wasm/0a1b:wasm-function[8]:0x20)
    at wasm://wasm/0a1b:wasm-function[9]:0x30
    at hale_main (wasm://wasm/0a1b:wasm-function[10]:0x40)
    at run (node:internal/x:1:2)`;
  const places = new Map([
    ["8:32", 1],
    ["10:64", 2],
  ]);
  const found = backtraceLines(stack, (index, offset) => {
    const line = places.get(`${index}:${offset}`);
    return line === undefined ? undefined : { file: "m.hl", line, column: 4 };
  });
  expect(found).toBe("  at m.hl:1:4\n  called from m.hl:2:4\n");
});

describe("a shared memory", () => {
  test("becomes an import, and the data is taken out", () => {
    const program = sharedProgram(Uint8Array.from(MODULE));
    expect(program?.limits).toEqual({ minimum: 2, maximum: 8, shared: true });
    expect(program?.segments.map(({ address, bytes }) => [address, ...bytes])).toEqual([
      [1024, 5, 6],
      [16, 9],
    ]);
    const bytes = program?.bytes ?? new Uint8Array();
    expect(sectionsOf(bytes).map(({ id }) => id)).toEqual([1, 2, 3, 10]);
    expect(functionImportCount(bytes)).toBe(1);
    expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes)).at(-1)).toEqual({
      module: "host",
      name: "memory",
      kind: "memory",
    });
  });

  test("a memory of its own is left alone", () => {
    const plain = [...MODULE];
    const limits = plain.findIndex((byte, at) => byte === 5 && plain[at + 1] === 4 && plain[at + 2] === 1);
    plain[limits + 3] = 1;
    expect(sharedProgram(Uint8Array.from(plain))).toBeUndefined();
  });
});

describe("numbers", () => {
  test.each<[number[], number]>([
    [[0], 0],
    [[0x7f], -1],
    [[0x80, 0x7f], -128],
    [[0xc0, 0], 64],
    [[0x80, 0x80, 0x80, 0x80, 0x78], -2147483648],
  ])("%j is %i", (bytes, value) => {
    expect(new Cursor(Uint8Array.from(bytes)).signed()).toBe(value);
  });

  test("unsigned", () => {
    expect(new Cursor(Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x0f])).unsigned()).toBe(4294967295);
  });
});

test("what is no module is seen", () => {
  expect([isModule(Buffer.from("text")), isModule(Uint8Array.from(HEADER))]).toEqual([false, true]);
  expect(() => sectionsOf(Uint8Array.from([...HEADER, 1, 9, 0]))).toThrow(RangeError);
});
