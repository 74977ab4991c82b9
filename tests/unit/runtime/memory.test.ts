// Cells: zeroed, apart from each other, reused, counted (docs/runtime-abi.md, "Cells").
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Guest } from "./guest.ts";

const SIZES = [0, 1, 7, 8, 9, 100, 504, 505, 600, 4096, 20_000, 32_760, 32_761, 65_536, 300_000];

test.each(SIZES)("a cell of %i bytes is aligned, zero, and comes back zero when reused", (size) => {
  const guest = new Guest();
  for (let round = 0; round < 3; round++) {
    const cell = guest.call("alloc", size);
    expect(cell % 8).toBe(0);
    expect(guest.bytes.subarray(cell, cell + size).every((byte) => byte === 0)).toBe(true);
    expect(guest.view.getInt32(cell - 8, true)).toBe(1);
    guest.bytes.fill(0xff, cell, cell + size);
    guest.call("free", cell);
  }
});

test("memory that was freed is used before fresh memory", () => {
  const guest = new Guest();
  for (const size of SIZES) {
    const cells = Array.from({ length: 10 }, () => guest.call("alloc", size));
    for (const cell of cells) guest.call("free", cell);
    const again = Array.from({ length: 10 }, () => guest.call("alloc", size));
    expect(new Set(again)).toEqual(new Set(cells));
  }
});

test("a program that allocates and frees for ever does not grow", () => {
  const guest = new Guest();
  const round = () => {
    const cells = SIZES.map((size) => guest.call("alloc", size * 3));
    for (const cell of cells) guest.call("free", cell);
  };
  for (let i = 0; i < 10; i++) round();
  const size = guest.bytes.length;
  for (let i = 0; i < 2_000; i++) round();
  expect(guest.bytes.length).toBe(size);
});

test("a text that grows step by step needs a few times its size", () => {
  const guest = new Guest();
  let cell = guest.call("alloc", 1000);
  for (let size = 1000; size < 20_000_000; size = Math.ceil(size * 1.1)) {
    const bigger = guest.call("alloc", size);
    guest.call("free", cell);
    cell = bigger;
  }
  expect(guest.bytes.length).toBeLessThan(5 * 20_000_000);
});

test("live cells never overlap", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ size: fc.oneof(fc.nat(600), fc.nat(200_000)), free: fc.option(fc.nat(100), { nil: undefined }) }),
        { maxLength: 60 },
      ),
      (steps) => {
        const guest = new Guest();
        const live: { cell: number; size: number; mark: number }[] = [];
        const check = ({ cell, size, mark }: { cell: number; size: number; mark: number }) => {
          const bytes = guest.bytes.subarray(cell, cell + size);
          return bytes.every((byte) => byte === mark);
        };
        steps.forEach(({ size, free }, index) => {
          const cell = guest.call("alloc", size);
          const mark = (index % 255) + 1;
          guest.bytes.fill(mark, cell, cell + size);
          live.push({ cell, size, mark });
          if (free === undefined) return;
          const [gone] = live.splice(free % live.length, 1);
          if (gone === undefined) return;
          expect(check(gone)).toBe(true);
          guest.call("free", gone.cell);
        });
        expect(live.every(check)).toBe(true);
        expect(guest.callBig("heap_live_count")).toBe(BigInt(live.length));
      },
    ),
    { numRuns: 60 },
  );
});

describe("counts", () => {
  test("release frees at zero, retain keeps", () => {
    const guest = new Guest();
    const cell = guest.call("alloc", 20);
    guest.call("retain", cell);
    guest.call("release", cell);
    expect(guest.callBig("heap_live_count")).toBe(1n);
    guest.call("release", cell);
    expect(guest.callBig("heap_live_count")).toBe(0n);
    expect(guest.callBig("heap_alloc_count")).toBe(1n);
  });

  test("count_down tells the last reference and leaves the cell", () => {
    const guest = new Guest();
    const cell = guest.call("alloc", 20);
    guest.call("retain", cell);
    expect([guest.call("count_down", cell), guest.call("count_down", cell)]).toEqual([0, 1]);
    expect(guest.callBig("heap_live_count")).toBe(1n);
  });

  test("static cells are not counted", () => {
    const guest = new Guest();
    const literal = guest.global("heap_start").value - 16;
    guest.call("retain", literal);
    guest.call("release", literal);
    expect([guest.call("count_down", literal), guest.call("count_down", 0)]).toEqual([0, 0]);
    expect(guest.view.getInt32(literal - 8, true)).toBe(0);
  });
});

test("memory exhausted is a fault", () => {
  const guest = new Guest();
  expect(guest.exits(() => guest.call("alloc", -100))).toBe(1);
  expect(guest.output(2)).toBe("Hale panic: out of memory\n");
});

describe("HALE_DEBUG=leaks", () => {
  function run(leaks: string | undefined, cells: number): [number, string] {
    const guest = new Guest();
    if (leaks !== undefined) guest.environment.set("HALE_DEBUG", leaks);
    guest.main = () => {
      for (let i = 0; i < cells; i++) guest.call("alloc", 8);
      return 3;
    };
    return [guest.start(), guest.output(2)];
  }
  test("reports the cells alive at an orderly end", () => {
    expect([run("leaks", 2), run("leaks", 1)]).toEqual([
      [99, "leak: 2 cells alive\n  8 bytes, 1 reference\n  8 bytes, 1 reference\n"],
      [99, "leak: 1 cell alive\n  8 bytes, 1 reference\n"],
    ]);
  });
  test("shows the cells that are alive and no others", () => {
    const guest = new Guest();
    guest.environment.set("HALE_DEBUG", "leaks");
    guest.main = () => {
      const cells = Array.from({ length: 3000 }, (_, i) => guest.call("alloc", i));
      guest.call("retain", guest.string("forgotten"));
      const large = [100_000, 200_000, 300_000].map((size) => guest.call("alloc", size));
      for (const cell of [...cells, large[0] ?? 0, large[2] ?? 0]) guest.call("free", cell);
      guest.text(() => guest.call("text_float", 1e300));
      return 0;
    };
    expect(guest.start()).toBe(99);
    expect(guest.output(2)).toMatch(
      /^leak: 2 cells alive\n {2}24 bytes, 2 references, "forgotten"\n {2}2\d{5} bytes, 1 reference\n$/,
    );
  });
  test("changes nothing without leaks, or when it is off", () => {
    expect([run("leaks", 0), run(undefined, 2), run("leak", 2)]).toEqual([
      [3, ""],
      [3, ""],
      [3, ""],
    ]);
  });
  test("the runtime's own memory is no leak", () => {
    const guest = new Guest();
    guest.environment.set("HALE_DEBUG", "leaks");
    guest.main = () => {
      guest.text(() => guest.call("text_float", 1e300));
      return 0;
    };
    expect([guest.start(), guest.output(2)]).toEqual([0, ""]);
  });
});
