import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { CheckedProgram, CheckOptions, Diagnostic } from "../../compiler/index.ts";
import type { Arguments } from "../arguments.ts";
import type { CHECK } from "../catalog.ts";
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { complain, print, visible } from "../output.ts";
import { byteOrder, findFiles } from "../source-files.ts";

type CheckArguments = Arguments<keyof typeof CHECK.flags>;
type Door = Awaited<ReturnType<typeof loadCompiler>>;

/** `hale check` (reference 08 7): errors fail. */
export function check(given: CheckArguments): Promise<number> {
  return checkWith(CHECK_GATE, given);
}

/** `hale verify` (reference 08 8): any finding fails. */
export function verify(given: CheckArguments): Promise<number> {
  return checkWith(VERIFY_GATE, given);
}

/** What distinguishes the two commands. */
interface Gate {
  readonly name: "check" | "verify";
  readonly fails: (finding: Diagnostic) => boolean;
  readonly clean: (program: CheckedProgram) => string;
  readonly failed: (findings: number) => string;
}

const CHECK_GATE: Gate = {
  name: "check",
  fails: ({ severity }) => severity === "error",
  clean: ({ ownFiles, excludedTests }) => {
    const tests = excludedTests > 0 ? ` (${excludedTests} test file(s) excluded)` : "";
    return `ok: ${ownFiles.length} file(s) typechecked${tests}\n`;
  },
  failed: () => "",
};

const VERIFY_GATE: Gate = {
  name: "verify",
  fails: () => true,
  clean: ({ ownFiles }) => `verified: ${ownFiles.length} file(s), 0 findings\n`,
  failed: (findings) => `verify: ${findings} finding(s) — the discipline gate fails on advisories too\n`,
};

async function checkWith(gate: Gate, given: CheckArguments): Promise<number> {
  const { operands } = given;
  if (given.has("workspace")) return checkWorkspace(gate, given);
  const [target] = operands;
  if (target === undefined) {
    complain(`hale ${gate.name} needs a target (a .hl file or a seed directory).\n`);
    return EXIT.usage;
  }
  if (operands.length > 1) {
    complain(`hale ${gate.name} takes ONE target, got ${operands.length}: ${operands.join(" ")}\n`);
    return EXIT.usage;
  }
  return checkOne(await loadCompiler(), gate, target, given.has("json"));
}

function checkOne(door: Door, gate: Gate, target: string, json: boolean): number {
  const program = door.checkTarget(target, { mode: modeOf(target) });
  const { diagnostics } = program;
  if (json) print(diagnostics.map((each) => `${door.renderDiagnosticJson(each)}\n`).join(""));
  else complain(diagnostics.map((each) => `${textOf(door, each)}\n`).join(""));
  const failed = diagnostics.some(gate.fails);
  if (!json) complain(failed ? gate.failed(diagnostics.length) : gate.clean(program));
  return failed ? EXIT.fault : EXIT.success;
}

/** A finding about the target itself is its own sentence (reference 08 1). */
function textOf(door: Door, diagnostic: Diagnostic): string {
  const isAboutTarget = diagnostic.code === "E0201" || diagnostic.code === "E0204";
  return isAboutTarget ? diagnostic.message : door.renderDiagnostic(diagnostic);
}

/** A test file is a program of its own, a bench file one without an entry; another file may be one of many of its seed. */
function modeOf(target: string): CheckOptions["mode"] {
  if (target.endsWith("_test.hl")) return "program";
  if (target.endsWith("_bench.hl") || statSync(target, { throwIfNoEntry: false })?.isDirectory()) return "seed";
  return "file";
}

/** One program of a workspace, in order: a seed before the tests in its directory, a directory before those below it. */
interface Unit {
  readonly shown: string;
  readonly isTest: boolean;
}

async function checkWorkspace(gate: Gate, given: CheckArguments): Promise<number> {
  const { operands } = given;
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
  const json = given.has("json");
  const door = await loadCompiler();
  const failed: { shown: string; status: number }[] = [];
  for (const { shown } of units) {
    if (!json) print(`=== ${visible(shown)} ===\n`);
    const status = checkOne(door, gate, shown, json);
    if (status !== EXIT.success) failed.push({ shown, status });
  }
  if (!json) summarise(units, failed);
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
