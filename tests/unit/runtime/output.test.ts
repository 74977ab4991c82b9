// Standard output and error, faults, assertions, and how a process ends (reference 04 sections 16 to 18, 09 section 3, 12.2).
import { describe, expect, test } from "vitest";
import { Guest } from "./guest.ts";

function print(guest: Guest, text: string, stream = 1): void {
  guest.call("text_begin");
  guest.call("text_string", guest.string(text));
  guest.call("text_print", stream);
}

const EAGAIN = -11;
const EINTR = -4;
const EPIPE = -32;

describe("standard output", () => {
  test("a line is visible at once, with one write", () => {
    const guest = new Guest();
    print(guest, "one\n");
    print(guest, "two\nthree\n");
    expect(guest.writes).toEqual([
      { fd: 1, text: "one\n" },
      { fd: 1, text: "two\nthree\n" },
    ]);
  });

  test("an unfinished line waits for its line feed", () => {
    const guest = new Guest();
    print(guest, "a");
    print(guest, "b");
    expect(guest.writes).toEqual([]);
    print(guest, "c\nd");
    expect(guest.writes).toEqual([{ fd: 1, text: "abc\n" }]);
    guest.call("hale_flush");
    expect(guest.output(1)).toBe("abc\nd");
  });

  test("a long unfinished line is not held back for ever", () => {
    const guest = new Guest();
    for (let i = 0; i < 100; i++) print(guest, "x".repeat(1000));
    expect(guest.output(1).length).toBeGreaterThan(90_000);
    guest.call("hale_flush");
    expect(guest.output(1)).toBe("x".repeat(100_000));
  });

  test("long texts behind an unfinished line keep the order", () => {
    for (const text of ["y".repeat(20_000), `${"y".repeat(20_000)}\nz`, `${"y".repeat(8_192)}\n${"z".repeat(9_000)}`]) {
      const guest = new Guest();
      print(guest, "x");
      print(guest, text);
      print(guest, "end\n");
      expect(guest.output(1)).toBe(`x${text}end\n`);
    }
  });

  test("partial, interrupted and refused writes are taken up again", () => {
    const guest = new Guest();
    guest.writeResults.push(2, EINTR, EAGAIN, 1);
    print(guest, "abcdef\n");
    expect(guest.writes.map((write) => write.text)).toEqual(["ab", "c", "def\n"]);
    expect(guest.calls.filter((call) => call.startsWith("poll"))).toHaveLength(1);
  });

  test("a closed stream is no fault", () => {
    const guest = new Guest();
    guest.writeResults.push(EPIPE);
    print(guest, "lost\n");
    print(guest, "kept\n");
    expect(guest.output(1)).toBe("kept\n");
  });
});

test("standard error is written at once, one write a call, and does not flush standard output", () => {
  const guest = new Guest();
  print(guest, "waiting");
  print(guest, "no line feed", 2);
  expect(guest.writes).toEqual([{ fd: 2, text: "no line feed" }]);
});

describe("faults", () => {
  test.each<[string, (guest: Guest) => void, string]>([
    ["an index", (guest) => guest.call("panic_index", 7n, 3n), "Hale panic: index 7 out of range for length 3\n"],
    [
      "a negative index",
      (guest) => guest.call("panic_index", -1n, 3n),
      "Hale panic: index -1 out of range for length 3\n",
    ],
    ["a division", (guest) => guest.call("panic_division"), "Hale panic: division by zero\n"],
    ["the stack", (guest) => guest.call("panic_stack"), "Hale panic: stack overflow\n"],
    [
      "an unhandled failure",
      (guest) => guest.call("panic_unhandled", guest.string("IoError")),
      "Hale panic: unhandled IoError escaping main locus\n",
    ],
    [
      "a long name",
      (guest) => guest.call("panic_unhandled", guest.string("m".repeat(5000))),
      `${`Hale panic: unhandled ${"m".repeat(1023)}`.slice(0, 1023)}\n`,
    ],
  ])("%s: flushes, one line, the place, status 1", (_name, fault, line) => {
    const guest = new Guest();
    print(guest, "unfinished");
    expect(guest.exits(() => fault(guest))).toBe(1);
    expect(guest.writes).toEqual([
      { fd: 1, text: "unfinished" },
      { fd: 2, text: line },
    ]);
    expect(guest.calls).toEqual(["backtrace()"]);
  });

  test("a stale view", () => {
    const guest = new Guest();
    expect(guest.exits(() => guest.call("stale_view", 1, 1n, 2n))).toBe(1);
    expect(guest.output(2)).toBe(
      "violation: StringView read after source BytesBuilder mutated (stamped_epoch=1, current=2). The view's source buffer changed between view() and read; the aliased data is no longer the same bytes you observed at view-creation time. v1 has no borrow checker, so this is enforced at runtime \u2014 restructure to either snapshot() before the mutation or take view() after the mutation completes.\n",
    );
  });
});

describe("the end of a program", () => {
  test.each([
    [0, 0],
    [7, 7],
    [256, 0],
    [-1, 255],
  ])("main's result %i is the status %i", (result, status) => {
    const guest = new Guest();
    guest.main = () => {
      print(guest, "rest");
      return result;
    };
    expect(guest.start()).toBe(status);
    expect(guest.output(1)).toBe("rest");
  });
});

describe("assertions", () => {
  test("the first failure reports and ends the program with 1", () => {
    const guest = new Guest();
    guest.main = () => {
      guest.call("__test_pass");
      guest.call("__test_pass");
      guest.call("__test_fail_values", guest.string("total"), guest.string("7"), guest.string("3"), 0);
      return 0;
    };
    expect(guest.start()).toBe(1);
    expect(guest.output(1)).toBe(
      "ASSERTION FAILED: total\n  expected: 7\n  actual:   3\n  (2 earlier assertion(s) passed)\n",
    );
    expect(guest.calls).toContain("backtrace()");
  });

  test("without values, and with a tolerance", () => {
    const [plain, near] = [new Guest(), new Guest()];
    plain.exits(() => plain.call("__test_fail", plain.string("order")));
    near.exits(() =>
      near.call("__test_fail_values", near.string("mean"), near.string("2.5"), near.string("nan"), near.string("0.1")),
    );
    expect(plain.output(1)).toBe("ASSERTION FAILED: order\n  (0 earlier assertion(s) passed)\n");
    expect(near.output(1)).toBe(
      "ASSERTION FAILED: mean\n  expected: 2.5\n  actual:   nan\n  tolerance: 0.1\n  (0 earlier assertion(s) passed)\n",
    );
  });

  test("later assertions do nothing", () => {
    const guest = new Guest();
    guest.exits(() => guest.call("__test_fail", guest.string("first")));
    guest.call("__test_fail", guest.string("second"));
    expect(guest.output(1)).not.toContain("second");
    expect(guest.call("test_failed")).toBe(1);
  });
});
