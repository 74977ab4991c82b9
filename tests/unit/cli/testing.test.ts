import { expect, test } from "vitest";
import { visible } from "../../../cli/output.ts";
import { findBacktrace } from "../../../cli/testing/backtrace.ts";
import { Capture } from "../../../cli/testing/capture.ts";
import { inOrder, type TestResult } from "../../../cli/testing/events.ts";
import { escaped, escapedAttribute } from "../../../cli/testing/report/junit.ts";
import { progressLine, progressText } from "../../../cli/testing/report/progress.ts";
import { countLine } from "../../../cli/testing/report/text.ts";
import { percentile, timingLines } from "../../../cli/testing/report/timing.ts";

test("capture keeps the beginning, whole characters, and counts the rest", () => {
  const capture = new Capture(10);
  capture.push(Buffer.from("abcdefgh"));
  capture.push(Buffer.from("é€"));
  expect(capture.finish()).toEqual({ text: "abcdefghé", total: 13, dropped: 3 });
  const cut = new Capture(9);
  cut.push(Buffer.from("abcdefghé"));
  expect(cut.finish()).toEqual({ text: "abcdefgh", total: 10, dropped: 2 });
  const exact = new Capture(10);
  exact.push(Buffer.from("abcdefghé"));
  expect(exact.finish()).toEqual({ text: "abcdefghé", total: 10, dropped: 0 });
  const raw = new Capture(2);
  raw.push(Buffer.from([0x80, 0x80, 0x80, 0x80]));
  expect(raw.finish()).toMatchObject({ text: "\ufffd\ufffd", dropped: 2 });
});

test("the first backtrace is found, with callers, and taken out of the text", () => {
  const stderr = "note\n  at /a b/x:y.hl:7:5\n  called from /m.hl:10:1\nmore\n  called from /not.hl:1:1\n";
  expect(findBacktrace(stderr)).toEqual({
    frames: [
      { file: "/a b/x:y.hl", line: 7, column: 5 },
      { file: "/m.hl", line: 10, column: 1 },
    ],
    rest: "note\nmore\n  called from /not.hl:1:1\n",
  });
  for (const none of ["", "at /x.hl:1:1\n", " at /x.hl:1:1\n", "  at noon\n", "  at /x.hl:1\n", "   at /x.hl:1:1\n"]) {
    expect(findBacktrace(none)).toBeUndefined();
  }
});

const result = (shown: string): TestResult => {
  const nothing = new Capture().finish();
  const test = { shown, canonical: `/${shown}` };
  return { test, stdout: nothing, stderr: nothing, leaked: [], compileMs: 0, runMs: 0, cached: false };
};

test("results come in order of the files, each as soon as all before it are there (12 12.4.1)", () => {
  const seen: string[] = [];
  const reporter = inOrder([{ result: ({ test }) => seen.push(test.shown), end: () => seen.push("end") }]);
  const finish = (index: number) => reporter.event?.({ kind: "finished", index, result: result(`t${index}`) });
  finish(1);
  finish(4);
  expect(seen).toEqual([]);
  finish(0);
  expect(seen).toEqual(["t0", "t1"]);
  finish(3);
  reporter.end?.({ passed: 4, failed: 0, unreadable: 0, notRun: 1, keptVaults: [] });
  expect(seen).toEqual(["t0", "t1", "t3", "t4", "end"]);
});

test("percentile: index floor(n * p / 100), clamped to the last (12 12.4.4)", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index);
  expect([50, 90, 95, 99, 100].map((p) => percentile(hundred, p))).toEqual([50, 90, 95, 99, 99]);
  expect([50, 99].map((p) => percentile([7], p))).toEqual([7, 7]);
  expect([50, 90].map((p) => percentile([1, 2, 3], p))).toEqual([2, 3]);
  expect(percentile([], 50)).toBeUndefined();
});

test("timing without samples (12 12.4.4)", () => {
  expect(timingLines([]).slice(0, 6)).toEqual([
    "timing:",
    "  p50     n/a (0 samples)",
    "  p90     n/a (0 samples)",
    "  p95     n/a (0 samples)",
    "  p99     n/a (0 samples)",
    "  average n/a (0 samples)",
  ]);
});

test("timing names the five slowest, slowest first (12 12.4.4)", () => {
  const samples = [3, 9, 1, 7, 5, 8].map((runMs) => ({ shown: `t${runMs}`, compileMs: 1, runMs }));
  const lines = timingLines(samples);
  expect(lines.slice(lines.indexOf("slowest:") + 1, lines.indexOf("total:")).map((line) => line.trim())).toEqual([
    "10 ms  t9",
    "9 ms  t8",
    "8 ms  t7",
    "6 ms  t5",
    "4 ms  t3",
  ]);
});

test("the count", () => {
  expect(countLine({ passed: 1, failed: 2, unreadable: 0, notRun: 0, keptVaults: [] })).toBe("1 passed, 2 failed");
  expect(countLine({ passed: 1, failed: 1, unreadable: 0, notRun: 7, keptVaults: [] })).toBe(
    "1 passed, 1 failed, 7 not run",
  );
});

test("XML holds markup as entities and control characters visibly", () => {
  expect(escaped("a<b>&\"'\u0000\u001b\n\t\r\ufffe\u{1f600}")).toBe(
    "a&lt;b&gt;&amp;&quot;'\\x00\\x1b\n\t&#13;\\ufffe\u{1f600}",
  );
});

test("visible text stays on its line", () => {
  expect(visible("a\nb\tc\r\u0000\u007f\u009b\u2028é")).toBe("a\\nb\\tc\\r\\x00\\x7f\\x9b\\u2028é");
});

test("the progress line counts, names what runs and never wraps (12 12.4.3)", () => {
  const running = ["a/x_test.hl", "b/new\nline_test.hl"].map((shown) => ({ shown, canonical: shown }));
  expect(progressText({ done: 3, failed: 0, total: 9 }, running, 80)).toBe("[3/9] x_test.hl, new\\nline_test.hl");
  expect(progressText({ done: 3, failed: 2, total: 9 }, running, 30)).toBe("[3/9, 2 failed] x_test.hl, n…");
  expect(progressText({ done: 0, failed: 0, total: 9 }, [], 1)).toBe("[0/9] ");
});

test("the progress reporter stops with the run", () => {
  const { reporter } = progressLine(80);
  reporter.begin?.([result("a").test]);
  reporter.event?.({ kind: "started", index: 0, test: result("a").test });
  reporter.event?.({ kind: "finished", index: 0, result: result("a") });
  reporter.end?.({ passed: 1, failed: 0, unreadable: 0, notRun: 0, keptVaults: [] });
});

test("white space in an XML attribute survives the reader's normalisation (12 12.4.5)", () => {
  expect(escapedAttribute('new\nline\t"\r')).toBe("new&#10;line&#9;&quot;&#13;");
  expect(escaped("a\n\tb")).toBe("a\n\tb");
});
