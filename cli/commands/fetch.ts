import { existsSync } from "node:fs";
import path from "node:path";
import type { Arguments } from "../arguments.ts";
import { EXIT } from "../exit-status.ts";
import { checkOut } from "../fetching/checkout.ts";
import { dependenciesOf } from "../fetching/dependencies.ts";
import { complain, print, systemMessage } from "../output.ts";
import { replaceFile } from "../replacement.ts";
import { onTermination } from "../signals.ts";
import { makeDirectory } from "../source-files.ts";
import { readToml } from "../toml.ts";

interface Locked {
  readonly name: string;
  readonly git: string;
  readonly sha: string;
}

/** `hale fetch` (reference 08 4.3): the packages of `[deps]`, as checkouts in `vendor/`, and `hale.lock`. */
export async function fetch(given: Arguments<never>): Promise<number> {
  const [root = "", ...more] = given.operands;
  if (more.length > 0) {
    complain(`hale fetch takes one directory, got ${given.operands.length}: ${given.operands.join(" ")}\n`);
    return EXIT.usage;
  }
  const manifest = path.join(root, "hale.toml");
  if (!existsSync(manifest)) return fault(`no ${manifest}`);
  const toml = readToml(manifest);
  if ("problem" in toml) return fault(toml.problem);
  const dependencies = dependenciesOf(toml);
  if ("problem" in dependencies) return fault(`${manifest}: ${dependencies.problem}`);
  if (dependencies.length === 0) {
    print("hale.toml has no deps; nothing to fetch\n");
    return EXIT.success;
  }
  // Git hears the terminal's signals itself; this process stays to clear away what was half made.
  const termination = onTermination(() => {});
  const locked: Locked[] = [];
  let failed = false;
  const vendor = path.join(root, "vendor");
  try {
    makeDirectory(vendor);
  } catch (error) {
    return fault(`could not make ${vendor}: ${systemMessage(error)}`);
  }
  for (const dependency of dependencies) {
    const { name, git } = dependency;
    const checkout = checkOut(dependency, path.join(vendor, name));
    // The event loop goes round, so that a signal is seen.
    await new Promise((resolve) => setImmediate(resolve));
    const interrupted = termination.status();
    if (interrupted !== undefined) return interrupted;
    if ("problem" in checkout) {
      complain(`hale fetch: ${name}: ${checkout.problem}\n`);
      failed = true;
    } else locked.push({ name, git, sha: checkout.sha });
  }
  // A lock that lacks a package would be taken for the whole.
  if (failed) return EXIT.fault;
  return writeLock(path.join(root, "hale.lock"), locked);
}

function writeLock(file: string, locked: readonly Locked[]): number {
  const problem = replaceFile(file, locked.map(tableOf).join("\n"));
  if (problem !== undefined) return fault(`could not write ${file}: ${problem}`);
  print(`wrote ${file}\n`);
  return EXIT.success;
}

function tableOf({ name, git, sha }: Locked): string {
  const quoted = JSON.stringify;
  return `[[dep]]\nname = ${quoted(name)}\ngit = ${quoted(git)}\nsha = ${quoted(sha)}\n`;
}

function fault(words: string): number {
  complain(`hale fetch: ${words}\n`);
  return EXIT.fault;
}
