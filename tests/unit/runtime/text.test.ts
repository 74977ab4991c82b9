// The text builder: Int, Bool, hex, Duration, Time, quoting and padding (reference 03 section 19).
import { describe, expect, test } from "vitest";
import { Guest } from "./guest.ts";

const guest = new Guest();
const time = (value: bigint) => guest.text(() => guest.call("text_time", value));

describe("scalars", () => {
  test.each([
    [0n],
    [7n],
    [10n],
    [99n],
    [100n],
    [12345n],
    [99999999n],
    [100000000n],
    [-1n],
    [9223372036854775807n],
    [-9223372036854775808n],
    [1000000000000000000n],
  ])("Int %i", (value) => {
    expect(guest.text(() => guest.call("text_int", value))).toBe(value.toString());
  });

  test("Bool", () => {
    expect(
      guest.text(() => {
        guest.call("text_bool", 1);
        guest.call("text_bool", 0);
      }),
    ).toBe("truefalse");
  });

  test.each([
    [0n, 0, "0"],
    [255n, 1, "FF"],
    [255n, 0, "ff"],
    [-1n, 0, "ffffffffffffffff"],
    [16n, 0, "10"],
    [0xabcdef0123n, 1, "ABCDEF0123"],
    [1n << 62n, 0, "4000000000000000"],
  ])("hex of %i", (value, upper, text) => {
    expect(guest.text(() => guest.call("text_hex", value, upper))).toBe(text);
  });

  test.each([
    [5_000_000_000n, "5000000000ns"],
    [-4_000_000_000n, "-4000000000ns"],
    [0n, "0ns"],
    [-9223372036854775808n, "-9223372036854775808ns"],
  ])("Duration %i", (value, text) => {
    expect(guest.text(() => guest.call("text_duration", value))).toBe(text);
  });
});

describe("Time", () => {
  test.each([
    [0n, "1970-01-01T00:00:00Z"],
    [1735689600_500_000_000n, "2025-01-01T00:00:00.5Z"],
    [-14182939_500_000_000n, "1969-07-20T20:17:40.5Z"],
    [-1n, "1969-12-31T23:59:59.999999999Z"],
    [951782400_000_000_000n, "2000-02-29T00:00:00Z"],
    [9223372036854775807n, "2262-04-11T23:47:16.854775807Z"],
    [-9223372036854775808n, "1677-09-21T00:12:43.145224192Z"],
  ])("%i", (value, text) => {
    expect(time(value)).toBe(text);
  });

  test("every day of four centuries", () => {
    for (let day = -100_000n; day < 100_000n; day += 1n) {
      const expected = new Date(Number(day) * 86_400_000).toISOString().replace(".000Z", "Z");
      const found = time(day * 86_400_000_000_000n);
      if (found !== expected) expect(found).toBe(expected);
    }
  });
});

describe("pieces", () => {
  test("strings, quoted strings, bytes", () => {
    const text = guest.string('a"ä');
    expect(
      guest.text(() => {
        guest.call("text_quoted", text);
        guest.call("text_byte", 33);
        guest.call("text_string", text);
        guest.call("text_quoted", 0);
      }),
    ).toBe('"a"ä"!a"ä""');
  });

  test("a text of a megabyte, then a short one", () => {
    const piece = guest.string("0123456789".repeat(100));
    expect(
      guest.text(() => {
        for (let i = 0; i < 2000; i++) guest.call("text_string", piece);
      }),
    ).toBe("0123456789".repeat(200_000));
    expect(guest.text(() => guest.call("text_int", 1n))).toBe("1");
  });

  test.each([
    ["ab", "", 2, 4, "  ab"],
    ["ab", "", 0, 4, "ab  "],
    ["ab", "*", 1, 5, "*ab**"],
    ["ab", "*", 1, 6, "**ab**"],
    ["abcd", "*", 2, 3, "abcd"],
    ["", "#", 2, 3, "###"],
    ["FF", "#", 2, 6, "####FF"],
    ["x", "é", 0, 5, "xéé"],
    ["x", "é", 0, 4, "xé"],
  ])("%o filled with %o, alignment %i, width %i", (text, fill, align, width, expected) => {
    const [cell, fillCell] = [guest.string(text), guest.string(fill)];
    const found = guest.text(() => {
      guest.call("text_byte", 60);
      const mark = guest.call("text_mark");
      guest.call("text_string", cell);
      guest.call("text_pad", mark, fillCell, align, width);
      guest.call("text_byte", 62);
    });
    expect(found).toBe(`<${expected}>`);
  });
});
