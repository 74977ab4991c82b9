// `--workspace` (reference 08 7): every seed and every test file below a directory.
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { EXIT } from "../exit-status.ts";
import { complain, print, visible } from "../output.ts";
import { byteOrder, findFiles } from "../source-files.ts";
import { checkOne, type TargetRun } from "./one-target.ts";

/** One program of a workspace, in order: a seed before the tests in its directory, a directory before those below it. */
interface Unit {
  readonly shown: string;
  readonly isTest: boolean;
}

export function checkWorkspace(run: TargetRun): number {
  const { gate, report } = run;
  const { operands } = run.request;
  if (operands.length > 1) {
    complain(`hale ${gate.name} --workspace takes one directory, got ${operands.length}: ${operands.join(" ")}\n`);
    return EXIT.usage;
  }
  const [root = ""] = operands;
  if (!existsSync(root || ".")) {
    complain(`not a file or directory: ${root}\n`);
    return EXIT.usage;
  }
  const { units, problems } = unitsBelow(root);
  for (const problem of problems) complain(`hale ${gate.name}: ${problem}\n`);
  if (units.length === 0) {
    complain(`no seeds under ${root || realpathSync.native(".")}\n`);
    return EXIT.usage;
  }
  const failed: { shown: string; status: number }[] = [];
  for (const { shown } of units) {
    if (report.isForPeople) print(`=== ${visible(shown)} ===\n`);
    const status = checkOne(run, shown);
    if (status !== EXIT.success) failed.push({ shown, status });
  }
  if (report.isForPeople) summarise(units, failed);
  return Math.max(problems.length > 0 ? EXIT.usage : EXIT.success, ...failed.map(({ status }) => status));
}

function summarise(units: readonly Unit[], failed: readonly { shown: string; status: number }[]): void {
  if (failed.length > 0) {
    const lines = failed.map(({ shown, status }) => `  ${visible(shown)} (exit ${status})\n`);
    complain(`\n${failed.length} of ${units.length} seed(s) failed:\n${lines.join("")}`);
    return;
  }
  const tests = units.filter((unit) => unit.isTest).length;
  print(`\nok: ${units.length - tests} seed(s) checked${tests > 0 ? `, ${tests} test file(s) checked` : ""}\n`);
}

function unitsBelow(root: string): { units: Unit[]; problems: readonly string[] } {
  const { files, problems } = findFiles([root], {
    file: (name) => name.endsWith(".hl") && !name.endsWith("_bench.hl"),
    skipped: ["vendor", "target", "node_modules"],
  });
  const byDirectory = new Map<string, string[]>();
  for (const { shown } of files) {
    const directory = shown.includes("/") ? path.dirname(shown) : "";
    byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), shown]);
  }
  const units: Unit[] = [];
  for (const [directory, members] of [...byDirectory].sort(([a], [b]) => byParts(a, b))) {
    const tests = members.filter((shown) => shown.endsWith("_test.hl"));
    if (tests.length < members.length) units.push({ shown: directory || ".", isTest: false });
    units.push(...tests.map((shown) => ({ shown, isTest: true })));
  }
  return { units, problems };
}

/** Directories in name order, each before its subdirectories. */
function byParts(a: string, b: string): number {
  const left = a.split("/");
  const right = b.split("/");
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = byteOrder(left[index] ?? "", right[index] ?? "");
    if (order !== 0) return order;
  }
  return a === "" || b === "" ? a.length - b.length : left.length - right.length;
}
