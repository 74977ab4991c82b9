import { expect, test } from "vitest";
import { Arguments, type CommandSpec, parseArguments } from "../../../cli/arguments.ts";
import { BENCH, BUILD, CHECK, COMMANDS, FMT, RUN, TEST } from "../../../cli/catalog.ts";
import { jobsOf, timeLimitOf } from "../../../cli/testing/options.ts";

function testArguments(...argv: string[]) {
  const given = parseArguments(TEST, argv);
  if (!(given instanceof Arguments)) throw new Error(given.problem);
  return given;
}

test("flags may stand on either side of operands, in every spelling; the last one counts (08 11.2, 08 7)", () => {
  const given = testArguments("a", "--json", "-run=x", "b", "--run", "y", "--timeout=3s");
  expect(given.operands).toEqual(["a", "b"]);
  expect(given.has("json")).toBe(true);
  expect(given.has("verbose")).toBe(false);
  expect(given.value("run")).toBe("y");
  expect(given.value("timeout")).toBe("3s");
});

test("-- ends the flags, and - alone is an operand", () => {
  expect(testArguments("-", "--", "--json", "-x").operands).toEqual(["-", "--json", "-x"]);
});

test("everything after the target of `hale run` is the program's (08 10.1)", () => {
  const given = parseArguments(RUN, ["--no-cache", "main.hl", "--no-cache", "-x", "--"]);
  expect(given).toMatchObject({ operands: ["main.hl", "--no-cache", "-x", "--"] });
});

test.each<[CommandSpec, string[], string]>([
  [TEST, ["--jsn"], "hale test: unknown flag `--jsn`"],
  [TEST, ["--json=1"], "hale test: unknown flag `--json=1`"],
  [TEST, ["-run"], "hale test: -run requires a substring argument"],
  [BENCH, ["-run"], "hale bench: -run requires a substring argument"],
  [TEST, ["-j"], "hale test: -j requires a job count"],
  [TEST, ["--jobs"], "hale test: -j requires a job count"],
  [TEST, ["--junit"], "hale test: --junit requires a file"],
  [CHECK, ["--x"], "unknown flag for `hale check`: --x"],
  [BUILD, ["--x"], "unknown `hale build` flag: --x"],
  [BUILD, ["-o"], "hale build: -o requires a path"],
  [FMT, ["-x"], "hale fmt: unknown flag -x"],
  [RUN, ["-o", "x"], "hale run: unknown flag `-o`"],
])("usage errors: %# (08 11.5, 08 9.3, 08 10.6)", (spec, argv, problem) => {
  expect(parseArguments(spec, argv)).toMatchObject({ problem });
});

test.each([["-j", "4"], ["-j4"], ["-j=4"], ["--jobs", "4"], ["--jobs=4"]])(
  "job count: %s %s (08 11.3, 12 12.3.2)",
  (...argv) => {
    expect(jobsOf(testArguments(...argv.filter((word) => word !== undefined)), { HALE_TEST_JOBS: "x" })).toBe(4);
  },
);

test.each(["0", "-1", "x", "1.5", "", "1e3", " 2", "0x2"])(
  "job count that is none: %j (12 12.3.2, 08 11.5)",
  (text) => {
    expect(jobsOf(testArguments(`-j=${text}`), {})).toEqual({
      problem: `-j takes a positive integer, got \`${text}\``,
    });
    expect(jobsOf(testArguments(), { HALE_TEST_JOBS: text })).toEqual({
      problem: `HALE_TEST_JOBS takes a positive integer, got \`${text}\``,
    });
  },
);

test("job count: the variable, else one a core (08 11.3, 08 17)", () => {
  expect(jobsOf(testArguments(), { HALE_TEST_JOBS: "12" })).toBe(12);
  expect(jobsOf(testArguments(), {})).toBeGreaterThanOrEqual(1);
});

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["1.5s", 1500],
  ["1m30s", 90_000],
  ["0", undefined],
  ["0s", undefined],
])("time limit %s (12 12.3.5)", (text, milliseconds) => {
  expect(timeLimitOf(testArguments("--timeout", text))).toEqual({ milliseconds, text });
});

test("the default time limit is ten minutes", () => {
  expect(timeLimitOf(testArguments())).toEqual({ milliseconds: 600_000, text: "10m" });
});

test.each(["", "10", "s", "-1s", "1s ", "1d2", "1s2", "ms5", "1,5s"])("time limit that is none: %j", (text) => {
  expect(timeLimitOf(testArguments(`--timeout=${text}`))).toEqual({
    problem: `--timeout takes a duration like \`500ms\`, \`30s\` or \`2m\`, got \`${text}\``,
  });
});

test("no two commands share a name, no two flags of a command a spelling", () => {
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
  for (const { flags } of COMMANDS) {
    const names = Object.values(flags).flatMap((flag) => flag.names);
    expect(new Set(names).size).toBe(names.length);
  }
});
