// Reports and gates beside the findings (reference 11 11.14).
import { readFileSync } from "node:fs";
import type { CheckedProgram, ResourceBudget } from "../../compiler/index.ts";
import { EXIT } from "../exit-status.ts";
import { complain, print, systemMessage } from "../output.ts";
import { parseToml } from "../toml.ts";
import type { Door } from "./findings-report.ts";
import type { Artifacts } from "./request.ts";

/** The flags that end the command: its exit status; undefined when there is none of them. */
export function finishEarly(
  door: Door,
  command: string,
  { model }: CheckedProgram,
  artifacts: Artifacts,
): number | undefined {
  if (!model) return undefined;
  if (artifacts.dumpAllocations) print(door.allocationSummary(model));
  if (artifacts.dumpBudget) {
    const { pools, ...budget } = door.resourceBudget(model);
    print(budgetText(budget, pools));
  }
  if (artifacts.checkBudget !== undefined)
    return checkBudget(command, artifacts.checkBudget, door.resourceBudget(model));
  return artifacts.dumpAllocations || artifacts.dumpBudget ? EXIT.success : undefined;
}

/** The reports and gates after which the check goes on; the exit status of the gates. */
export function compareArtifacts(door: Door, command: string, { model }: CheckedProgram, artifacts: Artifacts): number {
  if (!model) return EXIT.success;
  if (artifacts.sealable) complain(door.sealability(model));
  if (artifacts.flows) complain(door.flows(model));
  if (!artifacts.dumpEffects && artifacts.checkEffects === undefined) return EXIT.success;
  const manifest = door.effectsManifest(model);
  if (artifacts.dumpEffects) print(manifest);
  return artifacts.checkEffects === undefined ? EXIT.success : checkManifest(command, artifacts.checkEffects, manifest);
}

// ---------------------------------------------------------------- effects manifest

function checkManifest(command: string, file: string, manifest: string): number {
  const kept = readText(command, file);
  if (kept === undefined) return EXIT.fault;
  if (kept === manifest) return EXIT.success;
  complain(`hale ${command}: the effects manifest differs from ${file}:\n${lineDifference(kept, manifest)}`);
  return EXIT.fault;
}

function readText(command: string, file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    complain(`hale ${command}: could not read ${file}: ${systemMessage(error)}\n`);
    return undefined;
  }
}

/** Lines that only one of two sorted lists of lines has: `- old`, `+ new`. */
function lineDifference(before: string, after: string): string {
  const old = new Set(before.split("\n"));
  const now = new Set(after.split("\n"));
  const gone = [...old].filter((line) => !now.has(line)).map((line) => `- ${line}\n`);
  const come = [...now].filter((line) => !old.has(line)).map((line) => `+ ${line}\n`);
  return [...gone, ...come].join("");
}

// ---------------------------------------------------------------- resource budget

/** As the TOML file that `--check-resource-budget` reads. */
function budgetText(budget: ResourceBudget, pools: readonly string[]): string {
  const names = pools.length === 0 ? "" : `  # ${pools.join(", ")}`;
  return [
    `pinned_threads = ${budget.pinned_threads}`,
    `cooperative_pools = ${budget.cooperative_pools}${names}`,
    `bus_subjects = ${budget.bus_subjects}`,
    `fd_open_sites = ${budget.fd_open_sites}`,
    "",
  ].join("\n");
}

function checkBudget(command: string, file: string, budget: ResourceBudget): number {
  const text = readText(command, file);
  if (text === undefined) return EXIT.fault;
  const toml = parseToml(text);
  if ("problem" in toml) {
    complain(`hale ${command}: ${file}:${toml.line}: ${toml.problem}\n`);
    return EXIT.fault;
  }
  const excesses: string[] = [];
  for (const [table, entries] of toml) {
    for (const [key, limit] of entries) {
      if (table !== "" || !isBudgetKey(key)) excesses.push(`unknown key \`${table === "" ? key : `${table}.${key}`}\``);
      else if (typeof limit !== "number") excesses.push(`\`${key}\` is an integer`);
      else if (budget[key] > limit) excesses.push(`${key} is ${budget[key]}, at most ${limit}`);
    }
  }
  for (const excess of excesses) complain(`hale ${command}: resource budget \`${file}\`: ${excess}\n`);
  if (excesses.length > 0) return EXIT.fault;
  print(`resource budget OK (within \`${file}\`)\n`);
  return EXIT.success;
}

function isBudgetKey(key: string): key is keyof ResourceBudget {
  return ["pinned_threads", "cooperative_pools", "bus_subjects", "fd_open_sites"].includes(key);
}
