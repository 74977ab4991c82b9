// One package's checkout below vendor/, made and moved by git.
import { spawnSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import path from "node:path";
import { systemMessage } from "../output.ts";
import { temporaryBeside } from "../replacement.ts";
import { removeTree } from "../remove-tree.ts";
import { statOf } from "../source-files.ts";
import type { Dependency } from "./dependencies.ts";

export type Checkout = { readonly sha: string } | { readonly problem: string };

/** Brings `directory` (its parent exists) to the wanted state; a failure leaves it as it was. What is there and is no checkout is left alone. */
export function checkOut(dependency: Dependency, directory: string): Checkout {
  if (statOf(directory) === undefined) return cloneTo(dependency, directory);
  if (!existsSync(path.join(directory, ".git"))) return { problem: `${directory} is there and is not a git checkout` };
  return update(dependency, directory);
}

/** Beside its final place, so that nothing half made is ever found there. */
function cloneTo(dependency: Dependency, directory: string): Checkout {
  const temporary = temporaryBeside(directory);
  const made = clone(dependency, temporary);
  if ("problem" in made) {
    removeTree(temporary);
    return made;
  }
  try {
    renameSync(temporary, directory);
    return made;
  } catch (error) {
    removeTree(temporary);
    return { problem: `could not make ${directory}: ${systemMessage(error)}` };
  }
}

function clone({ git: url, revision }: Dependency, directory: string): Checkout {
  const shallow = revision.kind === "rev" ? [] : ["--depth", "1"];
  const branch = revision.kind === "tag" || revision.kind === "branch" ? ["--branch", revision.name] : [];
  const { problem } = git(["clone", "--quiet", ...shallow, ...branch, "--", url, directory], directory);
  if (problem !== undefined) return { problem };
  return revision.kind === "rev" ? moveTo(directory, revision.name) : head(directory);
}

function update({ git: url, revision }: Dependency, directory: string): Checkout {
  const at = (...args: string[]) => gitIn(directory, ...args).problem;
  const renamed = at("remote", "set-url", "origin", url);
  if (renamed !== undefined) return { problem: renamed };
  if (revision.kind === "rev") {
    // A commit that is there already needs no network.
    const isHere = at("cat-file", "-e", `${revision.name}^{commit}`) === undefined;
    const isShallow = existsSync(path.join(directory, ".git", "shallow"));
    const problem = isHere
      ? undefined
      : at("fetch", "--quiet", "--tags", ...(isShallow ? ["--unshallow"] : []), "origin");
    return problem === undefined ? moveTo(directory, revision.name) : { problem };
  }
  const wanted = { default: "HEAD", tag: "refs/tags/", branch: "refs/heads/" }[revision.kind];
  const ref = revision.kind === "default" ? wanted : wanted + revision.name;
  const problem = at("fetch", "--quiet", "--depth", "1", "origin", ref);
  return problem === undefined ? moveTo(directory, "FETCH_HEAD") : { problem };
}

function moveTo(directory: string, commit: string): Checkout {
  const { problem } = gitIn(directory, "checkout", "--quiet", "--detach", commit);
  return problem === undefined ? head(directory) : { problem };
}

function head(directory: string): Checkout {
  const { problem, output } = gitIn(directory, "rev-parse", "HEAD");
  return problem === undefined ? { sha: output.trim() } : { problem };
}

/** Variables by which git would find another repository than the one that it is told: a hook sets them. */
const OTHER_REPOSITORY = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"];

interface GitOutcome {
  readonly output: string;
  readonly problem?: string;
}

function gitIn(directory: string, ...args: readonly string[]): GitOutcome {
  return git(["-C", directory, ...args], directory);
}

function git(args: readonly string[], directory: string): GitOutcome {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OTHER_REPOSITORY.includes(name)));
  // Nobody is asked for a password: the command may run where nobody is.
  const { error, status, signal, stdout, stderr } = spawnSync("git", args, {
    encoding: "utf8",
    // A damaged checkout is an error, and not a reason to look for a repository above it: that would be the user's own.
    env: { ...env, GIT_TERMINAL_PROMPT: "0", GIT_CEILING_DIRECTORIES: path.resolve(directory, "..") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (error) return { output: "", problem: `could not start git: ${systemMessage(error)}` };
  if (status === 0) return { output: stdout };
  const words = stderr.trimEnd();
  return { output: "", problem: words === "" ? `git ${args[0]} ended with ${signal ?? status}` : words };
}
