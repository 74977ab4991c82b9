// Strings (reference 03 section 5), against JavaScript's Buffers.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Guest } from "./guest.ts";

const guest = new Guest();
const bytesOf = (cell: number) => Buffer.from(guest.bytes.slice(cell + 4, cell + 4 + guest.view.getInt32(cell, true)));
const texts = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes.map((byte) => (byte % 5) + 97)));

test("concatenation", () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      expect(bytesOf(guest.call("string_concat", guest.string(a), guest.string(b)))).toEqual(Buffer.concat([a, b]));
    }),
  );
});

test("comparison orders bytes as unsigned numbers, a prefix first", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), fc.uint8Array({ maxLength: 30 }), fc.nat(30), (a, b, common) => {
      const left = Buffer.from([...a.slice(0, common), ...a]);
      const right = Buffer.from([...a.slice(0, common), ...b]);
      const order = Math.sign(guest.call("string_compare", guest.string(left), guest.string(right)));
      expect(order).toBe(Buffer.compare(left, right));
      expect(guest.call("string_equal", guest.string(left), guest.string(right))).toBe(order === 0 ? 1 : 0);
    }),
  );
});

test("slices are clamped", () => {
  const text = guest.string("hello");
  const slice = (low: bigint, high: bigint) => guest.read(guest.call("string_slice", text, low, high));
  expect([
    slice(1n, 3n),
    slice(-5n, 2n),
    slice(3n, 99n),
    slice(3n, 3n),
    slice(4n, 2n),
    slice(-9223372036854775808n, 9223372036854775807n),
    slice(9n, 12n),
  ]).toEqual(["el", "he", "lo", "", "", "hello", ""]);
});

test("prefixes and parts", () => {
  fc.assert(
    fc.property(texts, texts, (a, part) => {
      const [cell, partCell] = [guest.string(a), guest.string(part)];
      expect(guest.call("string_contains", cell, partCell)).toBe(a.includes(part) ? 1 : 0);
      expect(guest.call("string_starts_with", cell, partCell)).toBe(a.subarray(0, part.length).equals(part) ? 1 : 0);
    }),
  );
});

describe("appending", () => {
  test("a String that nobody else has grows in place", () => {
    const piece = guest.string("0123456789");
    const before = guest.callBig("heap_alloc_count");
    let text = 0;
    for (let i = 0; i < 10_000; i++) text = guest.call("string_append", text, piece);
    expect(bytesOf(text).toString()).toBe("0123456789".repeat(10_000));
    // One cell for every growth by half, not one for every piece.
    expect(guest.callBig("heap_alloc_count") - before).toBeLessThan(30n);
  });

  test("a String that somebody else has stays as it is", () => {
    const text = guest.string("abc");
    guest.call("retain", text);
    const longer = guest.call("string_append", text, guest.string("d"));
    expect([guest.read(text), guest.read(longer)]).toEqual(["abc", "abcd"]);
  });

  test("the text buffer", () => {
    guest.call("text_begin");
    guest.call("text_int", 42n);
    const text = guest.string("n=");
    guest.call("retain", text);
    const longer = guest.call("string_append_text", text);
    expect([guest.read(text), guest.read(longer), guest.read(guest.call("string_append_text", longer))]).toEqual([
      "n=",
      "n=42",
      "n=4242",
    ]);
    guest.call("text_begin");
    expect(guest.call("string_append_text", text)).toBe(text);
  });

  test("a String to itself", () => {
    const text = guest.string("ab");
    guest.call("retain", text);
    expect(guest.read(guest.call("string_append", text, text))).toBe("abab");
  });
});
