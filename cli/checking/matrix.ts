// `--matrix` (reference 11b 11b.8): every entrypoint in every environment that names it.
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import type { CheckedProgram } from "../../compiler/index.ts";
import { EXIT } from "../exit-status.ts";
import { complain, print, visible } from "../output.ts";
import { findFiles, statOf } from "../source-files.ts";
import { demandedBy, type Environment, findManifest, type Manifest } from "./environments.ts";
import type { Door } from "./findings-report.ts";
import { checkOne, type TargetRun } from "./one-target.ts";

export function checkMatrix(run: TargetRun): number {
  const { gate, report, request, door } = run;
  const { operands } = request;
  const usage = (problem: string) => {
    complain(`${problem}\n`);
    return EXIT.usage;
  };
  if (operands.length > 1) {
    return usage(`hale ${gate.name} --matrix takes one directory, got ${operands.length}: ${operands.join(" ")}`);
  }
  const [root = "."] = operands;
  if (!existsSync(root)) return usage(`not a file or directory: ${root}`);
  const manifest = findManifest(root);
  if (!manifest) return usage(`hale ${gate.name}: no hale.toml at or above ${root}`);
  if ("problem" in manifest) return usage(`hale ${gate.name}: ${manifest.problem}`);
  if (manifest.environments.length === 0) return usage(`hale ${gate.name}: ${manifest.file} declares no environments`);
  const failures: string[] = [];
  const closures = new Closures();
  let pairs = 0;
  for (const environment of manifest.environments) {
    for (const entrypoint of environment.entrypoints) {
      pairs++;
      const label = `${entrypoint} @ ${environment.name}`;
      if (report.isForPeople) print(`=== ${visible(label)} ===\n`);
      const problem = checkPair(run, manifest, environment, entrypoint, closures);
      if (problem !== undefined) failures.push(`${label}: ${problem}`);
    }
  }
  failures.push(...closures.differences(), ...unlisted(door, manifest, root));
  if (failures.length > 0) {
    complain(`${failures.length} pair(s) failed:\n${failures.map((failure) => `  ${visible(failure)}\n`).join("")}`);
    return EXIT.fault;
  }
  if (report.isForPeople) print(`\nok: ${pairs} (entrypoint, environment) pair(s) checked\n`);
  return EXIT.success;
}

/** Checks one pair; undefined when it holds. */
function checkPair(
  run: TargetRun,
  manifest: Manifest,
  environment: Environment,
  entrypoint: string,
  closures: Closures,
): string | undefined {
  const directory = path.join(manifest.directory, entrypoint);
  if (!statOf(directory)?.isDirectory()) {
    complain(`no directory ${directory}\n`);
    return "no such directory";
  }
  const demanded = demandedBy(manifest, environment);
  const status = checkOne(
    { ...run, demanded, seen: (program) => closures.note(run.door, program, manifest, environment, entrypoint) },
    directory,
  );
  return status === EXIT.success ? undefined : `exit ${status}`;
}

/** What each constitution was, wherever it was adopted: one name means one law in an environment, the base everywhere. */
class Closures {
  /** Scope and name, to the digests with the entrypoints that had them. */
  readonly #digests = new Map<string, Map<string, string>>();

  note(
    door: Door,
    { model }: CheckedProgram,
    { base }: Manifest,
    { name, constitution }: Environment,
    entrypoint: string,
  ): void {
    if (!model) return;
    const digests = door.constitutionDigests(model);
    for (const [scope, wanted] of [
      ["base", base],
      [`environment \`${name}\``, constitution],
    ] as const) {
      const digest = wanted === undefined ? undefined : digests.get(wanted);
      if (wanted === undefined || digest === undefined) continue;
      const key = `${scope}: constitution \`${wanted}\``;
      this.#digests.set(key, (this.#digests.get(key) ?? new Map()).set(digest, entrypoint));
    }
  }

  differences(): string[] {
    return [...this.#digests].flatMap(([key, digests]) =>
      digests.size < 2 ? [] : [`${key} differs between ${[...digests.values()].join(" and ")}`],
    );
  }
}

/** Entrypoints below the root that no environment names, and seeds that do not parse. */
function unlisted(door: Door, manifest: Manifest, root: string): string[] {
  const listed = new Set(
    manifest.environments.flatMap(({ entrypoints }) =>
      entrypoints.map((each) => canonical(path.join(manifest.directory, each))),
    ),
  );
  const { files } = findFiles([root], {
    file: (name) => name.endsWith(".hl") && !name.endsWith("_test.hl") && !name.endsWith("_bench.hl"),
    skipped: ["vendor", "target", "node_modules"],
  });
  const problems = new Map<string, string>();
  for (const { shown } of files) {
    const directory = path.dirname(shown);
    const read = door.readSource(shown);
    if ("problem" in read) {
      problems.set(directory, `could not read ${shown}: ${read.problem.message}`);
      continue;
    }
    const { ast, diagnostics } = door.parseFile(read.file);
    if (diagnostics.some(({ severity }) => severity === "error"))
      problems.set(directory, `${directory} does not parse`);
    const isEntrypoint = ast.declarations.some((declaration) => declaration.kind === "locus" && declaration.isMain);
    if (isEntrypoint && !listed.has(canonical(directory)) && !problems.has(directory)) {
      problems.set(directory, `${directory} is an entrypoint in no environment`);
    }
  }
  return [...problems.values()];
}

function canonical(directory: string): string {
  return existsSync(directory) ? realpathSync.native(directory) : path.resolve(directory);
}
