// Deployment environments (reference 11b 11b.8): what `hale.toml` says of them.
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import type { AnalysisOptions } from "../../compiler/index.ts";
import { readToml, type Toml, type TomlValue } from "../toml.ts";
import { canonicalPath } from "../source-files.ts";

export interface Environment {
  readonly name: string;
  /** Missing for one that adds no law of its own. */
  readonly constitution: string | undefined;
  /** Directories, relative to the manifest's. */
  readonly entrypoints: readonly string[];
}

export interface Manifest {
  readonly file: string;
  readonly directory: string;
  /** The constitution that every entrypoint adopts. */
  readonly base: string | undefined;
  /** In order of name. */
  readonly environments: readonly Environment[];
}

/** The nearest `hale.toml` at or above a path, read; undefined: there is none. */
export function findManifest(target: string): Manifest | { readonly problem: string } | undefined {
  const { file } = nearestManifest(target);
  return file === undefined ? undefined : readManifest(file);
}

/** The directory of a path, and the nearest `hale.toml` there or above. */
export function nearestManifest(target: string): { readonly own: string; readonly file: string | undefined } {
  const canonical = canonicalPath(target);
  const own = statSync(canonical).isDirectory() ? canonical : path.dirname(canonical);
  for (let directory = own; ; directory = path.dirname(directory)) {
    const file = path.join(directory, "hale.toml");
    if (existsSync(file)) return { own, file };
    if (directory === path.dirname(directory)) return { own, file: undefined };
  }
}

function readManifest(file: string): Manifest | { readonly problem: string } {
  const toml = readToml(file);
  if ("problem" in toml) return toml;
  try {
    return interpret(file, toml);
  } catch (error) {
    if (error instanceof ManifestProblem) return { problem: `${file}: ${error.message}` };
    throw error;
  }
}

/** What is wrong with a manifest; never leaves this file. */
class ManifestProblem extends Error {}

function interpret(file: string, toml: Toml): Manifest {
  const environments: Environment[] = [];
  for (const [table, entries] of toml) {
    const name = /^environments\.([^.]+)$/.exec(table)?.[1];
    if (name !== undefined) environments.push(environment(name, entries));
  }
  const claims = toml.get("claims") ?? new Map();
  refuseUnknown("claims", claims, ["base", "no_base"]);
  const base = text("claims.base", claims.get("base"));
  const noBase = claims.get("no_base") === true;
  if (base !== undefined && noBase) throw new ManifestProblem("[claims] states `base` and `no_base`");
  if (environments.length > 0 && base === undefined && !noBase) {
    throw new ManifestProblem("a workspace with environments states `base` or `no_base = true` under [claims]");
  }
  environments.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { file, directory: path.dirname(file), base, environments };
}

function environment(name: string, entries: ReadonlyMap<string, TomlValue>): Environment {
  const where = `environments.${name}`;
  refuseUnknown(where, entries, ["constitution", "source_only", "entrypoints"]);
  const constitution = text(`${where}.constitution`, entries.get("constitution"));
  const isSourceOnly = entries.get("source_only") === true;
  if ((constitution !== undefined) === isSourceOnly) {
    throw new ManifestProblem(`[${where}] states either \`constitution\` or \`source_only = true\``);
  }
  const entrypoints = entries.get("entrypoints") ?? [];
  if (!Array.isArray(entrypoints)) throw new ManifestProblem(`${where}.entrypoints is an array of strings`);
  return { name, constitution, entrypoints };
}

function refuseUnknown(table: string, entries: ReadonlyMap<string, TomlValue>, known: readonly string[]): void {
  for (const key of entries.keys()) {
    if (!known.includes(key)) throw new ManifestProblem(`unknown key \`${key}\` in [${table}]`);
  }
}

function text(key: string, value: TomlValue | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw new ManifestProblem(`${key} is a string`);
}

/** What an environment adds to the law of an entrypoint, each once. */
export function demandedBy({ file, base }: Manifest, { name, constitution }: Environment): AnalysisOptions["demanded"] {
  const demanded = base === undefined ? [] : [{ name: base, by: `\`base\` of ${file}` }];
  if (constitution === undefined || constitution === base) return demanded;
  return [...demanded, { name: constitution, by: `environment \`${name}\` of ${file}` }];
}

/** The environment of that name, or why there is none. */
export function environmentNamed(manifest: Manifest, name: string): Environment | { readonly problem: string } {
  const found = manifest.environments.find((each) => each.name === name);
  if (found) return found;
  const declared = manifest.environments.map((each) => each.name).join(", ");
  return { problem: `no environment \`${name}\` in ${manifest.file} (declared: ${declared})` };
}

/** The law that an environment named on the command line adds to a target; `command` stands before what is wrong with the workspace. */
export function lawOf(
  command: string,
  target: string,
  name: string,
): { readonly demanded: AnalysisOptions["demanded"] } | { readonly problem: string } {
  const manifest = findManifest(target);
  if (!manifest) return { problem: `${command}: no hale.toml at or above ${target}` };
  if ("problem" in manifest) return { problem: `${command}: ${manifest.problem}` };
  const environment = environmentNamed(manifest, name);
  return "problem" in environment ? environment : { demanded: demandedBy(manifest, environment) };
}
