import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { realpathSync } from "node:fs";
import path from "node:path";
import type { Arguments } from "../arguments.ts";
import { BUILD } from "../catalog.ts";
import { refusedByEnvironment } from "../checking/deployment.ts";
import { CompileCache } from "../compile-cache.ts";
import { compileOutcome } from "../compile-outcome.ts";
import { type CompileMode, compileProgram } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { temporaryBeside } from "../replacement.ts";
import { commandUsage } from "../help.ts";
import { isCache, judgeLocality, mentionsLocality } from "../locality.ts";
import { complain, systemMessage } from "../output.ts";
import { preparation } from "../prepare.ts";
import { rejectionText } from "../rejection.ts";
import { exitOnTermination } from "../signals.ts";
import { targetOf } from "../targets.ts";
import { canonicalPath, statOf } from "../source-files.ts";

type BuildArguments = Arguments<keyof typeof BUILD.flags>;

/** `hale build` (reference 08 9). */
export async function build(given: BuildArguments): Promise<number> {
  const [source, ...more] = given.operands;
  if (source === undefined) return refuse(commandUsage(BUILD));
  if (more.length > 0)
    return refuse(`hale build takes one target, got ${given.operands.length}: ${given.operands.join(" ")}\n`);
  const target = targetOf(given.value("target"));
  if (typeof target === "object") return refuse(`hale build: ${target.problem}\n`);
  const isQuick = given.has("dev") || process.env["HALE_DEV"] === "1";
  if (isQuick && given.has("release")) return refuse("hale build: --dev and --release exclude each other\n");
  const cache = given.value("targetCache");
  if (cache !== undefined && !isCache(cache))
    return refuse(`hale build: --target-cache takes l1, l2 or l3, got \`${cache}\`\n`);
  if (!existsSync(source)) return fault(`not a file or directory: ${source}\n`);
  const refused = await refusedByEnvironment("hale build", source, given.value("env"));
  if (refused !== undefined) return refused;
  const output = given.value("out") ?? defaultOutput(source);
  const obstacle = obstacleAt(output);
  if (obstacle !== undefined) return fault(`hale build: could not write ${output}: ${obstacle}\n`);
  const mode = { target, profile: given.has("release") ? "release" : "dev", advisories: true } as const;
  return buildTo(source, output, mode, given);
}

async function buildTo(source: string, output: string, mode: CompileMode, given: BuildArguments): Promise<number> {
  const started = performance.now();
  const canonical = canonicalPath(source);
  // Beside its final place, so that the rename is one step: whoever runs the old program keeps it, and a failure leaves nothing.
  const temporary = temporaryBeside(output);
  // The optimiser has files and a process of its own.
  const termination = mode.profile === "release" ? exitOnTermination() : undefined;
  const cache = given.has("noCache") ? undefined : CompileCache.open();
  const prepared = await preparation((from, to) => compileOutcome(compileProgram, from, to), cache)(
    canonical,
    temporary,
    mode,
  );
  termination?.release();
  if (prepared.kind !== "ready") {
    rmSync(temporary, { force: true });
    return fault(rejectionText("hale build", source, prepared, output));
  }
  if (prepared.warnings !== "") complain(`${prepared.warnings}\n`);
  const excesses = await excessesOf(canonical, given);
  if (excesses > 0 && given.has("strict")) {
    rmSync(temporary, { force: true });
    return fault(`hale build: --strict: ${excesses} ${excesses === 1 ? "locus does" : "loci do"} not fit\n`);
  }
  try {
    chmodSync(temporary, 0o777 & ~process.umask());
    renameSync(temporary, output);
  } catch (error) {
    rmSync(temporary, { force: true });
    return fault(`hale build: could not write ${output}: ${systemMessage(error)}\n`);
  }
  complain(`built: ${output}\n`);
  if (process.env["HALE_TIME"] === "1") {
    const how = prepared.cached ? "from the compile cache" : "compiled";
    complain(`time: ${Math.round(performance.now() - started)} ms, ${how}\n`);
  }
  return EXIT.success;
}

/** Loci that do not fit into the cache that the flags or the source name. */
async function excessesOf(source: string, given: BuildArguments): Promise<number> {
  const cache = given.value("targetCache");
  const report = given.has("localityReport");
  if (cache === undefined && !report && !mentionsLocality(source)) return 0;
  return judgeLocality(source, { cache, report });
}

/** `x.hl` gives `x` beside it, a directory `d` gives `d/<its name>`. */
function defaultOutput(source: string): string {
  if (isDirectory(source)) return path.join(source, path.basename(realpathSync.native(source)));
  return source.endsWith(".hl") ? source.slice(0, -".hl".length) : `${source}.out`;
}

/** Why no executable may take this place: a rename would put it over a directory, a device (`/dev/null`) or a source. */
function obstacleAt(output: string): string | undefined {
  if (output === "") return "no file name";
  const there = statOf(output);
  if (there === undefined) return undefined;
  if (there.isDirectory()) return `${output} is a directory`;
  if (!there.isFile()) return `${output} is not a regular file`;
  return output.endsWith(".hl") ? `${output} is a Hale source` : undefined;
}

function isDirectory(file: string): boolean {
  return statOf(file)?.isDirectory() ?? false;
}

function refuse(text: string): number {
  complain(text);
  return EXIT.usage;
}

function fault(text: string): number {
  complain(text);
  return EXIT.fault;
}
